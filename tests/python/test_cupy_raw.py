# SPDX-License-Identifier: BSD-3-Clause
"""RawKernel and RawModule on the fake driver, whose compiler takes the PTX that stands in the source; and
on a GPU with NVIDIA's own."""

import os
import pickle
import subprocess
import sys

import numpy as np
import pytest
from common import IS_NUMPY, needs_heddle, xp

if not IS_NUMPY:
    import heddle.cupy as cp
    from test_cuda_fake import FAKE, run

pytestmark = needs_heddle
needs_fake = pytest.mark.skipif(IS_NUMPY or not FAKE.exists() or "ASAN_OPTIONS" in os.environ,
                                reason="the fake driver was not built, or the sanitizer runs")
NVRTC = None if IS_NUMPY else str(FAKE.with_name("libfake_libnvrtc.so"))

BEGIN = """
    ld.param.u64 %rd1, [{name}_param_0];
    ld.param.u64 %rd2, [{name}_param_1];
    mov.u32 %r3, %ntid.x;
    mov.u32 %r4, %ctaid.x;
    mov.u32 %r5, %tid.x;
    mad.lo.s32 %r1, %r3, %r4, %r5;
"""
PTX = """.version 8.0
.target sm_90
.address_size 64
.visible .entry saxpy(.param .u64 saxpy_param_0, .param .u64 saxpy_param_1, .param .f32 saxpy_param_2, .param .u32 saxpy_param_3)
{
    .reg .pred %p<2>; .reg .f32 %f<5>; .reg .b32 %r<6>; .reg .b64 %rd<8>;
""" + BEGIN.format(name="saxpy") + """
    ld.param.f32 %f1, [saxpy_param_2];
    ld.param.u32 %r2, [saxpy_param_3];
    setp.ge.s32 %p1, %r1, %r2;
    @%p1 bra $L__BB0_2;
    mul.wide.s32 %rd5, %r1, 4;
    add.s64 %rd6, %rd1, %rd5;
    ld.global.f32 %f2, [%rd6];
    add.s64 %rd7, %rd2, %rd5;
    ld.global.f32 %f3, [%rd7];
    fma.rn.f32 %f4, %f2, %f1, %f3;
    st.global.f32 [%rd7], %f4;
$L__BB0_2:
    ret;
}
.visible .entry fill_long(.param .u64 fill_long_param_0, .param .u64 fill_long_param_1, .param .u32 fill_long_param_2)
{
    .reg .pred %p<2>; .reg .b32 %r<6>; .reg .b64 %rd<8>;
""" + BEGIN.format(name="fill_long") + """
    ld.param.u32 %r2, [fill_long_param_2];
    setp.ge.s32 %p1, %r1, %r2;
    @%p1 bra $L__BB1_2;
    mul.wide.s32 %rd6, %r1, 8;
    add.s64 %rd7, %rd1, %rd6;
    st.global.u64 [%rd7], %rd2;
$L__BB1_2:
    ret;
}
"""
CODE = r"""
extern "C" __global__ void saxpy(const float *x, float *y, float a, int n) {
    int i = blockDim.x * blockIdx.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
}
template <typename T> __global__ void fill(T *x, T value, int n) {
    int i = blockDim.x * blockIdx.x + threadIdx.x;
    if (i < n) x[i] = value;
}
/*
@ptx
""" + PTX + """
@end
*/
"""
START = """
import heddle.cupy as cp
CODE = open(os.environ["CODE"]).read()
nvrtc = ctypes.CDLL(os.environ["HEDDLE_LIBNVRTC"])
f4 = np.float32
saxpy = cp.RawKernel(CODE, "saxpy")
"""


@pytest.fixture
def on_fake(tmp_path):
    file = tmp_path / "code.cu"
    file.write_text(CODE)
    (tmp_path / "code.ptx").write_text(PTX)

    def start(code, **env):
        settings = {"CODE": str(file), "HEDDLE_LIBNVRTC": NVRTC, "FAKE_CUDA_RUN": "1", "HEDDLE_TIER": "1",
                    "HEDDLE_DEVICE": "cuda:0", "HEDDLE_CACHE": str(tmp_path / "cache"), "HEDDLE_SMALL": None}
        return run(START + code, **settings | env)
    return start


