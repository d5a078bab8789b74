# SPDX-License-Identifier: BSD-3-Clause
"""Types of operators and elementwise functions: for mypy, never run (check.py says how)."""
from typing import Any, assert_type

import heddle as np
from heddle.typing import NDArray

i: NDArray[np.int64] = np.zeros(3, dtype=np.int64)
j: NDArray[np.int32] = np.zeros(3, dtype=np.int32)
f: NDArray[np.float32] = np.zeros(3, dtype=np.float32)
d: NDArray[np.float64] = np.zeros(3)
c: NDArray[np.complex64] = np.zeros(3, dtype=np.complex64)
z: NDArray[np.complex128] = np.zeros(3, dtype=np.complex128)
b: NDArray[np.bool] = np.zeros(3, dtype=np.bool)

assert_type(d + d, NDArray[np.float64])
assert_type(f + f, NDArray[np.float32])
assert_type(i + i, NDArray[np.int64])
assert_type(z + z, NDArray[np.complex128])
assert_type(b + b, NDArray[np.bool])
assert_type(d + f, NDArray[np.float64])
assert_type(f + d, NDArray[np.float64])
assert_type(i + d, NDArray[np.float64])
assert_type(d - i, NDArray[np.float64])
assert_type(d * z, NDArray[np.complex128])
assert_type(z * i, NDArray[np.complex128])
assert_type(b * f, NDArray[np.float32])
assert_type(b + 1, NDArray[np.intp])
assert_type(f * b, NDArray[np.float32])

assert_type(d + 1, NDArray[np.float64])
assert_type(f + 1, NDArray[np.float32])
assert_type(1 + f, NDArray[np.float32])
assert_type(i - 1, NDArray[np.int64])
assert_type(j * 2, NDArray[np.int32])
assert_type(2 * j, NDArray[np.int32])
assert_type(f * 2.5, NDArray[np.float32])
assert_type(2.5 * f, NDArray[np.float32])
assert_type(i * 2.5, NDArray[np.float64])
assert_type(d * 2.5, NDArray[np.float64])
assert_type(c * 2.5, NDArray[np.complex64])
assert_type(c * 2j, NDArray[np.complex64])
assert_type(d * 2j, NDArray[np.complex128])
assert_type(f * 2j, NDArray[np.complex64])
assert_type(f * np.float32(2), NDArray[np.float32])
assert_type(f * np.float64(2), NDArray[np.float64])
assert_type(d + np.ones(3), NDArray[np.float64])

assert_type(d / d, NDArray[np.float64])
assert_type(i / i, NDArray[np.float64])
assert_type(i / 2, NDArray[np.float64])
assert_type(1 / d, NDArray[np.float64])
assert_type(1 / f, NDArray[np.float32])      # NumPy's stubs: float64, which it is not
assert_type(f / 2, NDArray[np.float32])      # NumPy's stubs: float64, which it is not
assert_type(d // 2, NDArray[np.float64])
assert_type(i // 2, NDArray[np.int64])
assert_type(i % 2, NDArray[np.int64])
assert_type(d % 1.5, NDArray[np.float64])
assert_type(divmod(i, 2), tuple[NDArray[np.int64], NDArray[np.int64]])
assert_type(d**2, NDArray[np.float64])
assert_type(f**2, NDArray[np.float32])
assert_type(i**2, NDArray[np.int64])
assert_type(2.0**f, NDArray[np.float32])
assert_type(d @ d, NDArray[np.float64])
assert_type(f @ f, NDArray[np.float32])
assert_type(f @ d, NDArray[np.float64])

assert_type(-d, NDArray[np.float64])
assert_type(+i, NDArray[np.int64])
assert_type(~i, NDArray[np.int64])
assert_type(~b, NDArray[np.bool])
assert_type(abs(f), NDArray[np.float32])
assert_type(abs(z), NDArray[np.float64])
assert_type(i & i, NDArray[np.int64])
assert_type(b | b, NDArray[np.bool])
assert_type(b ^ True, NDArray[np.bool])
assert_type(i & 1, NDArray[np.int64])
assert_type(j << 2, NDArray[np.int32])
assert_type(i >> i, NDArray[np.int64])

assert_type(d < 1, NDArray[np.bool])
assert_type(d >= f, NDArray[np.bool])
assert_type(i == 0, NDArray[np.bool])
assert_type(i != i, NDArray[np.bool])
assert_type((d > 0) & (d < 1), NDArray[np.bool])

d += 1
d *= f
d[0] = 3
d[1:] = f[1:]
i |= 4
assert_type(d, NDArray[np.float64])
assert_type(i, NDArray[np.int64])

assert_type(np.clip(f, 0, 1), NDArray[np.float32])
assert_type(np.clip(f, 0.5, 1.5), NDArray[np.float32])
assert_type(np.round(d, 2), NDArray[np.float64])
assert_type(np.isclose(d, d), NDArray[np.bool])
assert_type(np.allclose(d, d), bool)
assert_type(np.array_equal(d, f), bool)
assert_type(np.where(d > 0, d, d), NDArray[np.float64])
assert_type(np.where(d > 0, f, 0.0), NDArray[np.float32])
assert_type(np.where(d > 0), tuple[NDArray[np.intp], ...])
assert_type(np.nan_to_num(f), NDArray[np.float32])
assert_type(np.diff(d), NDArray[np.float64])

values: NDArray[Any] = np.sin(d) + np.exp(-f) * np.sqrt(np.abs(d)) + np.maximum(d, 0)
parts = np.modf(d)
assert_type(np.add.reduce(d), NDArray[Any])
