# SPDX-License-Identifier: BSD-3-Clause
"""Examples of the site's pages do what the pages say. Each page is one session: its examples run in
their order. Examples after a line "% gpu" need a GPU."""
import ast
import doctest
import gc
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


def run_session(path, module=None):
    """Runs a page's sessions; the number of examples and what failed."""
    module = module or types.ModuleType("__main__")
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
    """Examples write files to a folder of their own, run on the CPU where they name no device, and
    leave settings as they were."""
    import heddle
    monkeypatch.chdir(tmp_path)
    gc.collect()        # arrays of the page before count no more
    with heddle.errstate(), heddle.device("cpu"):
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


def rows(path):
    """[theirs, Heddle's, what it gives] of the tables of a page that have such columns."""
    found, inside = [], False
    for line in path.read_text().split("\n"):
        cells = [cell.strip() for cell in line.strip().strip("|").split(" | ")]
        if line.startswith("|") and cells[1:] == ["Heddle", "gives"]:
            inside = True
        elif not line.startswith("|"):
            inside = False
        elif inside and not line.startswith("|---"):
            assert len(cells) == 3, line
            found.append(cells)
    return found


def value_of(code, space):
    """Runs statements, of which the last one is an expression, whose value is given back."""
    tree = ast.parse(code)
    last = tree.body.pop()
    assert isinstance(last, ast.Expr), f"no value at the end: {code}"
    exec(compile(tree, code, "exec"), space)
    return eval(compile(ast.Expression(last.value), code, "eval"), space)


def spans(cell):
    return re.findall(r"`([^`]+)`", cell)


@pytest.mark.parametrize("name", ["numpy", "cupy", "numba", "pytorch", "jax", "matlab"])
def test_coming_from__each_row_gives_what_it_says(name):
    path = ROOT / f"docs/from/{name}.md"
    table = rows(path)
    module = types.ModuleType("__main__")
    attempted, said = run_session(path, module)      # what the rows work with
    assert attempted > 0 and not said, said
    wrong = []
    for _, ours, gives in table:
        result = " ".join(repr(value_of("\n".join(spans(ours)), vars(module))).split())
        if [result] != spans(gives):
            wrong.append(f"{ours}: {result}, not {gives}")
    assert wrong == []
    assert len(table) > 15
    theirs = [row[0] for row in table]
    assert [cell for cell in theirs if theirs.count(cell) > 1] == []


def test_citation__has_the_version():
    import heddle
    text = (ROOT / "CITATION.cff").read_text()
    assert re.findall(r"^version: (.*)$", text, re.M) == [heddle.__version__]
    assert f"version = {{{heddle.__version__}}}" in (ROOT / "docs/cite.md").read_text()


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
            done = subprocess.run(["bash", "-euc", text], capture_output=True, text=True,
                                  check=False)
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
