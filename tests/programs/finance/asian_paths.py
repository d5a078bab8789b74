# SPDX-License-Identifier: BSD-3-Clause
"""Monte Carlo with whole paths: Asian, barrier and lookback options, antithetic paths and a control variate."""
import numpy as np

SIZES = {"tiny": (5, 4), "medium": (4000, 60), "large": (40000, 100)}
paths, days = SIZES[SIZE]
S0, K, B, r, sigma, T = 100.0, 100.0, 120.0, 0.02, 0.2, 0.5
dt = T / days
np.random.seed(1987)


def simulate(z):
    """In place, from normal numbers to prices; a row a day."""
    z *= sigma * np.sqrt(dt)
    z += (r - 0.5 * sigma ** 2) * dt
    np.cumsum(z, axis=0, out=z)
    np.exp(z, out=z)
    z *= S0
    return z


class Product:
    name = "?"

    def __call__(self, S):
        raise NotImplementedError


class Asian(Product):
    name = "asian"

    def __call__(self, S):
        return np.maximum(S.mean(axis=0) - K, 0)


class GeometricAsian(Product):
    name = "geometric"

    def __call__(self, S):
        return np.clip(np.exp(np.log(S).mean(axis=0)) - K, 0, None)


class KnockOut(Product):
    name = "knock-out"

    def __call__(self, S):
        pay = S[-1] - K
        pay[(S >= B).any(axis=0)] = 0
        pay[pay < 0] = 0
        return pay


class Lookback(Product):
    name = "lookback"

    def __call__(self, S):
        return S.max(0) - S[-1]


normal = np.random.randn(days, paths // 2 + 1)
S = simulate(np.concatenate([normal, -normal], axis=1))
half = S.shape[1] // 2
discount = np.exp(-r * T)
values, payoffs = {}, {}
for product in (Asian(), GeometricAsian(), KnockOut(), Lookback()):
    pay = product(S.copy()) * discount
    pairs = 0.5 * (pay[:half] + pay[half:])
    values[product.name] = (pairs.mean(), pairs.std(ddof=1) / np.sqrt(half))
    payoffs[product.name] = pairs
x, y = payoffs["geometric"], payoffs["asian"]
C = np.cov(x, y)
beta = C[0, 1] / C[0, 0] if C[0, 0] > 0 else 0.0
controlled = y - beta * (x - x.mean())
gain = y.var() / max(controlled.var(), 1e-12)
running = np.maximum.accumulate(S, axis=0)
drawdown = (1 - S / running).max(axis=0)
touched = (S >= B).argmax(axis=0)[(S >= B).any(axis=0)]
if len(touched):
    histogram = np.bincount(touched * 10 // days, minlength=10)
else:
    histogram = np.zeros(10, dtype=int)
for name, (mean, error) in values.items():
    print("%-10s %9.5f +- %.5f" % (name, mean, error))
print(f"beta {beta:.6f}, variance lower by {gain:.4f}")
print("drawdown", np.percentile(drawdown, [5, 50, 95]).round(6), "knocked out by tenths", histogram)
TOLERANCE = {"default": 1e-9, "gain": 1e-6}
