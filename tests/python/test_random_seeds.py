# SPDX-License-Identifier: BSD-3-Clause
"""Seeds of generators over Philox, their state, copies and children."""

import copy
import pickle

import numpy as np
import pytest

from common import needs_heddle, python, xp

pytestmark = needs_heddle


def first(g):
    return g.random(4).tolist()


def test_seeds__that_are_the_same():
    sequence = xp.random.SeedSequence
    for seed in (0, 7, 2**64 - 1, 2**100, [1, 2, 3], [7]):
        want = first(xp.random.default_rng(seed))
        assert first(xp.random.default_rng(sequence(seed))) == want
        assert first(xp.random.Generator(seed)) == want
        assert first(
            xp.random.default_rng(
                np.array(seed) if isinstance(seed, list) else np.uint64(seed % 2**64)
            )
        ) == (
            want
            if isinstance(seed, list) or seed < 2**64
            else first(xp.random.default_rng(seed % 2**64))
        )
    assert first(xp.random.default_rng((1, 2, 3))) == first(xp.random.default_rng([1, 2, 3]))
    assert first(xp.random.default_rng(xp.array([1, 2, 3]))) == first(
        xp.random.default_rng([1, 2, 3])
    )
    assert first(xp.random.default_rng(["1", 0x2])) == first(xp.random.default_rng([1, 2]))
    assert first(xp.random.default_rng(sequence())) != first(xp.random.default_rng(sequence()))
    xp.random.seed(7)
    assert first(xp.random) == first(xp.random.default_rng(7)) != first(xp.random.RandomState(7))


def test_seeds__that_differ():
    sequence = xp.random.SeedSequence
    children = sequence(7).spawn(2)
    seeds = [
        0,
        1,
        [0],
        [1],
        [0, 0],
        [0, 1],
        [1, 0],
        2**65,
        [[1], 2],
        *children,
        *children[0].spawn(1),
        sequence(7, spawn_key=(5,)),
        sequence(7, pool_size=8),
    ]
    drawn = [first(xp.random.default_rng(seed)) for seed in seeds]
    assert len({tuple(d) for d in drawn}) == len(seeds)
    assert first(xp.random.default_rng(sequence(7).spawn(2)[1])) == first(
        xp.random.default_rng(sequence(7).spawn(2)[1])
    )


@pytest.mark.parametrize("seed", ["x", b"x", 1.5, -1, [-1], [1.5], "numpy", [None], {1.5}], ids=str)
def test_seeds__are_refused_as_by_numpy(seed):
    seed = np if seed == "numpy" else seed
    with pytest.raises((TypeError, ValueError)) as theirs:
        np.random.default_rng(seed)
    with pytest.raises(theirs.type):
        xp.random.default_rng(seed)


def test_bit_generator__state():
    g = xp.random.default_rng(7)
    g.normal(size=5)
    bits = g.bit_generator
    assert g.bit_generator is bits and bits.state["bit_generator"] == "Philox4x32-10"
    state = bits.state
    want = first(g)
    assert first(g) != want
    bits.state = state
    assert first(g) == want
    other = xp.random.Generator(bits)  # shares the stream
    bits.state = state
    assert first(other) == want and first(g) != want and bits.state == other.bit_generator.state
    h = xp.random.default_rng(99)
    h.bit_generator.state = state
    assert first(h) == want
    for wrong, error in (
        (5, TypeError),
        ({"bit_generator": "PCG64"}, ValueError),
        ({}, ValueError),
        (np.random.PCG64(7).state, ValueError),
    ):
        with pytest.raises(error):
            bits.state = wrong


def test_bit_generator__raw_words():
    a, b = xp.random.default_rng(7), xp.random.default_rng(7)
    word = a.bit_generator.random_raw()
    assert type(word) is int and word >> 11 == int(b.random() * 2**53)
    words = a.bit_generator.random_raw(5)
    assert words.dtype == np.uint64 and [int(w) >> 11 for w in words.tolist()] == [
        int(u * 2**53) for u in b.random(5).tolist()
    ]
    assert a.bit_generator.random_raw(3, output=False) is None
    b.random()
    assert first(a) == first(b)


