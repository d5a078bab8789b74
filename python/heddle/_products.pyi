# SPDX-License-Identifier: BSD-3-Clause
# Made by tools/stubs.py from python/heddle/_products.py and tools/stubs.toml: do not edit; `make gen` writes it again.
from typing import Any

__all__ = ["matvec", "vecdot", "vecmat"]

class gufunc:
    def __init__(self, name: Any, signature: Any, product: Any, doc: Any) -> None: ...
    signature: Any
    reduce: Any
    def at(self, *args: Any, **kwargs: Any) -> Any: ...
    def outer(self, *args: Any, **kwargs: Any) -> Any: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...
    nin: int
    nout: int
    nargs: int
    identity: None
    accumulate: Any
    reduceat: Any
    __signature__: Any
vecdot: gufunc
matvec: gufunc
vecmat: gufunc
