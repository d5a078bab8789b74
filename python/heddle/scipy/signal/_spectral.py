# SPDX-License-Identifier: BSD-3-Clause
"""Spectra of signals that are cut into segments (P. D. Welch, The Use of Fast Fourier Transform for the
Estimation of Power Spectra, 1967), with the arguments of scipy.signal."""
from operator import index
from warnings import warn

from ... import arange, concatenate, linspace, moveaxis, sort, unwrap, zeros
from ... import fft as _fft
from ..._functions import result_type
from ..._heddle import asarray, elementwise
from ..._heddle import mean as _mean
from ..._heddle import sum as _sum
from ...lib.stride_tricks import sliding_window_view
from ._by_name import get_window

__all__ = ["coherence", "csd", "detrend", "periodogram", "spectrogram", "stft", "welch"]

_absolute, _arctan2, _conjugate = (elementwise[name][0] for name in ("absolute", "arctan2",
                                                                     "conjugate"))


# ---- trends --------------------------------------------------------------------------------------


def _without_line(x):
    """x without its line of least squares, along the last axis."""
    n = x.shape[-1]
    t = linspace(-1.0, 1.0, n) if n > 1 else zeros(1)
    square = _sum(t * t)
    slope = _sum(x * t, axis=-1, keepdims=True) / square if n > 1 else 0.0
    return x - _mean(x, axis=-1, keepdims=True) - slope * t


def detrend(data, axis=-1, type="linear", bp=0, overwrite_data=False):
    """The data without its line of least squares ("linear", "l"), of each piece between the points bp
    one, or without its mean ("constant", "c"). ValueError: another type, or a point outside."""
    if type not in ("linear", "l", "constant", "c"):
        raise ValueError("Trend type must be 'linear' or 'constant'.")
    data = asarray(data)
    data = data if data.dtype.kind in "fc" else data.astype(float)
    if type in ("constant", "c"):
        return data - _mean(data, axis=axis, keepdims=True)
    n = data.shape[axis]
    points = asarray(bp).ravel().tolist()
    ends = sorted({0, n, *map(int, points)})
    if ends[-1] > n:
        raise ValueError("Breakpoints must be less than length of data along given axis.")
    x = moveaxis(data, axis, -1)
    pieces = [_without_line(x[..., a:b]) for a, b in zip(ends, ends[1:])]
    out = pieces[0] if len(pieces) == 1 else concatenate(pieces, axis=-1)
    return moveaxis(out, -1, axis).astype(data.dtype, copy=False)


def _trend(kind):
    """What takes the trend out of segments."""
    if not kind:
        return lambda x: x
    if callable(kind):
        return kind
    return lambda x: detrend(x, -1, kind)


# ---- segments ------------------------------------------------------------------------------------


def _window_of(window, nperseg, length):
    """The window, and how long it is."""
    if isinstance(window, (str, tuple)):
        nperseg = 256 if nperseg is None else nperseg
        if nperseg > length:
            warn(f"nperseg = {nperseg} is greater than input length  = {length}, using nperseg = "
                 f"{length}", stacklevel=5)
            nperseg = length
        return get_window(window, nperseg), nperseg
    win = asarray(window)
    if win.ndim != 1:
        raise ValueError("window must be 1-D")
    if length < win.shape[0]:
        raise ValueError("window is longer than input signal")
    if nperseg is not None and nperseg != win.shape[0]:
        raise ValueError("value specified for nperseg is different from length of window")
    return win, win.shape[0]


_EXTENSIONS = ("even", "odd", "constant", "zeros", None)


def _extended(x, n, boundary):
    """x with n points more at each end."""
    if boundary is None or n == 0:
        return x
    first, last = x[..., :1], x[..., -1:]
    before, after = x[..., n:0:-1], x[..., -2:-n - 2:-1]
    if boundary == "odd":
        before, after = 2 * first - before, 2 * last - after
    elif boundary == "constant":
        before, after = 0 * before + first, 0 * after + last
    elif boundary == "zeros":
        before = after = zeros((*x.shape[:-1], n), x.dtype)
    return concatenate((before, x, after), axis=-1)


def _padded(x, nperseg, step):
    more = -(x.shape[-1] - nperseg) % step % nperseg
    return concatenate((x, zeros((*x.shape[:-1], more), x.dtype)), axis=-1) if more else x


