# SPDX-License-Identifier: BSD-3-Clause
"""What expressions of a kernel are while it is translated: text in C with its type, or an object of
Python's that is known already. Types of numbers are NumPy's dtypes."""
import numpy

_C_NAMES = {"?": "bool", "b": "signed char", "B": "unsigned char", "h": "short",
            "H": "unsigned short", "i": "int", "I": "unsigned int", "q": "long long",
            "Q": "unsigned long long", "e": "half", "f": "float", "d": "double",
            "F": "complex<float>", "D": "complex<double>"}
_ORDER = "?bBhHiIqQefdFD"       # of two types in mode "cuda" the later one is the result's


class Value:
    """An expression in C. type: a dtype; an Array or a Pointer; of several values a tuple of them,
    and code a tuple of Values. is_place: it can be assigned to. constant: the number it is."""

    def __init__(self, code, type, is_place=False, constant=None):
        self.code, self.type, self.is_place, self.constant = code, type, is_place, constant


class Known:
    """An object of Python's: a constant, a module, a function."""

    def __init__(self, object):
        self.object = object


class Array:
    """The type of an array that is an argument. steps: the code of its strides in elements."""

    def __init__(self, dtype, ndim, is_dense):
        self.dtype, self.ndim, self.is_dense = dtype, ndim, is_dense

    def key(self):
        return self.dtype.char, self.ndim, self.is_dense


class Pointer:
    """The type of an array in shared memory."""

    def __init__(self, dtype):
        self.dtype = dtype

    def key(self):
        return (self.dtype.char,)


def number(dtype):
    """The dtype with one character for each size: long and long long are one."""
    dtype = numpy.dtype(dtype)
    if dtype.kind in "iu" and dtype.char not in _C_NAMES:
        dtype = numpy.dtype(f"{dtype.kind}{dtype.itemsize}")
        char = {"l": "q", "L": "Q"}.get(dtype.char, dtype.char)
        dtype = numpy.dtype(char)
    if dtype.char not in _C_NAMES:
        raise TypeError(f"there is no {dtype} in kernels")
    return dtype


BOOL, INT32, UINT32, INT64 = (number(name) for name in ("?", "i4", "u4", "i8"))
FLOAT32, FLOAT64 = number("f4"), number("f8")


def c_name(dtype):
    return _C_NAMES[dtype.char]


def type_of(x, mode):
    """The type that a number of Python's or of NumPy's has in a kernel."""
    if isinstance(x, numpy.generic):
        return number(x.dtype)
    if isinstance(x, bool):
        return BOOL
    if isinstance(x, int):
        small = mode == "cuda" and -2**31 <= x < 2**31
        return INT32 if small else number("u8" if x >= 2**63 else "i8")
    if isinstance(x, float):
        return FLOAT32 if mode == "cuda" else FLOAT64
    if isinstance(x, complex):
        return number("c8" if mode == "cuda" else "c16")
    raise TypeError(f"{x!r} is no number, and cannot be a value in a kernel")


def literal(x, dtype):
    """A number as C writes it."""
    if dtype.kind == "b":
        return "true" if x else "false"
    if dtype.kind == "c":
        part = number("f4" if dtype.char == "F" else "f8")
        x = complex(x)
        return f"{c_name(dtype)}({literal(x.real, part)}, {literal(x.imag, part)})"
    if dtype.kind == "f":
        x = float(x)
        if x != x or x in (float("inf"), -float("inf")):
            zero = "0.0"    # NVRTC knows INFINITY without a header no more than Heddle does
            text = f"({'0.0' if x != x else '-1.0' if x < 0 else '1.0'} / {zero})"
            return f"({c_name(dtype)}){text}"
        text = repr(x)
        return {"f": f"{text}f", "d": text}.get(dtype.char, f"({c_name(dtype)}){text}")
    if dtype.char == "q" and int(x) == -2**63:
        return "(-9223372036854775807LL - 1)"
    return f"{int(x)}" + {"I": "u", "q": "LL", "Q": "ULL"}.get(dtype.char, "")


def _bracketed(text):
    return f"({text})" if text.startswith("-") else text


def promoted(types, mode):
    """The type of what is computed of these."""
    if mode == "cuda":
        return max(types, key=lambda t: _ORDER.index(t.char))
    return number(numpy.result_type(*types))


def cast(value, dtype):
    """The code of a number as the type."""
    if value.type.char == dtype.char:
        return value.code
    if value.constant is not None and dtype.kind != "b" and value.type.kind != "c":
        return _bracketed(literal(int(value.constant) if dtype.kind in "iu" else value.constant,
                                  dtype))
    if dtype.kind == "b":
        return f"({value.code} != 0)"
    if value.type.kind == "c" and dtype.kind != "c":
        raise TypeError(f"{value.type} does not become {dtype}")
    if dtype.kind == "c":
        part = number("f4" if dtype.char == "F" else "f8")
        if value.type.kind != "c":
            return f"{c_name(dtype)}(({c_name(part)}){value.code}, 0)"
        return (f"{c_name(dtype)}(({c_name(part)})real({value.code}), "
                f"({c_name(part)})imag({value.code}))")
    return f"({c_name(dtype)})({value.code})"


def as_number(value, mode, what="a number"):
    """The Value of what is one, a Known number among them."""
    if isinstance(value, Known):
        dtype = type_of(value.object, mode)
        return Value(_bracketed(literal(value.object, dtype)), dtype, constant=value.object)
    if not isinstance(value.type, numpy.dtype):
        raise TypeError(f"{what} is expected, and not {described(value)}")
    return value


def described(value):
    if isinstance(value, Known):
        return repr(value.object)
    kind = type(value.type)
    return {Array: "an array", Pointer: "shared memory", tuple: "several values"}.get(
        kind, str(value.type))
