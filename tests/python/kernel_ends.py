# SPDX-License-Identifier: BSD-3-Clause
"""Kernels over one axis whose last group, or last group of a thread, is not there or not whole:
bits like NumPy's. With memory behind each result that has to stay as it is."""

import numpy as np

import heddle as hd

TYPES = ["?", "u1", "i2", "f4", "f8", "c8", "c16"]
GROUPS = (1, 255, 256, 257, 511, 512, 513)      # a block's threads take 256 or 512 of them
HARD = np.array([0, -0.0, 1e-39, 1e39, np.inf, -np.inf, np.nan, 1e-30, 3e30, 1, -7, 1 / 3], "f4")


def sizes(lanes):
    around = (-1, 0, 1, lanes // 2)
    return sorted({max(1, groups * lanes + more) for groups in GROUPS for more in around} | {2, 3})


def same(result, expected):
    a, b = hd.asnumpy(result), np.asarray(expected)
    assert a.dtype == b.dtype, (a.dtype, b.dtype)
    assert np.array_equal(a, b, equal_nan=a.dtype.kind in "fc"), (a.dtype, a.shape)
    if a.dtype.kind == "f":
        number = ~np.isnan(b)
        assert np.array_equal(np.signbit(a)[number], np.signbit(b)[number])


def of_type(dtype, n):
    x = np.arange(n) % 11 < 5 if dtype == "?" else (np.arange(n) % 100).astype(dtype)
    around = hd.asarray(np.concatenate([x, x[:1], x[:1]]))
    inside = hd.asarray(around)[:n]
    same(inside + inside, x + x)
    if dtype != "?":
        inside += 1
        same(around, np.concatenate([x + 1, x[:1], x[:1]]).astype(dtype))
    else:
        inside ^= True
        same(around, np.concatenate([~x, x[:1], x[:1]]))
    same(hd.arange(n) * 3 + 1, np.arange(n) * 3 + 1)


def quotients(n):
    x, y = np.resize(HARD, n), np.resize(HARD[::-1][1:], n)
    with np.errstate(all="ignore"):
        same(hd.asarray(x) / hd.asarray(y), x / y)


for kind in TYPES:
    for size in sizes(16 if kind in "?u1" else 16 // np.dtype(kind).itemsize):
        of_type(kind, size)
for size in sizes(4):
    quotients(size)
draws = [hd.asnumpy(hd.random.default_rng(5).random(n, "f4")) for n in (1023, 1024, 1025)]
assert all(np.array_equal(d[:1023], draws[0]) for d in draws)
print("all the same")
