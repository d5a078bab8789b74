# SPDX-License-Identifier: BSD-3-Clause
# Made by tools/stubs.py from python/heddle/scipy/signal/_by_name.py and tools/stubs.toml: do not edit; `make gen` writes it again.
from typing import Any
from ..._array import NDArray

__all__ = ["get_window"]

def get_window(window: Any, Nx: Any, fftbins: Any = True) -> NDArray[Any]: ...
