# SPDX-License-Identifier: BSD-3-Clause
"""SciPy's special functions, recorded and fused like every other operation.

Each computes in the dtype that SciPy computes it in. Most have SciPy's loops for float64 and, of float32 arguments alone,
for float32: integers, bool and half types are computed in float64. entr, rel_entr and kl_div take small integers and
half types in float32. logsumexp, softmax and log_softmax compute integers and bool in float64 (SciPy's softmax
subtracts in the integers' own type, where unsigned numbers wrap around) and half types in their own.
expit, logit, erf, erfc, gamma, gammaln and digamma are operations of their own; they, cbrt, exp2, expm1 and log1p have
the arguments of a ufunc. The others are written in terms of operations.
"""
from .. import _heddle
from .._numeric import i0 as _i0, sinc
from .._heddle import asarray, max as _max, sum as _sum, where as _where

__all__ = ["cbrt", "digamma", "entr", "erf", "erfc", "exp2", "expit", "expm1", "gamma", "gammaln", "i0", "kl_div",
           "log1p", "log_expit", "log_softmax", "logit", "logsumexp", "ndtr", "psi", "rel_entr", "sinc", "softmax",
           "xlog1py", "xlogy"]

_ufuncs = {name: pair[0] for name, pair in _heddle.elementwise.items()}
_absolute, _exp, _isfinite, _isnan, _log, _log1p, _minimum = (
    _ufuncs[name] for name in ("absolute", "exp", "isfinite", "isnan", "log", "log1p", "minimum"))
_ROOT_HALF = 0.7071067811865476
_INF = float("inf")
# what SciPy's loops for float32 take, where it looks at them before those for float64
_FITS_SINGLE = frozenset(["bool", "int8", "int16", "uint8", "uint16", "float16", "bfloat16", "float32"])


def _refuse_complex(name, arrays):
    for x in arrays:
        if x.dtype.kind == "c":
            raise TypeError(f"ufunc '{name}' not supported for the input types, and the inputs could not be safely coerced "
                            f"to any supported types according to the casting rule ''safe'' ({x.dtype})")


def _doubles(name, *operands, complex_too=False):
    """The operands as SciPy's loops have them that are looked at from float64 on: in float32 (or complex64) only if all
    are."""
    arrays = [asarray(x) for x in operands]
    kinds = {x.dtype.name for x in arrays}
    if not complex_too:
        _refuse_complex(name, arrays)
    if len(kinds) == 1 and kinds <= {"float32", "float64", "complex64", "complex128"}:
        return arrays
    dtype = "complex128" if any(x.dtype.kind == "c" for x in arrays) else "float64"
    return [x.astype(dtype, copy=False) for x in arrays]


def _singles(name, *operands):
    """The operands as SciPy's loops have them that are looked at from float32 on: in float32 if all fit it. Python's
    numbers adapt to the others, as everywhere."""
    weak = [type(x) for x in operands if type(x) in (int, float)]
    arrays = [asarray(x) for x in operands]
    _refuse_complex(name, arrays)
    strong = [x for x, given in zip(arrays, operands) if type(given) not in (int, float)]
    fits = bool(strong) and all(x.dtype.name in _FITS_SINGLE for x in strong)
    for kind, number in (("biu", float), ("b", int)):     # a number of a higher kind makes all float64
        fits = fits and not (number in weak and all(x.dtype.kind in kind for x in strong))
    return [x.astype("float32" if fits else "float64", copy=False) for x in arrays]


def _operation(name, complex_too=False):
    """The operation of that name on what SciPy computes it in."""
    ufunc = _ufuncs[name]

    def function(x, /, out=None, **kwargs):
        if kwargs.get("dtype") is None and kwargs.get("signature") is None:
            x, = _doubles(name, x, complex_too=complex_too)
        return ufunc(x, out=out, **kwargs)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = ufunc._doc
    return function


cbrt, digamma, erf, erfc, exp2, expit, gamma, gammaln, logit = map(_operation, (
    "cbrt", "digamma", "erf", "erfc", "exp2", "expit", "gamma", "gammaln", "logit"))
expm1, log1p = (_operation(name, complex_too=True) for name in ("expm1", "log1p"))
psi = digamma


def i0(x):
    """Modified Bessel function of the first kind, order 0."""
    return _i0(_doubles("i0", x)[0])


def xlogy(x, y):
    """x * log(y), and 0 where x is 0, whatever log(y) is; nan where y is nan."""
    x, y = _doubles("xlogy", x, y, complex_too=True)
    return _where((x == 0) & ~_isnan(y), 0.0, x * _log(y))


def xlog1py(x, y):
    """x * log1p(y), and 0 where x is 0; nan where y is nan."""
    x, y = _doubles("xlog1py", x, y, complex_too=True)
    return _where((x == 0) & ~_isnan(y), 0.0, x * _log1p(y))


def entr(x):
    """-x * log(x), 0 at 0, -inf below."""
    x, = _singles("entr", x)
    return _where(x < 0, -_INF, _where(x == 0, 0.0, -x * _log(x)))


def rel_entr(x, y):
    """x * log(x / y) for positive x and y, 0 where x is 0 and y is not negative, inf elsewhere."""
    x, y = _singles("rel_entr", x, y)
    value = _where((x > 0) & (y > 0), x * _log(x / y), _INF)
    value = _where((x == 0) & (y >= 0), 0.0, value)
    return _where(_isnan(x) | _isnan(y), x + y, value)


def kl_div(x, y):
    """x * log(x / y) - x + y for positive x and y, y where x is 0 and y is not negative, inf elsewhere."""
    x, y = _singles("kl_div", x, y)
    value = _where((x > 0) & (y > 0), x * _log(x / y) - x + y, _INF)
    value = _where((x == 0) & (y >= 0), y, value)
    return _where(_isnan(x) | _isnan(y), x + y, value)


def log_expit(x):
    """log(expit(x)) without overflow."""
    x, = _doubles("log_expit", x)
    return _minimum(x, 0) - _log1p(_exp(-_absolute(x)))


def ndtr(x):
    """Area under the standard normal density from -inf to x."""
    x, = _doubles("ndtr", x)
    return erfc(x * -_ROOT_HALF) * 0.5


def _real(x):
    """x, integers and bool as float64."""
    x = asarray(x)
    return x.astype("float64") if x.dtype.kind in "biu" else x


def logsumexp(a, axis=None, b=None, keepdims=False):
    """log(sum(b * exp(a))) without overflow."""
    a = _real(a)
    high = _max(a, axis=axis, keepdims=True)
    high = _where(_isfinite(high), high, 0)
    terms = _exp(a - high)
    total = _sum(terms if b is None else _real(b) * terms, axis=axis, keepdims=True)
    r = _log(total) + high
    return r if keepdims else _sum(r, axis=axis)


def softmax(x, axis=None):
    """exp(x) / sum(exp(x)) along an axis."""
    x = _real(x)
    terms = _exp(x - _max(x, axis=axis, keepdims=True))
    return terms / _sum(terms, axis=axis, keepdims=True)


def log_softmax(x, axis=None):
    """log(softmax(x)) without overflow."""
    x = _real(x)
    apart = x - _max(x, axis=axis, keepdims=True)
    return apart - _log(_sum(_exp(apart), axis=axis, keepdims=True))
