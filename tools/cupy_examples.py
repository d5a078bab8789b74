# SPDX-License-Identifier: BSD-3-Clause
"""Runs the examples of CuPy's documentation on Heddle, as `python -m heddle run` runs programs.

    cupy_examples.py CUPY                       CUPY is a checkout of CuPy; a line for each page
    cupy_examples.py CUPY user_guide/fft.rst    this page, or file of docstrings
    cupy_examples.py CUPY --write               also writes docs/compatibility-cupy-examples.md
    cupy_examples.py CUPY --failures            also tells each example that is not as shown

Examples are the statements of sessions (>>>) and the blocks of code, each one example, in the pages
of the guide and of the reference, and in the docstrings, which are the reference's entries. Those of
a page share their names, as they do when CuPy tests them, and so do those of a docstring. Nothing of
CuPy's is copied into the project.

An example is as shown if it ends as the text says: with the output or the exception that stands
there (numbers to 1e-6), or without an exception where none does.
tests/libraries/cupy_by_design.txt names others by page and number, each under its reason.
"""
import argparse
import ast
import collections
import contextlib
import doctest
import functools
import importlib
import io
import json
import linecache
import os
import re
import subprocess
import sys
import tempfile
import types
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs/compatibility-cupy-examples.md"
LISTED = ROOT / "tests/libraries/cupy_by_design.txt"

# What conf.py of CuPy's documentation puts before the examples of a page.
SETUP = "import numpy as np, cupy, cupyx, cupy as cp; np.random.seed(0)"

# What the exception of an example says, and the page's words for why that is: for what is missing
# here, and for what could not run.
MISSING = [
    (r"Heddle has no ([\w.]+)", r"`\1`"),
    (r"No module named '(?:heddle\.)?(cupyx?\.[\w.]+)'", r"`\1`"),
    (r"cannot import name '(\w+)' from '(?:heddle\.)?(cupyx?[\w.]*)'", r"`\2.\1`"),
    (r"'heddle\.ndarray' object has no attribute '(\w+)'", r"`cupy.ndarray.\1`"),
    (r"module 'heddle\.(cupyx?[\w.]*)' has no attribute '(\w+)'", r"`\1.\2`"),
]
CANNOT = [
    (r"No module named '(\w+)", r"needs \1"),
    (r"there is no CUDA device|CudaSupportError|is on no CUDA device|there is no CUDA stream", "needs a GPU"),
    (r"^SyntaxError", "is no Python"),
]


# ---- finding examples ----------------------------------------------------------------------------

def sessions(text):
    """(line, mode, source, output shown, exception shown) of each statement after >>>."""
    for e in doctest.DocTestParser().get_examples(text):
        want = "" if e.options.get(doctest.SKIP) else e.want    # CuPy does not check it either
        yield e.lineno, "single", e.source, want, e.exc_msg


_BLOCK = re.compile(r"^( *)(?:\.\. (?:code|code-block|testcode|testsetup|sourcecode)::(.*)"
                    r"|(?!\.\. ).*(::))\s*$")


def _indent(line):
    return len(line) - len(line.lstrip())


def blocks(text):
    """The same of each block of Python that is no session."""
    lines = text.expandtabs().splitlines()
    for number, line in enumerate(lines):
        head = _BLOCK.match(line)
        if not head or (head[2] or "").strip() not in ("", "py", "python", "python3"):
            continue
        body = number + 1
        while body < len(lines) and (not lines[body].strip() or lines[body].strip()[0] == ":"):
            body += 1
        end = body
        while end < len(lines) and (not lines[end].strip() or _indent(lines[end]) > len(head[1])):
            end += 1
        source = "\n".join(lines[body:end])
        indent = min((_indent(x) for x in lines[body:end] if x.strip()), default=0)
        source = "\n".join(x[indent:] for x in source.splitlines()).rstrip() + "\n"
        if ">>>" not in source and _is_python(source, bool(head[3])):
            yield body, "exec", source, "", None


def _is_python(source, is_guess):
    """Is it Python? Of blocks that do not say so: with an import, a call or an assignment."""
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return False
    wanted = (ast.Import, ast.ImportFrom, ast.Call, ast.Assign)
    return bool(tree.body) and (not is_guess or any(isinstance(n, wanted) for n in ast.walk(tree)))


def examples(text):
    return sorted([*sessions(text), *blocks(text)], key=lambda example: example[0])


_HEAD = re.compile(r"^ *(?:c?p?def|class)\b[^(:\n]*?(\w+)[(:]", re.M)


