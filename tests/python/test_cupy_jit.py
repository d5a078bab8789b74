# SPDX-License-Identifier: BSD-3-Clause
"""cupyx.jit: kernels written in Python, beside what NumPy computes."""

import math
import os

import numpy as np
import pytest
from common import IS_NUMPY, needs_heddle, python

if not IS_NUMPY:
    import heddle.cupy as cp
    from heddle.cupyx import jit

pytestmark = needs_heddle
IS_FAKE = "FAKE_CUDA_RUN" in os.environ     # the fake driver has no warps

if not IS_NUMPY:
    @jit.rawkernel()
    def copied(x, y, size):
        """A grid-stride loop."""
        start = jit.blockIdx.x * jit.blockDim.x + jit.threadIdx.x
        for i in range(start, size, jit.gridDim.x * jit.blockDim.x):
            y[i] = x[i]

    @jit.rawkernel()
    def arithmetic(a, b, out):
        i = jit.grid(1)
        x, y = a[i], b[i]
        out[0, i] = x + y
        out[1, i] = x - y * x
        out[2, i] = x // y
        out[3, i] = x % y
        out[4, i] = x / y
        out[5, i] = min(x, y, a[0])
        out[6, i] = max(x, y)
        out[7, i] = abs(x)
        out[8, i] = -x if x < y <= 3 else +y
        out[9, i] = not (x == y or x != 2 and y >= 1)

    @jit.rawkernel()
    def bits(a, b, out):
        i = jit.threadIdx.x
        out[i, 0] = a[i] << 3
        out[i, 1] = a[i] >> 1
        out[i, 2] = a[i] & b[i] | 4 ^ b[i]
        out[i, 3] = ~a[i]
        out[i, 4] = b[i] ** 3

    @jit.rawkernel(device=True)
    def half_or_zero(x, n):
        if x > n:
            return x / 2
        return 0.0

    @jit.rawkernel(device=True)
    def put(y, i, value):
        y[i] += value

    @jit.rawkernel()
    def with_functions(x, y, n):
        i = jit.threadIdx.x
        put(y, i, half_or_zero(x[i], n))
        put(y, i, half_or_zero(x[i] * 2, n))


@pytest.mark.parametrize("dtype", ["f4", "f8", "f2", "i4", "u1", "i8", "?", "c8", "c16"])
def test_copy__in_both_ways_to_launch(dtype):
    x = cp.asarray((np.arange(1000) % 7).astype(dtype))
    y = cp.zeros_like(x)
    copied((3,), (64,), (x, y, cp.uint32(1000)))
    assert (y == x).all()
    y[...] = 0
    copied[5, 32](x, y, 999)
    assert (y[:999] == x[:999]).all() and y[999] == 0


@pytest.mark.parametrize("dtype", ["f8", "f4", "i4", "i8", "i2", "u4"])
def test_operators__are_numpys(dtype):
    rng = np.random.default_rng(5)
    a, b = (rng.integers(0 if dtype[0] == "u" else -9, 10, 64) for _ in range(2))
    a, b = a.astype(dtype), np.where(b == 0, 4, b).astype(dtype)
    if dtype[0] == "f":
        a, b = a + a.dtype.type(0.375), b - b.dtype.type(0.25)
    out = cp.zeros((10, 64))
    arithmetic((2,), (32,), (cp.asarray(a), cp.asarray(b), out))
    with np.errstate(over="ignore"):
        rows = [a + b, a - b * a, a // b, a % b, a / b, np.minimum(np.minimum(a, b), a[0]),
                np.maximum(a, b), abs(a),
                np.where((a < b) & (b <= 3), -a, b), ~((a == b) | (a != 2) & (b >= 1))]
    for n, row in enumerate(rows):
        np.testing.assert_allclose(out[n].get(), row.astype("f8"), rtol=1e-6, err_msg=str(n))


@pytest.mark.parametrize("dtype", ["i4", "i8", "u1", "u4", "i1", "u8"])
def test_bits__are_numpys(dtype):
    a, b = np.arange(1, 11).astype(dtype), (np.arange(1, 11)[::-1] % 6).astype(dtype)
    out = cp.zeros((10, 5), dtype)
    bits[1, 10](cp.asarray(a), cp.asarray(b), out)
    np.testing.assert_array_equal(out.get(), np.stack([a << 3, a >> 1, a & b | a.dtype.type(4) ^ b,
                                                       ~a, b**3], axis=1))


