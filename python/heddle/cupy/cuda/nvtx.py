# SPDX-License-Identifier: BSD-3-Clause
"""Marks that NVIDIA's profilers show, through libnvToolsExt.

available: is that library there? Without it marks do nothing, as there is nobody to show them.
"""
import ctypes

__all__ = ["Mark", "MarkC", "RangeEnd", "RangePop", "RangePush", "RangePushC", "RangeStart",
           "available"]


def _open():
    try:
        library = ctypes.CDLL("libnvToolsExt.so.1")
    except OSError:
        return None
    library.nvtxMarkA.argtypes = library.nvtxRangePushA.argtypes = [ctypes.c_char_p]
    library.nvtxRangeStartA.argtypes = [ctypes.c_char_p]
    library.nvtxRangeStartA.restype = ctypes.c_uint64
    library.nvtxRangeEnd.argtypes = [ctypes.c_uint64]
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


def RangeStart(message, id_color=-1):
    """A range starts here that may end in another thread, and need not nest. Returns its number."""
    return _library.nvtxRangeStartA(message.encode()) if available else 0


def RangeEnd(id):
    """The range of that number ends here."""
    if available:
        _library.nvtxRangeEnd(id)


def RangePop():
    """The range that was started last ends here."""
    if available:
        _library.nvtxRangePop()


def __getattr__(name):
    raise AttributeError(f"Heddle has no cupy.cuda.nvtx.{name}")
