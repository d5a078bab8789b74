# SPDX-License-Identifier: BSD-3-Clause
"""Several Python threads over private and common arrays; the pool of threads behind the kernels; fork."""

import concurrent.futures
import ctypes
import os
import pathlib
import sys
import threading

import numpy as np
import pytest

from common import ON_HOST, needs_fork, needs_heddle, needs_ready_allocator, python, xp

pytestmark = needs_heddle


@pytest.fixture(autouse=True)
def switch_often():
    old = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(old)


def together(n, f):
    """f(k) in n threads at once; their results, or the first exception."""
    start = threading.Barrier(n)

    def run(k):
        start.wait()
        return f(k)

    with concurrent.futures.ThreadPoolExecutor(n) as pool:
        return [r.result(timeout=120) for r in [pool.submit(run, k) for k in range(n)]]


def test_private_arrays():
    def work(k):
        x = xp.arange(1000.0) + k
        for _ in range(200):
            x = x * 0.5 + 1
            x[1:] -= x[:-1] * 0.25
        return x.tolist()

    alone = [work(k) for k in range(4)]
    assert together(4, work) == alone


def test_common_arrays_are_read():
    x = xp.arange(5000.0) * 2 + 1  # pending when the threads start

    def work(k):
        return [float((x * k + step).sum()) for step in range(100)]

    expected = [[(5000 * 5000) * k + 5000.0 * step for step in range(100)] for k in range(4)]
    assert together(4, work) == expected


def test_everyone_demands_the_same_value():
    for _ in range(50):
        x = xp.arange(2000.0)
        y = xp.exp(x * 0) * 3 + x
        assert together(4, lambda k: float(y.sum())) == [2000 * 3 + 1999000.0] * 4


def test_a_common_array_written_under_a_lock():
    total, lock = xp.zeros(100, dtype="i8"), threading.Lock()

    def work(k):
        for step in range(200):
            with lock:
                total[k::4] += 1
                if step % 50 == 0:
                    int(total.sum())

    together(4, work)
    assert total.tolist() == [200] * 100


def test_disjoint_parts_written_without_a_lock():
    x = xp.zeros((4, 1000))

    def work(k):
        for step in range(100):
            x[k] += step
            x[k, ::2] *= 1

    together(4, work)
    assert x.tolist() == [[4950.0] * 1000] * 4


def test_arrays_handed_from_thread_to_thread():
    def make(k):
        return xp.arange(100.0) * k

    made = together(4, make)
    assert together(4, lambda k: float((made[k] + made[(k + 1) % 4]).sum())) == [
        4950.0 * (k + (k + 1) % 4) for k in range(4)
    ]
    threading.Thread(target=made.clear).start()


def test_errors_belong_to_their_thread():
    def work(k):
        for _ in range(200):
            if k % 2:
                with pytest.raises(ValueError, match=r"\(3,\)"):
                    xp.ones(3) + xp.ones(4)
            else:
                assert float((xp.ones(3) + 1).sum()) == 6

    together(4, work)


CALLS = {
    "sort": lambda m, x, i: m.sort(x),
    "argsort": lambda m, x, i: m.argsort(x),
    "searchsorted": lambda m, x, i: m.searchsorted(m.sort(x), x[:500]),
    "bincount": lambda m, x, i: m.bincount(i),
    "histogram": lambda m, x, i: m.histogram(x, bins=20)[0],
    "gather": lambda m, x, i: x[i],
    "mask": lambda m, x, i: x[x < 0.3],
    "cumsum": lambda m, x, i: m.cumsum(i),
    "fft": lambda m, x, i: m.fft.rfft(x),
    "fft_prime": lambda m, x, i: m.fft.fft(x[:4999]),
    "convolve": lambda m, x, i: m.convolve(x, x[:20]),
    "matmul": lambda m, x, i: x[:6400].reshape(80, 80) @ x[-6400:].reshape(80, 80),
    "inv": lambda m, x, i: m.linalg.inv(x[:2500].reshape(50, 50) + 50 * m.eye(50)),
    "svd": lambda m, x, i: m.linalg.svd(x[:2400].reshape(60, 40))[1],
}


