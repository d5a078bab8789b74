# SPDX-License-Identifier: BSD-3-Clause
"""A polynomial of the third degree fitted to one period of a sine by gradient descent."""

from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray


def make(n: int = 2000, steps: int = 2000) -> tuple[Any, ...]:
    x = np.linspace(-np.pi, np.pi, n)
    return x, np.sin(x), np.array([0.1, 0.2, 0.3, 0.4]), steps


def run(xp: ModuleType, x: NDArray[Any], y: NDArray[Any],
        start: NDArray[Any], steps: int, rate: float = 1e-6) -> Any:
    a, b, c, d = (start[k] for k in range(4))
    for _ in range(steps):
        fit = a + b * x + c * x**2 + d * x**3
        slope = 2.0 * (fit - y)
        a -= rate * slope.sum()
        b -= rate * (slope * x).sum()
        c -= rate * (slope * x**2).sum()
        d -= rate * (slope * x**3).sum()
    return xp.stack([a, b, c, d])
