# SPDX-License-Identifier: BSD-3-Clause
"""Prints a line for each of many kernels of all kinds, with the bits of its result: `mixed_kernels.py SEED COUNT [TURNS]`. What runs
them is said by the environment."""

import hashlib
import sys

import numpy as np

import heddle as hd

TYPES = ["?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8", "c8", "c16"]
SHAPES = [(5,), (), (37, 50), (3, 4, 5), (300, 7), (2, 700), (1100,), (0, 3), (33, 65), (2, 2000), (1500, 3)]
REDUCTIONS = ["sum", "prod", "min", "max", "any", "all", "argmin", "argmax", "mean", "var"]


def values(rng, dtype, shape):
    if dtype == "?":
        return rng.random(shape) > 0.5
    if dtype[0] in "iu":
        return rng.integers(0 if dtype[0] == "u" else -50, 100, shape).astype(dtype)
    x = np.asarray(rng.standard_normal(shape))
    return (x + 1j * rng.standard_normal(shape) if dtype[0] == "c" else x).astype(dtype)


def softmax(x, axis):
    e = hd.exp(x - x.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


def kernels(x, y, name, axis, seed):
    """(what it is, how it is made)"""
    rows = range(x.shape[0])[::-2] if x.ndim else ()
    yield "x * y + x", lambda: x * y + x
    yield name, lambda: getattr(x, name)(axis=axis)
    yield f"{name} of products", lambda: getattr(x * y, name)(axis=axis)
    yield "from the mean", lambda: x - x.mean(axis=axis, keepdims=True)
    yield "softmax", lambda: softmax(x.real + hd.zeros(1), axis)
    yield "where", lambda: hd.where(x > y, x, y)
    yield "vdot", lambda: hd.vdot(x, y)
    yield "functions", lambda: hd.sin(x) + hd.arctan2(x.real, y.real)
    yield "running sums", lambda: x.cumsum(axis=axis)
    yield "rows", lambda: x[list(rows)]
    yield "random", lambda: hd.random.default_rng(seed).random(x.shape) + hd.random.default_rng(seed).standard_normal(x.shape)
    yield "pieces", lambda: hd.add.reduceat(x, [0, 2, 1], axis=0)
    yield "whole numbers", lambda: x.real // y.real + x.real % y.real
    yield "transposed", lambda: (x.T + 1).copy()


def told(make):
    try:
        result = hd.asnumpy(make())
    except (TypeError, ValueError, IndexError) as e:
        return f"{type(e).__name__}: {e}"
    if result.dtype.kind in "fc":   # nans have bits that nobody promises
        result = np.where(np.isnan(result), np.array(np.nan, result.dtype), result)
    return f"{result.dtype} {result.shape} {hashlib.sha1(result.tobytes()).hexdigest()}"


def main(seed, count, turns=1):
    rng = np.random.default_rng(seed)
    for k in range(count):
        shape = SHAPES[rng.integers(len(SHAPES))]
        x, y = (hd.asarray(values(rng, TYPES[rng.integers(len(TYPES))], shape)) for _ in range(2))
        if rng.random() < 0.3:
            x, y = x.T, y.T
        if rng.random() < 0.3 and x.ndim:
            x = x[::-1]
        axis = None if x.ndim == 0 or rng.random() < 0.3 else int(rng.integers(x.ndim))
        for what, make in kernels(x, y, REDUCTIONS[rng.integers(len(REDUCTIONS))], axis, k):
            for _ in range(turns):
                print(k, what, x.dtype, y.dtype, shape, axis, told(make))


main(*map(int, sys.argv[1:]))
