# SPDX-License-Identifier: BSD-3-Clause
"""Tells NVIDIA's profilers what part of a program to look at. Without a GPU there are none."""
import ctypes
import os

from ..._state import synchronize
from .device import on_gpu
from .._sharing import lacking as _lacking

__all__ = ["start", "stop"]


def _call(name):
    if not on_gpu():
        return
    driver = ctypes.CDLL(os.environ.get("HEDDLE_LIBCUDA") or "libcuda.so.1")
    getattr(driver, name)()     # profilers intercept it; without one it does nothing


def start():
    """The profiler looks from here on."""
    synchronize()
    _call("cuProfilerStart")


def stop():
    """The profiler looks no longer."""
    synchronize()
    _call("cuProfilerStop")


__getattr__ = _lacking("cupy.cuda.profiler")
