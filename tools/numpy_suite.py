# SPDX-License-Identifier: BSD-3-Clause
"""Runs NumPy's own tests, as they are installed with it, on Heddle.

    numpy_suite.py                     the files below; a line for each
    numpy_suite.py lib/tests/test_nanfunctions.py ...      these
    numpy_suite.py --write             also writes docs/compatibility.md; of files that are named,
                                       their lines there
    numpy_suite.py --failures          also names each test that failed, and why

The module is swapped in the text of a test file, and nowhere else: `import numpy as np` becomes
`import heddle as np`, and numpy.testing, linalg, fft, random and lib likewise. What a test takes
from numpy._core, and subclasses of ndarray that it makes, stay NumPy's. Nothing of NumPy's is
copied into the project: the changed files live in a temporary directory.

tests/libraries/numpy_by_design.txt names tests that fail by design, each under its reason; of others
the message of the failure tells it. "other" is what nobody has looked at.
"""
import argparse
import collections
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml
from pathlib import Path

import numpy

import heddle

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs/compatibility.md"
sys.path.insert(0, str(ROOT / "tests/libraries"))
import by_design    # noqa: E402

FILES = """
    _core/tests/test_einsum.py _core/tests/test_errstate.py _core/tests/test_function_base.py
    _core/tests/test_indexing.py _core/tests/test_item_selection.py _core/tests/test_numeric.py
    _core/tests/test_shape_base.py _core/tests/test_ufunc.py _core/tests/test_umath.py
    _core/tests/test_umath_complex.py _core/tests/test_multiarray.py
    _core/tests/test_scalarmath.py fft/tests/test_helper.py fft/tests/test_pocketfft.py
    lib/tests/test_arraypad.py lib/tests/test_arraysetops.py lib/tests/test_function_base.py
    lib/tests/test_histograms.py lib/tests/test_index_tricks.py lib/tests/test_io.py
    lib/tests/test_nanfunctions.py lib/tests/test_packbits.py lib/tests/test_polynomial.py
    lib/tests/test_shape_base.py lib/tests/test_stride_tricks.py lib/tests/test_twodim_base.py
    lib/tests/test_type_check.py lib/tests/test_ufunclike.py linalg/tests/test_linalg.py
    linalg/tests/test_regression.py ma/tests/test_core.py matrixlib/tests/test_defmatrix.py
    polynomial/tests/test_chebyshev.py polynomial/tests/test_classes.py
    polynomial/tests/test_hermite.py polynomial/tests/test_hermite_e.py
    polynomial/tests/test_laguerre.py polynomial/tests/test_legendre.py
    polynomial/tests/test_polynomial.py polynomial/tests/test_polyutils.py
    polynomial/tests/test_printing.py polynomial/tests/test_symbol.py
    random/tests/test_generator_mt19937.py random/tests/test_randomstate.py
    """.split()

SWAPS = [(r"^(\s*)import numpy as np\b", r"\1import heddle as np"),
         (r"^(\s*)from numpy import\b", r"\1from heddle import"),
         (r"^(\s*)from numpy\.(testing|linalg|fft|random|lib)\b(?! import _)(?!\._)", r"\1from heddle.\2"),
         (r"^(\s*)(import|from) numpy\.polynomial\b", r"\1\2 heddle.polynomial"),
         # of masked arrays' helpers the one that test_io.py takes for plain ones
         (r"^from numpy\.ma\.testutils import assert_equal$", "from heddle.testing import assert_equal"),
         (r"\bnp\.(_core|__config__)\b", r"__import__('numpy').\1"),
         # test_ufunc.py's lists of NumPy's ufuncs
         (r"(_UFUNCS\.remove\(|isinstance\(obj, )np\b", r"\1__import__('numpy')"),
         (r"^(\s*class \w+\()(?:np\.)?ndarray\)", r"\1__import__('numpy').ndarray)")]

# Hands its array to a function of NumPy's tests in C that does not look what it is.
NOT_FOR_OTHERS = "incref_elide"

