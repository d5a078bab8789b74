# SPDX-License-Identifier: BSD-3-Clause
"""Programs as CuPy's users write them, each run with Heddle by CuPy's names and compared with NumPy and SciPy.

A program uses cp, np and cupyx, and leaves what is to be compared in `result`: first with cp as heddle.cupy, then with
cp as NumPy and what CuPy adds to it in terms of NumPy.
"""

import textwrap
import types

import numpy as np
import pytest
from common import IS_NUMPY, needs_heddle

if not IS_NUMPY:
    import heddle.cupy
    import heddle.cupyx

pytestmark = needs_heddle

PROGRAMS = {
    "saxpy_and_back": """
        x_cpu = np.linspace(0, 1, 1000).astype(np.float32)
        x_gpu = cp.asarray(x_cpu)
        y_gpu = 2.5 * x_gpu + cp.ones_like(x_gpu)
        y_gpu[::2] -= cp.sin(x_gpu[::2])
        y_cpu = cp.asnumpy(y_gpu)
        result = [y_cpu, float(cp.linalg.norm(x_gpu)), y_gpu.dtype.name, type(y_cpu).__name__]
    """,
    "agnostic": """
        def softplus(x):
            xp = cp.get_array_module(x)
            return xp.maximum(0, x) + xp.log1p(xp.exp(-abs(x)))
        a = np.linspace(-30, 30, 500)
        result = [softplus(a), cp.asnumpy(softplus(cp.asarray(a)))]
    """,
    "polynomial_of_two_vectors": """
        def grade2(x, y, a, b, c):
            return a * x**2 + b * y + c
        def with_copy(x_cpu, y_cpu, a, b, c):
            return cp.asnumpy(grade2(cp.asarray(x_cpu), cp.asarray(y_cpu), a, b, c))
        x, y = np.linspace(0, 1, 5000), np.linspace(1, 2, 5000)
        timing = benchmark(with_copy, (x, y, 3.5, 2.8, 10), n_repeat=3, n_warmup=1)
        assert np.average(timing.gpu_times) * 1e3 > 0 and timing.cpu_times.shape == (3,)
        result = [with_copy(x, y, 3.5, 2.8, 10)]
    """,
    "fused_difference": """
        @cp.fuse
        def fused(x, y):
            return (x - y) * (x - y)
        @cp.fuse(kernel_name="named")
        def summed(x, y):
            return cp.sum(cp.sqrt(x + y))
        x, y = cp.arange(10000), cp.arange(10000)[::-1]
        print(benchmark(fused, (x, y), n_repeat=2))
        result = [fused(x, y), float(summed(x, y))]
    """,
    "timed_with_events": """
        from time import perf_counter
        stream1, stream2 = cp.cuda.Stream(), cp.cuda.Stream(non_blocking=True)
        event1, event2 = cp.cuda.Event(), cp.cuda.Event()
        A_gpu = cp.asarray(np.random.RandomState(0).rand(60, 60) + np.eye(60) * 30).astype(cp.float64)
        start_time = perf_counter()
        with stream1:
            C1 = cp.linalg.inv(A_gpu)
            event1.record(stream1)
        with stream2:
            C2 = cp.linalg.inv(A_gpu)
            event2.record(stream2)
        event1.synchronize()
        event2.synchronize()
        assert perf_counter() > start_time
        start, end = cp.cuda.Event(), cp.cuda.Event()
        start.record()
        Q, R = cp.linalg.qr(A_gpu)
        end.record()
        end.synchronize()
        assert cp.cuda.get_elapsed_time(start, end) > 0
        cp.cuda.Stream.null.synchronize()
        cp.cuda.Device(0).synchronize()
        result = [C1, C2, cp.abs(R)]
    """,
    "sort_and_filter": """
        numbers = np.random.RandomState(1).random_sample(5000).astype(np.float32)
        gpu = cp.sort(cp.asarray(numbers))
        order = cp.argsort(cp.asarray(numbers))
        result = [gpu.get(), order.get(), gpu[gpu > 0.5].get(), cp.unique((gpu * 10).astype(cp.int32)).get()]
    """,
    "convolve_an_image": """
        from_scipy_signal = cupyx.scipy.signal
        tile = np.zeros((16, 16))
        tile[8, 8] = 1
        image = np.tile(tile, (6, 6))
        x, y = np.meshgrid(np.linspace(-2, 2, 15), np.linspace(-2, 2, 15))
        gauss = np.exp(-(x**2 + y**2))
        out = from_scipy_signal.convolve2d(cp.asarray(image), cp.asarray(gauss), mode="same")
        result = [cp.asnumpy(out), cp.convolve(cp.ravel(cp.asarray(image)), cp.ravel(cp.asarray(gauss))).get()]
    """,
    "conjugate_gradients": """
        n = 50
        A = cp.asarray(np.diag(np.arange(1.0, n + 1)) + 0.01)
        b, x = cp.ones(n), cp.zeros(n)
        r = b - A @ x
        p, rs = r.copy(), r.dot(r)
        for _ in range(n):
            Ap = A.dot(p)
            alpha = rs / p.dot(Ap)
            x += alpha * p
            r -= alpha * Ap
            new = r.dot(r)
            if cp.sqrt(new) < 1e-12:
                break
            p, rs = r + new / rs * p, new
        result = [x]
    """,
    "k_means": """
        rng = np.random.RandomState(0)
        X = cp.asarray(np.concatenate([rng.randn(100, 2) * 0.3 + c for c in ([0, 0], [3, 3], [0, 4])]))
        centers = X[[0, 150, 250]].copy()
        for _ in range(10):
            labels = ((X[:, None, :] - centers[None]) ** 2).sum(axis=2).argmin(axis=1)
            sums = cp.zeros_like(centers)
            cupyx.scatter_add(sums, labels, X)
            counts = cp.bincount(labels, minlength=3)
            centers = sums / counts[:, None]
        result = [labels, centers]
    """,
    "logistic_regression": """
        rng = np.random.RandomState(2)
        X = cp.asarray(rng.randn(300, 2))
        y = (X.sum(axis=1, keepdims=True) > 0.1).astype(cp.float64)
        X = cp.hstack([cp.ones((300, 1)), X])
        theta = cp.zeros((3, 1))
        for _ in range(60):
            h = 1 / (1 + cp.exp(-cp.dot(X, theta)))
            theta -= 0.5 * cp.dot(X.T, h - y) / y.size
        result = [cp.asnumpy(theta), float(-(y * cp.log(h) + (1 - y) * cp.log(1 - h)).mean())]
    """,
    "spectrum": """
        t = cp.arange(1024) / 1024.0
        signal = cp.cos(2 * cp.pi * 50 * t) + 0.5 * cp.sin(2 * cp.pi * 120 * t)
        spectrum = cp.abs(cp.fft.rfft(signal))
        peaks = cp.argsort(spectrum)[-2:]
        field = cp.fft.fftshift(cp.fft.fft2(signal.reshape(32, 32)))
        result = [cp.sort(peaks), spectrum, cp.fft.rfftfreq(1024, 1 / 1024.0), field]
    """,
    "memory_pool": """
        mempool = cp.get_default_memory_pool()
        pinned_mempool = cp.get_default_pinned_memory_pool()
        a = cp.array(np.zeros(100, dtype=np.float32))
        assert a.nbytes == 400 and mempool.used_bytes() >= 400
        a = None
        mempool.free_all_blocks()
        pinned_mempool.free_all_blocks()
        with cp.cuda.Device(0):
            b = cp.ones((3, 4)) * 2
        result = [b, cp.cuda.Device().id]
    """,
    "linear_algebra": """
        a = cp.asarray(np.random.RandomState(3).rand(20, 20))
        s = a + a.T
        w, v = cp.linalg.eigh(s)
        result = [w, cp.abs(v @ cp.diag(w) @ v.T - s).max() < 1e-10, cp.linalg.solve(a, cp.ones(20)), cp.linalg.slogdet(a)[1],
                  cp.linalg.svd(a, compute_uv=False), cp.einsum("ij,kj->ik", a, s), cp.tensordot(a, s, axes=1)]
    """,
    "writes_at_places": """
        x = cp.zeros((4, 5), dtype=cp.int32)
        x[cp.asarray([0, 2]), cp.asarray([1, 3])] = 7
        x[1] = cp.arange(5)
        cupyx.scatter_max(x, (slice(None), 0), cp.asarray([3, 1, 4, 1]))
        m = cp.where(x > 3, x, -1)
        cp.add.at(x, (cp.asarray([0, 0]), cp.asarray([0, 0])), 1)
        result = [x, m, x.nonzero()[0], cp.count_nonzero(x), cp.clip(x, 1, 5), x.T.ravel(), cp.cumsum(x, axis=1)]
    """,
}


