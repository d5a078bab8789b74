# SPDX-License-Identifier: BSD-3-Clause
"""Classical and modified Gram-Schmidt with a list of vectors, dependent ones left out."""
import numpy as np

SIZES = {"tiny": (6, 5), "medium": (3000, 40), "large": (40000, 70)}
n, count = SIZES[SIZE]
rng = np.random.default_rng(23)
vectors = [rng.normal(size=n) for _ in range(count)]
vectors[2] = 2 * vectors[0] - vectors[1]
if count > 10:
    vectors.insert(7, vectors[3] + vectors[4] + vectors[5])


def classical(vectors):
    basis = []
    for v in vectors:
        w = v.copy()
        for q in basis:
            w -= (q @ v) * q
        norm = np.sqrt(w @ w)
        if norm > 1e-8 * np.sqrt(v @ v):
            basis.append(w / norm)
    return basis


def modified(vectors):
    basis, left_out, table = [], [], {}
    rest = [v.copy() for v in vectors]
    for k in range(len(rest)):
        norm = np.linalg.norm(rest[k])
        if norm < 1e-8 * np.linalg.norm(vectors[k]):
            left_out.append(k)
            continue
        rest[k] /= norm
        basis.append(rest[k])
        for j in range(k + 1, len(rest)):
            c = np.sum(rest[k] * rest[j])
            if j < k + 3:
                table[k, j] = c
            rest[j] -= c * rest[k]
    return basis, left_out, table


one = classical(vectors)
two, left_out, table = modified(vectors)
NOISE = {"table": 1e-9}
table = {key: c for key, c in table.items() if 2 not in key}     # of the dependent one: rounding
Q = np.stack(two, axis=1)
gram = Q.T @ Q
NOISE["gram"] = 1e-9
agree = [bool(np.allclose(a, b, atol=1e-9)) for a, b in zip(one, two)]
projection = sum((q @ vectors[-1]) * q for q in two)
print(len(one), len(two), left_out, all(agree), np.allclose(gram, np.eye(len(two))))
print("in the span:", np.allclose(projection, vectors[-1]))
