# SPDX-License-Identifier: BSD-3-Clause
# Made by tools/stubs.py from python/heddle/scipy/_transforms.py and tools/stubs.toml: do not edit; `make gen` writes it again.
from numpy import bool_, complex64, complex128, float16, float32, float64, integer
from typing import Any, SupportsIndex, overload
from .._array import NDArray, _Axis, _Norm, _Operand
from ..fft import fftfreq as fftfreq
from ..fft import fftshift as fftshift
from ..fft import ifftshift as ifftshift
from ..fft import rfftfreq as rfftfreq

__all__ = ["fft", "fft2", "fftfreq", "fftn", "fftshift", "hfft", "ifft", "ifft2", "ifftn",
           "ifftshift", "ihfft", "irfft", "irfft2", "irfftn", "rfft", "rfft2", "rfftfreq", "rfftn"]

@overload
def fft(x: NDArray[float32 | complex64 | float16], n: SupportsIndex | None = None, axis: _Axis = -1,
        norm: _Norm = None, overwrite_x: bool = False, workers: Any = None, *,
        plan: Any = None) -> NDArray[complex64]: ...
@overload
def fft(x: NDArray[float64 | complex128 | integer[Any] | bool_], n: SupportsIndex | None = None,
        axis: _Axis = -1, norm: _Norm = None, overwrite_x: bool = False, workers: Any = None, *,
        plan: Any = None) -> NDArray[complex128]: ...
@overload
def fft(x: _Operand, n: SupportsIndex | None = None, axis: _Axis = -1, norm: _Norm = None,
        overwrite_x: bool = False, workers: Any = None, *, plan: Any = None) -> NDArray[Any]: ...
@overload
def ifft(x: NDArray[float32 | complex64 | float16], n: SupportsIndex | None = None,
         axis: _Axis = -1, norm: _Norm = None, overwrite_x: bool = False, workers: Any = None, *,
         plan: Any = None) -> NDArray[complex64]: ...
@overload
def ifft(x: NDArray[float64 | complex128 | integer[Any] | bool_], n: SupportsIndex | None = None,
         axis: _Axis = -1, norm: _Norm = None, overwrite_x: bool = False, workers: Any = None, *,
         plan: Any = None) -> NDArray[complex128]: ...
@overload
def ifft(x: _Operand, n: SupportsIndex | None = None, axis: _Axis = -1, norm: _Norm = None,
         overwrite_x: bool = False, workers: Any = None, *, plan: Any = None) -> NDArray[Any]: ...
@overload
def rfft(x: NDArray[float32 | complex64 | float16], n: SupportsIndex | None = None,
         axis: _Axis = -1, norm: _Norm = None, overwrite_x: bool = False, workers: Any = None, *,
         plan: Any = None) -> NDArray[complex64]: ...
@overload
def rfft(x: NDArray[float64 | complex128 | integer[Any] | bool_], n: SupportsIndex | None = None,
         axis: _Axis = -1, norm: _Norm = None, overwrite_x: bool = False, workers: Any = None, *,
         plan: Any = None) -> NDArray[complex128]: ...
@overload
def rfft(x: _Operand, n: SupportsIndex | None = None, axis: _Axis = -1, norm: _Norm = None,
         overwrite_x: bool = False, workers: Any = None, *, plan: Any = None) -> NDArray[Any]: ...
@overload
def irfft(x: NDArray[float32 | complex64 | float16], n: SupportsIndex | None = None,
          axis: _Axis = -1, norm: _Norm = None, overwrite_x: bool = False, workers: Any = None, *,
          plan: Any = None) -> NDArray[float32]: ...
@overload
def irfft(x: NDArray[float64 | complex128 | integer[Any] | bool_], n: SupportsIndex | None = None,
          axis: _Axis = -1, norm: _Norm = None, overwrite_x: bool = False, workers: Any = None, *,
          plan: Any = None) -> NDArray[float64]: ...
