# SPDX-License-Identifier: BSD-3-Clause
"""Elements and positions where a mask is true: masks that are there, that are still to be computed, that are used several times,
that are written to between two uses."""

import numpy as np
import pytest

from common import give, needs_heddle, same, xp

pytestmark = needs_heddle
SIZES = [0, 1, 5, 31, 32, 33, 64, 100, 1000, 1024, 5000, 40_000]

# What is selected of x by y, both of one dimension and as long
CHOICES = {
    "compared": lambda m, x, y: x[y > 0],
    "between": lambda m, x, y: x[(y > 0) & (y < 1)],
    "computed": lambda m, x, y: x[abs(y * 2 + 1) > 1.5],
    "itself": lambda m, x, y: x[x == x],
    "of nan": lambda m, x, y: x[m.isnan(y)],
    "by a sum": lambda m, x, y: x[y > y.sum()],
    "reversed": lambda m, x, y: x[::-1][y[::-1] > 0],
    "every second": lambda m, x, y: x[::2][y[::2] < 0],
    "positions": lambda m, x, y: m.nonzero(x)[0],
    "positions where": lambda m, x, y: m.flatnonzero((y > .5) | (y < -.5)),
    "long chain": lambda m, x, y: x[((((((y + 1) * 2 - 1) / 3 + y) * y - .1) * 2 + 1) * y - y) > 0],
    "converted": lambda m, x, y: x[(y * 3).astype("i4").astype("?")],
    "all": lambda m, x, y: x[y < 100],
    "none": lambda m, x, y: x[y > 100],
}


def of_both(n, dtype):
    rng = np.random.default_rng(n)
    return (rng.standard_normal(n) * 3).astype(dtype), rng.standard_normal(n).astype("f4")


@pytest.mark.parametrize("dtype", ["?", "i2", "f4", "f8", "c8", "c16"])
@pytest.mark.parametrize("n", SIZES)
def test_masks_still_to_be_computed(n, dtype):
    x, y = of_both(n, dtype)
    for name, choose in CHOICES.items():
        same(choose(xp, give(x), give(y)), choose(np, x, y), where=name)


@pytest.mark.parametrize("shape", [(40, 32), (7, 9), (1, 50), (50, 1), (3, 4, 5), (6, 700), (0, 3)])
def test_several_axes(shape):
    x = np.random.default_rng(1).standard_normal(shape)
    y = give(x)
    same(y[y > 0], x[x > 0])
    same(y.T[y.T > 0], x.T[x.T > 0])
    if x.size:
        same(y[y > y.mean()], x[x > x.mean()])
    same(y[y > y[:1]], x[x > x[:1]])
    for got, want in zip(xp.nonzero(y < 0), np.nonzero(x < 0)):
        same(got, want)
    same(xp.argwhere(y < 0), np.argwhere(x < 0), strides=False)


def used_often(m, x, y):
    mask = y > .3
    return [x[mask], y[mask], x[mask * True], m.nonzero(mask)[0], x[mask], mask]


def written_between(m, x, y):
    mask = y > 0
    parts = [x[mask]]
    mask[::2] = True
    parts.append(x[mask])
    mask &= y < 1
    parts.append(x[mask])
    mask[...] = y < 0
    parts.append(x[mask])
    m.logical_not(mask, out=mask)
    parts.append(x[mask])
    if len(y) > 3:
        mask[1:3] = False
        mask[np.array([0, 3])] = True
    return [*parts, x[mask], y[mask], mask]


def written_by_a_view(m, x, y):
    mask = y > 0
    front = mask[: len(mask) // 2]
    parts = [x[mask], x[: len(front)][front]]
    front[...] = False
    return [*parts, x[mask], x[: len(front)][front]]


def operands_written(m, x, y):
    z = y + 1
    mask = z > 0
    z[1:] = -7
    parts = [x[mask], z[mask]]
    late = z * 2 > -14
    z[...] = 5
    return [*parts, x[late], z[late], z]


def operands_written_that_were_there(m, x, y):
    z = y + 1
    float(z.sum())
    mask = z > 0
    z[1:] = -7
    parts = [x[mask], z[mask], x[z > 0], z + 0]
    late = z > -7
    if len(z) > 3:
        z[np.array([0, 3])] = -8
    return [*parts, x[late], z[late], z]


def copies(m, x, y):
    mask = y > 0
    same_one = mask.copy()
    parts = [x[same_one], x[mask]]
    same_one[:1] = True
    return [*parts, x[same_one], x[mask], x[mask.reshape(1, -1)[0]], x[mask[::-1]]]


@pytest.mark.parametrize("program", [used_often, written_between, written_by_a_view, operands_written, operands_written_that_were_there,
                                     copies])
@pytest.mark.parametrize("n", SIZES)
def test_masks_used_again(n, program):
    x, y = of_both(n, "f4")
    for got, want in zip(program(xp, give(x), give(y)), program(np, x.copy(), y.copy())):
        same(got, want, strides=False)


@pytest.mark.parametrize("n", [33, 5000])
def test_without_fusion(n):
    x, y = of_both(n, "f4")
    before = xp.set_fusion(False)
    try:
        for name, choose in CHOICES.items():
            same(choose(xp, give(x), give(y)), choose(np, x, y), where=name)
    finally:
        xp.set_fusion(before)


def test_many_masks_at_once():
    """More than the window holds; those that were asked for keep what was made of them."""
    x, y = of_both(300, "f8")
    u, v = give(x), give(y)
    masks = [v > k / 100 for k in range(300)]
    for k in (*range(300), *range(0, 300, 7)):
        same(u[masks[k]], x[y > k / 100], where=str(k))


def test_a_mask_that_is_kept_after_what_it_was_made_of_is_gone():
    x, y = of_both(1000, "f4")
    u, v = give(x), give(y)
    mask = v > 0
    got = [u[mask]]
    del v
    got += [u[mask], mask]
    for g, w in zip(got, [x[y > 0], x[y > 0], y > 0]):
        same(g, w)
