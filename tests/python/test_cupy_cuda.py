# SPDX-License-Identifier: BSD-3-Clause
"""cupy.cuda: on the CPU, with zero devices and streams that only wait; on the fake driver of GPUs."""

import os
import threading
import warnings

import numpy as np
import pytest
from common import IS_NUMPY, needs_heddle, xp

if not IS_NUMPY:
    import heddle.cupy as cp
    import heddle.cupyx as cupyx
    from test_cuda_fake import FAKE, run

pytestmark = needs_heddle
needs_fake = pytest.mark.skipif(
    IS_NUMPY or not FAKE.exists() or "ASAN_OPTIONS" in os.environ,
    reason="the fake driver was not built, or the sanitizer runs",
)


@pytest.fixture
def on_the_cpu():
    with xp.device("cpu"):
        yield


# ---- on the CPU --------------------------------------------------------------------------------


@pytest.mark.usefixtures("on_the_cpu")
def test_cpu__zero_devices():
    runtime = cp.cuda.runtime
    assert not cp.is_available() and not cp.cuda.is_available() and runtime.getDeviceCount() == 0
    assert (
        cp.cuda.Device().id
        == int(cp.cuda.Device(0))
        == runtime.getDevice()
        == cp.cuda.get_device_id()
        == 0
    )
    assert runtime.driverGetVersion() == 0 and not runtime.is_hip
    free, total = cp.cuda.Device().mem_info
    assert 0 < free <= total and runtime.memGetInfo()[1] == total
    with cp.cuda.Device(0) as device:
        assert (
            isinstance(device, cp.cuda.Device)
            and cp.ones(1).device == device
            and device == cp.cuda.Device()
        )
    assert not cp.cuda.Device() > device and cp.cuda.Device() <= device
    runtime.setDevice(0)
    for refused in (
        lambda: cp.cuda.Device(1),
        lambda: runtime.setDevice(3),
        lambda: cp.cuda.Device().compute_capability,
        lambda: cp.cuda.Device("cuda:0"),
        lambda: runtime.getDeviceProperties(0),
        lambda: cp.cuda.Device().attributes,
    ):
        with pytest.raises(runtime.CUDARuntimeError, match="no CUDA device"):
            refused()


@pytest.mark.usefixtures("on_the_cpu")
@pytest.mark.parametrize(
    "wait",
    [
        lambda: cp.cuda.Device(0).synchronize(),
        lambda: cp.cuda.Stream.null.synchronize(),
        lambda: cp.cuda.runtime.deviceSynchronize(),
        lambda: cp.cuda.get_current_stream().synchronize(),
        lambda: cp.cuda.Event().record(),
        lambda: cp.cuda.Stream().done,
    ],
)
def test_cpu__what_waits_runs_what_is_pending(wait):
    x = cp.ones(100000) * 2 + 1
    assert xp.stats("cpu")["pending"] > 0
    wait()
    assert xp.stats("cpu")["pending"] == 0 and x[5] == 3


@pytest.mark.usefixtures("on_the_cpu")
def test_cpu__streams():
    cuda = cp.cuda
    null, s, t = cuda.Stream.null, cuda.Stream(non_blocking=True), cuda.ExternalStream(1234)
    assert (
        cuda.get_current_stream() == null
        and isinstance(s, cuda.Stream)
        and isinstance(t, cuda.ExternalStream)
    )
    with s as inside:
        assert inside is s is cuda.get_current_stream()
        with t:
            assert cuda.get_current_stream() is t
        event = s.record()
        s.wait_event(event)
    assert (
        cuda.get_current_stream() == null
        and event.done
        and s.use() is s is cuda.get_current_stream()
    )
    seen = []
    thread = threading.Thread(target=lambda: seen.append(cuda.get_current_stream()))
    thread.start()
    thread.join()
    assert seen != [s] or seen[0] is not s  # the current stream is the thread's
    null.use()
    s.launch_host_func(seen.append, 5)
    s.add_callback(lambda *args: seen.append(args), "x")
    assert seen[1:] == [5, (s, 0, "x")] and cuda.Stream.ptds == null and hash(s) == hash(null)
    with pytest.raises(ValueError):
        cuda.Stream(null=True, ptds=True)


