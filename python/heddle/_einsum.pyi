# SPDX-License-Identifier: BSD-3-Clause
# Made by tools/stubs.py from python/heddle/_einsum.py and tools/stubs.toml: do not edit; `make gen` writes it again.
from numpy import dtype
from numpy.typing import DTypeLike
from typing import Any
from ._array import NDArray, ndarray, _Casting, _Order

__all__ = ["einsum"]

def einsum(*operands: Any, out: ndarray | None = None, optimize: Any = False,
           dtype: DTypeLike | None = None, order: _Order = 'K',
           casting: _Casting = 'safe') -> NDArray[Any]: ...
