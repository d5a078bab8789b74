# SPDX-License-Identifier: BSD-3-Clause
"""AdaBoost over decision stumps, and gradient boosting of small regression trees kept as dicts."""
import numpy as np

SIZES = {"tiny": (25, 2, 4), "medium": (800, 5, 12), "large": (8000, 8, 30)}
n, features, rounds = SIZES[SIZE]
rng = np.random.default_rng(72)
X = np.round(rng.uniform(-1, 1, (n, features)), 3)
y = np.where(X[:, 0] ** 2 + X[:, 1] ** 2 < 0.5, 1, -1)
target = np.sin(3 * X[:, 0]) + 0.5 * (X[:, 1] > 0.2)


def best_stump(weights):
    best = (np.inf, 0, 0.0, 1)
    for j in range(features):
        order = np.argsort(X[:, j], kind="stable")
        values, signed = X[order, j], (weights * y)[order]
        error = weights[y == -1].sum() + np.cumsum(signed)     # guess -1 up to here, 1 after
        error = np.where(np.append(np.diff(values) > 0, False), error, 0.5)
        for e, direction in ((error, 1), (1 - error, -1)):
            k = int(np.argmin(np.round(e, 12)))
            if e[k] < best[0] - 1e-9:
                best = (float(e[k]), j, float(values[k]), direction)
    return best


weights = np.full(n, 1 / n)
total, stumps, errors = np.zeros(n), [], []
for r in range(rounds):
    error, j, threshold, direction = best_stump(weights)
    if error <= 1e-10 or error >= 0.499999:
        break
    amount = 0.5 * np.log((1 - error) / error)
    guess = np.where(X[:, j] > threshold, direction, -direction)
    weights *= np.exp(-amount * y * guess)
    weights /= weights.sum()
    total += amount * guess
    stumps.append((j, threshold, direction, amount))
    errors.append(np.mean(np.sign(total) != y))


def grow(rows, residual, depth):
    if depth == 0 or len(rows) < 8:
        return {"value": residual[rows].mean()}
    best = (0.0, None, None)
    base = residual[rows].sum() ** 2 / len(rows)
    for j in range(features):
        for threshold in np.quantile(X[rows, j], [0.2, 0.4, 0.6, 0.8]):
            left = X[rows, j] <= threshold
            count = int(left.sum())
            if count in (0, len(rows)):
                continue
            a, b = residual[rows[left]].sum(), residual[rows[~left]].sum()
            gain = a * a / count + b * b / (len(rows) - count) - base
            if gain > best[0] + 1e-9:
                best = (float(gain), j, threshold)
    if best[1] is None:
        return {"value": residual[rows].mean()}
    left = X[rows, best[1]] <= best[2]
    return {"feature": best[1], "at": best[2], "low": grow(rows[left], residual, depth - 1),
            "high": grow(rows[~left], residual, depth - 1)}


def values_of(tree, rows, out):
    if "value" in tree:
        out[rows] = tree["value"]
        return
    low = X[rows, tree["feature"]] <= tree["at"]
    values_of(tree["low"], rows[low], out)
    values_of(tree["high"], rows[~low], out)


prediction, trees, losses = np.full(n, target.mean()), [], []
for r in range(min(rounds, 10)):
    trees.append(grow(np.arange(n), target - prediction, 3))
    step = np.empty(n)
    values_of(trees[-1], np.arange(n), step)
    prediction += 0.3 * step
    losses.append(((target - prediction) ** 2).mean())
TOLERANCE = {"default": 1e-8}
print(f"{len(stumps)} stumps, error {errors[-1]:.5f}, loss {losses[0]:.8f} to {losses[-1]:.8f}")
