# SPDX-License-Identifier: BSD-3-Clause
"""Differences and integrals of samples, interpolation between them, and how they vary together."""

from . import _heddle
from ._functions import _axis_tuple, beside, can_cast, clip, kind_of, ndim, result_type
from ._heddle import _is_array, array, asarray, concatenate, dot, elementwise, empty, where, zeros
from ._heddle import _empty_like
from ._joining import along
from ._numeric import average, diff

__all__ = ["corrcoef", "cov", "ediff1d", "gradient", "interp", "trapezoid"]

_isnan, _maximum, _minimum, _sqrt, _subtract = (
    elementwise[name][0] for name in ("isnan", "maximum", "minimum", "sqrt", "subtract"))


def ediff1d(ary, to_end=None, to_begin=None):
    """Differences of neighbours in the flattened array, with other elements before and after."""
    ary = asarray(ary).ravel()
    parts = [None, ary[1:] - ary[:-1] if ary.dtype.kind != "b" else _subtract(ary[1:], ary[:-1]),
             None]
    for place, name, value in ((0, "to_begin", to_begin), (2, "to_end", to_end)):
        if value is not None:
            value = beside(ary, value)[1]
            if not can_cast(value.dtype, ary.dtype, "same_kind"):
                raise TypeError(f"dtype of `{name}` must be compatible with input `ary` under the "
                                f"`same_kind` rule: {value.dtype} and {ary.dtype}")
            parts[place] = value.ravel().astype(ary.dtype)
    parts = [part for part in parts if part is not None]
    return concatenate(parts) if len(parts) > 1 else parts[0]


# ---- gradient ------------------------------------------------------------------------------------


def _spacing(given, f, n):
    """A distance, or the distances between n positions; one if they are all the same."""
    if isinstance(given, (int, float, complex)):
        return given
    given = beside(f, given)[1]
    if given.ndim == 0:
        return given
    if given.ndim != 1:
        raise ValueError("distances must be either scalars or 1d")
    if given.shape[0] != n:
        raise ValueError("when 1d, distances must match the length of the corresponding dimension: "
                         f"{given.shape[0]} for {n}")
    if given.dtype.kind in "iu":
        given = given.astype(float)
    steps = diff(given)
    return steps[0] if bool((steps == steps[0]).all()) else steps


def _spacings(varargs, f, axes):
    if not varargs:
        return [1.0] * len(axes)
    if len(varargs) == 1 and ndim(varargs[0]) == 0:
        return [_spacing(varargs[0], f, 0)] * len(axes)
    if len(varargs) != len(axes):
        raise TypeError("invalid number of arguments")
    return [_spacing(given, f, f.shape[ax]) for given, ax in zip(varargs, axes)]


def _end(f, h, axis, order, last):
    """The slope at one end: a difference, or the slope of a parabola through three samples."""
    def sample(k):
        return f[along(axis, -1 - k if last else k)]
    even = not _is_array(h) or h.ndim == 0
    near = h if even else h[-1 if last else 0]
    if order == 1:
        return (sample(0) - sample(1)) / near if last else (sample(1) - sample(0)) / near
    if even:
        a, b, c = -1.5 / h, 2.0 / h, -0.5 / h
    else:
        far = h[-2 if last else 1]
        a = -(2.0 * near + far) / (near * (near + far))
        b = (near + far) / (near * far)
        c = -near / (far * (near + far))
    if last:    # summed in the order of the samples
        return -c * sample(2) - b * sample(1) - a * sample(0)
    return a * sample(0) + b * sample(1) + c * sample(2)


def _inside(f, h, axis):
    """Slopes between the ends: of the parabola through each sample and its neighbours."""
    left, middle, right = (f[along(axis, s)] for s in
                           (slice(None, -2), slice(1, -1), slice(2, None)))
    if not _is_array(h) or h.ndim == 0:
        return (right - left) / (2.0 * h)
    shape = (-1,) + (1,) * (f.ndim - axis - 1)
    before, after = h[:-1], h[1:]
    a = -after / (before * (before + after))
    b = (after - before) / (before * after)
    c = before / (after * (before + after))
    return a.reshape(shape) * left + b.reshape(shape) * middle + c.reshape(shape) * right


