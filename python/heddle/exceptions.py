# SPDX-License-Identifier: BSD-3-Clause
"""NumPy's own exception types, and two of heddle's: NotOurs, an operand that heddle does not
compute on, and ConversionWarning, of an array that becomes NumPy's (heddle.config.to_numpy)."""
from numpy.exceptions import (AxisError, ComplexWarning, DTypePromotionError, ModuleDeprecationWarning,
                              RankWarning, TooHardError, VisibleDeprecationWarning)

from ._heddle import NotOurs

__all__ = ["AxisError", "ComplexWarning", "ConversionWarning", "DTypePromotionError",
           "ModuleDeprecationWarning", "NotOurs", "RankWarning", "TooHardError",
           "VisibleDeprecationWarning"]


class ConversionWarning(UserWarning):
    """An array became one of NumPy's without the program having said so."""
