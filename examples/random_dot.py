# SPDX-License-Identifier: BSD-3-Clause
"""The dot product of two random vectors, made where they are used."""

import numpy as np


def make(n=20_000_000):
    return (n,)


def run(xp, n):
    xp.random.seed(7)
    a = xp.random.rand(n).astype(np.float32)
    b = xp.random.rand(n).astype(np.float32)
    return xp.dot(a, b)


def reference(xp, n):
    """The same by NumPy in float64, of the numbers that xp draws: each library has its own."""
    xp.random.seed(7)
    a, b = np.array(xp.random.rand(n)), np.array(xp.random.rand(n))
    return np.dot(a, b)
