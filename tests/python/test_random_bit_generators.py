# SPDX-License-Identifier: BSD-3-Clause
"""Generators over NumPy's bit generators: NumPy's numbers to the bit, as arrays of ours."""

import copy
import pickle
import re
import warnings
from pathlib import Path

import numpy as np
import pytest

from common import needs_heddle, python, xp
from test_random_refusals import GOOD, HOSTILE, LEGACY, SIZES, differences

pytestmark = needs_heddle

BIT_GENERATORS = ["MT19937", "PCG64", "PCG64DXSM", "Philox", "SFC64"]


def pair(name="PCG64", seed=7):
    return (
        np.random.Generator(getattr(np.random, name)(seed)),
        xp.random.Generator(getattr(xp.random, name)(seed)),
    )


def check(got, want, where=""):
    """The same value to the bit; an array is one of ours, unless its dtype is none of ours."""
    if isinstance(want, np.ndarray) and want.dtype.kind in "biufc":
        assert isinstance(got, xp.ndarray), where
    else:
        assert type(got) is type(want) or isinstance(got, type(want)), where
    if isinstance(want, (np.ndarray, np.generic)):
        got = np.asarray(got)
        assert got.dtype == want.dtype and got.shape == want.shape, where
        assert (
            got.tobytes() == want.tobytes()
            if want.dtype.kind != "O"
            else got.tolist() == want.tolist()
        ), where
    else:
        assert got == want or (got != got and want != want), where


# What a generator g does with arrays of the module m.
CALLS = """
g.random()
g.random(5)
g.random((2, 3), dtype='f4')
g.random(out=m.zeros(4))
g.random(dtype='f4', out=m.zeros((2, 2), dtype='f4'))
g.standard_normal(3, out=m.zeros(3))
g.standard_exponential(3, method='inv')
g.standard_exponential(3, 'f4', 'zig')
g.standard_gamma(m.asarray([1.0, 2.0]), out=m.zeros(2))
g.standard_gamma(2.0, 4, 'f4')
g.integers(10)
g.integers(3, 9, (2, 3))
g.integers(m.asarray([3, 9]), 10, dtype='u1')
g.integers(0, 5, 7, endpoint=True)
g.integers(0, 2, 5, dtype=bool)
g.integers(m.asarray([[1], [2]]), m.asarray([3, 4]))
g.permutation(9)
g.permutation(m.arange(9))
g.permutation(m.arange(12).reshape(3, 4), axis=1)
g.permutation([3, 1, 2])
g.permuted(m.arange(12).reshape(3, 4), axis=1)
g.permuted(m.arange(12).reshape(3, 4))
g.permuted(m.arange(6), out=m.zeros(6, dtype=int))
g.choice(5)
g.choice(5, 3, replace=False, shuffle=False)
g.choice(m.arange(12.0).reshape(3, 4), 2, axis=1, p=m.asarray([.1, .2, .3, .4]))
g.choice(m.arange(4))
g.choice(m.arange(4.0), 2)
g.choice(['a', 'b', 'c'], 4)
g.choice([1.5, 2.5])
g.bytes(7)
g.normal(m.arange(3.0), m.asarray([[1.0], [2.0]]))
g.normal(m.asarray(3.0), 2)
g.uniform(m.float64(3), 5, size=m.asarray([2, 3]))
g.multinomial(20, m.asarray([.2, .3, .5]), 3)
g.multinomial(m.asarray([3, 5]), [.5, .5])
g.dirichlet(m.asarray([1.0, 2.0]), 2)
g.multivariate_normal(m.zeros(2), m.eye(2), 3, method='cholesky')
g.multivariate_normal([0, 0], [[1, 2], [2, 1]], check_valid='ignore')
g.multivariate_hypergeometric(m.asarray([3, 4, 5]), 4, method='count')
g.hypergeometric(m.asarray([3, 30]), 5, 4, (3, 2))
g.random(0)
g.normal(size=())
g.binomial(10, m.asarray([.1, .9]), (0, 2))
g.poisson(m.asarray([1.0, 40.0]))
g.zipf(m.asarray([2.0, 3.0]))
""".strip().splitlines()

LEGACY_CALLS = """
g.rand()
g.rand(2, 3)
g.randn()
g.randn(3)
g.randint(5)
g.randint(2, 9, (2, 2), dtype='i1')
g.random_sample(3)
g.random(2)
g.tomaxint()
g.tomaxint(3)
g.choice(m.arange(4.0), 3, False)
g.permutation(m.arange(12).reshape(3, 4))
g.permutation(4)
g.normal(m.arange(3.0), 2.0)
g.bytes(5)
g.dirichlet([1.0, 2.0], 2)
g.multinomial(20, m.asarray([.2, .8]))
g.standard_gamma(m.asarray([1., 9.]))
""".strip().splitlines()


