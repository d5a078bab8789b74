# SPDX-License-Identifier: BSD-3-Clause
"""What heddle does not compute on is NumPy's: text, dates, objects, records, and operands with rules
of their own. Each expression gives what NumPy gives; plain arrays of numbers are heddle's."""
import copy
import ctypes
import inspect
import io
import pickle
import subprocess
import sys
import threading
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from common import IS_NUMPY, needs_heddle, xp

FOREIGN = [
    'm.array(["a", "b"])', 'm.array([b"a"])', "m.array([1, None])", "m.array([10**30])",
    'm.array([1, "a"])', "m.array([{}])", "m.array([], dtype=object)", "m.array([1, 2], '>f8')",
    "m.array([1, 2], 'longdouble')", "m.array([('a', 1)], [('n', 'U3'), ('v', 'i4')])",
    "m.array([[1, 2], [3]], dtype=object)", "m.zeros(3, dtype=object)", "m.zeros((2,), 'S3')",
    "m.ones(3, dtype='clongdouble')", "m.full(3, 'x')", "m.full_like([1, 2], '3')",
    "m.fromiter('ab', dtype='U1')", "m.asarray(['x'])", "m.asanyarray(['x'])",
    "m.array(5, dtype='m8[s]')", "m.array(['2026-01-01'], dtype='datetime64[D]')",
    "m.arange('2026-01', '2026-07', dtype='M8[M]')", "m.arange(3, dtype=object)",
    "m.arange(m.datetime64('2026-01-01'), m.datetime64('2026-01-05'))",
    "m.empty_like(np.array(['a'])).dtype", "m.repeat('a', 3)", "m.tile(['a'], 2)",
    "m.ndarray(2, object)", "m.ndarray((2,), '>f8', bytes(16))", "m.frombuffer(bytes(16), '>f8')",
    "m.vecdot(np.array([1, 2], object), m.array([3, 4]))",
    "m.matvec(np.array([[1, None]], object)[:, :1], np.array([2], object))",
    "(lambda x: (m.add.at(x, m.array([0, 0]), 1), x)[1])(np.zeros(3, 'longdouble'))",
    "(lambda x: (m.add.at(x, [0, 0], m.ones(2)), x)[1])(np.zeros(3, object))",
    "m.array_equal(['a', 'b'], m.array(['a', 'b']))", "m.array_equal([b'a'], [b'b'])",
    "m.array_equal(m.array([1, 'NaT'], 'm8[s]'), m.array([1, 'NaT'], 'm8[s]'), equal_nan=True)",
    "m.zeros_like(np.ones(2, '>i4'))", "m.full_like(np.ones(2, '>f8'), 3)", "m.empty_like(np.ones(2, '>i4')).dtype",
    "(lambda x: m.may_share_memory(x, x[1:]))(np.ones(3))", "(lambda x: m.shares_memory(x, x[1:]))(np.ones(3))",
    "m.shares_memory(np.ones(3), np.ones(3))", "m.shares_memory(np.ones(3), m.ones(3))",
    "m.array_equiv(['a'], ['a', 'a'])", "m.array_equiv([1, None], [1, None])",
    "m.concatenate([['a'], ['b']])", "m.concatenate([m.array([1, 2]), m.array(['b'])])",
    "m.stack([['a'], ['b']])", "m.append(['a'], 'b')", "m.insert(['a'], 0, 'b')",
    "m.meshgrid(['a'], [1])", "m.broadcast_to('a', (2,))", "m.r_[['a'], ['b']]", "m.r_['r', 1:3]",
    "m.c_[['a'], ['b']]", "m.where(m.array([1., 2]) > 1, 'up', 'down')",
    "m.where(m.array(['a', 'b']) == 'a', m.array([1, 2]), 0)", "m.unique(['b', 'a', 'b'])",
    "m.unique(m.array(['b', 'a', 'b']), return_counts=True)", "m.sort(['b', 'a'])",
    "m.argsort(['b', 'a'])", "m.array([3, 1, 2])[m.argsort(m.array(['c', 'a', 'b']))]",
    "m.searchsorted(['a', 'c'], 'b')", "m.isin(m.array(['a', 'b']), ['a'])", "m.take(['a', 'b'], [1])",
    "m.choose([0, 1], ['a', 'b'])", "m.select([m.array([True, False])], [['a', 'b']], 'z')",
    "m.nonzero(['a', ''])", "m.count_nonzero(['a', ''])", "m.any([None, 1])",
    "m.array([1, 2, 3])[m.array(['a', 'b', 'a']) == 'a']", "m.equal(['a', 'b'], ['a', 'c'])",
    "m.array([1, 2, 3]) == np.array(['1', '2', '3'])", "m.diff(m.array([1, 3], dtype='M8[s]'))",
    "m.isnat(m.array(['NaT'], dtype='M8[s]'))", "m.datetime64('2026-01-01') + m.arange(3)",
    "m.arange(3) * m.timedelta64(1, 'D')", "m.busday_count('2026-01-01', '2026-02-01')",
    "m.array(['2026-01-01', '2026-01-03'], dtype='M8[D]') - m.datetime64('2026-01-01')",
    "m.array(['1', '2']).astype(float)", "m.array([1.5, 2]).astype(str)", "m.arange(3).astype(object)",
    "m.arange(3).astype('>i4').dtype", "m.arange(3).view('V8')", "m.char.upper(['a'])",
    "m.strings.add(['a'], ['b'])", "m.rec.fromarrays([m.arange(3), m.ones(3)], names='a,b')",
    "m.zeros(3, dtype=[('x', 'f8')])['x'] + m.ones(3)", "m.add('a', 'b')",
    "m.array([1, 2, 3]) + np.array([1, 3, 2], dtype=object)",
    "np.array([1, 3, 2], dtype=object) + m.array([1, 2, 3])",
    "m.array([1, 2]) < np.array([1, 3], dtype=object)", "m.sum(np.array([1, 2], dtype=object))",
    "m.add.reduce(np.array([1, 2], dtype=object))", "m.add.outer(np.array([1, 2], object), [1, 2])",
    "m.add.accumulate(np.array([1, 2], dtype=object))",
    "m.add.reduceat(np.array([1, 2, 3], dtype=object), [0, 2])",
    "m.dot(np.array([1, 2], dtype=object), m.array([1, 2]))",
    "m.array([1, 2, 3]) + Fraction(1, 2)", "Fraction(1, 2) - m.array([1, 2, 3])",
    "m.array([1, 2, 3]) * Decimal(2)",
    "m.array([[1, 2]]) @ np.array([1, 2], dtype=object)",
    "m.frompyfunc(lambda a, b: a + b, 2, 1)(m.arange(3), m.arange(3))",
    "m.vectorize(str.upper)(['a', 'b'])", "m.vectorize(lambda x: f'<{x}>')(m.arange(3))",
    "m.genfromtxt(io.StringIO('a,b\\n1,x'), delimiter=',', names=True, dtype=None)['b']",
    "m.loadtxt(io.StringIO('a b'), dtype=str)", "m.poly1d([1, 2, 3])(m.array([1., 2]))",
    "m.polynomial.Polynomial([1, 2, 3])(m.array([1., 2]))",
    "[int(i) for i in m.nditer(m.arange(3))]", "m.matrix([[1, 2], [3, 4]]) * m.array([[1, 2], [3, 4]])",
    "m.array([[1, 2], [3, 4]]) * m.matrix([[1, 2], [3, 4]])", "m.bmat([[m.eye(2), m.ones((2, 1))]])",
]
MASKED = "np.ma.masked_array([1., 2, 1000], [0, 0, 1])"
RULES = [
    f"m.mean({MASKED})", f"m.median({MASKED})", f"m.sin({MASKED})", f"m.sum({MASKED}, axis=0)",
    f"m.array([1., 2, 3]) * {MASKED}", f"{MASKED} * m.array([1., 2, 3])", f"{MASKED} > m.ones(3)",
    f"m.add(m.ones(3), {MASKED})", f"np.add(m.ones(3), {MASKED})", f"m.asarray({MASKED})",
    f"m.asanyarray({MASKED})", f"m.concatenate([{MASKED}, m.ones(2)])", f"m.array({MASKED})",
    f"m.linalg.norm({MASKED}[:2])", f"m.where({MASKED} > 1, 1, 0)", f"m.copy({MASKED})",
    "m.ma.masked_where(m.array([1, 2, 3]) > 2, m.array([1, 2, 3]))", "m.ma.masked_invalid(m.array([1, m.nan]))",
    "np.matrix([[1, 2], [3, 4]]) @ m.ones((2, 1))", "m.ones((1, 2)) @ np.matrix([[1, 2], [3, 4]])",
    "m.ones(2) - np.matrix([[1, 2], [3, 4]])",
]


