# SPDX-License-Identifier: BSD-3-Clause
"""The memory that a device holds for arrays, and what it keeps for reuse."""
from .. import _heddle
from ._device import Device


class MemoryPool:
    """The allocator of the current device. Sizes are those of its blocks."""
    __slots__ = ()

    @staticmethod
    def _stats():
        return _heddle._stats(Device()._where)

    def used_bytes(self):
        """Bytes in use by arrays."""
        return self._stats()["memory_used"]

    def free_bytes(self):
        """Bytes kept for reuse."""
        return self._stats()["memory_cached"]

    def total_bytes(self):
        """Bytes that the driver gave: in use and kept."""
        stats = self._stats()
        return stats["memory_used"] + stats["memory_cached"]

    def free_all_blocks(self, stream=None):
        """Gives what is kept back to the system."""
        _heddle._trim(Device()._where)

    def set_limit(self, size=None, fraction=None):
        """The most that may be held: bytes, or a part of the device's memory; 0: no limit."""
        if (size is None) == (fraction is None):
            raise ValueError("size or fraction must be given, not both")
        if fraction is not None:
            if not 0 <= fraction <= 1:
                raise ValueError(f"fraction must be within [0, 1], not {fraction}")
            size = int(fraction * Device().mem_info[1])
        if size < 0:
            raise ValueError(f"size must not be negative, but it is {size}")
        _heddle._memory_limit(Device()._where, size)

    def get_limit(self):
        """The limit in bytes; 0: there is none."""
        return _heddle._memory_limit(Device()._where, -1)


class PinnedMemoryPool:
    """Pinned memory of the host, which results of transfers live in."""
    __slots__ = ()

    def free_all_blocks(self):
        """Gives what is kept back to the system, that of the device included."""
        _heddle._trim(Device()._where)


_pool, _pinned = MemoryPool(), PinnedMemoryPool()


def get_default_memory_pool():
    """The pool that arrays' memory comes from: that of the current device."""
    return _pool


def get_default_pinned_memory_pool():
    """The pool that pinned memory comes from."""
    return _pinned
