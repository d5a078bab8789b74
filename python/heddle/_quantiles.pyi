# SPDX-License-Identifier: BSD-3-Clause
# Made by tools/stubs.py from python/heddle/_quantiles.py and tools/stubs.toml: do not edit; `make gen` writes it again.
from numpy import bool_, float64, integer
from typing import Any, overload
from ._array import NDArray, ndarray, _Axis, _Inexact, _Operand

__all__ = ["median", "nanmedian", "nanpercentile", "nanquantile", "percentile", "quantile"]

@overload
def median(a: NDArray[_Inexact], axis: _Axis = None, out: ndarray | None = None,
           overwrite_input: bool = False, keepdims: bool = False) -> NDArray[_Inexact]: ...
@overload
def median(a: NDArray[integer[Any] | bool_], axis: _Axis = None, out: ndarray | None = None,
           overwrite_input: bool = False, keepdims: bool = False) -> NDArray[float64]: ...
@overload
def median(a: _Operand, axis: _Axis = None, out: ndarray | None = None,
           overwrite_input: bool = False, keepdims: bool = False) -> NDArray[Any]: ...
@overload
def nanmedian(a: NDArray[_Inexact], axis: _Axis = None, out: ndarray | None = None,
              overwrite_input: bool = False, keepdims: bool = ...) -> NDArray[_Inexact]: ...
@overload
def nanmedian(a: NDArray[integer[Any] | bool_], axis: _Axis = None, out: ndarray | None = None,
              overwrite_input: bool = False, keepdims: bool = ...) -> NDArray[float64]: ...
@overload
def nanmedian(a: _Operand, axis: _Axis = None, out: ndarray | None = None,
              overwrite_input: bool = False, keepdims: bool = ...) -> NDArray[Any]: ...
def quantile(a: _Operand, q: _Operand, axis: _Axis = None, out: ndarray | None = None,
             overwrite_input: bool = False, method: Any = 'linear', keepdims: bool = False, *,
             weights: _Operand | None = None) -> NDArray[Any]: ...
def percentile(a: _Operand, q: _Operand, axis: _Axis = None, out: ndarray | None = None,
               overwrite_input: bool = False, method: Any = 'linear', keepdims: bool = False, *,
               weights: _Operand | None = None) -> NDArray[Any]: ...
def nanquantile(a: _Operand, q: _Operand, axis: _Axis = None, out: ndarray | None = None,
                overwrite_input: bool = False, method: Any = 'linear', keepdims: bool = ..., *,
                weights: _Operand | None = None) -> NDArray[Any]: ...
def nanpercentile(a: _Operand, q: _Operand, axis: _Axis = None, out: ndarray | None = None,
                  overwrite_input: bool = False, method: Any = 'linear', keepdims: bool = ..., *,
                  weights: _Operand | None = None) -> NDArray[Any]: ...
