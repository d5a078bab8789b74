# SPDX-License-Identifier: BSD-3-Clause
"""Calls that NumPy does: of functions that were given arrays of text, dates, objects or records, or
arrays with rules of their own.

A function of ours that meets such an operand is NumPy's function of the same name for that call
(python/src/py_handover.c). Its results are NumPy's, but plain arrays of numbers, which are ours.
"""
import operator
from os import environ

from . import _heddle
from ._heddle import _is_array, ndarray

# Functions whose business is to make arrays of ours: what has rules of its own loses them there, as
# it does in NumPy's.
_MAKES_ARRAYS = frozenset("""
    array asarray asarray_chkfinite ascontiguousarray asfortranarray asnumpy copy from_dlpack
    frombuffer to_device copyto put place putmask
    """.split())

# Functions that NumPy has in C: in the body of a class they are no methods.
_UNBOUND = frozenset("""
    arange array asanyarray asarray ascontiguousarray asfortranarray empty frombuffer fromfile
    fromiter fromstring from_dlpack promote_types zeros
    """.split())

# Operators by the names of their ufuncs, where they differ.
_OPERATORS = {"subtract": "sub", "multiply": "mul", "divide": "truediv",
              "floor_divide": "floordiv", "remainder": "mod", "power": "pow",
              "bitwise_and": "and_", "bitwise_or": "or_", "bitwise_xor": "xor",
              "left_shift": "lshift", "right_shift": "rshift", "less": "lt", "less_equal": "le",
              "greater": "gt", "greater_equal": "ge"}

# What dtypes that we do not have are: of text, bytes, objects, dates, spans of time.
NEVER_OURS = frozenset("USOMmT")

# Types of what is no array and holds none.
_AS_THEY_ARE = frozenset((str, bytes, int, float, bool, complex, type(None)))

counts = {}     # hand-overs by function
policy = ["error" if environ.get("HEDDLE_HAND_OVER") == "error" else "allow"]


def make_public(names, home, values):
    """Puts public functions in the place of the plain ones of these names in values, the dict of
    module home: "heddle" or "heddle.linalg"."""
    inside, made = home.partition(".")[2], {}
    for name in names:
        inner = values.get(name)
        if type(inner) not in _FUNCTIONS:
            continue
        asks = name not in _MAKES_ARRAYS
        if (inner, asks) in made:       # another name of the same
            values[name] = made[inner, asks]
            continue
        path = f"{inside}.{name}" if inside else name
        f = _heddle._function(inner, path, asks, name not in _UNBOUND)
        f.__name__ = f.__qualname__ = name
        f.__module__ = home
        values[name] = made[inner, asks] = f


def make_methods(kind):
    """Puts public methods in the place of the plain ones of a type: ndarray."""
    for name, inner in list(vars(kind).items()):
        if type(inner) in _METHODS and not name.startswith("_"):
            if inner.__name__.startswith("_"):
                inner.__name__ = name       # which is also what it is pickled by
            method = _heddle._method(inner, f"{kind.__name__}.{name}", name not in _MAKES_ARRAYS)
            setattr(kind, name, method)


def or_numpys(inner, path):
    """A function inside of another whose work NumPy may do: inner, or NumPy's of that path."""
    return _heddle._function(inner, path, False, True)


def _plain(x, twins):
    """x with our arrays as NumPy's, which twins collects (pairs of both), and scalars as its scalars."""
    if _is_array(x):
        twin = x.__array__()
        if _heddle._is_scalar(x):
            return twin[()]
        twins.append((x, twin))
        return twin
    if (type(x) in (list, tuple) and not _AS_THEY_ARE.issuperset(map(type, x)) and
            any(isinstance(item, (ndarray, list, tuple)) for item in x)):
        return type(x)(_plain(item, twins) for item in x)
    return x


def _is_copy(x):
    """Is NumPy's twin of x a copy?"""
    return not _heddle._is_host(x.device) or x.dtype.kind == "V"


def _write_back(results, outs, twins):
    """What NumPy wrote to twins that are copies goes into our arrays: those given for outputs, and
    where there is no result the first one, which was changed in place."""
    for n, (x, twin) in enumerate(twins):
        written = results is twin or (results is None and n == 0) or any(x is o for o in outs)
        # of an operand that is an output too, the last twin is the output's
        if written and not any(x is later for later, _ in twins[n + 1:]) and _is_copy(x) \
                and twin.flags.writeable:
            x[...] = twin


def _ours_again(results, given, outs, twins):
    """Results of NumPy's as ours, but what was given for outputs as it is: an array of ours that
    NumPy wrote to, by its twin, is the result itself."""
    _write_back(results, outs, twins)
    if results is None or any(results is x for x in given):
        return results
    for x, twin in twins:
        if results is twin:
            return x
    return ours(results)


def _outs(function, args, out):
    """What was given for outputs: by name, and of ufuncs by position."""
    by_name = out if isinstance(out, tuple) else (out,)
    return (*args[getattr(function, "nin", len(args)):], *(o for o in by_name if o is not None))


def ours(x):
    """A result with NumPy's plain arrays of numbers as ours."""
    import numpy
    if type(x) is numpy.ndarray and x.dtype.kind in NEVER_OURS:
        return x
    if type(x) is numpy.ndarray and x.dtype.isnative:
        try:
            return _heddle.array(x)
        except _heddle.NotOurs:
            return x
    if type(x) in (list, tuple):
        return type(x)(map(ours, x))
    if isinstance(x, tuple) and hasattr(x, "_fields"):
        return type(x)(*map(ours, x))
    return x


def hand_over(path, args, kwargs, error):
    """NumPy's function of that path: called by the extension after error."""
    import numpy
    first, _, rest = path.partition(".")
    if first == "operator":
        function = getattr(operator, _OPERATORS.get(rest, rest), None)
    else:
        function = getattr(numpy, first, None)
        for name in rest.split(".") if rest else ():
            function = getattr(function, name, None)
    if function is None or policy[0] == "error":
        raise error
    counts[path] = counts.get(path, 0) + 1
    twins = []
    results = function(*[_plain(x, twins) for x in args],
                       **{name: _plain(x, twins) for name, x in kwargs.items()})
    outs = _outs(function, args, kwargs.get("out"))
    return _ours_again(results, (*args, *outs), outs, twins)


def _text(error):
    """The text of a NotOurs: of a dtype, which takes long to print, only now."""
    told = error.args[0] if error.args else ""
    return told if isinstance(told, str) else f"heddle has no arrays of {told!r}"


_heddle.NotOurs.__str__ = _text
_FUNCTIONS = (type(make_public), type(len))
_METHODS = (type(make_public), type(str.upper))
_heddle._set_hand_over(hand_over, counts, policy)
