# SPDX-License-Identifier: BSD-3-Clause
"""Runs the array API standard's own tests (data-apis/array-api-tests) on Heddle.

    array_api_suite.py                       fetches them into build/array-api-tests and runs them
    array_api_suite.py --checkout FOLDER     a clone with its submodule that is there
    array_api_suite.py --module numpy        NumPy's results, to compare with
    array_api_suite.py -k linalg -x          other options are pytest's

tests/libraries/array_api.txt names those that fail, each under its reason: what NumPy does
otherwise than the standard, Heddle does as NumPy. The exit status is pytest's: 0 if no other one
fails.
Nothing of the tests is copied into the project.
"""
import argparse
import importlib.util
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LIST = ROOT / "tests/libraries/array_api.txt"
REPOSITORY = "https://github.com/data-apis/array-api-tests"
COMMIT = "55fcc60179efa2680ddd6cd926ddf17b83530e2b"
VERSION = "2024.12"
NEEDED = {"hypothesis": "hypothesis", "ndindex": "ndindex",
          "pytest_jsonreport": "pytest-json-report"}


def fetch(folder):
    """The tests at COMMIT, with the standard's text, which they read signatures from."""
    if not (folder / "conftest.py").exists():
        subprocess.run(["git", "clone", "--quiet", REPOSITORY, folder], check=True)
        subprocess.run(["git", "-C", folder, "checkout", "--quiet", COMMIT], check=True)
    if not (folder / "array-api/src").exists():
        subprocess.run(["git", "-C", folder, "submodule", "--quiet", "update", "--init"],
                       check=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--checkout", type=Path, default=ROOT / "build/array-api-tests")
    parser.add_argument("--module", default="heddle")
    parser.add_argument("--examples", default="100", help="that hypothesis draws for a test")
    args, more = parser.parse_known_args()
    missing = [name for module, name in NEEDED.items() if not importlib.util.find_spec(module)]
    if missing:
        sys.exit(f"missing: {sys.executable} -m pip install {' '.join(missing)}")
    fetch(args.checkout)
    known = [] if args.module == "numpy" else ["--xfails-file", str(LIST)]
    environment = os.environ | {"ARRAY_API_TESTS_MODULE": args.module,
                                "ARRAY_API_TESTS_VERSION": VERSION}
    done = subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider",
                           "--rootdir", ".", "-c", "pytest.ini",
                           "--max-examples", args.examples, "--disable-deadline", *known, *more,
                           "array_api_tests"], cwd=args.checkout, env=environment, check=False)
    sys.exit(done.returncode)


if __name__ == "__main__":
    main()