def docstrings(path):
    """(name, text) of the docstrings of a file; of Cython's, of what is quoted below a colon."""
    text = path.read_text()
    if path.suffix == ".pyx":
        for quoted in re.finditer(r':\s*r?"""(.*?)"""', text, re.S):
            heads = _HEAD.findall(text, 0, quoted.start() + 1)
            yield heads[-1] if heads else "", quoted[1]
        return
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)):
            doc = ast.get_docstring(node)
            if doc:
                yield getattr(node, "name", ""), doc


def pages(checkout):
    """{page: [(name, [example])]}: of a page of the guide one group, of a file one a docstring."""
    found = {}
    for path in sorted((checkout / "docs/source").rglob("*.rst")):
        found[str(path.relative_to(checkout / "docs/source"))] = [("", path.read_text())]
    for top in "cupy", "cupyx":
        for path in sorted((checkout / top).rglob("*.py*")):
            if path.suffix in (".py", ".pyx"):
                found[str(path.relative_to(checkout))] = docstrings(path)
    for page, texts in found.items():
        groups = [(name, examples(text)) for name, text in texts]
        groups = [group for group in groups if group[1] and not re.match("_(?!_)", group[0])]
        if groups:
            yield page, groups


# ---- running them: in a process that `heddle run` started ----------------------------------------

NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")


def is_shown(want, got):
    """Is got what the text shows: but for white space, and the last digits of numbers?"""
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    if doctest.OutputChecker().check_output(want, got, flags):
        return True
    want, got = ("".join(text.split()) for text in (want, got))
    kinds = [NUMBER.sub(lambda m: "i" if m[0].lstrip("+-").isdigit() else "f", text)
             for text in (want, got)]
    if kinds[0] != kinds[1]:
        return False
    return all(abs(float(a) - float(b)) <= 1e-6 * max(abs(float(a)), abs(float(b))) + 1e-12
               for a, b in zip(NUMBER.findall(want), NUMBER.findall(got)))


def outcome(mode, source, want, exception, space):
    """("shown", "") or ("differs" or "fails", what happened) of one example."""
    out = io.StringIO()
    name = f"<example {len(linecache.cache)}>"      # where inspect finds the source of functions
    linecache.cache[name] = len(source), None, source.splitlines(True), name
    try:
        with contextlib.redirect_stdout(out):
            exec(compile(source, name, mode), space)
    except BaseException as error:      # examples may do anything, sys.exit() among it
        name = type(error).__name__
        if exception is not None and exception.split(":")[0].split(".")[-1].strip() == name:
            return "shown", ""
        return "fails", f"{name}: {error}"
    if exception is not None:
        return "differs", f"no exception; shown: {exception.strip()}"
    if want and not is_shown(want, out.getvalue()):
        return "differs", f"shown: {want.strip()!r}, got: {out.getvalue().strip()!r}"
    return "shown", ""


def run_here():
    """Runs the groups that standard input has, each a __main__; a line of JSON for each example."""
    report = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)                           # kernels print, too
    for _, items in json.load(sys.stdin):
        main_module = sys.modules["__main__"] = types.ModuleType("__main__")
        exec(SETUP, vars(main_module))
        for _, *example in items:
            print(json.dumps(outcome(*example, vars(main_module))), file=report, flush=True)


# ---- counting ------------------------------------------------------------------------------------

def run(groups, seconds):
    """[(name#number, "shown", "differs" or "fails", what happened)] of a page's examples."""
    names = [f"{name}#{n}" for name, items in groups for n in range(1, len(items) + 1)]
    with tempfile.TemporaryDirectory() as folder:
        child = subprocess.Popen([sys.executable, "-m", "heddle", "run", __file__, "--here"],
                                 stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                 stderr=subprocess.DEVNULL, cwd=folder, text=True,
                                 env=dict(os.environ, MPLBACKEND="Agg"))
        try:
            said, _ = child.communicate(json.dumps(groups), timeout=seconds)
            trouble = f"the process ended with status {child.returncode}"
        except subprocess.TimeoutExpired:
            child.kill()
            said, _ = child.communicate()
            trouble = f"took more than {seconds} s"
    outcomes = [tuple(json.loads(line)) for line in said.splitlines() if line.startswith("[")]
    outcomes += [("fails", trouble)] * (len(names) - len(outcomes))
    return [(name, *result) for name, result in zip(names, outcomes)]


@functools.cache
def by_design():
    sys.path.insert(0, str(LISTED.parent))
    return importlib.import_module("by_design")


def _told(said, patterns):
    """The words for an exception; None if none fit."""
    found = ((re.search(pattern, said), words) for pattern, words in patterns)
    return next((match.expand(words) for match, words in found if match), None)


