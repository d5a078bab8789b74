# SPDX-License-Identifier: BSD-3-Clause
# Made by tools/stubs.py from python/heddle/_vectors.py and tools/stubs.toml: do not edit; `make gen` writes it again.
from numpy import float64, int64
from typing import Any, SupportsIndex
from ._array import NDArray, _Shape
from ._rounds import Rounds

class Vectors(Rounds):
    def multinomial(self, n: SupportsIndex, pvals: Any,
                    size: _Shape | None = None) -> NDArray[int64]: ...
    def dirichlet(self, alpha: Any, size: _Shape | None = None) -> NDArray[float64]: ...
    def multivariate_normal(self, mean: Any, cov: Any, size: _Shape | None = None,
                            check_valid: Any = 'warn', tol: Any = 1e-08, *,
                            method: Any = 'svd') -> NDArray[float64]: ...
    def multivariate_hypergeometric(self, colors: Any, nsample: Any, size: _Shape | None = None,
                                    method: Any = 'marginals') -> NDArray[int64]: ...
