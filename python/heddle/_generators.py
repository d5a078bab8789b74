# SPDX-License-Identifier: BSD-3-Clause
"""Generators of random numbers, over streams of our own or over NumPy's bit generators."""
import sys

from ._caching import cached
from ._distributions import Distributions
from ._sampling import Sampling
from ._seeding import Bits
from ._vectors import Vectors


class Generator(Distributions, Sampling, Vectors):
    """A stream of random numbers. default_rng(seed) makes one.

    Generator(bit_generator), with a bit generator of NumPy's such as PCG64(7), draws NumPy's
    numbers, by NumPy, and gives them as arrays of Heddle's. Of anything else, a seed or the
    bit_generator of such a generator, it is Philox 4x32-10, computed where it is used.
    """

    def __new__(cls, bit_generator=None, *others, **named):     # others: of classes derived from it
        if cls is Generator and hasattr(bit_generator, "capsule"):
            return object.__new__(_over_numpys())
        return object.__new__(cls)

    def __init__(self, bit_generator=None):
        self._take(bit_generator if isinstance(bit_generator, Bits) else Bits(bit_generator))

    def _take(self, bits):
        self._bits, self._stream = bits, bits.stream

    @property
    def bit_generator(self):
        """Where the numbers come from: state, seed_seq, spawn() and random_raw() of the stream."""
        return self._bits

    def spawn(self, n_children):
        """A list of that many generators, independent of this one and of each other: of the seeds
        that the seed's SeedSequence spawns. TypeError if the seed cannot spawn."""
        return [type(self)(bits) for bits in self.bit_generator.spawn(n_children)]

    def __getstate__(self):
        return self._bits

    def __setstate__(self, bits):
        self._take(bits)

    def __repr__(self):
        return f"Generator({self._bits!r})"


@cached(1)
def _over_numpys():
    from ._numpys_generators import NumpysGenerator
    return NumpysGenerator


def default_rng(seed=None):
    """A new generator of random numbers.

    Parameters
    ----------
    seed : None, int, sequence of int, SeedSequence, bit generator, RandomState or generator
        Of None, ints or a SeedSequence the generator is Philox. Of a bit generator of NumPy's or a
        RandomState it is one over that, which draws NumPy's numbers; one of NumPy's generators is
        taken over. A generator of Heddle's is returned as it is.

    Returns
    -------
    Generator
        The generator.

    Raises
    ------
    TypeError, ValueError
        There is no such seed.

    See Also
    --------
    random.Generator, random.seed

    Notes
    -----
    A seed does not give NumPy's numbers, but the same on each device.

    Examples
    --------
    >>> import heddle as np
    >>> a, b = np.random.default_rng(7), np.random.default_rng(7)
    >>> np.array_equal(a.random(5), b.random(5))
    True
    """
    if isinstance(seed, Generator):
        return seed
    return Generator(_source(seed))


def _source(seed):
    """The bit generator of a generator of NumPy's or of a RandomState; the seed itself otherwise.
    """
    numpys = sys.modules.get("numpy.random")
    seed = getattr(seed, "_numpys", seed)
    if numpys is not None and isinstance(seed, numpys.RandomState):
        return seed._bit_generator
    if numpys is not None and isinstance(seed, numpys.Generator):
        return seed.bit_generator
    return seed
