# SPDX-License-Identifier: BSD-3-Clause
"""Elements taken from and put to positions along an axis, and repeated."""
from . import _heddle
from ._functions import integer_axis as _axis
from ._heddle import _is_array, asarray, copyto, elementwise, empty, expand_dims, ndarray
from ._outputs import aside, deliver, destination, put_back

__all__ = ["put", "repeat", "take"]

_clip, _few_repeat = elementwise["clip"][0], _heddle._few_repeat


def _positions(given, casting):
    """Positions as an array of integers. What is no array is cast to them, truth values and whole
    floats too; arrays are by the casting rule."""
    if _is_array(given) or hasattr(given, "dtype") and getattr(given, "ndim", 0):
        x = asarray(given)
        if x.dtype.kind in "iu":
            return x
        import numpy
        if not numpy.can_cast(x.dtype, "i8", casting):
            raise TypeError(f"Cannot cast array data from {x.dtype!r} to dtype('int64') according "
                            f"to the rule '{casting}'")
        return x.astype("i8")
    return asarray(given, "i8")


def _wrapped(indices, n, mode):
    """Integer positions as mode says: 'raise' leaves them to be checked."""
    if mode == "raise":
        return indices
    if mode == "wrap":
        return indices % n
    if mode == "clip":
        return _clip(indices, 0, n - 1)
    raise ValueError(f"clipmode must be one of 'clip', 'raise', or 'wrap' (got {mode!r})")


def take(a, indices, axis=None, out=None, mode="raise"):
    """The elements at some positions along an axis."""
    a = asarray(a)
    if axis is None:
        a, axis = a if a.ndim == 1 else a.ravel(), 0
    else:
        axis = _axis(axis, a.ndim)
    if type(indices) is not int:
        indices = _positions(indices, "same_kind")
        if indices.ndim == 0:
            indices = int(indices)
    if mode != "raise":
        indices = _wrapped(indices, a.shape[axis], mode)
    result = a[(slice(None),) * axis + (indices,) if axis else indices]
    if not _is_array(result):     # one element, as NumPy's scalar
        return result if out is None else deliver(out, asarray(result))
    if isinstance(indices, int) or not result._flag_bits & _heddle.C_CONTIGUOUS:
        result = result.copy()
    return deliver(out, result)     # cast whatever it is, as by NumPy 2.5


def put(a, ind, v, mode="raise"):
    """a.flat[ind] = v, where v is repeated as often as needed."""
    if type(ind) is int and type(v) is float and mode == "raise" and type(a) is ndarray:
        if a.ndim == 1 and a.dtype.kind == "f":
            a[ind] = v
            return
    whole = destination("put()", a)
    a = aside(whole)
    positions = _wrapped(_positions(ind, "safe").ravel(), a.size, mode)
    values = asarray(v, a.dtype).ravel()
    if positions.size == 0 or values.size == 0:
        return
    if values.size != positions.size:
        import numpy
        values = values[numpy.arange(positions.size) % values.size]
    if a.flags.c_contiguous:
        a.reshape(-1)[positions] = values
        put_back(whole, a)
        return
    if (positions >= a.size).any() or (positions < -a.size).any():
        raise IndexError(f"index {positions.max().item()} is out of bounds for axis 0 with size "
                         f"{a.size}")
    positions, coordinates = positions % a.size, []
    for n in reversed(a.shape):
        coordinates.insert(0, positions % n)
        positions = positions // n
    a[tuple(coordinates)] = values


def _repeat_all(a, n, axis):
    """Each element n times, in one pass over memory."""
    shape = a.shape
    before, length, after = shape[:axis], shape[axis], shape[axis + 1:]
    if n < 0 and length:
        raise ValueError("negative dimensions are not allowed")
    r = empty((*before, length * n, *after), a.dtype, device=a.device)
    if r.size:
        copyto(r.reshape((*before, length, n, *after)), expand_dims(a, axis + 1))
    return r


def repeat(a, repeats, axis=None):
    """Each element, or each slice along an axis, several times."""
    if axis is None and (result := _few_repeat(a, repeats)) is not None:
        return result
    a = asarray(a)
    if axis is None or a.ndim == 0:
        axis = 0 if axis is None else _axis(axis, 1)
        a = a if a.ndim == 1 else a.ravel()
    else:
        axis = _axis(axis, a.ndim)
    if type(repeats) is int:
        return _repeat_all(a, repeats, axis)
    if (places := _heddle._few_repeated(repeats)) is not None:
        if repeats.shape[0] == a.shape[axis] != 1:
            return take(a, places, axis)
    import numpy
    counts = numpy.asarray(repeats)
    is_array = isinstance(repeats, numpy.ndarray) or _is_array(repeats) and counts.ndim
    if counts.dtype.kind == "c" or is_array and not numpy.can_cast(counts.dtype, numpy.int64):
        raise TypeError(f"Cannot cast array data from {counts.dtype!r} to dtype('int64') according "
                        "to the rule 'safe'")
    counts = counts.astype(numpy.int64)
    if counts.ndim > 1:
        raise ValueError("object too deep for desired array")
    if counts.size == 1:
        return _repeat_all(a, counts.item(), axis)
    return take(a, numpy.repeat(numpy.arange(a.shape[axis]), counts), axis)
