# SPDX-License-Identifier: BSD-3-Clause
"""Ising model: Metropolis sweeps of a checkerboard at several temperatures, and single flips on a corner."""
import numpy as np

SIZES = {"tiny": (4, 3), "medium": (128, 12), "large": (512, 14)}
n, sweeps = SIZES[SIZE]
rng = np.random.default_rng(44)
checker = (np.add.outer(np.arange(n), np.arange(n)) % 2).astype(bool)


def neighbours(s):
    total = np.roll(s, 1, 0)
    total += np.roll(s, -1, 0)
    total += np.roll(s, 1, 1)
    total += np.roll(s, -1, 1)
    return total


def sweep(s, table):
    """Flips spins of one colour, then of the other; table has the chance by s * (sum of the neighbours)."""
    flips = 0
    for colour in (checker, ~checker):
        chance = table[(s * neighbours(s) + 4) // 2]
        flip = colour & (rng.random(s.shape) < chance)
        s[flip] *= -1
        flips += np.count_nonzero(flip)
    return flips


measured = {}
lattices = []
for T in (1.5, 2.269, 3.5):
    table = np.minimum(1, np.exp(-2 * np.arange(-4, 5, 2) / T))
    s = np.ones((n, n), dtype=np.int8)
    energies, magnets, moved = [], [], []
    for k in range(sweeps):
        moved.append(sweep(s, table))
        energies.append(-(s * neighbours(s)).sum(dtype=np.int64) / (2 * s.size))
        magnets.append(s.mean(dtype=np.float64))
    measured[T] = {"energy": np.array(energies), "magnet": np.array(magnets), "moved": moved}
    lattices.append(s)

# one spin after another, on a piece of the last lattice (a view)
piece = lattices[-1][:4, :4]
accepted = 0
for step in range(100):
    i, j = rng.integers(0, 4, 2)
    around = piece[i - 1, j] + piece[(i + 1) % 4, j] + piece[i, j - 1] + piece[i, (j + 1) % 4]
    dE = 2 * piece[i, j] * around
    if dE <= 0 or rng.random() < np.exp(-dE / 2.0):
        piece[i, j] = -piece[i, j]
        accepted += 1

for T, m in measured.items():
    print(f"T={T:5.3f} energy {m['energy'][-1]:+.6f} magnet {abs(m['magnet'][-1]):.6f} flips {sum(m['moved'])}")
print("single flips:", accepted, "of 100, piece", piece.tolist())
