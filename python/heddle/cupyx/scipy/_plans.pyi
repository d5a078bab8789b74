# SPDX-License-Identifier: BSD-3-Clause
# Made by tools/stubs.py from python/heddle/cupyx/scipy/_plans.py and tools/stubs.toml: do not edit; `make gen` writes it again.
from typing import Any
from ..._array import _Operand

__all__ = ["get_fft_plan"]

def get_fft_plan(a: _Operand, shape: Any = None, axes: Any = None,
                 value_type: Any = 'C2C') -> Any: ...