@pytest.mark.usefixtures("on_the_cpu")
def test_cpu__events_take_times():
    start, end, never = (
        cp.cuda.Event(),
        cp.cuda.Event(block=True),
        cp.cuda.Event(disable_timing=True),
    )
    start.record()
    x = cp.random.rand(300, 300) @ cp.random.rand(300, 300)
    end.record(cp.cuda.Stream.null)
    end.synchronize()
    assert cp.cuda.get_elapsed_time(start, end) > 0 > cp.cuda.get_elapsed_time(
        end, start
    ) and x.shape == (300, 300)
    never.record()
    for bad in never, cp.cuda.Event():
        with pytest.raises(RuntimeError, match="takes no time"):
            cp.cuda.get_elapsed_time(start, bad)


@pytest.mark.usefixtures("on_the_cpu")
def test_cpu__memory():
    pool, pinned = cp.get_default_memory_pool(), cp.get_default_pinned_memory_pool()
    before = pool.used_bytes()
    x = cp.zeros(1 << 20, cp.uint8) + 1
    x.sum().get()
    assert (
        pool.used_bytes() >= before + (1 << 20)
        and pool.total_bytes() == pool.used_bytes() + pool.free_bytes()
    )
    del x
    assert pool.used_bytes() < before + (1 << 20)
    pool.free_all_blocks()
    pinned.free_all_blocks()
    assert (
        pool.n_free_blocks() == (pool.free_bytes() > 0) == pinned.n_free_blocks()
        and pool.get_limit() == 0
    )
    with pytest.warns(RuntimeWarning, match="no limit"):
        pool.set_limit(size=1 << 30)
    with pytest.warns(RuntimeWarning, match="reuse"):
        cp.cuda.set_allocator(None)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with cp.cuda.using_allocator(cp.cuda.MemoryPool().malloc):
            assert cp.cuda.get_allocator()(64).mem.nbytes == 64
        cp.cuda.set_pinned_memory_allocator(cp.cuda.PinnedMemoryPool().malloc)
    for refused in lambda: cp.cuda.set_allocator(print), lambda: cp.cuda.MemoryPool(print):
        with pytest.raises(NotImplementedError):
            refused()
    assert issubclass(cp.cuda.memory.OutOfMemoryError, MemoryError)


@pytest.mark.usefixtures("on_the_cpu")
def test_cpu__marks_for_profilers():
    cp.cuda.nvtx.RangePush("outer")
    cp.cuda.nvtx.Mark("here", 3)
    cp.cuda.nvtx.RangePop()
    with (
        cupyx.profiler.profile(),
        cp.cuda.profile(),
        cupyx.profiler.time_range("block", sync=True, color_id=1),
    ):
        assert cp.ones(3).sum() == 3

    @cupyx.profiler.time_range()
    def f(x):
        return x + 1

    assert f(1) == 2 and f.__name__ == "f"
    with pytest.raises(TypeError, match="message"), cupyx.profiler.time_range():
        pass


# ---- on GPUs -----------------------------------------------------------------------------------