@pytest.mark.parametrize("name", BIT_GENERATORS)
def test_generator__draws_numpys_numbers(name):
    theirs, ours = pair(name)
    for call in CALLS:
        check(eval(call, {"g": ours, "m": xp}), eval(call, {"g": theirs, "m": np}), call)
    assert str(ours) == str(theirs) == f"Generator({name})" and isinstance(
        ours, xp.random.Generator
    )


@pytest.mark.parametrize("seed", [7, [1, 2, 3], None, "PCG64"], ids=str)
def test_random_state__draws_numpys_numbers(seed):
    if seed is None:
        ours, theirs = xp.random.RandomState(), np.random.RandomState()
        assert ours.rand(3).tolist() != xp.random.RandomState().rand(3).tolist()
        theirs.set_state(ours.get_state())
    elif seed == "PCG64":
        ours, theirs = xp.random.RandomState(xp.random.PCG64(3)), np.random.RandomState(
            np.random.PCG64(3)
        )
    else:
        ours, theirs = xp.random.RandomState(seed), np.random.RandomState(seed)
    for call in LEGACY_CALLS:
        check(eval(call, {"g": ours, "m": xp}), eval(call, {"g": theirs, "m": np}), call)
    if seed == 7:
        ours, theirs = (m.random.RandomState(m.asarray([4, 5])) for m in (xp, np))
        check(ours.rand(4), theirs.rand(4))


@pytest.mark.parametrize("family", ["Generator", "RandomState"])
def test_every_distribution_and_bad_argument(family):
    """All names, with the parameters of test_random_refusals: numbers and exceptions are NumPy's."""
    theirs, ours = (
        pair() if family == "Generator" else (np.random.RandomState(7), xp.random.RandomState(7))
    )
    for name in dir(theirs):
        assert name.startswith("_") or hasattr(ours, name), name
    for name in GOOD if family == "Generator" else (*LEGACY, "random"):
        arguments = [*GOOD[name].values()]
        for size in (None, 3, (2, 3), (0,), ()):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                check(
                    getattr(ours, name)(*arguments, size=size),
                    getattr(theirs, name)(*arguments, size=size),
                    name,
                )
        cases = [
            (
                f"{name}({kind})",
                (getattr(theirs, name), value, *arguments[1:]),
                (getattr(ours, name), value, *arguments[1:]),
            )
            for kind, value in HOSTILE.items()
            if "huge" not in kind and "inf" not in kind and kind != "1.5" and arguments
        ]
        cases += [
            (
                f"{name}(size={kind})",
                (lambda *a, n=name, s=size: getattr(theirs, n)(*a, size=s), *arguments),
                (lambda *a, n=name, s=size: getattr(ours, n)(*a, size=s), *arguments),
            )
            for kind, size in SIZES.items()
            if "huge" not in kind
        ]
        assert not (wrong := differences(cases)), wrong


def test_arrays_of_ours_are_written_to():
    theirs, ours = pair()
    x, y = xp.arange(20).reshape(4, 5), np.arange(20).reshape(4, 5)
    view = x[:]
    for axis in (0, 1):
        assert ours.shuffle(x, axis) is None and theirs.shuffle(y, axis) is None
        assert x.tolist() == y.tolist() == view.tolist()
    ours.shuffle(x[:, ::2])
    theirs.shuffle(y[:, ::2])
    assert x.tolist() == y.tolist()
    items, wanted = list("abcdef"), list("abcdef")
    ours.shuffle(items)
    theirs.shuffle(wanted)
    assert items == wanted
    numpys = np.arange(9)
    ours.shuffle(numpys)
    y = np.arange(9)
    theirs.shuffle(y)
    assert numpys.tolist() == y.tolist()
    out, wanted = xp.zeros((3, 4))[:, ::2], np.zeros((3, 2))
    assert ours.random(out=out) is out
    theirs.random(out=wanted)
    assert out.tolist() == wanted.tolist()
    out = np.zeros(3)
    assert (
        ours.standard_normal(out=out) is out and out.tolist() == theirs.standard_normal(3).tolist()
    )
    x, y = xp.arange(12).reshape(3, 4), np.arange(12).reshape(3, 4)
    assert ours.permuted(x, axis=1, out=x) is x
    theirs.permuted(y, axis=1, out=y)
    assert x.tolist() == y.tolist()
    ours, theirs = xp.random.RandomState(3), np.random.RandomState(3)
    x, y = xp.arange(9.0), np.arange(9.0)
    ours.shuffle(x)
    theirs.shuffle(y)
    assert x.tolist() == y.tolist()
    with pytest.raises(ValueError, match="read-only"):
        ours.shuffle(xp.broadcast_to(xp.arange(1), (3,)))
    with pytest.raises(TypeError, match="wrong type"):
        pair()[1].random(out=xp.zeros(3, dtype="f4"))


