# SPDX-License-Identifier: BSD-3-Clause
"""cupyx.linalg: positive definite matrices, by their Cholesky factors."""
from .. import linalg as _linalg
from .. import matrix_transpose as _turned
from .. import tril as _tril
from .._heddle import asarray as _asarray

__all__ = ["cho_solve", "invh"]


def cho_solve(c_and_lower, b, overwrite_b=False, check_finite=True):
    """x with A x = b, where c_and_lower is A's Cholesky factor and whether it is the lower one. Of the
    factor's other half nothing is read. ValueError: shapes do not fit. overwrite_b and check_finite
    change nothing."""
    c, lower = c_and_lower
    c = _asarray(c)
    c = _tril(c) if lower else _tril(_turned(c).conj())
    return _linalg.solve(_turned(c).conj(), _linalg.solve(c, b))


def invh(a):
    """The inverse of a real symmetric or complex Hermitian matrix, or a stack of them. LinAlgError: it
    is not positive definite."""
    inverse = _linalg.inv(_linalg.cholesky(a))
    return _turned(inverse).conj() @ inverse


def __getattr__(name):
    raise AttributeError(f"Heddle has no cupyx.linalg.{name}")
