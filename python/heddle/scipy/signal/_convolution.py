# SPDX-License-Identifier: BSD-3-Clause
"""SciPy's convolutions and correlations, with the arguments and errors of scipy.signal.

Sums are made directly (vector registers, every product fused with its sum) or by Fourier
transforms; method='auto' takes what should be faster. Unlike SciPy's, results have the dtype that
both inputs promote to in every case, and nothing looks for nan in the result to warn of it.
"""
from math import log, prod

from ... import fft as _fft
from ..._functions import result_type
from ..._heddle import (_correlate_window, asarray, convolve as _convolve, correlate as _correlate,
                       elementwise, max as _max)

__all__ = ["choose_conv_method", "convolve", "convolve2d", "correlate", "correlate2d",
           "fftconvolve"]

_absolute, _conjugate, _rint = (elementwise[name][0] for name in ("absolute", "conjugate", "rint"))
_MODES = ("valid", "same", "full")
_BOUNDS = {"fill": "fill", "pad": "fill", "wrap": "wrap", "circular": "wrap", "symm": "symm",
           "symmetric": "symm", "reflect": "symm"}


# ---- what they share -----------------------------------------------------------------------------


def _check_mode(mode):
    if mode not in _MODES:
        raise ValueError("Acceptable mode flags are 'valid', 'same', or 'full'.")


def _swaps(mode, shape1, shape2, axes=None):
    """Is the second one the larger, in mode 'valid'?"""
    if mode != "valid" or not shape1:
        return False
    axes = range(len(shape1)) if axes is None else axes
    if all(shape1[i] >= shape2[i] for i in axes):
        return False
    if all(shape2[i] >= shape1[i] for i in axes):
        return True
    raise ValueError("For 'valid' mode, one must be at least as large as the other in every "
                     "dimension")


def _reversed(x):
    return x[(slice(None, None, -1),) * x.ndim]


def _conjugated(x):
    return _conjugate(x) if x.dtype.kind == "c" else x


def _pair(in1, in2, names="in1 and in2"):
    in1, in2 = asarray(in1), asarray(in2)
    if in1.ndim != in2.ndim:
        raise ValueError(f"{names} should have the same dimensionality")
    return in1, in2


# ---- two dimensions ------------------------------------------------------------------------------


def _planes(name, in1, in2, mode, boundary, fillvalue):
    in1, in2, fill = asarray(in1), asarray(in2), asarray(fillvalue)
    if not in1.ndim == in2.ndim == 2:
        raise ValueError(f"{name} inputs must both be 2-D arrays")
    swaps = _swaps(mode, in1.shape, in2.shape)
    _check_mode(mode)
    if boundary not in _BOUNDS:
        raise ValueError("Acceptable boundary flags are 'fill', 'circular' (or 'wrap'), and "
                         "'symmetric' (or 'symm').")
    if fill.size != 1:
        raise ValueError("`fillvalue` must be scalar or an array with one element.")
    return (in2, in1, fill, swaps) if swaps else (in1, in2, fill, swaps)


def convolve2d(in1, in2, mode="full", boundary="fill", fillvalue=0):
    """Convolution of two arrays of two dimensions.

    mode: 'full' (m + n - 1 results along an axis), 'same' (in1's shape, the middle of full) or
    'valid' (what needs nothing from beyond in1). boundary: what is beyond it: 'fill' with
    fillvalue, 'wrap' or 'symm'. dtype by promotion. ValueError: other dimensions, modes or
    boundaries, empty inputs, and in 'valid' neither input inside the other.
    """
    in1, in2, fill, _ = _planes("convolve2d", in1, in2, mode, boundary, fillvalue)
    return _correlate_window(in1, _reversed(in2), mode, _BOUNDS[boundary], fill)


