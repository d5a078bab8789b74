# SPDX-License-Identifier: BSD-3-Clause
"""heddle.scipy.stats beside scipy.stats."""

import numpy as np
import pytest
from common import needs_heddle, xp

theirs = pytest.importorskip("scipy.stats")
pytestmark = needs_heddle
ours = pytest.importorskip("heddle.scipy.stats")

X = np.random.default_rng(6).gamma(2.0, size=(12, 5))
HOLES = np.where(X > 3, np.nan, X)
SAME = np.where(np.arange(5) == 2, 0.1, X)


def compare(name, *args, **about):
    mine = [xp.asarray(a) if isinstance(a, np.ndarray) else a for a in args]
    got = getattr(ours, name)(*mine, **about)
    want = getattr(theirs, name)(*args, **about)
    assert np.shape(got) == np.shape(want)
    np.testing.assert_allclose(np.asarray(got), want, rtol=1e-9, atol=1e-12)


def test_trim_mean():
    for share in 0, 0.1, 0.2, 0.49:
        for axis in 0, 1, None:
            compare("trim_mean", X, share, axis)
    compare("trim_mean", np.arange(20), 0.1)
    for module in theirs, ours:
        with pytest.raises(ValueError, match="too big"):
            module.trim_mean(X, 0.7)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("x", [X, HOLES, SAME, np.arange(10)], ids=["plain", "nan", "equal", "ints"])
def test_scores(x):
    for axis in (0, -1, None) if x.ndim > 1 else (0,):
        for policy in "propagate", "omit":
            compare("zscore", x, axis, 1, policy)
            compare("zmap", x[:3] * 2, np.where(x == 0.1, 0.2 * X[:, :1] if x.ndim > 1 else x, x), 0, 0,
                    policy)
    for module in theirs, ours:
        with pytest.raises(ValueError):
            module.zscore(HOLES, nan_policy="raise")
    with pytest.raises(ValueError, match="nan_policy"):
        ours.zscore(X, nan_policy="nothing")


def test_entropy():
    for axis in 0, 1:
        for base in None, 2, 10.0:
            compare("entropy", X, None, base, axis)
            compare("entropy", X, X[::-1].copy(), base, axis)
    compare("entropy", np.array([0, 0.5, 0.5]))
    compare("entropy", np.array([0.5, 0.5, 0]), np.array([0.5, 0, 0.5]))
    for module in theirs, ours:
        with pytest.raises(ValueError, match="base"):
            module.entropy(X, base=0)


def test_boxcox_llf():
    for lmb in -2.5, -1, 0, 0.5, 1, 3, 40:
        for data in X, X[:, 0].copy(), X * 1e100:
            compare("boxcox_llf", lmb, data)
    assert np.isnan(ours.boxcox_llf(1, xp.zeros(0)))


def test_names__are_cupys():
    from heddle.cupyx.scipy import stats

    assert stats.zscore is ours.zscore
    with pytest.raises(AttributeError, match="Heddle has no cupyx.scipy.stats.nothing"):
        _ = stats.nothing
