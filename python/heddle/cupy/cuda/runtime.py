# SPDX-License-Identifier: BSD-3-Clause
"""The everyday part of cupy.cuda.runtime: devices, memory, copies, streams, events. Wrappers of the
rest of NVIDIA's library (textures, memory of other processes) are not here. Addresses and handles
are numbers. Where arrays are on the CPU there are zero devices, and what needs one is a
RuntimeError."""
import ctypes

from ... import _heddle
from ..._state import synchronize as _synchronize
from . import _driver as _cu
from . import profiler as _profiler
from . import _constants as _cst
from ._graph_handles import (graphDebugDotPrint, graphDestroy, graphExecDestroy, graphInstantiate,
                             graphLaunch, graphUpload, streamBeginCapture, streamEndCapture,
                             streamIsCapturing)
from .device import Device, on_gpu

CUDARuntimeError = RuntimeError     # what Heddle raises
is_hip = False
globals().update({name: n for name, n in vars(_cst).items() if not name.startswith("_")})

# name in the dict of properties -> number of the attribute
_PROPERTIES = {
    "major": 75, "minor": 76, "multiProcessorCount": 16, "l2CacheSize": 38, "warpSize": 10,
    "maxThreadsPerBlock": 1, "maxThreadsPerMultiProcessor": 39, "sharedMemPerBlock": 8,
    "sharedMemPerMultiprocessor": 81, "sharedMemPerBlockOptin": 97, "regsPerBlock": 12,
    "totalConstMem": 9, "clockRate": 13, "memoryClockRate": 36, "memoryBusWidth": 37,
    "asyncEngineCount": 40, "concurrentKernels": 31, "unifiedAddressing": 41,
    "managedMemory": 83, "concurrentManagedAccess": 89, "integrated": 18, "canMapHostMemory": 19,
    "ECCEnabled": 32, "pciBusID": 33, "pciDeviceID": 34, "pciDomainID": 50}


# ---- devices -------------------------------------------------------------------------------------


def getDeviceCount():
    """How many GPUs there are; 0 where arrays are on the CPU."""
    return _heddle._device_count("cuda") if on_gpu() else 0


def getDevice():
    """The number of the current device."""
    return Device().id


def setDevice(device):
    """Makes this the current device of the thread."""
    Device(device).use()


def deviceSynchronize():
    """Waits for everything on all devices."""
    if on_gpu():
        _heddle._wait_all("cuda")
    _synchronize()


def memGetInfo():
    """Bytes of memory that are free, and that there are."""
    return Device().mem_info


def _asked(device):
    """The driver's handle of a device given by its number."""
    device = Device(device)
    with device:
        return _cu.enter()


def deviceGetAttribute(attribute, device):
    """A fact of a device by CUDA's number of it."""
    return _cu.ask(_cu.INT, "cuDeviceGetAttribute", _cu.INT(attribute), _asked(device))


def getDeviceProperties(device):
    """A dict of facts of a device, under CUDA's names."""
    of = Device(device)
    handle = _asked(device)

    def fact(number):
        return _cu.ask(_cu.INT, "cuDeviceGetAttribute", _cu.INT(number), handle)

    return {"name": of.name.encode(), "totalGlobalMem": of.mem_info[1],
            **{name: fact(number) for name, number in _PROPERTIES.items()},
            "maxThreadsDim": tuple(fact(k) for k in (2, 3, 4)),
            "maxGridSize": tuple(fact(k) for k in (5, 6, 7))}


def deviceGetPCIBusId(device):
    """As "0000:1b:00.0"."""
    text = ctypes.create_string_buffer(32)
    handle = _asked(device)
    _cu.call("cuDeviceGetPCIBusId", text, _cu.INT(32), handle)
    return text.value.decode().lower()


def deviceGetByPCIBusId(pci_bus_id):
    """The number of the device with that name."""
    for number in range(getDeviceCount()):
        if deviceGetPCIBusId(number) == pci_bus_id.lower():
            return number
    raise CUDARuntimeError(f"cudaErrorInvalidDevice: no CUDA device is at {pci_bus_id!r}")


def deviceCanAccessPeer(device, peer):
    """1 if a device reaches the memory of the other one, else 0."""
    return _cu.ask(_cu.INT, "cuDeviceCanAccessPeer", _asked(device), _asked(peer))


def deviceEnablePeerAccess(peer):
    """Heddle opens the memory of two devices to each other when it first copies between them; here
    the device is looked up."""
    Device(peer)


def deviceDisablePeerAccess(peer):
    """Nothing: copies between devices are the same without it."""
    Device(peer)


