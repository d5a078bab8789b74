# SPDX-License-Identifier: BSD-3-Clause
"""Salt and pepper noise removed: medians over windows, an adaptive filter, ranks."""
import numpy as np

SIZES = {"tiny": 7, "medium": 110, "large": 420}
n = SIZES[SIZE]
rng = np.random.default_rng(77)
clean = np.tile(np.arange(n) % 50 + 60, (n, 1)).astype(np.int16)
clean[n // 4:n // 2, n // 4:n // 2] += 80
noisy = clean.copy()
hit = rng.random((n, n))
noisy[hit < 0.06] = 0
noisy[hit > 0.94] = 255


def windows(image, radius):
    padded = np.pad(image, radius, mode="symmetric")
    size = 2 * radius + 1
    return np.lib.stride_tricks.sliding_window_view(padded, (size, size))


def by_rows(image, radius):
    out = np.empty_like(image)
    view = windows(image, radius)
    for r in range(image.shape[0]):
        out[r] = np.median(view[r].reshape(image.shape[1], -1), axis=1)
    return out


def by_sorting(image):
    padded = np.pad(image, 1, mode="symmetric")
    shifts = [padded[i:i + n, j:j + n] for i in range(3) for j in range(3)]
    stack = np.sort(np.stack(shifts), axis=0)
    return stack[4], stack[0], stack[-1]


def adaptive(image, largest=3):
    out, todo = image.copy(), np.ones(image.shape, bool)
    for radius in range(1, largest + 1):
        view = windows(image, radius)
        low, high = view.min(axis=(-2, -1)), view.max(axis=(-2, -1))
        middle = np.median(view, axis=(-2, -1)).astype(image.dtype)
        good = todo & (low < middle) & (middle < high)
        keep = good & (low < image) & (image < high)
        out[good] = np.where(keep, image, middle)[good]
        todo &= ~good
        left.append(int(todo.sum()))
        if not todo.any():
            break
    return out


left = []
filtered = by_rows(noisy, 1)
middle, lowest, highest = by_sorting(noisy)
better = adaptive(noisy)
same = np.array_equal(filtered, middle)
errors = {name: int(np.abs(image.astype(int) - clean).sum()) for name, image in
          (("noisy", noisy), ("median", filtered), ("adaptive", better))}
opened = np.maximum(lowest, np.minimum(middle, highest))
print("rows and sorting agree:", same, errors, left)
print(better[n // 2, :6], filtered.dtype)
