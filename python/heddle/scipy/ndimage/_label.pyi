# SPDX-License-Identifier: BSD-3-Clause
# Made by tools/stubs.py from python/heddle/scipy/ndimage/_label.py and tools/stubs.toml: do not edit; `make gen` writes it again.
from numpy.typing import DTypeLike
from typing import Any
from ..._array import ndarray, _Operand

__all__ = ["find_objects", "label"]

def label(input: _Operand, structure: Any = None,
          output: ndarray | DTypeLike | None = None) -> Any: ...
def find_objects(input: _Operand, max_label: Any = 0) -> Any: ...
