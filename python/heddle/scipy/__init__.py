# SPDX-License-Identifier: BSD-3-Clause
"""Functions of SciPy for Heddle's arrays."""
from . import fft, ndimage, signal, special, stats

__all__ = ["fft", "ndimage", "signal", "special", "stats"]