def value_of(module, text):
    names = {"m": module, "np": np, "io": io, "Fraction": Fraction, "Decimal": Decimal}
    return eval(text, names)


def alike(got, want, path=""):
    if isinstance(want, (list, tuple)):
        assert type(got) is type(want) and len(got) == len(want)
        for a, b in zip(got, want):
            alike(a, b)
    elif type(want) is np.ndarray:
        assert isinstance(got, (np.ndarray, xp.ndarray))
        ours = want.dtype.kind in "biufc" and want.dtype.itemsize <= 16 and want.dtype.isnative
        assert type(got) is (xp.ndarray if ours and want.dtype.char not in "gG" else np.ndarray)
        got = np.asarray(got)
        assert got.dtype == want.dtype and got.shape == want.shape
        assert got.tolist() == want.tolist()
    elif isinstance(want, np.ma.MaskedArray):
        assert type(got) is type(want) and repr(got) == repr(want)
    else:
        assert np.shape(got) == np.shape(want) and repr(got) == repr(want)


# Methods of NumPy's objects give NumPy's arrays.
NUMPYS_RESULTS = ("m.poly1d", "m.array(['1', '2']).astype(float)")


@pytest.mark.parametrize("text", FOREIGN + RULES)
def test_hand_over__gives_what_numpy_gives(text):
    got, want = value_of(xp, text), value_of(np, text)
    if text.startswith(NUMPYS_RESULTS):
        got = xp.asarray(got)
    alike(got, want)


