# SPDX-License-Identifier: BSD-3-Clause
"""Order along an axis, look-ups in what is ordered, counting."""
from itertools import product
from operator import index

from . import _heddle
from ._creation import arange
from ._functions import moveaxis, normalize_axis
from ._heddle import _is_array, _overlaps_itself, asarray, copyto, ndarray
from ._outputs import destination

__all__ = ["argpartition", "argsort", "bincount", "digitize", "lexsort", "partition",
           "put_along_axis", "searchsorted", "sort", "sort_complex", "take_along_axis"]


# ---- order ---------------------------------------------------------------------------------------


def _check_kind(kind, stable, order):
    if order is not None:
        raise ValueError("Cannot specify order when the array has no fields.")
    if kind is None:
        return
    if not isinstance(kind, str):
        raise TypeError(f"sort kind must be str, not {type(kind).__name__}")
    if stable is not None:
        raise ValueError("`kind` and keyword parameters can't be provided at the same time. Use "
                         "only one of them.")
    if not kind or kind[0].lower() not in "qhms":
        raise ValueError(f"sort kind must be one of 'quick', 'heap', or 'stable' (got {kind!r})")


def sort(a, axis=-1, kind=None, order=None, *, stable=None, descending=False):
    """A sorted copy."""
    a = asarray(a)      # NumPy sorts what is not ours, by fields too
    if kind is not None or order is not None:
        _check_kind(kind, stable, order)
    return _heddle._sort(a, axis, descending)


def argsort(a, axis=-1, kind=None, order=None, *, stable=None, descending=False):
    """The positions of the elements that sort() gives."""
    if kind is order is None and type(a) is ndarray and type(axis) is int and a.ndim:
        return _heddle._argsort(a, axis, descending)
    a = _checked(a, axis)
    _check_kind(kind, stable, order)
    return _heddle._argsort(a, axis, descending)


def _checked(a, axis):
    """What positions are asked of: a value without axes counts as one with axis 0."""
    if isinstance(axis, bool):
        raise TypeError(f"an integer is required for the axis, not {axis}")
    a = asarray(a)
    return a if a.ndim else a.reshape(1)


def _ranks(kth, kind, order):
    """Ranks as a tuple of ints."""
    if order is not None:
        raise ValueError("Cannot specify order when the array has no fields.")
    if not isinstance(kind, str):
        raise TypeError(f"select kind must be str, not {type(kind).__name__}")
    if kind != "introselect":
        raise ValueError(f"select kind must be 'introselect' (got {kind!r})")
    if isinstance(kth, int) and not isinstance(kth, bool):
        return (kth,)
    kth = asarray(kth)
    if kth.dtype.kind not in "iu" and kth.size:
        raise TypeError("Partition index must be integer")
    if kth.ndim > 1:
        raise ValueError("kth array must have dimension <= 1")
    return tuple(map(int, kth.ravel().tolist()))


def partition(a, kth, axis=-1, kind="introselect", order=None):
    """A copy with the elements of some ranks where sort() would put them.

    Smaller elements come before each of them and larger ones behind, in no order.
    """
    a = asarray(a)
    return _heddle._partition(a, _ranks(kth, kind, order), axis)


def argpartition(a, kth, axis=-1, kind="introselect", order=None):
    """The positions of the elements that a partition() gives."""
    a = _checked(a, axis)
    return _heddle._argpartition(a, _ranks(kth, kind, order), axis)


def sort_complex(a):
    """The sorted elements as complex numbers: complex64 for small integers, else complex128."""
    b = sort(a)
    if b.dtype.kind == "c":
        return b
    return b.astype("complex64" if b.dtype.char in "bhBH" else "complex128")


def lexsort(keys, axis=-1):
    """The positions that sort by several keys, of which the last one counts first."""
    keys = list(keys) if _is_array(keys) else [asarray(key) for key in keys]
    if not keys:
        raise TypeError("need sequence of keys with len > 0 in lexsort")
    if len({key.shape for key in keys}) > 1:
        raise ValueError("all keys need to be the same shape")
    if keys[0].ndim == 0:
        return asarray(0)[()]
    axis = normalize_axis(axis, keys[0].ndim)
    places = _heddle._argsort(keys[0], axis, False)
    if keys[0].ndim == 1:
        for key in keys[1:]:
            places = places[_heddle._argsort(key[places], axis, False)]
        return places

    def picked(x, at):
        return _along_axis(x, at, axis)
    for key in keys[1:]:
        places = picked(places, _heddle._argsort(picked(key, places), axis, False))
    return places


# ---- along an axis -------------------------------------------------------------------------------


def _index_along(shape, indices, axis):
    """The index that picks elements at positions along one axis."""
    if indices.dtype.kind not in "iu":
        raise IndexError("`indices` must be an integer array")
    if len(shape) != indices.ndim:
        raise ValueError("`indices` and `arr` must have the same number of dimensions")
    if len(shape) == 1:
        return indices
    key = []
    for ax, n in enumerate(shape):
        spread = (1,) * ax + (-1,) + (1,) * (len(shape) - ax - 1)
        key.append(indices if ax == axis else arange(n).reshape(spread))
    return tuple(key)


