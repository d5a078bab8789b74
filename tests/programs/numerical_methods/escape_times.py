# SPDX-License-Identifier: BSD-3-Clause
"""Mandelbrot and Julia sets by masks, by shrinking lists of points, and Newton's fractal with complex numbers."""
import numpy as np

SIZES = {"tiny": (6, 8), "medium": (120, 40), "large": (420, 60)}
n, most = SIZES[SIZE]


def with_masks(c, most):
    z = np.zeros_like(c)
    count = np.zeros(c.shape, dtype=np.uint16)
    mask = np.ones(c.shape, dtype=bool)
    for k in range(most):
        z[mask] = z[mask] ** 2 + c[mask]
        mask &= np.abs(z) <= 2
        count[mask] += 1
        if not mask.any():
            break
    return count, z


def with_lists(z, c, most):
    """The points that are left are kept in arrays that shrink."""
    count = np.full(z.size, most, dtype=np.int32)
    where = np.arange(z.size)
    z = z.ravel().copy()
    for k in range(most):
        z *= z
        z += c
        gone = z.real * z.real + z.imag * z.imag > 4
        count[where[gone]] = k
        z, where = z[~gone], where[~gone]
        if where.size == 0:
            break
    return count


def newton(z, most):
    roots = np.exp(2j * np.pi * np.arange(3) / 3)
    for k in range(most):
        with np.errstate(all="ignore"):
            z = z - (z ** 3 - 1) / (3 * z * z)
        z[~np.isfinite(z)] = 1.0
    distance = np.abs(z[..., None] - roots)
    basin = distance.argmin(axis=-1)
    basin[distance.min(axis=-1) > 1e-6] = 3
    return basin


x, y = np.meshgrid(np.linspace(-2.03, 0.61, n), np.linspace(-1.21, 1.17, n // 2 * 2))
grid = x + 1j * y
count, z = with_masks(grid, most)
inside = count == most
area = inside.mean() * (x.max() - x.min()) * (y.max() - y.min())
with np.errstate(divide="ignore", invalid="ignore"):
    smooth = np.where(inside, 0, count + 1 - np.log2(np.log(np.maximum(np.abs(z), 2.0001))))
julia = np.empty((3, grid.size), dtype=np.int32)
for row, c in zip(julia, [-0.4 + 0.6j, 0.285 + 0.01j, -0.8j]):
    row[:] = with_lists(grid + 0.7, c, most)
single = with_masks(grid.astype(np.complex64)[:20, :20], 10)[0]
edges = (inside[1:] ^ inside[:-1]).sum() + (inside[:, 1:] ^ inside[:, :-1]).sum()
start = grid[::4, ::4] + 0.71 + 0.013j
basins = newton(start, 40)
share = np.bincount(basins.ravel(), minlength=4)
if n > 100:
    for row in count[::10, ::4]:
        print("".join(" .:-=+*#%@"[min(int(v), most) * 9 // most] for v in row))
print("area %.6f" % area, "edges", edges, "mean of julia", julia.mean(axis=1).round(4))
print("basins", share, "smooth %.8f" % smooth.mean())
TOLERANCE = {"default": 1e-10, "z": 1e-6}  # the last round multiplies last digits
