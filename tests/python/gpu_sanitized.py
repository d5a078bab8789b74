# SPDX-License-Identifier: BSD-3-Clause
"""Small calls of every kind of GPU kernel, compared with NumPy: what tools/sanitize.py runs under compute-sanitizer.

    gpu_sanitized.py [CLASS ...]

Sizes are odd and small: beyond an array's end there is nothing (HEDDLE_CUDA_MEMORY=exact), and no group of neighbours is full.
"""

import sys

import numpy as np

import heddle as hd
import heddle.scipy.signal

RNG = np.random.default_rng(7)
DTYPES = ["?", "i1", "u2", "i4", "u8", "f2", "f4", "f8", "c8", "c16"]


def values(shape, dtype="f4"):
    x = RNG.standard_normal(shape) * 3
    if np.dtype(dtype).kind == "c":
        return (x + 1j * RNG.standard_normal(shape)).astype(dtype)
    return (np.abs(x) if np.dtype(dtype).kind == "u" else x).astype(dtype)


def check(f, *operands, rtol=1e-4, reference=None):
    """f(module, *operands) of Heddle is that of NumPy."""
    got, want = f(hd, *map(hd.asarray, operands)), (reference or f)(np, *operands)
    for g, w in zip(*((r if isinstance(r, tuple) else (r,)) for r in (got, want)), strict=True):
        loose = 2e-2 if w.dtype.char in "e" else rtol
        np.testing.assert_allclose(np.asarray(g), w, loose, loose)


def elements():
    for dtype in DTYPES:
        x, y = values((5, 67), dtype), values(67, dtype)
        check(lambda m, x, y: x + y * x, x, y)
        check(lambda m, x, y: (x == y[::-1]) | (x[::-1] != y), x, y)
    x = values((3, 7, 129))
    check(lambda m, x: m.exp(-abs(x[:, ::2, 1:])) + m.where(x[:, ::2, :-1] > 0, m.sqrt(abs(x[:, ::2, 1:])), 1), x)
    check(lambda m, x: m.broadcast_to(x[:, :1], x.shape).astype("f8") + m.arange(129), x)


def tiles():
    for dtype in ("i1", "f2", "f4", "f8", "c16"):
        check(lambda m, x: x.T.copy(), values((67, 131), dtype))
    check(lambda m, x: x.T + x, values((65, 65)))
    check(lambda m, x: x.transpose(2, 0, 1) * 2, values((5, 33, 35)))


def rows():
    for dtype in DTYPES[1:]:
        for n in (3, 65, 1027):
            check(lambda m, x: x.sum(-1), values((7, n), dtype), rtol=1e-3)
    check(lambda m, x: (x * x).max(1), values((9, 300)))
    check(lambda m, x: m.logical_and.reduce(x > -9, axis=1), values((9, 301)))


def columns():
    for dtype in ("i2", "f4", "c8"):
        for shape in ((37, 5), (3, 515), (129, 67)):
            check(lambda m, x: x.sum(0), values(shape, dtype), rtol=1e-3)
    check(lambda m, x: x.min((0, 2)), values((7, 33, 9)))


def split():
    """Several blocks to a row, and the last one brings their parts together."""
    for n in (70_001, 300_007):
        check(lambda m, x: (x.sum(), x.max(), m.dot(x, x)), values(n, "f8"), rtol=1e-9)
    check(lambda m, x: x.sum(0), values((20_011, 3), "f8"), rtol=1e-9)
    check(lambda m, x: x.sum(1), values((2, 90_001), "f8"), rtol=1e-9)


def phases():
    def softmax(m, x):
        e = m.exp(x - x.max(1, keepdims=True))
        return e / e.sum(1, keepdims=True)

    check(softmax, values((5, 1003)))
    check(softmax, values((300, 17)))
    check(lambda m, x: (x - x.mean(0)) / x.std(0), values((203, 9)), rtol=1e-3)
    check(lambda m, x: x.var(), values(50_001, "f8"))


