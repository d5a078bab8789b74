# SPDX-License-Identifier: BSD-3-Clause
# Made by tools/stubs.py from python/heddle/scipy/ndimage/_distances.py and tools/stubs.toml: do not edit; `make gen` writes it again.
from typing import Any
from ..._array import _Operand

__all__ = ["distance_transform_edt"]

def distance_transform_edt(input: _Operand, sampling: Any = None, return_distances: Any = True,
                           return_indices: Any = False, distances: Any = None,
                           indices: _Operand | None = None, *, block_params: Any = None,
                           float64_distances: Any = True) -> Any: ...
