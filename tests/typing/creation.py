# SPDX-License-Identifier: BSD-3-Clause
"""Types of arrays that are made, converted and joined: for mypy, never run (check.py says how)."""
from typing import Any, assert_type

import heddle as np
from heddle.typing import ArrayLike, DTypeLike, NDArray

single: NDArray[np.float32] = np.zeros(4, dtype=np.float32)
double = np.zeros((3, 4))

assert_type(double, NDArray[np.float64])
assert_type(np.zeros(3, np.int16), NDArray[np.int16])
assert_type(np.ones((2, 2)), NDArray[np.float64])
assert_type(np.ones((2, 2), dtype=np.complex64), NDArray[np.complex64])
assert_type(np.empty(3), NDArray[np.float64])
assert_type(np.empty(3, dtype=np.dtype(np.uint8)), NDArray[np.uint8])
assert_type(np.zeros(3, dtype="float32"), NDArray[Any])
assert_type(np.full(3, 1.5, dtype=np.float32), NDArray[np.float32])
assert_type(np.eye(3), NDArray[np.float64])
assert_type(np.eye(3, dtype=np.float32), NDArray[np.float32])
assert_type(np.identity(3), NDArray[np.float64])
assert_type(np.arange(3, dtype=np.float32), NDArray[np.float32])
assert_type(np.linspace(0, 1, 5), NDArray[np.float64])
assert_type(np.linspace(0.0, 1.0, 5, dtype=np.float32), NDArray[np.float32])
assert_type(np.linspace(0.0, 1.0, retstep=True)[0], NDArray[np.float64])
assert_type(np.logspace(0, 1, 5), NDArray[np.float64])
assert_type(np.tri(3, dtype=np.int8), NDArray[np.int8])
assert_type(np.hanning(5), NDArray[np.float64])

assert_type(np.array([1.0, 2.0]), NDArray[Any])
assert_type(np.array([1.0, 2.0], dtype=np.float32), NDArray[np.float32])
assert_type(np.array(single), NDArray[np.float32])
assert_type(np.array(np.float32(1)), NDArray[np.float32])
assert_type(np.asarray([1, 2], dtype=np.int32), NDArray[np.int32])
assert_type(np.asarray(double), NDArray[np.float64])
assert_type(np.copy(single), NDArray[np.float32])
assert_type(np.zeros_like(single), NDArray[np.float32])
assert_type(np.ones_like(single, dtype=np.int64), NDArray[np.int64])
assert_type(np.empty_like(double), NDArray[np.float64])
assert_type(np.full_like(single, 2), NDArray[np.float32])
assert_type(np.ascontiguousarray(single), NDArray[np.float32])
assert_type(np.fromiter([1, 2], np.int64), NDArray[np.int64])

assert_type(single.astype(np.float64), NDArray[np.float64])
assert_type(single.astype(np.dtype(np.int8)), NDArray[np.int8])
assert_type(single.astype("int8"), NDArray[Any])
assert_type(single.copy(), NDArray[np.float32])
assert_type(single.dtype, np.dtype[np.float32])
assert_type(double.shape, tuple[Any, ...])      # NumPy's stubs: follow shapes
assert_type(double.ndim, int)
assert_type(double.size, int)
assert_type(double.nbytes, int)
assert_type(double.strides, tuple[int, ...])
assert_type(double.tobytes(), bytes)

assert_type(np.concatenate([single, single]), NDArray[np.float32])
assert_type(np.concatenate([single, double.ravel()], dtype=np.float64), NDArray[np.float64])
assert_type(np.concatenate(([1, 2], [3])), NDArray[Any])
assert_type(np.stack([double, double], axis=1), NDArray[np.float64])
assert_type(np.vstack([single, single]), NDArray[np.float32])
assert_type(np.hstack([single, single]), NDArray[np.float32])
assert_type(np.column_stack([single, single]), NDArray[np.float32])
assert_type(np.split(single, 2), list[NDArray[np.float32]])
assert_type(np.array_split(single, 3), list[NDArray[np.float32]])
assert_type(np.tile(single, 2), NDArray[np.float32])
assert_type(np.pad(single, 1), NDArray[np.float32])
assert_type(np.repeat(single, 2), NDArray[np.float32])


def scaled(x: ArrayLike, dtype: DTypeLike = np.float64) -> NDArray[Any]:
    return np.asarray(x, dtype=dtype) * 2


def halves(x: NDArray[np.float64]) -> NDArray[np.float64]:
    return x / 2


def anything(x: np.ndarray) -> int:
    return x.size


assert_type(scaled([1, 2]), NDArray[Any])
assert_type(scaled(single, np.float32), NDArray[Any])
assert_type(halves(double), NDArray[np.float64])
assert_type(anything(single), int)
