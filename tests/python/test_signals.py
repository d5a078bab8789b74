# SPDX-License-Identifier: BSD-3-Clause
"""Signal handlers written in Python that run while arrays are computed: what they do is theirs, and the work goes on."""

import pytest

import common
from common import needs_fork, needs_heddle

pytestmark = needs_heddle


def python(code, **settings):
    """On the CPU: kernels take long enough there for handlers to come in between, and files can be closed
    that are not the driver's."""
    return common.python(code, **{"HEDDLE_DEVICE": "cpu", **settings})



# f() takes tenths of a second; the handler does `action` every few milliseconds of it; the values are as without
PROGRAM = """
import gc, os, signal, sys, threading, time
import numpy as np
import heddle as h
{setup}
def f():
    {work}
want = f()
hits, errors = [], []
small = h.arange(5.0)
def handler(number, frame):
    try:
        {action}
        hits.append(1)
    except BaseException as e:
        errors.append(e)
        raise
signal.signal(signal.SIGALRM, handler)
signal.setitimer(signal.ITIMER_REAL, .02, {every})
began = time.monotonic()
while time.monotonic() - began < 1.5:
    assert np.array_equal(f(), want)
signal.setitimer(signal.ITIMER_REAL, 0)
assert not errors, errors
assert len(hits) >= {least}, len(hits)
print("fine")
"""

KERNEL = """
    y = X
    for _ in range(12):
        y = h.exp(h.sin(y)) * .5
    return np.array(y)
"""
SORT = "return np.array(h.sort(X))"
PRODUCT = "return np.array(h.matmul(M, M))"
SEVERAL = """
    s = 0.
    y = X
    for k in range(6):
        y = h.sin(y + s) * 1.5
        s = float(h.cumsum(y)[-1]) * 1e-9
    return np.array(y)
"""
SETUP = """
X = h.sin(h.arange(1_500_000.))
M = h.sin(h.arange(500. * 500)).reshape(500, 500)
"""


def run(action, work=KERNEL, every=.02, least=5, **environment):
    text = PROGRAM.format(setup=SETUP, action=action, work=work.strip(), every=every, least=least)
    assert "fine" in python(text, timeout=120, **environment).stdout


ACTIONS = {
    "reads": "assert float((small + 1).sum()) == 15",
    "records": "global kept; kept = small * 2 + 1",
    "prints": "assert str(h.arange(3) + 1) == '[1 2 3]'",
    "writes": "small[:] = small * 1.0",
    "reads what is being computed": "assert float(X[1]) == float(np.sin(1.))",
    "has a kernel of its own": "assert 2e5 < float(h.cos(h.sin(h.arange(400_000.))).sum()) < 4e5",
    "deletes": "h.ones(100_000).sum(); globals().pop('kept', None); gc.collect()",
    "takes foreign memory and gives it back": "float((h.asarray(np.ones(1000)) + 1).sum()); gc.collect()",
    "waits for a thread that reads":
        "t = threading.Thread(target=lambda: float((small + 1).sum())); t.start(); t.join()",
    "catches its own error": "\n        ".join(
        ["try: h.ones(3) + h.ones(4)", "except ValueError: pass", "else: raise SystemExit"]),
}


@pytest.mark.parametrize("action", ACTIONS)
def test_handler(action):
    run(ACTIONS[action])


@pytest.mark.slow
@pytest.mark.parametrize("work", [SORT, PRODUCT, SEVERAL], ids=["sort", "product", "several"])
def test_handler_reads__in_other_work(work):
    run(ACTIONS["reads"], work)


def test_handler_reads__in_one_thread():
    run(ACTIONS["reads"], HEDDLE_NUM_THREADS="1")


def test_calls_end_under_a_fast_timer():
    """What begins anew after each stop ends all the same."""
    run(ACTIONS["reads"], SORT, every=.002)


def test_handlers_within_handlers():
    python(f"""
import signal
import numpy as np
import heddle as h
{SETUP}
depth = most = 0
def handler(number, frame):
    global depth, most
    depth += 1
    most = max(most, depth)
    if depth < 3:
        y = X
        for _ in range(12): y = h.exp(h.sin(y)) * .5
        assert float(y[0]) == first
    depth -= 1
y = X
for _ in range(12): y = h.exp(h.sin(y)) * .5
first = float(y[0])
want = np.array(y)
signal.signal(signal.SIGALRM, handler)
signal.setitimer(signal.ITIMER_REAL, .01, .01)
for k in range(300):
    y = X
    for _ in range(12): y = h.exp(h.sin(y)) * .5
    assert np.array_equal(np.array(y), want)
    if k > 1 and most > 1: break     # many processors are soon through
signal.setitimer(signal.ITIMER_REAL, 0)
assert depth == 0 and most > 1, (depth, most)
""", timeout=120)


