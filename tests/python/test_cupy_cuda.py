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
    with pytest.raises(AttributeError, match="begin_capture"):
        s.begin_capture()


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
raises(NotImplementedError, "attribute 1 ", cuda.runtime.deviceGetAttribute, 1, 0)
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
