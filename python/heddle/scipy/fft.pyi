# SPDX-License-Identifier: BSD-3-Clause
# Made by tools/stubs.py from python/heddle/scipy/fft.py and tools/stubs.toml: do not edit; `make gen` writes it again.
from typing import Any, SupportsIndex, overload
from .._array import NDArray, _Axis, _Norm, _Operand, _S
from ._transforms import *

__all__ = ["dct", "dctn", "dst", "dstn", "fft", "fft2", "fftfreq", "fftn", "fftshift", "hfft",
           "hfft2", "hfftn", "idct", "idctn", "idst", "idstn", "ifft", "ifft2", "ifftn",
           "ifftshift", "ihfft", "ihfft2", "ihfftn", "irfft", "irfft2", "irfftn", "next_fast_len",
           "prev_fast_len", "rfft", "rfft2", "rfftfreq", "rfftn"]

@overload
def dct(x: NDArray[_S], type: Any = 2, n: SupportsIndex | None = None, axis: _Axis = -1,
        norm: _Norm = None, overwrite_x: bool = False, workers: Any = None,
        orthogonalize: Any = None) -> NDArray[_S]: ...
@overload
def dct(x: _Operand, type: Any = 2, n: SupportsIndex | None = None, axis: _Axis = -1,
        norm: _Norm = None, overwrite_x: bool = False, workers: Any = None,
        orthogonalize: Any = None) -> NDArray[Any]: ...
@overload
def idct(x: NDArray[_S], type: Any = 2, n: SupportsIndex | None = None, axis: _Axis = -1,
         norm: _Norm = None, overwrite_x: bool = False, workers: Any = None,
         orthogonalize: Any = None) -> NDArray[_S]: ...
@overload
def idct(x: _Operand, type: Any = 2, n: SupportsIndex | None = None, axis: _Axis = -1,
         norm: _Norm = None, overwrite_x: bool = False, workers: Any = None,
         orthogonalize: Any = None) -> NDArray[Any]: ...
@overload
def dst(x: NDArray[_S], type: Any = 2, n: SupportsIndex | None = None, axis: _Axis = -1,
        norm: _Norm = None, overwrite_x: bool = False, workers: Any = None,
        orthogonalize: Any = None) -> NDArray[_S]: ...
@overload
def dst(x: _Operand, type: Any = 2, n: SupportsIndex | None = None, axis: _Axis = -1,
        norm: _Norm = None, overwrite_x: bool = False, workers: Any = None,
        orthogonalize: Any = None) -> NDArray[Any]: ...
@overload
def idst(x: NDArray[_S], type: Any = 2, n: SupportsIndex | None = None, axis: _Axis = -1,
         norm: _Norm = None, overwrite_x: bool = False, workers: Any = None,
         orthogonalize: Any = None) -> NDArray[_S]: ...
@overload
def idst(x: _Operand, type: Any = 2, n: SupportsIndex | None = None, axis: _Axis = -1,
         norm: _Norm = None, overwrite_x: bool = False, workers: Any = None,
         orthogonalize: Any = None) -> NDArray[Any]: ...
@overload
def dctn(x: NDArray[_S], type: Any = 2, s: Any = None, axes: Any = None, norm: _Norm = None,
         overwrite_x: bool = False, workers: Any = None, *,
         orthogonalize: Any = None) -> NDArray[_S]: ...
@overload
def dctn(x: _Operand, type: Any = 2, s: Any = None, axes: Any = None, norm: _Norm = None,
         overwrite_x: bool = False, workers: Any = None, *,
         orthogonalize: Any = None) -> NDArray[Any]: ...
@overload
def idctn(x: NDArray[_S], type: Any = 2, s: Any = None, axes: Any = None, norm: _Norm = None,
          overwrite_x: bool = False, workers: Any = None,
          orthogonalize: Any = None) -> NDArray[_S]: ...
@overload
def idctn(x: _Operand, type: Any = 2, s: Any = None, axes: Any = None, norm: _Norm = None,
          overwrite_x: bool = False, workers: Any = None,
          orthogonalize: Any = None) -> NDArray[Any]: ...
@overload
def dstn(x: NDArray[_S], type: Any = 2, s: Any = None, axes: Any = None, norm: _Norm = None,
         overwrite_x: bool = False, workers: Any = None,
         orthogonalize: Any = None) -> NDArray[_S]: ...
@overload
def dstn(x: _Operand, type: Any = 2, s: Any = None, axes: Any = None, norm: _Norm = None,
         overwrite_x: bool = False, workers: Any = None,
         orthogonalize: Any = None) -> NDArray[Any]: ...
@overload
def idstn(x: NDArray[_S], type: Any = 2, s: Any = None, axes: Any = None, norm: _Norm = None,
          overwrite_x: bool = False, workers: Any = None,
          orthogonalize: Any = None) -> NDArray[_S]: ...
@overload
def idstn(x: _Operand, type: Any = 2, s: Any = None, axes: Any = None, norm: _Norm = None,
          overwrite_x: bool = False, workers: Any = None,
          orthogonalize: Any = None) -> NDArray[Any]: ...
def hfftn(x: _Operand, s: Any = None, axes: Any = None, norm: _Norm = None,
          overwrite_x: bool = False, workers: Any = None, *, plan: Any = None) -> NDArray[Any]: ...
def hfft2(x: _Operand, s: Any = None, axes: Any = (-2, -1), norm: _Norm = None,
          overwrite_x: bool = False, workers: Any = None, *, plan: Any = None) -> NDArray[Any]: ...
def ihfftn(x: _Operand, s: Any = None, axes: Any = None, norm: _Norm = None,
           overwrite_x: bool = False, workers: Any = None, *, plan: Any = None) -> NDArray[Any]: ...
def ihfft2(x: _Operand, s: Any = None, axes: Any = (-2, -1), norm: _Norm = None,
           overwrite_x: bool = False, workers: Any = None, *, plan: Any = None) -> NDArray[Any]: ...
def next_fast_len(target: Any, real: Any = False) -> int: ...
def prev_fast_len(target: Any, real: Any = False) -> int: ...
