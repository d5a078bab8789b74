# SPDX-License-Identifier: BSD-3-Clause
"""GARCH(1,1): a series simulated day by day, its likelihood on a grid of parameters, forecasts and tests."""
import numpy as np

SIZES = {"tiny": (30, 3), "medium": (700, 12), "large": (2500, 40)}
days, grid = SIZES[SIZE]
omega, alpha, beta = 0.05, 0.1, 0.85
rng = np.random.default_rng(1986)


def simulate(shocks):
    variance = np.empty(len(shocks))
    returns = np.empty_like(variance)
    h = omega / (1 - alpha - beta)
    for t, z in enumerate(shocks):
        variance[t] = h
        returns[t] = np.sqrt(h) * z
        h = omega + alpha * returns[t] ** 2 + beta * h
    return returns, variance


def likelihoods(returns, a, b):
    """For arrays of parameters at once: one step a day over all of them."""
    long_run = returns.var()
    w = long_run * (1 - a - b)
    h = np.full(a.shape, long_run)
    total = np.zeros(a.shape)
    for x2 in returns ** 2:
        total -= 0.5 * (np.log(2 * np.pi * h) + x2 / h)
        h = w + a * x2 + b * h
    total[(w <= 0)] = -np.inf
    return total, h


returns, variance = simulate(rng.standard_normal(days))
a, b = np.meshgrid(np.linspace(0.02, 0.25, grid), np.linspace(0.6, 0.97, grid + 1), indexing="ij")
with np.errstate(invalid="ignore", divide="ignore"):
    surface, last = likelihoods(returns, a, b)
surface[np.isnan(surface)] = -np.inf
best = np.unravel_index(surface.argmax(), surface.shape)
a_hat, b_hat = a[best], b[best]

h = last[best]
long_run = returns.var()
forecast = []
for k in range(20):
    forecast.append(h)
    h = long_run + (a_hat + b_hat) * (h - long_run)
forecast = np.sqrt(252 * np.array(forecast))


def autocorrelation(x, lags):
    x = x - x.mean()
    return np.array([x[:-k] @ x[k:] for k in range(1, lags + 1)]) / (x @ x)


rho, rho2 = autocorrelation(returns, 10), autocorrelation(returns ** 2, 10)
box = days * (days + 2) * (rho2 ** 2 / (days - np.arange(1, 11))).sum()
smooth = np.zeros_like(returns)
smooth[0] = returns[0] ** 2
for t in range(1, days):
    smooth[t] = 0.94 * smooth[t - 1] + 0.06 * returns[t] ** 2
kurtosis = ((returns - returns.mean()) ** 4).mean() / returns.var() ** 2
print(f"alpha {a_hat:.4f} beta {b_hat:.4f} likelihood {surface[best]:.6f}")
print("finite likelihoods:", np.isfinite(surface).sum(), "of", surface.size)
print("volatility %.4f -> %.4f" % (forecast[0], forecast[-1]), "Ljung-Box %.5f" % box, "kurtosis %.5f" % kurtosis)
