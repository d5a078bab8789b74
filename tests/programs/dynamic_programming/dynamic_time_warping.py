# SPDX-License-Identifier: BSD-3-Clause
"""Dynamic time warping of noisy signals against templates, with a band, and nearest template by distance."""
import numpy as np

SIZES = {"tiny": (2, 3, 8), "medium": (4, 6, 45), "large": (8, 9, 70)}
templates, signals, length = SIZES[SIZE]
np.random.seed(99)
t = np.linspace(0, 1, length)


def dtw(a, b, band):
    n, m = a.shape[0], b.shape[0]
    band = max(band, abs(n - m))
    d = np.ones((n + 1, m + 1)) * np.inf
    d[0, 0] = 0.
    for i in range(1, n + 1):
        lo, hi = max(1, i - band), min(m, i + band) + 1
        cost = (a[i - 1] - b[lo - 1:hi - 1]) ** 2
        above = np.minimum(d[i - 1, lo:hi], d[i - 1, lo - 1:hi - 1])
        left = d[i, lo - 1]
        row = d[i]
        for j in range(lo, hi):
            left = cost[j - lo] + min(above[j - lo], left)
            row[j] = left
    return d


def way(d):
    i, j = d.shape[0] - 1, d.shape[1] - 1
    points = [(i - 1, j - 1)]
    while (i, j) != (1, 1):
        step = np.array([d[i - 1, j - 1], d[i - 1, j], d[i, j - 1]]).argmin()
        if step != 2:
            i -= 1
        if step != 1:
            j -= 1
        points.append((i - 1, j - 1))
    return np.array(points)[::-1]


known = [np.sin(2 * np.pi * (k + 1) * t ** 1.1) * (1 + k / 5) + t ** 2 / 3 for k in range(templates)]     # no symmetries: no ties
truth, found = [], []
table = np.zeros((signals, templates))
for s in range(signals):
    k = s % templates
    stretched = t ** (1 + 0.3 * np.random.rand())
    x = np.interp(stretched, t, known[k]) + 0.02 * np.random.randn(length)
    for c, y in enumerate(known):
        table[s, c] = np.sqrt(dtw(x, y, length // 5)[-1, -1])
    truth.append(k)
    found.append(int(table[s].argmin()))

d = dtw(known[0], known[-1], length)
path = way(d)
assert (np.diff(path, axis=0) >= 0).all()
warped = known[0][path[:, 0]] - known[-1][path[:, 1]]
right = sum(p == q for p, q in zip(truth, found))
reached = np.isfinite(d).sum()
print("right: %d of %d" % (right, signals))
print("path of", len(path), "points, finite cells", reached, "misfit {:.6f}".format((warped ** 2).sum()))
