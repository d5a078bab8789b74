# SPDX-License-Identifier: BSD-3-Clause
# Made by tools/stubs.py from python/heddle/cupy/_kernels.py and tools/stubs.toml: do not edit; `make gen` writes it again.
from typing import Any
from .._array import ndarray, _Axis

__all__ = ["ElementwiseKernel", "ReductionKernel"]

class ElementwiseKernel:
    def __init__(self, in_params: Any, out_params: Any, operation: Any, name: Any = 'kernel',
                 reduce_dims: Any = True, preamble: Any = '', no_return: Any = False,
                 return_tuple: Any = False, *, options: Any = (), loop_prep: Any = '',
                 after_loop: Any = '', **ignored: Any) -> None: ...
    text: Any
    kwargs: Any
    operation: Any
    preamble: Any
    no_return: Any
    return_tuple: Any
    options: Any
    loop_prep: Any
    after_loop: Any
    reduce_dims: Any
    def __call__(self, *args: Any, size: int | None = None, block_size: Any = ...,
                 stream: Any = None, **ignored: Any) -> Any: ...
class ReductionKernel:
    map_expr: Any
    def __init__(self, in_params: Any, out_params: Any, map_expr: Any, reduce_expr: Any,
                 post_map_expr: Any, identity: Any, name: Any = 'reduce_kernel',
                 reduce_type: Any = None, reduce_dims: Any = True, preamble: Any = '',
                 options: Any = ()) -> None: ...
    text: Any
    reduce_expr: Any
    post_map_expr: Any
    identity: Any
    reduce_type: Any
    preamble: Any
    options: Any
    reduce_dims: Any
    def __call__(self, *args: Any, out: ndarray | None = None, axis: _Axis = None,
                 keepdims: bool = False, stream: Any = None) -> Any: ...
