# SPDX-License-Identifier: BSD-3-Clause
"""Devices, transfers, streams and exchange on the fake CUDA driver: everything but kernels. Each test is a
process of its own, since the driver is looked for once."""

import os
import pathlib
import subprocess
import sys

import pytest

from common import needs_heddle, xp

FAKE = pathlib.Path(xp.__file__).resolve().parents[2] / "tests" / "libfake_libcuda.so"
pytestmark = [needs_heddle, pytest.mark.skipif(not FAKE.exists(), reason="the fake driver was not built"),
              pytest.mark.skipif("ASAN_OPTIONS" in os.environ, reason="many processes, tested in C")]
PREAMBLE = """
import ctypes, os
import numpy as np
import heddle as h
fake = ctypes.CDLL(os.environ.get("HEDDLE_LIBCUDA", None))
def raises(error, text, f, *args, **kwargs):
    try:
        f(*args, **kwargs)
    except error as e:
        assert text in str(e), str(e)
    else:
        raise AssertionError(f"nothing raised: {text}")
"""


def run(code, **env):
    """Runs code; HEDDLE_DEVICE is unset unless given. None leaves a variable out. Small work is recorded, so that calls can be
    counted: test_mirrors.py has what runs on the host."""
    settings = {**os.environ, "HEDDLE_LIBCUDA": str(FAKE), "HEDDLE_TIER0": "/nonexistent", "HEDDLE_SMALL": "-1", **env}
    settings = {k: v for k, v in settings.items() if v is not None}
    if "HEDDLE_DEVICE" not in env:
        settings.pop("HEDDLE_DEVICE", None)
    result = subprocess.run([sys.executable, "-c", PREAMBLE + code], env=settings, capture_output=True, text=True,
                            timeout=120, check=False)
    assert result.returncode == 0, result.stderr
    return result.stdout


# ---- which device --------------------------------------------------------------------------------


def test_tier0__a_folder_is_no_file(tmp_path):
    run("""
from heddle import _heddle
assert "tier 0\\tnone: no heddle_tier0.fatbin" in _heddle._device_info("cuda"), _heddle._device_info("cuda")
""", HEDDLE_TIER0=str(tmp_path))


def test_default_is_the_first_gpu_that_works():
    run("""
assert fake.cuInit is not None and h.zeros((0,)).device == "cuda:0"
""")
    run('assert h.zeros(3).device == "cpu"', HEDDLE_DEVICE="cpu")
    run('assert h.zeros(0).device == "cuda:1"', HEDDLE_DEVICE="cuda:1", FAKE_CUDA_DEVICES="2")


@pytest.mark.parametrize("env, reason", [
    ({"FAKE_CUDA_DEVICES": "0"}, "CUDA_ERROR_NO_DEVICE"),
    ({"FAKE_CUDA_VERSION": "11080"}, "CUDA 11.8"),
    ({"HEDDLE_LIBCUDA": "/nonexistent/libcuda.so"}, "cannot open shared object"),
])
def test_without_a_gpu_arrays_are_on_the_cpu(env, reason):
    code = f"""
assert h.arange(3).tolist() == [0, 1, 2] and h.ones(2).device == "cpu"
assert not h.cuda.is_available() and h.cuda.runtime.getDeviceCount() == 0
raises(RuntimeError, {reason!r}, h.zeros, 3, device="cuda")
raises(RuntimeError, {reason!r}, h.cuda.Device)
"""
    if "HEDDLE_LIBCUDA" in env:
        code = code.replace("fake", "_")
        result = subprocess.run(
            [sys.executable, "-c", PREAMBLE.replace("fake = ctypes", "#") + code], capture_output=True, text=True,
            env={**{k: v for k, v in os.environ.items() if k != "HEDDLE_DEVICE"}, **env}, timeout=60, check=False)
        assert result.returncode == 0, result.stderr
    else:
        run(code, **env)


def test_a_gpu_that_cannot_be_opened_is_none():
    run("""
fake.fake_cuda_fail(b"cuDevicePrimaryCtxRetain", 1, 46)
assert h.ones(2).device == "cpu"
""")
    run("""
fake.fake_cuda_fail(b"cuDevicePrimaryCtxRetain", 1, 2)
raises(MemoryError, "making its context failed with CUDA_ERROR_OUT_OF_MEMORY", h.zeros, 3)
""", HEDDLE_DEVICE="cuda:0")


def test_import_does_not_touch_the_driver():
    run("""
import heddle.cuda
assert fake.fake_cuda_count(b"cuDriverGetVersion") == 0
x = h.array([1.0], device="cpu")
assert fake.fake_cuda_count(b"cuDevicePrimaryCtxRetain") == 0
""")


def test_device_by_name_and_as_context():
    run("""
x = h.array([1, 2], device="cpu")
y = h.array([1, 2], device="cuda")
assert (x.device, y.device) == ("cpu", "cuda:0")
with h.device("cpu"):
    assert h.array([1]).device == "cpu"
    with h.device("cuda:1"):
        assert h.array([1]).device == "cuda:1" and h.device("cuda") == "cuda:1"
with h.cuda.Device(1) as d:
    assert h.array([1]).device == "cuda:1" and d.id == 1 == int(d) and h.cuda.get_device_id() == 1
assert h.array([1]).device == "cuda:0"
d = h.cuda.Device(1)
assert d == h.cuda.Device("cuda:1") != h.cuda.Device() and repr(d) == "<CUDA Device 1>"
assert d.name == "Fake GPU 1" and d.compute_capability == "90"
assert d.attributes["MultiProcessorCount"] == 132 and d.mem_info[1] == 1 << 30 >= d.mem_info[0]
d.synchronize()
raises(RuntimeError, "there are 2", h.cuda.Device, 7)
raises(ValueError, "no CUDA device", h.cuda.Device, "cpu")
raises(ValueError, 'no device "cuba"; this build has cpu, cuda, null', h.device, "cuba")
""", FAKE_CUDA_DEVICES="2")


# ---- transfers -----------------------------------------------------------------------------------


def test_round_trips():
    run("""
rng = np.random.default_rng(1)
for n in (0, 1, 5, 1000, 70000, 3000001):
    a = rng.random(n)
    x = h.asarray(a)
    assert x.device == "cuda:0"
    for back in (h.asnumpy(x), x.get(), np.array(x), np.asarray(x), x.to_device("cpu").__array__()):
        assert type(back) is np.ndarray and back.dtype == a.dtype and np.array_equal(back, a)
        assert back.flags.writeable
    assert x.to_device("cuda") is x
    x.set(a + 1)
    assert np.array_equal(x.get(), a + 1)
f = np.asfortranarray(rng.random((30, 40)))
for a in (f, f[::2, ::3], f[::-1], f.T, np.broadcast_to(f[0], (5, 40)), np.int8(3), np.array(2.5), [[1, 2], [3, 4]]):
    assert np.array_equal(h.asarray(a).get(), a)
assert h.asarray(f).flags.f_contiguous and h.asnumpy(h.asarray(f)).flags.f_contiguous
out = np.empty((30, 40))
assert h.asarray(f).get(out=out) is out and np.array_equal(out, f)
assert h.asarray(f).get(order="C").flags.c_contiguous
""")


