# SPDX-License-Identifier: BSD-3-Clause
"""Less common functions."""
from . import stride_tricks

__all__ = ["stride_tricks"]
