# SPDX-License-Identifier: BSD-3-Clause
"""Reductions against NumPy: axes, keepdims, dtype=, out=, where=, initial=, layouts, empty input, accuracy, cumsum.

Integers and order statistics are exact. Sums of reals are at least as accurate as NumPy's pairwise sums, and have the
same bits whatever the number of threads and whether or not they are fused with what comes before.
"""

import itertools
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from common import (
    DTYPES,
    FLOATS,
    IS_NUMPY,
    check_values,
    give,
    layouts,
    moderate,
    needs_heddle,
    outcome,
    same,
    same_outcome,
    specials,
    xp,
)
from test_ops import strided

NAMES = ["sum", "prod", "min", "max", "any", "all", "argmin", "argmax", "mean", "var", "std"]
EXACT = {"min", "max", "any", "all", "argmin", "argmax"}


def close(ours, numpys, where=""):
    """Like same_outcome, but sums of reals may round differently."""
    if numpys[0] == "value" and np.asarray(numpys[1]).dtype.kind in "fc":
        assert ours[0] == "value", f"{where}: {ours[1]!r}"
        got, want = ours[1], np.asarray(numpys[1])
        assert (got.dtype, got.shape) == (want.dtype, want.shape), (
            f"{where}: {got.dtype}{got.shape} {want.dtype}{want.shape}"
        )
        eps = np.finfo(want.dtype).eps
        np.testing.assert_allclose(
            np.array(got), want, rtol=64 * eps, atol=64 * eps * 30, err_msg=where
        )
    else:
        same_outcome(ours, numpys, where=where, strides=False)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", NAMES)
def test_axes(name, dtype):
    x = moderate(dtype, 24).reshape(2, 3, 4)
    axes = [None, 0, 1, 2, -1, -3, 3, -4] + (
        [] if "arg" in name else [(0, 1), (0, 2), (1, -1), (0, 1, 2), (), (0, 0), (1, 5)]
    )
    for axis, keepdims in itertools.product(axes, (False, True)):
        where = f"{name} of {dtype} over {axis}, keepdims {keepdims}"
        want = outcome(getattr(np, name), x, axis=axis, keepdims=keepdims)
        close(outcome(getattr(xp, name), give(x), axis=axis, keepdims=keepdims), want, where)
        close(outcome(getattr(give(x), name), axis=axis, keepdims=keepdims), want, where)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", ["min", "max", "any", "all", "argmin", "argmax", "prod", "sum"])
def test_awkward_values(name, dtype):
    x = specials(dtype)
    if name in ("prod", "sum") and x.dtype.kind in "fc":
        return
    same(
        getattr(xp, name)(give(x)),
        getattr(np, name)(x),
        where=f"{name} of {dtype}",
        zero_signs=False,
    )
    if x.dtype.kind == "f":
        finite = x[~np.isnan(x)]
        same(
            getattr(xp, name)(give(finite)),
            getattr(np, name)(finite),
            where=f"{name} of {dtype}",
            zero_signs=False,
        )


@pytest.mark.parametrize("dtype", ["i1", "f4", "c8"])
@pytest.mark.parametrize("n", [524_288, 1_100_003, 2_200_000])
def test_many_short_columns(n, dtype):
    x = np.random.default_rng(n).integers(-100, 100, (5, n)).astype(dtype)   # sums are exact
    y = xp.array(x)
    for rows in (5, 2, 1):
        same(y[:rows].sum(0), x[:rows].sum(0))
    if dtype != "c8":
        same(y.max(0), x.max(0))
        same(y.argmin(0), x.argmin(0))



@pytest.mark.parametrize("name", NAMES)
def test_layouts(name):
    for dtype in ("f8", "i4", "u1"):
        for layout, x in layouts((4, 6), dtype):
            for axis in (None, 0, 1):
                close(
                    outcome(getattr(xp, name), give(x), axis=axis),
                    outcome(getattr(np, name), x, axis=axis),
                    f"{name} of {dtype}, {layout}, axis {axis}",
                )


