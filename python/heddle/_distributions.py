# SPDX-License-Identifier: BSD-3-Clause
"""The distributions of a generator: docs/design/random.md has every formula.

Parameters are checked at the call, as NumPy does: those that are arrays are computed for it.
"""
from math import inf, ldexp, log1p, prod
from operator import index

from ._functions import broadcast_shapes
from ._heddle import asarray, copyto, elementwise, ndarray, stack, where
from ._outputs import check_out

(_ceil, _exp, _expm1, _log, _log1p, _maximum, _minimum, _sqrt, _tan) = (
    elementwise[name][0]
    for name in ("ceil", "exp", "expm1", "log", "log1p", "maximum", "minimum", "sqrt", "tan"))

_PI = 3.141592653589793
_TINY = 2.0**-54            # in the place of a uniform number or an exponential one that is 0
_INT64_MOST = 2.0**63 - 1024
_POISSON_MOST = 2.0**63 - 1 - 10 * (2.0**63 - 1)**0.5


# ---- parameters ----------------------------------------------------------------------------------


def _no_cast(dtype, to):
    return TypeError(f"Cannot cast array data from dtype('{dtype}') to dtype('{to}') according to the rule 'safe'")


def parameter(x):
    """A parameter as a float or an array of real numbers; TypeError where NumPy has one: a list is converted element by
    element, an array must cast safely."""
    kind = type(x)
    if kind is float:
        return x
    if kind is int:
        return float(x)
    if isinstance(x, ndarray):
        if x.dtype.kind == "c":
            raise (_no_cast(x.dtype, "float64") if x.shape != () else
                   TypeError("float() argument must be a string or a real number, not 'complex'"))
        return x
    return _foreign(x, "float64", lambda number: ldexp(number, 0))     # takes what a C double can be made of


def count(x):
    """The same for a parameter that counts: an int or an array of integers."""
    if isinstance(x, ndarray) and (x.shape != () or x.dtype.kind in "biu"):
        if x.dtype.kind not in "biu" or x.dtype == "uint64":
            raise _no_cast(x.dtype, "int64")
        return x
    return _int64(x) if isinstance(x, (int, float, ndarray)) else _foreign(x, "int64", _int64)


def _int64(x):
    if isinstance(x, (str, bytes)):
        raise TypeError("an integer is required")
    if not -2**63 <= (x := int(x)) < 2**63:
        raise OverflowError("Python int too large to convert to C long")
    return x


def _foreign(x, dtype, number):
    """What NumPy makes of an object: number(x) of one without axes."""
    import numpy
    if not isinstance(x, (numpy.ndarray, numpy.generic)):
        made = numpy.array(x, dtype)
        return number(x) if made.ndim == 0 else asarray(made)
    if x.ndim == 0:
        return number(x.item())
    if not numpy.can_cast(x.dtype, dtype):
        raise _no_cast(x.dtype, dtype)
    return asarray(x)


def refuse(fault, message):
    """ValueError if fault, a truth value or an array of them, is true anywhere."""
    if fault is not False and bool(fault.any() if isinstance(fault, ndarray) else fault):
        raise ValueError(message)


def refuse_probability(p, name="p"):
    single = not isinstance(p, ndarray) or p.shape == ()
    refuse((p < 0) | (p > 1) | (p != p),
           f"{name} < 0, {name} > 1 or {name} {'is NaN' if single else 'contains NaNs'}")


def as_shape(size):
    """An int or a sequence of them as a shape, whatever has them."""
    if type(size) is int:
        return (size,)
    if type(size) is not tuple and getattr(size, "shape", None) == ():
        return (index(size),)
    if type(size) is not tuple and not _is_sequence(size):
        try:
            return (index(size if size is not True and size is not False else None),)
        except TypeError:
            raise TypeError("expected a sequence of integers or a single integer, got "
                            f"'{size!r}'") from None
    return tuple(map(index, size))


