# SPDX-License-Identifier: BSD-3-Clause
# Made by tools/stubs.py from python/heddle/scipy/ndimage/_morphology.py and tools/stubs.toml: do not edit; `make gen` writes it again.
from numpy.typing import DTypeLike
from typing import Any
from ..._array import NDArray, ndarray, _Operand

__all__ = ["binary_closing", "binary_dilation", "binary_erosion", "binary_fill_holes",
           "binary_hit_or_miss", "binary_opening", "binary_propagation",
           "generate_binary_structure", "iterate_structure"]

def generate_binary_structure(rank: Any, connectivity: Any) -> NDArray[Any]: ...
def iterate_structure(structure: Any, iterations: Any, origin: Any = None) -> NDArray[Any]: ...
def binary_erosion(input: _Operand, structure: Any = None, iterations: Any = 1, mask: Any = None,
                   output: ndarray | DTypeLike | None = None, border_value: Any = 0,
                   origin: Any = 0, brute_force: Any = False, *,
                   axes: Any = None) -> NDArray[Any]: ...
def binary_dilation(input: _Operand, structure: Any = None, iterations: Any = 1, mask: Any = None,
                    output: ndarray | DTypeLike | None = None, border_value: Any = 0,
                    origin: Any = 0, brute_force: Any = False, *,
                    axes: Any = None) -> NDArray[Any]: ...
def binary_opening(input: _Operand, structure: Any = None, iterations: Any = 1,
                   output: ndarray | DTypeLike | None = None, origin: Any = 0, mask: Any = None,
                   border_value: Any = 0, brute_force: Any = False, *,
                   axes: Any = None) -> NDArray[Any]: ...
def binary_closing(input: _Operand, structure: Any = None, iterations: Any = 1,
                   output: ndarray | DTypeLike | None = None, origin: Any = 0, mask: Any = None,
                   border_value: Any = 0, brute_force: Any = False, *,
                   axes: Any = None) -> NDArray[Any]: ...
def binary_hit_or_miss(input: _Operand, structure1: Any = None, structure2: Any = None,
                       output: ndarray | DTypeLike | None = None, origin1: Any = 0,
                       origin2: Any = None, *, axes: Any = None) -> NDArray[Any]: ...
def binary_propagation(input: _Operand, structure: Any = None, mask: Any = None,
                       output: ndarray | DTypeLike | None = None, border_value: Any = 0,
                       origin: Any = 0, *, axes: Any = None) -> NDArray[Any]: ...
def binary_fill_holes(input: _Operand, structure: Any = None,
                      output: ndarray | DTypeLike | None = None, origin: Any = 0, *,
                      axes: Any = None) -> NDArray[Any]: ...
