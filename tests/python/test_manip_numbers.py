# SPDX-License-Identifier: BSD-3-Clause
"""Differences, integrals, interpolation, covariances, polynomials and windows against NumPy."""

import numpy as np
import pytest
from hypothesis import given as draws
from hypothesis import strategies as st

from common import DTYPES, needs_heddle, xp
from manip_common import SHAPES, cases, check, check_text, ordinary

X = np.array([[1.0, 2, 4, 7], [11, 16, 22, 29], [-1, 0, 3, 0.5]])


@pytest.mark.parametrize("dtype", DTYPES)
def test_differences__dtypes(dtype):
    x = ordinary((4, 5), dtype)
    for order in (1, 2):
        check("gradient", x, edge_order=order, near=True)
        check("gradient", x.T, 0.5, 2, edge_order=order, near=True)
        check("gradient", x, np.array([0.0, 1, 3, 4]), np.arange(5) * 2, edge_order=order, near=True)
        check("gradient", x, np.array([0.0, 1, 3, 4]), axis=0, edge_order=order, near=True)
    check("ediff1d", x, near=True)
    check("ediff1d", x, x[0], x[1, :2], near=True)
    check("trapezoid", x, near=True)
    check("trapezoid", x, dx=0.5, axis=0, near=True)
    check("trapezoid", x, np.arange(4) ** 2, axis=0, near=True)
    check("cov", x, near=True)
    check("corrcoef", x, near=True)
    check("polyval", x[0], x, near=True)
    if dtype != "?":
        check("polyder", x[0], 2)
        check("polysub", x[0], x[1, :3])
    check("polyint", x[0], 2, near=True)
    check("polyadd", x[0, :2], x[1])


@pytest.mark.parametrize("shape", SHAPES)
def test_differences__shapes(shape):
    x = ordinary(shape)
    for name in ("gradient", "ediff1d", "trapezoid", "cov", "corrcoef"):
        if name == "gradient" and not x.ndim:
            continue
        check(name, x, near=True, strides=False)
    for axis in range(-1, x.ndim + 1):
        check("gradient", x, axis=axis, near=True)
        check("trapezoid", x, axis=axis, near=True)
        check("trapezoid", x, x, axis=axis, near=True)


CASES = cases("""
    m.gradient(x, edge_order=3)
    m.gradient(x, 1, 2, 3)
    m.gradient(x, [1, 2])
    m.gradient(x, [[1]], 1)
    m.gradient(x, axis=(0, 1))
    m.gradient(x, axis=(0, 0))
    m.gradient(x[0], m.array([1, 2, 4, 8]))
    m.gradient(x[0, :2])
    m.gradient(x[0, :2], edge_order=2)
    m.gradient([1, 2, 4])
    m.gradient(x, 2, axis=1)
    m.gradient(m.array([5, 1, 3], 'u1'))
    m.gradient(x.astype('f4'), m.array([0., 1, 3]), 2.0)
    m.gradient(x[0], 2j)
    m.gradient(x, axis=7)
    m.ediff1d([1, 2, 4, 7, 0], to_end=99, to_begin=[88, 77])
    m.ediff1d([1, 2], to_end=1.5)
    m.ediff1d([])
    m.ediff1d([], to_begin=3.0)
    m.ediff1d(5)
    m.ediff1d(m.array([3, 1], 'u1'))
    m.ediff1d([True, False])
    m.ediff1d([1.5, 2], to_end=[1, 2])
    m.trapezoid(x)
    m.trapezoid(x, [1, 2, 4, 5])
    m.trapezoid(x, [1, 2])
    m.trapezoid(5)
    m.trapezoid([1])
    m.trapezoid([])
    m.trapezoid([1, 2, 3], dx=2)
    m.trapezoid(x, axis=4)
    m.interp(2.5, [1, 2, 3], [3, 2, 0])
    m.interp([0, 1, 1.5, 2.72, 3.14, 9], [1, 2, 3], [3, 2, 0])
    m.interp([0, 9], [1, 2], [3, 4], left=-1, right=-2)
    m.interp([-180, -170, -185, 185, -10, -5, 0, 365], [190, -190, 350, -350], [5, 10, 3, 4], period=360)
    m.interp([1.5, 4], [2, 3, 5], [1j, 0, 2 + 3j])
    m.interp([1, 2], [], [])
    m.interp([1, 2], [1, 2], [1])
    m.interp([1], [[1]], [1])
    m.interp([1], 1, 1)
    m.interp([1, m.nan, 2], [1, 2], [5, 6])
    m.interp(1, [1], [5])
    m.interp([0, 1, 2], [1], [5])
    m.interp([[0, 1], [2, 3]], [0, 3], [5, 8])
    m.interp(1j, [1, 2], [3, 4])
    m.interp([1, 2], [1j, 2], [3, 4])
    m.interp([0.5, 1, 1.5], [0, 1, 2], [m.inf, 1, m.inf])
    m.interp([0.5], [0, 1], [m.inf, m.inf])
    m.interp([1, 2], [1, 2], [3, 4], period=0)
    m.interp([0.5, 1, 2], [0, 1, 1, 3], [0, 1, 5, 6])
    m.interp(m.inf, [1, 2], [3, 4])
    m.interp(m.array(1.5), [1, 2], [3, 4])
    m.interp([], [1, 2], [3, 4])
    m.interp([0.5], [0, 1], [True, False])
    m.interp([1], [1, 2], [1j, 2j], left=1j)
    m.cov(x)
    m.cov(x, rowvar=False)
    m.cov(x[0])
    m.cov(x[0], x[1])
    m.cov(x, x[::-1])
    m.cov(x, bias=True)
    m.cov(x, ddof=0)
    m.cov(x, ddof=4)
    m.cov(x, ddof=1.5)
    m.cov(x, fweights=[1, 2, 1, 3])
    m.cov(x, aweights=[1, 2, .5, 3])
    m.cov(x, aweights=[1, 2, .5, 3], fweights=[1, 2, 1, 3])
    m.cov(x, aweights=[1, 2, .5, 3], ddof=0)
    m.cov(x, fweights=[1, 2, 1.5, 3])
    m.cov(x, fweights=[1, 2])
    m.cov(x, fweights=[[1, 2, 1, 3]])
    m.cov(x, aweights=[-1, 2, 1, 3])
    m.cov(x * 1j)
    m.cov(m.ones((2, 2, 2)))
    m.cov(x, dtype='f4')
    m.cov([])
    m.cov(m.zeros((0, 3)))
    m.cov(x, x[0], rowvar=False)
    m.cov(x.T, x[0].reshape(4, 1), rowvar=False)
    m.cov(5)
    m.cov(x[0], m.ones((2, 2, 2)))
    m.corrcoef(x)
    m.corrcoef(x[0], x[1])
    m.corrcoef(x * 1j + x[::-1])
    m.corrcoef(x[0])
    m.corrcoef(x, rowvar=False)
    m.corrcoef([1, 1])
    m.corrcoef(x, dtype='f4')
    m.corrcoef(x[:0])
    m.polyval([3, 0, 1], 5)
    m.polyval([3, 0, 1], x)
    m.polyval([], x)
    m.polyval([1, 2], m.ones(2, 'f4'))
    m.polyval(m.array([1, 2], 'f4'), m.ones(2, 'f4'))
    m.polyadd([1, 2], [9, 5, 4])
    m.polyadd(1, 2)
    m.polysub([2, 10, -2], [3, 10, -4])
    m.polymul([1, 2, 3], [9, 5, 1])
    m.polymul([0, 0, 2], [1, .5])
    m.polymul(0, [1, 2])
    m.polymul([[1]], [1])
    m.polymul(m.array([100, 100], 'i1'), m.array([2], 'i1'))
    m.polymul([1j, 1], [1, 2])
    m.polydiv([3., 5, 2], [2., 1])
    m.polydiv([1, 2], [1, 2, 3])
    m.polydiv([1, 0, 0, -1], [1, -1])
    m.polydiv([4], [2])
    m.polydiv([1j, 2, 0], [1, 1j])
    m.polyder([1, 1, 1, 1])
    m.polyder([1, 1, 1, 1], 2)
    m.polyder([1, 1, 1], 4)
    m.polyder([1], -1)
    m.polyder([1, 2], 0)
    m.polyint([1, 1, 1])
    m.polyint([6, 1], 3)
    m.polyint([1, 1], 2, [6, 5])
    m.polyint([1, 1], 2, 3)
    m.polyint([1], 3, [1, 2])
    m.polyint([1], -1)
    m.polyint([1.5], 0)
    m.poly([0, 0, 0])
    m.poly([-1/2, 0, 1/2])
    m.poly([])
    m.poly([1j, -1j])
    m.poly([1j, 2])
    m.poly(m.ones((2, 3)))
""")


