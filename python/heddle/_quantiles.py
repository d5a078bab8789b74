# SPDX-License-Identifier: BSD-3-Clause
"""Medians, percentiles and quantiles, with and without nan.

The functions that leave nan out sort along the axis, which puts nan last, and count what is left;
the others only partition. Methods are those of Hyndman and Fan: Sample Quantiles in Statistical
Packages (The American Statistician 50, 1996), and four more of NumPy's.
"""
from . import _heddle
from ._functions import integers, kind_of, moveaxis, normalize_axis
from ._heddle import _is_array, asarray, broadcast_to, elementwise, mean, stack, where as _where
from ._nan import nanmean
from ._outputs import deliver
from ._sorting import take_along_axis

__all__ = ["median", "nanmedian", "nanpercentile", "nanquantile", "percentile", "quantile"]

_ceil, _divide, _floor, _isnan, _maximum, _minimum, _rint = (
    elementwise[name][0]
    for name in ("ceil", "divide", "floor", "isnan", "maximum", "minimum", "rint"))
_missing = object()


# ---- axes ----------------------------------------------------------------------------------------


class _axes:
    """The axes to reduce, merged to one in front."""

    def __init__(self, a, axis):
        self.nd = a.ndim
        if axis is None:
            self.reduced = tuple(range(a.ndim))
        else:
            self.reduced = tuple(normalize_axis(ax, a.ndim) for ax in integers(axis))
            if len(set(self.reduced)) != len(self.reduced):
                raise ValueError("repeated axis")
        self.single = axis is not None and len(self.reduced) == 1

    def front(self, a):
        """The array with the reduced axes as its first one."""
        if self.single:
            return moveaxis(a, self.reduced[0], 0)
        if len(self.reduced) == self.nd:
            return a.reshape(-1)
        kept = [ax for ax in range(a.ndim) if ax not in self.reduced]
        a = a.transpose(kept + sorted(self.reduced))
        return moveaxis(a.reshape(a.shape[:len(kept)] + (-1,)), -1, 0)

    def deliver(self, r, out, keepdims, casting="same_kind"):
        """The result, whose last axes are those that were kept; in out if that is given."""
        if keepdims:
            lead = r.ndim - (self.nd - len(self.reduced))
            rest = iter(r.shape[lead:])
            shape = tuple(1 if ax in self.reduced else next(rest) for ax in range(self.nd))
            r = r.reshape(r.shape[:lead] + shape)
        return deliver(out, r, casting)

    def spread(self, r, out, keepdims):
        """deliver(), but the result is broadcast to out."""
        if _is_array(out) and not keepdims:
            r = broadcast_to(r, out.shape)
        return self.deliver(r, out, keepdims)


def _value(r):
    """NumPy's scalars where there are no axes."""
    return r[()] if r.ndim == 0 else r


# ---- medians -------------------------------------------------------------------------------------


