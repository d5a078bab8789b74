# SPDX-License-Identifier: BSD-3-Clause
# Made by tools/stubs.py from python/heddle/cupy/_arrays.py and tools/stubs.toml: do not edit; `make gen` writes it again.
from typing import Any
from .._array import ndarray, _Operand, _Order
from .._heddle import ndarray as ndarray

__all__ = ["asnumpy", "fromDlpack", "get_array_module", "ndarray"]

def asnumpy(a: _Operand, stream: Any = None, order: _Order = 'C', out: ndarray | None = None, *,
            blocking: Any = True) -> Any: ...
def get_array_module(*args: Any) -> Any: ...
def fromDlpack(dltensor: Any) -> Any: ...
