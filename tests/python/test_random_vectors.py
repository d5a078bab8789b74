# SPDX-License-Identifier: BSD-3-Clause
"""Distributions of vectors: Dirichlet, normal, hypergeometric."""

import math
import warnings

import numpy as np
import pytest

from common import needs_heddle, xp
from test_random_distributions import rng

pytestmark = needs_heddle
stats = pytest.importorskip("scipy.stats")

N = 30_000


@pytest.mark.parametrize(
    "alpha",
    [
        [1.0, 2.0, 3.0],
        [0.3, 5.0],
        [0.02, 0.05, 0.08],
        [1e-3, 2e-3],
        [0.099, 0.01],
        [50.0, 0.2, 0.05],
    ],
    ids=str,
)
def test_dirichlet__parts_are_beta(alpha):
    x = np.array(rng().dirichlet(alpha, N))
    assert x.shape == (N, len(alpha)) and np.all(x >= 0)
    np.testing.assert_allclose(x.sum(axis=1), 1.0, rtol=1e-14)
    total = sum(alpha)
    for k, a in enumerate(alpha):
        assert abs(x[:, k].mean() - a / total) < 5 * stats.beta(a, total - a).std() / math.sqrt(N)
        part = x[:, k]
        inside = part[
            (part > 1e-100) & (part < 1 - 1e-12)
        ]  # what beta's distribution function can tell apart
        cdf = stats.beta(a, total - a).cdf
        low, high = cdf(1e-100), cdf(1 - 1e-12)
        assert stats.kstest((cdf(inside) - low) / (high - low), "uniform").pvalue > 1e-4


def test_dirichlet__at_the_ends():
    g = rng()
    tiny = np.array(g.dirichlet([1e-310, 3e-310, 1e-310], 4000))
    assert np.all(np.sort(tiny, axis=1)[:, :2] == 0) and np.all(tiny.max(axis=1) == 1)
    assert g.dirichlet([0.0, 1.0]).tolist() == [0.0, 1.0] and g.dirichlet([0.0, 0.01]).tolist() == [
        0.0,
        1.0,
    ]
    assert g.dirichlet([0.0, 0.0]).tolist() == [0.0, 0.0]
    assert g.dirichlet([3.0]).tolist() == [1.0] and g.dirichlet([]).shape == (0,)
    assert np.isnan(g.dirichlet([float("nan"), 1.0]).tolist()).all()
    huge = np.array(g.dirichlet([1e15, 3e15], 1000))
    assert abs(huge[:, 0].mean() - 0.25) < 1e-8
    assert g.dirichlet(xp.array([1, 2], dtype="i4"), (0, 2)).shape == (0, 2, 2)
    with pytest.raises(ValueError, match="alpha <= 0"):
        xp.random.dirichlet([0.0, 1.0])


MEAN, COV = [1.0, -2.0, 5.0], [[4.0, 1.0, -0.5], [1.0, 2.0, 0.3], [-0.5, 0.3, 1.0]]


@pytest.mark.parametrize("method", ["svd", "eigh", "cholesky"])
def test_multivariate_normal__mean_and_covariance(method):
    x = np.array(rng().multivariate_normal(MEAN, COV, (N, 2), method=method)).reshape(-1, 3)
    assert np.all(np.abs(x.mean(axis=0) - MEAN) < 5 * np.sqrt(np.diag(COV) / len(x)))
    assert np.all(np.abs(np.cov(x.T) - COV) < 5 * 4 * math.sqrt(2 / len(x)))
    for direction in ([1, 1, 1], [0.2, -3, 2]):
        deviation = math.sqrt(direction @ np.array(COV) @ direction)
        assert stats.kstest((x - MEAN) @ direction / deviation, "norm").pvalue > 1e-4


def test_multivariate_normal__of_covariances_without_full_rank():
    for method in ("svd", "eigh"):
        x = np.array(rng().multivariate_normal([0, 1], [[1, 1], [1, 1]], 100, method=method))
        np.testing.assert_allclose(x[:, 1], x[:, 0] + 1, atol=1e-7)
    assert rng().multivariate_normal([3, 4], [[0, 0], [0, 0]]).tolist() == [3.0, 4.0]
    with pytest.raises(np.linalg.LinAlgError):
        np.array(rng().multivariate_normal([0, 0], [[1, 2], [2, 1]], method="cholesky"))


def test_multivariate_normal__check_valid():
    bad = [[1, 2], [2, 1]]
    for method in ("svd", "eigh"):
        with pytest.warns(
            RuntimeWarning, match="covariance is not symmetric positive-semidefinite"
        ):
            assert rng().multivariate_normal([0, 0], bad, 3, method=method).shape == (3, 2)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            rng().multivariate_normal([0, 0], bad, 3, "ignore", method=method)
            rng().multivariate_normal([0, 0], [[1, 0], [0, 1]], 3, method=method)
    with pytest.warns(RuntimeWarning):
        rng().multivariate_normal([0, 0], [[1, 0.1], [0.2, 1]])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        rng().multivariate_normal([0, 0], [[1, 0.1], [0.2, 1]], tol=0.2)
    with pytest.raises(TypeError):
        xp.random.multivariate_normal([0, 0], [[1, 0], [0, 1]], method="svd")


@pytest.mark.parametrize("method", ["marginals", "count"])
def test_multivariate_hypergeometric__marginals(method):
    colors, drawn = [30, 0, 5, 200, 40], 60
    x = np.array(rng().multivariate_hypergeometric(colors, drawn, N, method=method))
    assert (
        x.shape == (N, 5)
        and np.all(x.sum(axis=1) == drawn)
        and np.all(x <= colors)
        and x.min() == 0
    )
    for k, color in enumerate(colors):
        truth = stats.hypergeom(sum(colors), color, drawn)
        assert abs(x[:, k].mean() - truth.mean()) <= 5 * truth.std() / math.sqrt(N)
        if color:
            values = np.arange(int(truth.ppf(1e-3)), int(truth.ppf(1 - 1e-3)) + 1)
            counts = [(x[:, k] == v).sum() for v in values]
            expected = truth.pmf(values) * N
            assert (
                stats.chisquare(
                    [*counts, N - sum(counts) + 1e-9], [*expected, N - expected.sum() + 1e-9]
                ).pvalue
                > 1e-4
            )
    covariance = -drawn * 30 * 200 / 275**2 * (275 - drawn) / 274
    assert abs(np.cov(x[:, 0], x[:, 3])[0, 1] - covariance) < 0.25


def test_multivariate_hypergeometric__at_the_ends():
    g = rng()
    assert g.multivariate_hypergeometric([3, 4, 5], 12).tolist() == [3, 4, 5]
    assert g.multivariate_hypergeometric([3, 4, 5], 0, 2).tolist() == [[0, 0, 0]] * 2
    assert g.multivariate_hypergeometric([7], 2).tolist() == [2] and g.multivariate_hypergeometric(
        [], 0, 3
    ).shape == (3, 0)
    x = np.array(g.multivariate_hypergeometric([10**12, 3 * 10**12], 10**6, 1000, method="count"))
    assert np.all(x.sum(axis=1) == 10**6) and abs(x[:, 0].mean() - 250_000) < 5 * 433 / math.sqrt(
        1000
    )
