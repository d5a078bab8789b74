# SPDX-License-Identifier: BSD-3-Clause
"""Kernels for GPUs where there is no GPU: tests of the package on the fake driver, which runs PTX (tests/cuda/ptx.c). A
selection; the others run there too, what needs NVIDIA's libraries or libheddle_cub apart."""

import os
import pathlib
import subprocess
import sys

import pytest

import test_cuda_batch
from test_cuda_fake import FAKE

HERE = pathlib.Path(__file__).resolve().parent
pytestmark = test_cuda_batch.pytestmark
ENV = {**os.environ, "HEDDLE_LIBCUDA": str(FAKE), "FAKE_CUDA_RUN": "1", "HEDDLE_DEVICE": "cuda", "HEDDLE_CACHE": "off",
       "HEDDLE_LIBCUB": "/nonexistent/libheddle_cub.so", "HEDDLE_TIER": "1", "HEDDLE_TIER0": "/nonexistent", "HEDDLE_SMALL": "-1"}
TIER0 = FAKE.parents[1] / "tier0/tier0.ptx"
ON_TIER0 = {**ENV, "HEDDLE_TIER": "0", "HEDDLE_TIER0": str(TIER0)}
has_tier0 = pytest.mark.skipif(not TIER0.exists(), reason="this build has no tier 0 for GPUs")


@pytest.mark.parametrize("file, which, least", [
    ("test_ops.py", "test_unary and (f2 or c8) or quotients", 52),
    ("test_ufuncs.py", "accumulate and f2", 5),
    ("test_ufuncs.py", "running_products and 3000", 3),
    ("test_ufuncs.py", "reduceat and (f4 or c16)", 10),
    ("test_ufuncs.py", "at__every_dtype and (add or floor_divide)", 10),
    ("test_half.py", "nextafter or spacing or accumulate and not matmul or test_at", 10),
    ("test_reduce.py", "test_axes and i2 or softmax or several or positions or rows_of", 33),
    ("test_random.py", "not older_functions__are", 15),
    ("test_random_rounds.py", "(zipf or vonmises) and definition", 2),
    ("test_random_bit_generators.py", "written or numbers and PCG64 or set_bit", 4),
    ("test_signal.py", "(convolve2d or correlate2d) and full or long_sums", 5),
    ("test_odd_bools.py", "not mask", 21),
    ("test_views.py", "not masks and not mask", 60),
])
def test_package(file, which, least):
    run_tests(file, which, least, ENV)


def test_masks():
    run_tests("test_masks.py", "", 150, {**ENV, "HEDDLE_LIBCUB": str(FAKE.with_name("libfake_libcub.so"))})


def run_tests(file, which, least, env):
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", str(HERE / file), "-k", which]
    result = subprocess.run(command, env=env, capture_output=True, text=True, timeout=300, check=False, cwd=HERE.parents[1])
    last = result.stdout.splitlines()[-1]
    assert result.returncode == 0 and int(last.split()[0]) >= least, result.stdout[-3000:] + result.stderr[-1000:]


def test_bits_do_not_depend_on_how_kernels_are_launched():
    """One by one, as graphs, as functions of several kernels."""
    script = [sys.executable, str(HERE / "small_kernels.py"), "0", "4"]
    printed = [subprocess.run(script, env={**ENV, "HEDDLE_BATCH": batch}, text=True, stdout=subprocess.PIPE, timeout=120,
                              check=True).stdout for batch in ("0", "", "1")]
    assert printed[0].count("\n") == 4 and printed[1:] == printed[:1] * 2


@pytest.mark.parametrize("env", [ENV, pytest.param(ON_TIER0, marks=has_tier0)],
                         ids=["compiled", "tier0"])
def test_ends_of_lines(env):
    run = subprocess.run([sys.executable, str(HERE / "kernel_ends.py")], env=env, text=True,
                         capture_output=True, timeout=200, check=False)
    assert run.stdout == "all the same\n", run.stderr[-2000:]


# ---- tier 0 --------------------------------------------------------------------------------------

@has_tier0
@pytest.mark.parametrize("file, which, least", [
    ("test_ops.py", "test_unary and (f2 or c8 or i4 or f8) or quotients", 102),
    ("test_ufuncs.py", "accumulate and (f2 or c16)", 5),
    ("test_ufuncs.py", "reduceat and (f4 or c16)", 10),
    ("test_ufuncs.py", "at__every_dtype and floor_divide", 10),
    ("test_half.py", "nextafter or spacing or accumulate and not matmul", 10),
    ("test_odd_bools.py", "not mask", 21),
    ("test_views.py", "not masks and not mask", 60),
])
def test_package_on_tier0(file, which, least):
    run_tests(file, which, least, ON_TIER0)


@has_tier0
def test_bits_do_not_depend_on_the_tier():
    """Interpreted, compiled, and one taking over from the other."""
    script = [sys.executable, str(HERE / "mixed_kernels.py"), "1", "8"]
    tiers = ({**ON_TIER0}, {**ENV}, {**ON_TIER0, "HEDDLE_TIER": ""})
    printed = [subprocess.run([*script, turns], env=env, text=True, stdout=subprocess.PIPE, timeout=200, check=True).stdout
               for env, turns in zip(tiers, "114")]
    lines = [text.splitlines() for text in printed]
    assert lines[0] == lines[1] and len(lines[0]) == 8 * 14
    assert lines[2] == [line for line in lines[1] for _ in range(4)]


@has_tier0
def test_wide_kernels():
    """More values, words and accumulators than tier 0's threads have room for, and atomic stores."""
    script = [sys.executable, str(HERE / "wide_kernels.py")]
    printed = [subprocess.run(script, env=env, text=True, stdout=subprocess.PIPE, timeout=300,
                              check=True).stdout for env in (ENV, ON_TIER0)]
    assert printed[0] == printed[1] and printed[0].count("\n") == 38
