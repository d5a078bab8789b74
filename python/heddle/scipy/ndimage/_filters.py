# SPDX-License-Identifier: BSD-3-Clause
"""SciPy's filters of images, with the arguments and errors of scipy.ndimage.

As there, sums are made in float64 (complex128), results have the dtype of the input unless output
says otherwise, and filters of several axes that are made one axis after the other round to it in
between. Sums are added in another order, so that last digits may differ.
"""
import math
from functools import reduce
from operator import index
from warnings import warn

import numpy

from ..._heddle import _is_array, asarray, elementwise, stack as _stack
from ..._sorting import sort as _sort
from ..signal import convolve as _convolve_valid
from ._support import (axes_of, check_origin, deliver, each, expanded, moved, of_windows, one_mode,
                       padded, total)

__all__ = ["convolve", "convolve1d", "correlate", "correlate1d", "gaussian_filter",
           "gaussian_filter1d", "gaussian_gradient_magnitude", "gaussian_laplace",
           "generic_gradient_magnitude", "generic_laplace", "laplace", "maximum_filter",
           "maximum_filter1d", "median_filter", "minimum_filter", "minimum_filter1d",
           "percentile_filter", "prewitt", "rank_filter", "sobel", "uniform_filter",
           "uniform_filter1d"]

_FEW = 16         # weights up to which products are one chain of operations, which fuses
_DIRECT = 4000    # weights up to which products are summed, beyond by Fourier transforms
_NETWORK = 27     # elements up to which ranks are found by comparing pairs, which fuses as well
_minimum, _maximum, _sqrt = (elementwise[n][0] for n in ("minimum", "maximum", "sqrt"))


# ---- with weights --------------------------------------------------------------------------------


def _wide(x, *others):
    """The dtype in which sums are made."""
    return "c16" if any(a.dtype.kind == "c" for a in (x, *others)) else "f8"


