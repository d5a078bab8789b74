# SPDX-License-Identifier: BSD-3-Clause
# Made by tools/stubs.py from python/heddle/_contracting.py and tools/stubs.toml: do not edit; `make gen` writes it again.
from typing import Any, SupportsIndex, overload
from ._array import NDArray, _Axis, _Numeric, _Operand

__all__ = ["cross", "kron", "tensordot"]

@overload
def tensordot(a: NDArray[_Numeric], b: NDArray[_Numeric], axes: Any = 2) -> NDArray[_Numeric]: ...
@overload
def tensordot(a: _Operand, b: _Operand, axes: Any = 2) -> NDArray[Any]: ...
@overload
def kron(a: NDArray[_Numeric], b: NDArray[_Numeric]) -> NDArray[_Numeric]: ...
@overload
def kron(a: _Operand, b: _Operand) -> NDArray[Any]: ...
@overload
def cross(a: NDArray[_Numeric], b: NDArray[_Numeric], axisa: SupportsIndex = -1,
          axisb: SupportsIndex = -1, axisc: SupportsIndex = -1,
          axis: _Axis = None) -> NDArray[_Numeric]: ...
@overload
def cross(a: _Operand, b: _Operand, axisa: SupportsIndex = -1, axisb: SupportsIndex = -1,
          axisc: SupportsIndex = -1, axis: _Axis = None) -> NDArray[Any]: ...