def numpy_as_cupy():
    """cp and cupyx of the programs in terms of NumPy and SciPy."""
    scipy = pytest.importorskip("scipy")
    nothing = types.SimpleNamespace(
        record=lambda *a: None,
        synchronize=lambda: None,
        id=0,
        used_bytes=lambda: 1 << 20,
        free_all_blocks=lambda: None,
    )

    class Block:
        null, id = nothing, 0

        def __init__(self, *args, **kwargs):
            pass

        def __enter__(self):
            return self

        def __exit__(self, *exception):
            pass

        record = synchronize = lambda self, *args: None

    class Array(np.ndarray):
        def get(self):
            return np.array(self)

    cp = types.ModuleType("numpy_as_cupy")
    vars(cp).update(vars(np))
    cuda = types.SimpleNamespace(
        Stream=Block, Event=Block, Device=Block, get_elapsed_time=lambda *a: 1.0
    )
    vars(cp).update(
        asarray=lambda *a, **k: np.asarray(*a, **k).view(Array),
        asnumpy=np.array,
        get_array_module=lambda *a: np,
        cuda=cuda,
        fuse=heddle.cupy.fuse,
        get_default_memory_pool=lambda: nothing,
        get_default_pinned_memory_pool=lambda: nothing,
    )
    cupyx = types.SimpleNamespace(
        scatter_add=np.add.at,
        scatter_max=np.maximum.at,
        scipy=types.SimpleNamespace(signal=__import__("scipy.signal").signal),
    )
    assert scipy is not None
    cp.convolve = lambda *a: np.convolve(*a).view(Array)
    return cp, cupyx


def outcome(name, cp, cupyx):
    space = {
        "__name__": "__main__",
        "cp": cp,
        "np": np,
        "cupyx": cupyx,
        "benchmark": heddle.cupyx.profiler.benchmark,
    }
    exec(compile(textwrap.dedent(PROGRAMS[name]), f"<{name}>", "exec"), space)
    return space["result"]


@pytest.mark.parametrize("name", PROGRAMS)
def test_program(name, capsys):
    theirs = outcome(name, *numpy_as_cupy())
    ours = outcome(name, heddle.cupy, heddle.cupyx)
    assert len(ours) == len(theirs) > 0
    for one, other in zip(ours, theirs):
        one = heddle.cupy.asnumpy(one) if isinstance(one, heddle.cupy.ndarray) else one
        if isinstance(other, str):
            assert one == other
        else:
            assert (
                np.shape(one) == np.shape(other)
                and np.asarray(one).dtype == np.asarray(other).dtype
            )
            np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-8)
