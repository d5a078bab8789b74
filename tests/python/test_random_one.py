# SPDX-License-Identifier: BSD-3-Clause
"""One number at a time: the numbers of arrays, whichever way they are drawn."""

import itertools

import numpy as np
import pytest

from common import bits, needs_heddle, xp

pytestmark = needs_heddle

# Plain parameters and odd ones: ends of what there is, what only arrays draw, what is refused.
VALUES = [0, 0.0, 1e-300, 1e-101, 1e-30, 0.05, 0.5, 1, 1.0, 2, 2.5, 3.0, 17.5, 1e3, 1e9, 2.0**61,
          1e99, 1e101, 1e300, float("inf"), float("nan"), -1, True, 2**53 + 1, 2**64]
COUNTS = [0, 1, 2, 7, 40, 1000, 10**6, 10**9 - 1, 10**9, 2**60, -1, 2.0, 2.5]
PARAMETERS = {
    "": "random standard_normal standard_exponential standard_cauchy",
    "x": """exponential rayleigh weibull pareto power standard_gamma chisquare standard_t poisson
            geometric logseries zipf""",
    "xy": """uniform normal lognormal laplace gumbel logistic wald gamma beta f binomial vonmises
             noncentral_chisquare negative_binomial""",
}
CASES = [(name, p) for x, names in PARAMETERS.items() for name in names.split()
         for p in itertools.product(VALUES, repeat=len(x))]
CASES += [("triangular", p)
          for p in itertools.product([-2.0, 0, 0.25, 3, 1e200, float("nan")], repeat=3)]
CASES += [("noncentral_f", p)
          for p in itertools.product([0.5, 3, 1e-200, -1], [2, 40.0], [0.0, 1.5, 1e30, -1])]
CASES += [("hypergeometric", p) for p in itertools.product(COUNTS, repeat=3)]
DISTRIBUTIONS = sorted({name for name, _ in CASES})
GENERATORS = {"generator": xp.random.default_rng, "older": lambda seed: type(xp.random._rand)(seed)}


def drawn(make, name, parameters, times, **size):
    """The numbers drawn before an error, the error, and where the stream is then."""
    g, numbers, error = make(3), [], None
    try:
        for _ in range(times):
            numbers.append(bits(np.asarray(getattr(g, name)(*parameters, **size)).ravel()))
    except (TypeError, ValueError, OverflowError) as e:
        error = type(e), str(e)
    return numbers, error, g.bit_generator.state


@pytest.mark.parametrize("make", GENERATORS.values(), ids=GENERATORS)
@pytest.mark.parametrize("name", DISTRIBUTIONS)
@pytest.mark.filterwarnings("ignore")
def test_one_number__is_the_arrays(name, make):
    for case in (p for n, p in CASES if n == name):
        assert drawn(make, name, case, 3) == drawn(make, name, case, 3, size=1), case


@pytest.mark.parametrize("name, parameters", [
    ("laplace", (0.5, 2)), ("vonmises", (3.0, 0.5)), ("zipf", (1.5,)), ("geometric", (0.01,)),
    ("hypergeometric", (30, 40, 35)), ("hypergeometric", (3, 2, 4)), ("standard_gamma", (0.5,)),
    ("noncentral_f", (2, 3.5, 1)), ("logseries", (0.9,))])
def test_one_number__is_the_arrays_often(name, parameters):
    assert (drawn(xp.random.default_rng, name, parameters, 500) ==
            drawn(xp.random.default_rng, name, parameters, 500, size=(1,)))


@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_one_number__is_a_scalar(name):
    odd = {"hypergeometric": (5, 5, 5), "triangular": (0, 1, 2.5), "noncentral_f": (3, 4, 1),
           "zipf": (2.5,), "uniform": (1, 2), "binomial": (3, 0.5)}
    count = next(len(x) for x, names in [*PARAMETERS.items(), ("", name)] if name in names.split())
    p = odd.get(name, (0.5,) * count)
    x = getattr(xp.random.default_rng(1), name)(*p)
    assert xp.isscalar(x) and x.shape == ()
    counts = "binomial geometric hypergeometric logseries negative_binomial poisson zipf".split()
    assert x.dtype == ("int64" if name in counts else "float64")