@pytest.mark.parametrize(
    "make",
    [
        lambda g: pickle.loads(pickle.dumps(g)),
        copy.deepcopy,
        lambda g: pickle.loads(pickle.dumps(g, 0)),
    ],
)
@pytest.mark.parametrize("seed", [7, None, [1, 2], "sequence"], ids=str)
def test_copies__go_on_alike(make, seed):
    g = xp.random.default_rng(xp.random.SeedSequence(3) if seed == "sequence" else seed)
    g.random(3)
    spawned = [first(c) for c in g.spawn(2)]
    again = make(g)
    assert type(again) is xp.random.Generator and first(again) == first(g)
    # the next child is not one that there was
    child = first(make(g).spawn(1)[0])
    assert child not in spawned
    assert pickle.loads(pickle.dumps(g.bit_generator)).state == g.bit_generator.state


def test_copy__shares_the_stream_as_numpys():
    g = xp.random.default_rng(7)
    shallow = copy.copy(g)
    assert shallow.bit_generator is g.bit_generator
    h = xp.random.default_rng(7)
    assert [first(shallow), first(g)] == [first(h), first(h)]


def test_spawn__children():
    g = xp.random.default_rng(7)
    g.random(100)  # where the stream is does not matter
    children = g.spawn(3)
    want = [first(xp.random.default_rng(s)) for s in xp.random.SeedSequence(7).spawn(3)]
    assert [first(c) for c in children] == want and all(
        type(c) is xp.random.Generator for c in children
    )
    assert first(g.spawn(1)[0]) == first(
        xp.random.default_rng(xp.random.SeedSequence(7).spawn(4)[3])
    )
    assert g.bit_generator.seed_seq.n_children_spawned == 4 and g.spawn(0) == []
    grand = [first(c) for c in children[0].spawn(2)]
    assert len({tuple(x) for x in want + grand}) == 5
    sequence = xp.random.SeedSequence(5)
    assert xp.random.default_rng(sequence).bit_generator.seed_seq is sequence
    h = xp.random.default_rng()
    assert len({tuple(first(c)) for c in (h, *h.spawn(2))}) == 3
    x, y = (np.array(c.standard_normal(20_000)) for c in xp.random.default_rng(1).spawn(2))
    assert abs(np.corrcoef(x, y)[0, 1]) < 5 / np.sqrt(20_000)


def test_spawn__of_seeds_that_cannot():
    class Fixed:
        def generate_state(self, n_words, dtype=np.uint32):
            return np.arange(5, 5 + n_words).astype(dtype)

    g = xp.random.default_rng(Fixed())
    assert first(g) == first(xp.random.default_rng(5))
    with pytest.raises(TypeError, match="does not implement spawning"):
        g.spawn(1)


def test_spawn__is_the_same_in_another_process():
    code = (
        "import heddle as h; "
        "print([c.random(2).tolist() for c in h.random.default_rng(3).spawn(2)])"
    )
    assert python(code).stdout.strip() == str(
        [c.random(2).tolist() for c in xp.random.default_rng(3).spawn(2)]
    )


# ---- the older functions -------------------------------------------------------------------------


def test_older_functions__state():
    xp.random.seed(3)
    xp.random.rand(5)
    whole, legacy = xp.random.get_state(legacy=False), xp.random.get_state()
    assert (
        whole == xp.random.get_bit_generator().state
        and legacy[0] == whole["bit_generator"] == "Philox4x32-10"
    )
    want = xp.random.randn(3).tolist()
    for state in (whole, legacy):
        xp.random.set_state(state)
        assert xp.random.randn(3).tolist() == want
    for wrong in (np.random.get_state(), np.random.get_state(legacy=False), 5, ()):
        with pytest.raises(ValueError):
            xp.random.set_state(wrong)
    bits = xp.random.get_bit_generator()
    xp.random.seed(3)
    assert xp.random.get_bit_generator() is bits and bits.state["state"]["calls"] == 0


def test_random_integers__warns():
    with pytest.warns(DeprecationWarning, match="Please call randint"):
        x = xp.random.random_integers(3, size=1000)
    assert sorted(set(x.tolist())) == [1, 2, 3]
    with pytest.warns(DeprecationWarning):
        assert xp.random.random_integers(4, 4, (2,)).tolist() == [4, 4]