@given(strided(), st.sampled_from(NAMES), st.data())
def test_any_layout(x, name, data):
    axis = data.draw(st.sampled_from([None, *range(-x.ndim, x.ndim)]))
    keepdims = data.draw(st.booleans())
    close(
        outcome(getattr(xp, name), give(x), axis=axis, keepdims=keepdims),
        outcome(getattr(np, name), x, axis=axis, keepdims=keepdims),
        f"{name} {x.dtype}{x.shape} axis {axis}",
    )


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("shape", [(0,), (0, 3), (3, 0), (2, 0, 3)])
def test_empty(name, shape):
    for axis in (None, *range(len(shape))):
        close(
            outcome(getattr(xp, name), xp.zeros(shape), axis=axis),
            outcome(getattr(np, name), np.zeros(shape), axis=axis),
            f"{name} of {shape} axis {axis}",
        )


@pytest.mark.parametrize("name", NAMES)
def test_scalars_and_one_element(name):
    for x in (np.array(3.0), np.array([3.0]), np.array([[True]]), np.array(5, "i4")):
        close(outcome(getattr(xp, name), give(x)), outcome(getattr(np, name), x), name)
        close(
            outcome(getattr(xp, name), give(x), axis=0),
            outcome(getattr(np, name), x, axis=0),
            f"{name} axis 0",
        )


@pytest.mark.parametrize("name", ["sum", "prod", "mean", "var", "std"])
def test_dtype(name):
    for a in ("f8", "f4", "i4", "u1", "?", "c16"):
        for dtype in ("f4", "f8", "i8", "i4", "c16"):
            x = moderate(a, 12)
            if name != "sum" and np.dtype(dtype).kind == "i" and np.dtype(a).kind in "fc":
                continue
            if name in ("var", "std") and np.dtype(dtype).kind == "i":
                continue
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of complex numbers that lose their imaginary part
                want = outcome(getattr(np, name), x, dtype=dtype)
                got = outcome(getattr(xp, name), give(x), dtype=dtype)
            close(got, want, f"{name} of {a} as {dtype}")


@pytest.mark.parametrize("name", ["sum", "prod", "min", "max", "any", "all", "mean"])
def test_out(name):
    x = moderate("f8", 12).reshape(3, 4)
    for axis, shape in ((0, (4,)), (1, (3,)), (None, ())):
        dtype = "?" if name in ("any", "all") else "f8"
        theirs, ours = np.zeros(shape, dtype), xp.zeros(shape, dtype=dtype)
        getattr(np, name)(x, axis=axis, out=theirs)
        assert getattr(xp, name)(give(x), axis=axis, out=ours) is ours
        close(("value", ours), ("value", theirs), name)
    same_outcome(
        outcome(getattr(xp, name), give(x), axis=0, out=xp.zeros(3)),
        outcome(getattr(np, name), x, axis=0, out=np.zeros(3)),
    )


def test_out_overlaps_input():
    theirs, ours = moderate("f8", 16).reshape(4, 4), give(moderate("f8", 16).reshape(4, 4))
    np.sum(theirs, axis=0, out=theirs[1])
    xp.sum(ours, axis=0, out=ours[1])
    check_values(np.round(np.array(ours), 9), np.round(theirs, 9))


def test_where_and_initial():
    x, mask = moderate("f8", 12).reshape(3, 4), moderate("?", 12).reshape(3, 4)
    for name in ("sum", "prod", "any", "all", "mean"):
        for axis in (None, 0, 1):
            close(
                outcome(getattr(xp, name), give(x), axis=axis, where=give(mask)),
                outcome(getattr(np, name), x, axis=axis, where=mask),
                f"{name} where, axis {axis}",
            )
    for name in ("min", "max", "sum", "prod"):
        close(
            outcome(getattr(xp, name), give(x), initial=5.0),
            outcome(getattr(np, name), x, initial=5.0),
            name,
        )
        close(
            outcome(getattr(xp, name), give(x), axis=1, initial=0.5, where=give(mask)),
            outcome(getattr(np, name), x, axis=1, initial=0.5, where=mask),
            f"{name} initial and where",
        )
    for name in ("min", "max"):
        same_outcome(
            outcome(getattr(xp, name), give(x), where=give(mask)),
            outcome(getattr(np, name), x, where=mask),
        )
        close(
            outcome(getattr(xp, name), xp.zeros((0, 3)), initial=1.0, axis=0),
            outcome(getattr(np, name), np.zeros((0, 3)), initial=1.0, axis=0),
            name,
        )


