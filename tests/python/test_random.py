# SPDX-License-Identifier: BSD-3-Clause
"""Random numbers: one seed gives one stream whatever else happens, and the distributions are what they say."""

import math

import numpy as np
import pytest

from common import needs_heddle, python, xp

pytestmark = needs_heddle


GOLDEN_UNIFORM = [0.43444263435040387, 0.8044829654237201, 0.3821436330137796, 0.3200259889917846]
GOLDEN_UNIFORM_F4 = [
    0.34498733282089233,
    0.08698195219039917,
    0.7788580060005188,
    0.9002248048782349,
]
GOLDEN_NORMAL = [-0.05187810430683556, -1.7870005311162487, 0.8639745727759198, 0.5872770326333676]


def rng(seed=12345):
    return xp.random.default_rng(seed)


def key_of(seed):
    """The generator's key: the seed after a step of splitmix64."""
    word = (1 << 64) - 1
    x = (seed + 0x9E3779B97F4A7C15) & word
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & word
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & word
    return x ^ (x >> 31)


def philox(key, call, blocks):
    """Philox 4x32-10 as docs/design/random.md has it: four words for each block number, as an array (blocks, 4)."""
    low = np.uint64(0xFFFFFFFF)
    c = [np.full(blocks, call & 0xFFFFFFFF, np.uint64), np.full(blocks, call >> 32, np.uint64)]
    number = np.arange(blocks, dtype=np.uint64)
    c += [number & low, number >> np.uint64(32)]
    k = [key & 0xFFFFFFFF, key >> 32]
    for _ in range(10):
        p0, p1 = c[0] * np.uint64(0xD2511F53), c[2] * np.uint64(0xCD9E8D57)
        c = [
            (p1 >> np.uint64(32)) ^ c[1] ^ np.uint64(k[0]),
            p1 & low,
            (p0 >> np.uint64(32)) ^ c[3] ^ np.uint64(k[1]),
            p0 & low,
        ]
        k = [(k[0] + 0x9E3779B9) & 0xFFFFFFFF, (k[1] + 0xBB67AE85) & 0xFFFFFFFF]
    return np.stack(c, axis=1)


