# SPDX-License-Identifier: BSD-3-Clause
"""The Python side: operators with all kinds of operands, indexing for reading and writing, text,
pickle, copies, buffers, DLPack, attributes, and the words of errors."""
import array as stdlib_array
import copy
import gc
import io
import operator
import pickle
import weakref

import numpy as np
import pytest
from common import BOOL, COMPLEX, DTYPES, FLOATS, INTEGERS, IS_NUMPY, ON_HOST, give, marked, needs_heddle, outcome
from common import same, same_outcome, shares_memory, xp
from hypothesis import given
from hypothesis import strategies as st

SOME = ["?", "i4", "i8", "u1", "f4", "f8", "c16"]
BINARY = [operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv,
          operator.mod,
          operator.pow, operator.and_, operator.or_, operator.xor, operator.lt, operator.le,
          operator.eq, operator.ne, operator.gt, operator.ge]
INPLACE = [operator.iadd, operator.isub, operator.imul, operator.itruediv, operator.ifloordiv,
           operator.imod, operator.ipow, operator.iand, operator.ior, operator.ixor]


def numbers(shape, dtype="f8", start=1):
    """start, start + 1, ... of a dtype; both values of a bool."""
    n = int(np.prod(shape))
    return (np.arange(start, start + n) % 5).astype(dtype).reshape(shape) if n else np.zeros(shape,
        dtype)


def message(f, *args):
    kind, error = outcome(f, *args)
    return (kind, type(error).__name__.lstrip("_"), str(error)) if kind == "error" else (kind,
        error)


# ---- operators --------------------------------------------------------------------------------------


def operands(x):
    """The same operand in the forms that people write it in."""
    yield from (2, 2.5, True, 1 + 2j, np.float64(2.5), np.float32(2.5), np.int8(3), np.bool_(True),
                np.complex64(2), x, x[:1], np.array(3), [1, 2, 0], (1.0, 2.0, 4.0), [[1], [2]])


@pytest.mark.parametrize("f", BINARY)
@pytest.mark.parametrize("dtype", SOME)
def test_operands_of_every_kind(f, dtype):
    x = numbers(3, dtype)
    a = give(x)
    for y in operands(x):
        same_outcome(outcome(f, a, y), outcome(f, x, y), where=f"{f.__name__} {y!r}", ulp=4)
        same_outcome(outcome(f, y, a), outcome(f, y, x), where=f"{y!r} {f.__name__}", ulp=4)


@needs_heddle
@pytest.mark.parametrize("f", BINARY)
def test_results_are_heddles(f):
    x = numbers(3, "i8")
    a = give(x)
    for y in operands(x):
        for pair in ((a, y), (y, a)):
            kind, value = outcome(f, *pair)
            assert kind == "error" or type(value) is xp.ndarray, pair


@pytest.mark.parametrize("f", INPLACE)
@pytest.mark.parametrize("dtype", SOME)
def test_in_place(f, dtype):
    for y in (2, 2.5, True, 1j, np.float32(2), np.int8(2), [1, 2, 3], numbers(3, "f8"),
              numbers((2, 3), "i2")):
        x = numbers(3, dtype)
        a = give(x)
        before = a
        theirs, ours = outcome(f, x, y), outcome(f, a, y)
        same_outcome(ours, theirs, where=f"{f.__name__} {y!r}", ulp=4)
        if theirs[0] == "value":
            assert (ours[1] is before) == (theirs[1] is x)
        same(a, x, where="left behind", ulp=4)


def test_in_place_on_scalars_binds_anew():
    x = give(np.arange(4.0))
    s = t = x.sum()
    s += 1
    assert float(s) == 7.0 and float(t) == 6.0 and s is not t
    element = x[1]
    element *= 10
    assert x[1] == 1.0 and element == 10.0


def test_in_place_writes_through_views():
    x = np.arange(12.0).reshape(3, 4)
    a = give(x)
    for m in (x, a):
        row, column = m[1], m[:, 2]
        row += 1
        column *= 2
        m.T[0] -= 5
        m[::2, ::-1] /= 4
    same(a, x)


@pytest.mark.parametrize("f", [operator.neg, operator.pos, operator.abs, operator.invert])
@pytest.mark.parametrize("dtype", DTYPES)
def test_unary_operators(f, dtype):
    x = numbers(4, dtype)
    same_outcome(outcome(f, give(x)), outcome(f, x), ulp=1)


def test_divmod_matmul_pow():
    x, y = numbers((3, 3)), numbers((3, 3), start=2) + 1
    a, b = give(x), give(y)
    for got, want in zip(divmod(a, b), divmod(x, y)):
        same(got, want)
    for got, want in zip(divmod(7.5, b), divmod(7.5, y)):
        same(got, want)
    same(a @ b, x @ y, ulp=4)
    same(a @ y, x @ y, ulp=4)
    same(x @ b, x @ y, ulp=4)
    same(a @ [1, 2, 3], x @ [1, 2, 3], ulp=4)
    same([1, 2, 3] @ a, [1, 2, 3] @ x, ulp=4)
    a @= b
    x @= y
    same(a, x, ulp=4)
    for f in (lambda v: pow(v, 2, 3), lambda v: v @ 2, lambda v: 2 @ v, lambda v: v @ "no"):
        same_outcome(outcome(f, a), outcome(f, x))


class Unrelated:
    """An object without a value."""


class Takes:
    """An object that wants to be asked: NumPy's way to say so."""
    __array_ufunc__ = None

    def __add__(self, other):
        return "left"

    def __radd__(self, other):
        return "right"

    def __eq__(self, other):
        return "equal"

    __hash__ = None


def test_operands_without_a_value():
    x = np.arange(3.0)
    a = give(x)
    for y in (None, "text", b"bytes", Unrelated(), {}, {1, 2}, object()):
        for f in (operator.add, operator.lt):
            for pair, numpys in (((a, y), (x, y)), ((y, a), (y, x))):
                assert outcome(f, *pair)[0] == outcome(f, *numpys)[0] == "error"
                assert isinstance(outcome(f, *pair)[1], TypeError)
    assert a + Takes() == x + Takes() == "right" and Takes() + a == "left" and (a == Takes()) == "equal"
    for y in (a, x):
        with pytest.raises(TypeError):
            y += Takes()