def test_device_argument_moves_arrays():
    run("""
x = h.array(np.arange(6.0).reshape(2, 3).T)
for f in (h.array, h.asarray):
    c = f(x, device="cpu")
    assert c.device == "cpu" and c.tolist() == x.get().tolist() and x.device == "cuda:0"
    assert f(c, device="cuda:0").device == "cuda:0" and f(c, dtype="f4", device="cpu").dtype == "f4"
    raises(ValueError, "from device cuda:0 to cpu", f, x, device="cpu", copy=False)
assert h.asarray(x, device="cuda:0") is x and h.asarray(x) is x
e = h.empty_like(x, device="cpu")
assert e.device == "cpu" and e.shape == x.shape and e.strides == x.strides
assert h.zeros_like(x, device="cpu").tolist() == [[0, 0]] * 3 and x.get().tolist() == [[0, 3], [1, 4], [2, 5]] and h.empty_like(c).device == "cpu"
assert h.full_like([1, 2], 7, device="cpu").tolist() == [7, 7]
assert h.arange(3, device="cpu").device == "cpu" and h.eye(2, device="cpu").tolist() == [[1, 0], [0, 1]]
""")


BETWEEN = """
count = lambda *names: [fake.fake_cuda_count(name.encode()) for name in names]
waited = lambda: count("cuMemcpyDtoHAsync", "cuEventSynchronize", "cuStreamSynchronize", "cuEventQuery")
"""


@pytest.mark.parametrize("peers", ["1", "0"])
@pytest.mark.parametrize("small", ["-1", None])
def test_between_devices__the_host_does_not_wait(peers, small):
    run(BETWEEN + """
for n in (1, 5, 512, 513, 2048, 2049, 100000):
    x = h.arange(n, dtype="f8", device="cuda:0")
    rows = 20000 // n + 3
    big = h.ones((rows, n), device="cuda:0").sum(axis=0) + x - (rows - 3)   # computed there: no mirror has it
    before = waited(), count("cuMemcpyPeerAsync")[0]
    there = (big * 2).to_device("cuda:1")
    back = (there - 1).to_device("cuda:0")
    strided = big[::2].to_device("cuda:1")
    assert waited() == before[0] and count("cuMemcpyPeerAsync")[0] == before[1] + 3, (n, before, waited())
    assert (there.device, back.device) == ("cuda:1", "cuda:0")
    want = np.arange(n) + 3.0
    assert np.array_equal(there.get(), want * 2) and np.array_equal(strided.get(), want[::2])
    assert np.array_equal((back + big).get(), want * 3 - 1)
    big[...] = 0                                               # the copies are copies
    assert np.array_equal((there + strided[0]).get(), want * 2 + 3)
assert h.zeros((0, 3), device="cuda:0").to_device("cuda:1").shape == (0, 3)
f = h.arange(6.0, device="cuda:0").reshape(2, 3).T.to_device("cuda:1")
assert f.flags.f_contiguous and f.tolist() == [[0, 3], [1, 4], [2, 5]]
assert count("cuDeviceCanAccessPeer") == [2] and count("cuMemPoolSetAccess") == [2 * int(os.environ["FAKE_CUDA_PEERS"])]
""", FAKE_CUDA_DEVICES="2", FAKE_CUDA_PEERS=peers, FAKE_CUDA_RUN="1", HEDDLE_TIER="1", HEDDLE_SMALL=small, HEDDLE_DEVICE="cuda:0")


# ---- to the host, without waiting ----------------------------------------------------------------

ARRIVING = """
count = lambda *names: [fake.fake_cuda_count(name.encode()) for name in names]
waited = lambda: count("cuEventSynchronize", "cuStreamSynchronize", "cuEventQuery", "cuStreamQuery")
x = h.zeros((50, 2000), device="cuda:0") + h.arange(2000.0, device="cuda:0")
want = np.arange(2000.0)
h.synchronize()
"""


def test_to_the_cpu__the_host_does_not_wait():
    run(ARRIVING + """
for n in (1, 3, 64, 511, 2000):                       # below and above what has a mirror, or a reply
    row = x[7, :n] * 2
    before = waited()
    y = row.to_device("cpu")
    assert waited() == before, (n, before, waited())
    assert y.device == "cpu" and y.shape == (n,)
    x[7] = 1                                          # what is sent is what was there
    z = y + 1                                         # recorded behind it
    assert waited() == before
    assert z.tolist() == (want[:n] * 2 + 1).tolist() and y.tolist() == (want[:n] * 2).tolist()
    y[:] = 0                                          # an array as any other
    assert y.flags.writeable and (y + 1).sum() == n
    x[7] = h.arange(2000.0, device="cuda:0")
    h.synchronize()
strided = x[::7, ::3].to_device("cpu")
turned = x[:3].T.to_device("cpu")
assert np.array_equal(strided, np.tile(want[::3], (8, 1))) and turned.flags.f_contiguous
assert np.array_equal(turned, np.tile(want, (3, 1)).T)
assert h.zeros((0, 3), device="cuda:0").to_device("cpu").shape == (0, 3)
assert x[0, 5].to_device("cpu").item() == 5
""", FAKE_CUDA_RUN="1", HEDDLE_TIER="1", HEDDLE_DEVICE="cuda:0")


def test_to_the_cpu__memory_is_used_again_when_the_bus_is_done():
    run(ARRIVING + """
pinned = lambda: count("cuMemHostAlloc")[0]
y = x.to_device("cpu")
made = pinned()
for k in range(20):
    del y                                             # never read: it is waited for before the next one has its memory
    y = (x + k).to_device("cpu")
assert pinned() <= made + 1, (made, pinned())
a, b = (x * 2).to_device("cpu"), (x * 3).to_device("cpu")
c = a + b                                             # neither gives its memory to c
assert np.array_equal(c[4], want * 5) and np.array_equal(a[4], want * 2)
del a, b
t = (x * 2).to_device("cpu") + (x * 3).to_device("cpu")   # nobody holds what arrives
assert np.array_equal(t[9], want * 5)
""", FAKE_CUDA_RUN="1", HEDDLE_TIER="1", HEDDLE_DEVICE="cuda:0")


