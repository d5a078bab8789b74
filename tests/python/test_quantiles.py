# SPDX-License-Identifier: BSD-3-Clause
"""Medians, percentiles and quantiles, against NumPy."""
import warnings

import numpy as np
import pytest
from common import COMPLEX, FLOATS, INTEGERS, give, layouts, moderate, outcome, same, same_outcome
from common import xp
from hypothesis import given, settings, strategies as st

METHODS = ["inverted_cdf", "averaged_inverted_cdf", "closest_observation",
           "interpolated_inverted_cdf", "hazen", "weibull", "linear", "median_unbiased",
           "normal_unbiased", "lower", "higher", "midpoint", "nearest"]


def numpys(f, *args, **kwargs):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return f(*args, **kwargs)


def with_nan(x, share=0.2, seed=0):
    x = np.array(x)
    if x.dtype.kind in "fc":
        x[np.random.default_rng(seed).random(x.shape) < share] = np.nan
    return x


@pytest.mark.parametrize("dtype", INTEGERS + FLOATS + COMPLEX + ["?"])
@pytest.mark.parametrize("n", [1, 2, 3, 10, 101])
def test_median__dtypes(dtype, n):
    x = moderate(dtype, n)
    same(xp.median(give(x)), np.median(x), 1)
    for share in (0.3, 1.0):
        y = with_nan(x, share)
        same(xp.median(give(y)), numpys(np.median, y), 1)
        if dtype not in COMPLEX:
            same(xp.nanmedian(give(y)), numpys(np.nanmedian, y), 1)


@pytest.mark.parametrize("axis", [None, 0, 1, -1, (0, 2), (2, 1), (0, 1, 2), ()])
@pytest.mark.parametrize("keepdims", [False, True])
def test_median__axes(axis, keepdims):
    x = moderate("f8", 60).reshape(3, 4, 5)
    for y in (x, with_nan(x)):
        for name in ("median", "nanmedian"):
            want = numpys(getattr(np, name), y, axis, keepdims=keepdims)
            same(getattr(xp, name)(give(y), axis, keepdims=keepdims), want, 1, strides=False,
                 where=name)
        for q in (0.3, [0.1, 0.5, 1]):
            for name in ("quantile", "nanquantile"):
                want = numpys(getattr(np, name), y, q, axis, keepdims=keepdims)
                same(getattr(xp, name)(give(y), q, axis, keepdims=keepdims), want, 4,
                     strides=False, where=name)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("dtype", ["i2", "f4", "f8"])
def test_quantile__methods(method, dtype):
    for n in (1, 2, 5, 30):
        x = moderate(dtype, n)
        for q in (0, 1, 0.5, 0.25, 1 / 3, [0, 0.1, 0.5, 0.9, 1], np.float32(0.4), [[0.2], [0.4]],
                  np.linspace(0, 1, 17)):
            for y in (x, with_nan(x, 0.1), with_nan(x, 0.5)):
                for name in ("quantile", "nanquantile"):
                    want = numpys(getattr(np, name), y, q, method=method)
                    same(getattr(xp, name)(give(y), q, method=method), want, 8,
                         where=f"{name} {n} {q}")
        same(xp.percentile(give(x), [5, 50, 99], method=method),
             np.percentile(x, [5, 50, 99], method=method), 8)


def test_quantile__layouts():
    for name, x in layouts((6, 7), "f8"):
        for axis in (None, 0, 1):
            same(xp.percentile(give(x), [20, 60], axis), np.percentile(x, [20, 60], axis), 4,
                 where=name, strides=False)
            same(xp.median(give(x), axis), np.median(x, axis), 1, where=name)


def test_quantile__weights():
    rng = np.random.default_rng(0)
    x, w = rng.integers(0, 9, (5, 6)).astype("f8"), rng.integers(0, 4, (5, 6)).astype("f8")
    w[0] = 1
    for q in (0, 0.4, 1, [0.1, 0.5]):
        for axis, weights in ((None, w), (0, w), (1, w + 1), (0, w[:, 0] + 1), (1, w[0])):
            for y in (x, with_nan(x, 0.1)):
                for name in ("quantile", "nanquantile"):
                    want = outcome(numpys, getattr(np, name), y, q, axis, method="inverted_cdf",
                                   weights=weights)
                    if want[0] == "error" and name == "nanquantile":
                        continue
                    got = outcome(getattr(xp, name), give(y), q, axis, method="inverted_cdf",
                                  weights=give(weights))
                    same_outcome(got, want, strides=False, where=f"{name} {q} {axis}")


