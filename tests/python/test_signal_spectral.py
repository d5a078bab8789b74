# SPDX-License-Identifier: BSD-3-Clause
"""heddle.scipy.signal's spectra beside SciPy's."""

import warnings

import numpy as np
import pytest
from common import needs_heddle, xp

theirs = pytest.importorskip("scipy.signal")
pytestmark = [needs_heddle, pytest.mark.filterwarnings("ignore:nperseg")]
ours = pytest.importorskip("heddle.scipy.signal")

RNG = np.random.default_rng(17)
X = {"f8": RNG.standard_normal(1000) + np.linspace(0, 4, 1000), "f4": RNG.standard_normal(1000),
     "c16": RNG.standard_normal(1000) + 1j * RNG.standard_normal(1000),
     "i4": RNG.integers(-9, 9, 1000), "short": RNG.standard_normal(100),
     "rows": RNG.standard_normal((3, 400)), "columns": RNG.standard_normal((300, 2))}
X = {name: x.astype(name) if name in ("f4", "i4") else x for name, x in X.items()}


def compare(name, *signals, **about):
    got = getattr(ours, name)(*map(xp.asarray, signals), **about)
    want = getattr(theirs, name)(*signals, **about)
    got, want = (r if isinstance(r, tuple) else (r,) for r in (got, want))
    assert len(got) == len(want)
    for one, other in zip(got, want):
        assert isinstance(one, xp.ndarray) and one.shape == other.shape, (name, about)
        assert one.dtype == other.dtype, (name, about, one.dtype, other.dtype)
        size = np.abs(other).max(initial=1e-30)
        tolerance = 1e-5 if other.dtype in ("f4", "c8") else 1e-11
        np.testing.assert_allclose(np.asarray(one), other, rtol=0, atol=size * tolerance)


ABOUT = [{}, {"nperseg": 64}, {"nperseg": 65, "noverlap": 10}, {"window": "boxcar", "fs": 50.0},
         {"nperseg": 50, "nfft": 81, "detrend": "linear"}, {"detrend": False, "nperseg": 128},
         {"window": ("kaiser", 5.0), "nperseg": 32}, {"window": np.hanning(40), "nperseg": 40}]


@pytest.mark.parametrize("kind", X)
@pytest.mark.parametrize("about", ABOUT, ids=lambda a: " ".join(a) or "plain")
def test_welch_spectrogram_stft(kind, about):
    axis = 0 if kind == "columns" else -1
    for scaling in "density", "spectrum":
        compare("welch", X[kind], axis=axis, scaling=scaling, **about)
        compare("spectrogram", X[kind], axis=axis, scaling=scaling, **about)
    compare("stft", X[kind], axis=axis, **{"detrend": False, **about})
    for boundary in "even", "odd", "constant", None:
        compare("stft", X[kind], axis=axis, boundary=boundary, padded=boundary != "odd",
                scaling="psd", **{"nperseg": 40, **about})


@pytest.mark.parametrize("kind", ["f8", "c16", "columns", "f4"])
def test_averages_and_sides(kind):
    axis = 0 if kind == "columns" else -1
    for nperseg in 64, 250, 300:
        for about in {"average": "median"}, {"return_onesided": False}:
            compare("welch", X[kind], axis=axis, nperseg=nperseg, **about)
            compare("csd", X[kind], X[kind][::-1].copy(), axis=axis, nperseg=nperseg, **about)
    for mode in "complex", "magnitude":
        compare("spectrogram", X[kind], axis=axis, mode=mode, nperseg=100)


def test_angles__are_those_of_the_spectra():
    """Of 0 an angle is anything, and that of -1 has two values."""
    chirp = theirs.chirp(np.arange(2000) / 1000, 20, 2, 60)
    def parts(mode):
        return np.asarray(ours.spectrogram(xp.asarray(chirp), mode=mode, nperseg=128)[2])
    want, size = parts("complex"), parts("magnitude")
    for mode in "angle", "phase":
        angle = parts(mode)
        np.testing.assert_allclose(size * np.exp(1j * angle), want, atol=1e-9)
        steps = np.abs(np.diff(angle, axis=0)).max()     # along the frequencies
        assert steps <= np.pi + 1e-9 if mode == "phase" else steps > np.pi


def test_two_signals():
    x, y = X["f8"], np.convolve(X["f8"], [0.2, 0.5, 0.3], "same") + 0.1 * X["f4"].astype("f8")
    compare("csd", x, y, fs=10.0, nperseg=128)
    compare("csd", x, y[:900], nperseg=128)
    compare("csd", X["c16"], X["c16"] * 2j, nperseg=100)
    compare("coherence", x, y, nperseg=100)
    compare("coherence", X["rows"], X["rows"][::-1].copy(), nperseg=64, window="hamming")


def test_periodogram():
    for kind in "f8", "c16", "rows", "f4":
        for about in {}, {"nfft": 300}, {"nfft": 1200}, {"window": "hann", "scaling": "spectrum"}:
            compare("periodogram", X[kind], **about)
    compare("periodogram", X["columns"], axis=0, detrend="linear", fs=7)


@pytest.mark.parametrize("dtype", ["f8", "f4", "c16", "i4"])
def test_detrend(dtype):
    x = (RNG.standard_normal((6, 40)) * 9 + np.arange(40)).astype(dtype)
    for about in ({}, {"type": "constant"}, {"bp": [10, 25]}, {"axis": 0}, {"axis": 0, "bp": 3},
                  {"axis": 0, "type": "c"}, {"bp": 40}):
        compare("detrend", x, **about)


@pytest.mark.parametrize("call", [
    lambda m: m.welch(X["f8"], nperseg=0), lambda m: m.welch(X["f8"], nperseg=10, noverlap=10),
    lambda m: m.welch(X["f8"], nperseg=10, nfft=9), lambda m: m.welch(X["f8"], scaling="none"),
    lambda m: m.welch(X["f8"], average="mode"), lambda m: m.welch(X["f8"], window=np.ones(2000)),
    lambda m: m.welch(X["f8"], window=np.ones(20), nperseg=30), lambda m: m.stft(X["f8"], scaling="x"),
    lambda m: m.welch(X["f8"], window=np.ones((2, 20))), lambda m: m.stft(X["f8"], boundary="wrap"),
    lambda m: m.spectrogram(X["f8"], mode="none"), lambda m: m.detrend(X["f8"], type="square"),
    lambda m: m.detrend(X["f8"], bp=2000), lambda m: m.periodogram(X["f8"], window=np.ones(20))])
def test_wrong_arguments(call):
    for module in theirs, ours:
        with pytest.raises(ValueError):
            call(module)


def test_short_signal__is_told():
    for module in theirs, ours:         # each in its own words
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            module.welch(X["short"])
        assert "nperseg" in str(told[0].message) and "256 is greater" in str(told[0].message)
    compare("welch", X["f8"], window=np.hanning(40))
