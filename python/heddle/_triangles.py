# SPDX-License-Identifier: BSD-3-Clause
"""Diagonals and triangles of matrices: as arrays, as masks and as positions."""
from operator import index

from . import _heddle
from ._creation import arange
from ._functions import beside, result_type
from ._heddle import asanyarray, asarray, elementwise, empty, ndarray, ones, where, zeros
from ._outputs import destination

__all__ = ["diag", "diag_indices", "diag_indices_from", "diagflat", "fill_diagonal",
           "mask_indices", "tri", "tril", "tril_indices", "tril_indices_from", "triu",
           "triu_indices", "triu_indices_from", "vander"]

_greater_equal, _multiply = elementwise["greater_equal"][0], elementwise["multiply"][0]


# ---- diagonals -----------------------------------------------------------------------------------


def _on_diagonal(v, k):
    """A square matrix of zeros but for the vector v on its k-th diagonal."""
    n = v.shape[0] + abs(k)
    matrix = zeros((n, n), v.dtype, device=v.device)
    first = k if k >= 0 else -k * n
    if v.shape[0]:
        matrix.reshape(-1)[first:first + (v.shape[0] - 1) * (n + 1) + 1:n + 1] = v
    return matrix


def diag(v, k=0):
    """Of a matrix a read-only view of its k-th diagonal; of a vector the matrix that has it there.
    """
    v, k = asanyarray(v), index(k)
    if v.ndim == 1:
        return _on_diagonal(asarray(v), k)
    if v.ndim == 2:
        return v.diagonal(k)
    raise ValueError("Input must be 1- or 2-d.")


def diagflat(v, k=0):
    """The matrix with the flattened array on its k-th diagonal."""
    return _on_diagonal(asarray(v).ravel(), index(k))


def _equal_sides(a):
    if any(n != a.shape[0] for n in a.shape):
        raise ValueError("All dimensions of input must be of equal length")


def fill_diagonal(a, val, wrap=False):
    """Writes val, repeated as often as needed, on the main diagonal of an array of two axes or
    more; with wrap, on again below it in a matrix with more rows than columns."""
    a = destination("fill_diagonal()", a)
    if a.ndim < 2:
        raise ValueError("array must be at least 2-d")
    if a.ndim > 2:
        _equal_sides(a)
    val, columns = beside(a, val)[1].astype(a.dtype, copy=False).ravel(), a.shape[-1]
    blocks = [a]
    if wrap and a.ndim == 2 and columns:    # after a whole diagonal one row is left out
        blocks = [a[row:] for row in range(0, a.shape[0], columns + 1)]
    lines = [_heddle._as_strided(b, (min(b.shape),), (sum(b.strides),), 0) for b in blocks]
    if val.size == 0:
        return
    if val.size > 1:
        from ._joining import resize
        val = resize(val, sum(line.shape[0] for line in lines))
    start = 0
    for line in lines:
        n = line.shape[0]
        line[...] = val if val.size == 1 else val[start:start + n]
        start += n


def diag_indices(n, ndim=2):
    """Positions of the main diagonal of an array with ndim axes of extent n: one array per axis."""
    return (arange(n),) * ndim


def diag_indices_from(arr):
    """diag_indices() of an array with two axes or more, all of one extent."""
    if not arr.ndim >= 2:
        raise ValueError("input array must be at least 2-d")
    _equal_sides(arr)
    return diag_indices(arr.shape[0], arr.ndim)


# ---- triangles -----------------------------------------------------------------------------------


def _mask(rows, columns, k, device=None):
    """Where is the column at most k to the right of the diagonal? Numbers that are not whole count
    as arange() has them."""
    return _greater_equal(arange(rows, device=device)[:, None],
                          arange(-k, columns - k, device=device))


def tri(N, M=None, k=0, dtype=float, *, like=None):
    """Matrix of N rows and M (N) columns with ones up to the k-th diagonal and zeros above it."""
    return _mask(N, N if M is None else M, k).astype(dtype, copy=False)


def _triangle(m, k, upper):
    m = asarray(m)
    if m.ndim == 0:
        raise TypeError("a triangle of an array needs an axis or more; this has none")
    mask = _mask(m.shape[-2:][0], m.shape[-1], index(k) - upper, m.device)
    # False stands for 0 in any dtype, and leaves the array its own
    return where(mask, False, m) if upper else where(mask, m, False)


def tril(m, k=0):
    """The matrices in the last two axes with zeros above the k-th diagonal."""
    return _triangle(m, k, False)


def triu(m, k=0):
    """The matrices in the last two axes with zeros below the k-th diagonal."""
    return _triangle(m, k, True)


def tril_indices(n, k=0, m=None):
    """Positions of the lower triangle of an (n, m) array: rows and columns."""
    return tri(n, m, k=k, dtype=bool).nonzero()


def triu_indices(n, k=0, m=None):
    """Positions of the upper triangle of an (n, m) array: rows and columns."""
    return (~tri(n, m, k=k - 1, dtype=bool)).nonzero()


def _matrix_shape(arr):
    if arr.ndim != 2:
        raise ValueError("input array must be 2-d")
    return arr.shape


def tril_indices_from(arr, k=0):
    """Positions of the lower triangle of a matrix like this one."""
    rows, columns = _matrix_shape(arr)
    return tril_indices(rows, k=k, m=columns)


def triu_indices_from(arr, k=0):
    """Positions of the upper triangle of a matrix like this one."""
    rows, columns = _matrix_shape(arr)
    return triu_indices(rows, k=k, m=columns)


def mask_indices(n, mask_func, k=0):
    """Positions that mask_func(matrix, k), as tril() and triu(), leaves in an (n, n) matrix."""
    return (asarray(mask_func(ones((n, n), int), k)) != 0).nonzero()


_FEW_COLUMNS = 16


def vander(x, N=None, increasing=False):
    """Matrix of the powers of the elements of x: N columns, the highest power first unless
    increasing."""
    x = asarray(x)
    if x.ndim != 1:
        raise ValueError("x must be a one-dimensional array or sequence.")
    N = x.shape[0] if N is None else index(N)
    v = empty((x.shape[0], N), result_type(x, "i8"), device=x.device)
    powers = v if increasing else v[:, ::-1]
    if N > 0:
        powers[:, 0] = 1
    if N > _FEW_COLUMNS:
        powers[:, 1:] = x[:, None]
        _multiply.accumulate(powers[:, 1:], 1, None, powers[:, 1:])
        return v
    x = power = x.astype(v.dtype, copy=False)
    for column in range(1, N):      # one kernel, which keeps the power in a register
        powers[:, column] = power
        power = power * x
    return v