def gradient(f, *varargs, axis=None, edge_order=1):
    """Slopes by differences of neighbours, along each axis."""
    f = asarray(f)
    axes = tuple(range(f.ndim)) if axis is None else _axis_tuple(axis, f.ndim, "axis")
    spacings = _spacings(varargs, f, axes)
    if edge_order > 2:
        raise ValueError("'edge_order' greater than 2 not supported")
    dtype = f.dtype
    if kind_of(f) not in "fc":
        f, dtype = f.astype(float) if dtype.kind in "iu" else f, float
    results = []
    for ax, h in zip(axes, spacings):
        if f.shape[ax] < edge_order + 1:
            raise ValueError("Shape of array too small to calculate a numerical gradient, at least "
                             "(edge_order + 1) elements are required.")
        slopes = _empty_like(f, dtype)
        if f.shape[ax] > 2:
            slopes[along(ax, slice(1, -1))] = _inside(f, h, ax)
        slopes[along(ax, 0)] = _end(f, h, ax, edge_order, False)
        slopes[along(ax, -1)] = _end(f, h, ax, edge_order, True)
        results.append(slopes)
    return results[0] if len(results) == 1 else tuple(results)


def trapezoid(y, x=None, dx=1.0, axis=-1):
    """Integral of samples by the trapezoidal rule."""
    y, x = beside(y, x) if x is not None else (asarray(y), None)
    if x is not None and x.ndim != 1:
        dx = diff(x, axis=axis)
    if y.ndim == 0:
        raise IndexError("trapezoid: a 0-dimensional array has no axis to integrate along")
    axis += y.ndim if axis < 0 else 0
    if x is not None and x.ndim == 1:
        steps = diff(x)
        dx = steps.reshape(steps.shape + (1,) * (y.ndim - axis - 1))
    pairs = y[along(axis, slice(1, None))] + y[along(axis, slice(None, -1))]
    return (dx * pairs / 2.0).sum(axis)


# ---- interpolation -------------------------------------------------------------------------------


def _last_at_most(points, x):
    """For each x the position of the last point that is not above it; 0 if none is."""
    if _heddle._is_host(x.device):
        return _maximum(_heddle._searchsorted(points, x, True) - 1, 0)
    # by halving, which becomes part of the kernel that reads the points there
    n, at = points.shape[0], zeros(x.shape, int, device=x.device)
    for bit in range((n - 1).bit_length() - 1, -1, -1):
        probe = at + (1 << bit)
        inside = probe < n
        at = where(inside & (points[where(inside, probe, 0)] <= x), probe, at)
    return at


def _real(x, what):
    if x.dtype.kind == "c":
        raise TypeError(f"Cannot cast array data from {x.dtype!r} to dtype('float64') according to "
                        f"the rule 'safe': {what}")
    return x.astype(float, copy=False)


def _periodic(x, xp, fp, period):
    if period == 0:
        raise ValueError("period must be a non-zero value")
    if xp.ndim != 1 or fp.ndim != 1:
        raise ValueError("Data points must be 1-D sequences")
    if xp.shape != fp.shape:
        raise ValueError("fp and xp are not of the same length")
    import numpy
    period = abs(period)
    x, xp = x % period, xp % period
    order = numpy.asarray(xp).argsort()     # positions decide what is read, so they are looked at
    xp, fp = xp[order], fp[order]
    return (x, concatenate((xp[-1:] - period, xp, xp[:1] + period)),
            concatenate((fp[-1:], fp, fp[:1])))


def _on_line(x, x0, x1, y0, y1, slope):
    """Values at x of the line through (x0, y0) and (x1, y1), all real."""
    value = slope * (x - x0) + y0
    other = slope * (x - x1) + y1       # where the first is not a number, this may be one
    return where(_isnan(value), where(_isnan(other) & (y0 == y1), y0, other), value)


