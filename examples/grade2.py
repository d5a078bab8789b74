# SPDX-License-Identifier: BSD-3-Clause
"""A second-degree polynomial of two vectors, written as one expression."""

from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray


def make(n: int = 5_000_000) -> tuple[Any, ...]:
    rng = np.random.default_rng(1)
    return rng.random(n), rng.random(n)


def run(xp: ModuleType, x: NDArray[Any], y: NDArray[Any]) -> Any:
    a, b, c = 3.5, 2.8, 10
    return a * x**2 + b * y + c
