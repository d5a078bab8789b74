# SPDX-License-Identifier: BSD-3-Clause
"""Many double pendulums at once by Runge-Kutta steps; which of them turned over, and when."""
import numpy as np
from numpy import sin, cos

SIZES = {"tiny": (3, 40), "medium": (40, 120), "large": (130, 60)}
TOLERANCE = {"default": 1e-6, "flip": 0}  # chaotic, so few steps
side, steps = SIZES[SIZE]
g, m1, m2, l1, l2 = 9.81, 1.0, 0.5, 1.0, 0.8


def derivative(s):
    a, b, p, q = s
    d = a - b
    den = 2 * m1 + m2 - m2 * cos(2 * d)
    out = np.empty_like(s)
    out[0] = p
    out[1] = q
    out[2] = (-g * (2 * m1 + m2) * sin(a) - m2 * g * sin(a - 2 * b)
              - 2 * sin(d) * m2 * (q ** 2 * l2 + p ** 2 * l1 * cos(d))) / (l1 * den)
    out[3] = 2 * sin(d) * (p ** 2 * l1 * (m1 + m2) + g * (m1 + m2) * cos(a)
                           + q ** 2 * l2 * m2 * cos(d)) / (l2 * den)
    return out


def energy(s):
    a, b, p, q = s
    kinetic = 0.5 * m1 * (l1 * p) ** 2 + 0.5 * m2 * ((l1 * p) ** 2 + (l2 * q) ** 2 + 2 * l1 * l2 * p * q * cos(a - b))
    return kinetic - (m1 + m2) * g * l1 * cos(a) - m2 * g * l2 * cos(b)


angles = np.linspace(0.3, 2.6, side)
state = np.zeros((4, side, side))
state[0], state[1] = np.meshgrid(angles, angles, indexing="ij")
start = energy(state)
flip = np.full((side, side), -1)
dt = 0.01
k = [None] * 4
for n in range(steps):
    k[0] = derivative(state)
    k[1] = derivative(state + 0.5 * dt * k[0])
    k[2] = derivative(state + 0.5 * dt * k[1])
    k[3] = derivative(state + dt * k[2])
    for c, slope in zip((1, 2, 2, 1), k):
        state += c * dt / 6 * slope
    over = (np.abs(state[1]) > np.pi) & (flip < 0)
    flip[over] = n
error = np.abs(energy(state) - start).max()
assert error < 1e-2
del error                                # mostly rounding errors
x = l1 * sin(state[0]) + l2 * sin(state[1])
y = -l1 * cos(state[0]) - l2 * cos(state[1])
turned = np.argwhere(flip >= 0)
spread = np.stack((x.ravel(), y.ravel())).std(axis=1)
print("turned over:", len(turned), "first at", flip[flip >= 0].min() if len(turned) else None)
print("spread", spread.round(8), "lowest %.6f highest %.6f" % (y.min(), y.max()))
