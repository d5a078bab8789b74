# SPDX-License-Identifier: BSD-3-Clause
# Made by tools/stubs.py from python/heddle/_chains.py and tools/stubs.toml: do not edit; `make gen` writes it again.
from typing import Any
from ._array import NDArray, ndarray

__all__ = ["multi_dot"]

def multi_dot(arrays: Any, *, out: ndarray | None = None) -> NDArray[Any]: ...
