# SPDX-License-Identifier: BSD-3-Clause
"""Functions that give complex numbers where real ones have none: sqrt(-1) is 1j.

The dtype of the result depends on the values, so these look at them; arrays that are complex
already are not looked at.
"""
import heddle as _h

from .._functions import asarray as _asarray
from .._functions import kind_of as _kind_of

__all__ = ["arccos", "arcsin", "arctanh", "log", "log10", "log2", "logn", "power", "sqrt"]


def _complex(x):
    """Complex numbers of the precision that the dtype has."""
    small = _kind_of(x) in "iufc" and x.dtype.name in (
        "float32", "int8", "int16", "uint8", "uint16", "complex64")
    return x.astype("c8" if small else "c16")


def _complex_where(x, outside):
    """The array, complex if any element is outside of what the real function takes."""
    x = _asarray(x)
    return _complex(x) if _kind_of(x) != "c" and bool(outside(x).any()) else x


def _negative(x):
    return x < 0


def sqrt(x):
    """Square root."""
    return _h.sqrt(_complex_where(x, _negative))


def log(x):
    """Natural logarithm."""
    return _h.log(_complex_where(x, _negative))


def log10(x):
    """Logarithm to base 10."""
    return _h.log10(_complex_where(x, _negative))


def log2(x):
    """Logarithm to base 2."""
    return _h.log2(_complex_where(x, _negative))


def logn(n, x):
    """Logarithm to base n."""
    return _h.log(_complex_where(x, _negative)) / _h.log(_complex_where(n, _negative))


def power(x, p):
    """x to the power p; integers to a negative power are float64."""
    x, p = _complex_where(x, _negative), _asarray(p)
    if _kind_of(p) in "iu" and bool((p < 0).any()):
        p = p * 1.0
    return _h.power(x, p)


def arccos(x):
    """Angle in radians whose cosine is x."""
    return _h.arccos(_complex_where(x, lambda x: abs(x) > 1))


def arcsin(x):
    """Angle in radians whose sine is x."""
    return _h.arcsin(_complex_where(x, lambda x: abs(x) > 1))


def arctanh(x):
    """Inverse hyperbolic tangent."""
    return _h.arctanh(_complex_where(x, lambda x: abs(x) > 1))
