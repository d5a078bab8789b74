# SPDX-License-Identifier: BSD-3-Clause
"""cupy.random: heddle.random, whose older functions take CuPy's dtype as well.

The dtype is that of what is drawn in float64 or int64 and then converted, in one kernel. As
everywhere in Heddle numbers come from Philox, whatever generator CuPy would take.
"""
from functools import wraps as _wraps

from .. import random as _random
from .._heddle import asarray as _asarray
from ._sharing import sharing as _sharing

# CuPy's functions that take the dtype of the result, and the place of that among the arguments.
_DTYPE_AT = {
    "beta": 3, "binomial": 3, "chisquare": 2, "dirichlet": 2, "exponential": 2, "f": 3, "gamma": 3,
    "geometric": 2, "gumbel": 3, "hypergeometric": 4, "laplace": 3, "logistic": 3, "lognormal": 3,
    "logseries": 2, "negative_binomial": 3, "noncentral_chisquare": 3, "noncentral_f": 4,
    "normal": 3, "pareto": 2, "poisson": 2, "power": 2, "random": 1, "random_sample": 1,
    "ranf": 1, "rayleigh": 2, "sample": 1, "standard_cauchy": 1, "standard_exponential": 1,
    "standard_gamma": 2, "standard_normal": 1, "standard_t": 2, "triangular": 4, "uniform": 3,
    "vonmises": 3, "wald": 3, "weibull": 2, "zipf": 2, "rand": None, "randn": None}


def _with_dtype(function, place):
    @_wraps(function)
    def drawing(*args, **kwargs):
        dtype = kwargs.pop("dtype", None)
        if place is not None and len(args) > place:
            args, dtype = args[:place] + args[place + 1:], args[place]
        drawn = function(*args, **kwargs)
        return drawn if dtype is None else _asarray(drawn).astype(dtype)
    return drawing


class RandomState(_random.RandomState):
    """A generator of its own: CuPy's older class. seed: None, an int or a sequence of them."""

    def __getattribute__(self, name):
        method = super().__getattribute__(name)
        return _with_dtype(method, _DTYPE_AT[name]) if name in _DTYPE_AT else method


_share, __dir__ = _sharing("cupy.random", "heddle.random")


def __getattr__(name):
    value = _share(name)
    if name in _DTYPE_AT:
        value = globals()[name] = _with_dtype(value, _DTYPE_AT[name])
    return value
