# SPDX-License-Identifier: BSD-3-Clause
"""Methods and attributes of ndarray, and methods of ufunc, that need no speed.

They are put on the types when heddle is imported.
"""
import math
from itertools import product
from operator import index
from sys import _getframe, modules

from . import (_conversions, _functions, _handing, _heddle, _positions, _resolving, _selecting,
               _subclassing)
from ._heddle import _is_array, array, ndarray, ufunc
from ._state import asnumpy


_OBJECT_BYTES = ndarray.__basicsize__


# ---- flags ---------------------------------------------------------------------------------------


class flagsobj:
    """x.flags: what NumPy's has, by attribute and by name."""
    __slots__ = ("_array",)
    _BITS = {"C_CONTIGUOUS": _heddle.C_CONTIGUOUS, "F_CONTIGUOUS": _heddle.F_CONTIGUOUS,
             "OWNDATA": _heddle.OWNDATA, "WRITEABLE": _heddle.WRITEABLE,
             "ALIGNED": _heddle.ALIGNED, "WRITEBACKIFCOPY": 0}
    _SHORT = {"C": "C_CONTIGUOUS", "CONTIGUOUS": "C_CONTIGUOUS", "F": "F_CONTIGUOUS",
              "FORTRAN": "F_CONTIGUOUS", "O": "OWNDATA", "W": "WRITEABLE", "A": "ALIGNED",
              "X": "WRITEBACKIFCOPY"}

    def __init__(self, array):
        _set_array(self, array)

    @property
    def num(self):
        """NumPy's bits."""
        bits = {"C_CONTIGUOUS": 1, "F_CONTIGUOUS": 2, "OWNDATA": 4, "ALIGNED": 0x100,
                "WRITEABLE": 0x400}
        return sum(bit for name, bit in bits.items() if self[name])

    def __getitem__(self, name):
        name = self._SHORT.get(name, name)
        bits = self._array._flag_bits
        if name == "OWNDATA":
            return self.owndata
        if name in self._BITS:
            return bits & self._BITS[name] != 0
        c, f = bits & _heddle.C_CONTIGUOUS != 0, bits & _heddle.F_CONTIGUOUS != 0
        behaved = self["WRITEABLE"] and self["ALIGNED"]
        more = {"FNC": f and not c, "FORC": f or c, "BEHAVED": behaved, "CARRAY": behaved and c,
                "FARRAY": behaved and f and not c}
        if name in more:
            return more[name]
        raise KeyError("Unknown flag")

    def __setitem__(self, name, value):
        if self._SHORT.get(name, name) != "WRITEABLE":
            raise KeyError("Unknown flag" if name not in self._BITS else "flag cannot be set")
        if value and not self["WRITEABLE"] and _heddle._is_scalar(self._array):
            raise ValueError("cannot set WRITEABLE flag to True of this array")
        self._array._flag_bits = bool(value)

    def __getattr__(self, name):
        try:
            return self[name.upper()]
        except KeyError:
            raise AttributeError(f"'flagsobj' object has no attribute {name!r}") from None

    def __setattr__(self, name, value):
        try:
            self[name.upper()] = value
        except KeyError:
            raise AttributeError(
                f"attribute {name!r} of 'flagsobj' objects is not writable") from None

    def __repr__(self):
        return "".join(f"  {name} : {self[name]}\n" for name in self._BITS)

    def __eq__(self, other):
        return isinstance(other, flagsobj) and all(self[name] == other[name] for name in self._BITS)

    __hash__ = None


def _is_set(bit):
    return property(lambda self: self._array._flag_bits & bit != 0)


_set_array = flagsobj._array.__set__
# those that are asked for often, without the way through __getattr__()
for _name, _bit in flagsobj._BITS.items():
    setattr(flagsobj, _name.lower(), _is_set(_bit))
# a view of all of an array does not own it
flagsobj.owndata = property(lambda self: (self._array._flag_bits & _heddle.OWNDATA != 0
                                          and self._array.base is None))
flagsobj.fnc = property(lambda self: self.f_contiguous and not self.c_contiguous)


def _setflags(self, write=None, align=None, uic=None):
    """Changes whether the array may be written to."""
    if write is not None:
        self.flags.writeable = write


