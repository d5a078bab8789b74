# SPDX-License-Identifier: BSD-3-Clause
"""heddle.scipy.signal's windows, waveforms, wavelets and extrema beside SciPy's."""

import math

import numpy as np
import pytest
from common import needs_heddle, xp

theirs = pytest.importorskip("scipy.signal")
pytestmark = needs_heddle
ours = pytest.importorskip("heddle.scipy.signal")

WINDOWS = [
    ("barthann",), ("bartlett",), ("blackman",), ("blackmanharris",), ("bohman",), ("boxcar",),
    ("chebwin", 60), ("chebwin", 100), ("cosine",), ("exponential", None, 3.0), ("flattop",),
    ("gaussian", 3.0), ("general_cosine", [0.3, 0.4, 0.3]), ("general_gaussian", 1.5, 4),
    ("general_hamming", 0.6), ("hamming",), ("hann",), ("kaiser", 8.0), ("kaiser", 0), ("lanczos",),
    ("nuttall",), ("parzen",), ("taylor", 5, 35), ("taylor", 4, 30, False), ("triang",),
    ("tukey", 0.3), ("tukey", 0), ("tukey", 1.2)]


def same(got, want, tolerance=1e-12):
    assert isinstance(got, xp.ndarray) and got.dtype == want.dtype and got.shape == want.shape
    np.testing.assert_allclose(np.asarray(got), want, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("name, args", [(w[0], w[1:]) for w in WINDOWS], ids=str)
@pytest.mark.parametrize("sym", [True, False])
def test_windows(name, args, sym):
    for M in 0, 1, 2, 5, 8, 51, 64:
        got, want = (getattr(m.windows, name)(M, *args, sym=sym) for m in (ours, theirs))
        same(got, want)


def test_windows__of_other_kinds():
    for call in (lambda w: w.kaiser_bessel_derived(12, 4.0),
                 lambda w: w.exponential(9, 0, 2.0, sym=False)):
        same(call(ours.windows), call(theirs.windows))
    for call in (lambda w: w.kaiser_bessel_derived(11, 4.0), lambda w: w.exponential(9, 0),
                 lambda w: w.kaiser_bessel_derived(12, 4.0, sym=False), lambda w: w.hann(2.5),
                 lambda w: w.hann(-1)):
        for module in theirs, ours:
            with pytest.raises(ValueError):
                call(module.windows)


@pytest.mark.parametrize("window", [
    "hann", "box", "cheb", "blk", ("kaiser", 4.0), ("ggs", 1.5, 2.0), 8.6, ("tukey", 0.3), "tukey",
    "flt", ("general_cosine", [0.5, 0.5]), ("gaussian", 2), "taylor", "gaussian", "nothing", None,
    ("kaiser",)])
def test_get_window(window):
    for bins in True, False:
        try:
            want = theirs.get_window(window, 20, bins)
        except Exception as error:
            with pytest.raises(ValueError if isinstance(error, ValueError) else type(error)):
                ours.get_window(window, 20, bins)
        else:
            same(ours.get_window(window, 20, bins), want)
    assert ours.get_window is ours.windows.get_window


T = np.linspace(-3, 20, 301)


@pytest.mark.parametrize("name, args", [
    ("sawtooth", ()), ("sawtooth", (0.25,)), ("sawtooth", (0,)), ("sawtooth", (1.5,)),
    ("sawtooth", (abs(T) / 20,)), ("square", ()), ("square", (0.2,)), ("square", (-1,)),
    ("square", (abs(T) / 20,)), ("gausspulse", (5, 0.3, -3)), ("chirp", (2, 10, 0.5)),
    ("chirp", (2, 10, 0.5, "quadratic", 30)), ("chirp", (2, 10, 0.5, "quad", 0, False)),
    ("chirp", (2, 10, 0.5, "log")), ("chirp", (2, 10, 0.5, "hyperbolic", 10)),
    ("chirp", (2, 10, 2, "hyp")), ("chirp", (2, 10, 2, "lo")),
    ("sweep_poly", ([0.025, -0.36, 1.25, 2.0], 90))])
def test_waveforms(name, args):
    same(getattr(ours, name)(xp.asarray(T), *args), getattr(theirs, name)(T, *args), 1e-9)


def test_gausspulse__gives_the_sine_and_the_bell():
    for args in {"retquad": True}, {"retenv": True}, {"retquad": True, "retenv": True}:
        got, want = ours.gausspulse(xp.asarray(T), fc=5, **args), theirs.gausspulse(T, fc=5, **args)
        assert len(got) == len(want)
        for one, other in zip(got, want):
            same(one, other, 1e-9)
    assert math.isclose(ours.gausspulse("cutoff", fc=5, tpr=-40),
                        theirs.gausspulse("cutoff", fc=5, tpr=-40))


@pytest.mark.parametrize("call", [
    lambda m: m.gausspulse("end"), lambda m: m.gausspulse(T, fc=-1), lambda m: m.gausspulse(T, bw=0),
    lambda m: m.gausspulse(T, bwr=1), lambda m: m.gausspulse("cutoff", tpr=1),
    lambda m: m.chirp(T, 1, 1, 2, "cubic"), lambda m: m.chirp(T, 0, 1, 2, "log"),
    lambda m: m.chirp(T, 0, 1, 2, "hyp"), lambda m: m.argrelmax(T, order=0),
    lambda m: m.argrelmax(T, order=1.5)])
def test_wrong_arguments(call):
    for module in theirs, ours:
        with pytest.raises(ValueError):
            call(module)


@pytest.mark.parametrize("args", [
    (7,), ((3, 5),), (7, "mid"), ((3, 4), (1, 2)), ((4, 4), 2), (6, 3, "i4"),
    ((3, 3), "mid", complex)], ids=str)
def test_unit_impulse(args):
    same(ours.unit_impulse(*args), theirs.unit_impulse(*args), 0)


def test_wavelets():
    """SciPy has none since 1.15, so these are the definitions: Mexican hats and Morlet's waves."""
    n = np.arange(40) - 19.5
    hat = 2 / (math.sqrt(3 * 4.0) * math.pi**0.25) * (1 - (n / 4) ** 2) * np.exp(-(n / 4) ** 2 / 2)
    same(ours.ricker(40, 4.0), hat)
    wave = math.sqrt(1 / 4) * math.pi**-0.25 * np.exp(1j * 6 * n / 4) * np.exp(-(n / 4) ** 2 / 2)
    same(ours.morlet2(40, 4.0, 6), wave)
    x = np.linspace(-2 * math.pi, 2 * math.pi, 31)
    same(ours.morlet(31), (np.exp(5j * x) - math.exp(-12.5)) * np.exp(-x * x / 2) * math.pi**-0.25)
    complete, plain = (ours.morlet(401, 2.0, complete=c).mean() for c in (True, False))
    assert abs(complete) < abs(plain) / 100
    same(ours.qmf(xp.array([1.0, 2.0, 3.0])), np.array([3.0, -2.0, 1.0]))
    signal, widths = np.sin(T) + np.cos(3 * T), [1, 2.5, 7]
    waves = [np.asarray(ours.morlet2(int(min(10 * w, 301)), w)) for w in widths]
    want = np.stack([np.convolve(signal, np.conj(wave[::-1]), "same") for wave in waves])
    same(ours.cwt(xp.asarray(signal), ours.morlet2, widths), want)
    waves = ours.cwt(xp.asarray(signal), ours.morlet2, widths, w=6)
    same(waves[0], np.convolve(signal, np.conj(np.asarray(ours.morlet2(10, 1, 6))[::-1]), "same"))
    assert ours.cwt(xp.asarray(signal), ours.ricker, xp.arange(1, 4)).shape == (3, 301)


@pytest.mark.parametrize("shape, axis", [((60,), 0), ((12, 9), 0), ((12, 9), 1), ((4, 5, 6), -1)],
                         ids=str)
@pytest.mark.parametrize("mode", ["clip", "wrap"])
def test_extrema(shape, axis, mode):
    x = np.random.default_rng(3).integers(0, 9, shape)
    for order in 1, 2:
        for name in "argrelmax", "argrelmin":
            got = getattr(ours, name)(xp.asarray(x), axis, order, mode)
            want = getattr(theirs, name)(x, axis, order, mode)
            assert len(got) == len(want)
            for one, other in zip(got, want):
                same(one, other, 0)
    got = ours.argrelextrema(xp.asarray(x), xp.greater_equal, axis, 1, mode)
    for one, other in zip(got, theirs.argrelextrema(x, np.greater_equal, axis, 1, mode)):
        same(one, other, 0)


def test_names__are_cupys():
    import heddle.cupyx.scipy.signal
    import heddle.cupyx.scipy.signal.windows as windows

    assert windows is heddle.cupyx.scipy.signal.windows and windows.hann is ours.windows.hann
    assert heddle.cupyx.scipy.signal.chirp is ours.chirp
    with pytest.raises(AttributeError, match="Heddle has no cupyx.scipy.signal.windows.nothing"):
        _ = windows.nothing
