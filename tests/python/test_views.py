# SPDX-License-Identifier: BSD-3-Clause
"""Views and indexing against NumPy: the same shape, strides, sharing, write-through, flags and errors."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from common import DTYPES, IS_NUMPY, give, layouts, moderate, needs_heddle, outcome, same, same_outcome, shares_memory, xp


def array(shape=(4, 5, 6), dtype="f8"):
    return np.arange(int(np.prod(shape))).reshape(shape).astype(dtype)


def pair(shape=(4, 5, 6), dtype="f8"):
    return give(array(shape, dtype)), array(shape, dtype)


INDICES = [
    0,
    -1,
    3,
    4,
    -5,
    slice(None),
    slice(1, 3),
    slice(None, None, -1),
    slice(3, 0, -2),
    slice(10, 20),
    slice(-3, None),
    slice(2, 2),
    slice(None, None, 3),
    None,
    Ellipsis,
    (),
    (0, 0),
    (0, 0, 0),
    (0, 0, 0, 0),
    (slice(None), 1),
    (Ellipsis, 1),
    (1, Ellipsis),
    (None, 1, None),
    (Ellipsis, None),
    (slice(None, None, 2), slice(None, None, -1), slice(1, 4)),
    (1, slice(None), 2),
    (slice(None), None, slice(0, 0)),
    (Ellipsis, Ellipsis),
    (np.int64(1), np.int8(-1)),
    True,
    False,
    (0, True),
    1.0,
    "a",
    (0, "a"),
    (slice(None, None, 0),),
    slice(2**70),
    (3, -5, 5),
    (Ellipsis, slice(5, 0, -2), None),
]


@pytest.mark.parametrize("index", INDICES, ids=repr)
def test_reading_by_index(index):
    a, n = pair()
    if isinstance(index, bool) or (
        isinstance(index, tuple) and any(isinstance(i, bool) for i in index)
    ):
        ours, theirs = outcome(a.__getitem__, index), outcome(n.__getitem__, index)
        if ours[0] == "error" and isinstance(ours[1], (NotImplementedError, IndexError)):
            return  # Python's bools as masks are not there yet
        same_outcome(ours, theirs)
        return
    same_outcome(outcome(a.__getitem__, index), outcome(n.__getitem__, index))


@pytest.mark.parametrize(
    "index", [i for i in INDICES if not isinstance(i, (bool, str, float))], ids=repr
)
def test_writing_by_index(index):
    for value in (
        7,
        2.5,
        np.array(9.0),
        np.arange(6.0),
        np.zeros((5, 1)),
        np.zeros((1, 1, 1, 6)),
        np.zeros((2, 2)),
    ):
        a, n = pair()
        if isinstance(index, tuple) and True in [i is True for i in index]:
            continue
        ours = outcome(
            a.__setitem__, index, give(value) if isinstance(value, np.ndarray) else value
        )
        theirs = outcome(n.__setitem__, index, value)
        assert ours[0] == theirs[0], f"{value!r}: {ours} {theirs}"
        same(a, n)


basic_item = st.one_of(
    st.integers(-6, 5),
    st.none(),
    st.just(Ellipsis),
    st.builds(
        slice,
        *[st.one_of(st.none(), st.integers(-8, 8))] * 2,
        st.one_of(st.none(), st.integers(-3, 3).filter(bool)),
    ),
)


@given(st.lists(basic_item, max_size=5).map(tuple), st.lists(basic_item, max_size=3).map(tuple))
def test_any_basic_index(first, second):
    a, n = pair((3, 4, 5), "i4")
    ours, theirs = outcome(a.__getitem__, first), outcome(n.__getitem__, first)
    same_outcome(ours, theirs, where=repr(first))
    if theirs[0] == "value" and isinstance(theirs[1], np.ndarray):
        ours, theirs = outcome(ours[1].__getitem__, second), outcome(theirs[1].__getitem__, second)
        same_outcome(ours, theirs, where=f"{first!r} {second!r}")
        if theirs[0] == "value" and isinstance(theirs[1], np.ndarray):
            ours[1][...] = -1
            theirs[1][...] = -1
            same(a, n, where=f"{first!r} {second!r}")


def test_element_reads_are_scalars():
    a, n = pair()
    for index in ((0, 1, 2), (-1, -1, -1)):
        same(a[index], n[index])
        assert float(a[index]) == float(n[index]) and hash(a[index]) == hash(n[index])
    value = a[0, 0, 1]
    a[0, 0, 1] = 99
    assert float(value) == 1.0  # a value, not a view
    a, n = pair((3,), "i8")
    s = a[1]
    s += 1
    same(a, n)
    assert int(s) == 2


VIEWS = {
    "T": lambda a: a.T,
    "transpose": lambda a: a.transpose(1, 0, 2),
    "transpose of a tuple": lambda a: a.transpose((2, 0, 1)),
    "negative axes": lambda a: a.transpose(-1, 0, 1),
    "swapaxes": lambda a: a.swapaxes(0, 2),
    "reshape": lambda a: a.reshape(20, 6),
    "reshape -1": lambda a: a.reshape(5, -1),
    "reshape of a tuple": lambda a: a.reshape((2, 2, 30)),
    "ravel": lambda a: a.ravel(),
    "reshape of a slice": lambda a: a[:, 1:3].reshape(4, 12),
    "reshape copies": lambda a: a.T.reshape(120),
    "reshape F": lambda a: a.reshape(6, 20, order="F"),
    "squeeze": lambda a: a[:1].squeeze(),
    "newaxis": lambda a: a[:, None],
    "squeeze axis": lambda a: a[:1, :, :1].squeeze(axis=2),
    "diagonal": lambda a: a.diagonal(),
    "view": lambda a: a.view(),
    "diagonal offset": lambda a: a.diagonal(1, 1, 2),
    "diagonal negative": lambda a: a.diagonal(-2, axis1=2, axis2=0),
    "real": lambda a: a.real,
    "imag": lambda a: a.imag,
    "view i8": lambda a: a.view("i8"),
    "view u1": lambda a: a.view("u1"),
    "view c16": lambda a: a.view("c16"),
    "ravel of transposed": lambda a: a.T.ravel(),
    "flatten": lambda a: a.flatten(),
    "mT": lambda a: a.mT,
    "ravel F": lambda a: a.ravel("F"),
    "ravel K": lambda a: a.T.ravel("K"),
    "flipped": lambda a: a[::-1, :, ::-1],
    "ravel of a column": lambda a: a[:, 1, 2].ravel(),
    "ravel of a reversed row": lambda a: a[1, 2, ::-1].ravel(),
    "ravel K of a slice": lambda a: a[:, ::2].T.ravel("K"),
    "ravel A of columns": lambda a: a.T[:, :, 0].ravel("A"),
}


@pytest.mark.parametrize("name", VIEWS)
def test_view(name):
    for dtype in ("f8", "c16") if name != "view c16" else ("f8",):
        a, n = pair(dtype=dtype)
        ours, theirs = VIEWS[name](a), VIEWS[name](n)
        same(ours, theirs)
        assert ours.flags.writeable == theirs.flags.writeable
        shares = np.shares_memory(theirs, n)
        if not IS_NUMPY:
            assert xp.may_share_memory(ours, a) == shares or not hasattr(xp, "may_share_memory")
        if theirs.flags.writeable and theirs.size and theirs.dtype.kind in "fc":
            ours[...] = ours + 1
            theirs[...] = theirs + 1
            same(a, n)
            a[1] = 5
            n[1] = 5
            same(ours, theirs)


def test_functions_that_view():
    a, n = pair()
    for name, arguments in (
        ("transpose", ()),
        ("transpose", ((1, 2, 0),)),
        ("reshape", ((6, 20),)),
        ("ravel", ()),
        ("squeeze", ()),
        ("expand_dims", (0,)),
        ("expand_dims", ((0, 2),)),
        ("expand_dims", (-1,)),
        ("broadcast_to", ((2, 4, 5, 6),)),
        ("moveaxis", (0, -1)),
        ("swapaxes", (0, 1)),
        ("diagonal", ()),
        ("real", ()),
        ("imag", ()),
        ("flip", ()),
        ("atleast_1d", ()),
        ("atleast_2d", ()),
    ):
        if hasattr(xp, name):
            same(getattr(xp, name)(a, *arguments), getattr(np, name)(n, *arguments), where=name)


@pytest.mark.parametrize(
    "shape,new",
    [
        ((4, 6), (24,)),
        ((4, 6), (2, 2, 6)),
        ((4, 6), (3, 8)),
        ((4, 6), (4, 3, 2)),
        ((4, 6), (1, 24, 1)),
        ((1, 1), ()),
        ((), (1, 1)),
        ((0, 3), (3, 0)),
        ((0, 3), (0,)),
        ((0, 3), (-1,)),
        ((0, 3), (0, -1)),
        ((6,), (2, -1)),
        ((4, 6), (5, 5)),
        ((4, 6), (-1, -1)),
        ((4, 6), (-1, 5)),
        ((4, 6), (-2, 12)),
        ((0,), (3, -1)),
    ],
)
def test_reshape(shape, new):
    for layout, n in (
        layouts(shape, "i4")
        if len(shape) == 2 and 0 not in shape
        else [("c", np.zeros(shape, "i4"))]
    ):
        a = give(n)
        for order in "CFA":
            ours, theirs = (
                outcome(a.reshape, new, order=order),
                outcome(n.reshape, new, order=order),
            )
            same_outcome(ours, theirs, where=f"{layout} {order}")
            if theirs[0] == "value" and theirs[1].flags.writeable and n.size > 1 and not IS_NUMPY:
                shared = np.shares_memory(theirs[1], n)
                assert xp.may_share_memory(ours[1], a) == shared, (
                    f"{layout} {order}: a {'copy' if shared else 'view'}"
                )


def test_setting_shape():
    a, n = pair()
    a.shape = n.shape = (20, 6)
    same(a, n)
    a, n = a.T, n.T
    with pytest.raises(AttributeError):
        n.shape = (120,)
    with pytest.raises(AttributeError):
        a.shape = (120,)


def test_broadcast_to():
    for shape, new in (
        ((3,), (2, 3)),
        ((1, 3), (4, 3)),
        ((), (2, 2)),
        ((2, 1), (2, 0)),
        ((3,), (3, 2)),
        ((2, 3), (3,)),
        ((1,), (0,)),
    ):
        a, n = pair(shape)
        ours, theirs = outcome(xp.broadcast_to, a, new), outcome(np.broadcast_to, n, new)
        same_outcome(ours, theirs)
        if theirs[0] == "value":
            assert not ours[1].flags.writeable
            with pytest.raises(ValueError):
                ours[1][...] = 1
    if hasattr(xp, "broadcast_arrays"):
        a, n = pair((3, 1))
        for x, y in zip(xp.broadcast_arrays(a, xp.arange(4)), np.broadcast_arrays(n, np.arange(4))):
            same(x, y, strides=False)


def test_as_strided():
    as_strided, theirs = xp.lib.stride_tricks.as_strided, np.lib.stride_tricks.as_strided
    a, n = pair((12,))
    for shape, strides in (
        ((10, 3), (8, 8)),
        ((3, 4), (32, 8)),
        ((5,), (16,)),
        ((2, 2), (0, 8)),
        ((0, 4), (8, 8)),
        ((6,), (-8,)),
    ):
        start = 5 if strides[0] < 0 else 0
        same(as_strided(a[start:], shape, strides), theirs(n[start:], shape, strides))
    if not IS_NUMPY:
        for shape, strides in (((13,), (8,)), ((2,), (-8,)), ((2, 2), (96, 8))):
            with pytest.raises(ValueError):
                as_strided(a, shape, strides)


def test_dtype_changing_views():
    for dtype, others in (
        ("f8", ("i8", "u1", "f4", "c16", "i2")),
        ("i4", ("u4", "f4", "u1", "i8")),
        ("c16", ("f8", "i4")),
        ("u1", ("i1", "u4", "f8")),
        ("i8", ("f4", "?")),
    ):
        for other in others:
            a, n = pair((3, 16), dtype)
            same(a.view(other), n.view(other), where=f"{dtype} as {other}")
            for change in (lambda x: x[:, ::2], lambda x: x.T, lambda x: x[::-1]):
                same_outcome(
                    outcome(change(a).view, other),
                    outcome(change(n).view, other),
                    where=f"{dtype} as {other}",
                )
            same_outcome(
                outcome(a[:, :3].view, other),
                outcome(n[:, :3].view, other),
                where=f"{dtype} as {other}, 3 columns",
            )
    a, n = pair((6,), "f8")
    a.view("u1")[3:9] = 17
    n.view("u1")[3:9] = 17
    same(a, n)
    a.view("i8")[2] += 1
    n.view("i8")[2] += 1
    same(a * 1, n * 1)
    c, m = pair((4,), "c16")
    c.real[...] = 7
    c.imag += c.real
    m.real[...] = 7
    m.imag += m.real
    same(c, m)
    c.real = 1
    m.real = 1
    c.imag = [1, 2, 3, 4]
    m.imag = [1, 2, 3, 4]
    same(c, m)


def test_flags():
    for layout, n in layouts((4, 6)):
        a = give(n)
        if layout in ("c", "fortran"):
            for flag in ("C_CONTIGUOUS", "F_CONTIGUOUS", "WRITEABLE", "OWNDATA", "ALIGNED"):
                assert xp.array(a, order="K").flags[flag] == np.array(n, order="K").flags[flag], (
                    layout,
                    flag,
                )
        for flag in ("c_contiguous", "f_contiguous"):
            assert getattr(a.flags, flag) == getattr(n.flags, flag), (layout, flag)
    a = xp.ones(3)
    a.flags.writeable = False
    for write in (
        lambda: a.__setitem__(0, 1),
        lambda: a.__iadd__(1),
        lambda: xp.add(a, 1, out=a),
        lambda: a.fill(2),
        lambda: a[1:].__setitem__(0, 3),
        lambda: a[::-1].__imul__(2),
    ):
        with pytest.raises(ValueError):
            write()
    assert a.sum() == 3
    b = a[1:]
    assert not b.flags.writeable
    a.flags.writeable = True
    a += 1
    assert a.sum() == 6


def test_attributes():
    for layout, n in layouts((4, 6), "f4"):
        a = give(n)
        assert (a.shape, a.strides, a.ndim, a.size, a.nbytes, a.itemsize, a.dtype, len(a)) == (
            n.shape,
            n.strides,
            n.ndim,
            n.size,
            n.nbytes,
            n.itemsize,
            n.dtype,
            len(n),
        ), layout
    with pytest.raises(TypeError):
        len(xp.array(3.0))


# ---- index arrays and masks ----------------------------------------------------------------------------------------------


def test_reading_by_index_arrays():
    a, n = pair()
    for index in (
        [0, 2],
        [-1, 0, 0],
        [[0, 1], [2, 3]],
        np.array([1, 2]),
        np.array([], "i8"),
        ([0, 1], [2, 3]),
        ([0, 1], [2, 3], [4, 5]),
        ([[0], [1]], [2, 3]),
        ([0, 1], 2),
        np.array([1], "u1"),
        np.array([3, 1], "i4"),
        np.array(2),
        [np.int64(1), 2],
    ):
        same(a[index], n[index], where=repr(index), strides=False)
        if isinstance(index, np.ndarray):
            same(a[give(index)], n[index], where=repr(index), strides=False)
    for index in ([4], [-5], [0, 99], ([0], [5]), np.array([1.0]), [1.5]):
        same_outcome(
            outcome(a.__getitem__, index), outcome(n.__getitem__, index), where=repr(index)
        )
    for index in (3, [0, 2], [[1], [3]]):
        if hasattr(xp, "take"):
            same(xp.take(a, index, axis=0), np.take(n, index, axis=0), strides=False)


def test_writing_by_index_arrays():
    for index in (
        [0, 2],
        [-1, 0, 0],
        [[0, 1], [2, 3]],
        ([0, 1], [2, 3]),
        np.array([], "i8"),
        ([0, 0, 1], [1, 1, 2], [3, 3, 3]),
    ):
        for value in (7.0, np.arange(6.0)):
            a, n = pair()
            want = outcome(n.__setitem__, index, value)
            got = outcome(
                a.__setitem__, index, give(value) if isinstance(value, np.ndarray) else value
            )
            assert got[0] == want[0], f"{index} {value!r}: {got[1]!r}"
            same(a, n, where=repr(index))
    a, n = pair((5,))
    a[[1, 1, 3]] += 10
    n[[1, 1, 3]] += 10
    same(a, n)
    a[[0, 0, 0]] = [1, 2, 3]
    assert float(a[0]) == 3.0  # the last one wins
    for index in ([5], [-6]):
        with pytest.raises(IndexError):
            a[index] = 1


@given(st.sampled_from(DTYPES), st.sampled_from(["i4", "i8", "u2"]), st.integers(1, 90), st.data())
def test_writing_by_index_arrays__repeats(dtype, index_dtype, n, data):
    """Many of the same place, from both ends, in arrays that lie in any way: the last one wins, as in NumPy."""
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    rows, shape = data.draw(st.integers(1, 12)), data.draw(st.sampled_from([(), (3,), (2, 3)]))
    index = rng.integers(0 if index_dtype == "u2" else -rows, rows, n).astype(index_dtype)
    whole, step = moderate(dtype, 2 * rows * int(np.prod(shape))).reshape(2 * rows, *shape), data.draw(st.sampled_from([1, -1, 2, -2]))
    values = np.resize(moderate(dtype, n * int(np.prod(shape)), 7), (n, *shape))
    values = data.draw(st.sampled_from([values, values[::-1][::-1], values[-1], values.astype("i1") if dtype == "i4" else values]))
    part = {1: slice(0, rows), -1: slice(rows - 1, None, -1), 2: slice(0, None, 2), -2: slice(None, 0, -2)}[step]
    ours, theirs = give(whole.copy()), whole.copy()
    ours[part][give(index)] = give(values.copy())
    theirs[part][index] = values
    same(ours, theirs, where=f"{dtype} {index_dtype} {n} of {rows} {shape} {step}")
    same(ours[part][give(index)], theirs[part][index], strides=False)


def test_index_arrays__of_the_array_itself():
    for make, m in ((give, xp), (np.array, np)):
        x, y = make(np.arange(40) % 7), make(np.arange(40.0))
        x[x] = x[::-1]
        y[make(np.arange(39))] = y[1:]
        y[make(np.arange(20) * 2)] = y[:20]
        (a, b) = (x, y) if m is xp else (a, b)
    same(a, x)
    same(b, y)


def test_index_arrays__changed_afterwards():
    a, n = pair((9, 4))
    for make, x in ((give, a), (np.array, n)):
        index = make(np.arange(30) % 9 - 4)
        got = x[index]
        x[index] = got[::-1] * 2
        index[:] = 8
        (ours, x1) = (got, x) if make is give else (ours, x1)
    same(ours, got, strides=False)
    same(x1, x)


def test_writing_by_index_arrays__one_value_for_many():
    """Numbers, and values that broadcast along the places, behind them, or both."""
    rng = np.random.default_rng(4)
    x, values = rng.random((9, 8, 3)), rng.random((7, 6, 3))
    at, row, col = rng.integers(-9, 9, 6), rng.integers(-9, 9, (7, 1)), rng.integers(-8, 8, 6)
    for key in ((at,), (row,), (row, col), (col, slice(None), 1), (slice(None), col), (slice(1, 8), col[:3], slice(None, None, 2))):
        k = tuple(give(i) if isinstance(i, np.ndarray) else i for i in key)
        shape = x[key].shape
        for value in (2, -1.5, True, np.float32(3), *(np.resize(values, [n if keep else 1 for n, keep in zip(shape, kept)])
                      for kept in ((1, 1, 1, 1), (0, 1, 1, 1), (1, 0, 0, 0), (0, 0, 1, 1), (0, 0, 0, 0)))):
            for dtype in ("f8", "i2"):
                ours, theirs = give(x.astype(dtype)), x.astype(dtype)
                ours[k] = give(value) if isinstance(value, np.ndarray) else value
                theirs[key] = value
                same(ours, theirs, where=f"{key} {value!r}")
        same(give(x)[k], x[key], strides=False)


def test_writing_by_index_arrays__numbers_that_do_not_fit():
    for dtype in ("i1", "u1", "i8", "?"):
        for index in ([0, 1], np.array([], "i8"), [9]):
            for value in (300, -1, 2**70, 1.5, 1j, float("nan")):
                a, x = give(np.zeros(3, dtype)), np.zeros(3, dtype)
                same_outcome(outcome(a.__setitem__, index, value), outcome(x.__setitem__, index, value), where=f"{dtype} {index} {value}")
                same(a, x)


@shares_memory
def test_index_arrays__in_shared_memory():
    """What NumPy writes to an index array afterwards changes nothing that was read or written by it."""
    shared = np.arange(50) % 7
    index, x = xp.asarray(shared), give(np.arange(7.0))
    got = x[index]
    x[index] = 1 + got
    shared[:] = 10**12
    same(got, np.arange(50) % 7 * 1.0)
    same(x, np.arange(7.0) + 1)
    with pytest.raises(IndexError):
        x[xp.asarray(shared)]


@pytest.mark.parametrize("dtype", ["?", "f4", "c16"])
@pytest.mark.parametrize("kind", ["i2", "i4", "i8"])
def test_index_arrays__out_of_range_wherever(kind, dtype):
    """The error comes at the call and names the index; what was there, and what comes after it, is as it was."""
    rng = np.random.default_rng(3)
    x = rng.integers(0, 90, (50, 3)).astype(dtype)
    a = give(x)
    for n in (1, 2, 31, 1000, 5000):
        at = rng.integers(-50, 50, n).astype(kind)
        many = n > 1000
        for bad in (50,) if many else (50, -51, np.iinfo(kind).max, np.iinfo(kind).min):
            for where in {n - 1} if many else {0, n // 2, n - 1}:
                wrong = at.copy()
                wrong[where] = bad
                for b, y in ((a, x), (a[:, 1], x[:, 1]), (a[:, ::-1], x[:, ::-1])):
                    same_outcome(outcome(b.__getitem__, give(wrong)), outcome(y.__getitem__, wrong))
                same_outcome(outcome(a.__setitem__, give(wrong), 1), outcome(x.__setitem__, wrong, 1))
        same(a[give(at)], x[at])
        same(a.T[:, give(at.reshape(1, n))], x.T[:, at.reshape(1, n)])
    same(a, x)
    for y in (x[:0], x[:, :0]):
        same_outcome(outcome(give(y).__getitem__, give(at)), outcome(y.__getitem__, at))


@pytest.mark.parametrize("dtype", DTYPES)
def test_masks__of_the_whole_array(dtype):
    rng = np.random.default_rng(0)
    for shape in ((0,), (1,), (70, 5), (3, 4, 5), (200_003,)):
        x, where = rng.integers(0, 90, shape).astype(dtype), rng.random(shape) < 0.4
        same(give(x)[give(where)], x[where])
        same(give(x).T[give(where).T], x.T[where.T])
        same(give(x)[..., ::-1][give(where)], x[..., ::-1][where])
        same(give(x)[give(np.zeros_like(where))], x[np.zeros_like(where)])
        for got, want in zip(give(where).nonzero(), where.nonzero()):
            same(got, want)
    y = give(x)
    same(y[y > 40 if dtype != "?" else y], x[x > 40 if dtype != "?" else x])


@pytest.mark.parametrize("dtype", ["u1", "f2", "f4", "c8", "c16"])
@pytest.mark.parametrize("n", [1, 31, 33, 1023, 1025, 8193, 32_767, 32_768, 32_769, 262_147, 557_059])
def test_masks__rare_and_frequent(n, dtype):
    """Sizes around what a GPU's threads, warps and blocks take; elements and flags that begin anywhere."""
    rng = np.random.default_rng(n)
    x, luck = rng.integers(0, 90, n + 20).astype(dtype), rng.random(n + 20)
    for k, often in enumerate((0, 0.01, 0.5, 0.99, 1)):
        flags = luck < often
        a, m = give(x), give(flags)
        for at in (0, 1 + k, 15 - k, 16):
            want = flags[at:at + n]
            same(a[k:k + n][m[at:at + n]], x[k:k + n][want])
            same(m[at:at + n].nonzero()[0], want.nonzero()[0])
        same(a[:n][::-1][m[:n]], x[:n][::-1][flags[:n]])
    one = np.zeros(n, bool)
    one[-1] = True
    same(give(x[:n])[give(one)], x[:n][one])
    same(give(one).nonzero()[0], one.nonzero()[0])