@needs_fake
def test_gpu__devices_and_streams():
    run(
        """
import heddle.cupy as cp
cuda = cp.cuda
assert cp.is_available() and cuda.runtime.getDeviceCount() == 2 and cuda.Device(1).compute_capability == "90"
assert cuda.runtime.getDeviceProperties(1)["name"] == b"Fake GPU 1" and cuda.runtime.getDeviceProperties(0)["major"] == 9
assert cuda.runtime.deviceGetAttribute(cuda.runtime.deviceAttributeComputeCapabilityMajor, 1) == 9
assert cuda.runtime.driverGetVersion() >= 12000
assert cuda.runtime.getDeviceProperties(0)["multiProcessorCount"] == cuda.Device(0).attributes["MultiProcessorCount"]
with cuda.Device(1) as d:
    x = cp.asarray([1, 2, 3])
    assert x.device == d and x.device.id == 1 and cp.cuda.get_device_id() == 1 and isinstance(d, h.cuda.Device)
raises(cuda.runtime.CUDARuntimeError, "there are 2", cuda.Device, 7)
assert sorted([cuda.Device(1), cuda.Device(0)])[0].id == 0
s = cuda.Stream(non_blocking=True)
assert isinstance(s, h.cuda.Stream) and s.ptr > 2 and cuda.get_current_stream() == cuda.Stream.null != s
with s:
    assert cuda.get_current_stream() == s and isinstance(cuda.get_current_stream(), cuda.ExternalStream)
    start = s.record()
called = []
s.launch_host_func(called.append, 1)
end = cuda.Event()
end.record(s)
end.synchronize()
assert called == [1] and cuda.get_elapsed_time(start, end) >= 0
y = cp.asarray(np.arange(5))
assert y.data.ptr == y.__cuda_array_interface__["data"][0] and y.data.device == cuda.Device(0) and y.data.mem is y
assert h.zeros(2, device="cpu").data.nbytes == 16
pool = cp.get_default_memory_pool()
assert pool.used_bytes() > 0 and cuda.MemoryPool().used_bytes() == pool.used_bytes()
pool.set_limit(size=1 << 20)
assert pool.get_limit() == 1 << 20
try:
    cp.empty(1 << 22)[0].get()
except cuda.memory.OutOfMemoryError:
    pass
else:
    raise AssertionError("no limit")
pool.set_limit(size=0)
import heddle.cupyx as cupyx
a = cupyx.zeros_pinned((3, 2), "f4")
assert type(a) is np.ndarray and a.shape == (3, 2) and not a.any() and a.flags.writeable
with h.device("cpu"):                   # a block on the CPU: there it is as without a GPU
    assert cuda.runtime.getDeviceCount() == 0 and cuda.Device().mem_info and cuda.Stream().done
""",
        FAKE_CUDA_DEVICES="2",
    )


@needs_fake
def test_gpu__that_is_not_used_is_not_there():
    run(
        """
import heddle.cupy as cp
assert not cp.is_available() and cp.cuda.runtime.getDeviceCount() == 0 and cp.ones(2).device == "cpu"
cp.cuda.Device(0).synchronize()
assert fake.fake_cuda_count(b"cuDevicePrimaryCtxRetain") == 0
""",
        HEDDLE_DEVICE="cpu",
    )


def test_arrays__of_numpy_in_pinned_memory_are_sent():
    a = cupyx.empty_pinned(1000)
    a[...] = np.arange(1000)
    assert cp.asarray(a).sum() == a.sum()


RUNTIME = """
import ctypes
import heddle.cupy as cp
cuda, rt = cp.cuda, cp.cuda.runtime
"""


