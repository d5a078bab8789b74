# SPDX-License-Identifier: BSD-3-Clause
"""cupyx.scipy.signal: heddle.scipy.signal."""
from ....cupy._sharing import sharing as _sharing

__getattr__, __dir__ = _sharing("cupyx.scipy.signal", "heddle.scipy.signal", submodules=("windows",))
