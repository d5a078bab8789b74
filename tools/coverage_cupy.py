# SPDX-License-Identifier: BSD-3-Clause
"""Writes docs/compatibility-cupy.md: which of CuPy's names Heddle has, which must be importable.

    PYTHONPATH=build/gcc/python .venv/bin/python tools/coverage_cupy.py          write the page
    ... tools/coverage_cupy.py check                                             fail if it is old
"""
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
NAMES = ROOT / "tests/python/cupy_names.txt"
PAGE = ROOT / "docs/compatibility-cupy.md"

HEAD = """\
# CuPy's names in Heddle

Made by tools/coverage_cupy.py from tests/python/cupy_names.txt, the public names of CuPy in the modules below, members of
classes among them. A name that is missing is an AttributeError that names it. Left out: `cupyx.scipy` but for
`fft`, `fftpack` and `ndimage`, and the raw wrappers of NVIDIA's libraries. How programs run: [running-cupy-programs.md](running-cupy-programs.md).

| module | names | there | missing |
|---|---|---|---|
"""


def names_by_module():
    """{module: its names} of the names file."""
    found = {}
    for line in NAMES.read_text().splitlines():
        if line.startswith("["):
            names = found[line.strip("[]")] = []
        elif not line.startswith("#"):
            names += line.split()
    return found


def _has(holder, path):
    for part in path.split("."):
        if not hasattr(holder, part):
            return False
        holder = getattr(holder, part)
    return True


def _instances(cupy):
    """Classes whose members are seen on an object only, and one of each."""
    x = cupy.ones(1)
    return {"broadcast": cupy.broadcast(x), "flatiter": x.flat, "MemoryPointer": cupy.cuda.alloc(1)}


def missing(module, names):
    """Those of a module's names that Heddle has not."""
    from heddle._run.mapping import Mapping
    try:
        holder = Mapping().module(module)
    except ModuleNotFoundError:
        return list(names)
    instances = _instances(Mapping().module("cupy"))

    def has(name):
        first, _, member = name.partition(".")
        return _has(holder, first) and (
            not member or _has(instances.get(first, getattr(holder, first)), member))
    return [name for name in names if not has(name)]


def _short(names):
    """The names, without the members of a class that is missing itself."""
    gone = set(names)
    return [n for n in names if n.partition(".")[0] not in gone or "." not in n]


def page():
    """The text of the page."""
    rows, sums = [], [0, 0]
    for module, names in names_by_module().items():
        lacking = missing(module, names)
        sums = [sums[0] + len(names), sums[1] + len(names) - len(lacking)]
        rows.append(f"| `{module}` | {len(names)} | {len(names) - len(lacking)} | "
                    f"{', '.join(f'`{n}`' for n in _short(lacking))} |")
    return HEAD + "\n".join(rows) + f"\n| together | {sums[0]} | {sums[1]} | |\n"


def main(words):
    """0, or 1 if the page is not up to date."""
    text = page()
    if words != ["check"]:
        PAGE.write_text(text)
    elif PAGE.read_text() != text:
        print(f"{PAGE} is not up to date: run tools/coverage_cupy.py", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
