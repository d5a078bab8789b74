# SPDX-License-Identifier: BSD-3-Clause
"""cupy.typing: heddle.typing."""
from ._sharing import sharing as _sharing

__getattr__, __dir__ = _sharing("cupy.typing", "heddle.typing")
