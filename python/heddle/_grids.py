# SPDX-License-Identifier: BSD-3-Clause
"""Grids of coordinates, indices as expressions, and sequences by ratio."""
import math
from operator import index

from . import _heddle
from ._creation import arange, linspace
from ._functions import beside, broadcast_arrays, integers, moveaxis, ndim, result_type
from ._handing import hand_over
from ._heddle import (_is_array, NotOurs, array, asarray, concatenate, elementwise, empty,
                      expand_dims, zeros)

__all__ = ["c_", "fromfunction", "geomspace", "index_exp", "indices", "ix_", "logspace",
           "meshgrid", "mgrid", "ndenumerate", "ogrid", "r_", "ravel_multi_index", "s_",
           "unravel_index"]

_log10, _power, _sign = (elementwise[name][0] for name in ("log10", "power", "sign"))


# ---- grids ---------------------------------------------------------------------------------------


def _on_axis(x, axis, nd):
    """A vector along one of nd axes, the others of extent 1."""
    return x.reshape((1,) * axis + (-1,) + (1,) * (nd - axis - 1))


def meshgrid(*xi, copy=True, sparse=False, indexing="xy"):
    """The coordinates on a grid that vectors span: for each of them an array of all axes."""
    if indexing not in ("xy", "ij"):
        raise ValueError("Valid values for `indexing` are 'xy' and 'ij'.")
    nd = len(xi)
    places = [1, 0, *range(2, nd)] if indexing == "xy" and nd > 1 else range(nd)
    grid = tuple(_on_axis(asarray(x), axis, nd) for x, axis in zip(xi, places))
    if not sparse:
        grid = broadcast_arrays(*grid)
    return tuple(x.copy() for x in grid) if copy else grid


def indices(dimensions, dtype=int, sparse=False):
    """The positions in an array of some shape: one array per axis."""
    shape = tuple(map(index, dimensions))
    grid = tuple(_on_axis(arange(n, dtype=dtype), axis, len(shape)) for axis, n in enumerate(shape))
    if sparse:
        return grid
    result = empty((len(shape), *shape), dtype)
    for axis, x in enumerate(grid):
        result[axis] = x
    return result


def fromfunction(function, shape, *, dtype=float, like=None, **kwargs):
    """function(*coordinates, **kwargs): called once, with an array of the positions along each
    axis."""
    return function(*indices(shape, dtype), **kwargs)


def ix_(*args):
    """The vectors as an index that takes all of their combinations: vector k along axis k. A mask
    stands for the positions where it is true."""
    result = []
    for axis, x in enumerate(args):
        given, x = x, asarray(x)
        if x.size == 0 and not _is_array(given) and not hasattr(given, "dtype"):
            x = x.astype(int)
        if x.ndim != 1:
            raise ValueError("Cross index must be 1 dimensional")
        if x.dtype.kind == "b":
            x, = x.nonzero()
        result.append(_on_axis(x, axis, len(args)) if x.size else
                      x.reshape((1,) * axis + (0,) + (1,) * (len(args) - axis - 1)))
    return tuple(result)


def _is_complex(step):
    """Whether a step is a number of points: a complex number, also one that is an array's element."""
    return isinstance(step, complex) or getattr(getattr(step, "dtype", None), "kind", "") == "c"


class _Grid:
    """mgrid and ogrid: slices as grids. start:stop:step as arange() has it, start:stop:nj as n
    numbers of which stop is the last."""

    def __init__(self, sparse):
        self._sparse = sparse

    def __repr__(self):
        return f"heddle.{'ogrid' if self._sparse else 'mgrid'}"

    @staticmethod
    def _axis(part):
        """(number of points, start, step, what decides the dtype)."""
        start = 0 if part.start is None else part.start
        step = 1 if part.step is None else part.step
        if not _is_complex(step):
            return math.ceil((part.stop - start) / step), start, step, (start, part.stop, step)
        n = int(abs(step))
        step = (part.stop - start) / float(n - 1) if n != 1 else 1
        return n, start, step, (start, part.stop, float(n))

    def __getitem__(self, key):
        if isinstance(key, slice):
            return self._vector(key)
        axes = [self._axis(part) for part in key]
        if any(n < 0 for n, *_ in axes) and not self._sparse:
            raise ValueError("negative dimensions are not allowed: a slice ends before it starts")
        dtype = result_type(0, *(value for axis in axes for value in axis[3]))
        grid = [arange(max(n, 0), dtype=dtype) * step + start for n, start, step, _ in axes]
        grid = [_on_axis(x, axis, len(axes)) if x.size else
                x.reshape((1,) * axis + (0,) + (1,) * (len(axes) - axis - 1))
                for axis, x in enumerate(grid)]
        if self._sparse:
            return tuple(grid)
        result = empty((len(axes), *(x.size for x in grid)), dtype)
        for axis, x in enumerate(grid):
            result[axis] = x
        return result

    def _vector(self, key):
        n, start, step, values = self._axis(key)
        if _is_complex(key.step):
            return arange(n, dtype=result_type(*values)) * step + start
        return arange(start, key.stop, step)