def _bound(source):
    """The names that an example gives a value to."""
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return set()
    return {name for node in ast.walk(tree) for name in (
        [node.id] if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) else
        [node.name] if isinstance(node, (ast.FunctionDef, ast.ClassDef)) else
        [a.asname or a.name.partition(".")[0] for a in node.names]
        if isinstance(node, (ast.Import, ast.ImportFrom)) else ())}


def explained(page, results, groups):
    """Yields each result with why it is not as shown; its "fails" may become "missing" or "cannot".

    An example that asks for a name which an earlier one failed to make has the earlier one's
    reason; one that asks for a name which the text never makes is a fragment.
    """
    listed = by_design().reasons(LISTED)
    sources = [source for _, items in groups for _, _, source, _, _ in items]
    failed = {}                             # name: what and why of the example that makes it
    for (name, what, said), source in zip(results, sources):
        if name.endswith("#1"):
            failed = {}
        why = by_design().reason_of(f"{page}::{name}", listed) if what != "shown" else ""
        if why and what != "shown":
            what = "cannot" if why.startswith("needs ") else "differs"
            failed.update(dict.fromkeys(_bound(source), (what, why)))
        asked = re.match(r"NameError: name '(\w+)' is not defined", said)
        if what == "fails" and not why:
            if asked:
                what, why = failed.get(asked[1], ("cannot", "a fragment of code"))
            elif why := _told(said, MISSING):
                what = "missing"
            elif why := _told(said, CANNOT):
                what = "cannot"
        if what != "shown":
            why = why or "other"
            failed.update(dict.fromkeys(_bound(source), (what, why)))
        yield name, what, said, why


COLUMNS = "shown", "differs", "missing", "cannot", "fails"


def row(page, told):
    """A page's line of the table."""
    count = collections.Counter(what for _, what, _, _ in told)
    why = collections.Counter(reason for _, what, _, reason in told if what != "shown")
    return (f"| {page} | {len(told)} | {' | '.join(str(count[what]) for what in COLUMNS)} | "
            f"{'; '.join(f'{n} {reason}' for reason, n in why.most_common())} |")


def table(rows, version):
    """The text of docs/compatibility-cupy-examples.md."""
    counts = [row.split(" | ") for row in rows]
    together = " | ".join(str(sum(int(c[n]) for c in counts)) for n in range(1, 7))
    return "\n".join([
        "# The examples of CuPy's documentation on Heddle", "",
        f"Made by `tools/cupy_examples.py CUPY --write` from a checkout of CuPy {version}, on the "
        "CPU: the statements and blocks of code",
        "of its guide (`.rst`), and of the docstrings that its reference is made of, run as "
        "[`python -m heddle run`](running-cupy-programs.md) runs programs.", "",
        "| column | |", "|---|---|",
        "| as shown | with the output or the exception that CuPy's text shows, numbers to 1e-6 |",
        "| differ | with another one, by design: it stands in [differences.md](differences.md#cupy) |",
        "| missing | Heddle lacks a name, which the exception tells: "
        "[compatibility-cupy.md](compatibility-cupy.md) |",
        "| cannot run | for want of a library or a GPU; or a fragment, which uses names that the "
        "text does not define |",
        "| fail | otherwise |", "",
        "| page | examples | as shown | differ | missing | cannot run | fail | why |",
        "|---|---|---|---|---|---|---|---|",
        *rows, f"| together | {together} | |", ""])


def version_of(checkout):
    version = re.search(r"__version__ = '(.*)'", (checkout / "cupy/_version.py").read_text())[1]
    git = subprocess.run(["git", "-C", checkout, "rev-parse", "--short=12", "HEAD"],
                         capture_output=True, text=True, check=False)
    return f"{version} ({git.stdout.strip()})" if git.returncode == 0 else version


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkout", type=Path)
    parser.add_argument("pages", nargs="*", help="how the names of the pages begin")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--failures", action="store_true")
    parser.add_argument("--seconds", type=int, default=300, help="a page may take")
    args = parser.parse_args()
    rows = []
    for page, groups in pages(args.checkout):
        if args.pages and not page.startswith(tuple(args.pages)):
            continue
        told = list(explained(page, run(groups, args.seconds), groups))
        rows.append(row(page, told))
        print(rows[-1], flush=True)
        for name, what, said, why in told if args.failures else ():
            if what != "shown":
                print(f"    {name} {what} ({why}): {said[:300]}")
    if args.write and not args.pages:
        PAGE.write_text(table(rows, version_of(args.checkout)))


if __name__ == "__main__":
    run_here() if sys.argv[1:] == ["--here"] else main()
