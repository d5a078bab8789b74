# SPDX-License-Identifier: BSD-3-Clause
"""What a kernel may call: functions of CUDA's by CuPy's names, of the builtins, and those of
NumPy's that take numbers. Each has emit(translation, args, kwargs), which gives the Value of a
call."""
import builtins

import numpy

from ._values import (BOOL, FLOAT32, FLOAT64, INT32, UINT32, Array, Known, Pointer, Value,
                      as_number, c_name, cast, number, promoted)

# Templates that the code of every kernel may use. A division by 0 is 0 in integers, as NumPy's.
PRELUDE = """\
template<typename T> __device__ T heddle_min(T a, T b) { return b < a ? b : a; }
template<typename T> __device__ T heddle_max(T a, T b) { return a < b ? b : a; }
template<typename T> __device__ T heddle_least(T a, T b) { return a != a || a < b ? a : b; }
template<typename T> __device__ T heddle_greatest(T a, T b) { return a != a || b < a ? a : b; }
template<typename T> __device__ T heddle_absolute(T a) { return a < 0 ? -a : a; }
template<typename T> __device__ bool heddle_isnan(T a) { return a != a; }
template<typename T> __device__ bool heddle_isinf(T a) { return a == a && a - a != 0; }
template<typename T> __device__ bool heddle_isfinite(T a) { return a - a == 0; }
template<typename T> __device__ T heddle_signed_mod(T a, T b)
{
    if (b == 0 || b == -1)
        return 0;
    T r = a % b;
    return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}
template<typename T> __device__ T heddle_signed_div(T a, T b)
{
    if (b == 0)
        return 0;
    if (b == -1)
        return 0 - a;
    T q = a / b;
    return a % b != 0 && (a < 0) != (b < 0) ? q - 1 : q;
}
template<typename T> __device__ T heddle_unsigned_mod(T a, T b) { return b == 0 ? 0 : a % b; }
template<typename T> __device__ T heddle_unsigned_div(T a, T b) { return b == 0 ? 0 : a / b; }
template<typename T> __device__ T heddle_float_mod(T a, T b)
{
    T r = fmod(a, b);
    return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}
template<typename T> __device__ T heddle_power(T a, T n)
{
    T r = 1;
    for (; n > 0; n >>= 1) {
        if (n & 1)
            r *= a;
        a *= a;
    }
    return r;
}
"""


class Function:
    """A function that only kernels can call."""

    def __init__(self, name, emit, doc):
        self.__name__, self.__doc__ = name, doc
        self.emit = emit

    def __call__(self, *args, **kwargs):
        raise RuntimeError(f"cupyx.jit.{self.__name__} can only be called in a kernel")

    def __repr__(self):
        return f"<cupyx.jit.{self.__name__}, for kernels>"


class Dimensions:
    """threadIdx and its kin: x, y and z."""

    def __init__(self, name):
        self.__name__ = name

    def member(self, axis):
        if axis not in ("x", "y", "z"):
            raise AttributeError(f"{self.__name__} has no {axis}")
        return Value(f"{self.__name__}.{axis}", UINT32)

    def __repr__(self):
        return f"<cupyx.jit.{self.__name__}, for kernels>"


def known(value, what):
    """The object of an argument that must be known when the kernel is translated."""
    if not isinstance(value, Known):
        raise TypeError(f"{what} must be a constant")
    return value.object


# ---- CUDA's --------------------------------------------------------------------------------------


def _along(code):
    def emit(tr, ndim):
        n = known(ndim, "ndim")
        if type(n) is not int:
            raise TypeError("ndim is an integer")
        if n not in (1, 2, 3):
            raise ValueError("ndim is 1, 2 or 3")
        values = tuple(Value(code.format(n=axis), UINT32) for axis in "xyz"[:n])
        return values[0] if n == 1 else Value(values, tuple(v.type for v in values))
    return emit


def _shared(tr, dtype, size, alignment=Known(None)):
    dtype = number(known(dtype, "dtype"))
    n, align = known(size, "size"), known(alignment, "alignment")
    name = tr.fresh("shared")
    aligned = f"__align__({int(align)}) " if align else ""
    if n is None:
        tr.declare(f"extern __shared__ {aligned}char {name}_bytes[];")
        tr.declare(f"{c_name(dtype)} *{name} = ({c_name(dtype)} *){name}_bytes;")
    else:
        tr.declare(f"__shared__ {aligned}{c_name(dtype)} {name}[{int(n)}];")
    return Value(name, Pointer(dtype))


def _sync_warp(tr, *, mask=Known(0xffffffff)):
    return Value(f"__syncwarp({cast(as_number(mask, tr.mode), UINT32)})", None)


def _lane(tr):
    return Value("((threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) % 32)",
                 UINT32)


def _shuffle(name):
    def emit(tr, mask, var, val_id, *, width=Known(32)):
        value = as_number(var, tr.mode)
        mask, lane, width = (as_number(v, tr.mode) for v in (mask, val_id, width))
        return Value(f"{name}({cast(mask, UINT32)}, {value.code}, {cast(lane, INT32)}, "
                     f"{cast(width, INT32)})", value.type)
    return emit


