# SPDX-License-Identifier: BSD-3-Clause
# Made by tools/stubs.py from python/heddle/_padding.py and tools/stubs.toml: do not edit; `make gen` writes it again.
from typing import Any, overload
from ._array import NDArray, _Operand, _S

__all__ = ["pad"]

@overload
def pad(array: NDArray[_S], pad_width: Any, mode: Any = 'constant',
        **kwargs: Any) -> NDArray[_S]: ...
@overload
def pad(array: _Operand, pad_width: Any, mode: Any = 'constant', **kwargs: Any) -> NDArray[Any]: ...
