# SPDX-License-Identifier: BSD-3-Clause
"""The everyday part of cupy.cuda.runtime. Wrappers of the rest of NVIDIA's library are not here."""
from ... import _heddle
from ..._state import synchronize as _synchronize
from . import profiler as _profiler
from .device import Device, on_gpu

CUDARuntimeError = RuntimeError     # what Heddle raises
is_hip = False
deviceAttributeComputeCapabilityMajor = 75      # CUDA's numbers of these
deviceAttributeComputeCapabilityMinor = 76
_ATTRIBUTES = {16: "MultiProcessorCount", 38: "L2CacheSize", 75: "ComputeCapabilityMajor",
               76: "ComputeCapabilityMinor"}


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


def getDeviceProperties(device):
    """A dict of facts of a device, under CUDA's names: those that Heddle asks for."""
    device = Device(device)
    facts = device.attributes
    return {"name": device.name.encode(), "totalGlobalMem": device.mem_info[1],
            "major": facts["ComputeCapabilityMajor"], "minor": facts["ComputeCapabilityMinor"],
            "multiProcessorCount": facts["MultiProcessorCount"],
            "l2CacheSize": facts["L2CacheSize"]}


def deviceGetAttribute(attribute, device):
    """A fact of a device by CUDA's number of it: those that Heddle asks for."""
    if attribute not in _ATTRIBUTES:
        raise NotImplementedError(f"attribute {attribute} of a CUDA device")
    return Device(device).attributes[_ATTRIBUTES[attribute]]


def driverGetVersion():
    """The driver's version of CUDA as 1000 * major + 10 * minor; 0 without a GPU."""
    if not on_gpu():
        return 0
    major, minor = Device()._facts()["driver"].split()[1].split(".")
    return 1000 * int(major) + 10 * int(minor)


def profilerStart():
    _profiler.start()


def profilerStop():
    _profiler.stop()


def __getattr__(name):
    raise AttributeError(f"Heddle has no cupy.cuda.runtime.{name}")