@pytest.mark.parametrize("shape", [(3, 2731), (32_769, 1), (5, 41, 40)])
def test_masks__positions_of_several_axes(shape):
    where = np.random.default_rng(5).random(shape) < 0.3
    for w in (where, where.T, where[..., ::-1]):
        m = give(w)
        for got, want in zip(m.nonzero(), w.nonzero(), strict=True):
            same(got, want, strides=False)
        same(xp.argwhere(m), np.argwhere(w), strides=False)
        same(xp.flatnonzero(m), np.flatnonzero(w))


def test_masks():
    for shape in ((12,), (4, 5, 6), (0,), (3, 0)):
        a, n = pair(shape)
        m = moderate("?", int(np.prod(shape))).reshape(shape)
        same(a[give(m)], n[m])
        same(a[a > 5], n[n > 5])
        a[give(m)] = -1
        n[m] = -1
        same(a, n)
        a[a < 0] += 3
        n[n < 0] += 3
        same(a, n)
    a, n = pair((4, 5))
    rows = np.array([True, False, True, False])
    same(a[give(rows)], n[rows])
    a[give(rows)] = np.arange(5.0)
    n[rows] = np.arange(5.0)
    same(a, n)
    a[a > 100] = []
    for bad in (np.array([True, False]), np.zeros((4, 4), bool)):
        same_outcome(outcome(a.__getitem__, give(bad)), outcome(n.__getitem__, bad))
    for got, want in zip(give(rows).nonzero(), rows.nonzero()):
        same(got, want)
    same_outcome(
        outcome(a.__setitem__, give(n > 3), give(np.zeros(2))),
        outcome(n.copy().__setitem__, n > 3, np.zeros(2)),
    )