FAILING = ["m.add(m.array([1, 2]), None)", "m.array([1.5]) * Decimal(2)", "m.array([1]) + {}",
           "m.sum(['a', 'b'])", "m.array([1, 2]) + 'a'", "m.linalg.inv(np.array([[1]], object))",
           "m.sin(['a'])", "m.array([1, 2]) < None", "m.array([1]) @ None"]


@pytest.mark.parametrize("text", FAILING)
def test_hand_over__fails_as_numpy_fails(text):
    with pytest.raises(Exception) as want:
        value_of(np, text)
    with pytest.raises(Exception) as got:
        value_of(xp, text)
    assert isinstance(want.value, TypeError) == isinstance(got.value, TypeError)


@pytest.mark.parametrize("text", ["x += Fraction(1, 2)", "x *= Decimal(2)", "x -= None",
                                  "x += np.array([1, 2, 3], dtype=object)", "x += ['a', 'b', 'c']"])
def test_in_place__is_not_bound_to_objects(text):
    for module in (np, xp):
        x = module.array([1.0, 2, 3])
        names = {"x": x, "np": np, "Fraction": Fraction, "Decimal": Decimal}
        with pytest.raises(TypeError):
            exec(text, names)
        assert names["x"] is x and x.tolist() == [1, 2, 3]


def test_out__may_be_numpys():
    for call in (lambda m, o: m.add(m.ones(3), 1, out=o), lambda m, o: m.multiply(m.ones(3), 2, o),
                 lambda m, o: m.sum(m.ones((2, 3)), axis=0, out=o),
                 lambda m, o: m.median(m.ones((2, 3)), axis=0, out=o),
                 lambda m, o: m.cumsum(m.ones(3), out=o), lambda m, o: m.clip(m.arange(3.0), 1, 2, out=o)):
        mine, numpys = np.zeros(3), np.zeros(3)
        call(xp, mine)
        call(np, numpys)
        assert mine.tolist() == numpys.tolist()


