# SPDX-License-Identifier: BSD-3-Clause
"""CUDA devices."""
from operator import index

from .. import _heddle
from .._state import device as _device


def is_available():
    """Is there a GPU whose driver can be used? Opens none."""
    return _heddle._device_count("cuda") > 0


class _Runtime:
    """The few functions of the CUDA runtime that CuPy programs ask."""

    @staticmethod
    def getDeviceCount():
        return _heddle._device_count("cuda")

    @staticmethod
    def deviceSynchronize():
        _heddle._wait_all("cuda")

    @staticmethod
    def memGetInfo():
        return Device().mem_info


runtime = _Runtime()


def get_device_id():
    """The number of the current CUDA device."""
    return Device().id


class Device:
    """A CUDA device by number; with Device(1): arrays made in the block are made there.

    device: its number, its name ("cuda:1"), or None for the current one.
    """
    __slots__ = ("_where",)

    def __init__(self, device=None):
        if isinstance(device, Device):
            device = device.id
        name = "cuda" if device is None else device if isinstance(device, str) \
            else f"cuda:{index(device)}"
        self._where = _device(name)
        if not self._where.startswith("cuda:"):
            raise ValueError(f"{name!r} is no CUDA device")

    @property
    def id(self):
        """Its number."""
        return int(self._where[5:])

    def __int__(self):
        return self.id

    def __index__(self):
        return self.id

    def __repr__(self):
        return f"<CUDA Device {self.id}>"

    def __eq__(self, other):
        return isinstance(other, Device) and self.id == other.id

    def __hash__(self):
        return hash(self._where)

    def __enter__(self):
        self._where.__enter__()
        return self

    def __exit__(self, *exception):
        self._where.__exit__(*exception)

    def use(self):
        """Makes this the current device of the thread."""
        self._where.use()

    def synchronize(self):
        """Waits for everything on the device, whoever enqueued it."""
        _heddle._wait_all(self._where)

    def _facts(self):
        return dict(line.split("\t", 1)
                    for line in _heddle._device_info(self._where).splitlines())

    @property
    def name(self):
        """What the product is called."""
        return self._facts()["gpu"]

    @property
    def compute_capability(self):
        """As CuPy writes it: "90" for 9.0."""
        return self._facts()["compute capability"].replace(".", "")

    @property
    def mem_info(self):
        """Bytes of memory that are free, and that there are."""
        facts = self._facts()
        return int(facts.get("memory free", 0)), int(facts["memory"])

    @property
    def attributes(self):
        """Facts of the device that kernels are planned with."""
        facts = self._facts()
        major, minor = facts["compute capability"].split(".")
        return {"ComputeCapabilityMajor": int(major), "ComputeCapabilityMinor": int(minor),
                "MultiProcessorCount": int(facts["multiprocessors"]),
                "L2CacheSize": int(facts["level 2 cache"])}
