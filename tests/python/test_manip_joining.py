# SPDX-License-Identifier: BSD-3-Clause
"""Cutting, joining, repeating, moving and padding against NumPy."""

import numpy as np
import pytest
from hypothesis import given as draws
from hypothesis import strategies as st

from common import DTYPES, layouts, needs_heddle, same, xp
from manip_common import SHAPES, cases, check, check_text, check_view, ordinary

# ---- pieces ----------------------------------------------------------------------


@pytest.mark.parametrize("shape", SHAPES)
def test_split__shapes(shape):
    x = ordinary(shape)
    for axis in range(-x.ndim, x.ndim):
        for cuts in (1, 2, 3, [1], [2, 1], [0, 9], [-1], [], 0, -1, np.array([1, 2])):
            check_view("array_split", x, cuts, axis)
            check_view("split", x, cuts, axis) if np.ndim(cuts) else check("split", x, cuts, axis)
        check_view("unstack", x, axis=axis)
    for name in ("hsplit", "vsplit", "dsplit"):
        check(name, x, 1)
        check(name, x, [1])
        check(name, x, 3)
    check("unstack", x)
    check("unstack", x, axis=4)


# ---- repeating ----------------------------------------------------------------------


@pytest.mark.parametrize("shape", SHAPES)
def test_tile_resize__shapes(shape):
    x = ordinary(shape, "i4")
    for reps in (0, 1, 2, (2,), (1, 1), (3, 1), (2, 3), (1, 2, 1), (2, 0, 1, 2), (), -1, (1, -2)):
        if x.size == 0 and np.any(np.array(reps) < 0):
            continue    # NumPy's loop over no elements does not look at the number
        check("tile", x, reps)
    for new in (0, 5, (2, 3), (4, 4, 2), (), (3, 0), -1, (2, -3)):
        check("resize", x, new)


@pytest.mark.parametrize("dtype", DTYPES)
def test_tile_resize__dtypes(dtype):
    for where, x in layouts((3, 4), dtype):
        check("tile", x, (2, 3))
        check("resize", x, (5, 5))
        check("roll", x, 1)
        check("roll", x, (1, 2), (0, 1))
        check("insert", x, 1, x[0], axis=0)
        check("delete", x, [0, 2], axis=1)
        check("append", x, x, axis=1)


@pytest.mark.parametrize("dtype", DTYPES)
def test_repeat__layouts(dtype):
    for where, x in layouts((3, 4), dtype):
        for repeats in (0, 1, 2, 5):
            for axis in (None, 0, 1, -1):
                check("repeat", x, repeats, axis)
        check("repeat", x, [2, 0, 3], 0)
        check("repeat", x, [3], 1)


def test_repeat__numbers():
    for x in (np.arange(3), np.arange(6).reshape(2, 3), np.float64(3), np.zeros((0, 2)), np.zeros((2, 0), "c8")):
        for repeats in (-1, 2.0, 2.9, True, [2], [[2]], [1, 2], [1, 2, 3], None, [-1], np.float32(2), [], [2.0], np.int8(3), 2j):
            for axis in (None, 0, -1):
                check("repeat", x, repeats, axis)
        for axis in (1, 2, -2, -3):
            check("repeat", x, 2, axis)


# ---- more and fewer elements ----------------------------------------------------------------------

