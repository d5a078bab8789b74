# SPDX-License-Identifier: BSD-3-Clause
"""NumPy's own exception types."""
from numpy.exceptions import (AxisError, ComplexWarning, DTypePromotionError,
                              VisibleDeprecationWarning)

__all__ = ["AxisError", "ComplexWarning", "DTypePromotionError", "VisibleDeprecationWarning"]