@needs_heddle
def test_hand_overs__are_counted_and_can_be_forbidden():
    before = xp.stats()["hand_overs"].get("sort", 0)
    xp.sort(["b", "a"])
    xp.sort([2, 1])
    assert xp.stats()["hand_overs"]["sort"] == before + 1
    assert xp.config.hand_over == "allow"
    xp.config.hand_over = "error"
    try:
        for text in ("m.sort(['b', 'a'])", "m.add('a', 'b')", "m.arange(3).astype(str)",
                     f"m.mean({MASKED})", "m.ones(3) + Fraction(1, 2)"):
            with pytest.raises(xp.exceptions.NotOurs):
                value_of(xp, text)
        assert xp.sort([2, 1]).tolist() == [1, 2]
    finally:
        xp.config.hand_over = "allow"
    with pytest.raises(ValueError, match="hand_over"):
        xp.config.hand_over = "no"


@needs_heddle
def test_numbers__are_never_handed_over():
    """Nor does what was asked to become an array of ours keep another type."""
    before = xp.stats()["hand_overs"]
    x = xp.asarray(np.arange(12.0).reshape(3, 4))
    xp.median(xp.sort(np.arange(5)[::-1])) + xp.sum(np.ones((2, 2)), axis=0)
    xp.linalg.solve(np.eye(4), x[0]), xp.fft.fft(x), xp.where(x > 1, x, np.zeros(4)), x + np.ones(4)
    xp.add(x, np.float32(1)), np.add(x, 1), xp.unique([3, 1]), xp.array(np.array(["1"]), dtype=float)
    xp.asarray(np.ma.masked_array([1.0])), xp.array(np.matrix([[1]])), xp.sum(xp.ones(3))
    assert xp.stats()["hand_overs"] == before


class Counts:
    """An operand with __array_ufunc__ of its own."""

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        return ufunc.__name__, method, [type(x).__name__ for x in inputs]


class Declines:
    __array_ufunc__ = None

    def __radd__(self, other):
        return "asked"


class Functions:
    def __array_function__(self, function, types, args, kwargs):
        return function.__name__


class Priority:
    __array_priority__ = 10

    def __rmul__(self, other):
        return "asked"


def test_operands_with_rules__are_asked():
    x = xp.ones(3)
    assert x + Counts() == ("add", "__call__", ["ndarray", "Counts"])
    assert Counts() + x == ("add", "__call__", ["Counts", "ndarray"]) if hasattr(Counts, "__add__") \
        else True
    assert xp.exp(Counts()) == ("exp", "__call__", ["Counts"])
    assert xp.add.reduce(Counts())[:2] == ("add", "reduce")
    assert x + Declines() == "asked" and x * Priority() == "asked"
    with pytest.raises(TypeError):
        xp.add(x, Declines())
    assert xp.concatenate([Functions()]) == "concatenate" and xp.median(Functions()) == "median"
    assert xp.linalg.norm(Functions()) == "norm"


@needs_heddle
def test_functions__are_functions_to_python():
    for f, name in ((xp.sum, "sum"), (xp.median, "median"), (xp.linalg.norm, "norm"),
                    (xp.fft.fft, "fft")):
        assert f.__name__ == f.__qualname__ == name and inspect.isroutine(f) and callable(f)
        assert "axis" in inspect.signature(f).parameters and f.__doc__
        assert pickle.loads(pickle.dumps(f)) is f and copy.deepcopy(f) is f
    assert xp.sum.__module__ == "heddle" and xp.fft.fft.__module__ == "heddle.fft"
    assert xp.amax is xp.max and xp.concat is xp.concatenate and xp.asanyarray is not xp.asarray
    f = xp.sort
    f.note = 1      # as of any function
    del f.note

    class Model:
        reduce, make, middle = xp.sum, xp.array, xp.median
    assert Model.reduce is xp.sum
    assert Model().make([1]).tolist() == [1]    # as in NumPy, where it is C's
    for method in (Model().reduce, Model().middle):
        assert method.__self__.__class__ is Model


@needs_heddle
def test_place_and_kin__write_to_numpys_arrays():
    for module in (np, xp):
        texts, objects = np.array(["a", "b", "c"]), np.array([1, None, 3], dtype=object)
        module.place(texts, [True, False, True], ["x"])
        module.put(objects, [0], "y")
        module.putmask(objects, [False, True, False], 7)
        module.copyto(texts, "z", where=[False, True, False])
        assert texts.tolist() == ["x", "z", "x"] and objects.tolist() == ["y", 7, 3]
        squares = np.zeros((2, 2), dtype=object)
        module.fill_diagonal(squares, "d")
        module.put_along_axis(squares, np.array([[1], [0]]), 5, 1)
        assert squares.tolist() == [["d", 5], [5, "d"]]


