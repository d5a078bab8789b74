# SPDX-License-Identifier: BSD-3-Clause
# Made by tools/stubs.py from python/heddle/scipy/signal/_convolution.py and tools/stubs.toml: do not edit; `make gen` writes it again.
from typing import Any, overload
from ..._array import NDArray, _Numeric, _Operand

__all__ = ["choose_conv_method", "convolve", "convolve2d", "correlate", "correlate2d",
           "fftconvolve"]

@overload
def convolve2d(in1: NDArray[_Numeric], in2: NDArray[_Numeric], mode: Any = 'full',
               boundary: Any = 'fill', fillvalue: Any = 0) -> NDArray[_Numeric]: ...
@overload
def convolve2d(in1: _Operand, in2: _Operand, mode: Any = 'full', boundary: Any = 'fill',
               fillvalue: Any = 0) -> NDArray[Any]: ...
@overload
def correlate2d(in1: NDArray[_Numeric], in2: NDArray[_Numeric], mode: Any = 'full',
                boundary: Any = 'fill', fillvalue: Any = 0) -> NDArray[_Numeric]: ...
@overload
def correlate2d(in1: _Operand, in2: _Operand, mode: Any = 'full', boundary: Any = 'fill',
                fillvalue: Any = 0) -> NDArray[Any]: ...
@overload
def convolve(in1: NDArray[_Numeric], in2: NDArray[_Numeric], mode: Any = 'full',
             method: Any = 'auto') -> NDArray[_Numeric]: ...
@overload
def convolve(in1: _Operand, in2: _Operand, mode: Any = 'full',
             method: Any = 'auto') -> NDArray[Any]: ...
@overload
def correlate(in1: NDArray[_Numeric], in2: NDArray[_Numeric], mode: Any = 'full',
              method: Any = 'auto') -> NDArray[_Numeric]: ...
@overload
def correlate(in1: _Operand, in2: _Operand, mode: Any = 'full',
              method: Any = 'auto') -> NDArray[Any]: ...
@overload
def fftconvolve(in1: NDArray[_Numeric], in2: NDArray[_Numeric], mode: Any = 'full',
                axes: Any = None) -> NDArray[_Numeric]: ...
@overload
def fftconvolve(in1: _Operand, in2: _Operand, mode: Any = 'full',
                axes: Any = None) -> NDArray[Any]: ...
def choose_conv_method(in1: _Operand, in2: _Operand, mode: Any = 'full',
                       measure: Any = False) -> Any: ...
