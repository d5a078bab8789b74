# SPDX-License-Identifier: BSD-3-Clause
"""scipy.fft for Heddle's arrays: the transforms of heddle.fft, those by cosines and sines, and the
Hermitian ones over several axes.

Transforms by cosines and sines are defined as in SciPy's documentation of dct() and dst(); each is
computed by one Fourier transform (J. Makhoul, A Fast Cosine Transform in One and Two Dimensions,
IEEE Transactions on Acoustics, Speech, and Signal Processing 28, 1980, for types 2 and 3).
overwrite_x, workers and plan are taken and change nothing.
"""
import math
from operator import index

from .. import arange, concatenate, exp, zeros
from .. import fft as _fft
from .._heddle import asarray
from .._functions import kind_of as _kind_of
from . import _transforms
from ._transforms import *      # noqa: F403
from ._transforms import __ua_domain__, __ua_function__    # noqa: F401

_OWN = ["dct", "dctn", "dst", "dstn", "hfft2", "hfftn", "idct", "idctn", "idst", "idstn", "ihfft2",
        "ihfftn", "next_fast_len", "prev_fast_len"]
__all__ = [*_transforms.__all__, *_OWN]


# ---- one axis, the last one; without scale -------------------------------------------------------


def _phase(x, steps, by):
    """exp(-1j * pi * steps * by) of the precision that x has."""
    values = exp(asarray(-1j * math.pi * by, "c16") * steps)
    return values.astype("c8") if x.dtype.itemsize == 4 else values


def _numbers(n):
    return arange(n, dtype="f8")


def _signs(x):
    """x with every other element negated."""
    return x * (1 - 2 * (arange(x.shape[-1]) & 1)).astype(x.dtype)


def _ends(x, factor, first=True, last=False):
    """x with its first element, its last one or both multiplied."""
    x = x.copy()
    if first:
        x[..., 0] *= factor
    if last:
        x[..., -1] *= factor
    return x


def _dct1(x):
    return _fft.rfft(concatenate((x, x[..., -2:0:-1]), axis=-1)).real


