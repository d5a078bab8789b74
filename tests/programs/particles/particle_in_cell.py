# SPDX-License-Identifier: BSD-3-Clause
"""Two streams of electrons in one dimension: charges to a grid, the field by Fourier transform, and back."""
import numpy as np
from numpy.fft import rfft, irfft, rfftfreq

SIZES = {"tiny": (20, 8, 5), "medium": (20000, 64, 15), "large": (200000, 128, 18)}
particles, cells, steps = SIZES[SIZE]
L, dt = 4 * np.pi, 0.1
dx = L / cells
rng = np.random.default_rng(60)

x = (np.arange(particles) + 0.5) * L / particles
v = np.where(np.arange(particles) % 2 == 0, 1.0, -1.0) + 0.01 * rng.standard_normal(particles)
x += 0.02 * np.sin(2 * np.pi * x / L)
x %= L
k = 2 * np.pi * rfftfreq(cells, dx)
weight = L / particles


def weights(x):
    place = x / dx
    left = np.floor(place).astype(np.int32)
    part = place - left
    return left % cells, (left + 1) % cells, part


def deposit(left, right, part):
    rho = np.bincount(left, weights=1 - part, minlength=cells)
    rho += np.bincount(right, part, cells)
    return rho * weight / dx - 1.0


def field(rho):
    f = rfft(-rho)
    f[0] = 0
    f[1:] /= 1j * k[1:]
    return irfft(f, n=cells)


field_energy, kinetic, spectrum = [], [], np.zeros((steps, 4))
for step in range(steps):
    left, right, part = weights(x)
    E = field(deposit(left, right, part))
    at = E[left] * (1 - part) + E[right] * part
    v -= dt * at
    x += dt * v
    np.mod(x, L, out=x)
    field_energy.append(0.5 * dx * (E ** 2).sum())
    kinetic.append(0.5 * weight * np.dot(v, v))
    modes = np.abs(rfft(E))[1:5]
    spectrum[step, :len(modes)] = modes
total = np.array(field_energy) + np.array(kinetic)
phase, xedges, vedges = np.histogram2d(x, v, bins=[cells // 4, 6], range=[[0, L], [-3, 3]])
assert phase.sum() == particles and abs(total[-1] / total[0] - 1) < 0.2
print("field energy", *("%.3e" % e for e in field_energy[::10]))
print("kinetic %.8f -> %.8f" % (kinetic[0], kinetic[-1]))
print("momentum per particle %.6f" % v.mean(), "modes", spectrum[-1].round(8))
del phase, left, right, part              # particles at the edges of boxes may fall to either side
TOLERANCE = {"default": 1e-8}
