# SPDX-License-Identifier: BSD-3-Clause
"""convolve and correlate against NumPy, heddle.scipy.signal against SciPy: modes, boundaries, dtypes, layouts, errors."""

import itertools
import warnings

import numpy as np
import pytest
import scipy.signal

from common import BOOL, COMPLEX, FLOATS, INTEGERS, IS_NUMPY, give, moderate, needs_heddle, outcome, same, same_outcome, xp

if IS_NUMPY:
    signal = scipy.signal
else:
    signal = __import__("heddle.scipy.signal", fromlist=["signal"])

MODES = ["full", "same", "valid"]
SIZES = [(1, 1), (1, 4), (5, 1), (6, 3), (6, 4), (3, 6), (7, 7), (40, 15), (300, 20), (20, 300), (2500, 40), (5000, 600)]


def numbers(shape, dtype, seed=0):
    return moderate(dtype, int(np.prod(shape)), seed).reshape(shape)


def close(got, want, where="", terms=1):
    want = np.asarray(want)
    got = np.asarray(got)
    assert (got.dtype, got.shape) == (want.dtype, want.shape), (where, got.dtype, got.shape, want.dtype, want.shape)
    if want.dtype.kind in "fc":
        eps = np.finfo(want.dtype).eps
        size = np.abs(want[np.isfinite(want)]).max(initial=0)
        np.testing.assert_allclose(got, want, rtol=4 * eps * np.sqrt(terms), atol=8 * eps * size, err_msg=where)
    else:
        np.testing.assert_array_equal(got, want, err_msg=where)


# ---- rows, as NumPy ------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["convolve", "correlate"])
@pytest.mark.parametrize("dtype", BOOL + INTEGERS + FLOATS + COMPLEX)
def test_rows__dtypes(name, dtype):
    for (m, n), mode in itertools.product(SIZES, MODES):
        if dtype == "f2" and m * n > 10000:
            continue   # overflows NumPy's rounding of sums
        a, v = numbers((m,), dtype, m), numbers((n,), dtype, n + 1)
        close(getattr(xp, name)(give(a), give(v), mode), getattr(np, name)(a, v, mode), f"{name} {m} {n} {mode}", min(m, n))


@pytest.mark.parametrize("name", ["convolve", "correlate"])
def test_rows__mixed_dtypes(name):
    for x, y in itertools.product(["?", "i1", "u2", "i8", "u8", "f2", "f4", "f8", "c8"], repeat=2):
        a, v = numbers((9,), x), numbers((4,), y, 2)
        ours, theirs = outcome(getattr(xp, name), give(a), give(v)), outcome(getattr(np, name), a, v)
        assert ours[0] == theirs[0] == "value", (ours, theirs)
        close(ours[1], theirs[1], f"{x} {y}", 4)


@pytest.mark.parametrize("name", ["convolve", "correlate"])
def test_rows__strides_and_numbers(name):
    base, reals = numbers((90,), "c16"), numbers((90,), "f8")
    for a, v in ((base[::3], base[5:12]), (base[::-2], base[10:2:-1]), (reals[::3], reals[3:20:5])):
        for mode in MODES:
            close(getattr(xp, name)(give(a), give(v), mode), getattr(np, name)(a, v, mode), mode, 20)
    close(xp.convolve(2, [1, 2, 3]), np.convolve(2, [1, 2, 3]))
    repeated = np.broadcast_to(np.float64(2.5), (8,))
    close(getattr(xp, name)(xp.broadcast_to(xp.array(2.5), (8,)), give(reals[:3])), getattr(np, name)(repeated, reals[:3]))


@pytest.mark.parametrize("name", ["convolve", "correlate"])
def test_rows__not_finite(name):
    """What is not finite touches only the sums that it is part of, at the ends too."""
    for bad in (np.nan, np.inf, -np.inf):
        for where in (0, 2, 4):
            a, v = numbers((12,), "f8"), numbers((5,), "f8", 1)
            for x in (a, v):
                x[where] = bad
                for mode in MODES:
                    with np.errstate(invalid="ignore"):
                        close(getattr(xp, name)(give(a), give(v), mode), getattr(np, name)(a, v, mode), f"{bad} {mode}", 5)
                x[where] = 1.0
    a, v = numbers((700,), "c16"), numbers((300,), "c16", 1)
    v[280] = np.nan
    got, want = np.asarray(xp.convolve(give(a), give(v))), np.convolve(a, v)
    np.testing.assert_array_equal(np.isnan(got), np.isnan(want))


def test_rows__integers_wrap():
    a, v = np.full(300, 120, "i1"), np.full(70, 77, "i1")
    close(xp.convolve(give(a), give(v)), np.convolve(a, v))
    a, v = np.full(300, 2**62 + 12345), np.full(7, 2**40 + 7)
    close(xp.convolve(give(a), give(v)), np.convolve(a, v))


