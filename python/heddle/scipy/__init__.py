# SPDX-License-Identifier: BSD-3-Clause
"""Functions of SciPy for Heddle's arrays."""
from . import ndimage, signal, special

__all__ = ["ndimage", "signal", "special"]
