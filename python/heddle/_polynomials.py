# SPDX-License-Identifier: BSD-3-Clause
"""Polynomials as vectors of coefficients, the highest power first."""
from operator import index

from ._creation import arange, zeros_like
from ._functions import atleast_1d, beside, result_type
from ._heddle import NotOurs, asarray, concatenate, ones, zeros
from ._joining import trim_zeros
from .lib.stride_tricks import sliding_window_view

__all__ = ["poly", "polyadd", "polyder", "polydiv", "polyint", "polymul", "polysub", "polyval"]


def _refuse_objects(*values):
    """NotOurs where there is a poly1d, which is NumPy's: so are its sums and products."""
    for x in values:
        if any(t.__name__ == "poly1d" and t.__module__ == "numpy" for t in type(x).__mro__):
            raise NotOurs("heddle does not compute with poly1d")


def polyval(p, x):
    """The polynomial's values at x, by Horner's rule."""
    _refuse_objects(p, x)
    p, x = beside(p, x)
    y = zeros_like(x)
    for k in range(p.shape[0]):
        y = y * x + p[k]
    return y


def _vector(p):
    p = asarray(p)
    if p.ndim != 1:
        raise ValueError(f"Polynomial must be 1d only, not of shape {p.shape}")
    return p


def _even(a1, a2):
    """Both with as many coefficients as the longer one."""
    a1, a2 = atleast_1d(*beside(a1, a2))
    n = max(a1.shape[0], a2.shape[0])
    return [concatenate((zeros(n - a.shape[0], a.dtype, device=a.device), a))
            if a.shape[0] < n else a for a in (a1, a2)]


def polyadd(a1, a2):
    """Sum of two polynomials."""
    _refuse_objects(a1, a2)
    a1, a2 = _even(a1, a2)
    return a1 + a2


def polysub(a1, a2):
    """Difference of two polynomials."""
    _refuse_objects(a1, a2)
    a1, a2 = _even(a1, a2)
    return a1 - a2


def _coefficients(a):
    """Without zeros in front; 0 has one coefficient."""
    a = trim_zeros(_vector(atleast_1d(a)), "f")
    return a if a.shape[0] else zeros(1, a.dtype, device=a.device)


def _product(long, short):
    """Every coefficient is a sum over a window of the longer one."""
    dtype = result_type(long, short)
    if long.shape[0] < short.shape[0]:
        long, short = short, long
    n = short.shape[0] - 1
    border = zeros(n, dtype, device=long.device)
    windows = sliding_window_view(concatenate((border, long, border)), n + 1)
    return (windows * short[::-1]).sum(-1, dtype=dtype)


def polymul(a1, a2):
    """Product of two polynomials."""
    _refuse_objects(a1, a2)
    return _product(*map(_coefficients, beside(a1, a2)))


def polydiv(u, v):
    """(quotient, remainder) of two polynomials."""
    _refuse_objects(u, v)
    u, v = (atleast_1d(x) + 0.0 for x in beside(u, v))
    m, n = u.shape[0] - 1, v.shape[0] - 1
    dtype = result_type(u, v)
    scale = 1.0 / v[0]
    q, r = zeros(max(m - n + 1, 1), dtype, device=u.device), u.astype(dtype)
    for k in range(m - n + 1):
        d = scale * r[k]
        q[k] = d
        r[k:k + n + 1] -= d * v
    large = ~(abs(r) <= 1e-8)       # leading coefficients that are nearly 0 are left out
    first = int(large.argmax()) if bool(large.any()) else r.shape[0] - 1
    return q, r[first:]


def polyder(p, m=1):
    """The m-th derivative of a polynomial."""
    _refuse_objects(p)
    m = index(m)
    if m < 0:
        raise ValueError("Order of derivative must be positive (see polyint)")
    p = _vector(p)
    for _ in range(m):
        p = p[:-1] * arange(p.shape[0] - 1, 0, -1, device=p.device)
        if not p.shape[0]:  # and so it stays
            break
    return p


def polyint(p, m=1, k=None):
    """The m-th integral of a polynomial."""
    _refuse_objects(p)
    m = index(m)
    if m < 0:
        raise ValueError("Order of integral must be positive (see polyder)")
    p = _vector(p)
    constants = zeros(m, device=p.device) if k is None else atleast_1d(beside(p, k)[1])
    if constants.shape[0] == 1 and m > 1:
        constants = constants[0] * ones(m, device=p.device)
    if constants.shape[0] < m:
        raise ValueError("k must be a scalar or a rank-1 array of length 1 or >m.")
    for j in range(m):
        p = concatenate((p / arange(p.shape[0], 0, -1, device=p.device), constants[j:j + 1]))
    return p


def poly(seq_of_zeros):
    """The polynomial with these zeros and a leading coefficient of 1; of a square matrix its
    characteristic polynomial."""
    roots = atleast_1d(seq_of_zeros)
    if roots.ndim == 2 and roots.shape[0] == roots.shape[1] and roots.shape[0]:
        from . import linalg
        roots = linalg.eigvals(roots)
    elif roots.ndim != 1:
        raise ValueError("input must be 1d or non-empty square 2d array.")
    if roots.shape[0] == 0:
        return 1.0
    if roots.dtype.kind not in "fc" or roots.dtype.itemsize < 4:
        roots = roots.astype(float)
    a = ones(1, roots.dtype, device=roots.device)
    for k in range(roots.shape[0]):
        factor = concatenate((ones(1, roots.dtype, device=roots.device), -roots[k:k + 1]))
        a = _product(a, factor)
    if a.dtype.kind == "c":
        def order(z):
            return z.real, z.imag
        zeros_ = roots.tolist()
        if sorted(zeros_, key=order) == sorted((z.conjugate() for z in zeros_), key=order):
            return a.real.copy()
    return a
