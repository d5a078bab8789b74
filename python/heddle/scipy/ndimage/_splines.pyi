# SPDX-License-Identifier: BSD-3-Clause
# Made by tools/stubs.py from python/heddle/scipy/ndimage/_splines.py and tools/stubs.toml: do not edit; `make gen` writes it again.
from numpy.typing import DTypeLike
from typing import Any
from ..._array import NDArray, ndarray, _Axis, _Operand

__all__ = ["spline_filter", "spline_filter1d"]

def spline_filter1d(input: _Operand, order: int = 3, axis: _Axis = -1,
                    output: ndarray | DTypeLike = ..., mode: Any = 'mirror') -> NDArray[Any]: ...
def spline_filter(input: _Operand, order: int = 3, output: ndarray | DTypeLike = ...,
                  mode: Any = 'mirror') -> NDArray[Any]: ...
