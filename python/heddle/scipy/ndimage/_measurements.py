# SPDX-License-Identifier: BSD-3-Clause
"""SciPy's measurements of images: sums, extremes and places of elements that have equal labels."""
import numpy

from ... import all as _all
from ... import (arange, argsort, atleast_1d, bincount, broadcast_arrays, flatnonzero, fmin,
                 full, histogram as _histogram, isnan, isscalar, lexsort, linspace, maximum as
                 _maximum, median as _median, minimum as _minimum, searchsorted, sqrt, stack,
                 unique, unravel_index, where)
from ..._heddle import asarray
from ..._heddle import _beside

__all__ = ["center_of_mass", "extrema", "histogram", "labeled_comprehension", "maximum",
           "maximum_position", "mean", "median", "minimum", "minimum_position",
           "standard_deviation", "sum", "sum_labels", "value_indices", "variance"]


# ---- groups --------------------------------------------------------------------------------------


def _one_group(x, labels, index):
    """Where elements lie that count: None for all; or None, False where index names several."""
    if labels is None:
        return None, True
    if index is None:
        return labels > 0, True
    if isscalar(index):
        return labels == index, True
    return None, False


class _Groups:
    """Elements by label: which group of n each belongs to, and the groups of the labels in index,
    with found where a label has one."""

    def __init__(self, x, labels, index):
        index = _beside(x, index)[1]
        low, high = stack([labels.min(), labels.max()]).tolist()
        if labels.dtype in _AS_THEY_ARE and 0 <= low and high <= labels.size:
            self.of, self.n = labels.ravel(), int(high) + 1
            at = index.astype("i8")
            self.found = (at >= 0) & (at < self.n)
        else:
            known, of = unique(labels, return_inverse=True)
            self.of, self.n = of.ravel(), known.size
            at = searchsorted(known, index)
            at = where(at >= self.n, 0, at)
            self.found = known[at] == index
        self.at = where(self.found, at, 0)
        self.x = x.ravel()

    def answer(self, values):
        """Values of the groups that index names; 0 of labels that are none."""
        return where(self.found, values[self.at], values.dtype.type(0))

    def counts(self):
        return bincount(self.of, minlength=self.n)


_AS_THEY_ARE = tuple(map(numpy.dtype, ("i1", "i2", "i4", "i8", "u1", "u2", "u4")))


def _taken(input, labels):
    x = asarray(input)
    if labels is None:
        return x, None
    x, labels = _beside(x, labels)
    return broadcast_arrays(x, labels)


# ---- sums ----------------------------------------------------------------------------------------


def _size(x, inside):
    return x.size if inside is None else inside.sum()


def _sum_of(x, inside):
    return x.sum() if inside is None else where(inside, x, x.dtype.type(0)).sum()


def _square(x):
    return x * x.conj() if x.dtype.kind == "c" else x * x


def sum_labels(input, labels=None, index=None):
    """Sums of the elements of each label in index, as scipy.ndimage.sum_labels."""
    x, labels = _taken(input, labels)
    inside, single = _one_group(x, labels, index)
    if single:
        return _sum_of(x, inside)
    groups = _Groups(x, labels, index)
    return groups.answer(bincount(groups.of, groups.x, groups.n))


def sum(input, labels=None, index=None):
    """sum_labels()."""
    return sum_labels(input, labels, index)


def mean(input, labels=None, index=None):
    """Means of the elements of each label in index, as scipy.ndimage.mean."""
    x, labels = _taken(input, labels)
    inside, single = _one_group(x, labels, index)
    if single:
        return _sum_of(x, inside) / asarray(_size(x, inside)).astype("f8")
    groups = _Groups(x, labels, index)
    sums = groups.answer(bincount(groups.of, groups.x, groups.n))
    return sums / groups.answer(groups.counts()).astype("f8")


def variance(input, labels=None, index=None):
    """Variances of the elements of each label in index, as scipy.ndimage.variance."""
    x, labels = _taken(input, labels)
    inside, single = _one_group(x, labels, index)
    if single:
        n = asarray(_size(x, inside)).astype("f8")
        return _sum_of(_square(x - _sum_of(x, inside) / n), inside) / n
    groups = _Groups(x, labels, index)
    counts = groups.counts()
    means = bincount(groups.of, groups.x, groups.n) / counts
    squares = bincount(groups.of, _square(groups.x - means[groups.of]), groups.n)
    return groups.answer(squares) / groups.answer(counts).astype("f8")


