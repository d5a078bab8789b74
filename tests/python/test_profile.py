# SPDX-License-Identifier: BSD-3-Clause
"""heddle.profile(): spans of what ran, the table, the trace, the roofline, run --trace."""

import io
import json
import math
import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest

from common import ON_HOST, needs_heddle, xp

pytestmark = needs_heddle
FAKE = pathlib.Path(xp.__file__).resolve().parents[2] / "tests" / "libfake_libcuda.so"


@pytest.fixture(autouse=True)
def nothing_pending():
    xp.synchronize()
    before = xp.set_fusion("always")
    yield
    xp.set_fusion(before)


def kernels(p):
    return [s for s in p.spans if s.kind in ("kernel", "library call")]


def test_spans():
    x = xp.ones((400, 50))
    xp.synchronize()
    with xp.profile() as p:
        y = (x * 2 + 1).sum(axis=0)
        z = xp.sort(x)
        assert (y + 1).tolist() == [1201] * 50 and z.shape == x.shape
    first, second = kernels(p)[:2]
    assert first.name.startswith("multiply add sum") and first.kind == "kernel"
    assert first.bytes >= 400 * 50 * 8 and first.operations >= 3 * 400 * 50
    assert first.shape == "(400,50)" and first.device == xp.device()
    assert second.kind == "library call" and second.name == "sort" and second.operations is None
    assert math.isnan(second.speed) and second.bandwidth > 0 and first.speed > 0
    assert all(s.seconds >= 0 and s.begin >= 0 for s in p.spans) and p.lost == 0
    begins = [s.begin for s in p.spans]
    assert begins == sorted(begins)


@pytest.mark.parametrize("operation, moved, done", [
    (lambda x: x + x.T, 2 * 8, 1), (lambda x: x + x[0], 2 * 8 + 8 / 60, 1), (lambda x: x * 3, 2 * 8, 1),
    (lambda x: x.sum(axis=1, keepdims=True) + x, 2 * 8, 2), (lambda x: xp.sqrt(x), 2 * 8, 1),
    (lambda x: xp.dot(x, x), 3 * 8, 2 * 60),
])
def test_bytes_and_operations_for_each_element(operation, moved, done):
    x = xp.ones((60, 60))
    xp.synchronize()
    with xp.profile() as p:
        y = operation(x)
        y.tolist()
    spans = kernels(p)
    assert sum(s.operations or 0 for s in spans) in (done * 3600, done * 3600 - 60)
    assert sum(s.bytes for s in spans) >= moved * 3600 - 1e-6


def test_long_names_are_cut():
    x = xp.ones(5000)
    xp.synchronize()
    with xp.profile() as p:
        y = x
        for _ in range(20):
            y = xp.sqrt(y * 1.5) - 0.25
        y.tolist()
    assert any(s.name.endswith(" ...") and len(s.name) < 120 for s in kernels(p))
    assert kernels(p)[0].operations == 60 * 5000


def test_one_at_a_time():
    with xp.profile() as p:
        with pytest.raises(ValueError, match="a profile is under way"):
            xp.profile().start()
    with pytest.raises(ValueError, match="no profile is under way"):
        p.stop()
    with pytest.raises(ZeroDivisionError):
        with xp.profile() as q:
            (xp.ones(5000) + 1).tolist()
            1 / 0
    assert len(kernels(q)) == 1
    with q:            # again
        pass
    assert not kernels(q)


def test_spans_are_there_although_work_fails():
    with pytest.raises(np.linalg.LinAlgError):
        with xp.profile() as p:
            (xp.ones(3000) + 1).tolist()
            xp.linalg.inv(xp.zeros((3, 3)))
    assert kernels(p)


def test_table():
    with xp.profile() as p:
        for _ in range(3):
            (xp.ones(5000) * 2 + 1).tolist()
        xp.sort(xp.ones(5000)).tolist()
    text = str(p)
    assert "calls" in text and "multiply add" in text and "library call: sort" in text
    rows = p.by_name()
    assert [r[4] for r in rows] == sorted((r[4] for r in rows), reverse=True) and {r[1]: r[3] for r in rows}["multiply add"] == 3


