# SPDX-License-Identifier: BSD-3-Clause
# Made by tools/stubs.py from python/heddle/_norms.py and tools/stubs.toml: do not edit; `make gen` writes it again.
from numpy import bool_, complex64, complex128, float32, float64, integer
from typing import Any, overload
from ._array import NDArray, _Axis, _Operand

__all__ = ["cond", "matrix_norm", "norm", "vector_norm"]

@overload
def norm(x: NDArray[float32 | complex64], ord: Any = None, axis: _Axis = None,
         keepdims: bool = False) -> NDArray[float32]: ...
@overload
def norm(x: NDArray[float64 | complex128 | integer[Any] | bool_], ord: Any = None,
         axis: _Axis = None, keepdims: bool = False) -> NDArray[float64]: ...
@overload
def norm(x: _Operand, ord: Any = None, axis: _Axis = None,
         keepdims: bool = False) -> NDArray[Any]: ...
@overload
def matrix_norm(x: NDArray[float32 | complex64], /, *, keepdims: bool = False,
                ord: Any = 'fro') -> NDArray[float32]: ...
@overload
def matrix_norm(x: NDArray[float64 | complex128 | integer[Any] | bool_], /, *,
                keepdims: bool = False, ord: Any = 'fro') -> NDArray[float64]: ...
@overload
def matrix_norm(x: _Operand, /, *, keepdims: bool = False, ord: Any = 'fro') -> NDArray[Any]: ...
@overload
def vector_norm(x: NDArray[float32 | complex64], /, *, axis: _Axis = None, keepdims: bool = False,
                ord: Any = 2) -> NDArray[float32]: ...
@overload
def vector_norm(x: NDArray[float64 | complex128 | integer[Any] | bool_], /, *, axis: _Axis = None,
                keepdims: bool = False, ord: Any = 2) -> NDArray[float64]: ...
@overload
def vector_norm(x: _Operand, /, *, axis: _Axis = None, keepdims: bool = False,
                ord: Any = 2) -> NDArray[Any]: ...
def cond(x: _Operand, p: _Operand | None = None) -> NDArray[Any]: ...
