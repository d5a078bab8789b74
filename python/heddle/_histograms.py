# SPDX-License-Identifier: BSD-3-Clause
"""Histograms. One that has no weights is one call; else each element is looked up among the edges,
and the places are counted."""
from builtins import range as _numbers
from math import ceil, isfinite, log2, pi, sqrt
from operator import index

from . import _heddle
from ._creation import is_sequence, linspace
from ._functions import kind_of, result_type
from ._heddle import _is_array, asarray, mean, stack, std, where as _where
from ._quantiles import percentile
from ._sorting import bincount, searchsorted

__all__ = ["histogram", "histogram2d", "histogram_bin_edges", "histogramdd"]


# ---- how wide a bin is ---------------------------------------------------------------------------
# By the names that NumPy gives them; sources: Freedman and Diaconis (1981), Scott (1979), Sturges
# (1926), Doane (1976), Stone (1984). 0: one bin.


def _extent(x):
    """Largest minus smallest element, as a Python number."""
    return x.max().item() - x.min().item()


def _sqrt_width(x, range):
    return _extent(x) / sqrt(x.size)


def _sturges_width(x, range):
    return _extent(x) / (log2(x.size) + 1.0)


def _rice_width(x, range):
    return _extent(x) / (2.0 * x.size ** (1.0 / 3))


def _scott_width(x, range):
    return (24.0 * pi**0.5 / x.size) ** (1.0 / 3.0) * std(x).item()


def _stone_width(x, range):
    n, extent = x.size, _extent(x)
    if n <= 1 or extent == 0:
        return 0

    def risk(bins):
        share = histogram(x, bins, range)[0] / n
        return ((2 - (n + 1) * share.dot(share)) / (extent / bins)).item()

    most = max(100, int(sqrt(n)))
    best = min(_numbers(1, most + 1), key=risk)
    if best == most:
        from warnings import warn
        warn("The number of bins estimated may be suboptimal.", RuntimeWarning, stacklevel=4)
    return extent / best


def _doane_width(x, range):
    n, sigma = x.size, std(x).item() if x.size > 2 else 0
    if sigma <= 0:
        return 0.0
    skewness = abs(mean(((x - mean(x)) / sigma) ** 3).item())
    spread = sqrt(6.0 * (n - 2) / ((n + 1.0) * (n + 3)))
    return _extent(x) / (1.0 + log2(n) + log2(1.0 + skewness / spread))


def _fd_width(x, range):
    high, low = percentile(x, [75, 25]).tolist()
    return 2.0 * (high - low) * x.size ** (-1.0 / 3.0)


def _auto_width(x, range):
    return min(max(_fd_width(x, range), _sqrt_width(x, range) / 2), _sturges_width(x, range))


_WIDTHS = {"stone": _stone_width, "auto": _auto_width, "doane": _doane_width, "fd": _fd_width,
           "rice": _rice_width, "scott": _scott_width, "sqrt": _sqrt_width,
           "sturges": _sturges_width}


def _estimated(a, name, first, last, range, weights):
    """The number of bins that a rule gives."""
    if name not in _WIDTHS:
        raise ValueError(f"{name!r} is not a valid estimator for `bins`")
    if weights is not None:
        raise TypeError("Automated estimation of the number of bins is not supported for weighted "
                        "data")
    if range is not None:
        inside = (a >= first) & (a <= last)
        if not bool(inside.all()):
            a = a[inside]
    if a.size == 0:
        return 1
    width = _WIDTHS[name](a, (first, last))
    if not width:
        return 1
    if a.dtype.kind in "iu" and width < 1:
        width = 1
    return int(ceil((float(last) - float(first)) / width))


# ---- edges ---------------------------------------------------------------------------------------


def _prepared(a, weights):
    a = asarray(a)
    if a.dtype.kind == "b":
        from warnings import warn
        warn(f"Converting input from {a.dtype} to <class 'numpy.uint8'> for compatibility.",
             RuntimeWarning, stacklevel=3)
        a = a.astype("uint8")
    if weights is not None:
        weights = asarray(weights)
        if weights.shape != a.shape:
            raise ValueError("weights should have the same shape as a.")
        weights = weights.ravel()
    return a.ravel(), weights


def _outer_edges(a, range):
    """First and last edge: Python numbers if a range is given, else in the dtype of a."""
    if range is not None:
        first, last = range
        if first > last:
            raise ValueError("max must be larger than min in range parameter.")
        if not (isfinite(first) and isfinite(last)):
            raise ValueError(f"supplied range of [{first}, {last}] is not finite")
    elif a.size == 0:
        first, last = 0, 1
    else:
        first, last = a.min(), a.max()
        if not (isfinite(first) and isfinite(last)):
            raise ValueError(f"autodetected range of [{first}, {last}] is not finite")
    return (first - 0.5, last + 0.5) if first == last else (first, last)


def _given_edges(bins):
    edges = asarray(bins)
    if edges.ndim != 1:
        raise ValueError("`bins` must be 1d, when an array")
    if bool((edges[:-1] > edges[1:]).any()):
        raise ValueError("`bins` must increase monotonically, when an array")
    return edges


