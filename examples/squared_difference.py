# SPDX-License-Identifier: BSD-3-Clause
"""The squared difference of a vector of integers and another one read backwards."""

from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray


def make(n: int = 2_000_000) -> tuple[Any, ...]:
    return np.arange(n), np.arange(n)[::-1]


def run(xp: ModuleType, x: NDArray[Any], y: NDArray[Any]) -> Any:
    return (x - y) * (x - y)
