# SPDX-License-Identifier: BSD-3-Clause
"""NumPy 2's promotion: every pair of dtypes, Python numbers beside arrays, NumPy's and our scalars, in every position."""

import numpy as np
import pytest

from common import DTYPES, INTEGERS, IS_NUMPY, give, needs_heddle, outcome, same_outcome, xp

OPERATIONS = [
    "add",
    "multiply",
    "divide",
    "power",
    "floor_divide",
    "maximum",
    "less",
    "bitwise_and",
    "arctan2",
    "left_shift",
    "logical_and",
]
NUMBERS = [
    True,
    1,
    3,
    2.5,
    1j,
    0,
    200,
    -1,
    300,
    2**31,
    2**40,
    2**63,
    2**70,
    float("inf"),
    float("nan"),
]


def dtype_of(kind, value):
    """Dtype of an outcome, or its exception's kind."""
    if kind == "value":
        return getattr(value, "dtype", type(value))
    return next(c for c in type(value).__mro__ if c.__module__ == "builtins")


def same_dtype(ours, theirs, where):
    want = dtype_of(*theirs)
    got = dtype_of(*ours)
    assert got == want, f"{where}: {got}, NumPy has {want} ({ours[1]!r})"


@pytest.mark.parametrize("name", OPERATIONS)
def test_pairs(name):
    for a in DTYPES:
        for b in DTYPES:
            x, y = np.ones(2, a), np.ones(2, b)
            same_dtype(
                outcome(getattr(xp, name), give(x), give(y)),
                outcome(getattr(np, name), x, y),
                f"{name} of {a} and {b}",
            )


def test_result_type():
    for a in DTYPES:
        for b in DTYPES:
            assert xp.result_type(np.dtype(a), np.dtype(b)) == np.result_type(a, b)
            assert xp.result_type(xp.ones(2, dtype=a), np.dtype(b)) == np.result_type(a, b)
        for number in (True, 1, 2.5, 1j):
            assert xp.result_type(xp.ones(2, dtype=a), number) == np.result_type(
                np.ones(2, a), number
            )
    if hasattr(xp, "promote_types"):
        assert xp.promote_types("i4", "f4") == np.promote_types("i4", "f4")


@pytest.mark.parametrize("name", OPERATIONS)
def test_python_numbers_are_weak(name):
    for dtype in DTYPES:
        for number in NUMBERS:
            x = np.ones(2, dtype)
            if name == "power" and number == -1 and np.dtype(dtype).kind in "iu":
                continue
            for swapped in (False, True):
                mine, theirs = (
                    ((number, give(x)), (number, x))
                    if swapped
                    else ((give(x), number), (x, number))
                )
                same_dtype(
                    outcome(getattr(xp, name), *mine),
                    outcome(getattr(np, name), *theirs),
                    f"{name} of {dtype} and {number!r}{' swapped' if swapped else ''}",
                )


@pytest.mark.parametrize("dtype", DTYPES)
def test_operators_with_python_numbers(dtype):
    for text in (
        "x + n",
        "n + x",
        "x - n",
        "n - x",
        "x * n",
        "x / n",
        "n / x",
        "x // n",
        "x % n",
        "x ** n",
        "n ** x",
        "x < n",
        "n < x",
        "x == n",
        "x & n",
        "n | x",
        "x << n",
    ):
        for number in NUMBERS:
            if "**" in text and isinstance(number, (int, float)) and not 0 <= number < 100:
                continue
            ours = outcome(eval, text, {"x": xp.ones(2, dtype=dtype), "n": number})
            theirs = outcome(eval, text, {"x": np.ones(2, dtype), "n": number})
            same_dtype(ours, theirs, f"{text} of {dtype} and {number!r}")


@pytest.mark.parametrize("dtype", INTEGERS)
def test_numbers_that_do_not_fit(dtype):
    info = np.iinfo(dtype)
    for number in (info.max, info.max + 1, info.min, info.min - 1):
        for text in ("x + n", "n * x", "x > n", "x == n", "x <= n", "n < x"):
            ours = outcome(eval, text, {"x": xp.zeros(2, dtype=dtype), "n": number})
            theirs = outcome(eval, text, {"x": np.zeros(2, dtype), "n": number})
            same_outcome(ours, theirs, where=f"{text} of {dtype} and {number}")


