# SPDX-License-Identifier: BSD-3-Clause
# Made by tools/stubs.py from python/heddle/_positions.py and tools/stubs.toml: do not edit; `make gen` writes it again.
from typing import Any, overload
from ._array import NDArray, ndarray, _Axis, _Operand, _S

__all__ = ["put", "repeat", "take"]

@overload
def take(a: NDArray[_S], indices: _Operand, axis: _Axis = None, out: ndarray | None = None,
         mode: Any = 'raise') -> NDArray[_S]: ...
@overload
def take(a: _Operand, indices: _Operand, axis: _Axis = None, out: ndarray | None = None,
         mode: Any = 'raise') -> NDArray[Any]: ...
def put(a: _Operand, ind: Any, v: _Operand, mode: Any = 'raise') -> None: ...
@overload
def repeat(a: NDArray[_S], repeats: Any, axis: _Axis = None) -> NDArray[_S]: ...
@overload
def repeat(a: _Operand, repeats: Any, axis: _Axis = None) -> NDArray[Any]: ...
