# SPDX-License-Identifier: BSD-3-Clause
"""Decorators that say when a test runs, with what attributes, and with what random numbers."""
import inspect
import unittest
from contextlib import contextmanager
from functools import wraps

__all__ = ["AssertFunctionIsCalled", "NumpyAliasBasicTestBase", "NumpyAliasValuesTestBase",
           "assert_function_is_called", "fix_random", "generate_seed", "installed", "multi_gpu", "numpy_satisfies", "parameterize", "slow",
           "with_requires"]


def slow(test):
    """Marks a test that takes long, for pytest -m "not slow"."""
    from pytest import mark
    return mark.slow(test)


def multi_gpu(gpu_num):
    """Skips the test where there are fewer GPUs."""
    from pytest import mark

    from ..cuda.runtime import getDeviceCount
    return mark.skipif(getDeviceCount() < gpu_num, reason=f"{gpu_num} GPUs are needed")


def installed(*specifiers):
    """Are all packages installed, in versions such as "numpy>=2"? Needs packaging."""
    from importlib.metadata import PackageNotFoundError, version

    from packaging.requirements import Requirement
    try:
        return all(version(need.name) in need.specifier for need in map(Requirement, specifiers))
    except PackageNotFoundError:
        return False


def numpy_satisfies(version_range):
    """Is NumPy's version within a range such as ">=2"?"""
    return installed(f"numpy{version_range}")


def with_requires(*requirements):
    """Skips the test where a package is not installed, or in no such version."""
    from pytest import mark
    return mark.skipif(not installed(*requirements), reason=f"requires {', '.join(requirements)}")


_fixed = 0      # tests under fix_random() that run


def generate_seed():
    """A seed of NumPy's choice, in a test under fix_random() the same each time. AssertionError: not
    in such a test."""
    if not _fixed:
        raise AssertionError("random numbers are not fixed: fix_random()")
    import numpy
    return numpy.random.randint(0x7fffffff)


def fix_random():
    """A test, or each of a class, starts with the same seeds: NumPy's, Python's and Heddle's."""
    def fixed(test):
        @wraps(test)
        def run(*args, **kwargs):
            import random

            import numpy

            from .. import random as ours
            for seed in random.seed, numpy.random.seed, ours.seed:
                seed(0)
            global _fixed
            _fixed += 1
            try:
                return test(*args, **kwargs)
            finally:
                _fixed -= 1
        return run
    return lambda tests: _of_each_test(tests, fixed) if isinstance(tests, type) else fixed(tests)


def _of_each_test(tests, decorate):
    for name in dir(tests):
        if name.startswith("test"):
            setattr(tests, name, decorate(getattr(tests, name)))
    return tests


def parameterize(*parameters):
    """Runs each test of a class with each dict of parameters, which are attributes then. setUp() and
    tearDown(), or setup_method() and teardown_method(), run around each."""
    def several(test):
        @wraps(test)
        def run(self, *args, **kwargs):
            for n, some in enumerate(parameters):
                if n:
                    _call(self, "tearDown", "teardown_method")
                vars(self).update(some)
                _call(self, "setUp", "setup_method")
                try:
                    test(self, *args, **kwargs)
                except Exception as error:
                    if hasattr(error, "add_note"):      # Python 3.11
                        error.add_note(f"with {some}")
                    raise
        return run
    def decorate(tests):
        for name, value in parameters[0].items():   # for setUp() before the first one
            setattr(tests, name, staticmethod(value) if callable(value) else value)
        return _of_each_test(tests, several)
    return decorate


def _call(test, *names):
    for name in names:
        if hasattr(test, name):
            getattr(test, name)()
            break


# ---- tests of names ------------------------------------------------------------------------------


@contextmanager
def assert_function_is_called(target, *args, times_called=1, **kwargs):
    """What mock.patch() puts in the place of a function must be called so often in the block."""
    from unittest import mock
    if target.partition(".")[0] in ("cupy", "cupyx"):
        target = f"heddle.{target}"
    with mock.patch(target, *args, **kwargs) as called:
        yield
    if called.call_count != times_called:
        raise AssertionError(f"{target} was called {called.call_count} times, not {times_called}")


AssertFunctionIsCalled = assert_function_is_called


class _OfOneName(unittest.TestCase):
    """Tests of the function whose name is `func`, beside NumPy's."""

    func = None

    @property
    def cupy_func(self):
        """Heddle's function."""
        from ... import cupy
        return getattr(cupy, self.func)

    @property
    def numpy_func(self):
        """NumPy's."""
        import numpy
        return getattr(numpy, self.func)


class NumpyAliasBasicTestBase(_OfOneName):
    """The function has NumPy's parameters, and a documentation of its own."""

    def test_argspec(self):
        assert inspect.signature(self.cupy_func) == inspect.signature(self.numpy_func)

    def test_docstring(self):
        assert self.cupy_func.__doc__ and self.cupy_func.__doc__ is not self.numpy_func.__doc__


class NumpyAliasValuesTestBase(_OfOneName):
    """The function gives what NumPy's gives for `args`."""

    args = ()

    def test_values(self):
        assert self.cupy_func(*self.args) == self.numpy_func(*self.args)