class _Segments:
    """How signals are cut: window, lengths, and the spectra of the segments."""

    def __init__(self, length, fs, window, nperseg, noverlap, nfft, detrend, one_sided):
        nperseg = None if nperseg is None else int(nperseg)
        if nperseg is not None and nperseg < 1:
            raise ValueError("nperseg must be a positive integer")
        self.window, self.n = _window_of(window, nperseg, length)
        self.nfft = self.n if nfft is None else int(nfft)
        if self.nfft < self.n:
            raise ValueError("nfft must be greater than or equal to nperseg.")
        self.overlap = self.n // 2 if noverlap is None else int(noverlap)
        if self.overlap >= self.n:
            raise ValueError("noverlap must be less than nperseg.")
        self.fs, self.one_sided = fs, one_sided
        self.step, self.detrend = self.n - self.overlap, _trend(detrend)

    def scale(self, scaling):
        win = self.window
        if scaling == "density":
            return 1.0 / (self.fs * _sum(win * win))
        if scaling == "spectrum":
            return 1.0 / _sum(win) ** 2
        raise ValueError(f"Unknown scaling: {scaling!r}")

    def frequencies(self):
        return (_fft.rfftfreq if self.one_sided else _fft.fftfreq)(self.nfft, 1 / self.fs)

    def spectra(self, x):
        """Of each segment, along the last axis but one."""
        cut = sliding_window_view(x, self.n, axis=-1)[..., ::self.step, :]
        cut = self.window * self.detrend(cut)
        return (_fft.rfft if self.one_sided else _fft.fft)(cut, self.nfft)

    def times(self, length):
        half = self.n / 2
        return arange(half, length - half + 1, self.step) / float(self.fs)


def _signal(x, axis):
    """x with the axis last, as floating-point or complex numbers."""
    x = moveaxis(asarray(x), axis, -1)
    return x if x.dtype.kind in "fc" else x.astype(float)


def _back(result, axis):
    """(..., segments, frequencies) with the frequencies where the axis was, segments last."""
    return moveaxis(result, -1, axis - 1 if axis < 0 else axis)


def _powers(x, y, fs, window, nperseg, noverlap, nfft, detrend, return_onesided, scaling, axis):
    """frequencies, times, and the (cross) power of each segment."""
    same = y is x
    axis = index(axis)
    x = _signal(x, axis)
    y = x if same else _signal(y, axis)
    if y.shape[-1] != x.shape[-1]:      # the shorter one is filled up
        n = max(x.shape[-1], y.shape[-1])
        x, y = (concatenate((a, zeros((*a.shape[:-1], n - a.shape[-1]), a.dtype)), axis=-1)
                for a in (x, y))
    real = x.dtype.kind == "f" and y.dtype.kind == "f"
    cut = _Segments(x.shape[-1], fs, window, nperseg, noverlap, nfft, detrend,
                    real and return_onesided)
    spectra = cut.spectra(x)
    if same:
        result = (spectra * _conjugate(spectra)).real * cut.scale(scaling)
    else:
        result = _conjugate(spectra) * cut.spectra(y) * cut.scale(scaling)
    if cut.one_sided:       # the other half has as much
        last = None if cut.nfft % 2 else -1
        result[..., 1:last] *= 2
    kind = result_type(x, y, "c8")
    if kind == "c8":
        result = result.astype("f4" if same else "c8")
    return cut.frequencies(), cut.times(x.shape[-1]), _back(result, axis)


