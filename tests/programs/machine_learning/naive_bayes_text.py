# SPDX-License-Identifier: BSD-3-Clause
"""Naive Bayes on counts of words and on numbers, with cross-validation and Laplace's smoothing."""
import numpy as np

SIZES = {"tiny": (30, 12), "medium": (1000, 250), "large": (6000, 500)}
documents, words = SIZES[SIZE]
rng = np.random.default_rng(61)
topics = rng.dirichlet(np.ones(words) * 0.4, 4) if hasattr(rng, "dirichlet") else None
if topics is None:
    topics = rng.gamma(0.4, 1.0, (4, words))
    topics /= topics.sum(axis=1, keepdims=True)
labels = rng.integers(0, 4, documents)
cumulative = topics.cumsum(axis=1)
counts = np.zeros((documents, words), dtype=np.int32)
for d in range(documents):
    drawn = np.searchsorted(cumulative[labels[d]], rng.random(25))
    counts[d] += np.bincount(np.minimum(drawn, words - 1), minlength=words).astype(np.int32)
lengths = rng.normal(10 + 3 * labels, 2.0)


def fit(rows, alpha):
    model = {}
    for c in range(4):
        mine = rows[labels[rows] == c]
        totals = counts[mine].sum(axis=0) + alpha
        model[c] = (np.log((len(mine) + 1) / (len(rows) + 4)), np.log(totals / totals.sum()),
                    lengths[mine].mean() if len(mine) else 0.0,
                    lengths[mine].std() + 0.1 if len(mine) else 1.0)
    return model


def predict(model, rows):
    scores = []
    for c, (prior, logs, mean, std) in model.items():
        z = (lengths[rows] - mean) / std
        scores.append(prior + counts[rows] @ logs - 0.5 * z ** 2 - np.log(std))
    return np.argmax(np.array(scores), axis=0), np.array(scores)


folds = np.array_split(rng.permutation(documents), 5)
results, confusion = {}, np.zeros((4, 4), int)
for alpha in (0.1, 1.0, 5.0):
    rights = []
    for k, test in enumerate(folds):
        train = np.concatenate([f for j, f in enumerate(folds) if j != k])
        guess, scores = predict(fit(train, alpha), test)
        rights.append(np.mean(guess == labels[test]))
        if alpha == 1.0:
            np.add.at(confusion, (labels[test], guess), 1)
    results[alpha] = np.array(rights)
final = fit(np.arange(documents), 1.0)
telling = {c: np.argsort(-(final[c][1] - sum(final[o][1] for o in range(4)) / 4))[0] for c in final}
recall = np.diag(confusion) / np.maximum(confusion.sum(axis=1), 1)
print({alpha: f"{r.mean():.6f}" for alpha, r in results.items()})
print(confusion, {c: int(w) for c, w in telling.items()})
