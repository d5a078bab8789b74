# SPDX-License-Identifier: BSD-3-Clause
"""Arrays on both sides of the sizes up to which they are made, read and written within the call."""

import itertools

import numpy as np
import pytest

from common import ON_HOST, needs_heddle, xp

pytestmark = needs_heddle

SIZES = (0, 1, 2, 7, 63, 64, 65, 127, 128, 129, 500, 1024, 1025, 2048, 2049, 5000)
DTYPES = ("?", "i1", "u1", "i2", "u4", "i8", "u8", "f2", "f4", "f8", "c8", "c16")
RNG = np.random.default_rng(5)


def numbers(n, dtype):
    return (RNG.integers(0, 2, n) if dtype == "?" else RNG.integers(0, 100, n)).astype(dtype)


def check(got, want):
    got = np.asarray(got)
    assert got.dtype == want.dtype and got.shape == want.shape and got.tobytes() == want.tobytes()


@pytest.mark.parametrize("dtype", DTYPES)
def test_tolist_and_bytes(dtype):
    for n in SIZES:
        a = numbers(n, dtype)
        x = xp.array(a)
        assert x.tolist() == a.tolist() and [type(e) for e in x[:3].tolist()] == [type(e) for e in a[:3].tolist()]
        assert x.tobytes() == a.tobytes() and x[::-1].tolist() == a[::-1].tolist()
        assert x.reshape(1, n).tolist() == a.reshape(1, n).tolist()
        assert (x + x).tolist() == (a + a).tolist()   # pending when it is asked for


@pytest.mark.parametrize("dtype", DTYPES)
def test_made_and_filled(dtype):
    for n in SIZES:
        for name in ("zeros", "ones"):
            check(getattr(xp, name)(n, dtype=dtype), getattr(np, name)(n, dtype=dtype))
            check(getattr(xp, name)((1, n), dtype), getattr(np, name)((1, n), dtype))
            check(getattr(xp, name)(n), getattr(np, name)(n))
        check(xp.full(n, 1, dtype), np.full(n, 1, dtype))
        x = xp.zeros(n, dtype)
        x += xp.ones(n, dtype)
        check(x, np.ones(n, dtype))


@pytest.mark.parametrize("function", ("zeros", "ones", "empty"))
@pytest.mark.parametrize("shape", (-1, 2**80, -2**80, 2.0, "3", None, True, np.int64(4), np.uint8(4), (), [2, 3], 2**62))
def test_shapes__as_numpy(function, shape):
    def answer(module):
        try:
            x = getattr(module, function)(shape)
            return x.shape, str(x.dtype)
        except Exception as e:
            return type(e) if not isinstance(e, MemoryError) else ValueError   # too large: NumPy says either
    assert answer(xp) == answer(np)


VALUES = (0, 1, -1, 2.5, -0.0, float("nan"), float("inf"), 1e5, 1e300, 1j, True, 2**70, np.float32(7), np.int8(-3), np.float64(1e300))


@pytest.mark.parametrize("dtype", DTYPES)
def test_masked_store_of_one_value(dtype):
    for n, value in itertools.product((1, 7, 64, 500, 2048, 2049, 5000), VALUES):
        a, mask = numbers(n, dtype), RNG.integers(0, 2, n).astype(bool)

        def store(module, data):
            x, m = module.array(data), module.array(mask)
            with np.errstate(all="ignore"), xp.errstate(all="ignore"):
                try:
                    x[m] = value
                except Exception as e:
                    return type(e)
            return np.asarray(x)
        got, want = store(xp, a), store(np, a)
        if isinstance(want, type):
            assert got == want, (n, value)
        else:
            assert not isinstance(got, type), (n, value, got)
            check(got, want)


def test_masked_store__of_other_layouts_and_itself():
    for n in (4, 30, 70):
        a = RNG.random((n, n))
        for view in (lambda z: z, lambda z: z.T, lambda z: z[::2, ::-1], lambda z: z[1]):
            got, want = xp.array(a), a.copy()
            g, w = view(got), view(want)
            g[g > 0.5] = 7.0
            w[w > 0.5] = 7.0
            check(got, want)
            kept, most = got.copy(), want.max()
            g[w < 0.2] = xp.float64(3)
            w[w < 0.2] = 3
            check(got, want)
            assert kept.max() == most
    m = xp.array([True, False, True])
    m[m] = False
    assert m.tolist() == [False, False, False]
    with pytest.raises(ValueError, match="read-only"):
        xp.broadcast_to(xp.zeros(1), (3,))[xp.array([True, False, True])] = 1
    with pytest.raises(IndexError, match="boolean index did not match"):
        xp.zeros(3)[xp.array([True, False])] = 1


def test_masked_store__warns_as_numpy():
    x, m = xp.zeros(3, "f4"), xp.array([True, False, True])
    with xp.errstate(over="raise"), pytest.raises(FloatingPointError):
        x[m] = np.float64(1e300)


