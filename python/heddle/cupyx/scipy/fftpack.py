# SPDX-License-Identifier: BSD-3-Clause
"""cupyx.scipy.fftpack: the transforms of heddle.fft that it has under the same name and meaning."""
from ... import concatenate as _concatenate
from ... import fft as _fft
from ... import moveaxis as _moveaxis
from ... import stack as _stack
from ..._heddle import asarray as _asarray
from ._plans import get_fft_plan

__all__ = ["fft", "fft2", "fftn", "get_fft_plan", "ifft", "ifft2", "ifftn", "irfft",
           "rfft"]


def _older(transform, many):
    """fftpack's signature: shape and axes of many, n and axis of one; no norm."""
    if many:
        def transformed(x, shape=None, axes=None, overwrite_x=False, plan=None):
            return transform(x, shape, axes)
    else:
        def transformed(x, n=None, axis=-1, overwrite_x=False, plan=None):
            return transform(x, n, axis)
    transformed.__doc__ = transform.__doc__
    return transformed


fft, ifft = _older(_fft.fft, False), _older(_fft.ifft, False)
fftn, ifftn = _older(_fft.fftn, True), _older(_fft.ifftn, True)


def fft2(x, shape=None, axes=(-2, -1), overwrite_x=False, plan=None):
    """The transform along two axes."""
    return _fft.fft2(x, shape, axes)


def ifft2(x, shape=None, axes=(-2, -1), overwrite_x=False, plan=None):
    """The inverse of fft2()."""
    return _fft.ifft2(x, shape, axes)


def rfft(x, n=None, axis=-1, overwrite_x=False, plan=None):
    """The transform of real numbers as real ones: of the first point the real part, then real and
    imaginary parts by turns; of the last of an even number the real part."""
    spectrum = _moveaxis(_fft.rfft(x, n, axis), axis, -1)
    points = _asarray(x).shape[axis] if n is None else n
    parts = _stack((spectrum.real, spectrum.imag), axis=-1)
    parts = parts.reshape(*spectrum.shape[:-1], 2 * spectrum.shape[-1])
    packed = _concatenate((parts[..., :1], parts[..., 2:points + 1]), axis=-1)
    return _moveaxis(packed, -1, axis)


def irfft(x, n=None, axis=-1, overwrite_x=False):
    """The inverse of rfft(), of n points of what that gives."""
    x = _moveaxis(_asarray(x), axis, -1)
    x = x if x.dtype.kind == "f" else x.astype(float)
    points = x.shape[-1] if n is None else n
    x = x[..., :points]
    missing = 2 * (points // 2 + 1) - 1 - x.shape[-1]
    zeros = x[..., :1] * 0
    x = _concatenate((x[..., :1], zeros, x[..., 1:], *((zeros,) * missing)), axis=-1)
    spectrum = x[..., ::2] + 1j * x[..., 1::2]
    return _moveaxis(_fft.irfft(spectrum, points), -1, axis)


def __getattr__(name):
    raise AttributeError(f"Heddle has no cupyx.scipy.fftpack.{name}")
