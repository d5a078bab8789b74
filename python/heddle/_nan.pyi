# SPDX-License-Identifier: BSD-3-Clause
# Made by tools/stubs.py from python/heddle/_nan.py and tools/stubs.toml: do not edit; `make gen` writes it again.
from numpy import bool_, complex64, complex128, dtype, float32, float64, intp, integer
from numpy.typing import DTypeLike
from typing import Any, overload
from ._array import NDArray, ndarray, _Axis, _Inexact, _Operand, _S

__all__ = ["nanargmax", "nanargmin", "nancumprod", "nancumsum", "nanmax", "nanmean", "nanmin",
           "nanprod", "nanstd", "nansum", "nanvar"]

def nansum(a: _Operand, axis: _Axis = None, dtype: DTypeLike | None = None,
           out: ndarray | None = None, keepdims: bool = ..., initial: Any = ...,
           where: _Operand = ...) -> NDArray[Any]: ...
def nanprod(a: _Operand, axis: _Axis = None, dtype: DTypeLike | None = None,
            out: ndarray | None = None, keepdims: bool = ..., initial: Any = ...,
            where: _Operand = ...) -> NDArray[Any]: ...
def nancumsum(a: _Operand, axis: _Axis = None, dtype: DTypeLike | None = None,
              out: ndarray | None = None) -> NDArray[Any]: ...
def nancumprod(a: _Operand, axis: _Axis = None, dtype: DTypeLike | None = None,
               out: ndarray | None = None) -> NDArray[Any]: ...
@overload
def nanmin(a: NDArray[_S], axis: _Axis = None, out: ndarray | None = None, keepdims: bool = ...,
           initial: Any = ..., where: _Operand = ...) -> NDArray[_S]: ...
@overload
def nanmin(a: _Operand, axis: _Axis = None, out: ndarray | None = None, keepdims: bool = ...,
           initial: Any = ..., where: _Operand = ...) -> NDArray[Any]: ...
@overload
def nanmax(a: NDArray[_S], axis: _Axis = None, out: ndarray | None = None, keepdims: bool = ...,
           initial: Any = ..., where: _Operand = ...) -> NDArray[_S]: ...
@overload
def nanmax(a: _Operand, axis: _Axis = None, out: ndarray | None = None, keepdims: bool = ...,
           initial: Any = ..., where: _Operand = ...) -> NDArray[Any]: ...
def nanargmin(a: _Operand, axis: _Axis = None, out: ndarray | None = None, *,
              keepdims: bool = ...) -> NDArray[intp]: ...
def nanargmax(a: _Operand, axis: _Axis = None, out: ndarray | None = None, *,
              keepdims: bool = ...) -> NDArray[intp]: ...
@overload
def nanmean(a: NDArray[_Inexact], axis: _Axis = None, dtype: DTypeLike | None = None,
            out: ndarray | None = None, keepdims: bool = ..., *,
            where: _Operand = ...) -> NDArray[_Inexact]: ...
@overload
def nanmean(a: NDArray[integer[Any] | bool_], axis: _Axis = None, dtype: DTypeLike | None = None,
            out: ndarray | None = None, keepdims: bool = ..., *,
            where: _Operand = ...) -> NDArray[float64]: ...
@overload
def nanmean(a: _Operand, axis: _Axis = None, dtype: DTypeLike | None = None,
            out: ndarray | None = None, keepdims: bool = ..., *,
            where: _Operand = ...) -> NDArray[Any]: ...
@overload
def nanvar(a: NDArray[float32 | complex64], axis: _Axis = None, dtype: DTypeLike | None = None,
           out: ndarray | None = None, ddof: float = 0, keepdims: bool = ..., *,
           where: _Operand = ..., mean: Any = ..., correction: Any = ...) -> NDArray[float32]: ...
@overload
def nanvar(a: NDArray[float64 | complex128 | integer[Any] | bool_], axis: _Axis = None,
           dtype: DTypeLike | None = None, out: ndarray | None = None, ddof: float = 0,
           keepdims: bool = ..., *, where: _Operand = ..., mean: Any = ...,
           correction: Any = ...) -> NDArray[float64]: ...
@overload
def nanvar(a: _Operand, axis: _Axis = None, dtype: DTypeLike | None = None,
           out: ndarray | None = None, ddof: float = 0, keepdims: bool = ..., *,
           where: _Operand = ..., mean: Any = ..., correction: Any = ...) -> NDArray[Any]: ...
@overload
def nanstd(a: NDArray[float32 | complex64], axis: _Axis = None, dtype: DTypeLike | None = None,
           out: ndarray | None = None, ddof: float = 0, keepdims: bool = ..., *,
           where: _Operand = ..., mean: Any = ..., correction: Any = ...) -> NDArray[float32]: ...
@overload
def nanstd(a: NDArray[float64 | complex128 | integer[Any] | bool_], axis: _Axis = None,
           dtype: DTypeLike | None = None, out: ndarray | None = None, ddof: float = 0,
           keepdims: bool = ..., *, where: _Operand = ..., mean: Any = ...,
           correction: Any = ...) -> NDArray[float64]: ...
@overload
def nanstd(a: _Operand, axis: _Axis = None, dtype: DTypeLike | None = None,
           out: ndarray | None = None, ddof: float = 0, keepdims: bool = ..., *,
           where: _Operand = ..., mean: Any = ..., correction: Any = ...) -> NDArray[Any]: ...
