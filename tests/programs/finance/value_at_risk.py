# SPDX-License-Identifier: BSD-3-Clause
"""Value at risk of a portfolio of several assets: from history, from normal numbers, and tested day by day."""
import numpy as np

SIZES = {"tiny": (60, 3, 20, 50), "medium": (900, 8, 250, 5000), "large": (4000, 20, 500, 100000)}
days, assets, window, draws = SIZES[SIZE]
np.random.seed(1996)
LEVELS = np.array([0.9, 0.95, 0.99])

mixing = np.eye(assets) + 0.3 * np.random.rand(assets, assets)
volatility = 0.01 * (1 + 0.5 * np.sin(np.arange(days) / 40))
shocks = np.random.standard_t(5, size=(days, assets))
returns = (volatility[:, None] * shocks) @ mixing.T
positions = 1000.0 * np.array([(-1) ** k * (k + 1) for k in range(assets)])
pnl = returns @ positions

# by history, with a window that moves, and with weights that decay
historic = np.full((days, len(LEVELS)), np.nan)
for t in range(window, days, 5):
    past = pnl[t - window:t]
    historic[t] = -np.quantile(past, 1 - LEVELS)
decay = 0.98 ** np.arange(window)[::-1]
decay /= decay.sum()
weighted = np.zeros(3)
last = pnl[-window:]
order = np.argsort(last)
cumulated = decay[order].cumsum()
for k, level in enumerate(LEVELS):
    weighted[k] = -last[order[np.searchsorted(cumulated, 1 - level)]]

# from a normal distribution with the covariance of the returns
cov = np.cov(returns[-window:].T)
factor = np.linalg.cholesky(cov)
sample = np.random.randn(draws, assets) @ factor.T @ positions
sample.sort()
places = (draws * (1 - LEVELS)).astype(int)
simulated = -sample[places]
shortfall = [-sample[:max(p, 1)].mean() for p in places]
contribution = positions * (cov @ positions) / (positions @ cov @ positions)
assert abs(contribution.sum() - 1) < 1e-9

known = ~np.isnan(historic[:, 0])
breaches = (pnl[known, None] < -historic[known]).sum(axis=0)
runs = np.diff(np.flatnonzero(pnl < -np.nanmean(historic[:, 1])))
print("level   history  weighted simulated shortfall breaches")
for k, level in enumerate(LEVELS):
    print(f"{level:5.2f} {np.nanmean(historic[:, k]):9.3f} {weighted[k]:9.3f} {simulated[k]:9.3f} {shortfall[k]:9.3f} {breaches[k]:5d}/{known.sum()}")
print("contributions", contribution.round(5), "largest", int(np.argmax(np.abs(contribution))))
print("gaps between breaches:", runs.min() if runs.size else "-", runs.max() if runs.size else "-")
TOLERANCE = {"default": 1e-9}
