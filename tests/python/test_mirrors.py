# SPDX-License-Identifier: BSD-3-Clause
"""Small arrays of a GPU, whose small work runs on the host: the same bits as where all of it is recorded and the GPU computes it.
On the fake driver, which runs PTX (tests/cuda/ptx.c), one process for a family; on a GPU too, by HEDDLE_DEVICE=cuda."""

import os
import subprocess
import sys

import pytest

import test_cuda_batch
from test_cuda_kernels import ENV

ON_GPU = os.environ.get("HEDDLE_DEVICE", "").startswith("cuda")
pytestmark = [] if ON_GPU else test_cuda_batch.pytestmark

COMMON = """
import warnings
import numpy
import heddle as h
warnings.simplefilter("ignore")
rng = numpy.random.default_rng(5)
DTYPES = ["?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8", "c8", "c16"]
SPECIAL = [0., -0., 1., -1., 0.5, 2.5, -3.5, numpy.inf, -numpy.inf, numpy.nan, 1e-8, 3e4, 1e-6, 700., 88.]
SHAPES = [(5, 8), (40, 1), (3, 2, 20), (1, 100), (100, 2), (2, 256), (2, 257), (16, 32), (16, 33), (64, 64), (65, 64), (2, 1024), (1, 1025),
          (4, 1000)]
wrong, at_once, total = [], 0, 0

def values(dt, n):
    dt = numpy.dtype(dt)
    if dt.kind == "b":
        return rng.integers(0, 2, n).astype(bool)
    if dt.kind in "iu":
        x = rng.integers(numpy.iinfo(dt).min, numpy.iinfo(dt).max, n, dtype=dt, endpoint=True)
        x[n // 2:] = rng.integers(0, 10, n - n // 2)
        return x
    x = rng.normal(size=n) * 10.0**rng.integers(-3, 4, n)
    x[:len(SPECIAL)] = SPECIAL[:n]
    return (x + 1j * rng.permutation(x) if dt.kind == "c" else x).astype(dt)

def run(mode, f, args):
    h.set_fusion(mode)
    x = [h.asarray(a) if isinstance(a, numpy.ndarray) else a for a in args]
    before = h.stats()["records"]
    try:
        r = f(*x)
        r = [h.asnumpy(p) for p in (r if isinstance(r, (tuple, list)) else [r])]
    except Exception as e:
        return (None if "error 801" in str(e) else type(e).__name__), 0   # 801: the fake cannot
    return r, h.stats()["records"] - before

def bits(x):   # every nan is one: sign and payload are the processor's
    x = numpy.ascontiguousarray(x)
    if x.dtype.kind == "c":
        x = x.view(x.real.dtype)
    if x.dtype.kind == "f":
        x = numpy.where(x != x, x.dtype.type(numpy.nan), x)
    return x.tobytes()

def check(name, f, *args):
    global at_once, total
    (now, n), (recorded, m) = run(True, f, args), run("always", f, args)
    h.set_fusion(True)
    if now is None or recorded is None:
        return
    total += 1
    at_once += n == 0 < m
    same = now == recorded if isinstance(now, str) or isinstance(recorded, str) else \\
        len(now) == len(recorded) and all(a.dtype == b.dtype and a.shape == b.shape and bits(a) == bits(b)
                                          for a, b in zip(now, recorded))
    if not same:
        wrong.append((name, [a.dtype.str for a in args if isinstance(a, numpy.ndarray)], now, recorded))

def end(least):
    assert not wrong, (len(wrong), wrong[:3])
    assert at_once >= least * total, (at_once, total)
"""

