# SPDX-License-Identifier: BSD-3-Clause
"""numpy.testing, whose functions take arrays of ours as NumPy's."""
from functools import wraps as _wraps

from numpy import testing as _testing

from ._heddle import _is_array, _is_scalar


def _plain_all(x):
    """x with arrays of ours as NumPy's, also within lists, tuples and dicts."""
    if isinstance(x, dict):
        plain = {key: _plain_all(value) for key, value in x.items()}
        return x if all(plain[key] is x[key] for key in x) else plain
    if type(x) in (list, tuple):
        plain = type(x)(map(_plain_all, x))
        same = all(p is given for p, given in zip(plain, x))    # else a function could not change it
        return x if same else plain
    if not _is_array(x):
        return x
    return x.__array__()[()] if _is_scalar(x) else x.__array__()


def _taking_ours(function):
    @_wraps(function)
    def asserting(*args, **kwargs):
        __tracebackhide__ = True    # of pytest
        return function(*map(_plain_all, args), **{k: _plain_all(v) for k, v in kwargs.items()})
    return asserting


def __getattr__(name):
    value = getattr(_testing, name, None)
    if value is None or name.startswith("__"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if name.startswith(("assert_", "print_assert")) and not isinstance(value, type):
        value = _taking_ours(value)
    globals()[name] = value
    return value


def __dir__():
    return dir(_testing)


__all__ = [_name for _name in _testing.__all__ if _name != "test"]