def test_numpy_scalars_are_strong():
    for a in DTYPES:
        for b in DTYPES:
            x, s = np.ones(2, a), np.ones((), b)[()]
            same_dtype(
                outcome(lambda: give(x) + s), outcome(lambda: x + s), f"{a} array + {b} scalar"
            )
            same_dtype(
                outcome(xp.multiply, s, give(x)),
                outcome(np.multiply, s, x),
                f"{b} scalar * {a} array",
            )


@needs_heddle
def test_our_scalars_and_zero_dimensional_arrays_are_strong():
    for a in DTYPES:
        for b in DTYPES:
            x, y = np.ones(2, a), np.ones(3, b)
            for make in (lambda v: v.max(), lambda v: v[0], lambda v: v.sum()):
                same_dtype(
                    outcome(lambda: give(x) + make(give(y))),
                    outcome(lambda: x + make(y)),
                    f"{a} array, {b} scalar",
                )
            same_dtype(
                outcome(lambda: give(x) + xp.ones((), dtype=b)),
                outcome(lambda: x + np.ones((), b)),
                f"{a}, 0-d {b}",
            )


def test_scalars_among_themselves():
    for a in ("f8", "f4", "i4", "i8", "u1", "?", "c16"):
        s, t = np.ones(3, a).max(), give(np.ones(3, a)).max()
        for number in (True, 2, 2.5, 1j):
            same_dtype(
                outcome(lambda: t + number), outcome(lambda: s + number), f"{a} scalar + {number!r}"
            )
            same_dtype(
                outcome(lambda: number * t), outcome(lambda: number * s), f"{number!r} * {a} scalar"
            )


def test_where_and_concatenate_and_clip():
    for a in DTYPES:
        x = np.ones(2, a)
        for number in (True, 2, 2.5, 1j):
            same_dtype(
                outcome(xp.where, give(x) != 0, give(x), number),
                outcome(np.where, x != 0, x, number),
                f"where {a} {number!r}",
            )
        for number in (2, 2.5):
            if np.dtype(a).kind != "b":
                same_dtype(
                    outcome(xp.clip, give(x), 0, number),
                    outcome(np.clip, x, 0, number),
                    f"clip {a} {number!r}",
                )
        for b in DTYPES:
            y = np.ones(3, b)
            same_dtype(
                outcome(xp.concatenate, [give(x), give(y)]),
                outcome(np.concatenate, [x, y]),
                f"concatenate {a} {b}",
            )


def test_dtypes_are_numpys():
    assert xp.float64 is np.float64 and xp.int32 is np.int32 and xp.bool is np.bool
    a = xp.zeros(3, dtype="f4")
    assert a.dtype is np.dtype("f4") or a.dtype == np.dtype("f4")
    assert isinstance(a.dtype, np.dtype)
    for dtype in ("U3", "O", "M8[s]", "g", "V4", [("a", "f8")]):
        x = xp.zeros(3, dtype=dtype)
        assert type(x) is np.ndarray and x.dtype == np.dtype(dtype)
    for dtype in ("nothing", 7, object()):
        with pytest.raises(TypeError):
            xp.zeros(3, dtype=dtype)


def test_result_type__again():
    """Asked for twice: the answers that are remembered tell 1, 1.0 and True apart."""
    arrays = [np.ones(2, t) for t in ("i1", "u8", "f4", "c8")]
    for _ in range(2):
        for x in arrays:
            for other in (1, 1.0, True, 1j, np.float64(1), np.int8(1), "f8", np.ones(1), *arrays):
                mine = give(other) if any(other is a for a in arrays) else other
                assert xp.result_type(give(x), mine) == np.result_type(x, other), (x.dtype, other)
                assert xp.result_type(mine, give(x)) == np.result_type(other, x), (x.dtype, other)
    for _ in range(2):
        for wrong in ((), ("nothing",), (object(),), ("M8[s]", "f8")):
            same_outcome(outcome(xp.result_type, *wrong), outcome(np.result_type, *wrong), wrong)
