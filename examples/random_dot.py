# SPDX-License-Identifier: BSD-3-Clause
"""The dot product of two random vectors, made where they are used."""

from types import ModuleType
from typing import Any

import numpy as np


def make(n: int = 20_000_000) -> tuple[Any, ...]:
    return (n,)


def run(xp: ModuleType, n: int) -> Any:
    xp.random.seed(7)
    a = xp.random.rand(n).astype(np.float32)
    b = xp.random.rand(n).astype(np.float32)
    return xp.dot(a, b)


def reference(xp: ModuleType, n: int) -> Any:
    """The same by NumPy in float64, of the numbers that xp draws: each library has its own."""
    xp.random.seed(7)
    a, b = np.array(xp.random.rand(n)), np.array(xp.random.rand(n))
    return np.dot(a, b)
