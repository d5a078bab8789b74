# SPDX-License-Identifier: BSD-3-Clause
"""Linear algebra of this release."""
from numpy.linalg import LinAlgError

from ._functions import diagonal as _diagonal
from ._functions import matrix_transpose, outer
from ._functions import trace as _trace
from ._heddle import matmul

__all__ = ["LinAlgError", "diagonal", "matmul", "matrix_transpose", "outer", "trace"]


def diagonal(x, /, *, offset=0):
    """Diagonals of the matrices in the last two axes."""
    return _diagonal(x, offset, -2, -1)


def trace(x, /, *, offset=0, dtype=None):
    """Sums of the diagonals of the matrices in the last two axes."""
    return _trace(x, offset, -2, -1, dtype)
