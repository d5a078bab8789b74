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
    _result.__doc__ = f"What {_result.__name__[:-6].lower()}() returns."


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
    """x with a x = b.

    a: (..., n, n). b: (n,) or (..., n, k). The result has b's shape, batches broadcast together.
    LinAlgError if a is not square or a matrix is singular; ValueError if shapes do not fit.
    """
    return _heddle._linalg_solve(a, b)


def inv(a):
    """Inverses of the matrices (..., n, n). LinAlgError if one is not square or singular."""
    return _heddle._linalg_inv(a, False)


def tensorsolve(a, b, axes=None):
    """x with tensordot(a, x, x.ndim) = b.

    a has b's shape followed by that of x, of as many elements each; axes of a that are named are
    moved to its end first. LinAlgError if the shapes do not fit or a is singular.
    """
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
    """The inverse of a as a map from arrays of a.shape[ind:] to arrays of a.shape[:ind].

    The result has shape a.shape[ind:] + a.shape[:ind]. ValueError if ind is not positive,
    LinAlgError if both shapes do not have as many elements or a is singular.
    """
    a = asarray(a)
    if ind <= 0:
        raise ValueError("Invalid ind argument.")
    size = 1
    for extent in a.shape[ind:]:
        size *= extent
    return inv(a.reshape((size, -1))).reshape(a.shape[ind:] + a.shape[:ind])


def matrix_power(a, n):
    """Products of n copies of each matrix in (..., m, m); of the inverse where n is negative.

    TypeError if n is no integer, LinAlgError if a is not square.
    """
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
    """x with the least |a x - b|, and of these the one with the least |x|.

    a: (m, n). b: (m,) or (m, k). Singular values at most rcond times the largest count as 0; None
    stands for the precision times the larger of m and n, a number outside of (0, 1) for the
    precision, nan for no cutoff. Returns x (n,) or (n, k), the sums of squares of a x - b (k,),
    empty where the rank is below n or m <= n, the rank, and the singular values of a. LinAlgError
    if an array is not two-dimensional, if shapes do not fit, and if the decomposition does not
    converge.
    """
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
    """Determinants of the matrices (..., n, n). LinAlgError if they are not square."""
    return _heddle._linalg_det(a)


def slogdet(a):
    """Signs of the determinants of (..., n, n), of complex ones numbers of absolute value 1, and the
    logarithms of their absolute values: 0 and -inf of a singular matrix.

    LinAlgError if the matrices are not square.
    """
    return SlogdetResult(*_heddle._linalg_slogdet(a))


# ---- decompositions ------------------------------------------------------------------------------


def cholesky(a, /, *, upper=False):
    """Lower triangular L with L L^H = a, or upper triangular U with U^H U = a, of positive definite
    (..., n, n). One triangle of a is read.

    LinAlgError if a matrix is not square or not positive definite.
    """
    return _heddle._linalg_cholesky(a, upper)


_QR_MODES = {"reduced": 0, "complete": 1, "r": 2, "raw": 3, "economic": 3, "e": 3, "full": 0,
             "f": 0}


def qr(a, mode="reduced"):
    """Factors of (..., m, n) = Q R: Q has orthonormal columns, R is upper triangular.

    mode, where k is the smaller of m and n: "reduced": Q (..., m, k) and R (..., k, n); "complete":
    Q (..., m, m) and R (..., m, n); "r": R alone; "raw": LAPACK's reflectors (..., n, m) and their
    factors (..., k). ValueError for another mode.
    """
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
    """Singular value decomposition of (..., m, n) = U diag(S) Vh, S falling.

    With k the smaller of m and n, U is (..., m, k) and Vh (..., k, n), or both are square if
    full_matrices. compute_uv False: S alone. hermitian: a is Hermitian, and its lower triangle is
    read. LinAlgError if a has less than two axes, or the algorithm does not converge.
    """
    result = _heddle._linalg_svd(a, full_matrices, compute_uv, hermitian)
    return SVDResult(*result) if compute_uv else result