mgrid, ogrid = _Grid(False), _Grid(True)


# ---- indices as expressions ----------------------------------------------------------------------


class _IndexExpression:
    """s_[1:3, ...] is the index that stands in the brackets; index_exp makes it a tuple always."""

    def __init__(self, tuples):
        self._tuples = tuples

    def __getitem__(self, key):
        return (key,) if self._tuples and not isinstance(key, tuple) else key


index_exp, s_ = _IndexExpression(True), _IndexExpression(False)


class _Joiner:
    """r_ and c_: arrays, numbers and slices joined by brackets.

    A slice start:stop:step is arange(), start:stop:nj is linspace() of n numbers. A text in the
    first place says "axis", "axis,ndmin" or "axis,ndmin,where the axes of smaller arrays go".
    """

    def __init__(self, name, axis, ndmin, place):
        self._name, self._settings = name, (axis, ndmin, place)

    def __repr__(self):
        return f"heddle.{self._name}"

    def __len__(self):
        return 0

    @staticmethod
    def _directive(text, settings):
        if text in ("r", "c"):
            raise NotOurs(f"r_[{text!r}, ...] makes a matrix, which heddle has not")
        try:
            given = tuple(map(int, text.split(",")))
        except ValueError:
            raise ValueError(f"unknown special directive {text!r}") from None
        if len(given) > 3:
            raise ValueError(f"unknown special directive {text!r}")
        return given + settings[len(given):]

    @staticmethod
    def _from_slice(part, ndmin, place):
        start = 0 if part.start is None else part.start
        step = 1 if part.step is None else part.step
        if _is_complex(step):
            x = linspace(start, part.stop, num=int(abs(step)))
        else:
            x = arange(start, part.stop, step)
        x = array(x, copy=None, ndmin=ndmin)
        return x.swapaxes(-1, place) if ndmin > 1 and place != -1 else x

    @staticmethod
    def _from_array(item, ndmin, place):
        x = array(item, copy=None, ndmin=ndmin)
        new = ndmin - ndim(item)
        if place == -1 or new <= 0:
            return x
        place += new + 1 if place < 0 else 0
        axes = list(range(ndmin))
        return x.transpose(axes[:place] + axes[new:] + axes[place:new])

    def __getitem__(self, key):
        try:
            return self._joined(key)
        except NotOurs as e:
            return hand_over(f"{self._name}.__getitem__", (key,), {}, e)

    def _joined(self, key):
        settings, parts, dtypes = self._settings, [], []
        for k, item in enumerate(key if isinstance(key, tuple) else (key,)):
            if isinstance(item, str):
                if k:
                    raise ValueError("special directives must be the first entry.")
                settings = self._directive(item, settings)
                continue
            _, ndmin, place = settings
            if isinstance(item, slice):
                parts.append(self._from_slice(item, ndmin, place))
            elif type(item) in (int, float, complex, bool):
                parts.append(item)
            else:
                parts.append(self._from_array(item, ndmin, place))
            dtypes.append(parts[-1])
        if parts:
            dtype = result_type(*dtypes)
            parts = [array(part, dtype, copy=None, ndmin=settings[1]) for part in beside(*parts)]
        return concatenate(parts, settings[0])


r_, c_ = _Joiner("r_", 0, 1, -1), _Joiner("c_", -1, 2, 0)


class ndenumerate:
    """Iterates over (position, element) of an array, in C order.

    Parameters
    ----------
    arr : array_like
        The array.

    See Also
    --------
    flatiter, indices

    Examples
    --------
    >>> import heddle as np
    >>> [(position, int(x)) for position, x in np.ndenumerate([[1, 2], [3, 4]])]
    [((0, 0), 1), ((0, 1), 2), ((1, 0), 3), ((1, 1), 4)]
    """

    def __init__(self, arr):
        from itertools import product
        arr = asarray(arr)
        self._pairs = zip(product(*map(range, arr.shape)), arr.flat)

    def __next__(self):
        return next(self._pairs)

    def __iter__(self):
        return self._pairs      # which goes on where __next__() is


# ---- flat positions ------------------------------------------------------------------------------


def _whole_numbers(x, what):
    given, x = x, asarray(x)
    if x.dtype.kind not in "iu":
        empty = not x.size and not _is_array(given)
        raise TypeError(f"{what} must be integral" + (
            ": the provided empty sequence was inferred as float. Wrap it with "
            "'np.array(indices, dtype=np.intp)'" if empty else f", not {x.dtype}"))
    return x.astype(int, copy=False)


def _outside(x, n):
    """Where is an int64 none of 0 ... n - 1?"""
    return x.astype("u8") >= n      # those below 0 become the largest


