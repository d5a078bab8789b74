# SPDX-License-Identifier: BSD-3-Clause
"""Kernels in C source against g++ (tests/kernel/against_gcc.py), where the C tests are built."""
import shutil
import subprocess
import sys
from pathlib import Path

import heddle
import pytest

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(heddle.__file__).resolve().parents[2]

pytestmark = pytest.mark.skipif(
    not (BUILD / "tests/test_emit_c").is_file() or shutil.which("g++") is None or shutil.which("gcc") is None,
    reason="needs the C tests of this build, gcc and g++")


def against_gcc(*options):
    done = subprocess.run([sys.executable, ROOT / "tests/kernel/against_gcc.py", "--build", BUILD, *options],
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]


def test_kernels__corpus_as_gcc():
    against_gcc()


def test_kernels__random_expressions_as_gcc():
    against_gcc("--random", "80", "--seed", "11")
