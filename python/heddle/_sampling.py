# SPDX-License-Identifier: BSD-3-Clause
"""Integers, orders and choices of a generator: docs/design/random.md has the algorithms."""
from math import prod
from operator import index

from ._creation import arange
from ._functions import moveaxis, normalize_axis
from ._handing import NEVER_OURS
from ._heddle import _is_array, asarray, cumsum, empty, ndarray
from ._parameters import PLAIN_SIZES, refuse, shape_of


def _bounds(dtype):
    """The name of an integer dtype, and its smallest and largest number."""
    name = "int64" if dtype is int else str(empty(0, dtype).dtype)
    if name == "bool":
        return name, 0, 1
    kind, _, bits = name.partition("int")
    if kind not in ("", "u") or not bits:
        raise TypeError(f"Unsupported dtype dtype('{name}') for integers")
    bits = int(bits)
    return (name, 0, 2**bits - 1) if kind else (name, -2**(bits - 1), 2**(bits - 1) - 1)


def _whole(x):
    """Where an interval ends: a Python int, or an array of integers."""
    x = x if isinstance(x, (int, float)) else asarray(x)
    if _is_array(x) and x.shape != ():
        return x if x.dtype.kind in "iu" else x.astype("int64")
    return int(x)


def _extremes(x):
    return (int(x.min()), int(x.max())) if _is_array(x) else (x, x)


def _check_interval(low, high, name, smallest, largest, endpoint):
    """Refuses what NumPy refuses; high counts as a part of the interval if endpoint."""
    if any(_is_array(x) and x.size == 0 for x in (low, high)):
        return
    if _extremes(low)[0] < smallest:
        raise ValueError(f"low is out of bounds for {name}")
    if _extremes(high)[1] > largest + (not endpoint):
        raise ValueError(f"high is out of bounds for {name}")
    zero = isinstance(low, int) and low == 0
    text = (("high < 0" if zero else "low > high") if endpoint else
            ("high <= 0" if zero else "low >= high"))
    refuse(low > high if endpoint else low >= high, text)


def _along(axis, order):
    return (slice(None),) * axis + (order,)


def elements(x):
    """x as an array; one of NumPy's if its elements, such as texts, have no dtype of ours."""
    if getattr(getattr(x, "dtype", None), "kind", None) not in NEVER_OURS:
        try:
            return asarray(x)
        except TypeError:
            pass
    import numpy
    return numpy.asarray(x)


def _taken(x, axis, order):
    """The slices of elements(...) along the axis, in that order."""
    return x[_along(axis, order if _is_array(x) or isinstance(order, int) else
                    order.tolist())]


def is_count(x):
    """Does x stand for 0 ... x - 1?"""
    return hasattr(x, "__index__") and getattr(x, "ndim", 0) == 0