@needs_fake
def test_gpu__memory_by_the_runtime():
    run(
        RUNTIME
        + """
x = cp.arange(10, dtype="f8") * 2
here = np.zeros(10)
rt.memcpy(here.ctypes.data, x.data.ptr, 80, rt.memcpyDeviceToHost)
assert here.tolist() == list(range(0, 20, 2))
p = rt.malloc(80)
rt.memset(p, 0, 80)
rt.memcpy(p + 8, x.data.ptr, 72, rt.memcpyDeviceToDevice)
there = cp.ndarray((10,), "f8", cuda.MemoryPointer(cuda.UnownedMemory(p, 80, None), 0))
assert there.tolist() == [0, *range(0, 18, 2)] and there.data.ptr == p
there += 1
assert (there * 2).tolist() == [2, *range(2, 38, 4)]
s = cuda.Stream()
rt.memcpyAsync(p, here.ctypes.data, 80, rt.memcpyHostToDevice, s.ptr)
rt.streamSynchronize(s.ptr)
assert there.tolist() == here.tolist()
del there
rt.free(p)
rt.free(0)
raises(RuntimeError, "CUDA_ERROR_INVALID_VALUE", rt.free, 12345)
q = rt.hostAlloc(16, rt.hostAllocPortable)
ctypes.memset(q, 7, 16)
assert rt.pointerGetAttributes(x.data.ptr).type == rt.memoryTypeDevice and rt.pointerGetAttributes(x.data.ptr).device == 0
assert rt.pointerGetAttributes(here.ctypes.data).type == rt.memoryTypeUnregistered
assert rt.pointerGetMemoryType(x.data.ptr) == rt.cudaMemoryTypeDevice
facts = rt.getDeviceProperties(0)
for name in "multiProcessorCount", "maxThreadsPerBlock", "concurrentManagedAccess", "l2CacheSize":
    number = getattr(rt, "cudaDevAttr" + name[0].upper() + name[1:])
    assert rt.deviceGetAttribute(number, 0) == facts[name], name
rt.freeHost(q)
m = rt.mallocAsync(8, s.ptr)
rt.memsetAsync(m, 1, 8, s.ptr)
rt.hostRegister(here.ctypes.data, 80)
rt.hostUnregister(here.ctypes.data)
raises(RuntimeError, "this driver has no cuMemAdvise", rt.memAdvise, p, 8, 1, 0)
""",
        FAKE_CUDA_RUN="1",
        HEDDLE_TIER="1",
        HEDDLE_DEVICE="cuda:0",
    )


@needs_fake
def test_gpu__pointers_copy():
    run(
        RUNTIME
        + """
x, y = cp.arange(6, dtype="f4"), cp.zeros(6, "f4")
y.data.copy_from_device(x.data + 8, 16)
assert y.tolist() == [2, 3, 4, 5, 0, 0]
here = np.arange(6, dtype="f4") * 10
y.data.copy_from_host(ctypes.c_void_p(here.ctypes.data), 24)
(x * 3)[0]
assert y.tolist() == here.tolist()
x.data.copy_to_host(here.ctypes.data, 24)
assert here.tolist() == [0, 1, 2, 3, 4, 5]
y.data.memset(0, 8)
assert y.tolist() == [0, 0, 20, 30, 40, 50]
s = cuda.Stream(non_blocking=True)
with s:
    y.data.copy_from_device_async(x.data, 24)
    (y.data + 4).memset_async(0, 4)
    y.data.copy_to_host_async(here.ctypes.data, 24, s)
s.synchronize()
assert here.tolist() == y.tolist() == [0, 0, 2, 3, 4, 5]
made = cuda.alloc(24)
made.copy_from(x.data, 24)
assert cp.ndarray(6, "f4", made).tolist() == x.tolist()
for kind in cuda.Memory, cuda.ManagedMemory:
    memory = kind(24)
    z = cp.ndarray((2, 3), "f4", cuda.MemoryPointer(memory, 0))
    z[:] = x.reshape(2, 3) + 1
    assert z.tolist() == [[1, 2, 3], [4, 5, 6]] and memory.device == cuda.Device(0)
live = fake.fake_cuda_count(b"live")
del memory
assert z.sum() == 21                                 # the array keeps its memory alive
del z
h.synchronize()
assert fake.fake_cuda_count(b"live") == live - 24
assert cuda.malloc_managed(8).mem.size == 8 and cuda.Memory(0).ptr == 0
""",
        FAKE_CUDA_RUN="1",
        HEDDLE_TIER="1",
        HEDDLE_DEVICE="cuda:0",
    )


