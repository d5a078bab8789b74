# SPDX-License-Identifier: BSD-3-Clause
"""NumPy's functions that are methods of the array or compositions of a few operations.

The signatures are NumPy's.
"""
import math
from operator import index

from . import _heddle
from ._caching import cached
from ._heddle import all as _all
from ._heddle import (_is_array, array, asarray, broadcast_to, concatenate, dot, elementwise,
                      matmul, ndarray)
from ._heddle import _beside as beside
from ._outputs import check_out, deliver

__all__ = ["allclose", "array_equal", "array_repr", "array_str", "astype", "atleast_1d",
           "atleast_2d", "atleast_3d", "broadcast_arrays", "broadcast_shapes", "can_cast", "clip",
           "column_stack", "count_nonzero", "diagonal", "dstack", "flatnonzero", "flip", "hstack",
           "imag", "inner", "isclose", "iscomplexobj", "isrealobj", "isscalar", "matrix_transpose",
           "moveaxis", "ndim", "nonzero", "outer", "ravel", "real", "reshape", "result_type", "round",
           "shape", "shares_memory", "size", "squeeze", "swapaxes", "trace", "transpose", "vdot",
           "vstack"]

(_absolute, _clip, _conjugate, _divide, _isfinite, _isnan, _less_equal, _maximum, _minimum,
 _multiply, _positive, _rint) = (
    elementwise[name][0]
    for name in ("absolute", "clip", "conjugate", "divide", "isfinite", "isnan", "less_equal",
                 "maximum", "minimum", "multiply", "positive", "rint"))
_missing = object()
_PYTHONS_SCALARS = frozenset((float, int, bool, complex, str, bytes))


def operand(a):
    """a, which is no array of ours, as one; without axes as a scalar, as NumPy's ufuncs take it."""
    a = asarray(a)
    return a if a.ndim else _heddle._scalar(a)


# ---- what an array is ----------------------------------------------------------------------------


def ndim(a):
    """Number of axes."""
    return asarray(a).ndim


def shape(a):
    """Extents of the axes."""
    return asarray(a).shape


def size(a, axis=None):
    """Number of elements, or of elements along some axes."""
    a = asarray(a)
    if axis is None:
        return a.size
    return math.prod(a.shape[ax] for ax in _axis_tuple(axis, a.ndim, "axis"))


def isscalar(element):
    """Is it a number, or another kind of scalar?"""
    if type(element) in _PYTHONS_SCALARS:
        return True
    if _is_array(element):
        return _heddle._is_scalar(element)
    import numpy
    return numpy.isscalar(element)


def iscomplexobj(x):
    """Has it a complex dtype?"""
    return asarray(x).dtype.kind == "c"


def isrealobj(x):
    """Has it a dtype that is not complex?"""
    return not iscomplexobj(x)


def _numpys(args):
    """Arrays as their dtypes, for NumPy's rules of promotion."""
    return [a.dtype if _is_array(a) else a for a in args]


def _is_bfloat16(x):
    return getattr(getattr(x, "dtype", x), "name", getattr(x, "__name__", x)) == "bfloat16"


def kind_of(x):
    """NumPy's letter for the kind of an array's numbers; for bfloat16 too, which NumPy calls V."""
    kind = x.dtype.kind
    return "f" if kind == "V" and _is_bfloat16(x) else kind


@cached(32)
def _limits(dtype):
    if _is_bfloat16(dtype):
        from ml_dtypes import finfo
    else:
        from numpy import finfo
    return finfo(dtype)


def limits_of(x):
    """finfo() of an array's dtype."""
    return _limits(x.dtype)


def result_type(*arrays_and_dtypes):
    """The dtype of an operation on the arguments."""
    if len(arrays_and_dtypes) == 2:
        a, b = arrays_and_dtypes
        if type(a) is ndarray and type(b) is ndarray:
            return _known_promotion(a.dtype, b.dtype)
    them = [a.dtype if _is_array(a) else a for a in arrays_and_dtypes]
    try:
        return _known_promotion(*them)
    except TypeError:       # what has no hash, or no dtype in common: then this raises it again
        pass
    return _promotion(*them)


