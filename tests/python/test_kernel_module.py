# SPDX-License-Identifier: BSD-3-Clause
"""Variables of a module (__device__, __constant__, __managed__): all kernels of a RawModule share them,
and the host reaches them by get_global(). On the CPU and on the fake GPU, where NVRTC is not there."""

import pytest
from common import needs_heddle
from user_kernels import DEVICES, run_on

pytestmark = [needs_heddle, pytest.mark.parametrize("device", DEVICES)]

CODE = """
CODE = r'''
__constant__ float scale[4] = {1, 2, 3};
__constant__ int offset;
__device__ int total = 7, unused;
__device__ double table[2][3] = {{1, 2, 3}, {4}};
struct P { float a; int b[2]; };
__device__ P one = {1.5f, {2, 3}};
namespace inner {
    __device__ long long far = 1LL << 40;
    namespace more { __constant__ char letters[] = "abc"; }
}
__managed__ unsigned managed = 5;
extern __constant__ int late;

extern "C" __global__ void scaled(float *x) {
    int i = threadIdx.x;
    x[i] = x[i] * scale[i & 3] + offset + late;
}
extern "C" __global__ void count(const int *x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && x[i] > 0) atomicAdd(&total, x[i]);
}
extern "C" __global__ void take(int *r) { r[0] = total; total = 0; }
__device__ double *row(int i) { return table[i]; }
extern "C" __global__ void fill(double v) {
    row(1)[threadIdx.x] += v;
    one.b[1] = threadIdx.x ? one.b[1] : 9;
}
extern "C" __global__ void sum(double *r) {
    double s = 0;
    for (int i = 0; i < 6; i++) s += table[i / 3][i % 3];
    r[0] = s; r[1] = one.a + one.b[0] * 10 + one.b[1] * 100; r[2] = inner::far;
    r[3] = inner::more::letters[1]; r[4] = managed;
}
template <typename T> __global__ void typed(T *r) { r[0] = (T)(total + table[0][2]); }
__constant__ int late = 1;
'''
module = cp.RawModule(code=CODE, name_expressions=("typed<float>",))
get = module.get_function
def view(name, shape, dtype):
    return cp.ndarray(shape, dtype, memptr=module.get_global(name))
"""


def test_globals__begin_as_the_source_says(device):
    run_on(device, CODE + """
assert view("scale", 4, "f4").tolist() == [1, 2, 3, 0]
assert view("offset", (), "i4") == 0 and view("total", 1, "i4")[0] == 7
assert view("table", (2, 3), "f8").tolist() == [[1, 2, 3], [4, 0, 0]]
assert view("managed", 1, "u4")[0] == 5
assert view("inner::far", 1, "i8")[0] == 1 << 40
assert bytes(view("inner::more::letters", 4, "u1").get()) == b"abc\\0"
p = module.get_global("one")
assert cp.ndarray(1, "f4", memptr=p)[0] == 1.5
assert cp.ndarray(2, "i4", memptr=p + 4).tolist() == [2, 3]
r = cp.zeros(5)
get("sum")((1,), (1,), (r,))
assert r.tolist() == [10, 321.5, 1 << 40, 98, 5]
""")


def test_globals__are_shared_by_all_kernels(device):
    """Each launch writes what the next reads; nothing waits in between."""
    run_on(device, CODE + """
x, r = cp.arange(-50, 50, dtype="i4"), cp.zeros(40, "i4")
for k in range(20):
    get("count")((4,), (32,), (x, np.int32(100)))
    get("count")((4,), (32,), (x, np.int32(52)))
    get("take")((1,), (1,), (r[k:],))
assert r.tolist() == [7 + 1225 + 1] + [1226] * 19 + [0] * 20
for k in range(3):
    get("fill")((1,), (3,), (float(k),))
r = cp.zeros(5)
get("sum")((1,), (1,), (r,))
assert r[0] == 10 + 9 and r[1] == 1.5 + 20 + 900
t = cp.zeros(1, "f4")
get("typed<float>")((1,), (1,), (t,))
assert t[0] == 3
again = cp.RawModule(code=CODE)                          # another module has variables of its own
again.get_function("take")((1,), (1,), (r[:1].view("i4"),))
assert r[:1].view("i4")[0] == 7
""")


