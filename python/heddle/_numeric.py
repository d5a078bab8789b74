# SPDX-License-Identifier: BSD-3-Clause
"""NumPy's functions of numbers that are compositions of a few operations."""
from operator import index

from . import _heddle
from ._functions import imag, integers, kind_of, limits_of, normalize_axis, result_type
from ._heddle import (_diff, array, asarray, broadcast_to, concatenate, copyto, elementwise, mean,
                      where as _where, zeros)

__all__ = ["angle", "average", "cumulative_prod", "cumulative_sum", "diff", "fix", "i0",
           "iscomplex", "isnat", "isneginf", "isposinf", "isreal", "nan_to_num", "ptp", "sinc",
           "unwrap"]

(_absolute, _add, _arctan2, _exp, _isinf, _isnan, _logical_and, _maximum, _minimum, _multiply,
 _remainder, _signbit, _sin, _sqrt, _subtract, _trunc) = (
    elementwise[name][0] for name in (
        "absolute", "add", "arctan2", "exp", "isinf", "isnan", "logical_and", "maximum", "minimum",
        "multiply", "remainder", "signbit", "sin", "sqrt", "subtract", "trunc"))
_PI = 3.141592653589793
_missing = object()


# ---- kinds of number -----------------------------------------------------------------------------


def fix(x, out=None):
    """The numbers without their fractions."""
    return _trunc(x, out=out)


def _infinite(x, out, negative):
    x = asarray(x)
    if x.dtype.kind == "c":
        raise TypeError(f"This operation is not supported for {x.dtype} values because it would "
                        "be ambiguous.")
    sign = _signbit(x)
    return _logical_and(_isinf(x), sign if negative else ~sign, out)


def isnat(x, /, out=None, *, where=True, **kwargs):
    """Is it no time? It is defined for dates and spans of time, which NumPy computes."""
    asarray(x)
    raise TypeError("ufunc 'isnat' is only defined for np.datetime64 and np.timedelta64.")


def isposinf(x, out=None):
    """Where is inf?"""
    return _infinite(x, out, False)


def isneginf(x, out=None):
    """Where is -inf?"""
    return _infinite(x, out, True)


def iscomplex(x):
    """Where is the imaginary part not 0?"""
    x = asarray(x)
    return x.imag != 0 if x.dtype.kind == "c" else zeros(x.shape, bool)[()]


def isreal(x):
    """Where is the imaginary part 0?"""
    return imag(x) == 0


def nan_to_num(x, copy=True, nan=0.0, posinf=None, neginf=None):
    """The array with nan and infinities replaced."""
    x = array(x, copy=True) if copy else asarray(x, copy=False)     # what cannot be is an error
    if kind_of(x) in "fc":
        limits = limits_of(x)
        high = limits.max if posinf is None else posinf
        low = limits.min if neginf is None else neginf
        for part in (x.real, x.imag) if x.dtype.kind == "c" else (x,):
            masks = _isnan(part), isposinf(part), isneginf(part)
            for mask, value in zip(masks, (nan, high, low)):
                copyto(part, value, where=mask)
    return x[()] if x.ndim == 0 else x


def angle(z, deg=False):
    """Angles of complex numbers in radians or degrees, in (-pi, pi]."""
    z = asarray(z)
    a = _arctan2(z.imag, z.real) if z.dtype.kind == "c" else _arctan2(0, z)
    return a * (180 / _PI) if deg else a


# ---- special functions ---------------------------------------------------------------------------