def driverGetVersion():
    """The driver's version of CUDA as 1000 * major + 10 * minor; 0 without a GPU."""
    if not on_gpu():
        return 0
    major, minor = Device()._facts()["driver"].split()[1].split(".")
    return 1000 * int(major) + 10 * int(minor)


def runtimeGetVersion():
    """Heddle calls the driver, so this is the driver's version."""
    return driverGetVersion()


def profilerStart():
    _profiler.start()


def profilerStop():
    _profiler.stop()


# ---- memory --------------------------------------------------------------------------------------


def malloc(size):
    """The address of so many bytes of the current device's memory."""
    return _cu.ask(ctypes.c_uint64, "cuMemAlloc_v2", _cu.SIZE(max(size, 1)))


def mallocManaged(size, flags=1):
    """The address of memory that the host and all devices reach."""
    return _cu.ask(ctypes.c_uint64, "cuMemAllocManaged", _cu.SIZE(max(size, 1)),
                   _cu.UNSIGNED(flags))


def mallocAsync(size, stream):
    """malloc() in the order of a stream."""
    return _cu.ask(ctypes.c_uint64, "cuMemAllocAsync", _cu.SIZE(max(size, 1)),
                   _cu.handle_of(stream))


def free(ptr):
    """Gives memory of malloc() or mallocManaged() back; 0 is none."""
    if ptr:
        _cu.call("cuMemFree_v2", ctypes.c_uint64(ptr))


def freeAsync(ptr, stream):
    """Gives memory back in the order of a stream."""
    if ptr:
        _cu.call("cuMemFreeAsync", ctypes.c_uint64(ptr), _cu.handle_of(stream))


def hostAlloc(size, flags=0):
    """The address of so many bytes of pinned memory of the host."""
    return _cu.ask(ctypes.c_void_p, "cuMemHostAlloc", _cu.SIZE(max(size, 1)), _cu.UNSIGNED(flags))


def freeHost(ptr):
    """Gives memory of hostAlloc() back."""
    if ptr:
        _cu.call("cuMemFreeHost", _cu.Pointer(ptr))


def hostRegister(ptr, size, flags=0):
    """Pins memory of the host that is there."""
    _cu.call("cuMemHostRegister_v2", _cu.Pointer(ptr), _cu.SIZE(size), _cu.UNSIGNED(flags))


def hostUnregister(ptr):
    _cu.call("cuMemHostUnregister", _cu.Pointer(ptr))


def memset(ptr, value, size):
    """Sets bytes, behind all work that Heddle was given, and waits for it."""
    _cu.settle()
    _cu.call("cuMemsetD8_v2", ctypes.c_uint64(ptr), ctypes.c_ubyte(value), _cu.SIZE(size))
    _cu.call("cuCtxSynchronize")


def memsetAsync(ptr, value, size, stream):
    _cu.call("cuMemsetD8Async", ctypes.c_uint64(ptr), ctypes.c_ubyte(value), _cu.SIZE(size),
             _cu.handle_of(stream))


def memcpy(dst, src, size, kind=4):
    """Copies bytes, behind all work that Heddle was given, and waits for it. Addresses say where
    they are, so kind is not needed."""
    _cu.settle()
    _cu.call("cuMemcpy", ctypes.c_uint64(dst), ctypes.c_uint64(src), _cu.SIZE(size))
    _cu.call("cuCtxSynchronize")


def memcpyAsync(dst, src, size, kind, stream):
    """Copies bytes in the order of a stream."""
    _cu.call("cuMemcpyAsync", ctypes.c_uint64(dst), ctypes.c_uint64(src), _cu.SIZE(size),
             _cu.handle_of(stream))


def memcpyPeer(dst, dst_device, src, src_device, size):
    """memcpy() between two devices."""
    memcpy(dst, src, size)


def memcpyPeerAsync(dst, dst_device, src, src_device, size, stream):
    """memcpyAsync() between two devices."""
    memcpyAsync(dst, src, size, _cst.memcpyDefault, stream)


def memPrefetchAsync(ptr, size, dst_device, stream):
    """Brings managed memory to a device (-1: the host)."""
    where = -1 if dst_device < 0 else _asked(dst_device).value
    _cu.call("cuMemPrefetchAsync", ctypes.c_uint64(ptr), _cu.SIZE(size), _cu.INT(where),
             _cu.handle_of(stream))


def memAdvise(ptr, size, advice, device):
    """Tells the driver how managed memory will be used."""
    where = -1 if device < 0 else _asked(device).value
    _cu.call("cuMemAdvise", ctypes.c_uint64(ptr), _cu.SIZE(size), _cu.INT(advice), _cu.INT(where))


