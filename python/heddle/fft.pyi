# SPDX-License-Identifier: BSD-3-Clause
# Made by tools/stubs.py from python/heddle/fft.py and tools/stubs.toml: do not edit; `make gen` writes it again.
from numpy import bool_, complex64, complex128, dtype, float16, float32, float64, integer
from numpy.typing import DTypeLike
from typing import Any, SupportsIndex, overload
from ._array import NDArray, ndarray, _DType, _Norm, _Operand, _S
from ._heddle import fft as fft
from ._heddle import fftshift as fftshift
from ._heddle import hfft as hfft
from ._heddle import ifft as ifft
from ._heddle import ifftshift as ifftshift
from ._heddle import ihfft as ihfft
from ._heddle import irfft as irfft
from ._heddle import rfft as rfft

__all__ = ["fft", "fft2", "fftfreq", "fftn", "fftshift", "hfft", "ifft", "ifft2", "ifftn",
           "ifftshift", "ihfft", "irfft", "irfft2", "irfftn", "rfft", "rfft2", "rfftfreq", "rfftn"]

@overload
def fftn(a: NDArray[float32 | complex64 | float16], s: Any = None, axes: Any = None,
         norm: _Norm = None, out: ndarray | None = None) -> NDArray[complex64]: ...
@overload
def fftn(a: NDArray[float64 | complex128 | integer[Any] | bool_], s: Any = None, axes: Any = None,
         norm: _Norm = None, out: ndarray | None = None) -> NDArray[complex128]: ...
@overload
def fftn(a: _Operand, s: Any = None, axes: Any = None, norm: _Norm = None,
         out: ndarray | None = None) -> NDArray[Any]: ...
@overload
def ifftn(a: NDArray[float32 | complex64 | float16], s: Any = None, axes: Any = None,
          norm: _Norm = None, out: ndarray | None = None) -> NDArray[complex64]: ...
@overload
def ifftn(a: NDArray[float64 | complex128 | integer[Any] | bool_], s: Any = None, axes: Any = None,
          norm: _Norm = None, out: ndarray | None = None) -> NDArray[complex128]: ...
@overload
def ifftn(a: _Operand, s: Any = None, axes: Any = None, norm: _Norm = None,
          out: ndarray | None = None) -> NDArray[Any]: ...
@overload
def rfftn(a: NDArray[float32 | complex64 | float16], s: Any = None, axes: Any = None,
          norm: _Norm = None, out: ndarray | None = None) -> NDArray[complex64]: ...
@overload
def rfftn(a: NDArray[float64 | complex128 | integer[Any] | bool_], s: Any = None, axes: Any = None,
          norm: _Norm = None, out: ndarray | None = None) -> NDArray[complex128]: ...
@overload
def rfftn(a: _Operand, s: Any = None, axes: Any = None, norm: _Norm = None,
          out: ndarray | None = None) -> NDArray[Any]: ...
@overload
def irfftn(a: NDArray[float32 | complex64 | float16], s: Any = None, axes: Any = None,
           norm: _Norm = None, out: ndarray | None = None) -> NDArray[float32]: ...
@overload
def irfftn(a: NDArray[float64 | complex128 | integer[Any] | bool_], s: Any = None, axes: Any = None,
           norm: _Norm = None, out: ndarray | None = None) -> NDArray[float64]: ...
@overload
def irfftn(a: _Operand, s: Any = None, axes: Any = None, norm: _Norm = None,
           out: ndarray | None = None) -> NDArray[Any]: ...
@overload
def fft2(a: NDArray[float32 | complex64 | float16], s: Any = None, axes: Any = (-2, -1),
         norm: _Norm = None, out: ndarray | None = None) -> NDArray[complex64]: ...
@overload
def fft2(a: NDArray[float64 | complex128 | integer[Any] | bool_], s: Any = None,
         axes: Any = (-2, -1), norm: _Norm = None,
         out: ndarray | None = None) -> NDArray[complex128]: ...
@overload
def fft2(a: _Operand, s: Any = None, axes: Any = (-2, -1), norm: _Norm = None,
         out: ndarray | None = None) -> NDArray[Any]: ...
@overload
def ifft2(a: NDArray[float32 | complex64 | float16], s: Any = None, axes: Any = (-2, -1),
          norm: _Norm = None, out: ndarray | None = None) -> NDArray[complex64]: ...
@overload
def ifft2(a: NDArray[float64 | complex128 | integer[Any] | bool_], s: Any = None,
          axes: Any = (-2, -1), norm: _Norm = None,
          out: ndarray | None = None) -> NDArray[complex128]: ...
@overload
def ifft2(a: _Operand, s: Any = None, axes: Any = (-2, -1), norm: _Norm = None,
          out: ndarray | None = None) -> NDArray[Any]: ...
@overload
def rfft2(a: NDArray[float32 | complex64 | float16], s: Any = None, axes: Any = (-2, -1),
          norm: _Norm = None, out: ndarray | None = None) -> NDArray[complex64]: ...
@overload
def rfft2(a: NDArray[float64 | complex128 | integer[Any] | bool_], s: Any = None,
          axes: Any = (-2, -1), norm: _Norm = None,
          out: ndarray | None = None) -> NDArray[complex128]: ...
@overload
def rfft2(a: _Operand, s: Any = None, axes: Any = (-2, -1), norm: _Norm = None,
          out: ndarray | None = None) -> NDArray[Any]: ...
@overload
def irfft2(a: NDArray[float32 | complex64 | float16], s: Any = None, axes: Any = (-2, -1),
           norm: _Norm = None, out: ndarray | None = None) -> NDArray[float32]: ...
@overload
def irfft2(a: NDArray[float64 | complex128 | integer[Any] | bool_], s: Any = None,
           axes: Any = (-2, -1), norm: _Norm = None,
           out: ndarray | None = None) -> NDArray[float64]: ...
@overload
def irfft2(a: _Operand, s: Any = None, axes: Any = (-2, -1), norm: _Norm = None,
           out: ndarray | None = None) -> NDArray[Any]: ...
@overload
def fftfreq(n: SupportsIndex, d: Any = 1.0, device: str | None = None, *,
            dtype: None = ...) -> NDArray[float64]: ...
@overload
def fftfreq(n: SupportsIndex, d: Any = 1.0, device: str | None = None, *,
            dtype: _DType[_S]) -> NDArray[_S]: ...
@overload
def fftfreq(n: SupportsIndex, d: Any = 1.0, device: str | None = None, *,
            dtype: DTypeLike | None = None) -> NDArray[Any]: ...
@overload
def rfftfreq(n: SupportsIndex, d: Any = 1.0, device: str | None = None, *,
             dtype: None = ...) -> NDArray[float64]: ...
@overload
def rfftfreq(n: SupportsIndex, d: Any = 1.0, device: str | None = None, *,
             dtype: _DType[_S]) -> NDArray[_S]: ...
@overload
def rfftfreq(n: SupportsIndex, d: Any = 1.0, device: str | None = None, *,
             dtype: DTypeLike | None = None) -> NDArray[Any]: ...