def _edges(a, bins, range, weights):
    """The edges, and whether they are those of equal bins."""
    if not isinstance(bins, str) and asarray(bins).ndim != 0:
        return _given_edges(bins), False
    if isinstance(bins, str):
        first, last = _outer_edges(a, range)
        n = _estimated(a, bins, first, last, range, weights)
    else:
        try:
            n = index(bins)
        except TypeError as error:
            raise TypeError("`bins` must be an integer, a string, or an array") from error
        if n < 1:
            raise ValueError("`bins` must be positive, when an integer")
        first, last = _outer_edges(a, range)
    dtype = result_type(first, last, a)
    dtype = dtype if dtype.kind in "fc" else result_type(dtype, 1.0)
    edges = linspace(first, last, n + 1, dtype=dtype)
    if bool((edges[:-1] >= edges[1:]).any()):
        raise ValueError(f"Too many bins for data range. Cannot create {n} finite-sized bins.")
    return edges, True


def histogram_bin_edges(a, bins=10, range=None, weights=None):
    """The edges of the bins that histogram() uses."""
    a, weights = _prepared(a, weights)
    return _edges(a, bins, range, weights)[0]


# ---- counting ------------------------------------------------------------------------------------


def _places(x, edges):
    """Bins counted from 1, the last edge in the last bin; 0 and one more for what is outside."""
    inside = len(edges) - 1
    return _where(x == edges[-1], inside, searchsorted(edges, x, "right"))


def _summed(places, weights, n):
    """Counts of 0 ... n - 1, in the dtype of the weights."""
    if weights is None:
        return bincount(places, None, n)
    if weights.dtype.kind != "c":
        return bincount(places, weights.astype(float, copy=False), n).astype(weights.dtype)
    parts = [bincount(places, part.astype(float, copy=False), n)
             for part in (weights.real, weights.imag)]
    return (parts[0] + 1j * parts[1]).astype(weights.dtype)


def histogram(a, bins=10, range=None, density=None, weights=None):
    """How many elements of the flattened array are in each bin, and the edges of the bins."""
    a, weights = _prepared(a, weights)
    edges, equal = _edges(a, bins, range, weights)
    if edges.size == 0:
        raise ValueError("`bins` must have an edge, when an array")
    if kind_of(edges) == "f" and kind_of(a) != "c" and a.dtype != edges.dtype:
        a = a.astype(result_type(a, edges), copy=False)
    if weights is None and kind_of(a) != "c" and kind_of(edges) != "c":
        counts = _heddle._histogram(a, edges, equal)
    else:
        n = len(edges) + 1
        counts = _summed(_places(a, edges), weights, n)[1:n - 1]
    if density:
        widths = (edges[1:] - edges[:-1]).astype(float)
        return counts / widths / counts.sum(), edges
    return counts, edges


def _columns(sample):
    """The coordinates of the points, one array for each axis."""
    if _is_array(sample) or hasattr(sample, "shape"):
        sample = asarray(sample)
        if sample.ndim == 2:
            return [sample[:, k] for k in _numbers(sample.shape[1])]
        columns = [sample.reshape(-1)] if sample.ndim < 2 else None
    else:
        columns = [asarray(column) for column in sample]
        if all(column.ndim == 0 for column in columns):
            columns = [stack(columns)]
    if columns is None or any(c.ndim != 1 or c.shape != columns[0].shape for c in columns):
        raise ValueError("sample must be an array of points or a sequence of their coordinates")
    return columns


def _edges_of_axis(x, bins, range, k):
    nd = asarray(bins).ndim
    if nd > 1:
        raise ValueError(f"`bins[{k}]` must be a scalar or 1d array")
    if nd == 1:
        edges = asarray(bins)
        if bool((edges[:-1] > edges[1:]).any()):
            raise ValueError(f"`bins[{k}]` must be monotonically increasing, when an array")
        return edges
    if bins < 1:
        raise ValueError(f"`bins[{k}]` must be positive, when an integer")
    first, last = _outer_edges(x, range)
    try:
        n = index(bins)
    except TypeError as error:
        raise TypeError(f"`bins[{k}]` must be an integer, when a scalar") from error
    return linspace(first, last, n + 1)


def histogramdd(sample, bins=10, range=None, density=None, weights=None):
    """How many points are in each box of a grid, and the edges along each axis."""
    columns = _columns(sample)
    nd = len(columns)
    if is_sequence(bins):
        if len(bins) != nd:
            raise ValueError("The dimension of bins must be equal to the dimension of the sample x.")
    else:
        bins = [bins] * nd
    if range is None:
        range = [None] * nd
    elif len(range) != nd:
        raise ValueError("range argument must have one entry per dimension")
    edges = [_edges_of_axis(*each) for each in zip(columns, bins, range, _numbers(nd))]
    place, size = None, 1
    for x, e in zip(columns, edges):
        here = _places(x, e)
        place = here if place is None else place * (len(e) + 1) + here
        size *= len(e) + 1
    weights = None if weights is None else asarray(weights)
    hist = bincount(place, weights, size).reshape(tuple(len(e) + 1 for e in edges)).astype(float)
    hist = hist[(slice(1, -1),) * nd]
    if density:
        total = hist.sum()
        for k, e in enumerate(edges):
            widths = e[1:] - e[:-1]
            hist = hist / widths.reshape((1,) * k + (-1,) + (1,) * (nd - k - 1))
        hist = hist / total
    return hist, edges


def histogram2d(x, y, bins=10, range=None, density=None, weights=None):
    """How many points (x, y) are in each box of a grid, and the edges along both axes."""
    x, y = asarray(x), asarray(y)
    if len(x) != len(y):
        raise ValueError("x and y must have the same length.")
    given = len(bins) if is_sequence(bins) else None
    if given not in (None, 1, 2):
        edges = asarray(bins)
        bins = [edges, edges]
    elif given == 1:
        raise ValueError("The dimension of bins must be equal to the dimension of the sample x.")
    hist, edges = histogramdd([x, y], bins, range, density, weights)
    return hist, edges[0], edges[1]