def test_to_the_cpu__failures():
    run(ARRIVING + """
fake.fake_cuda_fail(b"cuMemcpyDtoHAsync", 1, 1)
raises(RuntimeError, "CUDA_ERROR_INVALID_VALUE", x.to_device, "cpu")
fake.fake_cuda_fail(b"cuMemHostAlloc", 2, 2)          # no pinned memory: it is waited for
assert np.array_equal(x.to_device("cpu")[3], want)
y, z = x.to_device("cpu"), h.ones(5, device="cpu")
fake.fake_cuda_fail(b"cuEventQuery", 1, 719)
raises(RuntimeError, "CUDA_ERROR_LAUNCH_FAILED", (y * 2).tolist)
raises(RuntimeError, "CUDA_ERROR_LAUNCH_FAILED", y.tolist)
assert (z + 1).tolist() == [2] * 5
del y
""", FAKE_CUDA_RUN="1", HEDDLE_TIER="1", HEDDLE_DEVICE="cuda:0")


def test_to_the_cpu__waiting_can_be_interrupted_and_goes_on():
    run(ARRIVING + """
import signal
y = x.to_device("cpu")
fake.fake_cuda_lazy(1000000000)
signal.signal(signal.SIGALRM, lambda *_: (_ for _ in ()).throw(KeyboardInterrupt()))
signal.setitimer(signal.ITIMER_REAL, 0.2)
raises(KeyboardInterrupt, "", y.tolist)
fake.fake_cuda_lazy(0)
assert y[2].tolist() == want.tolist()
""", FAKE_CUDA_RUN="1", HEDDLE_TIER="1", HEDDLE_DEVICE="cuda:0")


def test_to_the_cpu__in_a_fork_and_at_the_end():
    run(ARRIVING + """
y, last = x.to_device("cpu"), x.to_device("cpu")
pid = os.fork()
if pid == 0:
    raises(RuntimeError, "fork()", y.tolist)
    with h.device("cpu"):
        assert (h.ones(3) + 1).sum() == 6
    os._exit(0)
assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
assert y[1].tolist() == want.tolist()
""", FAKE_CUDA_RUN="1", HEDDLE_TIER="1", HEDDLE_DEVICE="cuda:0")


def test_to_the_cpu__from_several_threads():
    run(ARRIVING + """
import threading
wrong = []
def work(k):
    for i in range(40):
        y = (x * k + i).to_device("cpu")
        if i % 3 == 0:
            del y
        elif not np.array_equal((y + 1)[11], want * k + i + 1):
            wrong.append((k, i))
threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
[t.start() for t in threads]
[t.join() for t in threads]
assert not wrong, wrong
""", FAKE_CUDA_RUN="1", HEDDLE_TIER="1", HEDDLE_DEVICE="cuda:0")


def test_between_devices__what_a_mirror_has_goes_to_a_mirror():
    run(BETWEEN + """
x = h.array([1.0, 2, 3], device="cuda:0") + 1                  # small: computed on the host
y = x.to_device("cuda:1") * 2
assert y.tolist() == [4, 6, 8] and count("cuMemcpyPeerAsync", "launches") == [0, 0]
""", FAKE_CUDA_DEVICES="2", HEDDLE_SMALL=None, HEDDLE_DEVICE="cuda:0")


def test_between_devices__on_streams_of_the_user():
    run(BETWEEN + """
x = h.arange(5000.0, device="cuda:0") + 1
with h.cuda.Device(1):
    s = h.cuda.Stream()
    with s:
        waits = count("cuStreamWaitEvent")[0]
        y = x.to_device("cuda:1")
        assert count("cuStreamWaitEvent")[0] == waits + 2      # the source for the target, and the target for the copy
        assert np.array_equal((y * 2).get(), np.arange(5000.0) * 2 + 2)
""", FAKE_CUDA_DEVICES="2", FAKE_CUDA_RUN="1", HEDDLE_TIER="1", HEDDLE_DEVICE="cuda:0")


def test_between_devices__in_a_profile():
    run(BETWEEN + """
x = h.arange(5000.0, device="cuda:0") + 1
h.synchronize()
with h.profile() as p:
    y = x.to_device("cuda:1")
    assert np.array_equal((y + 1).get(), np.arange(5000.0) + 2)
copy = next(s for s in p.spans if s.kind == "copy")
assert (copy.name, copy.device, copy.bytes) == ("to another device", "cuda:0", 40000) and 0 <= copy.seconds < 10
alive = lambda: count("cuEventCreate")[0] - count("cuEventDestroy")[0]
before = alive()
for _ in range(3):
    with h.profile() as p:
        (x.to_device("cuda:1") + 1).get()
assert len(p.spans) >= 3 and alive() == before     # the marks of spans are freed
""", FAKE_CUDA_DEVICES="2", FAKE_CUDA_RUN="1", HEDDLE_TIER="1", HEDDLE_DEVICE="cuda:0")


def test_between_devices__failures():
    run(BETWEEN + """
x = h.arange(5000.0, device="cuda:0") + 1
h.synchronize()
for name in ("cuMemcpyPeerAsync", "cuStreamWaitEvent", "cuEventRecord"):
    fake.fake_cuda_fail(name.encode(), 1, 1)
    raises(RuntimeError, "CUDA_ERROR_INVALID_VALUE", x.to_device, "cuda:1")
    assert np.array_equal(x.to_device("cuda:1").get(), np.arange(5000.0) + 1)
fake.fake_cuda_fail(b"cuMemAllocFromPoolAsync", 1, 2)          # once is made up for by what is kept
y = [x.to_device("cuda:1") for _ in range(20)]
for name in ("cuDeviceCanAccessPeer", "cuMemPoolSetAccess", "cuCtxEnablePeerAccess"):
    assert count(name)[0] > 0, name
""", FAKE_CUDA_DEVICES="2", FAKE_CUDA_RUN="1", HEDDLE_TIER="1", HEDDLE_DEVICE="cuda:0")


def test_between_devices__without_memory():
    run("""
n = 60 << 17
x = h.arange(float(n), device="cuda:0") + 1
h.synchronize()
kept = h.zeros(n, device="cuda:1") + 1
h.synchronize("cuda:1")
raises(MemoryError, "cuda:1", x.to_device, "cuda:1")
del kept
assert x[n - 1].item() == n and x[:10].to_device("cuda:1").tolist() == list(range(1, 11))
""", FAKE_CUDA_DEVICES="2", FAKE_CUDA_RUN="1", HEDDLE_TIER="1", HEDDLE_DEVICE="cuda:0", FAKE_CUDA_MEMORY=str(150 << 20))