def test_equality_with_anything():
    x = np.arange(3)
    a = give(x)
    for y in (None, "text", "1", Unrelated(), [1, 2], [0, 1, 2], 2**70, -2**70, 2**2000, 1.5,
              [[1], [2, 3]],
              np.array(["a", "b", "c"]), [None, 1, 2], {}):
        for f in (operator.eq, operator.ne):
            same_outcome(outcome(f, a, y), outcome(f, x, y), where=f"{f.__name__} {y!r}")
    for y in (2**70, -2**70, 2**2000, -2**2000):
        for f in (operator.lt, operator.ge, operator.add):
            same_outcome(outcome(f, a, y), outcome(f, x, y), where=f"{f.__name__} {y}")
            same_outcome(outcome(f, a * 1.0, y), outcome(f, x * 1.0, y), where=f"{f.__name__} {y}")


def test_numbers_of_subclasses():
    class Celsius(float):
        pass

    class Count(int):
        pass

    x = np.arange(3, dtype="f4")
    a = give(x)
    same(a + Celsius(1.5), x + Celsius(1.5))
    same(Count(3) * a, Count(3) * x)
    same(a.astype("i2") + Count(3), x.astype("i2") + Count(3))


# ---- as Python values -------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", DTYPES)
def test_conversions(dtype):
    for x in (np.array(3, dtype), np.array([3], dtype), np.array([[3]], dtype), numbers(2, dtype),
              np.zeros(0, dtype)):
        for f in (int, float, complex, bool, operator.index, len, hash, list, lambda v: v.item(),
                  lambda v: v.tolist(),
                  lambda v: range(10)[v]):
            a = give(x)
            ours, theirs = outcome(f, a), outcome(f, x)
            if f is list and theirs[0] == "value":
                assert [v.tolist() for v in ours[1]] == [v.tolist() for v in theirs[1]]
            else:
                same_outcome(ours, theirs, where=f"{f} of {x!r}")


def test_truth():
    for x in ([0.0], [2.0], [[0]], [np.nan], [0j], [1j], [], [1, 2], 0, 5):
        same_outcome(outcome(bool, give(np.array(x))), outcome(bool, np.array(x)), where=repr(x))
    assert message(bool, give(np.arange(2))) == message(bool, np.arange(2))
    assert message(bool, give(np.zeros(0))) == message(bool, np.zeros(0))


def test_scalars_hash_and_compare_as_numbers():
    for x in (np.array([1.5, 2.5]), np.array([3, 4]), np.array([True]), np.array([1 + 2j])):
        element = give(x)[0]
        assert hash(element) == hash(x[0]) == hash(x[0].item())
        assert {element: "found"}[x[0].item()] == "found"
        assert element == x[0]
    with pytest.raises(TypeError, match="unhashable type"):
        hash(give(np.arange(2)))


def test_iteration():
    x = np.arange(6.0).reshape(3, 2)
    a = give(x)
    rows = list(a)
    assert len(rows) == len(a) == 3
    for ours, theirs in zip(rows, x):
        same(ours, theirs)
    for ours, theirs in zip(a[0], x[0]):
        same(ours, theirs)
    rows[1][:] = 7
    assert a[1, 0] == 7
    assert 7.0 in a and 3.5 not in a and [0.0, 1.0] in a
    p, q = a[0]
    assert (p, q) == (0.0, 1.0)
    for f in (iter, len):
        assert message(f, give(np.array(3))) == message(f, np.array(3))
    with pytest.raises(TypeError):
        iter(a.sum())
    assert [*zip(*a.tolist())] == [(0.0, 7.0, 4.0), (1.0, 7.0, 5.0)]
    assert [v.item() for v in reversed(a[0])] == [1.0, 0.0]


@pytest.mark.parametrize("dtype", FLOATS + COMPLEX + INTEGERS)
def test_round_and_format(dtype):
    x = np.array([2, 15, 25, 127], dtype) / np.array(4 if dtype[0] in "fc" else 1, dtype)
    x = x.astype(dtype)
    a = give(x)
    for decimals in (-1, 0, 1, 2):
        same(a.round(decimals), x.round(decimals))
        same(xp.round(a[1], decimals), np.round(x[1], decimals))
    if dtype[0] != "c":
        for f in (round, lambda v: round(v, 1),
                  lambda v: f"{v:.3}" if dtype[0] == "f" else f"{v:4d}", str, repr):
            same_outcome(outcome(f, a[1]), outcome(f, x[1]))
        assert type(round(a[1])) is int
    same_outcome(outcome(round, a), outcome(round, x))
    assert f"{a}" == f"{x}"
    with pytest.raises(TypeError, match="unsupported format string"):
        format(a, ".2f")


@pytest.mark.parametrize("dtype", DTYPES)
def test_text_is_numpys(dtype):
    for x in (numbers(4, dtype), numbers((2, 3), dtype), np.zeros((0, 2), dtype),
              np.array(3, dtype),
              numbers(2000, dtype), numbers((2, 3), dtype).T[::-1]):
        a = give(x)
        assert repr(a) == repr(x) and str(a) == str(x)
    x = numbers(4, dtype)
    assert repr(give(x)[1]) == repr(x[1]) and str(give(x)[1]) == str(x[1])
    assert f"{give(x)[1]}" == f"{x[1]}"
    with np.printoptions(precision=2, threshold=5):
        assert repr(give(numbers(50, "f8") / 7)) == repr(numbers(50, "f8") / 7)


# ---- indexing ---------------------------------------------------------------------------------------


def index_items(n):
    """One item of an index into an axis of extent n, sometimes out of range."""
    inside = st.integers(-n, n - 1) if n else st.just(0)
    bound = st.none() | st.integers(-n - 2, n + 2)
    return st.one_of(
        inside, inside, st.integers(-n - 1, n),
        st.builds(slice, bound, bound, st.sampled_from([None, 1, 2, 3, -1, -2, -3])),
        st.lists(inside, max_size=3), st.lists(inside, min_size=2, max_size=2).map(np.array),
        st.just(np.array([[0, -1], [0, 0]]) % max(n, 1)),
        st.lists(st.booleans(), min_size=n, max_size=n).map(np.array),
        st.just(None), st.just(Ellipsis), inside.map(np.array), st.booleans(), inside.map(np.int16))


@st.composite
def keys(draw):
    shape = draw(st.lists(st.integers(0, 4), min_size=0, max_size=4))
    items, axis = [], 0
    for _ in range(draw(st.integers(0, len(shape) + 1))):
        item = draw(index_items(shape[axis] if axis < len(shape) else 2))
        items.append(item)
        axis += 0 if item is None or item is True or item is False else 1
    if draw(st.booleans()) and len(shape) > 1 and draw(st.booleans()):
        items = [draw(st.integers(0, 1).map(lambda k: numbers(shape[:2], "i8", k) > 2)), *items[2:]]
    key = tuple(items)
    return tuple(shape), key[0] if len(key) == 1 and draw(st.booleans()) else key


