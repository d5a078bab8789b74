# SPDX-License-Identifier: BSD-3-Clause
"""Gravity of some bodies by leapfrog steps, each pair by broadcasting; energy, momentum and orbits are watched."""
import numpy as np

SIZES = {"tiny": (3, 10), "medium": (80, 40), "large": (400, 25)}
n, steps = SIZES[SIZE]
G, SOFT, dt = 1.0, 0.05, 1e-3


def accelerations(pos, mass):
    d = pos[None, :, :] - pos[:, None, :]
    r2 = (d ** 2).sum(axis=-1) + SOFT ** 2
    inv = r2 ** -1.5
    inv[np.diag_indices(len(pos))] = 0.0
    return G * (d * (mass[None, :] * inv)[..., None]).sum(axis=1)


def energy(pos, vel, mass):
    kinetic = 0.5 * (mass * (vel ** 2).sum(1)).sum()
    potential = 0.0
    for i in range(len(pos) - 1):
        r = np.sqrt(((pos[i + 1:] - pos[i]) ** 2).sum(axis=1) + SOFT ** 2)
        potential -= G * mass[i] * (mass[i + 1:] / r).sum()
    return kinetic, potential


rng = np.random.default_rng(1687)
mass = rng.uniform(0.5, 1.5, n) / n
mass[0] = 1.0
radius = rng.uniform(0.5, 3, n)
angle = rng.uniform(0, 2 * np.pi, n)
pos = np.stack([radius * np.cos(angle), radius * np.sin(angle), 0.05 * rng.standard_normal(n)], axis=1)
speed = np.sqrt(G * 1.5 / radius)
vel = np.column_stack([-speed * np.sin(angle), speed * np.cos(angle), np.zeros(n)])
pos[0] = vel[0] = 0
vel -= (mass[:, None] * vel).sum(axis=0) / mass.sum()

start = energy(pos, vel, mass)
track, drift = [], []
acc = accelerations(pos, mass)
for step in range(steps):
    vel += 0.5 * dt * acc
    pos += dt * vel
    acc = accelerations(pos, mass)
    vel += 0.5 * dt * acc
    if step % 5 == 0:
        k, p = energy(pos, vel, mass)
        drift.append((k + p) / sum(start) - 1)
        track.append(pos[:3].copy())
track = np.array(track)
momentum = (mass[:, None] * vel).sum(axis=0)
spin = np.cross(pos, mass[:, np.newaxis] * vel).sum(axis=0)
closest = np.min([np.sort(((pos - p) ** 2).sum(1))[1] for p in pos]) ** 0.5
biggest = max(abs(d) for d in drift)
assert biggest < 1e-2 and np.allclose(momentum, 0, atol=1e-12)
mean_drift = round(float(np.mean(drift)), 6)
moved = np.linalg.norm(track[-1] - track[0], axis=1)
print("energy %.6f %.6f, mean drift %.4f" % (start[0], start[1], mean_drift))
print("spin", spin.round(6), "closest", round(float(closest), 6))
print("moved", *[f"{m:.5f}" for m in moved])
del momentum, drift, biggest            # nothing but rounding errors
TOLERANCE = {"default": 1e-9}
