# SPDX-License-Identifier: BSD-3-Clause
# Made by tools/stubs.py from python/heddle/scipy/ndimage/_filters.py and tools/stubs.toml: do not edit; `make gen` writes it again.
from numpy.typing import DTypeLike
from typing import Any
from ..._array import NDArray, ndarray, _Axis, _Operand

__all__ = ["convolve", "convolve1d", "correlate", "correlate1d", "gaussian_filter",
           "gaussian_filter1d", "gaussian_gradient_magnitude", "gaussian_laplace",
           "generic_gradient_magnitude", "generic_laplace", "laplace", "maximum_filter",
           "maximum_filter1d", "median_filter", "minimum_filter", "minimum_filter1d",
           "percentile_filter", "prewitt", "rank_filter", "sobel", "uniform_filter",
           "uniform_filter1d"]

def correlate(input: _Operand, weights: _Operand, output: ndarray | DTypeLike | None = None,
              mode: Any = 'reflect', cval: float = 0.0, origin: Any = 0, *,
              axes: Any = None) -> NDArray[Any]: ...
def convolve(input: _Operand, weights: _Operand, output: ndarray | DTypeLike | None = None,
             mode: Any = 'reflect', cval: float = 0.0, origin: Any = 0, *,
             axes: Any = None) -> NDArray[Any]: ...
def correlate1d(input: _Operand, weights: _Operand, axis: _Axis = -1,
                output: ndarray | DTypeLike | None = None, mode: Any = 'reflect', cval: float = 0.0,
                origin: Any = 0) -> NDArray[Any]: ...
def convolve1d(input: _Operand, weights: _Operand, axis: _Axis = -1,
               output: ndarray | DTypeLike | None = None, mode: Any = 'reflect', cval: float = 0.0,
               origin: Any = 0) -> NDArray[Any]: ...
def gaussian_filter1d(input: _Operand, sigma: Any, axis: _Axis = -1, order: Any = 0,
                      output: ndarray | DTypeLike | None = None, mode: Any = 'reflect',
                      cval: float = 0.0, truncate: Any = 4.0, *,
                      radius: Any = None) -> NDArray[Any]: ...
def gaussian_filter(input: _Operand, sigma: Any, order: Any = 0,
                    output: ndarray | DTypeLike | None = None, mode: Any = 'reflect',
                    cval: float = 0.0, truncate: Any = 4.0, *, radius: Any = None,
                    axes: Any = None) -> NDArray[Any]: ...
def generic_laplace(input: _Operand, derivative2: Any, output: ndarray | DTypeLike | None = None,
                    mode: Any = 'reflect', cval: float = 0.0, extra_arguments: Any = (),
                    extra_keywords: Any = None, *, axes: Any = None) -> NDArray[Any]: ...
def laplace(input: _Operand, output: ndarray | DTypeLike | None = None, mode: Any = 'reflect',
            cval: float = 0.0, *, axes: Any = None) -> NDArray[Any]: ...
def gaussian_laplace(input: _Operand, sigma: Any, output: ndarray | DTypeLike | None = None,
                     mode: Any = 'reflect', cval: float = 0.0, *, axes: Any = None,
                     **keywords: Any) -> NDArray[Any]: ...
def generic_gradient_magnitude(input: _Operand, derivative: Any,
                               output: ndarray | DTypeLike | None = None, mode: Any = 'reflect',
                               cval: float = 0.0, extra_arguments: Any = (),
                               extra_keywords: Any = None, *, axes: Any = None) -> NDArray[Any]: ...
def gaussian_gradient_magnitude(input: _Operand, sigma: Any,
                                output: ndarray | DTypeLike | None = None, mode: Any = 'reflect',
                                cval: float = 0.0, *, axes: Any = None,
                                **keywords: Any) -> NDArray[Any]: ...
def sobel(input: _Operand, axis: _Axis = -1, output: ndarray | DTypeLike | None = None,
          mode: Any = 'reflect', cval: float = 0.0) -> NDArray[Any]: ...
def prewitt(input: _Operand, axis: _Axis = -1, output: ndarray | DTypeLike | None = None,
            mode: Any = 'reflect', cval: float = 0.0) -> NDArray[Any]: ...
def uniform_filter1d(input: _Operand, size: Any, axis: _Axis = -1,
                     output: ndarray | DTypeLike | None = None, mode: Any = 'reflect',
                     cval: float = 0.0, origin: Any = 0) -> NDArray[Any]: ...
def uniform_filter(input: _Operand, size: Any = 3, output: ndarray | DTypeLike | None = None,
                   mode: Any = 'reflect', cval: float = 0.0, origin: Any = 0, *,
                   axes: Any = None) -> NDArray[Any]: ...
def minimum_filter(input: _Operand, size: Any = None, footprint: Any = None,
                   output: ndarray | DTypeLike | None = None, mode: Any = 'reflect',
                   cval: float = 0.0, origin: Any = 0, *, axes: Any = None) -> NDArray[Any]: ...
def maximum_filter(input: _Operand, size: Any = None, footprint: Any = None,
                   output: ndarray | DTypeLike | None = None, mode: Any = 'reflect',
                   cval: float = 0.0, origin: Any = 0, *, axes: Any = None) -> NDArray[Any]: ...
def minimum_filter1d(input: _Operand, size: Any, axis: _Axis = -1,
                     output: ndarray | DTypeLike | None = None, mode: Any = 'reflect',
                     cval: float = 0.0, origin: Any = 0) -> NDArray[Any]: ...
def maximum_filter1d(input: _Operand, size: Any, axis: _Axis = -1,
                     output: ndarray | DTypeLike | None = None, mode: Any = 'reflect',
                     cval: float = 0.0, origin: Any = 0) -> NDArray[Any]: ...
def rank_filter(input: _Operand, rank: Any, size: Any = None, footprint: Any = None,
                output: ndarray | DTypeLike | None = None, mode: Any = 'reflect', cval: float = 0.0,
                origin: Any = 0, *, axes: Any = None) -> NDArray[Any]: ...
def median_filter(input: _Operand, size: Any = None, footprint: Any = None,
                  output: ndarray | DTypeLike | None = None, mode: Any = 'reflect',
                  cval: float = 0.0, origin: Any = 0, *, axes: Any = None) -> NDArray[Any]: ...
def percentile_filter(input: _Operand, percentile: Any, size: Any = None, footprint: Any = None,
                      output: ndarray | DTypeLike | None = None, mode: Any = 'reflect',
                      cval: float = 0.0, origin: Any = 0, *, axes: Any = None) -> NDArray[Any]: ...
