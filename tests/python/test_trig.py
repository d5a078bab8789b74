# SPDX-License-Identifier: BSD-3-Clause
"""Sine and cosine of float64: within one unit in the last place everywhere, so that rotations stay
rotations as NumPy's do."""
import numpy as N
import pytest

import heddle as np

needs_long_double = pytest.mark.skipif(N.finfo(N.longdouble).nmant < 63,
                                       reason="the reference is in 80 bits")


def near_multiples():
    rng = N.random.default_rng(11)
    n = N.concatenate([N.arange(-3000, 3000), rng.integers(-600_000, 600_000, 6000)])
    x = n * (N.pi / 2)
    beside = x + rng.uniform(-1, 1, x.size) * 2.0**-30
    return N.concatenate([x, N.nextafter(x, N.inf), N.nextafter(x, -N.inf), beside, x * (1 + 1e-9)])


def near_zero():
    rng = N.random.default_rng(12)
    x = 10.0 ** rng.uniform(-300, 0, 10000)
    points = [5e-324, 1e-310, N.pi / 4, N.pi / 2, 1.0]
    return N.concatenate([x, -x, rng.uniform(-1, 1, 40000), points])


def whole_range():
    rng = N.random.default_rng(13)
    small = [rng.uniform(-a, a, 40000) for a in (2, 1e3, 2.0**20)]
    return N.concatenate([*small, 2.0**20 + rng.uniform(-1e-3, 1e-3, 200), 10.0 ** rng.uniform(6, 308, 5000)])


def off(f, x):
    """Errors in units in the last place of the exact result."""
    got = N.asarray(getattr(np, f)(np.asarray(x)))
    want = getattr(N, f)(x.astype(N.longdouble))
    unit = N.spacing(N.abs(want.astype(N.float64)))
    return N.abs((got - want) / unit).astype(N.float64)


@needs_long_double
@pytest.mark.parametrize("f", ["sin", "cos"])
@pytest.mark.parametrize("arguments", [near_multiples, near_zero, whole_range])
def test_error_is_below_one_unit(f, arguments):
    x = arguments()
    error = off(f, x)
    worst = error.argmax()
    assert error[worst] < 0.8, (x[worst], error[worst])


def test_rotations_stay_rotations():
    """A thousand turns by each angle: the determinant is as near to 1 as NumPy's."""
    def determinant(xp, angle):
        c, s = xp.cos(angle), xp.sin(angle)
        a, b = xp.ones_like(angle), xp.zeros_like(angle)
        for _ in range(1000):
            a, b = a * c - b * s, a * s + b * c
        return N.abs(N.asarray(a * a + b * b) - 1)
    angle = N.random.default_rng(14).uniform(-10, 10, 2000)
    ours, theirs = determinant(np, np.asarray(angle)), determinant(N, angle)
    assert ours.max() <= 1.5 * theirs.max(), (ours.max(), theirs.max())
    assert ours.mean() <= 1.1 * theirs.mean(), (ours.mean(), theirs.mean())


def euler(xp, angles):
    """Rotation matrices from three angles each, about z, y and x."""
    s, c = xp.sin(angles), xp.cos(angles)
    sx, sy, sz = s[:, 0], s[:, 1], s[:, 2]
    cx, cy, cz = c[:, 0], c[:, 1], c[:, 2]
    rows = [[cy * cz, sx * sy * cz - cx * sz, cx * sy * cz + sx * sz],
            [cy * sz, sx * sy * sz + cx * cz, cx * sy * sz - sx * cz],
            [-sy, sx * cy, cx * cy]]
    return xp.stack([xp.stack(row, axis=-1) for row in rows], axis=-2)


def test_composed_matrices_stay_orthogonal():
    def deviation(xp, angles):
        total = xp.eye(3)
        for m in euler(xp, angles):
            total = m @ total
        return float(abs(N.asarray(total @ total.T) - N.eye(3)).max())
    angles = N.random.default_rng(15).uniform(-4, 4, (400, 3))
    assert deviation(np, np.asarray(angles)) <= 1.5 * deviation(N, angles)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_special_values(dtype):
    zeros = N.array([0.0, -0.0], dtype)
    N.testing.assert_array_equal(N.signbit(N.asarray(np.sin(np.asarray(zeros)))), [False, True])
    N.testing.assert_array_equal(N.asarray(np.cos(np.asarray(zeros))), [1, 1])
    infinite = np.asarray(N.array([N.inf, -N.inf, 1.0], dtype))
    for f in (np.sin, np.cos):
        with np.errstate(invalid="ignore"):
            assert N.isnan(N.asarray(f(infinite))).tolist() == [True, True, False]
        with np.errstate(invalid="raise"), pytest.raises(FloatingPointError):
            N.asarray(f(infinite))
        with np.errstate(all="raise"):
            N.asarray(f(np.asarray(N.array([N.nan, 1e-30, 1e30, 0.0, 5.0], dtype))))
