# SPDX-License-Identifier: BSD-3-Clause
"""heddle.scipy.ndimage's splines and geometry beside SciPy's."""

import numpy as np
import pytest
import scipy
from ndimage_common import compare, needs_heddle, ours, theirs, xp

pytestmark = [needs_heddle, pytest.mark.usefixtures("as_scipy_installed")]
RNG = np.random.default_rng(51)
MODES = ("reflect", "grid-mirror", "constant", "grid-constant", "nearest", "mirror", "grid-wrap",
         "wrap")
IMAGES = {"f8": RNG.standard_normal((9, 13)), "f4": RNG.standard_normal((9, 13)).astype("f4"),
          "line": RNG.standard_normal(17),
          "u1": RNG.integers(0, 256, (9, 13)).astype("u1"), "i4": RNG.integers(-90, 90, (7, 5)).astype("i4"), "box": RNG.standard_normal((5, 6, 4)),
          "c16": RNG.standard_normal((6, 7)) + 1j * RNG.standard_normal((6, 7)),
          "one": RNG.standard_normal((1, 5)), "?": RNG.random((5, 6)) > 0.5,
          "long": RNG.standard_normal((3, 150)),
          "tall": RNG.standard_normal((131, 2)), "i8": RNG.integers(-10**6, 10**6, (6, 5)),
          "two": RNG.standard_normal((2, 3))}
ORDERS = range(6)
TOLERANCE = 2e-11


def first_of_old(c, z):
    """The first coefficient of reflected values as SciPy before 1.18 has it: its sum overwrites the
    first element before it is read for the last time."""
    n, end = len(c), z ** len(c)
    first = c[0] + end * c[n - 1]
    for i in range(1, n):
        first = first + z**i * (c[i] + end * (first if i == n - 1 else c[n - 1 - i]))
    return first * z / (1 - end * end) + c[0]


@pytest.fixture
def as_scipy_installed(monkeypatch):
    if tuple(map(int, scipy.__version__.split(".")[:2])) < (1, 18):
        from heddle.scipy.ndimage import _splines
        monkeypatch.setattr(_splines, "_first_reflected", first_of_old)
        _splines._matrix.cache_clear()
        yield
        _splines._matrix.cache_clear()
    else:
        yield


def tolerance(a, order):
    return 2e-5 if a.dtype in ("f4",
                               "c8") else None if a.dtype.kind == "b" and order < 1 else TOLERANCE


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("image", IMAGES)
def test_coefficients(image, mode):
    a = IMAGES[image]
    for order in ORDERS:
        compare("spline_filter", a, order, mode=mode, tolerance=1e-12)
        for axis in range(-1, a.ndim):
            compare("spline_filter1d", a, order, axis, mode=mode, tolerance=1e-12)
    if a.dtype.kind == "f":
        compare("spline_filter", a, 3, np.float32, mode=mode, tolerance=1e-5)
    compare("spline_filter1d", a, 3, 5)
    compare("spline_filter1d", a, 6)
    compare("spline_filter", a, mode="odd")


@pytest.mark.parametrize("n", (1, 2, 3, 4, 5, 7, 12, 63, 64, 65, 66, 100))
def test_coefficients_of_any_length(n):
    a = RNG.standard_normal(n)
    for mode in MODES:
        for order in (2, 3, 4, 5):
            compare("spline_filter1d", a, order, mode=mode, tolerance=1e-12)


def positions(shape, n=200):
    return np.array([RNG.uniform(-2.3 * extent - 3, 3.3 * extent + 3, n) for extent in shape])


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("image", IMAGES)
def test_map_coordinates(image, mode, order):
    a = IMAGES[image]
    if a.dtype.kind == "b" and order:
        a = a.astype("u1")      # SciPy cuts off what is behind the point of almost 1
    at = positions(a.shape)
    for prefilter in (True, False):
        compare("map_coordinates", a, at, order=order, mode=mode, cval=2.3, prefilter=prefilter,
                tolerance=tolerance(a, order))
    near = np.array([RNG.uniform(-1.5, n + 0.5, (5, 8)) for n in a.shape])
    compare("map_coordinates", a, near, order=order, mode=mode, tolerance=tolerance(a, order))
    grid = np.array([RNG.integers(0, n, 30) for n in a.shape])
    compare("map_coordinates", a, grid, order=order, mode=mode, tolerance=tolerance(a, order))
    if order < 1:       # halves
        compare("map_coordinates", a, np.round(at * 2) / 2, order=0, mode=mode, cval=3)


@pytest.mark.slow
@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("image", IMAGES)
def test_moves(image, mode, order):
    a = IMAGES[image]
    if a.dtype.kind == "b" and order:
        a = a.astype("i2")
    n, close = a.ndim, tolerance(a, order)
    for by in (1, -2.3, [0.4, -1.7, 3][:n], 0, 40.6):
        compare("shift", a, by, order=order, mode=mode, cval=-1.4, tolerance=close)
    for by in (2, 0.6, [1.4, 2.3, 0.8][:n], 1, 1.5):
        compare("zoom", a, by, order=order, mode=mode, cval=4, tolerance=close)
        if a.dtype.kind != "c":
            compare("zoom", a, by, order=order, mode=mode, cval=4, grid_mode=True, tolerance=close)
    matrix, offset = RNG.standard_normal((n, n)), RNG.standard_normal(n)
    compare("affine_transform", a, matrix, offset, order=order, mode=mode, cval=1.4,
            tolerance=close)
    compare("affine_transform", a, matrix, 1.5, (4, 6, 3)[:n], order=order, mode=mode, cval=1.4,
            prefilter=False, tolerance=close)
    compare("affine_transform", a, np.abs(offset) + 0.2, offset, order=order, mode=mode, cval=1.4,
            tolerance=close)
    compare("affine_transform", a, np.column_stack([matrix, offset]), order=order, mode=mode,
            tolerance=close)
    compare("affine_transform", a, np.vstack([np.column_stack([matrix, offset]), [0] * n + [1]]),
            order=order, mode=mode, tolerance=close)


