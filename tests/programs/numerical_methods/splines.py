# SPDX-License-Identifier: BSD-3-Clause
"""Interpolation: natural and periodic cubic splines, Lagrange and Newton polynomials, Chebyshev series."""
import numpy as np

SIZES = {"tiny": (5, 11), "medium": (400, 5000), "large": (3000, 300000)}
n, m = SIZES[SIZE]


def thomas(a, b, c, d):
    """Tridiagonal systems; a, c, d are left as they were."""
    b, d = b.copy(), d.copy()
    for i in range(1, len(d)):
        f = a[i - 1] / b[i - 1]
        b[i] -= f * c[i - 1]
        d[i] -= f * d[i - 1]
    x = d
    x[-1] /= b[-1]
    for i in range(len(d) - 2, -1, -1):
        x[i] = (d[i] - c[i] * x[i + 1]) / b[i]
    return x


class NaturalSpline:
    def __init__(self, x, y):
        h, s = np.diff(x), np.diff(y) / np.diff(x)
        self.x, self.y = x, y
        self.M = np.zeros_like(x)
        self.M[1:-1] = thomas(h[1:-1], 2 * (h[:-1] + h[1:]), h[1:-1], 6 * np.diff(s))
        self.h = h

    def __call__(self, t, derivative=0):
        i = np.clip(np.searchsorted(self.x, t, side="right") - 1, 0, len(self.h) - 1)
        h, u = self.h[i], t - self.x[i]
        y0, y1, M0, M1 = self.y[i], self.y[i + 1], self.M[i], self.M[i + 1]
        b = (y1 - y0) / h - h * (2 * M0 + M1) / 6
        if derivative == 0:
            return y0 + u * (b + u * (M0 / 2 + u * (M1 - M0) / (6 * h)))
        if derivative == 1:
            return b + u * (M0 + u * (M1 - M0) / (2 * h))
        return M0 + u * (M1 - M0) / h

    def integral(self):
        return ((self.y[:-1] + self.y[1:]) / 2 * self.h - self.h ** 3 * (self.M[:-1] + self.M[1:]) / 24).sum()


def newton_polynomial(x, y, t):
    c = y.copy()
    for k in range(1, len(x)):
        c[k:] = (c[k:] - c[k - 1:-1]) / (x[k:] - x[:-k])
    p = np.zeros_like(t)
    for ck, xk in zip(c[::-1], x[::-1]):
        p = p * (t - xk) + ck
    return p, c


def chebyshev(f, degree):
    k = np.arange(degree + 1)
    nodes = np.cos(np.pi * (k + 0.5) / (degree + 1))
    c = 2 / (degree + 1) * np.cos(np.pi * np.outer(k, k + 0.5) / (degree + 1)) @ f(nodes)
    c[0] /= 2
    return c


def clenshaw(c, t):
    b1 = b2 = 0 * t
    for ck in c[:0:-1]:
        b1, b2 = 2 * t * b1 - b2 + ck, b1
    return t * b1 - b2 + c[0]


def f(x):
    return np.sin(3 * x) * np.exp(-x / 2) + 0.2 * x


rng = np.random.default_rng(1946)
x = np.sort(np.append(np.linspace(0, 4, n // 2 + 1), rng.uniform(0.01, 3.99, n - n // 2)))
x = np.delete(x, np.flatnonzero(np.diff(x) < 0.2 / n) + 1)
spline = NaturalSpline(x, f(x))
t = np.linspace(0, 4, m)
value, slope, bend = (spline(t, d) for d in range(3))
error = np.abs(value - f(t)).max()
area = spline.integral()
assert np.array_equal(spline(x[:-1]), f(x)[:-1])
few = np.linspace(0, 4, 9)
polynomial, coefficients = newton_polynomial(few, f(few), t)
series = chebyshev(lambda u: f(2 * u + 2), 24)
close = clenshaw(series, (t - 2) / 2)
assert np.abs(close - f(t)).max() < 1e-9
extremes = t[1:-1][np.sign(slope[1:-1]) != np.sign(slope[2:])] if m > 20 else t[:0]
print("nodes", len(x), "error %.8f" % error, "area %.10f" % area)
print("polynomial", coefficients[:4], "extremes", extremes)
print("series", " ".join(f"{c:+.2e}" for c in series[:6]), "bend at the ends", bend[0], round(float(bend[-1]), 6))
TOLERANCE = {"default": 1e-8, "spline": 1e-6, "bend": 1e-6}   # second differences of close points
