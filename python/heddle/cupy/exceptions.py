# SPDX-License-Identifier: BSD-3-Clause
"""cupy.exceptions: NumPy's."""
from ._sharing import sharing as _sharing

__getattr__, __dir__ = _sharing("cupy.exceptions", "heddle.exceptions")