@needs_fake
def test_gpu__streams_and_events_by_the_runtime():
    run(
        RUNTIME
        + """
s = rt.streamCreateWithFlags(rt.streamNonBlocking)
assert rt.streamGetFlags(s) == 1 and rt.streamQuery(s) == 0
e, f = rt.eventCreate(), rt.eventCreateWithFlags(rt.eventDisableTiming)
with cuda.ExternalStream(s):
    x = cp.ones(1000) * 2
    x.sum()
rt.eventRecord(e, s)
rt.streamWaitEvent(s, e)
rt.eventSynchronize(e)
assert rt.eventQuery(e) == 0 and rt.eventElapsedTime(e, e) >= 0
fake.fake_cuda_lazy(3)
rt.eventRecord(f, s)
assert rt.eventQuery(f) == rt.errorNotReady
fake.fake_cuda_lazy(0)
called = []
rt.launchHostFunc(s, called.append, 5)
rt.streamAddCallback(s, lambda stream, status, arg: called.append((status, arg)), "x")
assert called == [5, (0, "x")]
for event in e, f:
    rt.eventDestroy(event)
rt.streamDestroy(s)
fast = rt.streamCreateWithPriority(rt.streamNonBlocking, -1)
assert rt.streamGetPriority(fast) == -1 and cuda.ExternalStream(fast).priority == -1
assert cuda.Stream(non_blocking=True).is_non_blocking
rt.streamDestroy(fast)
fake.fake_cuda_fail(b"cuEventRecord", 1, 400)
raises(rt.CUDARuntimeError, "error 400", rt.eventRecord, rt.eventCreate(), 0)
rt.check_status(0)
raises(rt.CUDARuntimeError, "CUDA_ERROR_INVALID_VALUE", rt.check_status, rt.errorInvalidValue)
""",
        HEDDLE_DEVICE="cuda:0",
    )


@needs_fake
def test_gpu__devices_by_the_runtime():
    run(
        RUNTIME
        + """
assert rt.deviceGetPCIBusId(1) == "0000:11:00.0" and rt.deviceGetByPCIBusId("0000:11:00.0") == 1
assert cuda.Device.from_pci_bus_id("0000:10:00.0") == cuda.Device(0) and cuda.Device(1).pci_bus_id.endswith("11:00.0")
raises(rt.CUDARuntimeError, "no CUDA device is at", rt.deviceGetByPCIBusId, "nowhere")
assert rt.deviceCanAccessPeer(0, 1) == 1 and rt.runtimeGetVersion() == rt.driverGetVersion() == cuda.get_local_runtime_version()
rt.deviceEnablePeerAccess(1)
rt.deviceDisablePeerAccess(1)
facts = rt.getDeviceProperties(1)
assert facts["name"] == b"Fake GPU 1" and len(facts["maxGridSize"]) == 3 and facts["totalGlobalMem"] > 0
with cuda.Device(1):
    p = rt.malloc(100)
assert rt.pointerGetAttributes(p).device == 1
rt.memcpyPeer(p, 1, (cp.arange(4.0) + 1).data.ptr, 0, 32)
here = np.zeros(4)
rt.memcpy(here.ctypes.data, p, 32)
assert here.tolist() == [1, 2, 3, 4]
""",
        FAKE_CUDA_DEVICES="2",
        FAKE_CUDA_RUN="1",
        HEDDLE_TIER="1",
        HEDDLE_DEVICE="cuda:0",
    )


