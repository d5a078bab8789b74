# SPDX-License-Identifier: BSD-3-Clause
"""Distinct elements and set operations, against NumPy."""
import itertools

import numpy as np
import pytest
from common import COMPLEX, DTYPES, FLOATS, give, layouts, needs_heddle, outcome, same
from common import same_outcome, xp
from hypothesis import given, settings, strategies as st


def repeats(dtype, n, seed=0):
    """n elements of few values, with both zeros and nan where there are some."""
    rng = np.random.default_rng(seed)
    x = rng.integers(0, 2 if dtype == "?" else 9, n).astype(dtype)
    if dtype in FLOATS + COMPLEX:
        x[rng.random(n) < 0.2] = np.nan
        x[(x == 0) & (rng.random(n) < 0.5)] = -0.0
        x[rng.random(n) < 0.1] = -np.inf
    return x


def all_same(got, want, **options):
    if not isinstance(want, tuple):
        got, want = (got,), (want,)
    assert len(got) == len(want)
    for g, w in zip(got, want):
        same(g, w, zero_signs=False, **options)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("equal_nan", [True, False])
def test_unique__parts(dtype, equal_nan):
    for n in (0, 1, 2, 50, 400):
        x = repeats(dtype, n, n)
        for parts in itertools.product([False, True], repeat=3):
            want = np.unique(x, *parts, equal_nan=equal_nan)
            if not equal_nan and parts[1] and not parts[0]:
                continue        # NumPy's sort is not stable then: which nan is which may differ
            if not any(parts):
                want = np.sort(want)
            all_same(xp.unique(give(x), *parts, equal_nan=equal_nan), want)


def test_unique__shapes():
    for name, x in layouts((4, 5), "f8"):
        x = np.round(x / 3)
        all_same(xp.unique(give(x), True, True, True), np.unique(x, True, True, True), where=name)
    all_same(xp.unique(xp.asarray(3.0), True, True, True), np.unique(3.0, True, True, True))
    all_same(xp.unique([[3, 1], [1, 3]]), np.unique([[3, 1], [1, 3]]))


@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("dtype", ["?", "i4", "f8", "c8"])
def test_unique__axis(axis, dtype):
    rng = np.random.default_rng(0)
    for shape in ((6, 3), (3, 7), (20, 2, 2), (0, 3), (1, 4)):
        x = rng.integers(0, 2, shape).astype(dtype)
        for parts in ((False,) * 3, (True,) * 3):
            ours, numpys = (outcome(m.unique, a, *parts, axis=axis)
                            for m, a in ((xp, give(x)), (np, x)))
            assert ours[0] == numpys[0] == "value"
            all_same(ours[1], numpys[1], strides=False)
    same_outcome(outcome(xp.unique, give(x), axis=3), outcome(np.unique, x, axis=3))


@pytest.mark.parametrize("dtype", DTYPES)
def test_unique_all__and_its_parts(dtype):
    x = repeats(dtype, 60, 1).reshape(6, 10)
    want = np.unique_all(x)
    got = xp.unique_all(give(x))
    assert got._fields == want._fields
    all_same(tuple(got), tuple(want))
    counts = xp.unique_counts(give(x))
    assert counts._fields == ("values", "counts")
    all_same(tuple(counts), (want.values, want.counts))
    inverse = xp.unique_inverse(give(x))
    assert inverse._fields == ("values", "inverse_indices")
    all_same(tuple(inverse), (want.values, want.inverse_indices))
    same(xp.unique_values(give(x)), want.values, zero_signs=False)


@pytest.mark.parametrize("dtypes", [("f8", "f8"), ("i4", "f4"), ("u1", "i8"), ("?", "?"),
                                    ("c8", "f4"), ("f2", "f2")])
