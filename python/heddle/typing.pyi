# SPDX-License-Identifier: BSD-3-Clause
"""Names for annotations; typing.py makes NDArray of what exists at run time."""
from numpy.typing import ArrayLike as ArrayLike
from numpy.typing import DTypeLike as DTypeLike

from ._array import NDArray as NDArray

__all__ = ["ArrayLike", "DTypeLike", "NDArray"]
