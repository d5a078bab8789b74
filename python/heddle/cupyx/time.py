# SPDX-License-Identifier: BSD-3-Clause
"""cupyx.time: the older name of cupyx.profiler.benchmark."""
from .profiler import benchmark as repeat
from ..cupy._sharing import lacking as _lacking

__all__ = ["repeat"]

__getattr__ = _lacking("cupyx.time")
