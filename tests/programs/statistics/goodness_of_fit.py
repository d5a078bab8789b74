# SPDX-License-Identifier: BSD-3-Clause
"""Tests of fit: Kolmogorov and Smirnov, chi squared with merged bins, densities, rank sums."""
import numpy as np

SIZES = {"tiny": (15, 10), "medium": (4000, 200), "large": (120000, 300)}
n, points = SIZES[SIZE]
rng = np.random.default_rng(35)
samples = {"normal": rng.normal(1, 2, n), "laplace": rng.laplace(1, 1.4, n),
           "uniform": rng.uniform(-2, 4, n)}


def normal_cdf(z):
    """Abramowitz and Stegun's 26.2.17."""
    t = 1 / (1 + 0.2316419 * np.abs(z))
    poly = t * (0.319381530 + t * (-0.356563782 + t * (1.781477937
                + t * (-1.821255978 + t * 1.330274429))))
    tail = np.exp(-z ** 2 / 2) / np.sqrt(2 * np.pi) * poly
    return np.where(z > 0, 1 - tail, tail)


report = {}
for name, x in samples.items():
    z = np.sort((x - x.mean()) / x.std())
    cdf = normal_cdf(z)
    above = (np.arange(1, n + 1) / n - cdf).max()
    below = (cdf - np.arange(n) / n).max()
    ks = max(above, below)
    edges = np.linspace(-4, 4, 25)
    counts = np.histogram(z, edges)[0].astype(float)
    expected = n * np.diff(normal_cdf(edges))
    merged, current = [], [0.0, 0.0]
    for c, e in zip(counts, expected):
        current = [current[0] + c, current[1] + e]
        if current[1] >= 5:
            merged.append(current)
            current = [0.0, 0.0]
    merged = np.array(merged)
    chi2 = ((merged[:, 0] - merged[:, 1]) ** 2 / merged[:, 1]).sum()
    moments = [(z ** k).mean() for k in (3, 4)]
    report[name] = {"ks": ks, "chi2": chi2, "bins": len(merged), "moments": moments}
    print(f"{name:8} D {ks:.8f} chi2 {chi2:.6f} in {len(merged)} bins, kurtosis {moments[1]:.6f}")

grid = np.linspace(-6, 8, points)
densities = []
for x in samples.values():
    width = 1.06 * x.std() * n ** -0.2
    density = np.zeros(points)
    for g in range(points):
        near = x[np.abs(x - grid[g]) < 4 * width][:2000]
        density[g] = np.exp(-0.5 * ((near - grid[g]) / width) ** 2).sum() / (n * width * 2.5066)
    densities.append(density)
pooled = np.concatenate([samples["normal"], samples["uniform"]])
ranks = np.empty(len(pooled))
ranks[np.argsort(pooled)] = np.arange(1, len(pooled) + 1)
u = ranks[:n].sum() - n * (n + 1) / 2
z_score = (u - n * n / 2) / np.sqrt(n * n * (2 * n + 1) / 12)
two_sample = np.abs(np.searchsorted(np.sort(samples["normal"]), np.sort(pooled), side="right")
                    - np.searchsorted(np.sort(samples["uniform"]), np.sort(pooled), "right")).max()
NOISE = {"report": 1e-9, "moments": 1e-9}
print(f"z {z_score:.8f}, two samples {two_sample / n:.8f}")
