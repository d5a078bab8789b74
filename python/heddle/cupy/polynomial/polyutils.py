# SPDX-License-Identifier: BSD-3-Clause
"""Series of coefficients, that of the lowest degree first."""
from ... import array, asarray, common_type
from .._sharing import lacking as _lacking

__all__ = ["as_series", "trimcoef", "trimseq"]


def trimseq(seq):
    """The sequence without zeros at its end; one element stays."""
    n = len(seq)
    if n == 0 or seq[n - 1] != 0:
        return seq
    used = [i for i, c in enumerate(asarray(seq).tolist()) if c != 0]
    return seq[:used[-1] + 1 if used else 1]


def as_series(alist, trim=True):
    """Sequences of coefficients as new arrays (n,) of one floating-point dtype; with trim without
    zeros at their ends. ValueError for one that is empty or has more axes."""
    arrays = [array(a, ndmin=1) for a in alist]
    if any(a.size == 0 for a in arrays):
        raise ValueError("Coefficient array is empty")
    if any(a.ndim != 1 for a in arrays):
        raise ValueError("Coefficient array is not 1-d")
    if trim:
        arrays = [trimseq(a) for a in arrays]
    try:
        dtype = common_type(*arrays)
    except TypeError:       # of bools
        raise ValueError("Coefficient arrays have no common type") from None
    return [array(a, dtype) for a in arrays]


def trimcoef(c, tol=0):
    """The coefficients up to the last one beyond tol; [0] if none is. ValueError if tol < 0."""
    if tol < 0:
        raise ValueError("tol must be non-negative")
    c, = as_series([c])
    large = [i for i, x in enumerate(c.tolist()) if abs(x) > tol]
    return c[:large[-1] + 1].copy() if large else c[:1] * 0


__getattr__ = _lacking("cupy.polynomial.polyutils")
