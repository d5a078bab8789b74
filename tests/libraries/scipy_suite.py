# SPDX-License-Identifier: BSD-3-Clause
"""pytest -p scipy_suite --pyargs scipy.signal: SciPy's own array API tests with heddle as the only
namespace. suites.py runs it.

Elements count as ours, though they are NumPy's scalars on the CPU (docs/differences.md): SciPy
would stop at their namespace, and the test would not get to its values.
"""
import os

os.environ.setdefault("SCIPY_ARRAY_API", '["numpy"]')   # which of those that conftest.py knows

import by_design
import numpy
import pytest
import scipy.conftest
from scipy._lib import _array_api_override as override
from scipy._lib import array_api_compat as compat

import heddle

kind_of_type, namespace_of_arrays = override._validate_array_cls, compat.array_namespace


def kind_of(cls):
    return override._ArrayClsInfo.unknown if issubclass(cls, numpy.generic) else kind_of_type(cls)


def namespace_of(*given, **options):
    """That of the arrays; of elements alone ours."""
    arrays = [x for x in given if not isinstance(x, numpy.generic)]
    return namespace_of_arrays(*arrays, **options) if arrays or not given else heddle


override._validate_array_cls, compat.array_namespace = kind_of, namespace_of
scipy.conftest.xp_known_backends.add("heddle")


@pytest.hookimpl(tryfirst=True)
def pytest_generate_tests(metafunc):
    for fixture in metafunc._arg2fixturedefs.get("xp", ()):
        if fixture.params and fixture.func.__module__ == "scipy.conftest":
            fixture.params, fixture.ids = (heddle,), ("heddle",)


def pytest_collection_modifyitems(config, items):
    by_design.keep(config, items, lambda item: "heddle" in item.name)
    by_design.mark(items, lambda item: by_design.suite_name("scipy", item))
