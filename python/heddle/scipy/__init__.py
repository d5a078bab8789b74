# SPDX-License-Identifier: BSD-3-Clause
"""Functions of SciPy for Heddle's arrays."""
from . import signal, special

__all__ = ["signal", "special"]
