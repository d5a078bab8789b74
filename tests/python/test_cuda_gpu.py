# SPDX-License-Identifier: BSD-3-Clause
"""On a real GPU: memory, transfers, streams, exchange. Skipped where there is none, or where the fake driver is set."""

import os
import pathlib
import subprocess
import sys
import time

import numpy as np
import pytest

from common import xp
from gpu_common import on_a_gpu, on_the_gpu  # noqa: F401

pytestmark = on_a_gpu


def rate(what, nbytes, f, rounds=5):
    """The best of some rounds, printed with -s."""
    best = float("inf")
    for _ in range(rounds):
        started = time.perf_counter()
        result = f()
        best = min(best, time.perf_counter() - started)
    print(f"{what}: {best * 1e6:.1f} us, {nbytes / best / 1e9:.2f} GB/s")
    return result


def test_device_tells_what_it_is():
    device = xp.cuda.Device(0)
    major = int(device.compute_capability[:-1])
    free, total = device.mem_info
    assert device.name and major >= 5 and 0 < free <= total
    assert device.attributes["MultiProcessorCount"] > 0
    print(xp._heddle._device_info("cuda:0"))


@pytest.mark.parametrize("n", [0, 1, 7, 4096, 65535, 65536, 4 << 20, (4 << 20) + 1, 100000007])
def test_round_trip(n):
    a = np.random.default_rng(n).integers(0, 255, n, np.uint8)
    x = xp.asarray(a)
    assert x.device == "cuda:0" and np.array_equal(xp.asnumpy(x), a)
    x.set(a[::-1].copy())
    assert np.array_equal(x.get(), a[::-1])
    c = x.to_device("cpu")
    assert c.device == "cpu" and np.array_equal(np.asarray(c), a[::-1])


def test_rates():
    for mb in (0.001, 1, 16, 256):
        n = int(mb * 1e6)
        a = np.ones(n, np.uint8)
        x = xp.asarray(a)
        rate(f"{mb} MB in", n, lambda a=a: (xp.asarray(a), xp.synchronize()))
        rate(f"{mb} MB out to pinned memory", n, lambda x=x: xp.asnumpy(x))
        out = np.empty(n, np.uint8)
        rate(f"{mb} MB out to the CPU device", n, lambda x=x: x.to_device("cpu"))
        rate(f"{mb} MB out and copied", n, lambda x=x, out=out: x.get(out=out))
    x = xp.asarray(np.ones(1))
    rate("one element", 8, lambda: x.item(0), 200)


@pytest.mark.alone
def test_memory_pool():
    pool = xp.cuda.get_default_memory_pool()
    pool.free_all_blocks()
    before = pool.used_bytes()
    x = xp.asarray(np.zeros(50_000_000, np.uint8))
    assert pool.used_bytes() - before >= 50_000_000
    free, _ = xp.cuda.Device(0).mem_info
    del x
    assert pool.used_bytes() == before and pool.free_bytes() >= 50_000_000
    pool.free_all_blocks()
    assert xp.cuda.Device(0).mem_info[0] >= free + 50_000_000
    with pytest.raises(MemoryError, match="cuda:0"):
        pool.set_limit(size=max(pool.total_bytes(), 1) + (1 << 20))
        try:
            xp.asarray(np.zeros(50_000_000, np.uint8))
        finally:
            pool.set_limit(size=0)


def run_child(code):
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False)
    assert result.returncode == 0, result.stderr


FILL = """
import numpy as np, heddle as xp
def fill():     # down to the last 2 MB
    held, total = [], xp.cuda.Device(0).mem_info[1]
    for size in 1 << 32, 1 << 28, 1 << 24, 1 << 21:
        try:
            for _ in range(total // size + 2):
                x = xp.empty(size, dtype="u1")
                x[:1] = 0
                xp.synchronize()
                held.append(x)
        except MemoryError as e:
            assert "in use" in str(e), e
            continue
        raise AssertionError("there was more memory than there is")
    return held
x = np.random.default_rng(1).random((300, 300))
a = xp.asarray(x)
held = fill()
"""


