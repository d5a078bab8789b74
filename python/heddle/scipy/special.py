# SPDX-License-Identifier: BSD-3-Clause
"""SciPy's special functions, recorded and fused like every other operation.

expit, logit, erf, erfc, gamma, gammaln and digamma are operations of their own, with the arguments of a ufunc; the
others are written in terms of operations. float32 stays float32; integers become floats as in NumPy.
"""
from .. import _heddle
from .._numeric import i0, sinc
from .._heddle import asarray, max as _max, sum as _sum, where as _where

__all__ = ["cbrt", "digamma", "entr", "erf", "erfc", "exp2", "expit", "expm1", "gamma", "gammaln", "i0", "kl_div",
           "log1p", "log_expit", "log_softmax", "logit", "logsumexp", "ndtr", "psi", "rel_entr", "sinc", "softmax",
           "xlog1py", "xlogy"]

_ufuncs = {name: pair[0] for name, pair in _heddle.elementwise.items()}
(cbrt, digamma, erf, erfc, exp2, expit, expm1, gamma, gammaln, log1p, logit) = (
    _ufuncs[name] for name in ("cbrt", "digamma", "erf", "erfc", "exp2", "expit", "expm1", "gamma", "gammaln",
                               "log1p", "logit"))
psi = digamma
_absolute, _exp, _isfinite, _isnan, _log, _minimum = (
    _ufuncs[name] for name in ("absolute", "exp", "isfinite", "isnan", "log", "minimum"))
_ROOT_HALF = 0.7071067811865476
_INF = float("inf")


def xlogy(x, y):
    """x * log(y), and 0 where x is 0, whatever log(y) is; nan where y is nan."""
    x, y = asarray(x), asarray(y)
    return _where((x == 0) & ~_isnan(y), 0.0, x * _log(y))


def xlog1py(x, y):
    """x * log1p(y), and 0 where x is 0; nan where y is nan."""
    x, y = asarray(x), asarray(y)
    return _where((x == 0) & ~_isnan(y), 0.0, x * log1p(y))


def entr(x):
    """-x * log(x), 0 at 0, -inf below."""
    x = asarray(x)
    return _where(x < 0, -_INF, -xlogy(x, x))


def rel_entr(x, y):
    """x * log(x / y) for positive x and y, 0 where x is 0 and y is not negative, inf elsewhere."""
    x, y = asarray(x), asarray(y)
    value = _where((x > 0) & (y > 0), x * _log(x / y), _INF)
    value = _where((x == 0) & (y >= 0), 0.0, value)
    return _where(_isnan(x) | _isnan(y), x + y, value)


def kl_div(x, y):
    """x * log(x / y) - x + y for positive x and y, y where x is 0 and y is not negative, inf elsewhere."""
    x, y = asarray(x), asarray(y)
    value = _where((x > 0) & (y > 0), x * _log(x / y) - x + y, _INF)
    value = _where((x == 0) & (y >= 0), y, value)
    return _where(_isnan(x) | _isnan(y), x + y, value)


def log_expit(x):
    """log(expit(x)) without overflow."""
    x = asarray(x)
    return _minimum(x, 0) - log1p(_exp(-_absolute(x)))


def ndtr(x):
    """Area under the standard normal density from -inf to x."""
    return erfc(asarray(x) * -_ROOT_HALF) * 0.5


def logsumexp(a, axis=None, b=None, keepdims=False):
    """log(sum(b * exp(a))) without overflow."""
    a = asarray(a)
    high = _max(a, axis=axis, keepdims=True)
    high = _where(_isfinite(high), high, 0)
    terms = _exp(a - high)
    total = _sum(terms if b is None else asarray(b) * terms, axis=axis, keepdims=True)
    r = _log(total) + high
    return r if keepdims else _sum(r, axis=axis)


def softmax(x, axis=None):
    """exp(x) / sum(exp(x)) along an axis."""
    x = asarray(x)
    terms = _exp(x - _max(x, axis=axis, keepdims=True))
    return terms / _sum(terms, axis=axis, keepdims=True)


def log_softmax(x, axis=None):
    """log(softmax(x)) without overflow."""
    x = asarray(x)
    apart = x - _max(x, axis=axis, keepdims=True)
    return apart - _log(_sum(_exp(apart), axis=axis, keepdims=True))