def test_division_by_zero__is_no_trap():
    @jit.rawkernel()
    def f(x, out):
        i = jit.threadIdx.x
        out[0, i] = x[i] // 0
        out[1, i] = x[i] % (x[i] - x[i])
        out[2, i] = x[i] // -1

    out = cp.ones((3, 2), "i4")
    f[1, 2](cp.array([5, -2**31], "i4"), out)
    assert out.tolist() == [[0, 0], [0, 0], [-5, -2**31]]


def test_constants__have_the_precision_of_what_they_meet():
    @jit.rawkernel()
    def f(x, y):
        x[0] = x[0] + 0.1
        y[0] = 1e300 * y[0] if False else cp.pi
        y[1] = -2.5e-8
        y[2] = float(3) / 2
        y[3] = cp.float64(1) / 3
        y[4] = math.inf
        y[5] = cp.nan

    x, y = cp.ones(1), cp.zeros(6)
    f[1, 1](x, y)
    np.testing.assert_array_equal(x.get(), [1.1])
    np.testing.assert_array_equal(y.get(), [math.pi, -2.5e-8, 1.5, 1 / 3, math.inf, math.nan])


def test_modes__give_python_numbers_their_types():
    def f(y, n, v):
        y[0] = n * n
        y[1] = v

    y = cp.zeros(2)
    jit.rawkernel(mode="numpy")(f)[1, 1](y, 2**20, 0.1)
    assert y.tolist() == [2.0**40, 0.1]
    jit.rawkernel()(f)[1, 1](y, 2**20, 0.1)
    assert y.tolist() == [0, np.float32(0.1)]
    with pytest.raises(ValueError, match="mode"):
        jit.rawkernel(mode="c")


def test_mathematical_functions():
    @jit.rawkernel()
    def f(x, y):
        i = jit.threadIdx.x
        y[i, 0] = cp.sin(x[i]) + np.exp(-x[i])
        y[i, 1] = math.sqrt(abs(x[i])) * cp.arctan2(x[i], 2)
        y[i, 2] = cp.where(cp.isnan(x[i] * cp.inf), 7, cp.floor(x[i]))
        y[i, 3] = cp.maximum(x[i], 1) - cp.minimum(x[i], cp.float32(0.5))
        y[i, 4] = x[i] ** 2.5 if x[i] > 0 else int(x[i])

    x = np.linspace(-3, 3, 13)
    y = cp.zeros((13, 5))
    f[1, 13](cp.asarray(x), y)
    with np.errstate(invalid="ignore"):
        want = [np.sin(x) + np.exp(-x), np.sqrt(abs(x)) * np.arctan2(x, 2),
                np.where(x == 0, 7, np.floor(x)),
                np.maximum(x, 1) - np.minimum(x, 0.5), np.where(x > 0, x**2.5, np.trunc(x))]
    np.testing.assert_allclose(y.get(), np.stack(want, axis=1), rtol=1e-13)


def test_loops_and_conditions():
    @jit.rawkernel()
    def f(x, n):
        i = jit.threadIdx.x
        count, total = 0, 0
        while True:
            count += 1
            if count % 2 == 0:
                continue
            elif count > n[i]:
                break
            else:
                for k in range(count, 0, -2):
                    total += k
                    k = 100         # counts on all the same
            for _ in jit.range(3, unroll=True):
                total += 1000
        x[i, 0], x[i, 1] = total, count
        a, b = 1, 2
        a, b = b, a
        x[i, 2] = 10 * a + b

    n = np.arange(8)
    x = cp.zeros((8, 3), "i8")
    f[1, 8](x, cp.asarray(n))

    def expected(n):
        odd = range(1, n + 1, 2)
        return [sum(sum(range(c, 0, -2)) + 3000 for c in odd), max([0, *odd]) + 2 if n else 1, 21]
    assert x.tolist() == [expected(int(k)) for k in n]


def test_arrays__have_shapes_and_strides():
    @jit.rawkernel()
    def f(x, y, facts):
        i, j = jit.grid(2)
        if i < x.shape[0] and j < x.shape[1]:
            y[j, i] = x[i, j] * x.ndim
        if i == 0 and j == 0:
            n, m = x.shape
            facts[0], facts[1], facts[2], facts[3] = n, m, len(y), x.size
            facts[4], facts[5] = x.strides[0], x.strides[1]

    base = np.arange(60.0).reshape(6, 10)
    for part in lambda x: x, np.transpose, lambda x: x[::2, 1:7], lambda x: x[:, ::-1]:
        view = part(base)
        y, facts = cp.zeros(view.shape[::-1]), cp.zeros(6, "i8")
        f((4, 4), (4, 4), (part(cp.asarray(base)), y, facts))
        np.testing.assert_array_equal(y.get(), view.T * 2)
        assert facts.tolist() == [*view.shape, view.shape[1], view.size, *view.strides]


