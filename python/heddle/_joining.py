# SPDX-License-Identifier: BSD-3-Clause
"""Arrays cut into pieces, and put together from pieces: NumPy's functions over views and copies."""
from operator import index

from . import _heddle
from ._creation import is_sequence, zeros_like
from ._functions import _axis_tuple, beside, integers, moveaxis, normalize_axis
from ._heddle import _is_array, _tile, array, asarray, broadcast_to, concatenate, empty, ndarray

__all__ = ["append", "array_split", "block", "bmat", "delete", "dsplit", "hsplit", "insert",
           "resize", "row_stack", "split", "tile", "trim_zeros", "unstack", "vsplit"]


def along(axis, key):
    """The index that takes key along one axis and everything along those before and after it."""
    return (slice(None),) * axis + (key,)


# ---- pieces --------------------------------------------------------------------------------------


def unstack(x, /, *, axis=0):
    """Views of the array at each position along an axis, as a tuple."""
    x = asarray(x)
    if x.ndim == 0:
        raise ValueError("Input array must be at least 1-d.")
    axis = normalize_axis(axis, x.ndim)
    return tuple(x[along(axis, k)] for k in range(x.shape[axis]))


def _bounds(cuts, n):
    """Where pieces of n elements start and end: at the cuts, or cuts pieces about as long."""
    if is_sequence(cuts):
        inner = [None if c is None else index(c) for c in cuts]
        return [0, *inner], [*inner, n]
    pieces = int(cuts)
    if pieces <= 0:
        raise ValueError("number sections must be larger than 0.")
    length, longer = divmod(n, pieces)
    edges = [n] * (pieces + 1)  # what there is no memory for is refused here
    for k in range(pieces):
        edges[k] = k * length + min(k, longer)
    return edges[:-1], edges[1:]


def array_split(ary, indices_or_sections, axis=0):
    """Views of an array cut along an axis: before each of the positions, or into a number of
    pieces of which the first may be longer by one."""
    ary = asarray(ary)
    if not ary.ndim:
        raise IndexError("array_split: a 0-dimensional array has no axis to split")
    axis = normalize_axis(axis, ary.ndim)
    return [ary[along(axis, slice(start, stop))]
            for start, stop in zip(*_bounds(indices_or_sections, ary.shape[axis]))]


def split(ary, indices_or_sections, axis=0):
    """Views of an array cut along an axis: before each of the positions, or into pieces of one
    length."""
    ary = asarray(ary)
    if not is_sequence(indices_or_sections):
        if ary.ndim and ary.shape[axis] % indices_or_sections:
            raise ValueError("array split does not result in an equal division")
    return array_split(ary, indices_or_sections, axis)


def _need_axes(name, ary, nd):
    ary = asarray(ary)
    if ary.ndim < nd:
        raise ValueError(f"{name} only works on arrays of {nd} or more dimensions")
    return ary


def hsplit(ary, indices_or_sections):
    """split() side by side: along axis 1, of a vector along axis 0."""
    ary = _need_axes("hsplit", ary, 1)
    return split(ary, indices_or_sections, 1 if ary.ndim > 1 else 0)


def vsplit(ary, indices_or_sections):
    """split() into groups of rows: along axis 0, of an array of two axes or more."""
    return split(_need_axes("vsplit", ary, 2), indices_or_sections, 0)


def dsplit(ary, indices_or_sections):
    """split() along axis 2, of an array of three axes or more."""
    return split(_need_axes("dsplit", ary, 3), indices_or_sections, 2)


# ---- the same elements over and over -------------------------------------------------------------


def tile(A, reps):
    """The array repeated along each axis; a new axis for each number more than it has."""
    A = asarray(A)
    reps = integers(reps)
    shape = (1,) * (len(reps) - A.ndim) + A.shape
    reps = (1,) * (len(shape) - len(reps)) + reps
    if any(r < 0 for r in reps):
        raise ValueError(f"repeats may not contain negative values: {reps}")
    if all(r == 1 for r in reps):
        return array(A, copy=True, ndmin=len(shape))
    return _tile(A, *reps)


