# SPDX-License-Identifier: BSD-3-Clause
"""Docstrings have numpydoc's sections, and these say what the signature says."""
import inspect
import re
import sys
import tomllib
import warnings
from pathlib import Path

import pytest
from numpydoc.docscrape import NumpyDocString

from heddle import _docs

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
import py_docstrings   # noqa: E402

LIST = Path(__file__).with_name("without_sections.txt")
SECTIONS = ["Parameters", "Returns", "Raises", "See Also", "Notes", "Examples"]


def callables():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        return py_docstrings.callables()


CALLABLES = callables()


def parameters(value, name):
    """The names of a signature's parameters, as numpydoc has them."""
    given = list(inspect.signature(value).parameters.values())
    if given and given[0].name == "self" and name.count(".") > 1:
        del given[0]
    return [_docs.name_of(p) for p in given]


def fault(value, name):
    """What is wrong with a docstring; None: nothing."""
    text = inspect.getdoc(value) or ""
    titles = re.findall(r"^([A-Z]\w+(?: [A-Z]\w+)?)\n-+$", text, re.M)
    if "Examples" not in titles:
        return "has no example"
    if titles != [title for title in SECTIONS if title in titles]:
        return f"has the sections {titles}"
    with warnings.catch_warnings():
        warnings.simplefilter("error")      # numpydoc warns of what it does not know
        doc = NumpyDocString(text)
    named = [name for entry in doc["Parameters"] for name in entry.name.split(", ")]
    if named != parameters(value, name):
        return f"describes {named}, and takes {parameters(value, name)}"
    if not doc["Returns"] and not isinstance(value, type):
        return "says nothing of the result"
    unknown = [n for names, _ in doc["See Also"] for n, _ in names if not is_known(n)]
    if unknown:
        return f"points to {unknown}"
    if not doc["Summary"] or ">>> " not in "\n".join(doc["Examples"]):
        return "lacks a summary or a statement in its example"
    return None


def is_known(name):
    import heddle
    value = heddle
    for part in name.split("."):
        value = getattr(value, part, None)
    return value is not None


def test_docstrings__have_all_sections_but_for_a_list_that_only_shrinks():
    wrong = {name: found for name, value in CALLABLES.items() if (found := fault(value, name))}
    listed = LIST.read_text().split("\n\n", 1)[1].split()
    assert [f"{name} {said}" for name, said in wrong.items() if name not in listed] == []
    assert [f"{name} can leave {LIST.name}" for name in listed if name not in wrong] == []
    assert [f"{name} {said}" for name, said in wrong.items() if said != "has no example"] == []
    assert listed == sorted(listed) and len(CALLABLES) > 500


@pytest.mark.parametrize("text, said", [
    ("Adds.\n\nParameters\n----------\nx : int\n\nReturns\n-------\nint\n", "has no example"),
    ("Adds.\n\nReturns\n-------\nint\n\nExamples\n--------\n>>> 1\n1\n",
     "describes [], and takes ['x']"),
    ("Adds.\n\nParameters\n----------\nx : int\n\nExamples\n--------\n>>> 1\n1\n",
     "says nothing of the result"),
    ("Adds.\n\nExamples\n--------\n>>> 1\n1\n\nReturns\n-------\nint\n",
     "has the sections ['Examples', 'Returns']"),
    ("Adds.\n\nParameters\n----------\nx : int\n\nReturns\n-------\nint\n\nSee Also\n--------\n"
     "unheard_of\n\nExamples\n--------\n>>> 1\n1\n", "points to ['unheard_of']"),
])
def test_docstrings__a_fault_is_seen(text, said):
    def function(x):
        return x
    function.__doc__ = text
    assert fault(function, "heddle.function") == said


def tables():
    """(file, name of the function or method, its table)."""
    for file, found in _docs.texts().items():
        for name in found:
            if name != "shared":
                yield file, name, _docs.table(file, name)


def path_of(file, name):
    return f"heddle.{file}.{name}" if file in _docs.SPACES else f"heddle.{name}"


def test_tables__each_name_is_in_one_and_is_public():
    names = [path_of(file, name) for file, name, _ in tables()]
    assert [name for name in names if names.count(name) > 1] == []
    assert [name for name in names if name not in CALLABLES] == []
    listed = LIST.read_text().split("\n\n", 1)[1].split()
    assert [name for name in names if name in listed] == []
    assert len(names) > 80


def test_tables__are_read_as_they_are_written():
    for path in _docs.FOLDER.glob("*.toml"):
        whole = tomllib.loads(path.read_text())
        for name in _docs.texts()[path.stem]:
            found = whole
            for part in name.split("."):
                found = found[part]
            assert _docs.table(path.stem, name) == found
        methods = {f"ndarray.{name}" for name in whole.pop("ndarray", ())}
        assert _docs.texts()[path.stem].keys() == whole.keys() | methods


def test_tables__no_word_is_without_use():
    """A key is a parameter of its function, or one of the words for other sections."""
    words = {"returns", "raises", "see", "notes", "example"}
    for file, name, found in tables():
        value = CALLABLES[path_of(file, name)]
        takes = {p.lstrip("*") for p in parameters(value, path_of(file, name))}
        assert not found.keys() - words - takes, f"{file}.toml: {name}"
