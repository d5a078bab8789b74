# SPDX-License-Identifier: BSD-3-Clause
"""Windows of scipy.signal.windows, by their definitions there, in float64.

sym: the window is symmetric, for the design of filters; False: it is one period of a longer one,
for spectra. ValueError: M is no length. """
import math
from operator import index

from ... import arange, concatenate, ones, where
from ... import fft as _fft
from ..._heddle import cumsum, elementwise
from ..._heddle import max as _max
from ..._numeric import i0, sinc
from ._by_name import get_window

__all__ = ["barthann", "bartlett", "blackman", "blackmanharris", "bohman", "boxcar", "chebwin",
           "cosine", "exponential", "flattop", "gaussian", "general_cosine", "general_gaussian",
           "general_hamming", "get_window", "hamming", "hann", "kaiser", "kaiser_bessel_derived",
           "lanczos", "nuttall", "parzen", "taylor", "triang", "tukey"]

_absolute, _arccos, _arccosh, _cos, _cosh, _exp, _maximum, _minimum, _sin, _sqrt = (
    elementwise[name][0] for name in ("absolute", "arccos", "arccosh", "cos", "cosh", "exp",
                                      "maximum", "minimum", "sin", "sqrt"))


def _made(M, sym, shape):
    """The window that shape(n, M) gives, n from 0 to M - 1; of up to one point it is 1."""
    if int(M) != M or M < 0:
        raise ValueError("Window length M must be a non-negative integer")
    M = int(M)
    if M <= 1:
        return ones(M)
    return shape(arange(M, dtype=float), M) if sym else shape(arange(M + 1, dtype=float),
                                                              M + 1)[:-1]


def _cosines(M, a, sym):
    def shape(n, M):
        # symmetric to the last bit: counted from the middle
        x = (2 * n - (M - 1)) * (math.pi / (M - 1))
        return sum((one * _cos(k * x) for k, one in enumerate(a[1:], 1)), a[0] + 0 * x)
    return _made(M, sym, shape)


def general_cosine(M, a, sym=True):
    """A sum of cosines, of weights a."""
    return _cosines(M, [float(x) for x in a], sym)


def general_hamming(M, alpha, sym=True):
    """alpha, and a cosine of weight 1 - alpha."""
    return _cosines(M, [alpha, 1.0 - alpha], sym)


def boxcar(M, sym=True):
    """1 everywhere."""
    return _made(M, sym, lambda n, M: ones(M))


def triang(M, sym=True):
    """A triangle whose ends are above 0."""
    return _made(M, sym, lambda n, M: 1 - _absolute(2 * n - (M - 1)) / (M + M % 2))


def parzen(M, sym=True):
    """Parzen's: pieces of cubes."""
    def shape(n, M):
        x = _absolute(2 * n - (M - 1)) / M
        return where(x * M <= (M - 1) / 2, 1 - 6 * x**2 + 6 * x**3, 2 * (1 - x) ** 3)
    return _made(M, sym, shape)


def bohman(M, sym=True):
    """Bohman's: a cosine convolved with itself; its ends are 0."""
    def shape(n, M):
        x = _absolute(2 * n - (M - 1)) / (M - 1)
        inner = (1 - x) * _cos(math.pi * x) + _sin(math.pi * x) / math.pi
        return where(x == 1, 0.0, inner)
    return _made(M, sym, shape)


def blackman(M, sym=True):
    """Blackman's: three cosines."""
    return _cosines(M, [0.42, 0.50, 0.08], sym)


def nuttall(M, sym=True):
    """Nuttall's, of minimum side lobes: four cosines."""
    return _cosines(M, [0.3635819, 0.4891775, 0.1365995, 0.0106411], sym)


def blackmanharris(M, sym=True):
    """Blackman's and Harris': four cosines."""
    return _cosines(M, [0.35875, 0.48829, 0.14128, 0.01168], sym)


def flattop(M, sym=True):
    """A flat top, for amplitudes: five cosines."""
    return _cosines(M, [0.21557895, 0.41663158, 0.277263158, 0.083578947, 0.006947368], sym)


def bartlett(M, sym=True):
    """A triangle whose ends are 0."""
    return _made(M, sym, lambda n, M: 1 - _absolute(2 * n - (M - 1)) / (M - 1))


def hann(M, sym=True):
    """A raised cosine whose ends are 0."""
    return general_hamming(M, 0.5, sym)


def hamming(M, sym=True):
    """Hamming's: a raised cosine whose first side lobe is small."""
    return general_hamming(M, 0.54, sym)


def tukey(M, alpha=0.5, sym=True):
    """Flat, with a cosine at each end; alpha: the share of these."""
    if alpha <= 0:
        return boxcar(M, sym)
    if alpha >= 1:
        return hann(M, sym)

    def shape(n, M):
        inner = _minimum(_minimum(n, (M - 1) - n) * (2 / (alpha * (M - 1))), 1.0)
        return 0.5 * (1 + _cos(math.pi * (inner - 1)))
    return _made(M, sym, shape)


