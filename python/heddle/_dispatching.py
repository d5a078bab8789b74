# SPDX-License-Identifier: BSD-3-Clause
"""NumPy's functions and ufuncs of our arrays: numpy.concatenate([x, y]) is heddle.concatenate([x,
y]), numpy.exp(x) is heddle.exp(x)."""
from . import _handing, _heddle, _subclassing
from ._heddle import _is_array, copyto, elementwise, ndarray

__all__ = ["array_function"]

# By these libraries ask for an array that is NumPy's, to write to it or to hand it to C; and these
# say something of arrays, which is no work.
_NUMPYS = frozenset("""
    array2string array_repr array_str atleast_1d atleast_2d atleast_3d can_cast common_type copy
    empty_like full_like iscomplexobj isrealobj may_share_memory min_scalar_type ndim ones_like
    result_type save savetxt savez savez_compressed shape shares_memory size zeros_like
    """.split())
_MODULES = {"numpy": (), "numpy.linalg": ("linalg",), "numpy.fft": ("fft",)}


def _ours(function):
    """Our function of that name and place, or None."""
    path = _MODULES.get(function.__module__)
    if path is None or function.__name__ in _NUMPYS:
        return None
    import heddle
    module = heddle
    for name in path:
        module = getattr(module, name)
    value = getattr(module, function.__name__, None)
    return value if type(value) is _heddle.function else None


def array_function(self, function, types, args, kwargs):
    """What NumPy calls for its functions of arrays that are ours.

    Functions that heddle has too are heddle's; of others NumPy reads our arrays. Beside arrays that
    have rules of their own as well those are asked. An __array_function__ of a subclass comes here
    with functions of heddle's, too.
    """
    import numpy
    if not all(issubclass(t, (ndarray, numpy.ndarray)) for t in types):
        return NotImplemented
    if type(function) is _heddle.function:
        return _subclassing.compute(function, args, kwargs)
    plain = all(t is numpy.ndarray or issubclass(t, ndarray) for t in types)
    ours = _ours(function) if plain else None
    if ours and any(issubclass(t, ndarray) and t is not ndarray for t in types):
        return _subclassing.compute(ours, args, kwargs)
    return (ours or function._implementation)(*args, **kwargs)


# ---- ufuncs --------------------------------------------------------------------------------------

def _to_numpy(x):
    return x.__array__() if _is_array(x) else x


def _from_numpy(x):
    import numpy
    if isinstance(x, tuple):
        return tuple(map(_from_numpy, x))
    if isinstance(x, numpy.generic):
        try:
            return _heddle._scalar(x)
        except _heddle.NotOurs:
            return x
    return _handing.ours(x)


def _of_that_name(heddle, numpy, function):
    """Our function that stands for a ufunc of NumPy's; others may have such names too."""
    name = function.__name__
    return getattr(heddle, name, None) if getattr(numpy, name, None) is function else None


def _into(outs, function, method, inputs, kwargs):
    """The ufunc by NumPy, into copies of our outputs, which get what was written: only some of the
    elements are, where where= says so."""
    twins = tuple([None if o is None else o.__array__(copy=True) for o in outs])
    given = {"out": twins if method == "__call__" else twins[0]}
    results = getattr(function, method)(*map(_to_numpy, inputs), **given, **kwargs)
    for o, twin in zip(outs, twins):
        if o is not None:
            copyto(o, twin)
    if not isinstance(results, tuple):
        return outs[0]
    return tuple([_from_numpy(r) if o is None else o for o, r in zip(outs, results)])


def _array_ufunc(self, function, method, *inputs, **kwargs):
    """numpy.exp(x) is heddle.exp(x), and numpy_array + x a heddle array.

    Writing into a numpy array stays NumPy's work, with every array that is ours read by it.
    """
    import numpy
    out = kwargs.get("out", ())
    outs = out if isinstance(out, tuple) else (out,)
    if any(isinstance(o, numpy.ndarray) for o in (*outs, *inputs[:method == "at"])):
        if any(_is_array(o) for o in outs):
            raise TypeError(f"{function.__name__}: the arrays of out= must be of one library")
        kwargs = {name: _to_numpy(value) for name, value in kwargs.items()}
        return getattr(function, method)(*map(_to_numpy, inputs), **kwargs)
    import heddle
    pair = elementwise.get(function.__name__)
    ours = pair[0] if pair else _of_that_name(heddle, numpy, function)
    if ours is not None and hasattr(ours, method):
        if pair and method == "__call__":
            _known_ufuncs[function] = ours
        try:
            return getattr(ours, method)(*inputs, **kwargs)
        except NotImplementedError:     # a method of ufuncs that ours has not
            pass
    others = {name: _to_numpy(value) for name, value in kwargs.items() if name != "out"}
    if any(o is not None for o in outs):
        return _into(outs, function, method, inputs, others)
    return _from_numpy(getattr(function, method)(*map(_to_numpy, inputs), **others))


ndarray.__array_function__ = array_function
_known_ufuncs = {}
_heddle._set_override(_known_ufuncs, _array_ufunc)
