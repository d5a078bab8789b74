# SPDX-License-Identifier: BSD-3-Clause
"""Where the system gives no more threads or address space: MemoryError or a slower way, never a
process that ends or waits for ever. Each in a process of its own."""
import subprocess
import sys
import textwrap

import pytest

from common import needs_heddle, needs_little_address_space, shares_memory

pytestmark = [needs_heddle, shares_memory]

NO_THREADS = """
import os, resource, threading
import heddle as np, heddle.linalg, numpy
{before}
resource.setrlimit(resource.RLIMIT_NPROC, (1, 1))
if os.getuid() == 0:
    os.setgid(65534); os.setuid(65534)
try:
    threading.Thread(target=int).start()
except RuntimeError:
    pass
else:
    print("threads all the same"); raise SystemExit(77)
"""

SPACE = """
import resource
import heddle as np, heddle.linalg, numpy
x = np.arange(10.0); float(x.sum())
{before}
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + ({mb} << 20),) * 2)
done = 0
for n in (20, 50, 200, 400):
    try:
        a = np.ones((n, n)) + np.eye(n)
        assert float((a @ a)[0, 1]) == n + 2
        b = np.ones((30, 20, 20)) * 2
        assert float((b @ b)[3, 2, 1]) == 80
        assert abs(float(np.linalg.solve(a, np.ones(n))[0]) - 1 / (n + 1)) < 1e-12
        assert abs(float(np.linalg.eigvalsh(a)[-1]) - n - 1) < 1e-9
        assert abs(float(np.linalg.inv(b + np.eye(20))[0, 0, 0]) - (1 - 2 / 41)) < 1e-12
        done += 1
    except MemoryError:
        pass
print("done", done)
"""


def run(code, timeout=120):
    r = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True,
                       timeout=timeout)
    if r.returncode == 77:
        pytest.skip("this user may make threads beyond the limit")
    assert r.returncode == 0, r.stderr[-2000:]
    return r.stdout


@pytest.mark.parametrize("before", ["", "np.set_num_threads(4)", "float((np.ones((90, 90)) @ np.ones((90, 90)))[0, 0])"])
def test_no_threads_can_be_made(before):
    out = run(NO_THREADS.format(before=before) + """
x = np.arange(2e6)
assert abs(float((np.sin(x) + 1).sum()) - 2000000.552083578) < 1e-6
assert float(np.sort(x[::-1])[5]) == 5
a = np.arange(40000.0).reshape(200, 200)
assert float((a @ a)[3, 3]) == 2917759700.0
assert abs(float(np.linalg.solve(a + np.eye(200), np.ones(200))[3]) + 0.0001447753726517563) < 1e-9
b = np.ones((50, 30, 30)) + np.eye(30)
assert abs(float((b @ np.linalg.inv(b))[7, 3, 3]) - 1) < 1e-12
np.set_num_threads(3)
assert float((a @ a)[3, 3]) == 2917759700.0
print("fine")
""")
    assert out == "fine\n"


@needs_little_address_space
@pytest.mark.parametrize("mb", [4, 60, 150, 230, 300, 600])
@pytest.mark.parametrize("before", ["", "a = np.ones((300, 300)); float((a @ a)[0, 0])"])
def test_little_address_space(mb, before):
    out = run(SPACE.format(mb=mb, before=before))
    assert out.startswith("done ")
    if mb >= 600:
        assert out == "done 4\n"


@needs_little_address_space
def test_limit_set_between_two_products():
    """The first product needs one of BLAS's areas, the second one for each thread."""
    out = run("""
import resource
import heddle as np
np.set_num_threads(4)
small, large, batch = np.ones((100, 100)), np.ones((500, 500)), np.ones((200, 40, 40))
float((np.sin(np.arange(4e6)) + large[0, 0] + batch[0, 0, 0]).sum())   # starts the threads
assert float((small @ small)[0, 0]) == 100   # opens BLAS
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
for i in range(20):
    assert float((small @ small)[0, 0]) == 100
    resource.setrlimit(resource.RLIMIT_AS, (used + (20 << 20), resource.RLIM_INFINITY))
    try:
        assert float((batch @ batch)[3, 2, 1]) == 40
        assert float((large @ large)[0, 1]) == 500
    except MemoryError:
        pass
    resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY,) * 2)
print("fine")
""")
    assert out == "fine\n"
