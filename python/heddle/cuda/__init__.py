# SPDX-License-Identifier: BSD-3-Clause
"""NVIDIA GPUs: devices, streams, events and memory, by CuPy's names.

All work of a device runs in one order. A stream says where it is enqueued, and so what it comes
before and after of the work of other libraries; it does not make operations of Heddle overlap.
"""
from ._device import Device, get_device_id, is_available, runtime
from ._graph import Graph
from ._memory import (MemoryPool, PinnedMemoryPool, get_default_memory_pool,
                      get_default_pinned_memory_pool)
from ._stream import Event, ExternalStream, Stream, get_current_stream, get_elapsed_time

__all__ = ["Device", "Event", "ExternalStream", "Graph", "MemoryPool", "PinnedMemoryPool", "Stream",
           "get_current_stream", "get_default_memory_pool", "get_default_pinned_memory_pool",
           "get_device_id", "get_elapsed_time", "is_available", "runtime"]