def _ctypes(self):
    return self.__array__(copy=False).ctypes


# ---- flat ----------------------------------------------------------------------------------------


class _Scattered:
    """Iterates over the elements of an array that does not lie in C order."""

    def __init__(self, base):
        self.index, self._base = 0, base
        self._places = product(*map(range, base.shape))

    def __iter__(self):
        return self

    def __next__(self):
        place = next(self._places)
        self.index += 1
        return self._base[place]


class flatiter:
    """x.flat: the elements in C order, to iterate over, read and write.

    Parameters
    ----------
    base : ndarray
        The array.

    See Also
    --------
    ravel, ndenumerate

    Examples
    --------
    >>> import heddle as np
    >>> x = np.array([[1, 2], [3, 4]])
    >>> x.flat[1:3]
    array([2, 3])
    >>> x.flat[0] = 9
    >>> x
    array([[9, 2],
           [3, 4]])
    """
    __slots__ = ("__weakref__", "_elements", "base")

    def __init__(self, base):
        self.base, self._elements = base, None

    @property
    def index(self):
        """Of the element that comes next."""
        return 0 if self._elements is None else self._elements.index

    def __len__(self):
        return self.base.size

    def __iter__(self):
        """What __next__() asks: the same each time."""
        if self._elements is None:
            in_order = self.base._flag_bits & _heddle.C_CONTIGUOUS
            self._elements = iter(self.base.ravel()) if in_order else _Scattered(self.base)
        return self._elements

    def __next__(self):
        return next(iter(self))

    @staticmethod
    def _checked(key):
        """The key, where it is one for an iterator."""
        if isinstance(key, tuple) and len(key) == 1:
            key = key[0]
        if isinstance(key, bool):
            from warnings import warn
            warn("0-dimensional boolean index for an iterator is deprecated",
                 DeprecationWarning, stacklevel=3)
            return 0 if key else slice(0)
        if type(key).__name__ == "flatiter":    # NumPy's too
            key = key.copy()
            return key if key.size else []
        if key is None or isinstance(key, tuple) and len(key) > 1:
            raise IndexError("only one integer, slice (`:`), ellipsis (`...`), or integer or "
                             "boolean array is a valid index of a flat iterator")
        if isinstance(key, list) and key and all(isinstance(k, bool) for k in key):
            raise IndexError("boolean indices for iterators are not supported because of the "
                             "ambiguity with 0 and 1: give an array")
        return key

    def __getitem__(self, key):
        value = self.base.ravel()[self._checked(key)]
        return value.copy() if _is_array(value) and value.base is not None else value

    def __setitem__(self, key, value):
        import numpy
        key = self._checked(key)
        if isinstance(key, tuple) and not key:
            raise IndexError("Assigning to a flat iterator with a 0-D index is not supported")
        key = numpy.asarray(key) if _is_array(key) else key
        positions = numpy.arange(self.base.size)[key]
        if positions.ndim == 0 and _functions.ndim(value):
            raise ValueError("setting an array element with a sequence: one element has one value")
        _positions.put(self.base, numpy.atleast_1d(positions), value)

    def __delitem__(self, key):
        raise TypeError("cannot delete array elements")

    def __array__(self, dtype=None, /, *, copy=None):
        """As NumPy's: over the memory of the array if it is in C order, else a copy that is not to
        be written to."""
        if self.base.flags.c_contiguous:
            return self.base.reshape(-1).__array__(dtype, copy=copy)
        result = self.copy().__array__(dtype, copy=copy)
        result.flags.writeable = bool(copy)
        return result

    def __eq__(self, other):
        return self.copy() == other

    __hash__ = None

    def copy(self, /):
        return self.base.flatten()


def _set_flat(self, value):
    self.flat[:] = value


# ---- Python's protocols --------------------------------------------------------------------------


def _scalar_item(x, method):
    """The NumPy scalar of a heddle scalar; None for an array."""
    return _heddle._value_of(x) if _heddle._is_scalar(x) else None


