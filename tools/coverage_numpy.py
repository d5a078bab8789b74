# SPDX-License-Identifier: BSD-3-Clause
"""Writes docs/coverage-numpy.md: where each of NumPy's public names is computed. Heddle must be
importable.

    PYTHONPATH=build/gcc/python .venv/bin/python tools/coverage_numpy.py          write the page
    ... tools/coverage_numpy.py check                                             fail if it is old
"""
import sys
from importlib import import_module
from pathlib import Path

import numpy

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs/coverage-numpy.md"
MODULES = ["", "linalg", "fft", "random", "polynomial", "polynomial.polynomial",
           "polynomial.chebyshev", "polynomial.hermite", "polynomial.hermite_e",
           "polynomial.laguerre", "polynomial.legendre", "lib.scimath", "lib.stride_tricks",
           "lib.array_utils", "testing", "exceptions", "ma", "char", "strings", "rec", "typing",
           "dtypes"]
CLASSES = ["ndarray", "random.Generator", "random.RandomState"]
LEFT_OUT = {"": {"core", "f2py", "ctypeslib", "test"}}
HEAD = """\
# NumPy's names in Heddle

Made by tools/coverage_numpy.py of the public names of NumPy {version}.
**Heddle's**: functions, methods and classes that are Heddle's own; they hand over to NumPy what
they are not made for ([numpys-work.md](numpys-work.md)).
**NumPy's own**: the same object as NumPy's, loaded when it is asked for: dtypes, what is not
numerical, and modules that go by NumPy's protocols.
Left out: `core`, `ctypeslib`, `f2py`, `test`.
How NumPy's own tests do on Heddle: [compatibility.md](compatibility.md).

| module or class | names | Heddle's | NumPy's own | NumPy's own names | missing |
|---|---|---|---|---|---|
"""


def find(root, path):
    """root.path, of which parts may be modules that are not loaded yet; None: it is not there."""
    for part in path.split(".") if path else ():
        if not hasattr(root, part):
            try:
                import_module(f"{root.__name__}.{part}")
            except ImportError:
                return None
        root = getattr(root, part, None)
    return root


def public(path, holder):
    names = getattr(holder, "__all__", None) or dir(holder)
    return sorted({n for n in names if not n.startswith("_")} - LEFT_OUT.get(path, {"test"}))


def row(path):
    """The line of a module or class; its names, Heddle's and NumPy's own ones, counted."""
    import heddle
    theirs, ours = find(numpy, path), find(heddle, path)
    names = public(path, theirs)
    missing = [n for n in names if not hasattr(ours, n)]
    same = [n for n in names if n not in missing and getattr(ours, n) is getattr(theirs, n)]
    own = len(names) - len(same) - len(missing)
    name = "numpy" + "." * bool(path) + path
    listed = "all" if len(same) == len(names) else ", ".join(f"`{n}`" for n in same)
    lacking = ", ".join(f"`{n}`" for n in missing)
    text = f"| `{name}` | {len(names)} | {own} | {len(same)} | {listed} | {lacking} |"
    return text, (len(names), own, len(same))


def page():
    """The text of the page."""
    rows = [row(path) for path in (*MODULES, *CLASSES)]
    sums = [sum(numbers[k] for _, numbers in rows) for k in range(3)]
    return (HEAD.format(version=numpy.__version__) + "\n".join(text for text, _ in rows) +
            f"\n| together | {sums[0]} | {sums[1]} | {sums[2]} | | {sums[0] - sums[1] - sums[2]} |\n")


def main(words):
    """0, or 1 if the page is not up to date. Of another NumPy than the page's nothing is said."""
    text = page()
    if words != ["check"]:
        PAGE.write_text(text)
    elif f"NumPy {numpy.__version__}." in PAGE.read_text() and PAGE.read_text() != text:
        print(f"{PAGE} is not up to date: run tools/coverage_numpy.py", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
