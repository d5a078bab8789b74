# SPDX-License-Identifier: BSD-3-Clause
"""cupyx.jit: kernels that are written in Python, as functions of numbers and arrays.

A function under @rawkernel() is translated to CUDA C for the types of the arguments that it is
launched with, and is a RawKernel then: on GPUs and on the CPU.
"""
from ._functions import (atomic_add, atomic_and, atomic_cas, atomic_dec, atomic_exch, atomic_inc,
                         atomic_max, atomic_min, atomic_or, atomic_sub, atomic_xor, blockDim,
                         blockIdx, grid, gridDim, gridsize, laneid, shared_memory, shfl_down_sync,
                         shfl_sync, shfl_up_sync, shfl_xor_sync, syncthreads, syncwarp, threadIdx,
                         warpsize)
from ._functions import range_ as range
from ._kernel import rawkernel

__all__ = ["atomic_add", "atomic_and", "atomic_cas", "atomic_dec", "atomic_exch", "atomic_inc",
           "atomic_max", "atomic_min", "atomic_or", "atomic_sub", "atomic_xor", "blockDim",
           "blockIdx", "grid", "gridDim", "gridsize", "laneid", "range", "rawkernel",
           "shared_memory", "shfl_down_sync", "shfl_sync", "shfl_up_sync", "shfl_xor_sync",
           "syncthreads", "syncwarp", "threadIdx", "warpsize"]


def __getattr__(name):
    raise AttributeError(f"Heddle has no cupyx.jit.{name}")
