# SPDX-License-Identifier: BSD-3-Clause
"""0/1 knapsack: one row of the table an item, what was taken kept as masks; and the one with unlimited items."""
import numpy as np

SIZES = {"tiny": (4, 11), "medium": (60, 4000), "large": (400, 60000)}
items, capacity = SIZES[SIZE]
gen = np.random.default_rng(5)
weight = gen.integers(2, 2 + capacity // 3, items)
value = (weight * gen.uniform(0.8, 1.2, items)).round(2)


def solve(weight, value, capacity):
    best = np.zeros(capacity + 1)
    taken = []
    for w, v in zip(weight, value):
        mask = np.zeros(capacity + 1, dtype=bool)
        if w <= capacity:
            other = best[:-w] + v
            mask[w:] = other > best[w:]
            best[w:] = np.maximum(best[w:], other)
        taken.append(mask)
    return best, taken


best, taken = solve(weight, value, capacity)

room = capacity
chosen = []
for k in reversed(range(items)):
    if taken[k][room]:
        chosen.append(k)
        room -= int(weight[k])
chosen.sort()
assert room >= 0
total = sum(value[k] for k in chosen)
assert abs(total - best[capacity]) < 1e-6 * (1 + best[capacity])
filled = weight[chosen].sum() if chosen else 0

# as many of each as one likes, by blocks as long as the lightest item
small = min(capacity, 500)
many = np.zeros(small + 1)
light = int(min(weight))
for start in range(light, small + 1, light):
    block = slice(start, min(start + light, small + 1))
    for w, v in zip(weight.tolist(), value.tolist()):
        lo = max(start, w)
        if lo < block.stop:
            many[lo:block.stop] = np.maximum(many[lo:block.stop], many[lo - w:block.stop - w] + v)
    many[block] = np.maximum.accumulate(np.maximum(many[block], many[start - 1]))

steps = np.flatnonzero(np.diff(best)) + 1
print(f"{len(chosen)} items, weight {filled} of {capacity}, value {total:.2f}")
print("first ten:", chosen[:10], "steps:", steps.size, "unlimited: %.2f" % many[-1])