def interp(x, xp, fp, left=None, right=None, period=None):
    """Values at x of the line through the points (xp, fp)."""
    x, xp, fp = beside(x, xp, fp)
    x, xp = _real(x, "x"), _real(xp, "xp")
    fp = fp.astype(complex if fp.dtype.kind == "c" else float, copy=False)
    if period is not None:
        x, xp, fp = _periodic(x, xp, fp, period)
        left = right = None
    if xp.ndim != 1 or fp.ndim != 1:
        raise ValueError("object of too small depth for desired array" if min(xp.ndim, fp.ndim) < 1
                         else "object too deep for desired array: xp and fp have one axis")
    if xp.shape[0] == 0:
        raise ValueError("array of sample points is empty")
    if xp.shape != fp.shape:
        raise ValueError("fp and xp are not of the same length.")
    single = xp.shape[0] == 1
    if single:
        xp, fp = (concatenate((points, points)) for points in (xp, fp))
    last = xp.shape[0] - 1
    at = _last_at_most(xp, x)
    past = at == last
    at = _minimum(at, last - 1)
    x0, x1, y0, y1 = xp[:-1][at], xp[1:][at], fp[:-1][at], fp[1:][at]
    if fp.dtype.kind == "f":
        value = _on_line(x, x0, x1, y0, y1, (y1 - y0) / (x1 - x0))
    else:       # a part that is not finite must leave the other one alone
        inverse = 1.0 / (x1 - x0)
        value = empty(x.shape, complex, device=x.device)
        value.real = _on_line(x, x0, x1, y0.real, y1.real, (y1.real - y0.real) * inverse)
        value.imag = _on_line(x, x0, x1, y0.imag, y1.imag, (y1.imag - y0.imag) * inverse)
    value = where(past, y1, where(x <= x0, y0, value))      # below x0: before the first point
    if left is not None:
        value = where(x < x0, left, value)
    if right is not None:
        value = where(x > x1 if single else past & (x > x1), right, value)
    if not single:
        value = where(_isnan(x), x, value)
    value = value.astype(fp.dtype, copy=False)
    return value if value.ndim else value[()]


# ---- variation -----------------------------------------------------------------------------------


def _observations(m, name):
    m = asarray(m)
    if m.ndim > 2:
        raise ValueError(f"{name} has more than 2 dimensions")
    return m


def _counts(weights, name, n):
    """Checked weights, as float64."""
    weights = asarray(weights).astype(float)
    if weights.ndim > 1:
        raise RuntimeError(f"cannot handle multidimensional {name}")
    if name == "fweights" and not bool((weights == elementwise["rint"][0](weights)).all()):
        raise TypeError("fweights must be integer")
    if weights.shape[0] != n:
        raise RuntimeError(f"incompatible numbers of samples and {name}: {n} and "
                           f"{weights.shape[0]}")
    if bool((weights < 0).any()):
        raise ValueError(f"{name} cannot be negative")
    return weights


def _degrees(n, w, w_sum, ddof, aweights):
    """What sums of products are divided by."""
    if w is None:
        return n - ddof
    if ddof == 0:
        return w_sum
    if aweights is None:
        return w_sum - ddof
    return w_sum - ddof * (w * aweights).sum() / w_sum


def cov(m, y=None, rowvar=True, bias=False, ddof=None, fweights=None, aweights=None, *, dtype=None):
    """Covariances of the variables in the rows of m and y."""
    if ddof is not None and ddof != int(ddof):
        raise ValueError("ddof must be integer")
    m = _observations(m, "m")
    y = None if y is None else _observations(y, "y")
    if dtype is None:
        dtype = result_type(*(x for x in (m, y) if x is not None), "f8")
    x = array(m, dtype, ndmin=2, copy=True)
    x = x.T if not rowvar and m.ndim != 1 else x
    if x.shape[0] == 0:
        return empty((0, 0), float)
    if y is not None:
        y = array(y, dtype, ndmin=2, copy=None)
        x = concatenate((x, y.T if not rowvar and y.shape[0] != 1 else y), 0)
    ddof = (1 if bias == 0 else 0) if ddof is None else ddof
    n = x.shape[1]
    w = None if fweights is None else _counts(fweights, "fweights", n)
    if aweights is not None:
        aweights = _counts(aweights, "aweights", n)
        w = aweights if w is None else w * aweights
    mean, w_sum = average(x, axis=1, weights=w, returned=True)
    degrees = _degrees(n, w, w_sum[0], ddof, aweights)
    if degrees <= 0:
        from warnings import warn
        warn("Degrees of freedom <= 0 for slice", RuntimeWarning, stacklevel=2)
        degrees = 0.0
    x -= mean[:, None]
    c = dot(x, (x if w is None else x * w).T.conj())
    c *= elementwise["divide"][0](1, degrees)
    return c.squeeze()


def corrcoef(x, y=None, rowvar=True, *, dtype=None):
    """Correlation coefficients: cov() divided by the products of standard deviations."""
    c = cov(x, y, rowvar, dtype=dtype)
    if c.ndim == 0:
        return c / c        # 1, or nan where there is no variance
    deviations = _sqrt(c.diagonal().real)
    c = c / deviations[:, None]
    c = c / deviations[None, :]
    if c.dtype.kind == "c":
        c.real, c.imag = clip(c.real, -1, 1), clip(c.imag, -1, 1)
        return c
    return clip(c, -1, 1)
