# SPDX-License-Identifier: BSD-3-Clause
"""Random numbers: Philox 4x32-10, computed where they are used. Seeds do not give NumPy's numbers;
generators over NumPy's bit generators, Generator(PCG64(7)) and RandomState(7), do.

Each call takes one value of the generator's counter, whether or not its result is ever used, so
that the numbers do not depend on what is computed.
"""
import sys

from ._generators import Generator, default_rng
from ._legacy import Legacy
from ._seeding import Bits

# Methods of one stream that all share: the older functions.
_OLDER = """
    beta binomial bytes chisquare choice dirichlet exponential f gamma geometric get_state gumbel
    hypergeometric laplace logistic lognormal logseries multinomial multivariate_normal
    negative_binomial noncentral_chisquare noncentral_f normal pareto permutation poisson power rand
    randint randn random random_integers random_sample rayleigh seed set_state shuffle
    standard_cauchy standard_exponential standard_gamma standard_normal standard_t triangular
    uniform vonmises wald weibull zipf""".split()

# Classes derived from NumPy's, and NumPy's own, which load it.
_DERIVED = frozenset("MT19937 PCG64 PCG64DXSM Philox SFC64 SeedSequence".split())
_NUMPYS = _DERIVED | {"BitGenerator", "bit_generator"}

__all__ = ["Generator", "RandomState", "default_rng", "get_bit_generator", "ranf", "sample",
           "set_bit_generator", *_OLDER, *sorted(_NUMPYS - {"bit_generator"})]


def _publish(shared):
    """Makes the methods of shared the older functions."""
    names = globals()
    names.update((name, getattr(shared, name)) for name in _OLDER)
    names["ranf"] = names["sample"] = shared.random_sample
    names["_rand"] = shared


# seed() starts the same object anew, so that its methods stay the functions.
_publish(Legacy())
mtrand = sys.modules[__name__]      # as NumPy calls the module of the older functions


def get_bit_generator():
    """Where the older functions draw from.

    Returns
    -------
    bit generator
        Philox 4x32-10 with its state, or what set_bit_generator() was given.

    See Also
    --------
    random.set_bit_generator

    Examples
    --------
    >>> import heddle as np
    >>> bits = np.random.get_bit_generator()
    >>> hasattr(bits, "state")
    True
    """
    return _rand._bit_generator if hasattr(_rand, "_bit_generator") else _rand.bit_generator


def set_bit_generator(bitgen):
    """Lets the older functions, as they are found in this module from now on, draw from another
    bit generator.

    Parameters
    ----------
    bitgen : bit generator
        One of NumPy's, whose numbers they then give, or what get_bit_generator() gave.

    Returns
    -------
    None
        The functions are set.

    Raises
    ------
    TypeError
        `bitgen` is neither.

    See Also
    --------
    random.get_bit_generator

    Examples
    --------
    >>> import heddle as np
    >>> before = np.random.get_bit_generator()
    >>> np.random.set_bit_generator(np.random.PCG64(7))
    >>> np.random.set_bit_generator(before)
    """
    if isinstance(bitgen, Bits):
        _publish(Legacy(bitgen))
    elif hasattr(bitgen, "capsule"):
        _publish(__getattr__("RandomState")(bitgen))
    else:
        raise TypeError(f"bitgen must be a bit generator, not {type(bitgen)}")


def __getattr__(name):
    if name == "RandomState":
        from ._numpys_generators import RandomState as value
    elif name in _DERIVED:
        from . import _bit_generators
        value = getattr(_bit_generators, name)
    elif name in _NUMPYS:
        from numpy import random
        value = getattr(random, name)
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__():
    return sorted({*__all__, "bit_generator", "mtrand"})