def test_ddof():
    x = moderate("f8", 12).reshape(3, 4)
    for name in ("var", "std"):
        for ddof in (0, 1, 2, 4):
            for axis in (None, 1):
                close(
                    outcome(getattr(xp, name), give(x), axis=axis, ddof=ddof),
                    outcome(getattr(np, name), x, axis=axis, ddof=ddof),
                    f"{name} ddof {ddof}",
                )
    c = moderate("c16", 12)
    close(outcome(xp.var, give(c)), outcome(np.var, c), "var of complex")


def test_first_of_equals_and_first_nan():
    x = np.array([[3.0, 1, 1], [1, 3, 3]])
    for name in ("argmin", "argmax"):
        for axis in (None, 0, 1):
            same(getattr(xp, name)(give(x), axis=axis), getattr(np, name)(x, axis=axis))
        y = np.array([2.0, np.nan, -5, np.nan, 9])
        same(getattr(xp, name)(give(y)), getattr(np, name)(y))
        long = np.zeros(10_000)
        long[[777, 9000]] = 5, 5
        same(getattr(xp, name)(give(long)), getattr(np, name)(long))
        long[[3000, 9999]] = np.nan
        same(getattr(xp, name)(give(long)), getattr(np, name)(long))


def mixed(dtype, shape, seed):
    """Few values, so that the largest comes several times: the ends of the dtype's range, zeros of both signs."""
    few = {"b": [False, True], "f": [-np.inf, -0.0, 0.0, 1.5, np.inf]}.get(np.dtype(dtype).kind)
    if few is None:
        few = [np.iinfo(dtype).min, 0, 1, np.iinfo(dtype).max]
    return np.random.default_rng(seed).choice(np.array(few, dtype), shape)


@pytest.mark.parametrize("dtype", ["?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8"])
def test_positions__of_ends_of_the_range_zeros_and_nan(dtype):
    for shape in ((1, 1), (3, 5), (40, 16), (33, 20), (20, 100), (3, 1000), (2, 4100), (900, 3), (5000, 2)):
        rows = [mixed(dtype, shape, seed) for seed in range(3)] + [np.full(shape, few) for few in mixed(dtype, 6, 9)]
        if np.dtype(dtype).kind == "f":
            holes = rows[0].copy()
            holes[np.random.default_rng(5).random(shape) < .1] = np.nan
            rows += [holes, np.full(shape, np.nan, dtype)]
        for x in rows:
            for name, axis in itertools.product(("argmin", "argmax"), (None, 0, 1)):
                same(getattr(give(x), name)(axis), getattr(x, name)(axis), where=f"{name} of {shape} over {axis}")