def ours_of(key):
    """NumPy's arrays in a key as ours, every other time."""
    if isinstance(key, tuple):
        return tuple(give(k) if isinstance(k, np.ndarray) and i % 2 else k for i,
                     k in enumerate(key))
    return give(key) if isinstance(key, np.ndarray) else key


@given(keys())
def test_reading(case):
    shape, key = case
    x = np.arange(np.prod(shape, dtype=int), dtype="f8").reshape(shape)
    ours, theirs = outcome(lambda: give(x)[ours_of(key)]), outcome(lambda: x[key])
    same_outcome(ours, theirs, where=f"{shape} {key!r}", strides=False)


@given(keys(), st.sampled_from(["number", "array", "row", "column", "wrong", "list"]),
       st.sampled_from(SOME))
def test_writing(case, how, dtype):
    shape, key = case
    x = np.arange(np.prod(shape, dtype=int)).reshape(shape).astype(dtype)
    kind, part = outcome(lambda: x[key])
    part_shape = np.shape(part) if kind == "value" else (2,)
    value = {"number": 7,
             "array": -np.arange(1, 1 + np.prod(part_shape, dtype=int)).reshape(part_shape),
             "row": np.arange(part_shape[-1]) + 50 if part_shape else 5,
             "column": np.ones(part_shape[:1] + (1,)),
             "wrong": np.arange(17), "list": [3]}[how]
    if repeats(x, key):
        value = 7
    a = give(x)
    where = f"{shape} {key!r} = {value!r}"
    theirs = outcome(operator.setitem, x, key, value)
    ours = outcome(operator.setitem, a, ours_of(key), value)
    same_outcome(ours, theirs, where=where)
    same(a, x, where=where)


def repeats(x, key):
    """Does the key name an element twice? Which of two values then stays is NumPy's secret in places."""
    places = outcome(lambda: np.arange(x.size).reshape(x.shape)[key])
    return places[0] == "value" and len(np.unique(places[1])) < np.size(places[1])


def test_views_and_copies():
    x = np.arange(24).reshape(2, 3, 4)
    a = give(x)
    for key in (0, slice(1), (..., 1), (0, None), (slice(None), 0), [0, 1], (0, [1, 2]),
                np.array(1), np.array([True, False]),
                (..., [0, 1]), ..., (None, ...), True):
        ours, theirs = a[key], x[key]
        assert xp.may_share_memory(ours, a) == np.may_share_memory(theirs, x), key
    whole = xp.arange(6)
    assert whole.base is None and whole[1:].base is whole and whole[1:][::2].base is whole
    assert (whole + 1).base is None and whole.reshape(2,
        3).base is whole and whole.copy().base is None


def test_unfancy_corners():
    x = np.arange(10)
    for key in (slice(None, -10**30), slice(-10**30, None), slice(10**30, None, -1),
                slice(None, -10**30, -1),
                slice(None, 10**30), slice(10**30, None), slice(None, None, 10**30),
                slice(3, None, -10**30)):
        same(give(x)[key], x[key], where=repr(key))
    for key in (2**63, -2**63, 2**70, 1.0, "a", (0, 0), ..., (..., ...), slice(0, 1.5), {},
                object(), [1.5], ["a"], [[1, 2], [3]],
                (None,) * 80, True, np.array([2.0]), np.float64(2), [True], [True] * 11, 10, -11,
                [10], 1j):
        same_outcome(outcome(lambda k: give(x)[k], key), outcome(lambda k: x[k], key),
                     where=repr(key))


def test_masks_take_numbers_without_looking():
    x = np.arange(12.0).reshape(3, 4)
    a = give(x)
    for m in (x, a):
        m[m > 5] = -1
        m[m == 0] = 8.5
        m[np.array([True, False, True])] = 2
        m[~(m > 1)] *= 3
    same(a, x)
    y = np.arange(5)
    b = give(y)
    for value in (np.nan, np.inf, 1j, 2**70, 2.9, [1, 2], None, "a"):
        same_outcome(outcome(operator.setitem, b, b > 2, value),
                     outcome(operator.setitem, y, y > 2, value), where=repr(value))
        same(b, y, where=repr(value))


def test_the_words_of_index_errors():
    x = np.arange(12).reshape(3, 4)
    a = give(x)
    for key in (5, (0, 9), (0, 0, 0), [7], (slice(None), [9]), (slice(None), [0, 5], None), 1.5,
                (..., ...), [0.5],
                np.ones(4, bool), (0, np.ones(3, bool)), ([0, 1], [0, 1, 2]), -4, (..., -5)):
        assert message(lambda k: a[k], key) == message(lambda k: x[k], key), key
    for key, value in ((0, [1, 2]), ([0, 1], [1, 2, 3]), (x > 3, [1, 2, 3]), ((0, 0), [1, 2]),
                       (slice(5, 9), [[1], [2]])):
        assert message(operator.setitem, a, key, value) == message(operator.setitem, x, key,
            value), key
    with pytest.raises(ValueError, match="cannot delete array elements"):
        del a[0]
    for key in (0, slice(None), ([0],)):
        a.flags.writeable = False
        assert message(operator.setitem, a, key, 1) == ("error", "ValueError",
            "assignment destination is read-only")
    with pytest.raises(IndexError, match="invalid index to scalar variable"):
        a.sum()[0]
    with pytest.raises(TypeError, match="does not support item assignment"):
        operator.setitem(a.sum(), 0, 1)


@pytest.mark.parametrize("dtype", SOME)
def test_writing_one_element(dtype):
    for value in (1, 2.7, True, 2**40, -1, 300, np.nan, np.inf, 1j, None, "3", "no", b"4", [1],
                  np.float32(2.5), np.array(2),
                  [], np.zeros(0), Unrelated(), 2**70, 2**2000):
        x = np.zeros(3, dtype)
        a = give(x)
        ours, theirs = outcome(operator.setitem, a, 1, value), outcome(operator.setitem, x, 1,
            value)
        same_outcome(ours, theirs, where=f"{value!r} into {dtype}")
        if theirs[0] == "value":
            same(a, x, where=f"{value!r} into {dtype}")


# ---- attributes and methods -------------------------------------------------------------------------