def test_places_of_an_index_array():
    for n in SIZES[1:]:
        a = RNG.random(n)
        for count in (1, 15, 600, 3000):
            idx = RNG.integers(-n, n, count)
            x, i = xp.array(a), xp.array(idx)
            check(x[i], a[idx])
            check(x.reshape(n, 1)[i], a.reshape(n, 1)[idx])
            check((x * 2)[i], (a * 2)[idx])
            check(x[i.reshape(1, -1)], a[idx.reshape(1, -1)])
        for wrong in (n, -n - 1):
            with pytest.raises(IndexError, match=f"index {wrong} is out of bounds for axis 0 with size {n}"):
                x[xp.array([0, wrong])]
    with pytest.raises(IndexError, match="too many indices"):
        xp.array(3.0)[xp.array([0])]


STORED = (0, 1, -1, 127, 128, 300, 2**40, 2**63, -2**63 - 1, True, 0.5, -2.7, 70000.0, 1e300,
          float("nan"), float("inf"), 1j)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("value", STORED)
def test_store_to_places__one_value(dtype, value):
    def store(module, value):
        x, k = module.array(numbers(9, dtype) * 0), module.array([0, -1, 3, 3])
        y = x[::2]      # its places are 0, 2, 4, 6, 8
        with np.errstate(all="ignore"), xp.errstate(all="ignore"):
            try:
                x[k] = value
                y[module.array([1, 1, -1])] = value
            except Exception as e:
                return type(e), np.asarray(x).tobytes()
        return np.asarray(x).tobytes()
    assert store(xp, value) == store(np, value)
    assert store(xp, np.asarray(value)) == store(np, np.asarray(value))


@pytest.mark.parametrize("dtype", DTYPES)
def test_store_to_places__a_row(dtype):
    for n, count in itertools.product(SIZES[1:], (0, 1, 4, 31, 600)):
        a, idx, v = numbers(n, dtype), RNG.integers(-n, n, count), numbers(count, dtype)
        x, i, w = xp.array(a), xp.array(idx), xp.array(v)
        pending, copy = x + x, x.copy()
        x[i], y = w, w[::-1]
        check(pending, a + a)
        check(copy, a)
        a[idx] = v
        check(x, a)
        x[i[::-1]], a[idx[::-1]] = y, v[::-1]
        check(x, a)
        for value in (v[:1], v.astype("i4"), np.concatenate([v, v[:1]])):
            try:
                a[idx] = value
            except ValueError as e:
                with pytest.raises(ValueError, match="shape mismatch"):
                    x[i] = xp.array(value)
            else:
                x[i] = xp.array(value)
            check(x, a)


def test_store_to_places__of_itself_and_refused():
    for n in (3, 10, 200):
        a = np.arange(n)
        x = xp.array(a)
        x[x] = x[::-1]
        a[a.copy()] = a[::-1].copy()
        check(x, a)
        x[1:][x[:-1] % (n - 1)] = x[:-1]
        a[1:][a[:-1] % (n - 1)] = a[:-1].copy()
        check(x, a)
        for wrong in (n, -n - 1):
            with pytest.raises(IndexError, match=f"index {wrong} is out of bounds for axis 0 with size {n}"):
                x[xp.array([0, wrong, 1])] = 77
        check(x, a)     # nothing was written
        x.flags.writeable = False
        with pytest.raises(ValueError, match="read-only"):
            x[xp.array([0])] = 1


@pytest.mark.skipif(not ON_HOST, reason="NumPy has no views of a GPU's memory")
def test_store__where_memory_is_numpys():
    memory = np.arange(12)
    x, y = xp.asarray(memory[:8], copy=False), xp.asarray(memory[4:], copy=False)
    want = memory.copy()
    y[:] = x            # meets itself in memory
    want[4:] = want[:8].copy()
    check(memory, want)
    x[xp.array([7, 0, 3])] = y[:3]
    want[[7, 0, 3]] = want[4:7].copy()
    check(memory, want)
    x.sort()
    want[:8].sort()
    check(memory, want)


@pytest.mark.parametrize("dtype", DTYPES)
def test_assigned_rows(dtype):
    for n in SIZES[1:]:
        a, row = numbers(3 * n, dtype).reshape(3, n), numbers(n, dtype)
        x, r = xp.array(a), xp.array(row)
        pending, copy = x + x, x.copy()
        x[1, :], x[-1] = r, r[::-1]
        check(pending, a + a)
        check(copy, a)
        a[1, :], a[-1] = row, row[::-1]
        check(x, a)
        x[0], a[0] = x[1], a[1]
        check(x, a)
        x[:, 0], a[:, 0] = x[1, 0], a[1, 0]
        check(x, a)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("value", VALUES + (3.9, -3.9, 2**63 - 1, -2**63, 2**63, 10**30, 255, 256))
def test_element_store(dtype, value):
    def store(module):
        x = module.array(numbers(5, dtype) * 0)
        with np.errstate(all="ignore"), xp.errstate(all="ignore"):
            try:
                x[1] = x[-1] = value
            except Exception as e:
                return type(e)
        return np.asarray(x).tobytes()
    assert store(xp) == store(np)


def test_element_store__beside_pending_work_and_copies():
    for n in (10, 3000):
        x = xp.ones(n) * 2
        y, z = x + 1, x.copy()
        x[0] = 5.0
        x[1] = 6
        assert x[:3].tolist() == [5, 6, 2] and y[:3].tolist() == [3, 3, 3] and z[:3].tolist() == [2, 2, 2]