@pytest.mark.slow
@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("image", IMAGES)
def test_rotations(image, mode, order):
    a = IMAGES[image]
    if a.dtype.kind == "b" and order:
        a = a.astype("i2")
    close = tolerance(a, order)
    for angle in (33, -71.5):
        compare("rotate", a, angle, order=order, mode=mode, cval=2, tolerance=close)
        compare("rotate", a, angle, reshape=False, order=order, mode=mode, cval=2, tolerance=close)
    if a.ndim == 3:
        compare("rotate", a, 50, (0, 2), order=order, mode=mode, tolerance=close)
        compare("rotate", a, 50, (2, -2), order=order, mode=mode, tolerance=close)


def test_rotations_by_known_angles():
    for shape in ((5, 7), (6, 6), (24, 31)):
        a = RNG.standard_normal(shape)
        for angle in [*range(-360, 361, 15), 1e-3, 44.9999999, 45.0000001, 359.5, 1000]:
            want = theirs.rotate(a, angle)
            got = np.asarray(ours.rotate(xp.array(a), angle))
            assert got.shape == want.shape, (angle, shape)
            if angle % 45 == 0:
                compare("rotate", a, angle, order=1, mode="grid-constant", tolerance=TOLERANCE)
    for angle in range(0, 361, 90):
        compare("rotate", RNG.standard_normal((5, 7)), angle, tolerance=TOLERANCE)


def test_outputs():
    a = IMAGES["f8"] * 100
    calls = {"shift": (1.3,), "zoom": (1.7,), "rotate": (25,), "affine_transform": ([1.1, 0.9],),
             "map_coordinates": (positions(a.shape),),
             "spline_filter": (3,), "spline_filter1d": (3,)}
    for name, args in calls.items():
        for output in ("f4", "f8", "i2", "u1", "i8", "u4", "c8"):
            if output != "c8":      # SciPy writes no real images to complex arrays
                tolerance = 1e-5 if output == "f4" else 1e-10
                if not name.startswith("spline"):
                    compare(name, a, *args, output=output, tolerance=tolerance)
        want = getattr(theirs, name)(a, *args, output="f8")
        out = xp.zeros(want.shape, "f4")
        assert getattr(ours, name)(xp.array(a), *args, output=out) is out
        assert np.allclose(np.asarray(out), want, rtol=1e-5, atol=1e-4)
        with pytest.raises(RuntimeError):
            getattr(ours, name)(xp.array(a), *args, output=xp.zeros(7))
    for name in ("shift", "zoom"):
        compare(name, IMAGES["c16"], 1.5, output="f8")
        compare(name, IMAGES["c16"], 1.5, output="c8", tolerance=1e-5)
        compare(name, IMAGES["c16"], 1.5, cval=2 + 3j, tolerance=TOLERANCE)
    compare("shift", np.array([1, 200, 3], "u1"), 0.5, order=1, mode="grid-constant", cval=-3.7)
    compare("shift", np.array([1, 200, 3, 9, 4], "u1"), 0.5, mode="grid-constant", cval=3.7)
    compare("map_coordinates", np.array([0.0, 300, -5, 2.5, -2.5, 1.5, -0.5, 1e10, 0.5]),
            [np.arange(9.0)], order=1, output="u1")
    compare("map_coordinates", np.array([0.0, 300, -5, 2.5, -2.5, 1.5, -0.5, 0.5]),
            [np.arange(8.0)], order=1, output="i1")


def test_nothing_to_sample():
    a = IMAGES["f8"]
    compare("map_coordinates", a, np.zeros((2, 0)))
    compare("zoom", a, 0.01, order=1)
    compare("zoom", a, (1, 0), order=1)
    compare("shift", np.zeros((0, 3)), 1, order=1)


def test_positions_that_are_no_numbers():
    a = IMAGES["line"]
    at = np.array([[np.nan, np.inf, -np.inf, 1.5]])
    for order in (0, 1, 3):
        compare("map_coordinates", a, at, order=order, cval=7)
        got = np.asarray(ours.map_coordinates(xp.array(a), xp.array(at), order=order,
                                              mode="mirror", cval=7))
        assert got[0] == 7


def test_refusals():
    a = IMAGES["f8"]
    for name, args in {"shift": (1,), "zoom": (2,), "rotate": (10,),
                       "affine_transform": (np.eye(2),), "map_coordinates": (np.zeros((2, 3)),)}.items():
        compare(name, a, *args, order=6)
        compare(name, a, *args, order=-1)
        compare(name, a, *args, mode="odd")
        compare(name, np.array(1.0), *args)
    compare("shift", a, [1, 2, 3])
    compare("zoom", a, [1, 2, 3])
    compare("map_coordinates", a, np.zeros((3, 3)))
    compare("map_coordinates", a, np.zeros(2))
    compare("map_coordinates", a, np.zeros((2, 2)) * 1j)
    for matrix in (np.eye(3) * 2, np.ones((3, 2)), np.ones((2, 4)), np.ones((1, 1, 1)), np.ones(3)):
        compare("affine_transform", a, matrix)
    compare("affine_transform", a, np.eye(2), [1, 2, 3])
    for axes in ((0,), (0, 1, 2), (0, 5), (0.5, 1), (-3, 0)):
        compare("rotate", a, 10, axes)
