# SPDX-License-Identifier: BSD-3-Clause
"""Making arrays: zeros to eye, arange and linspace to the bit, array and asarray from everything, copies and sharing."""

import array as stdlib_array
import copy
import pickle
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from common import (
    COMPLEX,
    DTYPES,
    FLOATS,
    INTEGERS,
    IS_NUMPY,
    give,
    layouts,
    moderate,
    needs_heddle,
    outcome,
    same,
    same_outcome,
    shares_memory,
    xp,
)

SHAPES = [(), 3, (3,), (2, 3), (0,), (0, 3), (2, 0, 4), [2, 2], np.int64(4), (1,) * 20]


@pytest.mark.parametrize("name", ["zeros", "ones", "empty"])
def test_filled(name):
    for shape in SHAPES:
        for dtype in (
            None,
            *DTYPES,
            np.float32,
            "float64",
            int,
            float,
            bool,
            complex,
            np.dtype("i2"),
        ):
            got, want = getattr(xp, name)(shape, dtype=dtype), getattr(np, name)(shape, dtype=dtype)
            if name == "empty":
                assert (got.dtype, got.shape, got.strides) == (want.dtype, want.shape, want.strides)
            else:
                same(got, want)
    got, want = getattr(xp, name)((2, 3), order="F"), getattr(np, name)((2, 3), order="F")
    assert got.strides == want.strides
    if name != "empty":
        same(got, want)


def test_full():
    for value in (3, 2.5, True, 1j, np.float32(1.5), np.arange(3), [1, 2, 3]):
        for dtype in (None, "f4", "c16"):
            same(
                xp.full((2, 3), value, dtype=dtype),
                np.full((2, 3), value, dtype=dtype),
                where=f"{value!r} {dtype}",
            )
    same(xp.full((2, 3), xp.arange(3)), np.full((2, 3), np.arange(3)))
    same_outcome(outcome(xp.full, (2,), [1, 2, 3]), outcome(np.full, (2,), [1, 2, 3]))
    same_outcome(outcome(xp.full, (2,), 300, dtype="u1"), outcome(np.full, (2,), 300, dtype="u1"))


@pytest.mark.parametrize("name", ["zeros_like", "ones_like", "empty_like"])
def test_like(name):
    for layout, x in layouts((3, 4), "f4"):
        for keywords in ({}, {"dtype": "i4"}, {"shape": (5,)}):
            got, want = getattr(xp, name)(give(x), **keywords), getattr(np, name)(x, **keywords)
            assert (got.dtype, got.shape, got.strides) == (want.dtype, want.shape, want.strides), (
                layout
            )
            if name != "empty_like":
                same(got, want, where=layout)
    same(xp.full_like(give(moderate("i4", 6)), 2.7), np.full_like(moderate("i4", 6), 2.7))


@pytest.mark.parametrize(
    "arguments",
    [
        (5,),
        (0,),
        (-3,),
        (2, 9),
        (9, 2),
        (2, 9, 3),
        (9, 2, -3),
        (9, 2, 3),
        (0, 1, 0.1),
        (1, 0, -0.3),
        (0.5, 4),
        (1e6, 1e6 + 3, 0.7),
        (3.7,),
        (-1.5,),
        (0, 10, 2.5),
        (np.int32(7),),
        (1, 2, 1e-3),
        (2**60, 2**60 + 5),
        (0.0, 1e-300, 1e-301),
        (True, 4),
    ],
)
def test_arange(arguments):
    same(xp.arange(*arguments), np.arange(*arguments))
    for dtype in ("f4", "f8", "i8", "i4", "c16"):
        if (
            all(isinstance(a, (int, np.integer)) for a in arguments)
            and max(map(abs, arguments)) < 2**30
        ):
            same(
                xp.arange(*arguments, dtype=dtype), np.arange(*arguments, dtype=dtype), where=dtype
            )


_ENDS = st.one_of(st.integers(-300, 300), st.floats(-300, 300, width=16), st.just(2**53 + 1))
_STEPS = st.one_of(st.integers(-7, 7).filter(bool), st.sampled_from([0.1, -0.25, 1e-1, 3.5, None]))


@given(_ENDS, st.none() | _ENDS, _STEPS, st.sampled_from([None, int, float, "f4", np.dtype("i4")]))
def test_arange__ints_and_floats(start, stop, step, dtype):
    length = (start if stop is None else stop - start) / (step or 1)
    if abs(length) < 5000:
        same(xp.arange(start, stop, step, dtype), np.arange(start, stop, step, dtype), where=(start, stop, step, dtype))


def test_arange_refuses():
    for arguments in ((0, 1, 0), (1, 0, 0), (1, 1, 0.0), (0, float("inf")), (0, float("nan")), ()):
        want = outcome(np.arange, *arguments)
        got = outcome(xp.arange, *arguments)
        assert got[0] == want[0] == "error", (arguments, got)
    same(xp.arange(start=2, stop=5), np.arange(start=2, stop=5))


