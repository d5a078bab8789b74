# SPDX-License-Identifier: BSD-3-Clause
"""Discrete Fourier transforms: NumPy's numpy.fft, of any length, along any axes.

float32, complex64 and float16 are transformed in float32, everything else in float64.
"""
from operator import index
from warnings import warn

from ._creation import arange
from ._handing import make_public as _make_public
from ._heddle import (_fftn, _ifftn, _irfftn, _rfftn, asarray, concatenate, fft, fftshift, hfft,
                      ifft, ifftshift, ihfft, irfft, rfft)

__all__ = ["fft", "fft2", "fftfreq", "fftn", "fftshift", "hfft", "ifft", "ifft2", "ifftn",
           "ifftshift", "ihfft", "irfft", "irfft2", "irfftn", "rfft", "rfft2", "rfftfreq", "rfftn"]


# ---- several axes --------------------------------------------------------------------------------


def _lengths_and_axes(a, s, axes, half):
    """s and axes as NumPy reads them: sequences of one length, or s None."""
    if axes is None and s is not None:      # NumPy warns; the array API standard has it so
        axes = range(-len(s), 0)
    axes = range(a.ndim) if axes is None else axes
    axes = tuple(map(index, axes))
    if s is None:
        return None, axes
    s = list(s)
    if len(s) != len(axes):
        raise ValueError("Shape and axes have different lengths.")
    if None in s:
        warn("Passing an array containing `None` values to `s` is deprecated in NumPy 2.0 and will "
             "raise an error in a future version of NumPy. To use the default behaviour of the "
             "corresponding 1-D transform, pass the value matching the default for its `n` "
             "parameter. To use the default behaviour for every axis, the `s` argument can be "
             "omitted.", DeprecationWarning, stacklevel=4)
        for i, (n, axis) in enumerate(zip(s, axes)):
            if n is None:
                last = half and i == len(s) - 1
                s[i] = 2 * (a.shape[axis] - 1) if last else a.shape[axis]
    return tuple(map(index, s)), axes


def _over(transform, a, s, axes, norm, out, half=False):
    a = asarray(a)
    s, axes = _lengths_and_axes(a, s, axes, half)
    return transform(a, s, axes, norm, out)


def fftn(a, s=None, axes=None, norm=None, out=None):
    """Transform over several axes, the last one first."""
    return _over(_fftn, a, s, axes, norm, out)


def ifftn(a, s=None, axes=None, norm=None, out=None):
    """Inverse of fftn()."""
    return _over(_ifftn, a, s, axes, norm, out)


def rfftn(a, s=None, axes=None, norm=None, out=None):
    """Transform of real numbers: rfft() over the last of the axes, fft() over the others."""
    return _over(_rfftn, a, s, axes, norm, out)


def irfftn(a, s=None, axes=None, norm=None, out=None):
    """Inverse of rfftn(): real numbers."""
    return _over(_irfftn, a, s, axes, norm, out, half=True)


def fft2(a, s=None, axes=(-2, -1), norm=None, out=None):
    """fftn() over the last two axes."""
    return _over(_fftn, a, s, axes, norm, out)


def ifft2(a, s=None, axes=(-2, -1), norm=None, out=None):
    """ifftn() over the last two axes."""
    return _over(_ifftn, a, s, axes, norm, out)


def rfft2(a, s=None, axes=(-2, -1), norm=None, out=None):
    """rfftn() over the last two axes."""
    return _over(_rfftn, a, s, axes, norm, out)


def irfft2(a, s=None, axes=(-2, -1), norm=None, out=None):
    """irfftn() over the last two axes."""
    return _over(_irfftn, a, s, axes, norm, out, half=True)


# ---- frequencies ---------------------------------------------------------------------------------


def _frequencies(n, d, dtype, device, *ranges):
    parts = [arange(*ends, device=device) for ends in ranges]
    r = (concatenate(parts) if len(parts) > 1 else parts[0]) * (1.0 / (n * d))
    if dtype is not None:
        if asarray(0, dtype).dtype.kind not in "fc":
            raise ValueError(f"the dtype of frequencies must be a floating-point one, not {dtype}")
        r = r.astype(dtype, copy=False)
    return r


def _count(n):
    try:
        return index(n)
    except TypeError:
        raise ValueError("n should be an integer") from None


def fftfreq(n, d=1.0, device=None, *, dtype=None):
    """Frequencies of the points of fft() over n samples at distance d: 0 up to the middle, then
    the negative ones."""
    n = _count(n)
    return _frequencies(n, d, dtype, device, (0, (n + 1) // 2), (-(n // 2), 0))


def rfftfreq(n, d=1.0, device=None, *, dtype=None):
    """Frequencies of the points of rfft() over n samples at distance d."""
    n = _count(n)
    return _frequencies(n, d, dtype, device, (0, n // 2 + 1))


_make_public(__all__, __name__, globals())
