# SPDX-License-Identifier: BSD-3-Clause
"""heddle.scipy.fft beside scipy.fft."""

import numpy as np
import pytest

from common import needs_heddle, xp

theirs = pytest.importorskip("scipy.fft")
pytestmark = needs_heddle
ours = pytest.importorskip("heddle.scipy.fft")

RNG = np.random.default_rng(12)
DTYPES = ("f8", "f4", "c16", "c8", "i4", "u1", "?", "f2")


def values(shape, dtype):
    x = RNG.standard_normal(shape) * 5
    return (x + 1j * RNG.standard_normal(shape)).astype(dtype) if dtype[0] == "c" else x.astype(dtype)


def check(name, x, *args, **kwargs):
    def answer(module, x):
        try:
            return getattr(module, name)(x, *args, **kwargs)
        except Exception as e:
            return e
    want, got = answer(theirs, x), answer(ours, xp.array(x))
    if isinstance(want, Exception):
        assert isinstance(got, type(want)), (name, args, kwargs, got, want)
        return
    assert not isinstance(got, Exception), got
    assert isinstance(got, xp.ndarray) and got.shape == want.shape and got.dtype == want.dtype, (got.dtype, want.dtype)
    size = np.abs(want).max(initial=1)
    np.testing.assert_allclose(np.asarray(got), want, rtol=0, atol=size * (1e-5 if want.dtype in ("f4", "c8") else 1e-12))


@pytest.mark.parametrize("name", ["dct", "idct", "dst", "idst"])
@pytest.mark.parametrize("type", [1, 2, 3, 4])
@pytest.mark.parametrize("norm", [None, "backward", "ortho", "forward"])
def test_one_axis(name, type, norm):
    for n in (1, 2, 3, 4, 5, 8, 15, 16, 31, 100, 513):
        for orthogonalize in (None, True, False):
            check(name, values((3, n), "f8"), type, norm=norm, orthogonalize=orthogonalize)


@pytest.mark.parametrize("name", ["dct", "idst"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_dtypes_lengths_and_axes(name, dtype):
    x = values((6, 5, 7), dtype)
    for type in (1, 2, 3, 4):
        check(name, x, type)
        check(name, x, type, 4, 0)
        check(name, x, type, 9, 1, "ortho")
        check(name, x[::2, ::-1], type, axis=-2)
    check(name, x.T, 2, axis=0)


@pytest.mark.parametrize("name", ["dctn", "idctn", "dstn", "idstn"])
def test_many_axes(name):
    x = values((4, 5, 6), "f8")
    for kwargs in ({}, {"axes": (0, 2)}, {"s": (3, 8)}, {"s": (7,), "axes": (1,)}, {"type": 3, "norm": "ortho"},
                   {"type": 1, "orthogonalize": True}, {"axes": (1, 1)}, {"s": (3,), "axes": (0, 1)}, {"axes": 1}, {"axes": ()}):
        check(name, x, **kwargs)


def test_back_again():
    x = xp.array(values((50, 40), "f8"))
    for norm in (None, "ortho", "forward"):
        for type in (1, 2, 3, 4):
            for there, back in (("dctn", "idctn"), ("dstn", "idstn")):
                y = getattr(ours, back)(getattr(ours, there)(x, type, norm=norm), type, norm=norm)
                assert abs(y - x).max() < 1e-12


@pytest.mark.parametrize("name", ["hfftn", "ihfftn", "hfft2", "ihfft2"])
@pytest.mark.parametrize("norm", [None, "backward", "ortho", "forward"])
def test_hermitian(name, norm):
    x = values((4, 5, 6), "f8" if name[0] == "i" else "c16")
    check(name, x, norm=norm)
    check(name, x, (3, 4), (0, 1), norm)


def test_lengths():
    for n in (*range(1, 200), 1009, 12345, 999983):
        for real in (False, True):
            assert ours.next_fast_len(n, real) == theirs.next_fast_len(n, real)
            assert ours.prev_fast_len(n, real) == theirs.prev_fast_len(n, real)
    for bad in (-1, 1.5, "x"):
        with pytest.raises((ValueError, TypeError)):
            ours.next_fast_len(bad)
    with pytest.raises(ValueError, match="0"):
        ours.prev_fast_len(0)


def test_refusals():
    x = np.ones((3, 4))
    for args, kwargs in (((5,), {}), ((2, 0), {}), ((2,), {"norm": "nothing"}), ((2, None, 7), {}), ((1, 1), {}), ((2, -3), {})):
        check("dct", x, *args, **kwargs)
    check("dct", np.ones(()), 2)


def test_what_heddle_fft_has():
    assert ours.fftfreq is xp.fft.fftfreq and ours.fftshift is xp.fft.fftshift
    assert set(theirs.__all__) - set(ours.__all__) == {"fht", "ifht", "fhtoffset", "get_workers", "register_backend", "set_backend",
                                                       "set_global_backend", "set_workers", "skip_backend"}


@pytest.mark.parametrize("name", ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft", "fft2", "ifft2", "rfft2", "irfft2", "fftn", "ifftn",
                                  "rfftn", "irfftn"])
def test_transforms__take_scipys_arguments(name):
    x = values((6, 8), "f8" if name[0] == "r" or name == "ihfft" else "c16")
    check(name, x, None, -1 if name in ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft") else (0, 1), "ortho", False, 2)
    check(name, x, workers=1, overwrite_x=False, plan=None)


def test_backend__is_called_by_scipys_functions():
    x = values((4, 8), "f8")
    with theirs.set_backend(ours, only=True):
        for name in "rfft", "dct", "fft2", "hfftn":
            got = getattr(theirs, name)(xp.array(x))
            assert isinstance(got, xp.ndarray), name
            np.testing.assert_allclose(np.asarray(got), np.asarray(getattr(ours, name)(xp.array(x))))
        with pytest.raises(Exception, match="fht|backend"):
            theirs.fht(x, 1.0, 1.0)
    import heddle.cupyx.scipy.fft
    with theirs.set_backend(heddle.cupyx.scipy.fft, only=True):
        assert isinstance(theirs.fft(xp.array(x), workers=1), xp.ndarray)
