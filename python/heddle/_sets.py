# SPDX-License-Identifier: BSD-3-Clause
"""Distinct elements, and arrays as sets."""
from . import _heddle
from ._creation import arange
from ._functions import moveaxis, normalize_axis
from ._heddle import asarray, concatenate, elementwise, ndarray, ones, where, zeros
from ._sorting import lexsort

__all__ = ["intersect1d", "isin", "setdiff1d", "setxor1d", "union1d", "unique", "unique_all",
           "unique_counts", "unique_inverse", "unique_values"]

_minimum = elementwise["minimum"][0]


# ---- distinct elements ---------------------------------------------------------------------------


def _distinct_rows(rows, one_nan):
    """The order of the rows, and which of the ordered ones differ from the one before; with
    one_nan a nan is equal to a nan."""
    n = rows.shape[0]
    if rows.shape[1] == 0:
        return arange(n), arange(n) == 0
    order = lexsort([rows[:, k] for k in range(rows.shape[1] - 1, -1, -1)])
    rows = rows[order]
    differ = rows[1:] != rows[:-1]
    if one_nan:
        differ &= (rows[1:] == rows[1:]) | (rows[:-1] == rows[:-1])
    return order, concatenate([ones(min(n, 1), bool), differ.any(1)])


def _unique_along(ar, axis, wanted, equal_nan):
    equal_nan = equal_nan and ar.ndim == 1      # as NumPy has it: rows with a nan are all distinct
    ar = moveaxis(ar, normalize_axis(axis, ar.ndim), 0)
    n, width = ar.shape[0], ar.size // max(ar.shape[0], 1)
    order, first = _distinct_rows(ar.reshape(n, width), equal_nan)
    starts = first.nonzero()[0]
    places = order[starts]
    result = [moveaxis(ar[places], 0, axis)]
    if wanted[0]:
        result.append(places)
    if wanted[1]:
        inverse = zeros(n, int)
        inverse[order] = first.cumsum() - 1
        result.append(inverse)
    if wanted[2]:
        ends = concatenate([starts, asarray([n])])
        result.append(ends[1:] - ends[:-1])
    return result


def unique(ar, return_index=False, return_inverse=False, return_counts=False, axis=None, *,
           equal_nan=True, sorted=True):
    """The distinct elements in order, or the distinct slices along an axis."""
    ar = asarray(ar)
    wanted = [bool(return_index), bool(return_inverse), bool(return_counts)]
    if axis is None:
        result = [r for r in _heddle._unique(ar, bool(equal_nan), *wanted) if r is not None]
    else:
        result = _unique_along(ar, axis, wanted, equal_nan)
    return tuple(result) if any(wanted) else result[0]


def unique_all(x):
    """The distinct elements, where the first of each is, which each element is, and counts."""
    from ._set_results import UniqueAllResult
    return UniqueAllResult(*_heddle._unique(asarray(x), False, True, True, True))


def unique_counts(x):
    """The distinct elements, and how many there are of each."""
    from ._set_results import UniqueCountsResult
    values, _, _, counts = _heddle._unique(asarray(x), False, False, False, True)
    return UniqueCountsResult(values, counts)


def unique_inverse(x):
    """The distinct elements, and which of them each element of x is."""
    from ._set_results import UniqueInverseResult
    values, _, inverse, _ = _heddle._unique(asarray(x), False, False, True, False)
    return UniqueInverseResult(values, inverse)


def unique_values(x):
    """The distinct elements."""
    return _heddle._unique(asarray(x), False, False, False, False)[0]


# ---- sets ----------------------------------------------------------------------------------------


