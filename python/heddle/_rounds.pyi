# SPDX-License-Identifier: BSD-3-Clause
# Made by tools/stubs.py from python/heddle/_rounds.py and tools/stubs.toml: do not edit; `make gen` writes it again.
from numpy import float64, int64
from typing import Any
from ._array import NDArray, _Operand, _Shape

class Rounds:
    def vonmises(self, mu: Any, kappa: Any, size: _Shape | None = None) -> NDArray[float64]: ...
    def zipf(self, a: _Operand, size: _Shape | None = None) -> NDArray[int64]: ...
    def hypergeometric(self, ngood: Any, nbad: Any, nsample: Any,
                       size: _Shape | None = None) -> NDArray[int64]: ...
