# SPDX-License-Identifier: BSD-3-Clause
"""cupy.lib.stride_tricks: heddle.lib.stride_tricks."""
from .._sharing import sharing as _sharing

__getattr__, __dir__ = _sharing("cupy.lib.stride_tricks", "heddle.lib.stride_tricks")
