# SPDX-License-Identifier: BSD-3-Clause
"""Generators over NumPy's bit generators: NumPy draws, and what it draws becomes our arrays.

Every public method of NumPy's classes is handed on by its name. Importing this imports NumPy.
"""
from functools import wraps

import numpy
import numpy.random

from ._heddle import _OverNumpys, _is_array, _is_scalar, _numpys_method, asarray, copyto
from ._generators import Generator as _Generator

_KINDS = "biufc"


def _numpys(x, pairs):
    """x as NumPy takes it. Of an array of ours a copy, which pairs keeps beside it."""
    if not _is_array(x):
        return getattr(x, "_numpys", x)     # a generator of this module
    copy = numpy.array(x)
    if _is_scalar(x):
        return copy[()]
    pairs.append((x, copy))
    return copy


def _ours(x):
    """A result of NumPy's as ours: arrays and generators. Arrays of dtypes that we do not have,
    and what is neither, stay as they are."""
    if isinstance(x, numpy.random.Generator):
        return _Generator(x.bit_generator)
    if isinstance(x, list):
        return [_ours(each) for each in x]
    if not isinstance(x, (numpy.ndarray, numpy.generic)) or x.dtype.kind not in _KINDS:
        return x
    try:
        if isinstance(x, numpy.generic):    # an element, which is of no device
            return asarray(x, device="cpu")[()]
        return asarray(x)
    except TypeError:       # longdouble
        return x


def _call(method, args, kwargs):
    """method(...) with our arrays. What a method returns of its arguments (out), or all of them if
    it returns nothing (shuffle), it may have written to: our arrays get what it wrote."""
    pairs = []
    args = [_numpys(x, pairs) for x in args]
    kwargs = {name: _numpys(x, pairs) for name, x in kwargs.items()}
    result = method(*args, **kwargs)
    for own, copy in pairs:
        if result is copy:
            copyto(own, asarray(copy))
            return own
        if result is None:
            copyto(own, asarray(copy))
    if any(result is x for x in (*args, *kwargs.values())):
        return result
    return _ours(result)


def _handed_on(name, member):
    """A public member of a class of NumPy's as one of a class of ours."""
    if not callable(member):
        return property(lambda self: getattr(self._numpys, name), doc=member.__doc__)

    @wraps(member, assigned=("__name__", "__doc__"))
    def method(self, *args, **kwargs):
        return _call(getattr(self._numpys, name), args, kwargs)

    method.__signature__ = getattr(member, "__signature__", None) or _signature(member)
    if getattr(member, "__self__", None) is not None:       # of the class
        return method
    return _numpys_method(member, method, _ours)


def _signature(member):
    from inspect import signature
    try:
        return signature(member)
    except ValueError:
        return None


class _HandedOn(_OverNumpys):
    """What generators over NumPy's have in common: _numpys is one of NumPy's."""

    def __init_subclass__(cls, of=None, **kwargs):
        super().__init_subclass__(**kwargs)
        # No __getattr__: it would make every access slow.
        for name in dir(of) if of is not None else ():
            if not name.startswith("__"):
                setattr(cls, name, _handed_on(name, getattr(of, name)))

    def __repr__(self):
        return repr(self._numpys)

    def __str__(self):
        return str(self._numpys)


class NumpysGenerator(_HandedOn, _Generator, of=numpy.random.Generator):
    """A generator over a bit generator of NumPy's: the numbers of numpy.random.Generator."""

    def __init__(self, bit_generator):
        self._numpys = numpy.random.Generator(bit_generator)

    def __reduce__(self):
        return _Generator, (self.bit_generator,)


class RandomState(_HandedOn, of=numpy.random.RandomState):
    """RandomState(seed=None): the numbers of numpy.random.RandomState, as Heddle's arrays.

    seed: as NumPy's, a number below 2**32, an array of them, None, or a bit generator.
    """

    def __init__(self, seed=None):
        self._numpys = numpy.random.RandomState(_numpys(seed, []))

    def __reduce__(self):
        return _random_state_of, (self._numpys,)


def _random_state_of(numpys):
    state = RandomState.__new__(RandomState)
    state._numpys = numpys
    return state