def test_elements_and_text():
    run("""
x = h.array([[1.5, 2], [3, 4]])
assert x.device == "cuda:0"
assert x.tolist() == [[1.5, 2], [3, 4]] and x.item(3) == 4 and str(x) == str(x.get()) and "1.5" in repr(x)
assert x.tobytes() == x.get().tobytes()
import pickle
y = pickle.loads(pickle.dumps(x))
assert y.tolist() == x.tolist()
raises(BufferError, "no memory that can be shared", memoryview, x)
raises(ValueError, "a copy only", np.array, x, copy=False)
assert not hasattr(x, "__array_interface__") and hasattr(x, "__cuda_array_interface__")
assert not hasattr(h.ones(2, device="cpu"), "__cuda_array_interface__")
raises(ValueError, "does not use the host's memory", h.asarray, np.ones(3), copy=False)
b = h.frombuffer(b"abc", "u1")
assert b.tolist() == [97, 98, 99] and b.device == "cuda:0"
raises(ValueError, "shape", x.set, np.ones(3))
""")


def test_set_checks_shape_and_dtype():
    run("""
x = h.array(np.zeros((2, 3)))
x.set(np.arange(6.0).reshape(2, 3))
assert x.tolist() == [[0, 1, 2], [3, 4, 5]]
raises(ValueError, "shape", x.set, np.zeros((3, 2)))
raises(TypeError, "dtype", x.set, np.zeros((2, 3), "f4"))
raises(TypeError, "numpy.ndarray", x.set, [1])
c = h.array(np.zeros(3), device="cpu")
c.set(np.ones(3))
assert c.tolist() == [1, 1, 1] and c.get().tolist() == [1, 1, 1]
""")


def test_matmul_precision():
    run("""
assert h.config.matmul_precision == "ieee"
h.config.matmul_precision = "tf32"
assert h.config.matmul_precision == "tf32"
x = h.ones((40, 40), dtype="f4", device="cpu")
assert (x @ x).sum() == 64000            # other devices stay as they are
raises(ValueError, '"ieee" or "tf32"', setattr, h.config, "matmul_precision", "fast")
""")


def test_transfer_guard():
    run("""
x = h.array([1.0, 2.0])
assert h.config.transfer_guard == "allow"
assert (x + np.ones(2)).device == "cuda:0"
h.config.transfer_guard = "disallow"
raises(RuntimeError, "transfer_guard", lambda: x + np.ones(2))
raises(RuntimeError, "transfer_guard", h.add, np.ones(2), x)
raises(RuntimeError, "transfer_guard", lambda: x[np.array([0])])
assert (x + h.asarray(np.ones(2))).device == "cuda:0" and (x + 1.0).device == "cuda:0"
c = h.ones(2, device="cpu")
assert (c + np.ones(2)).tolist() == [2, 2]
raises(ValueError, '"allow" or "disallow"', setattr, h.config, "transfer_guard", True)
raises(RuntimeError, "x.get() does it", x.__arrow_c_array__)
c.__arrow_c_array__()
h.config.transfer_guard = "allow"
assert (np.ones(2) * x).device == "cuda:0"
""")


def test_arrow__elements_come_through_the_host():
    run("""
import test_arrow
for x in h.array([1.0, 2.0, 3.0]), h.array([True, False]), h.array([1.0, 2.0, 3.0])[::2]:
    assert x.device == "cuda:0"
    structs = test_arrow.structs(kept := x.__arrow_c_array__())
    assert test_arrow.values(*structs).tolist() == x.tolist()
""", PYTHONPATH=f"{os.environ.get('PYTHONPATH', '')}:{pathlib.Path(__file__).parent}")


def test_conversions__are_seen_once():
    run("""
x = h.array([1.0, 2.0])
np.asarray(x), h.asnumpy(x), x.get(), repr(x), x.tolist()
assert [(f, n) for (f, caller), n in h.stats()["to_numpy"].items()] == [("numpy.asarray", 1)]
h.config.to_numpy = "error"
raises(TypeError, "heddle.asnumpy(x)", lambda: np.asarray(x))
assert h.asnumpy(x).tolist() == [1, 2]
""")


def test_operands_go_where_the_array_is():
    run("""
c = h.array([1.0, 2, 3], device="cpu")
assert h.array(1).device == "cuda:0"
assert (c + np.ones(3)).tolist() == [2, 3, 4] and (np.ones(3) + c).device == "cpu"
c += np.ones(3)
c[1:] = [7, 8]
c[0] = np.float32(5)
assert c.tolist() == [5, 7, 8] and c[[2, 0]].tolist() == [8, 5] and c[np.array([True, False, True])].tolist() == [5, 8]
c[[0, 1]] = [1, 2]
c[np.array([False, False, True])] = 9
assert c.tolist() == [1, 2, 9]
assert h.where(c > 1, np.zeros(3), c).tolist() == [1, 0, 0]
assert h.concatenate([[0.5], c]).tolist() == [0.5, 1, 2, 9] and h.dot([1, 1, 1], c) == 12
assert h.add(c, [1, 1, 1], where=[True, False, True], out=c).tolist() == [2, 2, 10]
assert h.array_equal(c, [2, 2, 10]) and h.array_equal(np.array([2, 2, 10]), c)
assert h.nonzero(c)[0].device == "cpu" and h.take(c, [0]).device == "cpu"
g = h.array([1.0, 2, 3])
raises(RuntimeError, "two devices, cuda:0 and cpu", lambda: g + c)
raises(RuntimeError, "two devices", h.concatenate, [g, c])
raises(RuntimeError, "two devices", h.matmul, g, c)
assert (g * c.sum()).device == "cuda:0" and (c.sum() * g).device == "cuda:0"
for a, b in (g, c), (c, g):
    raises(RuntimeError, "two devices", h.isclose, a, b)
    raises(RuntimeError, "two devices", h.allclose, a, b)
    raises(RuntimeError, "two devices", h.array_equal, a, b)
    raises(RuntimeError, "two devices", h.isclose, a, a, b)
for a, b, more in ((g, c.sum(), ()), (c.sum(), g, ()), ([1, 2, 3], g, ()), (g, np.ones(3), ()),
                   (1.0, g, (np.ones(3), 0.1)), (g, 1, (c.sum(),)), (1, 2, (g,))):
    assert h.isclose(a, b, *more).device == "cuda:0"
assert h.isclose(c, np.ones(3)).device == "cpu" and h.allclose(c, np.asarray(c)) is True
""")


# ---- streams -------------------------------------------------------------------------------------