@pytest.mark.alone
def test_exhaustion_leaves_a_device_that_works():
    run_child(FILL + """
try:
    xp.zeros(1 << 26).sum().item()
    raise AssertionError
except MemoryError:
    pass
del held
assert (a[0] + 1).tolist() == (x[0] + 1).tolist()
""")


@pytest.mark.alone
@pytest.mark.parametrize("call", [
    "fft.fft(x)", "fft.ifft(x.ravel()[:10007])", "matmul(x, x)", "linalg.solve(x, x)",
    "linalg.svd(x)[1]", "sort(x)", "extract(x > 0.5, x)", "sin(x) + 1", "conjugate(x + 1j) * 2", "cumsum(x, 0)",
    "convolve(x[0], x[1])", "unique(x)"])
def test_what_is_kept_is_there_for_libraries_too(call):
    run_child(FILL + f"""
del held
f = lambda m, x: m.{call}
assert np.allclose(np.asarray(f(xp, a)), f(np, x), rtol=1e-5, atol=1e-5)
""")


def test_streams_and_events():
    start, end = xp.cuda.Event(), xp.cuda.Event()
    a = np.ones(50_000_000)
    with xp.cuda.Stream(non_blocking=True) as s:
        start.record()
        x = xp.asarray(a)
        end.record()
        assert xp.cuda.get_current_stream() == s
    end.synchronize()
    assert end.done and 0 < xp.cuda.get_elapsed_time(start, end) < 10000
    assert np.array_equal(x.get(), a)
    xp.cuda.Stream.null.synchronize()
    xp.cuda.Device(0).synchronize()


def test_exchange_with_itself():
    x = xp.asarray(np.arange(24.0).reshape(2, 3, 4))
    y = xp.from_dlpack(x)
    assert xp.may_share_memory(x, y) and y.tolist() == x.tolist()

    class Other:
        __cuda_array_interface__ = x.__cuda_array_interface__
    z = xp.asarray(Other(), copy=False)
    assert xp.may_share_memory(x, z) and z.tolist() == x.tolist()
    with pytest.raises(ValueError, match="not in the memory"):
        class Wrong:
            __cuda_array_interface__ = {**x.__cuda_array_interface__, "data": (np.ones(3).ctypes.data, False)}
        xp.asarray(Wrong(), copy=False)


def test_exchange_with_torch():
    torch = pytest.importorskip("torch")
    if not torch.cuda.is_available():
        pytest.skip("torch has no CUDA")
    t = torch.arange(12.0, device="cuda").reshape(3, 4)
    x = xp.from_dlpack(t)
    assert x.device == "cuda:0" and x.tolist() == t.tolist()
    u = torch.from_dlpack(x)
    u += 1
    torch.cuda.synchronize()
    assert x.tolist() == t.tolist()
    assert torch.as_tensor(xp.asarray(np.ones(3)), device="cuda").tolist() == [1, 1, 1]


def test_fork():
    code = """
import os, numpy as np, heddle as h
x = h.array(np.arange(5000.0), device="cuda:0")   # small ones have a mirror on the host
if os.fork() == 0:
    try:
        x.get()
        os._exit(1)
    except RuntimeError as e:
        ok = "fork()" in str(e)
    with h.device("cpu"):
        os._exit(0 if ok and (h.ones(3) + 1).tolist() == [2, 2, 2] else 2)
assert os.waitstatus_to_exitcode(os.wait()[1]) == 0 and x[:3].tolist() == [0, 1, 2]
"""
    run_child(code)


def test_opening_takes_no_time_for_the_cpu():
    code = "import heddle as h; h.ones(3, device='cpu').sum().item(); assert 'libcuda' not in open('/proc/self/maps').read()"
    subprocess.run([sys.executable, "-c", code], timeout=60, check=True)


def test_bits_do_not_depend_on_how_kernels_are_launched():
    """One by one, as graphs, as functions of several kernels."""
    script = str(pathlib.Path(__file__).with_name("small_kernels.py"))
    printed = [subprocess.run([sys.executable, script, "0", "16"], env={**os.environ, "HEDDLE_BATCH": batch}, text=True,
                              stdout=subprocess.PIPE, timeout=300, check=True).stdout for batch in ("0", "", "1")]
    assert printed[0].count("\n") == 16 and printed[1:] == printed[:1] * 2


