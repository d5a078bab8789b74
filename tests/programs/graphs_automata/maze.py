# SPDX-License-Identifier: BSD-3-Clause
"""A maze carved by a random walk with a stack, and solved by a flood, wave after wave."""
import numpy as np

SIZES = {"tiny": 3, "medium": 20, "large": 60}
n = SIZES[SIZE]
WALL, FLOOR = 1, 0
rng = np.random.default_rng(12345)
maze = np.full((2 * n + 1, 2 * n + 1), WALL, dtype=np.int8)
moves = np.array([(0, 1), (1, 0), (0, -1), (-1, 0)])

stack = [np.array([1, 1])]
maze[1, 1] = FLOOR
carved = 1
while stack:
    here = stack[-1]
    for k in rng.permutation(4):
        there = here + 2 * moves[k]
        if (there > 0).all() and (there < 2 * n).all() and maze[tuple(there)] == WALL:
            maze[tuple(here + moves[k])] = FLOOR
            maze[there[0], there[1]] = FLOOR
            stack.append(there)
            carved += 1
            break
    else:
        stack.pop()
assert carved == n * n

# open some walls, so that there is more than one way
ys, xs = np.where(maze[1:-1, 1:-1] == WALL)
pick = rng.choice(len(ys), size=max(1, n // 2), replace=False)
maze[1:-1, 1:-1][ys[pick], xs[pick]] = FLOOR

steps = np.where(maze == FLOOR, -1, -2).astype(np.int32)
front = np.zeros(maze.shape, bool)
front[1, 1] = True
wave = 0
while front.any():
    steps[front] = wave
    spread = np.zeros_like(front)
    for dy, dx in moves:
        spread |= np.roll(front, (dy, dx), axis=(0, 1))
    front = spread & (steps == -1)
    wave += 1

goal = (2 * n - 1, 2 * n - 1)
at = np.array(goal)
way = [tuple(goal)]
while steps[at[0], at[1]] > 0:
    near = at + moves
    values = steps[near[:, 0], near[:, 1]]
    at = near[np.flatnonzero(values == steps[tuple(at)] - 1)[0]]
    way.append((int(at[0]), int(at[1])))
picture = maze.copy()
for y, x in way:
    picture[y, x] = 2
dead_ends = 0
for i, row in enumerate(maze[1:-1:2], start=0):
    for j, cell in enumerate(row[1:-1:2]):
        y, x = 2 * i + 1, 2 * j + 1
        if maze[y - 1:y + 2, x].sum() + maze[y, x - 1:x + 2].sum() == 3:
            dead_ends += 1
if n <= 20:
    print("\n".join("".join(" #o"[c] for c in row) for row in picture[:, :41]))
print("way of", len(way), "waves", wave, "dead ends", dead_ends)
