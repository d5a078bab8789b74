# SPDX-License-Identifier: BSD-3-Clause
"""Decorators that call a test for each of several dtypes, orders or axes, by keyword."""
import inspect
from functools import wraps
from itertools import product as _product

import numpy

__all__ = ["for_CF_orders", "for_all_dtypes", "for_all_dtypes_combination", "for_complex_dtypes",
           "for_contiguous_axes", "for_dtypes", "for_dtypes_combination", "for_float_dtypes",
           "for_int_dtypes", "for_int_dtypes_combination", "for_orders", "for_signed_dtypes",
           "for_signed_dtypes_combination", "for_unsigned_dtypes",
           "for_unsigned_dtypes_combination", "product", "product_dict"]

_SIGNED = tuple(map(numpy.dtype, "bhilq"))
_UNSIGNED = tuple(map(numpy.dtype, "BHILQ"))
_COMPLEX = (numpy.complex64, numpy.complex128)


def hides(test, inner, *names):
    """Gives a decorated test the signature of what it calls without the arguments it fills in, so
    that pytest does not look for fixtures of these names."""
    signature = inspect.signature(inner)
    test.__signature__ = signature.replace(
        parameters=[p for n, p in signature.parameters.items() if n not in names])
    return test


def _for_each(choices):
    """A decorator that calls a test with each of several dicts of keyword arguments."""
    choices = list(choices)

    def decorate(inner):
        @wraps(inner)
        def test(*args, **kwargs):
            for choice in choices:
                try:
                    inner(*args, **kwargs, **choice)
                except Exception as error:
                    if hasattr(error, "add_note"):      # Python 3.11
                        error.add_note(f"with {choice}")
                    raise
        return hides(test, inner, *choices[0])
    return decorate


def for_dtypes(dtypes, name="dtype"):
    """Calls the test for each dtype."""
    return _for_each({name: numpy.dtype(dtype).type} for dtype in dtypes)


def _floats(no_float16):
    return (*((), (numpy.float16,))[not no_float16], numpy.float32, numpy.float64)


def _integers(no_bool):
    return (*_SIGNED, *_UNSIGNED, *((), (numpy.bool_,))[not no_bool])


def _all(no_float16, no_bool, no_complex):
    return (*_floats(no_float16), *_integers(no_bool), *(() if no_complex else _COMPLEX))


def for_all_dtypes(name="dtype", no_float16=False, no_bool=False, no_complex=False):
    """Calls the test for all dtypes of numbers."""
    return for_dtypes(_all(no_float16, no_bool, no_complex), name)


def for_float_dtypes(name="dtype", no_float16=False):
    """Calls the test for the floating-point dtypes."""
    return for_dtypes(_floats(no_float16), name)


def for_signed_dtypes(name="dtype"):
    """Calls the test for the signed integers."""
    return for_dtypes(_SIGNED, name)


def for_unsigned_dtypes(name="dtype"):
    """Calls the test for the unsigned integers."""
    return for_dtypes(_UNSIGNED, name)


def for_int_dtypes(name="dtype", no_bool=False):
    """Calls the test for the integers and bool."""
    return for_dtypes(_integers(no_bool), name)


def for_complex_dtypes(name="dtype"):
    """Calls the test for the complex dtypes."""
    return for_dtypes(_COMPLEX, name)


def for_dtypes_combination(types, names=("dtype",), full=None):
    """Calls the test for all combinations of dtypes, one for each name; full or not."""
    types = [numpy.dtype(t).type for t in types]
    return _for_each(dict(zip(names, some)) for some in _product(types, repeat=len(names)))


def for_all_dtypes_combination(names=("dtyes",), no_float16=False, no_bool=False, full=None,
                               no_complex=False):
    """Calls the test for all combinations of all dtypes of numbers."""
    return for_dtypes_combination(_all(no_float16, no_bool, no_complex), names)


def for_signed_dtypes_combination(names=("dtype",), full=None):
    """Calls the test for all combinations of signed integers."""
    return for_dtypes_combination(_SIGNED, names)


def for_unsigned_dtypes_combination(names=("dtype",), full=None):
    """Calls the test for all combinations of unsigned integers."""
    return for_dtypes_combination(_UNSIGNED, names)


def for_int_dtypes_combination(names=("dtype",), no_bool=False, full=None):
    """Calls the test for all combinations of integers and bool."""
    return for_dtypes_combination(_integers(no_bool), names)


def for_orders(orders, name="order"):
    """Calls the test for each order."""
    return _for_each({name: order} for order in orders)


def for_CF_orders(name="order"):
    """Calls the test for the orders C and F."""
    return for_orders("CF", name)


def for_contiguous_axes(name="axis"):
    """Calls a method with the axes along which arrays of self.shape in self.order are contiguous:
    of order C the last ones, of order F the first ones."""
    def decorate(inner):
        @wraps(inner)
        def test(self, *args, **kwargs):
            nd = len(self.shape)
            for n in range(nd):
                axes = tuple(range(n, nd)) if self.order in ("c", "C") else tuple(range(n + 1))
                inner(self, *args, **kwargs, **{name: axes})
        return hides(test, inner, name)
    return decorate


def product(parameter):
    """All combinations of a dict of lists (or of a list of lists of dicts), as a list of dicts."""
    if isinstance(parameter, dict):
        keys = sorted(parameter)
        return [dict(zip(keys, some)) for some in _product(*(parameter[key] for key in keys))]
    return product_dict(*parameter)


def product_dict(*parameters):
    """All combinations of a dict of each list, joined."""
    return [{k: v for one in some for k, v in one.items()} for some in _product(*parameters)]
