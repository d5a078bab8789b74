# SPDX-License-Identifier: BSD-3-Clause
"""NumPy's own exception types, and NotOurs: an operand that heddle does not compute on."""
from numpy.exceptions import (AxisError, ComplexWarning, DTypePromotionError, ModuleDeprecationWarning,
                              RankWarning, TooHardError, VisibleDeprecationWarning)

from ._heddle import NotOurs

__all__ = ["AxisError", "ComplexWarning", "DTypePromotionError", "ModuleDeprecationWarning",
           "NotOurs", "RankWarning", "TooHardError", "VisibleDeprecationWarning"]