# What a failure says, and the page's words for why that is.
REASONS = [
    ("DID NOT WARN|[Ww]arning", "floating-point warnings only under `errstate` or `seterr`"),
    ("acceptable base type|__array_wrap__|__array_finalize__",
     "derives from `heddle.ndarray`, or asks for `__array_wrap__`"),
    (r"_core|_impl\b|getrefcount|_CopyMode", "about NumPy's insides"),
    ("Regex pattern|does not match|'got'", "another wording of an error"),
    ("DID NOT RAISE|not raised", "takes what NumPy refuses"),
    ("has no attribute", "a name that is missing"),
]


def swapped(text):
    for old, new in SWAPS:
        text = re.sub(old, new, text, flags=re.M)
    return text


LISTED = by_design.reasons(ROOT / "tests/libraries/numpy_by_design.txt")


def reason_of(name, failure):
    listed = by_design.reason_of(name, LISTED)
    if listed:
        return listed
    said = failure.get("message") or ""
    for pattern, why in REASONS:
        if re.search(pattern, said):
            return why
    return "other"


def run(name, seconds):
    """(passed, failures of one file: [(test, reason, message)], what went wrong with the file)."""
    source = Path(numpy.__file__).parent / name
    with tempfile.TemporaryDirectory() as folder:
        test = Path(folder) / ("test_" + name.replace("/", "_"))
        test.write_text(swapped(source.read_text()))
        if (data := source.parent / "data").is_dir():
            (Path(folder) / "data").symlink_to(data)
        report = Path(folder) / "report.xml"
        try:
            done = subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider",
                                   "-k", f"not {NOT_FOR_OTHERS}", f"--junitxml={report}", test],
                                  cwd=folder, timeout=seconds,
                                  capture_output=True, text=True, check=False)
        except subprocess.TimeoutExpired:
            return 0, [], f"took more than {seconds} s"
        if done.returncode < 0:
            return 0, [], f"ended by signal {-done.returncode}"
        if not report.exists():
            return 0, [], done.stdout[-300:]
        return (*counted(name, report), "")


def counted(file, report):
    passed, failures = 0, []
    for case in xml.parse(report).iter("testcase"):
        bad = [e for e in case if e.tag in ("failure", "error")]
        if bad:
            name = f"{case.get('classname', '').split('.')[-1]}::{case.get('name')}"
            said = (bad[0].get("message") or "").split("\n")[0]
            failures.append((name, reason_of(f"{file}::{name}", bad[0]), said[:150]))
        elif not any(e.tag == "skipped" for e in case):
            passed += 1
    return passed, failures


def page(rows):
    lines = ["# NumPy's own tests on Heddle", "",
             f"Made by `tools/numpy_suite.py --write` from the tests of NumPy {numpy.__version__}, on the "
             "CPU. The module is swapped in the text",
             "of the test file; nothing else is changed. Where results differ by design: "
             "[differences.md](differences.md).", "",
             "| file | passed | failed | why |", "|---|---|---|---|"]
    lines += rows
    counts = [row.split(" | ") for row in rows]
    lines += [f"| together | {sum(int(c[1]) for c in counts)} | {sum(int(c[2]) for c in counts)} | |",
              ""]
    return "\n".join(lines)


def row(name, passed, failures, trouble):
    """A file's line of the page."""
    why = collections.Counter(reason for _, reason, _ in failures)
    told = trouble or "; ".join(f"{n} {reason}" for reason, n in why.most_common())
    return f"| {name} | {passed} | {len(failures)} | {told} |"


def rows_of(page_text):
    """{file: its line} of a page that was written before."""
    lines = (line for line in page_text.splitlines() if line.startswith("| ") and ".py |" in line)
    return {line.split(" | ")[0][2:]: line for line in lines}


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", default=FILES)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--failures", action="store_true")
    parser.add_argument("--seconds", type=int, default=300, help="a file may take")
    args = parser.parse_args()
    print("heddle", heddle.__version__, "numpy", numpy.__version__)
    rows = rows_of(PAGE.read_text()) if set(args.files) != set(FILES) else {}
    for name in args.files:
        passed, failures, trouble = run(name, args.seconds)
        rows[name] = row(name, passed, failures, trouble)
        print(f"{name:45} {passed:6} passed {len(failures):5} failed {trouble}", flush=True)
        for test, reason, message in failures if args.failures else ():
            print(f"    {test}: {reason}: {message}")
    if args.write:
        PAGE.write_text(page([rows[name] for name in FILES]))


if __name__ == "__main__":
    main()