def _promotion(*them):
    import numpy
    if not any(_is_bfloat16(x) for x in them):
        return numpy.result_type(*them)
    # bfloat16 stands where float16 does, but beside float16 itself
    rest = [x for x in them if not _is_bfloat16(x)]
    result = numpy.result_type("f2", *rest)
    if result != numpy.float16:
        return result
    half = any(not isinstance(x, (int, float)) and numpy.result_type(x) == result for x in rest)
    return numpy.dtype("f4") if half else next(
        numpy.dtype(getattr(x, "dtype", x)) for x in them if _is_bfloat16(x))


# of the type too, so that 1, 1.0 and True, which are equal, are three
@cached(256, typed=True)
def _known_promotion(*them):
    return _promotion(*them)


def can_cast(from_, to, casting="safe"):
    """May values of one dtype be cast to another?"""
    from_ = from_.dtype if _is_array(from_) else from_
    try:
        return _known_cast(from_, to, casting)
    except TypeError:       # what has no hash, or is no dtype: then this raises it again
        pass
    return _cast(from_, to, casting)


def _cast(from_, to, casting):
    import numpy
    return numpy.can_cast(from_, to, casting)


@cached(256, typed=True)
def _known_cast(from_, to, casting):
    return _cast(from_, to, casting)


def shares_memory(a, b, max_work=None):
    """Do two arrays have an element in common? (By bounds and strides, as may_share_memory().)"""
    return _heddle.may_share_memory(a, b)


def array_repr(arr, max_line_width=None, precision=None, suppress_small=None):
    """The text that repr() gives."""
    import numpy
    return numpy.array_repr(numpy.asarray(arr), max_line_width, precision, suppress_small)


def array_str(a, max_line_width=None, precision=None, suppress_small=None):
    """The text that str() gives."""
    import numpy
    return numpy.array_str(numpy.asarray(a), max_line_width, precision, suppress_small)


# ---- axes and shapes -----------------------------------------------------------------------------


def normalize_axis(axis, nd, argument=None):
    """An axis counted from the front; NumPy's AxisError, about the argument, if there is none."""
    axis = index(axis)
    if not -nd <= axis < nd:
        from numpy.exceptions import AxisError
        raise AxisError(axis, nd, argument)
    return axis % nd if nd else 0


def integer_axis(axis, nd):
    """normalize_axis(), but for True and False: TypeError, where NumPy's is written in C."""
    if isinstance(axis, bool):
        raise TypeError(f"an integer is required for the axis, not {axis}")
    return normalize_axis(axis, nd)


def integers(x):
    """An integer or a sequence of them as a tuple; TypeError for anything else."""
    if type(x) is int:
        return (x,)
    if type(x) not in (tuple, list):
        try:
            return (index(x),)
        except TypeError:
            pass
    return tuple(map(index, x))


def _axis_tuple(axis, nd, name):
    axes = tuple([normalize_axis(ax, nd) for ax in integers(axis)])
    if len(set(axes)) != len(axes):
        raise ValueError(f"repeated axis in `{name}` argument")
    return axes


def moveaxis(a, source, destination):
    """View with some axes at other places and the rest in order."""
    a = asarray(a)
    source = _axis_tuple(source, a.ndim, "source")
    destination = _axis_tuple(destination, a.ndim, "destination")
    if len(source) != len(destination):
        raise ValueError("`source` and `destination` arguments must have the same number of "
                         "elements")
    order = [ax for ax in range(a.ndim) if ax not in source]
    for to, ax in sorted(zip(destination, source)):
        order.insert(to, ax)
    return a.transpose(order)


def reshape(a, /, shape, order="C", *, copy=None):
    """The same elements in another shape."""
    return asarray(a).reshape(shape, order=order, copy=copy)


def _flat(a):
    """a.ravel(), but for a view of what has one axis already."""
    return a if a.ndim == 1 else a.ravel()


def ravel(a, order="C"):
    """The same elements along one axis."""
    return asarray(a).ravel(order)


