# SPDX-License-Identifier: BSD-3-Clause
# Made by tools/stubs.py from python/heddle/lib/stride_tricks.py and tools/stubs.toml: do not edit; `make gen` writes it again.
from typing import Any, overload
from .._array import NDArray, _Axis, _Operand, _S
from .._heddle import broadcast_to as broadcast_to
from .._functions import broadcast_arrays as broadcast_arrays
from .._functions import broadcast_shapes as broadcast_shapes

__all__ = ["as_strided", "broadcast_arrays", "broadcast_shapes", "broadcast_to",
           "sliding_window_view"]

@overload
def as_strided(x: NDArray[_S], shape: Any = None, strides: Any = None, subok: bool = False,
               writeable: Any = True) -> NDArray[_S]: ...
@overload
def as_strided(x: _Operand, shape: Any = None, strides: Any = None, subok: bool = False,
               writeable: Any = True) -> NDArray[Any]: ...
@overload
def sliding_window_view(x: NDArray[_S], window_shape: Any, axis: _Axis = None, *,
                        subok: bool = False, writeable: Any = False) -> NDArray[_S]: ...
@overload
def sliding_window_view(x: _Operand, window_shape: Any, axis: _Axis = None, *, subok: bool = False,
                        writeable: Any = False) -> NDArray[Any]: ...
