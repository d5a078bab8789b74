# SPDX-License-Identifier: BSD-3-Clause
# Made by tools/stubs.py from python/heddle/cupy/_arrays.py and tools/stubs.toml: do not edit; `make gen` writes it again.
from numpy import dtype
from numpy.typing import DTypeLike
from typing import Any, overload
from .._array import NDArray, ndarray, _DType, _Operand, _Order, _S
from .._heddle import ndarray as ndarray

__all__ = ["asarray", "asnumpy", "fromDlpack", "get_array_module", "ndarray"]

@overload
def asarray(a: NDArray[_S], dtype: None = ..., order: _Order = None, *, device: str | None = None,
            copy: bool | None = None, like: Any = None, blocking: Any = False) -> NDArray[_S]: ...
@overload
def asarray(a: Any, dtype: _DType[_S], order: _Order = None, *, device: str | None = None,
            copy: bool | None = None, like: Any = None, blocking: Any = False) -> NDArray[_S]: ...
@overload
def asarray(a: Any, dtype: DTypeLike | None = None, order: _Order = None, *,
            device: str | None = None, copy: bool | None = None, like: Any = None,
            blocking: Any = False) -> NDArray[Any]: ...
def asnumpy(a: _Operand, stream: Any = None, order: _Order = 'C', out: ndarray | None = None, *,
            blocking: Any = True) -> Any: ...
def get_array_module(*args: Any) -> Any: ...
def fromDlpack(dltensor: Any) -> Any: ...
