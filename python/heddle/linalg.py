# SPDX-License-Identifier: BSD-3-Clause
"""Linear algebra: equations, decompositions, norms. The matrices of an array of more than two axes
are its last two; the axes before them are a batch.

LAPACK does the work, in double precision as in NumPy: results of float32 are rounded to it, and
integers count as float64. LinAlgError is NumPy's.
"""
from collections import namedtuple

from . import _heddle
from ._chains import multi_dot
from ._contracting import cross as _cross
from ._contracting import tensordot as _tensordot
from ._functions import diagonal as _diagonal
from ._functions import matrix_transpose
from ._functions import outer as _outer
from ._functions import trace as _trace
from ._handing import make_public as _make_public
from ._heddle import asarray, matmul
from ._heddle import where as _where
from ._norms import cond, matrix_norm, norm, vector_norm
from ._products import vecdot as _vecdot

__all__ = ["EigResult", "EighResult", "LinAlgError", "QRResult", "SVDResult", "SlogdetResult",
           "cholesky", "cond", "cross", "det", "diagonal", "eig", "eigh", "eigvals", "eigvalsh",
           "inv", "lstsq", "matmul", "matrix_norm", "matrix_power", "matrix_rank",
           "matrix_transpose", "multi_dot", "norm", "outer", "pinv", "qr", "slogdet", "solve",
           "svd", "svdvals", "tensordot", "tensorinv", "tensorsolve", "trace", "vecdot",
           "vector_norm"]

EigResult = namedtuple("EigResult", ("eigenvalues", "eigenvectors"))
EighResult = namedtuple("EighResult", ("eigenvalues", "eigenvectors"))
QRResult = namedtuple("QRResult", ("Q", "R"))
SlogdetResult = namedtuple("SlogdetResult", ("sign", "logabsdet"))
SVDResult = namedtuple("SVDResult", ("U", "S", "Vh"))
for _result in (EigResult, EighResult, QRResult, SlogdetResult, SVDResult):
    _of = _result.__name__[:-6].lower()
    _fields = "".join(f"{name} : ndarray\n    As {_of}() gives it.\n" for name in _result._fields)
    _result.__doc__ = f"""What {_of}() returns.

Parameters
----------
{_fields}
See Also
--------
linalg.{_of}

Examples
--------
>>> import heddle as np
>>> np.linalg.{_of}(np.eye(2))._fields
{_result._fields!r}
"""


def _linalg_error():
    """LinAlgError, when it is wanted: to import NumPy takes longer than most calls."""
    from numpy.linalg import LinAlgError
    return LinAlgError


def __getattr__(name):
    if name != "LinAlgError":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return globals().setdefault(name, _linalg_error())


def __dir__():
    return sorted({*globals(), "LinAlgError"})


_unspecified = object()
_DOUBLE_EPS = 2.0 ** -52


def _epsilon(dtype):
    """The distance from 1 to the next number of the dtype that results for this one have."""
    return 2.0 ** -23 if dtype.char in "fF" else _DOUBLE_EPS


def _stacked_matrices(a):
    a = asarray(a)
    if a.ndim < 2:
        raise _linalg_error()(f"{a.ndim}-dimensional array given. Array must be at least "
                              "two-dimensional")
    return a


# ---- equations -----------------------------------------------------------------------------------


def solve(a, b):
    """x with a x = b."""
    return _heddle._linalg_solve(a, b)


def inv(a):
    """Inverses of matrices."""
    return _heddle._linalg_inv(a, False)


def tensorsolve(a, b, axes=None):
    """x with tensordot(a, x, x.ndim) = b."""
    a, b = asarray(a), asarray(b)
    if axes is not None:
        order = list(range(a.ndim))
        for k in axes:
            order.remove(k)
            order.insert(a.ndim, k)
        a = a.transpose(order)
    shape = a.shape[-(a.ndim - b.ndim):]
    size = 1
    for extent in shape:
        size *= extent
    if a.size != size ** 2:
        raise _linalg_error()("Input arrays must satisfy the requirement prod(a.shape[b.ndim:]) == "
                              f"prod(a.shape[:b.ndim]): their shapes are {a.shape} and {b.shape}")
    return solve(a.reshape((size, size)), b.ravel()).reshape(shape)


