# SPDX-License-Identifier: BSD-3-Clause
"""cupyx.scipy.ndimage: heddle.scipy.ndimage."""
from ...cupy._sharing import sharing as _sharing

__getattr__, __dir__ = _sharing("cupyx.scipy.ndimage", "heddle.scipy.ndimage")
