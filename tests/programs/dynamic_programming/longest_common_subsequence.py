# SPDX-License-Identifier: BSD-3-Clause
"""Longest common subsequences by anti-diagonals of the table, and the way back through it."""
import numpy as np

SIZES = {"tiny": 7, "medium": 300, "large": 3000}
n = SIZES[SIZE]
np.random.seed(3)
x = np.random.randint(0, 6, size=n)
y = np.random.randint(0, 6, size=n + 2)
m = len(y)

# diagonals[k][i] is the length for the first i letters of x and the first k - i of y
older = np.zeros(n + 1, dtype=np.int16)
newer = np.zeros(n + 1, dtype=np.int16)
table = np.zeros((n + 1, m + 1), np.int16)
flat = table.ravel()                      # a view; stores below are seen in table
for k in range(2, n + m + 1):
    lo, hi = max(1, k - m), min(n, k - 1)
    i = slice(lo, hi + 1)
    same = x[lo - 1:hi] == y[k - hi - 1:k - lo][::-1]
    fresh = newer.copy()
    fresh[i] = np.where(same, older[lo - 1:hi] + 1, np.maximum(newer[i], newer[lo - 1:hi]))
    first = lo * (m + 1) + (k - lo)
    flat[first:first + (hi - lo) * m + 1:m] = fresh[i]
    older, newer = newer, fresh

length = int(table[n, m])
i, j = n, m
picked = []
while i > 0 and j > 0:
    if x[i - 1] == y[j - 1]:
        picked.append(x[i - 1])
        i -= 1
        j -= 1
    elif table[i - 1, j] >= table[i, j - 1]:
        i -= 1
    else:
        j -= 1
common = np.array(picked[::-1])
assert len(common) == length == newer[n]
counts = np.bincount(common, minlength=6)
monotone = (np.diff(table, axis=0) >= 0).all() and (np.diff(table.astype(int), axis=1) <= 1).all()
print("length", length, "of", n)
print("letters", counts, "monotone", monotone)
