# SPDX-License-Identifier: BSD-3-Clause
"""heddle.scipy.ndimage's measurements and labels beside SciPy's."""

import numpy as np
import pytest
from ndimage_common import compare, needs_heddle, ours, same, theirs, xp

pytestmark = needs_heddle
RNG = np.random.default_rng(41)
SHAPES = ((9, 11), (30,), (4, 5, 6), (1, 7))
DTYPES = ("f8", "f4", "i4", "u1", "i8", "?")
STATISTICS = ("sum", "sum_labels", "mean", "variance", "standard_deviation", "minimum", "maximum",
              "median", "minimum_position",
              "maximum_position", "extrema", "center_of_mass")


def image(shape, dtype, distinct=True):
    n = int(np.prod(shape))
    a = RNG.permutation(n).reshape(shape) + 0.5 if distinct else RNG.integers(0, 4, shape)
    return (a > n / 2) if dtype == "?" else a.astype(dtype)


def labels(shape, kind):
    a = RNG.integers(0, 5, shape)
    return {"i4": a.astype("i4"), "u1": a.astype("u1"), "signed": a - 2, "far": a * 10**6,
            "u8": a.astype("u8"), "f8": a * 0.5, "?": a > 2}[kind]


@pytest.mark.parametrize("kind", ("i4", "u1", "signed", "far", "u8", "f8", "?"))
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", STATISTICS)
def test_statistics(name, dtype, kind):
    for shape in SHAPES:
        a, m = image(shape, dtype), labels(shape, kind)
        if dtype == "?" and "position" in name or dtype == "?" and name == "extrema":
            continue        # which of equal elements it is, SciPy's sort leaves open
        if (dtype == "?" and name in ("variance", "standard_deviation")):
            continue
        known = np.unique(m)
        # SciPy's single group is all float32
        tolerance = 1e-6 if dtype == "f4" and name in ("variance", "standard_deviation") else None
        compare(name, a, tolerance=tolerance)
        compare(name, a, m, tolerance=tolerance)
        for index in (known[-1].item(), known, known[1:].tolist(), [known[0].item(), 77],
                      np.array([[known[0], known[-1]]])):
            if np.ndim(index) == 2 and name == "center_of_mass":
                continue
            compare(name, a, m, index, tolerance=tolerance)


@pytest.mark.parametrize("name", STATISTICS)
def test_statistics_of_what_is_not_there(name):
    a, m = image((4, 5), "f8"), labels((4, 5), "i4")
    if name != "median":
        compare(name, a, m, 9)
    if name != "center_of_mass":
        compare(name, a, m, [9, -1])
    compare(name, a, np.ones(3), [1])
    compare(name, a, m[0], [1, 2])


def test_equal_elements():
    a, m = image((8, 9), "i4", False), labels((8, 9), "i4")
    for name in ("minimum_position", "maximum_position"):
        compare(name, a)
        compare(name, a, m)
        compare(name, a, m, 2)
    got = ours.minimum_position(xp.array(a), xp.array(m), [1, 2, 3])
    for label, at in zip((1, 2, 3), got):
        hit = (m == label) & (a == a[m == label].min())
        assert at == tuple(np.argwhere(hit)[0])


def test_nan_is_the_largest():
    a, m = image((6, 7), "f8"), labels((6, 7), "i4")
    a[m == 3] = np.nan
    a[2, 3:5] = np.nan
    for name in ("minimum", "maximum", "median"):
        compare(name, a, m, [0, 1, 2, 3, 4])


def test_complex():
    a = image((5, 6), "f8") + 1j * image((5, 6), "f8")
    m = labels((5, 6), "i4")
    for name in ("sum", "mean", "variance"):
        compare(name, a)
        compare(name, a, m, 2)
        compare(name, a, m, [1, 2])
    for name in ("minimum", "maximum", "minimum_position"):
        compare(name, a, m, [1, 2])


