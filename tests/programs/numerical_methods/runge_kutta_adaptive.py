# SPDX-License-Identifier: BSD-3-Clause
"""Runge-Kutta-Fehlberg with steps chosen by the error: Lotka-Volterra, an orbit, a stiff line, and plain RK4."""
import numpy as np

SIZES = {"tiny": (1e-3, 1.0), "medium": (1e-8, 8.0), "large": (1e-10, 20.0)}
TOLERANCE = {"default": 1e-6}             # steps that are chosen by errors amplify last digits of these
tol, end = SIZES[SIZE]

A = [[], [1 / 4], [3 / 32, 9 / 32], [1932 / 2197, -7200 / 2197, 7296 / 2197],
     [439 / 216, -8, 3680 / 513, -845 / 4104], [-8 / 27, 2, -3544 / 2565, 1859 / 4104, -11 / 40]]
C = np.array([0, 1 / 4, 3 / 8, 12 / 13, 1, 1 / 2])
B5 = np.array([16 / 135, 0, 6656 / 12825, 28561 / 56430, -9 / 50, 2 / 55])
B4 = np.array([25 / 216, 0, 1408 / 2565, 2197 / 4104, -1 / 5, 0])


def rkf45(f, y, end, tol):
    t, h = 0.0, 1e-2
    ts, ys, rejected = [t], [y.copy()], 0
    k = np.zeros((6,) + y.shape)
    while t < end:
        h = min(h, end - t)
        for i in range(6):
            step = y.copy()
            for a, slope in zip(A[i], k):
                step += h * a * slope
            k[i] = f(t + C[i] * h, step)
        error = np.max(np.abs(h * ((B5 - B4) @ k)) / (1 + np.abs(y)))
        if error <= tol:
            t += h
            y = y + h * (B5 @ k)
            ts.append(t)
            ys.append(y)
        else:
            rejected += 1
        h *= min(4.0, max(0.1, 0.9 * (tol / max(error, 1e-300)) ** 0.2))
        if len(ts) > 100000:
            raise RuntimeError("too many steps")
    return np.array(ts), np.array(ys), rejected


def predator(t, y):
    x, z = y
    return np.array([1.1 * x - 0.4 * x * z, 0.1 * x * z - 0.4 * z])


def orbit(t, y):
    r3 = (y[0] ** 2 + y[1] ** 2) ** 1.5
    return np.array([y[2], y[3], -y[0] / r3, -y[1] / r3])


def line(t, y):
    return -50 * (y - np.cos(t))


def rk4(f, y, end, n):
    h = end / n
    for i in range(n):
        k1 = f(i * h, y)
        k2 = f(i * h + h / 2, y + h / 2 * k1)
        k3 = f(i * h + h / 2, y + h / 2 * k2)
        k4 = f(i * h + h, y + h * k3)
        y = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    return y


problems = {"predator": (predator, [10.0, 5.0]), "orbit": (orbit, [1.0, 0.0, 0.0, 1.2]), "line": (line, [0.0])}
ends = {}
for name, (f, start) in problems.items():
    ts, ys, rejected = rkf45(f, np.array(start), end, tol)
    check = rk4(f, np.array(start), end, int(100 * end))
    ends[name] = ys[-1]
    apart = np.abs(check - ys[-1]).max()
    assert apart < 0.05, (name, apart)
    print("%-8s" % name, "end", *("%.5f" % v for v in ys[-1]))
energy = 0.5 * (ends["orbit"][2:] ** 2).sum() - 1 / np.hypot(*ends["orbit"][:2])
print("energy of the orbit %.6f" % energy)
del ts, ys, rejected, check, apart        # how many steps there were may depend on last digits
