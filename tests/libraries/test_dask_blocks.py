# SPDX-License-Identifier: BSD-3-Clause
"""examples/dask_blocks.py: a table that no process holds at once."""
import pathlib
import subprocess
import sys

import pytest

PROGRAM = pathlib.Path(__file__).parents[2] / "examples/dask_blocks.py"


def test_dask_blocks__are_as_numpy_s():
    pytest.importorskip("distributed", reason="not installed: distributed")
    command = [sys.executable, PROGRAM, "--gigabytes", "1.6", "--rows", "100000"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Heddle in two processes" in done.stdout and "results are equal" in done.stdout
