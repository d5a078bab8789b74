# SPDX-License-Identifier: BSD-3-Clause
"""Equalisation of a picture's histogram: whole and by tiles with a limit, and Otsu's threshold."""
import numpy as np

SIZES = {"tiny": (8, 4), "medium": (320, 40), "large": (1400, 100)}
n, tile = SIZES[SIZE]
y, x = np.mgrid[:n, :n]
rng = np.random.default_rng(9)
picture = 90 + 40 * ((x // 5 + y // 7) % 3) / 2 + rng.normal(0, 6, (n, n))
picture = picture.clip(0, 255).astype(np.uint8)


def counts_of(image):
    return np.bincount(image.ravel(), minlength=256)


def lookup(counts):
    cdf = counts.cumsum()
    first = cdf[np.nonzero(counts)[0][0]]
    if cdf[-1] == first:
        return np.arange(256, dtype=np.uint8)
    return np.round((cdf - first) * 255 / (cdf[-1] - first)).clip(0, 255).astype(np.uint8)


def otsu(counts):
    best, threshold = -1.0, 0
    total, weighted = counts.sum(), (counts * np.arange(256)).sum()
    below, sum_below = 0, 0
    for t in range(256):
        below += counts[t]
        sum_below += t * counts[t]
        if below == 0 or below == total:
            continue
        mean0, mean1 = sum_below / below, (weighted - sum_below) / (total - below)
        between = below * (total - below) * (mean0 - mean1) ** 2
        if between > best * (1 + 1e-12):
            best, threshold = between, t
    return threshold, best


counts = counts_of(picture)
equalised = lookup(counts)[picture]
tiles = {}
local = np.zeros_like(picture)
for top in range(0, n, tile):
    for left in range(0, n, tile):
        part = picture[top:top + tile, left:left + tile]
        c = counts_of(part)
        limit = max(1, part.size // 40)
        excess = np.maximum(c - limit, 0).sum()
        c = np.minimum(c, limit) + excess // 256
        table = lookup(c)
        tiles[top, left] = table
        local[top:top + tile, left:left + tile] = table[part]
threshold, spread = otsu(counts)
foreground = picture > threshold
share = np.mean(foreground)
entropy = [-(p[p > 0] * np.log2(p[p > 0])).sum() for p in
           (counts_of(image) / picture.size for image in (picture, equalised, local))]
print(f"{len(tiles)} tiles, threshold {threshold}, foreground {share:.6f}")
print("entropies", " ".join(f"{e:.6f}" for e in entropy), equalised.dtype, local.max())