def test_attributes():
    x = np.arange(24, dtype="c8").reshape(2, 3, 4)[:, ::-1]
    a = give(x)
    for name in ("shape", "strides", "ndim", "size", "itemsize", "nbytes", "dtype"):
        assert getattr(a, name) == getattr(x, name), name
    for name in ("T", "mT", "real", "imag"):
        same(getattr(a, name), getattr(x, name))
    a.real = 5
    x.real = 5
    a.imag[0] = x.imag[0] = 7
    same(a, x)
    same_outcome(outcome(setattr, a.real, "imag", 1), outcome(setattr, x.real, "imag", 1))
    y = np.arange(6)
    b = give(y)
    b.shape = y.shape = (2, -1)
    same(b, y)
    assert b.base is None
    for shape in ((4, 4), (-1, -1), (6, 0), "a", 2.5):
        same_outcome(outcome(setattr, b, "shape", shape), outcome(setattr, y, "shape", shape),
                     where=repr(shape))
    with pytest.raises(AttributeError):
        b.nothing
    if not IS_NUMPY:
        assert b.device == b.device.name == xp.empty(0).device
        assert give(y).to_device("cpu").device == "cpu"


def test_flags():
    x = np.arange(6.0).reshape(2, 3)
    for theirs in (x, x.T, x[:, ::2], x[:0], np.array(1.0), x[0]):
        ours = give(theirs)
        for name in ("C_CONTIGUOUS", "F_CONTIGUOUS", "WRITEABLE", "ALIGNED", "FORC", "FNC", "C",
                     "F", "W"):
            assert ours.flags[name] == theirs.flags[name], name
        assert ours.flags.c_contiguous == theirs.flags.c_contiguous
        assert ours.flags.f_contiguous == theirs.flags.f_contiguous
    a = give(x)
    assert repr(xp.zeros(3).flags) == repr(np.zeros(3).flags)
    a.flags.writeable = False
    assert not a.flags.writeable and not a[0].flags["WRITEABLE"]
    same_outcome(outcome(operator.iadd, a, 1), ("error", ValueError()))
    a.setflags(write=True)
    a += 1
    for bad in ("nothing", "c_contiguous"):
        with pytest.raises(AttributeError):
            setattr(a.flags, bad, True)
    assert not a.sum().flags.writeable and not xp.broadcast_to(a, (2, 2, 3)).flags.writeable


METHODS = [
    "x.reshape(3, 4)", "x.reshape((4, -1))", "x.reshape(-1)", "x.reshape(2, 6, order='F')",
    "x.reshape([12])",
    "x.reshape(5)", "x.reshape(3, 4, copy=False)", "x.T.reshape(-1, copy=False)",
    "x.T.reshape(12, order='A')", "x.reshape()",
    "x.ravel()", "x.T.ravel()", "x.T.ravel('K')", "x.ravel('F')", "x.T.ravel(order='A')",
    "x.flatten()", "x.T.flatten('F')",
    "x.transpose()", "x.transpose(1, 0)", "x.transpose((1, 0))", "x.transpose(None)",
    "x.transpose(0)", "x.transpose(0, 0)",
    "x.transpose(0, 2)", "x.swapaxes(0, 1)", "x.swapaxes(0, -1)", "x.swapaxes(0, 2)",
    "x[None].squeeze()",
    "x[:, None].squeeze(1)", "x[:, None].squeeze(axis=(1,))", "x.squeeze(0)", "x.diagonal()",
    "x.diagonal(1)",
    "x.diagonal(offset=-1, axis1=1, axis2=0)", "x.trace()", "x.trace(1, dtype='f4')", "x.copy()",
    "x.copy('F')",
    "x.T.copy(order='K')", "x.astype('i4')", "x.astype('f8', copy=False) is x",
    "x.astype('f4', casting='safe')",
    "x.astype(int, 'F')", "x.astype(bool)", "x.astype('nothing')", "x.astype(complex).real",
    "x.view()", "x.view('i8')",
    "x.view('c16')", "x.view('c8')", "x.view(dtype='u1')", "x.conj()", "x.clip(2, 5)",
    "x.clip(min=3)", "x.clip(max=4.5)",
    "x.clip()", "x.clip(2, x.copy())", "x.round()", "(x / 3).round(2)", "x.item(3)",
    "x.item(1, 2)", "x.item((1, 2))",
    "x.item(99)", "x.item()", "x.item(1, 2, 3)", "x.item(-1)", "x.tolist()", "x.tobytes()",
    "x.tobytes('F')", "x.T.tobytes()",
    "x.T.tobytes('A')", "x.nonzero()[0]", "x.nonzero()[1]", "x.take([0, 5])",
    "x.take([1], axis=0)", "x.take(2, 1)",
    "x.take([[0, 1]], axis=1)", "x.take([99])", "x.take([13, -14], mode='wrap')",
    "x.take([99, -3], mode='clip')",
    "x.repeat(2)", "x.repeat([1, 0, 2, 1, 1, 1], axis=1)", "x.repeat(3, axis=0)", "x.dot(x.T)",
    "x.dot(2)", "x.sum(1)",
    "x.sum(axis=(0, 1), keepdims=True)", "x.mean(0)", "x.max(axis=-1)", "x.argmax()",
    "x.argmax(axis=1, keepdims=True)",
    "x.std(ddof=1)", "x.var(1, ddof=2)", "x.any(1)", "x.all()", "x.cumsum()", "x.cumsum(0)",
    "x.prod(axis=5)",
    "x.sum(foo=1)", "x.sum(1, 2, 3, 4, 5, 6, 7)", "x.flat[3]", "x.flat[2:9:3]", "x.flat[[1, 2]]",
    "len(x.flat)",
    "[v.item() for v in x.flat]", "x.sum(where=x > 3)", "x.min(initial=-3.5)",
    "x.max(where=x > 100)",
    "x.__array_interface__['shape']", "x.__array_interface__['typestr']",
    "x.T.__array_interface__['strides']",
    "x.__dlpack_device__()", "x.data.shape", "x.data.format", "x.sum().T", "x.sum().reshape(1)",
    "x[0, 1].astype('i4')",
    "x[0, 1].real", "x[0, 1].item()", "x[0, 1].tolist()", "x[0, 1][()]", "x[0, 1][...]",
    "x[0, 1][None]", "x[0, 1].ndim",
    "x[0, 1].dtype", "x[0, 1].copy()", "x[0, 1].conj()", "x[0, 1].round()",
]