def _atomic(name, dtypes):
    def emit(tr, array, index, *values, alt_value=None):
        place = tr.element(array, index)
        tr.written(array)
        if place.type.name not in dtypes.split():
            raise TypeError(f"{name} takes {dtypes}, and not {place.type}")
        values += () if alt_value is None else (alt_value,)
        count = 1 + (name == "atomicCAS")
        if len(values) != count:
            raise TypeError(f"{name} takes an array, an index and {count} values")
        codes = [cast(as_number(v, tr.mode), place.type) for v in values]
        return Value(f"{name}(&{place.code}, {', '.join(codes)})", place.type)
    return emit


_INTEGERS = "int32 uint32 uint64"
_ATOMIC = "{}, which is the old value. array, index, value: a place in an array or shared memory."
_SHUFFLE = "var of another lane of the warp: {}. mask: the lanes that take part."
_ALL = {name: Function(name, emit, doc) for name, (emit, doc) in {
    "grid": (_along("(threadIdx.{n} + blockIdx.{n} * blockDim.{n})"),
             "The place of the thread in the grid: a number, or ndim of them."),
    "gridsize": (_along("(blockDim.{n} * gridDim.{n})"),
                 "The threads of the grid along an axis: a number, or ndim of them."),
    "shared_memory": (_shared, "An array that the threads of a block share. size: None for what "
                               "shared_mem of the launch leaves."),
    "syncthreads": (lambda tr: Value("__syncthreads()", None),
                    "Waits for the other threads of the block."),
    "syncwarp": (_sync_warp, "Waits for the other threads of the warp."),
    "laneid": (_lane, "The number of the thread in its warp."),
    "shfl_sync": (_shuffle("__shfl_sync"), _SHUFFLE.format("val_id")),
    "shfl_up_sync": (_shuffle("__shfl_up_sync"), _SHUFFLE.format("val_id lanes before")),
    "shfl_down_sync": (_shuffle("__shfl_down_sync"), _SHUFFLE.format("val_id lanes behind")),
    "shfl_xor_sync": (_shuffle("__shfl_xor_sync"), _SHUFFLE.format("its number ^ val_id")),
    "atomic_add": (_atomic("atomicAdd", f"{_INTEGERS} float32 float64"), _ATOMIC.format("Adds")),
    "atomic_sub": (_atomic("atomicSub", "int32 uint32"), _ATOMIC.format("Subtracts")),
    "atomic_exch": (_atomic("atomicExch", f"{_INTEGERS} float32"), _ATOMIC.format("Puts")),
    "atomic_min": (_atomic("atomicMin", _INTEGERS), _ATOMIC.format("Puts the smaller one")),
    "atomic_max": (_atomic("atomicMax", _INTEGERS), _ATOMIC.format("Puts the larger one")),
    "atomic_inc": (_atomic("atomicInc", "uint32"),
                   _ATOMIC.format("Counts up, after value from 0 again")),
    "atomic_dec": (_atomic("atomicDec", "uint32"),
                   _ATOMIC.format("Counts down, after 0 from value again")),
    "atomic_cas": (_atomic("atomicCAS", _INTEGERS),
                   _ATOMIC.format("Puts alt_value where there is value")),
    "atomic_and": (_atomic("atomicAnd", _INTEGERS), _ATOMIC.format("Puts old & value")),
    "atomic_or": (_atomic("atomicOr", _INTEGERS), _ATOMIC.format("Puts old | value")),
    "atomic_xor": (_atomic("atomicXor", _INTEGERS), _ATOMIC.format("Puts old ^ value")),
}.items()}
(grid, gridsize, shared_memory, syncthreads, syncwarp, laneid, shfl_sync, shfl_up_sync,
 shfl_down_sync, shfl_xor_sync, atomic_add, atomic_sub, atomic_exch, atomic_min, atomic_max,
 atomic_inc, atomic_dec, atomic_cas, atomic_and, atomic_or, atomic_xor) = _ALL.values()
# read by the statement `for`
range_ = Function("range", None,
                  "Python's range, which may be unrolled: unroll is True or a number.")
threadIdx, blockDim, blockIdx, gridDim = map(Dimensions, ("threadIdx", "blockDim", "blockIdx",
                                                          "gridDim"))
warpsize = 32


# ---- Python's and NumPy's ------------------------------------------------------------------------

_FLOATING = {"sin": "sin", "cos": "cos", "tan": "tan", "arcsin": "asin", "arccos": "acos",
             "arctan": "atan", "asin": "asin", "acos": "acos", "atan": "atan", "sinh": "sinh",
             "cosh": "cosh", "tanh": "tanh", "arcsinh": "asinh", "arccosh": "acosh",
             "arctanh": "atanh", "exp": "exp", "exp2": "exp2", "expm1": "expm1", "log": "log",
             "log2": "log2", "log10": "log10", "log1p": "log1p", "sqrt": "sqrt", "cbrt": "cbrt",
             "arctan2": "atan2", "atan2": "atan2", "hypot": "hypot", "fmod": "fmod", "pow": "pow",
             "copysign": "copysign", "fabs": "fabs", "floor": "floor", "ceil": "ceil",
             "rint": "rint", "trunc": "trunc", "erf": "erf", "erfc": "erfc"}
