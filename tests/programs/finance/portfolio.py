# SPDX-License-Identifier: BSD-3-Clause
"""Portfolios: the efficient frontier by Lagrange, no short sales by projected gradients, risk parity by rounds."""
import numpy as np

SIZES = {"tiny": (4, 30), "medium": (30, 1000), "large": (120, 4000)}
TOLERANCE = {"default": 1e-7}
assets, days = SIZES[SIZE]
rng = np.random.default_rng(1952)
names = ["A%02d" % k for k in range(assets)]
factors = rng.standard_normal((days, 3)) * 0.01
loadings = rng.uniform(-0.5, 1.5, (3, assets))
returns = factors @ loadings + rng.standard_normal((days, assets)) * rng.uniform(0.008, 0.02, assets)
returns += np.linspace(0.0001, 0.0012, assets)
mu, cov = returns.mean(axis=0) * 252, np.cov(returns, rowvar=False) * 252


def frontier(goals):
    ones = np.ones(assets)
    kkt = np.block([[2 * cov, mu[:, None], ones[:, None]],
                    [mu[None, :], np.zeros((1, 2))],
                    [ones[None, :], np.zeros((1, 2))]])
    rhs = np.zeros((assets + 2, len(goals)))
    rhs[-2] = goals
    rhs[-1] = 1
    return np.linalg.solve(kkt, rhs)[:assets].T


def project(w):
    """The nearest point of the simplex."""
    u = np.sort(w)[::-1]
    css = np.cumsum(u) - 1
    k = np.nonzero(u * np.arange(1, len(u) + 1) > css)[0][-1]
    return np.maximum(w - css[k] / (k + 1), 0)


def long_only(aversion, rounds=400):
    w = np.full(assets, 1 / assets)
    step = 1 / (aversion * np.linalg.eigvalsh(cov)[-1])
    for k in range(rounds):
        new = project(w - step * (aversion * cov @ w - mu))
        if np.abs(new - w).max() < 1e-13:
            break
        w = new
    return w


def risk_parity(rounds=200):
    w = 1 / np.sqrt(np.diag(cov))
    w /= w.sum()
    for _ in range(rounds):
        share = w * (cov @ w)
        share /= share.sum()
        w *= (1 / assets / np.maximum(share, 1e-12)) ** 0.3
        w /= w.sum()
    return w


goals = np.linspace(mu.min(), mu.max(), 9)
weights = frontier(goals)
risks = np.sqrt(np.einsum("ki,ij,kj->k", weights, cov, weights))
assert np.allclose(weights @ mu, goals) and np.allclose(weights.sum(axis=1), 1)
portfolios = {"equal": np.full(assets, 1 / assets), "parity": risk_parity()}
for aversion in (2.0, 10.0):
    portfolios["long %g" % aversion] = long_only(aversion)
summary = {}
for name, w in portfolios.items():
    value = np.cumprod(1 + returns @ w)
    top = np.maximum.accumulate(value)
    summary[name] = (w @ mu, np.sqrt(w @ cov @ w), (1 - value / top).max(), int((w > 1e-6).sum()))
for goal, risk in zip(goals[::2], risks[::2]):
    print("%8.4f %8.4f" % (goal, risk))
for name, (gain, risk, drawdown, held) in summary.items():
    print(f"{name:8s} {gain:7.4f} {risk:7.4f} {drawdown:7.4f} {held:4d}")
best = sorted(zip(portfolios["long 10"].round(6).tolist(), names), reverse=True)[:3]
print(best)