@overload
def irfft(x: _Operand, n: SupportsIndex | None = None, axis: _Axis = -1, norm: _Norm = None,
          overwrite_x: bool = False, workers: Any = None, *, plan: Any = None) -> NDArray[Any]: ...
@overload
def hfft(x: NDArray[float32 | complex64 | float16], n: SupportsIndex | None = None,
         axis: _Axis = -1, norm: _Norm = None, overwrite_x: bool = False, workers: Any = None, *,
         plan: Any = None) -> NDArray[float32]: ...
@overload
def hfft(x: NDArray[float64 | complex128 | integer[Any] | bool_], n: SupportsIndex | None = None,
         axis: _Axis = -1, norm: _Norm = None, overwrite_x: bool = False, workers: Any = None, *,
         plan: Any = None) -> NDArray[float64]: ...
@overload
def hfft(x: _Operand, n: SupportsIndex | None = None, axis: _Axis = -1, norm: _Norm = None,
         overwrite_x: bool = False, workers: Any = None, *, plan: Any = None) -> NDArray[Any]: ...
@overload
def ihfft(x: NDArray[float32 | complex64 | float16], n: SupportsIndex | None = None,
          axis: _Axis = -1, norm: _Norm = None, overwrite_x: bool = False, workers: Any = None, *,
          plan: Any = None) -> NDArray[complex64]: ...
@overload
def ihfft(x: NDArray[float64 | complex128 | integer[Any] | bool_], n: SupportsIndex | None = None,
          axis: _Axis = -1, norm: _Norm = None, overwrite_x: bool = False, workers: Any = None, *,
          plan: Any = None) -> NDArray[complex128]: ...
@overload
def ihfft(x: _Operand, n: SupportsIndex | None = None, axis: _Axis = -1, norm: _Norm = None,
          overwrite_x: bool = False, workers: Any = None, *, plan: Any = None) -> NDArray[Any]: ...
@overload
def fft2(x: NDArray[float32 | complex64 | float16], s: Any = None, axes: Any = (-2, -1),
         norm: _Norm = None, overwrite_x: bool = False, workers: Any = None, *,
         plan: Any = None) -> NDArray[complex64]: ...
@overload
def fft2(x: NDArray[float64 | complex128 | integer[Any] | bool_], s: Any = None,
         axes: Any = (-2, -1), norm: _Norm = None, overwrite_x: bool = False, workers: Any = None,
         *, plan: Any = None) -> NDArray[complex128]: ...
@overload
def fft2(x: _Operand, s: Any = None, axes: Any = (-2, -1), norm: _Norm = None,
         overwrite_x: bool = False, workers: Any = None, *, plan: Any = None) -> NDArray[Any]: ...
@overload
def ifft2(x: NDArray[float32 | complex64 | float16], s: Any = None, axes: Any = (-2, -1),
          norm: _Norm = None, overwrite_x: bool = False, workers: Any = None, *,
          plan: Any = None) -> NDArray[complex64]: ...
@overload
def ifft2(x: NDArray[float64 | complex128 | integer[Any] | bool_], s: Any = None,
          axes: Any = (-2, -1), norm: _Norm = None, overwrite_x: bool = False, workers: Any = None,
          *, plan: Any = None) -> NDArray[complex128]: ...
@overload
def ifft2(x: _Operand, s: Any = None, axes: Any = (-2, -1), norm: _Norm = None,
          overwrite_x: bool = False, workers: Any = None, *, plan: Any = None) -> NDArray[Any]: ...
@overload
def rfft2(x: NDArray[float32 | complex64 | float16], s: Any = None, axes: Any = (-2, -1),
          norm: _Norm = None, overwrite_x: bool = False, workers: Any = None, *,
          plan: Any = None) -> NDArray[complex64]: ...
@overload
def rfft2(x: NDArray[float64 | complex128 | integer[Any] | bool_], s: Any = None,
          axes: Any = (-2, -1), norm: _Norm = None, overwrite_x: bool = False, workers: Any = None,
          *, plan: Any = None) -> NDArray[complex128]: ...
