# SPDX-License-Identifier: BSD-3-Clause
"""Yield curve from deposits and swaps, bond by bond, Nelson-Siegel fitted to it, and bonds repriced."""
import numpy as np
from numpy.linalg import lstsq

SIZES = {"tiny": (5, 4), "medium": (30, 300), "large": (30, 6000)}
years, bonds = SIZES[SIZE]
quotes = {0.25: 0.021, 0.5: 0.0225, 1: 0.024}
for y in range(2, years + 1):
    quotes[y] = 0.024 + 0.012 * (1 - np.exp(-(y - 1) / 6)) + 0.0005 * np.sin(y)

times, factors = [0.0], [1.0]
for t, rate in quotes.items():
    if t <= 1:
        factor = 1 / (1 + rate * t)
    else:
        annuity = sum(f for s, f in zip(times, factors) if s >= 1 and s == int(s))
        factor = (1 - rate * annuity) / (1 + rate)
    times.append(float(t))
    factors.append(factor)
times, factors = np.array(times), np.array(factors)
zero = -np.log(factors[1:]) / times[1:]
forward = -np.diff(np.log(factors)) / np.diff(times)


def discount(t):
    """Log-linear between the nodes, flat forward after the last."""
    t = np.asarray(t, dtype=float)
    logs = np.interp(t, times, np.log(factors))
    beyond = t > times[-1]
    logs[beyond] -= forward[-1] * (t[beyond] - times[-1])
    return np.exp(logs)


def nelson_siegel(t, y):
    best = None
    for tau in np.arange(0.5, 8, 0.25):
        x = t / tau
        load = (1 - np.exp(-x)) / x
        A = np.stack([np.ones_like(t), load, load - np.exp(-x)], axis=-1)
        c = lstsq(A, y, rcond=None)[0]
        error = ((A @ c - y) ** 2).sum()
        if best is None or error < best[0]:
            best = (error, tau, c, A @ c)
    return best


error, tau, c, fitted = nelson_siegel(times[1:], zero)
rng = np.random.default_rng(1694)
coupon = rng.integers(0, 13, bonds) / 200
maturity = rng.integers(1, years * 2 + 4, bonds) / 2
prices, durations, yields = np.empty((3, bonds))
for k in range(bonds):
    t = np.arange(maturity[k], 0, -1)[::-1]
    flows = np.full(t.shape, 100 * coupon[k])
    flows[-1] += 100
    present = flows * discount(t)
    prices[k] = present.sum()
    durations[k] = (t * present).sum() / prices[k]
    y = 0.03
    for _ in range(30):
        v = flows * np.exp(-y * t)
        step = (v.sum() - prices[k]) / (t * v).sum()
        y += step
        if abs(step) < 1e-13:
            break
    yields[k] = y
accrued = 100 * coupon * (np.ceil(maturity) - maturity)
order = np.lexsort((-prices, maturity))
print("zero rates", np.array2string(zero[[0, 2, -1]], precision=6), "longest forward %.6f" % forward[-1])
print(f"Nelson-Siegel tau {tau:.2f}", "coefficients", " ".join("%+.5f" % v for v in c))
for k in order[:3]:
    print("%.1f years %.1f%%: %9.5f duration %.5f yield %.6f" % (maturity[k], 100 * coupon[k], prices[k], durations[k], yields[k]))
del v, step
TOLERANCE = {"default": 1e-8, "error": 1e-6, "best": 1e-6}