def test_functions_of_a_kernel():
    x, y = cp.arange(8, dtype="f4"), cp.zeros(8, "f4")
    with_functions[1, 8](x, y, 5)
    want = [(k / 2 if k > 5 else 0) + (k if 2 * k > 5 else 0) for k in range(8)]
    assert y.tolist() == want
    with pytest.raises(RuntimeError, match="called by kernels"):
        half_or_zero((1,), (1,), (x, 1))

    def times(k):
        @jit.rawkernel(device=True)
        def f(x):
            return x * k
        return f

    @jit.rawkernel()
    def f(x, y):
        i = jit.threadIdx.x
        y[i] = times(10)(x[i]) + times(100)(x[i])

    f[1, 8](x, y)
    assert (y == 110 * x).all()

    @jit.rawkernel(device=True)
    def forever(x):
        return forever(x)

    @jit.rawkernel()
    def g(x):
        x[0] = forever(x[0])
    with pytest.raises(ValueError, match="themselves"):
        g[1, 1](x)


def test_place_of_an_augmented_assignment__is_found_once():
    @jit.rawkernel()
    def f(x, where):
        x[jit.atomic_add(where, 0, 1)] += 5

    x, where = cp.zeros(4, "i4"), cp.zeros(1, "i4")
    f[1, 3](x, where)
    assert x.tolist() == [5, 5, 5, 0] and where.tolist() == [3]


def test_shared_memory_and_barriers():
    @jit.rawkernel()
    def f(x, sums):
        some, t = jit.shared_memory(cp.float32, 64), jit.threadIdx.x
        some[t] = x[jit.grid(1)]
        jit.syncthreads()
        step = 32
        while step > 0:
            if t < step:
                some[t] += some[t + step]
            jit.syncthreads()
            step //= 2
        if t == 0:
            sums[jit.blockIdx.x] = some[0]

    @jit.rawkernel()
    def turned(x):
        all_of = jit.shared_memory(cp.int64, None)
        all_of[jit.threadIdx.x] = x[jit.threadIdx.x]
        jit.syncthreads()
        x[jit.threadIdx.x] = all_of[jit.blockDim.x - 1 - jit.threadIdx.x]

    @jit.rawkernel()
    def two(x):
        some = jit.shared_memory(cp.int64, 4)
        some = jit.shared_memory(cp.int64, 8)
        x[0] = some[0]

    x, sums = cp.arange(256, dtype="f4"), cp.zeros(4, "f4")
    f((4,), (64,), (x, sums))
    assert (sums == x.reshape(4, 64).sum(axis=1)).all()
    with pytest.raises(TypeError, match="given to one variable"):
        two[1, 1](x)
    y = cp.arange(16)
    turned((1,), (16,), (y,), shared_mem=128)
    assert y.tolist() == list(range(16))[::-1]


def test_atomics():
    @jit.rawkernel()
    def f(counts, extremes, x, bits, old):
        i = jit.grid(1)
        jit.atomic_add(counts, x[i] % 4, 1)
        jit.atomic_max(extremes, 0, x[i])
        jit.atomic_min(extremes, (1,), x[i])
        jit.atomic_or(bits, 0, 1 << (x[i] % 8))
        old[i] = jit.atomic_cas(extremes, 2, -1, i)

    x = cp.arange(100, dtype="i4")
    counts, extremes = cp.zeros(4), cp.array([50, 50, -1], "i4")
    bits, old = cp.zeros(1, "u4"), cp.zeros(100, "i4")
    f((4,), (25,), (counts, extremes, x, bits, old))
    assert counts.tolist() == [25] * 4 and extremes[:2].tolist() == [99, 0]
    assert bits.tolist() == [255]
    assert (old == -1).sum() == 1 and old[int(extremes[2])] == -1
    with pytest.raises(TypeError, match="atomicMax takes"):
        f((1,), (1,), (counts, counts, x, bits, old))


