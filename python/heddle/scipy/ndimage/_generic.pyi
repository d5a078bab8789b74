# SPDX-License-Identifier: BSD-3-Clause
# Made by tools/stubs.py from python/heddle/scipy/ndimage/_generic.py and tools/stubs.toml: do not edit; `make gen` writes it again.
from numpy.typing import DTypeLike
from typing import Any
from ..._array import NDArray, ndarray, _Axis, _Operand

__all__ = ["generic_filter", "generic_filter1d"]

def generic_filter(input: _Operand, function: Any, size: Any = None, footprint: Any = None,
                   output: ndarray | DTypeLike | None = None, mode: Any = 'reflect',
                   cval: float = 0.0, origin: Any = 0, extra_arguments: Any = (),
                   extra_keywords: Any = None, *, axes: Any = None) -> NDArray[Any]: ...
def generic_filter1d(input: _Operand, function: Any, filter_size: Any, axis: _Axis = -1,
                     output: ndarray | DTypeLike | None = None, mode: Any = 'reflect',
                     cval: float = 0.0, origin: Any = 0, extra_arguments: Any = (),
                     extra_keywords: Any = None) -> NDArray[Any]: ...
