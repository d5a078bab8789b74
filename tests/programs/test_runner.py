# SPDX-License-Identifier: BSD-3-Clause
"""Plants one difference at a time between two runs of a program: run.py must notice each, and
nothing else.

The module in Heddle's place is NumPy under another name, so that this needs no build. The form of
our programs is checked, too: a field, a docstring, as many lines as the others.
"""

import ast
import os
import pathlib
import subprocess
import sys
import tempfile

import run

HERE = pathlib.Path(__file__).resolve().parent
FIELDS = set("""
    linear_algebra stencils image_signal statistics dynamic_programming graphs_automata
    machine_learning particles finance numerical_methods""".split())
LINES = (20, 95)
MODULE = """
import sys
import numpy
random = type(sys)("random")     # its own seeds give other numbers
random.Generator = numpy.random.Generator
random.RandomState = numpy.random.RandomState
random.default_rng = lambda seed: numpy.random.default_rng(seed + 1)
random.seed = random.shuffle = random.rand = lambda *args: numpy.random.rand()
sys.modules.update({"planted.linalg": numpy.linalg, "planted.random": random})
globals().update({k: v for k, v in vars(numpy).items() if k != "random" and k[:2] != "__"})
asnumpy = numpy.asarray
def synchronize(): pass
"""
# `_other` is true in the second run only.
PROGRAM = '''
"""For a test."""
import numpy as np
import numpy.linalg as la
from numpy.random import default_rng
SIZES = {"tiny": 2, "medium": 3, "large": 4}
_other = np.__name__ != "numpy"
assert la.__name__.split(".")[0] == "numpy"
class Holder: pass
rng = default_rng(1)
x = rng.random(SIZES[SIZE])
h = Holder()
h.parts = [{"a": (x + 1, "text")}]
n = 3
np.random.seed(2)
shuffled = np.arange(9.0)
np.random.shuffle(shuffled)
drawn = [np.random.rand(), rng.normal(x), rng.integers(5), rng.random(out=x.copy())]
drawn += [np.random.RandomState(3).uniform(size=3)]
drawn += [rng.permutation(shuffled), rng.choice([1.5, 2.5], 3), rng.random((2, 2))]
f4 = x.astype("f4")
inf = np.array([1.0, np.inf, np.nan, -0.0])
print("total", 1.25, [1, 2])
def ends(): pass
%s
'''
# A line for PROGRAM, and what the runner says of it; None: nothing.
PLANTED = [
    ("", None),
    ("x[0] += 1e-13 * _other", None),
    ("x[0] += 1e-8 * _other", "x[0]: "),
    ("TOLERANCE = {'x': 1e-7}; x[0] += 1e-8 * _other", None),
    ("TOLERANCE = {'default': 1e-7}; x[0] += 1e-8 * _other", None),
    ("TOLERANCE = {'n': 1e-7}; x[0] += 1e-8 * _other", "x[0]: "),
    ("r = 1e-15 * (1 + _other)", "r: "),
    ("r = 1e-15 * (1 + _other); NOISE = {'r': 1e-14}", None),
    ("f4[0] += 1e-6 * _other", None),
    ("f4[0] += 1e-2 * _other", "f4[0]: "),
    ("inf[1] *= 1 - 2 * _other", "inf[1]: "),
    ("inf[2] = 0 if _other else np.nan", "inf[2]: "),
    ("inf[0] = np.nan if _other else 0", "inf[0]: "),
    ("z = np.array([1 + 1j, 2]) + 1e-5j * _other", "z[0]: "),
    ("k = np.arange(3); k[1] += _other", "k[1]: "),
    ("b = np.array([True, bool(_other)])", "b[1]: "),
    ("x = x.astype('f4') if _other else x", "x: dtype float32"),
    ("k = np.arange(3, dtype='u8' if _other else 'i8')", "k: dtype uint64"),
    ("n = 3.0 if _other else 3", "n: dtype float64"),
    ("n += _other", "n: "),
    ("x = x[None] if _other else x", "x: shape (1, 2)"),
    ("x = list(x) if _other else x", "x: a list"),
    ("x = float(x[0]) if _other else np.array(x[0])", "x: a float"),
    ("if _other: del x", "x: is missing"),
    ("if _other: y = 1", "y: NumPy's run has no such name"),
    ("h.parts[0]['a'][0][1] += _other", "h.parts[0]['a'][0][1]: "),
    ("h.parts[0]['b' if _other else 'c'] = 1", "keys of h.parts[0][1]: "),
    ("h.parts += [1] * _other", "h.parts: 2 elements"),
    ("if _other: h.more = 1", "h.more: only one"),
    ("s = {1, 2 + _other}", "s[1]: "),
    ("t = 'b' if _other else 'a'", "t: 'b'"),
    ("print('n', 2 + _other)", "line 2 printed: "),
    ("print('n', 2.5 + 1e-12 * _other)", None),
    ("print('n', 2.5 + 1e-6 * _other)", "line 2 printed: "),
    ("print(f'n {2.5 + 1e-6 * _other}'); NOISE = {'printed': 1e-5}", None),
    ("print('n' + ' ' * (1 + _other) + '2')", None),
    ("print('m' if _other else 'n')", "line 2 printed: "),
    ("if _other: print('n')", "printed: 2 lines, NumPy: 1"),
    ("if _other: raise ValueError('no')", "the end: ValueError no"),
    ("RAISES = 'IndexError'; ends = {}[0] if _other else [][0]", "the end: KeyError"),
    ("RAISES = 'IndexError'; [][0]", None),
    ("RAISES = 'SystemExit'; raise SystemExit('enough')", None),
    ("[][0]", "with NumPy it ends with IndexError"),
    ("RAISES = 'IndexError'", "with NumPy it ends with no exception"),
    ("del SIZES['tiny']", "SIZES must have tiny, medium, large"),
    ("if _other: import os; os.abort()", "ended by SIGABRT while it ran with planted"),
    ("if _other: import os; os._exit(3)", "exit status 3 while it ran with planted"),
    ("if _other: import ctypes; ctypes.string_at(0)", "ended by SIGSEGV while it ran with planted"),
    (
        "if _other: import atexit, os; atexit.register(os._exit, 5)",
        "exit status 5 after all sizes had run",
    ),
    ("while _other: pass", "no end in time while it ran with planted"),
    (
        "import os; os.write(2, b'x.c:1:1: runtime error: planted' * _other)",
        "a sanitizer's report after all sizes",
    ),
]