def test_layouts_are_told_apart():
    """One program over many shapes, alignments and strides, in turns: what is remembered of one does not serve another."""
    rng = np.random.default_rng(5)
    a = rng.integers(-9, 9, 5000).astype("f4")
    x = xp.asarray(a)
    views = [lambda v: v[:4096], lambda v: v[1:4097], lambda v: v[2:4098], lambda v: v[4:4100], lambda v: v[:4095], lambda v: v[::-1],
             lambda v: v[:4096:2], lambda v: v[:4096].reshape(64, 64).T, lambda v: v[:4096].reshape(64, 64)[:, 1:],
             lambda v: v[:64, None] * np.ones(1, "f4"), lambda v: v[:0], lambda v: v[:1]]
    for turn in range(3):
        for k in rng.permutation(len(views)):
            u, w = views[k](a), views[k](x)
            for number in (turn, turn + 1):   # a scalar is no part of a layout
                assert np.array_equal(xp.asnumpy(w * w + number), u * u + np.float32(number)), (turn, k)
            assert np.array_equal(xp.asnumpy((w + number).sum(0)), (u + np.float32(number)).sum(0)), (turn, k)


# ---- sorting, scanning, selecting ----------------------------------------------------------------


@pytest.mark.parametrize("n", [1, 4095, 4097, 65535, 65537, 131072, 1_000_003])
@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "i4", "i8", "u1", "u8", "c8", "c16"])
def test_running_results__same_bits_each_time(dtype, n):
    x = (np.random.default_rng(n).random(n) * 100).astype(dtype)
    got, again = (xp.asnumpy(xp.cumsum(xp.asarray(x))) for _ in range(2))
    assert np.array_equal(got, again)
    want = np.cumsum(x.astype("f8") if dtype in ("f2", "f4") else x)
    if dtype == "f2":
        return   # infinite soon, and rounded once where NumPy rounds each time
    assert np.allclose(got, want, rtol=1e-4 if dtype in ("f4", "c8") else 1e-12)
    if np.dtype(dtype).kind != "c":
        assert np.array_equal(xp.asnumpy(xp.maximum.accumulate(xp.asarray(x))), np.maximum.accumulate(x))


@pytest.mark.parametrize("name", ["maximum", "minimum", "fmax", "fmin"])
def test_running_results__nan(name):
    x = np.random.default_rng(1).standard_normal(200_000).astype("f4")
    x[[0, 150_000]] = np.nan
    got = xp.asnumpy(getattr(xp, name).accumulate(xp.asarray(x)))
    assert np.array_equal(got, getattr(np, name).accumulate(x), equal_nan=True)


@pytest.mark.parametrize("shape", [(3, 70000), (70000, 3), (5, 1000, 7), (4096, 600), (3, 5000), (9, 2049), (2, 140_000)])
@pytest.mark.parametrize("dtype", ["f4", "f8", "i2", "c16"])
def test_lines_along_each_axis(dtype, shape):
    rng = np.random.default_rng(len(shape))
    x = rng.integers(-50, 50, shape).astype(dtype)
    if dtype[0] in "fc":
        x[rng.random(shape) < 0.05] = -np.nan   # the sign must not put them first
        x[rng.random(shape) < 0.05] = -0.0
    y = xp.asarray(x)
    for axis in range(len(shape)):
        order = np.argsort(x, axis=axis, kind="stable")
        assert np.array_equal(xp.asnumpy(xp.argsort(y, axis=axis)), order)
        got, want = xp.asnumpy(xp.sort(y, axis=axis)), np.take_along_axis(x, order, axis)
        assert np.array_equal(got, want, equal_nan=dtype[0] in "fc")
        there = ~np.isnan(want)
        assert np.array_equal(np.signbit(got.real[there]), np.signbit(want.real[there]))
        down = xp.asnumpy(xp.argsort(y, axis=axis, descending=True))
        with xp.device("cpu"):
            assert np.array_equal(down, np.asarray(xp.argsort(xp.asarray(x), axis=axis, descending=True)))