@pytest.mark.parametrize(
    "arguments",
    [
        (0, 1),
        (0, 1, 7),
        (0, 1, 1),
        (0, 1, 0),
        (5, -5, 11),
        (-np.pi, np.pi, 2000),
        (1, 1, 5),
        (0, 1e300, 4),
        (0, 10, 11),
        (0.1, 0.7, 1001),
    ],
)
def test_linspace(arguments):
    for endpoint in (True, False):
        for dtype in (None, "f4", "f8", "c16", "i4"):
            if dtype == "i4" and max(map(abs, arguments[:2])) > 1e9:
                continue
            same(
                xp.linspace(*arguments, endpoint=endpoint, dtype=dtype),
                np.linspace(*arguments, endpoint=endpoint, dtype=dtype),
                where=f"{endpoint} {dtype}",
            )
    ours, step = xp.linspace(0, 1, 5, retstep=True)
    assert step == np.linspace(0, 1, 5, retstep=True)[1]
    same_outcome(outcome(xp.linspace, 0, 1, -1), outcome(np.linspace, 0, 1, -1))


def test_eye():
    for arguments in ((3,), (0,), (3, 5), (5, 3), (3, 5, 2), (3, 5, -1), (3, 3, 9), (4, 4, -9)):
        for dtype in (None, "i4", "?", "c16"):
            keywords = {} if dtype is None else {"dtype": dtype}
            same(xp.eye(*arguments, **keywords), np.eye(*arguments, **keywords))
    same(xp.identity(3), np.identity(3))


# ---- array and asarray ----------------------------------------------------------------------------------------------------

THINGS = [
    3,
    2.5,
    True,
    1 + 2j,
    [],
    [1, 2],
    [1, 2.5],
    [True, False],
    [True, 2],
    [[1, 2], [3, 4]],
    (1, (2)),
    [(1, 2), (3, 4)],
    [[]],
    [[], []],
    [1, 2j],
    range(5),
    np.float32(2),
    [np.float32(1), np.float32(2)],
    [np.int8(1), 2],
    [[[1]]],
    [1, 2**40],
    -(2**63),
    2**63,
    [0.1] * 20,
    [np.arange(3), np.arange(3)],
    [np.zeros((2, 2)), np.ones((2, 2))],
    stdlib_array.array("d", [1.0, 2.0]),
    bytearray(b"abc"),
    memoryview(b"xyz"),
    [True],
    [[1.0], [2.0]],
]


def name_of(thing):
    """Without addresses, so that the names of tests are the same in each process."""
    return re.sub(" (object )?at 0x[0-9a-f]+", "", repr(thing))[:30]


@pytest.mark.parametrize("thing", THINGS, ids=name_of)
def test_array_of(thing):
    same_outcome(outcome(xp.array, thing), outcome(np.array, thing))
    same_outcome(outcome(xp.asarray, thing), outcome(np.asarray, thing))
    same_outcome(outcome(xp.array, thing, dtype="f4"), outcome(np.array, thing, dtype="f4"))
    same_outcome(outcome(xp.array, thing, ndmin=2), outcome(np.array, thing, ndmin=2))


@pytest.mark.parametrize(
    "thing",
    [[[1, 2], [3]], [1, [2]], [[1], 2], [[1, 2], "ab"]],
    ids=name_of,
)
def test_array_refuses(thing):
    got = outcome(xp.array, thing)
    assert got[0] == "error" and isinstance(got[1], (TypeError, ValueError)), got


@pytest.mark.parametrize("order", "AKCF")
def test_asarray__what_does_not_fit_is_told_for_each_order(order):
    for thing in [0, float("inf")], [float("nan")], ["x"]:
        same_outcome(outcome(xp.asarray, thing, "i1", order=order), outcome(np.asarray, thing, "i1", order=order))


LARGE = {      # past the pieces in which several threads copy, whose ends fall within rows
    "whole": lambda x: x,
    "every second": lambda x: x[::2],
    "backwards": lambda x: x[::-3],
    "columns": lambda x: x[:999_900].reshape(300, 3333)[:, 5:3000],
    "some of both": lambda x: x[:999_900].reshape(300, 3333)[::-2, ::3],
    "a row for all": lambda x: np.broadcast_to(x[:3001:3], (700, 1001)),
    "an element for all": lambda x: np.broadcast_to(x[7:8, None, None], (11, 211, 307)),
    "three axes": lambda x: x[:994_500].reshape(51, 130, 150)[1:, ::-1, 1::2].transpose(1, 2, 0),
    "an axis of one": lambda x: x[:999_900].reshape(300, 1, 3333)[:, :, ::2],
}


