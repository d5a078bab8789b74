# SPDX-License-Identifier: BSD-3-Clause
"""Local alignments of one query with a small data base of sequences, best first."""
import numpy as np

SIZES = {"tiny": (3, 6, 9), "medium": (20, 30, 120), "large": (120, 60, 250)}
how_many, query_length, length = SIZES[SIZE]


class Scoring:
    def __init__(self, match=3, mismatch=-3, gap=2):
        self.gap = gap
        self.table = np.full((4, 4), mismatch, dtype=np.int32)
        np.fill_diagonal(self.table, match)


class Aligner:
    """Fills H by anti-diagonals in place, so that each step is a handful of slices."""

    def __init__(self, query, scoring):
        self.query, self.scoring = query, scoring
        self.cells = 0

    def align(self, target):
        q, s = self.query, self.scoring
        n, m = len(q), len(target)
        pair = s.table[q[:, None], target[None, :]]
        h = np.zeros((n + 1, m + 1), np.int32)
        for k in range(2, n + m + 1):
            i = np.arange(max(1, k - m), min(n, k - 1) + 1)
            j = k - i
            h[i, j] = np.maximum.reduce([h[i - 1, j - 1] + pair[i - 1, j - 1],
                                         h[i - 1, j] - s.gap,
                                         h[i, j - 1] - s.gap,
                                         np.zeros_like(i, dtype=np.int32)])
        self.cells += h.size
        return h

    def trace(self, h, target):
        i, j = np.unravel_index(np.argmax(h), h.shape)
        i, j = int(i), int(j)
        end = (i, j)
        while h[i, j] > 0:
            if h[i, j] == h[i - 1, j - 1] + self.scoring.table[self.query[i - 1], target[j - 1]]:
                i, j = i - 1, j - 1
            elif h[i, j] == h[i - 1, j] - self.scoring.gap:
                i -= 1
            else:
                j -= 1
        return (i, j), end


rng = np.random.default_rng(2)
query = rng.integers(0, 4, query_length)
database = {}
for k in range(how_many):
    s = rng.integers(0, 4, length)
    if k % 3 == 0:
        at = rng.integers(0, length - query_length // 2)
        piece = query[query_length // 4: query_length // 4 + query_length // 2]
        s[at:at + len(piece)] = piece
    database["seq%03d" % k] = s

aligner = Aligner(query, Scoring())
results = []
for name, target in database.items():
    h = aligner.align(target)
    start, end = aligner.trace(h, target)
    results.append((int(h.max()), name, start, end))
results.sort(key=lambda r: (-r[0], r[1]))
scores = np.array([r[0] for r in results])
for r in results[:5]:
    print("%4d %s query %d-%d target %d-%d" % (r[0], r[1], r[2][0], r[3][0], r[2][1], r[3][1]))
print("cells", aligner.cells, "mean score %.3f" % scores.mean())
