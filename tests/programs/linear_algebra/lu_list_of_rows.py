# SPDX-License-Identifier: BSD-3-Clause
"""LU decomposition of a matrix kept as a list of rows, columns of its inverse."""
import numpy as np

SIZES = {"tiny": 4, "medium": 90, "large": 420}
n = SIZES[SIZE]
rng = np.random.default_rng(11)
A = rng.uniform(-1, 1, (n, n)) + n * np.eye(n)
upper = [row.copy() for row in A]
lower = [np.zeros(n) for _ in range(n)]

for k in range(n):
    pivot = upper[k][k]
    if abs(pivot) < 1e-12:
        raise SystemExit("a pivot is zero")
    lower[k][k] = 1.0
    for i in range(k + 1, n):
        factor = upper[i][k] / pivot
        lower[i][k] = factor
        upper[i] = upper[i] - factor * upper[k]
        upper[i][k] = 0.0

L, U = np.array(lower), np.vstack(upper)
product = L @ U


def column_of_inverse(j):
    x = np.zeros(n)
    x[j] = 1.0
    for i in range(j, n):
        x[i] -= np.dot(lower[i][:i], x[:i])
    for i in reversed(range(n)):
        x[i] = (x[i] - np.dot(upper[i][i + 1:], x[i + 1:])) / upper[i][i]
    return x


columns = {j: column_of_inverse(j) for j in range(0, n, max(1, n // 7))}
errors = np.array([np.abs(A @ c - np.eye(n)[j]).max() for j, c in columns.items()])
good = bool((errors < 1e-10).all())
del errors          # rounding only
determinant_log = sum(np.log(abs(upper[i][i])) for i in range(n))
print("product is the matrix:", np.allclose(product, A))
print("columns of the inverse hold:", good)
