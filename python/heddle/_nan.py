# SPDX-License-Identifier: BSD-3-Clause
"""NumPy's functions that leave nan out: reductions of the elements that are numbers.

Nothing waits for a value but nanargmin() and nanargmax(), which must refuse slices of nothing but
nan. Where there is no number the others give nan (sums 0, products 1) without NumPy's warnings.
"""
from . import _heddle
from ._functions import kind_of
from ._heddle import (_is_array, argmax, argmin, asarray, cumprod, cumsum, elementwise, mean, prod,
                      std, sum, var, where as _where)
from ._outputs import check_out, deliver

__all__ = ["nanargmax", "nanargmin", "nancumprod", "nancumsum", "nanmax", "nanmean", "nanmin",
           "nanprod", "nanstd", "nansum", "nanvar"]

_conjugate, _divide, _fmax, _fmin, _isnan, _sqrt = (
    elementwise[name][0] for name in ("conjugate", "divide", "fmax", "fmin", "isnan", "sqrt"))
_missing = object()


def _given(**options):
    """The arguments that the caller gave."""
    return {name: value for name, value in options.items() if value is not _missing}


def _replaced(a, value):
    """The array with nan replaced, and the mask of nan; None where the dtype has no nan."""
    a = asarray(a)
    if kind_of(a) not in "fc":
        return a, None
    mask = _isnan(a)
    return _where(mask, value, a), mask     # a Python number, so the dtype stays


def nansum(a, axis=None, dtype=None, out=None, keepdims=_missing, initial=_missing,
           where=_missing):
    """Sum of the elements that are numbers."""
    a, _ = _replaced(a, 0)
    return sum(a, axis, dtype, out, **_given(keepdims=keepdims, initial=initial, where=where))


def nanprod(a, axis=None, dtype=None, out=None, keepdims=_missing, initial=_missing,
            where=_missing):
    """Product of the elements that are numbers."""
    a, _ = _replaced(a, 1)
    return prod(a, axis, dtype, out, **_given(keepdims=keepdims, initial=initial, where=where))


def nancumsum(a, axis=None, dtype=None, out=None):
    """Running sum, nan taken as 0."""
    return cumsum(_replaced(a, 0)[0], axis, dtype, out)


def nancumprod(a, axis=None, dtype=None, out=None):
    """Running product, nan taken as 1."""
    return cumprod(_replaced(a, 1)[0], axis, dtype, out)


def nanmin(a, axis=None, out=None, keepdims=_missing, initial=_missing, where=_missing):
    """Smallest element that is a number; nan where there is none."""
    return _fmin.reduce(asarray(a), axis=axis, out=out,
                        **_given(keepdims=keepdims, initial=initial, where=where))


def nanmax(a, axis=None, out=None, keepdims=_missing, initial=_missing, where=_missing):
    """Largest element that is a number; nan where there is none."""
    return _fmax.reduce(asarray(a), axis=axis, out=out,
                        **_given(keepdims=keepdims, initial=initial, where=where))


def _position(find, a, axis, out, keepdims, worst):
    a, mask = _replaced(a, worst)
    if mask is not None and mask.size and mask.all(axis).any():
        raise ValueError("All-NaN slice encountered")
    return find(a, axis, out, **_given(keepdims=keepdims))


def nanargmin(a, axis=None, out=None, *, keepdims=_missing):
    """Position of the first smallest element that is a number."""
    return _position(argmin, a, axis, out, keepdims, float("inf"))


def nanargmax(a, axis=None, out=None, *, keepdims=_missing):
    """Position of the first largest element that is a number."""
    return _position(argmax, a, axis, out, keepdims, float("-inf"))


# ---- means ---------------------------------------------------------------------------------------


def _check_inexact(dtype, out):
    if dtype is not None:
        import numpy
        if kind_of(numpy.empty(0, dtype)) not in "fc":
            raise TypeError("If a is inexact, then dtype must be inexact")
    if out is not None:
        check_out(out, getattr(out, "shape", None))
        if kind_of(out) in "fc":
            return
        raise TypeError("If a is inexact, then out must be inexact")


def _quotient(total, count):
    """The quotient in the dtype of the total."""
    return _divide(total, count).astype(total.dtype, copy=False)


def _counted(mask, axis, keepdims, options):
    return sum(~mask, axis, int, keepdims=keepdims, **options)


def nanmean(a, axis=None, dtype=None, out=None, keepdims=_missing, *, where=_missing):
    """Mean of the elements that are numbers; nan where there is none."""
    a, mask = _replaced(a, 0)
    options = _given(where=where)
    if mask is None:
        return mean(a, axis, dtype, out, **_given(keepdims=keepdims), **options)
    _check_inexact(dtype, out)
    keepdims = False if keepdims is _missing else keepdims
    total = sum(a, axis, dtype, keepdims=keepdims, **options)
    return deliver(out, _quotient(total, _counted(mask, axis, keepdims, options)))


def _degrees_of_freedom(ddof, correction):
    if correction is _missing:
        return ddof
    if ddof != 0:
        raise ValueError("ddof and correction can't be provided simultaneously.")
    return correction


def _variance(a, mask, axis, dtype, ddof, keepdims, options, centre):
    count = _counted(mask, axis, True, options)
    if centre is _missing:
        centre = _quotient(sum(a, axis, dtype, keepdims=True, **options), count)
    off = (a - centre).astype(a.dtype, copy=False)
    off = _where(mask, asarray(0, off.dtype), off)
    square = (off * _conjugate(off)).real if a.dtype.kind == "c" else off * off
    total = sum(square, axis, dtype, keepdims=keepdims, **options)
    freedom = (count if keepdims else count.reshape(total.shape)) - ddof
    return _where(freedom <= 0, asarray(float("nan"), total.dtype), _quotient(total, freedom))


def _scalar_if(value, keepdims):
    """where() gives an array even of no axes; a reduction gives a value."""
    return _heddle._scalar(value) if value.ndim == 0 and not keepdims else value


def nanvar(a, axis=None, dtype=None, out=None, ddof=0, keepdims=_missing, *, where=_missing,
           mean=_missing, correction=_missing):
    """Variance of the elements that are numbers; nan where there are too few."""
    a, mask = _replaced(a, 0)
    options = _given(where=where)
    ddof = _degrees_of_freedom(ddof, correction)
    if mask is None and mean is _missing:
        return var(a, axis, dtype, out, ddof, **_given(keepdims=keepdims), **options)
    if mask is None:
        a = a.astype(float)
        mask = _isnan(a)
    _check_inexact(dtype, out)
    keepdims = False if keepdims is _missing else keepdims
    value = _variance(a, mask, axis, dtype, ddof, keepdims, options, mean)
    return deliver(out, _scalar_if(value, keepdims))


def nanstd(a, axis=None, dtype=None, out=None, ddof=0, keepdims=_missing, *, where=_missing,
           mean=_missing, correction=_missing):
    """Standard deviation of the elements that are numbers; nan where there are too few."""
    a = a if _is_array(a) else asarray(a)
    if kind_of(a) not in "fc" and mean is _missing:
        return std(a, axis, dtype, out, _degrees_of_freedom(ddof, correction),
                   **_given(keepdims=keepdims, where=where))
    if out is not None:
        _check_inexact(dtype, out)
    variance = nanvar(a, axis, dtype, None, ddof, keepdims, where=where, mean=mean,
                      correction=correction)
    return deliver(out, _sqrt(variance))