def test_streams_and_events():
    run("""
from heddle.cuda import Event, ExternalStream, Stream, get_current_stream, get_elapsed_time
null = Stream.null
assert null == Stream(null=True) == get_current_stream() and null.ptr > 2
s = Stream(non_blocking=True)
assert s != null and s.done and s.device_id == 0
with s as inside:
    assert inside is s and get_current_stream() == s
    x = h.array(np.arange(5))
    with Stream() as t:
        assert get_current_stream() == t
    assert get_current_stream() == s
    start = s.record()
assert get_current_stream() == null and x.tolist() == [0, 1, 2, 3, 4]
end = Event()
end.record()
null.wait_event(start)
end.synchronize()
assert end.done and get_elapsed_time(start, end) >= 0
raises(RuntimeError, "time between two events", get_elapsed_time, Event(disable_timing=True), end)
s.use()
s.synchronize()
assert get_current_stream() == s
destroyed = fake.fake_cuda_count(b"cuStreamDestroy")
del s, inside
assert fake.fake_cuda_count(b"cuStreamDestroy") == destroyed + 1 and get_current_stream() == null
ExternalStream(1).use()
assert get_current_stream().ptr == 1
null.use()
h.cuda.runtime.deviceSynchronize()
h.synchronize()
""")
    run('raises(RuntimeError, "no NVIDIA driver" if False else "CUDA", h.cuda.Stream)', FAKE_CUDA_DEVICES="0")


def test_memory_pool():
    run("""
pool = h.cuda.get_default_memory_pool()
assert pool.used_bytes() == 0
x = h.array(np.zeros(1 << 20))
assert pool.used_bytes() == 8 << 20 and pool.total_bytes() == pool.used_bytes() + pool.free_bytes()
del x
assert pool.used_bytes() == 0 and pool.free_bytes() >= 8 << 20
pool.free_all_blocks()
assert pool.total_bytes() == 0 == fake.fake_cuda_count(b"live")
assert pool.get_limit() == 0
pool.set_limit(size=4 << 20)
assert pool.get_limit() == 4 << 20
raises(MemoryError, "8388608 bytes for an array on device cuda:0", h.array, np.zeros(1 << 20))
pool.set_limit(fraction=0.5)
assert pool.get_limit() == 1 << 29
raises(ValueError, "not both", pool.set_limit)
x = h.array(np.zeros(1 << 20))
n = x.get()
del n
h.cuda.get_default_pinned_memory_pool().free_all_blocks()
""")
    run("""
x = h.array(np.zeros(1 << 20)); y = h.array(np.ones(100))
assert x.get().sum() == 0 and fake.fake_cuda_count(b"cuMemAlloc") == 2 and "cuMemAlloc" in h._heddle._device_info(None)
""", FAKE_CUDA_POOLS="0")


# ---- exchange ------------------------------------------------------------------------------------


def test_dlpack():
    run("""
import gc
x = h.array(np.arange(12.0).reshape(3, 4))
assert x.__dlpack_device__() == (2, 0)
y = h.from_dlpack(x)
assert y.device == "cuda:0" and y.tolist() == x.tolist() and h.may_share_memory(x, y)
orders = fake.fake_cuda_count(b"cuStreamWaitEvent")
capsule = x.__dlpack__(stream=1)
assert fake.fake_cuda_count(b"cuStreamWaitEvent") == orders + 1
del capsule
assert fake.fake_cuda_count(b"cuStreamWaitEvent") == orders + 2
capsule = x.__dlpack__(stream=-1)
assert fake.fake_cuda_count(b"cuStreamWaitEvent") == orders + 2
raises(ValueError, "ambiguous", x.__dlpack__, stream=0)
raises(ValueError, "no addresses", x.__dlpack__, stream=3)
for number in (4096, 123456, 12345678987654, 2**47 - 8, 2**62, 4097):
    raises(ValueError, f"{number} is no stream", x.__dlpack__, stream=number)
    raises(ValueError, f"{number} is no stream", h.cuda.ExternalStream(number).synchronize)
assert h.from_dlpack(x).tolist() == x.tolist()
raises(BufferError, "unsupported device", x.__dlpack__, dl_device=(2, 5))
n = np.from_dlpack(h.from_dlpack(x, device="cpu"))
assert n.tolist() == x.tolist() and h.from_dlpack(x, device="cpu").device == "cpu"
raises(BufferError, "a copy only", x.__dlpack__, dl_device=(1, 0), copy=False)
c = h.from_dlpack(np.ones(3))
assert c.device == "cpu" and c.tolist() == [1, 1, 1]
assert h.from_dlpack(np.ones(3), device="cuda").device == "cuda:0"
raises(ValueError, "not on device", h.from_dlpack, np.ones(3), device="cuda", copy=False)
z = h.from_dlpack(x.T)
assert z.shape == (4, 3) and z.strides == x.T.strides
del y, z, capsule; gc.collect()
""")


def test_cuda_array_interface__of_the_second_device():
    run("""
for k in (0, 1):
    with h.cuda.Device(k):
        x = h.arange(5000.0) + 1
        with h.cuda.Stream() as s:
            face = x.__cuda_array_interface__
        class Other: __cuda_array_interface__ = face
        class Wrong: __cuda_array_interface__ = {**face, "data": (np.ones(3).ctypes.data, False)}
        class Nowhere: __cuda_array_interface__ = {**face, "stream": 8}
    y = h.asarray(Other(), copy=False)
    assert y.device == f"cuda:{k}" and h.may_share_memory(x, y)
    raises(ValueError, "not in the memory", h.asarray, Wrong(), copy=False)
    raises(ValueError, "8 is no stream", h.asarray, Nowhere(), copy=False)
""", FAKE_CUDA_DEVICES="2", HEDDLE_DEVICE="cuda:0")


def test_cuda_array_interface__cupys_asarray_shares():
    run("""
import heddle.cupy as cp
x = h.arange(6.0).reshape(2, 3)
class Other: __cuda_array_interface__ = x.__cuda_array_interface__
def address(a): return a.__cuda_array_interface__["data"][0]
shared = cp.asarray(Other())
assert address(shared) == address(x) and cp.asarray(shared) is shared
assert address(cp.asarray(Other(), dtype="f8", order="C")) == address(x)
for copied in cp.asarray(Other(), "f4"), cp.asarray(Other(), order="F"), cp.asarray(Other(), copy=True), h.asarray(Other()):
    assert address(copied) != address(x) and copied.shape == (2, 3)
""")