def _check_isin(kind, *arrays):
    if kind not in (None, "sort", "table"):
        raise ValueError(f"Invalid kind: '{kind}'. Please use None, 'sort' or 'table'.")
    if kind == "table" and any(a.dtype.kind not in "biu" for a in arrays):
        raise ValueError("The 'table' method is only supported for boolean or integer arrays. "
                         "Please select 'sort' or None for kind.")
    table = arrays[1]
    if kind == "table" and table.size and table.dtype.kind != "b":
        bits = 8 * table.dtype.itemsize - (table.dtype.kind == "i")
        if int(table.max()) - int(table.min()) >= 2**bits:      # NumPy counts in this dtype
            raise RuntimeError("You have specified kind='table', but the range of values in the "
                               "arrays exceed the maximum integer of the datatype. Please set "
                               "kind to None or 'sort'.")


def _bounds_for_flags(x, table):
    """The least and the largest of the table, if a flag for each number between is the quicker way
    to look x up: of many integers among numbers that lie close together. Else None.

    The bounds are waited for, which on the CPU alone costs less than a search.
    """
    if (x.device != "cpu" or table.device != x.device or x.size < 1000 or x.dtype.kind not in "biu"
            or table.dtype.kind not in "biu" or "uint64" in (x.dtype.name, table.dtype.name)):
        return None
    least, largest = int(table.min()), int(table.max())
    return (least, largest) if largest - least <= 6 * (x.size + table.size) else None


def _is_flagged(x, table, least, largest):
    dt = "int32" if x.dtype.name in ("bool", "int8", "uint8", "int16", "uint16", "int32") and (
        -2**31 <= least and largest < 2**31) else "int64"
    x, beyond = x.astype(dt), largest - least + 1
    flags = zeros(beyond + 1, bool)
    flags[table.astype("int64") - least] = True
    return flags[where((x >= least) & (x <= largest), x - least, beyond)]


def isin(element, test_elements, assume_unique=False, invert=False, *, kind=None):
    """Whether each element is one of some others. nan never is."""
    x, table = asarray(element), asarray(test_elements).ravel()
    _check_isin(kind, x, table)
    bounds = _bounds_for_flags(x, table) if table.size else None
    if table.size == 0:
        found = zeros(x.shape, bool)
    elif bounds is not None:
        found = _is_flagged(x, table, *bounds)
    else:
        table = _heddle._sort(table, -1, False)
        places = _minimum(_heddle._searchsorted(table, x, False), table.size - 1)
        found = table[places] == x
    return ~found if invert else found


def _distinct(ar, assume_unique):
    ar = asarray(ar)
    return ar.ravel() if assume_unique else unique(ar)


def intersect1d(ar1, ar2, assume_unique=False, return_indices=False):
    """The distinct elements that are in both arrays, in order."""
    arrays, first = [asarray(ar1), asarray(ar2)], [None, None]
    for k in range(2):
        if assume_unique or not return_indices:
            arrays[k] = _distinct(arrays[k], assume_unique)
        else:
            arrays[k], first[k] = unique(arrays[k], return_index=True)
    joined = concatenate(arrays)
    order = _heddle._argsort(joined, -1, False)
    joined = joined[order]
    both = (joined[1:] == joined[:-1]).nonzero()[0]
    common = joined[both]
    if not return_indices:
        return common
    places = [order[both], order[both + 1] - arrays[0].size]
    return common, *(p if f is None else f[p] for p, f in zip(places, first))


def union1d(ar1, ar2):
    """The distinct elements of both arrays, in order."""
    return unique(concatenate([asarray(ar1).ravel(), asarray(ar2).ravel()]))


def setdiff1d(ar1, ar2, assume_unique=False):
    """The distinct elements of ar1 that are not in ar2, in order."""
    ar1 = _distinct(ar1, assume_unique)
    return ar1[isin(ar1, ar2, invert=True)]


def setxor1d(ar1, ar2, assume_unique=False):
    """The distinct elements that are in one of the arrays only, in order."""
    joined = concatenate([_distinct(ar1, assume_unique), _distinct(ar2, assume_unique)])
    if joined.size == 0:
        return joined
    joined = _heddle._sort(joined, -1, False)
    edge = ones(1, bool)
    differ = concatenate([edge, joined[1:] != joined[:-1], edge])
    return joined[differ[1:] & differ[:-1]]
