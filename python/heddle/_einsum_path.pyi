# SPDX-License-Identifier: BSD-3-Clause
# Made by tools/stubs.py from python/heddle/_einsum_path.py and tools/stubs.toml: do not edit; `make gen` writes it again.
from typing import Any

__all__ = ["einsum_path"]

def einsum_path(*operands: Any, optimize: Any = 'greedy',
                einsum_call: Any = False) -> tuple[list[Any], str]: ...
