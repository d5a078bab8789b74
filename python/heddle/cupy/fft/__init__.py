# SPDX-License-Identifier: BSD-3-Clause
"""cupy.fft: heddle.fft, and what there is to say of its plans."""
from .._sharing import sharing as _sharing

__getattr__, __dir__ = _sharing("cupy.fft", "heddle.fft", submodules=("config",))
