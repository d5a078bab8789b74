# SPDX-License-Identifier: BSD-3-Clause
"""Tridiagonal systems: Thomas' algorithm, also many at once, and cyclic reduction."""
import numpy as np

SIZES = {"tiny": (7, 3), "medium": (1023, 50), "large": (4095, 400)}
n, many = SIZES[SIZE]
rng = np.random.default_rng(6)
lower, upper = rng.uniform(-1, 1, n), rng.uniform(-1, 1, n)
middle = 3.0 + rng.random(n)
lower[0] = upper[-1] = 0.0
right = rng.normal(size=(n, many))


def thomas(a, b, c, d):
    c, d = c.copy(), d.copy()
    c[0] /= b[0]
    d[0] /= b[0]
    for i in range(1, len(b)):
        m = 1.0 / (b[i] - a[i] * c[i - 1])
        c[i] *= m
        d[i] = (d[i] - a[i] * d[i - 1]) * m
    for i in range(len(b) - 2, -1, -1):
        d[i] -= c[i] * d[i + 1]
    return d


def cyclic_reduction(a, b, c, d):
    """Of 2**k - 1 equations: every second unknown is eliminated, again and again."""
    if len(b) == 1:
        return d / b
    before, after = a[1::2] / b[:-1:2], c[1::2] / b[2::2]
    x = np.empty(len(b))
    x[1::2] = cyclic_reduction(-before * a[:-1:2], b[1::2] - before * c[:-1:2] - after * a[2::2],
                               -after * c[2::2], d[1::2] - before * d[:-1:2] - after * d[2::2])
    x[::2] = d[::2]
    x[2::2] -= a[2::2] * x[1::2]
    x[:-1:2] -= c[:-1:2] * x[1::2]
    x[::2] /= b[::2]
    return x


one = thomas(lower, middle, upper, right[:, 0])
all_at_once = thomas(lower, middle, upper, right)
reduced = cyclic_reduction(lower, middle, upper, right[:, 0])
again = middle[:, None] * all_at_once
again[1:] += lower[1:, None] * all_at_once[:-1]
again[:-1] += upper[:-1, None] * all_at_once[1:]
norms = [np.abs(column).sum() for column in all_at_once.T[:20]]
print(np.allclose(one, all_at_once[:, 0]), np.allclose(one, reduced), np.allclose(again, right))
