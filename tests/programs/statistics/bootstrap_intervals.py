# SPDX-License-Identifier: BSD-3-Clause
"""Bootstrap of mean, median, spread and correlation, kept in lists."""
import numpy as np

SIZES = {"tiny": (12, 20), "medium": (700, 300), "large": (5000, 900)}
n, repeats = SIZES[SIZE]
rng = np.random.default_rng(101)
x = rng.gamma(2.0, 1.5, n)
y = 0.6 * x + rng.normal(0, 1, n)


def correlation(a, b):
    a, b = a - a.mean(), b - b.mean()
    return (a * b).sum() / np.sqrt((a ** 2).sum() * (b ** 2).sum())


statistics = {"mean": lambda a, b: a.mean(), "median": lambda a, b: np.median(a),
              "spread": lambda a, b: a.std(ddof=1), "correlation": correlation}
draws = {name: [] for name in statistics}
for _ in range(repeats):
    chosen = rng.integers(0, n, n)
    a, b = x[chosen], y[chosen]
    for name, statistic in statistics.items():
        draws[name].append(statistic(a, b))
intervals, errors = {}, {}
for name, values in draws.items():
    values = np.array(values)
    estimate = statistics[name](x, y)
    low, high = np.percentile(values, [2.5, 97.5])
    bias = values.mean() - estimate
    intervals[name] = (2 * estimate - high, 2 * estimate - low)
    errors[name] = values.std(ddof=1), bias
    print(f"{name:12} {estimate:9.5f} +- {errors[name][0]:.5f}, {low:.5f} to {high:.5f}")
jackknife = np.empty(min(n, 400))
total = x.sum()
for i in range(len(jackknife)):
    jackknife[i] = (total - x[i]) / (n - 1)
jackknife_error = np.sqrt((n - 1) / n * ((jackknife - jackknife.mean()) ** 2).sum())
differences = []
pooled = np.concatenate((x, y))
observed = x.mean() - y.mean()
for _ in range(repeats // 2):
    rng.shuffle(pooled)
    differences.append(pooled[:n].mean() - pooled[n:].mean())
p_value = np.mean(np.abs(np.array(differences)) >= abs(observed))
NOISE = {"errors": 1e-12, "bias": 1e-12}
print(f"p {p_value:.4f}, inside: {bool(intervals['mean'][0] < 3.0 + 1.5 < 100)}")
