# SPDX-License-Identifier: BSD-3-Clause
"""Names that CuPy has kept from before NumPy 2: other names of what Heddle has."""
import heddle as _heddle

_OF = {
    "Inf": "inf", "Infinity": "inf", "NAN": "nan", "NaN": "nan", "PINF": "inf", "infty": "inf",
    "alltrue": "all", "cfloat": "complex128", "complex_": "complex128", "cumproduct": "cumprod",
    "float_": "float64", "product": "prod", "round_": "round", "singlecomplex": "complex64",
    "sometrue": "any", "trapz": "trapezoid",
}
globals().update((_name, getattr(_heddle, _of)) for _name, _of in _OF.items())

NINF, PZERO, NZERO = -_heddle.inf, 0.0, -0.0
__all__ = [*_OF, "NINF", "NZERO", "PZERO", "asfarray", "in1d", "msort"]


def in1d(ar1, ar2, assume_unique=False, invert=False):
    """Is each element of the flattened ar1 in ar2?"""
    return _heddle.isin(_heddle.asarray(ar1).ravel(), ar2, assume_unique, invert)


def msort(a):
    """A copy sorted along the first axis."""
    return _heddle.sort(a, axis=0)


def asfarray(a, dtype=_heddle.float64):
    """The array as floating-point numbers: an integer dtype is taken for float64."""
    dtype = _heddle.dtype(dtype)
    return _heddle.asarray(a, dtype if dtype.kind in "fc" else _heddle.float64)