def _of_scalars(name):
    """A method that NumPy's scalars have and its arrays have not."""
    def method(self):
        if _heddle._is_scalar(self):
            return getattr(_scalar_item(self, name), name)
        raise AttributeError(f"'heddle.ndarray' object has no attribute {name!r}")
    return property(method)


def _format(self, spec):
    if _heddle._is_scalar(self) or self.ndim == 0:
        return format(_heddle._value_of(self) if _heddle._is_scalar(self) else self.item(), spec)
    if spec:
        raise TypeError("unsupported format string passed to heddle.ndarray.__format__")
    return str(self)


def _round_method(self, ndigits=None):
    if not _heddle._is_scalar(self):
        raise TypeError("type heddle.ndarray doesn't define __round__ method")
    if ndigits is None:
        return round(self.item())
    return _functions.round(self, index(ndigits))


def _trunc_method(self):
    if not _heddle._is_scalar(self):
        raise TypeError("type heddle.ndarray doesn't define __trunc__ method")
    return math.trunc(self.item())


def _conform(self, protocol):
    """What sqlite3 asks of an object that is a parameter: a Python number."""
    return self.item() if _heddle._is_scalar(self) else None


def _sympy(self):
    import sympy
    if not _heddle._is_scalar(self):
        return sympy.ImmutableDenseNDimArray(self.tolist())
    return sympy.sympify(self.item())


def _rebuild(dtype, shape, fortran, scalar, data):
    """The array that __reduce__() took apart. fortran: False, True, or the order of the axes in
    memory, the slowest first."""
    import numpy
    if isinstance(fortran, tuple):
        dense = array(numpy.frombuffer(data, dtype).reshape([shape[ax] for ax in fortran]))
        return dense.transpose(sorted(range(len(shape)), key=fortran.__getitem__))
    result = array(numpy.frombuffer(data, dtype).reshape(shape[::-1] if fortran else shape))
    return _heddle._scalar(result) if scalar else result.T if fortran else result


def _memory_order(x):
    """The axes from the slowest to the fastest, if x lies in memory so without gaps; else None."""
    order = tuple(sorted(range(x.ndim), key=lambda ax: (-x.strides[ax], -x.shape[ax])))
    return order if x.transpose(order).flags.c_contiguous else None


def _reduce_to(self, give, order=None):
    """What _rebuild() takes; give makes the elements out of an array in C order. order: of the
    axes in memory, where that is neither C nor Fortran order."""
    fortran = order or bool(self.flags.fnc)
    dtype = self.dtype if self.dtype.kind == "V" else self.dtype.str   # bfloat16 has no text
    data = give(self.transpose(order) if order else self.T if fortran else self)
    return _rebuild, (dtype, self.shape, fortran, _heddle._is_scalar(self), data)


def _reduce(self):
    if type(self) is not ndarray:
        return _subclassing.state_of(self)
    return _reduce_to(self, ndarray.tobytes)


def _buffer(a):
    """The elements where they lie, or a copy of those of a GPU."""
    from pickle import PickleBuffer

    import numpy
    values = numpy.asarray(a) if _heddle._is_host(a.device) else asnumpy(a)
    return PickleBuffer(values.reshape(-1).view("u1"))


def _reduce_ex(self, protocol):
    """From protocol 5 on the elements are a buffer, which pickle hands to a buffer_callback if it
    has one; as in NumPy, not those of scalars and of views with gaps.
    """
    if protocol < 5 or _heddle._is_scalar(self) or type(self) is not ndarray:
        return self.__reduce__()
    if self.flags.forc:
        return _reduce_to(self, _buffer)
    order = _memory_order(self)
    return _reduce_to(self, _buffer, order) if order else self.__reduce__()


def _dumps(self, /):
    """The pickle of the array, as bytes."""
    from pickle import dumps
    return dumps(self)


def _dump(self, /, file):
    """Writes the pickle of the array to a file, or to one of that name."""
    from contextlib import nullcontext
    from os import fspath
    from pickle import dump
    with nullcontext(file) if hasattr(file, "write") else open(fspath(file), "wb") as stream:
        dump(self, stream)


def _sizeof(self):
    """Bytes of the object and, unless it is a view, of its elements, as NumPy counts them."""
    return _OBJECT_BYTES + 16 * self.ndim + (self.nbytes if self.flags.owndata else 0)


