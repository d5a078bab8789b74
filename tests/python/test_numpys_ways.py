# SPDX-License-Identifier: BSD-3-Clause
"""What programs written for NumPy rely on and NumPy's own tests found missing: which error comes
first, what pickles, buffers and outputs look like. Each beside NumPy."""

import hashlib
import importlib.util
import io
import pathlib
import pickle
import sys
import warnings

import numpy as np
import pytest

from common import IS_NUMPY, ON_HOST, needs_heddle, shares_memory, xp

ROOT = pathlib.Path(__file__).parents[2]
ERRORS = (IndexError, TypeError, ValueError, OverflowError)


def outcome(function, module):
    try:
        return function(module)
    except ERRORS as e:
        return type(e)


# ---- indices -------------------------------------------------------------------------------------


@pytest.mark.parametrize("key", ["0.0:, 0.0", "0.0:, 0", "0, 0.0:", "0.0, 0.0:", "0.0:, 'a'", ":, 0.0", "0.0:, 1j",
                                 "0.0:, 0, b'x'", "'a':, ...", "0.0:", "..., 0.0:, 0.5"])
def test_index__which_error_comes_first(key):
    got, want = (outcome(lambda m: eval(f"x[{key}]", {"x": m.ones((3, 3, 3))}), m) for m in (xp, np))
    assert got is want, (got, want)


class Position:
    """An integer that is a sequence besides."""

    def __init__(self, value):
        self.value = value

    def __index__(self):
        if self.value is None:
            raise TypeError("no index")
        return self.value

    def __len__(self):
        return 1

    def __getitem__(self, i):
        if i:
            raise IndexError
        return 2


def test_index__objects_with_an_index():
    def results(m):
        x = m.arange(12).reshape(4, 3)
        return [np.asarray(x[Position(1)]).tolist(), np.asarray(x[Position(1), Position(-1)]).tolist(),
                outcome(lambda m: x[Position(9)], m)]
    assert results(xp) == results(np)
    x = xp.arange(4)
    x[Position(2)] = 9
    assert x.tolist() == [0, 1, 9, 3]


def test_flat__as_key_and_as_array():
    for m in (xp, np):
        x = m.arange(6.0).reshape(2, 3)
        assert x.flat[np.array([], "S").flat].tolist() == []
        assert x.flat[m.array([1, 4]).flat].tolist() == [1, 4]
        flags = [a.flat.__array__().flags.writeable for a in (x, x[:, ::2])]
        x.flags.writeable = False
        flags += [a.flat.__array__().flags.writeable for a in (x, x[:, ::2])]
        assert flags == [True, False, False, False] or not ON_HOST
    if ON_HOST:
        x = xp.zeros((2, 2))
        x.flat.__array__()[3] = 5
        assert x.tolist() == [[0, 0], [0, 5]]


# ---- pickles, buffers, sizes ---------------------------------------------------------------------


@pytest.mark.parametrize("axes", [(1, 0, 2), (2, 0, 1), (0, 2, 1), (2, 1, 0), (0, 1, 2), (1, 2, 0)])
def test_pickle__buffers_of_transposed_arrays(axes):
    for base in (np.random.default_rng(3).random((2, 3, 4)), np.arange(3).reshape(1, 3, 1), np.ones((0, 2, 3))):
        x, want, buffers = xp.asarray(base).transpose(axes), base.transpose(axes), []
        text = pickle.dumps(x, protocol=5, buffer_callback=buffers.append)
        assert len(buffers) == 1
        for back in (pickle.loads(text, buffers=buffers), pickle.loads(pickle.dumps(x, protocol=5)),
                     pickle.loads(pickle.dumps(x, protocol=4))):
            np.testing.assert_array_equal(np.asarray(back), want)
            assert back.dtype == want.dtype and back.flags.writeable
    gaps = xp.arange(24).reshape(2, 3, 4).transpose(axes)[:, ::2]
    np.testing.assert_array_equal(np.asarray(pickle.loads(pickle.dumps(gaps, protocol=5))), np.asarray(gaps))


@shares_memory
def test_buffer__of_bytes_alone():
    x = np.arange(12).reshape(3, 4)
    assert hashlib.sha256(xp.asarray(x)).digest() == hashlib.sha256(x).digest()
    assert hashlib.sha256(xp.asarray(3.0)).digest() == hashlib.sha256(np.asarray(3.0)).digest()
    with pytest.raises((ValueError, BufferError)):
        hashlib.sha256(xp.asarray(x).T)
    file = io.BytesIO()
    file.write(xp.asarray(x))
    assert file.getvalue() == x.tobytes()
    assert memoryview(xp.asarray(x)).shape == (3, 4)


def test_sizeof__counts_axes():
    x = xp.ones(100)
    assert sys.getsizeof(x) < sys.getsizeof(x.reshape(100, 1, 1).copy())