@pytest.mark.parametrize("text",
                         marked(METHODS, r"__array_interface__|__dlpack_device__|\.data\.",
                                shares_memory))
def test_methods(text):
    x = np.arange(12.0).reshape(2, 6)
    names = {"v": None}
    same_outcome(outcome(eval, text, {"x": give(x), **names}),
                 outcome(eval, text, {"x": x, **names}), where=text, ulp=2,
                 strides=not any(name in text for name in ("take", "repeat", "nonzero")))


FUNCTIONS = [
    "xp.reshape(x, (3, 4))", "xp.ravel(x)", "xp.transpose(x)", "xp.transpose(x, (1, 0))",
    "xp.moveaxis(x[None], 0, -1)",
    "xp.moveaxis(x[None], [0, 1], [1, 0])", "xp.moveaxis(x, 0, 5)", "xp.swapaxes(x, 0, 1)",
    "xp.expand_dims(x, 1)",
    "xp.expand_dims(x, (0, -1))", "xp.expand_dims(x, 9)", "xp.squeeze(x[None])",
    "xp.broadcast_to(x, (3, 2, 6))",
    "xp.broadcast_to(x, (5,))", "xp.broadcast_to(2.5, (2, 2))", "xp.broadcast_arrays(x, x[0])[1]",
    "xp.broadcast_shapes((2, 1), 3, (1, 1, 3))", "xp.broadcast_shapes((2,), (3,))",
    "xp.broadcast_shapes()", "xp.diagonal(x)",
    "xp.trace(x)", "xp.real(x)", "xp.imag(x)", "xp.real(1 + 2j).item()", "xp.round(x / 7, 3)",
    "xp.copy(x)", "xp.vstack([x, x])",
    "xp.hstack((x, x))", "xp.hstack([[1, 2], [3]])", "xp.column_stack((x[0], x[1]))",
    "xp.dstack([x, x])", "xp.vstack([1, 2])",
    "xp.concatenate([x, x], 1)", "xp.concatenate([x, x], axis=None)", "xp.concatenate([x, 1])",
    "xp.concatenate([])",
    "xp.stack([x, x], -1)", "xp.stack([x, x[0]])", "xp.where(x > 3, x, 0)",
    "xp.where(x > 3, 1, 2)", "xp.where(x > 3)[0]",
    "xp.where(x > 3, x.astype('f4'), 1.5)", "xp.where(x, 1)", "xp.clip(x, 2, 7)",
    "xp.clip(x, None, 4)", "xp.clip(x, min=2)",
    "xp.clip(x, 1, 2, min=3)", "xp.array_equal(x, x)", "xp.array_equal(x, x[0])",
    "xp.allclose(x, x + 1e-9)",
    "xp.allclose(x, x + 1)", "xp.isclose(x, 3)",
    "xp.isclose([1.0, np.nan], [1.0, np.nan], equal_nan=True)",
    "xp.nonzero(x)[1]", "xp.flatnonzero(x > 4)", "xp.count_nonzero(x)",
    "xp.count_nonzero(x > 4, axis=0)", "xp.take(x, [1, 2])",
    "xp.take(x, [], 0)", "xp.result_type(x, 1)", "xp.result_type('i4', 'f4')",
    "xp.can_cast('i8', 'f4')",
    "xp.can_cast(np.float64, 'f4', 'same_kind')", "xp.promote_types('i4', 'f4')", "xp.ndim(x)",
    "xp.ndim([[1]])", "xp.shape(x)",
    "xp.size(x)", "xp.size(x, 1)", "xp.size(x, 2)", "xp.may_share_memory(x, x[0])",
    "xp.shares_memory(x[0], x[1])",
    "xp.outer(x[0], [1, 2])", "xp.vdot(x, x)", "xp.inner(x, x)", "xp.inner(x, 2)",
    "xp.isscalar(3)", "xp.isscalar(x)",
    "xp.isscalar(x[0, 0])", "xp.isscalar('a')", "xp.dot(x[0], x[1])", "xp.dot(x, x)",
    "xp.dot(3, x)", "xp.matmul(x.T, x)",
    "xp.matmul(x, 2)", "xp.flip(x)", "xp.flip(x, 1)", "xp.atleast_1d(3)", "xp.atleast_2d(x[0])",
    "xp.atleast_3d(x)",
    "xp.zeros_like(x)", "xp.ones_like(x, dtype='i4')", "xp.full_like(x, 2.5)",
    "xp.full_like(x.T, 3)", "xp.empty_like(x).shape",
    "xp.zeros_like(x, shape=(3,))", "xp.zeros_like([1, 2])", "xp.identity(3)",
    "xp.ascontiguousarray(x.T)",
    "xp.ascontiguousarray(x) is x", "xp.asarray(x) is x", "xp.asarray(x, dtype='i4')",
    "xp.array(x, ndmin=4)",
    "xp.array(x, order='F')", "xp.array(3.5)", "xp.array([[1, 2], [3]])", "xp.asarray(x.sum())",
    "xp.array(x, copy=False)", "xp.array([1, 2], copy=False)", "xp.asarray([1, 2], copy=False)",
    "xp.add.reduce(x)",
    "xp.add.reduce(x, axis=None)", "xp.maximum.reduce(x, axis=1)", "xp.add.accumulate(x, axis=1)",
    "xp.multiply.outer(x[0], x[1])",
    "xp.add(x, x, out=x) is x", "xp.add(x, x, x) is x", "xp.sqrt(x, out=(x,)) is x",
    "xp.add(x, 1, where=x > 3, out=x)",
    "xp.add(x, 1, dtype='f4')", "xp.add(x, 1, casting='no')", "xp.add(x)", "xp.add(x, 1, 2, 3)",
    "xp.add(x, 1, foo=2)",
    "xp.add(x, 1, out=3)", "xp.add(1, 2)", "xp.sin(0.5)", "xp.add(True, 2.5)", "xp.add(x, 'a')",
    "xp.add(x, None)", "xp.exp()",
    "xp.add.nin", "xp.add.nargs", "xp.exp.__name__", "xp.power(x, 2)", "xp.sum([1, 2, 3])",
    "xp.sum(x, axis=0)",
    "xp.mean([[1, 2], [3, 4]], axis=1)", "xp.max(x, keepdims=True)", "xp.std(x, ddof=1)",
    "xp.sum(x, out=x)", "xp.sum()",
    "xp.argmax(x, 1)", "xp.cumsum(x, axis=1)", "xp.linspace(0, 1, 5)",
    "xp.linspace(0, 10, 4, endpoint=False)",
    "xp.linspace(0, 1, 3, dtype='f4')", "xp.linspace(0, 9, 4, dtype=int)",
    "xp.linspace([0, 1], 2, 3)", "xp.linspace(0, 1, 1)",
    "xp.linspace(0, 1, -1)", "xp.linspace(1, 2, 3, retstep=True)[1]", "xp.linspace(0, 1j, 3)",
    "xp.linspace([0, 1], 2, 3, axis=1)",
    "xp.eye(3, k=1)", "xp.eye(2, 4, dtype='i4', order='F')", "xp.zeros((2, 3), order='F')",
    "xp.full((2, 2), 7)",
    "xp.full(3, [1, 2, 3])", "xp.full(2, 300, dtype='u1')", "xp.ones(3, 'c8')", "xp.zeros(())",
    "xp.zeros(-1)", "xp.zeros(2.5)",
    "xp.zeros('a')", "xp.zeros((1,) * 65)", "xp.array(x).flags.owndata",
    "xp.frombuffer(b'abcd', 'u1')", "xp.pi", "xp.newaxis",
    "xp.float64", "xp.int32 is np.int32", "xp.dtype('f4')", "xp.finfo('f4').eps",
    "xp.iinfo(xp.int8).max", "xp.inf", "xp.True_",
    "xp.ndarray((2, 2), 'i4').shape", "xp.ndarray(3, 'u1', bytearray(b'abc'))",
    "xp.iscomplexobj(x)",
]


