# SPDX-License-Identifier: BSD-3-Clause
"""Heston's model: paths with full truncation, and prices from the characteristic function by quadrature."""
import numpy as np

SIZES = {"tiny": (6, 5, 20), "medium": (3000, 50, 400), "large": (40000, 60, 2000)}
paths, steps, nodes = SIZES[SIZE]
S0, v0, kappa, theta, xi, rho, r, T = 100.0, 0.04, 1.5, 0.05, 0.4, -0.6, 0.01, 1.0


def characteristic(u):
    """Of the logarithm of the price at T, for complex u."""
    b = kappa - rho * xi * 1j * u
    d = np.sqrt(b ** 2 + xi ** 2 * (1j * u + u ** 2))
    g = (b - d) / (b + d)
    e = np.exp(-d * T)
    C = 1j * u * r * T + kappa * theta / xi ** 2 * ((b - d) * T - 2 * np.log((1 - g * e) / (1 - g)))
    D = (b - d) / xi ** 2 * (1 - e) / (1 - g * e)
    return np.exp(C + D * v0 + 1j * u * np.log(S0))


def call_prices(strikes, nodes):
    u = (np.arange(nodes) + 0.5) * (120 / nodes)
    w = 120 / nodes
    k = np.log(strikes)[:, None]
    f1 = (np.exp(-1j * u * k) * characteristic(u - 1j) / (1j * u * S0 * np.exp(r * T))).real
    f2 = (np.exp(-1j * u * k) * characteristic(u) / (1j * u)).real
    P1, P2 = (0.5 + w * f.sum(axis=1) / np.pi for f in (f1, f2))
    return S0 * P1 - strikes * np.exp(-r * T) * P2


def monte_carlo(rng):
    dt = T / steps
    logS, v = np.full(paths, np.log(S0)), np.full(paths, v0)
    negative = 0
    means = []
    for _ in range(steps):
        z1, z2 = rng.standard_normal((2, paths))
        z2 = rho * z1 + np.sqrt(1 - rho ** 2) * z2
        plus = np.maximum(v, 0)
        root = np.sqrt(plus * dt)
        logS += (r - plus / 2) * dt + root * z1
        v += kappa * (theta - plus) * dt + xi * root * z2
        negative += (v < 0).sum()
        means.append(plus.mean())
    return np.exp(logS), negative, np.array(means)


strikes = np.linspace(70, 130, 7)
exact = call_prices(strikes, nodes)
S, negative, means = monte_carlo(np.random.default_rng(1993))
sampled = np.array([np.maximum(S - K, 0).mean() for K in strikes]) * np.exp(-r * T)
if SIZE != "tiny":
    assert np.all(np.abs(sampled - exact) < 1.5)
    assert (np.diff(exact) < 0).all() and (np.diff(exact, 2) > 0).all()
for K, a, b in zip(strikes, exact, sampled):
    print("%6.1f %10.6f %10.6f" % (K, a, b))
print("negative variances", negative, "mean variance %.6f" % means[-1])
skew = ((S / S.mean() - 1) ** 3).mean()
TOLERANCE = {"default": 1e-8}
