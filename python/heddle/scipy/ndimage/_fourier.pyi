# SPDX-License-Identifier: BSD-3-Clause
# Made by tools/stubs.py from python/heddle/scipy/ndimage/_fourier.py and tools/stubs.toml: do not edit; `make gen` writes it again.
from numpy.typing import DTypeLike
from typing import Any, SupportsIndex
from ..._array import NDArray, ndarray, _Axis, _Operand, _Shape

__all__ = ["fourier_ellipsoid", "fourier_gaussian", "fourier_shift", "fourier_uniform"]

def fourier_gaussian(input: _Operand, sigma: Any, n: SupportsIndex = -1, axis: _Axis = -1,
                     output: ndarray | DTypeLike | None = None) -> NDArray[Any]: ...
def fourier_uniform(input: _Operand, size: _Shape, n: SupportsIndex = -1, axis: _Axis = -1,
                    output: ndarray | DTypeLike | None = None) -> NDArray[Any]: ...
def fourier_ellipsoid(input: _Operand, size: _Shape, n: SupportsIndex = -1, axis: _Axis = -1,
                      output: ndarray | DTypeLike | None = None) -> NDArray[Any]: ...
def fourier_shift(input: _Operand, shift: Any, n: SupportsIndex = -1, axis: _Axis = -1,
                  output: ndarray | DTypeLike | None = None) -> NDArray[Any]: ...