def median(a, axis=None, out=None, overwrite_input=False, keepdims=False):
    """Middle element along axes, or the mean of the two middle ones."""
    a = asarray(a)
    axes = _axes(a, axis)
    x = axes.front(a)
    n = x.shape[0]
    if n == 0:
        return axes.deliver(mean(x, 0), out, keepdims, "unsafe")
    inexact = kind_of(x) in "fc"
    x = _heddle._partition(x, ((n - 1) // 2, n // 2, *(n - 1,) * inexact), 0)
    r = mean(x[(n - 1) // 2:n // 2 + 1], 0)
    if inexact:
        r = _value(_where(_isnan(x[-1]), x[-1], r))
    return axes.deliver(r, out, keepdims, "unsafe")   # as mean does


def nanmedian(a, axis=None, out=None, overwrite_input=False, keepdims=_missing):
    """median() of the elements that are numbers; nan where there is none."""
    a = asarray(a)
    keepdims = keepdims is not _missing and keepdims
    if kind_of(a) not in "fc":
        return median(a, axis, out, overwrite_input, keepdims)
    if a.size == 0:
        return nanmean(a, axis, out=out, keepdims=keepdims)
    axes = _axes(a, axis)
    x = axes.front(a)
    count = (~_isnan(x)).sum(0)[None]
    x = _heddle._sort(x, 0, False)
    low = take_along_axis(x, _maximum(count - 1, 0) // 2, 0)[0]
    high = take_along_axis(x, _minimum(count // 2, x.shape[0] - 1), 0)[0]
    r = _where(count[0] % 2 == 1, low, mean(stack([low, high]), 0))
    r = _where(count[0] == 0, asarray(float("nan"), x.dtype), r)
    return axes.deliver(_value(r), out, keepdims, "unsafe")


# ---- methods -------------------------------------------------------------------------------------


def _towards(position, down):
    """The position below or above, as an index that is not negative."""
    below = _floor(position)
    return _maximum(_where(down(position - below, below), below, below + 1), 0).astype(int)


def _plotting(alpha, beta):
    return lambda n, q: n * q + (alpha + q * (1 - alpha - beta)) - 1


# By method: the place of quantile q among n ordered elements, from 0.
_PLACES = {
    "inverted_cdf": lambda n, q: _towards(n * q - 1, lambda gamma, _: gamma == 0),
    "averaged_inverted_cdf": lambda n, q: n * q - 1,
    "closest_observation": lambda n, q: _towards(
        n * q - 1.5, lambda gamma, below: (gamma == 0) & (below % 2 == 1)),
    "interpolated_inverted_cdf": _plotting(0, 1),
    "hazen": _plotting(0.5, 0.5),
    "weibull": _plotting(0, 0),
    "linear": lambda n, q: (n - 1) * q,
    "median_unbiased": _plotting(1 / 3, 1 / 3),
    "normal_unbiased": _plotting(3 / 8, 3 / 8),
    "lower": lambda n, q: _floor((n - 1) * q).astype(int),
    "higher": lambda n, q: _ceil((n - 1) * q).astype(int),
    "midpoint": lambda n, q: 0.5 * (_floor((n - 1) * q) + _ceil((n - 1) * q)),
    "nearest": lambda n, q: _rint((n - 1) * q).astype(int),
}
_WHOLE = ("inverted_cdf", "closest_observation", "lower", "higher", "nearest")   # elements


def _fraction(method, place, below):
    """The weight of the element above."""
    gamma = place - below
    if method == "averaged_inverted_cdf":
        return _where(gamma == 0, 0.5, 1.0)
    if method == "midpoint":
        return _where(place % 1 == 0, 0.0, 0.5)
    return gamma


def _between(low, high, t):
    """low + (high - low) * t, from the nearer end."""
    step = high - low
    r, near = low + step * t, high - step * (1 - t)
    if isinstance(t, float):
        return near if t >= 0.5 else r
    return _where(t >= 0.5, near, r)


def _spread(x, nd):
    """x with nd more axes."""
    return x.reshape(x.shape + (1,) * nd)


def _neighbours(method, n, q, last):
    """Places below and above, and the weight of the one above: None if the place is one."""
    place = _PLACES[method](n, q)
    if method in _WHOLE or method == "linear" and place.dtype.kind in "iu":
        return place, place, None
    below = _floor(place)
    gamma = _fraction(method, place, below).astype(place.dtype, copy=False)
    low = _minimum(_maximum(below, 0), last).astype(int)
    high = _where(place < 0, 0, _minimum(below + 1, last)).astype(int)
    return _where(place >= last, last, low), high, gamma


def _partitioned(x, q, method, weak):
    """Quantiles along axis 0; nan where there is a nan."""
    n = x.shape[0]
    low, high, gamma = _neighbours(method, n, q, n - 1)
    inexact = kind_of(x) in "fc"
    ranks = {*low.ravel().tolist(), *high.ravel().tolist(), *(n - 1,) * inexact}
    x = _heddle._partition(x, tuple(sorted(ranks)), 0)
    if q.ndim == 0:
        low, high = int(low), int(high)
    r = x[low]
    if gamma is not None:
        r = _between(r, x[high], float(gamma) if weak else _spread(gamma, x.ndim - 1))
    return _where(_isnan(x[-1]), x[-1], r).astype(r.dtype, copy=False) if inexact else r


def _counted(x, q, method, weak):
    """Quantiles along axis 0 of the elements that are numbers; nan where there is none."""
    count = (~_isnan(x)).sum(0)
    x = _heddle._sort(x, 0, False)
    flat = _spread(q.reshape(-1), x.ndim - 1)
    shape = q.shape + x.shape[1:]
    n = count.astype(q.dtype) if q.dtype.kind == "f" else count
    low, high, gamma = _neighbours(method, n, flat, _maximum(count - 1, 0))
    r = take_along_axis(x, low, 0)
    if gamma is not None:
        gamma = gamma.astype(x.dtype) if weak else gamma
        r = _between(r, take_along_axis(x, high, 0), gamma)
    return _where(count == 0, asarray(float("nan"), r.dtype), r).reshape(shape)


# ---- weights -------------------------------------------------------------------------------------


def _weights_beside(weights, a, axes, axis):
    """Weights of a's shape."""
    weights = asarray(weights)
    if weights.shape != a.shape:
        if axis is None:
            raise TypeError("Axis must be specified when shapes of a and weights differ.")
        if weights.shape != tuple(a.shape[ax] for ax in axes.reduced):
            raise ValueError("Shape of weights must be consistent with shape of a along specified "
                             "axis.")
        order = sorted(range(weights.ndim), key=axes.reduced.__getitem__)
        spread = tuple(n if ax in axes.reduced else 1 for ax, n in enumerate(a.shape))
        weights = broadcast_to(weights.transpose(order).reshape(spread), a.shape)
    if weights.size and bool((weights < 0).any()):
        raise ValueError("Weights must be non-negative.")
    return weights


def _weighted(x, q, weights, leave_nan_out):
    """The smallest elements along axis 0 that have a share q of the weights up to them."""
    order = _heddle._argsort(x, 0, False)
    x, weights = take_along_axis(x, order, 0), take_along_axis(weights, order, 0)
    last = x.shape[0] - 1
    if leave_nan_out:
        nan = _isnan(x)
        weights = _where(nan, 0, weights)
        last = _maximum((~nan).sum(0) - 1, 0)
    share = weights.cumsum(0, dtype=float)
    share = share / share[-1]
    bad = _isnan(share[-1])
    if bool((bad & ~_isnan(x[0]) if leave_nan_out else bad).any()):
        raise ValueError("Weights included NaN, inf or were all zero.")
    share = share.astype(q.dtype) if q.dtype.kind == "f" else share
    share = _where(share == 0, -1.0, share)
    flat = _spread(q.reshape(-1), x.ndim)
    places = _minimum((share[None] < flat).sum(1), last)
    r = take_along_axis(x, places, 0)
    if kind_of(x) in "fc" and not leave_nan_out:
        r = _where(_isnan(x[-1]), x[-1], r)
    return r.reshape(q.shape + x.shape[1:])


# ---- the functions -------------------------------------------------------------------------------


def _checked(a, q, what, method, weights):
    if kind_of(a) == "c":
        raise TypeError("a must be an array of real numbers")
    if q.size and not bool(((q >= 0) & (q <= 1)).all()):
        raise ValueError(what)
    if weights is not None and method != "inverted_cdf":
        raise ValueError(f"Only method 'inverted_cdf' supports weights. Got: {method}.")
    if method not in _PLACES:
        raise ValueError(f"{method!r} is not a valid method. Use one of: {_PLACES.keys()}")
    if q.ndim > 2:
        raise ValueError("q must be a scalar or 1d")


def _quantile(a, q, axis, out, method, keepdims, weights, weak, leave_nan_out):
    axes = _axes(a, axis)
    # results of arithmetic are broadcast to out, elements picked are not, as NumPy has it
    give = axes.deliver
    if weights is None and (leave_nan_out or not (
            method in _WHOLE or method == "linear" and q.dtype.kind in "biu")):
        give = axes.spread
    leave_nan_out = leave_nan_out and kind_of(a) in "fc"
    x = axes.front(a)
    if weights is not None:
        weights = axes.front(_weights_beside(weights, a, axes, axis))
        r = _weighted(x, q, weights, leave_nan_out)
    elif x.shape[0] == 0:
        raise IndexError("index -1 is out of bounds for axis 0 with size 0")
    else:
        r = (_counted if leave_nan_out else _partitioned)(x, q, method, weak)
    return give(_value(r), out, keepdims)


_OF_QUANTILES, _OF_PERCENTILES = (f"{name} must be in the range [0, {end}]"
                                  for name, end in (("Quantiles", 1), ("Percentiles", 100)))


def quantile(a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False, *,
             weights=None):
    """Quantiles q of the elements along axes."""
    a, weak, q = asarray(a), type(q) in (int, float), asarray(q)
    _checked(a, q, _OF_QUANTILES, method, weights)
    return _quantile(a, q, axis, out, method, keepdims, weights, weak, False)


def percentile(a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False,
               *, weights=None):
    """quantile() of q / 100."""
    a, weak, q = asarray(a), type(q) in (int, float), _divide(asarray(q), 100)
    _checked(a, q, _OF_PERCENTILES, method, weights)
    return _quantile(a, q, axis, out, method, keepdims, weights, weak, False)


def nanquantile(a, q, axis=None, out=None, overwrite_input=False, method="linear",
                keepdims=_missing, *, weights=None):
    """quantile() of the elements that are numbers; nan where there is none."""
    a, weak, q = asarray(a), type(q) in (int, float), asarray(q)
    keepdims = keepdims is not _missing and keepdims
    _checked(a, q, _OF_QUANTILES, method, weights)
    if a.size == 0:
        return nanmean(a, axis, out=out, keepdims=keepdims)
    return _quantile(a, q, axis, out, method, keepdims, weights, weak, True)


def nanpercentile(a, q, axis=None, out=None, overwrite_input=False, method="linear",
                  keepdims=_missing, *, weights=None):
    """nanquantile() of q / 100."""
    a, weak, q = asarray(a), type(q) in (int, float), _divide(asarray(q), 100)
    keepdims = keepdims is not _missing and keepdims
    _checked(a, q, _OF_PERCENTILES, method, weights)
    if a.size == 0:
        return nanmean(a, axis, out=out, keepdims=keepdims)
    return _quantile(a, q, axis, out, method, keepdims, weights, weak, True)
