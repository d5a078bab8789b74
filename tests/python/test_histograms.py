# SPDX-License-Identifier: BSD-3-Clause
"""Histograms, against NumPy."""
import warnings

import numpy as np
import pytest
from common import FLOATS, INTEGERS, give, outcome, same, same_outcome, xp
from hypothesis import given, settings, strategies as st

RULES = ["auto", "doane", "fd", "rice", "scott", "sqrt", "stone", "sturges"]


def check(got, want, **options):
    assert len(got) == len(want)
    for g, w in zip(got, want):
        if isinstance(w, (list, tuple)):
            check(g, w, **options)
        else:
            same(g, w, strides=False, **options)


@pytest.mark.parametrize("dtype", INTEGERS + FLOATS)
def test_histogram__dtypes(dtype):
    rng = np.random.default_rng(0)
    for n in (0, 1, 2, 500):
        x = rng.integers(0, 50, n).astype(dtype)
        for bins in (1, 7, 10, [0, 3, 3, 9, 50], [1.5, 7], np.arange(5)):
            check(xp.histogram(give(x), bins), np.histogram(x, bins), ulp=2)
        check(xp.histogram(give(x), 8, (3, 30)), np.histogram(x, 8, (3, 30)), ulp=2)
        if n:
            check(xp.histogram(give(x), 5, density=True), np.histogram(x, 5, density=True), ulp=4)


def test_histogram__weights():
    rng = np.random.default_rng(1)
    x = rng.random(300)
    for w in (rng.integers(0, 9, 300), rng.integers(0, 9, 300).astype("f4"),
              rng.integers(0, 9, 300) * (1 + 2j), rng.integers(0, 9, 300).astype("f8")):
        for bins in (6, [0, 0.5, 1]):
            check(xp.histogram(give(x), bins, weights=give(w)), np.histogram(x, bins, weights=w))


