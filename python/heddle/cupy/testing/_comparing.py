# SPDX-License-Identifier: BSD-3-Clause
"""Decorators that call a test with heddle.cupy and with numpy and compare what it returns."""
from functools import wraps

import numpy

from ..._heddle import ndarray
from . import _arrays
from ._looping import hides

__all__ = ["numpy_cupy_allclose", "numpy_cupy_array_almost_equal",
           "numpy_cupy_array_almost_equal_nulp", "numpy_cupy_array_equal",
           "numpy_cupy_array_less", "numpy_cupy_array_list_equal", "numpy_cupy_array_max_ulp",
           "numpy_cupy_equal", "numpy_cupy_raises"]


def _outcome(inner, args, kwargs, accepted):
    try:
        return inner(*args, **kwargs), None
    except accepted as error:
        return None, error


def _is_array(x):
    return isinstance(x, (ndarray, numpy.ndarray, numpy.generic))


def _check_dtypes(ours, theirs):
    if isinstance(theirs, (list, tuple)):
        for one, other in zip(ours, theirs):
            _check_dtypes(one, other)
    elif _is_array(theirs) and ours.dtype != theirs.dtype:
        raise AssertionError(f"dtypes differ: {ours.dtype}, and NumPy's {theirs.dtype}")


def _each(check):
    """A comparison of arrays, or of lists of them element by element."""
    def compared(ours, theirs):
        if isinstance(theirs, (list, tuple)):
            if len(ours) != len(theirs):
                raise AssertionError(f"{len(ours)} results, and {len(theirs)} of NumPy's")
            for one, other in zip(ours, theirs):
                compared(one, other)
        else:
            check(ours, theirs)
    return compared


def _modules(cupy, name, scipy_name):
    """What a test is called with: CuPy's modules, and NumPy's and SciPy's."""
    ours, theirs = {name: cupy}, {name: numpy}
    if scipy_name is not None:
        import scipy

        from ... import cupyx
        ours[scipy_name], theirs[scipy_name] = cupyx.scipy, scipy
    return ours, theirs


def _with_both(check, name, type_check, accept_error, scipy_name=None):
    """Decorates a test whose argument `name` is the module that it is to use.

    type_check: dtypes must be equal, too. accept_error: exceptions (True: all) that both may raise
    in place of returning something. scipy_name: the argument that is cupyx.scipy or scipy.
    """
    accepted = Exception if accept_error is True else accept_error or ()

    def decorate(inner):
        @wraps(inner)
        def test(*args, **kwargs):
            from ... import cupy
            modules, others = _modules(cupy, name, scipy_name)
            ours, error = _outcome(inner, args, {**kwargs, **modules}, accepted)
            theirs, other = _outcome(inner, args, {**kwargs, **others}, accepted)
            if (error is None) != (other is None):
                raise AssertionError(f"only one has failed: {error!r}, and NumPy {other!r}")
            if error is not None:
                if not (isinstance(error, type(other)) or isinstance(other, type(error))):
                    raise AssertionError(f"errors differ: {error!r}, and NumPy's {other!r}")
                return
            check(ours, theirs)
            if type_check:
                _check_dtypes(ours, theirs)
        return hides(test, inner, name, scipy_name)
    return decorate


def numpy_cupy_allclose(rtol=1e-7, atol=0, err_msg="", verbose=True, name="xp", type_check=True,
                        accept_error=False, scipy_name=None):
    """The results are close. rtol and atol may be dicts by type, with "default"."""
    def check(ours, theirs):
        kind = numpy.asarray(theirs).dtype.type
        tolerances = (t.get(kind, t.get("default", usual)) if isinstance(t, dict) else t
                      for t, usual in ((rtol, 1e-7), (atol, 0)))
        _arrays.assert_allclose(ours, theirs, *tolerances, err_msg=err_msg, verbose=verbose)
    return _with_both(_each(check), name, type_check, accept_error, scipy_name)


def numpy_cupy_array_almost_equal(decimal=6, err_msg="", verbose=True, name="xp", type_check=True,
                                  accept_error=False,
                                  scipy_name=None):
    """The results are equal to so many decimals."""
    def check(ours, theirs):
        _arrays.assert_array_almost_equal(ours, theirs, decimal, err_msg, verbose)
    return _with_both(_each(check), name, type_check, accept_error, scipy_name)


def numpy_cupy_array_almost_equal_nulp(nulp=1, name="xp", type_check=True, accept_error=False,
                                       scipy_name=None):
    """The results are so many units in the last place apart at most."""
    def check(ours, theirs):
        _arrays.assert_array_almost_equal_nulp(ours, theirs, nulp)
    return _with_both(_each(check), name, type_check, accept_error, scipy_name)


def numpy_cupy_array_max_ulp(maxulp=1, dtype=None, name="xp", type_check=True, accept_error=False,
                             scipy_name=None):
    """The results are so many units in the last place apart at most."""
    def check(ours, theirs):
        _arrays.assert_array_max_ulp(ours, theirs, maxulp, dtype)
    return _with_both(_each(check), name, type_check, accept_error, scipy_name)


def numpy_cupy_array_equal(err_msg="", verbose=True, name="xp", type_check=True, accept_error=False,
                           strides_check=False, scipy_name=None):
    """The results are equal; with strides_check so are their strides."""
    def check(ours, theirs):
        _arrays.assert_array_equal(ours, theirs, err_msg, verbose, strides_check)
    return _with_both(_each(check), name, type_check, accept_error, scipy_name)


def numpy_cupy_array_list_equal(err_msg="", verbose=True, name="xp"):
    """The results are lists of equal arrays."""
    def check(ours, theirs):
        _arrays.assert_array_list_equal(ours, theirs, err_msg, verbose)
    return _with_both(check, name, False, False)


def numpy_cupy_array_less(err_msg="", verbose=True, name="xp", type_check=True, accept_error=False,
                          scipy_name=None):
    """Ours is less than NumPy's."""
    def check(ours, theirs):
        _arrays.assert_array_less(ours, theirs, err_msg, verbose)
    return _with_both(_each(check), name, type_check, accept_error, scipy_name)


def numpy_cupy_equal(name="xp"):
    """The results are equal as Python's objects."""
    def check(ours, theirs):
        if ours != theirs:
            raise AssertionError(f"results differ: {ours!r}, and NumPy's {theirs!r}")
    return _with_both(check, name, False, False)


def numpy_cupy_raises(name="xp", scipy_name=None, accept_error=Exception):
    """Both raise, and exceptions of one type."""
    def none_is_given(ours, theirs):
        raise AssertionError("no exception was raised")
    return _with_both(none_is_given, name, False, accept_error, scipy_name)
