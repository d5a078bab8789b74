# SPDX-License-Identifier: BSD-3-Clause
"""Polynomials through points, and their zeros: what takes linear algebra, which is imported when it
is wanted."""
from ._functions import atleast_1d, beside
from ._heddle import asarray, concatenate, elementwise, ones, zeros
from ._triangles import diag, vander

__all__ = ["polyfit", "roots"]

_sqrt = elementwise["sqrt"][0]


def _points(x, y, deg):
    x, y = (a if a.dtype.kind in "fc" and a.dtype.itemsize >= 4 else a.astype(float)
            for a in beside(x, y))
    if deg < 0:
        raise ValueError("expected deg >= 0")
    if x.ndim != 1:
        raise TypeError("expected 1D vector for x")
    if x.size == 0:
        raise TypeError("expected non-empty vector for x")
    if y.ndim < 1 or y.ndim > 2:
        raise TypeError("expected 1D or 2D array for y")
    if x.shape[0] != y.shape[0]:
        raise TypeError(f"expected x and y to have same length, not {x.shape[0]} and {y.shape[0]}")
    return x, y


def _weighted(lhs, rhs, w):
    w = beside(lhs, w)[1] + 0.0
    if w.ndim != 1:
        raise TypeError("expected a 1-d array for weights")
    if w.shape[0] != rhs.shape[0]:
        raise TypeError("expected w and y to have the same length")
    return lhs * w[:, None], rhs * (w[:, None] if rhs.ndim == 2 else w)


def _covariance(lhs, scale, residuals, npoints, order, cov, ncolumns):
    from . import linalg
    base = linalg.inv(lhs.T @ lhs) / (scale[:, None] * scale)
    factor = 1
    if not (isinstance(cov, str) and cov == "unscaled"):
        if npoints <= order:
            raise ValueError("the number of data points must exceed order to scale the covariance "
                             "matrix")
        factor = residuals / (npoints - order)
    return base * factor if ncolumns is None else base[:, :, None] * factor


def polyfit(x, y, deg, rcond=None, full=False, w=None, cov=False):
    """Coefficients of the polynomial of degree deg that is nearest to the points (x, y)."""
    from numpy import finfo

    from . import linalg
    order = int(deg) + 1
    x, y = _points(x, y, deg)
    if rcond is None:
        rcond = x.shape[0] * finfo(x.dtype).eps
    lhs, rhs = vander(x, order), y
    if w is not None:
        lhs, rhs = _weighted(lhs, rhs, w)
    scale = _sqrt((lhs * lhs).sum(axis=0))
    lhs = lhs / scale
    c, residuals, rank, s = linalg.lstsq(lhs, rhs, rcond)
    c = (c.T / scale).T
    if int(rank) != order and not full:
        import warnings

        from numpy.exceptions import RankWarning
        warnings.warn("Polyfit may be poorly conditioned", RankWarning, stacklevel=2)
    if full:
        return c, residuals, rank, s, rcond
    if cov:
        columns = None if y.ndim == 1 else y.shape[1]
        return c, _covariance(lhs, scale, residuals, x.shape[0], order, cov, columns)
    return c


def roots(p):
    """Zeros of a polynomial: the eigenvalues of its companion matrix. Reads p."""
    from . import linalg
    p = atleast_1d(asarray(p))
    if p.ndim != 1:
        raise ValueError(f"Input must be a rank-1 array, not of shape {p.shape}")
    there = (p != 0).tolist()
    if True not in there:
        return zeros(0, float, device=p.device)
    first, end = there.index(True), len(there) - there[::-1].index(True)
    trailing = len(there) - end
    p = p[first:end]
    if p.dtype.kind not in "fc" or p.dtype.itemsize < 4:
        p = p.astype(float)
    if p.shape[0] == 1:
        return zeros(trailing, float, device=p.device)
    companion = diag(ones(p.shape[0] - 2, p.dtype, device=p.device), -1)
    companion[0, :] = -p[1:] / p[0]
    found = linalg.eigvals(companion)
    return concatenate((found, zeros(trailing, found.dtype, device=p.device)))
