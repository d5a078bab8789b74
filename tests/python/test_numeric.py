# SPDX-License-Identifier: BSD-3-Clause
"""Functions that are compositions against NumPy: those that leave nan out, and others of numbers."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from common import DTYPES, FLOATS, give, moderate, needs_heddle, outcome, same, same_outcome, specials, xp
from test_ops import strided
from test_reduce import close

SUMS = ["nansum", "nanprod", "nanmean", "nanvar", "nanstd"]
ORDERS = ["nanmin", "nanmax", "nanargmin", "nanargmax"]
RUNNING = ["nancumsum", "nancumprod"]


def holed(dtype, n=24, seed=0):
    """Ordinary values, a third of them nan where there is one."""
    x = moderate(dtype, n, seed)
    if x.dtype.kind in "fc":
        x[np.random.default_rng(seed + 1).random(n) < 0.3] = np.nan
    return x


def both(name, x, *args, **options):
    ours = {k: give(v) if isinstance(v, np.ndarray) else v for k, v in options.items()}
    return outcome(getattr(xp, name), give(x), *args, **ours), outcome(getattr(np, name), x, *args, **options)


def compare(name, outcomes, where=""):
    if name in ORDERS:
        same_outcome(*outcomes, where=where, strides=False, zero_signs=False)
    else:
        close(*outcomes, where)


# ---- nan left out -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", SUMS + ORDERS)
def test_nan__every_dtype(name, dtype):
    x = holed(dtype).reshape(2, 3, 4)
    for axis in (None, 0, 1, -1) + (((0, 2), (1,)) if "arg" not in name else ()):
        compare(name, both(name, x, axis), f"{name} {dtype} {axis}")
        compare(name, both(name, x, axis, keepdims=True), f"{name} {dtype} {axis} keepdims")
    compare(name, both(name, x.T[::-1], 0), f"{name} {dtype} transposed")


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", RUNNING)
def test_nan__running(name, dtype):
    x = holed(dtype).reshape(4, 6)
    for axis in (None, 0, 1):
        close(*both(name, x, axis), f"{name} {dtype} {axis}")


@pytest.mark.parametrize("name", SUMS + ORDERS)
def test_nan__nothing_else(name):
    x = np.array([[np.nan, np.nan], [1, np.nan]])
    for axis in (None, 0, 1):
        compare(name, both(name, x, axis), f"{name} {axis}")
        compare(name, both(name, x[:0], axis), f"{name} {axis} of nothing")
    compare(name, both(name, np.array(np.nan)), f"{name} of a value")
    compare(name, both(name, np.float64(3)), f"{name} of a value")


@given(strided(), st.sampled_from(SUMS + ["nanmin", "nanmax"]), st.data())
def test_nan__any_layout(x, name, data):
    if x.dtype.kind in "fc" and x.size:
        x = np.where(np.arange(x.size).reshape(x.shape) % 4 == 1, np.nan, x).astype(x.dtype)
    axis = data.draw(st.integers(-x.ndim, x.ndim - 1)) if x.ndim else None
    options = {"keepdims": data.draw(st.booleans())}
    if data.draw(st.booleans()):
        options["where"] = np.arange(x.size).reshape(x.shape) % 3 != 1
        if name in ("nanmin", "nanmax"):
            options["initial"] = 2
    compare(name, both(name, x, axis, **options), f"{name} {x.dtype} {x.shape} {axis} {options}")


NAN_OPTIONS = [
    "m.nansum(q, 0, 'f4')", "m.nansum(q, initial=5, where=q > 1)", "m.nanmax(q, where=q > 1, initial=-1)", "m.nanmax(q, initial=9, axis=0)",
    "m.nanargmin(m.array([[m.nan, m.nan], [1, 2]]), axis=1)", "m.nanargmin(m.array([]))", "m.nanmean(q, 0, 'f4')", "m.nanmean(q, 0, 'i4')",
    "m.nanmean(q, where=q > 1)", "m.nanmean(q, axis=1, out=m.zeros(2, 'f4'))", "m.nanmean(q, axis=1, out=m.zeros(2, 'i4'))",
    "m.nanvar(q, axis=1, ddof=1)", "m.nanvar(q, correction=1)", "m.nanvar(q, ddof=1, correction=1)", "m.nanstd(q, axis=1, ddof=3)",
    "m.nanvar(q, mean=m.nanmean(q))", "m.nanvar(q, axis=1, out=m.zeros(2))", "m.nanstd(q, axis=1, out=m.zeros(2))",
    "m.nanstd(q, axis=0, dtype='f4')", "m.nansum(q, axis=1, out=m.zeros(2))", "m.nanmax(q, axis=1, out=m.zeros(2))", "m.nansum(q, axis=5)",
    "m.nanmin(q, axis=(0, 1))", "m.nansum([1, m.nan])", "m.nanmean([])", "m.nanvar(m.arange(4), ddof=1)", "m.nanstd(m.arange(4))",
    "m.nanargmax(q, axis=1, out=m.zeros(2, 'i8'))",
]


@pytest.mark.parametrize("text", NAN_OPTIONS)
def test_nan__options(text):
    spaces = [{"m": m, "q": m.array([[1.0, 2, np.nan], [4, np.nan, 6.5]])} for m in (xp, np)]
    got, want = (outcome(eval, text, space) for space in spaces)
    close(got, want, text)


@needs_heddle
def test_nan__waits_for_nothing():
    before = xp.stats()["recorded"] if "recorded" in xp.stats() else None
    x = xp.array([1.0, np.nan, 3.0])
    pending = [xp.nanmean(x), xp.nanstd(x), xp.nanmax(x), xp.nansum(x)]
    assert before is None or xp.stats()["recorded"] > before
    same(pending[0], np.float64(2.0))


# ---- numbers ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", DTYPES)
def test_kinds_of_number(dtype):
    x = specials(dtype)
    for name in ("fix", "isposinf", "isneginf", "iscomplex", "isreal", "nan_to_num"):
        got, want = both(name, x)
        same_outcome(got, want, where=f"{name} {dtype}")
        got, want = both(name, x[:1].reshape(()))
        same_outcome(got, want, where=f"{name} {dtype}")
    if x.dtype.kind != "c":
        same_outcome(*both("isposinf", x, out=np.zeros(x.shape, bool)))


NUMBERS = [
    "m.nan_to_num(m.array([m.nan, m.inf, -m.inf, 1]))", "m.nan_to_num(m.array([m.nan, m.inf, -m.inf, 1]).astype('f4'))",
    "m.nan_to_num(m.array([m.nan, m.inf * 1j]))", "m.nan_to_num(m.nan)", "m.nan_to_num([1, 2])",
    "m.nan_to_num(m.array([m.nan, m.inf, -m.inf]), nan=1, posinf=2, neginf=3)", "m.nan_to_num(n, copy=False)",
    "m.angle(m.array([1j, 1, -1, -1j]))", "m.angle(m.array([1j, 1, -1, -1j]), deg=True)", "m.angle(x)", "m.angle(-1.0)", "m.angle(1 + 1j, True)",
    "m.i0(m.array([0, 1, 8, 9.5, 100, m.nan, -3]))", "m.i0(3)", "m.i0(1j)", "m.i0(x.astype('f4'))", "m.sinc(m.array([0, .5, 1, 2.5]))", "m.sinc(0)",
    "m.sinc(x.astype('f4'))", "m.sinc(m.array([1j, 0]))", "m.unwrap(m.array([0, 1, 4, 7, -3, 2 * 3.2]))",
    "m.unwrap(m.array([0, 1, 2, -1, 0]), period=4)", "m.unwrap(m.array([0, 2, 0, 2, 5]), period=4)", "m.unwrap(m.array([0, 1, 4, 9]), period=5)",
    "m.unwrap(m.arange(12.).reshape(3, 4) * 2.5, axis=0)", "m.unwrap(m.array([0, 5, 1]), discont=5)", "m.unwrap([0, 3.14159265 * 2])",
    "m.diff(x)", "m.diff(x, 2)", "m.diff(x, 0)", "m.diff(x, -1)", "m.diff(5)", "m.diff(x > 2)", "m.diff(m.arange(12).reshape(3, 4)**2, axis=0)",
    "m.diff(x, prepend=0)", "m.diff(x, append=[7, 8])", "m.diff(m.arange(4).reshape(2, 2), prepend=0, append=m.ones((2, 1)))", "m.diff(x, 9)",
    "m.diff(m.arange(3).astype('u1')[::-1])", "m.diff(x, axis=1)", "m.cumulative_sum(x)", "m.cumulative_sum(m.ones((2, 3)))",
    "m.cumulative_sum(m.arange(3).astype('i1'), include_initial=True)", "m.cumulative_sum(m.ones((2, 3)), axis=1, include_initial=True)",
    "m.cumulative_sum(m.ones((2, 3)), axis=-1, include_initial=True, out=m.zeros((2, 4)))", "m.cumulative_prod(x, dtype='i4')",
    "m.cumulative_prod(3, include_initial=True)", "m.cumulative_prod(m.ones((2, 0)), axis=1, include_initial=True)", "m.ptp(x)",
    "m.ptp(m.ones((2, 3)), axis=1, keepdims=True)", "m.ptp(m.arange(4).astype('i1'), axis=0)", "m.ptp(x, 0, m.zeros(()))", "m.ptp([])",
    "m.average(x)", "m.average(x, weights=[1, 2, 3, 4])", "m.average(m.arange(4).astype('i1'), weights=m.arange(4).astype('i1'))",
    "m.average(x, weights=[1, -1, 1, -1])", "m.average(a, axis=1, weights=[1, 2, 3])", "m.average(a, weights=[1, 2, 3])",
    "m.average(a, axis=0, weights=[1, 2, 3])", "m.average(a, axis=1, weights=[1, 2, 3], returned=True)[1]", "m.average(x, returned=True)[1]",
    "m.average(a, axis=(1, 0), weights=m.arange(6.).reshape(3, 2))", "m.average(a, axis=(0, 1), keepdims=True)", "m.average(a, axis=2)",
    "m.average(a.astype('f4'), axis=0, weights=m.ones((2, 3)), returned=True)[0]", "m.average(m.arange(3), returned=True)[1]",
]


@pytest.mark.parametrize("text", NUMBERS)
def test_numbers(text):
    spaces = [{"m": m, "x": m.arange(1.0, 5.0), "a": m.arange(6.0).reshape(2, 3), "n": m.array([m.nan, 1, m.inf])} for m in (xp, np)]
    got, want = (outcome(eval, text, space) for space in spaces)
    close(got, want, text)
    if want[0] == "error":
        assert str(got[1]) == str(want[1]), text


@pytest.mark.parametrize("dtype", FLOATS)
def test_functions__of_many_values(dtype):
    x = np.concatenate([np.linspace(-30, 30, 1001), [0.0, 8.0, -8.0]]).astype(dtype)
    eps = np.finfo(dtype).eps
    for name in ("i0", "sinc"):
        got, want = both(name, x)
        assert got[1].dtype == want[1].dtype
        np.testing.assert_allclose(np.array(got[1]), want[1], rtol=16 * eps, atol=4 * eps, err_msg=name)


@given(strided(), st.integers(0, 3), st.data())
def test_diff__any_layout(x, n, data):
    axis = data.draw(st.integers(-x.ndim, x.ndim - 1)) if x.ndim else -1
    x = np.asarray(x)
    got, want = both("diff", x, n, axis)
    close(got, want, f"{x.dtype} {x.shape} {n} {axis}")


@given(strided(), st.booleans(), st.data())
def test_cumulative_sum__any_layout(x, include_initial, data):
    axis = data.draw(st.integers(-x.ndim, x.ndim - 1)) if x.ndim else None
    close(*both("cumulative_sum", x, axis=axis, include_initial=include_initial), f"{x.dtype} {x.shape} {axis}")
