# SPDX-License-Identifier: BSD-3-Clause
"""Connected components: two passes with a table of equivalences, and by spreading."""
import numpy as np

SIZES = {"tiny": (6, 6), "medium": (60, 80), "large": (220, 260)}
h, w = SIZES[SIZE]
rng = np.random.default_rng(55)
mask = rng.random((h, w)) < 0.58
mask[h // 2] = False

labels = np.zeros((h, w), dtype=np.int32)
parent = [0]


def find(a):
    while parent[a] != a:
        parent[a] = parent[parent[a]]
        a = parent[a]
    return a


for i in range(h):
    row = mask[i].tolist()
    above = labels[i - 1].tolist() if i else [0] * w
    now = [0] * w
    for j in range(w):
        if not row[j]:
            continue
        near = [label for label in (above[j], now[j - 1] if j else 0) if label]
        if not near:
            parent.append(len(parent))
            now[j] = len(parent) - 1
        else:
            now[j] = min(find(a) for a in near)
            for a in near:
                parent[find(a)] = now[j]
    labels[i] = now
roots = np.array([find(a) for a in range(len(parent))])
numbers = np.unique(roots, return_inverse=True)[1]
labels = numbers[labels]

spread = np.where(mask, np.arange(1, h * w + 1).reshape(h, w), 0)
rounds = 0
while True:
    before = spread.copy()
    for source, target in ((np.s_[:-1], np.s_[1:]), (np.s_[1:], np.s_[:-1])):
        spread[target] = np.where(mask[target], np.maximum(spread[target], spread[source]), 0)
        larger = np.maximum(spread[:, target], spread[:, source])
        spread[:, target] = np.where(mask[:, target], larger, 0)
    rounds += 1
    if (spread == before).all():
        break
areas = np.bincount(labels.ravel())[1:]
other = np.unique(spread[spread > 0], return_counts=True)[1]
boxes = {}
for label in np.argsort(areas, kind="stable")[::-1][:4] + 1:
    rows, columns = np.nonzero(labels == label)
    boxes[int(label)] = [int(v) for v in (rows.min(), rows.max(), columns.min(), columns.max())]
print(len(areas), "components,", len(other), "again, largest", int(areas.max()), "rounds", rounds)
print("areas agree:", np.array_equal(np.sort(areas), np.sort(other)), boxes)
