# SPDX-License-Identifier: BSD-3-Clause
"""Burgers' equation: Godunov's flux, and with viscosity by Runge-Kutta; where the shock is."""
import numpy as np

SIZES = {"tiny": (20, 15), "medium": (4000, 250), "large": (40000, 150)}
n, steps = SIZES[SIZE]
dx = 2 * np.pi / n
x = (np.arange(n) + 0.5) * dx
u = 1.0 + 0.5 * np.sin(x)
viscous = u.copy()


def godunov(left, right):
    """The flux between two states: a shock or a fan."""
    shock = left > right
    speed = (left + right) / 2
    at_shock = np.where(speed > 0, left ** 2 / 2, right ** 2 / 2)
    fan = np.where(left > 0, left ** 2 / 2, np.where(right < 0, right ** 2 / 2, 0.0))
    return np.where(shock, at_shock, fan)


def slope(v, nu=0.02):
    ahead, behind = np.concatenate([v[1:], v[:1]]), np.concatenate([v[-1:], v[:-1]])
    bend = (ahead - 2 * v + behind) / dx ** 2
    return -v * (ahead - behind) / (2 * dx) + nu * np.minimum(1, dx) * bend


places, steepness, mass = [], [], []
time, printed = 0.0, 0
for step in range(steps):
    dt = 0.3 * dx / np.abs(u).max()
    flux = godunov(u, np.append(u[1:], u[0]))
    u = u - dt / dx * (flux - np.append(flux[-1], flux[:-1]))
    k1 = slope(viscous)
    k2 = slope(viscous + dt / 2 * k1)
    k3 = slope(viscous + dt / 2 * k2)
    k4 = slope(viscous + dt * k3)
    viscous += dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    time += dt
    jumps = np.diff(u)
    places.append(x[int(jumps.argmin())])
    steepness.append(jumps.min() / dx)
    mass.append([u.sum() * dx, viscous.sum() * dx])
    if step % 100 == 0:
        print(f"{step:5} steps, mass {mass[-1][0]:.8f}, steepest {steepness[-1]:.5f}")
        printed += 1
TOLERANCE = {"default": 1e-9}
mass = np.array(mass)
kept = bool(np.allclose(mass[:, 0], mass[0, 0]))
print("mass is kept:", kept)
