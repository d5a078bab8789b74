# SPDX-License-Identifier: BSD-3-Clause
"""Random numbers: Philox 4x32-10, computed where they are used. Seeds do not give NumPy's numbers.

Each call takes one value of the generator's counter, whether or not its result is ever used, so
that the numbers do not depend on what is computed.
"""
from math import inf
from os import urandom

from ._distributions import Distributions, count, parameter, plain
from ._heddle import _Stream, asarray
from ._sampling import Sampling, is_count

# Methods of one stream that all share: the older functions.
_OLDER = """
    beta binomial bytes chisquare choice exponential f gamma geometric get_state gumbel laplace
    logistic lognormal multinomial negative_binomial normal pareto permutation poisson power rand
    randint randn random random_sample rayleigh seed set_state shuffle standard_cauchy
    standard_exponential standard_gamma standard_normal standard_t triangular uniform
    weibull""".split()

__all__ = ["Generator", "RandomState", "default_rng", "ranf", "sample", *_OLDER]

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


# ---- the older functions -------------------------------------------------------------------------

class RandomState(Generator):
    """A stream of random numbers with the older names of its methods; a Generator as well."""

    def seed(self, seed=None):
        """Starts the stream anew."""
        self._stream = _Stream(_key(seed))

    def get_state(self, legacy=True):
        """What set_state() takes; the numbers of the stream follow from it."""
        return ("Philox4x32-10", *self._stream.state)

    def set_state(self, state):
        """Goes on as the stream did when get_state() was called."""
        if not isinstance(state, tuple) or state[:1] != ("Philox4x32-10",):
            raise ValueError("set_state can only be used with what get_state() gave")
        self._stream.state = state[1:]

    def uniform(self, low=0.0, high=1.0, size=None):
        """Uniform over [low, high), or over (high, low]."""
        if plain(low, high, size) and -inf < (width := high - low) < inf:
            return low + width * self._stream.uniform(size, None)
        return self._uniform(parameter(low), parameter(high), size)

    def multinomial(self, n, pvals, size=None):
        """How often each outcome comes in n trials; pvals has their probabilities."""
        n = count(n)
        if getattr(n, "shape", ()) != ():
            raise TypeError("only 0-dimensional arrays can be converted to Python scalars")
        if getattr(pvals := parameter(pvals), "shape", ()) == ():
            raise TypeError("probabilities have one axis, not none")
        if pvals.ndim > 1:
            raise ValueError("object too deep for desired array")
        return Generator.multinomial(self, n, pvals, size)

    def choice(self, a, size=None, replace=True, p=None):
        """Picks among 0 ... a - 1, or among the elements of a, each with its probability in p or all alike."""
        if not is_count(a) and not isinstance(a, float) and (a := asarray(a)).ndim != 1:
            raise ValueError("a must be 1-dimensional")
        return Generator.choice(self, a, size, replace, p)

    def random_sample(self, size=None):
        """Uniform over [0, 1)."""
        return self.random(size)

    def rand(self, *shape):
        """Uniform over [0, 1); the arguments are the shape."""
        return self._stream.uniform(shape or None, None)

    def randn(self, *shape):
        """Normal with mean 0 and standard deviation 1; the arguments are the shape."""
        return self._stream.normal(shape or None, None)

    def randint(self, low, high=None, size=None, dtype=int):
        """Integers from low up to high, without it; from 0 to low without high."""
        return self.integers(low, high, size, dtype)


# seed() starts the same object anew, so that its methods stay the functions.
_shared = RandomState()
globals().update((_name, getattr(_shared, _name)) for _name in _OLDER)
ranf = sample = _shared.random_sample