def _dct2(x):
    n = x.shape[-1]
    turned = concatenate((x[..., ::2], x[..., 1::2][..., ::-1]), axis=-1)
    half = 2 * _fft.rfft(turned) * _phase(x, _numbers(n // 2 + 1), 0.5 / n)
    return concatenate((half.real, -half.imag[..., (n - 1) // 2:0:-1]), axis=-1)


def _dct3(x):
    n = x.shape[-1]
    m = n // 2 + 1
    other = concatenate((zeros((*x.shape[:-1], 1), x.dtype), x[..., :n - m:-1]), axis=-1)
    half = (x[..., :m] - 1j * other) * _phase(x, _numbers(m), -0.5 / n)
    turned = n * _fft.irfft(half, n)
    y = zeros(x.shape, x.dtype)
    y[..., ::2] = turned[..., :(n + 1) // 2]
    y[..., 1::2] = turned[..., :(n - 1) // 2:-1] if n > 1 else turned[..., 1:]
    return y


def _dct4(x):
    n = x.shape[-1]
    spectrum = _fft.fft(x * _phase(x, _numbers(n), 0.5 / n), 2 * n)[..., :n]
    return 2 * (spectrum * _phase(x, 2 * _numbers(n) + 1, 0.25 / n)).real


def _dst1(x):
    border = zeros((*x.shape[:-1], 1), x.dtype)
    return -_fft.rfft(concatenate((border, x, border, -x[..., ::-1]), axis=-1)).imag[..., 1:-1]


def _dst2(x):
    return _dct2(_signs(x))[..., ::-1]


def _dst3(x):
    return _signs(_dct3(x[..., ::-1]))


def _dst4(x):
    return _signs(_dct4(x[..., ::-1]))


_BY_COSINES, _BY_SINES = (_dct1, _dct2, _dct3, _dct4), (_dst1, _dst2, _dst3, _dst4)


# ---- scale, length, axes -------------------------------------------------------------------------


def _orthogonal(sines, type, x, transform):
    """The transform with the factors that make its matrix orthogonal but for one scale."""
    root = math.sqrt(2)
    if type == 4 or (sines and type == 1):
        return transform(x)
    if type == 1:
        return _ends(transform(_ends(x, root, True, True)), 1 / root, True, True)
    at = {"first": not sines, "last": sines}
    return transform(_ends(x, root, **at)) if type == 3 else _ends(transform(x), 1 / root, **at)


def _scale(sines, type, n, norm, inverse):
    """What results are multiplied by."""
    whole = 2 * (n + 1 if sines else n - 1) if type == 1 else 2 * n
    if norm not in (None, "backward", "ortho", "forward"):
        raise ValueError(f'Invalid norm value {norm!r}, should be "backward", "ortho" or "forward"')
    if norm == "ortho":
        return 1 / math.sqrt(whole)
    return 1 / whole if inverse == (norm != "forward") else 1


def _along_last(sines, x, type, norm, inverse, orthogonalize):
    kind = {2: 3, 3: 2}.get(type, type) if inverse else type
    n = x.shape[-1]
    if n < 1:
        raise ValueError(f"Invalid number of data points ({n}) specified")
    if n == 1 and kind == 1 and not sines:
        raise RuntimeError("zero-length FFT requested: a cosine transform of type 1 needs two points")
    transform = (_BY_SINES if sines else _BY_COSINES)[kind - 1]
    if norm == "ortho" if orthogonalize is None else orthogonalize:
        result = _orthogonal(sines, kind, x, transform)
    else:
        result = transform(x)
    scale = _scale(sines, kind, n, norm, inverse)
    return result if scale == 1 else result * scale


def _resized(x, n, axis):
    """x with n elements along the last axis (None: what it has): cut, or followed by zeros."""
    x = x.swapaxes(axis, -1)
    if n is None:
        return x
    n = index(n)
    if n < 1:
        raise ValueError(f"Invalid number of data points ({n}) specified")
    if n <= x.shape[-1]:
        return x[..., :n]
    return concatenate((x, zeros((*x.shape[:-1], n - x.shape[-1]), x.dtype)), axis=-1)


def _real(x):
    """The array as real or complex numbers of a precision that transforms have."""
    x = asarray(x)
    if _kind_of(x) in "biu" or x.dtype.itemsize == 2:
        x = x.astype("f4" if x.dtype.char == "e" else "f8")
    return x


def _one(sines, x, type, n, axis, norm, inverse, orthogonalize):
    if type not in (1, 2, 3, 4):
        raise ValueError(f"invalid type {type}: transforms have types 1 to 4")
    x = _resized(_real(x), n, axis)
    how = type, norm, inverse, orthogonalize
    if _kind_of(x) == "c":
        result = _along_last(sines, x.real, *how) + 1j * _along_last(sines, x.imag, *how)
    else:
        result = _along_last(sines, x, *how)
    return result.swapaxes(axis, -1)


def _axes_of(x, s, axes):
    """(axis, length or None) of each axis that is transformed."""
    if axes is None:
        axes = range(x.ndim) if s is None else range(x.ndim - len(s), x.ndim)
    axes = [axes] if isinstance(axes, int) else list(axes)
    lengths = [None] * len(axes) if s is None else [s] if isinstance(s, int) else list(s)
    if len(axes) != len(lengths):
        raise ValueError("when given, axes and shape arguments have to be of the same length")
    if len({a % x.ndim if x.ndim else a for a in axes}) != len(axes):
        raise ValueError("all axes must be unique")
    return zip(axes, lengths, strict=True)


def _many(sines, x, type, s, axes, norm, inverse, orthogonalize):
    x = _real(x)
    for axis, n in _axes_of(x, s, axes):
        x = _one(sines, x, type, n, axis, norm, inverse, orthogonalize)
    return x


def dct(x, type=2, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, orthogonalize=None):
    """The discrete cosine transform of type 1 to 4 along an axis of n elements, of x's precision;
    of complex numbers that of both parts. norm: "backward" (None), "ortho", "forward".
    orthogonalize: with the factors of an orthogonal matrix (None: where norm is "ortho")."""
    return _one(False, x, type, n, axis, norm, False, orthogonalize)


def idct(x, type=2, n=None, axis=-1, norm=None, overwrite_x=False, workers=None,
         orthogonalize=None):
    """The inverse of dct() with the same arguments."""
    return _one(False, x, type, n, axis, norm, True, orthogonalize)


def dst(x, type=2, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, orthogonalize=None):
    """The discrete sine transform; arguments as dct()."""
    return _one(True, x, type, n, axis, norm, False, orthogonalize)


def idst(x, type=2, n=None, axis=-1, norm=None, overwrite_x=False, workers=None,
         orthogonalize=None):
    """The inverse of dst() with the same arguments."""
    return _one(True, x, type, n, axis, norm, True, orthogonalize)


def dctn(x, type=2, s=None, axes=None, norm=None, overwrite_x=False, workers=None, *,
         orthogonalize=None):
    """dct() along several axes (None: the last ones that s has, or all)."""
    return _many(False, x, type, s, axes, norm, False, orthogonalize)


def idctn(x, type=2, s=None, axes=None, norm=None, overwrite_x=False, workers=None,
          orthogonalize=None):
    """The inverse of dctn() with the same arguments."""
    return _many(False, x, type, s, axes, norm, True, orthogonalize)


def dstn(x, type=2, s=None, axes=None, norm=None, overwrite_x=False, workers=None,
         orthogonalize=None):
    """dst() along several axes (None: the last ones that s has, or all)."""
    return _many(True, x, type, s, axes, norm, False, orthogonalize)


def idstn(x, type=2, s=None, axes=None, norm=None, overwrite_x=False, workers=None,
          orthogonalize=None):
    """The inverse of dstn() with the same arguments."""
    return _many(True, x, type, s, axes, norm, True, orthogonalize)


# ---- Hermitian -----------------------------------------------------------------------------------

_OTHER_WAY = {None: "forward", "backward": "forward", "ortho": "ortho", "forward": "backward"}


def _turned(norm):
    if norm not in _OTHER_WAY:
        raise ValueError(f'Invalid norm value {norm!r}, should be "backward", "ortho" or "forward"')
    return _OTHER_WAY[norm]


def hfftn(x, s=None, axes=None, norm=None, overwrite_x=False, workers=None, *, plan=None):
    """The real transform of a signal whose spectrum is Hermitian, over several axes: of the last of
    them x has the half."""
    return _fft.irfftn(asarray(x).conj(), s, axes, _turned(norm))


def hfft2(x, s=None, axes=(-2, -1), norm=None, overwrite_x=False, workers=None, *, plan=None):
    """hfftn() over two axes."""
    return hfftn(x, s, axes, norm)


def ihfftn(x, s=None, axes=None, norm=None, overwrite_x=False, workers=None, *, plan=None):
    """The inverse of hfftn()."""
    return _fft.rfftn(x, s, axes, _turned(norm)).conj()


def ihfft2(x, s=None, axes=(-2, -1), norm=None, overwrite_x=False, workers=None, *, plan=None):
    """ihfftn() over two axes."""
    return ihfftn(x, s, axes, norm)


# ---- lengths -------------------------------------------------------------------------------------


def _is_fast(n, factors):
    for f in factors:
        while n % f == 0:
            n //= f
    return n == 1


def next_fast_len(target, real=False):
    """The smallest length from target on that has no prime factors but 2, 3 and 5 (real), and 7 and
    11."""
    target = index(target)
    if target < 0:
        raise ValueError("Target cannot be negative")
    factors = (2, 3, 5) if real else (2, 3, 5, 7, 11)
    while target > 1 and not _is_fast(target, factors):
        target += 1
    return target


def prev_fast_len(target, real=False):
    """The largest length up to target that has no prime factors but those of next_fast_len()."""
    target = index(target)
    if target < 0:
        raise ValueError("Target cannot be negative")
    if target == 0:
        raise ValueError("Cannot find a previous fast length of 0")
    while not _is_fast(target, (2, 3, 5) if real else (2, 3, 5, 7, 11)):
        target -= 1
    return target
