# SPDX-License-Identifier: BSD-3-Clause
"""Convolution of a picture by loops over the kernel, three kinds of border; separable blur."""
import numpy as np

SIZES = {"tiny": (7, 9), "medium": (180, 240), "large": (700, 900)}
h, w = SIZES[SIZE]
rng = np.random.default_rng(14)
picture = rng.integers(0, 256, (h, w)).astype(float)
kernels = {"sharpen": np.array([[0, -1, 0], [-1, 5, -1], [0, -1, 0]], float),
           "emboss": np.array([[-2.0, -1, 0], [-1, 1, 1], [0, 1, 2]]),
           "box": np.ones((5, 5)) / 25}


def convolve(image, kernel, mode):
    kh, kw = kernel.shape
    padded = np.pad(image, ((kh // 2,) * 2, (kw // 2,) * 2), mode=mode)
    out = np.zeros_like(image)
    for i in range(kh):
        for j in range(kw):
            weight = kernel[kh - 1 - i, kw - 1 - j]
            if weight == 0:
                continue
            out += weight * padded[i:i + image.shape[0], j:j + image.shape[1]]
    return out


results = {}
for name, kernel in kernels.items():
    for mode in ("edge", "reflect", "constant"):
        results[name, mode] = convolve(picture, kernel, mode)
offsets = np.arange(-4, 5)
gauss = np.exp(-offsets ** 2 / 8.0)
gauss /= gauss.sum()
blurred = np.empty_like(picture)
for y in range(h):
    blurred[y] = np.convolve(np.pad(picture[y], 4, mode="edge"), gauss, mode="valid")
for x in range(w):
    blurred[:, x] = np.convolve(np.pad(blurred[:, x], 4, "edge"), gauss, "valid")
by_kernel = convolve(picture, np.outer(gauss, gauss), "edge")
bytes_left = np.clip(np.rint(results["sharpen", "edge"]), 0, 255).astype(np.uint8)
saturated = {"black": int((bytes_left == 0).sum()), "white": int((bytes_left == 255).sum())}
means = [round(float(r.mean()), 8) for r in results.values()]
print(saturated, "separable:", np.allclose(blurred, by_kernel))
print(means)
