# SPDX-License-Identifier: BSD-3-Clause
"""Seam carving: removes the cheapest vertical seams of an image, one after another, then the horizontal ones."""
import numpy as np

SIZES = {"tiny": (6, 7, 2), "medium": (60, 80, 12), "large": (200, 300, 30)}
height, width, seams = SIZES[SIZE]


def energy(image):
    gray = image.astype(np.int64).sum(axis=2)
    dx = np.abs(np.diff(gray, axis=1, append=gray[:, -2:-1]))
    dy = np.abs(np.diff(gray, axis=0, append=gray[-2:-1]))
    return dx + dy


def cheapest(e):
    cost = e.copy()
    for above, row in zip(cost[:-1], cost[1:]):      # rows are views: this writes into cost
        best = above.copy()
        best[1:] = np.minimum(best[1:], above[:-1])
        best[:-1] = np.minimum(best[:-1], above[1:])
        row += best
    seam = np.empty(len(cost), dtype=np.intp)
    seam[-1] = cost[-1].argmin()
    for r in range(len(cost) - 2, -1, -1):
        lo = max(int(seam[r + 1]) - 1, 0)
        seam[r] = lo + cost[r, lo:seam[r + 1] + 2].argmin()
    return seam, cost[-1].min()


def remove(image, seam):
    keep = np.ones(image.shape[:2], dtype=bool)
    keep[np.arange(len(seam)), seam] = False
    return image[keep].reshape(image.shape[0], image.shape[1] - 1, 3)


y, x = np.mgrid[0:height, 0:width]
rng = np.random.default_rng(8)
image = np.stack([(x * 3 + y) % 256, (x * y) % 200, 255 * ((x // 5 + y // 5) % 2)], axis=-1)
image += rng.integers(0, 20, image.shape)
image = np.clip(image, 0, 255).astype(np.uint8)
original = image.copy()

costs, seen = [], []
for k in range(seams):
    seam, cost = cheapest(energy(image))
    image = remove(image, seam)
    costs.append(int(cost))
    seen.append(seam)
turned = image.transpose(1, 0, 2)
for k in range(seams // 2):
    seam, cost = cheapest(energy(turned))
    turned = remove(turned, seam)
    costs.append(int(cost))
result = turned.swapaxes(0, 1)
means = result.reshape(-1, 3).mean(axis=0)
print(original.shape, "->", result.shape, result.dtype)
print("costs", costs[:5], "sum", sum(costs))
print("means", ", ".join(f"{m:.3f}" for m in means))
