# SPDX-License-Identifier: BSD-3-Clause
"""American put by least squares Monte Carlo (Longstaff and Schwartz), with the paths stored."""
import numpy as np

SIZES = {"tiny": (12, 4), "medium": (3000, 20), "large": (40000, 30)}
TOLERANCE = {"default": 1e-7}             # coefficients of regressions
paths, dates = SIZES[SIZE]
S0, K, r, sigma, T = 36.0, 40.0, 0.06, 0.2, 1.0
dt = T / dates
df = np.exp(-r * dt)
rng = np.random.default_rng(2001)

S = np.empty((dates + 1, paths))
S[0] = S0
for t in range(1, dates + 1):
    z = rng.standard_normal(paths // 2)
    z = np.hstack((z, -z))
    S[t] = S[t - 1] * np.exp((r - sigma ** 2 / 2) * dt + sigma * np.sqrt(dt) * z)

cash = np.maximum(K - S[-1], 0)
when = np.full(paths, dates)
coefficients = []
for t in range(dates - 1, 0, -1):
    cash *= df
    money = np.where(S[t] < K)[0]
    if len(money) < 4:
        coefficients.append(None)
        continue
    x = S[t, money] / K
    A = np.vander(x - 0.9, 3)
    c, residual, rank, sv = np.linalg.lstsq(A, cash[money], rcond=None)
    now = K - S[t, money]
    take = now > A @ c + 1e-9
    cash[money[take]] = now[take]
    when[money[take]] = t
    coefficients.append(c)
value = max(df * cash.mean(), K - S0)
error = (df * cash).std() / np.sqrt(paths)
european = np.exp(-r * T) * np.maximum(K - S[-1], 0).mean()
exercised = np.bincount(when[cash > 0], minlength=dates + 1)
regressed = sum(c is not None for c in coefficients)

print(f"value {value:.6f} +- {error:.6f}, European {european:.6f}, early {value - european:.6f}")
print("regressions", regressed, "exercised at", exercised)
print("mean date of exercise: %.4f" % (np.dot(exercised, np.arange(dates + 1)) / max(exercised.sum(), 1)))