def test_sets__operations(dtypes):
    for n, m in ((0, 0), (0, 5), (5, 0), (7, 9), (60, 30)):
        a, b = repeats(dtypes[0], n, 1), repeats(dtypes[1], m, 2)
        for name in ("union1d", "intersect1d", "setdiff1d", "setxor1d"):
            if name == "setxor1d" and n and m and np.isnan(np.concatenate([a, b])).any():
                continue        # how nan pair up depends on the sort
            want = getattr(np, name)(a, b)
            want = np.sort(want) if name == "union1d" else want
            all_same(getattr(xp, name)(give(a), give(b)), want, where=name)
        if not np.isnan(np.concatenate([a, b])).any():
            all_same(xp.intersect1d(give(a), give(b), return_indices=True),
                     np.intersect1d(a, b, return_indices=True))
            u, v = np.unique(a), np.unique(b)[::-1]
            all_same(xp.intersect1d(give(u), xp.array(v), True, True),
                     np.intersect1d(u, v, True, True))
            for name in ("setdiff1d", "setxor1d"):
                all_same(getattr(xp, name)(xp.array(v), give(u), True),
                         getattr(np, name)(v, u, True))


@pytest.mark.parametrize("dtypes", [("f8", "f8"), ("i4", "f4"), ("u1", "i8"), ("?", "i2"),
                                    ("c8", "f4"), ("i8", "i8")])
@pytest.mark.parametrize("invert", [False, True])
def test_isin__dtypes(dtypes, invert):
    for n, m in ((0, 0), (0, 5), (5, 0), (7, 9), (300, 4)):
        a, b = repeats(dtypes[0], n, 1), repeats(dtypes[1], m, 2)
        same(xp.isin(give(a), give(b), invert=invert), np.isin(a, b, invert=invert))
    x = np.arange(12).reshape(3, 4)
    same(xp.isin(give(x.T), [1, 5, 7]), np.isin(x.T, [1, 5, 7]), strides=False)
    same(xp.isin(give(x), 3, kind="table"), np.isin(x, 3, kind="table"))


@pytest.mark.parametrize("dtypes", [("i4", "i4"), ("?", "i1"), ("u1", "i8"), ("i8", "u2"), ("u4", "i4"), ("i1", "u1"), ("u8", "u8"),
                                    ("f4", "i4")])
def test_isin__many_among_numbers_close_together(dtypes):
    rng = np.random.default_rng(2)
    for least, largest in ((0, 1), (-120, 127), (0, 250), (-30_000, 30_000), (2**31 - 90, 2**31 - 1), (-2**31, -2**31 + 90), (-2**62, 2**62)):
        b = rng.integers(least, largest, 40, endpoint=True).astype(dtypes[1])
        a = np.concatenate([rng.integers(least, largest, 3000, endpoint=True), [0, 2**31 - 1, -2**31, 2**62]]).astype(dtypes[0])
        same(xp.isin(give(a), give(b)), np.isin(a, b))
        same(xp.isin(give(a[:3000].reshape(50, 60).T), give(b), invert=True), np.isin(a[:3000].reshape(50, 60).T, b, invert=True), strides=False)


def test_sets__errors():
    x = np.arange(3.0)
    calls = [lambda m, a: m.isin(a, a, kind="x"), lambda m, a: m.isin(a, a, kind="table")]
    for k, call in enumerate(calls):
        same_outcome(outcome(call, xp, give(x)), outcome(call, np, x), where=k)


@settings(max_examples=50, deadline=None, derandomize=True)
@given(st.data())
def test_unique__puts_the_array_together_again(data):
    dtype = data.draw(st.sampled_from(DTYPES))
    x = repeats(dtype, data.draw(st.integers(0, 200)), data.draw(st.integers(0, 99)))
    values, index, inverse, counts = xp.unique(give(x), True, True, True)
    same(values[inverse], x, zero_signs=False)
    same(values, x[np.asarray(index)], zero_signs=False)
    assert int(counts.sum()) == x.size


@needs_heddle
def test_unique__many():
    x = np.random.default_rng(0).integers(0, 1000, 300_000)
    all_same(xp.unique(give(x), True, True, True), np.unique(x, True, True, True))