@pytest.mark.parametrize("text", marked(FUNCTIONS, "bytearray", shares_memory))
def test_functions(text):
    x = np.arange(12.0).reshape(2, 6)
    ours = outcome(eval, text, {"xp": xp, "x": give(x.copy()), "np": np})
    theirs = outcome(eval, text, {"xp": np, "x": x.copy(), "np": np})
    same_outcome(ours, theirs, where=text, ulp=4,
                 strides=not any(name in text for name in ("like", "nonzero", "where")))


def test_put_and_flat():
    x = np.arange(12).reshape(3, 4)
    for key, value in (([0, 5], [7, 8]), ([1, 2, 3], 9), ([-1], [1, 2]), ([0, 1, 2], [5, 6])):
        for make in (lambda v: v, lambda v: v.T):
            theirs, ours = make(x.copy()), make(give(x))
            theirs.put(key, value)
            ours.put(key, value)
            same(ours, theirs)
            theirs.flat[key] = ours.flat[key] = value
            same(ours, theirs)
    theirs, ours = x.copy(), give(x)
    theirs.flat = ours.flat = [1, 2, 3]
    same(ours, theirs)
    with pytest.raises(IndexError):
        ours.put([99], 1)


def test_copyto():
    x = np.zeros((2, 3))
    a = give(x)
    for src, where in ((5, True), ([1, 2, 3], True),
                       (np.arange(6.0).reshape(2, 3), [[True, False, True]]), (2, x > -1)):
        np.copyto(x, src, where=where)
        xp.copyto(a, src, where=where)
        same(a, x)
    same_outcome(outcome(xp.copyto, a, 1j), outcome(np.copyto, x, 1j))
    same_outcome(outcome(xp.copyto, a, [1, 2]), outcome(np.copyto, x, [1, 2]))


# ---- NumPy beside us --------------------------------------------------------------------------------


@needs_heddle
def test_numpys_functions_take_our_arrays():
    x = np.arange(4.0)
    a = give(x)
    for f in (np.exp, np.sum, lambda v: np.add(v, 1), lambda v: np.add(x, v),
              lambda v: np.matmul(v, v), np.cbrt,
              lambda v: np.add.reduce(v), lambda v: np.subtract.accumulate(v)):
        got = f(a)
        assert type(got) is xp.ndarray
        same(got, f(x), ulp=4)
    theirs = np.ones(4)
    theirs += a
    assert type(theirs) is np.ndarray
    same(theirs, np.ones(4) + x)
    assert type(np.concatenate([a, a])) is (np.ndarray if IS_NUMPY else xp.ndarray)
    np.testing.assert_allclose(a, x)
    assert type(np.asarray(a)) is np.ndarray and type(xp.asnumpy(a)) is np.ndarray
    assert np.array_equal(np.stack([a, x]), [x, x])


@needs_heddle
def test_sources():
    same(xp.array(stdlib_array.array("f", [1, 2])), np.array(stdlib_array.array("f", [1, 2])))
    same(xp.array(memoryview(b"abc")), np.array(memoryview(b"abc")))
    same(xp.array(range(3)), np.array(range(3)))
    for x in (np.arange(6.0).reshape(2, 3).T, np.arange(8)[::-2],
              np.broadcast_to(np.arange(3), (2, 3)), np.zeros((0, 3)),
              np.arange(3, dtype=">f8"), np.arange(9, dtype="u1")[1:].view("i4"), np.array(3, "f4"),
              np.asfortranarray(np.ones((2, 3))), np.zeros(3, "f8,i4")["f0"]):
        same(xp.array(x), x.astype(x.dtype.newbyteorder("=")), strides=False)
    assert not xp.array(np.asfortranarray(np.ones((2, 3)))).flags.c_contiguous
    for numpys in (np.array(["a"]), np.array([object()]), np.zeros(2, "M8[s]"), np.zeros(2, "g"),
                   np.zeros(2, "f8,i4")):
        copy = xp.array(numpys)
        assert type(copy) is np.ndarray and copy is not numpys and copy.dtype == numpys.dtype
    a = xp.arange(3.0)
    same(xp.array([a, a + 1]), np.array([[0.0, 1, 2], [1, 2, 3]]))
    same(xp.array([a.sum(), a.max()]), np.array([3.0, 2.0]))
    same(xp.array([[a.sum(), 1], [2, 3]]), np.array([[3.0, 1], [2, 3]]))


@needs_heddle
@shares_memory
def test_memory_is_copied_unless_asked_for():
    x = np.arange(4.0)
    copied, shared = xp.asarray(x), xp.asarray(x, copy=False)
    assert shared.base is x
    x[0] = 9
    assert copied[0] == 0 and shared[0] == 9
    shared += 1
    assert x[0] == 10
    x.flags.writeable = False
    assert not xp.asarray(x, copy=False).flags.writeable
    for bad in ([1, 2], np.arange(3, dtype=">f8")):
        with pytest.raises(ValueError):
            xp.asarray(bad, copy=False)
    with pytest.raises(ValueError):
        xp.asarray(x, dtype="f4", copy=False)