def _to_numpy(self, dtype=None, copy=False):
    """The elements as a numpy.ndarray, by which matplotlib, among others, knows an array that is not
    NumPy's: a view where NumPy reads the memory, else a copy."""
    return self.__array__(dtype, copy=True if copy else None)


def _get(self, stream=None, order="C", out=None, blocking=True):
    """The elements as a numpy.ndarray, or in `out`; what is in order F stays so unless order is C."""
    import numpy
    values = asnumpy(self)
    if out is not None:
        if not isinstance(out, numpy.ndarray):
            raise TypeError(f"out must be a numpy.ndarray, not {type(out)}")
        if out.dtype != self.dtype:
            raise TypeError(f"out has dtype {out.dtype}, not {self.dtype}")
        if out.shape != self.shape:
            raise ValueError(f"out has shape {out.shape}, not {self.shape}")
        out[...] = values
        return out
    return values if order == "A" else numpy.asarray(values, order=order)


def _set(self, arr, stream=None):
    """Takes the elements of a numpy.ndarray of the same shape and dtype."""
    import numpy
    if not isinstance(arr, numpy.ndarray):
        raise TypeError(f"Only numpy.ndarray can be set to heddle.ndarray, not {type(arr)}")
    if self.dtype != arr.dtype:
        raise TypeError(f"{arr.dtype} array cannot be set to {self.dtype} array: the dtype differs")
    if self.shape != arr.shape:
        raise ValueError(f"Shape mismatch: the array has shape {self.shape}, the other "
                         f"{arr.shape}")
    _heddle._write(self, numpy.ascontiguousarray(arr))


def _resize(self, *new_shape, refcheck=True):
    """Changes shape and size in place: elements are dropped from the end, or zeros added, in the
    order of memory. Views of the array keep the elements as they are now, so nothing has to be
    checked for references."""
    index(refcheck)
    if not new_shape or len(new_shape) == 1 and new_shape[0] is None:
        return
    shape = _functions.integers(new_shape[0] if len(new_shape) == 1 else new_shape)
    if any(n < 0 for n in shape):
        raise ValueError(f"negative dimensions not allowed: {shape}")
    if not self.flags.owndata:
        if math.prod(shape) != self.size or not self.flags.c_contiguous:
            raise ValueError("cannot resize this array: it does not own its data")
        _heddle._replace(self, self.reshape(shape))
        return
    order = "F" if self.flags.fnc else "C"
    new = _heddle.zeros(shape, self.dtype, device=self.device)
    flat = new.reshape(-1)
    n = min(self.size, new.size)
    flat[:n] = self.ravel(order)[:n]
    _heddle._replace(self, new if order == "C" else flat.reshape(shape, order="F"))


def _byteswap(self, inplace=False):
    """The elements with their bytes in the opposite order (of complex ones those of each part), in
    a copy or with inplace in the array itself."""
    size = self.itemsize // (2 if self.dtype.kind == "c" else 1)
    words = _heddle.asarray(self, order="C").reshape(-1).view("u1").reshape(-1, size)
    swapped = words[:, ::-1].ravel().view(self.dtype).reshape(self.shape)
    if not inplace:
        return swapped
    self[...] = swapped
    return self


def _getfield(self, dtype, offset=0):
    """A view of part of each element: of the bytes from offset on, as that dtype."""
    import numpy
    dtype, offset = numpy.dtype(dtype), index(offset)
    if offset < 0:
        raise ValueError("new type dtype's offset is negative")
    if offset + dtype.itemsize > self.itemsize:
        raise ValueError("new type is larger than original type")
    parts = self[..., None].view("u1")[..., offset:offset + dtype.itemsize]
    return parts.view(dtype)[..., 0]


def _setfield(self, val, dtype, offset=0):
    """Stores val in part of each element: the bytes from offset on, as that dtype."""
    self.getfield(dtype, offset)[...] = val


def _tofile(self, fid, sep="", format="%s"):
    """Writes the elements to a file in C order: binary, or as text with a separator."""
    asnumpy(self).tofile(fid, sep, format)


