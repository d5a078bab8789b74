# SPDX-License-Identifier: BSD-3-Clause
"""Global alignment with affine gaps (Gotoh): three tables of rows, and the alignment as two arrays of letters."""
import numpy as np

SIZES = {"tiny": 6, "medium": 70, "large": 500}
n = SIZES[SIZE]
OPEN, EXTEND = -5.0, -1.0
LETTERS = "ACGT"
rng = np.random.default_rng(21)
a = rng.integers(0, 4, n).astype(np.uint8)
b = np.delete(a, rng.integers(0, n, n // 5))
b[rng.random(b.size) < 0.1] = 2
m = b.size
similarity = np.array([[5, -4, -1, -4], [-4, 5, -4, -1], [-1, -4, 5, -4], [-4, -1, -4, 5]], dtype=float)

M = np.full((n + 1, m + 1), -np.inf)
X = np.full_like(M, -np.inf)              # a gap in b
Y = np.full_like(M, -np.inf)              # a gap in a
M[0, 0] = 0
X[1:, 0] = OPEN + EXTEND * np.arange(n)
Y[0, 1:] = OPEN + EXTEND * np.arange(m)
ramp = EXTEND * np.arange(m + 1)
for i in range(1, n + 1):
    X[i, 1:] = np.maximum(np.maximum(M[i - 1, 1:], Y[i - 1, 1:]) + OPEN, X[i - 1, 1:] + EXTEND)
    diagonal = np.maximum(np.maximum(M[i - 1], X[i - 1]), Y[i - 1])[:-1]
    M[i, 1:] = diagonal + similarity[a[i - 1]][b]
    begun = np.maximum(M[i, :-1], X[i, :-1]) + OPEN - ramp[1:]
    Y[i, 1:] = np.maximum.accumulate(begun) + ramp[1:]

score = max(M[n, m], X[n, m], Y[n, m])
top, bottom = [], []
i, j = n, m
state = int(np.argmax([M[n, m], X[n, m], Y[n, m]]))
while i > 0 or j > 0:
    if state == 0:
        i, j = i - 1, j - 1
        top.append(LETTERS[a[i]])
        bottom.append(LETTERS[b[j]])
        state = int(np.argmax(np.array([M[i, j], X[i, j], Y[i, j]])))
    elif state == 1:
        options = (M[i - 1, j] + OPEN, X[i - 1, j] + EXTEND, Y[i - 1, j] + OPEN)
        i -= 1
        top.append(LETTERS[a[i]])
        bottom.append("-")
        state = max(range(3), key=lambda s: options[s])
    else:
        options = (M[i, j - 1] + OPEN, X[i, j - 1] + OPEN, Y[i, j - 1] + EXTEND)
        j -= 1
        top.append("-")
        bottom.append(LETTERS[b[j]])
        state = max(range(3), key=lambda s: options[s])
upper, lower = "".join(top[::-1]), "".join(bottom[::-1])
matches = sum(p == q for p, q in zip(upper, lower))
assert upper.replace("-", "") == "".join(LETTERS[k] for k in a)
for k in range(0, min(len(upper), 120), 60):
    print(upper[k:k + 60])
    print(lower[k:k + 60])
print("score", score, "identical", matches, "of", len(upper))
