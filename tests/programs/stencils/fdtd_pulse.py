# SPDX-License-Identifier: BSD-3-Clause
"""Electromagnetic pulse on a staggered grid past a slab, absorbing layers, 32 bits."""
import numpy as np

SIZES = {"tiny": (16, 12), "medium": (200, 120), "large": (600, 120)}
n, steps = SIZES[SIZE]
TOLERANCE = {"default": 2e-4}     # 32 bits, differences of neighbours add up
Ez = np.zeros((n, n), dtype=np.float32)
Hx = np.zeros((n, n - 1), dtype="f4")
Hy = np.zeros((n - 1, n), "f4")
eps = np.ones_like(Ez)
eps[n // 2:n // 2 + n // 8, n // 4:] = np.float32(4)
layer = max(2, n // 10)
fade = np.ones(n, dtype=np.float32)
for k in range(layer):
    factor = 1 - 0.3 * ((layer - k) / layer) ** 2
    fade[k] *= factor
    fade[-1 - k] *= factor
c = np.float32(0.5)
probe, energy = [], {}
snapshots = []
for t in range(steps):
    Hx -= c * (Ez[:, 1:] - Ez[:, :-1])
    Hy += c * (Ez[1:, :] - Ez[:-1, :])
    curl = (Hy[1:, 1:-1] - Hy[:-1, 1:-1]) - (Hx[1:-1, 1:] - Hx[1:-1, :-1])
    Ez[1:-1, 1:-1] += c / eps[1:-1, 1:-1] * curl
    Ez[n // 4, n // 2] += np.float32(np.exp(-((t - 20) / 8.0) ** 2))
    Ez *= fade[:, None]
    Ez *= fade
    probe.append(Ez[n // 3, n // 2])
    if t % 20 == 0:
        energy[t] = float((Ez.astype(float) ** 2 * eps).sum() + (Hx ** 2).sum(dtype=float)
                          + (Hy ** 2).sum(dtype=float))
        snapshots.append(Ez[::8, ::8].copy())
largest = np.abs(Ez).max()
where = [int(k) for k in np.unravel_index(np.argmax(np.abs(np.array(probe))), (len(probe),))]
print(Ez.dtype, Hx.shape, Hy.shape, f"{len(energy)} energies, largest {largest:.3f}")
