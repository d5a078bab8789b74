# SPDX-License-Identifier: BSD-3-Clause
"""heddle.scipy.ndimage beside scipy.ndimage."""

import inspect

import numpy as np
import pytest

from common import needs_heddle, xp
from ndimage_common import compare, same

theirs = pytest.importorskip("scipy.ndimage")
pytestmark = needs_heddle
ours = pytest.importorskip("heddle.scipy.ndimage")

RNG = np.random.default_rng(11)
MODES = ("reflect", "constant", "nearest", "mirror", "wrap", "grid-mirror", "grid-constant",
         "grid-wrap")
IMAGES = {"f8": RNG.standard_normal((9, 13)), "f4": RNG.standard_normal((9, 13)).astype("f4"),
          "line": RNG.standard_normal(17),
          "u1": RNG.integers(0, 256, (9, 13)).astype("u1"), "i4": RNG.integers(-90, 90, (7, 5)).astype("i4"), "box": RNG.standard_normal((5, 6, 4)),
          "c16": RNG.standard_normal((6, 7)) + 1j * RNG.standard_normal((6, 7)),
          "one": RNG.standard_normal((1, 5)), "?": RNG.random((5, 6)) > 0.5}


def check(call, image, exact=False):
    def answer(module, a):
        try:
            return call(module, a)
        except Exception as e:
            return e
    a = IMAGES[image]
    want, got = answer(theirs, a.copy()), answer(ours, xp.array(a))
    if isinstance(want, Exception):
        assert isinstance(got, type(want)), (got, want)
        return
    assert not isinstance(got, Exception), got
    got = np.asarray(got)
    assert got.dtype == want.dtype and got.shape == want.shape, (got.dtype, want.dtype)
    if exact or want.dtype.kind in "?" or not want.size:
        assert np.array_equal(got, want)
    elif want.dtype.kind in "iu":      # truncated: a sum beside a whole number may fall either way
        assert np.mean(got != want) < 0.05 and np.abs(got.astype(float) - want).max() in (0, 1, 255)
    else:
        tolerance = 1e-12 if want.dtype.itemsize >= 8 and want.dtype != "c8" else 1e-5
        assert np.allclose(got, want, rtol=tolerance, atol=tolerance)


def weights(image, sizes):
    n = IMAGES[image].ndim
    return np.random.default_rng(sum(sizes)).standard_normal(sizes[:n])


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("image", IMAGES)
@pytest.mark.parametrize("name", ("correlate", "convolve"))
def test_weights(name, image, mode):
    for sizes in ((3, 3, 3), (2, 4, 3), (5, 1, 2), (1, 1, 1)):
        w = weights(image, sizes)
        check(lambda m, a: getattr(m, name)(a, w, mode=mode, cval=1.5), image)
    check(lambda m, a: getattr(m, name)(a, weights(image, (3, 3, 3)), mode=mode, origin=-1), image)
    check(lambda m, a: getattr(m, name)(a, weights(image, (4, 4, 4)), mode=mode, origin=1), image)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("image", ("f8", "u1", "line", "box", "c16", "one"))
def test_weights_along_an_axis(image, mode):
    for name in ("correlate1d", "convolve1d"):
        for w in ([1, 2, 3], [1.0, -1], [0.25], RNG.random(6), [1, 2, 3, 4, 5, 6, 7, 8, 9]):
            for axis in range(-1, IMAGES[image].ndim):
                check(lambda m, a: getattr(m, name)(a, w, axis, mode=mode, cval=-2), image)


@pytest.mark.parametrize("mode", MODES[:5])
@pytest.mark.parametrize("image", IMAGES)
@pytest.mark.parametrize("call", (
    lambda m, a, mode: m.gaussian_filter(a, 1.3, mode=mode),
    lambda m, a, mode: m.gaussian_filter1d(a, 2, mode=mode, order=1),
    lambda m, a, mode: m.gaussian_filter(a, 0.8, order=2, mode=mode),
    lambda m, a, mode: m.gaussian_filter(a, 1, mode=mode, truncate=2),
    lambda m, a, mode: m.gaussian_filter(a, 0, mode=mode),
    lambda m, a, mode: m.gaussian_filter(a, 1.5, mode=mode, radius=2),
    lambda m, a, mode: m.uniform_filter(a, 3, mode=mode),
    lambda m, a, mode: m.uniform_filter(a, 4, mode=mode, origin=1),
    lambda m, a, mode: m.uniform_filter1d(a, 5, 0, mode=mode),
    lambda m, a, mode: m.sobel(a, mode=mode), lambda m, a, mode: m.prewitt(a, 0, mode=mode),
    lambda m, a, mode: m.laplace(a, mode=mode),
    lambda m, a, mode: m.gaussian_laplace(a, 1.1, mode=mode),
    lambda m, a, mode: m.gaussian_gradient_magnitude(a, 1.1, mode=mode),
))
def test_filters(call, image, mode):
    if image in ("u1", "i4", "?"):
        # SciPy's bools between its passes hold 255
        if image != "?" or "m.sobel" not in inspect.getsource(call):
            check(lambda m, a: call(m, a, mode), image)
        check(lambda m, a: call(m, a.astype("f8"), mode), image)
    else:
        check(lambda m, a: call(m, a, mode), image)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("image", ("f8", "f4", "u1", "i4", "line", "box", "one"))
