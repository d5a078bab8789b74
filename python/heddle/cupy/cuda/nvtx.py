# SPDX-License-Identifier: BSD-3-Clause
"""Marks that NVIDIA's profilers show, through libnvToolsExt.

available: is that library there? Without it marks do nothing, as there is nobody to show them.
"""
import ctypes

__all__ = ["Mark", "MarkC", "RangePop", "RangePush", "RangePushC", "available"]


def _open():
    try:
        library = ctypes.CDLL("libnvToolsExt.so.1")
    except OSError:
        return None
    library.nvtxMarkA.argtypes = library.nvtxRangePushA.argtypes = [ctypes.c_char_p]
    return library


_library = _open()
available = _library is not None


def Mark(message, id_color=-1):
    """Marks this moment."""
    if available:
        _library.nvtxMarkA(message.encode())


def MarkC(message, color=0):
    """Marks this moment; the color is left to the profiler."""
    Mark(message)


def RangePush(message, id_color=-1):
    """A range starts here; ranges nest."""
    if available:
        _library.nvtxRangePushA(message.encode())


def RangePushC(message, color=0):
    """A range starts here; the color is left to the profiler."""
    RangePush(message)


def RangePop():
    """The range that was started last ends here."""
    if available:
        _library.nvtxRangePop()


def __getattr__(name):
    raise AttributeError(f"Heddle has no cupy.cuda.nvtx.{name}")
