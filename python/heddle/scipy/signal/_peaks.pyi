# SPDX-License-Identifier: BSD-3-Clause
# Made by tools/stubs.py from python/heddle/scipy/signal/_peaks.py and tools/stubs.toml: do not edit; `make gen` writes it again.
from typing import Any
from ..._array import _Axis

__all__ = ["argrelextrema", "argrelmax", "argrelmin"]

def argrelextrema(data: Any, comparator: Any, axis: _Axis = 0, order: int = 1,
                  mode: str = 'clip') -> Any: ...
def argrelmax(data: Any, axis: _Axis = 0, order: int = 1, mode: str = 'clip') -> Any: ...
def argrelmin(data: Any, axis: _Axis = 0, order: int = 1, mode: str = 'clip') -> Any: ...
