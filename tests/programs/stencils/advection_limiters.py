# SPDX-License-Identifier: BSD-3-Clause
"""Advection of a pulse and a block around a ring: upwind, Lax-Wendroff, and limited slopes."""
import numpy as np

SIZES = {"tiny": (16, 30), "medium": (20000, 60), "large": (100000, 60)}
n, steps = SIZES[SIZE]
x = np.arange(n) / n
start = np.exp(-200 * (x - 0.3) ** 2)
start[(x > 0.6) & (x < 0.8)] = 1.0
c = 0.5


def upwind(u):
    return u - c * (u - np.roll(u, 1))


def lax_wendroff(u):
    right, left = np.roll(u, -1), np.roll(u, 1)
    return u - c / 2 * (right - left) + c * c / 2 * (right - 2 * u + left)


def limited(u, limiter):
    forward = np.roll(u, -1) - u
    backward = np.roll(forward, 1)
    slope = limiter(backward, forward)
    flux = u + (1 - c) / 2 * slope
    return u - c * (flux - np.roll(flux, 1))


def minmod(a, b):
    return np.where(a * b <= 0, 0.0, np.where(np.abs(a) < np.abs(b), a, b))


def superbee(a, b):
    one, two = minmod(2 * a, b), minmod(a, 2 * b)
    return np.where(np.abs(one) > np.abs(two), one, two)


def van_leer(a, b):
    product = a * b
    result = np.zeros_like(a)
    rising = product > 1e-30
    result[rising] = 2 * product[rising] / (a + b)[rising]
    return result


schemes = {"upwind": upwind, "lax-wendroff": lax_wendroff,
           "minmod": lambda u: limited(u, minmod), "superbee": lambda u: limited(u, superbee),
           "van leer": lambda u: limited(u, van_leer)}
report, profiles = {}, []
for name, advance in schemes.items():
    u = start.copy()
    variation = []
    for step in range(steps):
        u = advance(u)
        if step % 10 == 0:
            variation.append(np.abs(np.diff(u)).sum())
    profiles.append(u)
    report[name] = dict(total=u.sum(), lowest=u.min(), highest=u.max(), variation=variation)
    print(f"{name:13} {u.sum() / n:.8f} {u.max():.6f} {'monotone' if u.min() > -1e-9 else 'rings'}")
NOISE = {"report": 1e-9, "profiles": 1e-12}