# Chebyshev coefficients of exp(-x) I0(x) on [0, 8] and of exp(-x) sqrt(x) I0(x) on [8, inf], from
# Cephes (Moshier 1984, i0.c), as NumPy has them.
_I0_SMALL = (
    -4.41534164647933937950E-18, 3.33079451882223809783E-17, -2.43127984654795469359E-16,
    1.71539128555513303061E-15, -1.16853328779934516808E-14, 7.67618549860493561688E-14,
    -4.85644678311192946090E-13, 2.95505266312963983461E-12, -1.72682629144155570723E-11,
    9.67580903537323691224E-11, -5.18979560163526290666E-10, 2.65982372468238665035E-9,
    -1.30002500998624804212E-8, 6.04699502254191894932E-8, -2.67079385394061173391E-7,
    1.11738753912010371815E-6, -4.41673835845875056359E-6, 1.64484480707288970893E-5,
    -5.75419501008210370398E-5, 1.88502885095841655729E-4, -5.76375574538582365885E-4,
    1.63947561694133579842E-3, -4.32430999505057594430E-3, 1.05464603945949983183E-2,
    -2.37374148058994688156E-2, 4.93052842396707084878E-2, -9.49010970480476444210E-2,
    1.71620901522208775349E-1, -3.04682672343198398683E-1, 6.76795274409476084995E-1)
_I0_LARGE = (
    -7.23318048787475395456E-18, -4.83050448594418207126E-18, 4.46562142029675999901E-17,
    3.46122286769746109310E-17, -2.82762398051658348494E-16, -3.42548561967721913462E-16,
    1.77256013305652638360E-15, 3.81168066935262242075E-15, -9.55484669882830764870E-15,
    -4.15056934728722208663E-14, 1.54008621752140982691E-14, 3.85277838274214270114E-13,
    7.18012445138366623367E-13, -1.79417853150680611778E-12, -1.32158118404477131188E-11,
    -3.14991652796324136454E-11, 1.18891471078464383424E-11, 4.94060238822496958910E-10,
    3.39623202570838634515E-9, 2.26666899049817806459E-8, 2.04891858946906374183E-7,
    2.89137052083475648297E-6, 6.88975834691682398426E-5, 3.36911647825569408990E-3,
    8.04490411014108831608E-1)


def _chebyshev(x, coefficients):
    b0, b1, b2 = coefficients[0], 0.0, 0.0
    for c in coefficients[1:]:
        b1, b2 = b0, b1
        b0 = x * b1 - b2 + c
    return 0.5 * (b0 - b2)


def i0(x):
    """Modified Bessel function of the first kind, order 0."""
    x = asarray(x)
    if x.dtype.kind == "c":
        raise TypeError("i0 not supported for complex values")
    scalar = _heddle._is_scalar(x)
    x = _absolute(x if kind_of(x) == "f" else x.astype(float))
    large = _chebyshev(32.0 / x - 2.0, _I0_LARGE) / _sqrt(x)
    result = _exp(x) * _where(x <= 8.0, _chebyshev(x / 2.0 - 2, _I0_SMALL), large)
    return result if scalar or result.ndim else array(result)


def sinc(x):
    """sin(pi x) / (pi x), 1 at 0."""
    x = _PI * asarray(x)
    eps = 1e-20
    if kind_of(x) == "f":
        eps = float(limits_of(x).eps)
    y = _where(x, x, eps)
    return _sin(y) / y


# ---- along an axis -------------------------------------------------------------------------------


def _cumulative(ufunc, x, axis, dtype, out, include_initial):
    x = asarray(x)
    x = x if x.ndim else x.reshape(1)
    if axis is None and x.ndim > 1:
        raise ValueError("For arrays which have more than one dimension ``axis`` argument is "
                         "required.")
    axis = 0 if axis is None else axis
    if not include_initial:
        return ufunc.accumulate(x, axis, dtype, out=out)
    axis = normalize_axis(axis, x.ndim)
    front = (slice(None),) * axis
    if out is not None:
        ufunc.accumulate(x, axis, dtype, out=out[front + (slice(1, None),)])
        out[front + (0,)] = ufunc.identity
        return out
    results = ufunc.accumulate(x, axis, dtype)
    first = broadcast_to(asarray(ufunc.identity, results.dtype),
                         x.shape[:axis] + (1,) + x.shape[axis + 1:])
    return concatenate([first, results], axis)


def cumulative_sum(x, /, *, axis=None, dtype=None, out=None, include_initial=False):
    """Running sum along an axis."""
    return _cumulative(_add, x, axis, dtype, out, include_initial)


