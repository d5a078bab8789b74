# SPDX-License-Identifier: BSD-3-Clause
"""Numba's functions of our arrays: read where they lie, with results that are NumPy's. heddle._numba
is what Numba finds by the metadata of an installation (test_installation.py); here it is called
directly."""
import gc
import importlib
import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest

import heddle
from common import IS_NUMPY, ON_HOST, python, xp

if IS_NUMPY:
    pytest.skip("about Heddle itself", allow_module_level=True)
numba = pytest.importorskip("numba")
if not ON_HOST:
    pytest.skip("Numba's functions run on the CPU", allow_module_level=True)
importlib.import_module("heddle._numba").init()


@numba.njit
def total(a, scale):
    t = 0.0
    for i in range(a.shape[0]):
        t += a[i] * scale
    return t


@numba.njit
def set_first(a):
    a[0] = 9
    return a


@numba.njit
def as_numpy_does(a, b, either):
    y = a if either else b
    z = np.zeros_like(a)
    z[1:] = a[1:] * 2
    return (y, z, a + b, np.sin(a).sum(), a[2:4], a.reshape((2, 5)), np.dot(a, b),
            np.concatenate((a, b)), a.T, a.copy())


@pytest.mark.parametrize("dtype", ["?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8"])
def test_arrays__are_read_as_they_lie(dtype):
    n = (np.arange(20) % 2 if dtype == "?" else np.arange(20)).astype(dtype)
    x = xp.asarray(n)
    for part in (slice(None), slice(3, 9), slice(None, None, 2), slice(None, None, -3), slice(0)):
        assert total(x[part], 2.0) == total(n[part], 2.0)


def test_arrays__of_complex_numbers():
    x = xp.arange(3) + 1j

    @numba.njit
    def double(z):
        return z * 2

    assert double(x).tolist() == [2j, 2 + 2j, 4 + 2j]
    assert double(x.sum()) == 6 + 6j


def test_types():
    m = xp.ones((3, 4), dtype="f4")
    fixed = xp.arange(3)
    fixed.flags.writeable = False
    texts = [str(numba.typeof(x)) for x in (m, m.T, m[:, 1], fixed, xp.array(3)[...])]
    assert texts == ["heddle.ndarray(float32, 2d, C)", "heddle.ndarray(float32, 2d, F)",
                     "heddle.ndarray(float32, 1d, A)", "heddle.ndarray(int64, 1d, C, readonly)",
                     "heddle.ndarray(int64, 0d, C)"]
    assert numba.typeof(m.sum()) == numba.float32 and numba.typeof(fixed.sum()) == numba.int64


def test_results__are_numpy_s():
    x = xp.arange(10.0)
    n = heddle.asnumpy(x)
    for b in np.ones(10), xp.ones(10):
        for either in True, False:
            got, want = as_numpy_does(x, b, either), as_numpy_does(n, heddle.asnumpy(b), either)
            for g, w in zip(got, want, strict=True):
                assert type(g) in (np.ndarray, float)
                np.testing.assert_array_equal(g, w)


def test_memory__is_shared():
    x = xp.arange(5.0)
    y = x + 1       # pending
    result = set_first(y)
    assert y.tolist() == [9, 2, 3, 4, 5] and x[0] == 0
    assert type(result) is np.ndarray and np.shares_memory(result, np.asarray(y))
    y += 1
    assert result.tolist() == [10, 3, 4, 5, 6]
    del y
    gc.collect()
    assert result.tolist() == [10, 3, 4, 5, 6]
    fixed = xp.arange(3.0)
    fixed.flags.writeable = False
    with pytest.raises(numba.TypingError):
        set_first(fixed)


def test_memory__is_let_go():
    def use():
        total(xp.arange(1e5), 1.0)
        set_first(xp.arange(1e5))

    use()
    gc.collect()
    before = heddle.stats("cpu")["memory_used"]
    for _ in range(10):
        use()
    gc.collect()
    assert heddle.stats("cpu")["memory_used"] == before


def test_results_of_reductions__are_numbers():
    x = xp.arange(4.0)
    assert total(x, x.sum()) == 36.0

    @numba.njit
    def zeros(n):
        return np.zeros(n)

    assert zeros(xp.arange(4).sum()).shape == (6,)


def test_several_threads_of_numba_s():
    @numba.njit(parallel=True)
    def sums(a):
        t = 0.0
        for i in numba.prange(a.size):
            t += a[i]
        return t, a * 2 + 1

    t, y = sums(xp.arange(1000.0))
    assert t == 499500 and type(y) is np.ndarray and y[10] == 21


def test_functions_that_call_others_and_methods():
    @numba.njit("f8(f8[:])")
    def known(a):
        return a.sum()

    @numba.njit
    def outer(a):
        return known(a) + total(a, 2.0)

    x = xp.arange(4.0)
    assert outer(x) == 18
    with pytest.raises(TypeError, match="unbox"):       # what is compiled for NumPy's takes NumPy's
        known(x)
    assert known(np.asarray(x)) == 6


def test_vectorize__gives_ours():
    @numba.vectorize
    def next_of(a):
        return a + 1

    r = next_of(xp.arange(3.0))
    assert type(r) is heddle.ndarray and r.tolist() == [1, 2, 3]


def test_subclasses__are_arrays():
    class A(heddle.ndarray):
        pass

    assert total(xp.arange(4.0).view(A), 1.0) == 6


def test_conversions__can_be_forbidden():
    x = xp.arange(4.0)
    total(x, 1.0)
    heddle.config.to_numpy = "error"
    try:
        with pytest.raises(TypeError, match="total reads a heddle.ndarray .*test_numba.py"):
            total(x, 1.0)
    finally:
        heddle.config.to_numpy = "allow"


def test_dtypes_that_numba_has_not():
    pytest.importorskip("ml_dtypes")
    with pytest.raises(TypeError, match="Numba has no arrays of bfloat16"):
        total(xp.ones(3, dtype=heddle.bfloat16), 1.0)


def test_init__may_be_called_again():
    importlib.import_module("heddle._numba").init()


def test_import__does_not_import_numba():
    r = python("import sys, heddle, numpy as np; np.asarray(heddle.ones(3))\n"
               "print('numba' in sys.modules)")
    assert r.stdout == "False\n"


def test_gpu__is_refused():
    fake = pathlib.Path(xp.__file__).resolve().parents[2] / "tests" / "libfake_libcuda.so"
    if not fake.exists() or "ASAN_OPTIONS" in os.environ:
        pytest.skip("the fake driver was not built")
    code = """
import heddle, numba, heddle._numba
heddle._numba.init()
f = numba.njit(lambda a: a.sum())
x = heddle.ones(3, device="cuda")
for i in range(2):
    try:
        f(x)
    except TypeError as e:
        print(e)
print(f(heddle.asnumpy(x)))
"""
    env = {**os.environ, "HEDDLE_LIBCUDA": str(fake), "HEDDLE_TIER0": "/nonexistent"}
    r = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True,
                       check=False, timeout=120)
    text = ("the array is on device cuda:0, and this function of Numba's runs on the CPU: "
            "heddle.asnumpy(x) is a copy there")
    assert r.stdout.splitlines()[:2] == [text] * 2, r.stderr