def test_one_number__takes_elements_of_arrays():
    scale = xp.asarray([2.0, 3.0])
    one, other = xp.random.default_rng(1), xp.random.default_rng(1)
    for s in (scale[1], np.float64(3.0), np.int64(3), np.float32(3.0), xp.asarray(3.0)):
        for _ in range(3):
            assert float(one.exponential(s)) == float(other.exponential(3.0))


def test_one_number__of_faults_that_are_watched():
    one, other = xp.random.default_rng(1), xp.random.default_rng(1)
    with xp.errstate(all="raise"):
        watched = [float(one.laplace(0.0, 2.0)) for _ in range(5)]
        with pytest.raises(FloatingPointError):
            for _ in range(2000):
                one.lognormal(0.0, 1e3)
    assert watched == [float(other.laplace(0.0, 2.0)) for _ in range(5)]


# ---- counts of outcomes --------------------------------------------------------------------------


@pytest.mark.parametrize("make", GENERATORS.values(), ids=GENERATORS)
@pytest.mark.parametrize("n", [0, 1, 10, 1000, 2**40, 2**53 + 2, -1, 2.0, True])
@pytest.mark.parametrize("p", [
    [0.2, 0.3, 0.5], (0.2, 0.3, 0.5), [1.0], [0.0, 1.0], [1, 0], [0.5, 0.5, 0.0], [0.5, 0.5, 0.1],
    [0.1] * 10, [1 / 64] * 64, [1 / 65] * 65, [0.5, 0.6, 0.2], [1.5, -0.5], [0.25, float("nan")],
    [], [1e-300, 0.5, 0.5], [1 + 5e-13, 0.0], [0.5, 0.5 + 0.9e-12, 0.0]], ids=repr)
def test_multinomial__one_draw_is_that_of_arrays(p, n, make):
    results = []
    for size in (None, 1):
        g = make(5)
        try:
            x = [np.asarray(g.multinomial(n, p, size)).ravel().tolist() for _ in range(3)]
        except (TypeError, ValueError, OverflowError) as e:
            x = type(e), str(e)
        results.append((x, g.bit_generator.state))
    assert results[0] == results[1]


# ---- sizes ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("draw", [
    lambda g, size: g.random(size), lambda g, size: g.uniform(1, 2, size),
    lambda g, size: g.normal(0, 1, size), lambda g, size: g.integers(0, 5, size)])
def test_size__is_a_tuple_of_whole_numbers(draw):
    g = xp.random.default_rng(1)
    for size in ((), (0,), (2, 3), (True, 2), (np.int64(2), xp.asarray(3)), (1,) * 64):
        assert draw(g, size).shape == tuple(int(n) for n in size)
    for size in (("a",), (2.5,), (None,), ((2,),)):
        with pytest.raises(TypeError):
            draw(g, size)
    for size in ((-1,), (2, -3), (1,) * 65):
        with pytest.raises(ValueError):
            draw(g, size)


# ---- orders --------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [0, 1, 2, 10, 1023, 1024, 1025, 3000])
def test_order__short_ones_are_those_of_arrays(n):
    one, rows = xp.random.default_rng(2), xp.random.default_rng(2)
    for _ in range(3):
        order = np.asarray(rows._stream.order(1, n, n)).reshape(n)
        np.testing.assert_array_equal(np.asarray(one.permutation(n)), order)
    x, array = [str(i) for i in range(n)], xp.arange(n)
    order = np.asarray(rows._stream.order(1, n, n)).reshape(n).tolist()
    one.shuffle(x)
    assert x == [str(i) for i in order]
    order = np.asarray(rows._stream.order(1, n, n)).reshape(n).tolist()
    one.shuffle(array)
    assert array.tolist() == order and one.bit_generator.state == rows.bit_generator.state


def test_shuffle__of_what_is_no_plain_list():
    class Names(list):
        pass

    names, plain = Names("abcdefgh"), list("abcdefgh")
    xp.random.default_rng(1).shuffle(names)
    xp.random.default_rng(1).shuffle(plain)
    assert names == plain != list("abcdefgh") and type(names) is Names
    for bad in (xp.asarray(3.0), 5, None):
        with pytest.raises(TypeError):
            xp.random.default_rng(1).shuffle(bad)
    with pytest.raises(NotImplementedError):
        xp.random.default_rng(1).shuffle([1, 2], axis=1)
