# SPDX-License-Identifier: BSD-3-Clause
# Made by tools/stubs.py from python/heddle/_histograms.py and tools/stubs.toml: do not edit; `make gen` writes it again.
from typing import Any
from ._array import NDArray, _Operand

__all__ = ["histogram", "histogram2d", "histogram_bin_edges", "histogramdd"]

def histogram_bin_edges(a: _Operand, bins: _Operand = 10, range: Any = None,
                        weights: _Operand | None = None) -> NDArray[Any]: ...
def histogram(a: _Operand, bins: _Operand = 10, range: Any = None, density: bool | None = None,
              weights: _Operand | None = None) -> tuple[NDArray[Any], NDArray[Any]]: ...
def histogramdd(sample: Any, bins: _Operand = 10, range: Any = None, density: bool | None = None,
                weights: _Operand | None = None) -> tuple[NDArray[Any], tuple[NDArray[Any], ...]]: ...
def histogram2d(x: _Operand, y: _Operand, bins: _Operand = 10, range: Any = None,
                density: bool | None = None,
                weights: _Operand | None = None) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]: ...
