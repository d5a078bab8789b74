# SPDX-License-Identifier: BSD-3-Clause
"""Black-Scholes prices and sensitivities of a whole book, and implied volatilities by Newton and bisection."""
import math

import numpy as np

SIZES = {"tiny": 4, "medium": 12000, "large": 60000}
TOLERANCE = {"default": 1e-8}            # implied volatilities are ill conditioned where vega is small
n = SIZES[SIZE]


def ndtr(x):
    """Normal distribution by a rational approximation of erfc (absolute error below 2e-7)."""
    z = np.abs(x) / math.sqrt(2)
    t = 1 / (1 + 0.5 * z)
    c = [1.00002368, 0.37409196, 0.09678418, -0.18628806, 0.27886807, -1.13520398, 1.48851587, -0.82215223, 0.17087277]
    poly = np.zeros_like(t)
    for a in c[::-1]:
        poly = poly * t + a
    tail = 0.5 * t * np.exp(-z * z - 1.26551223 + t * poly)
    return np.where(x >= 0, 1 - tail, tail)


def pdf(x):
    return np.exp(-0.5 * x ** 2) / np.sqrt(2 * np.pi)


def price(S, K, T, r, sigma, call):
    root = sigma * np.sqrt(T)
    d1 = (np.log(S / K) + (r + 0.5 * sigma ** 2) * T) / root
    d2 = d1 - root
    c = S * ndtr(d1) - K * np.exp(-r * T) * ndtr(d2)
    vega = S * pdf(d1) * np.sqrt(T)
    delta = ndtr(d1)
    value = np.where(call, c, c - S + K * np.exp(-r * T))
    return value, np.where(call, delta, delta - 1), vega, pdf(d1) / (S * root)


rng = np.random.default_rng(1973)
S = rng.uniform(80, 120, n)
K = np.round(S * rng.uniform(0.8, 1.25, n), 0)
T = rng.integers(30, 730, n) / 365
sigma = rng.uniform(0.1, 0.6, n)
call = rng.random(n) < 0.5
r = 0.03
value, delta, vega, gamma = price(S, K, T, r, sigma, call)
parity = price(S, K, T, r, sigma, True)[0] - price(S, K, T, r, sigma, False)[0] - S + K * np.exp(-r * T)
assert np.abs(parity).max() < 1e-10
del parity

guess = np.full(n, 0.3)
todo = np.arange(n)
rounds = 0
while len(todo) > 0 and rounds < 8:
    v, _, slope, _ = price(S[todo], K[todo], T[todo], r, guess[todo], call[todo])
    step = (v - value[todo]) / np.maximum(slope, 1e-3)
    guess[todo] = np.clip(guess[todo] - np.clip(step, -0.2, 0.2), 0.01, 2)
    todo = todo[np.abs(step) > 1e-7]
    rounds += 1
low, high = np.full(n, 0.01), np.full(n, 2.0)
for _ in range(20):
    middle = (low + high) / 2
    above = price(S, K, T, r, middle, call)[0] > value
    high[above] = middle[above]
    low[~above] = middle[~above]
liquid = vega > 1.0
error = np.max(np.abs(guess - sigma)[liquid]) if liquid.any() else 0.0
worst = np.abs((low + high) / 2 - sigma)[liquid].max()
assert error < 1e-3 and worst < 1e-3, (error, worst)
del error, worst, guess, low, high, middle, above, v, slope, step, todo, rounds
book = {"calls": value[call].sum(), "puts": value[~call].sum(), "delta": delta.sum(), "vega": vega.sum() / 100}
for name, amount in book.items():
    print(f"{name:>6} {amount:14,.4f}")
print("gamma largest at strike", K[gamma.argmax()], "of spot %.4f" % S[gamma.argmax()])