def barthann(M, sym=True):
    """Bartlett's and Hann's."""
    def shape(n, M):
        x = _absolute(n / (M - 1) - 0.5)
        return 0.62 - 0.48 * x + 0.38 * _cos(2 * math.pi * x)
    return _made(M, sym, shape)


def kaiser(M, beta, sym=True):
    """Kaiser's, of Bessel functions; beta: how narrow it is."""
    def shape(n, M):
        x = (2 * n - (M - 1)) / (M - 1)
        return i0(beta * _sqrt(_maximum(1 - x * x, 0.0))) / i0(float(beta))
    return _made(M, sym, shape)


def kaiser_bessel_derived(M, beta, *, sym=True):
    """Kaiser's, so that the squares of two that overlap by half are 1 together. ValueError: M is
    odd, or sym is False."""
    if not sym:
        raise ValueError("Kaiser-Bessel Derived windows are only defined for symmetric shapes")
    if M < 1:
        return ones(0)
    if M % 2:
        raise ValueError("Kaiser-Bessel Derived windows are only defined for even number of points")
    sums = cumsum(kaiser(M // 2 + 1, beta))
    half = _sqrt(sums[:-1] / sums[-1])
    return concatenate((half, half[::-1]))


def gaussian(M, std, sym=True):
    """Gauss' bell."""
    return _made(M, sym, lambda n, M: _exp(-(n - (M - 1) / 2) ** 2 / (2 * std * std)))


def general_gaussian(M, p, sig, sym=True):
    """A bell of power p: 1 for Gauss', 0.5 for Laplace's."""
    return _made(M, sym, lambda n, M: _exp(-0.5 * _absolute((n - (M - 1) / 2) / sig) ** (2 * p)))


def chebwin(M, at, sym=True):
    """Dolph's and Chebyshev's: all side lobes are at decibels down."""
    def shape(n, M):
        order = M - 1
        beta = math.cosh(math.acosh(10 ** (abs(at) / 20.0)) / order)
        x = beta * _cos(math.pi * n / M)
        high = _cosh(order * _arccosh(_maximum(_absolute(x), 1.0)))
        low = _cos(order * _arccos(_maximum(_minimum(x, 1.0), -1.0)))
        p = where(x > 1, high, where(x < -1, (2 * (M % 2) - 1) * high, low))
        if M % 2:
            w = _fft.fft(p).real[:(M + 1) // 2]
            w = concatenate((w[:0:-1], w))
        else:
            w = _fft.fft(p * _exp(1j * math.pi / M * n)).real[:M // 2 + 1]
            w = concatenate((w[:0:-1], w[1:]))
        return w / _max(w)
    return _made(M, sym, shape)


def cosine(M, sym=True):
    """Half a period of a sine."""
    return _made(M, sym, lambda n, M: _sin(math.pi / M * (n + 0.5)))


def exponential(M, center=None, tau=1.0, sym=True):
    """It falls by e in tau points from the center. ValueError: a center of a symmetric one."""
    if sym and center is not None:
        raise ValueError("If sym==True, center must be None.")

    def shape(n, M):
        middle = (M - 1) / 2 if center is None else center
        return _exp(-_absolute(n - middle) / tau)
    return _made(M, sym, shape)


def _taylor_weights(nbar, sll):
    """The weights of cosines (W. G. Carrara and others, Spotlight Synthetic Aperture Radar,
    1995)."""
    A = math.acosh(10 ** (sll / 20)) / math.pi
    s2 = nbar**2 / (A**2 + (nbar - 0.5) ** 2)
    weights = []
    for m in range(1, nbar):
        over = math.prod(1 - m * m / s2 / (A**2 + (k - 0.5) ** 2) for k in range(1, nbar))
        under = 2 * math.prod(1 - m * m / (k * k) for k in range(1, nbar) if k != m)
        weights.append((1 if m % 2 else -1) * over / under)
    return weights


def taylor(M, nbar=4, sll=30, norm=True, sym=True):
    """Taylor's: nbar side lobes beside the main one are sll decibels down. norm: its middle is
    1."""
    weights = _taylor_weights(index(nbar), sll)

    def at(n, M, cos):
        return 1 + 2 * sum(w * cos(2 * math.pi * m * (n - M / 2 + 0.5) / M)
                           for m, w in enumerate(weights, 1))

    def shape(n, M):
        w = at(n, M, _cos) + 0 * n
        return w / at((M - 1) / 2, M, math.cos) if norm else w
    return _made(M, sym, shape)


def lanczos(M, *, sym=True):
    """The middle of a sinc."""
    return _made(M, sym, lambda n, M: sinc((2 * n - (M - 1)) / (M - 1)))
