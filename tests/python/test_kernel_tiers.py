# SPDX-License-Identifier: BSD-3-Clause
"""Kernels in C source on a CPU: quick code at once, fast code in its place once launches have taken a while."""

import pytest

from common import ON_HOST, needs_heddle, python

pytestmark = [needs_heddle, pytest.mark.skipif(not ON_HOST, reason="a GPU's kernels are compiled once")]

PROGRAM = '''
import os, time
import numpy
import heddle as h, heddle.cupy as cupy

SOURCE = r"""
__device__ const float weights[4] = {0.5f, 1.25f, -2.0f, 0.1f};
extern "C" __global__ void mix(const float *x, float *y, int n, int turns)
{
    __shared__ float row[64];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    row[threadIdx.x] = i < n ? x[i] : 0.0f;
    __syncthreads();
    float s = 0.0f;
    for (int k = 0; k < turns; k++)
        s += expf(row[(threadIdx.x + k) % 64]) * weights[k % 4] / (1.0f + k);
    if (i < n)
        y[i] = s;
}
"""
N = 64 * 300 + 17
x = cupy.asarray(numpy.random.default_rng(1).random(N, "f4"))

def codes():   # in the disk cache: quick, then fast
    return len(os.listdir(os.environ["HEDDLE_CACHE"]))

def launch(kernel, turns):
    y = cupy.zeros(N, "f4")
    kernel(((N + 63) // 64,), (64,), (x, y, numpy.int32(N), numpy.int32(turns)))
    return h.asnumpy(y).tobytes()

def wait_for_fast(kernel, turns):
    """Launches until there is a second code; the results of all."""
    results, end = set(), time.monotonic() + 120
    while codes() < 2 and time.monotonic() < end:
        results.add(launch(kernel, turns))
    results.add(launch(kernel, turns))
    return results
'''


def run(tmp_path, body, **environment):
    return python(PROGRAM + body, timeout=200, HEDDLE_CACHE=str(tmp_path), HEDDLE_DEVICE="cpu",
                  **{"HEDDLE_TIER": "-1", **environment})


def test_short_launches__go_over_to_fast_code(tmp_path):
    run(tmp_path, '''
kernel = cupy.RawKernel(SOURCE, "mix")
first = launch(kernel, 7)
assert codes() == 1, codes()
assert wait_for_fast(kernel, 7) == {first} and codes() == 2
''')


def test_long_launch__goes_over_within_it(tmp_path):
    run(tmp_path, '''
kernel = cupy.RawKernel(SOURCE, "mix")
long = launch(kernel, 4000)            # much longer than a compile, in quick code
assert codes() == 2, codes()
assert launch(kernel, 4000) == long
''')


def test_bits__are_those_of_either_code(tmp_path):
    program = '''
kernel = cupy.RawKernel(SOURCE, "mix")
print(hash(tuple(launch(kernel, t) for t in (0, 1, 5, 64, 500))))
'''
    quick, fast = (run(tmp_path / tier, program, HEDDLE_TIER=tier, PYTHONHASHSEED="0").stdout for tier in "01")
    assert quick == fast != ""


def test_next_process__begins_with_what_is_there(tmp_path):
    run(tmp_path, '''
kernel = cupy.RawKernel(SOURCE, "mix")
launch(kernel, 4000)
''')
    before = {p.name: p.stat().st_mtime_ns for p in tmp_path.iterdir()}
    run(tmp_path, '''
assert codes() == 2
kernel = cupy.RawKernel(SOURCE, "mix")
for _ in range(50):
    launch(kernel, 500)
''')
    assert before.keys() == {p.name for p in tmp_path.iterdir()}


def test_kernels_that_go_while_they_are_compiled(tmp_path):
    run(tmp_path, '''
import gc
for i in range(12):
    kernel = cupy.RawKernel(SOURCE.replace("1.0f + k", f"{i}.5f + k"), "mix")
    for _ in range(4):
        launch(kernel, 3000)
    del kernel
    gc.collect()
''')


def test_tier_0__stays_with_quick_code(tmp_path):
    run(tmp_path, '''
kernel = cupy.RawKernel(SOURCE, "mix")
for _ in range(4):
    launch(kernel, 4000)
assert codes() == 1, codes()
''', HEDDLE_TIER="0")
