# SPDX-License-Identifier: BSD-3-Clause
"""cupyx.time: the older name of cupyx.profiler.benchmark."""
from .profiler import benchmark as repeat

__all__ = ["repeat"]
