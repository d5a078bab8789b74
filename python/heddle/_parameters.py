# SPDX-License-Identifier: BSD-3-Clause
"""Parameters and sizes of distributions, checked at the call as NumPy does: parameters that are
arrays are computed for it."""
from math import copysign, ldexp, prod
from operator import index

from ._functions import broadcast_shapes
from ._heddle import _is_array, asarray, elementwise, ndarray

_signbit = elementwise["signbit"][0]


def _no_cast(dtype, to):
    return TypeError(f"Cannot cast array data from dtype('{dtype}') to dtype('{to}') according to "
                     "the rule 'safe'")


def parameter(x):
    """A parameter as a float or an array of float64; TypeError where NumPy has one: a list is
    converted element by element, an array must cast safely."""
    kind = type(x)
    if kind is float:
        return x
    if kind is int:
        return float(x)
    if _is_array(x):
        if x.dtype.kind == "c":
            raise (_no_cast(x.dtype, "float64") if x.shape != () else
                   TypeError("float() argument must be a string or a real number, not 'complex'"))
        return x.astype(float, copy=False)      # computed with as numbers are
    # ldexp takes what a C double can be made of
    return _foreign(x, "float64", lambda number: ldexp(number, 0))


def count(x):
    """The same for a parameter that counts: an int or an array of int64."""
    if _is_array(x) and (x.shape != () or x.dtype.kind in "biu"):
        if x.dtype.kind not in "biu" or x.dtype == "uint64":
            raise _no_cast(x.dtype, "int64")
        return x.astype("int64", copy=False)
    return _int64(x) if isinstance(x, (int, float, ndarray)) else _foreign(x, "int64", _int64)


def _int64(x):
    if isinstance(x, (str, bytes)):
        raise TypeError("an integer is required")
    if not -2**63 <= (x := int(x)) < 2**63:
        raise OverflowError("Python int too large to convert to C long")
    return x


def _foreign(x, dtype, number):
    """What NumPy makes of an object: number(x) of one without axes."""
    import numpy
    if not isinstance(x, (numpy.ndarray, numpy.generic)):
        made = numpy.array(x, dtype)
        return number(x) if made.ndim == 0 else asarray(made)
    if x.ndim == 0:
        return number(x.item())
    if not numpy.can_cast(x.dtype, dtype):
        raise _no_cast(x.dtype, dtype)
    return asarray(x, dtype)


def refuse(fault, message):
    """ValueError if fault, a truth value or an array of them, is true anywhere."""
    if fault is not False and bool(fault.any() if _is_array(fault) else fault):
        raise ValueError(message)


def refuse_probability(p, name="p"):
    single = not _is_array(p) or p.shape == ()
    refuse((p < 0) | (p > 1) | (p != p),
           f"{name} < 0, {name} > 1 or {name} {'is NaN' if single else 'contains NaNs'}")


def as_shape(size):
    """An int or a sequence of them as a shape, whatever has them."""
    if type(size) is int:
        return (size,)
    if type(size) is not tuple and getattr(size, "shape", None) == ():
        return (index(size),)
    if type(size) is not tuple and not _is_sequence(size):
        try:
            return (index(size if size is not True and size is not False else None),)
        except TypeError:
            raise TypeError("expected a sequence of integers or a single integer, got "
                            f"'{size!r}'") from None
    return tuple(map(index, size))


def _is_sequence(x):
    return hasattr(x, "__getitem__") and hasattr(x, "__len__") and not isinstance(x, dict)


def shape_of(size, *parameters):
    """The shape of a result whose parameters may be arrays; None for a scalar value."""
    if not parameters and type(size) is int:
        return (size,)
    shapes = ()
    for p in parameters:
        if _is_array(p) and p.shape != ():
            shapes += (p.shape,)
    if size is None:
        return broadcast_shapes(*shapes) if shapes else None
    shape = as_shape(size)
    if shapes and prod(shape) >= 0 and broadcast_shapes(shape, *shapes) != shape:
        raise ValueError(f"Output size {shape} is not compatible with broadcast dimensions of "
                         f"inputs {broadcast_shapes(*shapes)}.")
    return shape


_NUMBERS = (float, int)
PLAIN_SIZES = (type(None), int, tuple)  # types of sizes that a stream takes as they are


def plain(first, second, size):
    """Are the parameters plain numbers, and the size an int, None or a tuple? So are most calls in
    loops."""
    return type(first) in _NUMBERS and type(second) in _NUMBERS and type(size) in PLAIN_SIZES


def positive(**parameters):
    """The parameters as numbers or arrays, refused where they are not above 0."""
    values = []
    for name, x in parameters.items():
        x = parameter(x)
        refuse(x <= 0, f"{name} <= 0")
        values.append(x)
    return values if len(values) > 1 else values[0]


def is_negative(x):
    """Where is a number, or an array of them, below 0 or, as NumPy has it, -0.0?"""
    if _is_array(x):
        return _signbit(x) & (x == x)
    return x < 0 or x == 0 and copysign(1, x) < 0


def non_negative(**parameters):
    """The parameters as numbers or arrays, refused where they are negative."""
    values = []
    for name, x in parameters.items():
        x = parameter(x)
        refuse(is_negative(x), f"{name} < 0")
        values.append(x)
    return values if len(values) > 1 else values[0]


def value(x):
    """x; without axes a value, as draws without size are."""
    return x[()] if x.shape == () else x