def correlate2d(in1, in2, mode="full", boundary="fill", fillvalue=0):
    """Cross-correlation of two arrays of two dimensions: in2's conjugate slides over in1.

    Arguments and errors as convolve2d()'s.
    """
    in1, in2, fill, swapped = _planes("correlate2d", in1, in2, mode, boundary, fillvalue)
    out = _correlate_window(in1, _conjugated(in2), "late" if mode == "same" else mode,
                            _BOUNDS[boundary], fill)
    return _reversed(out) if swapped else out


# ---- any dimension -------------------------------------------------------------------------------


def _direct(in1, in2, mode):
    if in1.ndim == 1 and (mode != "same" or in1.size >= in2.size):
        return _convolve(in1, in2, mode)
    return _correlate_window(in1, _reversed(in2), mode, "fill", None)


def convolve(in1, in2, mode="full", method="auto"):
    """Convolution over all axes of two arrays that have equally many.

    mode as in convolve2d(), with zeros beyond in1. method: 'direct' sums, 'fft' (integers are
    rounded; nan and inf spread over the result) or 'auto', the faster one. ValueError: different
    numbers of dimensions, an unknown mode or method.
    """
    in1, in2 = _pair(in1, in2, "volume and kernel")
    if in1.ndim == 0:
        return in1 * in2
    if _swaps(mode, in1.shape, in2.shape):
        in1, in2 = in2, in1
    if method == "auto":
        method = choose_conv_method(in1, in2, mode)
    if method == "fft":
        out = fftconvolve(in1, in2, mode)
        dtype = result_type(in1, in2)
        return (_rint(out) if dtype.kind in "iu" else out).astype(dtype, copy=False)
    if method != "direct":
        raise ValueError("Acceptable method flags are 'auto', 'direct', or 'fft'.")
    _check_mode(mode)
    return _direct(in1, in2, mode)


def correlate(in1, in2, mode="full", method="auto"):
    """Cross-correlation over all axes: convolve() with in2's conjugate backwards."""
    in1, in2 = _pair(in1, in2)
    if in1.ndim == 0:
        return in1 * _conjugated(in2)
    _check_mode(mode)
    if method in ("fft", "auto"):
        return convolve(in1, _reversed(_conjugated(in2)), mode, method)
    if method != "direct":
        raise ValueError("Acceptable method flags are 'auto', 'direct', or 'fft'.")
    if in1.ndim == 1 and (mode != "same" or in1.size >= in2.size):
        return _correlate(in1, in2, mode)
    if _swaps(mode, in1.shape, in2.shape):
        return _reversed(_correlate_window(_conjugated(in2), in1, mode, "fill", None))
    return _correlate_window(in1, _conjugated(in2), mode, "fill", None)


# ---- by transforms -------------------------------------------------------------------------------