def test_trace(tmp_path):
    target = tmp_path / "trace.json"
    with xp.profile(target) as p:
        (xp.ones(5000) * 2 + 1).tolist()
    trace = json.loads(target.read_text())
    spans = [e for e in trace["traceEvents"] if e["ph"] == "X"]
    assert len(spans) == len(p.spans) and all(e["dur"] >= 0 and e["ts"] >= 0 for e in spans)
    first = next(e for e in spans if e["cat"] == "kernel")
    assert "multiply add" in first["name"] and first["args"]["operations"] == 10000
    rows = {e["tid"] for e in trace["traceEvents"] if e["ph"] == "M" and e["name"] == "thread_name"}
    assert {e["tid"] for e in spans} == rows
    text = io.StringIO()
    p.save(text)
    assert json.loads(text.getvalue()) == trace and "NaN" not in text.getvalue()
    with xp.profile() as empty:
        pass
    assert [e["ph"] for e in empty.trace()["traceEvents"]].count("X") == len(empty.spans)


def test_roofline():
    with xp.profile() as p:
        for _ in range(2):
            (xp.ones(100_000) * 2 + 1).tolist()
    pyplot = pytest.importorskip("matplotlib.pyplot")
    pyplot.switch_backend("agg")
    ax = p.plot_roofline()
    assert ax.get_xscale() == ax.get_yscale() == "log" and len(ax.collections) == 1 and len(ax.lines) == 1
    assert xp.plot_roofline(p, ax) is ax
    pyplot.close("all")


def test_roofline__of_nothing():
    with xp.profile() as p:
        pass
    with pytest.raises(ValueError, match="no kernel with operations"):
        p.plot_roofline()


def run(*arguments, **environment):
    return subprocess.run([sys.executable, "-m", "heddle", "run", *arguments], capture_output=True, text=True, timeout=120,
                          check=False, env={**os.environ, **environment})


def test_run_trace(tmp_path):
    target = tmp_path / "out.json"
    done = run("--numpy", f"--trace={target}", "-c", "import numpy as np\nprint((np.ones(100000) * 2).sum().item())")
    assert done.returncode == 0 and done.stdout == "200000.0\n", done.stderr
    names = [e["name"] for e in json.loads(target.read_text())["traceEvents"] if e["ph"] == "X"]
    assert any("sum" in name for name in names)
    done = run("--numpy", "--trace", str(target), "-c", "import numpy as np\ny = np.ones(100000) * 2 + np.ones(100000)\nraise SystemExit(3)")
    assert done.returncode == 3 and json.loads(target.read_text())
    done = run("--trace", str(tmp_path / "no" / "out.json"), "-c", "print(1)")
    assert done.returncode == 2 and "No such file" in done.stderr and done.stdout == ""
    assert run("--trace").returncode == 2


@pytest.mark.skipif(not FAKE.exists() or "ASAN_OPTIONS" in os.environ, reason="no fake driver, or many processes")
def test_on_a_gpu__its_own_clock():
    code = """
import numpy as np, heddle as h
x = h.asarray(np.arange(5000.0))
with h.profile() as p:
    y = ((x + 1) * 2).sum(axis=0)
    z = h.asarray(np.arange(9000.0)) + 1
    assert z.get()[-1] == 9000 and y.item() == 2 * (5000 * 4999 // 2 + 5000)
kinds = [s.kind for s in p.spans]
assert kinds.count("copy") >= 2 and kinds.count("kernel") >= 2, kinds
assert {s.device for s in p.spans if s.kind == "kernel"} == {"cuda:0"}
assert {s.name for s in p.spans if s.kind == "copy"} == {"to the device", "to the host"}
begins = [s.begin for s in p.spans]
assert begins == sorted(begins) and all(-1e-3 < b < 60 for b in begins) and all(0 <= s.seconds < 60 for s in p.spans)
with h.profile() as q:
    (x * 3).get()
assert len([s for s in q.spans if s.kind == "kernel"]) == 1
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False, env={
        **os.environ, "HEDDLE_LIBCUDA": str(FAKE), "FAKE_CUDA_RUN": "1", "HEDDLE_TIER0": "/nonexistent", "HEDDLE_TIER": "1",
        "HEDDLE_CACHE": "off", "HEDDLE_DEVICE": "cuda:0"})
    assert done.returncode == 0, done.stderr


def test_values_are_the_same():
    a = np.random.default_rng(3).random((200, 30))

    def compute():
        x = xp.asarray(a)
        return [(x @ x.T).sum(axis=1).tolist(), xp.sort(x * 2 - 1, axis=0).tolist(), (x / x.max()).std(axis=0).tolist()]
    plain = compute()
    with xp.profile() as p:
        noted = compute()
    assert noted == plain and len(kernels(p)) > 3
