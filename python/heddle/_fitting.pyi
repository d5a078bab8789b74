# SPDX-License-Identifier: BSD-3-Clause
# Made by tools/stubs.py from python/heddle/_fitting.py and tools/stubs.toml: do not edit; `make gen` writes it again.
from typing import Any, SupportsIndex
from ._array import NDArray, _Operand

__all__ = ["polyfit", "roots"]

def polyfit(x: _Operand, y: _Operand, deg: SupportsIndex, rcond: Any = None, full: bool = False,
            w: Any = None, cov: Any = False) -> Any: ...
def roots(p: _Operand) -> NDArray[Any]: ...
