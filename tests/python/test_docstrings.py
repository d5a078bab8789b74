# SPDX-License-Identifier: BSD-3-Clause
"""Docstrings: examples give on this device what they say; nothing is made before it is asked for."""

import doctest
import inspect
import re
import subprocess
import sys
import types

import pytest
from common import needs_heddle, xp

pytestmark = needs_heddle


def examples():
    """{name: docstring} of the public objects that have an example."""
    found = {}
    for path in ("", "linalg", "fft", "random", "ndarray", "random.Generator"):
        home = xp
        for part in path.split(".") if path else ():
            home = getattr(home, part)
        names = vars(home) if isinstance(home, types.ModuleType) else dir(home)
        for value in [getattr(home, name) for name in list(names)]:
            module = getattr(value, "__module__", None) or "heddle" if callable(value) else ""
            text = inspect.getdoc(value) if module.startswith("heddle") else None
            if text and "\nExamples\n---" in text:
                found[f"{path}.{value.__name__}".lstrip(".")] = text
    return found


EXAMPLES = examples()


@pytest.mark.parametrize("name", sorted(EXAMPLES))
def test_example__gives_what_it_says(name):
    test = doctest.DocTestParser().get_doctest(EXAMPLES[name], {}, name, None, None)
    said = []
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS, verbose=False)
    with xp.errstate():
        runner.run(test, out=said.append)
    assert runner.summarize(verbose=False).attempted > 1
    assert not said, "".join(said)


def test_examples__are_of_many_functions():
    assert len(EXAMPLES) > 80 and "sin" in EXAMPLES


def test_docstring__is_made_when_it_is_asked_for():
    code = ("import sys, heddle, heddle.linalg, heddle.fft\n"
            "assert 'heddle._docs' not in sys.modules and 'tomllib' not in sys.modules\n"
            "assert 'Parameters' in heddle.sin.__doc__ and 'heddle._docs' in sys.modules")
    subprocess.run([sys.executable, "-c", code], check=True)


def test_docstring__of_a_ufunc_has_its_parameters():
    text = xp.arctan2.__doc__
    assert text.startswith("arctan2(x1, x2, /, out=None, *, where=True, casting='same_kind', ")
    assert "ordinate x1 and abscissa x2" in text and "real numbers" in text
    assert re.search(r"^x2 : array_like of real numbers$", text, re.M)
    assert "complex" in xp.sin.__doc__ and "ndarray of bool" in xp.isnan.__doc__


def test_docstring__of_a_function_can_be_set():
    before = xp.polyadd.__doc__
    try:
        xp.polyadd.__doc__ = "Adds."
        assert xp.polyadd.__doc__ == "Adds." and inspect.getdoc(xp.polyadd) == "Adds."
    finally:
        del xp.polyadd.__dict__["__doc__"]
    assert xp.polyadd.__doc__ == before
    with pytest.raises(AttributeError):
        xp.sin.__doc__ = "A sine."


def test_methods__have_the_names_they_are_found_by():
    import pickle
    names = [name for name in dir(xp.ndarray) if not name.startswith("_")]
    methods = {name: getattr(xp.ndarray, name) for name in names
               if type(getattr(xp.ndarray, name)) is type(xp.ndarray.sum)}
    assert "resize" in methods and len(methods) > 40
    for name, method in methods.items():
        assert method.__name__ == name
        assert pickle.loads(pickle.dumps(method)).__name__ == name
