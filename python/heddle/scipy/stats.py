# SPDX-License-Identifier: BSD-3-Clause
"""Some of scipy.stats: scores, entropies, trimmed means, the likelihood of Box' and Cox' transform."""
import math

from .. import mean, nanmean, nanstd, sort, std, var, where
from .._heddle import asarray, elementwise
from .._heddle import max as _max
from .._heddle import sum as _sum
from .special import entr, rel_entr

__all__ = ["boxcox_llf", "entropy", "trim_mean", "zmap", "zscore"]

_exp, _isnan, _log = (elementwise[name][0] for name in ("exp", "isnan", "log"))


def trim_mean(a, proportiontocut, axis=0):
    """The mean without the share proportiontocut of the least elements, and of the largest. ValueError:
    that is more than there are."""
    a = asarray(a)
    a, axis = (a.ravel(), 0) if axis is None else (a, axis)
    n = a.shape[axis]
    cut = int(proportiontocut * n)
    if cut > n - cut:
        raise ValueError("Proportion too big.")
    kept = [slice(None)] * a.ndim
    kept[axis] = slice(cut, n - cut)
    return mean(sort(a, axis=axis)[tuple(kept)], axis=axis)


def zmap(scores, compare, axis=0, ddof=0, nan_policy="propagate"):
    """(scores - mean) / deviation, of what compare has along the axis (None: of all). nan_policy:
    "propagate", "omit" or "raise", a ValueError where there is nan."""
    if nan_policy not in ("propagate", "omit", "raise"):
        raise ValueError("nan_policy must be one of {'propagate', 'raise', 'omit'}")
    among_itself = scores is compare
    scores, compare = asarray(scores), asarray(compare)
    nans = _isnan(compare)
    if nan_policy == "raise" and nans.any():
        raise ValueError("The input contains nan values")
    middle, spread = (nanmean, nanstd) if nan_policy == "omit" else (mean, std)
    middle = middle(compare, axis=axis, keepdims=True)
    spread = spread(compare, axis=axis, ddof=ddof, keepdims=True)
    if not among_itself:
        return (scores - middle) / spread
    # the largest element that is a number; all others are that, or nan
    top = _max(where(nans, -math.inf, compare), axis=axis, keepdims=True)
    same = ((compare == top) | nans).all(axis=axis, keepdims=True)
    return (scores - middle) / where(same, math.nan, spread)


def zscore(a, axis=0, ddof=0, nan_policy="propagate"):
    """zmap() of an array among itself; nan where all elements are equal."""
    return zmap(a, a, axis, ddof, nan_policy)


def entropy(pk, qk=None, base=None, axis=0):
    """The entropy of a distribution, or that relative to qk; both are divided by their sums. base: of
    the logarithm, e by default. ValueError: a base up to 0."""
    if base is not None and base <= 0:
        raise ValueError("`base` must be a positive number or `None`.")
    pk = asarray(pk)
    pk = pk / _sum(pk, axis=axis, keepdims=True)
    if qk is None:
        parts = entr(pk)
    else:
        qk = asarray(qk)
        parts = rel_entr(pk, qk / _sum(qk, axis=axis, keepdims=True))
    total = _sum(parts, axis=axis)
    return total if base is None else total / math.log(base)


def boxcox_llf(lmb, data):
    """The logarithm of the likelihood of data, along the first axis, under the transform
    (x**lmb - 1) / lmb to a normal distribution; nan if there are none."""
    data = asarray(data)
    n = data.shape[0]
    if n == 0:
        return math.nan
    logs = _log(data)
    if lmb == 0:
        spread = _log(var(logs, axis=0))
    else:               # of powers over the largest one, which do not overflow
        largest = _max(lmb * logs, axis=0)
        spread = _log(var(_exp(lmb * logs - largest), axis=0)) + 2 * largest \
            - 2 * math.log(abs(lmb))
    return (lmb - 1) * _sum(logs, axis=0) - n / 2 * spread