@pytest.mark.parametrize("call", [
    lambda m: m.convolve(m.ones(0), m.ones(3)),
    lambda m: m.convolve(m.ones(3), m.ones(0)),
    lambda m: m.correlate(m.ones(0), m.ones(3)),
    lambda m: m.correlate(m.ones(3), m.ones(0)),
    lambda m: m.convolve(m.ones((2, 2)), m.ones(3)),
    lambda m: m.correlate(m.ones(3), m.ones((2, 2))),
    lambda m: m.convolve(m.ones(3), m.ones(3), "other"),
    lambda m: m.convolve(m.ones(3)),
])
def test_rows__errors(call):
    same_outcome(outcome(call, xp), outcome(call, np))


@needs_heddle
def test_rows__accuracy_of_long_sums():
    """No worse than NumPy's."""
    a, v = numbers((20000,), "f4", 1), numbers((5000,), "f4", 2)
    want = np.convolve(a.astype("f8"), v.astype("f8"))
    ours = np.abs(np.asarray(xp.convolve(xp.array(a), xp.array(v))) - want).max()
    assert ours <= 2 * np.abs(np.convolve(a, v) - want).max() + 1e-6


# ---- two dimensions, as SciPy --------------------------------------------------------------------


PLANES = [((1, 1), (1, 1)), ((5, 7), (3, 3)), ((5, 7), (2, 4)), ((4, 4), (4, 4)), ((3, 3), (5, 7)), ((6, 1), (1, 3)),
          ((40, 300), (5, 4)), ((70, 33), (1, 15)), ((33, 70), (34, 2))]


@pytest.mark.parametrize("name", ["convolve2d", "correlate2d"])
@pytest.mark.parametrize("mode,boundary", list(itertools.product(MODES, ["fill", "wrap", "symm"])))
def test_planes(name, mode, boundary):
    for (s1, s2), dtype in itertools.product(PLANES, ["i4", "f4", "f8", "c16"]):
        a, v = numbers(s1, dtype, 1), numbers(s2, dtype, 2)
        ours = outcome(getattr(signal, name), give(a), give(v), mode, boundary)
        theirs = outcome(getattr(scipy.signal, name), a, v, mode, boundary)
        assert ours[0] == theirs[0], (s1, s2, ours, theirs)
        if theirs[0] == "value":
            close(ours[1], theirs[1], f"{s1} {s2} {dtype}", v.size)
        else:
            same_outcome(ours, theirs)


@pytest.mark.parametrize("name", ["convolve2d", "correlate2d"])
def test_planes__dtypes_and_fill(name):
    for dtype in ["i1", "u1", "i2", "u2", "i8", "u8", "f4", "f8", "c8", "c16"]:
        a, v = numbers((9, 11), dtype, 1), numbers((4, 3), dtype, 2)
        for fill in (0, 1, 3):
            close(getattr(signal, name)(give(a), give(v), "full", "fill", fill),
                  getattr(scipy.signal, name)(a, v, "full", "fill", fill), f"{dtype} {fill}", 12)
    a, v = numbers((9, 11), "f8", 1), numbers((4, 3), "f8", 2)
    for bad in (np.nan, np.inf):
        v[1, 1] = bad
        for fill in (0, 2.5):
            got, want = getattr(signal, name)(give(a), give(v), "full", "fill", fill), getattr(scipy.signal, name)(a, v, "full", "fill", fill)
            np.testing.assert_array_equal(np.isnan(np.asarray(got)), np.isnan(want))


def test_planes__layouts():
    a, v = numbers((24, 30), "f8", 1), numbers((8, 6), "f8", 2)
    for x, y in ((a.T, v), (a[::-2, ::3], v[::2]), (np.asfortranarray(a), v.T), (a[:, ::-1], v[::-1, ::-1])):
        close(signal.convolve2d(give(x), give(y)), scipy.signal.convolve2d(x, y), "", 48)
    row = np.broadcast_to(a[0], (9, 30))
    close(signal.convolve2d(xp.broadcast_to(xp.array(a[0]), (9, 30)), give(v), "same"), scipy.signal.convolve2d(row, v, "same"), "", 48)


def test_planes__far_beyond():
    """Windows that go around the array several times."""
    a, v = numbers((3, 2), "f8", 1), numbers((11, 9), "f8", 2)
    for boundary, mode in itertools.product(["wrap", "symm"], ["full", "same"]):
        close(signal.convolve2d(give(a), give(v), mode, boundary), scipy.signal.convolve2d(a, v, mode, boundary), boundary, 99)