# ---- functions -----------------------------------------------------------------------------------


@pytest.mark.parametrize("signature", ["%^->#", b"\xff\xff->i", b"ii-i", b"ii->i", "ii>i", "dd->d", "zz->z", "d", "dd->dd", "->d", 123])
def test_ufunc__signatures(signature):
    got, want = (outcome(lambda m: m.add(3, 4, signature=signature), m) for m in (xp, np))
    assert got == want


@pytest.mark.parametrize("call", [
    "m.partition(m.arange(9), 2, kind=1)", "m.argpartition(m.arange(9), 2, kind='quick')",
    "m.packbits(m.ones(3, 'u1'), bitorder=10)", "m.unpackbits(m.ones(3, 'u1'), bitorder=10)",
    "m.packbits(m.ones(3, 'u1'), bitorder=[])", "m.unpackbits(m.ones(3, 'u1'), bitorder='odd')",
    "m.zeros(3, device='nonsense')", "m.asarray([1], device='nonsense')", "m.sort(m.arange(3), order='x')"])
def test_refused_with_the_same_error(call):
    got, want = (outcome(lambda m: eval(call, {"m": m}), m) for m in (xp, np))
    assert got is want


def test_sort__records_by_fields():
    records = np.array([(3, 1.0), (1, 2.0), (3, 0.5)], [("n", int), ("x", float)])
    assert xp.sort(records, order=["n", "x"]).tolist() == np.sort(records, order=["n", "x"]).tolist()
    assert xp.argsort(records, order="x").tolist() == [2, 0, 1]


def test_choose__numbers_beyond_the_dtype():
    for choices in ((1000, np.array([1], "u1")), (-1, np.array([1], "u1")), (2**40, np.array([1], "i4")),
                    (7, np.array([1], "u8"), -2), (5, np.array([1], "u1"), 1000.5), (300, np.array([1], "f4"))):
        for n in range(len(choices)):
            got = xp.choose([n], [xp.asarray(c) if isinstance(c, np.ndarray) else c for c in choices])
            want = np.choose([n], choices)
            assert got.dtype == want.dtype and got.tolist() == want.tolist()


@needs_heddle
@pytest.mark.filterwarnings("ignore:the matrix subclass")
def test_bmat():
    a, b = np.arange(4.0).reshape(2, 2), np.eye(2)
    x, y = xp.asarray(a), xp.asarray(b)
    for blocks, ours in (([[a, b], [b, a]], [[x, y], [y, x]]), ((a, b), (x, y)), (a, x), ([[a, b]], [[a, y]])):
        got = xp.bmat(ours)
        assert type(got) is np.matrix and np.array_equal(got, np.bmat(blocks))
    assert np.array_equal(xp.bmat("x, y; y, x"), np.bmat("a, b; b, a"))
    assert np.array_equal(xp.bmat("p, q", {"p": x}, {"q": y}), np.bmat("p, q", {"p": a}, {"q": b}))


@needs_heddle
def test_ufuncs_of_others__outputs_and_names():
    special = pytest.importorskip("scipy.special")
    x, out = xp.linspace(0.1, 0.9, 5), xp.full(5, 7.0)
    where = xp.asarray([True, True, True, False, False])
    assert special.j0(x, out=out, where=where) is out
    want = np.where(np.asarray(where), special.j0(np.asarray(x)), 7.0)
    np.testing.assert_array_equal(np.asarray(out), want)
    first, second = xp.zeros(5), xp.zeros(5)
    results = special.sici(x, out=(first, second))
    assert results[0] is first and results[1] is second
    np.testing.assert_array_equal(np.asarray(second), special.sici(np.asarray(x))[1])
    half = special.sici(x, out=(None, second))
    assert isinstance(half[0], xp.ndarray) and half[1] is second
    tests = pytest.importorskip("numpy._core._umath_tests")    # a ufunc "cumsum", which is not NumPy's
    assert tests.cumsum(x, out=out, axis=0) is out
    np.testing.assert_array_equal(np.asarray(out), np.cumsum(np.asarray(x)))
    assert isinstance(np.matmul(x, x), type(xp.matmul(x, x)))


def test_outer__of_subclasses_of_numpys():
    class Own(np.ndarray):
        pass
    a = np.arange(3.0)
    for x, y in ((a.view(Own), a.view(Own)), (a.view(Own), xp.asarray(a))):
        got, want = xp.multiply.outer(x, y), np.multiply.outer(x, np.asarray(y))
        assert type(got) is type(want) and np.array_equal(np.asarray(got), np.asarray(want))


@needs_heddle
def test_testing__does_not_copy_what_is_changed():
    x = [3, 1, 2]
    xp.testing.assert_no_warnings(x.sort)
    xp.testing.assert_no_warnings(list.sort, seq := [2, 1])
    assert x == [1, 2, 3] and seq == [1, 2]
    xp.testing.assert_equal([xp.arange(2), 3], [np.arange(2), 3])
    xp.testing.assert_equal({"a": xp.arange(2)}, {"a": np.arange(2)})


