# SPDX-License-Identifier: BSD-3-Clause
"""What an object is, and arrays that are required to be something."""
import math

from . import _heddle
from ._functions import beside, broadcast_shapes, integer_axis, kind_of, limits_of
from ._heddle import array, asarray, broadcast_to, concatenate, elementwise, empty, zeros
from ._joining import along

__all__ = ["array2string", "array_equiv", "asanyarray", "asarray_chkfinite", "broadcast",
           "common_type", "isfortran", "iterable", "packbits", "real_if_close", "require",
           "unpackbits"]

asanyarray = _heddle.asanyarray
_absolute, _isfinite, _not_equal, _right_shift = (
    elementwise[name][0] for name in ("absolute", "isfinite", "not_equal", "right_shift"))


# ---- questions -----------------------------------------------------------------------------------


def iterable(y):
    """Can it be iterated over?"""
    try:
        iter(y)
    except TypeError:
        return False
    return True


def isfortran(a):
    """Is the array in Fortran order and not in C order?"""
    return a.flags.fnc


def array_equiv(a1, a2):
    """Have two arrays the same elements after broadcasting one to the other's shape?"""
    try:
        a1, a2 = asarray(a1), asarray(a2)
    except _heddle.NotOurs:     # which is a TypeError
        raise
    except (TypeError, ValueError):
        return False
    try:
        broadcast_shapes(a1.shape, a2.shape)
    except ValueError:
        return False
    return bool(asarray(a1 == a2).all())


class broadcast:
    """What several arrays broadcast to: its shape, ndim and size; iterates over tuples of their
    elements."""

    def __init__(self, *arrays, **refused):
        if refused:
            raise ValueError("keyword arguments not accepted")
        given, arrays = arrays, []      # those of another broadcast are as good as one by one
        for x in given:
            arrays += x._given if isinstance(x, broadcast) else beside(x)
        if len(arrays) > 64:
            raise ValueError("Need at least 0 and at most 64 array objects.")
        self._given = arrays
        self.shape = broadcast_shapes(*(a.shape for a in arrays))
        self.ndim = self.nd = len(self.shape)
        self.numiter, self.size = len(arrays), math.prod(self.shape)
        self._arrays = [a if a.shape == self.shape else broadcast_to(a, self.shape)
                        for a in arrays]
        self.reset()

    @property
    def iters(self):
        """An iterator over the elements of each array."""
        return tuple(a.flat for a in self._arrays)

    def reset(self):
        """Starts again at the first elements."""
        self.index, self._elements = 0, zip(*self.iters)

    def __iter__(self):
        return self

    def __next__(self):
        elements = next(self._elements, None)
        if elements is None:
            raise StopIteration
        self.index += 1
        return elements


def common_type(*arrays):
    """The floating-point type that holds the elements of all arrays: float64 for integers."""
    import numpy
    return numpy.common_type(*(numpy.empty(0, a.dtype) for a in map(asarray, arrays)))


def array2string(a, *args, **kwargs):
    """The elements as text."""
    import numpy
    return numpy.array2string(numpy.asarray(a), *args, **kwargs)


# ---- requirements --------------------------------------------------------------------------------


def asarray_chkfinite(a, dtype=None, order=None):
    """The array, if all of its elements are finite."""
    a = asarray(a, dtype, order)
    if kind_of(a) in "fc" and not bool(_isfinite(a).all()):
        raise ValueError("array must not contain infs or NaNs")
    return a


_REQUIREMENTS = {"C": "C", "C_CONTIGUOUS": "C", "CONTIGUOUS": "C", "F": "F", "F_CONTIGUOUS": "F",
                 "FORTRAN": "F", "A": "A", "ALIGNED": "A", "W": "W", "WRITEABLE": "W", "O": "O",
                 "OWNDATA": "O", "E": "E", "ENSUREARRAY": "E"}


def require(a, dtype=None, requirements=None, *, like=None):
    """The array, copied if it has not the dtype or one of the flags required."""
    wanted = set()
    for name in requirements or ():
        if name.upper() not in _REQUIREMENTS:
            raise KeyError(name)
        wanted.add(_REQUIREMENTS[name.upper()])
    if {"C", "F"} <= wanted:
        raise ValueError('Cannot specify both "C" and "F" order')
    order = next((k for k in "FC" if k in wanted), "A" if wanted else None)
    make = asarray if "E" in wanted else asanyarray
    a = make(a, dtype, order if order in ("C", "F") else None)
    flags = a.flags
    met = {"A": flags.aligned, "W": flags.writeable, "O": flags.owndata}
    if not all(met.get(k, True) for k in wanted):
        return array(a, copy=True, order=order if order in ("C", "F") else "K", subok=True)
    return a