@needs_fake
def test_launch__in_the_order_of_the_program(on_fake):
    on_fake("""
for n in (1, 5, 1000, 40000):                              # below and above what has a mirror on the host
    x = cp.arange(n, dtype="f4")
    y = cp.ones(n, "f4") * 3                               # recorded, not computed
    assert saxpy(((n + 255) // 256,), (256,), (x, y, f4(2), np.int32(n))) is None
    z = y + 1                                              # reads what the kernel wrote
    before = y.copy()
    saxpy(((n + 255) // 256, 1, 1), 256, [x + 1, y, f4(1), np.int32(n)])     # an operand that nobody else holds
    assert np.array_equal(z.get(), np.arange(n) * 2 + 4) and np.array_equal(before.get(), np.arange(n) * 2 + 3)
    assert np.array_equal(y.get(), np.arange(n) * 3 + 4)
    x *= 0                                                 # after the kernel has read it
    assert x.sum() == 0
s = cp.cuda.Stream(non_blocking=True)
a, b = cp.ones(300, "f4"), cp.empty(300, "f4")
b[:] = 1
with s:
    saxpy((3,), (128,), (a, b, f4(1), np.int32(300)))
    total = b.sum()
s.synchronize()
assert total == 600
""")


@needs_fake
@pytest.mark.parametrize("small", ["-1", None])
def test_launch__views_and_shared_memory(on_fake, small):
    on_fake("""
m = cp.zeros((4, 100), "f4")
row = m[2]
saxpy((1,), (128,), (cp.ones(100, "f4"), row, f4(5), np.int32(100)))
assert m.sum() == 500 and m[2, 7] == 5 and m[1, 7] == 0
snapshot = m.copy()
saxpy((1,), (128,), (m[2], m[3], f4(2), np.int32(100)))       # one array, read and written
assert m[3].sum() == 1000 and snapshot[3].sum() == 0
saxpy((1,), (32,), (m[2, :10], m[2, :10], f4(1), np.int32(10)))   # the same place twice
assert m[2, :10].tolist() == [10] * 10 and m[2, 10] == 5
outside = h.from_dlpack(m)                                     # memory that others know of
saxpy((1,), (128,), (m[0] + 1, outside[1], f4(1), np.int32(100)))
assert m[1].sum() == 100
saxpy((0,), (128,), (m[0], m[1], f4(1), np.int32(100)))        # no blocks: nothing is done
assert m[1].sum() == 100
""", HEDDLE_SMALL=small)


@needs_fake
def test_arguments(on_fake):
    on_fake("""
fill = cp.RawModule(code=CODE, name_expressions=["fill<long>"]).get_function("fill<long>")
x = cp.zeros(10, "i8")
fill((1,), (32,), (x, 7, np.int32(10)))                    # a Python int is an int64
assert x.tolist() == [7] * 10
fill((1,), (32,), (x, cp.int64(-3), np.int32(4)))
assert x.tolist() == [-3] * 4 + [7] * 6
fill((1,), (32,), (x, cp.asarray(9).get(), np.int32(1)))
assert x[0] == 9
fill((1,), (32,), (x.data + 16, 5, np.int32(2)))           # an address
h.synchronize()
assert x[2:5].tolist() == [5, 5, 7]
raises(TypeError, "takes 3 arguments, 2 were given", fill, (1,), (1,), (x, 1))
raises(TypeError, "not <class 'str'>", fill, (1,), (1,), (x, "a", np.int32(1)))
raises(ValueError, "argument 0 is an array on cpu", fill, (1,), (1,), (h.ones(3, device="cpu"), 1, np.int32(1)))
raises(ValueError, "one to three sizes", fill, (1, 1, 1, 1), (1,), (x, 1, np.int32(1)))
raises(ValueError, "a size of -1", fill, (-1,), (1,), (x, 1, np.int32(1)))
raises(TypeError, "", fill, (1.5,), (1,), (x, 1, np.int32(1)))
raises(RuntimeError, "block (2048, 1, 1), 0 bytes of shared memory: too many threads in a block", fill, (1,), (2048,), (x, 1, np.int32(1)))
raises(RuntimeError, "CUDA_ERROR_INVALID_VALUE", fill, (1,), (1,), (x, 1, np.int32(1)), shared_mem=1 << 20)
r = cp.arange(5)
r.flags.writeable = False
raises(ValueError, "read-only", fill, (1,), (1,), (r, 1, np.int32(1)))
saxpy((1,), (1,), (h.broadcast_to(cp.ones(1, "f4"), (5,)), cp.ones(5, "f4"), f4(1), np.int32(1)))   # const: may be read-only
assert (cp.ones(3) + 1).sum() == 6                         # nothing is broken
""")


