# SPDX-License-Identifier: BSD-3-Clause
"""Distributions drawn by rejection in rounds over whole arrays: docs/design/random.md, "Rounds".

An operation on elements has room for a word and two parameters. What wants more, or a cosine, is
tried for all elements at once until each has been accepted, so these numbers are computed at the
call, where others are recorded.
"""
from collections import namedtuple

from ._heddle import _Stream, _is_array, _is_host, asarray, broadcast_to, elementwise, where
from ._parameters import count, non_negative, parameter, refuse, shape_of, value

(_arcsin, _exp, _expm1, _floor, _gammaln, _log, _log1p, _maximum, _minimum, _remainder, _sin,
 _sqrt) = (elementwise[name][0] for name in (
     "arcsin", "exp", "expm1", "floor", "gammaln", "log", "log1p", "maximum", "minimum",
     "remainder", "sin", "sqrt"))

_PI = 3.141592653589793
_LOG_2PI = 1.8378770664093454836
_LOG_2 = 0.6931471805599453
_LOG_2_63 = 63 * _LOG_2
_INT64_MOST = 2.0**63 - 1024
_COLORS_MOST = 10**9        # NumPy's limit of what is drawn from
# Of Stadlober's hat: 2 sqrt(2 / e) and 3 - 2 sqrt(3 / e)
_HAT_SLOPE, _HAT_REST = 1.7155277699214135, 0.8989161620588988


# ---- probabilities -------------------------------------------------------------------------------


def _deviance(x, m):
    """log(x!) - (x log m - m) for whole x >= 0 and m > 0: how much less likely x is than it would
    be with mean x, by Loader's split (2000), which takes no difference of large numbers."""
    large = _maximum(x, 16.0)
    r = 1.0 / large
    rest = (1.0 / 12 - (1.0 / 360 - (1.0 / 1260 - r * r / 1680) * (r * r)) * (r * r)) * r
    of_large = (large * _log1p((large - m) / m) - (large - m) + 0.5 * (_LOG_2PI + _log(large)) +
                rest)
    return where(x < 16.0, _gammaln(x + 1.0) - x * _log(m) + m, of_large)


class _Urn(namedtuple("_Urn", "good bad drawn")):
    """The hypergeometric distribution of `drawn` of a whole with `good` of one kind, in the form
    in which neither is more than half of the whole; float64."""

    __slots__ = ()

    def __new__(cls, good, bad, drawn):
        total = good + bad
        few = _minimum(good, bad)
        return super().__new__(cls, few, total - few, _minimum(drawn, total - drawn))


def _urn_log(k, good, bad, drawn):
    """The logarithm of the probability of k of the good ones, but for a constant."""
    mean = drawn * (good / _maximum(good + bad, 1.0))
    counts = (k, good - k, drawn - k, bad - (drawn - k))
    means = (mean, good - mean, drawn - mean, bad - (drawn - mean))
    parts = [_deviance(_maximum(x, 0.0), _maximum(m, 2.0**-1000)) for x, m in zip(counts, means)]
    return -(parts[0] + parts[1] + parts[2] + parts[3])


def _hat(good, bad, drawn):
    """Centre and width of Stadlober's hat of a ratio of uniforms (1990)."""
    total = good + bad
    p = good / _maximum(total, 1.0)
    variance = drawn * p * (1.0 - p) * (total - drawn) / _maximum(total - 1.0, 1.0)
    return drawn * p + 0.5, _HAT_SLOPE * _sqrt(variance + 0.5) + _HAT_REST


# ---- distributions -------------------------------------------------------------------------------


def _spread(p, shape):
    """A parameter with an element for each that is drawn, in a row; one number stays one."""
    return broadcast_to(p, shape).reshape(-1) if _is_array(p) and p.shape != () else p


def _at(p, places):
    return p[places] if _is_array(p) and p.shape != () else p


def _for_what_is_left(uniform, attempt, parameters, x, done):
    """The rounds after the first, for elements not done: those of whole rounds, element by
    element."""
    shape, x, left = x.shape, x.reshape(-1), (~done.reshape(-1)).nonzero()[0]
    parameters = [_at(_spread(p, shape), left) for p in parameters]
    while left.shape[0]:
        u, v = uniform().reshape(-1)[left], uniform().reshape(-1)[left]
        y, done = attempt(u, v, *parameters)
        x[left] = y     # what is not accepted is overwritten by a later round
        again = (~done).nonzero()[0]
        left, parameters = left[again], [_at(p, again) for p in parameters]
    return x.reshape(shape)


