# SPDX-License-Identifier: BSD-3-Clause
"""Devices by CuPy's names, where arrays may be on the CPU as well.

Arrays are on the CPU where there is no GPU, or where HEDDLE_DEVICE says so. Then there are zero
devices; Device(), which programs need for synchronize(), stands for the CPU.
"""
import os
from functools import total_ordering
from operator import index

from ... import cuda as _gpu
from ..._heddle import _here as _where
from ..._state import synchronize as _synchronize
from .._sharing import lacking as _lacking


def on_gpu():
    """Are arrays made on a GPU, as things stand in this thread?"""
    return _where().startswith("cuda")


@total_ordering
class Device(_gpu.Device):
    """A CUDA device by number (None: the current one); with Device(1): arrays are made there.

    Where arrays are on the CPU, Device() and Device(0) stand for it: what waits, waits for it, and
    mem_info tells of the host's memory. Other numbers, and other facts, are a CUDARuntimeError.
    """
    __slots__ = ()

    def __new__(cls, device=None):
        return super().__new__(_Host if cls is Device and not on_gpu() else cls)

    def __eq__(self, other):
        return self._where == other if isinstance(other, str) else super().__eq__(other)

    __hash__ = _gpu.Device.__hash__

    @property
    def pci_bus_id(self):
        """As "0000:1b:00.0"."""
        from .runtime import deviceGetPCIBusId
        return deviceGetPCIBusId(self.id)

    @classmethod
    def from_pci_bus_id(cls, pci_bus_id):
        """The device with that name."""
        from .runtime import deviceGetByPCIBusId
        return cls(deviceGetByPCIBusId(pci_bus_id))

    def __lt__(self, other):
        return self.id < other.id if isinstance(other, _gpu.Device) else NotImplemented


class _Host(Device):
    __slots__ = ()

    def __init__(self, device=None):
        number = getattr(device, "id", 0 if device is None else device)
        if isinstance(number, str) or index(number) != 0:
            raise RuntimeError(f"cudaErrorInvalidDevice: there is no CUDA device {number}: arrays "
                               f"are on {_where()}")
        self._where = _where()

    @property
    def id(self):
        return 0

    def __repr__(self):
        return f"<CUDA Device 0: there is none, arrays are on {self._where}>"

    def synchronize(self):
        """Waits for the work that was recorded."""
        _synchronize()

    def _facts(self):
        raise RuntimeError("cudaErrorNoDevice: there is no CUDA device: arrays are on "
                           f"{self._where}")

    @property
    def mem_info(self):
        """Bytes of the host's memory that are free, and that there are."""
        page = os.sysconf("SC_PAGE_SIZE")
        return os.sysconf("SC_AVPHYS_PAGES") * page, os.sysconf("SC_PHYS_PAGES") * page


def get_device_id():
    """The number of the current device."""
    return Device().id


def get_compute_capability():
    """Of the current device, as "90" for 9.0."""
    return Device().compute_capability


__getattr__ = _lacking("cupy.cuda.device")
