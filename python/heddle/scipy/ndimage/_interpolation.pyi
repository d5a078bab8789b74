# SPDX-License-Identifier: BSD-3-Clause
# Made by tools/stubs.py from python/heddle/scipy/ndimage/_interpolation.py and tools/stubs.toml: do not edit; `make gen` writes it again.
from numpy.typing import DTypeLike
from typing import Any
from ..._array import NDArray, ndarray, _Operand

__all__ = ["affine_transform", "map_coordinates", "rotate", "shift", "zoom"]

def map_coordinates(input: _Operand, coordinates: Any, output: ndarray | DTypeLike | None = None,
                    order: int = 3, mode: Any = 'constant', cval: float = 0.0,
                    prefilter: Any = True) -> NDArray[Any]: ...
def affine_transform(input: _Operand, matrix: Any, offset: Any = 0.0, output_shape: Any = None,
                     output: ndarray | DTypeLike | None = None, order: int = 3,
                     mode: Any = 'constant', cval: float = 0.0, prefilter: Any = True, *,
                     texture_memory: Any = False) -> NDArray[Any]: ...
def shift(input: _Operand, shift: Any, output: ndarray | DTypeLike | None = None, order: int = 3,
          mode: Any = 'constant', cval: float = 0.0, prefilter: Any = True) -> NDArray[Any]: ...
def zoom(input: _Operand, zoom: Any, output: ndarray | DTypeLike | None = None, order: int = 3,
         mode: Any = 'constant', cval: float = 0.0, prefilter: Any = True, *,
         grid_mode: Any = False) -> NDArray[Any]: ...
def rotate(input: _Operand, angle: Any, axes: tuple[int, int] = (1, 0), reshape: Any = True,
           output: ndarray | DTypeLike | None = None, order: int = 3, mode: Any = 'constant',
           cval: float = 0.0, prefilter: Any = True) -> NDArray[Any]: ...
