# SPDX-License-Identifier: BSD-3-Clause
"""Edges in Canny's way: Sobel's gradients, non-maxima thinned, and hysteresis."""
import numpy as np

SIZES = {"tiny": 10, "medium": 130, "large": 700}
n = SIZES[SIZE]
yy, xx = np.indices((n, n))
picture = 40.0 + 100.0 * ((xx - n / 2) ** 2 + (yy - n / 2.2) ** 2 < (n / 3.3) ** 2)
picture[n // 6:n // 3, n // 2:] += 60.25
picture += 3.0 * ((xx * 7 + yy * 13) % 11) / 11

smooth = picture.copy()
smooth[1:-1, 1:-1] = (picture[:-2, 1:-1] + picture[2:, 1:-1] + picture[1:-1, :-2]
                      + picture[1:-1, 2:] + 4 * picture[1:-1, 1:-1]) / 8
p = np.pad(smooth, 1, mode="edge")
gx = (p[:-2, 2:] + 2 * p[1:-1, 2:] + p[2:, 2:]) - (p[:-2, :-2] + 2 * p[1:-1, :-2] + p[2:, :-2])
gy = (p[2:, :-2] + 2 * p[2:, 1:-1] + p[2:, 2:]) - (p[:-2, :-2] + 2 * p[:-2, 1:-1] + p[:-2, 2:])
magnitude = np.hypot(gx, gy)
angle = np.rad2deg(np.arctan2(gy, gx + 1e-3)) % 180
sector = (np.floor((angle + 22.6) / 45) % 4).astype(int)

padded = np.pad(magnitude, 1)
steps = {0: (0, 1), 1: (1, 1), 2: (1, 0), 3: (1, -1)}
thin = np.zeros_like(magnitude)
for s, (dy, dx) in steps.items():
    ahead = padded[1 + dy:n + 1 + dy, 1 + dx:n + 1 + dx]
    behind = padded[1 - dy:n + 1 - dy, 1 - dx:n + 1 - dx]
    keep = (sector == s) & (magnitude > ahead + 1e-6) & (magnitude >= behind - 1e-6)
    thin[keep] = magnitude[keep]

high, low = 0.35 * magnitude.max(), 0.1 * magnitude.max()
strong, weak = thin > high, thin > low
edges = np.zeros((n, n), bool)
stack = [(int(i), int(j)) for i, j in zip(*np.nonzero(strong))]
for i, j in stack[:200]:
    edges[i, j] = True
while True:             # growth of all at once
    grown = strong | edges
    around = np.zeros_like(grown)
    for dy in (-1, 0, 1):
        for dx in (-1, 0, 1):
            around |= np.roll(grown, (dy, dx), axis=(0, 1))
    grown |= around & weak
    if grown.sum() == edges.sum():
        break
    edges = grown
per_sector = [int((edges & (sector == s)).sum()) for s in range(4)]
lengths = np.count_nonzero(edges, axis=1)
print(f"{len(stack)} strong, {int(weak.sum())} weak, {int(edges.sum())} on edges", per_sector)
