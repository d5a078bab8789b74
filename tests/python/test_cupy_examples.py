# SPDX-License-Identifier: BSD-3-Clause
"""tools/cupy_examples.py: what it takes for an example, how it judges one, and what it says of
why."""

import importlib.util
import pathlib

import pytest
from common import needs_heddle

pytestmark = needs_heddle

ROOT = pathlib.Path(__file__).parents[2]

PAGE = """
Arrays
======

    >>> x = cp.arange(3)
    >>> x * 2
    array([0, 2, 4])
    >>> x.sum()     # the text is wrong here
    array(4)
    >>> x.nothing
    Traceback (most recent call last):
    AttributeError: no nothing
    >>> cp.zeros(2)  # doctest: +SKIP
    array([1., 1.])

.. code-block:: python

    y = x + 1
    assert (y > x).all()

Not Python, as a name alone::

    x y

A fragment::

    z = frob(x)

.. code:: console

    $ python y = 1

    >>> from cupyx import nonsense
    >>> nonsense.f(x)
    array([1])
    >>> import nonsense_of_others
    >>> print(f'{cp.float64(1) / 3:.12f}', 1e5)
    0.33333333334   100000.0
"""

MODULE = '''
"""
    >>> 1 + 1
    2
"""
def f():
    """>>> f
    """
def _g():
    """>>> 1
    """
'''


@pytest.fixture(scope="module")
def tool():
    spec = importlib.util.spec_from_file_location("cupy_examples", ROOT / "tools/cupy_examples.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def found(tool, tmp_path_factory):
    checkout = tmp_path_factory.mktemp("cupy")
    for name, text in (("docs/source/guide/a.rst", PAGE), ("cupy/m.py", MODULE),
                       ("cupyx/n.pyx", MODULE)):
        (checkout / name).parent.mkdir(parents=True, exist_ok=True)
        (checkout / name).write_text(text)
    return dict(tool.pages(checkout))


def test_pages__have_sessions_blocks_and_docstrings_of_public_names(found):
    assert list(found) == ["guide/a.rst", "cupy/m.py", "cupyx/n.pyx"]
    (_, items), = found["guide/a.rst"]
    assert [mode for _, mode, *_ in items] == ["single"] * 5 + ["exec"] * 2 + ["single"] * 4
    assert [line for line, *_ in items] == sorted(line for line, *_ in items)
    assert [name for name, _ in found["cupy/m.py"]] == ["", "f"]
    assert [name for name, _ in found["cupyx/n.pyx"]] == ["f"]


def test_examples__end_as_shown_or_are_told_why(tool, found):
    page = "guide/a.rst"
    told = list(tool.explained(page, tool.run(found[page], 100), found[page]))
    assert [name for name, *_ in told] == [f"#{n}" for n in range(1, 12)]
    assert [what for _, what, _, _ in told] == [
        "shown", "shown", "differs", "shown", "shown", "shown", "cannot", "missing", "missing",
        "cannot", "shown"]
    assert [why for _, _, _, why in told if why] == [
        "other", "a fragment of code", "`cupyx.nonsense`", "`cupyx.nonsense`",
        "needs nonsense_of_others"]
    assert tool.row(page, told) == (
        "| guide/a.rst | 11 | 6 | 1 | 2 | 2 | 0 | "
        "2 `cupyx.nonsense`; 1 other; 1 a fragment of code; 1 needs nonsense_of_others |")


def test_process_that_ends__fails_the_rest(tool):
    groups = [("f", [(0, "single", "1\n", "1\n", None), (1, "single", "import os; os._exit(3)\n",
                                                         "", None)])]
    assert tool.run(groups, 100) == [("f#1", "shown", ""), ("f#2", "fails",
                                                            "the process ended with status 3")]


def test_is_shown(tool):
    assert tool.is_shown("array([1., 2.])",
                         "array([1.,\n  2.0000001])") and tool.is_shown("<a ... c>", "<a b c>")
    assert not tool.is_shown("array([1., 2.])",
                             "array([1., 2.001])") and not tool.is_shown("array([1])",
                                                                         "array([1.])")
