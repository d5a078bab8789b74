# SPDX-License-Identifier: BSD-3-Clause
"""Logistic regression of two classes by gradient descent."""

from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray


def make(n: int = 10_000, steps: int = 1000) -> tuple[Any, ...]:
    rng = np.random.default_rng(2)
    x = np.c_[np.ones(n), rng.standard_normal((n, 2))]
    truth = x @ np.array([[0.5], [-1.0], [2.0]])
    y = (rng.random((n, 1)) < 1 / (1 + np.exp(-truth))).astype(np.float64)
    return x, y, steps


def run(xp: ModuleType, x: NDArray[Any], y: NDArray[Any], steps: int, rate: float = 0.1) -> Any:
    theta = xp.zeros((x.shape[1], 1))
    for _ in range(steps):
        p = 1 / (1 + xp.exp(-(x @ theta)))
        theta = theta - rate * (x.T @ (p - y)) / x.shape[0]
    return theta
