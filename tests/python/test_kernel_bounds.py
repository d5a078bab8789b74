# SPDX-License-Identifier: BSD-3-Clause
"""HEDDLE_DEBUG=1: a kernel in C source that reads or writes out of bounds is an error that says where,
on the CPU and on the fake GPU; what is in bounds stays as it is. tests/lir/test_lir_check.c has the rules one by one."""

import pathlib

import pytest
from common import needs_heddle
from user_kernels import DEVICES, run_on

pytestmark = [needs_heddle, pytest.mark.parametrize("device", DEVICES)]

CODE = """
CODE = r'''
extern "C" __global__ void saxpy(const float *x, float *y, float a, int n) {
    int i = blockDim.x * blockIdx.x + threadIdx.x;
    if (i < n)
        y[i] = a * x[i] + y[i];
}
__constant__ int table[4] = {1, 2, 3, 4}; namespace more { __device__ int behind[8]; }
extern "C" __global__ void look(int *r, int by) { int t = threadIdx.x; r[t] = table[t + by]; }
extern "C" __global__ void turn(float *x, int by) {
    extern __shared__ float s[];
    int t = threadIdx.x + blockDim.x * threadIdx.y;
    s[t] = x[t];
    __syncthreads();
    x[t] = s[t + by];
}
extern "C" __global__ void blur(const float *x, float *y, int n) {
    int i = threadIdx.x;
    if (i < n) y[i] = x[i - 1] + x[i] + x[i + 1];
}
extern "C" __global__ void step(int n) {
    int *p = more::behind + 4;
    for (int i = 0; i < n; i++) *p++ = i;
    more::behind[0] = table[3];
}
extern "C" __global__ void through(float **list, float *y) { y[0] = list[0][5]; }
'''
names = "saxpy look turn blur step through".split()
saxpy, look, turn, blur, step, through = (cp.RawKernel(CODE, n) for n in names)
f4, i4 = np.float32, np.int32
"""


def checked(device, code, **env):
    run_on(device, CODE + code, **{"HEDDLE_DEBUG": "1", **env})


def test_bounds__the_error_says_who_and_where(device):
    checked(device, """
x, y = cp.ones(100, "f4"), cp.ones(100, "f4")
saxpy((4,), (32,), (x, y, f4(2), i4(100)))
with raises(IndexError, "saxpy: line 5: thread (4, 0, 0) of block (3, 0, 0) reads bytes 400 to 403 of 'x', "
                        "whose memory ends at byte 400"):
    saxpy((4,), (32,), (x, y, f4(2), i4(101)))
assert y.tolist() == [5] * 100                           # the other threads went on: 3 + 2
with raises(IndexError, "saxpy: line 5: ",
            "reads bytes 200 to 203 of 'y', whose memory ends at byte 200"):
    saxpy((4,), (32,), (x, y[50:], f4(2), i4(51)))
with raises(IndexError, "turn: line 14: thread (1, 3, 0) of block (0, 0, 0)", "reads bytes 64 to 67 of 'extern __shared__'"):
    turn((1,), (4, 4), (x, i4(3)), shared_mem=64)
saxpy((4,), (32,), (x, y, f4(0), i4(100)))               # nothing is broken
assert x[:13].tolist() == [1] * 13 and (cp.ones(3) + y[:3]).tolist() == [8, 8, 8]
""".replace('y[:3]).tolist() == [8, 8, 8]', 'x[:3]).tolist() == [2, 2, 2]'))


def test_bounds__views_reach_all_of_their_memory(device):
    checked(device, """
x, y = cp.arange(100, dtype="f4"), cp.zeros(98, "f4")
blur((1,), (128,), (x[1:-1], y, i4(98)))                 # the neighbours of a view
assert y[:3].tolist() == [3, 6, 9] and y[-1] == 3 * 98
with raises(IndexError, "reads bytes -4 to -1 of 'x', before its memory"):
    blur((1,), (128,), (x, y, i4(98)))
with raises(IndexError, "line 18", "thread (98, 0, 0)", "'x'"):
    blur((1,), (128,), (x[1:], y, i4(99)))
m = cp.arange(64, dtype="f4").reshape(8, 8)
blur((1,), (8,), (m[3], y, i4(8)))
assert y[0] == 23 + 24 + 25 and y[7] == 30 + 31 + 32
blur((1,), (8,), (cp.cuda.MemoryPointer(m[0], 4), y, i4(7)))      # an address is as far as it is
assert y[0] == 3
""")


def test_bounds__what_is_not_known_is_not_checked(device):
    checked(device, """
x, y = cp.arange(10, dtype="f4"), cp.zeros(1, "f4")
through((1,), (1,), (cp.array([cp.cuda.MemoryPointer(x, 0).ptr], "u8"), y))   # addresses in memory
assert y[0] == 5
with raises(IndexError, "through: line 25", "reads bytes 0 to 7 of 'list'"):
    through((1,), (1,), (cp.zeros(0, "u8"), y))
""")