@pytest.mark.parametrize("call", [
    lambda s, m: s.convolve2d(m.ones(3), m.ones((2, 2))),
    lambda s, m: s.convolve2d(m.ones((3, 3)), m.ones((2, 2)), "other"),
    lambda s, m: s.convolve2d(m.ones((3, 3)), m.ones((2, 2)), "full", "other"),
    lambda s, m: s.convolve2d(m.ones((3, 1)), m.ones((1, 3)), "valid"),
    lambda s, m: s.correlate2d(m.ones((3, 3)), m.ones((2, 2)), "full", "fill", m.ones(3)),
    lambda s, m: s.convolve(m.ones((3, 3)), m.ones(3)),
    lambda s, m: s.convolve(m.ones(3), m.ones(3), "other"),
    lambda s, m: s.convolve(m.ones(3), m.ones(3), "full", "other"),
    lambda s, m: s.correlate(m.ones((3, 3)), m.ones(3)),
    lambda s, m: s.correlate(m.ones(3), m.ones(3), "other"),
    lambda s, m: s.correlate(m.ones((3, 3)), m.ones((3, 3)), "full", "other"),
    lambda s, m: s.fftconvolve(m.ones((3, 3)), m.ones(3)),
    lambda s, m: s.fftconvolve(m.ones((3, 3)), m.ones((3, 3)), "other"),
    lambda s, m: s.fftconvolve(m.ones((3, 3)), m.ones((3, 3)), axes=()),
    lambda s, m: s.fftconvolve(m.ones((3, 3)), m.ones((3, 3)), axes=2),
    lambda s, m: s.fftconvolve(m.ones((3, 3)), m.ones((3, 3)), axes=(0, 0)),
    lambda s, m: s.fftconvolve(m.ones((3, 3)), m.ones((3, 2)), axes=0),
])
def test_errors(call):
    same_outcome(outcome(call, signal, xp), outcome(call, scipy.signal, np))


# ---- any dimension -------------------------------------------------------------------------------


BOXES = [((9,), (4,)), ((4,), (9,)), ((6, 7), (3, 2)), ((5, 6, 7), (2, 3, 4)), ((3, 4, 2, 5), (2, 1, 2, 3)), ((4, 5), (4, 5)), ((3, 40), (5, 2))]


@pytest.mark.parametrize("name", ["convolve", "correlate"])
@pytest.mark.parametrize("mode,method", list(itertools.product(MODES, ["direct", "fft", "auto"])))
def test_boxes(name, mode, method):
    for (s1, s2), dtype in itertools.product(BOXES, ["i4", "f4", "f8", "c16"]):
        a, v = numbers(s1, dtype, 1), numbers(s2, dtype, 2)
        ours = outcome(getattr(signal, name), give(a), give(v), mode, method)
        theirs = outcome(getattr(scipy.signal, name), a, v, mode, method)
        assert ours[0] == theirs[0], (s1, s2, ours, theirs)
        if theirs[0] == "value":
            close(ours[1], theirs[1], f"{s1} {s2} {dtype}", 16 * v.size)


@pytest.mark.parametrize("mode", MODES)
def test_fftconvolve(mode):
    for (s1, s2), axes in [(((7, 9), (3, 4)), None), (((7, 9), (7, 4)), 1), (((7, 9), (1, 4)), (1,)), (((1, 1), (1, 1)), None),
                           (((5, 1, 6), (2, 3, 4)), None), (((300,), (77,)), None), (((4, 6), (4, 6)), (0, -1))]:
        for x, y in itertools.product(["i4", "f4", "c8", "c16"], ["f4", "f8"]):
            a, v = numbers(s1, x, 1), numbers(s2, y, 2)
            ours = outcome(signal.fftconvolve, give(a), give(v), mode, axes)
            theirs = outcome(scipy.signal.fftconvolve, a, v, mode, axes)
            assert ours[0] == theirs[0], (s1, s2, ours, theirs)
            if theirs[0] == "value":
                got = np.asarray(ours[1])
                eps = max(np.finfo(x).eps if x != "i4" else 0, np.finfo(y).eps)
                assert got.shape == theirs[1].shape
                np.testing.assert_allclose(got, theirs[1], rtol=0, atol=20 * eps * np.abs(theirs[1]).max(), err_msg=f"{s1} {s2} {x} {y}")
    assert np.asarray(signal.fftconvolve([], [1.0])).shape == (0,)


def test_methods_agree_and_are_chosen():
    a, v = numbers((150, 160), "f8", 1), numbers((90, 80), "f8", 2)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        close(signal.convolve(give(a), give(v)), scipy.signal.convolve(a, v), "", 1e6)
    assert signal.choose_conv_method(give(a[:9, :9]), give(v[:3, :3])) == "direct"
    big = np.full(4000, 2**40)
    assert signal.choose_conv_method(give(big), give(big)) == "direct"
    close(signal.convolve(give(big), give(big)), np.convolve(big, big))
    method, times = signal.choose_conv_method(give(a[0]), give(v[0]), measure=True)
    assert method in times and set(times) == {"fft", "direct"}


@needs_heddle
def test_smoothing_of_an_image():
    """The window slides over work that is still recorded, and what follows joins it."""
    y, x = np.meshgrid(np.linspace(-1, 1, 15), np.linspace(-1, 1, 15))
    gauss = np.exp(-(x**2 + y**2) / 0.2)
    image = np.zeros((100, 120))
    image[8::16, 8::16] = 1
    ours = signal.convolve2d(xp.array(image) * 2, xp.exp(-(xp.array(x) ** 2 + xp.array(y) ** 2) / 0.2)) + 1
    close(ours, scipy.signal.convolve2d(image * 2, gauss) + 1, "", 225)
    same(xp.convolve(xp.arange(5), xp.ones(2, "i8")) * 2, np.convolve(np.arange(5), np.ones(2, "i8")) * 2)