def _along_axis(arr, indices, axis):
    return arr[_index_along(arr.shape, indices, axis)]


def _along(arr, indices, axis):
    """The array, or its elements along one axis, the indices and the axis."""
    if axis is not None:
        return indices, normalize_axis(axis, arr.ndim)
    if indices.ndim != 1:
        raise ValueError("when axis=None, `indices` must have a single dimension.")
    return indices, 0


def take_along_axis(arr, indices, axis=-1):
    """The elements at positions along an axis, as argsort() and its like give them."""
    arr = asarray(arr)
    indices, axis_ = _along(arr, asarray(indices), axis)
    arr = arr.ravel() if axis is None else arr
    return _along_axis(arr, indices, axis_)


def put_along_axis(arr, indices, values, axis):
    """Writes values to positions along an axis of arr, which is changed."""
    arr = destination("put_along_axis()", arr)
    indices, axis_ = _along(arr, asarray(indices), axis)
    if axis is None:
        arr.flat[indices] = values
        return
    arr[_index_along(arr.shape, indices, axis_)] = values


# ---- looking up ----------------------------------------------------------------------------------


def _is_right(side):
    if not isinstance(side, str):
        raise TypeError(f"search side must be str, not {type(side).__name__}")
    if side not in ("left", "right"):
        raise ValueError(f"search side must be one of 'left' or 'right' (got {side!r})")
    return side == "right"


def searchsorted(a, v, side="left", sorter=None):
    """Where in an ascending vector elements can be put so that the order stays."""
    a, right = asarray(a), _is_right(side)
    if sorter is not None:
        sorter = asarray(sorter)
        if sorter.dtype.kind not in "iu":
            raise TypeError("sorter must only contain integers")
        if sorter.shape != a.shape:
            raise ValueError("sorter.size must equal a.size")
        if sorter.size and not 0 <= int(sorter.min()) <= int(sorter.max()) < a.size:
            raise ValueError("Sorter index out of range.")
        a = a[sorter]
    return _heddle._searchsorted(a, asarray(v), right)


def _direction(bins):
    """1 for bins that never fall, -1 for bins that never rise, else 0."""
    if bins.ndim != 1:
        raise ValueError("object too deep for desired array" if bins.ndim else
                         "object of too small depth for desired array")
    if bins.size < 2 or bool((bins[1:] >= bins[:-1]).all()):
        return 1
    return -1 if bool((bins[1:] <= bins[:-1]).all()) else 0


def digitize(x, bins, right=False):
    """The number of the bin that each element of x is in."""
    x, bins = asarray(x), asarray(bins)
    if x.dtype.kind == "c":
        raise TypeError("x may not be complex")
    if bins.dtype.kind == "c":
        raise TypeError("Cannot cast array data from complex to float64 according to the rule "
                        "'safe'")
    direction = _direction(bins)
    if direction == 0:
        raise ValueError("bins must be monotonically increasing or decreasing")
    side = "left" if right else "right"
    if direction > 0:
        return searchsorted(bins, x, side)
    return len(bins) - searchsorted(bins[::-1], x, side)


# ---- counting ------------------------------------------------------------------------------------


def bincount(x, /, weights=None, minlength=0):
    """How often each of 0, 1, ... is in x, or the sums of the weights of each.

    Waits for x, whose largest element decides the shape.
    """
    if not _is_array(x):
        x = asarray(x)
        if x.size == 0 and x.ndim == 1:
            x = x.astype(int)
    weights = None if weights is None else asarray(weights)
    return _heddle._bincount(x, weights, index(minlength))


# ---- methods of the array ------------------------------------------------------------------------

def _replace(self, axis, ordered):
    """self = ordered(self, axis). Lines that meet in memory come one after the other, and each
    finds what those before it have left."""
    if not _overlaps_itself(self):
        copyto(self, ordered(self, axis))
        return
    lines = moveaxis(self, normalize_axis(axis, self.ndim), -1)
    for place in product(*map(range, lines.shape[:-1])):
        copyto(lines[place], ordered(lines[place], -1))


def _sort_method(self, axis=-1, kind=None, order=None, *, stable=None, descending=False):
    """Sorts the array in place."""
    if not self._flag_bits & _heddle.WRITEABLE:
        raise ValueError("sort array is read-only")
    _replace(self, index(axis), lambda x, axis: sort(x, axis, kind, order, stable=stable,
                                                     descending=descending))


def _partition_method(self, kth, axis=-1, kind="introselect", order=None):
    """partition() in place."""
    if not self.flags.writeable:
        raise ValueError("partition array is read-only")
    _replace(self, index(axis), lambda x, axis: partition(x, kth, axis, kind, order))


ndarray.sort = _sort_method
ndarray.partition = _partition_method
ndarray.argsort = argsort
ndarray.argpartition = argpartition
ndarray.searchsorted = searchsorted
