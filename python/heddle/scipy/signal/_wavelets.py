# SPDX-License-Identifier: BSD-3-Clause
"""Wavelets, as SciPy had them up to 1.14 and CuPy has them."""
import math

from ... import arange, linspace, stack
from ..._heddle import asarray, elementwise
from ._convolution import convolve

__all__ = ["cwt", "morlet", "morlet2", "qmf", "ricker"]

_conjugate, _exp = elementwise["conjugate"][0], elementwise["exp"][0]


def ricker(points, a):
    """The second derivative of Gauss' bell of width a, around the middle of the points."""
    x2 = (arange(points) - (points - 1.0) / 2) ** 2 / a**2
    return 2 / (math.sqrt(3 * a) * math.pi**0.25) * (1 - x2) * _exp(-x2 / 2)


def morlet(M, w=5.0, s=1.0, complete=True):
    """Morlet's wavelet of M points from -2 pi s to 2 pi s, of frequency w; complete: its mean is
    0."""
    x = linspace(-s * 2 * math.pi, s * 2 * math.pi, M)
    wave = _exp(1j * w * x)
    if complete:
        wave -= math.exp(-0.5 * w * w)
    return wave * _exp(-0.5 * x * x) * math.pi**-0.25


def morlet2(M, s, w=5):
    """Morlet's wavelet of width s, for cwt()."""
    x = (arange(M) - (M - 1.0) / 2) / s
    return math.sqrt(1 / s) * math.pi**-0.25 * _exp(1j * w * x) * _exp(-0.5 * x * x)


def qmf(hk):
    """The high-pass filter that belongs to a low-pass filter of wavelets."""
    hk = asarray(hk)
    return hk[::-1] * (1 - 2 * (arange(hk.shape[0]) % 2))


def cwt(data, wavelet, widths, **parameters):
    """The continuous wavelet transform: a row for each width. wavelet(points, width, **parameters)
    gives one."""
    data = asarray(data)
    rows = []
    for width in asarray(widths).tolist():
        points = int(min(10 * width, data.shape[0]))
        wave = _conjugate(asarray(wavelet(points, width, **parameters))[::-1])
        rows.append(convolve(data, wave, mode="same"))
    return stack(rows)
