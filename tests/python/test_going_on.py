# SPDX-License-Identifier: BSD-3-Clause
"""Failures of everything around the library, in the middle of a program that goes on: too little
address space, threads that cannot be made, a cache folder that fills, breaks or goes away, a device
without memory. What reads nothing that failed must work, with right values. Each test is a process
of its own."""

import os
import pathlib
import shutil
import subprocess
import sys

import pytest

from common import needs_fork, needs_heddle, needs_little_address_space, xp

FAKE = pathlib.Path(xp.__file__).resolve().parents[2] / "tests" / "libfake_libcuda.so" if xp.__name__ == "heddle" else None
pytestmark = [needs_heddle]

PREAMBLE = """
import ctypes, os, resource, signal, sys, time
import numpy as np
import heddle as h

def attempt(f, *args):
    "f's result, or None if there was no memory"
    try:
        return f(*args)
    except (MemoryError, RuntimeError):
        return None

def elementwise(n, kept):
    x = h.arange(float(n))
    kept.append(x)
    y = h.sin(x) * 2 + h.exp(-x)
    kept.append(y)
    x += 3
    x[3] = 1
    y[1:] -= y[:-1]
    kept.append((y * x).sum())
    float(kept[-1])

def lists(n, kept):
    xs = [h.full(n // 20, float(k)) for k in range(200)]
    kept.append(xs)
    for _ in range(3):
        xs = [x * 2 + 1 for x in xs]
        kept.append(xs)
    float(sum(xs)[0])

def products(n, kept):
    k = int(n ** 0.5)
    a = h.arange(float(k * k)).reshape(k, k) % 7 + h.eye(k)
    kept.append(a @ a)
    float(kept[-1][0, 0])
    kept.append(h.linalg.solve(a + k * h.eye(k), h.ones(k)))
    float(kept[-1][0])

def orders(n, kept):
    kept.append(h.sort(h.arange(float(n))[::-1]))
    float(kept[-1][0])
    kept.append(h.fft.rfft(h.ones(n)))
    complex(kept[-1][0])
    kept.append(h.cumsum(kept[0]))
    float(kept[-1][-1])

def check():
    "Right values of statements that have nothing to do with what failed."
    x = h.arange(1000.0)
    for k in range(400):
        x += 1
    assert float(x.sum()) == 999 * 500 + 400_000
    assert float((h.ones(3) * 2).sum()) == 6
    a = h.arange(64.0).reshape(8, 8)
    assert np.array_equal(np.asarray((a @ a).tolist()), np.arange(64.0).reshape(8, 8) @ np.arange(64.0).reshape(8, 8))
    assert h.sort(h.arange(50.0)[::-1]).tolist() == list(range(50))
    x[10:20] = x[:10]
    assert x[10:20].tolist() == x[:10].tolist() and h.stats()["pending"] < 192
"""


def run(code, timeout=120, **env):
    settings = {k: v for k, v in {**os.environ, "HEDDLE_DEVICE": "cpu", "OPENBLAS_NUM_THREADS": "1", **env}.items()
                if v is not None}
    result = subprocess.run([sys.executable, "-c", PREAMBLE + code], env=settings, capture_output=True, text=True,
                            timeout=timeout, check=False)
    assert result.returncode == 0, f"status {result.returncode}\n{result.stdout[-2000:]}{result.stderr[-3000:]}"
    return result.stdout


# ---- address space -------------------------------------------------------------------------------

LITTLE_SPACE = """
work, MB = {work}, 1 << 20
before = h.arange(500.0) * 2
float(before[0])
failures = 0
for room in (0, 1, 2, 3, 5, 8, 12, 16, 20, 24, 32, 40, 48, 64, 80, 96, 128):
    child = os.fork()
    if child == 0:
        signal.alarm(60)
        size = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (size + room * MB, resource.RLIM_INFINITY))
        kept = []
        missed = sum(attempt(work, 400_000, kept) is None for _ in range(3)) < 3
        kept.clear()
        if room >= 16:   # what is small has room now, and Python itself
            for k in range(300):
                assert float((h.ones(7) + k).sum()) == 7 * (k + 1)
        resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY,) * 2)
        assert float(before.sum()) == 249500
        check()
        work(4000, kept)
        os._exit(0)
    status = os.waitpid(child, 0)[1]
    assert status == 0, f"room {{room}} MB: wait status {{status}}"
"""


