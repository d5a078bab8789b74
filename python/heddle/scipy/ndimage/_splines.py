# SPDX-License-Identifier: BSD-3-Clause
"""B-splines: the coefficients of those that go through given values, and their weights.

The coefficients are the values filtered along each axis by a recursion forth and back for each
pole (M. Unser, A. Aldroubi, M. Eden: B-spline signal processing, IEEE Transactions on Signal
Processing 41, 1993). Its response falls by the pole's size an element, so what is further away than
some forty elements is below rounding. Long axes are therefore convolved with the response, which
needs no recursion; of short ones, where both edges count, the filter is a matrix.
"""
from functools import lru_cache
from math import sqrt

import numpy

from ... import matmul, moveaxis
from ..._heddle import asarray
from ..._heddle import _beside
from ..signal import convolve as _convolve_valid
from ._support import cast, check_mode, deliver, expanded, padded, result_dtype

__all__ = ["spline_filter", "spline_filter1d"]

_SHORT = 64          # elements of an axis up to which the filter is a matrix
_POLES = {2: (sqrt(8) - 3,), 3: (sqrt(3) - 2,),
          4: (sqrt(664 - sqrt(438976)) + sqrt(304) - 19, sqrt(664 + sqrt(438976)) - sqrt(304) - 19),
          5: (sqrt(67.5 - sqrt(4436.25)) + sqrt(26.25) - 6.5,
              sqrt(67.5 + sqrt(4436.25)) - sqrt(26.25) - 6.5)}
# What values continue as beyond the edges; the others are mirrored about the elements there.
_EDGES = {"nearest": "reflect", "reflect": "reflect", "grid-mirror": "reflect",
          "grid-wrap": "grid-wrap"}


def edge_of(mode):
    """How coefficients go on beyond the edges: "mirror", "reflect" or "grid-wrap"."""
    check_mode(mode)
    return _EDGES.get(mode, "mirror")


# ---- coefficients --------------------------------------------------------------------------------


def _first_mirrored(c, z):
    n = len(c)
    powers = z ** numpy.arange(2 * n - 2)
    return (powers[:, None] * numpy.concatenate([c, c[-2:0:-1]])).sum(0) / (1 - z ** (2 * n - 2))


def _first_reflected(c, z):
    n = len(c)
    end, powers = z**n, z ** numpy.arange(n)
    return (powers[:, None] * (c + end * c[::-1])).sum(0) * z / (1 - end * end) + c[0]


def _first_wrapped(c, z):
    n = len(c)
    powers = z ** numpy.arange(n)
    return (powers[:, None] * numpy.concatenate([c[:1], c[:0:-1]])).sum(0) / (1 - z**n)


def _last(c, z, edge):
    n = len(c)
    if edge == "mirror":
        return (z * c[n - 2] + c[n - 1]) * z / (z * z - 1)
    if edge == "reflect":
        return c[n - 1] * z / (z - 1)
    powers = z ** numpy.arange(n)
    around = numpy.concatenate([c[n - 1:], c[:n - 1]])
    return (powers[:, None] * around).sum(0) * z / (z**n - 1)


@lru_cache(maxsize=64)
def _matrix(n, order, edge):
    """The filter of an axis of n elements: its coefficients are this matrix times its values."""
    c = numpy.eye(n)
    if n == 1:
        return c
    start = {"mirror": _first_mirrored, "reflect": _first_reflected, "grid-wrap": _first_wrapped}
    for z in _POLES[order]:
        c = c * ((1 - z) * (1 - 1 / z))
        c[0] = start[edge](c, z)
        for i in range(1, n):
            c[i] += z * c[i - 1]
        c[n - 1] = _last(c, z, edge)
        for i in range(n - 2, -1, -1):
            c[i] = z * (c[i + 1] - c[i])
    return c


@lru_cache(maxsize=8)
def _response(order):
    """What one value far from edges gives its neighbours, as far as that counts."""
    reach = next(k for k in range(100) if abs(_POLES[order][0]) ** k < 1e-17)
    n = 4 * reach + 1
    return _matrix(n, order, "mirror")[n // 2, n // 2 - reach:n // 2 + reach + 1].copy()


def _filtered(x, order, axis, edge):
    """The coefficients along an axis, in float64 or complex128."""
    wide = x.astype("c16" if x.dtype.kind == "c" else "f8")
    n = x.shape[axis]
    if n <= 1 or not x.size:
        return wide
    if n <= _SHORT:
        matrix = _beside(wide, _matrix(n, order, edge).astype(wide.dtype))[1]
        return moveaxis(matmul(moveaxis(wide, axis, -1), matrix.T), -1, axis)
    response = _response(order)
    around = expanded([len(response) // 2], [axis], x.ndim, 0)
    ahead = padded(wide, around, around, [edge] * x.ndim, 0)
    weights = response.reshape(expanded([-1], [axis], x.ndim, 1)).astype(wide.dtype)
    return _convolve_valid(ahead, _beside(wide, weights)[1], "valid", "direct")


def coefficients(x, order, edge, axes):
    """The coefficients along some axes."""
    for axis in axes:
        x = _filtered(x, order, axis, edge)
    return x


def _target(output, x):
    """The dtype of what lies between passes and of the result."""
    return result_dtype(output, x, x.dtype.kind == "c")


def spline_filter1d(input, order=3, axis=-1, output=numpy.float64, mode="mirror"):
    """The coefficients of a spline along one axis, as scipy.ndimage.spline_filter1d."""
    if order < 0 or order > 5:
        raise RuntimeError("spline order not supported")
    x = asarray(input)
    is_complex = x.dtype.kind == "c"
    _target(output, x)
    if order in (0, 1):
        return deliver(x, output, x, is_complex)
    edge = edge_of(mode)
    axis = numpy.lib.array_utils.normalize_axis_index(axis, x.ndim)
    return deliver(_filtered(x, order, axis, edge), output, x, is_complex)


def spline_filter(input, order=3, output=numpy.float64, mode="mirror"):
    """The coefficients of a spline, as scipy.ndimage.spline_filter; what lies between the axes has
    the dtype of the output."""
    if order < 2 or order > 5:
        raise RuntimeError("spline order not supported")
    x = asarray(input)
    r, edge, dtype = x, edge_of(mode), _target(output, x)
    for axis in range(x.ndim):
        r = cast(_filtered(r, order, axis, edge), dtype)
    return deliver(r, output, x, x.dtype.kind == "c")


# ---- weights -------------------------------------------------------------------------------------


def weights(u, order):
    """The weights of the order + 1 splines that are not 0 where u, in [0, 1), is the way between two
    knots: de Boor's recursion for equal distances."""
    found = [1.0]
    for d in range(1, order + 1):
        saved, further = 0.0, []
        for r in range(d):
            share = found[r] * (1.0 / d)
            further.append(saved + (r + 1 - u) * share)
            saved = (u + (d - 1 - r)) * share
        found = [*further, saved]
    return found