@needs_heddle
def test_testing__takes_our_arrays():
    t, x = xp.testing, xp.arange(3.0)
    t.assert_equal(x, np.arange(3.0))
    t.assert_equal({"a": [x, 1]}, {"a": [np.arange(3.0), 1]})
    t.assert_array_equal(x, [0, 1, 2])
    t.assert_allclose(x + 1e-12, x, atol=1e-9)
    t.assert_almost_equal(x.sum(), 3)
    for check in (t.assert_equal, t.assert_array_equal, t.assert_allclose, t.assert_almost_equal):
        with pytest.raises(AssertionError):
            check(x, x + 1)
    with t.assert_raises(ValueError):
        raise ValueError
    from heddle.testing import assert_array_less
    assert_array_less(x, x + 1)
    assert set(np.testing.__all__) - {"test"} <= set(dir(t))


@needs_heddle
def test_conversion_inside_callbacks__is_the_callers():
    """A function that is called back within one of ours asks for arrays as anywhere else."""
    masked = np.ma.masked_array([1.0, 2], [0, 1])
    got = xp.apply_along_axis(lambda row: xp.asarray(masked) + row, 0, xp.ones(2))
    assert got.tolist() == [2, 3]
    assert xp.mean(masked) == 1 and isinstance(xp.asarray(masked), xp.ndarray)