def test_npz__names_as_attributes():
    file = io.BytesIO()
    xp.savez(file, first=xp.arange(3), second=xp.ones(2))
    file.seek(0)
    npz = xp.load(file)
    assert sorted(dir(npz.f)) == ["first", "second"] and npz.f.first.tolist() == [0, 1, 2]
    with pytest.raises(AttributeError):
        npz.f.third


@needs_heddle
def test_isclose__beside_an_array_on_another_device():
    x = xp.ones(4, device="null")
    for other in (np.ones(4), [1.0, 1, 1, 1], 1.0):
        assert str(xp.isclose(x, other).device) == str(xp.isclose(other, x).device) == "null"


@needs_heddle
def test_cupy__random_state():
    from heddle.cupy import random
    before = random.get_random_state()
    try:
        assert random.get_random_state() is before and isinstance(before, random.RandomState)
        mine, twin = random.RandomState(5), random.RandomState(5)
        random.set_random_state(mine)
        assert random.get_random_state() is mine
        want = [twin.rand(3).tolist(), twin.normal(size=2).tolist(), twin.randint(9, size=2).tolist()]
        assert [random.rand(3).tolist(), mine.normal(size=2).tolist(), random.randint(9, size=2).tolist()] == want
        random.seed(8)
        assert mine.random_sample() == random.RandomState(8).random_sample()
        with pytest.raises(TypeError, match="RandomState"):
            random.set_random_state(np.random.RandomState(3))
    finally:
        random.set_random_state(before)


# ---- arguments that are refused ------------------------------------------------------------------


@pytest.mark.parametrize("call", [
    "m.clip(x, None, None)", "m.clip(x, min=1)",
    "m.clip(x, 1, 2, max=3)", "m.clip(x, 1, None, min=3)", "m.clip(x)",
    "m.clip(x, a_max=2, a_min=1)", "m.arange(start=4)", "m.arange(start=4, step=2)",
    "m.arange(stop=4)", "m.arange(4, step=2)", "m.array([[1, 2]], ndmax=1)",
    "m.array([[1, 2]], ndmax=2)", "m.array([1], ndmax=-1)", "m.array([1], ndmax=65)",
    "m.array([1], ndmin=2, ndmax=1)", "m.array([x], ndmax=1)",
    "m.array(m.ones((2, 2)), ndmax=1)", "m.array(3, ndmax=0)",
    "m.array([[1], [2, 3]], ndmax=1, dtype=object)", "x.searchsorted(1, sorter=[-1, 0, 1])",
    "x.searchsorted(1, sorter=[2, 0, 1])", "m.eye(3).resize(refcheck='hi')", "m.add(1, 2, ...)",
    "m.add.reduce(x, 0, None, ...)", "m.add.accumulate(x, 0, None, ...)",
    "m.add.reduceat(x, [0], 0, None, ...)", "m.add.reduce(x, out=...)", "m.divmod(1, 2, x, ...)", "m.negative(x, ...)", "m.add(x, 1, out=...)",
    "m.ones((3, 3)).__imatmul__(x)", "m.ones((3, 3)).__imatmul__(m.ones((3, 2)))",
    "m.ones(3).__imatmul__(m.ones((3, 3)))", "m.ones((1, 3)).__imatmul__(m.ones((3, 3)))",
    "x.__imatmul__(x)"])
def test_arguments__are_refused_as_by_numpy(call):
    def result(m):
        value = eval(call, {"m": m, "x": m.array([3.0, 1.0, 2.0])})
        return value if value is None else np.asarray(value).tolist()
    got, want = outcome(result, xp), outcome(result, np)
    assert got == want, (got, want)


# ---- parts of elements ---------------------------------------------------------------------------


@pytest.mark.parametrize("part,offset", [
    ("i1", 0), ("i1", 1), ("u1", 3), ("f4", 0), ("i2", 2), ("i2", 1), ("u4", 4), ("f8", 0),
    ("f8", 8), ("u1", -1), ("u1", 16), ("c16", 1), ("f8", 9)])
def test_getfield_and_setfield(part, offset):
    values = np.linspace(-3, 9, 12).reshape(3, 4)
    for dtype in ("i4", "u2", "c16", "f8"):
        for view in (slice(None), np.s_[:, ::2], np.s_[::-1, 1]):
            x, y = values.astype(dtype), xp.asarray(values.astype(dtype))
            want, got = (outcome(lambda a: a[view].getfield(part, offset), a) for a in (x, y))
            if isinstance(want, type):
                assert got is want, (dtype, got)
                continue
            assert got.dtype == want.dtype and np.asarray(got).tobytes() == want.tobytes()
            x[view].setfield(7, part, offset)
            y[view].setfield(7, part, offset)
            assert np.asarray(y).tobytes() == x.tobytes(), dtype


