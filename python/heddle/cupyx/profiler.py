# SPDX-License-Identifier: BSD-3-Clause
"""cupyx.profiler: benchmark(), which is heddle.benchmark, and what NVIDIA's profilers are told."""
from contextlib import ContextDecorator, contextmanager

from .._benchmark import benchmark
from ..cupy.cuda import nvtx, profiler
from ..cupy._sharing import lacking as _lacking

__all__ = ["benchmark", "profile", "time_range"]


@contextmanager
def profile():
    """with profile(): NVIDIA's profilers look at the block. Without a GPU it is just the block."""
    profiler.start()
    try:
        yield
    finally:
        profiler.stop()


class time_range(ContextDecorator):
    """A range that NVIDIA's profilers show, of a block or of a function.

    message: its name; of a function by default that of the function. sync: waits for the work at
    both ends, so that the range holds it. Colors are left to the profiler.
    """

    def __init__(self, message=None, color_id=None, argb_color=None, sync=False):
        self._message, self._sync = message, sync

    def __call__(self, function):
        if self._message is None:
            self._message = function.__name__
        return super().__call__(function)

    def _wait(self):
        if self._sync:
            from .._state import synchronize
            synchronize()

    def __enter__(self):
        if self._message is None:
            raise TypeError("a range that is a block needs a message")
        self._wait()
        nvtx.RangePush(self._message)
        return self

    def __exit__(self, *exception):
        self._wait()
        nvtx.RangePop()


__getattr__ = _lacking("cupyx.profiler")
