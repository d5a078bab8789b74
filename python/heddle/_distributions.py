# SPDX-License-Identifier: BSD-3-Clause
"""The distributions of a generator: docs/design/random.md has every formula.

Parameters are checked at the call, as NumPy does: those that are arrays are computed for it.
"""
from math import inf, log1p

from ._heddle import _is_array, asarray, copyto, elementwise, where
from ._outputs import check_out
from ._parameters import (PLAIN_SIZES, count, is_negative, non_negative, parameter, plain,
                          positive, refuse, refuse_probability, shape_of, value)

(_ceil, _exp, _expm1, _floor, _log, _log1p, _maximum, _minimum, _sqrt, _tan) = (
    elementwise[name][0] for name in (
        "ceil", "exp", "expm1", "floor", "log", "log1p", "maximum", "minimum", "sqrt", "tan"))

_PI = 3.141592653589793
_TINY = 2.0**-54            # in the place of a uniform number or an exponential one that is 0
_LOG_2 = 0.6931471805599453
_INT64_MOST = 2.0**63 - 1024
_POISSON_MOST = 2.0**63 - 1 - 10 * (2.0**63 - 1)**0.5
# Above this mean a noncentral chi-square is drawn as one gamma of the same mean and variance, whose
# skewness differs by less than 1e-9.
_NONCENTRAL_MOST = 2.0**61