def test_cuda_array_interface():
    run("""
x = h.array(np.arange(3.0))
orders = fake.fake_cuda_count(b"cuStreamWaitEvent")
x.__cuda_array_interface__   # whoever does not look at the stream is in the legacy default stream
assert fake.fake_cuda_count(b"cuStreamWaitEvent") == orders + 1
del x
assert fake.fake_cuda_count(b"cuStreamWaitEvent") == orders + 2
x = h.array(np.arange(12.0).reshape(3, 4))
face = x.__cuda_array_interface__
assert face["version"] == 3 and face["shape"] == (3, 4) and face["typestr"] == "<f8" and face["strides"] is None
assert face["data"][0] and face["data"][1] is False and face["stream"] == h.cuda.get_current_stream().ptr
assert x.T.__cuda_array_interface__["strides"] == (8, 32)
class Foreign:
    def __init__(self, **changes):
        self.__cuda_array_interface__ = {**face, **changes}
shared = h.asarray(Foreign(), copy=False)
assert shared.tolist() == x.tolist() and h.may_share_memory(shared, x) and shared.device == "cuda:0"
assert h.asarray(Foreign(strides=(8, 24), shape=(4, 3)), copy=False).shape == (4, 3)
ro = h.asarray(Foreign(data=(face["data"][0], True)), copy=False)
assert not ro.flags.writeable
raises(ValueError, "ambiguous", h.asarray, Foreign(stream=0), copy=False)
raises(ValueError, "mask", h.asarray, Foreign(mask=x), copy=False)
raises(ValueError, "not in the memory of a CUDA device", h.asarray, Foreign(data=(4096, False)), copy=False)
raises(ValueError, "no shape", h.asarray, Foreign(data=None), copy=False)
assert h.asarray(Foreign(stream=None), copy=False).tolist() == x.tolist()
import sys
owner = Foreign()
before = sys.getrefcount(owner)
y = h.asarray(owner, copy=False)
assert sys.getrefcount(owner) > before
del y
assert sys.getrefcount(owner) == before
assert h.asarray(h.array(np.zeros((0, 3)))).__cuda_array_interface__["data"][0] == 0
""")


# ---- failures ------------------------------------------------------------------------------------


def test_lost_device():
    run("""
x = h.array(np.arange(5.0))
c = h.ones(3, device="cpu")
fake.fake_cuda_fail(b"cuEventQuery", 1, 719)
raises(RuntimeError, "CUDA_ERROR_LAUNCH_FAILED", x.get)
raises(RuntimeError, "cuda:0 is lost", h.array, [1.0])
raises(RuntimeError, "cuda:0 is lost", h.synchronize)
raises(RuntimeError, "cuda:0 is lost", h.cuda.Stream)
assert (c + 1).tolist() == [2, 2, 2]
s = str(h.stats("cuda"))
del x
""")


@pytest.mark.parametrize("error, outcome, calls", [
    (2, "h.synchronize()\nassert kept() == 0", 2),
    (3, "raises(RuntimeError, 'failed with', h.synchronize)\nassert kept() > 0", 1),
])
@pytest.mark.parametrize("function", ["cuLaunchKernelEx", "cuModuleLoadDataEx"])
def test_memory_that_is_kept_is_there_for_the_driver_too(function, error, outcome, calls):
    run(f"""
pool = h.cuda.get_default_memory_pool()
kept = lambda: pool.total_bytes() - pool.used_bytes()
x = h.array(np.arange(500_000.0))
held = [h.array(np.arange(700_000.0)) for _ in range(3)]
h.synchronize()
del held
assert kept() > 10_000_000
fake.fake_cuda_fail(b"{function}", 1, {error})
y = x + 1
{outcome}
assert fake.fake_cuda_count(b"{function}") == {calls}
""")


def test_fork():
    run("""
x = h.array(np.arange(5.0))
pid = os.fork()
if pid == 0:
    raises(RuntimeError, "fork()", x.get)
    raises(RuntimeError, "fork()", h.array, [1])
    with h.device("cpu"):
        assert (h.ones(3) + 1).sum() == 6
        h.synchronize()
    os._exit(0)
assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
assert x.tolist() == [0, 1, 2, 3, 4]
""")


def test_waiting_can_be_interrupted():
    run("""
import signal
x = h.array(np.arange(5.0))
signal.setitimer(signal.ITIMER_REAL, 0.2)
signal.signal(signal.SIGALRM, lambda *_: (_ for _ in ()).throw(KeyboardInterrupt()))
raises(KeyboardInterrupt, "", x.get)
""", FAKE_CUDA_LAZY="1000000000")


def test_replies__sent_by_a_kernel():
    """The sizes around what a reply holds, at even and odd places; late ones; what fails. None needs another kernel."""
    code = """
x, all = h.array(np.arange(20_000, dtype="u1") * 7), np.arange(20_000, dtype="u1") * 7
for lazy in 0, 1, 3:
    fake.fake_cuda_lazy(lazy)
    for n in 1, 2, 7, 8, 9, 63, 64, 65, 255, 256, 257, 4095, 4096, 4097, 9000:
        for at in 0, 1, 8, 13:
            assert x[at:at + n].get().tobytes() == all[at:at + n].tobytes(), (n, at)
fake.fake_cuda_lazy(0)
waits = fake.fake_cuda_count(b"cuStreamWaitEvent")
y = h.array(np.arange(5000.0))
assert y[17:20].tolist() == [17, 18, 19]
assert (fake.fake_cuda_count(b"cuStreamWaitEvent") == waits) == SENT
fake.fake_cuda_fail(b"cuLaunchKernelEx" if SENT else b"cuEventRecord", 1, 1)
raises(RuntimeError, "CUDA_ERROR_INVALID_VALUE", y[:300].get)
assert y[:300].tolist() == list(range(300))
fake.fake_cuda_lazy(10)
fake.fake_cuda_fail(b"cuStreamQuery" if SENT else b"cuEventQuery", 2, 719)
raises(RuntimeError, "CUDA_ERROR_LAUNCH_FAILED", y[:200].get)
raises(RuntimeError, "cuda:0 is lost", y[:200].get)
"""
    run("SENT = True" + code, FAKE_CUDA_REPLY="1")
    run("SENT = False" + code)
    run("SENT = False" + code, FAKE_CUDA_REPLY="2")


def test_replies__that_nobody_waits_for():
    run("""
import signal
y, z = h.array(np.arange(5000.0)), h.array(np.arange(5000.0) * 2)
def stop(*_):
    fake.fake_cuda_lazy(0)
    raise KeyboardInterrupt
signal.signal(signal.SIGALRM, stop)
for k in range(3):
    fake.fake_cuda_lazy(1_000_000_000)
    signal.setitimer(signal.ITIMER_REAL, 0.05)
    raises(KeyboardInterrupt, "", y[k:k + 100].get)
    assert z[k:k + 100].tolist() == list(range(2 * k, 2 * k + 200, 2)) and y[k:k + 1].tolist() == [k]
""", FAKE_CUDA_REPLY="1")


def test_long_waits__take_an_event_each():
    """Waits that are stopped once, to tell the host that it will be asked, and go on."""
    run("""
x = h.ones(1000)
for i in range(300):
    y = x * i + 1
    h.synchronize()
z = h.array(np.arange(5.0))
for i in range(20):
    assert z.tolist() == [0, 1, 2, 3, 4]
""", FAKE_CUDA_LAZY="60000")


