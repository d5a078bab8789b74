# SPDX-License-Identifier: BSD-3-Clause
"""Crank-Nicolson: heat in many rods at once with Thomas' algorithm, and a quantum wave packet that meets a wall."""
import numpy as np

SIZES = {"tiny": (8, 2, 4), "medium": (150, 60, 12), "large": (400, 300, 25)}
n, rods, steps = SIZES[SIZE]


class Thomas:
    """One factorisation, many right-hand sides: columns, or a single vector."""

    def __init__(self, lower, main, upper):
        self.lower, self.upper = lower, upper
        self.pivot = main.copy()
        self.factor = np.zeros_like(lower)
        for i in range(1, len(main)):
            self.factor[i - 1] = lower[i - 1] / self.pivot[i - 1]
            self.pivot[i] -= self.factor[i - 1] * upper[i - 1]

    def solve(self, rhs, out=None):
        x = np.array(rhs) if out is None else out
        if out is not None:
            out[...] = rhs
        for i in range(1, len(x)):
            x[i] -= self.factor[i - 1] * x[i - 1]
        x[-1] /= self.pivot[-1]
        for i in reversed(range(len(x) - 1)):
            x[i] -= self.upper[i] * x[i + 1]
            x[i] /= self.pivot[i]
        return x


# heat: u_t = u_xx, ends held at zero; a rod a column
h = 1 / (n + 1)
dt = 0.5 * h
r = dt / (2 * h * h)
x = np.arange(1, n + 1) * h
u = np.zeros((n, rods))
for k, column in enumerate(u.T):
    column[:] = np.sin(np.pi * x) + 0.5 * np.sin((k % 5 + 2) * np.pi * x)
first = u.copy()
system = Thomas(np.full(n - 1, -r), np.full(n, 1 + 2 * r), np.full(n - 1, -r))
total = [u.sum(axis=0)]
rhs = np.empty_like(u)
for t in range(steps):
    rhs[...] = (1 - 2 * r) * u
    rhs[1:] += r * u[:-1]
    rhs[:-1] += r * u[1:]
    system.solve(rhs, out=u)
    total.append(u.sum(axis=0))
total = np.array(total)
assert (np.diff(total, axis=0) <= 1e-9).all()
dense = np.eye(n) * (1 + 2 * r) - r * (np.eye(n, k=1) + np.eye(n, k=-1))
assert np.allclose(dense @ u, rhs)

# i psi_t = -psi_xx / 2 + V psi
z = np.linspace(-10, 10, n)
dz = z[1] - z[0]
V = np.where(np.abs(z - 2) < 0.5, 3.0, 0.0)
psi = np.exp(-(z + 3) ** 2 / 2 + 2j * z)
psi /= np.sqrt((np.abs(psi) ** 2).sum() * dz)
tau = 0.05
off = np.full(n - 1, -0.25j * tau / dz ** 2)
main = 1 + 0.5j * tau * (1 / dz ** 2 + V)
quantum = Thomas(off, main, off)
norms, means, beyond = [], [], []
for t in range(steps):
    right = main.conj() * psi
    right[1:] -= off * psi[:-1]
    right[:-1] -= off * psi[1:]
    psi = quantum.solve(right)
    density = (psi * psi.conj()).real * dz
    norms.append(density.sum())
    means.append((density * z).sum())
    beyond.append(density[z > 2.5].sum())
norms = np.asarray(norms)
assert np.abs(norms - 1).max() < 1e-9
print("left in the rods", (total[-1] / total[0])[:5].round(6))
print("packet at", *("%.5f" % m for m in means[::4]), "beyond the wall %.3e" % beyond[-1])
print("phase", np.angle(psi[n // 4]).round(6), psi.dtype)
