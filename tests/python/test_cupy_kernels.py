# SPDX-License-Identifier: BSD-3-Clause
"""ElementwiseKernel and ReductionKernel beside NumPy: on the CPU, on the fake driver with nvcc for the compiler of what
Heddle's own front end does not take, and on a GPU with NVIDIA's own."""

import os
import shutil
import sysconfig

import numpy as np
import pytest
from common import IS_NUMPY, needs_heddle, xp

if not IS_NUMPY:
    import heddle.cupy as cp
    from test_cuda_fake import FAKE, PREAMBLE, run

pytestmark = needs_heddle
PLACES = (sysconfig.get_path("purelib") + "/nvidia/cu13/bin/nvcc", "/usr/local/cuda/bin/nvcc")
NVCC = shutil.which("nvcc") or next(filter(os.path.exists, PLACES), None)
ON_GPU = not IS_NUMPY and str(xp.device()).startswith("cuda")
HAS_FAKE = not IS_NUMPY and not ON_GPU and NVCC and FAKE.exists() and "ASAN_OPTIONS" not in os.environ
needs_gpu = pytest.mark.skipif(IS_NUMPY or not (ON_GPU or HAS_FAKE), reason="neither a GPU nor the fake driver and nvcc")
where = pytest.mark.parametrize("where", ["here", pytest.param("fake", marks=pytest.mark.skipif(
    not HAS_FAKE, reason="there is a GPU, or neither the fake driver nor nvcc"))])
START = """
import heddle.cupy as cp
rng = np.random.default_rng(3)
def same(got, want, **how):
    assert isinstance(got, cp.ndarray) and got.shape == want.shape and got.dtype == want.dtype, (got.dtype, want.dtype)
    np.testing.assert_allclose(got.get(), want, **how)
def both(*shape, dtype="f8"):
    a = rng.integers(-9, 9, shape).astype(dtype) if np.dtype(dtype).kind in "iub" else rng.standard_normal(shape).astype(dtype)
    if np.dtype(dtype).kind == "c":
        a = (a + 1j * rng.standard_normal(shape)).astype(dtype)
    return a, cp.asarray(a)
"""


def execute(code, where="fake"):
    if ON_GPU or where == "here":
        exec(PREAMBLE + START + code, {})      # noqa: S102
    else:
        run(START + code, HEDDLE_LIBNVRTC=str(FAKE.with_name("libfake_libnvrtc.so")), FAKE_NVRTC_NVCC=NVCC, FAKE_CUDA_RUN="1",
            HEDDLE_TIER="1", HEDDLE_DEVICE="cuda:0", HEDDLE_CACHE="off", HEDDLE_SMALL=None)


@where
def test_elementwise__shapes_strides_and_dtypes(where):
    execute("""
squares = cp.ElementwiseKernel("T x, T y", "T z", "z = x * x + 2 * y", "squares")
a, x = both(7, 300)
b, y = both(300)
same(squares(x, y), a * a + 2 * b)                         # broadcast
same(squares(x[::2, ::-3], y[:100]), a[::2, ::-3] ** 2 + 2 * b[:100])
same(squares(x.T, 1), a.T ** 2 + 2.0)                      # a number is of the arrays' dtype
out = cp.zeros((7, 300))
assert squares(x, y, out) is out
same(out, a * a + 2 * b)
view = out[:, 10:20]
squares(x[:, :10], 0, view)
same(out[:, 10:20], a[:, :10] ** 2)
same(out[:, 20:], (a * a + 2 * b)[:, 20:])
squares(x, x, x)                                           # in place
same(x, a * a + 2 * a)
for dtype in ("i4", "u1", "f4"):
    a, x = both(1000, dtype=dtype)
    same(squares(x, x), a * a + (2 * a).astype(dtype), rtol=1e-5)
assert squares(cp.zeros((0, 3)), 1.0).shape == (0, 3)
assert squares(cp.ones(()), 2).shape == ()
assert squares.nin == 2 and squares.nout == 1 and squares.name == "squares" and [p.name for p in squares.params] == list("xyz")
""", where)


