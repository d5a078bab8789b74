# SPDX-License-Identifier: BSD-3-Clause
"""pytest -p sklearn_suite --pyargs sklearn -k array_api: scikit-learn's own array API tests with
heddle as the only namespace. suites.py runs it."""
import os

os.environ.setdefault("SCIPY_ARRAY_API", "1")

import by_design
import sklearn.utils._array_api

ITSELF = ("heddle", None, None)      # namespace, device, dtype
SINGLE = ("heddle", None, "float32")


def combinations(include_numpy_namespaces=True):
    yield from (ITSELF, SINGLE)


sklearn.utils._array_api.yield_namespaces = lambda include_numpy_namespaces=True: iter(["heddle"])
sklearn.utils._array_api.yield_namespace_device_dtype_combinations = combinations


def pytest_collection_modifyitems(config, items):
    by_design.keep(config, items, lambda item: "heddle" in item.name)
    by_design.mark(items, lambda item: by_design.suite_name("sklearn", item))