@needs_fake
def test_modules(on_fake, tmp_path):
    on_fake("""
path = os.environ["CODE"].replace(".cu", ".ptx")
module = cp.RawModule(path=path)
x, y = cp.ones(8, "f4"), cp.zeros(8, "f4")
k = module.get_function("saxpy")
k((1,), (8,), (x, y, f4(4), np.int32(8)))
assert y.tolist() == [4] * 8 and k.name == "saxpy" and k.file_path == path and k.code is None
assert k.attributes["num_regs"] == k.num_regs and k.max_threads_per_block >= 1
k.max_dynamic_shared_size_bytes = 100_000
raises(RuntimeError, "error 500", module.get_function, "nothing")   # not found
raises(TypeError, "Exactly one", cp.RawModule)
raises(TypeError, "Exactly one", cp.RawModule, code=CODE, path=path)
raises(TypeError, "tuple of texts", cp.RawModule, code=CODE, options="-O3")
raises(FileNotFoundError, "nothing", cp.RawModule(path="/nothing").compile)
raises(TypeError, "texts", cp.RawKernel, b"", "f")
live = fake.fake_cuda_count(b"cuModuleUnload")
del k, module
import gc
gc.collect()
assert fake.fake_cuda_count(b"cuModuleUnload") == live + 1
""")


@needs_fake
def test_sources__are_compiled_once_and_kept(on_fake):
    code = """
from heddle.cupy.cuda._nvrtc import CompileException
def use():
    y = cp.zeros(4, "f4")
    cp.RawKernel(CODE, "saxpy", ("-DN=1",))((1,), (4,), (cp.ones(4, "f4"), y, f4(1), np.int32(4)))
    assert y.sum() == 4
use()
use()
print(nvrtc.fake_nvrtc_count())
wrong = cp.RawKernel(CODE + "@wrong", "saxpy")
try:
    wrong.compile()
except CompileException as e:
    import io, pickle
    text = io.StringIO()
    pickle.loads(pickle.dumps(e)).dump(text)
    assert "kernel.cu(1): error" in str(e) and "extern" in text.getvalue() and "kernel.cu(1): error" in text.getvalue()
else:
    raise AssertionError
"""
    assert on_fake(code, HEDDLE_KERNELS="nvrtc").split() == ["1"]       # the second time from disk
    assert on_fake(code, HEDDLE_KERNELS="nvrtc").split() == ["0"]       # in a new process
    assert on_fake(code, HEDDLE_CACHE="off", HEDDLE_KERNELS="nvrtc").split() == ["2"]


@needs_fake
def test_no_compiler__is_said():
    run("import heddle.cupy as cp\nraises(RuntimeError, 'install CUDA', cp.RawKernel('x', 'f').compile)", HEDDLE_LIBNVRTC="/nothing.so",
        HEDDLE_DEVICE="cuda:0")


@needs_fake
def test_two_devices(on_fake):
    on_fake("""
for d in (0, 1):
    with cp.cuda.Device(d):
        x, y = cp.ones(600, "f4"), cp.zeros(600, "f4")
        saxpy((3,), (200,), (x, y, f4(d + 1), np.int32(600)))
        assert y.sum() == 600 * (d + 1) and y.device.id == d
raises(ValueError, "argument 0 is an array on cuda:1, the kernel is on cuda:0", saxpy, (1,), (1,), (x, cp.ones(3, "f4"), f4(1), np.int32(1)))
""", FAKE_CUDA_DEVICES="2")