def cumulative_prod(x, /, *, axis=None, dtype=None, out=None, include_initial=False):
    """Running product along an axis."""
    return _cumulative(_multiply, x, axis, dtype, out, include_initial)


def _edge(value, a, axis):
    value = asarray(value)
    return value if value.ndim else broadcast_to(value, a.shape[:axis] + (1,) + a.shape[axis + 1:])


def diff(a, n=1, axis=-1, prepend=_missing, append=_missing):
    """Differences of neighbours along an axis, n times over."""
    if n == 0:
        return a
    if n < 0:
        raise ValueError("order must be non-negative but got " + repr(n))
    a = asarray(a)
    if a.ndim == 0:
        raise ValueError("diff requires input that is at least one dimensional")
    axis = normalize_axis(axis, a.ndim)
    if prepend is not _missing or append is not _missing:
        a = concatenate([part if part is a else _edge(part, a, axis)
                         for part in (prepend, a, append) if part is not _missing], axis)
    n = min(index(n), a.shape[axis] or 1)   # what is empty stays so
    return _diff(a, n, axis)


def unwrap(p, discont=None, axis=-1, *, period=2 * _PI):
    """Large jumps taken away by adding multiples of the period."""
    p = asarray(p)
    steps = diff(p, axis=axis)
    discont = period / 2 if discont is None else discont
    dtype = result_type(steps, period)
    high, ambiguous = period / 2, True
    if dtype.kind in "iu":
        high, rest = divmod(period, 2)
        ambiguous = rest == 0
    wrapped = _remainder(steps + high, period) - high
    if ambiguous:   # a step of half a period keeps its sign
        wrapped = _where((wrapped == -high) & (steps > 0), high, wrapped)
    correction = _where(_absolute(steps) < discont, 0, wrapped - steps)
    axis = normalize_axis(axis, p.ndim)
    rest = (slice(None),) * axis + (slice(1, None),)
    up = array(p, dtype, copy=True)
    up[rest] = p[rest] + correction.cumsum(axis)
    return up


def ptp(a, axis=None, out=None, keepdims=False):
    """Largest minus smallest element."""
    a = asarray(a)
    high = _maximum.reduce(a, axis, None, out, keepdims)
    return _subtract(high, _minimum.reduce(a, axis, keepdims=keepdims), out)


def _weights(weights, a, axis):
    """The weights in a shape that broadcasts to the array's."""
    weights = asarray(weights)
    if a.shape == weights.shape:
        return weights
    if axis is None:
        raise TypeError("Axis must be specified when shapes of a and weights differ.")
    if weights.shape != tuple(a.shape[ax] for ax in axis):
        raise ValueError("Shape of weights must be consistent with shape of a along specified "
                         "axis.")
    weights = weights.transpose(sorted(range(len(axis)), key=axis.__getitem__))
    return weights.reshape(tuple(n if ax in axis else 1 for ax, n in enumerate(a.shape)))


def average(a, axis=None, weights=None, returned=False, *, keepdims=False):
    """Mean, or mean with weights."""
    a = asarray(a)
    if axis is not None:
        axis = tuple(normalize_axis(ax, a.ndim, "axis") for ax in integers(axis))
        if len(set(axis)) != len(axis):
            raise ValueError("repeated axis in `axis` argument")
    if weights is None:
        result = mean(a, axis, keepdims=keepdims)
        total = asarray(a.size / result.size if result.size else float("nan"), result.dtype)
    else:
        weights = _weights(weights, a, axis)
        dtype = result_type(a, weights, *("f8",) * (a.dtype.kind in "iub"))
        total = weights.sum(axis, dtype=dtype, keepdims=keepdims)
        if (total == 0.0).any():
            raise ZeroDivisionError("Weights sum to zero, can't be normalized")
        result = _multiply(a, weights, dtype=dtype).sum(axis, keepdims=keepdims) / total
    if not returned:
        return result
    return result, (total if total.shape == result.shape
                    else broadcast_to(total, result.shape).copy())