def standard_deviation(input, labels=None, index=None):
    """Roots of variance(), as scipy.ndimage.standard_deviation."""
    return sqrt(variance(input, labels, index))


def center_of_mass(input, labels=None, index=None):
    """The middle of the elements of each label in index, by their values, as
    scipy.ndimage.center_of_mass: a tuple, or a list of them."""
    x, labels = _taken(input, labels)
    total = sum_labels(x, labels, index)
    middles = [sum_labels(x * _along(x, ax), labels, index) / total for ax in range(x.ndim)]
    if labels is None or index is None or isscalar(index):
        return tuple(middles)
    return [tuple(v) for v in stack(middles).T.tolist()]


def _along(x, ax):
    shape = [-1 if k == ax else 1 for k in range(x.ndim)]
    return arange(x.shape[ax], dtype="f8", device=x.device).reshape(shape)


# ---- extremes ------------------------------------------------------------------------------------


def _picked(x, inside):
    """The elements of one group, and where they are in the flattened x."""
    if inside is None:
        return x.ravel(), None
    at = flatnonzero(inside)
    return x.ravel()[at], at


def _first(x, inside, largest):
    """The extreme of one group and its first position."""
    values, at = _picked(x, inside)
    if not values.size:
        name = "maximum" if largest else "minimum"
        raise ValueError(f"zero-size array to reduction operation {name} which has no identity")
    k = values.argmax() if largest else values.argmin()
    return values[k], k if at is None else at[k]


def _start(dtype, largest):
    """What no element is beyond: nan for the least, which fmin() takes no notice of."""
    if dtype.kind == "b":
        return not largest
    if dtype.kind in "iu":
        return numpy.iinfo(dtype).min if largest else numpy.iinfo(dtype).max
    if largest:
        return complex(-numpy.inf, -numpy.inf) if dtype.kind == "c" else -numpy.inf
    return numpy.nan


def _extremes(groups, largest):
    """The extreme of each group; 0 of one without elements. Nan is larger than all."""
    x = groups.x
    found = full(groups.n, _start(x.dtype, largest), dtype=x.dtype, device=x.device)
    (_maximum if largest else fmin).at(found, groups.of, x)
    return where(groups.counts() == 0, x.dtype.type(0), found)


def _positions(groups, extremes, largest):
    """Where they are: the first of the least, the last of the largest."""
    x, e = groups.x, extremes[groups.of]
    same = x == e
    if x.dtype.kind in "fc":
        same |= isnan(x) & isnan(e)
    at = flatnonzero(same)
    found = full(groups.n, -1 if largest else x.size, dtype="i8", device=x.device)
    (_maximum if largest else _minimum).at(found, groups.of[at], at)
    return where(groups.counts() == 0, 0, found)