def _compress(self, condition, axis=None, out=None):
    """The slices along an axis (elements of the flattened array) whose condition is true."""
    return _selecting.compress(condition, self, axis, out)


def _namespace(self, *, api_version=None):
    """The module, for code that is written against the array API standard."""
    import heddle
    return heddle


def _class_getitem(cls, item):
    from types import GenericAlias
    return GenericAlias(cls, item)


# ---- methods of ufunc ----------------------------------------------------------------------------

def _is_of_numpys(x):
    """Is x an array of a subclass of NumPy's?"""
    numpy = modules.get("numpy")    # else there is none
    return numpy and isinstance(x, numpy.ndarray) and type(x) is not numpy.ndarray


def _ufunc_outer(self, a, b, /, **kwargs):
    """The operation on every pair of elements."""
    if self.signature is not None:
        raise TypeError("method outer is not allowed in ufunc with non-trivial signature")
    if self.nin != 2:
        raise ValueError("outer product only supported for binary functions")
    if _heddle._has_own_ufunc(a, b):
        return _subclassing.ask(self, "outer", (a, b), kwargs)
    try:
        if _is_of_numpys(a) or _is_of_numpys(b):
            raise _heddle.NotOurs(f"{self.__name__}.outer of {type(a)} and {type(b)}")
        x, y = _heddle.asanyarray(a), _heddle.asanyarray(b)
    except _heddle.NotOurs as e:
        return _handing.hand_over(f"{self.__name__}.outer", (a, b), kwargs, e)
    return self(x.reshape(x.shape + (1,) * y.ndim), y, **kwargs)


def _choose_method(self, *choices, out=None, mode="raise"):
    """For each element the one of choices[element]: of one sequence of choices, or of several."""
    return _selecting.choose(self, choices[0] if len(choices) == 1 else choices, out, mode)


def _clip_method(self, min=None, max=None, out=None, **kwargs):
    """Values limited to an interval."""
    return _functions.clip(self, min, max, out, **kwargs)


def _array_struct(self):
    if not _heddle._is_host(self.device):
        raise AttributeError("__array_struct__: the array is on a device")
    _conversions.seen("__array_struct__", _getframe().f_back)
    twin = self.__array__(copy=False)
    if twin.dtype.kind == "V":   # bfloat16: NumPy then asks for __array__()
        raise AttributeError(f"__array_struct__ has no type for {twin.dtype}")
    return twin.__array_struct__


ndarray.flags = property(flagsobj, doc="how the array lies in memory, and if it may be written to")
ndarray.flat = property(flatiter, _set_flat, doc="the elements in C order")
ndarray.ctypes = property(_ctypes, doc="the memory, for ctypes; shared as long as this lives")
ndarray.__array_struct__ = property(_array_struct, doc="the C side of NumPy's array interface")
for _name in ("as_integer_ratio", "bit_count", "hex", "is_integer"):
    setattr(ndarray, _name, _of_scalars(_name))
ndarray.setflags = _setflags
ndarray.get = _get
ndarray.to_numpy = _to_numpy
ndarray.__sizeof__ = _sizeof
ndarray.set = _set
ndarray.clip = _clip_method
ndarray.round = _functions.round
ndarray.trace = _functions.trace
ndarray.take = _positions.take
ndarray.put = _positions.put
ndarray.choose = _choose_method
ndarray.compress = _compress
ndarray.resize = _resize
ndarray.byteswap = _byteswap
ndarray.getfield = _getfield
ndarray.setfield = _setfield
ndarray.tofile = _tofile
ndarray.dump = _dump
ndarray.dumps = _dumps
ndarray.repeat = _positions.repeat
ndarray.__format__ = _format
ndarray.__round__ = _round_method
ndarray.__trunc__ = _trunc_method
ndarray.__conform__ = _conform
ndarray._sympy_ = _sympy
ndarray.__reduce__ = _reduce
ndarray.__reduce_ex__ = _reduce_ex
ndarray.__array_namespace__ = _namespace
ndarray.__class_getitem__ = classmethod(_class_getitem)
ufunc.outer = _ufunc_outer
ufunc.resolve_dtypes = _resolving.resolve_dtypes
ufunc.__signature__ = _resolving.Signature()