def test_on_the_cpu():
    with xp.device("cpu"):
        kernel = cp.RawKernel(CODE, "saxpy")
        assert kernel.name == "saxpy" and kernel.code == CODE and kernel.options == () and kernel.backend == "nvrtc"
        x, y = cp.arange(5, dtype="f4"), cp.ones(5, "f4")
        kernel((1,), (8,), (x, y, np.float32(2), np.int32(5)))
        assert y.tolist() == [1, 3, 5, 7, 9]
        kernel((1,), (8,), (x, y, 0.5, 3))                       # Python's numbers, as the parameters want them
        assert y.tolist() == [1, 3.5, 6, 7, 9]
        for args, error, text in (((), TypeError, "takes 4 arguments"), ((x, y, x, 5), ValueError, "an array, and"),
                                  ((x, 1.5, 2, 5), TypeError, "y is a pointer"), ((x, y, np.float64(2), 5), ValueError, "has 8 bytes"),
                                  ((x, y, 2, 5.5), TypeError, "whole number")):
            with pytest.raises(error, match=text):
                kernel((1,), (8,), args)
        with pytest.raises(RuntimeError, match="too many threads"):
            kernel((1,), (2000,), (x, y, 2, 5))
        from heddle.cupy.cuda._nvrtc import CompileException
        with pytest.raises(CompileException, match="1:.*y is not declared"):
            cp.RawKernel('extern "C" __global__ void f(int *x) { x[0] = y; }', "f").compile()
        assert kernel.attributes["max_threads_per_block"] == 1024
        assert cp.RawModule(code=CODE).get_function("saxpy").name == "saxpy"


def test_on_the_cpu__barriers_atomics_and_shuffles():
    code = """
extern "C" __global__ void sums(const float *x, float *total, int *most, int n) {
    __shared__ float s[128];
    int tid = threadIdx.x, i = blockIdx.x * blockDim.x + tid;
    s[tid] = i < n ? x[i] : 0.0f;
    __syncthreads();
    for (int k = blockDim.x / 2; k >= 32; k >>= 1) {
        if (tid < k) s[tid] += s[tid + k];
        __syncthreads();
    }
    if (tid < 32) {
        float v = s[tid];
        for (int k = 16; k > 0; k >>= 1) v += __shfl_down_sync(0xffffffff, v, k);
        if (tid == 0) { atomicAdd(total, v); atomicMax(most, (int)blockIdx.x); }
    }
}"""
    with xp.device("cpu"):
        a = np.random.default_rng(1).integers(0, 9, 1000).astype("f4")
        total, most = cp.zeros(1, "f4"), cp.zeros(1, "i4")
        cp.RawKernel(code, "sums")((8,), (128,), (cp.asarray(a), total, most, 1000))
        assert total.tolist() == [a.sum()] and most.tolist() == [7]


def test_on_the_cpu__a_failed_assertion_fails_the_launch():
    with xp.device("cpu"):
        x = cp.zeros(4)
        kernel = cp.RawKernel('extern "C" __global__ void f(double *x, int n) { x[threadIdx.x] = n; assert(n < 5); }', "f")
        with pytest.raises(RuntimeError, match=r"line 1: assertion failed: n < 5, in block \(0, 0, 0\)"):
            kernel((1,), (4,), (x, 7))
            x.get()


def test_on_the_cpu__a_loop_without_end_is_interrupted():
    script = """
import os, signal, threading
import heddle.cupy as cp
kernel = cp.RawKernel('extern "C" __global__ void f(volatile int *x) { while (x[0] == 0) { } }', "f")
x = cp.zeros(1, "i4")
threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
try:
    kernel((1,), (1,), (x,))
    print("ended")
except (RuntimeError, KeyboardInterrupt):
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    print("stopped")
"""
    env = os.environ | {"HEDDLE_DEVICE": "cpu"}
    done = subprocess.run([sys.executable, "-c", script], env=env, capture_output=True, text=True, timeout=60, check=False)
    assert "ended" not in done.stdout and ("stopped" in done.stdout or "KeyboardInterrupt" in done.stderr), done.stderr