X = np.arange(12.0).reshape(3, 4)
INSERTIONS = cases("""
    m.insert(x, 1, 9)
    m.insert(x, 1, 9, axis=0)
    m.insert(x, 1, [1, 2, 3], axis=1)
    m.insert(x, [1], [[1], [2], [3]], axis=1)
    m.insert(x, -1, 9, axis=1)
    m.insert(x, 4, 9, axis=1)
    m.insert(x, 5, 9, axis=1)
    m.insert(x, -5, 9, axis=1)
    m.insert(x, [0, 2], 7, axis=1)
    m.insert(x, [2, 0], [[7, 8]], axis=1)
    m.insert(x, [1, 1, -1], 5)
    m.insert(x, slice(1, 3), 5, axis=0)
    m.insert(x, slice(None, None, -2), [[5], [6]], axis=0)
    m.insert(x, [], 5, axis=0)
    m.insert(x, [[0, 1]], 5)
    m.insert(x, [9, 1], 5)
    m.insert(x, [1.5, 2], 5)
    m.insert(x, m.array([True, False, True]), 8, axis=0)
    m.insert(x.astype('i2'), 0, 2.75)
    m.insert(x, 1, [1, 2], axis=0)
    m.insert(x, 0, x, axis=0)
    m.insert(x.T, 1, 0, axis=0)
    m.insert(x, 0, 1, axis=2)
    m.insert([1, 2, 3], 1, 5)
    m.insert([], 0, 5)
    m.insert(m.array([]), [0, 0], 5)
    m.insert(m.array(3), 0, 5)
    m.insert(x, slice(9, 9), 1)
    m.insert(m.asfortranarray(x), [0, 1], 1, axis=1)
    m.insert(x, m.array(2), [[5, 6, 7]], axis=1)
    m.insert(x, [2], [5, 6, 7, 8], axis=0)
    m.delete(x, 1)
    m.delete(x, 1, 0)
    m.delete(x, -1, 1)
    m.delete(x, [0, 2], 1)
    m.delete(x, [0, 0, -1], 1)
    m.delete(x, 4, 1)
    m.delete(x, -5, 1)
    m.delete(x, [1, 7], 1)
    m.delete(x, slice(None, None, 2))
    m.delete(x, slice(3, 0, -1), 1)
    m.delete(x, slice(0), 0)
    m.delete(x, m.array([True, False, True]), 0)
    m.delete(x, m.array([True, False]), 0)
    m.delete(x, [], 1)
    m.delete(x, [1.5], 1)
    m.delete(x, m.asfortranarray(x) > 5)
    m.delete(m.arange(40), m.arange(0, 40, 3))
    m.delete(m.arange(40), slice(1, 39, 2))
    m.delete(m.asfortranarray(x), 1, 0)
    m.delete(x.T, [0, 1, 2, 3], 0)
    m.delete(m.array(5), 0)
    m.delete([1, 2, 3], m.array(1))
    m.delete(x, [[0, 1], [1, 2]], 1)
    m.delete(x, 1, 5)
    m.delete(x, True, 0)
    m.delete(x, [True, False, False], 0)
    m.append(x, [[1, 2, 3, 4]], axis=0)
    m.append(x, 5)
    m.append(x, [1, 2], axis=0)
    m.append([1], [2.5])
    m.append(x, x.T)
    m.append(m.arange(3).astype('i1'), m.arange(2).astype('u2'))
    m.append(5, 6)
    m.append(5, 6, axis=0)
    m.trim_zeros(m.array([0, 0, 1, 0, 2, 0]))
    m.trim_zeros(m.array([0, 0, 1, 0, 2, 0]), 'f')
    m.trim_zeros(m.array([0., 0, m.nan, -0.]), 'B')
    m.trim_zeros(m.zeros(3))
    m.trim_zeros(m.array([]))
    m.trim_zeros(x[:2] * m.array([0, 1, 0, 0]))
    m.trim_zeros(x * (x > 5), axis=1)
    m.trim_zeros(x * (x > 5), 'f', axis=(0, 1))
    m.trim_zeros(x, 'q')
    m.trim_zeros(m.zeros((2, 3)))
    m.trim_zeros(x, axis=3)
    m.trim_zeros(m.array(1.0))
    m.trim_zeros(m.zeros((2, 3)), 'f', axis=1)
""")


@pytest.mark.parametrize("text", INSERTIONS)
def test_insert_delete__cases(text):
    check_text(text, x=X)


