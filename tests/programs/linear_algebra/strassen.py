# SPDX-License-Identifier: BSD-3-Clause
"""Strassen's product of matrices by recursion over quadrants, with padding of odd sizes."""
import numpy as np

SIZES = {"tiny": (3, 2), "medium": (150, 20), "large": (400, 30)}
n, leaf = SIZES[SIZE]
rng = np.random.default_rng(41)
calls = {"products": 0, "depth": 0}


def multiply(A, B, depth=0):
    calls["depth"] = max(calls["depth"], depth)
    m = len(A)
    if m <= leaf:
        calls["products"] += 1
        return A @ B
    half = (m + 1) // 2
    if m % 2:
        A = np.pad(A, ((0, 1), (0, 1)))
        B = np.pad(B, [(0, 1)] * 2)
    a11, a12, a21, a22 = A[:half, :half], A[:half, half:], A[half:, :half], A[half:, half:]
    b11, b12, b21, b22 = B[:half, :half], B[:half, half:], B[half:, :half], B[half:, half:]
    m1 = multiply(a11 + a22, b11 + b22, depth + 1)
    m2 = multiply(a21 + a22, b11, depth + 1)
    m3 = multiply(a11, b12 - b22, depth + 1)
    m4 = multiply(a22, b21 - b11, depth + 1)
    m5 = multiply(a11 + a12, b22, depth + 1)
    m6 = multiply(a21 - a11, b11 + b12, depth + 1)
    m7 = multiply(a12 - a22, b21 + b22, depth + 1)
    C = np.empty_like(A)
    C[:half, :half] = m1 + m4 - m5 + m7
    C[:half, half:] = m3 + m5
    C[half:, :half] = m2 + m4
    C[half:, half:] = m1 - m2 + m3 + m6
    return C[:m, :m]


A, B = rng.uniform(-1, 1, (n, n)), rng.uniform(-1, 1, (n, n))
C = multiply(A, B)
counted = dict(calls)
integers = [rng.integers(-9, 9, (n, n)) for _ in range(2)]
exact = multiply(*integers)
equal = bool((exact == integers[0] @ integers[1]).all())
powers, P = [], np.eye(n)
for k in range(2):
    P = multiply(P, A / np.sqrt(n))
    powers.append(np.trace(P))
TOLERANCE = {"powers": 1e-9}
print(counted, "exact:", equal, "close:", np.allclose(C, A @ B))