def outcome_of(folder, line, sizes, *options):
    """Exit status and output of run.py with that line in the program."""
    path = folder / "planted_program.py"
    path.write_text(PROGRAM % line)
    command = [
        sys.executable,
        HERE / "run.py",
        "--file",
        path,
        "--against",
        "planted",
        "--size",
        sizes,
        *options,
    ]
    result = subprocess.run(
        list(map(str, command)),
        env=os.environ | {"PYTHONPATH": str(folder)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    return result.returncode, result.stdout + result.stderr


def notices(folder, line, text):
    status, output = outcome_of(folder, line, "tiny", "--timeout", "3")
    if text is None:
        return status == 0 and output.strip() == "1 passed, 0 failed", output
    told = [o for o in output.splitlines() if o.startswith("    ") and not o.startswith("     ")]
    return status == 1 and len(told) >= 1 and told[0].strip().startswith(text), output


def goes_on_after_a_crash(folder):
    line = "if _other and SIZE == 'tiny': import os; os.abort()"
    status, output = outcome_of(folder, line, "tiny,medium", "--tier", "0,1")
    return status == 1 and output.splitlines()[-1] == "2 passed, 2 failed", output


def shares_are_a_partition(_):
    names = [f"a/{i}" for i in range(17)]
    shares = [run.chosen(names, [], (i, 5), {"a/3": "no"}) for i in range(5)]
    return sorted(sum(shares, [])) == sorted(set(names) - {"a/3"}), shares


def faults_of_form(name, path):
    field, lines = path.parent.name, path.read_text().splitlines()
    tree = ast.parse(path.read_text())
    if field not in FIELDS:
        yield f"{name}: no such field; FIELDS in {pathlib.Path(__file__).name} has them"
    if not ast.get_docstring(tree):
        yield f"{name}: no docstring"
    if not LINES[0] <= len(lines) <= LINES[1]:
        yield f"{name}: {len(lines)} lines, not {LINES[0]} to {LINES[1]}"
    if any("heddle" in line for line in lines):
        yield f"{name}: knows of heddle"


def main():
    passed, failures = 0, []
    with tempfile.TemporaryDirectory(prefix="heddle-programs-") as folder:
        folder = pathlib.Path(folder)
        (folder / "planted.py").write_text(MODULE)
        tests = [
            (line or "nothing planted", lambda line=line, text=text: notices(folder, line, text))
            for line, text in PLANTED
        ]
        tests += [
            (f.__name__, lambda f=f: f(folder))
            for f in (goes_on_after_a_crash, shares_are_a_partition)
        ]
        for title, test in tests:
            held, output = test()
            passed += held
            failures += [] if held else [f"{title}:\n{output}"]
    for name, path in run.programs().items():
        faults = list(faults_of_form(name, path))
        passed += not faults
        failures += faults
    print(*failures, sep="\n")
    print(f"{passed} passed, {len(failures)} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