@draws(st.integers(0, 6), st.lists(st.integers(-6, 6), max_size=5), st.sampled_from([0, 1]))
def test_insert_delete__positions(n, positions, axis):
    x = np.arange(3.0 * n).reshape((n, 3) if axis == 0 else (3, n))
    if any(not -n <= p <= n for p in positions):
        positions = [p % (n + 1) for p in positions]
    check("insert", x, positions, -1.0, axis)
    check("delete", x, positions, axis)


BLOCKS = cases("""
    m.block([x, x])
    m.block([[x, x], [x, x]])
    m.block([[x], [x]])
    m.block([1, 2, 3])
    m.block([m.ones(2), 3])
    m.block([[1, 2], [3, 4]])
    m.block([[[x]]])
    m.block([])
    m.block([[], []])
    m.block([[1], 2])
    m.block((1, 2))
    m.block([x, x.T])
    m.block(x)
    m.block(5)
    m.block([[m.eye(2), m.zeros((2, 3))], [m.ones((3, 2)), m.eye(3)]])
    m.block([[m.ones(3)], [m.zeros(3)]])
    m.block([[1, (2, 3)]])
    m.block([[[1]], [[2]]])
    m.block([m.zeros((2, 0)), m.ones((2, 1))])
    m.block([m.array(1, 'i1'), 2.5])
    m.block([[1, 2], [3]])
""")


@pytest.mark.parametrize("text", BLOCKS)
def test_block__cases(text):
    check_text(text, x=X[:, :3])


# ---- moving ----------------------------------------------------------------------


@pytest.mark.parametrize("shape", SHAPES)
def test_roll__shapes(shape):
    x = ordinary(shape)
    for shift, axis in [(1, None), (-7, None), (0, None), (1, 0), (-2, -1), ((1, 2), (0, 1)), ((1, 2), 0), (3, (0, 1)), ((1, 2, 3), (0, 1)), (1, 3),
                        (np.array([1, 2]), None), ([[1]], 0), (2.0, 0), (1, (0, 0))]:
        check("roll", x, shift, axis)


@pytest.mark.parametrize("shape", SHAPES)
def test_turns__shapes(shape):
    x = ordinary(shape)
    for k in range(-1, 5):
        for axes in ((0, 1), (1, 0), (0, -1), (0, 0), (0, 2), (0, 1, 2)):
            check("rot90", x, k, axes)
    for name in ("fliplr", "flipud"):
        check(name, x)
    for axis in range(-1, 3):
        for start in range(-3, 5):
            check("rollaxis", x, axis, start)
    if x.ndim > 1:
        check_view("rot90", x)
        check_view("fliplr", x)
        check_view("rollaxis", x, 1)


# ---- padding ----------------------------------------------------------------------

MODES = cases("""
    constant
    edge
    linear_ramp
    maximum
    mean
    minimum
    reflect
    symmetric
    wrap
""")


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("shape", SHAPES)
def test_pad__shapes(mode, shape):
    x = ordinary(shape)
    for width in (0, 1, 2, 7, (0, 2), (3, 0), (4, 9)):
        check("pad", x, width, mode, near=mode == "mean")


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("dtype", DTYPES)
def test_pad__dtypes(mode, dtype):
    x = ordinary((3, 4), dtype)
    near = mode == "mean" or (mode == "linear_ramp" and x.dtype.kind == "c")
    if dtype == "?" and mode == "linear_ramp":
        return      # NumPy cannot subtract bools
    check("pad", x, ((2, 3), (5, 1)), mode, near=near)
    check("pad", np.asfortranarray(x), 2, mode, near=near)
    check("pad", x[::-1, ::2], 2, mode, near=near)


@draws(st.integers(1, 5), st.integers(0, 14), st.integers(0, 14), st.sampled_from(["reflect", "symmetric"]), st.sampled_from(["even", "odd"]),
       st.sampled_from(["i1", "f8", "u2"]))
def test_pad__mirrors(n, before, after, mode, kind, dtype):
    check("pad", ordinary((n,), dtype), (before, after), mode, reflect_type=kind)
    check("pad", ordinary((2, n), dtype), ((1, 3), (before, after)), mode, reflect_type=kind)
    check("pad", ordinary((n,), dtype), (before, after), "wrap")


