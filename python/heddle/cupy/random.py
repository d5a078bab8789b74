# SPDX-License-Identifier: BSD-3-Clause
"""cupy.random: heddle.random, whose distributions take CuPy's dtype as well.

That is the dtype of what is drawn as float64 or int64 and then converted, in one kernel. Numbers
come from Philox everywhere in Heddle: the names of CuPy's generators stand for seeds of it.
"""
from functools import wraps as _wraps

from .. import random as _random
from .._heddle import asarray as _asarray
from .._legacy import Legacy as _Legacy
from .._seeding import Bits as _Bits
from ._sharing import sharing as _sharing

# Distributions that take a dtype in CuPy and not in NumPy, and its place among the arguments.
_DTYPE_AT = {
    "beta": 3, "binomial": 3, "chisquare": 2, "dirichlet": 2, "exponential": 2, "f": 3, "gamma": 3,
    "geometric": 2, "gumbel": 3, "hypergeometric": 4, "laplace": 3, "logistic": 3, "lognormal": 3,
    "logseries": 2, "negative_binomial": 3, "noncentral_chisquare": 3, "noncentral_f": 4,
    "normal": 3, "pareto": 2, "poisson": 2, "power": 2, "rayleigh": 2, "standard_cauchy": 1,
    "standard_t": 2, "triangular": 4, "uniform": 3, "vonmises": 3, "wald": 3, "weibull": 2,
    "zipf": 2, "randn": None}
# Uniform over [0, 1): drawn as the dtype, for converted numbers could be 1.
_UNIFORM = {"rand": None, "random_sample": 1, "ranf": 1, "sample": 1}


def _split(place, args, kwargs):
    """The arguments without the dtype, and the dtype."""
    dtype = kwargs.pop("dtype", None)
    if place is not None and len(args) > place:
        args, dtype = args[:place] + args[place + 1:], args[place]
    return args, kwargs, dtype


def _converting(function, place):
    @_wraps(function)
    def drawing(*args, **kwargs):
        args, kwargs, dtype = _split(place, args, kwargs)
        drawn = function(*args, **kwargs)
        return drawn if dtype is None else _asarray(drawn).astype(dtype)
    return drawing


def _uniform(function, random, place):
    @_wraps(function)
    def drawing(*args, **kwargs):
        args, kwargs, dtype = _split(place, args, kwargs)
        if dtype is None:
            return function(*args, **kwargs)
        return random(*((args or None,) if place is None else args), dtype=dtype, **kwargs)
    return drawing


def _taking_dtype(name, function, random):
    """The function of that name, or what takes CuPy's dtype for it. random: of the same stream."""
    if name in _DTYPE_AT:
        return _converting(function, _DTYPE_AT[name])
    return _uniform(function, random, _UNIFORM[name]) if name in _UNIFORM else function


class _Drawing:
    def __getattribute__(self, name):
        value = super().__getattribute__(name)
        if name not in _DTYPE_AT and name not in _UNIFORM:
            return value
        return _taking_dtype(name, value, super().__getattribute__("random"))


class BitGenerator(_Bits):
    """What CuPy's generators of bits stand for here: Philox 4x32-10 from a seed. size: ignored."""

    def __init__(self, seed=None, *, size=None):
        super().__init__(seed)


class XORWOW(BitGenerator):
    """A BitGenerator."""


class MRG32k3a(BitGenerator):
    """A BitGenerator."""


class Philox4x3210(BitGenerator):
    """A BitGenerator."""


class Generator(_Drawing, _random.Generator):
    """A stream of random numbers, from a BitGenerator or a seed."""


class RandomState(_Drawing, _Legacy):
    """A stream of random numbers with the older names of its methods."""

    def __init__(self, seed=None, method=None):
        super().__init__(seed)

    def tomaxint(self, size=None):
        """Integers from 0 to the largest int64."""
        return self.integers(0, 2**63 - 1, size, endpoint=True)


def default_rng(seed=None):
    """A new Generator, from None, an int, a sequence of them or a BitGenerator; seed itself if it
    is a Generator."""
    return seed if isinstance(seed, _random.Generator) else Generator(seed)


def random_integers(low, high=None, size=None):
    """Integers from low to high, both among them; from 1 to low without high."""
    if high is None:
        low, high = 1, low
    return _random.randint(low, high + 1, size)


def get_random_state():
    """The RandomState that the functions of this module draw from."""
    bits = _random.get_bit_generator()
    if _current[0] is None or _current[0].bit_generator is not bits:
        _current[0] = RandomState(bits)
    return _current[0]


def set_random_state(rs):
    """Lets the functions, as they are found in this module and in heddle.random from now on, draw
    from a RandomState. TypeError for anything else."""
    if not isinstance(rs, RandomState):
        raise TypeError(f"Random state must be an instance of RandomState, not {type(rs)}")
    _random.set_bit_generator(rs.bit_generator)
    _current[0] = rs
    for name in [n for n in globals() if n in _random.__all__ and n not in _OWN]:
        del globals()[name]     # found anew


def reset_states():
    """Starts the stream of the functions anew, with a seed of the system's."""
    _random.seed()


_OWN = frozenset(globals())
_current = [None]
_share, __dir__ = _sharing("cupy.random", "heddle.random")


def __getattr__(name):
    value = _share(name)
    if name in _DTYPE_AT or name in _UNIFORM:
        value = globals()[name] = _taking_dtype(name, value, _random.random)
    return value