@pytest.mark.parametrize("seed", [0, 1, 12345, 2**32 + 7, 2**64 - 1])
def test_stream_is_the_one_written_down(seed):
    g = rng(seed)
    for call, n in enumerate((10, 1, 4096, 0, 5001)):
        w = philox(key_of(seed), call, (n + 1) // 2)
        words = (w[:, ::2] + (w[:, 1::2] << np.uint64(32))).ravel()[:n]
        expected = (words >> np.uint64(11)).astype("f8") * 2.0**-53
        assert g.random(n).tolist() == expected.tolist()
    n = 4099
    w = philox(key_of(seed), 5, (n + 3) // 4)
    expected = (w >> np.uint64(8)).astype("f4").ravel()[:n] * np.float32(2.0**-24)
    assert g.random(n, dtype="f4").tolist() == expected.tolist()
    w = philox(key_of(seed), 6, n)
    words = w[:, ::2] + (w[:, 1::2] << np.uint64(32))
    u = (words >> np.uint64(11)).astype("f8") * 2.0**-53
    r = np.sqrt(-2 * np.log(1 - u[:, 0]))
    expected = np.stack([r * np.cos(2 * np.pi * u[:, 1]), r * np.sin(2 * np.pi * u[:, 1])], axis=1)
    np.testing.assert_allclose(
        np.array(g.standard_normal(2 * n)), expected.ravel(), rtol=1e-12, atol=1e-14
    )


def test_golden_values():
    """The first numbers of version 1 of the stream, seed 12345."""
    g = rng()
    assert g.random(4).tolist() == GOLDEN_UNIFORM
    assert g.random(4, dtype="f4").tolist() == GOLDEN_UNIFORM_F4
    np.testing.assert_allclose(np.array(g.standard_normal(4)), GOLDEN_NORMAL, rtol=1e-14)


def test_one_seed_one_stream():
    first, second = rng(), rng()
    for _ in range(3):
        assert first.random(1000).tolist() == second.random(1000).tolist()
    assert first.standard_normal(9).tolist() == second.standard_normal(9).tolist()
    assert rng(1).random(8).tolist() != rng(2).random(8).tolist()
    g = rng()
    assert g.random(8).tolist() != g.random(8).tolist()


def test_shape_does_not_matter():
    flat = rng().random(24).tolist()
    assert rng().random((2, 3, 4)).reshape(24).tolist() == flat
    assert rng().random((4, 6)).reshape(24).tolist() == flat
    assert rng().random(100)[:24].tolist() == flat
    assert rng().random(24)[5:11].tolist() == flat[5:11]
    assert rng().random((4, 6)).T.tolist() == np.array(flat).reshape(4, 6).T.tolist()
    assert float(rng().random()) == flat[0]


def test_results_nobody_reads_shift_nothing():
    g = rng()
    g.random(1000)
    x = g.random(7).tolist()
    h = rng()
    kept = h.random(1000)
    assert h.random(7).tolist() == x
    assert kept.tolist() == rng().random(1000).tolist()


def test_fusing_changes_nothing():
    def draw():
        g = rng()
        return (g.random(5000) * 2 - g.standard_normal(5000)).tolist(), float(g.random(5000).sum())

    reference = draw()
    try:
        for threads, fusion in ((1, True), (2, False), (2, True)):
            xp.set_num_threads(threads)
            xp.set_fusion(fusion)
            assert draw() == reference
    finally:
        xp.set_num_threads(0)
        xp.set_fusion(True)


def test_order_of_evaluation_does_not_matter():
    g = rng()
    a, b = g.random(100), g.random(100)
    b_first = b.tolist()
    g = rng()
    c, d = g.random(100), g.random(100)
    assert c.tolist() == a.tolist() and d.tolist() == b_first


@pytest.mark.parametrize("dtype", ["f8", "f4"])
def test_uniform(dtype):
    n = 1_000_000
    x = np.array(rng().random(n, dtype=dtype))
    assert x.dtype == dtype and x.min() >= 0 and x.max() < 1
    assert abs(x.mean(dtype="f8") - 0.5) < 5 / math.sqrt(12 * n)
    assert abs(x.var(dtype="f8") - 1 / 12) < 5e-4
    counts = np.bincount((x * 100).astype(int), minlength=100)
    chi = float(((counts - n / 100) ** 2 / (n / 100)).sum())
    assert 40 < chi < 190  # 99 degrees of freedom
    lag = np.corrcoef(x[:-1], x[1:])[0, 1]
    assert abs(lag) < 5 / math.sqrt(n)
    bits = 53 if dtype == "f8" else 24
    scaled = x[:1000].astype("f8") * 2.0**bits
    assert np.all(scaled == np.floor(scaled))


@pytest.mark.parametrize("dtype", ["f8", "f4"])
def test_normal(dtype):
    n = 1_000_000
    x = np.array(rng().standard_normal(n, dtype=dtype)).astype("f8")
    assert np.isfinite(x).all() and np.abs(x).max() < 6.5
    assert abs(x.mean()) < 5 / math.sqrt(n)
    assert abs(x.var() - 1) < 5 * math.sqrt(2 / n)
    assert abs((x**3).mean()) < 5 * math.sqrt(15 / n)
    assert abs((x**4).mean() - 3) < 5 * math.sqrt(96 / n)
    for edge in (-2.0, -1.0, 0.0, 0.5, 1.5):
        expected = 0.5 * (1 + math.erf(edge / math.sqrt(2)))
        assert abs((x < edge).mean() - expected) < 5 * math.sqrt(expected * (1 - expected) / n)
    assert abs(np.corrcoef(x[::2], x[1::2])[0, 1]) < 5 / math.sqrt(n / 2)


def test_scaled_distributions():
    g = rng()
    x = np.array(g.normal(3.0, 2.0, 100_000))
    assert abs(x.mean() - 3) < 0.05 and abs(x.std() - 2) < 0.05
    y = np.array(g.uniform(-2.0, 6.0, 100_000))
    assert y.min() >= -2 and y.max() < 6 and abs(y.mean() - 2) < 0.05


def test_older_names():
    xp.random.seed(7)
    first = [
        xp.random.rand(2, 3).tolist(),
        xp.random.randn(4).tolist(),
        xp.random.random(3).tolist(),
    ]
    xp.random.seed(7)
    assert [
        xp.random.rand(2, 3).tolist(),
        xp.random.randn(4).tolist(),
        xp.random.random(3).tolist(),
    ] == first
    assert xp.random.rand(2, 3).shape == (2, 3) and xp.random.rand(5).dtype == np.float64
    for name, arguments in (
        ("random_sample", (3,)),
        ("normal", (0.0, 1.0, 3)),
        ("uniform", (0.0, 1.0, 3)),
        ("standard_normal", (3,)),
    ):
        assert getattr(xp.random, name)(*arguments).shape == (3,)
    assert 0 <= float(xp.random.rand()) < 1


def test_older_functions__are_a_generators():
    shared, g = xp.random, rng(7)
    shared.seed(7)
    for older, draw in (
        (lambda m: m.rand(2, 3), lambda g: g.random((2, 3))),
        (lambda m: m.randn(4), lambda g: g.standard_normal(4)),
        (lambda m: m.randint(3, 9, size=(2, 2)), lambda g: g.integers(3, 9, (2, 2))),
        (lambda m: m.random_sample(3), lambda g: g.random(3)),
        (lambda m: m.uniform(1, 2, 3), lambda g: g.uniform(1, 2, 3)),
        (lambda m: m.permutation(9), lambda g: g.permutation(9)),
        (lambda m: m.choice(5, 3), lambda g: g.choice(5, 3)),
        (lambda m: m.normal(size=2), lambda g: g.normal(size=2)),
        (lambda m: m.dirichlet([1, 2], 2), lambda g: g.dirichlet([1, 2], 2)),
    ):
        assert older(shared).tolist() == draw(g).tolist()
    state = shared.get_state()
    first = shared.rand(5).tolist()
    assert shared.rand(5).tolist() != first
    shared.set_state(state)
    assert shared.rand(5).tolist() == first
    shared.seed(7)
    assert shared.rand(2, 3).tolist() == rng(7).random((2, 3)).tolist()
    for wrong in (("MT19937", 1, 2), 5, ()):
        with pytest.raises(ValueError):
            shared.set_state(wrong)


def test_without_a_seed_processes_differ():
    code = "import heddle; print(heddle.random.default_rng().random(2).tolist(), heddle.random.rand(2).tolist())"
    assert python(code).stdout != python(code).stdout


def test_two_generators_in_one_expression():
    a, b = rng(1), rng(2)
    z = a.random(50) - b.random(50)
    assert z.tolist() == (np.array(rng(1).random(50)) - np.array(rng(2).random(50))).tolist()


def test_bad_arguments():
    g = rng()
    for call in (
        lambda: g.random(-1),
        lambda: g.random((2, -3)),
        lambda: g.normal(0.0, -1.0, 3),
        lambda: xp.random.default_rng(-1),
    ):
        with pytest.raises(ValueError):
            call()
    for call in (lambda: g.random(3, dtype="i4"), lambda: g.random("x")):
        with pytest.raises(TypeError):
            call()


def test_nothing_is_stored_for_a_sum_of_random_numbers():
    xp.synchronize()
    n = 4_000_000
    base = xp.stats()["memory_used"]
    xp.reset_memory_peak()
    s = float(rng().random(n).sum())
    assert abs(s / n - 0.5) < 0.01
    assert xp.stats()["memory_peak"] - base < n
