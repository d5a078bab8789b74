# SPDX-License-Identifier: BSD-3-Clause
"""Loops of kernels in C source: a GPU's are unrolled (tests/lir/test_lir_code.c), which changes no bit."""

import pytest
from common import needs_heddle
from user_kernels import DEVICES, run_on

pytestmark = needs_heddle


@pytest.mark.parametrize("device", DEVICES)
def test_loops__of_any_number_of_turns_give_the_bits_of_one_by_one(device):
    """Products and sums are not contracted here, so that NumPy's are the same."""
    run_on(device, """
CODE = r'''
extern "C" __global__ void pull(const float4 *p, float *r, int first, int n) {
    float4 me = p[0];
    float s = 0, t = 1;
    for (int k = first; k < n; k++) {
        float a = p[k].x - me.x, b = p[k].y - me.y, c = p[k].z - me.z;
        float d = __fadd_rn(__fadd_rn(__fmul_rn(a, a), __fmul_rn(b, b)), __fmul_rn(c, c));
        float w = __fmul_rn(__fmul_rn(p[k].w, d), d);
        s = __fadd_rn(s, __fmul_rn(w, a));
        t = __fadd_rn(__fmul_rn(t, 0.75f), __fmul_rn(w, b));
    }
    r[0] = s; r[1] = t;
}
extern "C" __global__ void down(const int *x, int *r, int n) {
    int s = 0;
    for (int k = n; k > 0; k -= 3) { s = s * 31 + x[k] * (x[k - 1] ^ k); x += s & 1; s ^= s >> 3; r[k] = s; }
}
'''
rng = np.random.default_rng(5)
p = rng.standard_normal((40, 4)).astype("f4")
pull, down = (cp.RawKernel(CODE, name) for name in ("pull", "down"))
one = np.float32
def same(x, y):
    assert np.asarray(x).tobytes() == np.asarray(y).tobytes(), (x, y)
for first, n in [(0, n) for n in range(12)] + [(3, 2), (3, 3), (3, 8), (1, 40)]:
    r, s, t = cp.zeros(2, "f4"), one(0), one(1)
    pull((1,), (1,), (cp.asarray(p), r, np.int32(first), np.int32(n)))
    for k in range(first, n):
        a, b, c = p[k, :3] - p[0, :3]
        d = a * a + b * b + c * c
        w = p[k, 3] * d * d
        s, t = s + w * a, t * one(0.75) + w * b
    same(r.get(), np.array([s, t], "f4"))
x = rng.integers(0, 9, 200).astype("i4")
for n in range(14):
    r, want, s, at = cp.zeros(20, "i4"), np.zeros(20, "i4"), 0, 0
    down((1,), (1,), (cp.asarray(x), r, np.int32(n)))
    for k in range(n, 0, -3):
        s = (s * 31 + int(x[at + k]) * (int(x[at + k - 1]) ^ k)) & 0xffffffff
        s -= (s >> 31) << 32
        at += s & 1
        s ^= s >> 3
        want[k] = s
    same(r.get(), want)
""")


@pytest.mark.parametrize("device", DEVICES)
def test_loops__unrolled_as_the_source_says(device):
    """Also where that cannot be, of which nobody is warned (user_kernels.py)."""
    run_on(device, """
CODE = r'''
template <int N> __device__ int some(const int *x) {
    int a[N], s = 0;
    #pragma unroll
    for (int i = 0; i < N; i++) a[i] = x[i] * (i + 1);
    #pragma unroll 2
    for (int i = 0; i < N; i++) s = s * 3 + a[N - 1 - i];
    return s;
}
extern "C" __global__ void f(const int *x, int *r, int n) {
    int k = 0, s = some<7>(x);
    #pragma unroll
    while (x[k] < n) k++;
    #pragma unroll 8
    for (int i = 0; i < n; i++) s ^= x[i] << (i & 3);
    #pragma unroll 1
    for (int i = 0; i < 4; i++) s += i;
    r[0] = k; r[1] = s;
}
'''
f, x = cp.RawKernel(CODE, "f"), np.arange(40, dtype="i4")
for n in range(0, 30):
    r = cp.zeros(2, "i4")
    f((1,), (1,), (cp.asarray(x), r, np.int32(n)))
    s = 0
    for i in range(7):
        s = s * 3 + (6 - i) * (7 - i)
    for i in range(n):
        s ^= i << (i & 3)
    assert r.tolist() == [n, s + 6], (n, r, s)
""")