def test_vectors__of_arrays_that_begin_anywhere():
    """A GPU that reads four numbers at once from an odd address gives an error, after which nothing runs any more."""
    code = """
extern "C" __global__ void norms(const float4 *x, float4 *twice, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float4 a = x[i];
    y[i] = a.x * a.x + a.y * a.y + a.z * a.z + a.w * a.w;
    a.x *= 2; a.y *= 2; a.z *= 2; a.w *= 2;
    twice[i] = a;
}"""
    kernel = cp.RawKernel(code, "norms")
    a = np.random.default_rng(3).integers(0, 9, 411).astype("f4")
    for begin in (0, 1, 2, 4, 3, 0):
        x, twice, y = cp.asarray(a), cp.zeros(411, "f4"), cp.zeros(100, "f4")
        kernel((4,), (32,), (x[begin:], twice[begin:], y, np.int32(100)))
        want = a[begin:begin + 400].reshape(100, 4)
        assert y.tolist() == (want ** 2).sum(1).tolist()
        assert twice.tolist() == [0] * begin + (2 * want).ravel().tolist() + [0] * (11 - begin)


def test_compile_exception__is_pickled():
    from heddle.cupy.cuda._nvrtc import CompileException
    e = pickle.loads(pickle.dumps(CompileException("no", "a\nb", "k", ("-O",))))
    assert str(e) == "no" and e.source == "a\nb" and e.name == "k" and e.options == ("-O",)


@pytest.mark.skipif(IS_NUMPY or not str(xp.device()).startswith("cuda"), reason="a GPU and its compiler")
def test_on_a_gpu():
    code = r"""
extern "C" __global__ void saxpy(const float *x, float *y, float a, int n) {
    int i = blockDim.x * blockIdx.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
}
template <typename T> __global__ void sums(const T *x, T *total, int n) {
    extern __shared__ double part[];
    part[threadIdx.x] = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x) part[threadIdx.x] += x[i];
    __syncthreads();
    for (int k = blockDim.x / 2; k > 0; k /= 2) {
        if (threadIdx.x < k) part[threadIdx.x] += part[threadIdx.x + k];
        __syncthreads();
    }
    if (threadIdx.x == 0) *total = part[0];
}
__constant__ float scale[2];
extern "C" __global__ void scaled(float *x) { x[threadIdx.x] *= scale[1]; }
"""
    n = 1_000_003
    module = cp.RawModule(code=code, options=("--use_fast_math",), name_expressions=("sums<double>", "sums<int>"))
    saxpy = module.get_function("saxpy")
    x, y = cp.arange(n, dtype="f4") / n, cp.ones(n, "f4")
    for _ in range(5):
        y = y * 2
        saxpy(((n + 255) // 256,), (256,), (x, y, np.float32(3), np.int32(n)))
        y -= 1
    want = np.ones(n, "f4")
    for _ in range(5):
        want = want * 2
        want = np.float32(3) * x.get() + want - 1
    np.testing.assert_allclose(y.get(), want, rtol=1e-5)
    total = cp.zeros(1)
    module.get_function("sums<double>")((1,), (256,), (cp.arange(1000.0), total, np.int32(1000)), shared_mem=2048)
    assert total[0] == 499500
    count = cp.zeros(1, "i4")
    module.get_function("sums<int>")((1,), (256,), (cp.ones(777, "i4"), count, np.int32(777)), shared_mem=2048)
    assert count[0] == 777
    module.get_global("scale").copy_from_host(np.array([1, 7], "f4").ctypes.data, 8)
    z = cp.ones(32, "f4")
    module.get_function("scaled")((1,), (32,), (z,))
    assert z.tolist() == [7] * 32
    from heddle.cupy.cuda._nvrtc import CompileException
    with pytest.raises(CompileException, match="nothing"):
        cp.RawKernel('extern "C" __global__ void f() { nothing; }', "f").compile()
    assert saxpy.attributes["max_threads_per_block"] == 1024