_TWO = frozenset(("arctan2", "atan2", "hypot", "fmod", "pow", "copysign"))
_PREDICATES = ("isnan", "isinf", "isfinite")


def _floating(tr, name, args):
    values = [as_number(v, tr.mode) for v in args]
    if len(values) != 1 + (name in _TWO):
        raise TypeError(f"{name} takes {1 + (name in _TWO)} numbers")
    dtype = promoted([v.type for v in values], tr.mode)
    if dtype.kind == "c":
        raise TypeError(f"{name} of complex numbers is not there in kernels")
    dtype = FLOAT64 if dtype.kind in "biu" else FLOAT32 if dtype.char == "e" else dtype
    return Value(f"{_FLOATING[name]}({', '.join(cast(v, dtype) for v in values)})", dtype)


def _predicate(tr, name, args):
    value, = (as_number(v, tr.mode) for v in args)
    if value.type.kind != "f":
        return Value("false" if name != "isfinite" else "true", BOOL)
    wide = FLOAT32 if value.type.char == "e" else value.type
    return Value(f"heddle_{name}<{c_name(wide)}>({cast(value, wide)})", BOOL)


def _extreme(template):
    def emit(tr, args):
        values = [as_number(v, tr.mode) for v in args]
        if len(values) < 2:
            raise TypeError("two numbers or more are expected")
        dtype = promoted([v.type for v in values], tr.mode)
        code = cast(values[0], dtype)
        for v in values[1:]:
            code = f"{template}<{c_name(dtype)}>({code}, {cast(v, dtype)})"
        return Value(code, dtype)
    return emit


def _absolute(tr, args):
    value, = (as_number(v, tr.mode) for v in args)
    if value.type.kind in "bu":
        return value
    if value.type.kind == "f":
        wide = FLOAT32 if value.type.char == "e" else value.type
        return Value(cast(Value(f"fabs({cast(value, wide)})", wide), value.type), value.type)
    if value.type.kind == "c":
        raise TypeError("abs of complex numbers is not there in kernels")
    return Value(f"heddle_absolute<{c_name(value.type)}>({value.code})", value.type)


def _length(tr, args):
    array, = args
    if isinstance(array, Value) and isinstance(array.type, Array) and array.type.ndim:
        return Value(f"{array.code}_n0", number("i8"))
    raise TypeError("len() takes an array with axes")


def _where(tr, args):
    if len(args) != 3:
        raise TypeError("where takes three values in a kernel")
    return tr.chosen(*args)


_BY_NAME = {"minimum": _extreme("heddle_least"), "maximum": _extreme("heddle_greatest"),
            "fmin": _extreme("heddle_min"), "fmax": _extreme("heddle_max"),
            "absolute": _absolute, "abs": _absolute, "where": _where}
_BUILTINS = {min: _extreme("heddle_min"), max: _extreme("heddle_max"), abs: _absolute,
             len: _length}
_CASTS = {int: {"cuda": "i8", "numpy": "i8"}, float: {"cuda": "f8", "numpy": "f8"},
          bool: {"cuda": "?", "numpy": "?"}}


def _is_of_numbers(function):
    """Is it NumPy's, Heddle's or Python's mathematical function?"""
    module = (getattr(function, "__module__", None) or
              getattr(type(function), "__module__", "")).partition(".")[0]
    return module in ("numpy", "heddle", "math", "cupy") or isinstance(function, numpy.ufunc)


def call(tr, function, args, kwargs):
    """The Value of a call of a function that is known."""
    if isinstance(function, Function) and function.emit:
        return function.emit(tr, *args, **kwargs)
    if kwargs:
        raise TypeError(f"{function!r} takes no keywords in a kernel")
    if isinstance(function, type):
        if function in _CASTS or issubclass(function, numpy.generic):
            dtype = number(_CASTS[function][tr.mode] if function in _CASTS else function)
            value, = (as_number(v, tr.mode) for v in args)
            return Value(cast(value, dtype), dtype)
    elif isinstance(function, type(builtins.len)) and function in _BUILTINS:
        return _BUILTINS[function](tr, args)
    name = getattr(function, "__name__", "")
    if _is_of_numbers(function):
        if name in _BY_NAME:
            return _BY_NAME[name](tr, args)
        if name in _FLOATING:
            return _floating(tr, name, args)
        if name in _PREDICATES:
            return _predicate(tr, name, args)
    if getattr(function, "__module__", "builtins") != "builtins" and \
            all(isinstance(a, Known) for a in args):
        return Known(function(*(a.object for a in args)))       # a constant, or makes a function
    raise TypeError(f"{function!r} cannot be called in a kernel")
