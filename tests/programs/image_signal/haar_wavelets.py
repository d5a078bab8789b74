# SPDX-License-Identifier: BSD-3-Clause
"""Haar wavelets of a picture over several levels, small coefficients shrunk, and back again."""
import numpy as np

SIZES = {"tiny": (8, 2), "medium": (256, 5), "large": (1024, 7)}
n, levels = SIZES[SIZE]
rng = np.random.default_rng(19)
y, x = np.mgrid[:n, :n] / n
picture = np.where(x + y < 0.9, 0.3 + x * y, 0.8) + 0.05 * rng.standard_normal((n, n))


def split(a, axis):
    even = np.take(a, range(0, a.shape[axis], 2), axis)
    odd = np.take(a, range(1, a.shape[axis], 2), axis)
    return (even + odd) / np.sqrt(2), (even - odd) / np.sqrt(2)


def join(low, high, axis):
    shape = list(low.shape)
    shape[axis] *= 2
    out = np.empty(shape)
    index = [slice(None)] * out.ndim
    index[axis] = slice(0, None, 2)
    out[tuple(index)] = (low + high) / np.sqrt(2)
    index[axis] = slice(1, None, 2)
    out[tuple(index)] = (low - high) / np.sqrt(2)
    return out


def decompose(a):
    details = []
    for _ in range(levels):
        low, high = split(a, 1)
        a, lh = split(low, 0)
        hl, hh = split(high, 0)
        details.append({"lh": lh, "hl": hl, "hh": hh})
    return a, details


def compose(a, details):
    for level in reversed(details):
        a = join(join(a, level["lh"], 0), join(level["hl"], level["hh"], 0), 1)
    return a


rough, details = decompose(picture)
perfect = bool(np.allclose(compose(rough, details), picture))
sigma = np.median(np.abs(details[0]["hh"])) / 0.6745
threshold = 3 * sigma
kept = []
shrunk = [{name: np.sign(d) * np.maximum(np.abs(d) - threshold, 0) for name, d in level.items()}
          for level in details]
for level in shrunk:
    kept.append({name: int(np.count_nonzero(d)) for name, d in level.items()})
denoised = compose(rough, shrunk)
energies = [sum((d ** 2).sum() for d in level.values()) for level in details]
total = (rough ** 2).sum() + sum(energies)
print("perfect:", perfect, f"sigma {sigma:.8f}, energy {total / (picture ** 2).sum():.10f}")
print(kept[0], kept[-1])
