# SPDX-License-Identifier: BSD-3-Clause
"""Memory by CuPy's names. Heddle has one allocator for each device, the CPU as well."""
import warnings
from contextlib import contextmanager

from ... import _heddle, empty
from ... import cuda as _gpu
from ..._state import device as _where
from .device import Device, on_gpu

OutOfMemoryError = MemoryError      # what Heddle raises


class MemoryPointer:
    """The address of an array's memory, which it keeps alive: ptr, mem, device."""

    def __init__(self, array, offset=0):
        self.mem, self._offset = array, offset
        interface = "__array_interface__" if _heddle._is_host(array.device) \
            else "__cuda_array_interface__"
        self._start = getattr(array, interface)["data"][0]

    @property
    def ptr(self):
        return self._start + self._offset

    @property
    def device_id(self):
        return 0 if _heddle._is_host(self.mem.device) else int(self.mem.device[5:])

    @property
    def device(self):
        return Device(self.device_id)

    def __int__(self):
        return self.ptr

    def __add__(self, offset):
        return MemoryPointer(self.mem, self._offset + offset)

    __radd__ = __add__

    def __sub__(self, offset):
        return self + -offset


class MemoryPool(_gpu.MemoryPool):
    """The allocator of the device that arrays are made on; all pools are that one.

    allocator: memory from elsewhere is a NotImplementedError.
    """
    __slots__ = ()

    def __init__(self, allocator=None):
        if allocator is not None:
            raise NotImplementedError("a MemoryPool over another allocator: Heddle has its own")

    @staticmethod
    def _stats():
        return _heddle._stats(_where())

    def malloc(self, size):
        """Memory of so many bytes, as a MemoryPointer."""
        return alloc(size)

    def n_free_blocks(self):
        """All that is kept for reuse counts as one block."""
        return int(self.free_bytes() > 0)

    def free_all_blocks(self, stream=None):
        """Gives what is kept back to the system."""
        _heddle._trim(_where())

    def set_limit(self, size=None, fraction=None):
        """The most that may be held: bytes, or a part of the device's memory; 0: no limit. The CPU
        has no limit, and a warning says so."""
        if on_gpu():
            super().set_limit(size, fraction)
        elif size or fraction:
            warnings.warn("memory of the CPU has no limit here: set_limit() changes nothing",
                          RuntimeWarning, stacklevel=2)

    def get_limit(self):
        """The limit in bytes; 0: there is none."""
        return super().get_limit() if on_gpu() else 0


class PinnedMemoryPool(_gpu.PinnedMemoryPool):
    """Memory of the host that results of transfers live in. It is kept with that of the device."""
    __slots__ = ()

    def malloc(self, size):
        """Pinned memory of so many bytes."""
        from .pinned_memory import alloc_pinned_memory
        return alloc_pinned_memory(size)

    def n_free_blocks(self):
        """All that is kept for reuse counts as one block."""
        return _pool.n_free_blocks()

    def free_all_blocks(self):
        """Gives what is kept back to the system, that of the device included."""
        _heddle._trim(_where())


_pool, _pinned = MemoryPool(), PinnedMemoryPool()


def get_default_memory_pool():
    return _pool


def get_default_pinned_memory_pool():
    return _pinned


def alloc(size):
    """Memory of so many bytes on the device that arrays are made on, as a MemoryPointer."""
    return MemoryPointer(empty(size, "u1"))


def _check_allocator(allocator, pool):
    if allocator is None:
        warnings.warn("memory is kept for reuse in any case; free_all_blocks() gives it back",
                      RuntimeWarning, stacklevel=3)
    elif not isinstance(getattr(allocator, "__self__", None), pool):
        raise NotImplementedError(f"{allocator} as allocator: Heddle has its own")


def set_allocator(allocator=None):
    """Takes the malloc of a MemoryPool, which is what is there; None, for memory without a pool,
    is a warning. NotImplementedError: another allocator."""
    _check_allocator(allocator, MemoryPool)


def set_pinned_memory_allocator(allocator=None):
    """Takes the malloc of a PinnedMemoryPool, as set_allocator() takes that of a MemoryPool."""
    _check_allocator(allocator, PinnedMemoryPool)


@contextmanager
def using_allocator(allocator=None):
    """set_allocator() for a block."""
    set_allocator(allocator)
    yield


def get_allocator():
    """What allocates the memory of arrays."""
    return _pool.malloc