# ---- what others see --------------------------------------------------------------------------------------------------------


def test_iteration():
    a, n = pair((3, 2))
    for x, y in zip(a, n, strict=True):
        same(x, y)
    for row in a:
        row += 1
    same(a, n + 1)
    assert [float(v) for v in give(np.arange(3.0))] == [0, 1, 2]
    with pytest.raises(TypeError):
        iter(xp.array(1.0))
    assert 3.0 in a and 99.0 not in a


@needs_heddle
@shares_memory
def test_numpy_sees_the_same_memory():
    a = xp.arange(6.0) + 1
    n = np.asarray(a)
    n[2] = 50
    assert float(a[2]) == 50
    a[3] = 60
    assert n[3] == 60
    a += 1
    assert n.tolist() == [2, 3, 51, 61, 6, 7]
    view = np.asarray(a[::2])
    a[4] = -1
    assert view.tolist() == [2, 51, -1]
    copied = np.array(a)
    a[0] = 9
    assert copied[0] == 2
    del n, view
    a += 1
    assert a.tolist() == [10, 4, 52, 62, 0, 8]
    m = memoryview(a)
    assert m.shape == (6,) and m.format == "d" and m[0] == 10
    m[0] = 3.5
    assert float(a[0]) == 3.5


@needs_heddle
@shares_memory
def test_dlpack_both_ways():
    n = np.arange(6.0).reshape(2, 3)
    a = xp.from_dlpack(n)
    n[0, 0] = 42
    assert float(a[0, 0]) == 42
    m = np.from_dlpack(a)
    assert m[0, 0] == 42
    a2 = xp.arange(4)
    m = np.from_dlpack(a2)
    a2 += 1
    assert m.tolist() == [1, 2, 3, 4]
    assert a2.__dlpack_device__() == (1, 0)
    for dtype in ("?", "u1", "i4", "f4", "c16"):
        same(xp.from_dlpack(moderate(dtype, 5)), moderate(dtype, 5))


