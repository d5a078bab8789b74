# SPDX-License-Identifier: BSD-3-Clause
"""A product of two square matrices."""

from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray


def make(n: int = 1000) -> tuple[Any, ...]:
    rng = np.random.default_rng(3)
    return rng.standard_normal((n, n)), rng.standard_normal((n, n))


def run(xp: ModuleType, a: NDArray[Any], b: NDArray[Any]) -> Any:
    return xp.matmul(a, b)