def svdvals(x, /):
    """Singular values of (..., m, n), falling: (..., min(m, n))."""
    return _heddle._linalg_svd(x, False, False, False)


def _is_upper(UPLO):
    UPLO = UPLO.upper()
    if UPLO not in ("L", "U"):
        raise ValueError("UPLO argument must be 'L' or 'U'")
    return UPLO == "U"


def eigh(a, UPLO="L"):
    """Eigenvalues (..., n), rising, and eigenvectors, the columns of (..., n, n), of Hermitian
    (..., n, n), of which the lower or the upper triangle is read.

    ValueError for another UPLO, LinAlgError if a is not square or the algorithm does not converge.
    """
    return EighResult(*_heddle._linalg_eigh(a, _is_upper(UPLO), True))


def eigvalsh(a, UPLO="L"):
    """Eigenvalues of Hermitian (..., n, n), rising. As eigh()."""
    return _heddle._linalg_eigh(a, _is_upper(UPLO), False)


def eig(a):
    """Eigenvalues (..., n), in no order, and eigenvectors, the columns of (..., n, n), of
    (..., n, n). Of real matrices they are real where all eigenvalues are, which is found at the
    call.

    LinAlgError if a is not square or not finite, or the algorithm does not converge.
    """
    return EigResult(*_heddle._linalg_eig(a, True))


def eigvals(a):
    """Eigenvalues of (..., n, n). As eig()."""
    return _heddle._linalg_eig(a, False)


# ---- by singular values --------------------------------------------------------------------------


def matrix_rank(A, tol=None, hermitian=False, *, rtol=None):
    """How many singular values of each matrix in (..., m, n) are above tol, or above rtol times the
    largest; rtol None stands for the precision times the larger of m and n. Of less than two axes:
    1 unless all elements are 0.

    ValueError if both tol and rtol are given.
    """
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
    """Pseudo-inverses (..., n, m) of (..., m, n), by singular values: those at most rcond (or rtol)
    times the largest count as 0. rcond None is 1e-15; rtol None is the precision times the larger
    of m and n. hermitian as in svd().

    ValueError if both are given, LinAlgError as svd().
    """
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
    """All products of an element of x1 with an element of x2, both one-dimensional: ValueError if
    they are not."""
    x1, x2 = asarray(x1), asarray(x2)
    if x1.ndim != 1 or x2.ndim != 1:
        raise ValueError("Input arrays must be one-dimensional, but they are "
                         f"x1.ndim={x1.ndim} and x2.ndim={x2.ndim}.")
    return _outer(x1, x2)


def cross(x1, x2, /, *, axis=-1):
    """Cross products of vectors of three elements along axis. ValueError if they have not three."""
    x1, x2 = asarray(x1), asarray(x2)
    if x1.shape[axis] != 3 or x2.shape[axis] != 3:
        raise ValueError("Both input arrays must be (arrays of) 3-dimensional vectors, but they "
                         f"are {x1.shape[axis]} and {x2.shape[axis]} dimensional instead.")
    return _cross(x1, x2, axis=axis)


def tensordot(x1, x2, /, *, axes=2):
    """Sums of products over some axes of both. As heddle.tensordot()."""
    return _tensordot(x1, x2, axes)


def vecdot(x1, x2, /, *, axis=-1):
    """Sums of products along axis, x1 conjugated."""
    return _vecdot(x1, x2, axis=axis)


def diagonal(x, /, *, offset=0):
    """Diagonals of the matrices in the last two axes."""
    return _diagonal(x, offset, -2, -1)


def trace(x, /, *, offset=0, dtype=None):
    """Sums of the diagonals of the matrices in the last two axes."""
    return _trace(x, offset, -2, -1, dtype)


_make_public(__all__, __name__, globals())
