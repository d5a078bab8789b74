# SPDX-License-Identifier: BSD-3-Clause
"""Finite elements in one dimension (linear and quadratic), assembled element by element, and modes of a bar."""
import numpy as np

SIZES = {"tiny": (4, 3), "medium": (40, 8), "large": (200, 10)}
elements, modes = SIZES[SIZE]
TOLERANCE = {"default": 1e-7}
GAUSS = np.array([-np.sqrt(3 / 5), 0, np.sqrt(3 / 5)])
WEIGHT = np.array([5, 8, 5]) / 9


def shape(order, xi):
    if order == 1:
        return np.array([(1 - xi) / 2, (1 + xi) / 2]), np.array([-0.5, 0.5])
    return (np.array([xi * (xi - 1) / 2, 1 - xi ** 2, xi * (xi + 1) / 2]),
            np.array([xi - 0.5, -2 * xi, xi + 0.5]))


def assemble(nodes, order, stiffness, load):
    n = len(nodes)
    K, M, F = np.zeros((n, n)), np.zeros((n, n)), np.zeros(n)
    for first in range(0, n - 1, order):
        dofs = np.arange(first, first + order + 1)
        x = nodes[dofs]
        jacobian = (x[-1] - x[0]) / 2
        k = np.zeros((order + 1, order + 1))
        m = np.zeros_like(k)
        f = np.zeros(order + 1)
        for xi, w in zip(GAUSS, WEIGHT):
            N, dN = shape(order, xi)
            at = N @ x
            k += w * stiffness(at) * np.outer(dN, dN) / jacobian
            m += w * np.outer(N, N) * jacobian
            f += w * load(at) * N * jacobian
        K[np.ix_(dofs, dofs)] += k
        M[dofs[:, None], dofs] += m
        F[dofs] += f
    return K, M, F


def solve(K, F, fixed):
    """With given values at some nodes: {node: value}."""
    free = np.ones(len(F), dtype=bool)
    u = np.zeros(len(F))
    for node, value in fixed.items():
        free[node] = False
        u[node] = value
    rhs = F[free] - K[np.ix_(free, ~free)] @ u[~free]
    u[free] = np.linalg.solve(K[free][:, free], rhs)
    return u, free


errors = {}
for order in (1, 2):
    for count in (max(2, elements // 4), elements):
        nodes = np.linspace(0, 1, order * count + 1) ** 1.2
        if order == 2:
            nodes[1::2] = (nodes[:-1:2] + nodes[2::2]) / 2
        K, M, F = assemble(nodes, order, lambda x: 1 + x, lambda x: np.pi ** 2 * (1 + x) * np.sin(np.pi * x) - np.pi * np.cos(np.pi * x))
        assert np.allclose(K, K.T) and np.abs(K.sum(axis=1)).max() < 1e-7 * np.abs(K).max()
        u, free = solve(K, F, {0: 0.0, len(nodes) - 1: 0.0})
        difference = u - np.sin(np.pi * nodes)
        errors[order, count] = np.sqrt(difference @ (M @ difference))
        tension = np.diff(u) / np.diff(nodes) * (1 + (nodes[1:] + nodes[:-1]) / 2)
for order in (1, 2):
    a, b = (errors[k] for k in errors if k[0] == order)
    assert b < a
    print("order", order, "error below 0.02:", b < 0.02)

K, M, _ = assemble(np.linspace(0, 1, elements + 1), 1, lambda x: 1.0, lambda x: 0.0)
inner = slice(1, -1)
L = np.linalg.cholesky(M[inner, inner])
A = np.linalg.solve(L, np.linalg.solve(L, K[inner, inner]).T)
values, vectors = np.linalg.eigh((A + A.T) / 2)
frequencies = np.sqrt(values[:modes]) / np.pi
form = np.linalg.solve(L.T, vectors[:, 0])
form *= np.sign(form[len(form) // 2]) / np.abs(form).max()
print("frequencies", frequencies.round(6))
print("first mode", form[:3].round(6), "tension", tension[[0, -1]].round(5))
del vectors, difference, errors, a, b     # signs of vectors are free; errors are differences of last digits