@pytest.mark.parametrize("text", CASES)
def test_numbers__cases(text):
    check_text(text, near=text != "m.poly([])", strides=False, x=X)


@draws(st.integers(1, 12), st.integers(0, 10**6), st.booleans())
def test_interp__random(n, seed, finite):
    rng = np.random.default_rng(seed)
    points = np.sort(rng.integers(-8, 8, n) * 1.0 if seed % 2 else rng.normal(size=n))
    values = rng.normal(size=n) if finite else rng.choice([0.0, 1, np.inf, -np.inf, np.nan], n)
    x = np.concatenate((rng.normal(size=9) * 4, points, [np.nan, np.inf, -np.inf]))
    if not finite or np.all(np.diff(points) > 0):
        points = np.unique(points)
        values = values[:points.size]
        check("interp", x, points, values, near=True)


@draws(st.lists(st.integers(-5, 5), min_size=1, max_size=6), st.lists(st.integers(-5, 5), min_size=1, max_size=6))
def test_polynomials__random(p, q):
    for name in ("polyadd", "polysub", "polymul"):
        check(name, p, q)
    check("polyval", p, np.array(q))
    if q[0]:
        check("polydiv", p, q, near=True)


@needs_heddle
def test_polynomials__vectors_only():
    for name in ("polyder", "polyint", "polymul"):
        with pytest.raises(ValueError, match="1d only"):
            getattr(xp, name)(*[xp.ones((2, 2))] * (2 if name == "polymul" else 1))


@pytest.mark.parametrize("n", [-1, 0, 1, 2, 5, 12, 5.5, np.int32(7), np.float32(6)])
def test_windows__lengths(n):
    for name in ("bartlett", "blackman", "hamming", "hanning"):
        check(name, n, near=True)
    for beta in (0, 5, 14.5):
        check("kaiser", n, beta, near=True)


_ANY = st.sampled_from([-np.inf, -2.5, -0.0, 0.0, 0.5, 1.0, 3.0, np.inf, np.nan])
_POINTS = st.lists(st.tuples(st.sampled_from([-np.inf, -3.0, -1.0, -0.0, 0.5, 1.0, 2.0, np.inf]), _ANY), min_size=1, max_size=7)


@draws(_POINTS, st.lists(_ANY, max_size=6), st.none() | st.just(7.0), st.none() | st.just(-7.0))
def test_interp__any_points(points, x, left, right):
    xp_, fp = np.array(sorted(points, key=lambda p: p[0])).T
    check("interp", np.array(x, "f8"), xp_, fp, left, right, near=True, strides=False)
