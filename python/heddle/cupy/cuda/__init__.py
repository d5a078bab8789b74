# SPDX-License-Identifier: BSD-3-Clause
"""cupy.cuda: devices, streams, events and memory.

Where arrays are on the CPU there are zero devices, streams only wait, and events take times.
Wrappers of NVIDIA's libraries and modules of kernels are not here.
"""
from .device import Device, get_device_id
from .device import on_gpu as is_available
from .graph import Graph
from .memory import (BaseMemory, ManagedMemory, Memory, MemoryPointer, MemoryPool, PinnedMemoryPool,
                     UnownedMemory, alloc, get_allocator, get_default_memory_pool,
                     get_default_pinned_memory_pool, malloc_managed, set_allocator,
                     set_pinned_memory_allocator, using_allocator)
from .memory_hook import MemoryHook
from .pinned_memory import PinnedMemoryPointer, alloc_pinned_memory
from ._paths import (get_cuda_path, get_hipcc_path, get_local_runtime_version, get_nvcc_path,
                     get_rocm_path)
from .stream import Event, ExternalStream, Stream, get_current_stream, get_elapsed_time
from . import (device, graph, memory, memory_hook, memory_hooks, nvtx, pinned_memory, profiler,
               runtime, stream)

__all__ = ["BaseMemory", "Device", "Event", "ExternalStream", "Graph", "ManagedMemory", "Memory",
           "MemoryAsyncPool", "MemoryHook", "MemoryPointer", "MemoryPool", "PinnedMemoryPointer",
           "PinnedMemoryPool", "Stream", "UnownedMemory", "alloc", "alloc_pinned_memory", "device",
           "get_allocator", "get_cuda_path", "get_current_stream", "get_default_memory_pool",
           "get_default_pinned_memory_pool", "get_device_id", "get_elapsed_time", "get_hipcc_path",
           "get_local_runtime_version", "get_nvcc_path", "get_rocm_path", "graph", "is_available",
           "malloc_async", "malloc_managed", "memory", "memory_hook", "memory_hooks", "nvtx",
           "pinned_memory", "profile", "profiler", "runtime", "set_allocator",
           "set_pinned_memory_allocator", "stream", "using_allocator"]

MemoryAsyncPool, malloc_async = MemoryPool, alloc    # Heddle's pool is the driver's, in stream order


def profile():
    """with profile(): NVIDIA's profiler looks at the block."""
    from ...cupyx.profiler import profile as block
    return block()


def __getattr__(name):
    raise AttributeError(f"Heddle has no cupy.cuda.{name}")
