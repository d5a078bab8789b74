# SPDX-License-Identifier: BSD-3-Clause
"""Ufuncs as objects against NumPy: two results, signature=, attributes, reduce, accumulate, reduceat, outer, at.

What is folded by a reduction of its own rounds as the reduction does; everything else has NumPy's order and bits.
"""

import functools
import itertools

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from common import (
    DTYPES,
    FLOATS,
    INTEGERS,
    ON_HOST,
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
from test_ops import BINARY, UNARY, strided, ulp_of
from test_reduce import close

PAIRS = ["divmod", "frexp", "modf"]
# Folded by a reduction, in its own order; the others go from element to element as NumPy does.
REDUCED = {"add", "multiply", "maximum", "minimum", "fmax", "fmin", "logical_and", "logical_or"}
# Steps of these overflow or leave the integers soon: floats of ordinary size stay comparable.
EXACT = [
    "add", "subtract", "multiply", "maximum", "minimum", "fmax", "fmin", "logical_and", "logical_or", "logical_xor",
    "bitwise_and", "bitwise_or", "bitwise_xor", "floor_divide", "remainder", "fmod", "gcd", "lcm", "copysign",
    "left_shift", "right_shift", "divide", "equal", "less", "greater_equal",
]


def same_pair(got, want, where=""):
    if want[0] == "error":
        same_outcome(got, want, where=where)
        return
    assert got[0] == "value" and type(got[1]) is tuple and len(got[1]) == 2, f"{where}: {got}"
    for ours, numpys in zip(got[1], want[1]):
        same(ours, numpys, where=where)


# ---- two results --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", PAIRS)
def test_pair__of_awkward_values(name, dtype):
    v = specials(dtype)
    operands = (v,) if getattr(np, name).nin == 1 else [a.ravel() for a in np.meshgrid(v, v)]
    same_pair(outcome(getattr(xp, name), *map(give, operands)), outcome(getattr(np, name), *operands), f"{name} {dtype}")


@pytest.mark.parametrize("name", PAIRS)
def test_pair__of_any_layout(name):
    for text, x in layouts((3, 4), "f8"):
        operands = (x,) if getattr(np, name).nin == 1 else (x, x[:1] + 0.5)
        same_pair(outcome(getattr(xp, name), *map(give, operands)), outcome(getattr(np, name), *operands), f"{name} {text}")


@pytest.mark.parametrize("operands", [((), 2), ((0,), 1), ((2, 0), (1,)), ((3,), (2,))])
def test_pair__shapes(operands):
    x, y = (np.ones(s) for s in operands)
    same_pair(outcome(xp.divmod, give(x), give(y)), outcome(np.divmod, x, y))


OUTS = [
    "m.divmod(x, 2, m.zeros(4))",
    "m.divmod(x, 2, None, m.zeros(4))",
    "m.divmod(x, 2, m.zeros(4), m.zeros(4), m.zeros(4))",
    "m.divmod(x, 2, out=m.zeros(4))",
    "m.divmod(x, 2, out=(m.zeros(4),))",
    "m.divmod(x, 2, out=(None, m.zeros(4)))",
    "m.divmod(x, 2, out=(m.zeros(4), m.zeros(4, 'i4')))",
    "m.divmod(x, 2, out=(m.zeros(3), None))",
    "m.divmod(x, x[::-1], out=(x, None))",
    "m.divmod(x, x[::-1], out=(None, x))",
    "m.divmod(x[:3], x[1:], out=(x[1:], None))",
    "m.modf(x, out=(x, None))",
    "m.modf(x, x, m.zeros(4))",
    "m.divmod(x, 2, where=x > 2, out=(m.zeros(4), m.ones(4)))",
    "m.divmod(x)",
    "m.modf(x, dtype='f4')",
    "m.frexp(x, dtype='f4')",
    "m.frexp(x, dtype='i4')",
    "m.frexp(x, signature='f->fi')",
    "m.frexp(x, sig=('f4', None, None))",
    "m.frexp(1j)",
    "divmod(x, 2)",
    "divmod(7, x)",
]


@pytest.mark.parametrize("text", OUTS)
def test_pair__options(text):
    values = [outcome(eval, text, {"m": m, "x": m.arange(1.0, 5.0)}) for m in (xp, np)]
    same_pair(*values, where=text)


# ---- signature= and attributes ------------------------------------------------------------------------------------------

SIGNATURES = [
    "m.add(1, 2, signature='ff->f')",
    "m.add(1, 2, signature='gg->f')",
    "m.add(1, 2, sig='dd->d', signature='dd->d')",
    "m.add(1, 2, dtype='d', signature='dd->d')",
    "m.less(1, 2, signature='dd->?')",
    "m.less(1, 2, signature='dd->d')",
    "m.add(1, 2, signature=('d', None, None))",
    "m.add(1, 2, signature='d')",
    "m.add(1, 2, signature=('d', 'd'))",
    "m.add(1, 2, signature=(None, None, None))",
    "m.add(1, 2, signature=('d',))",
    "m.add(1, 2, signature=3)",
    "m.add(1, 2, signature='dd-d')",
    "m.absolute(m.ones(2) * 1j, dtype='f8')",
    "m.absolute(m.ones(2) * 1j, dtype='f4')",
    "m.absolute(m.ones(2) * 1j, signature='F->f')",
    "m.add(m.arange(3), 1.5, dtype='i8')",
    "m.add(m.arange(3), 1.5, dtype='i8', casting='unsafe')",
    "m.less([1.], [2.], dtype='f8')",
    "m.sqrt(m.arange(3), casting='no')",
    "m.add(1.5, m.arange(3), dtype='i4', casting='no')",
    "m.add(m.arange(3), 1, signature=('f4', None, None))",
    "m.negative(m.ones(3), dtype='i4')",
    "m.negative(m.ones(3), dtype='i4', casting='unsafe')",
    "m.bitwise_count(5, dtype='i1')",
    "m.float_power(2, 3, dtype='f4')",
    "m.ldexp(m.ones(2), 3, signature='fi->f')",
    "m.add(m.ones(3), 1, casting='safe', out=m.zeros(3, 'i4'), where=m.array([True, False, True]))",
    "m.add(m.ones(3), 1, casting='unsafe', out=m.zeros(3, 'i4'), where=m.array([True, False, True]))",
]


@pytest.mark.parametrize("text", SIGNATURES)
def test_signature(text):
    got, want = (outcome(eval, text, {"m": m}) for m in (xp, np))
    same_outcome(got, want, where=text)
    if want[0] == "error":
        assert str(got[1]) == str(want[1]), text


@needs_heddle
def test_attributes():
    for name in UNARY + BINARY + PAIRS:
        ours, numpys = getattr(xp, name), getattr(np, name)
        for attribute in ("nin", "nout", "nargs", "identity", "signature", "__name__"):
            got, want = getattr(ours, attribute), getattr(numpys, attribute)
            assert got == want and type(got) is type(want), (name, attribute, got, want)
        letters = set("?bBhHiIlLefdFD->")
        have = {t for t in numpys.types if set(t) <= letters and t not in ("ei->e", "fi->f", "di->d")}
        have -= {t for t in have if set("qQgGO") & set(t)}
        assert set(ours.types) == have or name in ("signbit", "ldexp"), name     # which run integers as they are; one exponent
        assert ours.ntypes == len(ours.types)
        assert ours.__doc__.startswith(name + "(")


# ---- exponents ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", INTEGERS + ["?", "f8"])
def test_ldexp__takes_integers(dtype):
    x = specials("f8")
    y = np.resize(specials(dtype), x.size)
    for dt in FLOATS:
        same_outcome(outcome(xp.ldexp, give(x.astype(dt)), give(y)), outcome(np.ldexp, x.astype(dt), y), where=dtype)


# ---- reduce -------------------------------------------------------------------------------------------------------------


def folded(name, x, method="reduce", **options):
    """Both outcomes of a method; options are for both."""
    ours = {k: give(v) if isinstance(v, np.ndarray) else v for k, v in options.items()}
    return (outcome(getattr(getattr(xp, name), method), give(x), **ours),
            outcome(getattr(getattr(np, name), method), x, **options))


def compare(name, both, where):
    # NumPy rounds a float16 after each row, and within a row at its end: we at the end alone
    once = name in ("subtract", "divide") and both[1][0] == "value" and np.asarray(both[1][1]).dtype == np.float16
    if name in REDUCED or once or both[1][0] == "value" and np.asarray(both[1][1]).dtype.kind == "c":
        close(*both, where)
    else:
        same_outcome(*both, where=where, strides=False, zero_signs=False)


def suits(name, x):
    """Integer shifts and powers of a sign, or divisions by zero that NumPy answers by trap handlers, are not the point."""
    return name not in ("left_shift", "right_shift") or x.dtype.kind != "i" or np.all((x >= 0) & (x < 60))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", EXACT)
def test_reduce__every_dtype(name, dtype):
    x = moderate(dtype, 24).reshape(2, 3, 4)
    if name in ("left_shift", "right_shift") and x.dtype.kind in "iu":
        x = np.abs(x) % 5
    for axis in (0, 1, -1, None, (0, 2), ()):
        compare(name, folded(name, x, axis=axis), f"{name} {dtype} {axis}")
    compare(name, folded(name, x, axis=1, keepdims=True), f"{name} {dtype} keepdims")
    compare(name, folded(name, x.T[::-1], axis=1), f"{name} {dtype} transposed")


@pytest.mark.parametrize("name", ["hypot", "arctan2", "power", "logaddexp", "logaddexp2", "float_power", "heaviside", "nextafter"])
def test_reduce__functions(name):
    """From the first element to the last. (NumPy's own reduce is wrong for some: its vector loops read ahead of what they write.)"""
    for dtype in FLOATS:
        x = (np.abs(moderate(dtype, 24)).reshape(4, 6) / 8 + 0.5).astype(dtype)
        for axis in (0, 1):
            got = getattr(xp, name).reduce(give(x), axis=axis)
            want = functools.reduce(getattr(np, name), np.moveaxis(x, axis, 0))
            np.testing.assert_allclose(np.array(got), want, rtol=40 * np.finfo(dtype).eps, err_msg=name)
            assert got.dtype == want.dtype


@given(strided(), st.sampled_from(EXACT), st.data())
def test_reduce__any_layout(x, name, data):
    assume(suits(name, x))
    axis = data.draw(st.integers(-x.ndim, x.ndim - 1)) if x.ndim else 0
    options = {"axis": axis, "keepdims": data.draw(st.booleans())}
    if data.draw(st.booleans()):
        options["initial"] = 3
    if data.draw(st.booleans()):
        options["where"] = np.arange(x.size).reshape(x.shape) % 3 != 1
    compare(name, folded(name, x, **options), f"{name} {x.dtype} {x.shape} {options}")


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", ["sum", "prod", "min", "max", "any", "all", "mean", "std", "var"])
def test_where_and_initial__of_every_dtype(name, dtype):
    """The reductions that have names."""
    x = moderate(dtype, 24).reshape(2, 3, 4)
    masks = [x > x.mean() if x.dtype.kind in "iuf" else np.arange(24).reshape(x.shape) % 3 > 0,
             np.array([True, False, True, True]), np.array([[True], [False], [True]]), np.zeros((2, 1, 1), bool), True]
    for mask in masks:
        for axis in (None, 0, (1, 2)):
            for initial in ({}, {"initial": 1}) if name in ("sum", "prod") else ({"initial": 2},) if name in ("min", "max") else ({},):
                ours = {"where": give(mask) if isinstance(mask, np.ndarray) else mask, **initial}
                close(outcome(getattr(xp, name), give(x), axis=axis, **ours),
                      outcome(getattr(np, name), x, axis=axis, where=mask, **initial), f"{name} {dtype} {axis} {initial}")
    if name in ("min", "max"):
        same_outcome(outcome(getattr(xp, name), give(x), where=give(masks[1])), outcome(getattr(np, name), x, where=masks[1]))


REDUCTIONS = [
    "m.less.reduce(x)", "m.less.reduce(x > 1)", "m.less.reduce(x, dtype='?')", "m.ldexp.reduce(x)", "m.sqrt.reduce(x)",
    "m.divmod.reduce(x)", "m.subtract.reduce(m.ones((2, 3)), axis=(0, 1))", "m.subtract.reduce(m.ones((2, 2)), axis=None)",
    "m.subtract.reduce(x, where=x > 2)", "m.subtract.reduce(x, where=x > 2, initial=5)", "m.maximum.reduce(x, where=x > 2)",
    "m.fmax.reduce([])", "m.subtract.reduce([])", "m.hypot.reduce([])", "m.logaddexp.reduce([])", "m.add.reduce(5)",
    "m.subtract.reduce(5)", "m.subtract.reduce(x, axis=5)", "m.bitwise_and.reduce(m.ones(0, 'u1'))",
    "m.subtract.reduce(x, out=m.zeros((), 'i4'))", "m.subtract.reduce(x, dtype='i4')", "m.maximum.reduce(x, dtype='i4')",
    "m.logical_and.reduce(x, dtype='i4')", "m.logical_and.reduce(x, dtype='?')", "m.logical_xor.reduce(x, dtype='f8')",
    "m.subtract.reduce(m.array([True]))", "m.copysign.reduce(m.arange(3))", "m.floor_divide.reduce(m.array([True, True]))",
    "m.subtract.reduce(m.ones((2, 3)), axis=())", "m.subtract.reduce(m.ones((2, 3)), axis=(), initial=5)",
    "m.subtract.reduce(x, initial=None)", "m.add.reduce(m.zeros(0), initial=None)", "m.add.reduce(x, initial=None, where=x > 1)",
    "m.logical_and.reduce([], initial=False)", "m.subtract.reduce(m.arange(3), initial=1.5)", "m.add.reduce(m.arange(3), initial=1.5)",
    "m.add.reduce(m.arange(3).astype('i1'), initial=300)", "m.maximum.reduce(m.arange(3).astype('i1'), initial=300)",
    "m.add.reduce([1, 2], keepdims=True, out=m.zeros(1))", "m.add.reduce(x, axis=1.0)", "m.add.reduce(x, axis=[0])",
    "m.add.reduce()", "m.add.reduce(x, 0, None, None, False, 1, True, 5)", "m.add.reduce(x, foo=1)",
    "m.add.reduce(x, axis=0, out=(m.zeros(()),))", "m.add.reduce(x, axis=0, out=(m.zeros(()), 1))",
    "m.power.reduce(m.array([-2, 1]))", "m.power.reduce(m.array([[2, 2], [2, -1]]), axis=1)", "m.lcm.reduce(m.array([[4, 6]]), axis=None)",
    "m.subtract.reduce(m.ones((0, 3)))", "m.subtract.reduce(m.ones((3, 0)))", "m.subtract.reduce(m.ones((0, 3)), initial=2)",
    "m.subtract.reduce(m.ones((2, 3)), where=m.array([[True], [False]]), initial=2)", "m.add.reduce(x, initial=m.ones(2))",
    "m.hypot.reduce(m.arange(6.).reshape(2, 3), axis=(0, 1), keepdims=True)",
]


@pytest.mark.parametrize("text", REDUCTIONS)
def test_reduce__options(text):
    got, want = (outcome(eval, text, {"m": m, "x": m.arange(1.0, 5.0)}) for m in (xp, np))
    if "initial=m.ones(2)" in text:     # NumPy speaks of a sequence for an element
        assert got[0] == want[0] == "error"
        return
    same_outcome(got, want, where=text)
    if want[0] == "error" and not {"missing", "less", "ldexp"} & set(str(want[1]).replace("'", " ").split()):
        assert str(got[1]) == str(want[1]), text


# ---- accumulate ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", EXACT)
def test_accumulate__every_dtype(name, dtype):
    x = moderate(dtype, 24).reshape(2, 3, 4)
    if name in ("left_shift", "right_shift") and x.dtype.kind in "iu":
        x = np.abs(x) % 5
    for axis in (0, 1, -1):
        both = folded(name, x, "accumulate", axis=axis)
        if x.dtype.kind == "c":
            compare(name, both, f"{name} {dtype} {axis}")
        else:
            same_outcome(*both, where=f"{name} {dtype} {axis}", zero_signs=False)


@given(strided(), st.sampled_from(["add", "maximum", "minimum", "fmax", "subtract", "logical_or", "floor_divide"]), st.data())
def test_accumulate__any_layout(x, name, data):
    axis = data.draw(st.integers(-x.ndim, x.ndim - 1)) if x.ndim else 0
    compare("add", folded(name, x, "accumulate", axis=axis), f"{name} {x.dtype} {x.shape} {axis}")


@pytest.mark.parametrize("name", ["cumsum", "cumprod"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_cumulative(name, dtype):
    x = np.concatenate([np.resize(specials(dtype), 12), moderate(dtype, 12)]).reshape(4, 6)
    if name == "cumprod" and x.dtype.kind == "c":
        x = moderate(dtype, 24).reshape(4, 6)
    for axis in (None, 0, 1):
        compare("add", (outcome(getattr(xp, name), give(x), axis), outcome(getattr(np, name), x, axis)), f"{name} {dtype}")
        compare("add", (outcome(getattr(give(x).T, name), axis), outcome(getattr(x.T, name), axis)), f"{name} {dtype} T")


# Elements beside ones: what leaves the range on the way, in the order of a line, decides what comes after it. Powers of
# two, so that products are exact and devices that join parts of a line have the same ones.
LEAVING = {
    "zero, then overflow": [0, "huge", "huge", "huge"], "-0": [-1, 0, "huge", "huge", -1],
    "overflow and back": ["huge", "huge", "tiny", "tiny"], "overflow, then zero": ["huge", "-huge", "tiny", 0, 1],
    "underflow and back": ["tiny", "tiny", "tiny", "huge"], "subnormal and back": ["tiny", 0.25, 0.25, "huge", -1],
    "inside": ["huge", "tiny", "tiny", "huge"], "inf, then zero": [np.inf, -1, 0, 2], "zero, then inf": [0, -1, np.inf, 2],
    "nan": [2, np.nan, 0, np.inf], "inf": [-1, np.inf, "tiny", "tiny", -1],
}


@pytest.mark.parametrize("n", [40, 3000, 70_001, 200_000])
@pytest.mark.parametrize("dtype", FLOATS)
def test_running_products__leave_the_range_where_those_in_order_do(dtype, n):
    limits = np.finfo(dtype)
    named = {"huge": limits.max / 2 + limits.max / 4, "-huge": -limits.max / 2, "tiny": limits.tiny * 2}
    named = {k: np.copysign(2.0 ** np.floor(np.log2(np.abs(np.float64(v)))), v) for k, v in named.items()}
    for name, elements in LEAVING.items():
        for at in (0, n // 2 - 1, n - 5):
            x = np.ones(n, dtype)
            x[at:at + len(elements)] = [named.get(e, e) for e in elements]
            with np.errstate(all="ignore"):
                same(xp.cumprod(give(x)), np.cumprod(x), where=f"{name} at {at}")


@pytest.mark.parametrize("dtype", FLOATS)
def test_running_products__of_random_numbers_that_leave_the_range(dtype):
    rng = np.random.default_rng(5)
    bits = np.finfo(dtype).maxexp
    for n in (100, 5000, 70_001):
        for drift in (-1, 0, 1):
            x = (np.exp2((rng.integers(-1, 2, (3, n)) + drift) * max(1, bits // 60)) * rng.choice([-1, 1], (3, n))).astype(dtype)
            with np.errstate(all="ignore"):
                same(xp.cumprod(give(x), axis=1), np.cumprod(x, axis=1), where=f"{n} {drift}")


@pytest.mark.parametrize("dtype", ["c8", "c16"])
def test_running_products__of_complex_numbers_that_leave_the_range(dtype):
    big = np.finfo(dtype).max / 4
    for n in (40, 3000, 70_001):
        for elements in ([0, big, big, big], [big, big, 1 / big, 1j], [1 / big, 1 / big, 1 / big, big], [1j, np.nan, 0, 1]):
            x = np.ones(n, dtype)
            x[n // 2:n // 2 + 4] = elements
            with np.errstate(all="ignore"):
                got, want = xp.cumprod(give(x)), np.cumprod(x)
            for part in ("real", "imag"):
                same(getattr(got, part), getattr(want, part), where=f"{n} {elements}", strides=False, zero_signs=False)


@needs_heddle
@pytest.mark.parametrize("n", [40, 3000, 70_001, 200_000])
@pytest.mark.parametrize("dtype", FLOATS)
def test_running_extremes__of_zeros_do_not_depend_on_the_shape(dtype, n):
    rng = np.random.default_rng(n)
    zero, number = rng.random(n) < 40 / n, np.arange(n)
    last = np.maximum.accumulate(np.where(zero, number, -1))
    for name, other in (("maximum", -1), ("minimum", 1), ("fmax", -1), ("fmin", 1)):
        x = np.where(zero, np.copysign(0, rng.random(n) - 0.5), other).astype(dtype)
        want = np.where(last >= 0, x[last], other).astype(dtype)
        same(getattr(xp, name).accumulate(give(x)), want, where=name)
        same(getattr(xp, name).accumulate(give(np.stack([x, -x * 0 + other, x])), axis=1)[2], want, where=name, strides=False)


@needs_heddle
@pytest.mark.parametrize("dtype", FLOATS + ["i1", "u8", "?"])
def test_cummax_and_cummin(dtype):
    x = np.concatenate([specials(dtype)[::-1], moderate(dtype, 600)])
    same(xp.cummax(give(x)), np.maximum.accumulate(x), zero_signs=False)
    same(xp.cummin(give(x)[::-1]), np.minimum.accumulate(x[::-1]), zero_signs=False)
    same(xp.cummax(give(x[:24].reshape(4, 6)), axis=0), np.maximum.accumulate(x[:24].reshape(4, 6), axis=0), zero_signs=False)


RUNNING = [
    "m.add.accumulate(5)", "m.add.accumulate(x, axis=1)", "m.add.accumulate(x, axis=None)",
    "m.add.accumulate(m.ones((2, 3)), axis=None)", "m.add.accumulate(m.ones((2, 3)), axis=(0,))",
    "m.add.accumulate(m.ones((2, 3)), axis=(0, 1))", "m.add.accumulate(x / 2, out=m.zeros(4, 'i4'))",
    "m.add.accumulate(m.arange(4).astype('i1'), out=m.zeros(4, 'i1'))", "m.add.accumulate(m.arange(4).astype('i1'), out=m.zeros(4, 'f4'))",
    "m.add.accumulate(m.arange(4), dtype='f4')", "m.add.accumulate(x / 2, dtype='i4')", "m.cumsum(x / 2, out=m.zeros(4, 'i4'))",
    "m.less.accumulate(x)", "m.less.accumulate(x > 2)", "m.equal.accumulate(m.array([True, False]))", "m.ldexp.accumulate(x)",
    "m.power.accumulate(m.array([2, -1]))", "m.divmod.accumulate(x)", "m.add.accumulate(x, 1, None, None, 5)",
    "m.add.accumulate(x, axis=0, out=(m.zeros(4),))", "m.add.accumulate(x, out=x)", "m.subtract.accumulate(x[1:], out=x[:-1])",
    "m.add.accumulate([])", "m.add.accumulate(m.ones((0, 3)))", "m.cumprod(m.arange(1, 5).astype('u1'))",
]


@pytest.mark.parametrize("text", RUNNING)
def test_accumulate__options(text):
    got, want = (outcome(eval, text, {"m": m, "x": m.arange(1.0, 5.0)}) for m in (xp, np))
    same_outcome(got, want, where=text)


# ---- reduceat -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", EXACT)
def test_reduceat__every_dtype(name, dtype):
    x = moderate(dtype, 60).reshape(3, 20)
    if name in ("left_shift", "right_shift") and x.dtype.kind in "iu":
        x = np.abs(x) % 5
    for indices in ([0, 7, 3, 3, 19], [0], [], np.arange(20)):
        compare(name, folded(name, x, "reduceat", indices=indices, axis=1), f"{name} {dtype} {indices}")
    compare(name, folded(name, x.T[::-1], "reduceat", indices=[4, 0, 9]), f"{name} {dtype} transposed")


@given(strided(), st.sampled_from(["add", "maximum", "subtract", "logical_xor"]), st.data())
def test_reduceat__any_layout(x, name, data):
    assume(x.ndim > 0)
    axis = data.draw(st.integers(-x.ndim, x.ndim - 1))
    n = x.shape[axis]
    indices = data.draw(st.lists(st.integers(-1 if n > 3 else 0, max(n - 1, 0)), max_size=6))
    compare("add", folded(name, x, "reduceat", indices=np.array(indices, int), axis=axis), f"{name} {x.shape} {axis} {indices}")


def test_reduceat__long_pieces():
    x = moderate("f8", 100_000)
    indices = np.array([0, 1, 300, 90_000, 5, 99_999])
    np.testing.assert_allclose(np.array(xp.add.reduceat(give(x), give(indices))), np.add.reduceat(x, indices), rtol=1e-9, atol=1e-9)
    same(xp.maximum.reduceat(give(x), give(indices)), np.maximum.reduceat(x, indices))
    same(xp.subtract.reduceat(give(x[:5000]), [0, 2000]), np.subtract.reduceat(x[:5000], [0, 2000]))


PIECES = [
    "m.add.reduceat(x, [5])", "m.add.reduceat(x, [-1])", "m.add.reduceat(x, 0)", "m.add.reduceat(5, [0])", "m.add.reduceat(x, [0.5])",
    "m.add.reduceat(m.ones((2, 3)), [0, 1], axis=None)", "m.add.reduceat(m.zeros((0, 2)), [])", "m.add.reduceat(m.zeros((0, 2)), [0])",
    "m.add.reduceat(m.ones((3, 2)), [0], out=m.zeros((1, 2), 'i4'))", "m.add.reduceat(m.arange(5).astype('i1'), [0, 3, 1])",
    "m.sqrt.reduceat(x, [0])", "m.add.reduceat(x)", "m.power.reduceat(m.array([2, -1]), [0])", "m.add.reduceat(x, [0, 2], dtype='i4')",
]


@pytest.mark.parametrize("text", PIECES)
def test_reduceat__options(text):
    got, want = (outcome(eval, text, {"m": m, "x": m.arange(1.0, 5.0)}) for m in (xp, np))
    same_outcome(got, want, where=text)


@pytest.mark.parametrize("axes", list(itertools.permutations(range(3))))
def test_folds__lie_in_memory_as_numpys(axes):
    def arrays(m):
        x = m.arange(60.0).reshape(3, 4, 5).transpose(axes)
        return x, x[::-1], x[:, ::2], x[:, :1], m.broadcast_to(x[:, :, :1], x.shape)

    def results(m, x, axis):
        n = x.shape[axis]
        return (m.subtract.reduceat(x, [0, n - 1, 0], axis=axis), m.subtract.reduce(x, axis=axis), m.subtract.accumulate(x, axis=axis),
                m.subtract.reduce(x, axis=axis, keepdims=True), m.fmin.reduce(x, axis=axis), m.hypot.reduce(x, axis=(axis, axis - 1)))

    for ours, numpys in zip(arrays(xp), arrays(np)):
        for axis in range(3):
            for k, (got, want) in enumerate(zip(results(xp, ours, axis), results(np, numpys, axis))):
                sides = [[s for s, n in zip(r.strides, r.shape) if n > 1] for r in (got, want)]
                assert sides[0] == sides[1], (axes, numpys.strides, axis, k, sides)


# ---- outer --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["add", "less", "floor_divide", "divmod", "ldexp", "frexp"])
def test_outer(name):
    x, y = moderate("f4", 4), np.arange(1, 7).reshape(2, 3)
    got, want = outcome(getattr(xp, name).outer, give(x), give(y)), outcome(getattr(np, name).outer, x, y)
    if name == "divmod":
        same_pair(got, want)
    else:
        same_outcome(got, want, where=name)
    same_outcome(outcome(xp.add.outer, [1, 2], [3], dtype="f4"), outcome(np.add.outer, [1, 2], [3], dtype="f4"))


# ---- at -----------------------------------------------------------------------------------------------------------------


def at(m, name, x, key, *b):
    getattr(m, name).at(x, key, *b)
    return x


def same_at(name, x, key, *b, where=""):
    def ours(v):
        return give(v) if isinstance(v, np.ndarray) else tuple(map(ours, v)) if isinstance(v, tuple) else v

    def compare_at():
        got = outcome(at, xp, name, give(x.copy()), ours(key), *map(ours, b))
        same_outcome(got, want, where=f"{name} {x.dtype} {key} {where}", strides=False, zero_signs=False,
                     ulp=2 if x.dtype.kind == "c" else 0)

    want = outcome(at, np, name, x.copy(), key, *b)
    if ON_HOST or name not in ("add", "subtract") or x.dtype.kind not in "fc" or want[0] == "error":
        return compare_at()
    # A GPU adds what goes to one place as it comes, unless it is told to have the same bits each time.
    got = np.asarray(at(xp, name, give(x.copy()), ours(key), *map(ours, b)))
    assert got.dtype == x.dtype and got.shape == x.shape
    most = at(np, "add", np.abs(x), key, *map(np.abs, b))
    np.testing.assert_array_less(np.abs(got - want[1]), 8 * np.finfo(x.dtype).eps * most + np.finfo(x.dtype).tiny)
    xp.config.deterministic = True
    try:
        compare_at()
    finally:
        xp.config.deterministic = False


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", ["add", "multiply", "maximum", "minimum", "logical_xor", "equal", "floor_divide"])
def test_at__every_dtype(name, dtype):
    x, key = moderate(dtype, 12), np.array([0, 3, 3, -1, 3, 11, 0])
    for other in (dtype, "i8", "f4"):
        b = moderate(other, 7, 4)
        if x.dtype.kind == "c" and name == "floor_divide":
            continue
        if x.dtype.kind in "iu" and b.dtype.kind == "f":
            b = np.round(b)     # what does not fit an integer is cast in different ways
        if x.dtype.kind == "u" and name == "multiply":
            b = np.abs(b)
        if name == "floor_divide" and b.dtype.kind == "f":
            b = np.where(b == 0, 1, b).astype(other)
        same_at(name, x, key, b)


@pytest.mark.parametrize("name", ["negative", "absolute", "logical_not", "square"])
def test_at__of_one_input(name):
    for dtype in ("f8", "i4", "c8", "f4"):
        same_at(name, moderate(dtype, 6), [0, 0, 1, -1])


def whole(x):
    """Sums of them are exact: a GPU adds in any order."""
    return np.round(8 * x) if x.dtype.kind == "f" else x


@given(st.sampled_from(["f8", "i4", "u1", "f4"]), st.integers(0, 9), st.data())
def test_at__any_place(dtype, seed, data):
    x = whole(moderate(dtype, 60, seed)).reshape(3, 4, 5)[:, ::data.draw(st.sampled_from([1, -1, 2]))]
    x = x.transpose(data.draw(st.permutations(range(3))))
    n = [st.integers(-k, k - 1) for k in x.shape]
    rows = np.array(data.draw(st.lists(n[0], min_size=1, max_size=5)))
    columns = np.array([data.draw(n[1])] * len(rows))
    key = data.draw(st.sampled_from([
        rows, (rows, columns), (slice(None), np.array([data.draw(n[1])])), (rows[:, None], columns), (rows, slice(1, None)),
        (Ellipsis, np.array([0, 0, 1])), int(rows[0]), (slice(None, None, 2),), (rows, None), x > 1, (), (rows, slice(None), 0)]))
    shape = x[key].shape
    b = whole(moderate(dtype, max(int(np.prod(shape, dtype=int)), 1), 3))[:int(np.prod(shape, dtype=int))].reshape(shape)
    same_at("add", x, key, b)
    same_at("subtract", x, key, 2)
    if shape:
        same_at("maximum", x, key, b[-1:] if shape[0] else b)


def test_at__of_its_own_values():
    for make, m in ((give, xp), (np.array, np)):
        x, i = make(np.arange(6.0)), make(np.array([0, 1, 1, 2]))
        m.add.at(x, i, x[1:5])
        m.add.at(i, i, i)
        (a, b) = (x, i) if m is xp else (a, b)
        wanted = (x, i)
    same(a, wanted[0])
    same(b, wanted[1])


def test_at__many_places():
    key = np.random.default_rng(1).integers(0, 50, 20_000)
    b = moderate("f8", 20_000)
    x = xp.zeros(50)
    xp.add.at(x, xp.asarray(key), xp.asarray(np.round(b)))   # exact in any order
    same(x, np.bincount(key, np.round(b)))
    same_at("maximum", np.zeros((50, 700), "f4"), key[:40], moderate("f4", 700))
    same_at("add", np.zeros(50), key, b)
    same_at("add", np.zeros((50, 3)).T[:, ::2].T, key[:100] % 25, b[:300].reshape(100, 3))


ERRORS = [
    ("add", [1, 2], [0], 1), ("add", "x", [5], 1), ("add", "x", ([0], [1]), 1), ("add", "x", [0.5], 1), ("add", "x", [0, 1], [1, 2, 3]),
    ("add", "x", slice(None), [1, 2]), ("add", "x", [0]), ("sqrt", "x", [0], 1), ("modf", "x", [0]), ("divmod", "x", [0], 1),
    ("power", "i", [0], -1), ("ldexp", "x", [0], 1.5), ("add", "x", "a", 1), ("invert", "x", [0]), ("add", "i", [0], 1.5),
    ("add", "i", [0], 1j), ("add", "x", True, 1), ("add", "x", None, 1), ("add", "x", [], 1), ("less", "x", [0], 1),
]


@pytest.mark.parametrize("case", ERRORS)
def test_at__outcomes(case):
    name, array, *rest = case
    values = {"x": lambda m: m.arange(3.0), "i": lambda m: m.arange(3)}
    got, want = (outcome(at, m, name, values[array](m) if isinstance(array, str) else array, *rest) for m in (xp, np))
    same_outcome(got, want, where=str(case))


@needs_heddle
def test_at__refuses_what_may_not_be_written():
    x = xp.zeros(3)
    x.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        xp.add.at(x, [0], 1)    # NumPy writes all the same


# ---- products of axes ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", DTYPES)
def test_products(dtype):
    a, b = moderate(dtype, 24).reshape(2, 3, 4), moderate(dtype, 24, 2).reshape(2, 3, 4)
    for name, operands in (("vecdot", (a, b)), ("vecdot", (a, b[0, 0])), ("matvec", (a, b[0, 0])), ("matvec", (a, b[:, 0])),
                           ("vecmat", (a[:, :, 0], b)), ("vecmat", (a[0, :, 0], b))):
        close(outcome(getattr(xp, name), *map(give, operands)), outcome(getattr(np, name), *operands), f"{name} {dtype}")


CORE = [
    "m.vecdot(x, x)", "m.vecdot(a, a, axis=0)", "m.vecdot(a, a, axis=0, keepdims=True)", "m.vecdot(a, m.ones(4))", "m.vecdot(a, 1)",
    "m.vecdot(a, a, axes=[0, 0, ()])", "m.vecdot(a, a, axes=[0, 0])", "m.vecdot(a, a, out=m.zeros(2))", "m.vecdot(a, a, dtype='f4')",
    "m.matvec(a, m.ones(2))", "m.matvec(x, x)", "m.matvec(a.T, m.ones(3), axes=[(-1, -2), -1, -1])", "m.matvec(a, m.ones(3), axis=1)",
    "m.matvec(m.ones((3, 3)), m.ones(3), keepdims=True)", "m.vecmat(m.ones((5, 2)), a)", "m.vecmat(m.ones(3), a)", "m.vecdot.reduce(x)",
    "m.vecdot.outer(x, x)", "m.vecdot.at(x, x)", "m.vecdot(x * 1j, x)", "m.vecmat(m.ones(2) * 1j, a)", "m.matvec(a * 1j, m.ones(3) * 1j)",
    "m.vecdot(m.ones((2, 0)), m.ones((2, 0)))", "m.vecdot.signature", "m.matvec.nin",
]


@pytest.mark.parametrize("text", CORE)
def test_products__options(text):
    spaces = [{"m": m, "x": m.arange(1.0, 5.0), "a": m.arange(6.0).reshape(2, 3)} for m in (xp, np)]
    got, want = (outcome(eval, text, space) for space in spaces)
    same_outcome(got, want, where=text, strides=False)
    if want[0] == "error":
        assert str(got[1]) == str(want[1])


# ---- NumPy's own ufuncs on our arrays -----------------------------------------------------------------------------------


@needs_heddle
def test_array_ufunc__finds_ours():
    x = xp.arange(1.0, 5.0)
    for text in ("np.divmod(x, 2)", "np.frexp(x)", "np.vecdot(x, x)", "np.subtract.reduce(x)", "np.hypot.accumulate(x)", "np.radians(x)",
                 "np.add.reduceat(x, [0, 2])", "np.multiply.outer(x, x)"):
        got, want = eval(text), eval(text, {"np": np, "x": np.arange(1.0, 5.0)})
        for g, w in zip(*(v if isinstance(v, tuple) else (v,) for v in (got, want))):
            assert type(g) is xp.ndarray, text
            np.testing.assert_allclose(np.array(g), w, rtol=1e-15)
    np.add.at(x, [0, 0], 1)
    same(x, np.array([3.0, 2, 3, 4]))