def transpose(a, axes=None):
    """View with the axes reversed, or in the order given."""
    return asarray(a).transpose(axes)


def matrix_transpose(x, /):
    """View with the last two axes exchanged."""
    x = asarray(x)
    if x.ndim < 2:
        raise ValueError(f"Input array must be at least 2-dimensional, but it is {x.ndim}")
    return x.mT


def swapaxes(a, axis1, axis2):
    """View with two axes exchanged."""
    return asarray(a).swapaxes(axis1, axis2)


def squeeze(a, axis=None):
    """View without axes of extent 1."""
    return asarray(a).squeeze(axis)


def flip(m, axis=None):
    """View with the order of elements reversed along some axes."""
    m = asarray(m)
    if axis is None:
        return m[(slice(None, None, -1),) * m.ndim]
    axes = _axis_tuple(axis, m.ndim, "axis")
    return m[tuple([slice(None, None, -1 if ax in axes else 1) for ax in range(m.ndim)])]


def diagonal(a, offset=0, axis1=0, axis2=1):
    """Read-only view of a diagonal."""
    return asarray(a).diagonal(offset, axis1, axis2)


def trace(a, offset=0, axis1=0, axis2=1, dtype=None, out=None):
    """Sum along a diagonal."""
    return asarray(a).diagonal(offset, axis1, axis2).sum(-1, dtype=dtype, out=out)


def broadcast_shapes(*args):
    """The shape that several shapes broadcast to."""
    shapes = [s if type(s) is tuple else (s,) if hasattr(s, "__index__") else tuple(s)
              for s in args]
    result = [1] * max(map(len, shapes), default=0)
    source = [0] * len(result)
    for k, s in enumerate(shapes):
        for ax in range(-1, -len(s) - 1, -1):
            n = index(s[ax])
            if result[ax] == 1:
                result[ax], source[ax] = n, k
            elif n not in (1, result[ax]):
                raise ValueError(
                    "shape mismatch: objects cannot be broadcast to a single shape.  Mismatch is "
                    f"between arg {source[ax]} with shape {_text(shapes[source[ax]])} and arg {k} "
                    f"with shape {_text(s)}.")
    return tuple(result)


def _text(shape):
    return str(tuple(shape)).replace(" ", "")


def common_shape(arrays):
    """The shape that a list of arrays broadcasts to."""
    shapes = [a.shape for a in arrays]
    if shapes and shapes.count(shapes[0]) == len(shapes):
        return shapes[0]
    return broadcast_shapes(*shapes)


def broadcast_arrays(*args, subok=False):
    """Read-only views of the arrays, all of one shape."""
    arrays = [asarray(a) for a in args]
    common = common_shape(arrays)
    return tuple(a if a.shape == common else broadcast_to(a, common) for a in arrays)


def _at_least(arrays, grow):
    """What grow() makes of the arrays: of one, or a tuple of several."""
    if len(arrays) == 1:
        return grow(asarray(arrays[0]))
    return tuple([grow(asarray(a)) for a in arrays])


def _one_axis(a):
    return a if a.ndim else a.reshape(1)


def _two_axes(a):
    return a if a.ndim > 1 else a[None, :] if a.ndim else a.reshape(1, 1)


def _three_axes(a):
    return a if a.ndim > 2 else a[:, :, None] if a.ndim == 2 else a.reshape(1, -1, 1)


def atleast_1d(*arys):
    """The arrays with one axis or more."""
    return _at_least(arys, _one_axis)


def atleast_2d(*arys):
    """The arrays with two axes or more."""
    return _at_least(arys, _two_axes)


def atleast_3d(*arys):
    """The arrays with three axes or more."""
    return _at_least(arys, _three_axes)


# ---- joining -------------------------------------------------------------------------------------


def _sequence(arrays):
    """arrays; TypeError for an iterator."""
    if not hasattr(arrays, "__getitem__"):
        raise TypeError('arrays to stack must be passed as a "sequence" type such as list or '
                        "tuple.")
    return arrays


def _listed(arrays, grow):
    grown = grow(*_sequence(arrays))
    return [grown] if _is_array(grown) else list(grown)


