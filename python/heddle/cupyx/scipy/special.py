# SPDX-License-Identifier: BSD-3-Clause
"""cupyx.scipy.special: heddle.scipy.special."""
from ...cupy._sharing import sharing as _sharing

__getattr__, __dir__ = _sharing("cupyx.scipy.special", "heddle.scipy.special")