FAMILIES = {
    "elementwise": """
for name in sorted(n for n in dir(h) if type(getattr(h, n)).__name__ == "ufunc"):
    u = getattr(h, name)
    for dt in DTYPES:
        check(name, u, *[values(dt, 40), values(dt, 40)[::-1].copy(), values(dt, 40)][:u.nin])
end(0.85)
""",
    "casts": """
for a in DTYPES:
    for b in DTYPES:
        check(a + b, lambda x: x.astype(b), values(a, 40))
        check(a + b, lambda x: x[::-2].reshape(4, 5).T.astype(b), values(a, 40))
end(0.9)
""",
    "reductions": """
for name in ["sum", "prod", "min", "max", "nanmin", "nanmax", "any", "all", "argmin", "argmax", "mean", "nansum", "std"]:
    f = getattr(h, name)
    for dt in DTYPES:
        for n in 1, 2, 7, 16, 31, 32, 33, 63, 100, 127, 128, 129, 255, 256, 257, 400, 512, 513, 700, 1000, 1023, 1024, 1025:
            check(f"{name} of {n}", f, values(dt, max(n, 40))[-n:])
        check(name, lambda x: f(x[::-1]), values(dt, 40))
        check(name, lambda x: f(x[::3]), values(dt, 100))
        check(name, lambda x: f(x.reshape(5, 8)), values(dt, 40))
        check(name, lambda x: f(x.reshape(5, 8).T), values(dt, 40))
        check(name, lambda x: f(x * 2 + 1), values(dt, 200))
for dt in DTYPES:
    for n in 3, 32, 100, 256, 300, 1024, 1025:
        check(f"dot of {n}", h.vdot, values(dt, n), values(dt, n)[::-1].copy())
end(0.7)
""",
    "rows": """
for name in ["sum", "prod", "min", "max", "nanmin", "nanmax", "any", "all", "argmin", "argmax", "mean", "nansum", "std"]:
    f = getattr(h, name)
    for dt in DTYPES:
        for shape in SHAPES:
            for axis in range(-len(shape), 0):
                n = numpy.prod(shape)
                check(f"{name} {shape} {axis}", lambda x: f(x.reshape(shape), axis=axis), values(dt, n))
                check(f"{name} {shape} T {axis}", lambda x: f(x.reshape(shape[::-1]).T, axis=axis), values(dt, n))
                check(f"{name} {shape} fused {axis}", lambda x: f(x.reshape(shape) * 2 + 1, axis=axis), values(dt, n))
for dt in "f2", "f4", "f8":   # which of two zeros
    for zeros in [0., -0.], [-0., 0.], [0., -0., 0.], [-0., 0., -0., -0.], [numpy.nan, 0., -0.], [0.] * 33 + [-0.]:
        for f in h.min, h.max, h.nanmin, h.nanmax:
            check(f"{f.__name__} of zeros", f, numpy.array(zeros, dt))
            check(f"{f.__name__} of zeros", lambda x: f(x, axis=0), numpy.array([zeros, zeros[::-1]], dt).T.copy())
for dt in DTYPES:
    for m, k, n in ((1, 3, 1), (2, 2, 2), (3, 3, 3), (4, 4, 1), (1, 5, 7), (8, 8, 8), (16, 16, 1), (2, 200, 1), (2, 300, 1),
                    (16, 2, 16), (17, 17, 1)):
        check(f"product {m} {k} {n}", lambda x, y: x.reshape(m, k) @ y.reshape(k, n), values(dt, m * k), values(dt, k * n))
        check(f"turned product {m} {k} {n}", lambda x, y: x.reshape(k, m).T @ y.reshape(n, k).T, values(dt, m * k), values(dt, k * n))
end(0.6)
""",
    "places": """
for dt in DTYPES:
    x = values(dt, 60)
    i = rng.integers(-60, 60, 20)
    check("take", lambda x, i: x[i], x, i)
    check("take rows", lambda x, i: x.reshape(12, 5)[i % 12], x, i)
    check("two", lambda x, i: x.reshape(12, 5)[i % 12, i % 5], x, i)
    def put(x, i):
        y = x.copy(); y[i] = x[:20]; return y
    check("put", put, x, i)
    def put_mask(x):
        y = x.copy(); y[y != y[3]] = y[2]; return y
    check("put by a mask", put_mask, x)
    check("mask", lambda x: x[x != x[3]], x)
    check("mask", lambda x: x.reshape(6, 10).T[(x != x[3]).reshape(6, 10).T], x)
    check("nonzero", lambda x: h.nonzero(x.reshape(6, 10)), x)
    check("where", lambda x: h.where(x == x[3], x, x[::-1]), x)
    check("sort", h.sort, x)
    check("argsort", h.argsort, x)
    check("partition", lambda x: h.partition(x, (5, 30)), x)
    check("argpartition", lambda x: h.argpartition(x.reshape(6, 10), 3, axis=0), x)
    check("quantile", lambda x: h.quantile(x, [0.2, 0.5, 0.9]), x)
    check("median", lambda x: h.median(x.reshape(6, 10), axis=0), x)
    check("product", lambda x: x.reshape(3, 20) @ x.reshape(20, 3), x)
    check("library product", lambda x: h.concatenate([x[15:]] * 8).reshape(20, 18) @ h.concatenate([x[20:]] * 9).reshape(18, 20), x)
    check("transform", h.fft.fft, x[15:])
    check("transform", lambda x: h.fft.irfft2(h.fft.rfft2(x.reshape(6, 10))), x)
    check("convolve", lambda x: h.convolve(x, x[15:20]), x)
    check("solve", lambda x: h.linalg.solve(x[20:45].reshape(5, 5) + 9 * h.eye(5), x[15:20]), x)
    check("singular", lambda x: h.linalg.inv(x[15:24].reshape(3, 3) * 0), x)
    for n in 22, 23:   # on both sides of what goes home
        check(f"inverse {n}", lambda x: h.linalg.inv(h.concatenate([x[15:]] * 12)[:n * n].reshape(n, n) + 99 * h.eye(n)), x)
    check("svd", lambda x: h.linalg.svd(x[15:55].reshape(8, 5))[1], x)
    check("searchsorted", lambda x: h.searchsorted(h.sort(x), x), x)
    check("unique", h.unique, x)
    check("concatenate", lambda x: h.concatenate([x[:10], x[::2], x[5:6]]), x)
    check("out of range", lambda x, i: x[i + 60], x, i)
    for f in h.cumsum, h.cumprod, h.maximum.accumulate, h.fmin.accumulate, h.subtract.accumulate:
        check(f"running {f}", lambda x: f(x.reshape(6, 10).T, axis=0), x)
        for n in 1, 2, 60, 500:
            check(f"running {f} {n}", f, values(dt, max(n, 20))[-n:])
    if numpy.dtype(dt).kind in "iu":
        check("bincount", lambda x: h.bincount(h.abs(x.astype("i8")) % 9), x)
end(0.5)
""",
    # What lies on the device is asked for until it is brought, in the midst of operations that record several things.
    "loops": """
big = h.asarray(numpy.arange(100_000.) % 7919)
def shrinking(x, n):   # masks that are still to be computed
    z, left = x * 0, h.arange(n)
    sizes = []
    for k in range(14):
        z = z * z + x
        inside = h.abs(z) < 2
        z, x, left = z[inside], x[inside], left[inside]
        sizes.append(len(left))
    return left, z, h.array(sizes)
def nearest(x, n):
    weights, known = big[:n * 4].reshape(4, n) + 1, h.full(n, h.inf)
    known[0], done = 0., h.zeros(n, bool)
    for k in range(min(n, 12)):
        at = int(h.argmin(h.where(done, h.inf, known)))
        done[at] = True
        row = weights[k % 4] + known[at]
        better = (row < known) & ~done
        known[better] = row[better]
    return known, done, h.nonzero(~done)[0], h.flatnonzero(known > 40)
def kept(x, n):
    lists = [h.argwhere(big[k:k + n] % (k + 2) == 1) for k in range(12)]
    y = big[:n] * 2
    for k in range(12):
        y[k % n] += y[(k * 5) % n]
        lists.append(y[y > y[0]])
    return lists
for f in shrinking, nearest, kept:
    for n in 3, 10, 31, 32, 33, 100, 256, 257, 500, 513, 1000, 4096, 4097, 9000:
        check(f"{f.__name__} of {n}", f, numpy.linspace(-2, 1, n), n)
end(0)
""",
}
FAMILIES["at"] = """
h.config.deterministic = True   # otherwise sums of reals on a GPU depend on who comes first
TWO = ["add", "subtract", "multiply", "divide", "maximum", "minimum", "fmax", "power", "floor_divide", "remainder", "bitwise_xor", "logical_or",
       "arctan2", "hypot"]
ONE = ["negative", "absolute", "exp", "sqrt", "sin", "square", "invert"]
for dt in DTYPES:
    for n in 1, 16, 17, 100:   # one thread goes through 16 places
        i = rng.integers(-20, 20, n)
        x, v = values(dt, 60), values(dt, n)
        v = abs(v) % 5 if dt[0] in "iu" else v
        for name in TWO:
            def at(x, i, v):
                y = x.copy()
                getattr(h, name).at(y, i, v)
                return y
            check(f"{name}.at {n} {dt}", at, x, i, v)
            if n == 1 or name not in ("add", "divide"):
                continue
            check(f"{name}.at {n} {dt}, rows", lambda x, i, v: at(x.reshape(20, 3), i, v.reshape(-1, 1)), x, i, v)
            check(f"{name}.at {n} {dt}, two", lambda x, i, v: at(x.reshape(20, 3), (i, i % 3), v), x, i, v)
            check(f"{name}.at {n} {dt}, one value", lambda x, i, v: at(x, i, v[:1]), x, i, v)
        for name in ONE:
            def at_alone(x, i):
                y = x.copy()
                getattr(h, name).at(y, i)
                return y
            check(f"{name}.at {n} {dt}", at_alone, x, i)
end(0.7)
"""
ALONE = {"at", "places", "loops"}   # what libheddle_cub does has no place here