def vstack(tup, *, dtype=None, casting="same_kind"):
    """Joins arrays as rows."""
    return concatenate(_listed(tup, atleast_2d), 0, dtype=dtype, casting=casting)


def hstack(tup, *, dtype=None, casting="same_kind"):
    """Joins arrays side by side."""
    arrays = _listed(tup, atleast_1d)
    axis = 0 if arrays and arrays[0].ndim == 1 else 1
    return concatenate(arrays, axis, dtype=dtype, casting=casting)


def dstack(tup):
    """Joins arrays along a third axis."""
    return concatenate(_listed(tup, atleast_3d), 2)


def column_stack(tup):
    """Joins arrays as columns."""
    arrays = [asarray(a) for a in _sequence(tup)]
    return concatenate([a if a.ndim > 1 else a.reshape(-1, 1) for a in arrays], 1)


# ---- values --------------------------------------------------------------------------------------


def astype(x, dtype, /, *, copy=True, device=None):
    """The elements cast to another dtype."""
    if not _is_array(x):
        if not hasattr(x, "__array_interface__"):
            raise TypeError(f"Input should be an array. It is a {type(x).__name__} instead.")
        x = asarray(x)
    return (x if device is None else x.to_device(device)).astype(dtype, copy=copy)


def real(val):
    """Real part."""
    try:
        return val.real
    except AttributeError:
        return asarray(val).real


def imag(val):
    """Imaginary part."""
    try:
        return val.imag
    except AttributeError:
        return asarray(val).imag


def clip(a, a_min=None, a_max=None, out=None, *, min=_missing, max=_missing, **kwargs):
    """Values limited to an interval; None leaves a side open."""
    if min is not _missing:
        a_min = _only_bound("min", a_min, min)
    if max is not _missing:
        a_max = _only_bound("max", a_max, max)
    a = a if _is_array(a) else asarray(a)
    a_min, a_max = _within(a.dtype, a_min, a_max)
    if a_min is None and a_max is None:
        return _positive(a, out=out, **kwargs)
    if a_min is None:
        return _minimum(a, a_max, out=out, **kwargs)
    if a_max is None:
        return _maximum(a, a_min, out=out, **kwargs)
    return _clip(a, a_min, a_max, out=out, **kwargs)


def _only_bound(name, old, new):
    if old is not None:
        raise ValueError(f"Passing `{name}` keyword argument when `a_{name}` is provided is "
                         "forbidden.")
    return new


def _within(dtype, low, high):
    """Bounds of clip(); Python ints that no element can pass are no bounds."""
    if dtype.kind in "iu":
        bits = 8 * dtype.itemsize - (dtype.kind == "i")
        if type(low) is int and low <= (-1 << bits if dtype.kind == "i" else 0):
            low = None
        if type(high) is int and high >= (1 << bits) - 1:
            high = None
    return low, high


def _scaled(a, decimals, out=None):
    """a rounded by way of a.dtype, or of out's, which is written to at each step as NumPy does."""
    first, last = (_multiply, _divide) if decimals > 0 else (_divide, _multiply)
    decimals = -decimals if decimals < 0 else decimals
    factor = 10.0 ** decimals if decimals < 309 else float("inf")
    return last(_rint(first(a, factor, out), out), factor, out)


def _complex_rounded(a, decimals):
    parts = [_scaled(part, decimals) for part in (a.real, a.imag)]
    if _heddle._is_scalar(a) or not _is_array(a):
        return (parts[0] + 1j * parts[1]).astype(a.dtype)
    result = a.copy("K")
    result.real, result.imag = parts
    return result