def tensorinv(a, ind=2):
    """The inverse of a as a map from arrays of a.shape[ind:] to arrays of a.shape[:ind]."""
    a = asarray(a)
    if ind <= 0:
        raise ValueError("Invalid ind argument.")
    size = 1
    for extent in a.shape[ind:]:
        size *= extent
    return inv(a.reshape((size, -1))).reshape(a.shape[ind:] + a.shape[:ind])


def matrix_power(a, n):
    """Products of n copies of each matrix; of the inverse where n is negative."""
    from operator import index
    a = asarray(a)
    if a.ndim < 2 or a.shape[-1] != a.shape[-2]:
        _stacked_matrices(a)
        raise _linalg_error()("Last 2 dimensions of the array must be square")
    try:
        n = index(n)
    except TypeError as e:
        raise TypeError("exponent must be an integer") from e
    if n == 0:
        from ._heddle import broadcast_to, eye
        return broadcast_to(eye(a.shape[-1], dtype=a.dtype), a.shape).copy()
    if n < 0:
        a, n = inv(a), -n
    if n == 1:
        return a
    if n == 3:      # as NumPy: not a (a a)
        return matmul(matmul(a, a), a)
    square = result = None
    while n > 0:
        square = a if square is None else matmul(square, square)
        n, bit = divmod(n, 2)
        if bit:
            result = square if result is None else matmul(result, square)
    return result


def lstsq(a, b, rcond=None):
    """x with the least |a x - b|, and of these the one with the least |x|."""
    from ._heddle import empty, zeros
    a, b = asarray(a), asarray(b)
    m, n = a.shape if a.ndim == 2 else (0, 0)
    if rcond is None:
        rcond = _DOUBLE_EPS * max(m, n)
    x, residuals, rank, s = _heddle._linalg_lstsq(a, b, rcond)
    if m == 0:
        x = zeros(x.shape, x.dtype)
    if m <= n or int(rank) != n:
        residuals = empty((0,), s.dtype)
    return x, residuals, rank, s


# ---- determinants --------------------------------------------------------------------------------


def det(a):
    """Determinants of matrices."""
    return _heddle._linalg_det(a)


def slogdet(a):
    """Signs and logarithms of the determinants of matrices."""
    return SlogdetResult(*_heddle._linalg_slogdet(a))


# ---- decompositions ------------------------------------------------------------------------------


def cholesky(a, /, *, upper=False):
    """Lower triangular L with L L^H = a, or upper triangular U with U^H U = a."""
    return _heddle._linalg_cholesky(a, upper)


_QR_MODES = {"reduced": 0, "complete": 1, "r": 2, "raw": 3, "economic": 3, "e": 3, "full": 0,
             "f": 0}


def qr(a, mode="reduced"):
    """Factors of a = Q R: Q has orthonormal columns, R is upper triangular."""
    number = _QR_MODES.get(mode) if isinstance(mode, str) else None
    if number is None:
        raise ValueError(f"Unrecognized mode '{mode}'")
    old = mode[0] in "ef"
    if old:
        from warnings import warn
        warn(f"The '{'full' if mode[0] == 'f' else 'economic'}' option is deprecated"
             + (" in favor of 'reduced'." if mode[0] == "f" else "."), DeprecationWarning,
             stacklevel=2)
    result = _heddle._linalg_qr(a, number)
    if old and number == 3:
        return matrix_transpose(result[0])
    return result if number >= 2 else QRResult(*result)


def svd(a, full_matrices=True, compute_uv=True, hermitian=False):
    """Singular value decomposition of a = U diag(S) Vh."""
    result = _heddle._linalg_svd(a, full_matrices, compute_uv, hermitian)
    return SVDResult(*result) if compute_uv else result


def svdvals(x, /):
    """Singular values of matrices, the largest first."""
    return _heddle._linalg_svd(x, False, False, False)


def _is_upper(UPLO):
    UPLO = UPLO.upper()
    if UPLO not in ("L", "U"):
        raise ValueError("UPLO argument must be 'L' or 'U'")
    return UPLO == "U"