def scans():
    for dtype in ("i4", "f4", "f8", "c8"):
        check(lambda m, x: m.cumsum(x, -1), values((3, 1031), dtype), rtol=1e-3)
        check(lambda m, x: m.subtract.accumulate(x, 0), values((37, 19), dtype), rtol=1e-3)
    check(lambda m, x: m.maximum.accumulate(x), values(40_009))
    check(lambda m, x: m.cumsum(x), values(70_001, "i4"))   # cut as well
    for dtype in ("f4", "f8", "c8"):   # to inf and 0 soon, in short lines and in such that are cut
        for n in (5003, 70_001):
            with np.errstate(all="ignore"):
                check(lambda m, x: m.cumprod(abs(x), 0), (values(n, dtype) ** 2).astype(dtype))
                check(lambda m, x: m.cumprod(x), np.where(np.arange(n) == n // 2, 0, 1).astype(dtype))
    check(lambda m, x: m.cumsum(x, 1), values((600, 700)), rtol=1e-2)


def pieces():
    at = np.array([0, 3, 2, 90, 91, 5, 1000])
    for name in ("add", "maximum", "subtract"):
        check(lambda m, x, at: getattr(m, name).reduceat(x, at), values(1001), at, rtol=1e-3)
        check(lambda m, x, at: getattr(m, name).reduceat(x, at[:4], axis=1), values((5, 101)), at, rtol=1e-3)


def places():
    at = RNG.integers(-50, 50, 203)
    for dtype in ("i1", "f2", "f4", "c16"):
        x, v = values((50, 7), dtype), values((203, 7), dtype)
        check(lambda m, x, at: x[at], x, at)
        check(lambda m, x, at: m.take(x, at[:9] % 7, axis=1), x, at)

        def put(m, x, at, v):
            x = x.copy()
            x[at] = v
            return x
        check(put, x, at, v)
    check(lambda m, x: (x[x > 0], m.nonzero(x > 1)[0]), values(5003))
    flags = RNG.random(70_001) < 0.5
    for dtype in ("u1", "f2", "f4", "c8", "c16"):
        check(lambda m, x, k: (x[3:69_990][k[14:]], m.nonzero(k[5:])[0]), values(70_001, dtype), flags)


def atomics():
    at = RNG.integers(0, 50, 2003)
    for dtype in ("u1", "i4", "f4", "f8", "c8"):
        for name in ("add", "maximum", "multiply")[:1 if dtype == "c8" else 3]:
            def there(m, x, at, v):
                x = x.copy()
                getattr(m, name).at(x, at, v)
                return x
            v = values(2003, dtype)
            check(there, values(50, dtype), at, v if name != "multiply" else np.ones_like(v), rtol=1e-3)


def random():
    for name in ("random", "standard_normal", "standard_exponential"):
        x = np.asarray(getattr(hd.random.default_rng(3), name)(10_007))
        assert np.isfinite(x).all() and len(np.unique(x)) > 9_900
    x = np.asarray(hd.random.default_rng(3).integers(0, 100, 10_007))
    assert x.min() == 0 and x.max() == 99
    assert np.array_equal(np.sort(np.asarray(hd.random.default_rng(3).permutation(1013))), np.arange(1013))
    assert 4 < float(hd.random.default_rng(3).gamma(5.0, size=4001).mean()) < 6


def together():
    """Graphs, and functions of several kernels: HEDDLE_BATCH=1 makes them at first sight."""
    def steps(m, x, y):
        for _ in range(5):
            x = x - x.sum() / 100
            y = y * 0.5 + x[:7].sum()
        return x, y

    for n in (20, 40_000):
        for _ in range(4):
            check(steps, values(n, "f8"), values(30_000, "f8"), rtol=1e-8)


def cub():
    for dtype in ("?", "i1", "u2", "i4", "f2", "f4", "f8", "c8"):
        x = values(3001, dtype)
        check(lambda m, x: (m.sort(x), m.argsort(x, stable=True)), x)
        check(lambda m, x: m.sort(x.reshape(-1)[:3000].reshape(30, 100), axis=0), x)
    x = values(2003)
    check(lambda m, x: (m.searchsorted(m.sort(x), x[:301]), m.partition(x, 1000)[1000:1001]), x)
    check(lambda m, x, w: (m.bincount(x), m.bincount(x, w)), RNG.integers(0, 91, 3001), values(3001, "f8"))
    check(lambda m, x: m.unique(x), RNG.integers(0, 91, 3001))
    for dtype in ("f4", "f8", "i4"):
        for bins in (10, 5000, np.sort(values(50, "f8"))):
            check(lambda m, x: m.histogram(x, bins)[0], values(30_001, dtype))


def correlate():
    from scipy import signal
    x, k = values((71, 83)), values((5, 9))
    for mode in ("full", "same", "valid"):
        check(lambda m, x, k: (hd.scipy.signal if m is hd else signal).convolve2d(x, k, mode), x, k)
    check(lambda m, x, k: m.convolve(x, k), values(4001, "f8"), values(37, "f8"))
    check(lambda m, x, k: m.correlate(x, k), values(403, "c8"), values(7, "c8"))


def planted_memcheck():
    """A read of 8 elements beyond an array."""
    x = hd.asarray(values(1000))
    given = {**x.__cuda_array_interface__, "shape": (1008,)}
    hd.asarray(type("Beyond", (), {"__cuda_array_interface__": given})(), copy=False).sum().item()


def planted_initcheck():
    """A sum of what nobody wrote."""
    hd.empty(1000).sum().item()


CLASSES = [elements, tiles, rows, columns, split, phases, scans, pieces, places, atomics, random, together, cub, correlate]


def main(names):
    with np.errstate(all="ignore"):
        for f in CLASSES:
            if not names or f.__name__ in names:
                f()
                hd.synchronize()
                print(f"{f.__name__}: as NumPy has it", flush=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["planted"]:   # planted TOOL: what that tool must notice
        globals()["planted_" + sys.argv[2]]()
    else:
        main(sys.argv[1:])