def resize(a, new_shape):
    """The elements in C order, repeated as often as needed, in a new shape; zeros if there are
    none."""
    a = asarray(a)
    shape, size = integers(new_shape), 1
    for n in shape:
        if n < 0:
            raise ValueError("all elements of `new_shape` must be non-negative")
        size *= n
    if a.size == 0 or size == 0:
        return zeros_like(a, order="C", shape=shape)
    times = -(-size // a.size)
    a = a.ravel()
    if times > 1:
        a = broadcast_to(a, (times, a.size)).reshape(-1)
    return a[:size].copy().reshape(shape)


# ---- more elements, or fewer ---------------------------------------------------------------------


def append(arr, values, axis=None):
    """The array with values after it along an axis."""
    if axis is None:
        return concatenate([x.ravel() for x in beside(arr, values)])
    return concatenate(beside(arr, values), axis)


def _flat_or_axis(arr, axis):
    arr = asarray(arr)
    if axis is None:
        return arr.ravel(), 0
    return arr, normalize_axis(axis, arr.ndim)


def _order_of(arr):
    order = arr._flag_bits & (_heddle.F_CONTIGUOUS | _heddle.C_CONTIGUOUS)
    return "F" if order == _heddle.F_CONTIGUOUS else "C"


def _positions(obj, n, name):
    """A numpy array of the positions that obj stands for along an axis of n elements."""
    import numpy
    if isinstance(obj, slice):
        return numpy.arange(*obj.indices(n))
    given = obj
    obj = numpy.asarray(obj)
    if obj.dtype == bool:
        if obj.ndim != 1:
            raise ValueError(f"boolean array argument obj to {name} must be one dimensional")
        return numpy.flatnonzero(obj)
    if obj.ndim > 1 and name == "insert":
        raise ValueError("index array argument obj to insert must be one dimensional or scalar")
    if obj.size == 0 and not isinstance(given, (numpy.ndarray, ndarray)):
        obj = obj.astype(numpy.intp)
    if obj.dtype.kind not in "iu":
        raise IndexError(f"{name}: positions must be integers, or a slice, or one bool per "
                         f"element, not {obj.dtype}")
    return obj


def _check_position(k, n, axis, given):
    if not -n <= k <= n:
        raise IndexError(f"index {given} is out of bounds for axis {axis} with size {n}")


def insert(arr, obj, values, axis=None):
    """The array with values put in before positions along an axis."""
    arr, axis = _flat_or_axis(arr, axis)
    n = arr.shape[axis]
    positions = _positions(obj, n, "insert")
    if positions.size == 1:
        return _insert_at(arr, positions.item(), positions.ndim == 0, values, axis, obj)
    import numpy
    positions = positions.astype(numpy.intp)
    for k in positions.tolist():
        _check_position(k, n, axis, k)
    positions[positions < 0] += n
    order = positions.argsort(kind="stable")
    positions[order] += numpy.arange(positions.size)
    shape = list(arr.shape)
    shape[axis] += positions.size
    old = numpy.ones(shape[axis], bool)
    old[positions] = False
    new = empty(tuple(shape), arr.dtype, _order_of(arr), device=arr.device)
    new[along(axis, positions)] = values
    new[along(axis, numpy.flatnonzero(old))] = arr
    return new


def _insert_at(arr, position, scalar, values, axis, given):
    """insert() before one position; a scalar position takes values without the axis."""
    n = arr.shape[axis]
    _check_position(position, n, axis, given)
    position += n if position < 0 else 0
    if not isinstance(values, (int, float, complex, list, tuple)):
        values = beside(arr, values)[1]
    values = array(values, arr.dtype, copy=None, ndmin=arr.ndim, device=arr.device)
    if scalar:
        values = moveaxis(values, 0, axis)
    more = values.shape[axis]
    shape = list(arr.shape)
    shape[axis] += more
    new = empty(tuple(shape), arr.dtype, _order_of(arr), device=arr.device)
    new[along(axis, slice(None, position))] = arr[along(axis, slice(None, position))]
    new[along(axis, slice(position, position + more))] = values
    new[along(axis, slice(position + more, None))] = arr[along(axis, slice(position, None))]
    return new


_ONLY_INTS, _FEW = frozenset((int,)), 100


def _without(arr, position, axis):
    """delete() of one position."""
    n = arr.shape[axis]
    if not -n <= position < n:
        raise IndexError(f"index {position} is out of bounds for axis {axis} with size {n}")
    position += n if position < 0 else 0
    if arr.ndim == 1:
        return concatenate((arr[:position], arr[position + 1:]))
    shape = list(arr.shape)
    shape[axis] -= 1
    new = empty(tuple(shape), arr.dtype, _order_of(arr), device=arr.device)
    if position > 0:
        before = along(axis, slice(None, position))
        new[before] = arr[before]
    if position + 1 < n:
        new[along(axis, slice(position, None))] = arr[along(axis, slice(position + 1, None))]
    return new


def delete(arr, obj, axis=None):
    """The array without some positions along an axis."""
    arr, axis = _flat_or_axis(arr, axis)
    n = arr.shape[axis]
    if type(obj) is int:
        return _without(arr, obj, axis)
    if type(obj) is list and n <= _FEW and len(obj) > 1 and _ONLY_INTS.issuperset(map(type, obj)):
        gone = {k + n if k < 0 else k for k in obj}
        if min(gone) >= 0 and max(gone) < n:
            return arr[along(axis, [k for k in range(n) if k not in gone])]
    if isinstance(obj, (list, tuple)) and any(type(k) is bool for k in obj):
        obj = asarray(obj)
    if getattr(obj, "dtype", None) == bool and getattr(obj, "shape", None) != (n,):
        raise ValueError("boolean array argument obj to delete must be one dimensional and match "
                         f"the axis length of {n}")
    positions = _positions(obj, n, "delete")
    import numpy
    for k in positions.ravel().tolist():
        if not -n <= k < n:
            raise IndexError(f"index {k} is out of bounds for axis {axis} with size {n}")
    keep = numpy.ones(n, bool)
    keep[positions] = False
    kept = numpy.flatnonzero(keep)
    if positions.size != 1 and not isinstance(obj, slice):
        return arr[along(axis, kept)]
    shape = list(arr.shape)
    shape[axis] = kept.size
    new = empty(tuple(shape), arr.dtype, _order_of(arr), device=arr.device)
    ends = numpy.flatnonzero(numpy.diff(kept) != 1) + 1     # where a run of neighbours ends
    if ends.size > 1:
        new[...] = arr[along(axis, kept)]
        return new
    edges = [0, *ends.tolist(), kept.size]
    for start, stop in zip(edges, edges[1:]):
        if start < stop:
            run = slice(int(kept[start]), int(kept[stop - 1]) + 1)
            new[along(axis, slice(start, stop))] = arr[along(axis, run)]
    return new


def trim_zeros(filt, trim="fb", axis=None):
    """View without the zeros at the front (f), the back (b) or both, along one, some or all axes.

    Looks at the elements, so it waits for them. Of a list of numbers it gives a list.
    """
    given, filt = filt, asarray(filt)
    trim = trim.lower()
    if trim not in ("fb", "bf", "f", "b"):
        raise ValueError(f"unexpected character(s) in `trim`: {trim!r}")
    axes = range(filt.ndim) if axis is None else _axis_tuple(axis, filt.ndim, "axis")
    key = [slice(None)] * filt.ndim
    true = filt != 0
    for ax in axes:
        others = tuple(k for k in range(filt.ndim) if k != ax)
        line = true.any(others) if others else true
        if not line.any():
            start = stop = 0
        else:
            start = int(line.argmax())
            stop = line.shape[0] - int(line[::-1].argmax())
            start, stop = start if "f" in trim else 0, stop if "b" in trim else None
        key[ax] = slice(start, stop)
    if isinstance(given, (list, tuple, range)) and filt.ndim == 1:
        return given[key[0]]
    return filt[tuple(key)]


# ---- blocks --------------------------------------------------------------------------------------


def row_stack(tup, *, dtype=None, casting="same_kind"):
    """vstack() by its old name, which NumPy has deprecated."""
    from warnings import warn
    from ._functions import vstack
    warn("`row_stack` alias is deprecated. Use `np.vstack` directly.", DeprecationWarning,
         stacklevel=2)
    return vstack(tup, dtype=dtype, casting=casting)


def _depth(arrays, where):
    """How deep lists are nested; ValueError unless everything lies at one depth."""
    if isinstance(arrays, tuple):
        raise TypeError(f"{where} is a tuple. Only lists can be used to arrange blocks, and "
                        "np.block does not allow implicit conversion from tuple to ndarray.")
    if not isinstance(arrays, list):
        return 0
    if not arrays:
        raise ValueError(f"List at {where} cannot be empty")
    depths = [_depth(a, f"{where}[{k}]") for k, a in enumerate(arrays)]
    for k, d in enumerate(depths):
        if d != depths[0]:
            raise ValueError(f"List depths are mismatched. First element was at depth "
                             f"{depths[0] + 1}, but there is an element at depth {d + 1} "
                             f"({where}[{k}])")
    return depths[0] + 1


def _leaves(arrays):
    if isinstance(arrays, list):
        for a in arrays:
            yield from _leaves(a)
    else:
        yield asarray(arrays)


def block(arrays):
    """One array from nested lists of blocks: the innermost lists are joined along the last axis,
    those around them along the one before it, and so on."""
    depth = _depth(arrays, "arrays")
    nd = max(depth, *(a.ndim for a in _leaves(arrays)), 0)

    def joined(blocks, level):
        if level == depth:
            return array(blocks, ndmin=nd, copy=True if depth == 0 else None)
        return concatenate([joined(b, level + 1) for b in blocks], nd - depth + level)
    return joined(arrays, 0)


# ---- matrices, which are NumPy's -----------------------------------------------------------------


def _numpys(x):
    if isinstance(x, (list, tuple)):
        return type(x)(map(_numpys, x))
    return x.__array__() if _is_array(x) else x


def bmat(obj, ldict=None, gdict=None):
    """A numpy.matrix from blocks: rows of arrays in lists, or a text of names of arrays, which are
    the caller's unless gdict and ldict have them."""
    import numpy
    if isinstance(obj, str) and gdict is None:
        from sys import _getframe
        frame = _getframe(1)
        ldict, gdict = frame.f_locals, frame.f_globals
    return numpy.bmat(_numpys(obj), ldict, gdict)
