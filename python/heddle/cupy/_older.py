# SPDX-License-Identifier: BSD-3-Clause
"""Names that CuPy has kept from before NumPy 2: other names of what Heddle has."""
import ast as _ast
import sys as _sys

import numpy as _numpy

import heddle as _heddle

_OF = {
    "Inf": "inf", "Infinity": "inf", "NAN": "nan", "NaN": "nan", "PINF": "inf", "infty": "inf",
    "alltrue": "all", "cfloat": "complex128", "complex_": "complex128", "cumproduct": "cumprod",
    "float_": "float64", "product": "prod", "round_": "round", "singlecomplex": "complex64",
    "sometrue": "any", "trapz": "trapezoid",
}
globals().update((_name, getattr(_heddle, _of)) for _name, _of in _OF.items())

NINF, PZERO, NZERO = -_heddle.inf, 0.0, -0.0
__all__ = [*_OF, "DataSource", "NINF", "NZERO", "PZERO", "asfarray", "byte_bounds", "disp",
           "find_common_type", "format_parser", "in1d", "issctype", "issubclass_", "issubsctype",
           "msort", "obj2sctype", "safe_eval", "sctype2char", "who"]
DataSource = _numpy.lib.npyio.DataSource
format_parser = _numpy.rec.format_parser


def in1d(ar1, ar2, assume_unique=False, invert=False):
    """Is each element of the flattened ar1 in ar2?"""
    return _heddle.isin(_heddle.asarray(ar1).ravel(), ar2, assume_unique, invert)


def msort(a):
    """A copy sorted along the first axis."""
    return _heddle.sort(a, axis=0)


def asfarray(a, dtype=_heddle.float64):
    """The array as floating-point numbers: an integer dtype is taken for float64."""
    dtype = _heddle.dtype(dtype)
    return _heddle.asarray(a, dtype if dtype.kind in "fc" else _heddle.float64)


def byte_bounds(a):
    """The addresses of an array's first byte and of the one behind its last."""
    host = _heddle._heddle._is_host(a.device)
    start = (a.__array_interface__ if host else a.__cuda_array_interface__)["data"][0]
    steps = [(n - 1) * s for n, s in zip(a.shape, a.strides, strict=True)] if a.size else []
    return (start + sum(s for s in steps if s < 0),
            start + sum(s for s in steps if s > 0) + a.itemsize)


def disp(mesg, device=None, linefeed=True):
    """Writes a message to a stream (sys.stdout)."""
    device = _sys.stdout if device is None else device
    device.write(f"{mesg}\n" if linefeed else f"{mesg}")
    device.flush()


def _common(types):
    dtypes = [_numpy.dtype(t) for t in types]
    return _numpy.result_type(*dtypes) if dtypes else None


def find_common_type(array_types, scalar_types):
    """The dtype of arrays of some dtypes together with scalars of others: that of the scalars where
    these are of a higher kind."""
    arrays, scalars = _common(array_types), _common(scalar_types)
    if arrays is None or scalars is None:
        return arrays if scalars is None else scalars
    kinds = "buifc"
    return scalars if kinds.index(scalars.kind) > kinds.index(arrays.kind) else arrays


def obj2sctype(rep, default=None):
    """The scalar type of a dtype, an array or a type; default if there is none."""
    if isinstance(rep, type):
        return rep if issubclass(rep, _numpy.generic) else _type_of(rep, default)
    return _type_of(getattr(rep, "dtype", rep), default)


def _type_of(rep, default):
    try:
        return _numpy.dtype(rep).type
    except TypeError:
        return default


def issctype(rep):
    """Does it stand for a scalar type?"""
    if not isinstance(rep, type | _numpy.dtype):
        return False
    found = obj2sctype(rep)
    return found is not None and found is not _numpy.object_


def issubclass_(arg1, arg2):
    """issubclass(), and False where that would raise."""
    try:
        return issubclass(arg1, arg2)
    except TypeError:
        return False


def issubsctype(arg1, arg2):
    """Is the scalar type of arg1 one of arg2's?"""
    return issubclass(obj2sctype(arg1), obj2sctype(arg2))


def sctype2char(sctype):
    """The character of a scalar type."""
    found = obj2sctype(sctype)
    if found is None:
        raise ValueError(f"{sctype!r} stands for no scalar type")
    return _numpy.dtype(found).char


def who(vardict=None):
    """Prints name, shape, bytes and dtype of each array that a dict (the caller's globals) holds,
    and the bytes of all together. An array with several names counts once."""
    if vardict is None:
        vardict = _sys._getframe(1).f_globals
    rows, first = [], {}
    for name in sorted(vardict):
        x = vardict[name]
        if isinstance(x, _heddle.ndarray):
            known = first.setdefault(id(x), (name, x.nbytes))[0]
            rows.append((name if known == name else f"{name} ({known})",
                         " x ".join(map(str, x.shape)), str(x.nbytes), x.dtype.name))
    if rows:
        widths = [max(10, *map(len, column)) + space
                  for column, space in zip(zip(*rows), (6, 7, 7), strict=False)]
        lines = ["".join(map(str.ljust, row, widths)) + row[3]
                 for row in (("Name", "Shape", "Bytes", "Type"), *rows)]
        print(lines[0], "=" * (sum(widths) + 9), "", *lines[1:], sep="\n")
    print(f"\nUpper bound on total bytes  =       {sum(size for _, size in first.values())}")


def safe_eval(source):
    """The value of a literal."""
    return _ast.literal_eval(source)