@pytest.mark.parametrize("library, files, call", [
    ("cuSOLVER", "libcusolver.so.12 or libcusolver.so.11", "h.linalg.inv(a)"),
    ("cuSOLVER", "libcusolver.so.12 or libcusolver.so.11", "h.asnumpy(h.linalg.det(a))"),
    ("cuSOLVER", "libcusolver.so.12 or libcusolver.so.11", "h.linalg.eig(a)"),
    ("cuFFT", "libcufft.so.12 or libcufft.so.11", "h.asnumpy(h.fft.rfft(a))"),
    ("cuBLAS", "libcublas.so.13 or libcublas.so.12", "h.asnumpy(a @ a)"),
])
def test_a_missing_library__is_named(library, files, call):
    if any(os.path.exists(f"{folder}/{name}") for name in files.split(" or ")
           for folder in ("/usr/local/cuda/lib64", "/usr/lib/x86_64-linux-gnu")):
        pytest.skip("it is there")
    run(f"""
a = h.asarray(np.eye(40))
raises(NotImplementedError, "this needs NVIDIA's {library} library ({files})", lambda: {call})
raises(NotImplementedError, "pip install nvidia-{library.lower()}", lambda: {call})
""")


# ---- stand-ins for NVIDIA's libraries, kernels of ours run by the fake driver --------------------------


@pytest.fixture(scope="module")
def libraries(tmp_path_factory):
    """A folder where the dynamic linker finds them under those libraries' names."""
    folder = tmp_path_factory.mktemp("libraries")
    for name, file in (("libcusolver.so.12", "cusolver"), ("libcublas.so.13", "cusolver"), ("libcufft.so.12", "cufft")):
        (folder / name).symlink_to(FAKE.with_name(f"libfake_lib{file}.so"))
    return str(folder)


@pytest.mark.parametrize("exchange", [True, False], ids=["from_right", "getrs"])
@pytest.mark.parametrize("dtype", ["f4", "f8", "c8", "c16"])
def test_equations(dtype, exchange, libraries):
    run(f"""
rng, n, dtype = np.random.default_rng(0), 19, {dtype!r}
def made(*shape):
    return (rng.standard_normal(shape) + (1j * rng.standard_normal(shape) if dtype[0] == "c" else 0)).astype(dtype)
def close(got, want):
    got = np.asarray(got)
    assert got.dtype == want.dtype and np.allclose(got, want, rtol=1e-4, atol=1e-4, equal_nan=True)
a = made(n, n)
a[range(n), rng.permutation(n)] += 15
close(h.linalg.inv(h.asarray(a)), np.linalg.inv(a))
close(h.linalg.inv(h.asarray(a.T.copy()).T), np.linalg.inv(a))
for k in (1, 15, 16, 21):
    b = made(n, k)
    close(h.linalg.solve(h.asarray(a), h.asarray(b)), np.linalg.solve(a, b))
close(h.linalg.solve(h.asarray(a), h.asarray(np.asfortranarray(b))), np.linalg.solve(a, b))
close(h.linalg.slogdet(h.asarray(a)).logabsdet, np.linalg.slogdet(a).logabsdet)
bad = a.copy()
bad[:, 3] = 0
for f in (h.linalg.inv, lambda x: h.linalg.solve(x, h.asarray(b))):
    raises(np.linalg.LinAlgError, "Singular matrix", f, h.asarray(bad))
assert np.isinf(np.asarray(h.linalg.cond(h.asarray(bad), 1)))
close(h.linalg.det(h.asarray(bad)), np.zeros((), dtype))
for x in (a, bad):     # with and without another fault
    x[5, 2] = np.nan
    assert np.isnan(np.asarray(h.linalg.inv(h.asarray(x)))).all()
    for k in (1, 20):
        assert np.isnan(np.asarray(h.linalg.solve(h.asarray(x), h.ones((n, k), dtype=dtype)))).all()
    assert np.isnan(np.asarray(h.linalg.det(h.asarray(x))))
""", HEDDLE_DEVICE="cuda", FAKE_CUDA_RUN="1", HEDDLE_CACHE="off", LD_LIBRARY_PATH=libraries,
        HEDDLE_LIBCUB=str(FAKE.with_name("libfake_libcub.so")) if exchange else "/nonexistent")


@pytest.mark.parametrize("dtype", ["f4", "f8", "c8", "c16"])
def test_cholesky(dtype, libraries):
    run(f"""
rng, dtype = np.random.default_rng(0), {dtype!r}
for shape in (7, 7), (1, 1), (3, 5, 5):
    a = rng.standard_normal(shape) + (1j * rng.standard_normal(shape) if dtype[0] == "c" else 0)
    a = a @ np.conj(np.swapaxes(a, -1, -2)) + shape[-1] * np.eye(shape[-1])
    a = a.astype(dtype)
    n = shape[-1]
    for upper in False, True:
        for x in (a, np.triu(a) if upper else np.tril(a)):      # the other triangle does not count
            want = np.linalg.cholesky(x, upper=upper)
            for y in h.asarray(x), h.asarray(np.swapaxes(x, -1, -2).copy()).mT:
                got = np.asarray(h.linalg.cholesky(y, upper=upper))
                assert got.dtype == want.dtype and np.allclose(got, want, rtol=1e-4, atol=1e-4), (shape, upper)
        x = a.copy()
        x[..., n - 1, n - 1] = -1
        raises(np.linalg.LinAlgError, "Matrix is not positive definite", h.linalg.cholesky, h.asarray(x), upper=upper)
        x[..., n - 1, n - 1] = np.nan       # NumPy's result has nan, too
        assert np.isnan(np.linalg.cholesky(x, upper=upper)).any()
        got = np.asarray(h.linalg.cholesky(h.asarray(x), upper=upper))
        assert np.isnan(got).any() and not (np.tril(got, -1) if upper else np.triu(got, 1)).any()
        if n > 1:                           # where nobody looks
            x = a.copy()
            x[..., n - 1 if upper else 0, 0 if upper else n - 1] = np.nan
            assert np.allclose(np.asarray(h.linalg.cholesky(h.asarray(x), upper=upper)), np.linalg.cholesky(a, upper=upper), atol=1e-3)
""", HEDDLE_DEVICE="cuda", FAKE_CUDA_RUN="1", HEDDLE_CACHE="off", LD_LIBRARY_PATH=libraries)


TRANSFORMS = """
def made(shape, dtype):
    x = np.random.default_rng(3).standard_normal(shape)
    return (x + 1j * x[::-1] if dtype[0] == "c" else x).astype(dtype)
def close(got, want, of):
    got = np.asarray(got)
    assert got.shape == want.shape and np.allclose(got, want, rtol=1e-4, atol=1e-4), of
"""