def test_globals__are_set_by_the_host(device):
    run_on(device, CODE + """
x = cp.ones(8, "f4")
p = module.get_global("scale")
new = np.array([5, 6, 7, 8], "f4")
p.copy_from_host(new.ctypes.data, 16)
get("scaled")((1,), (8,), (x,))
assert x.tolist() == [6, 7, 8, 9] * 2
view("offset", 1, "i4")[...] = 100                       # an operation, in the order of the program
get("scaled")((1,), (8,), (x,))
view("offset", 1, "i4")[...] = 0
assert x.tolist() == [6 * 5 + 101, 7 * 6 + 101, 8 * 7 + 101, 9 * 8 + 101] * 2
get("scaled")((1,), (8,), (x,))
assert x[0] == 131 * 5 + 1
total = view("total", 1, "i4")
total *= 3
get("count")((1,), (4,), (cp.arange(4, dtype="i4"), np.int32(4)))
before, after = total + 0, None
get("take")((1,), (1,), (cp.zeros(1, "i4"),))
assert before[0] == 27 and total[0] == 0
back = np.zeros(4, "f4")
p.copy_to_host(back.ctypes.data, 16)
assert back.tolist() == [5, 6, 7, 8]
p.memset(0, 16)
get("scaled")((1,), (8,), (x,))
assert x.tolist() == [1] * 8
""")


def test_globals__pointers_and_outliving_the_module(device):
    run_on(device, CODE + """
kernel, p = get("take"), module.get_global("total")
code = 'extern "C" __global__ void copy(const int *from, int *to) { to[0] = from[0] * 2; }'
copy = cp.RawKernel(code, "copy")
r = cp.zeros(2, "i4")
copy((1,), (1,), (p, r))                             # the address of a variable as an argument
del module, get
import gc
gc.collect()
kernel((1,), (1,), (r[1:],))
assert r.tolist() == [14, 7] and cp.ndarray(1, "i4", memptr=p)[0] == 0
""")


def test_globals__that_are_not_there(device):
    run_on(device, CODE + """
with raises(RuntimeError, "no variable nothing", "scale, offset, total"):
    module.get_global("nothing")
with raises(RuntimeError, "no variable x; it has none"):
    cp.RawModule(code='extern "C" __global__ void f() {}').get_global("x")
""")


def test_globals__of_raw_and_elementwise_kernels(device):
    run_on(device, """
code = '''__device__ int calls;
extern "C" __global__ void f(int *r) { if (threadIdx.x == 0) r[0] = ++calls; }'''
f, g, r = cp.RawKernel(code, "f"), cp.RawKernel(code, "f"), cp.zeros(3, "i4")
for k, n in ((f, 1), (f, 2), (g, 1), (f, 3)):
    k((1,), (4,), (r,))
    assert r[0] == n
k = cp.ElementwiseKernel("int32 x", "int32 y", "y = x + table[x & 3]", "looked_up",
                         preamble="__constant__ int table[4] = {10, 20, 30, 40};")
assert k(cp.arange(5, dtype="i4")).tolist() == [10, 21, 32, 43, 14]
s = cp.ReductionKernel("int32 x", "int32 y", "x * weight()", "a + b", "y = a", "0", "weighed",
                       preamble="__device__ int heavy = 3; "
                                "__device__ int weight() { return heavy; }")
assert s(cp.arange(100, dtype="i4")) == 4950 * 3
""")


def test_globals__faults_are_told_when_the_kernel_is_made(device):
    texts = {"cpu": ("1:", "nothing is not declared"), "cuda": ("",)}[device]
    run_on(device, f"""
texts = {texts!r}
with raises(Exception, *texts):
    kernel = 'extern "C" __global__ void f(int *r) {{ r[0] = x; }}'
    module = cp.RawModule(code="__device__ int x = nothing; " + kernel)
    module.get_function("f")((1,), (1,), (cp.zeros(1, "i4"),))
""")


def test_globals__where_a_kernel_is_beyond_the_front_end(device):
    """NVRTC gets all kernels of a module with variables, also those that Heddle could compile; on the
    CPU these run."""
    run_on(device, """
CODE = '''__device__ int total = 3;
extern "C" __global__ void mine(int *r) { r[0] = ++total; }
extern "C" __global__ void beyond(int *r) { static int s; r[0] = total + s; }'''
module, r = cp.RawModule(code=CODE), cp.zeros(1, "i4")
def use():
    module.get_function("mine")((1,), (1,), (r,))
    assert r[0] == 4 and cp.ndarray(1, "i4", memptr=module.get_global("total"))[0] == 4
if os.environ["HEDDLE_DEVICE"] == "cpu":
    use()
else:
    for f in (use, lambda: module.get_global("total")):
        with raises(RuntimeError, "install CUDA"):
            f()
    code = CODE.replace("__device__ int total = 3;", "#define total 7\\n").replace("++total", "4")
    cp.RawModule(code=code).get_function("mine")((1,), (1,), (r,))   # without variables each is by itself
    assert r[0] == 4
""")


def test_globals__of_threads_that_begin_together(device):
    """One array is made for all of them, and no launch is lost."""
    run_on(device, CODE + """
import threading
x = cp.ones(32, "i4")
begin = threading.Barrier(6)
def work():
    begin.wait()
    for _ in range(20):
        get("count")((1,), (32,), (x, np.int32(32)))
threads = [threading.Thread(target=work) for _ in range(6)]
for t in threads:
    t.start()
for t in threads:
    t.join()
assert view("total", 1, "i4")[0] == 7 + 6 * 20 * 32
""")
