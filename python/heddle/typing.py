# SPDX-License-Identifier: BSD-3-Clause
"""Names for annotations, as numpy.typing has them: NDArray[float32] is an array of that dtype."""
from types import GenericAlias
from typing import Any, TypeVar

import numpy
from numpy.typing import ArrayLike, DTypeLike

from ._heddle import ndarray

__all__ = ["ArrayLike", "DTypeLike", "NDArray"]

_Scalar = TypeVar("_Scalar", bound=numpy.generic)
NDArray = GenericAlias(ndarray, (Any, GenericAlias(numpy.dtype, (_Scalar,))))


def __getattr__(name):
    if name == "NBitBase":      # deprecated in NumPy: only for those who ask
        from numpy.typing import NBitBase
        return NBitBase
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
