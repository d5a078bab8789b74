# SPDX-License-Identifier: BSD-3-Clause
"""Functions of SciPy for Heddle's arrays."""
from . import special

__all__ = ["special"]