@pytest.mark.usefixtures("on_the_cpu")
def test_cpu__runtime_and_pointers():
    runtime, cuda = cp.cuda.runtime, cp.cuda
    for refused in (
        lambda: runtime.malloc(8),
        lambda: runtime.streamCreate(),
        lambda: runtime.memcpy(1, 2, 3),
        lambda: runtime.deviceGetPCIBusId(0),
        lambda: cuda.Memory(8),
    ):
        with pytest.raises(runtime.CUDARuntimeError, match="no CUDA device"):
            refused()
    assert cuda.Stream().priority == 0 and not cuda.Stream().is_non_blocking
    assert runtime.runtimeGetVersion() == 0 and cuda.get_rocm_path() is cuda.get_hipcc_path() is None
    x, y = cp.arange(6, dtype="f4"), cuda.MemoryPointer(cp.zeros(6, "f4"))
    y.copy_from_device(cuda.MemoryPointer(x), 24)
    assert y.mem.tolist() == x.tolist()
    (y + 4).memset(0, 8)
    here = np.zeros(6, "f4")
    y.copy_to_host(here.ctypes.data, 24)
    assert here.tolist() == [0, 0, 0, 3, 4, 5]
    y.copy_from_host_async(here[::-1].copy().ctypes.data, 24)
    made = cp.ndarray((2, 2), "i4", cuda.alloc(16))
    made[:] = 3
    assert made.sum() == 12 and cuda.malloc_managed(16).mem.nbytes == 16
    outside = np.arange(4)
    seen = cp.ndarray((4,), outside.dtype, cuda.MemoryPointer(cuda.UnownedMemory(outside.ctypes.data, outside.nbytes, outside), 0))
    seen += 1
    cp.cuda.Device().synchronize()
    assert outside.tolist() == [1, 2, 3, 4]


@pytest.mark.usefixtures("on_the_cpu")
def test_older_names():
    assert cp.find_common_type([np.float32], [np.int64, np.float64]) == np.float32
    assert cp.find_common_type([np.float32], [complex]) == np.complex128
    assert cp.find_common_type([], [np.int8]) == np.int8 and cp.find_common_type(["i2", "u2"], []) == np.int32
    assert cp.obj2sctype("f4") is cp.obj2sctype(cp.ones(2, "f4")) is np.float32 and cp.obj2sctype("?!") is None
    assert cp.issctype(np.float32) and not cp.issctype(1.1) and not cp.issctype(list)
    assert cp.issubsctype("f4", np.floating) and not cp.issubclass_(1, int) and cp.sctype2char(np.int16) == "h"
    with pytest.raises(ValueError, match="stands for no scalar type"):
        cp.sctype2char("?!")
    assert cp.safe_eval("[1, (2, 3)]") == [1, (2, 3)]
    x = cp.arange(12, dtype="i4").reshape(3, 4)
    low, high = cp.byte_bounds(x[::-1, 1:3])
    assert high - low == 2 * 16 + 8 and cp.byte_bounds(x[:0])[0] <= cp.byte_bounds(x[:0])[1]


def test_older_names__disp(capsys):
    cp.disp("one")
    cp.disp("two", linefeed=False)
    assert capsys.readouterr().out == "one\ntwo"


@pytest.mark.usefixtures("on_the_cpu")
def test_arrays_over_memory():
    memory = cp.cuda.alloc(48)
    x = cp.ndarray((2, 3), "f8", memory, order="F")
    x[:] = [[1, 2, 3], [4, 5, 6]]
    assert x.flags.f_contiguous and cp.ndarray(6, "f8", memptr=memory).tolist() == [1, 4, 2, 5, 3, 6]
    assert cp.ndarray((3,), "f8", memory, (16,)).tolist() == [1, 2, 3]
    assert cp.ndarray((2,), "f8", memory + 40, strides=(-16,)).tolist() == [6, 5]
    assert cp.ndarray((0, 7), "f8", memory + 48).shape == (0, 7)
    for shape, dtype, at, strides in ((7,), "f8", 0, None), ((1,), "f8", 41, None), ((2,), "f8", 0, (-8,)):
        with pytest.raises(ValueError, match="of memory that has 48"):
            cp.ndarray(shape, dtype, memory + at, strides)
    del memory
    assert x.sum() == 21


def test_cuda_stream_protocol__tells_the_handle_where_there_is_one():
    stream = cp.cuda.Stream()
    assert hasattr(stream, "__cuda_stream__") == cp.cuda.is_available()
    if cp.cuda.is_available():
        assert stream.__cuda_stream__() == (0, stream.ptr) and stream.ptr
        assert cp.cuda.Stream.from_external(stream) == stream
    else:
        with pytest.raises(AttributeError, match="no CUDA stream"):
            stream.__cuda_stream__()
