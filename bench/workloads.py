# SPDX-License-Identifier: BSD-3-Clause
"""What Heddle is measured on: programs as a NumPy user writes them, each for any array module `xp`.

A Workload has operands(rng) -> NumPy arrays and plain values, and run(xp, *operands) -> result.
The first group are whole programs and single operations, timed with their result computed;
RECORDING are single statements, timed hot, with the loop around them.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np


@dataclass
class Workload:
    """One line.

    Targets are NumPy's time divided by Heddle's, at least: in this release, and in the end (goal).
    """

    name: str
    operands: Callable
    run: Callable
    target: float | None = None
    goal: float | None = None
    steps: int = 1  # times are given for one step
    reference: Callable | None = None  # what stands in NumPy's column instead: SciPy's
    numba: bool = False  # njit understands it as it stands
    jax: bool = False  # so does jax.jit, within seconds
    read: bool = False  # the result is read back as Python numbers, on both sides
    slow: bool = False  # seconds a run, or gigabytes of memory
    tags: tuple = field(default=())


# ---- programs ------------------------------------------------------------------------------------


def grade2(xp, x, y):
    return 3.5 * x**2 + 2.8 * y + 10


def sqdiff(xp, x, y):
    return (x - y) * (x - y)


def chain(xp, x, n):
    for _ in range(n):
        x = x + 1
    return x


def logistic(xp, x, y, steps):
    theta = xp.zeros((x.shape[1], 1))
    for _ in range(steps):
        p = 1 / (1 + xp.exp(-(x @ theta)))
        theta = theta - 0.1 * (x.T @ (p - y)) / x.shape[0]
    return theta


def cubic(xp, x, y, start, steps):
    a, b, c, d = start[0], start[1], start[2], start[3]
    for _ in range(steps):
        p = a + b * x + c * x**2 + d * x**3
        g = 2.0 * (p - y)
        a = a - 1e-6 * g.sum()
        b = b - 1e-6 * (g * x).sum()
        c = c - 1e-6 * (g * x**2).sum()
        d = d - 1e-6 * (g * x**3).sum()
    return a + b + c + d


def softmax(xp, m):
    e = xp.exp(m - m.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def random_dot(xp, n):
    a = xp.random.rand(n).astype(np.float32)
    b = xp.random.rand(n).astype(np.float32)
    return xp.dot(a, b)


def jacobi(xp, u, steps):
    u = u.copy()
    for _ in range(steps):
        u[1:-1, 1:-1] = 0.25 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:])
    return u


# ---- operands ------------------------------------------------------------------------------------


def uniform(*shape, dtype="f8", n=1):
    def make(rng):
        return tuple(
            rng.random(shape, dtype="f4") if dtype == "f4" else rng.random(shape) for _ in range(n)
        )

    return make


def _logistic(rng, n=10_000, steps=200):
    return (
        np.c_[np.ones(n), rng.standard_normal((n, 2))],
        (rng.random((n, 1)) > 0.5).astype("f8"),
        steps,
    )


def _cubic(rng, n=2000, steps=200):
    x = np.linspace(-np.pi, np.pi, n, dtype="f4")
    return x, np.sin(x), np.array([0.1, 0.2, 0.3, 0.4], dtype="f4"), steps


def _programs():
    # The targets for grade2 hold in float64: a third of NumPy's time at 1e5 and 5e6.
    for n, target, goal in (
        (10, 1, 1.5),
        (1_000, None, 3),
        (100_000, 3, 4),
        (5_000_000, 3, 4),
        (100_000_000, None, 4),
    ):
        for dtype in ("f8", "f4"):
            goals = (target, goal) if dtype == "f8" else (None, None)
            yield Workload(
                f"grade2.{dtype}.{n}",
                uniform(n, dtype=dtype, n=2),
                grade2,
                *goals,
                numba=True,
                jax=True,
                read=n == 10,
                slow=n > 10**7,
                tags=("grade2",),
            )
    yield Workload(
        "sqdiff.i8.10k",
        lambda rng: (np.arange(10_000), np.arange(10_000)[::-1]),
        sqdiff,
        numba=True,
        jax=True,
    )
    yield Workload("chain.16", lambda rng: (np.zeros(16), 1000), chain, 6, 6, numba=True)
    yield Workload("logistic.10000x3", _logistic, logistic, 2, 3, steps=200)
    yield Workload("cubic.2000", _cubic, cubic, 6, 10, steps=200)
    yield Workload(
        "jacobi.1024", lambda rng: (rng.random((1024, 1024)), 20), jacobi, steps=20, numba=True
    )
    yield Workload("softmax.4e3x4e3.f4", uniform(4000, 4000, dtype="f4"), softmax, jax=True)
    yield Workload(
        "softmax.1e4x1e4.f4", uniform(10_000, 10_000, dtype="f4"), softmax, slow=True, jax=True
    )
    yield Workload("random_dot.1e8", lambda rng: (100_000_000,), random_dot, None, 5, slow=True)


def _operations():
    for n, text in ((10**6, "1e6"), (10**8, "1e8")):
        slow = n > 10**7
        yield Workload(
            f"dot.{text}.f4",
            uniform(n, dtype="f4", n=2),
            lambda xp, a, b: xp.dot(a, b),
            slow=slow,
            jax=True,
        )
        yield Workload(
            f"sum.{text}.f4", uniform(n, dtype="f4"), lambda xp, a: a.sum(), slow=slow, jax=True
        )
        yield Workload(
            f"cumsum.{text}.f4",
            uniform(n, dtype="f4"),
            lambda xp, a: xp.cumsum(a),
            slow=slow,
            jax=True,
        )
        yield Workload(
            f"mask.{text}.f4", uniform(n, dtype="f4"), lambda xp, a: a[a > 0.5], slow=slow
        )
    for axis in (0, 1):
        yield Workload(
            f"sum.axis{axis}.4e3x4e3.f4",
            uniform(4000, 4000, dtype="f4"),
            lambda xp, m, axis=axis: m.sum(axis=axis),
            jax=True,
        )
    yield Workload(
        "transpose.4e3x4e3.f4",
        uniform(4000, 4000, dtype="f4"),
        lambda xp, m: xp.ascontiguousarray(m.T),
    )
    for dtype in ("f4", "f8"):
        for n in (16, 256, 1024, 4096):
            yield Workload(
                f"matmul.{dtype}.{n}",
                uniform(n, n, dtype=dtype, n=2),
                lambda xp, a, b: a @ b,
                0.95,
                0.95,
                slow=n > 2000,
                jax=True,
                tags=("matmul",),
            )
    for dtype in ("f8", "f4"):
        for name in ("exp", "sin", "log", "tanh"):
            yield Workload(
                f"{name}.1e6.{dtype}",
                uniform(10**6, dtype=dtype),
                lambda xp, a, f=name: getattr(xp, f)(a),
                None,
                1,
                jax=True,
                tags=("math",),
            )
        yield Workload(
            f"power.1e6.{dtype}",
            uniform(10**6, dtype=dtype, n=2),
            lambda xp, a, b: a**b,
            None,
            1,
            jax=True,
            tags=("math",),
        )


def _scipy_convolve2d(xp, a, k):
    from scipy.signal import convolve2d

    return convolve2d(a, k)


def _families():
    """Linear algebra, transforms, sorting, convolution."""
    for name in ("sort", "argsort"):
        yield Workload(
            f"{name}.16.7e6.f4",
            uniform(1 << 24, dtype="f4"),
            lambda xp, a, f=name: getattr(xp, f)(a),
            None,
            1,
            slow=True,
            jax=True,
            tags=("sorts",),
        )
        yield Workload(
            f"{name}.1e5.f8",
            uniform(10**5),
            lambda xp, a, f=name: getattr(xp, f)(a),
            jax=True,
            tags=("sorts",),
        )
    yield Workload(
        "partition.16.7e6.f4",
        uniform(1 << 24, dtype="f4"),
        lambda xp, a: xp.partition(a, 1 << 23),
        None,
        1,
        slow=True,
        tags=("sorts",),
    )
    for n in (10, 100, 1000):
        yield Workload(
            f"sort.rows.1e6/{n}.f4",
            uniform(10**6 // n, n, dtype="f4"),
            lambda xp, a: xp.sort(a),
            jax=True,
            tags=("sorts",),
        )
    for name, dtype, n in (
        ("qr", "f4", 64),
        ("qr", "f4", 512),
        ("svd", "f8", 32),
        ("svd", "f8", 300),
        ("inv", "f8", 8),
        ("inv", "f4", 1000),
        ("det", "f8", 8),
        ("det", "f4", 512),
    ):
        yield Workload(
            f"{name}.{dtype}.{n}",
            uniform(n, n, dtype=dtype),
            lambda xp, a, f=name: getattr(xp.linalg, f)(a),
            None,
            0.95,
            tags=("linalg",),
        )
    for n in (1024, 10**6, 2**22):
        yield Workload(
            f"fft.c16.{n}",
            lambda rng, n=n: (rng.random(n) + 1j * rng.random(n),),
            lambda xp, a: xp.fft.fft(a),
            jax=True,
            tags=("fft",),
        )
    yield Workload(
        "fft.lines.1000x1000.c16",
        lambda rng: (rng.random((1000, 1000)) + 1j,),
        lambda xp, a: xp.fft.fft(a),
        jax=True,
        tags=("fft",),
    )
    yield Workload(
        "convolve2d.2048x2048.15x15",
        lambda rng: (rng.random((2048, 2048)), rng.random((15, 15))),
        lambda xp, a, k: xp.scipy.signal.convolve2d(a, k),
        None,
        20,
        reference=_scipy_convolve2d,
        tags=("signal",),
    )


WORKLOADS = {w.name: w for w in (*_programs(), *_operations(), *_families())}

# Statements over x, y, z: ten float64 each.
RECORDING = {
    "record.x+y": "z = x + y",
    "record.x+1.0": "x + 1.0",
    "record.z+1": "z = z + 1",  # recorded only: see RECORDING_PIECES
    "record.z+1.run": "z = z + 1",  # and planned and run: nothing of it is dead
    "record.grade2": "3.5 * x**2 + 2.8 * y + 10",
}
RECORDING_TARGET_NS = 60  # one operation, the loop included
RECORDING_OPERATIONS = {"record.grade2": 5}
# So many at a time, fewer than the window holds; what is recorded runs between the pieces, untimed.
RECORDING_PIECES = {"record.z+1": 150}