def _fast_length(n):
    """The smallest length of at least n whose factors are 2, 3 and 5; even, as halves want it."""
    best, fives = 1 << (max(n, 2) - 1).bit_length(), 1
    while fives < best:
        threes = fives
        while threes < best:
            twos = threes * max(2, 1 << (-(-n // threes) - 1).bit_length())
            best = min(best, twos)
            threes *= 3
        fives *= 5
    return best


def _axes_of(x, axes):
    if axes is None:
        return list(range(x.ndim))
    try:
        axes = list(axes)
    except TypeError:
        axes = [axes]
    if not axes:
        raise ValueError("when provided, axes cannot be empty")
    if any(not -x.ndim <= a < x.ndim for a in axes):
        raise ValueError("axes exceeds dimensionality of input")
    axes = [a % x.ndim for a in axes]
    if len(set(axes)) != len(axes):
        raise ValueError("all axes must be unique")
    return axes


def _middle(x, shape):
    starts = [(have - want) // 2 for have, want in zip(x.shape, shape)]
    return x[tuple(slice(start, start + want) for start, want in zip(starts, shape))]


def _multiplied(in1, in2, axes, shape):
    """The full convolution along axes, by transforms."""
    if not axes:
        return in1 * in2
    lengths = [_fast_length(shape[a]) for a in axes]
    if in1.dtype.kind == "c" or in2.dtype.kind == "c":
        there, back = _fft.fftn, _fft.ifftn
    else:
        there, back = _fft.rfftn, _fft.irfftn
    out = back(there(in1, lengths, axes) * there(in2, lengths, axes), lengths, axes)
    return out[tuple(map(slice, shape))]


def fftconvolve(in1, in2, mode="full", axes=None):
    """Convolution by Fourier transforms along axes (None: all); the others broadcast.

    Floating-point results: float32 or complex64 of such inputs, else float64 or complex128. mode
    as in convolve(). ValueError: different numbers of dimensions, an unknown mode, axes that do
    not exist or come twice, shapes that do not fit.
    """
    in1, in2 = _pair(in1, in2)
    if in1.ndim == 0:
        return in1 * in2
    if in1.size == 0 or in2.size == 0:
        return asarray([])
    axes = [a for a in _axes_of(in1, axes) if in1.shape[a] != 1 and in2.shape[a] != 1]
    s1, s2 = in1.shape, in2.shape
    if not all(s1[a] == s2[a] or s1[a] == 1 or s2[a] == 1
               for a in range(in1.ndim) if a not in axes):
        raise ValueError(f"incompatible shapes for in1 and in2: {s1} and {s2}")
    if _swaps(mode, s1, s2, axes):
        in1, in2 = in2, in1
        s1, s2 = s2, s1
    if mode not in _MODES:
        raise ValueError("acceptable mode flags are 'valid', 'same', or 'full'")
    shape = [s1[a] + s2[a] - 1 if a in axes else max(s1[a], s2[a]) for a in range(in1.ndim)]
    out = _multiplied(in1, in2, axes, shape)
    if mode == "same":
        out = _middle(out, s1)
    elif mode == "valid":
        out = _middle(out, [s1[a] - s2[a] + 1 if a in axes else shape[a]
                            for a in range(in1.ndim)])
    return out.copy()


# Seconds: of a product and its sum, and of a point of a transform, with its logarithm. Measured.
_DIRECT, _TRANSFORMED = 6e-11, 1.2e-9


def _fft_is_faster(in1, in2, mode):
    full = [m + n - 1 for m, n in zip(in1.shape, in2.shape)]
    if mode == "full":
        places = prod(full)
    else:
        places = prod(in1.shape) if mode == "same" else prod(
            abs(m - n) + 1 for m, n in zip(in1.shape, in2.shape))
    points = prod(full)
    return (_TRANSFORMED * 3 * points * log(points + 1)
            < _DIRECT * places * min(in1.size, in2.size))


def _exact_in_float(in1, in2):
    """Do sums of products of integers fit a float64? Needs their values."""
    largest = 1
    for x in (in1, in2):
        largest *= max(int(_max(x)), -int(x.min())) if x.dtype.kind in "iu" else float(
            _max(_absolute(x)))
    return largest * min(in1.size, in2.size) <= 2 ** 52 - 1


def choose_conv_method(in1, in2, mode="full", measure=False):
    """'fft' or 'direct': the faster way to convolve these, of those that are exact for integers.

    measure=True runs both and also returns the seconds they took, by name.
    """
    in1, in2 = asarray(in1), asarray(in2)
    if measure:
        from timeit import timeit
        times = {method: timeit(lambda: convolve(in1, in2, mode, method).item(0), number=3) / 3
                 for method in ("fft", "direct")}
        return min(times, key=times.get), times
    _check_mode(mode)
    kinds = in1.dtype.kind + in2.dtype.kind
    if kinds == "bb" or not in1.size or not in2.size:
        return "direct"
    if not _fft_is_faster(in1, in2, mode):
        return "direct"
    if ("i" in kinds or "u" in kinds) and not _exact_in_float(in1, in2):
        return "direct"
    return "fft"