@needs_heddle
def test_views_record_nothing_and_force_nothing():
    a = xp.arange(12000.0).reshape(4, 5, 600) * 2 + 1     # more than small work
    before = xp.stats()
    views = [
        a.T,
        a[1],
        a[:, ::2],
        a[..., None],
        a.reshape(20, 600),
        a.diagonal(),
        a.view("i8"),
        xp.broadcast_to(a, (3, 4, 5, 600)),
    ]
    after = xp.stats()
    assert after["records"] == before["records"] and after["flushes"] == before["flushes"]
    assert after["pending"] == before["pending"] > 0
    same(views[0], (np.arange(12000.0).reshape(4, 5, 600) * 2 + 1).T)


@pytest.mark.parametrize("dtype", ["u1", "f4", "c16"])
def test_setitem__a_few_places_on(dtype):
    """Lines whose addresses differ by little but for whole pages, of lengths around those that are copied at once."""
    for n in (255, 256, 257, 1030, 5000):
        for by in (1, 3, 7, 15, 16, 63, 64, 65):
            (x, y), (r, s) = pair((n,), dtype), pair((n,), dtype)
            r[by:], s[by:] = x[:-by], y[:-by]
            same(r, s, where=(n, by))
            r[:-by], s[:-by] = r[by:] * 2, s[by:] * 2
            same(r, s, where=(n, by))
            same(xp.roll(x, by), np.roll(y, by), where=(n, by))
