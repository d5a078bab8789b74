# SPDX-License-Identifier: BSD-3-Clause
"""Q-learning in a maze with a slippery floor: one table, many walkers at once; value iteration."""
import numpy as np

SIZES = {"tiny": (4, 3, 10), "medium": (12, 50, 100), "large": (30, 400, 500)}
side, walkers, steps = SIZES[SIZE]
rng = np.random.default_rng(38)
walls = rng.random((side, side)) < 0.15
walls[0, 0] = walls[-1, -1] = False
moves = np.array([[0, 1], [1, 0], [0, -1], [-1, 0]])
goal = side * side - 1
states = np.arange(side * side)
nexts = np.empty((side * side, 4), dtype=int)
for a, (dy, dx) in enumerate(moves):
    row = np.clip(states // side + dy, 0, side - 1)
    column = np.clip(states % side + dx, 0, side - 1)
    blocked = walls[row, column]
    nexts[:, a] = np.where(blocked, states, row * side + column)
nexts[goal] = goal
reward = np.where(nexts == goal, 1.0, -0.01)
reward[goal] = 0.0

V, sweeps = np.zeros(side * side), []
for sweep in range(500):
    Q_exact = reward + 0.95 * V[nexts]
    Q_exact = 0.8 * Q_exact + 0.2 * Q_exact.mean(axis=1, keepdims=True)
    new = Q_exact.max(axis=1)
    sweeps.append(np.abs(new - V).max())
    V = new
    if sweeps[-1] < 1e-9:
        break

Q = np.zeros((side * side, 4))
visits = np.zeros((side * side, 4), dtype=np.int64)
position = np.zeros(walkers, dtype=int)
arrived, rewards = 0, []
for t in range(steps):
    greedy = np.round(Q[position], 9).argmax(axis=1)
    action = np.where(rng.random(walkers) < 0.3, rng.integers(0, 4, walkers), greedy)
    slipped = rng.random(walkers) < 0.2
    real = np.where(slipped, rng.integers(0, 4, walkers), action)
    after = nexts[position, real]
    got = reward[position, real]
    for i in range(min(walkers, 20)):      # these learn one after another
        s, a = int(position[i]), int(action[i])
        visits[s, a] += 1
        rate = 1 / (1 + visits[s, a]) ** 0.6
        Q[s, a] += rate * (got[i] + 0.95 * Q[after[i]].max() - Q[s, a])
    difference = got[20:] + 0.95 * Q[after[20:]].max(axis=1) - Q[position[20:], action[20:]]
    np.add.at(Q, (position[20:], action[20:]), 0.02 * difference)
    arrived += int((after == goal).sum())
    rewards.append(got.sum())
    position = np.where(after == goal, 0, after)
policy = V.reshape(side, side)
path, at = [0], 0
while at != goal and len(path) < 4 * side:
    at = int(nexts[at, np.round(Q_exact[at], 9).argmax()])
    path.append(at)
NOISE = {"sweeps": 1e-12, "Q": 1e-12}
print(f"{len(sweeps)} sweeps, path of {len(path)}, arrived {arrived}, reward {sum(rewards):.4f}")
