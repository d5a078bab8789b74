# SPDX-License-Identifier: BSD-3-Clause
"""polyfit, roots, poly of a matrix, pad by medians: compositions over linear algebra and sorting."""

import warnings

import numpy as np
import pytest

from common import needs_heddle, xp

pytestmark = needs_heddle

RNG = np.random.default_rng(5)
X = RNG.standard_normal(30)
Y = RNG.standard_normal((30, 3))


def same(got, want, tolerance=1e-9):
    got = [np.asarray(g) for g in got] if isinstance(got, tuple) else [np.asarray(got)]
    want = want if isinstance(want, tuple) else (want,)
    assert len(got) == len(want)
    for g, w in zip(got, want, strict=True):
        assert g.dtype == np.asarray(w).dtype and g.shape == np.asarray(w).shape
        np.testing.assert_allclose(g, w, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("options", [
    {}, {"w": np.abs(X) + 1}, {"full": True}, {"cov": True}, {"cov": "unscaled"},
    {"rcond": 1e-3}, {"w": np.abs(X) + 1, "cov": True}], ids=str)
@pytest.mark.parametrize("y", [Y[:, 0], Y, np.arange(30), Y[:, 0] * 1j], ids=["1", "3", "int", "complex"])
def test_polyfit(y, options):
    ours = {k: xp.asarray(v) if isinstance(v, np.ndarray) else v for k, v in options.items()}
    for degree in (0, 1, 4):
        same(xp.polyfit(xp.asarray(X), xp.asarray(y), degree, **ours),
             np.polyfit(X, y, degree, **options))


def test_polyfit__float32_and_lists():
    x, y = X.astype("f4"), Y[:, 1].astype("f4")
    same(xp.polyfit(xp.asarray(x), xp.asarray(y), 2), np.polyfit(x, y, 2), 1e-4)
    same(xp.polyfit([0, 1, 2, 3], [1, 2, 5, 10], 2), np.polyfit([0, 1, 2, 3], [1, 2, 5, 10], 2))


def test_polyfit__refuses_what_numpy_refuses():
    calls = [lambda m: m.polyfit([1, 2], [1, 2], -1), lambda m: m.polyfit([[1, 2]], [1, 2], 1),
             lambda m: m.polyfit([], [], 1), lambda m: m.polyfit([1, 2], 3.0, 1),
             lambda m: m.polyfit([1, 2], [1, 2, 3], 1),
             lambda m: m.polyfit([1, 2], [1, 2], 1, w=[[1, 2]]),
             lambda m: m.polyfit([1, 2], [1, 2], 1, w=[1, 2, 3]),
             lambda m: m.polyfit([1, 2], [1, 2], 1, cov=True)]
    for call in calls:
        with pytest.raises(Exception) as theirs:
            call(np)
        with pytest.raises(theirs.type):
            call(xp)


def test_polyfit__warns_of_a_poor_rank():
    for m in (np, xp):
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            m.polyfit(m.ones(5), m.arange(5.0), 3)
        assert [w.category for w in seen] == [np.exceptions.RankWarning]


@pytest.mark.parametrize("p", [
    [1, -6, 11, -6], [1.0, 0, 1], [0, 0, 2, -4, 0, 0], [5], [0, 0], [], [1j, 2, 3], [2, 1]], ids=str)
def test_roots(p):
    got, want = np.asarray(xp.roots(p)), np.roots(p)
    assert got.shape == want.shape
    np.testing.assert_allclose(np.sort_complex(got), np.sort_complex(want), atol=1e-10)


def test_roots__of_a_matrix_are_refused():
    with pytest.raises(ValueError, match="rank-1"):
        xp.roots([[1, 2], [3, 4]])


def test_poly__of_a_matrix():
    a = RNG.standard_normal((4, 4))
    same(xp.poly(xp.asarray(a)), np.poly(a))
    same(xp.poly(xp.asarray(a + a.T)), np.poly(a + a.T))


@pytest.mark.parametrize("length", [None, 1, 2, (1, 3)])
def test_pad__median(length):
    for a in (Y, Y[:5].round().astype("i4"), Y[:, 0], Y.astype("f4")):
        same(xp.pad(xp.asarray(a), 2, mode="median", stat_length=length),
             np.pad(a, 2, mode="median", stat_length=length), 1e-6)