def test_library_calls_beside_each_other():
    rng = np.random.default_rng(3)
    x, i = rng.random(20_000), rng.integers(0, 20_000, 20_000)
    a, j = xp.array(x), xp.array(i)
    expected = {name: f(np, x, i) for name, f in CALLS.items()}

    def work(k):
        for step in range(40):
            name = list(CALLS)[(step * (2 * k + 1) + k) % len(CALLS)]
            np.testing.assert_allclose(np.array(CALLS[name](xp, a, j)), expected[name], rtol=1e-9, atol=1e-9)
            if step % 16 == k:
                xp.trim()

    together(4, work)


def test_threads_of_kernels():
    x = np.random.default_rng(0).random(300_000)
    a = xp.array(x)
    try:
        for n in (1, 2, 3, 8, 2, 1, 0):
            xp.set_num_threads(n)
            assert np.array_equal(np.array(a * 2 + 1), x * 2 + 1)
            if n:
                assert xp.get_num_threads() == n
        for bad in (-1, -100):
            with pytest.raises(ValueError):
                xp.set_num_threads(bad)
    finally:
        xp.set_num_threads(0)


def test_number_of_threads_from_the_environment():
    for n in (1, 2, 1000):  # never more than there are processors
        out = python("import heddle; print(heddle.get_num_threads())", HEDDLE_NUM_THREADS=str(n))
        assert int(out.stdout) == min(n, len(os.sched_getaffinity(0)))
    code = "import os; os.sched_setaffinity(0, {0}); import heddle; print(heddle.get_num_threads())"
    assert python(code, HEDDLE_NUM_THREADS="").stdout.strip() == "1"


def test_the_gil_is_released_while_kernels_run():
    x = xp.ones(20_000_000)
    xp.synchronize()
    ticks, stop = [], threading.Event()

    def tick():
        while not stop.wait(0.001):
            ticks.append(1)

    other = threading.Thread(target=tick)
    other.start()
    for work in (5, 25, 100):   # until it is long enough for some ticks
        y = x
        for _ in range(work):
            y = xp.sin(y) ** 2.5
        before = len(ticks)
        xp.synchronize()
        after = len(ticks)
        del y
        if after - before > 5:
            break
    stop.set()
    other.join()
    assert after - before > 5


# ---- fork -------------------------------------------------------------------------------------------------------------------


def in_child(f):
    """Runs f in a forked child; True if it returned."""
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            f()
            status = 0
        finally:
            os._exit(status)
    return os.waitpid(pid, 0)[1] == 0


@needs_fork
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")
def test_c_api_without_the_gil():
    """ctypes calls C without the GIL: the library, which releases it while it waits, must not expect to hold it."""
    lib = ctypes.CDLL(str(next(pathlib.Path(xp.__file__).parent.glob("libheddle.so.?"))))
    lib.hd_from_data.restype = lib.hd_sin.restype = pointer = ctypes.c_void_p
    n, float64 = 10**7, 13

    def work(k):
        data = np.full(n, 1.0 + k)
        x = lib.hd_from_data(1, (ctypes.c_int64 * 1)(n), None, float64, pointer(data.ctypes.data))
        for _ in range(3):
            y = lib.hd_sin(pointer(x))
            lib.hd_release(pointer(x))
            x = y
        found = np.zeros(n)
        assert lib.hd_read(pointer(x), pointer(found.ctypes.data)) == 0
        lib.hd_release(pointer(x))
        return float(np.abs(found - np.sin(np.sin(np.sin(1.0 + k)))).max())

    assert work(0) < 1e-15
    assert max(together(3, work)) < 1e-15


