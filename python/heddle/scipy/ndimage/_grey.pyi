# SPDX-License-Identifier: BSD-3-Clause
# Made by tools/stubs.py from python/heddle/scipy/ndimage/_grey.py and tools/stubs.toml: do not edit; `make gen` writes it again.
from numpy.typing import DTypeLike
from typing import Any
from ..._array import NDArray, ndarray, _Operand

__all__ = ["black_tophat", "grey_closing", "grey_dilation", "grey_erosion", "grey_opening",
           "morphological_gradient", "morphological_laplace", "white_tophat"]

def grey_erosion(input: _Operand, size: Any = None, footprint: Any = None, structure: Any = None,
                 output: ndarray | DTypeLike | None = None, mode: Any = 'reflect',
                 cval: float = 0.0, origin: Any = 0, *, axes: Any = None) -> NDArray[Any]: ...
def grey_dilation(input: _Operand, size: Any = None, footprint: Any = None, structure: Any = None,
                  output: ndarray | DTypeLike | None = None, mode: Any = 'reflect',
                  cval: float = 0.0, origin: Any = 0, *, axes: Any = None) -> NDArray[Any]: ...
def grey_opening(input: _Operand, size: Any = None, footprint: Any = None, structure: Any = None,
                 output: ndarray | DTypeLike | None = None, mode: Any = 'reflect',
                 cval: float = 0.0, origin: Any = 0, *, axes: Any = None) -> NDArray[Any]: ...
def grey_closing(input: _Operand, size: Any = None, footprint: Any = None, structure: Any = None,
                 output: ndarray | DTypeLike | None = None, mode: Any = 'reflect',
                 cval: float = 0.0, origin: Any = 0, *, axes: Any = None) -> NDArray[Any]: ...
def morphological_gradient(input: _Operand, size: Any = None, footprint: Any = None,
                           structure: Any = None, output: ndarray | DTypeLike | None = None,
                           mode: Any = 'reflect', cval: float = 0.0, origin: Any = 0, *,
                           axes: Any = None) -> NDArray[Any]: ...
def morphological_laplace(input: _Operand, size: Any = None, footprint: Any = None,
                          structure: Any = None, output: ndarray | DTypeLike | None = None,
                          mode: Any = 'reflect', cval: float = 0.0, origin: Any = 0, *,
                          axes: Any = None) -> NDArray[Any]: ...
def white_tophat(input: _Operand, size: Any = None, footprint: Any = None, structure: Any = None,
                 output: ndarray | DTypeLike | None = None, mode: Any = 'reflect',
                 cval: float = 0.0, origin: Any = 0, *, axes: Any = None) -> NDArray[Any]: ...
def black_tophat(input: _Operand, size: Any = None, footprint: Any = None, structure: Any = None,
                 output: ndarray | DTypeLike | None = None, mode: Any = 'reflect',
                 cval: float = 0.0, origin: Any = 0, *, axes: Any = None) -> NDArray[Any]: ...