class Sampling:
    """The methods of a Generator that draw integers, put things in order and choose among them."""

    def integers(self, low, high=None, size=None, dtype=int, endpoint=False):
        """Integers from low to high, without high unless endpoint; from 0 to low without high."""
        if high is None:
            low, high = 0, low
        if (dtype is int and type(low) is type(high) is int and not endpoint and
                -2**63 <= low < high <= 2**63 and type(size) in PLAIN_SIZES):
            return self._stream.integers(size, low, high - 1, None)
        name, smallest, largest = _bounds(dtype)
        low, high = _whole(low), _whole(high)
        shape = shape_of(size, low, high)
        loop = "uint8" if name == "bool" else name
        if shape is None or prod(shape) != 0:
            _check_interval(low, high, name, smallest, largest, endpoint)
        else:
            low = high = endpoint = 1
        x = self._stream.integers(shape, low, high if endpoint else high - 1, loop)
        return x.astype(bool) if name == "bool" else x

    def bytes(self, length):
        """That many random bytes."""
        length = max(index(length), 0)
        return self._stream.raw((length + 7) // 8, None).tobytes()[:length]

    # ---- orders ----------------------------------------------------------------------------------

    def _order(self, n):
        if (order := self._stream.one_order(n)) is not None:
            return order
        return self._stream.order(1, n, n).reshape(n)

    def permutation(self, x, axis=0):
        """0 ... x - 1 in random order, or the slices of x along the axis."""
        if is_count(x):
            return self._order(max(index(x), 0))
        x = elements(x)
        axis = normalize_axis(axis, x.ndim)
        return _taken(x, axis, self._order(x.shape[axis]))

    def shuffle(self, x, axis=0):
        """Puts the slices of x along the axis in random order; the items of a list."""
        if axis == 0 and self._stream.shuffle(x):
            return
        if axis == 0 and type(x) is ndarray:
            x[...] = x[self._order(len(x))]
            return
        if hasattr(x, "ndim") and hasattr(x, "shape"):
            len(x)      # TypeError where there is no axis
            axis = normalize_axis(axis, x.ndim)
            order = self._order(x.shape[axis])
            x[...] = x[_along(axis, order if _is_array(x) else order.tolist())]
            return
        n = len(x)
        if axis != 0:
            raise NotImplementedError("Axis argument is only supported on ndarray objects")
        x[:] = [x[i] for i in self._order(n).tolist()]

    def permuted(self, x, *, axis=None, out=None):
        """A copy of x in which every line along the axis is in an order of its own; without axis
        all elements in one order."""
        x = asarray(x)
        len(x)
        if out is not None and not hasattr(out, "shape"):
            raise TypeError(f"out must be an array of the shape {x.shape} of x, not {type(out)}")
        if out is not None and out.shape != x.shape:
            raise ValueError("out must have the same shape as x")
        if axis is None:
            y = x.reshape(-1)[self._order(x.size)].reshape(x.shape)
        else:
            axis = normalize_axis(axis, x.ndim)
            lines = moveaxis(x, axis, -1)
            n, rows = x.shape[axis], x.size // max(x.shape[axis], 1)
            places = (self._stream.order(rows, n, n) + arange(rows).reshape(rows, 1) * n).reshape(-1)
            y = moveaxis(lines.reshape(-1)[places].reshape(lines.shape), -1, axis)
        if out is None:
            return y
        out[...] = y
        return out

    # ---- choices ---------------------------------------------------------------------------------

    def choice(self, a, size=None, replace=True, p=None, axis=0, shuffle=True):
        """Picks among 0 ... a - 1, or among the slices of a along the axis, each with its
        probability in p or all alike. Without replacement the order is random in any case."""
        shape = () if size is None else shape_of(size)
        n = prod(shape)
        if is_count(a):
            array, among = None, index(a)
            if among <= 0 and n:
                raise ValueError("a must be a positive integer unless no samples are taken")
        elif isinstance(a, float):
            raise ValueError(f"a must be a sequence or an integer, not {type(a)}")
        else:
            array = elements(a)
            axis = normalize_axis(axis, array.ndim)
            among = array.shape[axis]
            if among == 0 and n:
                raise ValueError("a cannot be empty unless no samples are taken")
        chosen = self._chosen(max(among, 0), n, replace, p)
        if size is None:
            chosen = int(chosen[0]) if array is not None else chosen[0]
        elif shape != (n,):
            chosen = chosen.reshape(shape)
        return chosen if array is None else _taken(array, axis, chosen)

    def _chosen(self, among, n, replace, p):
        """n positions below among."""
        if p is not None:
            p = _probabilities(p, among)
        if replace:
            if p is None:
                return self.integers(0, among, n)
            return self._stream.choice(n, _cumulative(p))
        if n > among:
            raise ValueError("Cannot take a larger sample than population when replace is False")
        if p is None:
            return self._stream.order(1, among, n).reshape(n)
        if int((p > 0).sum()) < n:
            raise ValueError("Fewer non-zero entries in p than size")
        p, found = p.copy(), []
        while len(found) < n:
            new = self._stream.choice(n - len(found), _cumulative(p)).tolist()
            found += dict.fromkeys(new)
            p[found] = 0.0
        return asarray(found, int)


def _probabilities(p, among):
    p = asarray(p, float)
    if p.ndim != 1:
        raise ValueError("p must be 1-dimensional")
    if p.size != among:
        raise ValueError("a and p must have same size")
    total = float(p.sum())
    if total != total:
        raise ValueError("Probabilities contain NaN")
    refuse(p < 0, "Probabilities are not non-negative")
    if abs(total - 1.0) > 2.0**-26:     # the square root of a float64's last place at 1
        raise ValueError("Probabilities do not sum to 1. See Notes section of docstring for more "
                         "information.")
    return p


def _cumulative(p):
    c = cumsum(p)
    return c / c[-1]