# ---- pickle, copy, references ------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", DTYPES)
def test_pickle_and_copy(dtype):
    x = numbers((3, 4), dtype)
    for y in (x, x.T, x[::2, ::-1], x[:0], np.array(3, dtype), x[1, 2]):
        a = give(x)[1, 2] if np.isscalar(y) else give(y)
        for other in (pickle.loads(pickle.dumps(a)), pickle.loads(pickle.dumps(a, 2)),
                      copy.copy(a), copy.deepcopy(a)):
            same(other, y, strides=False)
    a = give(x)
    b = copy.copy(a)
    b[0] = 0
    same(a, x)
    assert pickle.loads(pickle.dumps(give(x.T))).flags.f_contiguous


@pytest.mark.parametrize("dtype", DTYPES)
def test_pickle__protocol_5(dtype):
    x = numbers((3, 4), dtype)
    for y in (x, x.T, x[1:], x[::2, ::-1], x[:0], np.array(3, dtype)):
        a, buffers, numpys = give(y), [], []
        same(pickle.loads(pickle.dumps(a, 5)), y, strides=False)
        text = pickle.dumps(a, 5, buffer_callback=buffers.append)
        pickle.dumps(y, 5, buffer_callback=numpys.append)
        assert len(buffers) == len(numpys)
        assert [b.raw().nbytes for b in buffers] == [y.nbytes] * len(buffers)
        for kind in (pickle.PickleBuffer, bytes, bytearray):
            b = pickle.loads(text, buffers=[kind(b.raw()) for b in buffers])
            same(b, y, strides=False)
            assert type(b) is type(a) and b.flags.f_contiguous == a.flags.f_contiguous
    with pytest.raises(pickle.UnpicklingError):
        pickle.loads(pickle.dumps(give(x), 5, buffer_callback=lambda b: None))


def test_ufuncs_are_pickled_by_name():
    assert pickle.loads(pickle.dumps(xp.exp)) is xp.exp


def test_weak_references():
    a = give(np.arange(3))
    reference = weakref.ref(a)
    assert reference() is a
    del a
    gc.collect()
    assert reference() is None


# ---- buffers -----------------------------------------------------------------------------------------


@shares_memory
@pytest.mark.parametrize("dtype", DTYPES)
def test_buffer(dtype):
    for x in (numbers((3, 4), dtype), numbers((3, 4), dtype).T, numbers((3, 4), dtype)[::-1, ::2],
              np.array(3, dtype),
              np.zeros((0, 2), dtype)):
        view, theirs = memoryview(give(x)), memoryview(x)
        assert (view.shape, view.itemsize, view.readonly, view.ndim) == (
            theirs.shape, theirs.itemsize, theirs.readonly, theirs.ndim)
        assert view.strides == theirs.strides or not x.size
        assert np.dtype(view.format.replace("Z",
            "")) if dtype in COMPLEX else view.format == theirs.format
        assert view.tobytes() == theirs.tobytes()
        same(np.asarray(view), x, strides=bool(x.size))
    data = give(numbers(3, dtype))
    with memoryview(data) as view:
        raw = view.cast("B")
        raw[:] = bytes(len(raw))
        raw.release()
    same(data, np.zeros(3, dtype))


@needs_heddle
@shares_memory
def test_buffers_see_writes_and_the_other_way_round():
    a = give(np.arange(4.0))
    n = np.asarray(a)
    n[1] = 50
    assert a[1] == 50
    a += 1
    assert n[1] == 51 and n[0] == 1
    a[2:] = -1
    assert n.tolist() == [1, 51, -1, -1]
    half = np.asarray(a[::2])
    a *= 2
    assert half.tolist() == [2, -2]
    a.shape = (2, 2)
    assert n.shape == (4,)
    n[3] = 77
    assert a[1, 1] == 77


@shares_memory
def test_buffer_refusals():
    a = give(np.arange(6.0).reshape(2, 3))
    a.flags.writeable = False
    assert memoryview(a).readonly and memoryview(a.sum()).readonly
    with pytest.raises((BufferError, TypeError)):
        io.BytesIO(b"12345678" * 6).readinto(a)
    with pytest.raises((BufferError, ValueError, TypeError)):
        bytes_of = io.BytesIO()
        bytes_of.write(a.T)
    writeable = give(np.zeros(3))
    assert io.BytesIO(np.arange(3.0).tobytes()).readinto(writeable) == 24
    same(writeable, np.arange(3.0))


def test_numpy_arrays_keep_the_memory():
    n = np.asarray(give(np.arange(1000.0)) + 1)
    gc.collect()
    assert n.sum() == 500500


@needs_heddle
def test_array_protocols():
    x = np.arange(6.0).reshape(2, 3)
    a = give(x)
    same(a.__array__(), x)
    same(a.__array__("f4"), x.astype("f4"))
    copied = a.__array__(copy=True)
    copied[0] = 9
    same(a, x)
    with pytest.raises(ValueError):
        a.__array__("f4", copy=False)
    same(np.asarray(a, dtype="f4"), x.astype("f4"))
    assert a.__array_namespace__() is xp


@needs_heddle
@shares_memory
def test_array_interface():
    x = np.arange(6.0).reshape(2, 3)
    a = give(x)

    class Interface:
        def __init__(self, array):
            self.array = array
            self.__array_interface__ = array.__array_interface__

    over = np.asarray(Interface(a.T))
    same(over, x.T)
    a += 1
    same(over, (x + 1).T)
    assert np.asarray(a, copy=False)[0, 0] == 1


# ---- DLPack -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", BOOL + INTEGERS + FLOATS + COMPLEX)
def test_dlpack(dtype):
    for x in (numbers((3, 4), dtype), numbers((3, 4), dtype).T, numbers((3, 4), dtype)[::-1, 1::2],
              np.array(3, dtype),
              np.zeros((0, 2), dtype)):
        if ON_HOST:
            same(np.from_dlpack(give(x)), x, strides=bool(x.size))
        same(xp.from_dlpack(x), x, strides=bool(x.size))
        same(xp.from_dlpack(give(x)), x, strides=bool(x.size))


@shares_memory
def test_dlpack_shares():
    a = give(np.arange(4.0))
    n = np.from_dlpack(a)
    a += 1
    assert n[0] == 1
    x = np.arange(4.0)
    b = xp.from_dlpack(x)
    x[1] = 9
    assert b[1] == 9
    b *= 2
    assert x[1] == 18
    c = xp.from_dlpack(x, copy=True)
    x[0] = -1
    assert c[0] == 0
    del x, a
    gc.collect()
    assert b[1] == 18 and n[3] == 4


