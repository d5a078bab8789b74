# SPDX-License-Identifier: BSD-3-Clause
"""The programs of examples/ and bench/ give NumPy's results; the demo runs and writes its chart."""

import importlib
import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest

from common import IS_NUMPY, give, needs_heddle, xp

ROOT = pathlib.Path(__file__).resolve().parents[2]
SMALL = {
    "grade2": {"n": 5000},
    "squared_difference": {"n": 5000},
    "logistic_regression": {"n": 500, "steps": 60},
    "cubic_fit": {"n": 300, "steps": 120},
    "matmul": {"n": 90},
    "random_dot": {"n": 50_000},
    "jacobi": {"n": 50, "steps": 40},
}


@pytest.mark.parametrize("name", SMALL)
def test_example(name):
    program = importlib.import_module(name)
    operands = program.make(**SMALL[name])
    placed = [give(x) if isinstance(x, np.ndarray) else x for x in operands]
    got = np.array(program.run(xp, *placed))
    want = (
        program.reference(xp, *operands)
        if hasattr(program, "reference")
        else program.run(np, *operands)
    )
    np.testing.assert_allclose(got, want, rtol=1e-4 if name == "random_dot" else 1e-11, atol=1e-13)
    for x in operands:
        assert not isinstance(x, np.ndarray) or np.isfinite(x).all()


def bench_module():
    sys.path.insert(0, str(ROOT / "bench"))
    try:
        return importlib.import_module("workloads")
    finally:
        sys.path.pop(0)


BENCH = [
    n
    for n, w in bench_module().WORKLOADS.items()
    if not w.slow and not n.startswith(("random", "matmul.f4.1024"))
]


def parts(result):
    """A result, or several, as NumPy arrays."""
    return [np.array(r) for r in (result if isinstance(result, tuple) else (result,))]


@pytest.mark.parametrize("name", BENCH)
def test_benchmark_programs(name):
    workload = bench_module().WORKLOADS[name]
    operands = workload.operands(np.random.default_rng(0))
    cut = [
        x[:300]
        if isinstance(x, np.ndarray) and x.ndim == 1 and len(x) > 300 and "cubic" not in name
        else x
        for x in operands
    ]
    cut = [
        x[:300, :300] if isinstance(x, np.ndarray) and x.ndim == 2 and x.shape[1] > 3 else x
        for x in cut
    ]
    cut = [min(x, 30) if isinstance(x, int) else x for x in cut]
    cut = [x[:100, :100] if "svd" in name else x for x in cut]
    got = parts(workload.run(xp, *[give(x) if isinstance(x, np.ndarray) else x for x in cut]))
    want = parts((workload.reference or workload.run)(np, *cut))
    if "svd" in name:  # singular vectors have either sign
        got, want = got[1:2], want[1:2]
    for g, w in zip(got, want, strict=True):
        assert g.dtype == w.dtype and g.shape == w.shape
        single = w.dtype in (np.float32, np.complex64)
        loose = 50 if name.split(".")[0] in ("inv", "qr", "det") else 1
        np.testing.assert_allclose(
            g, w, rtol=loose * (2e-5 if single else 1e-11), atol=loose * (1e-6 if single else 1e-12)
        )


@needs_heddle
def test_demo(tmp_path):
    chart = tmp_path / "chart.png"
    result = subprocess.run(
        [sys.executable, str(ROOT / "examples/demo.py"), "--quick", "--out", str(chart)],
        capture_output=True,
        text=True,
        timeout=240,
        env=dict(os.environ),
        check=False,
    )
    assert result.returncode == 0, result.stdout + result.stderr
    assert chart.read_bytes().startswith(b"\x89PNG")
    for what in ("grade2", "a*x**2", "Jacobi", "logistic"):
        assert what in result.stdout or what == "grade2"
    assert "WRONG" not in result.stdout


def test_programs_as_users_write_them():
    """Smaller programs of the kinds people bring: they must run unchanged."""

    def mandelbrot(m):
        x = m.linspace(-2, 0.5, 40)
        y = m.linspace(-1.2, 1.2, 30)
        c = x[m.newaxis, :] + 1j * y[:, m.newaxis]
        z, inside = m.zeros(c.shape, dtype=complex), m.ones(c.shape, dtype=bool)
        for _ in range(30):
            z = m.where(inside, z * z + c, z)
            inside = inside & (abs(z) < 2)
        return inside

    def moving_average(m):
        x = m.sin(m.arange(200) * 0.1)
        total = m.cumsum(x)
        total[9:] = total[9:] - m.concatenate([m.zeros(1), total[:-9]])[: len(total) - 9]
        return total[9 - 1 :] / 9

    def standardise(m):
        x = m.arange(60.0).reshape(12, 5) ** 2
        x -= x.mean(axis=0)
        x /= x.std(axis=0)
        return x.T @ x / len(x)

    def histogram_by_comparison(m):
        x = m.sin(m.arange(1000) * 1.7)
        edges = m.linspace(-1, 1, 11)
        return ((x[:, None] >= edges[:-1]) & (x[:, None] < edges[1:])).sum(axis=0)

    def gram_schmidt(m):
        a = m.sin(m.arange(36.0).reshape(6, 6) * 0.7) + m.eye(6)
        q = m.zeros((6, 6))
        for k in range(6):
            v = a[:, k].copy()
            for j in range(k):
                v -= (q[:, j] * v).sum() * q[:, j]
            q[:, k] = v / m.sqrt((v * v).sum())
        return q

    def heat(m):
        u = m.zeros(101)
        u[40:60] = 1
        for _ in range(200):
            u[1:-1] += 0.4 * (u[2:] - 2 * u[1:-1] + u[:-2])
        return u

    def power_iteration(m):
        a = m.eye(8) * 3 + m.ones((8, 8))
        v = m.ones(8)
        v[0] = 2
        for _ in range(40):
            v = a @ v
            v /= m.sqrt(v @ v)
        return v @ a @ v

    def collatz(m):
        x = m.arange(1, 50)
        steps = m.zeros(49, dtype=int)
        while (x > 1).any():
            steps[x > 1] += 1
            x = m.where(x == 1, 1, m.where(x % 2 == 0, x // 2, 3 * x + 1))
        return steps

    for program in (
        mandelbrot,
        moving_average,
        standardise,
        histogram_by_comparison,
        gram_schmidt,
        heat,
        power_iteration,
        collatz,
    ):
        got, want = np.array(program(xp)), np.asarray(program(np))
        assert got.dtype == want.dtype and got.shape == want.shape, program.__name__
        np.testing.assert_allclose(got, want, rtol=1e-9, atol=1e-11, err_msg=program.__name__)


@pytest.mark.skipif(IS_NUMPY, reason="about Heddle itself")
def test_results_print_as_numpys():
    for text in (
        "x",
        "x * 1e10",
        "x.reshape(2, 5)",
        "x > 3",
        "x.sum()",
        "x[3]",
        "x.astype('f4') / 3",
        "x + 1j",
        "xp.zeros((0, 3))",
        "xp.arange(2000)",
        "x.astype('u1')",
        "xp.array(2.5)",
    ):
        ours, theirs = (eval(text, {"x": m.arange(10.0), "xp": m}) for m in (xp, np))
        assert str(ours) == str(theirs) and repr(ours) == repr(theirs), text
        assert f"{ours}" == f"{theirs}"