@needs_heddle
def test_threads__ask_for_themselves():
    masked, failed = np.ma.masked_array([1.0, 2], [0, 1]), []

    def convert():
        for _ in range(300):
            if not isinstance(xp.asarray(masked), xp.ndarray):
                failed.append("asarray")

    def ask():
        for _ in range(300):
            if xp.median(masked) != 1:
                failed.append("median")

    threads = [threading.Thread(target=f) for f in (convert, ask)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert failed == []


def test_names__are_all_there():
    skipped = {"core", "f2py", "test"}
    missing = [name for name in dir(np)
               if not name.startswith("_") and name not in skipped and not hasattr(xp, name)]
    assert missing == []
    assert set(dir(np)) - skipped - {n for n in dir(np) if n.startswith("_")} <= set(dir(xp))


@needs_heddle
def test_instances__of_ndarray():
    """NumPy's arrays are instances where Heddle does not compute on them; programs ask so which are on the host."""
    class Ours(xp.ndarray):
        pass

    class Says:
        __class__ = xp.ndarray

    not_ours = [np.array(["a"]), np.array([1, None]), np.array(["2026-01-01"], "M8[D]"), np.zeros(2, "m8[s]"), np.zeros(2, ">f8"),
                np.zeros(2, "longdouble"), np.zeros(2, "i4,f8"), np.ma.array([1.0], mask=[1]), np.matrix([[1.0]]), np.rec.array([(1, 2)])]
    for x in [*not_ours, xp.ones(3), xp.ones(()), Ours(3), xp.array(["a"]), Says()]:
        assert isinstance(x, xp.ndarray), x
    for x in np.ones(3), np.array(True), np.float64(3), 3, "a", None, [1], xp.ones, xp.ndarray, np.ndarray:
        assert not isinstance(x, xp.ndarray), x
    for x in [*not_ours, np.ones(3), xp.ones(3), 3, Says()]:
        assert not isinstance(x, Ours), x
    assert isinstance(Ours(3), Ours) and isinstance(xp.ones(3).view(Ours), Ours)
    assert isinstance(np.array(["a"]), (int, xp.ndarray)) and isinstance(np.array(["a"]), xp.ndarray | int)
    assert issubclass(Ours, xp.ndarray) and not issubclass(np.ndarray, xp.ndarray) and type(Ours(3)) is Ours
    assert pickle.loads(pickle.dumps(xp.ndarray)) is xp.ndarray is copy.deepcopy(xp.ndarray)


@needs_heddle
def test_instances__errors_of_class_go_on():
    class Bad:
        @property
        def __class__(self):
            raise KeyError("bad")

    class Gone:
        @property
        def __class__(self):
            raise AttributeError("gone")

    with pytest.raises(KeyError):
        isinstance(Bad(), xp.ndarray)
    assert not isinstance(Gone(), xp.ndarray)


def test_ctypeslib__of_memory_of_c():
    memory = (ctypes.c_double * 3)(1, 2, 3)
    assert xp.ctypeslib.as_array(memory).sum() == 6
    assert list(xp.ctypeslib.as_ctypes(xp.arange(3.0, device="cpu"))) == [0, 1, 2]


@needs_heddle
def test_star_import__gives_what_numpys_gives():
    code = ("from heddle import *; import numpy, heddle; mine = set(globals()); "
            "want = set(numpy.__all__) - {'core', 'f2py', 'test'}; "
            "assert want <= mine, want - mine; assert sum is heddle.sum; "
            "assert object_ is numpy.object_")
    subprocess.run([sys.executable, "-c", code], check=True)


@needs_heddle
def test_import__leaves_numpy_alone():
    code = "import sys, heddle; heddle.sum(heddle.ones(3)); assert 'numpy' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


@needs_heddle
def test_modules__that_are_numpys_can_be_imported():
    code = """
import heddle.ma as ma, numpy, pickle, sys
import heddle.rec as rec
from heddle.lib import stride_tricks
assert ma is numpy.ma and rec is numpy.rec
assert numpy.ma.__spec__.name == "numpy.ma" and numpy.ma.__name__ == "numpy.ma"
assert stride_tricks.__name__ == "heddle.lib.stride_tricks"
pickle.loads(pickle.dumps(ma.masked_array([1])))
for name in ("core", "nothing", "_core", "ma.nothing", "f2py"):
    try:
        __import__("heddle." + name)
    except ModuleNotFoundError:
        continue
    raise AssertionError(name)
"""
    subprocess.run([sys.executable, "-c", code], check=True)


@needs_heddle
def test_names__of_files_and_flags():
    data = io.BytesIO()
    xp.savez(data, a=xp.arange(3), b=np.array(["x"]))
    data.seek(0)
    with xp.load(data) as file:
        assert file.f.a.tolist() == [0, 1, 2] and type(file.f.a) is xp.ndarray
        assert file["b"].tolist() == ["x"] and file.zip is not None
    assert xp._NoValue is np._NoValue and xp._CopyMode is np._CopyMode
    text = np.array(["a", "bc"], dtype=np.dtypes.StringDType())
    assert xp.sort(text[::-1]).tolist() == ["a", "bc"] and xp.asarray(text).tolist() == ["a", "bc"]


def test_vectorize__of_dates_with_a_signature():
    days = np.array(["2026-01-01", "2026-01-02"], "M8[D]")
    same = xp.vectorize(lambda x: x, signature="(i)->(j)")(days)
    assert same.dtype == days.dtype and (same == days).all()


def test_vectorize__keeps_objects():
    given = [1, 2]
    assert xp.vectorize(lambda x: given, otypes="O")([1, 2])[1] is given


def test_strings_of_numpys_own_dtype():
    words = np.array(["b", "a"], np.dtypes.StringDType())
    assert xp.unique(words).tolist() == ["a", "b"]
    assert xp.array(["b"], np.dtypes.StringDType()).tolist() == ["b"]


@needs_heddle
def test_what_numpy_writes_to_an_array_is_there():
    """Also where NumPy is given a copy, since it cannot read the array's memory."""
    from fractions import Fraction
    for n in (3, 5000):
        x = xp.zeros(n)
        x[:] = Fraction(1, 2)
        assert x[0] == 0.5 and x[n - 1] == 0.5
        x[1] = np.timedelta64(3, "D")
        assert x[1] == 3 and x[2] == 0.5
        y = x[1:3]
        y[...] = Fraction(3, 4)
        assert x[1] == 0.75 and x[0] == 0.5
        np.add(np.ma.masked_array([1.0, 2, 3], [0, 1, 0]), 1, out=x[:3])
        out = xp.zeros(3)
        assert np.multiply(np.array([1, 2, 3], dtype=object), 2, out=out, casting="unsafe") is out
        assert out.tolist() == [2, 4, 6]