@where
def test_elementwise__raw_arrays_and_loops(where):
    execute("""
turned = cp.ElementwiseKernel("raw T x, int32 shift", "T y", "y = x[(i + shift) % n]", "turned")
a, x = both(50)
same(turned(x, 7, cp.empty(50)), np.roll(a, -7))
counts = cp.zeros(5, "i4")
count = cp.ElementwiseKernel("int32 v", "raw int32 c", "atomicAdd(&c[v], 1)", "count", no_return=True)
v = rng.integers(0, 5, 2000).astype("i4")
assert count(cp.asarray(v), counts) is None and counts.tolist() == np.bincount(v, minlength=5).tolist()
grid = cp.ElementwiseKernel("raw float64 m, int64 rows", "raw float64 t",
                            "long long at[] = {i / rows, i % rows}; long long other[] = {i % rows, i / rows}; t[other] = m[at]", "grid")
a, m = both(6, 6)
t = cp.zeros((6, 6))
grid(m[:, ::-1], 6, t, size=36)
same(t, a[:, ::-1].T)
size = cp.ElementwiseKernel("raw T x", "raw int64 y", "if (i == 0) { y[0] = x.size(); y[1] = x.shape()[1]; y[2] = _ind.size(); }", "sizes")
y = cp.zeros(3, "i8")
size(m, y, size=4)
assert y.tolist() == [36, 6, 4]
loops = cp.ElementwiseKernel("T x", "T y", "total += x; y = total", "loops", preamble="__device__ double twice(double v) { return 2 * v; }",
                             loop_prep="double total = twice(5)", after_loop="if (n < 0) total = 0")
assert loops(cp.ones(3)).tolist() == [11, 11, 11]
two = cp.ElementwiseKernel("float32 x", "float32 s, int32 c", "s = sinf(x); c = x > 0", "two")
a, x = both(500, dtype="f4")
s, c = two(x)
same(s, np.sin(a), rtol=1e-5, atol=1e-6)
same(c, (a > 0).astype("i4"))
again = cp.ElementwiseKernel("T x", "T y", "y = x", "again", return_tuple=True)
assert isinstance(again(x), tuple)
""", where)


@where
def test_elementwise__complex_numbers(where):
    execute("""
k = cp.ElementwiseKernel("T z, T w", "T p, T q, float64 r", "p = z * w - conj(w); q = z / w; r = norm(z) + w.imag()", "k")
a, x = both(300, dtype="c16")
b, y = both(300, dtype="c16")
p, q, r = k(x, y)
same(p, a * b - b.conj(), rtol=1e-12)
same(q, a / b, rtol=1e-12)
same(r, (a * a.conj()).real + b.imag, rtol=1e-12)
""", where)


@pytest.mark.skipif(not ON_GPU, reason="the fake driver lacks instructions of these")
def test_elementwise__functions_of_complex_numbers_and_half():
    execute("""
a, x = both(300, dtype="c16")
same(cp.ElementwiseKernel("T z", "float64 r, float64 t", "r = abs(z); t = arg(z)", "polar")(x)[0], abs(a), rtol=1e-12)
e = cp.ElementwiseKernel("T z", "T e, T l, T s", "e = exp(z); l = log(z); s = sqrt(z)", "e")
for got, want in zip(e(x), (np.exp(a), np.log(a), np.sqrt(a))):
    same(got, want, rtol=1e-11)
a, x = both(1000, dtype="f2")
same(cp.ElementwiseKernel("T x", "T y, float32 z", "y = x * x; z = float(x) + 1", "half")(x)[1], a.astype("f4") + 1)
""")