def _is_sequence(x):
    return hasattr(x, "__getitem__") and hasattr(x, "__len__") and not isinstance(x, dict)


def shape_of(size, *parameters):
    """The shape of a result whose parameters may be arrays; None for a scalar value."""
    if not parameters and type(size) is int:
        return (size,)
    shapes = ()
    for p in parameters:
        if isinstance(p, ndarray) and p.shape != ():
            shapes += (p.shape,)
    if size is None:
        return broadcast_shapes(*shapes) if shapes else None
    shape = as_shape(size)
    if shapes and prod(shape) >= 0 and broadcast_shapes(shape, *shapes) != shape:
        raise ValueError(f"Output size {shape} is not compatible with broadcast dimensions of "
                         f"inputs {broadcast_shapes(*shapes)}.")
    return shape


_NUMBERS = (float, int)
PLAIN_SIZES = (type(None), int)     # types of sizes that a stream takes as they are


def plain(first, second, size):
    """Are the parameters plain numbers, and the size an int or None? Most calls in loops are such."""
    return type(first) in _NUMBERS and type(second) in _NUMBERS and type(size) in PLAIN_SIZES


def _positive(**parameters):
    """The parameters as numbers or arrays, refused where they are not above 0."""
    values = []
    for name, x in parameters.items():
        x = parameter(x)
        refuse(x <= 0, f"{name} <= 0")
        values.append(x)
    return values if len(values) > 1 else values[0]


