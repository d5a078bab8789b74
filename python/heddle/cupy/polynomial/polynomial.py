# SPDX-License-Identifier: BSD-3-Clause
"""Power series c[0] + c[1] x + c[2] x**2 + ..."""
from ... import asarray, eye, prod, stack
from ..._functions import kind_of
from .polyutils import as_series
from .._sharing import lacking as _lacking

__all__ = ["polycompanion", "polyval", "polyvalfromroots", "polyvander"]


def _inexact(x):
    x = asarray(x)
    return x if kind_of(x) in "fc" else x * 1.0


def polycompanion(c):
    """The companion matrix (n, n) of coefficients (n + 1,), whose eigenvalues are the roots.
    ValueError for less than two coefficients."""
    c, = as_series([c])
    if len(c) < 2:
        raise ValueError("Series must have maximum degree of at least 1.")
    n = len(c) - 1
    matrix = eye(n, k=-1, dtype=c.dtype)
    matrix[:, -1] -= c[:-1] / c[-1]
    return matrix


def polyval(x, c, tensor=True):
    """Values at x of the series c (n, ...), by Horner's scheme.

    tensor: each column of c is a series, evaluated at all of x: (..., *x.shape); else the columns
    and x are broadcast.
    """
    x, c = asarray(x), _inexact(c)
    c = c.reshape(c.shape or (1,))
    if tensor:
        c = c.reshape(c.shape + (1,) * x.ndim)
    value = c[-1] + x * 0
    for n in range(2, len(c) + 1):
        value = c[-n] + value * x
    return value


def polyvalfromroots(x, r, tensor=True):
    """Values at x of the product of x - root over the roots r (n, ...); tensor as for polyval().
    ValueError if tensor is false and x has as many axes as r."""
    x, r = asarray(x), _inexact(r)
    r = r.reshape(r.shape or (1,))
    if tensor:
        r = r.reshape(r.shape + (1,) * x.ndim)
    elif x.ndim >= r.ndim:
        raise ValueError("x.ndim must be < r.ndim when tensor == False")
    return prod(x - r, axis=0)


def polyvander(x, deg):
    """The powers 0 to deg of x along a last axis: (*x.shape, deg + 1). ValueError if deg < 0."""
    if deg < 0:
        raise ValueError("deg must be non-negative")
    x = _inexact(x)
    x = x.reshape(x.shape or (1,))
    powers = [x * 0 + 1]
    for _ in range(deg):
        powers.append(powers[-1] * x)
    return stack(powers, axis=-1)


__getattr__ = _lacking("cupy.polynomial.polynomial")
