# SPDX-License-Identifier: BSD-3-Clause
"""roll() as an operand of the kernel that reads it: the values of NumPy, whatever is written meanwhile."""
import random

import numpy as np
import pytest

from common import needs_heddle, same, xp

pytestmark = needs_heddle
# on both sides of the size from which rolled arrays are operands (4096 elements), of rows that are blocks, with axes of extent 1
SHAPES = [(4095,), (4097,), (63, 65), (64, 64), (64, 65), (65, 64), (1, 5000), (5000, 1),
          (2, 2500), (3, 1500), (17, 16, 16), (17, 1, 257),
          (2, 3, 4, 5, 40), (300, 301)]
DTYPES = ["f8", "f4", "i4", "i1", "?", "c8", "f2", "u8"]


@pytest.fixture(params=["default", "always"], autouse=True)
def recorded(request):
    before = xp.set_fusion("always" if request.param == "always" else True)
    yield
    xp.set_fusion(before)


def filled(shape, dtype="f8", seed=0):
    return (np.random.default_rng(seed).random(shape) * 9).astype(dtype)


def kernels(f):
    xp.synchronize()
    before = xp.stats()["kernels"]
    f()
    xp.synchronize()
    return xp.stats()["kernels"] - before


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("dtype", DTYPES)
def test_sums_of_rolled_arrays(shape, dtype):
    a, b = filled(shape, dtype), filled(shape, dtype, 1)

    def both(m, a, b):
        for axis in range(a.ndim):
            for shift in (1, -1, a.shape[axis] // 2, a.shape[axis], 3 * a.shape[axis] + 2):
                yield m.roll(a, shift, axis)
                yield m.roll(a, shift, axis) + m.roll(b, -shift, axis)
                yield m.maximum(m.roll(a, shift, axis), a) + m.roll(m.roll(b, 2, axis), shift, 0)

    for got, want in zip(both(xp, xp.array(a), xp.array(b)), both(np, a, b)):
        same(got, want)


@pytest.mark.parametrize("view",
                         ["x.T", "x[::-1]", "x[:, ::2]", "x[1:, :-1]", "x[:, 3]", "x[None]",
                          "x.reshape(-1)", "x[::-2, ::-1]"])
def test_views_are_rolled(view):
    a = filled((130, 131))
    for shift in (1, -7, (2, 3)):
        axis = (0, 0) if isinstance(shift, tuple) else -1
        want = np.roll(eval(view, {"x": a}), shift, axis) * 2 + eval(view, {"x": a})
        x = xp.array(a)
        same(xp.roll(eval(view, {"x": x}), shift, axis) * 2 + eval(view, {"x": x}), want,
             strides=False)


def test_what_is_written_afterwards_is_not_seen():
    a = filled((80, 90))
    x = xp.array(a)
    r = xp.roll(x, 1, 0)
    s = xp.roll(r, 1, 1)
    x[...] = 0
    t = xp.roll(r, -1, 0)
    same(r + s + t, np.roll(a, 1, 0) + np.roll(a, (1, 1), (0, 1)) + a)
    x = xp.array(a)
    r = xp.roll(x, 1, 0)
    x[3:] += 1
    s = xp.roll(r, 2, 1)            # of what x was
    b = a.copy()
    b[3:] += 1
    same(s + x, np.roll(a, (1, 2), (0, 1)) + b)


def test_in_place():
    a = filled((70, 71))
    x, b = xp.array(a), a.copy()
    for axis in (0, 1, 0):
        x += xp.roll(x, 1, axis)
        b += np.roll(b, 1, axis)
        x[...] = xp.roll(x, -2, axis)
        b[...] = np.roll(b, -2, axis)
        x[1:] = xp.roll(x, 3, axis)[:-1]
        b[1:] = np.roll(b, 3, axis)[:-1]
    same(x, b)


def test_steps_in_a_row():
    """Several hundred statements: a window's and more, with plans that repeat and then meet other shifts."""
    a = filled((65, 66), "i8")
    x, b = xp.array(a), a.copy()
    for step in range(300):
        shift = 1 + (step > 150) * (step % 5)
        x = xp.roll(x, shift, 0) + xp.roll(x, -shift, 1) - xp.roll(xp.roll(x, shift, 0), shift,
            1) % 7
        b = np.roll(b, shift, 0) + np.roll(b, -shift, 1) - np.roll(np.roll(b, shift, 0), shift,
            1) % 7
    same(x, b)


def test_one_kernel():
    x = xp.array(filled((100, 101)))

    def neighbours():
        return sum(xp.roll(xp.roll(x, i, 0), j, 1) for i in (-1, 0, 1) for j in (-1, 0,
            1) if i or j)

    kept = []
    assert kernels(lambda: kept.append(neighbours())) == 1
    assert kernels(lambda: kept.append((x - xp.roll(x, 1,
        0)).sum())) == 2      # what is reduced is stored first
    assert kernels(lambda: kept.append(xp.roll(x, 0, 0))) == 0


def test_many_rolled_operands():
    """More than a kernel takes, by shifts that cut the axes everywhere."""
    a = filled((67, 64), "f4")
    x, shifts = xp.array(a), range(1, 60)
    got = sum(xp.roll(x, s, s % 2) * s for s in shifts)
    want = sum(np.roll(a, s, s % 2) * np.float32(s) for s in shifts)
    same(got, want)


def test_bytes_of_bools_are_kept():
    a = np.arange(5000, dtype="u1").reshape(50, 100)
    same(xp.roll(xp.array(a).view("?"), 3, 1).view("u1"), np.roll(a.view("?"), 3, 1).view("u1"))


def test_graphs():
    import heddle.cupy as cp
    a = filled((90, 91))
    x, out, stream = xp.array(a), xp.zeros((90, 91)), cp.cuda.Stream(non_blocking=True)
    with stream:
        stream.begin_capture()
        out[...] = xp.roll(x, 5, 1) - xp.roll(x, -5, 0) + out
        graph = stream.end_capture()
    for turn in range(1, 4):
        graph.launch(stream=stream)
        same(out, (np.roll(a, 5, 1) - np.roll(a, -5, 0)) * turn, ulp=4)


def test_settings():
    """Kernels that are timed one by one, operations that are not fused, code that is compiled or not."""
    a = filled((90, 91))
    x = xp.array(a)
    want = np.roll(a, 5, 1) - np.roll(a, -5, 0)
    with xp.profile() as p:
        same(xp.roll(x, 5, 1) - xp.roll(x, -5, 0), want)
    assert "subtract" in str(p)
    before = xp.set_fusion(False)
    try:
        same(xp.roll(x, 5, 1) - xp.roll(x, -5, 0), want)
    finally:
        xp.set_fusion(before)
    for tier in 0, 1:
        xp.set_tier(tier)
        try:
            same(xp.roll(x, 5, 1) - xp.roll(x, -5, 0), want)
        finally:
            xp.set_tier(None)


@pytest.mark.parametrize("seed", range(12))
def test_random_programs(seed):
    rng = random.Random(seed)
    shape = tuple(rng.choice([1, 2, 5, 17, 33, 64, 129]) for _ in range(rng.randrange(1, 4)))
    a, state = filled(shape, rng.choice(["i4", "i8", "u1"])), rng.getstate()

    def program(m):
        rng.setstate(state)
        x, y, out = m.array(a), m.array(a), []
        for _ in range(20):
            axis, shift = rng.randrange(x.ndim), rng.choice([1, -1, 2, -3, 0, 100])
            k = rng.randrange(7)
            if k == 0:
                x = x + m.roll(y, shift, axis)
            elif k == 1:
                x += m.roll(y, shift, axis)
            elif k == 2:
                x[...] = m.roll(x, shift, axis)
            elif k == 3:
                y = m.roll(m.roll(x, shift, axis), 1, rng.randrange(x.ndim))
            elif k == 4:
                out.append((x + m.roll(y, shift, axis)).max(axis=axis))
            elif k == 5:
                r = m.roll(x, shift, axis)
                x[:1] = 1
                y = m.maximum(r, m.roll(x, -shift, axis))
            else:
                out += [m.roll(m.roll(x[::-1], (shift, 1), (axis, 0)).T, shift),
                        x[..., ::2] + m.roll(x[..., ::2], shift, axis)]
        return [*out, x, y]

    for got, want in zip(program(xp), program(np)):
        same(got, want, strides=False)
