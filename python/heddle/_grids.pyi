# SPDX-License-Identifier: BSD-3-Clause
# Made by tools/stubs.py from python/heddle/_grids.py and tools/stubs.toml: do not edit; `make gen` writes it again.
from numpy import dtype, float64, intp
from numpy.typing import DTypeLike
from typing import Any, Literal, Self, SupportsIndex, overload
from ._array import NDArray, _Axis, _DType, _Operand, _Order, _S

__all__ = ["c_", "fromfunction", "geomspace", "index_exp", "indices", "ix_", "logspace", "meshgrid",
           "mgrid", "ndenumerate", "ogrid", "r_", "ravel_multi_index", "s_", "unravel_index"]

@overload
def meshgrid(*xi: NDArray[_S], copy: bool = True, sparse: bool = False,
             indexing: Any = 'xy') -> tuple[NDArray[_S], ...]: ...
@overload
def meshgrid(*xi: _Operand, copy: bool = True, sparse: bool = False,
             indexing: Any = 'xy') -> tuple[NDArray[Any], ...]: ...
@overload
def indices(dimensions: Any, dtype: DTypeLike = ..., *,
            sparse: Literal[True]) -> tuple[NDArray[Any], ...]: ...
@overload
def indices(dimensions: Any, dtype: DTypeLike = ...,
            sparse: Literal[False] = ...) -> NDArray[Any]: ...
def fromfunction(function: Any, shape: Any, *, dtype: DTypeLike = ..., like: Any = None,
                 **kwargs: Any) -> Any: ...
@overload
def ix_(*args: NDArray[_S]) -> tuple[NDArray[_S], ...]: ...
@overload
def ix_(*args: _Operand) -> tuple[NDArray[Any], ...]: ...
mgrid: Any
ogrid: Any
index_exp: Any
s_: Any
r_: Any
c_: Any
class ndenumerate:
    def __init__(self, arr: _Operand) -> None: ...
    def __next__(self) -> tuple[tuple[int, ...], Any]: ...
    def __iter__(self) -> Self: ...
def unravel_index(indices: _Operand, shape: Any,
                  order: _Order = 'C') -> tuple[NDArray[intp], ...]: ...
def ravel_multi_index(multi_index: Any, dims: Any, mode: Any = 'raise',
                      order: _Order = 'C') -> NDArray[intp]: ...
@overload
def logspace(start: float, stop: float, num: SupportsIndex = 50, endpoint: bool = True,
             base: Any = 10.0, dtype: None = ..., axis: _Axis = 0) -> NDArray[float64]: ...
@overload
def logspace(start: _Operand, stop: _Operand, num: SupportsIndex = 50, endpoint: bool = True,
             base: Any = 10.0, *, dtype: _DType[_S], axis: _Axis = 0) -> NDArray[_S]: ...
@overload
def logspace(start: _Operand, stop: _Operand, num: SupportsIndex = 50, endpoint: bool = True,
             base: Any = 10.0, dtype: DTypeLike | None = None, axis: _Axis = 0) -> NDArray[Any]: ...
@overload
def geomspace(start: _Operand, stop: _Operand, num: SupportsIndex = 50, endpoint: bool = True, *,
              dtype: _DType[_S], axis: _Axis = 0) -> NDArray[_S]: ...
@overload
def geomspace(start: _Operand, stop: _Operand, num: SupportsIndex = 50, endpoint: bool = True,
              dtype: DTypeLike | None = None, axis: _Axis = 0) -> NDArray[Any]: ...