def test_handler_raises__work_can_be_taken_up():
    python(f"""
import signal
import numpy as np
import heddle as h
{SETUP}
class Late(Exception): pass
def handler(number, frame): raise Late("by the handler")
signal.signal(signal.SIGALRM, handler)
def f():
    y = X
    for _ in range(60): y = h.exp(h.sin(y)) * .5
    return y
want = np.array(f())
late = 0
for k in range(5):
    y = f()
    signal.setitimer(signal.ITIMER_REAL, .02)
    try:
        y.tobytes()   # (of a buffer that raises NumPy asks no more)
        signal.setitimer(signal.ITIMER_REAL, 0)
    except Late as e: late += str(e) == "by the handler"
    assert float(h.ones(3).sum()) == 3
    assert np.array_equal(np.array(y), want)
assert late > 0
""", timeout=120)


@needs_fork
def test_handler_forks():
    """The child goes on with the work, too."""
    python(f"""
import os, signal
import numpy as np
import heddle as h
{SETUP}
children, child, forks = [], False, 0
def handler(number, frame):
    global child, forks
    forks += 1   # first: signals that come during fork() have their turn when it returns
    if child or forks > 3: return
    pid = os.fork()
    if pid: children.append(pid)
    else: child = True
y = X
for _ in range(40): y = h.exp(h.sin(y)) * .5
want = np.array(y)
signal.signal(signal.SIGALRM, handler)
signal.setitimer(signal.ITIMER_REAL, .02, .05)
while len(children) < 3 and not child:
    y = X
    for _ in range(40): y = h.exp(h.sin(y)) * .5
    assert np.array_equal(np.array(y), want)
signal.setitimer(signal.ITIMER_REAL, 0)
assert np.array_equal(np.array(h.sin(X)), np.array(h.sin(np.array(X))))
if child: os._exit(7)
for pid in children: assert os.waitpid(pid, 0)[1] >> 8 == 7
""", timeout=120)


def test_wakeup_fd__belongs_to_the_program():
    python(f"""
import os, select, signal
import heddle as h
{SETUP}
read, write = os.pipe()
os.set_blocking(write, False)
os.set_blocking(read, False)
signal.set_wakeup_fd(write)
hits = []
signal.signal(signal.SIGALRM, lambda *a: hits.append(signal.SIGALRM))
signal.setitimer(signal.ITIMER_REAL, .02, .02)
for _ in range(4):
    y = X
    for _ in range(20): y = h.exp(h.sin(y)) * .5
    float(y[0])
signal.setitimer(signal.ITIMER_REAL, 0)
assert signal.set_wakeup_fd(-1) == write
told = os.read(read, 10000)
assert hits and set(told) == {{signal.SIGALRM}} and len(told) >= len(hits), (told, len(hits))
""")


def test_files_closed_behind_our_back():
    """A daemon closes all it does not know; numbers are given away anew."""
    python(f"""
import os, signal
import heddle as h
{SETUP}
hits = []
signal.signal(signal.SIGALRM, lambda *a: hits.append(float(h.ones(3).sum())))
def work():
    y = X
    for _ in range(30): y = h.exp(h.sin(y)) * .5
    float(y[0])
signal.setitimer(signal.ITIMER_REAL, .01, .01)
work()
os.closerange(3, 200)
files = [os.open("/dev/null", os.O_RDONLY) for _ in range(20)]
before = len(hits)
for _ in range(300):     # many processors are through before the timer goes off
    work()
    if len(hits) > before: break
signal.setitimer(signal.ITIMER_REAL, 0)
assert len(hits) > before
for f in files: os.fstat(f)
""")


def test_asyncio_runs_signal_handlers_of_a_loop():
    python(f"""
import asyncio, signal
import heddle as h
{SETUP}
hits = []
async def main():
    asyncio.get_running_loop().add_signal_handler(signal.SIGALRM, lambda: hits.append(1))
    signal.setitimer(signal.ITIMER_REAL, .02, .02)
    for _ in range(6):
        y = X
        for _ in range(15): y = h.exp(h.sin(y)) * .5
        float(y[0])
        await asyncio.sleep(0)
    signal.setitimer(signal.ITIMER_REAL, 0)
asyncio.run(main())
assert len(hits) > 1, hits
""")
