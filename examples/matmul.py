# SPDX-License-Identifier: BSD-3-Clause
"""A product of two square matrices."""

import numpy as np


def make(n=1000):
    rng = np.random.default_rng(3)
    return rng.standard_normal((n, n)), rng.standard_normal((n, n))


def run(xp, a, b):
    return xp.matmul(a, b)
