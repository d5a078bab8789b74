# SPDX-License-Identifier: BSD-3-Clause
"""Arrays that become NumPy's without anybody having said so: counted by function and caller, and,
where heddle.config.to_numpy says so, warned of or refused."""
import collections
import os
import pickle
import sys
import threading
import warnings

import numpy
import numpy as np
import pytest

import heddle
from common import IS_NUMPY, ON_HOST, needs_heddle, python, xp

if IS_NUMPY:
    pytest.skip("about Heddle itself", allow_module_level=True)

HERE = os.path.abspath(__file__)
X = xp.arange(5.0) + 1


@pytest.fixture
def policy():
    """Sets the policy for one test."""
    before = heddle.config.to_numpy

    def put(value):
        heddle.config.to_numpy = value

    yield put
    heddle.config.to_numpy = before


def new(call):
    """The conversions that a call makes: {function: how often}, all called from this file."""
    before = heddle.stats()["to_numpy"]
    call()
    after = heddle.stats()["to_numpy"] - before
    assert all(caller.startswith(HERE + ":") for _, caller in after), after
    found = collections.Counter()
    for (function, _), n in after.items():
        found[function] += n
    return dict(found)


def add_in_place():
    a = np.zeros(5)
    a += X


SEEN = {
    "numpy.asarray": lambda: np.asarray(X),
    "numpy.array": lambda: numpy.array(X, "f4"),
    "numpy.zeros_like": lambda: np.zeros_like(X),
    "numpy.testing.assert_array_equal": lambda: np.testing.assert_array_equal(X, np.arange(1.0, 6.0)),
    "numpy.add": lambda: np.add(1, X, out=np.zeros(5)),
    "numpy.ma.MaskedArray": lambda: np.ma.masked_array(X),
    "numpy.vectorize.__call__": lambda: np.vectorize(abs)(X),
    "+=": add_in_place,
    "[]": lambda: np.zeros(9)[X.astype(int)],
    "X.__array__": lambda: X.__array__(),
}
ON_HOST_ONLY = {
    "memoryview": lambda: memoryview(X),
    "bytes": lambda: bytes(X),
    "__array_interface__": lambda: X.__array_interface__,
    "__array_struct__": lambda: X.__array_struct__,
}


@pytest.mark.parametrize("name", [*SEEN, *(ON_HOST_ONLY if ON_HOST else ())])
def test_stats__count_by_function_and_caller(name):
    call = {**SEEN, **ON_HOST_ONLY}[name]
    found = new(call)
    assert list(found) == [name] and found[name] in (1, 2)
    again = new(lambda: [call() for _ in range(3)])
    assert again == {name: 3 * found[name]}


@pytest.mark.parametrize("name", [*SEEN, *(ON_HOST_ONLY if ON_HOST else ())])
def test_error__refuses_and_names_function_and_caller(name, policy):
    policy("error")
    call = {**SEEN, **ON_HOST_ONLY}[name]
    with pytest.raises((TypeError, AttributeError)) as caught:
        call()
    assert str(caught.value).startswith(f"{name} reads a heddle.ndarray as NumPy's at {HERE}:")
    assert "heddle.asnumpy(x)" in str(caught.value)
    assert new(lambda: None) == {}
    policy("allow")
    call()


def explicit():
    """What is asked for, and what heddle does itself."""
    heddle.asnumpy(X), X.get(), X.tolist(), X.tobytes(), X.item(0), X.sum().item(), repr(X), str(X)
    pickle.loads(pickle.dumps(X)), pickle.loads(pickle.dumps(X, 5)), X == "a", xp.array2string(X)
    xp.array([[X, X], [X, X]]), xp.array([X, [1, 2, 3, 4, 5]]), xp.sort(["b", "a"]), X + np.ones(5)
    np.add(X, 1), np.concatenate([X, X]), np.mean(X), X.astype(str), xp.concatenate([X, ["a"]])
    list(X), xp.testing.assert_allclose(X, X), xp.linalg.norm(X), np.linalg.norm(X), xp.shape(X)
    xp.histogram(X, 3), xp.array_repr(X), format(X.sum(), ".2f"), divmod(X, 2)
    if ON_HOST:
        X.data, X.ctypes


