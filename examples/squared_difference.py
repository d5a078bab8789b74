# SPDX-License-Identifier: BSD-3-Clause
"""The squared difference of a vector of integers and another one read backwards."""

import numpy as np


def make(n=2_000_000):
    return np.arange(n), np.arange(n)[::-1]


def run(xp, x, y):
    return (x - y) * (x - y)
