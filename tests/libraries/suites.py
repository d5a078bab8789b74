# SPDX-License-Identifier: BSD-3-Clause
"""Runs the array API tests of SciPy and scikit-learn, as they are installed, on Heddle.

    suites.py scipy sklearn            all of them
    suites.py scipy --share 3/8        the fourth eighth of the files
    suites.py scipy --only signal      files with that in their path
    suites.py scipy -x --tb=long       other options are pytest's

by_design.txt names the tests that cannot pass, with reasons. Exit status 1 if another one fails.
"""
import argparse
import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
# What a test of arrays of any namespace has in its text.
MARKS = {"scipy": r"\bxp\b", "sklearn": r"array_api|estimator_checks"}
ARGUMENTS = {"scipy": [], "sklearn": ["-k", "array_api"]}


def folder(library):
    spec = importlib.util.find_spec(library)
    return Path(spec.origin).parent if spec else None


def modules(library, root):
    """Names of its modules with such tests, in order."""
    for path in sorted(root.rglob("test_*.py")):
        if re.search(MARKS[library], path.read_text()):
            yield ".".join((library, *path.relative_to(root).with_suffix("").parts))


def run(library, found, more):
    environment = os.environ | {"PYTHONPATH": f"{HERE}:{os.environ.get('PYTHONPATH', '')}"}
    command = [sys.executable, "-m", "pytest", "-q", "-c", os.devnull, "-p", "no:cacheprovider",
               "-W", "ignore", "-o", "faulthandler_timeout=300", "--tb=short",
               "-p", f"{library}_suite", *ARGUMENTS[library], *more, "--pyargs", *found]
    return subprocess.run(command, env=environment, cwd=HERE, check=False).returncode


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("libraries", nargs="+")
    parser.add_argument("--share", default="0/1")
    parser.add_argument("--only", default="")
    args, more = parser.parse_known_args()
    k, n = map(int, args.share.split("/"))
    broken = 0
    for library in args.libraries:
        root = folder(library)
        if root is None:
            print(f"not installed: {library}", flush=True)
            continue
        found = [m for m in modules(library, root) if args.only in m][k::n]
        print(f"{library}: {len(found)} files", flush=True)
        status = run(library, found, more) if found else 0
        broken += status not in (0, 5)      # 5: no test of these is about arrays of any namespace
    sys.exit(broken != 0)


if __name__ == "__main__":
    main()
