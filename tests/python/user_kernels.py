# SPDX-License-Identifier: BSD-3-Clause
"""Programs with kernels in C source on the CPU and on the fake GPU, each in a process of its own."""

import os
import pathlib
import subprocess
import sys

import pytest
from common import IS_NUMPY, xp

if not IS_NUMPY:
    from test_cuda_fake import FAKE

DEVICES = ["cpu", "cuda"]
BEGIN = """
import os
import numpy as np
import heddle.cupy as cp
def raises(error, *texts):
    import contextlib
    @contextlib.contextmanager
    def inside():
        try:
            yield
        except error as e:
            for t in texts:
                assert t in str(e), f"{t!r} is not in {e}"
        else:
            raise AssertionError(f"nothing raised: {texts}")
    return inside()
"""


def run_on(device, code, **env):
    """Runs code there; what it printed. The disk cache is off unless given."""
    if not any(pathlib.Path(xp.__file__).parent.rglob("libheddle_llvm.so")):
        pytest.skip("no code generator in this build")
    settings = {"HEDDLE_DEVICE": "cpu"}
    if device == "cuda":
        if not FAKE.exists() or "ASAN_OPTIONS" in os.environ:
            pytest.skip("the fake driver was not built, or the sanitizer runs")
        settings = {"HEDDLE_DEVICE": "cuda:0", "HEDDLE_LIBCUDA": str(FAKE), "FAKE_CUDA_RUN": "1", "HEDDLE_TIER0": "/nonexistent",
                    "HEDDLE_LIBNVRTC": "/nonexistent"}
    settings |= {"HEDDLE_CACHE": "off", "HEDDLE_TIER": "1", **{k: str(v) for k, v in env.items()}}
    done = subprocess.run([sys.executable, "-c", BEGIN + code], env={**os.environ, **settings}, capture_output=True, text=True,
                          timeout=120, check=False)
    assert done.returncode == 0 and "warning:" not in done.stderr, done.stderr
    return done.stdout
