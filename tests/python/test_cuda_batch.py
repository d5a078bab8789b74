# SPDX-License-Identifier: BSD-3-Clause
"""How kernels of a job are launched together, on the fake CUDA driver, which counts what it is told: graphs of what repeats,
small kernels as one function. That the results are the same is tested in test_cuda_kernels.py and on a GPU (test_cuda_gpu.py)."""

import pathlib

import pytest

import test_cuda_fake
from common import xp

GENERATOR = [*pathlib.Path(xp.__file__).parent.rglob("libheddle_llvm.so")]
pytestmark = [*test_cuda_fake.pytestmark, pytest.mark.skipif(not GENERATOR, reason="no code generator in this build")]
PREAMBLE = """
fake.fake_cuda_count.restype = ctypes.c_longlong
NAMES = ("cuLaunchKernelEx", "cuGraphLaunch", "cuGraphInstantiate", "cuGraphExecKernelNodeSetParams",
         "cuGraphExecDestroy", "launches")
class Counts:
    def __enter__(self):
        h.synchronize()
        self.before = self.now()
        return self
    def now(self):
        return [fake.fake_cuda_count(name.encode()) for name in NAMES]
    def __exit__(self, *_):
        h.synchronize()
        self.single, self.graphs, self.made, self.patches, self.dropped, self.kernels = (
            now - then for now, then in zip(self.now(), self.before))
x = h.asarray(np.ones(40000))         # kernels of several blocks
small = h.asarray(np.ones(20))        # kernels of one
def kept(x, n):                       # n steps in one job, n + 1 kernels
    for _ in range(n):
        x = x - x.sum()
    return x
"""


def run(code, **env):
    test_cuda_fake.run(PREAMBLE + code, HEDDLE_CACHE="off", **env)


def test_what_repeats_becomes_a_graph():
    run("""
for turn in range(5):
    with Counts() as c:
        y = kept(x, 4)
    if turn < 2:
        assert (c.single, c.graphs, c.made) == (5, 0, 0), vars(c)
    else:
        assert (c.single, c.graphs, c.made) == (0, 1, turn == 2), vars(c)
    assert c.kernels == 5
with Counts() as c:                   # another length is another list
    y = kept(x, 5)
assert (c.single, c.graphs) == (6, 0), vars(c)
""")


def test_only_what_changed_is_patched():
    run("""
y = h.asarray(np.zeros(30000))
def again(by):
    with Counts() as c:
        h.add(x, 1, out=x)
        h.add(y, by, out=y)
    return c
for turn in range(4):
    c = again(1)
assert (c.graphs, c.kernels, c.patches) == (1, 2, 0), vars(c)
c = again(2)                          # a number in the second one
assert (c.graphs, c.kernels, c.patches) == (1, 2, 1), vars(c)
c = again(2)
assert (c.graphs, c.kernels, c.patches) == (1, 2, 0), vars(c)
""")


def test_small_kernels_are_one_launch():
    run("""
for turn in range(4):
    with Counts() as c:
        y = kept(small, 4)
    if turn == 0:
        assert c.kernels == 5, vars(c)
    else:
        assert (c.kernels, c.single, c.graphs) == (1, 1, 0), vars(c)
with Counts() as c:                   # of the same kernels: no other code is needed, whatever their number
    y = kept(small, 3)
assert (c.kernels, c.single) == (1, 1), vars(c)
""", HEDDLE_BATCH="1")


def test_small_and_large_ones_mix():
    run("""
for turn in range(4):
    with Counts() as c:
        y = kept(small, 2)
        y = (x * y.sum()).sum() + kept(small + y, 2)
        h.synchronize()
    if turn > 1:                      # a function, a kernel, a function
        assert (c.graphs, c.single, c.kernels) == (1, 0, 3), vars(c)
""", HEDDLE_BATCH="1")


def test_a_library_call_comes_between():
    run("""
a = h.asarray(np.ones((64, 64)))
index = h.asarray(np.arange(64))
for turn in range(4):
    with Counts() as c:
        z = kept(h.subtract.accumulate(kept(small, 2)), 2)
    if turn > 0:                      # what is before it, itself, what is after it
        assert (c.graphs, c.single, c.kernels) == (0, 3, 3), vars(c)
""", HEDDLE_BATCH="1")


def test_one_by_one_if_so_wished():
    run("""
for turn in range(5):
    with Counts() as c:
        y, z = kept(small, 4), kept(x, 4)
    assert (c.single, c.graphs, c.kernels) == (10, 0, 10), vars(c)
""", HEDDLE_BATCH="0")


def test_a_graph_that_cannot_be_made_is_done_without():
    run("""
fake.fake_cuda_fail(b"cuGraphInstantiate", 1, 2)
for turn in range(5):
    with Counts() as c:
        y = kept(x, 4)
    assert (c.single, c.graphs) == (5, 0), vars(c)
""")


@pytest.mark.parametrize("function", ["cuGraphExecKernelNodeSetParams", "cuGraphLaunch", "cuGraphAddKernelNode"])
def test_a_failure_is_told_and_the_next_time_is_well(function):
    run(f"""
other = h.asarray(np.zeros(40000))
for turn in range(4 if "{function}" != "cuGraphAddKernelNode" else 2):
    y = kept(x, 4)
    h.synchronize()
fake.fake_cuda_fail(b"{function}", 1, 1)
def fails():
    z = kept(other, 4)
    h.synchronize()
raises(RuntimeError, "of kernels failed with CUDA_ERROR_INVALID_VALUE", fails)
for turn in range(4):
    with Counts() as c:
        y = kept(x, 4)
assert c.graphs == 1, vars(c)
""")


@pytest.mark.slow
def test_graphs_and_functions_go_with_their_programs():
    run("""
def wait():
    h.synchronize()
for turn in range(3):
    y, z = kept(x, 4), kept(small, 4)
    h.synchronize()
del y, z
before = fake.fake_cuda_count(b"cuGraphExecDestroy"), fake.fake_cuda_count(b"cuModuleUnload")
for n in range(2100):                 # more plans than are kept
    v = small
    for bit in range(12):
        v = v + 1 if n >> bit & 1 else v * 2
    h.synchronize()
    del v
assert fake.fake_cuda_count(b"cuGraphExecDestroy") > before[0]
assert fake.fake_cuda_count(b"cuModuleUnload") > before[1] + 3
for turn in range(3):
    y, z = kept(x, 4), kept(small, 4)
    h.synchronize()
""", HEDDLE_BATCH="1")


WHILE_ONE_IS_MADE = """
import time
y = kept(small, 4)
h.synchronize()
made = fake.fake_cuda_count(b"cuLinkAddData")
y = kept(small, 4)
h.synchronize()
while fake.fake_cuda_count(b"cuLinkAddData") == made:
    time.sleep(0.01)
"""


@pytest.mark.parametrize("end", [
    "", "raise SystemExit(0)", "os._exit(0)", "ctypes.CDLL(None).exit(0)",
    "ctypes.CDLL(h.__path__[0] + '/libheddle.so.0').hd_before_exit(); y = kept(small, 3).sum().item()"])
def test_exit_while_functions_are_made(end):
    """exit() takes NVIDIA's compiler down before those who registered earlier are asked."""
    run(WHILE_ONE_IS_MADE + end, FAKE_CUDA_LINK="400", HEDDLE_BATCH="")


def test_the_end_of_python_comes_before_exit():
    """What the compile under way has registered itself is taken down first, whatever we register."""
    run(WHILE_ONE_IS_MADE, FAKE_CUDA_LINK="400", FAKE_CUDA_LINK_AGAIN="1", HEDDLE_BATCH="")
