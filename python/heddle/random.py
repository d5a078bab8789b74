# SPDX-License-Identifier: BSD-3-Clause
"""Random numbers: Philox 4x32-10, computed where they are used. Seeds do not give NumPy's numbers.

Each call takes one value of the generator's counter, whether or not its result is ever used, so
that the numbers do not depend on what is computed.
"""
from os import urandom

from ._functions import broadcast_shapes
from ._heddle import _Stream, asarray, copyto, ndarray

__all__ = ["Generator", "default_rng", "normal", "rand", "randn", "random", "random_sample", "ranf",
           "sample", "seed", "standard_normal", "uniform"]

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


def _between(shape, *parameters):
    """The shape of a result whose parameters may be arrays."""
    if shape is not None:
        return shape
    shapes = [p.shape for p in parameters if hasattr(p, "shape") and p.shape != ()]
    return broadcast_shapes(*shapes) if shapes else None


def _parameter(x):
    return x if isinstance(x, (int, float, ndarray)) else asarray(x)


class Generator:
    """A stream of random numbers. default_rng(seed) makes one."""

    def __init__(self, seed=None):
        self._stream = _Stream(_key(seed))

    def _draw(self, draw, size, dtype, out):
        if out is None:
            return draw(size, dtype)
        if size is not None and (size if isinstance(size, tuple) else (size,)) != out.shape:
            raise ValueError("size must match out.shape when used together")
        copyto(out, draw(out.shape, out.dtype))
        return out

    def random(self, size=None, dtype=float, out=None):
        """Uniform over [0, 1)."""
        return self._draw(self._stream.uniform, size, dtype, out)

    def standard_normal(self, size=None, dtype=float, out=None):
        """Normal with mean 0 and standard deviation 1."""
        return self._draw(self._stream.normal, size, dtype, out)

    def uniform(self, low=0.0, high=1.0, size=None):
        """Uniform over [low, high)."""
        low, high = _parameter(low), _parameter(high)
        return low + (high - low) * self._stream.uniform(_between(size, low, high), float)

    def normal(self, loc=0.0, scale=1.0, size=None):
        """Normal with mean loc and standard deviation scale."""
        loc, scale = _parameter(loc), _parameter(scale)
        if isinstance(scale, (int, float)) and scale < 0:
            raise ValueError("scale < 0")
        return loc + scale * self._stream.normal(_between(size, loc, scale), float)

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


def uniform(low=0.0, high=1.0, size=None):
    """Uniform over [low, high)."""
    return _shared.uniform(low, high, size)


def standard_normal(size=None):
    """Normal with mean 0 and standard deviation 1."""
    return _shared.standard_normal(size)


def normal(loc=0.0, scale=1.0, size=None):
    """Normal with mean loc and standard deviation scale."""
    return _shared.normal(loc, scale, size)