@pytest.mark.parametrize("dtype", ["?", "i1", "u2", "f8", "c8"])
def test_byteswap(dtype):
    x = np.arange(6).reshape(2, 3).astype(dtype)
    y = xp.asarray(x)
    assert np.asarray(y.T.byteswap()).tobytes() == x.T.byteswap().tobytes()
    assert y.byteswap(inplace=True) is y and np.asarray(y).tobytes() == x.byteswap().tobytes()


# ---- names ---------------------------------------------------------------------------------------


@needs_heddle
def test_names__of_arrays_and_modules():
    assert {n for n in dir(np.ndarray) if not n.startswith("_")} <= set(dir(xp.ndarray))
    for module in ("linalg", "fft", "random", "lib", "polynomial", "testing", "exceptions", "ma"):
        theirs = {n for n in dir(getattr(np, module)) if not n.startswith("_")} - {"test"}
        ours = getattr(xp, module)
        assert theirs <= set(dir(ours)), module
        for name in theirs:
            assert getattr(ours, name) is not None
    assert xp.typing.NBitBase is np.typing.NBitBase


@needs_heddle
@pytest.mark.parametrize("statement", [
    "x.astype('f4')", "x.astype(int)", "x.astype('?')", "x.astype('c8')", "m.array(x, dtype='f8')", "m.asarray(x, dtype=int)",
    "m.asarray(c, 'f4')", "y[...] = x", "y[:] = c", "y[:] = 1", "y[0] = x[0]", "y[0] = c[1]", "y[[1, 0]] = x", "y[m.array([True, False])] = x[:1]",
    "m.copyto(y, x, casting='unsafe')", "m.copyto(y, x, casting='unsafe', where=[True, False])", "m.put(y, [0], x[:1])",
    "y[:1] = np.complex64(1j)", "y[0] = 1j", "b[...] = x", "x[...] = y", "x[0] = y[0]", "x.astype('f8', casting='same_kind')"])
def test_complex_warning__where_imaginary_parts_are_dropped(statement):
    def told(m, action):
        c = np.array([1 + 2j, 3])
        names = {"m": m, "np": np, "c": c, "x": m.asarray(c.copy()), "y": m.zeros(2), "b": m.zeros(2, bool)}
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter(action)
            try:
                exec(statement, names)
            except (TypeError, np.exceptions.ComplexWarning) as e:
                return type(e), names["y"].tolist()
        return [w.category for w in found], names["y"].tolist()
    for action in "always", "error":
        assert told(xp, action) == told(np, action)


@needs_heddle
@pytest.mark.skipif(not ON_HOST, reason="a GPU's arrays share no memory of the host's")
@pytest.mark.parametrize("way", ["__array_interface__", "__array__"])
def test_copy_false__shares_by_protocols(way):
    x = np.arange(6.0).reshape(2, 3)
    value = x.T.__array_interface__ if way == "__array_interface__" else lambda self, dtype=None, copy=None: x.T
    o = type("Holder", (), {way: value, "kept": x})()
    a = xp.asarray(o, copy=False)
    x[1, 2] = 99
    assert a.shape == (3, 2) and a.strides == x.T.strides and a[2, 1] == 99
    for no in [1, 2], 3.5, object(), "text":
        for m in xp, np:
            with pytest.raises(ValueError):
                m.asarray(no, copy=False)


@needs_heddle
def test_names__the_page_is_up_to_date():
    spec = importlib.util.spec_from_file_location("coverage_numpy", ROOT / "tools/coverage_numpy.py")
    coverage = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(coverage)
    text, (names, own, numpys) = coverage.row("")
    assert names == own + numpys and own > 380, text       # nothing is missing
    assert coverage.main(["check"]) == 0


@pytest.mark.skipif(not ON_HOST, reason="a GPU's memory has no strides of NumPy's")
@pytest.mark.parametrize("strides", [(8,), (8, 8, 8), (24, 8), (8, 16), (0, 8), (800, 8), (3, 1), (-24, 8)])
def test_ndarray__strides(strides):
    for buffer in None, bytearray(48):
        got, want = (outcome(lambda m: m.ndarray((2, 3), "f8", buffer, 0, strides).strides, m) for m in (xp, np))
        assert got == want, (got, want)


def test_npz__is_of_the_type_that_lib_names():
    file = io.BytesIO()
    xp.savez(file, x=xp.arange(3))
    file.seek(0)
    loaded = xp.load(file)
    assert isinstance(loaded, xp.lib.npyio.NpzFile) and loaded["x"].tolist() == [0, 1, 2]
    assert xp.lib.npyio.DataSource is np.lib.npyio.DataSource