@pytest.mark.parametrize("dtype", ["?", "f4", "f8", "c8", "c16"])
def test_transforms__of_one_axis(dtype, libraries):
    run(TRANSFORMS + f"""
for shape in ((5, 6, 4), (3, 1, 7), (1, 2, 2), (6, 5)):
    x = made(shape, {dtype!r})
    views = [x, x[::-1], x[..., ::2], x.T, np.broadcast_to(x[:1], shape), np.asfortranarray(x)]
    for v, view in enumerate(views):
        for axis in range(x.ndim):
            for n in (None, 1, 3, 8):
                for name in "fft", "ifft", "rfft", "irfft", "hfft", "ihfft":
                    if (name in ("rfft", "ihfft") and x.dtype.kind == "c" or
                        name in ("irfft", "hfft") and n is None and view.shape[axis] == 1):
                        continue
                    ours = h.asarray(x)
                    ours = [ours, ours[::-1], ours[..., ::2], ours.T, h.broadcast_to(ours[:1], shape),
                            h.asarray(np.asfortranarray(x))][v]
                    close(getattr(h.fft, name)(ours, n, axis), getattr(np.fft, name)(view, n, axis), (name, v, axis, n))
""", HEDDLE_DEVICE="cuda", FAKE_CUDA_RUN="1", LD_LIBRARY_PATH=libraries)


def test_transforms__of_several_axes(libraries):
    run(TRANSFORMS + """
for dtype in "f4", "c16":
    for shape, s, axes in (((4, 3, 5), None, None), ((4, 3, 5), (2, 6), (0, 2)), ((2, 3, 2, 3), None, None), ((4, 3, 5), None, (2, 0)),
                           ((6, 5), (3, 8), (1, 0)), ((3, 4, 2), (5, 4), (-1, -2))):
        x = made(shape, dtype)
        for name in "fftn", "ifftn", "rfftn", "irfftn":
            if name == "rfftn" and dtype[0] == "c":
                continue
            for norm in "backward", "ortho":
                close(getattr(h.fft, name)(h.asarray(x), s, axes, norm), getattr(np.fft, name)(x, s, axes, norm),
                      (name, dtype, shape, s, axes))
                close(getattr(h.fft, name)(h.asarray(x.T).T, s, axes, norm), getattr(np.fft, name)(x, s, axes, norm),
                      (name, dtype, shape, s, axes))
""", HEDDLE_DEVICE="cuda", FAKE_CUDA_RUN="1", LD_LIBRARY_PATH=libraries)


@pytest.mark.parametrize("status", [2, 5])
def test_transforms__plans_and_exhaustion(status, libraries):
    run(TRANSFORMS + f"""
lib = ctypes.CDLL("libcufft.so.12")
pool = h.cuda.get_default_memory_pool()
for n in range(2, 50):      # the first ones give way
    close(h.fft.fft(h.arange(float(n))), np.fft.fft(np.arange(float(n))), n)
assert lib.fake_fft_plans() == 32
for n in 2, 49, 3:
    close(h.fft.fft(h.arange(float(n))), np.fft.fft(np.arange(float(n))), n)
assert lib.fake_fft_plans() == 32
held = [h.array(np.arange(700_000.0)) for _ in range(3)]
h.synchronize()
del held
assert pool.total_bytes() - pool.used_bytes() > 15_000_000
lib.fake_fft_fail(1, {status})      # then all that is kept goes back, and there is memory
close(h.fft.fft(h.arange(60.)), np.fft.fft(np.arange(60.)), 60)
assert lib.fake_fft_plans() == 1 and pool.total_bytes() - pool.used_bytes() < 10_000_000
lib.fake_fft_fail({4 if status == 2 else 2}, {status})     # there is none, and what lacks memory is tried once more
raises({"MemoryError" if status == 2 else "RuntimeError"}, "1 transforms of 7 x 1 x 1 points gave status {status}", h.fft.fft(h.arange(7.)).get)
assert lib.fake_fft_plans() == 0
close(h.fft.fft(h.arange(7.)), np.fft.fft(np.arange(7.)), 7)
""", HEDDLE_DEVICE="cuda", FAKE_CUDA_RUN="1", LD_LIBRARY_PATH=libraries)


# ---- sorting -------------------------------------------------------------------------------------


@pytest.mark.parametrize("env, reason", [
    ({"HEDDLE_LIBCUB": "/nonexistent/libheddle_cub.so"}, "cannot open shared object"),
    ({"HEDDLE_LIBCUB": str(FAKE)}, "of another release"),
    ({"HEDDLE_LIBCUB": str(FAKE.with_name("libfake_libcub.so")), "FAKE_CUB_RUNTIME": "14010"},
     "made with CUDA 14.1, the driver knows CUDA 13.0"),
])
def test_without_its_library_nothing_is_sorted(env, reason):
    run(f"""
x = h.zeros(1000)
assert x.device == "cuda:0" and "sorting by\\tnone" in h._heddle._device_info("cuda:0")
raises(NotImplementedError, "sort on cuda:0 needs libheddle_cub: none", lambda: h.asnumpy(h.sort(x)))
raises(NotImplementedError, {reason!r}, lambda: h.asnumpy(h.argsort(x)))
raises(NotImplementedError, "searchsorted on cuda:0 needs", lambda: h.asnumpy(h.searchsorted(x, x)))
h.asnumpy(h.cumsum(x))   # by a kernel of our own
""", **env)


CUB = pathlib.Path(xp.__file__).with_name("libheddle_cub.so")


@pytest.mark.skipif(not CUB.exists(), reason="libheddle_cub was not built")
def test_its_library_is_found_and_fits():
    run("""
x = h.zeros(1000)
assert x.device == "cuda:0" and "sorting by\\tCUB of CUDA 13." in h._heddle._device_info("cuda:0")
""")


# ---- looking for an error ------------------------------------------------------------------------


def test_debugging_raises_where_the_error_comes_from():
    code = """
import traceback
x = h.ones(1000, dtype="f4")
h.synchronize()
y = x * 2
z = y + 1                      # the line at fault
fake.fake_cuda_fail(b"cuEventQuery", 1, 700)
try:
    s = h.sqrt(z)              # the line where it fails
    t = s - 1
    t.get()
except RuntimeError as e:
    at = traceback.extract_tb(e.__traceback__)[0].lineno
    print(at, e)
"""
    late, soon = run(code), run(code, HEDDLE_DEBUG="1")
    assert int(late.split()[0]) == int(soon.split()[0]) + 2
    assert "multiply+add+sqrt+subtract" in late and "; it ran sqrt" in soon