PADS = cases("""
    m.pad(x, 1, constant_values=5)
    m.pad(x, 1, constant_values=(5, 6))
    m.pad(x, 1, constant_values=((1, 2), (3, 4)))
    m.pad(x.astype('i4'), 1, constant_values=2.7)
    m.pad(x, ((1,), (2,)), constant_values=((3,), (4,)))
    m.pad(x, 2, 'linear_ramp', end_values=-4)
    m.pad(x.astype('i4'), 3, 'linear_ramp', end_values=((-4, 5), (9, 30)))
    m.pad(x.astype('u1'), 3, 'linear_ramp', end_values=9)
    m.pad(x, 2, 'maximum', stat_length=2)
    m.pad(x, 2, 'minimum', stat_length=((1, 2), (3, 4)))
    m.pad(x, 2, 'maximum', stat_length=0)
    m.pad(x.astype('i4'), 2, 'mean', stat_length=2)
    m.pad(x, 2, 'mean', stat_length=None)
    m.pad(x, 2, 'mean', stat_length=-1)
    m.pad(x, {0: 1})
    m.pad(x, {-1: (2, 1), 0: 3}, 'edge')
    m.pad(x, -1)
    m.pad(x, 1.5)
    m.pad(x, (1, 2, 3))
    m.pad(x, 1, 'nothing')
    m.pad(x, 1, 'edge', constant_values=3)
    m.pad(x, 1, 'reflect', reflect_type='odd')
    m.pad(m.zeros((0, 3)), ((0, 0), (1, 1)), 'edge')
    m.pad(m.zeros((0, 3)), 1, 'edge')
    m.pad(m.zeros((0, 3)), 1)
    m.pad(3, 2)
    m.pad([1, 2, 3], (2, 3), 'wrap')
    m.pad(x, 1, 'empty').shape
    m.pad(x, [[1, 2]], 'edge')
    m.pad(x, [[1], [2]], 'edge')
    m.pad(x, 2, lambda line, w, axis, kw: line.fill(0) if False else None)
    m.pad([m.nan, 1, m.inf], 2, 'maximum')
""")


@pytest.mark.parametrize("text", PADS)
def test_pad__cases(text):
    check_text(text, "mean" in text, x=X)


def test_pad__function():
    def border(line, width, axis, options):
        line[:width[0]] = options["value"] + axis
        line[len(line) - width[1]:] = -1
    check("pad", X, ((1, 2), (2, 1)), border, value=10)


@needs_heddle
def test_moves__wait_for_nothing():
    """Values that decide no shape are not looked at."""
    before = xp.stats().get("launches")
    x = xp.ones((4, 5)) * 2
    pending = [xp.roll(x, 1, 0), xp.pad(x, 2, "reflect"), xp.tile(x, 3), xp.block([[x, x]]), xp.delete(x, 1, 0), xp.insert(x, 1, 3.0, 0)]
    assert xp.stats().get("launches") == before
    same(pending[2], np.tile(np.full((4, 5), 2.0), 3))


def test_numbers__may_be_arrays():
    """Integers and sequences of them may come as arrays of any kind."""
    two, pair, x = np.array(2), np.array([0, 1]), np.arange(6).reshape(2, 3)
    check("tile", x, two)
    check("tile", x, pair + 1)
    check("resize", x, pair + 2)
    check("roll", x, two, np.array(1))
    check("split", x, two, np.array(0))
    check("array_split", x, pair, np.array(1))
    check("pad", x, two)
    check("delete", x, two)
    check("insert", x, two, np.array(9))
    check("moveaxis", x, np.array(0), np.array(1))
    check("flip", x, np.array(1))
    check("unravel_index", two, pair + 3)
    check("tensordot", x, x.T, np.array(1), near=True)
    check("apply_over_axes", lambda v, axis: v.sum(axis), x, np.array(1))
