# SPDX-License-Identifier: BSD-3-Clause
"""Casts: every pair of dtypes, at every level, by astype, by assignment and by in-place operations.

In-range casts have NumPy's bits. A real number outside the integer type goes through int64 and wraps, which C leaves
undefined and NumPy to the machine.
"""

import warnings

import numpy as np
import pytest

from common import (
    COMPLEX,
    DTYPES,
    FLOATS,
    INTEGERS,
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

LEVELS = ("no", "equiv", "safe", "same_kind", "unsafe")


@pytest.fixture(autouse=True)
def silent():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of complex numbers that lose their imaginary part
        yield


def in_range(x, dtype):
    """x without the values that do not fit the integer type."""
    dtype = np.dtype(dtype)
    if dtype.kind not in "iu" or x.dtype.kind not in "fc":
        return x
    real = x.real.astype(np.longdouble)
    info = np.iinfo(dtype)
    with np.errstate(invalid="ignore"):
        return x[
            np.isfinite(x)
            & (real > np.longdouble(info.min) - 1)
            & (real < np.longdouble(info.max) + 1)
        ]


@pytest.mark.parametrize("b", DTYPES)
@pytest.mark.parametrize("a", DTYPES)
def test_astype(a, b):
    x = in_range(specials(a), b)
    same(give(x).astype(b), x.astype(b), where=f"{a} to {b}")
    for layout, y in layouts((3, 4), a):
        for order in "KCFA":
            same(
                give(y).astype(b, order=order),
                y.astype(b, order=order),
                where=f"{a} to {b}, {layout} {order}",
            )


@needs_heddle
@pytest.mark.parametrize("b", INTEGERS)
@pytest.mark.parametrize("a", FLOATS)
def test_out_of_range_goes_through_int64_and_wraps(a, b):
    x = np.array(
        [300.0, -300.0, 70000.5, -70000.5, 2.0**31, -(2.0**31) - 1e4, 2.0**32 + 5e3, 1e15, -1e15], a
    )
    x = x[np.isfinite(x)]
    check_values(give(x).astype(b), x.astype("i8").astype(b), where=f"{a} to {b}")


def test_copy_keyword():
    a = give(moderate("f8", 6))
    assert a.astype("f8", copy=False) is a
    assert a.astype("f8") is not a
    assert a.astype("f4", copy=False).dtype == np.float32
    b = give(np.asfortranarray(moderate("f8", 6).reshape(2, 3)))
    assert b.astype("f8", copy=False) is b
    assert b.astype("f8", order="C", copy=False) is not b


@pytest.mark.parametrize("level", LEVELS)
def test_levels(level):
    for a in DTYPES:
        for b in DTYPES:
            x = moderate(a, 4)
            same_outcome(
                outcome(give(x).astype, b, casting=level),
                outcome(x.astype, b, casting=level),
                where=f"{a} to {b}",
            )
            if hasattr(xp, "can_cast"):
                assert xp.can_cast(np.dtype(a), np.dtype(b), level) == np.can_cast(a, b, level)
    same_outcome(
        outcome(xp.ones(2).astype, "f4", casting="odd"),
        outcome(np.ones(2).astype, "f4", casting="odd"),
    )


@pytest.mark.parametrize("b", DTYPES)
@pytest.mark.parametrize("a", DTYPES)
def test_assignment_casts(a, b):
    theirs, x = np.zeros(8, b), moderate(a, 8)
    if np.dtype(b).kind == "u":
        x = np.abs(x) if x.dtype.kind != "c" else np.abs(x.real).astype(a)
        x = x.astype(a)
    ours = give(theirs.copy())
    theirs[...] = x
    ours[...] = give(x)
    same(ours, theirs, where=f"{a} into {b}")
    theirs[1::2] = x[:1]
    ours[1::2] = give(x[:1])
    theirs[::-1][:3] = x[4:7]
    ours[::-1][:3] = give(x[4:7])
    same(ours, theirs, where=f"{a} into {b}")


@pytest.mark.parametrize("dtype", DTYPES)
def test_assignment_of_python_numbers(dtype):
    for value in (
        0,
        1,
        -1,
        3,
        2.5,
        -2.5,
        True,
        1j,
        255,
        256,
        2**31,
        2**63,
        2**64,
        -(2**63),
        1e300,
        float("nan"),
        float("inf"),
        "x",
        None,
        [],
    ):
        if isinstance(value, float) and np.dtype(dtype).kind in "iu" and not abs(value) < 100:
            continue
        if value == -2.5 and np.dtype(dtype).kind == "u":
            continue
        theirs, ours = np.zeros(3, dtype), xp.zeros(3, dtype=dtype)
        want, got = outcome(theirs.__setitem__, 1, value), outcome(ours.__setitem__, 1, value)
        if value is None or value == "x":
            assert got[0] == "error" or dtype != "i4", f"{value!r} into {dtype}"
            continue
        assert got[0] == want[0], f"{value!r} into {dtype}: {got[1]!r}, NumPy {want[1]!r}"
        if got[0] == "error":
            same_outcome(got, want)
        same(ours, theirs, where=f"{value!r} into {dtype}")


@pytest.mark.parametrize("b", ["f8", "f4", "i8", "i4", "u1", "?", "c16"])
@pytest.mark.parametrize("a", ["f8", "f4", "i8", "i4", "u1", "?", "c16"])
def test_in_place_operations_cast_back(a, b):
    for statement in (
        "x += y",
        "x *= y",
        "x -= y",
        "x /= y",
        "x |= y",
        "x **= 2",
        "x += 1.5",
        "x += 1",
        "x += 1j",
        "x //= 2",
    ):
        x, y = moderate(a, 6), np.abs(moderate(b, 6, 1)).astype(b)
        y = y + y.dtype.type(1) if b != "?" else np.ones(6, bool)
        ours, theirs = {"x": give(x.copy()), "y": give(y)}, {"x": x.copy(), "y": y}
        got, want = outcome(exec, statement, ours), outcome(exec, statement, theirs)
        assert got[0] == want[0], f"{statement} of {a}, {b}: {got[1]!r}, NumPy {want[1]!r}"
        if got[0] == "error":
            assert isinstance(got[1], TypeError), got
        same(
            ours["x"],
            theirs["x"],
            ulp=2 if a == "c16" else 0,
            where=f"{statement} of {a}, {b}",
            zero_signs=False,
        )


def test_float_int_bool_complex():
    for dtype in DTYPES:
        for convert in (float, int, bool, complex):
            for n in (
                np.ones(1, dtype)[0],
                np.ones((), dtype),
                np.ones((1, 1), dtype),
                np.zeros(2, dtype),
                np.zeros(0, dtype),
            ):
                if isinstance(n, np.ndarray) and n.size == 1 and n.ndim:
                    continue  # deprecated in NumPy
                a = give(np.asarray(n))[()] if isinstance(n, np.generic) else give(n)
                same_outcome(
                    outcome(convert, a), outcome(convert, n), where=f"{convert.__name__} of {dtype}"
                )
    for dtype in INTEGERS:
        assert list(range(5))[give(np.array(2, dtype))] == 2
    with pytest.raises(TypeError):
        list(range(5))[give(np.array(2.0))]


def test_real_and_complex():
    for dtype in COMPLEX + FLOATS + ["i4"]:
        x = moderate(dtype, 6)
        for name in ("real", "imag"):
            same(getattr(give(x), name), getattr(x, name))
            same(getattr(xp, name)(give(x)), getattr(np, name)(x))
        same(give(x).conj(), x.conj())
    assert not give(moderate("f8", 3)).imag.flags.writeable or IS_NUMPY
