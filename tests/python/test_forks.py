# SPDX-License-Identifier: BSD-3-Clause
"""Processes made of one that computes: while kernels are compiled behind it, afterwards, and while
another thread works. Each child computes what the parent did and something new, has a kernel
compiled by itself, and ends."""

import pytest

import common
from common import needs_fork, needs_heddle, xp

pytestmark = [needs_heddle, pytest.mark.skipif(
    not common.IS_NUMPY and xp.show_config("dicts").get("instructions", "none") == "none",
    reason="has no tiers")]

# kernel(k) is another one for each k; work(k) has it run often enough to be compiled behind
START = """
import os, random, signal, sys, threading, time, warnings
os.environ.pop("HEDDLE_TIER", None)
warnings.simplefilter("ignore")      # of fork() beside threads
import numpy as np
import heddle as h
X = h.sin(h.arange(20_000.))
def compiled():
    return int(h.show_config("dicts")["kernels"].split()[0])
def kernel(k):
    y = X
    for bit in range(8):
        y = h.exp(h.sin(y)) * .5 if k >> bit & 1 else h.cos(y) + 1.5
    return np.array(y)
def work(k, times=40):
    for _ in range(times): r = kernel(k)
    return r
def until_compiled(k):
    before, want = compiled(), work(k, 1)
    for _ in range(500):
        assert np.array_equal(work(k, 10), want)
        if compiled() > before: return want
    raise SystemExit("nothing was compiled")
def child(known, new):
    signal.alarm(100)
    for k, want in known.items(): assert np.array_equal(work(k), want), k
    until_compiled(new)
    assert float((h.arange(5.) + 1).sum()) == 15
def fork(known, new):
    pid = os.fork()
    if pid: return pid
    try:
        child(known, new)
        sys.stdout.flush()
    except BaseException as e:
        print(repr(e), file=sys.stderr, flush=True)
        os._exit(1)
    os._exit(7)
def ended(pid):
    assert os.waitpid(pid, 0)[1] >> 8 == 7
"""


def run(code, **settings):
    # a cache of the disk would have the kernels already
    return common.python(START + code, timeout=280, HEDDLE_DEVICE="cpu", HEDDLE_CACHE="off", **settings)


@needs_fork
@pytest.mark.slow
@pytest.mark.parametrize("threads", ["1", "2"])
def test_fork__while_kernels_are_compiled(threads):
    """A kernel is asked for, and the process forks some time into its compiling, which takes tens
    of milliseconds."""
    run("""
rng = random.Random(3)
known, children = {}, []
for k in range(12):
    known[k] = work(k)
    time.sleep(rng.choice([0, 0, .002, .01, .03]))
    children.append(fork(dict(list(known.items())[-3:]), 100 + k))
    if len(children) > 2: ended(children.pop(0))
for pid in children: ended(pid)
for k, want in known.items(): assert np.array_equal(work(k), want)
""", HEDDLE_NUM_THREADS=threads)


@needs_fork
@pytest.mark.slow
def test_fork__after_a_kernel_was_compiled():
    """Also from children, who have threads of their own by then."""
    run("""
known = {1: until_compiled(1)}
ended(fork(known, 2))
pid = os.fork()
if not pid:
    signal.alarm(100)
    known[3] = until_compiled(3)
    ended(fork(known, 4))
    os._exit(7)
ended(pid)
until_compiled(5)
""")


@needs_fork
@pytest.mark.slow
def test_fork__of_a_child_that_ends_like_a_program():
    """sys.exit() in the child runs what is run at exit while its compile is under way."""
    run("""
work(1)
for k in range(2, 8):
    pid = os.fork()
    if not pid:
        signal.alarm(100)
        work(k)
        sys.exit(7)
    ended(pid)
    work(k)
""")


@needs_fork
@pytest.mark.slow
@pytest.mark.parametrize(
    "job", ["h.sort(L)", "h.exp(h.sin(L)) * .5", "h.matmul(M, M)", "h.cumsum(L)"])
def test_fork__while_another_thread_works(job):
    run(f"""
L, M = h.sin(h.arange(3_000_000.)), h.sin(h.arange(700. * 700)).reshape(700, 700)
def f(): return np.array({job})
want, stop, wrong, rounds = f(), [], [], []
def long():
    while not stop:
        rounds.append(1)
        if not np.array_equal(f(), want): wrong.append(1)
t = threading.Thread(target=long, daemon=True)
t.start()
known = {{1: work(1)}}
for k in range(2, 6):
    pid = os.fork()
    if not pid:
        signal.alarm(100)
        fine = np.array_equal(f(), want) and np.array_equal(work(1), known[1])
        os._exit(7 if fine else 1)
    ended(pid)
ended(fork(known, 9))
stop.append(1)
t.join()
assert rounds and not wrong
""")


# In a file of its own: processes that are not forks of this one import it.
MODULE = START + """
import multiprocessing
def in_process(k):
    signal.alarm(100)
    r = work(k)
    until_compiled(100 + k)      # the other one may be there already
    return k, r
if __name__ == "__main__":
    method, preload = sys.argv[1], sys.argv[2:]
    context = multiprocessing.get_context(method)
    if preload: context.set_forkserver_preload(preload)
    known = {k: work(k) for k in range(1, 4)}       # compiles are under way
    with context.Pool(2) as pool:
        for k, r in pool.map_async(in_process, [1, 2, 3, 4]).get(200):
            assert np.array_equal(r, work(k))
    until_compiled(50)                              # none is
    with context.Pool(2) as pool:
        for k, r in pool.map_async(in_process, [50, 51]).get(200):
            assert np.array_equal(r, work(k))
"""


@pytest.mark.slow
@pytest.mark.parametrize("method", [pytest.param("fork", marks=needs_fork), "spawn", "forkserver",
                                    "forkserver heddle"])
def test_multiprocessing__beside_compiles(method, tmp_path):
    program = tmp_path / "compiling.py"
    program.write_text(MODULE)
    common.python(f"import runpy, sys; sys.argv = {[str(program), *method.split()]}\n"
                  f"sys.path.insert(0, {str(tmp_path)!r})\n"
                  f"runpy.run_path({str(program)!r}, run_name='__main__')",
                  timeout=280, HEDDLE_DEVICE="cpu", HEDDLE_CACHE="off")
