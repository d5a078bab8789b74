# SPDX-License-Identifier: BSD-3-Clause
"""Memory by CuPy's names. Heddle has one allocator for each device, the CPU as well."""
import ctypes
import warnings
from contextlib import contextmanager

import numpy

from ... import _heddle, asarray, empty
from ..._heddle import _is_array
from ... import cuda as _gpu
from ..._state import device as _where
from ..._state import synchronize as _synchronize
from .device import Device, on_gpu

OutOfMemoryError = MemoryError      # what Heddle raises


class MemoryPointer:
    """The address of an array's memory, or of other memory that has one (Memory, UnownedMemory),
    which it keeps alive: ptr, mem, device."""

    def __init__(self, mem, offset=0):
        self.mem, self._offset = mem, offset
        if _is_array(mem):
            interface = "__array_interface__" if _heddle._is_host(mem.device) \
                else "__cuda_array_interface__"
            self._start = getattr(mem, interface)["data"][0]
        else:
            self._start = mem.ptr

    @property
    def ptr(self):
        return self._start + self._offset

    @property
    def device_id(self):
        if not _is_array(self.mem):
            return self.mem.device_id
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

    # Copies wait for what Heddle was given before; those in the order of a stream do not.

    def copy_from_device(self, src, size):
        """Takes bytes of another MemoryPointer."""
        _copy(self.ptr, src.ptr, size)

    def copy_from_host(self, mem, size):
        """Takes bytes of the host's memory: an address, or an object with one (ctypes)."""
        _copy(self.ptr, _address(mem), size)

    def copy_from(self, mem, size):
        """copy_from_device() or copy_from_host()."""
        _copy(self.ptr, _address(mem), size)

    def copy_to_host(self, mem, size):
        """Gives bytes to the host's memory."""
        _copy(_address(mem), self.ptr, size)

    def memset(self, value, size):
        """Sets bytes."""
        if on_gpu():
            _runtime().memset(self.ptr, value, size)
        else:
            _synchronize()
            ctypes.memset(self.ptr, value, size)

    def copy_from_device_async(self, src, size, stream=None):
        """copy_from_device() in the order of a stream (the current one)."""
        _copy(self.ptr, src.ptr, size, _stream(stream))

    def copy_from_host_async(self, mem, size, stream=None):
        """copy_from_host() in the order of a stream; the memory must stay until it has run."""
        _copy(self.ptr, _address(mem), size, _stream(stream))

    def copy_from_async(self, mem, size, stream=None):
        """copy_from() in the order of a stream."""
        _copy(self.ptr, _address(mem), size, _stream(stream))

    def copy_to_host_async(self, mem, size, stream=None):
        """copy_to_host() in the order of a stream."""
        _copy(_address(mem), self.ptr, size, _stream(stream))

    def memset_async(self, value, size, stream=None):
        """memset() in the order of a stream."""
        if on_gpu():
            _runtime().memsetAsync(self.ptr, value, size, _stream(stream))
        else:
            self.memset(value, size)


def _runtime():
    from . import runtime
    return runtime


def _address(mem):
    """Of a MemoryPointer, a number, or ctypes' pointer to void."""
    return getattr(mem, "ptr", None) or getattr(mem, "value", mem) or 0


def _stream(stream):
    from .stream import get_current_stream
    return get_current_stream() if stream is None else stream


def _copy(to, source, size, stream=None):
    if not on_gpu():
        _synchronize()
        ctypes.memmove(to, source, size)
    elif stream is None:
        _runtime().memcpy(to, source, size)
    else:
        _runtime().memcpyAsync(to, source, size, _runtime().memcpyDefault, stream)


class BaseMemory:
    """Memory of the driver's own functions, given back with the object. ptr, size, device_id."""
    ptr = size = device_id = 0

    def __init__(self, size, get, give):
        self.size, self.device_id = size, Device().id
        self.ptr, self._give = (get(size), give) if size > 0 else (0, None)

    def __del__(self):
        if getattr(self, "_give", None):
            self._give(self.ptr)

    @property
    def device(self):
        return Device(self.device_id)

    def __int__(self):
        return self.ptr

    @property
    def __cuda_array_interface__(self):
        return {"shape": (self.size,), "typestr": "|u1", "data": (self.ptr, False), "version": 3}


class Memory(BaseMemory):
    """So many bytes of the current device's memory from the driver, outside the pool."""

    def __init__(self, size):
        super().__init__(size, _runtime().malloc, _runtime().free)


class ManagedMemory(BaseMemory):
    """So many bytes that the host and all devices reach."""

    def __init__(self, size):
        super().__init__(size, _runtime().mallocManaged, _runtime().free)

    def prefetch(self, stream, *, device_id=None):
        """Brings it to a device (the current one)."""
        number = Device().id if device_id is None else device_id
        _runtime().memPrefetchAsync(self.ptr, self.size, number, stream)

    def advise(self, advise, dev):
        """Tells the driver how it will be used."""
        _runtime().memAdvise(self.ptr, self.size, advise, int(dev))


class UnownedMemory(BaseMemory):
    """Memory of somebody else. ptr, size; owner: kept alive; device_id."""

    def __init__(self, ptr, size, owner, device_id=-1):
        self.ptr, self.size, self._owner = ptr, size, owner
        self.device_id = Device().id if device_id < 0 else device_id
        if not on_gpu():
            self.__array_interface__ = {"shape": (size,), "typestr": "|u1", "data": (ptr, False),
                                        "version": 3}


def array_over(memptr, shape, dtype, strides=None, order="C"):
    """An array of any shape over the memory of a MemoryPointer, which it keeps alive.

    ValueError: it would reach beyond memory whose size is known.
    """
    shape = tuple(shape) if hasattr(shape, "__iter__") else (shape,)
    strides = _steps(shape, dtype, order) if strides is None else strides
    layout = numpy.lib.stride_tricks.as_strided(numpy.empty((), dtype), shape, strides)
    low, high = numpy.lib.array_utils.byte_bounds(layout)
    start = layout.__array_interface__["data"][0]
    low, high = low - start + memptr._offset, high - start + memptr._offset
    size = getattr(memptr.mem, "nbytes", getattr(memptr.mem, "size", high))
    if layout.size and (low < 0 or high > size):
        raise ValueError(f"an array of shape {layout.shape} and strides {layout.strides} needs "
                         f"bytes {low} to {high} of memory that has {size}")
    placed = _Placed(memptr, layout)
    return asarray(placed if on_gpu() else numpy.asarray(placed), copy=False)


def _steps(shape, dtype, order):
    """Strides of a dense array, which is not made."""
    steps, step = [], numpy.dtype(dtype).itemsize
    for n in shape if order == "F" else reversed(shape):
        steps.append(step)
        step *= max(n, 1)
    return tuple(steps if order == "F" else reversed(steps))


class _Placed:
    """What asarray() reads: a layout at an address."""

    def __init__(self, memptr, layout):
        self._memory = memptr
        facts = {"shape": layout.shape, "typestr": layout.dtype.str, "strides": layout.strides,
                 "data": (memptr.ptr, False), "version": 3}
        if on_gpu():
            self.__cuda_array_interface__ = facts
        else:
            self.__array_interface__ = facts


def malloc_managed(size):
    """Managed memory as a MemoryPointer; where arrays are on the CPU, its memory."""
    if not on_gpu():
        return alloc(size)
    return MemoryPointer(ManagedMemory(size), 0)


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

    free_all_free = free_all_blocks    # its older name

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