def test_results_are_where_new_arrays_are():
    assert pair()[1].random(3).device == xp.empty(0).device
    assert (pair()[1].random(3) + xp.ones(3)).tolist() == (pair()[0].random(3) + 1).tolist()


# ---- state ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", BIT_GENERATORS)
def test_state__is_saved_and_restored(name):
    theirs, ours = pair(name)
    state = ours.bit_generator.state
    first = ours.random(3).tolist()
    assert (
        type(ours.bit_generator) is getattr(xp.random, name) and first == theirs.random(3).tolist()
    )
    ours.bit_generator.state = state
    assert ours.random(3).tolist() == first
    again = pickle.loads(pickle.dumps(ours))
    deep = copy.deepcopy(ours)
    want = theirs.random(3).tolist()
    assert type(again) is type(ours)
    assert again.random(3).tolist() == deep.random(3).tolist() == ours.random(3).tolist() == want
    shallow = copy.copy(ours)  # as NumPy's: over the same bit generator
    assert shallow.bit_generator is ours.bit_generator


def test_random_state__state():
    theirs, ours = np.random.RandomState(7), xp.random.RandomState(7)
    assert ours.randn() == theirs.randn()  # half of a pair of normal numbers is kept
    for other in (pickle.loads(pickle.dumps(ours)), copy.deepcopy(ours)):
        assert type(other) is xp.random.RandomState
        other = other.randn(3).tolist()
        state = ours.get_state(legacy=False)
        assert other == ours.randn(3).tolist()
        ours.set_state(state)
    assert ours.get_state()[0] == "MT19937" and ours.get_state()[2:] == theirs.get_state()[2:]
    theirs.set_state(ours.get_state())
    assert ours.rand(3).tolist() == theirs.rand(3).tolist()
    ours.seed(11)
    theirs.seed(11)
    assert ours.rand(3).tolist() == theirs.rand(3).tolist()
    with pytest.raises(ValueError, match="Seed must be between 0 and"):
        xp.random.RandomState(-1)


def test_random_state__can_be_derived_from():
    class Dice(xp.random.RandomState):
        def throw(self, n):
            return self.randint(1, 7, n)

    check(Dice(5).throw(9), np.random.RandomState(5).randint(1, 7, 9))


def test_spawn__as_numpys():
    theirs, ours = pair()
    for mine, numpys in zip(ours.spawn(3), theirs.spawn(3)):
        assert isinstance(mine, xp.random.Generator)
        check(mine.random(4), numpys.random(4))
    assert (
        ours.spawn(1)[0].integers(100, size=5).tolist()
        == theirs.spawn(1)[0].integers(100, size=5).tolist()
    )


def test_default_rng__over_a_bit_generator():
    bits = xp.random.PCG64(5)
    g = xp.random.default_rng(bits)
    assert (
        g.bit_generator is bits
        and g.random(3).tolist() == np.random.default_rng(5).random(3).tolist()
    )
    assert xp.random.default_rng(g) is g
    numpys = np.random.default_rng(9)
    taken = xp.random.default_rng(numpys)
    assert isinstance(taken, xp.random.Generator) and taken.bit_generator is numpys.bit_generator
    assert (
        taken.random() == np.random.default_rng(9).random()
        and numpys.random() == np.random.default_rng(9).random(2)[1]
    )
    for state in (xp.random.RandomState(4), np.random.RandomState(4)):
        assert (
            xp.random.default_rng(state).random(3).tolist()
            == np.random.default_rng(np.random.RandomState(4)).random(3).tolist()
        )


def test_classes_are_numpys_and_load_it_when_asked_for():
    for name in ("BitGenerator", "bit_generator"):
        assert getattr(xp.random, name) is getattr(np.random, name)
    for name in (*BIT_GENERATORS, "SeedSequence"):
        assert getattr(xp.random, name).__bases__ == (getattr(np.random, name),)
    code = (
        "import sys, heddle as h; g = h.random.default_rng(1); g.random(3); "
        "h.random.seed(2); h.random.rand(); "
        "g.vonmises(0, 1, 3); print('numpy' in sys.modules); h.random.PCG64; "
        "print('numpy' in sys.modules)"
    )
    assert python(code).stdout.split() == ["False", "True"]


def test_every_name_of_numpys_is_there():
    assert {n for n in dir(np.random) if not n.startswith("_")} - {"test"} <= set(dir(xp.random))
    for name in dir(xp.random):
        assert getattr(xp.random, name) is not None
    with pytest.raises(AttributeError):
        xp.random.no_such_name


def test_every_name_is_in_the_stub():
    stub = Path(xp.random.__file__).with_suffix(".pyi").read_text()
    named = set(re.findall(r"(?: as |^def |^)(\w+)(?: = |\(|$)", stub, re.M))
    assert set(dir(xp.random)) <= named


