# SPDX-License-Identifier: BSD-3-Clause
"""The older functions of heddle.random: methods of one generator that all share."""
from math import inf

from ._generators import Generator
from ._parameters import count, parameter, plain, refuse
from ._sampling import elements, is_count
from ._seeding import NAME


class Legacy(Generator):
    """A generator with the older names of its methods, and what NumPy's older ones do otherwise."""

    def seed(self, seed=None):
        """Starts the stream anew."""
        self.bit_generator.seed(seed)

    def get_state(self, legacy=True):
        """What set_state() takes; the numbers of the stream follow from it. A tuple, or the dict
        that is bit_generator.state if not legacy."""
        return (NAME, *self._stream.state) if legacy else self.bit_generator.state

    def set_state(self, state):
        """Goes on as the stream did when get_state() was called. ValueError for anything else."""
        if isinstance(state, dict):
            self.bit_generator.state = state
        elif isinstance(state, tuple) and state[:1] == (NAME,):
            self._stream.state = state[1:]
        else:
            raise ValueError("set_state can only be used with what get_state() gave")

    # ---- other arguments than a Generator's ------------------------------------------------------

    def uniform(self, low=0.0, high=1.0, size=None):
        """Uniform over [low, high), or over (high, low]."""
        if size is None and (x := self._stream.one_uniform(low, high)) is not None:
            return x
        if plain(low, high, size) and -inf < (width := high - low) < inf:
            return low + width * self._stream.uniform(size, None)
        return self._uniform(parameter(low), parameter(high), size)

    def multinomial(self, n, pvals, size=None):
        """How often each outcome comes in n trials; pvals has their probabilities."""
        if size is None and (x := self._stream.one_multinomial(n, pvals)) is not None:
            return x
        n = count(n)
        if getattr(n, "shape", ()) != ():
            raise TypeError("only 0-dimensional arrays can be converted to Python scalars")
        if getattr(pvals := parameter(pvals), "shape", ()) == ():
            raise TypeError("probabilities have one axis, not none")
        if pvals.ndim > 1:
            raise ValueError("object too deep for desired array")
        return Generator.multinomial(self, n, pvals, size)

    def choice(self, a, size=None, replace=True, p=None):
        """Picks among 0 ... a - 1, or among the elements of a, each with its probability in p or
        all alike."""
        if not is_count(a) and not isinstance(a, float) and (a := elements(a)).ndim != 1:
            raise ValueError("a must be 1-dimensional")
        return Generator.choice(self, a, size, replace, p)

    def multivariate_normal(self, mean, cov, size=None, check_valid="warn", tol=1e-8):
        """Normal vectors of that mean (n,) and covariance cov (n, n): of shape size, and (n,).

        As a Generator's, without its method.
        """
        return Generator.multivariate_normal(self, mean, cov, size, check_valid, tol)

    @staticmethod
    def _check_alpha(alpha):
        refuse(alpha <= 0, "alpha <= 0")

    _fewest_drawn = 1

    @staticmethod
    def _check_urn(good, bad):
        """No limit; above 2**53 counts are rounded."""

    # ---- older names -----------------------------------------------------------------------------

    def random_sample(self, size=None):
        """Uniform over [0, 1)."""
        if size is None and (x := self._stream.one_random()) is not None:
            return x
        return self.random(size)

    def rand(self, *shape):
        """Uniform over [0, 1); the arguments are the shape."""
        if not shape and (x := self._stream.one_random()) is not None:
            return x
        return self._stream.uniform(shape or None, None)

    def randn(self, *shape):
        """Normal with mean 0 and standard deviation 1; the arguments are the shape."""
        if not shape and (x := self._stream.one_standard_normal()) is not None:
            return x
        return self._stream.normal(shape or None, None)

    def randint(self, low, high=None, size=None, dtype=int):
        """Integers from low up to high, without it; from 0 to low without high."""
        return self.integers(low, high, size, dtype)

    def random_integers(self, low, high=None, size=None):
        """Integers from low to high, or from 1 to low without high. Deprecated, as NumPy's: use
        randint()."""
        low, high = (1, low) if high is None else (low, high)
        from warnings import warn
        warn("This function is deprecated. Please call randint("
             f"{low}, {high} + 1) instead", DeprecationWarning, stacklevel=2)
        return self.randint(low, int(high) + 1, size)
