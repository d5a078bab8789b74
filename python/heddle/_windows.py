# SPDX-License-Identifier: BSD-3-Clause
"""Window functions."""
from ._creation import arange
from ._functions import result_type
from ._heddle import array, asarray, elementwise, empty, ones, where
from ._numeric import _PI, i0

__all__ = ["bartlett", "blackman", "hamming", "hanning", "kaiser"]

_cos, _sqrt = elementwise["cos"][0], elementwise["sqrt"][0]


def _window(M, shape):
    """The window of M points: shape(n, M) where n goes from 1 - M to M - 1 in steps of 2."""
    dtype = result_type("f8", asarray(M))
    M = array(M, dtype, copy=True).item()
    if M < 1:
        return empty(0, dtype)
    if M == 1:
        return ones(1, dtype)
    return shape(arange(1 - M, M, 2), M)


def bartlett(M):
    """Window of M points that rises from 0 to 1 and falls again, in straight lines."""
    return _window(M, lambda n, M: where(n <= 0, 1 + n / (M - 1), 1 - n / (M - 1)))


def blackman(M):
    """Blackman window of M points."""
    return _window(M, lambda n, M: (0.42 + 0.5 * _cos(_PI * n / (M - 1))
                                    + 0.08 * _cos(2.0 * _PI * n / (M - 1))))


def hamming(M):
    """Hamming window of M points."""
    return _window(M, lambda n, M: 0.54 + 0.46 * _cos(_PI * n / (M - 1)))


def hanning(M):
    """Hann window of M points."""
    return _window(M, lambda n, M: 0.5 + 0.5 * _cos(_PI * n / (M - 1)))


def kaiser(M, beta):
    """Kaiser window of M points with the shape parameter beta."""
    dtype = result_type("f8", asarray(M), asarray(beta))
    M, beta = asarray(M, dtype).item(), asarray(beta, dtype).item()
    if M == 1:
        return ones(1, dtype)
    half = (M - 1) / 2.0
    n = arange(0, M)
    return i0(beta * _sqrt(1 - ((n - half) / half) ** 2.0)) / i0(beta)
