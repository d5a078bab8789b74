# SPDX-License-Identifier: BSD-3-Clause
"""cupyx.scipy.fftpack: the transforms of heddle.fft that it has under the same name and meaning."""
from ... import fft as _fft
from ._plans import get_fft_plan

__all__ = ["fft", "fft2", "fftn", "get_fft_plan", "ifft", "ifft2", "ifftn"]


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


def __getattr__(name):
    raise AttributeError(f"Heddle has no cupyx.scipy.fftpack.{name}")