def real_if_close(a, tol=100):
    """The real parts, if all imaginary parts are near 0."""
    a = asarray(a)
    if a.dtype.kind != "c":
        return a
    tol = float(limits_of(a).eps) * tol if tol > 1 else tol
    return a.real if bool((_absolute(a.imag) < tol).all()) else a


# ---- bits ----------------------------------------------------------------------------------------


# A word of eight bytes, each 0 or 1, times this has them in its highest byte as bits: in the product
# of byte k and of one bit of the factor, the only one that comes to be among the highest eight.
_GATHERS = {"big": 0x8040201008040201, "little": 0x0102040810204080}


def _bits_axis(a, axis, bitorder):
    """The array with its bits along axis, and the places of the bits in a byte."""
    if not isinstance(bitorder, str):
        raise TypeError(f"bitorder must be str, not {type(bitorder).__name__}")
    if bitorder not in _GATHERS:
        raise ValueError(f"'order' must be either 'little' or 'big', not {bitorder!r}")
    if axis is None or a.ndim == 0:
        a, axis = a.ravel(), 0
    shifts = range(7, -1, -1) if bitorder == "big" else range(8)
    return a, integer_axis(axis, a.ndim), shifts


def _packed_by_words(a, bitorder):
    """packbits() along the last axis: the truth values of a byte are read as a word."""
    n, before = a.shape[-1], a.shape[:-1]
    bits = (zeros if n % 8 else empty)((*before, n + -n % 8), bool, device=a.device)
    # beside False: bools are not widened to compare them with an int
    _not_equal(a, False if a.dtype.kind == "b" else 0, bits[..., :n])
    return (bits.view("u8") * _GATHERS[bitorder] >> 56).astype("u1")


def packbits(a, /, axis=None, bitorder="big"):
    """Eight truth values to a byte, along an axis or of the flattened array; zeros at the end."""
    if axis is None and type(bitorder) is str and bitorder in _GATHERS:
        if (packed := _heddle._few_packed(a, bitorder == "little")) is not None:
            return packed
    a = asarray(a)
    if a.dtype.kind not in "biu":
        raise TypeError("Expected an input array of integer or boolean data type")
    a, axis, shifts = _bits_axis(a, axis, bitorder)
    if axis == a.ndim - 1 and _heddle._is_host(a.device):
        return _packed_by_words(a, bitorder)
    bits = (a != 0).astype("u1")    # fuses with the sum; as words they would be in memory first
    n = bits.shape[axis]
    if n % 8:
        rest = zeros(bits.shape[:axis] + (-n % 8,) + bits.shape[axis + 1:], "u1", device=a.device)
        bits = concatenate((bits, rest), axis)
    bits = bits.reshape(bits.shape[:axis] + (-(-n // 8), 8) + bits.shape[axis + 1:])
    weights = asarray([1 << s for s in shifts], "u1", device=a.device)
    weights = weights.reshape((8,) + (1,) * (a.ndim - axis - 1))
    return (bits * weights).sum(axis + 1, dtype="u1")


def unpackbits(a, /, axis=None, count=None, bitorder="big"):
    """The bits of bytes as zeros and ones, along an axis or of the flattened array."""
    if axis is count is None and type(bitorder) is str and bitorder in _GATHERS:
        if (bits := _heddle._few_unpacked(a, bitorder == "little")) is not None:
            return bits
    a = asarray(a)
    if a.dtype.kind != "u" or a.dtype.itemsize != 1:
        raise TypeError("Expected an input array of unsigned byte data type")
    a, axis, shifts = _bits_axis(a, axis, bitorder)
    shifts = asarray(list(shifts), "u1", device=a.device)
    shifts = shifts.reshape((8,) + (1,) * (a.ndim - axis - 1))
    bits = _right_shift(a[along(axis + 1, None)], shifts) & 1
    n = a.shape[axis] * 8
    bits = bits.reshape(a.shape[:axis] + (n,) + a.shape[axis + 1:])
    if count is None or count == n:
        return bits
    if count < 0:
        if count < -n:
            raise ValueError("-count larger than number of elements")
        return bits[along(axis, slice(None, n + count))].copy()
    if count < n:
        return bits[along(axis, slice(None, count))].copy()
    more = zeros(a.shape[:axis] + (count - n,) + a.shape[axis + 1:], "u1", device=a.device)
    return concatenate((bits, more), axis)
