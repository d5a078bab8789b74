# SPDX-License-Identifier: BSD-3-Clause
"""Pinned memory of the host: what a GPU transfers to without a copy in between."""
import numpy

from ... import empty
from ..._state import asnumpy
from .device import on_gpu
from .memory import PinnedMemoryPool, get_default_pinned_memory_pool
from .._sharing import lacking as _lacking

__all__ = ["PinnedMemoryPool", "PinnedMemoryPointer", "alloc_pinned_memory",
           "get_default_pinned_memory_pool", "pinned_array"]


def pinned_array(shape, dtype=float, order="C"):
    """A numpy.ndarray of any values in pinned memory; where arrays are on the CPU, in any memory.

    What is transferred from a GPU arrives in pinned memory, which this makes use of.
    """
    if not on_gpu():
        return numpy.empty(shape, dtype, order)
    n = numpy.empty(0, dtype)
    count = int(numpy.prod(shape, dtype=numpy.int64))
    flat = asnumpy(empty(count * n.itemsize, "u1"))
    return flat.view(dtype).reshape(shape, order=order)


class PinnedMemoryPointer(numpy.ndarray):
    """Bytes of pinned memory, as numpy.frombuffer() takes them. ptr: their address."""

    @property
    def ptr(self):
        return self.ctypes.data


def alloc_pinned_memory(size):
    """Pinned memory of so many bytes."""
    return pinned_array(size, "u1").view(PinnedMemoryPointer)


__getattr__ = _lacking("cupy.cuda.pinned_memory")