def test_stats__do_not_count_what_is_asked_for(policy):
    assert new(explicit) == {}
    policy("error")
    explicit()


def test_warn__at_the_caller_s_line(policy):
    policy("warn")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        np.asarray(X); line = sys._getframe().f_lineno      # noqa: E702
        np.testing.assert_array_equal(np.ones(5), X * 0 + 1)
    assert {w.category for w in caught} == {heddle.exceptions.ConversionWarning}
    assert (caught[0].filename, caught[0].lineno) == (__file__, line)
    text = f"numpy.asarray reads a heddle.ndarray as NumPy's at {HERE}:{line};"
    assert str(caught[0].message).startswith(text)
    assert "assert_array_equal" in str(caught[-1].message)


def test_warn__as_an_error_stops_the_conversion(policy):
    policy("warn")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(heddle.exceptions.ConversionWarning, match="numpy.asarray"):
            np.asarray(X)


def asked_by_library():
    """A function of another module that converts, called from here."""
    space = {"__name__": "somebody.s.library", "np": np}
    exec(compile("def f(x):\n    return np.asarray(x)\n", "/lib/library.py", "exec"), space)
    return space["f"]


def test_caller__is_who_converts():
    f = asked_by_library()
    before = heddle.stats()["to_numpy"]
    f(X)
    added = heddle.stats()["to_numpy"] - before
    assert added == {("np.asarray", "/lib/library.py:2"): 1}    # no such module: np means nothing


def test_many_places__are_counted_and_not_kept():
    """Programs that make code as they go do not fill the memory with it."""
    before = heddle.stats()["to_numpy"]
    for _ in range(5000):
        asked_by_library()(X)
    added = heddle.stats()["to_numpy"] - before
    assert added == {("np.asarray", "/lib/library.py:2"): 5000}
    assert len(heddle._conversions._places) <= heddle._conversions._ROOM


def test_threads__count_too():
    def work():
        for _ in range(100):
            np.asarray(X)

    def all_of_them():
        threads = [threading.Thread(target=work) for _ in range(3)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
    assert 290 <= new(all_of_them)["numpy.asarray"] <= 300


def test_config__refuses():
    with pytest.raises(ValueError, match='to_numpy is "allow", "warn" or "error", not 1'):
        heddle.config.to_numpy = 1
    assert heddle.config.to_numpy == "allow"


@pytest.mark.parametrize("value,mode", [
    ("warn", "warn"), ("error", "error"), ("", "allow"), ("x", "allow")])
def test_config__environment(value, mode):
    r = python("import heddle; print(heddle.config.to_numpy)", HEDDLE_TO_NUMPY=value)
    assert r.stdout.split() == [mode]


@needs_heddle
def test_to_numpy():
    x = xp.arange(6.0).reshape(2, 3)
    a = x.to_numpy()
    assert type(a) is np.ndarray and a.tolist() == x.tolist() and np.shares_memory(a, x.to_numpy()) == ON_HOST
    assert not np.shares_memory(x.to_numpy(copy=True), a) and x.to_numpy("f4").dtype == "f4" and x.T.to_numpy().shape == (3, 2)


@needs_heddle
def test_matplotlib__takes_columns_for_data_sets():
    pyplot = pytest.importorskip("matplotlib.pyplot")
    pyplot.switch_backend("agg")
    x = xp.arange(300.0).reshape(100, 3)
    assert len(pyplot.boxplot(x)["boxes"]) == 3 and len(pyplot.hist(x, 5)[0]) == 3
    assert len(pyplot.violinplot(x)["bodies"]) == 3 and len(pyplot.plot(x)) == 3
    pyplot.close("all")
