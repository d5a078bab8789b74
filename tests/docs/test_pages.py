# SPDX-License-Identifier: BSD-3-Clause
"""Examples of the site's pages do what the pages say. Each page is one session: its examples run in
their order. Examples after a line "% gpu" need a GPU."""
import doctest
import re
import subprocess
import sys
import types
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
START = ROOT / "docs/getting-started.md"
FENCE = re.compile(r"^(% gpu\n+)?```(\w*)\n(.*?)^```$", re.M | re.S)
OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def fences(path):
    """(needs a GPU, language, text, line) of the examples of a page."""
    text = path.read_text()
    for found in FENCE.finditer(text):
        yield found[1] is not None, found[2], found[3], text[:found.start(3)].count("\n")


def pages():
    """Pages with an interpreter's session in them."""
    return [path for path in sorted((ROOT / "docs").rglob("*.md"))
            if any(">>> " in text for _, _, text, _ in fences(path))]


def has_gpu():
    import heddle
    return heddle.cuda.is_available()


def run_session(path):
    """Runs a page's sessions; the number of examples and what failed."""
    module = types.ModuleType("__main__")
    runner = doctest.DocTestRunner(optionflags=OPTIONS, verbose=False)
    parser, said = doctest.DocTestParser(), []
    for gpu, _, text, line in fences(path):
        if ">>> " in text and (not gpu or has_gpu()):
            test = parser.get_doctest(text, vars(module), path.name, str(path), line)
            runner.run(test, out=said.append, clear_globs=False)
            module.__dict__.update(test.globs)
    return runner.summarize(verbose=False).attempted, "".join(said)


@pytest.fixture(autouse=True)
def _in_a_folder(tmp_path, monkeypatch):
    """Examples write files to a folder of their own, and leave settings as they were."""
    import heddle
    monkeypatch.chdir(tmp_path)
    with heddle.errstate():
        yield


@pytest.mark.parametrize("path", pages(), ids=lambda path: str(path.relative_to(ROOT / "docs")))
def test_session__says_what_comes_out(path):
    attempted, said = run_session(path)
    assert attempted > 0
    assert not said, said


def test_session__a_wrong_result_is_seen(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("```python\n>>> x = 1 + 1\n```\n\n```python\n>>> x\n3\n```\n")
    attempted, said = run_session(page)
    assert attempted == 2 and "Expected:\n    3\nGot:\n    2" in said


def like_a_checkout(folder):
    """What the page's commands find in a clone: `make demo` has nothing left to do there."""
    package = Path(sys.modules["heddle"].__file__).parents[1]
    (folder / "Makefile").write_text("demo:\n")
    (folder / "build").mkdir()
    (folder / "build/native").symlink_to(package.parent)
    (folder / ".venv/bin").mkdir(parents=True)
    (folder / ".venv/bin/python").write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    (folder / ".venv/bin/python").chmod(0o755)


def test_getting_started__word_for_word(tmp_path, monkeypatch):
    import heddle
    like_a_checkout(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PYTHONPATH", str(Path(heddle.__file__).parents[1]))
    ran, output = 0, ""
    for _, language, text, _ in fences(START):
        name = re.match(r"(?:# |/\* )(\w+\.\w+)", text)
        if language == "sh":
            done = subprocess.run(["bash", "-euc", text], capture_output=True, text=True, check=False)
            assert done.returncode == 0, done.stderr
            ran, output = ran + 1, done.stdout
        elif language == "text":
            assert "".join(output.splitlines(True)[-text.count("\n"):]) == text
            output = ""
        elif name:
            (tmp_path / name[1]).write_text(text)
        else:
            assert ">>> " in text and language == "python", text
    assert ran == 4