def test_histogram__awkward():
    x = np.array([np.nan, 1, 2, np.inf, -np.inf, 2, 3, 0.5])
    check(xp.histogram(give(x), 4, (0, 3)), np.histogram(x, 4, (0, 3)))
    check(xp.histogram(give(x.reshape(2, 4).T), [0, 1, 2]), np.histogram(x.reshape(2, 4).T, [0, 1, 2]))
    y = np.linspace(0, 1, 1001)
    for n in (3, 7, 10, 49, 100):       # elements on the edges
        check(xp.histogram(give(y), n), np.histogram(y, n))
    big = np.random.default_rng(0).standard_normal(200_000).astype("f4")
    check(xp.histogram(give(big), 100), np.histogram(big, 100), ulp=2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check(xp.histogram(xp.asarray([True, False, True]), 2), np.histogram([True, False, True], 2))


@pytest.mark.parametrize("dtype", ["f4", "f8", "f2", "i8", "u1"])
@pytest.mark.parametrize("n", [300, 200_001])
def test_histogram__many_bins(n, dtype):
    rng = np.random.default_rng(n)
    x = (rng.standard_normal(n) * 40).astype(dtype)
    for bins in (1, 2, 255, 3071, 3072, 20_000) if dtype not in ("f2", "u1") else (1, 2, 100):
        check(xp.histogram(give(x), bins, (-200, 300)), np.histogram(x, bins, (-200, 300)), ulp=2)
    for edges in (np.sort(rng.standard_normal(100) * 60), np.sort(rng.standard_normal(4000) * 60), np.arange(-50, 50),
                  [0.0], [5, 5], [1, 1, 1, 2, 2], [-0.0, 0.0, 1]):
        check(xp.histogram(give(x), edges), np.histogram(x, edges))


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_histogram__edges_to_the_last_bit(dtype):
    """Elements on edges and beside them; ranges where a bin's width is near the smallest number, and near the largest."""
    one = np.finfo(dtype)
    for first, last in ((0, 1), (-3, 7), (1e-3, 1e-3 + 1e-5), (0, float(one.tiny) * 64), (-float(one.max) / 4, float(one.max) / 4)):
        for bins in (1, 3, 10, 49):
            edges = np.linspace(first, last, bins + 1).astype(dtype)
            x = np.concatenate([edges, np.nextafter(edges, one.max), np.nextafter(edges, one.min),
                                np.array([np.nan, np.inf, -np.inf, -0.0], dtype)])
            check(xp.histogram(give(x), bins, (first, last)), np.histogram(x, bins, (first, last)), ulp=2)
            check(xp.histogram(give(x), edges), np.histogram(x, edges))


@pytest.mark.parametrize("rule", RULES)
def test_histogram_bin_edges__rules(rule):
    rng = np.random.default_rng(0)
    for x in (rng.standard_normal(200), rng.integers(0, 40, 100), np.ones(5), np.array([1.0, 2]),
              np.array([]), rng.exponential(2, 333)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            want = np.histogram_bin_edges(x, rule)
            same(xp.histogram_bin_edges(give(x), rule), want, 4)
            same(xp.histogram_bin_edges(give(x), rule, (0, 5)),
                 np.histogram_bin_edges(x, rule, (0, 5)), 4)


def test_histogram2d__bins():
    rng = np.random.default_rng(0)
    x, y = rng.random(400), rng.standard_normal(400)
    w = rng.integers(0, 5, 400).astype(float)
    for bins in (5, [4, 6], [np.linspace(0, 1, 5), 3], np.linspace(0, 1, 7)):
        check(xp.histogram2d(give(x), give(y), bins), np.histogram2d(x, y, bins), ulp=2)
    check(xp.histogram2d(give(x), give(y), 4, [[0, 1], [-1, 2]], weights=give(w)),
          np.histogram2d(x, y, 4, [[0, 1], [-1, 2]], weights=w), ulp=2)
    check(xp.histogram2d(give(x), give(y), 4, density=True),
          np.histogram2d(x, y, 4, density=True), ulp=4)


def test_histogramdd__points():
    rng = np.random.default_rng(0)
    points = rng.random((200, 3))
    for bins in (3, [2, 3, 4], [np.array([0, 0.5, 1]), 2, 2]):
        check(xp.histogramdd(give(points), bins), np.histogramdd(points, bins), ulp=2)
    check(xp.histogramdd([give(c) for c in points.T], 2), np.histogramdd(list(points.T), 2), ulp=2)
    check(xp.histogramdd(give(points), 2, [None, (0, 1), None], density=True),
          np.histogramdd(points, 2, [None, (0, 1), None], density=True), ulp=8)
    check(xp.histogramdd(give(points[:, 0]), 4), np.histogramdd(points[:, 0], 4), ulp=2)


def test_histogram__errors():
    x = np.arange(5.0)
    calls = [
        lambda m, a: m.histogram(a, 0), lambda m, a: m.histogram(a, 1.5),
        lambda m, a: m.histogram(a, [3, 1]), lambda m, a: m.histogram(a, [[1, 2]]),
        lambda m, a: m.histogram(a, "x"), lambda m, a: m.histogram(a, "auto", weights=a),
        lambda m, a: m.histogram(a, weights=a[:2]), lambda m, a: m.histogram(a, range=(2, 1)),
        lambda m, a: m.histogram(a, range=(0, float("inf"))),
        lambda m, a: m.histogram(a / 0 if m is np else a * float("nan")),
        lambda m, a: m.histogramdd(a, [1, 2]), lambda m, a: m.histogramdd(a, 0),
        lambda m, a: m.histogramdd(a, 2, range=[(0, 1)] * 2),
        lambda m, a: m.histogram2d(a, a[:2]),
        lambda m, a: m.histogram(a, 10**6, (1, 1 + 1e-15)),
    ]
    for k, call in enumerate(calls):
        with np.errstate(all="ignore"):
            same_outcome(outcome(call, xp, give(x)), outcome(call, np, x), where=k)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.data())
def test_histogram__any(data):
    x = np.array(data.draw(st.lists(st.floats(-100, 100, width=32), max_size=60)), "f8")
    bins = data.draw(st.one_of(st.integers(1, 40),
                               st.lists(st.integers(-90, 90), min_size=2, max_size=9).map(sorted)))
    same_outcome(outcome(lambda: xp.histogram(give(x), bins)[0]),
                 outcome(lambda: np.histogram(x, bins)[0]))