# ---- the older functions -------------------------------------------------------------------------


def test_set_bit_generator():
    old = xp.random.get_bit_generator()
    xp.random.seed(5)
    first, rand = xp.random.rand(3).tolist(), xp.random.rand
    try:
        xp.random.set_bit_generator(xp.random.MT19937(7))
        theirs = np.random.RandomState(np.random.MT19937(7))
        check(xp.random.rand(3), theirs.rand(3))
        check(xp.random.normal(size=3), theirs.normal(size=3))
        check(xp.random.sample(3), theirs.random_sample(3))
        assert isinstance(xp.random.get_bit_generator(), np.random.MT19937)
        xp.random.seed(3)
        check(xp.random.rand(3), np.random.RandomState(3).rand(3))
    finally:
        xp.random.set_bit_generator(old)
    assert xp.random.get_bit_generator() is old
    xp.random.seed(5)
    assert xp.random.rand(3).tolist() == first
    xp.random.seed(5)
    assert rand(3).tolist() == first
    with pytest.raises(TypeError):
        xp.random.set_bit_generator(5)
    assert xp.random.mtrand.rand is xp.random.rand


# ---- seeds that are arrays of ours ---------------------------------------------------------------


@pytest.mark.parametrize("name", ["SeedSequence", *BIT_GENERATORS])
def test_seeds__arrays_of_ours(name):
    def words(m, *args, **options):
        made = getattr(m.random, name)(*args, **options)
        drawn = made.generate_state(3) if name == "SeedSequence" else made.random_raw(3)
        return np.asarray(drawn).tolist()

    for seed in ([0, 5, 2**31], [7], []):
        seed = np.array(seed, "i8")
        want = words(np, seed)
        assert words(xp, xp.array(seed)) == want == words(xp, seed)
        assert words(xp, list(xp.array(seed))) == want == words(xp, tuple(xp.array(seed)))
    ours = xp.array([3, 4, 5])
    assert words(xp, ours.sum()) == words(np, 12) == words(xp, ours.sum(keepdims=True)[0])
    try:                                     # NumPy takes lists of lists until 2.4
        want = words(np, [1, [3, np.array([3, 4, 5])]])
    except TypeError:
        pass
    else:
        assert words(xp, [1, [ours[0], ours]]) == want
    drawn = xp.random.default_rng(1).integers(1 << 30)
    assert words(xp, drawn) == words(np, int(drawn))
    if name == "SeedSequence":
        want = words(np, 5, spawn_key=(3, 4, 5))
        assert words(xp, 5, spawn_key=ours) == want == words(xp, 5, spawn_key=list(ours))
    if name == "Philox":
        assert words(xp, key=ours[:2], counter=ours[1]) == words(np, key=[3, 4], counter=4)
    for bad in ([1.5], [-1], [[1.5]]):
        with pytest.raises((TypeError, ValueError)) as wanted:
            words(np, np.array(bad))
        with pytest.raises(wanted.type, match=re.escape(str(wanted.value))):
            words(xp, xp.array(bad))


def test_seeds__of_sequences_of_arrays_of_ours():
    def first(seed):
        return xp.random.default_rng(seed).random()

    sequence, ours = xp.random.SeedSequence, xp.array([1, 2, 3])
    assert first(sequence(ours)) == first([1, 2, 3])
    child, want = sequence(ours).spawn(2)[1], np.random.SeedSequence([1, 2, 3]).spawn(2)[1]
    assert child.generate_state(2).tolist() == want.generate_state(2).tolist()
    got = xp.random.Generator(xp.random.PCG64(sequence(ours)))
    assert got.random() == np.random.Generator(np.random.PCG64([1, 2, 3])).random()


def test_classes__are_derived_from_numpys():
    R = xp.random
    assert isinstance(R.PCG64(1), np.random.PCG64) and isinstance(np.random.PCG64(1), R.PCG64)
    assert not isinstance(np.random.SFC64(1), R.PCG64) and issubclass(np.random.PCG64, R.PCG64)
    assert isinstance(np.random.PCG64(1).seed_seq, R.SeedSequence)

    class Mine(R.PCG64):
        pass

    assert isinstance(Mine(1), R.PCG64) and isinstance(Mine(1), Mine)
    assert not isinstance(R.PCG64(1), Mine)
    for made in (R.PCG64(1), R.SeedSequence(1), Mine(1)):
        assert type(copy.deepcopy(made)) is type(made)
    for made in (R.PCG64(1), R.SeedSequence(1)):
        again = pickle.loads(pickle.dumps(made))
        assert type(again) is type(made)
    ours, theirs = R.PCG64(1), np.random.PCG64(1)
    assert ours.state == theirs.state and ours.jumped(2).state == theirs.jumped(2).state
