# SPDX-License-Identifier: BSD-3-Clause
"""heddle.fft's transforms with the arguments of scipy.fft, of which overwrite_x, workers and plan
are taken and change nothing; and SciPy's way to call them: scipy.fft.set_backend(heddle.scipy.fft).
"""
import sys

from .. import fft as _fft
from ..fft import fftfreq, fftshift, ifftshift, rfftfreq

__all__ = ["fft", "fft2", "fftfreq", "fftn", "fftshift", "hfft", "ifft", "ifft2", "ifftn",
           "ifftshift", "ihfft", "irfft", "irfft2", "irfftn", "rfft", "rfft2", "rfftfreq", "rfftn"]

__ua_domain__ = "numpy.scipy.fft"


def __ua_function__(method, args, kwargs):
    """Calls the function of heddle.scipy.fft that has the name of SciPy's."""
    ours = getattr(sys.modules["heddle.scipy.fft"], method.__name__, None)
    return NotImplemented if ours is None else ours(*args, **kwargs)


def fft(x, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, *, plan=None):
    """The transform along one axis, as heddle.fft.fft() makes it."""
    return _fft.fft(x, n, axis, norm)


def ifft(x, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, *, plan=None):
    """The inverse of fft()."""
    return _fft.ifft(x, n, axis, norm)


def rfft(x, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, *, plan=None):
    """fft() of real numbers: the half of it that is not the mirror of the other."""
    return _fft.rfft(x, n, axis, norm)


def irfft(x, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, *, plan=None):
    """The inverse of rfft(), of n points."""
    return _fft.irfft(x, n, axis, norm)


def hfft(x, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, *, plan=None):
    """The real transform of a signal whose spectrum is Hermitian."""
    return _fft.hfft(x, n, axis, norm)


def ihfft(x, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, *, plan=None):
    """The inverse of hfft()."""
    return _fft.ihfft(x, n, axis, norm)


def fft2(x, s=None, axes=(-2, -1), norm=None, overwrite_x=False, workers=None, *, plan=None):
    """fftn() over two axes."""
    return _fft.fft2(x, s, axes, norm)


def ifft2(x, s=None, axes=(-2, -1), norm=None, overwrite_x=False, workers=None, *, plan=None):
    """The inverse of fft2()."""
    return _fft.ifft2(x, s, axes, norm)


def rfft2(x, s=None, axes=(-2, -1), norm=None, overwrite_x=False, workers=None, *, plan=None):
    """rfftn() over two axes."""
    return _fft.rfft2(x, s, axes, norm)


def irfft2(x, s=None, axes=(-2, -1), norm=None, overwrite_x=False, workers=None, *, plan=None):
    """The inverse of rfft2()."""
    return _fft.irfft2(x, s, axes, norm)


def fftn(x, s=None, axes=None, norm=None, overwrite_x=False, workers=None, *, plan=None):
    """fft() over several axes."""
    return _fft.fftn(x, s, axes, norm)


def ifftn(x, s=None, axes=None, norm=None, overwrite_x=False, workers=None, *, plan=None):
    """The inverse of fftn()."""
    return _fft.ifftn(x, s, axes, norm)


def rfftn(x, s=None, axes=None, norm=None, overwrite_x=False, workers=None, *, plan=None):
    """fftn() of real numbers: of the last axis the half."""
    return _fft.rfftn(x, s, axes, norm)


def irfftn(x, s=None, axes=None, norm=None, overwrite_x=False, workers=None, *, plan=None):
    """The inverse of rfftn()."""
    return _fft.irfftn(x, s, axes, norm)