@needs_fork
@needs_little_address_space
@pytest.mark.parametrize("work", ["elementwise", "lists", "products", "orders"])
def test_little_address_space(work):
    run(LITTLE_SPACE.format(work=work), HEDDLE_TIER="0", HEDDLE_CACHE="off")


@needs_little_address_space
def test_what_never_fits_is_nobody_elses_concern():
    run("""
small = h.arange(10.0)
attempt(lambda: small[0] + h.ones(1 << 44))
never = attempt(h.zeros, 1 << 44)
assert never is None
wide = attempt(lambda: h.broadcast_to(small[:1], (1 << 45,)) + 1)
for k in range(500):
    assert float((small + k).sum()) == 45 + 10 * k
for k in range(3):
    assert wide is None or attempt(lambda: float(wide[5])) in (None, 1.0)
small += 1
assert small.tolist() == list(range(1, 11))
check()
""")


# ---- threads -------------------------------------------------------------------------------------

NO_THREADS = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
static int left = 1 << 30;
void let_threads(int n) { left = n; }
int pthread_create(pthread_t *t, const pthread_attr_t *a, void *(*f)(void *), void *x)
{
    int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *) =
        (int (*)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *))dlsym(RTLD_NEXT, "pthread_create");
    return left-- > 0 ? real(t, a, f, x) : EAGAIN;
}
"""


@pytest.fixture(scope="module")
def no_threads(tmp_path_factory):
    """A library to load first, in which the threads that may be made are counted."""
    folder = tmp_path_factory.mktemp("threads")
    (folder / "no_threads.c").write_text(NO_THREADS)
    library = folder / "no_threads.so"
    subprocess.run(["cc", "-shared", "-fPIC", str(folder / "no_threads.c"), "-o", str(library), "-ldl"], check=True)
    return str(library)


@pytest.mark.skipif("ASAN_OPTIONS" in os.environ, reason="AddressSanitizer's own library must be loaded first")
@pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler")
@pytest.mark.parametrize("left", [0, 1, 2])
@pytest.mark.parametrize("work", ["elementwise", "lists", "products", "orders"])
def test_threads_cannot_be_made(work, left, no_threads):
    run(f"""
import faulthandler
faulthandler.dump_traceback_later(60, exit=True)
let = ctypes.CDLL(os.environ["LD_PRELOAD"]).let_threads
let({left})
h.set_num_threads(4)
kept = []
for _ in range(2):
    {work}(2_000_000, kept)
check()
let(1 << 20)
{work}(2_000_000, kept)
check()
""", LD_PRELOAD=no_threads, OPENBLAS_NUM_THREADS=None, HEDDLE_NUM_THREADS=None)


# ---- the folder of compiled kernels --------------------------------------------------------------

KERNELS = """
def kernels(k):
    x = h.arange(3000.0)
    y = x * k
    for j in range(k % 5 + 1):
        y = y * 0.5 + x
    want = np.arange(3000.0)
    z = want * k
    for j in range(k % 5 + 1):
        z = z * 0.5 + want
    assert y.tolist() == z.tolist()
    assert float((y > 3).sum()) == float((z > 3).sum())
"""
FOLDER_BREAKS = {
    "removed": "shutil.rmtree(folder)",
    "a file in its place": "shutil.rmtree(folder, ignore_errors=True); open(folder, 'w').close()",
    "emptied": "[os.remove(p) for p in files()]",
    "cut off": "[os.truncate(p, os.path.getsize(p) // 2) for p in files()]",
    "empty files": "[os.truncate(p, 0) for p in files()]",
    "noise": "[open(p, 'r+b').write(os.urandom(os.path.getsize(p))) for p in files()]",
    "one byte": "[change(p) for p in files()]",
    "folders in place of files": "[(os.remove(p), os.mkdir(p)) for p in files()]",
    "not to be read": "[os.chmod(p, 0) for p in files()]; os.chmod(folder, 0)",
    "no room": "resource.setrlimit(resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))",
    "room for little": "resource.setrlimit(resource.RLIMIT_FSIZE, (700, resource.RLIM_INFINITY))",
    "no descriptors": "resource.setrlimit(resource.RLIMIT_NOFILE, (3, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))",
}


@pytest.mark.parametrize("how", FOLDER_BREAKS)
def test_the_cache_breaks_while_it_is_used(how, tmp_path):
    folder = tmp_path / "kernels"
    code = KERNELS + f"""