def eigh(a, UPLO="L"):
    """Eigenvalues and eigenvectors of Hermitian matrices."""
    return EighResult(*_heddle._linalg_eigh(a, _is_upper(UPLO), True))


def eigvalsh(a, UPLO="L"):
    """Eigenvalues of Hermitian matrices."""
    return _heddle._linalg_eigh(a, _is_upper(UPLO), False)


def eig(a):
    """Eigenvalues and eigenvectors of square matrices."""
    return EigResult(*_heddle._linalg_eig(a, True))


def eigvals(a):
    """Eigenvalues of square matrices."""
    return _heddle._linalg_eig(a, False)


# ---- by singular values --------------------------------------------------------------------------


def matrix_rank(A, tol=None, hermitian=False, *, rtol=None):
    """How many singular values of each matrix are above a limit."""
    if rtol is not None and tol is not None:
        raise ValueError("`tol` and `rtol` can't be both set.")
    A = asarray(A)
    if A.ndim < 2:
        return int(bool((A != 0).any()))
    s = svd(A, compute_uv=False, hermitian=hermitian)
    if tol is None:
        rtol = max(A.shape[-2:]) * _epsilon(s.dtype) if rtol is None else asarray(rtol)[..., None]
        tol = s.max(axis=-1, keepdims=True, initial=0) * rtol
    else:
        tol = asarray(tol)[..., None]
    return (s > tol).sum(axis=-1)


def pinv(a, rcond=None, hermitian=False, *, rtol=_unspecified):
    """Pseudo-inverses of matrices, by singular values."""
    a = _stacked_matrices(a)
    if rcond is not None and rtol is not _unspecified:
        raise ValueError("`rtol` and `rcond` can't be both set.")
    if rcond is None:
        rcond = 1e-15 if rtol is _unspecified else rtol
        if rcond is None:
            rcond = max(a.shape[-2:]) * _epsilon(a.dtype)
    if 0 in a.shape[-2:]:
        from ._heddle import empty
        return empty(a.shape[:-2] + (a.shape[-1], a.shape[-2]), dtype=a.dtype)
    u, s, vh = svd(a.conj() if a.dtype.kind == "c" else a, full_matrices=False,
                   hermitian=hermitian)
    cutoff = asarray(rcond)[..., None] * s.max(axis=-1, keepdims=True)
    large = s > cutoff
    one_over = _where(large, 1 / _where(large, s, 1), 0)
    return matmul(vh.mT, one_over[..., None] * u.mT)


# ---- products, as the array API has them ---------------------------------------------------------


def outer(x1, x2, /):
    """All products of an element of x1 with an element of x2."""
    x1, x2 = asarray(x1), asarray(x2)
    if x1.ndim != 1 or x2.ndim != 1:
        raise ValueError("Input arrays must be one-dimensional, but they are "
                         f"x1.ndim={x1.ndim} and x2.ndim={x2.ndim}.")
    return _outer(x1, x2)


def cross(x1, x2, /, *, axis=-1):
    """Cross products of vectors of three elements."""
    x1, x2 = asarray(x1), asarray(x2)
    if x1.shape[axis] != 3 or x2.shape[axis] != 3:
        raise ValueError("Both input arrays must be (arrays of) 3-dimensional vectors, but they "
                         f"are {x1.shape[axis]} and {x2.shape[axis]} dimensional instead.")
    return _cross(x1, x2, axis=axis)


def tensordot(x1, x2, /, *, axes=2):
    """Sums of products over some axes of both arrays."""
    return _tensordot(x1, x2, axes)


def vecdot(x1, x2, /, *, axis=-1):
    """Sums of products along an axis, x1 conjugated."""
    return _vecdot(x1, x2, axis=axis)


def diagonal(x, /, *, offset=0):
    """Diagonals of the matrices in the last two axes."""
    return _diagonal(x, offset, -2, -1)


def trace(x, /, *, offset=0, dtype=None):
    """Sums of the diagonals of the matrices in the last two axes."""
    return _trace(x, offset, -2, -1, dtype)


_make_public(__all__, __name__, globals())