def _non_negative(**parameters):
    values = []
    for name, x in parameters.items():
        x = parameter(x)
        refuse(x < 0, f"{name} < 0")
        values.append(x)
    return values if len(values) > 1 else values[0]


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
        if dtype is float and out is None and type(size) in PLAIN_SIZES:
            return self._stream.uniform(size, None)
        return self._draw(self._stream.uniform, size, dtype, out)

    def uniform(self, low=0.0, high=1.0, size=None):
        """Uniform over [low, high)."""
        if plain(low, high, size) and 0 <= (width := high - low) < inf:
            return low + width * self._stream.uniform(size, None)
        low, high = parameter(low), parameter(high)
        refuse(high - low < 0, "high - low < 0")
        return self._uniform(low, high, size)

    def _uniform(self, low, high, size):
        width = high - low
        infinite = (width - width) != 0
        if bool(infinite.any() if isinstance(infinite, ndarray) else infinite):
            raise OverflowError("high - low range exceeds valid bounds")
        return low + width * self.random(shape_of(size, low, high))

    def standard_normal(self, size=None, dtype=float, out=None):
        """Normal with mean 0 and standard deviation 1."""
        if dtype is float and out is None and type(size) in PLAIN_SIZES:
            return self._stream.normal(size, None)
        return self._draw(self._stream.normal, size, dtype, out)

    def normal(self, loc=0.0, scale=1.0, size=None):
        """Normal with mean loc and standard deviation scale."""
        if plain(loc, scale, size) and scale >= 0:
            return loc + scale * self._stream.normal(size, None)
        loc, scale = parameter(loc), _non_negative(scale=scale)
        return loc + scale * self.standard_normal(shape_of(size, loc, scale))

    def lognormal(self, mean=0.0, sigma=1.0, size=None):
        """The exponential of normal numbers."""
        mean, sigma = parameter(mean), _non_negative(sigma=sigma)
        return _exp(mean + sigma * self.standard_normal(shape_of(size, mean, sigma)))

    # ---- made of exponential and uniform numbers -------------------------------------------------

    def standard_exponential(self, size=None, dtype=float, method="zig", out=None):
        """Exponential with mean 1; method makes no difference."""
        return self._draw(lambda shape, dt: -_log1p(-self._stream.uniform(shape, dt)), size, dtype,
                          out)

    def exponential(self, scale=1.0, size=None):
        """Exponential with mean scale."""
        if plain(scale, 0, size) and scale >= 0:
            return scale * -_log1p(-self._stream.uniform(size, None))
        scale = _non_negative(scale=scale)
        return scale * self.standard_exponential(shape_of(size, scale))

    def laplace(self, loc=0.0, scale=1.0, size=None):
        """The double exponential distribution: as often below loc as above."""
        loc, scale = parameter(loc), _non_negative(scale=scale)
        shape = shape_of(size, loc, scale)
        return loc + scale * (self.standard_exponential(shape) - self.standard_exponential(shape))

    def gumbel(self, loc=0.0, scale=1.0, size=None):
        """The Gumbel distribution, of largest values."""
        loc, scale = parameter(loc), _non_negative(scale=scale)
        e = self.standard_exponential(shape_of(size, loc, scale))
        return loc - scale * _log(_maximum(e, _TINY))

    def logistic(self, loc=0.0, scale=1.0, size=None):
        """The logistic distribution."""
        loc, scale = parameter(loc), _non_negative(scale=scale)
        u = _maximum(self.random(shape_of(size, loc, scale)), _TINY)
        return loc + scale * (_log(u) - _log1p(-u))

    def rayleigh(self, scale=1.0, size=None):
        """The Rayleigh distribution: the length of a vector of two normal numbers."""
        scale = _non_negative(scale=scale)
        return scale * _sqrt(2.0 * self.standard_exponential(shape_of(size, scale)))

    def weibull(self, a, size=None):
        """The Weibull distribution of shape a and scale 1."""
        a = _non_negative(a=a)
        e = self.standard_exponential(shape_of(size, a))
        if isinstance(a, ndarray):
            return where(a == 0, 0.0, e ** (1.0 / where(a == 0, 1.0, a)))
        return e ** (1.0 / a) if a else e * 0.0

    def pareto(self, a, size=None):
        """The Pareto II distribution of shape a, which begins at 0."""
        a = _positive(a=a)
        return _expm1(self.standard_exponential(shape_of(size, a)) / a)

    def power(self, a, size=None):
        """Density a * x**(a - 1) over [0, 1]."""
        a = _positive(a=a)
        return self.random(shape_of(size, a)) ** (1.0 / a)

    def standard_cauchy(self, size=None):
        """The Cauchy distribution with mode 0 and scale 1."""
        return _tan(_PI * (self.random(size) - 0.5))

    def triangular(self, left, mode, right, size=None):
        """A density that rises from left to mode and falls to right."""
        left, mode, right = parameter(left), parameter(mode), parameter(right)
        refuse(left > mode, "left > mode")
        refuse(mode > right, "mode > right")
        refuse(left == right, "left == right")
        u = self.random(shape_of(size, left, mode, right))
        width, rise, fall = right - left, mode - left, right - mode
        x = where(u <= rise / width, left + _sqrt(u * (rise * width)),
                  right - _sqrt((1.0 - u) * (fall * width)))
        return x[()] if x.shape == () else x

    # ---- gamma and what is made of it ------------------------------------------------------------

    def standard_gamma(self, shape, size=None, dtype=float, out=None):
        """Gamma of that shape and scale 1."""
        shape = _non_negative(shape=shape)
        return self._draw(lambda n, dt: self._stream.gamma(n, shape, 1.0, dt), size, dtype, out,
                          shape)

    def gamma(self, shape, scale=1.0, size=None):
        """Gamma of that shape and scale."""
        shape, scale = _non_negative(shape=shape, scale=scale)
        return self._stream.gamma(shape_of(size, shape, scale), shape, scale, float)

    def beta(self, a, b, size=None):
        """Beta of shapes a and b, over [0, 1]."""
        a, b = _positive(a=a, b=b)
        return self._stream.beta(shape_of(size, a, b), a, b, float)

    def chisquare(self, df, size=None):
        """Chi-square of df degrees of freedom: the sum of so many squares of normal numbers."""
        df = _positive(df=df)
        return self._stream.gamma(shape_of(size, df), df / 2.0, 2.0, float)

    def f(self, dfnum, dfden, size=None):
        """Fisher's F: the ratio of two chi-square numbers, each over its degrees of freedom."""
        dfnum, dfden = _positive(dfnum=dfnum, dfden=dfden)
        shape = shape_of(size, dfnum, dfden)
        return (self.chisquare(dfnum, shape) * dfden) / (self.chisquare(dfden, shape) * dfnum)

    def standard_t(self, df, size=None):
        """Student's t of df degrees of freedom."""
        df = _positive(df=df)
        shape = shape_of(size, df)
        return self.standard_normal(shape) / _sqrt(self.chisquare(df, shape) / df)

    # ---- counts ----------------------------------------------------------------------------------

    def poisson(self, lam=1.0, size=None):
        """Poisson with mean lam."""
        lam = parameter(lam)
        single = not isinstance(lam, ndarray) or lam.shape == ()
        refuse((lam < 0) | (lam != lam), f"lam < 0 or lam {'is NaN' if single else 'contains NaNs'}")
        refuse(lam > _POISSON_MOST, "lam value too large")
        return self._stream.poisson(shape_of(size, lam), lam, 0, None)

    def binomial(self, n, p, size=None):
        """Successes in n trials of probability p."""
        n, p = count(n), parameter(p)
        refuse(n < 0, "n < 0")
        refuse_probability(p)
        return self._stream.binomial(shape_of(size, n, p), n, p, None)

    def geometric(self, p, size=None):
        """Trials of probability p until the first success, which counts."""
        p = parameter(p)
        refuse((p <= 0) | (p > 1) | (p != p), "p <= 0, p > 1 or p contains NaNs")
        if isinstance(p, ndarray):
            rate = -_log1p(-p)
        else:
            rate = -log1p(-p) if p < 1 else float("inf")
        x = _ceil(self.standard_exponential(shape_of(size, p)) / rate)
        return _minimum(_maximum(x, 1.0), _INT64_MOST).astype("int64")

    def negative_binomial(self, n, p, size=None):
        """Failures before the n-th success in trials of probability p; n need not be whole."""
        n, p = _positive(n=n), parameter(p)
        refuse(n != n, "n contains NaNs")
        refuse((p <= 0) | (p > 1) | (p != p), "p <= 0, p > 1 or p contains NaNs")
        refuse((1.0 - p) / p * (n + 10.0 * n**0.5) > _POISSON_MOST, "n too large or p too small")
        shape = shape_of(size, n, p)
        mean = self._stream.gamma(shape, n, (1.0 - p) / p, float)
        return self._stream.poisson(shape, _minimum(mean, _POISSON_MOST), 0, None)

    def multinomial(self, n, pvals, size=None):
        """How often each outcome comes in n trials; pvals has their probabilities along its last
        axis. The last outcome has what the others leave."""
        n, pvals = count(n), parameter(pvals)
        pvals = asarray(pvals, float)
        refuse(n < 0, "n < 0")
        if pvals.ndim == 0 or pvals.shape[-1] == 0:
            raise ValueError("pvals must have at least 1 dimension and the last dimension of pvals "
                             "must be greater than 0.")
        if bool(((pvals < 0) | (pvals > 1) | (pvals != pvals)).any()):
            raise ValueError("pvals < 0, pvals > 1 or pvals contains NaNs")
        if bool((pvals[..., :-1].sum(axis=-1) > 1.0 + 1e-12).any()):
            raise ValueError("sum(pvals[:-1]) > 1.0")
        shape = shape_of(size, n, pvals[..., 0])
        left, rest, counts = n, 1.0, []
        for k in range(pvals.shape[-1] - 1):
            p = pvals[..., k]
            share = where(p < rest, p / where(p < rest, rest, 1.0), where(p > 0, 1.0, 0.0))
            counts.append(self._stream.binomial(shape, left, share, None))
            left, rest = left - counts[-1], rest - p
        if not counts:
            left = left + self._stream.binomial(shape, 0, 0.0, None)
        return stack([*counts, left], axis=-1)