def test_extremes_and_ranks(image, mode):
    n = IMAGES[image].ndim
    cross = np.zeros((3,) * n, bool)
    cross[(1,) * n] = cross[(0,) + (1,) * (n - 1)] = True
    for name in ("minimum_filter", "maximum_filter", "median_filter"):
        many = (29,) if n == 1 else (6, 5, 1)[:n]      # beyond the network of pairs
        for arguments in ({"size": 3}, {"size": 2}, {"size": many}, {"size": (4, 1, 3)[:n]},
                          {"footprint": cross}, {"size": 3, "origin": 1}):
            check(lambda m, a: getattr(m, name)(a, mode=mode, cval=3, **arguments), image,
                  exact=True)
    check(lambda m, a: m.rank_filter(a, 2, size=3, mode=mode), image, exact=True)
    check(lambda m, a: m.rank_filter(a, -1, size=3, mode=mode), image, exact=True)
    check(lambda m, a: m.percentile_filter(a, 30, size=3, mode=mode), image, exact=True)
    check(lambda m, a: m.percentile_filter(a, -20, footprint=cross, mode=mode), image, exact=True)
    check(lambda m, a: m.minimum_filter1d(a, 4, 0, mode=mode), image, exact=True)
    check(lambda m, a: m.maximum_filter1d(a, 3, mode=mode), image, exact=True)


@pytest.mark.parametrize("call", (
    lambda m, a: m.correlate(a, np.ones((3, 3)), output="f4"),
    lambda m, a: m.convolve(a, np.ones((3, 3)), output=np.int16),
    lambda m, a: m.gaussian_filter(a, 1, output="f4"),
    lambda m, a: m.sobel(a, output="f8"),
    lambda m, a: m.uniform_filter(a, (3, 5)),
    lambda m, a: m.gaussian_filter(a, (0, 2), mode=("wrap", "nearest")),
    lambda m, a: m.gaussian_filter(a, 1, axes=(1,)),
    lambda m, a: m.correlate(a, [1.0, 2, 1], axes=(0,)),
    lambda m, a: m.median_filter(a, (3,), axes=(1,)),
    lambda m, a: m.laplace(a, axes=(0,)),
    lambda m, a: m.correlate(a, np.ones((3, 3), "c16")),
    lambda m, a: m.convolve(a, np.arange(1.0, 4).astype("f4").reshape(1, 3)),
    lambda m, a: m.correlate(a, np.ones(3)),
    lambda m, a: m.correlate(a, np.ones((3, 0))),
    lambda m, a: m.correlate(a, np.ones((3, 3)), mode="odd"),
    lambda m, a: m.correlate(a, np.ones((3, 3)), origin=2),
    lambda m, a: m.correlate1d(a, np.ones((3, 3))),
    lambda m, a: m.correlate1d(a, [1], 5),
    lambda m, a: m.median_filter(a), lambda m, a: m.median_filter(a, 0),
    lambda m, a: m.rank_filter(a, 20, 3), lambda m, a: m.percentile_filter(a, 150, 3),
    lambda m, a: m.uniform_filter1d(a, 0),
    lambda m, a: m.gaussian_filter1d(a, 1, radius=-1),
    lambda m, a: m.gaussian_filter1d(a, 1, order=-1),
    lambda m, a: m.minimum_filter(a, footprint=np.zeros((3, 3))),
    lambda m, a: m.correlate(a[:0], np.ones((3, 3))), lambda m, a: m.maximum_filter(a, (1, 1)),
))
@pytest.mark.parametrize("image", ("f8", "u1"))
def test_arguments(call, image):
    check(call, image)


