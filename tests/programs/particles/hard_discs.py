# SPDX-License-Identifier: BSD-3-Clause
"""Hard discs in a box: the next collision from the times of all pairs, event after event."""
import numpy as np

SIZES = {"tiny": (2, 5), "medium": (5, 60), "large": (9, 700)}
TOLERANCE = {"default": 1e-5}             # collisions amplify differences exponentially
side, events = SIZES[SIZE]
events = min(events, 3 * side * side)     # few for each disc, for the same reason
R = 0.3


def pair_times(x, v):
    """When each pair touches; inf where it does not."""
    dx = x[:, None] - x
    dv = v[:, None] - v
    b = (dx * dv).sum(-1)
    dv2 = (dv ** 2).sum(-1)
    c = (dx ** 2).sum(-1) - 4 * R * R
    disc = b * b - dv2 * c
    hit = (b < 0) & (disc > 0)
    t = np.full(b.shape, np.inf)
    t[hit] = -(b[hit] + np.sqrt(disc[hit])) / dv2[hit]
    t[np.tril_indices(len(x))] = np.inf
    return t


def wall_times(x, v, size):
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.where(v > 0, (size - R - x) / v, np.where(v < 0, (R - x) / v, np.inf))
    return t


size = float(side)
rng = np.random.default_rng(1957)
x = np.array([[i + 0.5, j + 0.5] for i in range(side) for j in range(side)])
x += rng.uniform(-0.15, 0.15, x.shape)
v = rng.normal(0, 1, x.shape)
energy = (v * v).sum() / 2
clock, log, impulse = 0.0, [], np.zeros(4)
collisions = np.zeros(len(x), dtype=int)
for event in range(events):
    tp, tw = pair_times(x, v), wall_times(x, v, size)
    if tp.min() < tw.min():
        i, j = np.unravel_index(np.argmin(tp), tp.shape)
        t = tp[i, j]
        x += v * t
        normal = x[i] - x[j]
        normal /= np.sqrt(normal.dot(normal))
        exchange = normal.dot(v[i] - v[j]) * normal
        v[i] -= exchange
        v[j] += exchange
        collisions[[i, j]] += 1
        log.append("pair")
    else:
        k, axis = divmod(int(tw.argmin()), 2)
        t = tw[k, axis]
        x += v * t
        impulse[2 * axis + (v[k, axis] > 0)] += 2 * abs(v[k, axis])
        v[k, axis] *= -1
        log.append("wall")
    clock += t
kinds = {kind: log.count(kind) for kind in sorted(set(log))}
after = (v * v).sum() / 2
assert abs(after / energy - 1) < 1e-10
gaps = np.sort(np.sqrt(((x[:, None] - x) ** 2).sum(-1))[np.triu_indices(len(x), 1)])
assert gaps[0] > 2 * R - 1e-9
print("events", kinds, "clock %.4f" % clock)
print("collisions", collisions.tolist() if len(collisions) < 30 else collisions.max())
print("pressure", *("%.3f" % p for p in impulse / (size * clock)))