@pytest.mark.skipif(IS_FAKE, reason="the fake driver has no warps")
def test_warps():
    @jit.rawkernel()
    def f(x, lanes):
        i = jit.threadIdx.x
        lanes[i] = jit.laneid()
        v = jit.shfl_xor_sync(0xffffffff, x[i], 1)
        jit.syncwarp()
        v = v + jit.shfl_down_sync(0xffffffff, v, 16, width=32) + jit.warpsize
        x[i] = jit.shfl_sync(0xffffffff, v, 2)

    x, lanes = cp.arange(64, dtype="i4"), cp.zeros(64, "u4")
    f[1, 64](x, lanes)
    assert lanes.tolist() == [*range(32)] * 2
    assert x.tolist() == [3 + 19 + 32] * 32 + [35 + 51 + 32] * 32


def test_read_arrays__may_be_read_only():
    x = cp.arange(8.0)
    x.flags.writeable = False
    y = cp.zeros(8)
    copied[1, 8](x, y, 8)
    assert (y == x).all()
    with pytest.raises(ValueError, match="read-only"):
        copied[1, 8](y, x, 8)


def test_codes__are_kept_by_types():
    @jit.rawkernel()
    def f(x, n):
        x[0] = n

    with pytest.raises(RuntimeError, match="0 codes"):
        _ = f.cached_code
    for x, n in (cp.zeros(2), 1), (cp.zeros(3), 2), (cp.zeros(4, "f4"), 2), (cp.zeros(4)[::2], 2):
        f[1, 1](x, n)
        assert x[0] == n
    assert len(f.cached_codes) == 3
    assert all("__global__" in code for code in f.cached_codes.values())
    assert f.__name__ == "f"


def kernels_that_are_wrong():
    def unknown(x):
        x[0] = nowhere      # noqa: F821

    def too_few(x):
        x[0, 0] = 1

    def floats(x):
        x[x[0]] = 1

    def result(x):
        return x[0]

    def comprehension(x):
        x[0] = sum([i for i in range(3)])

    def loop(x):
        for v in x:
            x[0] = v

    def printed(x):
        print("no")

    def three(x):
        a, b = jit.grid(3)
        x[0] = a + b

    def none_of_it(x):
        x[0] = None

    def member(x):
        x[0] = x.nothing

    def axis(x):
        x[0] = jit.threadIdx.w
    return {unknown: NameError, too_few: IndexError, floats: TypeError, result: TypeError,
            comprehension: NotImplementedError, loop: NotImplementedError, printed: TypeError,
            three: ValueError, none_of_it: TypeError, member: AttributeError, axis: AttributeError}


@pytest.mark.parametrize("function", kernels_that_are_wrong() if not IS_NUMPY else (),
                         ids=lambda f: f.__name__)
def test_wrong_kernel__is_told_with_its_line(function):
    error = {f.__name__: e for f, e in kernels_that_are_wrong().items()}[function.__name__]
    with pytest.raises(error, match=rf"test_cupy_jit.py, line \d+, in {function.__name__}"):
        jit.rawkernel()(function)[1, 1](cp.zeros(3))


def test_wrong_arguments():
    with pytest.raises(TypeError, match="3 arguments"):
        copied[1, 1](cp.zeros(3))
    with pytest.raises(TypeError, match="not supported"):
        copied[1, 1]([1], cp.zeros(3), 1)
    with pytest.raises(RuntimeError, match="in a kernel"):
        jit.syncthreads()
    with pytest.raises(NotImplementedError, match="made by def"):
        jit.rawkernel()(lambda x: x)[1, 1](cp.zeros(1))
    space = {}
    exec("def f(x):\n    x[0] = 1\n", space)
    with pytest.raises(RuntimeError, match="source of f"):
        jit.rawkernel()(space["f"])[1, 1](cp.zeros(1))


def test_program_for_cupy(tmp_path):
    (tmp_path / "program.py").write_text("""
import cupy
from cupyx import jit
@jit.rawkernel()
def scaled(x, y, a):
    i = jit.grid(1)
    if i < x.size:
        y[i] = a * x[i]
x, y = cupy.arange(100, dtype=cupy.float32), cupy.empty(100, cupy.float32)
scaled((4,), (32,), (x, y, 2.5))
print(float(y.sum()))
""")
    python(f"""
import subprocess, sys
done = subprocess.run([sys.executable, "-m", "heddle", "run", {str(tmp_path / 'program.py')!r}],
                      capture_output=True, text=True)
assert done.stdout == "12375.0\\n", done
""")