@pytest.mark.parametrize("dtype", ("f8", "i4", "u1"))
def test_functions_of_groups(dtype):
    a, m = image((7, 8), dtype), labels((7, 8), "i4")
    compare("histogram", a, 0, 60, 7)
    compare("histogram", a, 0, 60, 7, m)
    compare("histogram", a, 0, 60, 7, m, 2)
    compare("histogram", a, 0, 60, 7, m, [1, 3, 9])
    for index in (2, [1, 2, 3, 9], [3, 1]):
        for out in (float, "i4"):
            x, k = xp.array(a), xp.array(m)
            same(ours.labeled_comprehension(x, k, index, lambda v: v.max(), out, -1),
                 theirs.labeled_comprehension(a, m, index, np.max, out, -1))
            same(ours.labeled_comprehension(x, k, index, lambda v, at: at.max(), out, -1, True),
                 theirs.labeled_comprehension(a, m, index, lambda v, at: at.max(), out, -1, True))
    same(ours.labeled_comprehension(x, k, None, lambda v: v.size, int, 0),
         np.asarray((m > 0).sum()))
    same(ours.labeled_comprehension(x, None, None, lambda v, at: (v * at).sum(), int, 0, True),
         (a.ravel() * np.arange(a.size)).sum(), 1e-12)
    for bad in ((x, None, 1), (x, k, 1.5), (x, xp.ones(3, int), 1)):
        with pytest.raises(ValueError):
            ours.labeled_comprehension(*bad, xp.mean, float, 0)


@pytest.mark.parametrize("dtype", ("i8", "i2", "u1"))
def test_value_indices(dtype):
    for shape in SHAPES:
        a = RNG.integers(0, 6, shape).astype(dtype)
        compare("value_indices", a)
        compare("value_indices", a, ignore_value=3)
    compare("value_indices", a * 1.5)
    compare("value_indices", a[:0])
    for extent, kind in ((128, "i1"), (129, "i2"), (40000, "i4")):
        found = ours.value_indices(xp.zeros((1, extent), int), adaptive_index_dtype=True)[0]
        assert [k.dtype for k in found] == [np.dtype(kind)] * 2
        assert np.array_equal(np.asarray(found[1]), np.arange(extent))


@pytest.mark.parametrize("shape", ((40, 37), (3, 200), (90,), (9, 10, 11), (4, 5, 3, 6), (1, 1),
                                   (0, 3), ()))
def test_label(shape):
    nd = len(shape)
    for share in (0.0, 0.3, 0.55, 0.7, 1.0):
        a = RNG.random(shape) < share
        for connectivity in range(1, nd + 1):
            compare("label", a, theirs.generate_binary_structure(nd, connectivity))
        compare("label", a)
        if nd > 1:
            compare("label", np.asfortranarray(a * 3.5))
            compare("label", np.swapaxes(a, 0, 1))
            s = np.zeros((3,) * nd, bool)
            s[(1,) * nd] = s[(0,) + (1,) * (nd - 1)] = s[(2,) + (1,) * (nd - 1)] = True
            compare("label", a, s)
            s = np.zeros((3,) * nd, bool)
            s[(0,) * nd] = s[(2,) * nd] = True
            compare("label", a, s)


def test_label__of_one_long_way():
    a = np.ones((81, 80), bool)
    a[1::4, 1:] = a[3::4, :-1] = False
    compare("label", a)
    compare("label", a.T)
    compare("label", ~a)


def test_label__outputs_and_refusals():
    a = RNG.random((20, 20)) < 0.4
    for output in ("i8", "u1", "f4", "i2", "?", "i1"):
        compare("label", a, output=np.dtype(output))
    dots = np.zeros((40, 40))
    dots[::2, ::2] = 1
    for output in ("i1", "u1", "?", "u2", "f4"):
        compare("label", dots, output=np.dtype(output))
    out = xp.zeros(a.shape, "i8")
    want, n = theirs.label(a)
    assert ours.label(xp.array(a), output=out) == n and np.array_equal(np.asarray(out), want)
    with pytest.raises(ValueError):
        ours.label(xp.array(a), output=xp.zeros(3, int))
    for s in (np.ones(3), np.ones((3, 5)), [[1, 1, 0], [1, 1, 1], [0, 0, 0]]):
        compare("label", a, s)
    compare("label", a * 1j)


def test_find_objects():
    for shape in SHAPES:
        a = theirs.label(RNG.random(shape) < 0.4)[0]
        for dtype in ("i4", "i8", "u1", "i2"):
            compare("find_objects", a.astype(dtype))
            compare("find_objects", a.astype(dtype), 3)
            compare("find_objects", a.astype(dtype), 300)
            compare("find_objects", a.astype(dtype)[..., ::-1] * 2)
    compare("find_objects", np.zeros((3, 4), int))
    compare("find_objects", np.zeros((3, 4), int) * 1j)
