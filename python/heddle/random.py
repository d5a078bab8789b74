# SPDX-License-Identifier: BSD-3-Clause
"""Random numbers: Philox 4x32-10, computed where they are used. Seeds do not give NumPy's numbers.

Each call takes one value of the generator's counter, whether or not its result is ever used, so
that the numbers do not depend on what is computed.
"""
from os import urandom

from ._distributions import Distributions
from ._heddle import _Stream
from ._sampling import Sampling

# Methods of the shared generator that are the older functions as they are.
_OLDER = """
    beta binomial bytes chisquare choice exponential f gamma geometric gumbel laplace logistic
    lognormal multinomial negative_binomial normal pareto permutation poisson power rayleigh
    shuffle standard_cauchy standard_exponential standard_gamma standard_normal standard_t
    triangular uniform weibull""".split()

__all__ = ["Generator", "default_rng", "rand", "randint", "randn", "random", "random_sample",
           "ranf", "sample", "seed", *_OLDER]

_WORD = (1 << 64) - 1


def _mix(x):
    """SplitMix64's finalizer (Steele, Lea, Flood 2014): each bit depends on every other one."""
    x = (x + 0x9E3779B97F4A7C15) & _WORD
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & _WORD
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & _WORD
    return x ^ (x >> 31)


def _key(seed):
    """64 bits from None (the system's randomness), a non-negative int or a sequence of them.

    Small ints stand for themselves.
    """
    if seed is None:
        return int.from_bytes(urandom(8), "little")
    if hasattr(seed, "__index__") and getattr(seed, "shape", ()) == ():
        number = seed.__index__()
        if number < 0:
            raise ValueError("expected non-negative integer")
        if number <= _WORD:
            return number
        words = []
        while number:
            words.append(number & _WORD)
            number >>= 64
    elif hasattr(seed, "__iter__"):
        words = [_key(int(s)) for s in seed]
    else:
        raise TypeError(f"SeedSequence expects int or sequence of ints for entropy not {seed}")
    key = len(words)
    for word in words:
        key = _mix(key ^ word)
    return key


class Generator(Distributions, Sampling):
    """A stream of random numbers. default_rng(seed) makes one."""

    def __init__(self, seed=None):
        self._stream = _Stream(_key(seed))

    def __getstate__(self):
        return self._stream.state

    def __setstate__(self, state):
        self._stream = _Stream(0)
        self._stream.state = state

    def __repr__(self):
        key, calls = self._stream.state[:2]
        return f"Generator(Philox4x32-10, key={key:#x}, calls={calls})"


def default_rng(seed=None):
    """A new generator; seed itself if it is one."""
    return seed if isinstance(seed, Generator) else Generator(seed)


# ---- the older functions, over one generator that all share --------------------------------------

_shared = Generator()


def seed(seed=None):
    """Starts the shared generator anew."""
    _shared.__init__(seed)


def random(size=None):
    """Uniform over [0, 1)."""
    return _shared.random(size)


random_sample = ranf = sample = random


def rand(*shape):
    """Uniform over [0, 1); the arguments are the shape."""
    return _shared.random(shape or None)


def randn(*shape):
    """Normal with mean 0 and standard deviation 1; the arguments are the shape."""
    return _shared.standard_normal(shape or None)


def randint(low, high=None, size=None, dtype=int):
    """Integers from low up to high, without it; from 0 to low without high."""
    return _shared.integers(low, high, size, dtype)


# seed() starts the same object anew, so that its methods stay the functions.
globals().update((_name, getattr(_shared, _name)) for _name in _OLDER)
