# SPDX-License-Identifier: BSD-3-Clause
import by_design


def pytest_collection_modifyitems(items):
    by_design.mark(items, lambda item: item.name.removeprefix("test_use[").removesuffix("]"))