def _correlated(x, weights, modes, cval, origins):
    """Sums of products of weights, of as many axes, with what lies around each element; wide."""
    for origin, size in zip(origins, weights.shape):
        check_origin(origin, size)
    before = [size // 2 + origin for size, origin in zip(weights.shape, origins)]
    after = [size - 1 - b for size, b in zip(weights.shape, before)]
    dtype = _wide(x, weights)
    if not x.size:
        return x.astype(dtype)
    if weights.size <= _FEW:
        wide = x.astype(dtype) if cval != 0 and any("constant" in m for m in modes) else x
        parts = moved(padded(wide, before, after, modes, cval), weights.shape, x.shape)
        values = weights.astype(dtype).ravel().tolist()
        return total(part.astype(dtype) * w for part, w in zip(parts, values))
    around = padded(x.astype(dtype), before, after, modes, cval)
    flipped = weights.astype(dtype)[(slice(None, None, -1),) * weights.ndim]
    method = "direct" if weights.size <= _DIRECT else "fft"
    return _convolve_valid(around, flipped, "valid", method)


def _vector(input, weights, cval):
    """The input and weights of one axis."""
    x, w = asarray(input), asarray(weights)
    _check_cval(x, cval)
    if w.ndim != 1 or not w.size:
        raise RuntimeError("no filter weights given")
    return x, w


def _check_cval(x, cval):
    if x.dtype.kind != "c" and isinstance(cval, (complex, numpy.complexfloating)):
        raise ValueError("Cannot provide a complex-valued cval when the input is real.")


def _with_weights(input, weights, output, mode, cval, origin, turned, axes):
    x, w = asarray(input), asarray(weights)
    _check_cval(x, cval)
    axes = axes_of(axes, x.ndim)
    origins = [index(o) for o in each(origin, len(axes))]
    if w.ndim != len(axes):
        raise RuntimeError(f"weights.ndim ({w.ndim}) must match len(axes) ({len(axes)})")
    if not w.size:
        raise RuntimeError("filter weights array has incorrect shape.")
    one_mode(mode)
    w = w.reshape(expanded(w.shape, sorted(axes), x.ndim, 1))
    around = expanded(origins, axes, x.ndim, 0)
    if turned:
        w = w[(slice(None, None, -1),) * w.ndim]
        around = [-o - (size % 2 == 0) for o, size in zip(around, w.shape)]
    elif w.dtype.kind == "c":
        w = w.conj()
    modes = expanded([mode] * len(axes), axes, x.ndim, "nearest")
    is_complex = "c" in (x.dtype.kind, w.dtype.kind)
    return deliver(_correlated(x, w, modes, cval, around), output, x, is_complex)


def correlate(input, weights, output=None, mode="reflect", cval=0.0, origin=0, *, axes=None):
    """Sums of products of weights with what lies around each element, as scipy.ndimage.correlate."""
    return _with_weights(input, weights, output, mode, cval, origin, False, axes)


def convolve(input, weights, output=None, mode="reflect", cval=0.0, origin=0, *, axes=None):
    """The same with weights turned round, as scipy.ndimage.convolve."""
    return _with_weights(input, weights, output, mode, cval, origin, True, axes)


def correlate1d(input, weights, axis=-1, output=None, mode="reflect", cval=0.0, origin=0):
    """correlate() along one axis, as scipy.ndimage.correlate1d."""
    x, w = _vector(input, weights, cval)
    return _with_weights(x, w, output, mode, cval, origin, False, (axis,))


def convolve1d(input, weights, axis=-1, output=None, mode="reflect", cval=0.0, origin=0):
    """convolve() along one axis, as scipy.ndimage.convolve1d."""
    x, w = _vector(input, weights, cval)
    return _with_weights(x, w, output, mode, cval, origin, True, (axis,))


def _along(x, axes, filters, output):
    """Filters of one axis each, one after the other; what lies between has the output's dtype."""
    if not filters:
        return deliver(x, output, x)
    between = output.dtype if _is_array(output) else output
    for ax, f in list(zip(axes, filters))[:-1]:
        x = f(x, ax, between)
    return filters[-1](x, axes[len(filters) - 1], output)


# ---- Gaussians -----------------------------------------------------------------------------------


def _gaussian(sigma, order, radius):
    """Weights: the order-th derivative of the bell curve, as polynomials times it."""
    x = numpy.arange(-radius, radius + 1)
    bell = numpy.exp(-0.5 / (sigma * sigma) * x**2)
    bell /= bell.sum()
    if order == 0:
        return bell
    powers = numpy.arange(order + 1)
    q = numpy.zeros(order + 1)
    q[0] = 1
    derive = numpy.diag(powers[1:], 1) + numpy.diag(numpy.ones(order) / -sigma**2, -1)
    for _ in range(order):
        q = derive @ q
    return (x[:, None] ** powers) @ q * bell


def gaussian_filter1d(input, sigma, axis=-1, order=0, output=None, mode="reflect", cval=0.0,
                      truncate=4.0, *, radius=None):
    """A bell curve of deviation sigma, or its order-th derivative, along one axis, as
    scipy.ndimage.gaussian_filter1d."""
    sigma = float(sigma)
    reach = int(truncate * sigma + 0.5) if radius is None else radius
    if isinstance(reach, bool) or int(reach) != reach or reach < 0:
        raise ValueError("Radius must be a nonnegative integer.")
    if order < 0:
        raise ValueError("order must be non-negative")
    weights = _gaussian(sigma, order, int(reach))[::-1].copy()
    return correlate1d(input, weights, axis, output, mode, cval, 0)


def gaussian_filter(input, sigma, order=0, output=None, mode="reflect", cval=0.0, truncate=4.0, *,
                    radius=None, axes=None):
    """gaussian_filter1d() along each axis, as scipy.ndimage.gaussian_filter."""
    x = asarray(input)
    axes = axes_of(axes, x.ndim)
    n = len(axes)
    filters = list(zip(axes, each(sigma, n), each(order, n), each(mode, n), each(radius, n)))
    filters = [e for e in filters if e[1] > 1e-15]
    return _along(x, [e[0] for e in filters], [
        lambda a, ax, out, e=e: gaussian_filter1d(a, e[1], ax, e[2], out, e[3], cval, truncate,
                                                  radius=e[4]) for e in filters], output)


def _of_derivatives(joined, input, derivative, output, mode, cval, arguments, keywords, axes):
    """joined() of the list of derivatives along the axes; without axes the input."""
    x = asarray(input)
    axes = axes_of(axes, x.ndim)
    if not axes:
        return deliver(x, output, x)
    kind = output.dtype if _is_array(output) else output
    parts = [derivative(x, ax, kind, m, cval, *arguments, **(keywords or {}))
             for ax, m in zip(axes, each(mode, len(axes)))]
    return deliver(joined(parts), output, parts[0])


def _of_bell_curves(input, sigma, order, axes, keywords):
    """The function derivative(x, axis, output, mode, cval): a bell curve along each axis, along that
    one its order-th derivative."""
    chosen = axes_of(axes, asarray(input).ndim)
    sigmas = each(sigma, len(chosen))
    return lambda x, ax, output, mode, cval: gaussian_filter(
        x, sigmas, [order if k == ax else 0 for k in chosen], output, mode, cval, axes=chosen,
        **keywords)


def generic_laplace(input, derivative2, output=None, mode="reflect", cval=0.0, extra_arguments=(),
                    extra_keywords=None, *, axes=None):
    """The sum of derivative2(input, axis, output, mode, cval, ...) over the axes."""
    return _of_derivatives(total, input, derivative2, output, mode, cval, extra_arguments,
                           extra_keywords, axes)


def laplace(input, output=None, mode="reflect", cval=0.0, *, axes=None):
    """Second differences, summed over the axes, as scipy.ndimage.laplace."""
    return generic_laplace(input, lambda x, ax, out, m, c: correlate1d(x, [1, -2, 1], ax, out, m, c),
                           output, mode, cval, axes=axes)


def gaussian_laplace(input, sigma, output=None, mode="reflect", cval=0.0, *, axes=None, **keywords):
    """Second derivatives of bell curves, summed over the axes, as scipy.ndimage.gaussian_laplace."""
    second = _of_bell_curves(input, sigma, 2, axes, keywords)
    return generic_laplace(input, second, output, mode, cval, axes=axes)


def generic_gradient_magnitude(input, derivative, output=None, mode="reflect", cval=0.0,
                               extra_arguments=(), extra_keywords=None, *, axes=None):
    """The root of the sum of squares of derivative(input, axis, output, mode, cval, ...)."""
    return _of_derivatives(lambda parts: _sqrt(total([p * p for p in parts])), input, derivative,
                           output, mode, cval, extra_arguments, extra_keywords, axes)


def gaussian_gradient_magnitude(input, sigma, output=None, mode="reflect", cval=0.0, *, axes=None,
                                **keywords):
    """The length of the gradient of bell curves, as scipy.ndimage.gaussian_gradient_magnitude."""
    first = _of_bell_curves(input, sigma, 1, axes, keywords)
    return generic_gradient_magnitude(input, first, output, mode, cval, axes=axes)


def _edges(input, axis, output, mode, cval, across):
    x = asarray(input)
    axis = numpy.lib.array_utils.normalize_axis_index(axis, x.ndim)
    modes = each(mode, x.ndim)
    order = [axis] + [ax for ax in range(x.ndim) if ax != axis]
    filters = [lambda a, ax, out: correlate1d(a, [-1, 0, 1], ax, out, modes[ax], cval)]
    filters += [lambda a, ax, out: correlate1d(a, across, ax, out, modes[ax], cval)] * (x.ndim - 1)
    return _along(x, order, filters, output)


def sobel(input, axis=-1, output=None, mode="reflect", cval=0.0):
    """Differences along an axis, smoothed by 1, 2, 1 along the others, as scipy.ndimage.sobel."""
    return _edges(input, axis, output, mode, cval, [1, 2, 1])


def prewitt(input, axis=-1, output=None, mode="reflect", cval=0.0):
    """Differences along an axis, smoothed by 1, 1, 1 along the others, as scipy.ndimage.prewitt."""
    return _edges(input, axis, output, mode, cval, [1, 1, 1])


# ---- means, extremes and ranks -------------------------------------------------------------------


def uniform_filter1d(input, size, axis=-1, output=None, mode="reflect", cval=0.0, origin=0):
    """Means of size elements along an axis, as scipy.ndimage.uniform_filter1d."""
    if size < 1:
        raise RuntimeError("incorrect filter size")
    x = asarray(input)
    check_origin(origin, size)
    ax = numpy.lib.array_utils.normalize_axis_index(axis, x.ndim)
    shape, origins, modes = [1] * x.ndim, [0] * x.ndim, ["nearest"] * x.ndim
    shape[ax], origins[ax], modes[ax] = size, origin, mode
    sums = _correlated(x, asarray(numpy.ones(shape)), modes, cval, origins)
    return deliver(sums / size, output, x)


def uniform_filter(input, size=3, output=None, mode="reflect", cval=0.0, origin=0, *, axes=None):
    """uniform_filter1d() along each axis, as scipy.ndimage.uniform_filter."""
    x = asarray(input)
    axes = axes_of(axes, x.ndim)
    n = len(axes)
    filters = [e for e in zip(axes, each(size, n), each(mode, n), each(origin, n)) if e[1] > 1]
    return _along(x, [e[0] for e in filters], [
        lambda a, ax, out, e=e: uniform_filter1d(a, int(e[1]), ax, out, e[2], cval, e[3])
        for e in filters], output)


def neighbours(x, footprint, modes, cval, origins):
    """For each element that footprint (of as many axes) is true at: x, moved there."""
    before = [size // 2 + o for size, o in zip(footprint.shape, origins)]
    after = [size - 1 - b for size, b in zip(footprint.shape, before)]
    parts = moved(padded(x, before, after, modes, cval), footprint.shape, x.shape)
    return [part for part, here in zip(parts, footprint.ravel()) if here]


def footprint_of(size, footprint, n):
    """The footprint, over n axes, that size or footprint tells."""
    if size is None and footprint is None:
        raise RuntimeError("no footprint or filter size provided")
    if footprint is None:
        sizes = [int(s) for s in each(size, n)]
        if any(s < 1 for s in sizes):
            raise RuntimeError("incorrect filter size")
        return numpy.ones(sizes, bool)
    if size is not None:
        warn("ignoring size because footprint is set", UserWarning, stacklevel=4)
    here = numpy.asarray(footprint, bool)
    if here.ndim != n:
        raise RuntimeError(f"footprint.ndim ({here.ndim}) must match len(axes) ({n})")
    if not here.any():
        raise ValueError("All-zero footprint is not supported.")
    return here


def laid_out(here, origin, axes, ndim):
    """A footprint of some axes over all, and the origins of all. Its axes are those in rising order,
    as SciPy has it, while origins belong to the axes as they are named."""
    origins = expanded([index(o) for o in each(origin, len(axes))], axes, ndim, 0)
    here = here.reshape(expanded(here.shape, sorted(axes), ndim, 1))
    for o, n in zip(origins, here.shape):
        check_origin(o, n)
    return here, origins


def _of_box(x, sizes, modes, cval, origins, take):
    """Extremes of boxes: one axis after the other."""
    for ax, n in enumerate(sizes):
        if n > 1:
            before, after = [0] * x.ndim, [0] * x.ndim
            before[ax] = n // 2 + origins[ax]
            after[ax] = n - 1 - before[ax]
            x = of_windows(padded(x, before, after, modes, cval), ax, n, take)
    return x


def extreme(input, size, footprint, output, mode, cval, origin, axes, take, structure=None):
    """The least (take is minimum) or largest element around each; of those with structure, which is
    of floating-point numbers, subtracted or added."""
    x = asarray(input)
    axes = axes_of(axes, x.ndim)
    n = len(axes)
    if structure is None and footprint is not None and numpy.all(footprint):
        size, footprint = numpy.shape(footprint), None
    if structure is not None and structure.ndim != n:
        raise RuntimeError("structure array has incorrect shape")
    if structure is not None and footprint is None:
        here = numpy.ones(structure.shape, bool)
    else:
        here = footprint_of(size if structure is None else None, footprint, n)
    if structure is None and here.all():
        sizes = expanded(here.shape, axes, x.ndim, 1)
        origins = expanded(each(origin, n), axes, x.ndim, 0)
        for o, size in zip(origins, sizes):
            check_origin(o, size)
        modes = expanded(each(mode, n), axes, x.ndim, "nearest")
        return deliver(_of_box(x, sizes, modes, cval, origins, take).copy(), output, x)
    one_mode(mode)
    if structure is not None and structure.shape != here.shape:
        raise RuntimeError("structure array has incorrect shape")
    here, origins = laid_out(here, origin, axes, x.ndim)
    modes = expanded([mode] * n, axes, x.ndim, "nearest")
    parts = neighbours(x, here, modes, cval, origins)
    if structure is not None:
        sign = -1.0 if take is _minimum else 1.0
        heights = (sign * structure).reshape(here.shape)[here].tolist()
        parts = [part.astype("f8") + h for part, h in zip(parts, heights)]
    return deliver(reduce(take, parts), output, x)


def minimum_filter(input, size=None, footprint=None, output=None, mode="reflect", cval=0.0,
                   origin=0, *, axes=None):
    """The least element around each, as scipy.ndimage.minimum_filter."""
    return extreme(input, size, footprint, output, mode, cval, origin, axes, _minimum)


def maximum_filter(input, size=None, footprint=None, output=None, mode="reflect", cval=0.0,
                   origin=0, *, axes=None):
    """The largest element around each, as scipy.ndimage.maximum_filter."""
    return extreme(input, size, footprint, output, mode, cval, origin, axes, _maximum)


def minimum_filter1d(input, size, axis=-1, output=None, mode="reflect", cval=0.0, origin=0):
    """minimum_filter() along one axis, as scipy.ndimage.minimum_filter1d."""
    return extreme(input, size, None, output, mode, cval, origin, (axis,), _minimum)


def maximum_filter1d(input, size, axis=-1, output=None, mode="reflect", cval=0.0, origin=0):
    """maximum_filter() along one axis, as scipy.ndimage.maximum_filter1d."""
    return extreme(input, size, None, output, mode, cval, origin, (axis,), _maximum)


def _of_rank(parts, rank):
    """The element of that rank among those of the parts: by Batcher's network of pairs, of which only
    those run that the result needs. nan where one of them is nan."""
    parts, n = list(parts), len(parts)
    p = 1
    while p < n:
        k = p
        while k >= 1:
            for j in range(k % p, n - k, 2 * k):
                for i in range(j, min(j + k, n - k)):
                    if i // (2 * p) == (i + k) // (2 * p):
                        a, b = parts[i], parts[i + k]
                        parts[i], parts[i + k] = _minimum(a, b), _maximum(a, b)
            k //= 2
        p *= 2
    return parts[rank]


def _ranked(input, rank_of, size, footprint, output, mode, cval, origin, axes):
    x = asarray(input)
    axes = axes_of(axes, x.ndim)
    one_mode(mode)
    here, origins = laid_out(footprint_of(size, footprint, len(axes)), origin, axes, x.ndim)
    modes = expanded([mode] * len(axes), axes, x.ndim, "nearest")
    n = int(here.sum())
    rank = rank_of(n)
    if not x.size:
        return deliver(x, output, x)
    parts = neighbours(x, here, modes, cval, origins)
    if n <= _NETWORK:
        return deliver(_of_rank(parts, rank) if n > 1 else parts[0].copy(), output, x)
    lines = _stack(parts, axis=-1)
    return deliver(_sort(lines, axis=-1)[..., rank], output, x)


def rank_filter(input, rank, size=None, footprint=None, output=None, mode="reflect", cval=0.0,
                origin=0, *, axes=None):
    """The element of a rank around each, as scipy.ndimage.rank_filter. Of more than 27 it takes
    memory for all elements around each."""
    def of(n):
        r = index(rank)
        r += n if r < 0 else 0
        if not 0 <= r < n:
            raise RuntimeError("rank not within filter footprint size")
        return r
    return _ranked(input, of, size, footprint, output, mode, cval, origin, axes)


def median_filter(input, size=None, footprint=None, output=None, mode="reflect", cval=0.0, origin=0,
                  *, axes=None):
    """The middle one of the elements around each, as scipy.ndimage.median_filter."""
    return _ranked(input, lambda n: n // 2, size, footprint, output, mode, cval, origin, axes)


def percentile_filter(input, percentile, size=None, footprint=None, output=None, mode="reflect",
                      cval=0.0, origin=0, *, axes=None):
    """The element of a percentile around each, as scipy.ndimage.percentile_filter."""
    def of(n):
        p = percentile + 100.0 if percentile < 0 else percentile
        if not 0 <= p <= 100:
            raise RuntimeError("invalid percentile")
        return n - 1 if p == 100.0 else int(math.floor(n * p / 100.0))
    return _ranked(input, of, size, footprint, output, mode, cval, origin, axes)
