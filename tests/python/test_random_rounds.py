# SPDX-License-Identifier: BSD-3-Clause
"""Distributions drawn in rounds, and compositions at the ends of their parameters."""

import math

import numpy as np
import pytest

from common import needs_heddle, xp
from test_random import key_of, philox
from test_random_distributions import raw_words, rng

pytestmark = needs_heddle
stats = pytest.importorskip("scipy.stats")
special = pytest.importorskip("scipy.special")

N = 30_000


# ---- the definition ------------------------------------------------------------------------------


def rounds(seed, n, attempt):
    """docs/design/random.md, "Rounds": the numbers of a generator's first call."""
    key, numbers = key_of(raw_words(seed, 0, 1)[0]), np.full(n, np.nan)
    for call in range(0, 200, 2):
        words = [philox(key, c, (n + 1) // 2).astype("u8") for c in (call, call + 1)]
        u, v = (
            ((w[:, ::2] + (w[:, 1::2] << np.uint64(32))).ravel()[:n] >> np.uint64(11)) * 2.0**-53
            for w in words
        )
        x, accepted = attempt(u, v)
        numbers = np.where(np.isnan(numbers) & accepted, x, numbers)
    assert not np.isnan(numbers).any()
    return numbers


def test_zipf__follows_the_definition():
    def attempt(u, v):
        lowest, b = (2.0**63) ** -0.75, 2**0.75
        x = np.floor((1 - u * (1 - lowest)) ** (-1 / 0.75))
        t = (1 + 1 / x) ** 0.75
        return x, v * x * (t - 1) / (b - 1) <= t / b

    assert rng(7).zipf(1.75, 801).tolist() == rounds(7, 801, attempt).tolist()


def test_vonmises__follows_the_definition():
    def attempt(u, v):
        b = math.sqrt(4 * 2.5**2 + 1) - 2 * 2.5
        z, mode = np.sin(math.pi / 2 * (2 * u - 1)) ** 2, (1 - b) / (1 + b)
        w = (1 - (1 + b) * z) / (1 - (1 - b) * z)
        accepted = 2.5 * (w - mode) + np.log((1 - mode * w) / (1 - mode**2)) >= np.log(1 - v)
        return np.where(2 * u < 1, -1, 1) * np.arccos(w), accepted

    np.testing.assert_allclose(
        np.array(rng(7).vonmises(0.0, 2.5, 800)), rounds(7, 800, attempt), rtol=1e-9
    )


def test_hypergeometric__follows_the_definition():
    good, bad, drawn = 30, 50, 25

    def attempt(u, v):
        u, mean = 1 - u, drawn * good / (good + bad)
        variance = mean * bad / (good + bad) * (good + bad - drawn) / (good + bad - 1)
        width = (
            2 * math.sqrt(2 / math.e) * math.sqrt(variance + 0.5) + 3 - 2 * math.sqrt(3 / math.e)
        )
        k = np.floor(mean + 0.5 + width * (v - 0.5) / u)
        p = stats.hypergeom(good + bad, good, drawn).pmf
        return k, u * u <= p(k) / p(math.floor((drawn + 1) * (good + 1) / (good + bad + 2)))

    expected = rounds(7, 900, attempt)
    assert rng(7).hypergeometric(good, bad, drawn, 900).tolist() == expected.tolist()
    assert rng(7).hypergeometric(bad, good, drawn, 900).tolist() == (drawn - expected).tolist()
    assert rng(7).hypergeometric(good, bad, 80 - drawn, 900).tolist() == (good - expected).tolist()


def test_rounds__take_one_call_however_many_there_are():
    for draw in (
        lambda g, n: g.zipf(2.0, n),
        lambda g, n: g.vonmises(0.0, 3.0, n),
        lambda g, n: g.hypergeometric(20, 20, 9, n),
    ):
        for n in (0, 1, 5000, None):
            g = rng()
            draw(g, n)
            assert g.bit_generator.state["state"]["calls"] == 1


def test_rounds__of_arrays_give_what_numbers_give():
    n = 600
    for draw, values in (
        (lambda g, v: g.zipf(v, n), (1.2, 3.0)),
        (lambda g, v: g.vonmises(0.5, v, n), (0.4, 30.0)),
        (lambda g, v: g.hypergeometric(v, 30, 20, n), (5, 900)),
        (lambda g, v: g.hypergeometric(9, 30, v, n), (3, 35)),
        (lambda g, v: g.logseries(v, n), (0.2, 0.999)),
        (lambda g, v: g.wald(v, 2.0, n), (1.0, 9.0)),
        (lambda g, v: g.noncentral_chisquare(v, 2.0, n), (1.0, 9.0)),
    ):
        both = np.array(draw(rng(), xp.array(list(values) * (n // 2))))
        for k in range(2):
            np.testing.assert_allclose(
                both[k::2], np.array(draw(rng(), values[k]))[k::2], rtol=1e-13
            )
    x = np.array(rng().hypergeometric([[5], [900]], xp.array([30, 40, 50]), 20, (200, 2, 3)))
    assert x[:, 0].max() <= 5 and 18 < x[:, 1].mean() < 20


# ---- the distributions at the ends of their parameters -------------------------------------------


@pytest.mark.parametrize("kappa", [1e-300, 1e-9, 0.2, 1.0, 7.5, 300.0])
def test_vonmises__kolmogorov_smirnov(kappa):
    x = np.array(rng().vonmises(0.0, kappa, N))
    assert (
        np.abs(x).max() <= math.pi
        and stats.kstest(x[:8000], stats.vonmises(kappa).cdf).pvalue > 1e-4
    )
    mean = special.i1e(kappa) / special.i0e(kappa)
    assert abs(np.cos(x).mean() - mean) < 5 * np.cos(x).std() / math.sqrt(N)


@pytest.mark.parametrize("kappa", [1e6, 1e12, 1e20, 1e100])
def test_vonmises__of_huge_kappa_is_normal(kappa):
    x = np.array(rng().vonmises(0.0, kappa, N)) * math.sqrt(kappa)
    assert stats.kstest(x, "norm").pvalue > 1e-4


def test_vonmises__wraps():
    g = rng()
    assert np.all(np.array(g.vonmises(0.5, float("inf"), 9)) == 0.5)
    assert np.isnan(np.array(g.vonmises(float("nan"), 1.0, 3))).all()
    assert np.isnan(np.array(g.vonmises([0.0, 1.0], [float("nan"), 1.0]))).tolist() == [True, False]
    x = np.array(g.vonmises(100.0, 50.0, 5000))
    assert np.abs(x).max() <= math.pi
    assert abs(np.angle(np.exp(1j * x).mean()) - math.remainder(100.0, 2 * math.pi)) < 0.02
    y = np.array(rng(3).vonmises(3.1, 1.0, 5000))
    assert np.abs(y).max() <= math.pi and y.min() < -3 and y.max() > 3


@pytest.mark.parametrize("a", [1 + 1e-9, 1.01, 1.3, 2.0])
def test_zipf__of_slow_tails(a):
    x = np.array(rng().zipf(a, 200_000))
    assert x.min() == 1 and x.dtype == np.int64
    q = np.append(np.arange(1.0, 31), 2.0 ** np.arange(5, 62, 4))
    # how likely numbers from q on are among those that fit int64
    tails = (q[:, None] - 0.5) ** (1 - a) - (2.0**63) ** (1 - a)
    if a >= 1.01:
        exact = special.zeta(a, q) - special.zeta(a, 2.0**63)
    else:  # Euler and Maclaurin: zeta has no digits left
        exact = tails[:, 0] / (a - 1) - a / 24 * (q - 0.5) ** (-a - 1)
    expected = -np.diff(np.append(exact, 0.0)) / exact[0] * len(x)
    counts = np.histogram(x, np.append(q, 2.0**63))[0].astype("f8")
    many = expected > 10
    assert (
        stats.chisquare(
            np.append(counts[many], counts[~many].sum() + 1e-9),
            np.append(expected[many], len(x) - expected[many].sum() + 1e-9),
        ).pvalue
        > 1e-4
    )


def test_zipf__of_steep_ones():
    g = rng()
    for a in (60.0, 2000.0, 1e300, float("inf")):
        assert np.all(np.array(g.zipf(a, 100)) == 1)


def test_hypergeometric__at_the_ends():
    g = rng()
    for good, bad, drawn, only in (
        (0, 0, 0, 0),
        (5, 0, 3, 3),
        (0, 5, 3, 0),
        (5, 7, 0, 0),
        (5, 7, 12, 5),
        (1, 0, 1, 1),
        (0, 1, 1, 0),
    ):
        assert np.all(np.array(g.hypergeometric(good, bad, drawn, 50)) == only)
        assert int(g.hypergeometric(good, bad, drawn)) == only
    most = 10**9 - 1
    x = np.array(g.hypergeometric(most, most, most, N)).astype("f8")
    truth = stats.hypergeom(2 * most, most, most)
    assert abs(x.mean() - truth.mean()) < 5 * truth.std() / math.sqrt(N)
    assert abs(x.var() / truth.var() - 1) < 5 * math.sqrt(2 / N)
    assert stats.kstest((x + 0.5 - truth.mean()) / truth.std(), "norm").pvalue > 1e-4
    rare = np.array(g.hypergeometric(1, most, most // 2, N))
    assert abs(rare.mean() - 0.5) < 5 * 0.5 / math.sqrt(N) and set(rare.tolist()) == {0, 1}


def test_legacy_hypergeometric__has_no_limit():
    xp.random.seed(5)
    x = np.array(xp.random.hypergeometric(2**61, 2**61, 10**6, N)).astype("f8")
    assert abs(x.mean() - 5e5) < 5 * 500 / math.sqrt(N) and abs(x.std() / 500 - 1) < 0.03


def test_logseries__at_the_ends():
    g = rng()
    assert np.all(np.array(g.logseries(0.0, 100)) == 1)
    p = 1 - 2.0**-40
    x = np.array(g.logseries(p, N)).astype("f8")
    # about uniform in the logarithm, up to 2**40
    assert abs((x == 1).mean() - 1 / (40 * math.log(2))) < 0.005 and 2.0**40 < x.max() < 2.0**46
    assert np.array(g.logseries(1 - 2.0**-53, 1000)).max() < 2**62


def test_wald__at_the_ends():
    g = rng()
    for mean, scale in ((1e-300, 1.0), (1.0, 1e-300), (1e300, 1.0), (1.0, 1e300), (1e-3, 1e9)):
        x = np.array(g.wald(mean, scale, 2000))
        assert np.all(x >= 0) and not np.isnan(x).any()
    assert np.all(np.array(g.wald(2.5, float("inf"), 9)) == 2.5)
    x = np.array(g.wald(1.0, 1e12, N))
    assert (
        stats.kstest((x - 1) * 1e6, "norm").pvalue > 1e-4
    )  # no digits are lost where it is narrow


def test_noncentral_chisquare__of_huge_nonc():
    g = rng()
    for nonc in (1e12, 2.0**62, 1e25, 1e200):
        x = (np.array(g.noncentral_chisquare(3.0, nonc, N)) / nonc - 1) * math.sqrt(nonc) / 2
        if nonc < 1e16:  # otherwise all are nonc, rounded
            assert stats.kstest(x, "norm").pvalue > 1e-4
        assert np.abs(x).max() < 6 + 4 * math.sqrt(nonc) * 2.0**-52
    assert np.isnan(float(g.noncentral_chisquare(float("nan"), 1.0)))
    assert np.isnan(float(g.noncentral_chisquare(1.0, float("nan"))))
    assert float(g.noncentral_chisquare(1.0, float("inf"))) == float("inf")
    assert np.isnan(np.array(g.noncentral_chisquare(2.0, [1.0, float("nan")]))).tolist() == [
        False,
        True,
    ]


def test_parameters_of_narrow_dtypes_are_computed_with_as_numbers_are():
    def same(draw, values, dtypes):
        want = np.array(draw(rng(), xp.array([float(v) for v in values] * 50)))
        for dtype in dtypes:
            for given in (xp.array(values * 50, dtype=dtype), np.array(values * 50, dtype)):
                assert np.array(draw(rng(), given)).tolist() == want.tolist(), dtype

    for draw in (
        lambda g, p: g.geometric(p),
        lambda g, p: g.logseries(p),
        lambda g, p: g.power(p),
        lambda g, p: g.wald(p, p),
        lambda g, p: g.noncentral_f(p, 2.0, p),
        lambda g, p: g.binomial(9, p),
    ):
        same(draw, [0.25, 0.5], ["f2", "f4", "f8"])
    for draw in (
        lambda g, a: g.uniform(a, 201),
        lambda g, a: g.zipf(a),
        lambda g, a: g.vonmises(0, a),
    ):
        same(draw, [120, 110], ["i1", "u1", "i8", "u8", "f2"])
    x = np.array(rng().hypergeometric(xp.array([100] * 50, dtype="i1"), np.array(100, "i1"), 120))
    assert 40 < x.min() and x.max() < 80
