# SPDX-License-Identifier: BSD-3-Clause
"""The most probable path through a hidden Markov model, with logarithms and back pointers."""
import numpy as np

SIZES = {"tiny": (2, 3, 6), "medium": (12, 8, 1500), "large": (50, 20, 12000)}
states, symbols, steps = SIZES[SIZE]
rng = np.random.default_rng(77)

transition = rng.random((states, states)) + states * np.eye(states)
transition /= transition.sum(axis=1, keepdims=True)
emission = rng.random((states, symbols)) ** 3
emission /= emission.sum(1)[:, None]
start = np.full(states, 1 / states)

# a path to find again
hidden = np.empty(steps, dtype=np.intp)
seen = np.empty(steps, dtype=np.intp)
cumulated = transition.cumsum(axis=1)
emitted = emission.cumsum(axis=1)
draws = rng.random((steps, 2))
s = 0
for t in range(steps):
    if t:
        s = min(int(np.searchsorted(cumulated[s], draws[t, 0])), states - 1)
    hidden[t] = s
    seen[t] = min(int(np.searchsorted(emitted[s], draws[t, 1])), symbols - 1)

log_t, log_e = np.log(transition), np.log(emission)
score = np.log(start) + log_e[:, seen[0]]
back = np.zeros((steps, states), int)
for t in range(1, steps):
    candidates = score[:, np.newaxis] + log_t
    back[t] = candidates.argmax(axis=0)
    score = candidates[back[t], np.arange(states)] + log_e[:, seen[t]]

path = np.zeros(steps, dtype=int)
path[-1] = np.argmax(score)
for t in range(steps - 1, 0, -1):
    path[t - 1] = back[t, path[t]]

agreement = np.mean(path == hidden)
confusion = np.zeros((states, states), dtype=np.int64)
np.add.at(confusion, (hidden, path), 1)
changes = np.count_nonzero(path[1:] != path[:-1])
print("log likelihood %.6f" % score.max())
print(f"agreement {agreement:.1%}, {changes} changes of state")
if states <= 12:
    for k, row in enumerate(confusion):
        print(k, *row)
