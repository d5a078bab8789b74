# SPDX-License-Identifier: BSD-3-Clause
# Made by tools/stubs.py from python/heddle/_applying.py and tools/stubs.toml: do not edit; `make gen` writes it again.
from typing import Any
from ._array import NDArray, _Axis, _Operand

__all__ = ["apply_along_axis", "apply_over_axes", "vectorize"]

def apply_along_axis(func1d: Any, axis: _Axis, arr: _Operand, *args: Any,
                     **kwargs: Any) -> NDArray[Any]: ...
def apply_over_axes(func: Any, a: _Operand, axes: Any) -> NDArray[Any]: ...
class vectorize:
    def __init__(self, pyfunc: Any = None, otypes: Any = None, doc: Any = None,
                 excluded: Any = None, cache: Any = False, signature: Any = None) -> None: ...
    otypes: Any
    pyfunc: Any
    cache: Any
    signature: Any
    excluded: Any
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...
