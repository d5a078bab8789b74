# SPDX-License-Identifier: BSD-3-Clause
"""Elements at addresses, or strides apart, that are no multiples of their size: views with another dtype, memory of others."""

import numpy as np
import pytest

from common import DTYPES, ON_HOST, as_it_lies, needs_heddle, shares_memory, xp

WIDE = [d for d in DTYPES if np.dtype(d).itemsize > 1]
SIZES = [1, 5, 37, 3000, 100_000]


def values(n, dtype, seed=0):
    x = np.random.default_rng(seed).integers(1, 9, n)
    return (x + 1j * x[::-1]).astype(dtype) if np.dtype(dtype).kind == "c" else x.astype(dtype)


def shifted(x, m, by=1):
    """x's elements from byte `by` of an array of bytes on, in module m."""
    raw = m.zeros(x.nbytes + 16, "u1")
    v = raw[by:by + x.nbytes].view(x.dtype)
    v[...] = m.asarray(x)
    return v


def packed(x, m):
    """x's elements as a field of packed records: their strides are odd."""
    records = np.zeros(x.shape, [("tag", "u1"), ("value", x.dtype)])
    records["value"] = x
    return as_it_lies(records["value"]) if m is xp else records["value"]


WAYS = [shifted, packed]
OPS = {
    "add": lambda m, x: x + x[::-1],
    "scalar": lambda m, x: x * 2 + 1,
    "compare": lambda m, x: x == x[::-1],
    "where": lambda m, x: m.where(x == x[0], x, x[::-1]),
    "sum": lambda m, x: x.sum(),
    "max": lambda m, x: x.max(),
    "argmax": lambda m, x: x.argmax(),
    "any": lambda m, x: x.any(),
    "cumsum": lambda m, x: x.cumsum(),
    "astype": lambda m, x: x.astype("c16"),
    "narrow": lambda m, x: x.astype("i2"),
    "copy": lambda m, x: x.copy(),
    "index": lambda m, x: x[np.array([0, -1, 0]) if m is np else m.array([0, -1, 0])],
    "mask": lambda m, x: x[x == x[0]],
    "reverse": lambda m, x: x[::-2],
    "square": lambda m, x: m.square(x),
    "exp": lambda m, x: m.exp(x.astype("f8") if x.dtype.kind in "iu" else -abs(x)),
    "dot": lambda m, x: m.dot(x, x),
    "outer": lambda m, x: x[:30, None] * x[None, :30],
    "real": lambda m, x: x.real,
    "stack": lambda m, x: m.stack([x, x]),
    "list": lambda m, x: m.array(x.tolist()),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("dtype", WIDE)
def test_unaligned__reads(dtype, way):
    for n in SIZES:
        x = values(n, dtype)
        a = way(x, xp)
        assert not a.flags.aligned or n == 1
        for name, f in OPS.items():
            want, got = f(np, x), f(xp, a)
            assert got.dtype == want.dtype, name
            if name in ("exp", "sum", "dot"):
                np.testing.assert_allclose(np.asarray(got), want, rtol=1e-5, atol=1e-300, err_msg=name)
            else:
                np.testing.assert_array_equal(np.asarray(got), want, err_msg=name)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("dtype", WIDE)
def test_unaligned__writes(dtype, way):
    for n in SIZES:
        x, y = values(n, dtype), values(n, dtype, 1)
        both = []
        for m in (np, xp):
            a, b = way(x, m), m.asarray(y)
            a += b
            a[::2] = a[::2] * 2
            a[-1] = 7
            m.multiply(a, b, out=a)
            a[m.asarray([0])] = 3
            a[a == 7] = 1
            a[1:] -= a[:-1]
            m.copyto(a, b, where=b > 3)
            if np.dtype(dtype).kind == "f":
                m.sqrt(b, out=a)
            both.append(np.asarray(a))
        np.testing.assert_array_equal(*both)


@pytest.mark.parametrize("dtype", ["f4", "f8", "c8", "c16", "i4"])
@pytest.mark.parametrize("n", [3, 20, 150])
def test_unaligned__matmul(dtype, n):
    x, y = values(n * n, dtype).reshape(n, n), values(n * n, dtype, 1).reshape(n, n)
    for way in WAYS:
        a, b, out = way(x.ravel(), xp).reshape(n, n), way(y.ravel(), xp).reshape(n, n), way(np.zeros(n * n, dtype), xp).reshape(n, n)
        np.testing.assert_allclose(np.asarray(a @ b), x @ y)
        np.testing.assert_allclose(np.asarray(a[0] @ b), x[0] @ y)
        np.testing.assert_allclose(np.asarray(a @ b[0]), x @ y[0])
        xp.matmul(a, b, out=out)
        np.testing.assert_allclose(np.asarray(out), x @ y)


def test_unaligned__reduces_along_axes():
    x = values(40 * 30, "f8").reshape(40, 30)
    a = shifted(x.ravel(), xp).reshape(40, 30)
    for axis in (0, 1):
        np.testing.assert_array_equal(np.asarray(a.sum(axis=axis)), x.sum(axis=axis))
        np.testing.assert_array_equal(np.asarray(a.argmin(axis=axis)), x.argmin(axis=axis))
        np.testing.assert_array_equal(np.asarray(a.cumsum(axis=axis)), x.cumsum(axis=axis))
        out = shifted(np.zeros(x.shape[1 - axis]), xp, 3)
        a.sum(axis=axis, out=out)
        np.testing.assert_array_equal(np.asarray(out), x.sum(axis=axis))
        np.testing.assert_allclose(np.asarray(a - a.mean(axis=axis, keepdims=True)), x - x.mean(axis=axis, keepdims=True))


def test_unaligned__one_view_and_another():
    """What is written through one dtype is read through the other, overlaps included."""
    both = []
    for m in (np, xp):
        raw = m.arange(80).astype("u1")
        f, g = raw[1:73].view("f8"), raw[4:76].view("i4")
        g[:] = 5
        f[2] = 1.5
        g[3:6] += g[4:7]
        f[:4] = f[1:5]
        raw[::3] = 9
        both.append((np.asarray(raw).tolist(), np.asarray(f).tobytes(), int(g.sum())))
    assert both[0] == both[1]


@shares_memory
def test_unaligned__shares_the_memory_of_others():
    data = bytearray(range(64))
    x, a = np.frombuffer(data, "f4", 8, 3), xp.frombuffer(data, "f4", 8, 3)
    assert a.tobytes() == x.tobytes() and not a.flags.aligned and not x.flags.aligned
    x[2] = 2.5
    assert float(a[2]) == 2.5
    a[3] = 4.5
    assert x[3] == 4.5
    back = np.asarray(a)
    assert not back.flags.aligned and back.tobytes() == x.tobytes()
    b = xp.asarray(x, copy=False)
    b *= 2
    assert x[2] == 5


@pytest.mark.parametrize("dtype", WIDE)
def test_unaligned__flags(dtype):
    for by in range(17):
        x, a = (shifted(np.zeros(4, dtype), m, by) for m in (np, xp))
        interface = "__array_interface__" if ON_HOST else "__cuda_array_interface__"
        base = getattr(xp.zeros(1), interface)["data"][0] % 16
        if np.zeros(64, "u1").__array_interface__["data"][0] % 16 == base == 0:
            assert a.flags.aligned == x.flags.aligned and a.flags.behaved == x.flags.behaved
        assert a[:0].flags.aligned == x[:0].flags.aligned
        assert a.copy().flags.aligned


@needs_heddle
def test_unaligned__random_numbers():
    rng, same = xp.random.default_rng(5), xp.random.default_rng(5)
    a = shifted(np.zeros(1001), xp)
    a[...] = rng.random(1001)
    assert a.tolist() == same.random(1001).tolist()