def round(a, decimals=0, out=None):
    """Rounded to a number of decimals, ties to even."""
    a = a if _is_array(a) else operand(a)
    decimals, kind = index(decimals), kind_of(a)
    if not -2**31 <= decimals < 2**31:
        raise OverflowError(f"decimals must fit a signed integer of 32 bits: {decimals}")
    if out is not None:
        check_out(out, a.shape)
        if kind == "c" and out.dtype.kind != "c":
            raise TypeError(f"a complex array cannot be rounded into an array of {out.dtype}")
    if kind in "iu" and decimals >= 0:
        return a.copy("K") if out is None else deliver(out, a)
    if decimals == 0:
        return _rint(a, out=out)
    if kind == "c":
        return deliver(out, _complex_rounded(a, decimals))
    if out is not None:
        return _scaled(a, decimals, out)
    if kind == "b":     # as in NumPy the steps have to go through truth values, and cannot
        return _scaled(a, decimals, array(a))
    result = _scaled(a, decimals)
    if kind in "iu":
        result = result.astype(a.dtype)
    if a.ndim > 1 and not a.flags.c_contiguous:     # the only orders that NumPy knows here
        return array(result, copy=None, order="F" if a.flags.fnc else "C")
    return result


def isclose(a, b, rtol=1.0e-5, atol=1.0e-8, equal_nan=False):
    """Where are two arrays equal within tolerances: |a - b| <= atol + rtol * |b|?"""
    given = (a, b, atol, rtol)
    arrays = iter(beside(*[v for v in given if not isinstance(v, (int, float, complex))]))
    x, y, atol, rtol = [v if isinstance(v, (int, float, complex)) else next(arrays) for v in given]
    if _is_array(y):
        y = y.astype(result_type(y, 1.0), copy=False)
    elif not _is_array(x):
        x, y = asarray(x), asarray(y)
    elif isinstance(y, int):
        y = float(y)
    size = _absolute(y) if _is_array(y) else abs(y)   # a number stays one: it is weak
    finite = _isfinite(y) if _is_array(y) else size - size == 0
    result = _less_equal(_absolute(x - y), atol + rtol * size) & finite | (x == y)
    return result | (_isnan(x) & _isnan(y)) if equal_nan else result


def allclose(a, b, rtol=1.0e-5, atol=1.0e-8, equal_nan=False):
    """Are two arrays equal within tolerances everywhere?"""
    return bool(_all(isclose(a, b, rtol, atol, equal_nan)))


def _arrays(a, b):
    """Both as arrays: what is none goes to the device of the other one."""
    if _is_array(a):
        return a, b if _is_array(b) else asarray(b, device=a.device)
    return asarray(a, device=b.device) if _is_array(b) else asarray(a), asarray(b)


def array_equal(a1, a2, equal_nan=False):
    """Have two arrays the same shape and elements?"""
    try:
        a1, a2 = _arrays(a1, a2)
    except _heddle.NotOurs:     # which is a TypeError
        raise
    except (TypeError, ValueError):
        return False
    if a1.shape != a2.shape:
        return False
    equal = a1 == a2
    if equal_nan:
        equal = equal | (_isnan(a1) & _isnan(a2))
    return bool(equal.all())


# ---- positions -----------------------------------------------------------------------------------


def nonzero(a):
    """Positions of the true elements, one array per axis."""
    return asarray(a).nonzero()


def flatnonzero(a):
    """Positions of the true elements of the flattened array."""
    return asarray(a).ravel().nonzero()[0]


def count_nonzero(a, axis=None, *, keepdims=False):
    """Number of true elements."""
    a = asarray(a)
    a = a if a.dtype.kind == "b" else a != 0
    return a.sum(axis, keepdims=True) if keepdims else a.sum(axis)


# ---- products ------------------------------------------------------------------------------------


def outer(a, b, out=None):
    """All products of an element of one with an element of the other."""
    return _multiply(asarray(a).ravel()[:, None], asarray(b).ravel()[None, :], out=out)


def vdot(a, b, /):
    """Sum of products of the flattened arrays, the first one conjugated."""
    a, b = asarray(a), asarray(b)
    return matmul(_flat(a).conj(), _flat(b))    # a sum even of one product, unlike dot()


def inner(a, b, /):
    """Sums of products over the last axis of both."""
    a, b = asarray(a), asarray(b)
    if a.ndim == 0 or b.ndim == 0:
        return _multiply(a, b)
    return dot(a, b if b.ndim == 1 else b.mT)