def _as_tuples(positions, shape, single):
    """Positions in the flattened array as tuples of coordinates."""
    coordinates, step = [], 1
    for n in reversed(shape):
        coordinates.append(positions // step % n)
        step *= n
    coordinates.reverse()
    if single:
        return tuple(coordinates)
    return [tuple(v) for v in stack(coordinates).reshape(len(shape), -1).T.tolist()]


def _extreme(input, labels, index, largest):
    """(extremes, their positions as tuples); a function gives each when it is wanted."""
    x, labels = _taken(input, labels)
    inside, single = _one_group(x, labels, index)
    shape = x.shape
    if single:
        value, position = _first(x, inside, largest)
        return value, lambda: _as_tuples(position, shape, True)
    groups = _Groups(x, labels, index)
    values = _extremes(groups, largest)
    return groups.answer(values), lambda: _as_tuples(
        groups.answer(_positions(groups, values, largest)), shape, False)


def minimum(input, labels=None, index=None):
    """The least element of each label in index, as scipy.ndimage.minimum."""
    return _extreme(input, labels, index, False)[0]


def maximum(input, labels=None, index=None):
    """The largest element of each label in index, as scipy.ndimage.maximum."""
    return _extreme(input, labels, index, True)[0]


def minimum_position(input, labels=None, index=None):
    """Where the least element of each label in index is, as scipy.ndimage.minimum_position."""
    return _extreme(input, labels, index, False)[1]()


def maximum_position(input, labels=None, index=None):
    """Where the largest element of each label in index is, as scipy.ndimage.maximum_position; the
    last of equal ones where index names several labels."""
    return _extreme(input, labels, index, True)[1]()


def extrema(input, labels=None, index=None):
    """The least and the largest elements and where they are, as scipy.ndimage.extrema."""
    low, low_at = _extreme(input, labels, index, False)
    high, high_at = _extreme(input, labels, index, True)
    return low, high, low_at(), high_at()


def median(input, labels=None, index=None):
    """The median of the elements of each label in index, as scipy.ndimage.median."""
    x, labels = _taken(input, labels)
    inside, single = _one_group(x, labels, index)
    if single:
        return _median(_picked(x, inside)[0])
    groups = _Groups(x, labels, index)
    ordered = groups.x[lexsort((groups.x, groups.of))]
    counts = groups.counts()
    start = groups.answer(where(counts == 0, 0, counts.cumsum() - counts))
    length = _maximum(groups.answer(counts) - 1, 0)
    half = length // 2
    low, high = ordered[start + half], ordered[start + length - half]
    if x.dtype.kind in "iub":
        low, high = low.astype("f8"), high.astype("f8")
    return (low + high) / 2.0


# ---- functions of groups -------------------------------------------------------------------------


def labeled_comprehension(input, labels, index, func, out_dtype, default, pass_positions=False):
    """func(elements), or func(elements, positions), of each label in index, as
    scipy.ndimage.labeled_comprehension: one call for each label. out_dtype=object gives NumPy's
    array of what func returns."""
    x = asarray(input)
    if labels is None:
        if index is not None:
            raise ValueError("index without defined labels")
        at = (arange(x.size, device=x.device),) if pass_positions else ()
        return func(x.ravel(), *at)
    x, labels = _beside(x, labels)
    try:
        x, labels = broadcast_arrays(x, labels)
    except ValueError as e:
        raise ValueError("input and labels must have the same shape (excepting dimensions with "
                         "width 1)") from e
    if index is None:
        values, at = _picked(x, labels > 0)
        return func(values, at) if pass_positions else func(values)
    wanted = atleast_1d(_beside(x, index)[1])
    as_labels = wanted.astype(labels.dtype)
    if not _all(as_labels.astype(wanted.dtype) == wanted):
        raise ValueError(f"Cannot convert index values from <{wanted.dtype}> to <{labels.dtype}> "
                         "(labels' type) without loss of precision")
    order = argsort(labels.ravel(), kind="stable")
    ordered, values = labels.ravel()[order], x.ravel()[order]
    low = searchsorted(ordered, as_labels, "left").tolist()
    high = searchsorted(ordered, as_labels, "right").tolist()
    numpys = numpy.dtype(out_dtype) == object
    out = (numpy.full(wanted.shape, default, object) if numpys else
           full(wanted.shape, default, dtype=out_dtype, device=x.device))
    for i, (start, stop) in enumerate(zip(low, high)):
        if start < stop:
            at = (order[start:stop],) if pass_positions else ()
            out[i] = func(values[start:stop], *at)
    return out[0] if isscalar(index) else out


def histogram(input, min, max, bins, labels=None, index=None):
    """How many elements of each label in index lie in each of equal bins, as
    scipy.ndimage.histogram; of several labels NumPy's array of arrays."""
    edges = linspace(min, max, bins + 1)

    def counts(values):
        return _histogram(values, edges)[0]
    return labeled_comprehension(input, labels, index, counts, object, None)


def value_indices(arr, *, ignore_value=None, adaptive_index_dtype=False):
    """{value: coordinates of the elements that have it} of integers, as
    scipy.ndimage.value_indices. adaptive_index_dtype, which is CuPy's, asks for the smallest signed
    dtype that holds all coordinates."""
    x = asarray(arr)
    if x.dtype.kind not in "iu":
        raise ValueError("Parameter 'arr' must be an integer array")
    flat = x.ravel()
    order = argsort(flat, kind="stable")
    ordered = flat[order]
    starts = [0, *(flatnonzero(ordered[1:] != ordered[:-1]) + 1).tolist()] if flat.size else []
    coordinates = unravel_index(order, x.shape) if x.ndim else (order,)
    if adaptive_index_dtype:
        dtype = numpy.min_scalar_type(-max((1, *x.shape)))
        coordinates = tuple(c.astype(dtype) for c in coordinates)
    found = {}
    for start, stop, value in zip(starts, [*starts[1:], flat.size], ordered[starts].tolist()):
        if ignore_value is None or value != ignore_value:
            found[x.dtype.type(value)] = tuple(c[start:stop] for c in coordinates)
    return found
