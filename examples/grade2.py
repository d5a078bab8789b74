# SPDX-License-Identifier: BSD-3-Clause
"""A second-degree polynomial of two vectors, written as one expression."""

import numpy as np


def make(n=5_000_000):
    rng = np.random.default_rng(1)
    return rng.random(n), rng.random(n)


def run(xp, x, y):
    a, b, c = 3.5, 2.8, 10
    return a * x**2 + b * y + c