class Rounds:
    """The methods of a Generator that draw in rounds."""

    def _rounds(self, shape, attempt, *parameters):
        """An array of the shape: for each element what attempt(u, v, *parameters) gave when it
        first accepted it. attempt returns numbers and whether they are accepted. u and v are
        uniform numbers of calls of a stream of this call's own, so that a generator's later
        numbers do not depend on how many rounds there are."""
        stream = _Stream(int(self._stream.raw((), None)))

        def uniform():
            return stream.uniform(shape, None)

        x, done = attempt(uniform(), uniform(), *parameters)
        if x.shape != () and _is_host(x.device):
            return _for_what_is_left(uniform, attempt, parameters, x, done)
        # Elsewhere whole rounds cost less than to find and gather what is left. No number is nan
        # before it is accepted: the question is about x too, so that it does not stay pending.
        while not bool((done | (x != x)).all()):
            y, accepted = attempt(uniform(), uniform(), *parameters)
            x, done = where(done, x, y), done | accepted
        return x

    def vonmises(self, mu, kappa, size=None):
        """Angles in [-pi, pi] around mu, of density proportional to exp(kappa cos(x - mu)).

        ValueError where kappa is below 0.
        """
        if size is None and (x := self._stream.one_vonmises(mu, kappa)) is not None:
            return x
        mu, kappa = parameter(mu), non_negative(kappa=kappa)
        shape = shape_of(size, mu, kappa)
        k = _minimum(kappa, 1e150)      # as good as infinite, and its square is finite
        b = 1.0 / (2.0 * k + _sqrt(4.0 * k * k + 1.0))
        near = 2.0 * b / (1.0 + b)      # 1 - cosine of the envelope's mode

        def attempt(u, v, k, b, near):
            side = 2.0 * u - 1.0
            z = _sin(side * (_PI / 2))
            z = z * z
            part = z / (1.0 - (1.0 - b) * z)
            away = 2.0 * b * part       # 1 - cosine of the angle
            log = _log1p((1.0 - near) * (1.0 + b) * part) - _log1p(1.0 - near)
            refused = k * (near - away) + log < _log1p(-v)
            angle = 2.0 * _arcsin(_sqrt(_minimum(away / 2.0, 1.0)))
            return where(side < 0, -angle, angle), ~refused     # a nan is not refused

        x = self._rounds(shape, attempt, k, b, near) + mu
        turned = _remainder(x + _PI, 2 * _PI) - _PI
        return value(where((x >= -_PI) & (x <= _PI), x, turned))

    def zipf(self, a, size=None):
        """Zipf's distribution: k = 1, 2, ... has a probability proportional to k**-a.

        Numbers beyond int64 are left out. ValueError where a is not above 1.
        """
        if size is None and (x := self._stream.one_zipf(a)) is not None:
            return x
        a = parameter(a)
        single = not _is_array(a) or a.shape == ()
        refuse((a <= 1) | (a != a), f"a <= 1 or a {'is NaN' if single else 'contains NaNs'}")
        shape, b = shape_of(size, a), a - 1.0
        reach = _expm1(-_LOG_2_63 * b)      # less 1: how likely the envelope is beyond int64
        scale = -_expm1(-_LOG_2 * b)

        def attempt(u, v, b, reach, scale):
            x = _maximum(_floor(_exp(-_log1p(u * reach) / b)), 1.0)
            return x, v * x * -_expm1(-b * _log1p(1.0 / x)) <= scale

        x = self._rounds(shape, attempt, b, reach, scale)
        return value(_minimum(x, _INT64_MOST).astype("int64"))

    _fewest_drawn = 0

    def hypergeometric(self, ngood, nbad, nsample, size=None):
        """How many of nsample that are drawn of ngood + nbad, without putting any back, are good.

        ValueError where one is negative, nsample is larger than the sum, or ngood or nbad 10**9 or
        more.
        """
        if size is None:
            x = self._stream.one_hypergeometric(ngood, nbad, nsample)
            if x is not None:
                return x
        good, bad, drawn = count(ngood), count(nbad), count(nsample)
        self._check_urn(good, bad)
        refuse(good + bad < drawn, "ngood + nbad < nsample")
        refuse(good < 0, "ngood < 0")
        refuse(bad < 0, "nbad < 0")
        refuse(drawn < self._fewest_drawn, f"nsample < {self._fewest_drawn}")
        return value(self._urn(good, bad, drawn, shape_of(size, good, bad, drawn)))

    @staticmethod
    def _check_urn(good, bad):
        refuse((good >= _COLORS_MOST) | (bad >= _COLORS_MOST),
               f"both ngood and nbad must be less than {_COLORS_MOST}")

    def _urn(self, good, bad, drawn, shape):
        """hypergeometric() of checked counts, as int64."""
        good, bad, drawn = (asarray(n, float) for n in (good, bad, drawn))
        urn = _Urn(good, bad, drawn)
        mode = _floor((urn.drawn + 1.0) * ((urn.good + 1.0) / (good + bad + 2.0)))
        most = _minimum(urn.good, urn.drawn)
        top = _urn_log(_minimum(mode, most), *urn)

        def attempt(u, v, centre, width, most, top, *urn):
            u = 1.0 - u
            k = _floor(centre + width * (v - 0.5) / u)
            inside = (k >= 0.0) & (k <= most)
            k = _maximum(_minimum(k, most), 0.0)
            return k, inside & (2.0 * _log(u) <= _urn_log(k, *urn) - top)

        k = self._rounds(shape, attempt, *_hat(*urn), most, top, *urn)
        k = where(good > bad, urn.drawn - k, k)
        return where(urn.drawn < drawn, good - k, k).astype("int64")
