# SPDX-License-Identifier: BSD-3-Clause
"""HEDDLE_DUMP of kernels in C source: their lowered IR, as the code generator gets it."""

import pathlib

import pytest
from common import needs_heddle
from user_kernels import DEVICES, run_on

pytestmark = needs_heddle

BEGIN = """
os.chdir(os.environ["FOLDER"])
SAXPY = r'''
extern "C" __global__ void saxpy(const float *x, float *y, float a, int n) {
    int i = blockDim.x * blockIdx.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
}
extern "C" __global__ void twice(int *z) { z[threadIdx.x] *= 2; }
'''
def saxpy():
    x, y = cp.arange(5, dtype="f4"), cp.ones(5, "f4")
    cp.RawKernel(SAXPY, "saxpy")((1,), (32,), (x, y, np.float32(2), np.int32(5)))
    assert y.tolist() == [1, 3, 5, 7, 9]
"""


@pytest.fixture(params=DEVICES)
def dumped(request, tmp_path):
    """Runs a program on a device; what it wrote: {name: text}."""
    def start(code, wish="ir", cache="off", folder=tmp_path):
        run_on(request.param, BEGIN + code, FOLDER=folder, HEDDLE_CACHE=cache, HEDDLE_DUMP=wish)
        return {f.name: f.read_text() for f in sorted(pathlib.Path(folder).glob("heddle-kernel-*"))}
    start.device = request.param
    return start


def lowered(files):
    return [text for name, text in files.items() if name.endswith(".lir")]


def test_dump__a_launched_raw_kernel(dumped):
    files = dumped("saxpy()")
    (text,) = lowered(files)
    assert text.startswith("kernel saxpy params 4") and "$x" in text and "@4 " in text
    assert ("lockstep" in text) == (dumped.device == "cpu")     # the form that code is made of
    name = next(n for n in files if n.endswith(".lir"))
    assert "define" in files[name.replace(".lir", ".ll")]       # LLVM's IR, under the same number


def test_dump__an_elementwise_kernel(dumped):
    texts = lowered(dumped("""
k = cp.ElementwiseKernel("raw float64 x, int64 last", "float64 y", "y = x[last - i] * 2",
                         "backwards")
assert k(cp.arange(4.0), 3, size=4).tolist() == [6, 4, 2, 0]
"""))
    (text,) = texts
    assert text.startswith("kernel heddle_backwards ") and "(load f64" in text


def test_dump__a_reduction_kernel(dumped):
    texts = lowered(dumped("""
k = cp.ReductionKernel("float64 x", "float64 y", "x * x", "a * b + 1", "y = a", "0", "unlike_a_sum")
assert k(cp.full(1, 3.0)) is not None
"""))
    assert texts and all(t.startswith("kernel ") for t in texts)
    assert any("unlike_a_sum" in t for t in texts)


def test_dump__two_kernels_of_a_module(dumped):
    files = dumped("""
module = cp.RawModule(code=SAXPY)
z = cp.arange(4, dtype="i4")
module.get_function("twice")((1,), (4,), (z,))
x, y = cp.ones(4, "f4"), cp.ones(4, "f4")
module.get_function("saxpy")((1,), (4,), (x, y, np.float32(1), np.int32(4)))
assert z.tolist() == [0, 2, 4, 6]
""")
    assert sorted(t.split()[1] for t in lowered(files)) == ["saxpy", "twice"]
    assert len({n for n in files if n.endswith(".lir")}) == 2


@pytest.mark.parametrize("wish", ["", "asm"])
def test_dump__not_unless_asked_for(dumped, wish):
    assert lowered(dumped("saxpy()", wish)) == []


def test_dump__also_of_a_kernel_that_the_disk_cache_has(dumped, tmp_path):
    folder = tmp_path / "texts"
    folder.mkdir()
    assert dumped("saxpy()", "", tmp_path / "cache", folder) == {}
    assert len(lowered(dumped("saxpy()", "ir", tmp_path / "cache", folder))) == 1


def test_dump__a_folder_that_cannot_be_written_changes_nothing(dumped, tmp_path):
    gone = tmp_path / "gone"
    gone.mkdir()
    assert dumped("os.rmdir(os.getcwd())\nsaxpy()", folder=gone) == {}