import pathlib, shutil
folder = {str(folder)!r}
def files():
    return [p for p in pathlib.Path(folder).rglob("*") if p.is_file()]
def change(p):
    data = bytearray(p.read_bytes())
    data[len(data) // 2] ^= 255
    p.write_bytes(data)
for k in range(4):
    kernels(k)
{FOLDER_BREAKS[how]}
for k in range(10):
    kernels(k)
check()
"""
    try:
        for _ in range(2):   # and the next process finds what the first left
            run(code, HEDDLE_TIER="1", HEDDLE_CACHE=str(folder))
    finally:
        if folder.is_dir():
            folder.chmod(0o700)


# ---- a GPU's memory and driver -------------------------------------------------------------------


@pytest.mark.skipif(FAKE is None or not FAKE.exists(), reason="the fake driver was not built")
@pytest.mark.skipif("ASAN_OPTIONS" in os.environ, reason="many processes, tested in C")
@pytest.mark.parametrize("function, error", [
    ("cuMemAllocFromPoolAsync", 2), ("cuMemAlloc", 2), ("cuMemHostAlloc", 2), ("cuLaunchKernelEx", 2),
    ("cuModuleLoadDataEx", 2), ("cuMemcpyHtoDAsync", 2), ("cuMemcpyDtoHAsync", 2), ("cuLaunchKernelEx", 1),
    ("cuModuleLoadDataEx", 1), ("cuEventRecord", 2),
])
def test_calls_of_the_driver_fail_in_turn(function, error):
    """Each of the first calls fails once, then several in a row; what was made before and what
    comes afterwards is right."""
    run(f"""
fake = ctypes.CDLL(os.environ["HEDDLE_LIBCUDA"])
before = h.arange(50.0) * 2
first = h.arange(20.0)
first.tolist()

def program(kept):
    x = h.array(np.arange(40.0) + len(kept))
    kept.append(x)
    kept.append(x * 2 + 1)
    x += 3
    kept.append(kept[-1].sum())
    kept[-2][3] = 7
    float(kept[-1])
    kept.append(h.full((len(kept) + 3,), 1.5))
    kept[-1].tolist()

def steps(kept):
    failed = 0
    for _ in range(3):
        failed += attempt(lambda: (program(kept), 1)[1]) is None
    return failed

failed = 0
for n in [*range(1, 9), -2, -4]:
    kept = []
    fake.fake_cuda_fail(b"{function}", max(n, 1), {error})
    if n < 0:   # again and again
        for _ in range(-n):
            failed += attempt(lambda: (program(kept), 1)[1]) is None
            fake.fake_cuda_fail(b"{function}", 1, {error})
    failed += steps(kept)
    fake.fake_cuda_reset()
    small = h.arange(6.0)
    for k in range(250):
        small += 1
    assert small.tolist() == [250.0 + k for k in range(6)], n
    assert first.tolist() == list(range(20)) and float(before.sum()) == 2450, n
    for x in kept:
        attempt(x.tolist)
    kept.clear()
    program(kept)
    h.synchronize()
    del x, small
    kept.clear()
    h.synchronize()
    used = h.stats("cuda")["memory_used"]
    assert used <= 20 * 8 + 50 * 8 + 2048, (n, used)
print("failed", failed)
""", HEDDLE_LIBCUDA=str(FAKE), FAKE_CUDA_RUN="1", HEDDLE_DEVICE="cuda", HEDDLE_CACHE="off",
        HEDDLE_LIBCUB="/nonexistent/libheddle_cub.so", HEDDLE_TIER="1", HEDDLE_TIER0="/nonexistent/tier0.fatbin")
