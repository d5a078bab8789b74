# SPDX-License-Identifier: BSD-3-Clause
"""What other libraries cannot do with our arrays, by name of the test, each under its reason.

by_design.txt has the list for this folder: lines of comment are the reason of the names below them,
up to an empty line. In a name, * and ? are wild.
"""
import fnmatch
import pathlib

import pytest

HERE = pathlib.Path(__file__).parent


def reasons(path):
    """{name or pattern: why}."""
    found, why = {}, []
    for line in path.read_text().splitlines():
        if not line.strip():
            why = []
        elif line.startswith("#"):
            why.append(line.lstrip("# "))
        else:
            found[line.strip()] = " ".join(why)
    return found


def reason_of(name, listed):
    if name in listed:
        return listed[name]
    wild = (why for pattern, why in listed.items()
            if "*" in pattern and fnmatch.fnmatchcase(name, pattern.replace("[", "[[]")))
    return next(wild, None)


def mark(items, name_of, path=HERE / "by_design.txt"):
    """Expects the tests that are listed to fail: pytest fails one that passes."""
    listed = reasons(path)
    for item in items:
        why = reason_of(name_of(item), listed)
        if why is not None:
            item.add_marker(pytest.mark.xfail(reason=why, strict=True))


# ---- suites of other libraries -------------------------------------------------------------------

def suite_name(library, item):
    """scipy: fft/tests/test_basic.py::TestFFT::test_fft[heddle]."""
    path = str(item.path).split(f"site-packages/{library}/")[-1]
    return f"{library}: {path}::{item.nodeid.partition('::')[2]}"


def keep(config, items, wanted):
    """Deselects the other tests."""
    config.hook.pytest_deselected(items=[item for item in items if not wanted(item)])
    items[:] = filter(wanted, items)