def test_bounds__variables_of_a_module(device):
    checked(device, """
r = cp.zeros(4, "i4")
look((1,), (4,), (r, i4(0)))
assert r.tolist() == [1, 2, 3, 4]
with raises(IndexError, "look: line 8: thread (3, 0, 0) of block (0, 0, 0)", "reads bytes 16 to 19 of 'table'"):
    look((1,), (4,), (r, i4(1)))
with raises(IndexError, "reads bytes -4 to -1 of 'table', before its memory"):
    look((1,), (4,), (r, i4(-1)))
step((1,), (1,), (i4(4),))
with raises(IndexError, "step: line 22: ", "writes bytes 32 to 35 of 'more::behind', whose memory ends at byte 32"):
    step((1,), (1,), (i4(5),))
assert r.tolist() == [2, 1, 2, 3]
""")


def test_bounds__elementwise_and_reduction_kernels(device):
    checked(device, """
k = cp.ElementwiseKernel("raw float64 x", "float64 y", "y = x[i + 1]", "shifted")
assert k(cp.arange(5.0), size=4).tolist() == [1, 2, 3, 4]
with raises(IndexError, "shifted", "thread (4, 0, 0)", "'x'"):
    k(cp.arange(5.0), size=5)
a = cp.ElementwiseKernel("float64 x", "float64 y", "y = x > 2 ? x * x : -x", "applied")
assert a(cp.arange(5.0)).tolist() == [0, -1, -2, 9, 16]
s = cp.ReductionKernel("float64 x", "float64 y", "x", "a * b + 1", "y = a", "0", "odd")
assert s(cp.full(1, 3.0)) is not None
""")


def test_bounds__many_launches_and_kernels_kept_on_disk(device, tmp_path):
    code = """
x = cp.zeros(64, "f4")
for k in range(30):
    turn((1,), (8, 8), (x, i4(0)), shared_mem=256)
    with raises(IndexError, "turn"):
        turn((1,), (8, 8), (x, i4(k + 1)), shared_mem=256)
"""
    for _ in range(2):
        checked(device, code, HEDDLE_CACHE=tmp_path)
    # another kernel than in debug mode
    run_on(device, CODE + code.split("    with")[0], HEDDLE_CACHE=tmp_path)


def test_bounds__are_not_looked_at_otherwise(device):
    """By the number of parameters that the kernel has (HEDDLE_DUMP)."""
    code = CODE + """
import glob, tempfile
os.chdir(tempfile.mkdtemp())
turn((1,), (8,), (cp.zeros(8, 'f4'), i4(0)), shared_mem=32)
text = open(*glob.glob('*.lir')).read()
print(text.split('params ')[1].split()[0], 'role record' in text)
"""
    assert run_on(device, code, HEDDLE_DUMP="ir").split() == ["2", "False"]
    assert run_on(device, code, HEDDLE_DUMP="ir", HEDDLE_DEBUG="1").split() == ["6", "True"]


def test_bounds__well_known_kernels_give_the_same_bits(device):
    """Those of bench/kernels.py, on small arrays."""
    code = """
import sys
sys.path.insert(0, os.environ["BENCH"])
from kernel_sources import KERNELS
SIZES = {"transpose": 64, "matmul": 32, "stencil": 64, "nbody": 256, "mandelbrot": 32, "odd_even_sort": 1024}
rng, i4 = np.random.default_rng(3), np.int32
def arrays(name, n):
    real, zero = (lambda *s: rng.random(s, "f4")), (lambda *s: np.zeros(s, "f4"))
    return {"saxpy": lambda: [real(n), real(n), np.float32(0.5), i4(n)], "transpose": lambda: [real(n, n), zero(n, n), i4(n)],
            "matmul": lambda: [real(n, n), real(n, n), zero(n, n), i4(n)], "reduce": lambda: [real(n), zero(1024), i4(n)],
            "histogram": lambda: [rng.integers(0, 256, n, "u1"), np.zeros(256, "u4"), i4(n)],
            "scan": lambda: [real(n), zero(n), i4(n)], "stencil": lambda: [real(n, n), zero(n, n), i4(n)],
            "nbody": lambda: [real(n, 4), zero(n, 4), i4(n)], "mandelbrot": lambda: [np.zeros((n, n), "i4"), i4(n), i4(50)],
            "odd_even_sort": lambda: [rng.integers(0, 1 << 30, n, "i4")]}[name]()
for k in KERNELS:
    given = [cp.asarray(a) if isinstance(a, np.ndarray) else a for a in arrays(k.name, SIZES.get(k.name, 1500))]
    for grid, block, args, shared in k.launches(given):
        cp.RawKernel(k.source, k.name)(tuple(min(n, 8) for n in grid), block, tuple(args), shared_mem=shared)
    print(k.name, [hash(a.get().tobytes()) for a in given if isinstance(a, cp.ndarray)])
"""
    env = {"BENCH": pathlib.Path(__file__).resolve().parents[2] / "bench", "PYTHONHASHSEED": "1"}
    plain, looking = run_on(device, code, **env), run_on(device, code, HEDDLE_DEBUG="1", **env)
    assert plain == looking and plain.count("\n") == 10
