# SPDX-License-Identifier: BSD-3-Clause
"""Random walks: many at once, some until they leave a disc, and one with a memory of where it was."""
import numpy as np

np.random.seed(1905)
SIZES = {"tiny": (4, 12), "medium": (400, 500), "large": (2000, 1000)}
walkers, steps = SIZES[SIZE]
directions = np.array([[1, 0], [-1, 0], [0, 1], [0, -1]])

# all at once
choice = np.random.randint(0, 4, (steps, walkers))
paths = directions[choice].cumsum(axis=0)
squared = (paths ** 2).sum(axis=2).mean(axis=1)
t = np.arange(1, steps + 1)
slope, offset = np.polyfit(t, squared, 1)
home = (paths == 0).all(axis=2)
returned = home.any(axis=0)
first = np.where(returned, home.argmax(axis=0) + 1, -1)

# until they leave a disc: those that are left shrink
position = np.zeros((walkers, 2))
alive = np.arange(walkers)
left_at = np.zeros(walkers, dtype=int)
exits = []
now = 0
while alive.size and now < 2000:
    now += 1
    angle = np.random.rand(alive.size) * 2 * np.pi
    position[alive] += np.c_[np.cos(angle), np.sin(angle)]
    out = np.hypot(*position[alive].T) > 8
    for k in alive[out][:3]:
        exits.append(position[k].copy())
    left_at[alive[out]] = now
    alive = alive[~out]
times = left_at[left_at > 0]
exits = np.array(exits).reshape(-1, 2)

# one that goes where it was least
n = 15
visits = np.zeros((n, n), int)
at = [n // 2, n // 2]
for step in range(min(steps, 800)):
    visits[at[0], at[1]] += 1
    options = [(at[0] + dy, at[1] + dx) for dy, dx in directions.tolist() if 0 <= at[0] + dy < n and 0 <= at[1] + dx < n]
    counts = np.array([visits[o] for o in options])
    ties = np.flatnonzero(counts == counts.min())
    at = list(options[ties[np.random.randint(len(ties))]])
print(f"slope {slope:.5f}, returned {returned.mean():.4f}, median return", np.median(first[returned]) if returned.any() else None)
print("exit times: mean %.4f, std %.4f, last %d" % (times.mean(), times.std(), times.max()), "exits", exits.shape)
print("visits", visits.min(), visits.max(), sorted(set(visits.ravel().tolist())))
