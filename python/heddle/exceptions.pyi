# SPDX-License-Identifier: BSD-3-Clause
# Made by tools/stubs.py from python/heddle/exceptions.py and tools/stubs.toml: do not edit; `make gen` writes it again.
from numpy.exceptions import AxisError as AxisError
from numpy.exceptions import ComplexWarning as ComplexWarning
from numpy.exceptions import DTypePromotionError as DTypePromotionError
from numpy.exceptions import ModuleDeprecationWarning as ModuleDeprecationWarning
from numpy.exceptions import RankWarning as RankWarning
from numpy.exceptions import TooHardError as TooHardError
from numpy.exceptions import VisibleDeprecationWarning as VisibleDeprecationWarning
from ._heddle import NotOurs as NotOurs

__all__ = ["AxisError", "ComplexWarning", "ConversionWarning", "DTypePromotionError",
           "ModuleDeprecationWarning", "NotOurs", "RankWarning", "TooHardError",
           "VisibleDeprecationWarning"]

class ConversionWarning(UserWarning):
    ...