@pytest.mark.parametrize("layout", LARGE)
@pytest.mark.parametrize("dtype", ["?", "i2", "f4", "f8", "c16"])
def test_asarray__large_arrays_of_any_strides(layout, dtype):
    """And back: bytes are read in C order."""
    n = LARGE[layout]((np.arange(1_000_003) % 251).astype(dtype))
    x = xp.asarray(n)
    assert np.asarray(x).tobytes() == n.tobytes()
    assert x[..., ::2].tobytes() == n[..., ::2].tobytes()


def test_array_copies_and_asarray_of_ours_does_not():
    x = moderate("f8", 6)
    ours = xp.array(x)
    x[0] = 99
    same(ours, moderate("f8", 6))
    assert xp.asarray(ours) is ours
    other = xp.array(ours)
    other[1] = 55
    same(ours, moderate("f8", 6))
    assert xp.array(ours, copy=None) is ours
    assert xp.asarray(ours, dtype="f8") is ours
    assert xp.asarray(ours, dtype="f4").dtype == np.float32


@needs_heddle
@shares_memory
def test_what_comes_from_outside_is_copied_unless_asked():
    x = np.zeros(4)
    copied, shared = xp.asarray(x), xp.asarray(x, copy=False)
    x[:] = 7
    same(copied, np.zeros(4))
    same(shared, x)
    shared += 1
    assert x.tolist() == [8, 8, 8, 8]
    shared[1:3] = 0
    assert x.tolist() == [8, 0, 0, 8]
    with pytest.raises(ValueError):
        xp.asarray([1, 2], copy=False)
    with pytest.raises(ValueError):
        xp.asarray(x, dtype="f4", copy=False)
    readonly = np.arange(3.0)
    readonly.flags.writeable = False
    view = xp.asarray(readonly, copy=False)
    with pytest.raises(ValueError):
        view[0] = 1
    strided = xp.asarray(np.arange(12.0).reshape(3, 4)[::-1, ::2], copy=False)
    same(strided * 1, np.arange(12.0).reshape(3, 4)[::-1, ::2] * 1)


def test_order():
    for layout, x in layouts((3, 4), "f8"):
        for order in "CFAK":
            same(
                xp.array(give(x), order=order), np.array(x, order=order), where=f"{layout} {order}"
            )
            same(give(x).copy(order), x.copy(order), where=f"copy {layout} {order}")
        same(xp.ascontiguousarray(give(x)), np.ascontiguousarray(x), where=layout)


def test_copy_and_pickle():
    for layout, x in layouts((3, 4), "i4"):
        a = give(x)
        for made in (copy.copy(a), copy.deepcopy(a), pickle.loads(pickle.dumps(a)), xp.copy(a)):
            assert type(made) is type(a)
            same(made, x, strides=False, where=layout)
            made[0, 0] = 42
        same(a, x)


def test_fill_and_item():
    for dtype in INTEGERS + FLOATS + COMPLEX:
        theirs, ours = np.zeros(5, dtype), xp.zeros(5, dtype=dtype)
        theirs.fill(3)
        ours.fill(3)
        same(ours, theirs)
        assert ours.item(2) == theirs.item(2) and type(ours.item(2)) is type(theirs.item(2))
        assert ours.tolist() == theirs.tolist()
        assert ours.tobytes() == theirs.tobytes()


def test_concatenate_and_stack():
    for a, b in (("f8", "f8"), ("i4", "f4"), ("?", "u1"), ("c16", "i8")):
        x, y = moderate(a, 6).reshape(2, 3), moderate(b, 6, 2).reshape(2, 3)
        p, q = give(x), give(y)
        for axis in (0, 1, -1, None):
            same(xp.concatenate([p, q], axis=axis), np.concatenate([x, y], axis=axis))
        for axis in (0, 1, 2, -1, -3):
            same(xp.stack([p, q, p], axis=axis), np.stack([x, y, x], axis=axis))
        same(xp.concatenate((p[:, :2], q), axis=1), np.concatenate((x[:, :2], y), axis=1))
        same(xp.concatenate([p[:0], q]), np.concatenate([x[:0], y]))
        same(xp.concatenate([p.T, q[::-1].T], axis=1), np.concatenate([x.T, y[::-1].T], axis=1))
        same(
            xp.concatenate([p, q], dtype="f4", casting="unsafe"),
            np.concatenate([x, y], dtype="f4", casting="unsafe"),
        )
    for bad in ([], [np.zeros(2), np.zeros((2, 2))], [np.zeros((2, 2)), np.zeros((2, 3))]):
        same_outcome(outcome(xp.concatenate, [give(b) for b in bad]), outcome(np.concatenate, bad))
    for bad in ([], [np.zeros(2), np.zeros(3)]):
        same_outcome(outcome(xp.stack, [give(b) for b in bad]), outcome(np.stack, bad))
    out = xp.zeros((4, 3))
    assert xp.concatenate([xp.ones((2, 3)), xp.zeros((2, 3))], out=out) is out
    assert out.sum() == 6