class PointerAttributes:
    """device, devicePointer, hostPointer, type (1: of the host, 2: of a device, 3: managed)."""

    def __init__(self, device, devicePointer, hostPointer, type):
        self.device, self.devicePointer = device, devicePointer
        self.hostPointer, self.type = hostPointer, type


def _attribute(number, kind, ptr):
    try:
        return _cu.ask(kind, "cuPointerGetAttribute", _cu.INT(number), ctypes.c_uint64(ptr))
    except RuntimeError:    # memory that the driver does not know
        return None


def pointerGetAttributes(ptr):
    """What the driver knows of an address; type 0: nothing."""
    kind = _attribute(2, _cu.UNSIGNED, ptr)             # 1: host, 2: device
    if kind is None:
        return PointerAttributes(-2, 0, 0, _cst.memoryTypeUnregistered)
    managed = _attribute(8, _cu.UNSIGNED, ptr)
    return PointerAttributes(_attribute(9, _cu.INT, ptr),
                             _attribute(3, ctypes.c_uint64, ptr) or 0,
                             (_attribute(4, ctypes.c_uint64, ptr) or 0) if kind == 1 or managed else 0,
                             _cst.memoryTypeManaged if managed else kind)


def pointerGetMemoryType(ptr):
    """pointerGetAttributes(ptr).type"""
    return pointerGetAttributes(ptr).type


# ---- streams and events --------------------------------------------------------------------------


def streamCreate():
    """The handle of a new stream."""
    return streamCreateWithFlags(_cst.streamDefault)


def streamCreateWithFlags(flags):
    return _cu.ask(ctypes.c_void_p, "cuStreamCreate", _cu.UNSIGNED(flags))


def streamCreateWithPriority(flags, priority):
    return _cu.ask(ctypes.c_void_p, "cuStreamCreateWithPriority", _cu.UNSIGNED(flags),
                   _cu.INT(priority))


def streamGetFlags(stream):
    flags = _cu.UNSIGNED()
    _cu.call("cuStreamGetFlags", _cu.handle_of(stream), ctypes.byref(flags))
    return flags.value


def streamGetPriority(stream):
    priority = _cu.INT()
    _cu.call("cuStreamGetPriority", _cu.handle_of(stream), ctypes.byref(priority))
    return priority.value


def streamDestroy(stream):
    _cu.call("cuStreamDestroy_v2", _cu.handle_of(stream))


def streamSynchronize(stream):
    """Waits for what was given to the stream, what Heddle recorded for it included."""
    _cu.settle()
    _cu.call("cuStreamSynchronize", _cu.handle_of(stream))


def streamAddCallback(stream, callback, arg, flags=0):
    """Calls callback(stream, 0, arg) after what was given to the stream; waits for that."""
    streamSynchronize(stream)
    callback(stream, 0, arg)


def launchHostFunc(stream, callback, arg):
    """Calls callback(arg) after what was given to the stream; waits for that."""
    streamSynchronize(stream)
    callback(arg)


def streamQuery(stream):
    """0 if all that was given to the stream has run; else errorNotReady."""
    return _query("cuStreamQuery", stream)


def streamWaitEvent(stream, event, flags=0):
    _cu.call("cuStreamWaitEvent", _cu.handle_of(stream), _cu.handle_of(event), _cu.UNSIGNED(flags))


def eventCreate():
    """The handle of a new event."""
    return eventCreateWithFlags(_cst.eventDefault)


def eventCreateWithFlags(flags):
    return _cu.ask(ctypes.c_void_p, "cuEventCreate", _cu.UNSIGNED(flags))


def eventDestroy(event):
    _cu.call("cuEventDestroy_v2", _cu.handle_of(event))


def eventRecord(event, stream):
    _cu.call("cuEventRecord", _cu.handle_of(event), _cu.handle_of(stream))


def eventSynchronize(event):
    _cu.call("cuEventSynchronize", _cu.handle_of(event))


def _query(function, handle):
    _cu.enter()
    code = _cu._library()[function](_cu.handle_of(handle))
    if code != _cst.errorNotReady:
        _cu.check(code)
    return code


def eventQuery(event):
    """0 if it has happened; else errorNotReady."""
    return _query("cuEventQuery", event)


def eventElapsedTime(start, end):
    """Milliseconds between two events."""
    return _cu.ask(ctypes.c_float, "cuEventElapsedTime", _cu.handle_of(start), _cu.handle_of(end))


def check_status(status):
    """CUDARuntimeError unless it is 0."""
    _cu.check(status)


def __getattr__(name):
    raise AttributeError(f"Heddle has no cupy.cuda.runtime.{name}")
