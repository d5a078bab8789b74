# SPDX-License-Identifier: BSD-3-Clause
"""NumPy's own exception types."""
from numpy.exceptions import (AxisError, ComplexWarning, DTypePromotionError, ModuleDeprecationWarning,
                              RankWarning, TooHardError, VisibleDeprecationWarning)

__all__ = ["AxisError", "ComplexWarning", "DTypePromotionError", "ModuleDeprecationWarning",
           "RankWarning", "TooHardError", "VisibleDeprecationWarning"]
