# SPDX-License-Identifier: BSD-3-Clause
"""SciPy's filters of images given by their Fourier transforms: products with the transform of what
is convolved with."""
import math

import numpy

from ... import abs as _abs
from ... import arange, cos, exp, max as _max, sin, sqrt, where
from ..._heddle import _is_array, asarray
from ._support import check_shape, deliver, each, line, total

__all__ = ["fourier_ellipsoid", "fourier_gaussian", "fourier_shift", "fourier_uniform"]

_REAL, _COMPLEX = ("f4", "f8", "c8", "c16"), ("c8", "c16")


def _target(output, x, allowed):
    """The output to deliver to: x's dtype, or the last allowed one of its kind."""
    if output is None:
        return x.dtype if x.dtype in map(numpy.dtype, allowed) else numpy.dtype(
            "c16" if allowed is _COMPLEX else "f8")
    if _is_array(output):
        check_shape(output, x.shape)
        return output
    dtype = numpy.dtype(output)
    if dtype not in map(numpy.dtype, allowed):
        raise RuntimeError("output type not supported")
    return dtype


def _frequencies(x, n, axis):
    """For each axis the frequency of each of its elements, in cycles an element, laid along it."""
    axis = numpy.lib.array_utils.normalize_axis_index(axis, x.ndim)
    found = []
    for ax, extent in enumerate(x.shape):
        k = arange(extent, dtype="f8", device=x.device)
        if ax == axis and n >= 0:
            length = n
        else:
            length = extent
            k = where(k < (extent + 1) // 2, k, k - extent)
        found.append(line(k / length if length else k, ax, x.ndim))
    return found


def _times(x, factor, output):
    wide = x.astype("c16" if x.dtype.kind == "c" else "f8")
    return deliver(wide * factor, output, x)


def _product(factors):
    return math.prod(factors[1:], start=factors[0]) if factors else 1.0


def fourier_gaussian(input, sigma, n=-1, axis=-1, output=None):
    """The product with the transform of a bell curve of deviation sigma, as
    scipy.ndimage.fourier_gaussian."""
    x = asarray(input)
    output = _target(output, x, _REAL)
    waves = _frequencies(x, n, axis)
    factors = [exp(f * f * (-2.0 * (math.pi * s) ** 2)) for f, s in zip(waves, each(sigma, x.ndim))]
    return _times(x, _product(factors), output)


def _over(value, at):
    """value / at, and 1 where at is 0."""
    zero = at == 0
    return where(zero, 1.0, value / where(zero, 1.0, at))


def fourier_uniform(input, size, n=-1, axis=-1, output=None):
    """The product with the transform of a box, as scipy.ndimage.fourier_uniform. Of a box that is no
    larger than 0 only the constant part stays."""
    x = asarray(input)
    output = _target(output, x, _REAL)
    waves = _frequencies(x, n, axis)
    factors = [_over(sin(f * (math.pi * s)), f * (math.pi * s)) if s > 0 else where(f == 0, 1.0, 0.0)
               for f, s in zip(waves, each(size, x.ndim))]
    return _times(x, _product(factors), output)


def _bessel1(x, most):
    """The Bessel function J1 of x in [0, most].

    Up to 25 its integral of sin(t) sin(x sin(t)) by the midpoint rule, whose error with p points of
    a quarter of the circle is that of J(4 p - 1); beyond, Hankel's expansion (Abramowitz and Stegun
    9.2.5), whose terms there are below 1e-17 from the 24th on.
    """
    points = math.ceil(4 + min(most, 25) / 2)
    sines = [math.sin((k + 0.5) * math.pi / (2 * points)) for k in range(points)]
    low = x if most < 25 else where(x < 25, x, 0.0)
    near = total([sin(low * s) * s for s in sines]) / points
    return near if most < 25 else where(x < 25, near, _far_bessel1(where(x < 25, 25.0, x)))


def _far_bessel1(x):
    inverse, p, q, terms = 1 / (8 * x), 0.0, 0.0, [1.0]
    for k in range(1, 24):
        terms.append(terms[-1] * (4 - (2 * k - 1) ** 2) / k)
    square = inverse * inverse
    for k in reversed(range(12)):
        sign = -1.0 if k % 2 else 1.0
        p = p * square + sign * terms[2 * k]
        q = q * square + sign * terms[2 * k + 1]
    turn = x - 0.75 * math.pi
    return sqrt(2 / (math.pi * x)) * (p * cos(turn) - q * inverse * sin(turn))


def _most(angles):
    return float(_max(_abs(angles)))


def fourier_ellipsoid(input, size, n=-1, axis=-1, output=None):
    """The product with the transform of an ellipsoid of up to three axes, as
    scipy.ndimage.fourier_ellipsoid."""
    x = asarray(input)
    if x.ndim > 3:
        raise NotImplementedError("Only 1d, 2d and 3d inputs are supported")
    output = _target(output, x, _REAL)
    if not x.size:
        return deliver(x, output, x)
    waves = _frequencies(x, n, axis)
    angles = [f * (math.pi * s) for f, s in zip(waves, each(size, x.ndim))]
    if not angles:
        return _times(x, 1.0, output)
    if x.ndim == 1:
        return _times(x, _over(sin(angles[0]), angles[0]), output)
    radius = sqrt(total([a * a for a in angles]))
    if x.ndim == 2:
        most = math.hypot(*[_most(a) for a in angles])
        return _times(x, _over(2.0 * _bessel1(radius, most), radius), output)
    cube = radius * radius * radius
    return _times(x, _over(3.0 * (sin(radius) - radius * cos(radius)), cube), output)


def fourier_shift(input, shift, n=-1, axis=-1, output=None):
    """The product with the transform of a shift, as scipy.ndimage.fourier_shift."""
    x = asarray(input)
    output = _target(output, x, _COMPLEX)
    angles = [f * (-2 * math.pi * s) for f, s in zip(_frequencies(x, n, axis), each(shift, x.ndim))]
    angle = total(angles) if angles else 0.0
    return _times(x.astype("c16"), cos(angle) + 1j * sin(angle), output)
