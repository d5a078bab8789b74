# SPDX-License-Identifier: BSD-3-Clause
"""Which stages run: the everyday ones, all, or those that look at what was changed
(`make check-changed [SINCE=COMMIT]`).

Tests mirror the sources, so those of a file are found by its folder or its name. What nothing is
found for has all tests of its kind.
"""
import ast
import os
import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

# A quarter of an hour on 2 cores. `make test-all` adds the other compilers, the sanitizers, other
# people's libraries, and what takes long.
EVERYDAY = ["gen", "layers", "style", "headers", "build-gcc", "symbols", "unit-gcc", "links",
            "readme", "types", "pytest", "programs"]

ALWAYS = ["style", "layers", "links", "gen"]
# Beginnings of paths, and the stages that look at what is there.
STAGES = [
    ("include/", ["headers", "symbols", "docs", "consumer"]),
    ("src/", ["symbols"]),
    ("python/heddle/", ["types"]),
    ("README.md", ["readme"]),
    ("docs/", ["docs"]),
    ("examples/", ["consumer"]),
    ("tests/cpp/", ["consumer"]),
    ("tests/typing/", ["types"]),
    ("tests/programs/", ["programs"]),
    ("tests/docs/", ["docs"]),
    ("tools/", ["checkers"]),
]


def git(*words):
    return subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True,
                          check=True).stdout.splitlines()


def changed_paths():
    """Files that differ from the commit SINCE: without one, from the newest commit, and if none
    does, what the newest commit changed."""
    since = os.environ.get("SINCE", "")
    new = git("ls-files", "--others", "--exclude-standard")
    paths = git("diff", "--name-only", since or "HEAD") + new
    return paths or git("diff", "--name-only", "HEAD~1")


def stages_of(paths):
    found = list(ALWAYS)
    for path in paths:
        for start, names in STAGES:
            if path.startswith(start):
                found += [n for n in names if n not in found]
    return found


def names(words, stages):
    """The stages that test.py's words ask for."""
    if words == ["all"]:
        return [name for name in stages if name != "changed"]
    if words == ["changed"]:
        return ["changed", *stages_of(changed_paths())]
    return words or EVERYDAY


def c_tests_of(paths, every):
    """Of the C tests `every`, those in the folder that mirrors a source, and those changed."""
    found = set()
    for path in map(Path, paths):
        if path.suffix not in (".c", ".h", ".def") or path.parts[0] not in ("src", "tests"):
            continue
        if path.name.startswith("test_"):
            found |= {t for t in every if t == ROOT / path}
        else:
            near = {t for t in every if t.is_relative_to(ROOT / "tests" / path.parts[1])}
            found |= near or set(every)
    return sorted(found)


def public_names(path):
    """__all__ of a Python module, as far as it is plain."""
    for node in ast.parse(path.read_text()).body if path.suffix == ".py" else ():
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "__all__":
            return [w.value for w in ast.walk(node.value) if isinstance(w, ast.Constant)]
    return []


def python_tests_of(paths, every):
    """Of the Python tests `every`, those that name what a changed module makes public, and those
    changed."""
    found = set()
    for path in map(Path, paths):
        if path.name.startswith("test_") and path.suffix == ".py":
            found |= {t for t in every if t == ROOT / path}
        elif path.parts[0] == "python" and path.suffix in (".py", ".c", ".h"):
            words = public_names(ROOT / path) if (ROOT / path).exists() else []
            name = re.compile(rf"\b({'|'.join(words)})\b" if words else r"(?!)")
            found |= {t for t in every if name.search(t.read_text())} or set(every)
    return sorted(found)
