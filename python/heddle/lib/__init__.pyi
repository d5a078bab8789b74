# SPDX-License-Identifier: BSD-3-Clause
"""What lib/__init__.py makes appear: its two modules, and NumPy's other names."""
from typing import Any

from . import scimath as scimath
from . import stride_tricks as stride_tricks

__all__ = ["scimath", "stride_tricks"]

def __getattr__(name: str) -> Any: ...