@pytest.mark.parametrize("family", FAMILIES)
def test_same_bits(family):
    code = COMMON + FAMILIES[family]
    env = {k: v for k, v in ENV.items() if k != "HEDDLE_SMALL"}
    if family in ALONE:
        env |= {"HEDDLE_LIBCUB": str(test_cuda_batch.test_cuda_fake.FAKE).replace("libcuda", "libcub"), "FAKE_CUB_RUN": "1"}
    if ON_GPU:
        env = dict(os.environ)
    result = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, timeout=300, check=False)
    assert result.returncode == 0, result.stderr[-3000:]


ASKED = """
import numpy, heddle as h
points = numpy.random.default_rng(27).normal(0, 0.7, (24, 2))

def run(sweeps):
    P = h.asarray(points)
    s = h.where(P[:, 0] * P[:, 1] > 0, 1.0, -1.0)
    K = h.exp(-0.5 * ((P[:, None, :] - P[None]) ** 2).sum(axis=2))     # 4.6 KB: made on the device
    alpha = h.zeros(24)
    for _ in range(sweeps):
        for i in range(24):
            gradient = 1 - s[i] * (K[i] @ (alpha * s))
            alpha[i] = min(max(alpha[i] + gradient / K[i, i], 0.0), 5.0)
    return float(alpha.sum())

counts = []
for sweeps in (2, 8, 8, 1, 8, 3, 8, 8):
    before = h.stats()["records"]
    run(sweeps)
    counts.append(h.stats()["records"] - before)
assert max(counts) < 300, counts       # 9 for each of 192 steps, if K stays away
"""


def test_what_is_asked_for_comes__however_often_the_bound_is_lowered():
    """Waits for values lower how often an array has to be asked for, so that it may have been asked for often enough before."""
    env = dict(os.environ) if ON_GPU else {k: v for k, v in ENV.items() if k != "HEDDLE_SMALL"}
    result = subprocess.run([sys.executable, "-c", ASKED], env=env, capture_output=True, text=True, timeout=100, check=False)
    assert result.returncode == 0, result.stderr[-3000:]