@needs_fork
def test_fork_with_a_running_pool():
    x = np.random.default_rng(0).random(500_000)
    a = xp.array(x)
    xp.synchronize()
    assert np.array_equal(np.array(a * 2), x * 2)  # the pool's threads exist now
    pending = a + 1

    def child():
        assert np.array_equal(np.array(pending), x + 1)
        assert np.array_equal(np.array(a * 3 - 1), x * 3 - 1)
        a[:] = 0
        assert float(a.sum()) == 0
        m = xp.ones((300, 300))
        assert float((m @ m)[0, 0]) == 300

    for _ in range(3):
        assert in_child(child)
    assert np.array_equal(np.array(pending), x + 1)
    assert np.array_equal(np.array(a * 3 - 1), x * 3 - 1)


@needs_fork
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")
def test_fork_of_a_fork():
    a = xp.arange(100_000.0)

    def grandchild():
        assert float((a * 2).sum()) == 9999900000.0

    def child():
        assert float((a + 1).sum()) == 4999950000.0 + 100_000
        assert in_child(grandchild)

    assert in_child(child)
    assert float(a.sum()) == 4999950000.0


FORKS = """
import heddle as h, os, threading
x, m = h.ones(200_000), h.ones((100, 100))
{first}
stop = threading.Event()
def work():
    while not stop.is_set():
        {work}
threads = [threading.Thread(target=work) for _ in range(2)]
for t in threads: t.start()
for k in range({forks}):
    pid = os.fork()
    if pid == 0:
        ok = float((h.arange(1000.0) * 2).sum()) == 999000 and float((x + 1).sum()) == 400000
        ok = ok and {child}
        os._exit(0 if ok else 1)
    assert os.waitpid(pid, 0)[1] == 0, k
stop.set()
for t in threads: t.join()
print("fine")
"""

KERNELS = "float((h.sin(x) + 1).sum())"


@needs_fork
@needs_ready_allocator
def test_fork_while_another_thread_works():
    assert "fine" in python(FORKS.format(forks=30, work=KERNELS, first="", child=True), timeout=60).stdout


@needs_fork
@needs_ready_allocator
def test_fork_while_another_thread_calls_libraries():
    work = "h.sort(x)[0].item(), h.fft.rfft(x)[0].item(), (m @ m)[0, 0].item(), h.linalg.eigvalsh(m)[0].item()"
    child = "float(h.sort(x)[-1]) == 1 and abs(h.fft.rfft(x)[0]) == 200000 and (m @ m)[0, 0] == 100"
    # once before: a child cannot import what another thread was importing when it forked
    assert "fine" in python(FORKS.format(forks=30, work=work, first=work, child=child), timeout=60).stdout


@needs_fork
@needs_ready_allocator
def test_fork_while_another_thread_compiles(tmp_path):
    """The first kernel of each process is in no cache: fork() comes while it is being made."""
    for attempt in range(12):
        result = python(FORKS.format(forks=8, work=KERNELS, first="", child=True), timeout=30, HEDDLE_TIER="1",
                        HEDDLE_CACHE=str(tmp_path / str(attempt)))
        assert "fine" in result.stdout


def test_multiprocessing():
    code = """
import heddle as h, multiprocessing
def work(k):
    return float((h.arange(1000.0) * k).sum())
if __name__ == "__main__":
    h.ones(10).sum()
    for method in {methods}:
        with multiprocessing.get_context(method).Pool(2) as pool:
            assert pool.map(work, range(6)) == [499500.0 * k for k in range(6)], method
    print("fine")
""".replace("{methods}", repr(("fork", "spawn") if ON_HOST else ("spawn",)))
    import tempfile

    with tempfile.NamedTemporaryFile("w", suffix=".py") as script:
        script.write(code)
        script.flush()
        assert (
            "fine"
            in python(
                f"import runpy; runpy.run_path({script.name!r}, run_name='__main__')", timeout=120
            ).stdout
        )


def test_threads_at_exit():
    code = """
import heddle as h, threading
x = h.ones(100_000)
def work():
    while True:
        (x * 2 + 1).sum()
        float(x.sum())
for _ in range(2):
    threading.Thread(target=work, daemon=True).start()
import time; time.sleep(0.3)
pending = [x + k for k in range(50)]
print("fine")
"""
    assert "fine" in python(code, timeout=60).stdout