def _averaged(result, average):
    n = result.shape[-1]
    if n == 1:
        return result[..., 0]
    if average == "mean":
        return result.mean(axis=-1)
    if average != "median":
        raise ValueError(f'average must be "median" or "mean", got {average}')
    # of an exponential distribution the median lies below the mean
    odd = range(3, n + 1, 2)
    bias = 1 + sum(1.0 / k - 1.0 / (k - 1) for k in odd)

    def middle(x):
        x = sort(x, axis=-1)
        return (x[..., (n - 1) // 2] + x[..., n // 2]) / 2
    if result.dtype.kind == "c":
        return (middle(result.real) + 1j * middle(result.imag)) / bias
    return middle(result) / bias


# ---- spectra -------------------------------------------------------------------------------------


def csd(x, y, fs=1.0, window="hann", nperseg=None, noverlap=None, nfft=None, detrend="constant",
        return_onesided=True, scaling="density", axis=-1, average="mean"):
    """frequencies, and the cross power of two signals, an average of segments."""
    f, _, powers = _powers(x, y, fs, window, nperseg, noverlap, nfft, detrend, return_onesided,
                           scaling, axis)
    return f, _averaged(powers, average)


def welch(x, fs=1.0, window="hann", nperseg=None, noverlap=None, nfft=None, detrend="constant",
          return_onesided=True, scaling="density", axis=-1, average="mean"):
    """frequencies, and the power of a signal, an average of segments ("mean" or "median").

    window: of get_window(), or an array. nperseg: points of a segment (256), noverlap: those that two
    share (half). scaling: "density" (a Hz) or "spectrum". ValueError: lengths that do not fit."""
    return csd(x, x, fs, window, nperseg, noverlap, nfft, detrend, return_onesided, scaling, axis,
               average)


def periodogram(x, fs=1.0, window="boxcar", nfft=None, detrend="constant", return_onesided=True,
                scaling="density", axis=-1):
    """frequencies, and the power of a signal as a whole. nfft: it is cut off or filled up to so
    many."""
    x = asarray(x)
    n = x.shape[axis]
    nperseg = n if nfft is None else min(n, int(nfft))
    if nfft is not None and nfft < n:
        x = moveaxis(moveaxis(x, axis, -1)[..., :nfft], -1, axis)
    if not isinstance(window, (str, tuple)) and asarray(window).shape != (nperseg,):
        raise ValueError("the size of the window must be the same of the input on the specified axis")
    return welch(x, fs, "boxcar" if window is None else window, nperseg, 0, nfft, detrend,
                 return_onesided, scaling, axis)


def coherence(x, y, fs=1.0, window="hann", nperseg=None, noverlap=None, nfft=None,
              detrend="constant", axis=-1):
    """frequencies, and how far two signals are linear in each other there, from 0 to 1."""
    about = fs, window, nperseg, noverlap, nfft, detrend
    f, own = welch(x, *about, axis=axis)
    _, other = welch(y, *about, axis=axis)
    _, both = csd(x, y, *about, axis=axis)
    return f, _absolute(both) ** 2 / own / other


def _short_time(x, fs, window, nperseg, noverlap, nfft, detrend, return_onesided, scaling, axis,
                boundary, padded):
    axis = index(axis)
    x = _signal(x, axis)
    cut = _Segments(x.shape[-1], fs, window, nperseg, noverlap, nfft, detrend,
                    x.dtype.kind == "f" and return_onesided)
    x = _extended(x, cut.n // 2, boundary)
    x = _padded(x, cut.n, cut.step) if padded else x
    result = cut.spectra(x) * cut.scale(scaling) ** 0.5
    times = cut.times(x.shape[-1])
    if boundary is not None:
        times = times - cut.n / 2 / fs
    return cut.frequencies(), times, _back(result.astype(result_type(x, "c8"), copy=False), axis)


_SCALINGS = {"spectrum": "spectrum", "psd": "density"}


def stft(x, fs=1.0, window="hann", nperseg=256, noverlap=None, nfft=None, detrend=False,
         return_onesided=True, boundary="zeros", padded=True, axis=-1, scaling="spectrum"):
    """frequencies, times, and the spectra of a signal's segments. boundary: how it goes on at its ends,
    by half a segment, "even", "odd", "constant", "zeros" or not at all; padded: zeros fill the last
    segment. scaling: "spectrum" or "psd"."""
    if scaling not in _SCALINGS:
        raise ValueError(f"Parameter {scaling=} not in ['spectrum', 'psd']!")
    if boundary not in _EXTENSIONS:
        raise ValueError(f"Unknown boundary option '{boundary}', must be one of: "
                         f"{list(_EXTENSIONS)}")
    return _short_time(x, fs, window, nperseg, noverlap, nfft, detrend, return_onesided,
                       _SCALINGS[scaling], axis, boundary, padded)


def spectrogram(x, fs=1.0, window=("tukey", 0.25), nperseg=None, noverlap=None, nfft=None,
                detrend="constant", return_onesided=True, scaling="density", axis=-1, mode="psd"):
    """frequencies, times, and the powers of a signal's segments. mode: "psd"; "complex" for the spectra
    themselves, of which "magnitude", "angle" and "phase" (without jumps) are the parts."""
    modes = "psd", "complex", "magnitude", "angle", "phase"
    if mode not in modes:
        raise ValueError(f"unknown value for mode {mode}, must be one of {list(modes)}")
    n = asarray(x).shape[axis]
    window, nperseg = _window_of(window, nperseg, n)
    noverlap = nperseg // 8 if noverlap is None else noverlap
    if mode == "psd":
        return _powers(x, x, fs, window, nperseg, noverlap, nfft, detrend, return_onesided, scaling,
                       axis)
    f, t, spectra = _short_time(x, fs, window, nperseg, noverlap, nfft, detrend, return_onesided,
                                scaling, axis, None, False)
    if mode == "magnitude":
        spectra = _absolute(spectra)
    elif mode in ("angle", "phase"):
        spectra = _arctan2(spectra.imag, spectra.real)
        if mode == "phase":
            spectra = unwrap(spectra, axis=axis - 1 if axis < 0 else axis)
    return f, t, spectra