@overload
def rfft2(x: _Operand, s: Any = None, axes: Any = (-2, -1), norm: _Norm = None,
          overwrite_x: bool = False, workers: Any = None, *, plan: Any = None) -> NDArray[Any]: ...
@overload
def irfft2(x: NDArray[float32 | complex64 | float16], s: Any = None, axes: Any = (-2, -1),
           norm: _Norm = None, overwrite_x: bool = False, workers: Any = None, *,
           plan: Any = None) -> NDArray[float32]: ...
@overload
def irfft2(x: NDArray[float64 | complex128 | integer[Any] | bool_], s: Any = None,
           axes: Any = (-2, -1), norm: _Norm = None, overwrite_x: bool = False, workers: Any = None,
           *, plan: Any = None) -> NDArray[float64]: ...
@overload
def irfft2(x: _Operand, s: Any = None, axes: Any = (-2, -1), norm: _Norm = None,
           overwrite_x: bool = False, workers: Any = None, *, plan: Any = None) -> NDArray[Any]: ...
@overload
def fftn(x: NDArray[float32 | complex64 | float16], s: Any = None, axes: Any = None,
         norm: _Norm = None, overwrite_x: bool = False, workers: Any = None, *,
         plan: Any = None) -> NDArray[complex64]: ...
@overload
def fftn(x: NDArray[float64 | complex128 | integer[Any] | bool_], s: Any = None, axes: Any = None,
         norm: _Norm = None, overwrite_x: bool = False, workers: Any = None, *,
         plan: Any = None) -> NDArray[complex128]: ...
@overload
def fftn(x: _Operand, s: Any = None, axes: Any = None, norm: _Norm = None,
         overwrite_x: bool = False, workers: Any = None, *, plan: Any = None) -> NDArray[Any]: ...
@overload
def ifftn(x: NDArray[float32 | complex64 | float16], s: Any = None, axes: Any = None,
          norm: _Norm = None, overwrite_x: bool = False, workers: Any = None, *,
          plan: Any = None) -> NDArray[complex64]: ...
@overload
def ifftn(x: NDArray[float64 | complex128 | integer[Any] | bool_], s: Any = None, axes: Any = None,
          norm: _Norm = None, overwrite_x: bool = False, workers: Any = None, *,
          plan: Any = None) -> NDArray[complex128]: ...
@overload
def ifftn(x: _Operand, s: Any = None, axes: Any = None, norm: _Norm = None,
          overwrite_x: bool = False, workers: Any = None, *, plan: Any = None) -> NDArray[Any]: ...
@overload
def rfftn(x: NDArray[float32 | complex64 | float16], s: Any = None, axes: Any = None,
          norm: _Norm = None, overwrite_x: bool = False, workers: Any = None, *,
          plan: Any = None) -> NDArray[complex64]: ...
@overload
def rfftn(x: NDArray[float64 | complex128 | integer[Any] | bool_], s: Any = None, axes: Any = None,
          norm: _Norm = None, overwrite_x: bool = False, workers: Any = None, *,
          plan: Any = None) -> NDArray[complex128]: ...
@overload
def rfftn(x: _Operand, s: Any = None, axes: Any = None, norm: _Norm = None,
          overwrite_x: bool = False, workers: Any = None, *, plan: Any = None) -> NDArray[Any]: ...
@overload
def irfftn(x: NDArray[float32 | complex64 | float16], s: Any = None, axes: Any = None,
           norm: _Norm = None, overwrite_x: bool = False, workers: Any = None, *,
           plan: Any = None) -> NDArray[float32]: ...
@overload
def irfftn(x: NDArray[float64 | complex128 | integer[Any] | bool_], s: Any = None, axes: Any = None,
           norm: _Norm = None, overwrite_x: bool = False, workers: Any = None, *,
           plan: Any = None) -> NDArray[float64]: ...
@overload
def irfftn(x: _Operand, s: Any = None, axes: Any = None, norm: _Norm = None,
           overwrite_x: bool = False, workers: Any = None, *, plan: Any = None) -> NDArray[Any]: ...