def test_output_array():
    x = xp.array(IMAGES["f8"])
    out = xp.zeros(x.shape, "f4")
    assert ours.gaussian_filter(x, 1, output=out) is out
    assert np.allclose(np.asarray(out), theirs.gaussian_filter(IMAGES["f8"], 1), atol=1e-6)
    assert ours.median_filter(x, 3, output=out) is out and np.array_equal(np.asarray(out), theirs.median_filter(IMAGES["f8"], 3).astype("f4"))
    with pytest.raises(RuntimeError, match="shape"):
        ours.sobel(x, output=xp.zeros((2, 2)))


def test_large_ones():
    a = RNG.standard_normal((300, 257))
    x = xp.array(a)
    w = RNG.standard_normal((15, 15))
    assert np.allclose(np.asarray(ours.convolve(x, w, mode="wrap")), theirs.convolve(a, w, mode="wrap"), atol=1e-11)
    big = RNG.standard_normal((70, 71))
    assert np.allclose(np.asarray(ours.correlate(x, big)), theirs.correlate(a, big), atol=1e-9)
    assert np.allclose(np.asarray(ours.gaussian_filter(x, 20)), theirs.gaussian_filter(a, 20),
                       atol=1e-12)
    assert np.array_equal(np.asarray(ours.maximum_filter(x, 11)), theirs.maximum_filter(a, 11))


def test_cupy_finds_them():
    import heddle.cupyx.scipy
    assert heddle.cupyx.scipy.ndimage.sobel is ours.sobel
    with pytest.raises(AttributeError):
        ours.nothing


def test_axes_in_any_order():
    a = RNG.random((4, 5, 6))
    f = np.array([[1, 0], [1, 1], [0, 1]], bool)
    for axes in ((0, 1), (1, 0), (2, 0), (-1, 1)):
        for name in ("correlate", "convolve"):
            compare(name, a, f * 1.5, axes=axes, origin=(0, -1))
        for name in ("minimum_filter", "median_filter", "maximum_filter"):
            for arguments in ({"footprint": f}, {"size": (3, 2)}, {"footprint": f | True}):
                compare(name, a, axes=axes, **arguments)


def test_complex_weights():
    w = np.array([[1, 2j], [3 - 1j, 0.5]])
    for image in ("f8", "c16"):
        for name in ("correlate", "convolve"):
            check(lambda m, a: getattr(m, name)(a, w), image)


VIEWS = {"fourier_gaussian": (2,), "fourier_shift": (1.5,), "binary_erosion": (),
         "binary_fill_holes": (), "grey_closing": (3,),
         "white_tophat": (3,), "sum": (), "median": (), "extrema": (), "center_of_mass": (),
         "label": (), "value_indices": (),
         "spline_filter": (), "shift": (1.5,), "zoom": (1.7,), "rotate": (20,),
         "affine_transform": ([[0.9, 0.2], [-0.3, 1.1]],),
         "distance_transform_edt": (), "find_objects": ()}


@pytest.mark.parametrize("name", VIEWS)
def test_views_and_orders(name):
    whole = RNG.integers(0, 3, (14, 20))
    x = xp.array(whole)
    for view in (lambda a: a[::-1, ::2], lambda a: a.T, lambda a: a[3:, ::-3].T, lambda a: a[:, 5][:, None] + 0 * a[:1, :4]):
        want = getattr(theirs, name)(view(whole), *VIEWS[name])
        same(getattr(ours, name)(view(x), *VIEWS[name]), want, where=name)


def test_results_of_host_arrays():
    a = RNG.random((6, 7))
    same(ours.rotate(a, 20), theirs.rotate(a, 20), 1e-11)
    same(ours.label(a.tolist())[0], theirs.label(a.tolist())[0])
    same(ours.sum(a, (a > 0.5).astype(int), [0, 1]), theirs.sum(a, (a > 0.5).astype(int), [0, 1]),
         1e-12)
    same(ours.binary_erosion((a > 0.1).tolist()), theirs.binary_erosion((a > 0.1).tolist()))


@pytest.mark.parametrize("name", ("binary_erosion", "binary_fill_holes", "grey_erosion",
                                  "morphological_gradient", "white_tophat", "label",
                                  "fourier_gaussian", "zoom", "shift", "rotate", "median_filter",
                                  "spline_filter", "generic_filter"))
def test_outputs_of_numpys_are_refused(name):
    args = {"binary_erosion": (), "binary_fill_holes": (), "label": (), "spline_filter": (),
            "generic_filter": (max, 3)}.get(name, (3,))
    with pytest.raises(TypeError):
        getattr(ours, name)(xp.ones((4, 5)), *args, output=np.zeros((4, 5)))