def test_quantile__out():
    x = moderate("f8", 20).reshape(4, 5)
    for f in ("median", "nanmedian"):
        out = xp.zeros(5)
        assert getattr(xp, f)(give(x), 0, out=out) is out
        same(out, np.median(x, 0), 1)
    out = xp.zeros((2, 4))
    xp.quantile(give(x), [0.2, 0.7], 1, out=out)
    same(out, np.quantile(x, [0.2, 0.7], 1), 4)


@pytest.mark.parametrize("name", ["median", "nanmedian", "percentile", "nanpercentile", "quantile", "nanquantile"])
def test_quantile__out_of_another_shape(name):
    x = moderate("f8", 12).reshape(3, 4)
    q = () if "median" in name else (0.5,)
    for axis, shape in ((0, (3,)), (1, (4,)), (0, ()), (1, (2,))):
        outcomes = [outcome(lambda m, a: getattr(m, name)(a, *q, axis=axis, out=m.zeros(shape)), m, a)
                    for m, a in ((xp, give(x)), (np, x))]
        assert [o[0] for o in outcomes] == [outcomes[1][0]] * 2, f"axis {axis}, out of shape {shape}: {outcomes}"


@pytest.mark.parametrize("name", ["median", "nanmedian"])
def test_median__out_of_integers_takes_whole_parts(name):
    x = np.array([[1.0, 2.5, 4.0], [2.0, 7.5, 4.5]])
    for axis in (0, 1):
        out = xp.zeros(x.shape[1 - axis], "i8")
        getattr(xp, name)(give(x), axis, out=out)
        same(out, getattr(np, name)(x, axis, out=np.zeros(x.shape[1 - axis], "i8")))


def test_quantile__errors():
    x = np.arange(6.0)
    calls = [
        lambda m, a: m.quantile(a, 1.5), lambda m, a: m.quantile(a, -0.1),
        lambda m, a: m.percentile(a, 101), lambda m, a: m.quantile(a, 0.5, method="x"),
        lambda m, a: m.quantile(a, 0.5, axis=1), lambda m, a: m.quantile(a * 1j, 0.5),
        lambda m, a: m.quantile(a, 0.5, weights=a), lambda m, a: m.quantile(a, [[[0.5]]]),
        lambda m, a: m.quantile(a, 0.5, weights=-a, method="inverted_cdf"),
        lambda m, a: m.quantile(a, 0.5, weights=a * 0, method="inverted_cdf"),
        lambda m, a: m.median(a, axis=3), lambda m, a: m.median(a, axis=(0, 0)),
        lambda m, a: m.quantile(a > 2, 0.5), lambda m, a: m.quantile(a[:0], 0.5),
    ]
    for k, call in enumerate(calls):
        ours, theirs = outcome(call, xp, give(x)), outcome(numpys, call, np, x)
        same_outcome(ours, theirs, where=k)


def test_median__of_nothing():
    for shape, axis in (((0,), None), ((0, 3), 0), ((3, 0), 0), ((0, 3), 1)):
        x = np.zeros(shape)
        for name in ("median", "nanmedian"):
            same(getattr(xp, name)(give(x), axis), numpys(getattr(np, name), x, axis), where=name)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.data())
def test_quantile__any(data):
    n = data.draw(st.integers(1, 60))
    dtype = data.draw(st.sampled_from(["f4", "f8", "i4", "u1"]))
    x = with_nan(moderate(dtype, n, data.draw(st.integers(0, 99))),
                 data.draw(st.sampled_from([0, 0.3])))
    q = data.draw(st.lists(st.floats(0, 1), min_size=1, max_size=4))
    method = data.draw(st.sampled_from(METHODS))
    for name in ("quantile", "nanquantile"):
        got = np.asarray(getattr(xp, name)(give(x), q, method=method))
        want = numpys(getattr(np, name), x, q, method=method)
        assert got.dtype == want.dtype
        np.testing.assert_allclose(got, want, rtol=1e-5 if dtype == "f4" else 1e-12, atol=1e-12)