@needs_heddle
@shares_memory
def test_dlpack_keywords():
    a = give(np.arange(4.0))
    assert a.__dlpack_device__() == (1, 0)
    assert "dltensor_versioned" in repr(a.__dlpack__(max_version=(1, 0)))
    assert "dltensor_versioned" not in repr(a.__dlpack__())
    assert "dltensor_versioned" not in repr(a.__dlpack__(max_version=(0, 8), copy=False,
        stream=None))
    a.__dlpack__(dl_device=(1, 0), copy=True)
    for keywords in ({"dl_device": (2, 0)}, {"stream": 1}):
        with pytest.raises((BufferError, ValueError)):
            a.__dlpack__(**keywords)
    a.flags.writeable = False
    with pytest.raises(BufferError):
        a.__dlpack__()
    assert not xp.from_dlpack(a).flags.writeable
    capsule = a.__dlpack__(max_version=(1, 0))
    module = type("Holder", (), {"__dlpack__": lambda self, **k: capsule})()
    xp.from_dlpack(module)
    with pytest.raises(ValueError):
        xp.from_dlpack(module)
    for x in (np.zeros(2, "g"), np.zeros(2, "M8[s]")):
        with pytest.raises((BufferError, TypeError)):
            xp.from_dlpack(x)


# ---- the library ----------------------------------------------------------------------------------------


@needs_heddle
def test_explain_and_state(tmp_path, capsys):
    x = xp.arange(1000.0)
    text, graph = io.StringIO(), tmp_path / "graph.dot"
    xp.explain(x * 2 + 1, file=text, dot=graph)
    assert text.getvalue() and graph.exists()
    xp.explain(x)
    xp.show_config()
    assert "heddle" in capsys.readouterr().out
    assert xp.show_config(mode="dicts")["heddle"] == xp.__version__
    before = xp.stats()["records"]
    y = x + 1
    assert xp.stats()["records"] > before
    xp.synchronize()
    xp.synchronize("cpu")
    assert y[0] == 1
    n = xp.get_num_threads()
    xp.set_num_threads(1)
    assert xp.get_num_threads() == 1
    xp.set_num_threads(n)
    assert xp.trim() >= 0


@needs_heddle
def test_devices():
    here = xp.zeros(3).device
    assert here == ("cpu" if ON_HOST else "cuda:0") and isinstance(here,
        str) and pickle.loads(pickle.dumps(here)) == here
    with xp.device("cpu"), xp.device("cpu") as inner:
        assert xp.ones(2, device=inner).device == "cpu"
    a = xp.ones(2, device="cpu")
    assert a.to_device("cpu") is a and xp.to_device(a, "cpu") is a
    for f in (lambda: xp.device("nowhere"), lambda: xp.zeros(2, device="nowhere"),
              lambda: a.to_device("nowhere"),
              lambda: xp.asarray([1], device="nowhere")):
        with pytest.raises((ValueError, RuntimeError)):
            f()


@needs_heddle
def test_modules_and_names():
    assert xp.AxisError is np.exceptions.AxisError and xp.exceptions.AxisError is np.exceptions.AxisError
    assert xp.linalg.LinAlgError is np.linalg.LinAlgError
    same(xp.linalg.trace(xp.ones((2, 3, 3))), np.linalg.trace(np.ones((2, 3, 3))))
    assert xp.abs is xp.absolute and xp.concat is xp.concatenate and xp.newaxis is None
    assert {"float64", "random", "sin", "sum", "array"} <= set(dir(xp))
    with pytest.raises(AttributeError, match="has no attribute"):
        xp.no_such_function
    assert "sine" in xp.sin.__doc__.lower() and repr(xp.sin) == "<ufunc 'sin'>"
    assert list[int] and xp.ndarray[tuple, np.dtype]


def test_stride_tricks():
    x = np.arange(12.0)
    a = give(x)
    tricks, numpys = xp.lib.stride_tricks, np.lib.stride_tricks
    same(tricks.as_strided(a, (3, 3), (16, 8)), numpys.as_strided(x, (3, 3), (16, 8)))
    same(tricks.sliding_window_view(a, 3), numpys.sliding_window_view(x, 3))
    same(tricks.sliding_window_view(a.reshape(3, 4), (2, 2)),
         numpys.sliding_window_view(x.reshape(3, 4), (2, 2)))
    if not IS_NUMPY:
        with pytest.raises(ValueError):
            tricks.as_strided(a, (13,), (8,))


# ---- leaks -------------------------------------------------------------------------------------------------


@needs_heddle
def test_nothing_leaks():
    """Objects die when their last name goes, whatever happened to them."""
    x = np.arange(12.0).reshape(3, 4)

    def everything():
        a = give(x)
        a[a > 5] = 2
        a[[0, 1], 1:3] = [[1, 2], [3, 4]]
        outcome(lambda: a[9])
        outcome(lambda: a[[9]])
        outcome(lambda: a + np.zeros(5))
        outcome(lambda: a.sum(axis=7))
        repr(a), np.asarray(a), a.__dlpack__(), xp.from_dlpack(a)
        if ON_HOST:
            memoryview(a), a.__array_interface__, xp.asarray(x, copy=False) + 1
        pickle.loads(pickle.dumps(a))
        [v for v in a]
        a.T[1:].base.shape
        xp.add(a, 1, out=a, where=a > 2)
        xp.synchronize()

    for _ in range(3):
        everything()
    gc.collect()
    used = xp.stats()["memory_used"]
    for _ in range(20):
        everything()
    gc.collect()
    assert xp.stats()["memory_used"] <= used


@needs_heddle
def test_names_that_numpy_had():
    """Their messages say what to write instead; others are plainly missing."""
    for name in ("int", "float", "object", "float_", "in1d_", "nothing_of_the_kind"):
        with pytest.raises(AttributeError) as ours:
            getattr(xp, name)
        with pytest.raises(AttributeError) as theirs:
            getattr(np, name)
        assert str(ours.value) == str(theirs.value).replace("module 'numpy'", "module 'heddle'")


@needs_heddle
def test_getsizeof__counts_elements():
    import sys
    x = xp.ones(1000)
    assert 8000 < sys.getsizeof(x) < 8300 and sys.getsizeof(x[::2]) < 300 and sys.getsizeof(xp.ones(0)) < 300
