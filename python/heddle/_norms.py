# SPDX-License-Identifier: BSD-3-Clause
"""Norms of vectors and matrices, and condition numbers."""
from . import _heddle
from ._errstate import errstate
from ._functions import _axis_tuple, moveaxis, normalize_axis
from ._heddle import asarray, dot, elementwise

__all__ = ["cond", "matrix_norm", "norm", "vector_norm"]

_absolute, _sqrt = elementwise["absolute"][0], elementwise["sqrt"][0]
_isnan = elementwise["isnan"][0]
_INF = float("inf")


def _squares(x):
    if x.dtype.kind != "c":
        return x * x
    return x.real * x.real + x.imag * x.imag


def _sum_of_squares(x):
    """Of a vector: one sum of products."""
    return dot(x, x) if x.dtype.kind != "c" else dot(x.real, x.real) + dot(x.imag, x.imag)


def _vector_norm(x, ord, axis, keepdims):
    if ord is None or ord == 2:
        return _sqrt(_squares(x).sum(axis=axis, keepdims=keepdims))
    if isinstance(ord, str):
        raise ValueError(f"Invalid norm order '{ord}' for vectors")
    if ord == _INF:
        return _absolute(x).max(axis=axis, keepdims=keepdims, initial=0)
    if ord == -_INF:
        return _absolute(x).min(axis=axis, keepdims=keepdims)
    if ord == 0:
        return (x != 0).astype(x.real.dtype).sum(axis=axis, keepdims=keepdims)
    size = _absolute(x)
    if ord == 1:
        return size.sum(axis=axis, keepdims=keepdims)
    return (size ** ord).sum(axis=axis, keepdims=keepdims) ** (1 / ord)


def _of_sums(x, over, along, largest):
    """The largest or smallest sum of absolute values over one axis, along the other."""
    sums = _absolute(x).sum(axis=over)
    along -= along > over
    return sums.max(axis=along, initial=0) if largest else sums.min(axis=along)


def _singular_values(x, row, column):
    return _heddle._linalg_svd(moveaxis(x, (row, column), (-2, -1)), False, False, False)


def _matrix_norm(x, ord, axes):
    row, column = axes
    if ord is None or ord in ("fro", "f"):
        return _sqrt(_squares(x).sum(axis=axes))
    if ord == 2:
        return _singular_values(x, row, column).max(axis=-1, initial=0)
    if ord == -2:
        return _singular_values(x, row, column).min(axis=-1)
    if ord == "nuc":
        return _singular_values(x, row, column).sum(axis=-1)
    if ord in (1, -1):
        return _of_sums(x, row, column, ord == 1)
    if ord in (_INF, -_INF):
        return _of_sums(x, column, row, ord == _INF)
    raise ValueError("Invalid norm order for matrices.")


def norm(x, ord=None, axis=None, keepdims=False):
    """Norms of vectors, along one axis, or of matrices, along two."""
    x = asarray(x)
    if x.dtype.kind in "biu":
        x = x.astype("float64")
    nd = x.ndim
    if axis is None:
        if ord is None or (ord in ("f", "fro") and nd == 2) or (ord == 2 and nd == 1):
            r = _sqrt(_sum_of_squares(x if nd == 1 else x.ravel("K")))
            return r.reshape((1,) * nd) if keepdims else r
        axis = tuple(range(nd))
    elif not isinstance(axis, tuple):
        try:
            axis = (int(axis),)
        except (TypeError, ValueError) as e:
            raise TypeError("'axis' must be None, an integer or a tuple of integers") from e
    if len(axis) == 1:
        return _vector_norm(x, ord, axis, keepdims)
    if len(axis) != 2:
        raise ValueError("Improper number of dimensions to norm.")
    axis = tuple(normalize_axis(k, nd) for k in axis)
    if axis[0] == axis[1]:
        raise ValueError("Duplicate axes given.")
    result = _matrix_norm(x, ord, axis)
    if keepdims:
        result = result.reshape([1 if k in axis else n for k, n in enumerate(x.shape)])
    return result


def matrix_norm(x, /, *, keepdims=False, ord="fro"):
    """Norms of the matrices in the last two axes."""
    return norm(x, ord, (-2, -1), keepdims)


def vector_norm(x, /, *, axis=None, keepdims=False, ord=2):
    """Norms of vectors along one axis or several."""
    x = asarray(x)
    shape = x.shape
    if axis is None:
        axes = tuple(range(x.ndim))
        x, at = x.ravel(), 0
    elif isinstance(axis, tuple):
        axes = _axis_tuple(axis, x.ndim, "axis")
        rest = [k for k in range(x.ndim) if k not in axes]
        n = 1
        for k in axes:
            n *= shape[k]
        x, at = x.transpose([*axes, *rest]).reshape([n, *(shape[k] for k in rest)]), 0
    else:
        axes, at = (axis,), axis
    result = norm(x, ord, at)
    if keepdims:
        axes = [normalize_axis(k, len(shape)) for k in axes]
        result = result.reshape([1 if k in axes else n for k, n in enumerate(shape)])
    return result


def cond(x, p=None):
    """Condition numbers of matrices: the norm times that of the inverse."""
    from numpy.linalg import LinAlgError
    x = asarray(x)
    if x.ndim >= 2 and 0 in x.shape[-2:]:
        raise LinAlgError("cond is not defined on empty arrays")
    with errstate(all="ignore"):
        if p is None or p in (2, -2):
            s = _heddle._linalg_svd(x, False, False, False)
            r = s[..., -1] / s[..., 0] if p == -2 else s[..., 0] / s[..., -1]
        else:
            inverse = _heddle._linalg_inv(x, True)
            r = norm(x, p, (-2, -1)) * norm(inverse, p, (-2, -1))
            r = r.astype(inverse.real.dtype)
    lost = _isnan(r) & ~_isnan(x).any(axis=(-2, -1))
    r = _heddle.where(lost, _INF, r)
    return r if r.ndim else r[()]