class Distributions:
    """The methods of a Generator that draw from a distribution."""

    def _draw(self, draw, size, dtype, out, *parameters):
        """draw(shape, dtype), into out if there is one."""
        if out is None:
            return draw(shape_of(size, *parameters), dtype)
        wanted = asarray(0, dtype).dtype
        check_out(out, getattr(out, "shape", None))
        if out.dtype != wanted:
            raise TypeError("Supplied output array has the wrong type. "
                            f"Expected {wanted}, got {out.dtype}")
        if size is not None and shape_of(size) != out.shape:
            raise ValueError("size must match out.shape when used together")
        copyto(out, draw(shape_of(out.shape, *parameters), dtype))
        return out

    # ---- uniform and normal ----------------------------------------------------------------------

    def random(self, size=None, dtype=float, out=None):
        """Uniform over [0, 1)."""
        if size is out is None and dtype is float:
            if (x := self._stream.one_random()) is not None:
                return x
        if dtype is float and out is None and type(size) in PLAIN_SIZES:
            return self._stream.uniform(size, None)
        return self._draw(self._stream.uniform, size, dtype, out)

    def uniform(self, low=0.0, high=1.0, size=None):
        """Uniform over [low, high)."""
        if size is None and (x := self._stream.one_uniform(low, high)) is not None:
            return x
        if plain(low, high, size) and 0 < (width := high - low) < inf:
            return low + width * self._stream.uniform(size, None)
        low, high = parameter(low), parameter(high)
        refuse(is_negative(high - low), "high - low < 0")
        return self._uniform(low, high, size)

    def _uniform(self, low, high, size):
        width = high - low
        infinite = (width - width) != 0
        if bool(infinite.any() if _is_array(infinite) else infinite):
            raise OverflowError("high - low range exceeds valid bounds")
        return low + width * self.random(shape_of(size, low, high))

    def standard_normal(self, size=None, dtype=float, out=None):
        """Normal with mean 0 and standard deviation 1."""
        if size is out is None and dtype is float:
            if (x := self._stream.one_standard_normal()) is not None:
                return x
        if dtype is float and out is None and type(size) in PLAIN_SIZES:
            return self._stream.normal(size, None)
        return self._draw(self._stream.normal, size, dtype, out)

    def normal(self, loc=0.0, scale=1.0, size=None):
        """Normal with mean loc and standard deviation scale."""
        if size is None and (x := self._stream.one_normal(loc, scale)) is not None:
            return x
        if plain(loc, scale, size) and scale > 0:
            return loc + scale * self._stream.normal(size, None)
        loc, scale = parameter(loc), non_negative(scale=scale)
        return loc + scale * self.standard_normal(shape_of(size, loc, scale))

    def lognormal(self, mean=0.0, sigma=1.0, size=None):
        """The exponential of normal numbers."""
        if size is None and (x := self._stream.one_lognormal(mean, sigma)) is not None:
            return x
        mean, sigma = parameter(mean), non_negative(sigma=sigma)
        return _exp(mean + sigma * self.standard_normal(shape_of(size, mean, sigma)))

    # ---- made of exponential and uniform numbers -------------------------------------------------

    def standard_exponential(self, size=None, dtype=float, method="zig", out=None):
        """Exponential with mean 1; method makes no difference."""
        if size is out is None and dtype is float:
            if (x := self._stream.one_standard_exponential()) is not None:
                return x
        return self._draw(lambda shape, dt: -_log1p(-self._stream.uniform(shape, dt)), size, dtype,
                          out)

    def exponential(self, scale=1.0, size=None):
        """Exponential with mean scale."""
        if size is None and (x := self._stream.one_exponential(scale)) is not None:
            return x
        if plain(scale, 0, size) and scale > 0:
            return scale * -_log1p(-self._stream.uniform(size, None))
        scale = non_negative(scale=scale)
        return scale * self.standard_exponential(shape_of(size, scale))

    def laplace(self, loc=0.0, scale=1.0, size=None):
        """The double exponential distribution: as often below loc as above."""
        if size is None and (x := self._stream.one_laplace(loc, scale)) is not None:
            return x
        loc, scale = parameter(loc), non_negative(scale=scale)
        shape = shape_of(size, loc, scale)
        return loc + scale * (self.standard_exponential(shape) - self.standard_exponential(shape))

    def gumbel(self, loc=0.0, scale=1.0, size=None):
        """The Gumbel distribution, of largest values."""
        if size is None and (x := self._stream.one_gumbel(loc, scale)) is not None:
            return x
        loc, scale = parameter(loc), non_negative(scale=scale)
        e = self.standard_exponential(shape_of(size, loc, scale))
        return loc - scale * _log(_maximum(e, _TINY))

    def logistic(self, loc=0.0, scale=1.0, size=None):
        """The logistic distribution."""
        if size is None and (x := self._stream.one_logistic(loc, scale)) is not None:
            return x
        loc, scale = parameter(loc), non_negative(scale=scale)
        u = _maximum(self.random(shape_of(size, loc, scale)), _TINY)
        return loc + scale * (_log(u) - _log1p(-u))

    def rayleigh(self, scale=1.0, size=None):
        """The Rayleigh distribution: the length of a vector of two normal numbers."""
        if size is None and (x := self._stream.one_rayleigh(scale)) is not None:
            return x
        scale = non_negative(scale=scale)
        return scale * _sqrt(2.0 * self.standard_exponential(shape_of(size, scale)))

    def weibull(self, a, size=None):
        """The Weibull distribution of shape a and scale 1."""
        if size is None and (x := self._stream.one_weibull(a)) is not None:
            return x
        a = non_negative(a=a)
        e = self.standard_exponential(shape_of(size, a))
        if _is_array(a):
            return where(a == 0, 0.0, e ** (1.0 / where(a == 0, 1.0, a)))
        return e ** (1.0 / a) if a else e * 0.0

    def pareto(self, a, size=None):
        """The Pareto II distribution of shape a, which begins at 0."""
        if size is None and (x := self._stream.one_pareto(a)) is not None:
            return x
        a = positive(a=a)
        return _expm1(self.standard_exponential(shape_of(size, a)) / a)

    def power(self, a, size=None):
        """Density a * x**(a - 1) over [0, 1]."""
        if size is None and (x := self._stream.one_power(a)) is not None:
            return x
        a = positive(a=a)
        return self.random(shape_of(size, a)) ** (1.0 / a)

    def standard_cauchy(self, size=None):
        """The Cauchy distribution with mode 0 and scale 1."""
        if size is None and (x := self._stream.one_standard_cauchy()) is not None:
            return x
        return _tan(_PI * (self.random(size) - 0.5))

    def triangular(self, left, mode, right, size=None):
        """A density that rises from left to mode and falls to right."""
        if size is None and (x := self._stream.one_triangular(left, mode, right)) is not None:
            return x
        left, mode, right = parameter(left), parameter(mode), parameter(right)
        refuse(left > mode, "left > mode")
        refuse(mode > right, "mode > right")
        refuse(left == right, "left == right")
        u = self.random(shape_of(size, left, mode, right))
        width, rise, fall = right - left, mode - left, right - mode
        x = where(u <= rise / width, left + _sqrt(u * (rise * width)),
                  right - _sqrt((1.0 - u) * (fall * width)))
        return value(x)

    def wald(self, mean, scale, size=None):
        """The Wald or inverse Gaussian distribution with that mean, and variance mean**3 / scale.

        ValueError where mean or scale is not above 0.
        """
        if size is None and (x := self._stream.one_wald(mean, scale)) is not None:
            return x
        mean, scale = positive(mean=mean, scale=scale)
        shape = shape_of(size, mean, scale)
        y, u = self.standard_normal(shape), self.random(shape)
        t = y * y * (mean / (2.0 * scale))
        root = 1.0 + t + _sqrt(t) * _sqrt(t + 2.0)      # of two that give y; the other is 1 / root
        return value(where(u * (root + 1.0) <= root, mean / root, mean * root))

    # ---- gamma and what is made of it ------------------------------------------------------------

    def standard_gamma(self, shape, size=None, dtype=float, out=None):
        """Gamma of that shape and scale 1."""
        if size is out is None and dtype is float:
            if (x := self._stream.one_standard_gamma(shape)) is not None:
                return x
        shape = non_negative(shape=shape)
        return self._draw(lambda n, dt: self._stream.gamma(n, shape, 1.0, dt), size, dtype, out,
                          shape)

    def gamma(self, shape, scale=1.0, size=None):
        """Gamma of that shape and scale."""
        if size is None and (x := self._stream.one_gamma(shape, scale)) is not None:
            return x
        shape, scale = non_negative(shape=shape, scale=scale)
        return self._stream.gamma(shape_of(size, shape, scale), shape, scale, float)

    def beta(self, a, b, size=None):
        """Beta of shapes a and b, over [0, 1]."""
        if size is None and (x := self._stream.one_beta(a, b)) is not None:
            return x
        a, b = positive(a=a, b=b)
        return self._stream.beta(shape_of(size, a, b), a, b, float)

    def chisquare(self, df, size=None):
        """Chi-square of df degrees of freedom: the sum of so many squares of normal numbers."""
        if size is None and (x := self._stream.one_chisquare(df)) is not None:
            return x
        df = positive(df=df)
        return self._stream.gamma(shape_of(size, df), df / 2.0, 2.0, float)

    def f(self, dfnum, dfden, size=None):
        """Fisher's F: the ratio of two chi-square numbers, each over its degrees of freedom."""
        if size is None and (x := self._stream.one_f(dfnum, dfden)) is not None:
            return x
        dfnum, dfden = positive(dfnum=dfnum, dfden=dfden)
        shape = shape_of(size, dfnum, dfden)
        return (self.chisquare(dfnum, shape) * dfden) / (self.chisquare(dfden, shape) * dfnum)

    def standard_t(self, df, size=None):
        """Student's t of df degrees of freedom."""
        if size is None and (x := self._stream.one_standard_t(df)) is not None:
            return x
        df = positive(df=df)
        shape = shape_of(size, df)
        return self.standard_normal(shape) / _sqrt(self.chisquare(df, shape) / df)

    def noncentral_chisquare(self, df, nonc, size=None):
        """The sum of the squares of df normal numbers whose means' squares add up to nonc.

        df need not be whole. ValueError where df is not above 0 or nonc is below 0.
        """
        if size is None and (x := self._stream.one_noncentral_chisquare(df, nonc)) is not None:
            return x
        return self._noncentral(positive(df=df), non_negative(nonc=nonc), size)

    def _noncentral(self, df, nonc, size):
        shape, half = shape_of(size, df, nonc), nonc / 2.0
        few = half <= _NONCENTRAL_MOST      # not so of nan, which is handed on
        k = self._stream.poisson(shape, where(few, half, 0.0), 0, None)
        return self._stream.gamma(shape, where(few, df / 2.0 + k, half / 2.0),
                                  where(few, 2.0, 4.0), float)

    def noncentral_f(self, dfnum, dfden, nonc, size=None):
        """The ratio of a noncentral chi-square number and a chi-square number, each over its
        degrees of freedom dfnum and dfden. ValueError as noncentral_chisquare()."""
        if size is None and (x := self._stream.one_noncentral_f(dfnum, dfden, nonc)) is not None:
            return x
        dfnum, dfden = positive(dfnum=dfnum, dfden=dfden)
        nonc = non_negative(nonc=nonc)
        shape = shape_of(size, dfnum, dfden, nonc)
        x = self._noncentral(dfnum, nonc, shape)
        return (x * dfden) / (self.chisquare(dfden, shape) * dfnum)

    # ---- counts ----------------------------------------------------------------------------------

    def poisson(self, lam=1.0, size=None):
        """Poisson with mean lam."""
        if size is None and (x := self._stream.one_poisson(lam)) is not None:
            return x
        lam = parameter(lam)
        single = not _is_array(lam) or lam.shape == ()
        refuse((lam < 0) | (lam != lam), f"lam < 0 or lam {'is NaN' if single else 'contains NaNs'}")
        refuse(lam > _POISSON_MOST, "lam value too large")
        return self._stream.poisson(shape_of(size, lam), lam, 0, None)

    def binomial(self, n, p, size=None):
        """Successes in n trials of probability p."""
        if size is None and (x := self._stream.one_binomial(n, p)) is not None:
            return x
        n, p = count(n), parameter(p)
        refuse(n < 0, "n < 0")
        refuse_probability(p)
        return self._stream.binomial(shape_of(size, n, p), n, p, None)

    def geometric(self, p, size=None):
        """Trials of probability p until the first success, which counts."""
        if size is None and (x := self._stream.one_geometric(p)) is not None:
            return x
        p = parameter(p)
        refuse((p <= 0) | (p > 1) | (p != p), "p <= 0, p > 1 or p contains NaNs")
        if _is_array(p):
            rate = -_log1p(-p)
        else:
            rate = -log1p(-p) if p < 1 else float("inf")
        x = _ceil(self.standard_exponential(shape_of(size, p)) / rate)
        return _minimum(_maximum(x, 1.0), _INT64_MOST).astype("int64")

    def negative_binomial(self, n, p, size=None):
        """Failures before the n-th success in trials of probability p; n need not be whole."""
        if size is None and (x := self._stream.one_negative_binomial(n, p)) is not None:
            return x
        n, p = positive(n=n), parameter(p)
        refuse(n != n, "n contains NaNs")
        refuse((p <= 0) | (p > 1) | (p != p), "p <= 0, p > 1 or p contains NaNs")
        refuse((1.0 - p) / p * (n + 10.0 * n**0.5) > _POISSON_MOST, "n too large or p too small")
        shape = shape_of(size, n, p)
        mean = self._stream.gamma(shape, n, (1.0 - p) / p, float)
        return self._stream.poisson(shape, _minimum(mean, _POISSON_MOST), 0, None)

    def logseries(self, p, size=None):
        """The logarithmic series distribution: k = 1, 2, ... has a probability proportional to
        p**k / k. ValueError where p is not in [0, 1)."""
        if size is None and (x := self._stream.one_logseries(p)) is not None:
            return x
        p = parameter(p)
        single = not _is_array(p) or p.shape == ()
        refuse((p < 0) | (p >= 1) | (p != p),
               f"p < 0, p >= 1 or p {'is NaN' if single else 'contains NaNs'}")
        shape = shape_of(size, p)
        # A geometric number, whose probability to go on is 1 - (1 - p)**u
        v = self.random(shape) * (_log1p(-p) if _is_array(p) else log1p(-p))
        e = self.standard_exponential(shape)
        rate = -where(v < -_LOG_2, _log1p(-_exp(_minimum(v, -_LOG_2))),
                      _log(_maximum(-_expm1(v), _TINY)))
        return (1.0 + _floor(e / rate)).astype("int64")