def _scalar_if(x, given):
    """A NumPy-like scalar where the argument was a number."""
    plain = x.ndim == 0 and (not _is_array(given) or _heddle._is_scalar(given))
    return x[()] if plain else x


def _by_stride(order, shape):
    """The axes from the one whose position changes last to the one that changes first."""
    if order not in ("C", "F"):
        raise ValueError("only 'C' or 'F' order is permitted")
    return range(len(shape)) if order == "C" else range(len(shape) - 1, -1, -1)


def _size_of(dims):
    size = math.prod(dims)
    if size >= 2**63:
        raise ValueError("invalid dims: array size defined by dims is larger than the maximum "
                         "possible size.")
    return size


def unravel_index(indices, shape, order="C"):
    """The positions of elements along each axis from their numbers in the flattened array."""
    if order == "C" and (places := _heddle._few_unraveled(indices, shape)) is not None:
        return places
    shape = integers(shape)
    axes = _by_stride(order, shape)
    flat = _whole_numbers(indices, "indices")
    size = _size_of(shape)
    if flat.size and bool(_outside(flat, size).any()):
        worst = flat.ravel()[_outside(flat, size).ravel().argmax()].item()
        raise ValueError(f"index {worst} is out of bounds for array with size {size}")
    if not shape and flat.ndim and flat.size:
        raise ValueError("multiple indices are not supported for 0d array")
    result = [None] * len(shape)
    for ax in axes[:0:-1]:
        result[ax] = _scalar_if(flat % (shape[ax] or 1), indices)
        flat = flat // (shape[ax] or 1)
    if shape:       # what is left is a position already
        result[axes[0]] = _scalar_if(flat.copy() if len(shape) == 1 else flat, indices)
    return tuple(result)


def _folded(x, n, mode):
    """Positions along an axis as the mode says; ValueError where it says nothing."""
    if mode not in ("raise", "wrap", "clip"):
        raise ValueError(f"clipmode must be one of 'clip', 'raise', or 'wrap' (got {mode!r})")
    if n and mode == "wrap":
        return x % n
    if n and mode == "clip":
        return elementwise["clip"][0](x, 0, n - 1)
    if x.size and bool(_outside(x, n).any()):
        raise ValueError(f"invalid entry in coordinates array: the axis has {n} positions")
    return x


def ravel_multi_index(multi_index, dims, mode="raise", order="C"):
    """The numbers of elements in the flattened array from their positions along each axis."""
    if mode == "raise" and order == "C":
        if (places := _heddle._few_raveled(multi_index, dims)) is not None:
            return places
    dims = integers(dims)
    parts = tuple(multi_index)
    if len(parts) != len(dims):
        raise ValueError(f"parameter multi_index must be a sequence of length {len(dims)}")
    modes = (mode,) * len(dims) if isinstance(mode, str) else tuple(mode)
    if len(modes) != len(dims):
        raise ValueError(f"there are {len(modes)} modes for {len(dims)} axes")
    _size_of(dims)
    places, result = [_whole_numbers(part, "multi_index") for part in parts], 0
    places = broadcast_arrays(*places)      # where one has none, the others are not looked at
    for ax in _by_stride(order, dims):
        result = result * dims[ax] + _folded(places[ax], dims[ax], modes[ax])
    arrays = any(_is_array(p) and not _heddle._is_scalar(p) for p in parts)
    return result if arrays or result.ndim else result[()]


# ---- sequences -----------------------------------------------------------------------------------


def logspace(start, stop, num=50, endpoint=True, base=10.0, dtype=None, axis=0):
    """base ** linspace(start, stop, ...): numbers the same ratio apart."""
    if not isinstance(base, (int, float)) and ndim(base):
        nd = max(map(ndim, (start, stop, base)))
        start, stop, base = (array(x, copy=None, ndmin=nd) for x in beside(start, stop, base))
        base = expand_dims(base, axis)
    y = _power(base, linspace(start, stop, num, endpoint, axis=axis))
    return y if dtype is None else y.astype(dtype, copy=False)


def geomspace(start, stop, num=50, endpoint=True, dtype=None, axis=0):
    """num numbers from start to stop, the same ratio apart."""
    start, stop = beside(start, stop)
    if bool((start == 0).any()) or bool((stop == 0).any()):
        raise ValueError("Geometric sequence cannot include zero")
    inexact = result_type(start, stop, float(num), zeros((), dtype if dtype is not None else float))
    start, stop = start.astype(inexact), stop.astype(inexact)
    direction = _sign(start)    # turned to the positive real axis and back: exact for reals
    start, stop = start / direction, stop / direction
    result = logspace(_log10(start), _log10(stop), num, endpoint, dtype=inexact)
    if num > 0:
        result[0] = start
        if num > 1 and endpoint:
            result[-1] = stop
    result = moveaxis(result * direction, 0, axis)
    return result.astype(inexact if dtype is None else dtype, copy=False)