@where
def test_reduction(where):
    execute("""
norm = cp.ReductionKernel("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0", "norm")
a, x = both(5, 40, 6)
for axis in (None, 0, 1, -1, (0, 2), (2, 1), (0, 1, 2)):
    for keepdims in (False, True):
        same(norm(x, axis=axis, keepdims=keepdims), np.sqrt((a * a).sum(axis=axis, keepdims=keepdims)), rtol=1e-12)
same(norm(x[::2, ::-3].T, axis=0), np.sqrt((a[::2, ::-3].T ** 2).sum(axis=0)), rtol=1e-12)
for n in (1, 255, 256, 257, 4096, 70000):                  # threads, pieces
    b, y = both(n)
    same(norm(y), np.sqrt((b * b).sum()), rtol=1e-12)
assert norm(cp.zeros((0, 3)), axis=0).tolist() == [0, 0, 0] and norm(cp.zeros((3, 0)), axis=0).shape == (0,)
out = cp.empty(6)
assert norm(x, out, axis=(0, 1)) is out and norm(x, out=out, axis=(0, 1)) is out
same(out, np.sqrt((a * a).sum(axis=(0, 1))), rtol=1e-12)
largest = cp.ReductionKernel("T x", "T y", "x", "max(a, b)", "y = a", None, "largest")
b, y = both(3, 1000, dtype="i4")
same(largest(y), b.max())
same(largest(y, axis=1), b.max(axis=1))
same(largest(y - 100), b.max() - 100)                      # no identity
raises(ValueError, "no identity", largest, cp.zeros((0,), "i4"))
dot = cp.ReductionKernel("T x, T y", "float64 z", "double(x) * y", "a + b", "z = a", "0", "dot", reduce_type="double")
a, x = both(9, 200, dtype="f4")
b, y = both(200, dtype="f4")
same(dot(x, y, axis=1), a.astype("f8") @ b.astype("f8"), rtol=1e-6)
places = cp.ReductionKernel("float64 x", "int64 y", "first(x, _j)", "a.value < b.value || (a.value == b.value && a.at < b.at) ? a : b",
                            "y = a.at", None, "places", reduce_type="first",
                            preamble="struct first { double value; long long at; __device__ first() {} "
                                     "__device__ first(double v, long long k) : value(v), at(k) {} };")
a, x = both(4, 3000)
assert places(x, axis=1).tolist() == a.argmin(axis=1).tolist()
""", where)


@where
def test_what_is_refused(where):
    execute("""
k = cp.ElementwiseKernel("T x, T y", "T z", "z = x + y", "k")
raises(TypeError, "T is float64", k, cp.ones(3), cp.ones(3, "f4"))
raises(TypeError, "takes 2 or 3 arguments", k, cp.ones(3))
raises(TypeError, "a result and has to be an array", k, cp.ones(3), 1, 2)
raises(ValueError, "has shape (3,)", k, cp.ones((2, 3)), 1, cp.ones(3))
raises(ValueError, "cannot be broadcast", k, cp.ones(3), cp.ones(4))
raises(ValueError, "give size", k, 1, 2)
raises(ValueError, "only where all arrays are raw", lambda: k(cp.ones(3), 1, size=3))
raises(ValueError, "nothing says what dtype U", cp.ElementwiseKernel("T x", "U y", "y = x", "u"), cp.ones(3))
raises(TypeError, "the parameter is float32", cp.ElementwiseKernel("float32 x", "T y", "y = x", "w"), cp.ones(3))
raises(ValueError, "raw and has to be given", cp.ElementwiseKernel("T x", "raw T y", "y[i] = x", "r"), cp.ones(3))
from heddle.cupy.cuda._nvrtc import CompileException
large = cp.ReductionKernel("T x", "T y", "large()", "a", "y = 0", None, "large", reduce_type="large",
                           preamble="struct large { char bytes[65]; };")
raises(CompileException, "reduce_type takes more than 64 bytes", large, cp.ones(3))
raises(CompileException, "nothing", cp.ElementwiseKernel("T x", "T y", "y = nothing", "b"), cp.ones(3))
assert k(cp.ones(3), 1).tolist() == [2, 2, 2]
""", where)


def test_definitions():
    for bad in ("T", "T x y z", "T 1x", "T i", "T _x", "T n"):
        with pytest.raises(ValueError, match="parameter"):
            cp.ElementwiseKernel(bad, "T z", "z = 1")
    with pytest.raises(ValueError, match="one name"):
        cp.ElementwiseKernel("T x", "T x", "")
    with pytest.raises(TypeError):
        cp.ElementwiseKernel("nothing x", "T y", "")
    with pytest.raises(ValueError, match="the name"):
        cp.ElementwiseKernel("T x", "T y", "y = x", "a b")
    with pytest.raises(ValueError, match="one result"):
        cp.ReductionKernel("T x", "T y, T z", "x", "a + b", "y = a", "0")
