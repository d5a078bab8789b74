# SPDX-License-Identifier: BSD-3-Clause
"""Prints a line for each of some kernels with many values at a time, many operands, many reductions,
or atomic operations, with the bits of its result."""

import hashlib

import numpy as np

import heddle as hd

rng = np.random.default_rng(7)


def arrays(count, shape, dtype):
    x = rng.integers(-50, 100, (count, *np.atleast_1d(shape))) / 4
    if dtype[0] == "c":
        x = x + 1j * rng.integers(-50, 100, x.shape)
    return [hd.asarray(row.astype(dtype)) for row in x]


def told(what, *results):
    digest = hashlib.sha1()
    for r in results:
        x = hd.asnumpy(r)
        digest.update(f"{x.dtype} {x.shape}".encode() + x.tobytes())
    print(what, digest.hexdigest())


def total_first(count, shape, dtype):
    """All of them are there until the last one has come."""
    xs = arrays(count, shape, dtype)
    total = xs[0]
    for x in xs[1:]:
        total = total + x
    told(f"total first {count} {shape} {dtype}", *[x * total for x in xs])


def relaxed_rows(count, shape, dtype):
    rows = arrays(count, shape, dtype)
    for _ in range(2):
        middle = sum(rows) / count
        rows = [r + (middle - r) * 0.125 for r in rows]
    told(f"relaxed {count} {shape} {dtype}", *rows)


def products(count, shape, dtype):
    xs, y = arrays(count, shape, dtype), arrays(1, shape, dtype)[0]
    told(f"products {count} {shape} {dtype}", *[(x * y).sum(axis=-1) for x in xs],
         *[x.argmax(axis=-1) for x in xs[:9]])


def eliminated(n):
    a = hd.asarray(rng.random((n, n)) + n * np.eye(n))
    for k in range(n - 1):
        for i in range(k + 1, n):
            a[i, k] /= a[k, k]
            a[i, k + 1:] -= a[i, k] * a[k, k + 1:]
    told(f"eliminated {n}", a)


def at(ufunc, dtype):
    places = hd.asarray(rng.integers(0, 7, 300))
    x = hd.asarray(rng.integers(0, 2 if dtype == "?" else 100, 9).astype(dtype))
    values = hd.asarray(rng.integers(0, 2 if dtype == "?" else 30, 300).astype(dtype))
    getattr(hd, ufunc).at(x[1:8], places, values)
    told(f"{ufunc}.at {dtype}", x)


for count in (20, 47, 60, 100):
    total_first(count, 33, "f8")
total_first(60, 5, "c16")
total_first(100, (3, 4), "i2")
for count in (40, 64, 90):
    relaxed_rows(count, 17, "f4")
for count in (20, 40, 70):
    products(count, 21, "f8")
    products(count, (3, 70), "f4")
products(40, (2, 9), "c16")
eliminated(12)
for kind in ("?", "i1", "u2", "i4", "u8", "f4", "f8", "c8", "c16"):
    at("add", kind)
for kind in ("i1", "u2", "i4", "u8"):
    at("maximum", kind)
    at("bitwise_xor", kind)
    at("subtract", kind)
