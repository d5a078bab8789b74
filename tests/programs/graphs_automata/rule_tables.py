# SPDX-License-Identifier: BSD-3-Clause
"""Elementary cellular automata from their numbers: 110, 30, 90 and all others, compared by what they leave."""
import numpy as np

SIZES = {"tiny": (9, 6), "medium": (301, 150), "large": (2001, 1000)}
width, steps = SIZES[SIZE]


def table(number):
    return np.array([(number >> k) & 1 for k in range(8)], dtype=np.uint8)


def run(number, width, steps):
    space = np.zeros((steps, width), np.uint8)
    space[0, width // 2] = 1
    t = table(number)
    for now, then in zip(space, space[1:]):
        then[:] = t[4 * np.roll(now, 1) + 2 * now + np.roll(now, -1)]
    return space


pictures = {}
for number in [110, 30, 90, 184]:
    pictures[number] = run(number, width, steps)

# the middle column of rule 30 as bits of a big number, of rule 90 Pascal's triangle modulo 2
middle = pictures[30][:, width // 2]
number = 0
for bit in middle[:48]:
    number = 2 * number + int(bit)
pascal = np.ones(1, dtype=np.int64)
for k in range(1, min(steps, width // 2)):
    pascal = np.concatenate(([1], (pascal[1:] + pascal[:-1]) % 2, [1]))
    row = pictures[90][k, width // 2 - k:width // 2 + k + 1:2]
    if (row != pascal).any():
        raise AssertionError(k)

# every rule on a row of random cells, all at once: one rule a row
rules = np.arange(256)
tables = (rules[:, None] >> np.arange(8)) & 1
cells = np.tile(np.random.default_rng(6).integers(0, 2, 64), (256, 1))
for k in range(min(steps, 100)):
    code = (np.roll(cells, 1, axis=1) << 2) | (cells << 1) | np.roll(cells, -1, axis=1)
    cells = np.take_along_axis(tables, code, axis=1)
alive = cells.mean(axis=1)
classes, size = np.unique(alive, return_counts=True)

for number, picture in pictures.items():
    print(number, picture.sum(axis=1, dtype=int)[:8], "density %.4f" % picture.mean())
print("bits of rule 30:", hex(number))
print(len(classes), "densities, most frequent", classes[size.argmax()], "of", size.max(), "rules")
