# SPDX-License-Identifier: BSD-3-Clause
"""Values of splines between elements: which coefficients count, with which weights.

Positions are floating-point numbers as SciPy computes them, to the last digit: whether an element
lies outside, and gets cval, hangs on it.
"""
from ... import abs as _abs
from ... import floor, maximum, minimum, take, trunc, where
from ._splines import edge_of, weights


def _mirrored(c, n):
    """Positions inside, of edges that are mirrored about their elements."""
    period = 2.0 * n - 2
    below = period * trunc(-c / period) + c
    below = where(below <= 1 - n, below + period, -below)
    above = c - period * trunc(c / period)
    return below, where(above >= n, period - above, above)


def _reflected(c, n):
    """The same of edges that are mirrored half an element beyond them."""
    period = 2.0 * n
    below = where(c < -period, period * trunc(-c / period) + c, c)
    below = where(below < -n, below + period, -below - 1)
    above = c - period * trunc(c / period)
    return below, where(above >= n, period - above - 1, above)


def _wrapped(c, n):
    period = n - 1.0
    return c + period * (trunc(-c / period) + 1), c - period * trunc(c / period)


def _grid_wrapped(c, n):
    return c + n * (trunc((-1 - c) / n) + 1), c - n * trunc(c / n)


_FAR = 8.0      # from here on all places around a position are beyond the edge
_INSIDE = {"mirror": _mirrored, "reflect": _reflected, "grid-mirror": _reflected, "wrap": _wrapped,
           "grid-wrap": _grid_wrapped}


def _inside(c, n, mode):
    """Positions moved inside, and where they lie outside, or None where nothing does."""
    nowhere = c - c != 0        # nan and infinite
    if mode == "constant":
        outside = (c < 0) | (c > n - 1) | nowhere
        return where(outside, 0.0, c), outside
    if mode in ("grid-constant", "nearest"):    # places move, positions do not
        nowhere = c != c
        c = minimum(maximum(c, -_FAR), n - 1 + _FAR)
    elif n <= 1:
        c = c * 0
    else:
        below, above = _INSIDE[mode](c, n)
        c = where(c < 0, below, where(c > n - 1, above, c))
    return where(nowhere, 0.0, c), nowhere


def _at_the_edge(k, n, edge):
    """Whole numbers k, as floating-point numbers, moved inside: those near it without a division."""
    if n <= 1 or edge == "nearest":
        return minimum(maximum(k, 0.0), n - 1.0)
    if edge == "mirror":
        period = 2 * n - 2
        k = _abs(k) if n > 8 else _abs(k) - period * floor(_abs(k) / period)
        return (n - 1) - _abs((n - 1) - k)
    if edge == "reflect":
        k = _abs(k + 0.5)
        k = k if n > 8 else k - 2 * n * floor(k / (2 * n))
        return (n - 0.5) - _abs(n - k)
    return k - n * floor(k / n)


class Axis:
    """Where positions c along an axis of n elements lie: places (as floating-point numbers) and
    weights of the coefficients around each; beyond[k] where place k is outside, for grid-constant;
    outside, where cval is the value."""

    def __init__(self, c, n, order, mode):
        c, self.outside = _inside(c, n, mode)
        first = floor(c) if order % 2 else floor(c + 0.5)
        self.weights = weights(c - first if order % 2 else c - first + 0.5, order)
        places = [first + (k - order // 2) for k in range(order + 1)]
        self.beyond = None
        if mode == "grid-constant":
            self.beyond = [(p < 0) | (p > n - 1) for p in places]
            self.places = [where(b, 0.0, p) for b, p in zip(self.beyond, places)]
        else:
            edge = mode if mode == "nearest" else edge_of(mode)
            self.places = [_at_the_edge(p, n, edge) for p in places]


def along(x, axis, ax, cval):
    """x sampled along axis ax at one vector of positions."""
    shape = [-1 if k == ax else 1 for k in range(x.ndim)]
    r = 0.0
    for k, (place, weight) in enumerate(zip(axis.places, axis.weights)):
        value = take(x, place.astype("i8"), axis=ax)
        if axis.beyond:
            value = where(axis.beyond[k].reshape(shape), cval, value)
        r = r + (value * weight.reshape(shape) if len(axis.places) > 1 else value)
    return r


def _nested(x, axes, steps, cval, at, beyond):
    """The sum over the places of the first of the axes of the sums over those of the others."""
    if not axes:
        few = x.shape[-1] < 2**31       # half the memory of places is read a third faster
        value = take(x, at.astype("i4" if few else "i8"), axis=-1)
        return value if beyond is None else where(beyond, cval, value)
    axis, r = axes[0], 0.0
    for k, (place, weight) in enumerate(zip(axis.places, axis.weights)):
        here = place * steps[0] if at is None else at + place * steps[0]
        if axis.beyond:
            out = axis.beyond[k] if beyond is None else beyond | axis.beyond[k]
        else:
            out = None
        value = _nested(x, axes[1:], steps[1:], cval, here, out)
        r = r + (value * weight if len(axis.places) > 1 else value)
    return r


def anywhere(x, axes, cval):
    """x sampled at positions of its last len(axes) axes, whose shapes broadcast."""
    shape = x.shape[-len(axes):]
    steps, step = [], 1
    for n in reversed(shape):
        steps.insert(0, float(step))
        step *= n
    r = _nested(x.reshape((*x.shape[:-len(axes)], -1)), axes, steps, cval, None, None)
    for axis in axes:
        if axis.outside is not None:
            r = where(axis.outside, cval, r)
    return r
