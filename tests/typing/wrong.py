# SPDX-License-Identifier: BSD-3-Clause
"""Mistakes that mypy must see: each line with `# error: code` has an error of that code, and no
other line has one (check.py)."""
import heddle as np
from heddle.typing import NDArray

x: NDArray[np.float64] = np.zeros(3)
m: NDArray[np.float32] = np.zeros(3)                    # error: assignment
n: NDArray[np.int64] = x * 2                            # error: assignment
k: int = x.sum(axis=0)                                  # error: assignment
np.zeros()                                              # error: call-overload
np.zeros(3, kind="float32")                             # error: call-overload
np.sum(x, axes=0)                                       # error: call-overload
np.reshape(x)                                           # error: call-overload
np.linalg.solve(x)                                      # error: call-overload
np.fft.fft(x, norm="sideways")                          # error: call-overload
np.allclose(x)                                          # error: call-arg
x.sums()                                                # error: attr-defined
x.astype()                                              # error: call-overload
x.sort(axis="rows")                                     # error: arg-type
x.size = 4                                              # error: misc
np.nothing_of_that_name                                 # error: attr-defined
np.random.default_rng(1).normals()                      # error: attr-defined
x @ object()                                            # error: operator