@pytest.mark.parametrize("dtype", ["?", "i2", "f4", "f8"])
def test_rows_of_each_length(dtype):
    for n in (*range(1, 70), 100, 127, 250, 1000, 1024, 1025, 4096, 5000):
        x = np.random.default_rng(n).integers(0, 100, (3 + 2000 // n, n)).astype(dtype)
        y = give(x)
        for axis in (0, 1):
            same(y.sum(axis), x.sum(axis), where=f"{n} over {axis}")
            same(y.max(axis), x.max(axis), where=f"{n} over {axis}")
        if dtype != "?":
            same(y - y.max(1)[:, None], x - x.max(1)[:, None], where=f"{n}, twice over the row")


def test_ufunc_reduce():
    x = moderate("f8", 12).reshape(3, 4)
    for name in ("add", "multiply", "maximum", "minimum", "logical_and", "logical_or"):
        for axis in (0, 1, None):
            close(
                outcome(getattr(xp, name).reduce, give(x), axis=axis),
                outcome(getattr(np, name).reduce, x, axis=axis),
                name,
            )


# ---- accuracy, and bits that do not depend on how it ran -------------------------------------------------------------------


@pytest.mark.parametrize("dtype", FLOATS)
def test_sum_is_accurate(dtype):
    rng = np.random.default_rng(5)
    for n in (10, 1000, 100_001, 3_000_000):
        x = rng.random(n).astype(dtype) if dtype != "f2" else (rng.random(n) * 6e4 / n).astype("f2")
        exact = x.astype(np.longdouble).sum()
        error = abs(float(xp.sum(give(x))) - float(exact)) / float(exact)
        assert error <= 4 * np.finfo(dtype).eps * max(1, np.log2(n) / 4), f"{n}: {error}"
    m = rng.random((1000, 300)).astype(dtype)
    for axis in (0, 1):
        exact = m.astype(np.longdouble).sum(axis=axis)
        error = np.abs(np.array(give(m).sum(axis=axis)) - exact) / exact
        assert error.max() <= 16 * np.finfo(dtype).eps
    ones = np.ones(20_000_000, "f4")  # a plain running sum stops at 2**24
    assert float(give(ones).sum()) == 2e7


@needs_heddle
def test_bits_do_not_depend_on_threads_or_fusion():
    rng = np.random.default_rng(6)
    x, m = rng.random(1_000_003), rng.random((700, 900)).astype("f4")

    def results():
        a, b = xp.array(x), xp.array(m)
        values = [a.sum(), (a * a + 1).sum(), a.mean(), a[::3].sum(), a.var(), xp.cumsum(a)[-1]]
        values += [
            b.sum(axis=0),
            b.sum(axis=1),
            (b * 2 - 1).sum(axis=0),
            b.sum(),
            b.T.sum(axis=1),
            b[:, ::2].sum(axis=0),
        ]
        return [np.array(v).tobytes() for v in values]

    reference = results()
    try:
        for threads, fusion in ((1, True), (2, True), (2, False), (1, False), (3, True)):
            xp.set_num_threads(threads)
            xp.set_fusion(fusion)
            assert results() == reference, f"{threads} threads, fusion {fusion}"
    finally:
        xp.set_num_threads(0)
        xp.set_fusion(True)


def test_several_outputs_of_one_pass():
    x, y = moderate("f8", 5000, 1), moderate("f8", 5000, 2)
    a, b = give(x), give(y)
    t = a * b + 1
    got = [t.sum(), t.max(), t.min(), (t > 0).any(), t.mean(), t.argmax()]
    u = x * y + 1
    for g, w in zip(got, [u.sum(), u.max(), u.min(), (u > 0).any(), u.mean(), u.argmax()]):
        close(("value", g), ("value", w))
    got = (a - a.mean()) / a.std()
    np.testing.assert_allclose(np.array(got), (x - x.mean()) / x.std(), rtol=1e-10)


def test_softmax_and_norms():
    m = np.random.default_rng(7).standard_normal((50, 70))
    a = give(m)
    for axis in (0, 1):
        e, f = (lib.exp(v - v.max(axis=axis, keepdims=True)) for lib, v in ((xp, a), (np, m)))
        np.testing.assert_allclose(
            np.array(e / e.sum(axis=axis, keepdims=True)),
            f / f.sum(axis=axis, keepdims=True),
            rtol=1e-12,
        )
        np.testing.assert_allclose(
            np.array(a / xp.sqrt((a * a).sum(axis=axis, keepdims=True))),
            m / np.sqrt((m * m).sum(axis=axis, keepdims=True)),
            rtol=1e-12,
        )


# ---- cumsum ---------------------------------------------------------------------------------------------------------------


@needs_heddle
@pytest.mark.parametrize("shape", [(2000, 130), (130, 2000), (2, 50000), (50000, 3), (700, 40), (33, 500)])
def test_row_values_in_several_phases(shape):
    """A mean that is used before and after the variance is known, also where threads share a row."""
    a = np.random.default_rng(3).normal(3, 2, shape)

    def norm(a, axis):
        mean = a.mean(axis=axis, keepdims=True)
        d = a - mean
        variance = (d * d).mean(axis=axis, keepdims=True)
        return d / (variance + 1) * mean

    try:
        for axis in (0, 1):
            want = norm(a, axis)
            for tier in (0, 1):
                xp.set_tier(tier)
                for _ in range(3):
                    np.testing.assert_allclose(xp.asnumpy(norm(xp.array(a), axis)), want, rtol=1e-12, atol=1e-12)
    finally:
        xp.set_tier(None)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("shape", [(7, 10), (300, 33), (5, 1000), (2, 5121), (1, 10240), (1, 10241), (2, 3, 700), (700, 2)])
def test_costly_values_that_several_phases_need(dtype, shape):
    """On a GPU they wait in shared memory, if a row fits."""
    x = (np.random.default_rng(8).standard_normal(shape) * 3).astype(dtype)
    a, wide = give(x), x.astype("f8")
    near = {"f4": {"rtol": 4e-6, "atol": 1e-6}, "f8": {"rtol": 2e-13, "atol": 1e-15}}[dtype]
    for axis in (-1, 0):
        e, f = (lib.exp(v - v.max(axis=axis, keepdims=True)) for lib, v in ((xp, a), (np, wide)))
        got, want = e / e.sum(axis=axis, keepdims=True), f / f.sum(axis=axis, keepdims=True)
        np.testing.assert_allclose(np.array(got), want, **near)
        t, u = (lib.log(lib.abs(v) + 1) for lib, v in ((xp, a), (np, wide)))
        got, want = (v / lib.sqrt((v * v).mean(axis=axis, keepdims=True)) + v[::-1] for lib, v in ((xp, t), (np, u)))
        np.testing.assert_allclose(np.array(got), want, **near)


@pytest.mark.parametrize("dtype", DTYPES)
def test_cumsum(dtype):
    x = moderate(dtype, 24).reshape(2, 3, 4)
    for axis in (None, 0, 1, 2, -1, 3):
        close(
            outcome(xp.cumsum, give(x), axis=axis),
            outcome(np.cumsum, x, axis=axis),
            f"{dtype} axis {axis}",
        )
    close(outcome(give(x).T.cumsum, 0), outcome(x.T.cumsum, 0), "transposed")
    close(outcome(give(x)[..., ::-1].cumsum, 2), outcome(x[..., ::-1].cumsum, 2), "reversed")
    close(
        outcome(xp.cumsum, xp.zeros((0, 2)), axis=0),
        outcome(np.cumsum, np.zeros((0, 2)), axis=0),
        "empty",
    )


def test_cumsum_long():
    x = np.random.default_rng(8).random(100_000)
    np.testing.assert_allclose(np.array(xp.cumsum(give(x))), np.cumsum(x), rtol=1e-12)
    i = np.random.default_rng(8).integers(-9, 9, 100_000)
    same(xp.cumsum(give(i)), np.cumsum(i))
    if not IS_NUMPY:
        out = xp.zeros(100_000, dtype="i8")
        assert xp.cumsum(give(i), out=out) is out
        same(out, np.cumsum(i))


LONG = 700_001   # threads share such a row


@pytest.mark.parametrize("dtype", ["bool", "u1", "i2", "i8", "f4", "f8", "c8"])
def test_long_rows__whatever_settles_them_wherever_it_stands(dtype):
    """Results that no element changes any more, in the first block, behind a thread's share, at the end and nowhere."""
    rest = 0 if dtype in ("bool", "u1") else -3
    for places in ((0,), (5000, 600_000), (LONG - 1,), (300, 301), ()):
        for value in (1, np.nan if np.dtype(dtype).kind in "fc" else 1):
            x = np.full(LONG, rest, dtype)
            if np.dtype(dtype).kind in "ui":
                value = np.iinfo(dtype).max
            x[list(places)] = value
            y = give(x)
            for name in ("any", "all", "min", "max", "argmin", "argmax"):
                for way in (x, x[::-1]):
                    ours = getattr(y if way is x else y[::-1], name)()
                    same(ours, getattr(way, name)(), where=f"{name} of {dtype} with {value} at {places}")
            if dtype not in ("bool", "c8"):
                same((y > 0).any(), (x > 0).any())
                same((y < 1).all(), (x < 1).all())
                same((y > 0).argmax(), (x > 0).argmax())


def test_long_rows__of_several():
    """Rows that settle at different elements, some of them never; kept values and what is stored besides."""
    x = np.zeros((3, 200_000), "f4")
    x[0, 150_000] = x[2, 10] = 1
    y = give(x)
    for axis in (0, 1, None):
        same((y > 0).any(axis), (x > 0).any(axis))
        same(y.argmax(axis), x.argmax(axis))
    positive = y > 0
    some, count = positive.any(1), positive.sum(1)
    same(some, (x > 0).any(1))
    same(count, (x > 0).sum(1))
    same(positive, x > 0)


@pytest.mark.parametrize("dtype", ["i1", "u4", "i8", "f4", "f8"])
@pytest.mark.parametrize("length", [255, 257, 4095, 4097, 12_345, 130_000])
def test_long_rows__lengths(dtype, length):
    rng = np.random.default_rng(length)
    x = rng.integers(-100 if dtype != "u4" else 0, 100, length).astype(dtype)
    rows = np.stack([x, x[::-1], np.roll(x, 1)])
    for values in (x, rows, np.sort(x), np.sort(x)[::-1]):
        y = give(np.ascontiguousarray(values))
        for name in ("sum", "prod", "min", "max", "argmin", "argmax"):
            if name == "prod" and x.dtype.kind == "f":
                continue
            same(getattr(y, name)(-1), getattr(values, name)(-1), where=f"{name} {dtype} {length}")
        if x.dtype.kind != "f":
            same(xp.vdot(y, y), np.vdot(values, values))


def test_extremes__zeros_and_nans_have_the_same_bits_everywhere():
    """Which of 0 and -0 a row gives is settled by its elements alone: not by fusion or threads."""
    if IS_NUMPY:
        return
    x = np.zeros(300_000, "f4")
    x[np.random.default_rng(3).random(len(x)) < 0.5] = -0.0
    results = set()
    try:
        for threads, fusion in ((1, True), (2, True), (1, False)):
            xp.set_num_threads(threads)
            xp.set_fusion(fusion)
            y = give(x)
            results.add(tuple(
                np.signbit(np.asarray(r)).item() for r in (y.max(), y.min(), xp.nanmax(y), (y * 1).max(), (y * 1).min())
            ))
    finally:
        xp.set_num_threads(0)
        xp.set_fusion(True)
    (only,) = results
    assert only[0] == only[3] and only[1] == only[4]


@pytest.mark.parametrize("dtype", ["i1", "u8", "i4", "i8"])
@pytest.mark.parametrize("length", [131_071, 131_073, 400_000])
def test_cumsum__long_rows_of_integers(dtype, length):
    """From memory to memory, by strides, and in place."""
    x = np.random.default_rng(length).integers(1, 100, length).astype(dtype)
    for values in (x, x[::-1], x[::3]):
        y = give(x)[:: 1 if values is x else -1 if values.strides[0] < 0 else 3]
        for f in ("add", "multiply", "maximum", "minimum"):
            same(getattr(xp, f).accumulate(y, dtype=dtype), getattr(np, f).accumulate(values, dtype=dtype), where=f)
    if not IS_NUMPY:
        out = give(x)
        xp.add.accumulate(out, dtype=dtype, out=out)
        same(out, np.add.accumulate(x, dtype=dtype))


@pytest.mark.parametrize("rows", [63, 64, 65, 127, 128, 129, 200])
def test_rows_of_an_array_one_by_one(rows):
    """On both sides of what one kernel of a GPU had accumulators for, and of what one kernel takes."""
    x = np.random.default_rng(rows).standard_normal((rows, 37))
    y = xp.array(x) * 2.0
    np.testing.assert_array_equal(np.asarray(xp.array([row.max() for row in y])), (2 * x).max(1))
    sums = xp.array([row.sum() for row in y])
    np.testing.assert_allclose(np.asarray(sums), (2 * x).sum(1), rtol=1e-13, atol=1e-13)
    places = [row.argmin() for row in [row + 1 for row in y]]
    np.testing.assert_array_equal([int(k) for k in places], (2 * x + 1).argmin(1))