@pytest.mark.parametrize("n, places", [(10, 3), (100_000, 1), (100_000, 7), (1_000_003, 1000), (1_000_003, 100_000)])
def test_bincount__sums_have_the_same_bits_each_time(n, places):
    rng = np.random.default_rng(places)
    i, w = rng.integers(0, places, n), rng.standard_normal(n)
    got, again = (xp.asnumpy(xp.bincount(xp.asarray(i), xp.asarray(w), places)) for _ in range(2))
    assert np.array_equal(got, again) and np.allclose(got, np.bincount(i, w, places), rtol=1e-9, atol=1e-9)
    assert np.array_equal(xp.asnumpy(xp.bincount(xp.asarray(i), minlength=places)), np.bincount(i, minlength=places))


@pytest.mark.parametrize("n", [1, 2, 257, 100_000, 1_000_000])
def test_orders_are_those_of_the_cpu(n):
    def drawn(device):
        with xp.device(device):
            g = xp.random.default_rng(7)
            lines = xp.broadcast_to(xp.arange(min(n, 500)), (20, min(n, 500)))
            return [np.asarray(xp.asnumpy(a)) for a in (
                g.permutation(n), g.choice(n, (n + 9) // 10, replace=False), g.permuted(lines, axis=1),
                g.choice(5, 1000, p=[0.1, 0.2, 0, 0.3, 0.4]))]
    for gpu, cpu in zip(drawn("cuda:0"), drawn("cpu")):
        assert np.array_equal(gpu, cpu)


def test_index_arrays_are_looked_at_where_they_are():
    x = np.arange(3000.0).reshape(50, 60)
    y = xp.asarray(x)
    for bad in (50, -51):
        with pytest.raises(IndexError, match=f"index {bad} is out of bounds for axis 0 with size 50"):
            y[xp.asarray(np.array([1, bad]))]
    i, j = np.array([[1, -50], [49, 3]]), np.array([-1, 59])
    assert np.array_equal(xp.asnumpy(y[xp.asarray(i), xp.asarray(j)]), x[i, j])
    assert np.array_equal(xp.asnumpy(y.T[xp.asarray(j), xp.asarray(i)]), x.T[j, i])
    y[xp.asarray(i[0])] = xp.asarray(np.array([[1.0], [2.0]]))
    x[i[0]] = [[1.0], [2.0]]
    assert np.array_equal(xp.asnumpy(y), x)


@pytest.mark.parametrize("skip", [0, 5])
def test_masks__of_more_than_is_counted_at_once(skip):
    """A block adds up 4096 tiles of 2^15 flags in one turn."""
    n = 3 * 2**26 + 7
    flags = (xp.arange(n + skip) % 3 == skip % 3)[skip:]
    (at,) = flags.nonzero()
    assert at.shape == ((n + 2) // 3,)
    assert bool((at == 3 * xp.arange(at.size)).all())
    small = (xp.arange(n) % 251).astype("u1")
    assert bool((small[flags] == (3 * xp.arange(at.size) % 251)).all())


@pytest.mark.parametrize("dtype", ["f4", "f8", "c8", "c16"])
def test_inv__by_blocks(dtype):
    n = 2100
    rng = np.random.default_rng(n)
    a = rng.standard_normal((n, n)) + (1j * rng.standard_normal((n, n)) if dtype[0] == "c" else 0)
    a = (a + 200 * np.eye(n)[rng.permutation(n)]).astype(dtype)     # exchanges rows, and is well conditioned
    x = xp.asarray(a)
    y = xp.linalg.inv(x)
    tiny = 50 * n * np.finfo(dtype).eps
    for product in (y @ x, x @ y):
        assert float(abs(product - xp.eye(n, dtype=dtype)).max()) < tiny
    np.testing.assert_allclose(np.asarray(y[:3]), np.linalg.solve(a.T.astype("c16"), np.eye(n, 3)).T, atol=tiny)
    for bad in (2070, 5):     # in the last block, in the first
        a[:, bad] = 0
        with pytest.raises(xp.linalg.LinAlgError, match="Singular matrix"):
            xp.linalg.inv(xp.asarray(a))
