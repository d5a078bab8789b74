# SPDX-License-Identifier: BSD-3-Clause
"""Edit distances between all pairs of a few strings, element by element, and by rows of the table."""
import numpy as np

SIZES = {"tiny": (3, 5), "medium": (4, 50), "large": (4, 330)}
count, length = SIZES[SIZE]
rng = np.random.default_rng(12)


def by_elements(a, b):
    """The table as it stands in every book: three neighbours, one cell at a time."""
    d = np.zeros((len(a) + 1, len(b) + 1), dtype=int)
    d[:, 0] = np.arange(len(a) + 1)
    d[0, :] = np.arange(len(b) + 1)
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            if a[i - 1] == b[j - 1]:
                d[i, j] = d[i - 1, j - 1]
            else:
                d[i, j] = 1 + min(d[i - 1, j], d[i, j - 1], d[i - 1, j - 1])
    return d


def by_rows(a, b):
    """The same by whole rows: the step to the right is a running minimum."""
    steps = np.arange(len(b) + 1)
    row = steps.copy()
    for letter in a:
        new = row + 1
        new[1:] = np.minimum(new[1:], row[:-1] + (b != letter))
        row = np.minimum.accumulate(new - steps) + steps
    return row


words = []
base = rng.integers(0, 4, length)
for k in range(count):
    word = base.copy()
    hit = rng.random(length) < 0.15 * k
    word[hit] = rng.integers(0, 4, int(hit.sum()))
    cut = int(rng.integers(0, length // 4 + 1))
    words.append(np.concatenate((word[cut:], word[:cut]))[: length - k])

distance = np.zeros((count, count), np.int32)
for i in range(count):
    for j in range(count):
        distance[i, j] = by_rows(words[i], words[j])[-1]
short = [w[:40] for w in words]
table = by_elements(short[0], short[-1])
assert table[-1, -1] == by_rows(short[0], short[-1])[-1]
symmetric = bool((distance == distance.T).all())
far = np.unravel_index(distance.argmax(), distance.shape)
print(distance)
print("farthest apart:", int(far[0]), int(far[1]), "table's corner:", table[-1, -1])
