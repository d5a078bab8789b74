# SPDX-License-Identifier: BSD-3-Clause
"""cupy.linalg: heddle.linalg."""
from ._sharing import sharing as _sharing

__getattr__, __dir__ = _sharing("cupy.linalg", "heddle.linalg")
