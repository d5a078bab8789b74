# SPDX-License-Identifier: BSD-3-Clause
"""Products of several matrices."""
from ._heddle import asarray, dot

__all__ = ["multi_dot"]


def _cheapest_order(p):
    """Where to split each part i ... j of a chain of matrices with p[k] x p[k + 1] elements.

    Source: the dynamic program of Cormen, Leiserson, Rivest, Stein: Introduction to Algorithms,
    "Matrix-chain multiplication".
    """
    n = len(p) - 1
    cost = [[0] * n for _ in range(n)]
    split = [[0] * n for _ in range(n)]
    for length in range(1, n):
        for i in range(n - length):
            j = i + length
            cost[i][j], split[i][j] = min(
                (cost[i][k] + cost[k + 1][j] + p[i] * p[k + 1] * p[j + 1], k) for k in range(i, j))
    return split


def multi_dot(arrays, *, out=None):
    """The product of two or more matrices, in the order that takes the fewest multiplications."""
    n = len(arrays)
    if n < 2:
        raise ValueError("Expecting at least two arrays.")
    if n == 2:
        return dot(arrays[0], arrays[1], out=out)
    arrays = [asarray(a) for a in arrays]
    row, column = arrays[0].ndim == 1, arrays[-1].ndim == 1
    if row:
        arrays[0] = arrays[0][None, :]
    if column:
        arrays[-1] = arrays[-1][:, None]
    for a in arrays:
        if a.ndim != 2:
            from numpy.linalg import LinAlgError
            raise LinAlgError(f"{a.ndim}-dimensional array given. Array must be two-dimensional")
    split = _cheapest_order([a.shape[0] for a in arrays] + [arrays[-1].shape[1]])

    def product(i, j, out=None):
        if i == j:
            return arrays[i]
        k = split[i][j]
        return dot(product(i, k), product(k + 1, j), out=out)

    result = product(0, n - 1, out)
    if row and column:
        return result[0, 0]
    return result.ravel() if row or column else result
