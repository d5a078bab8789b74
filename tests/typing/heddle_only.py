# SPDX-License-Identifier: BSD-3-Clause
"""Types of what NumPy has not, or not under that name: for mypy, never run (check.py says how)."""
from typing import Any, assert_type

import heddle
import heddle.cupy as cp
import heddle.scipy
from heddle.typing import NDArray

x: NDArray[heddle.float64] = heddle.zeros(3)

heddle.explain(x + 1)
heddle.synchronize()
heddle.set_num_threads(2)
assert_type(heddle.get_num_threads(), int)
with heddle.device("cpu"):
    pass
assert_type(heddle.device("cpu").name, str)
assert_type(x.device.name, str)
assert_type(heddle.cuda.is_available(), bool)
if heddle.cuda.is_available():
    assert_type(heddle.cuda.Device(0).name, str)
assert_type(heddle.scipy.fft.dct(x), NDArray[heddle.float64])
assert_type(heddle.scipy.ndimage.gaussian_filter(x, 1.0), NDArray[Any])
assert_type(heddle.scipy.special.softmax(x), NDArray[heddle.float64])
assert_type(heddle.scipy.signal.fftconvolve(x, x), NDArray[heddle.float64])
assert_type(heddle.cummax(x), NDArray[heddle.float64])
assert_type(cp.zeros(3), NDArray[heddle.float64])
with heddle.profile() as taken:
    x.sum().item()
taken.by_name()
square = cp.ElementwiseKernel("T x", "T y", "y = x * x", "square")
assert_type(square(cp.zeros(3)), Any)
assert_type(cp.linalg.norm(cp.ones(3)), NDArray[heddle.float64])
