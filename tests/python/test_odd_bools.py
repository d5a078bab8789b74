# SPDX-License-Identifier: BSD-3-Clause
"""Bools whose bytes are neither 0 nor 1: a view of another dtype may have written them. NumPy takes any byte but 0 for
True, and moves bytes as they are."""
import numpy as np
import pytest

from common import xp as hd

BYTES = np.array([2, 3, 0, 1, 255] * 2000, "u1")
MOVES = {
    "copy": lambda m, b: b.copy(),
    "every other": lambda m, b: b[::2].copy(),
    "backwards": lambda m, b: b[::-1].copy(),
    "transposed": lambda m, b: b.reshape(100, 100).T.copy(),
    "repeated": lambda m, b: m.broadcast_to(b[:100, None], (100, 50)).copy(),
    "joined": lambda m, b: m.concatenate([b[::3], b[1::2]]),
    "taken": lambda m, b: b[m.asarray([4, 0, 1, 2])],
    "put": lambda m, b: put(m, b),
    "stored": lambda m, b: stored(m, b),
    "set on itself": lambda m, b: on_itself(b),
    "copied and read": lambda m, b: m.stack([c := b[::2].copy(), ~c, c]),
    "read and copied": lambda m, b: m.stack([~b[::2], b[::2]]),
}
READS = {
    "sum": lambda m, b: b.sum(),
    "cumsum": lambda m, b: b.cumsum(),
    "copied, then summed": lambda m, b: m.cumsum(b[::2].copy()),
    "and": lambda m, b: b & b[::-1],
    "as int": lambda m, b: b.astype("i8"),
    "not": lambda m, b: ~b,
    "where": lambda m, b: m.where(b, 1.5, 2.5),
    "counted": lambda m, b: m.count_nonzero(b),
    "mask": lambda m, b: m.arange(b.size)[b],
    "a copy of a copy": lambda m, b: m.asarray([True, False])[b[::2].copy().astype("i4")],
}


def put(m, b):
    r = m.zeros(10, bool)
    r[m.asarray([3, 1, 4])] = b[:3]
    return r


def stored(m, b):
    r = m.zeros(len(b), bool)
    r[1::2] = b[::2]
    return r


def on_itself(b):
    v = b.view("u1")
    v[3] = 7
    v += 1
    b[1:] = b[:-1]
    return b


def odd(module):
    return module.asarray(BYTES.copy()).view(bool)


@pytest.mark.parametrize("name", MOVES)
def test_moving__keeps_the_bytes(name):
    want = MOVES[name](np, odd(np)).view("u1")
    got = MOVES[name](hd, odd(hd)).view("u1")
    np.testing.assert_array_equal(hd.asnumpy(got), want)


@pytest.mark.parametrize("name", READS)
def test_reading__takes_any_byte_but_0_for_true(name):
    want = READS[name](np, odd(np))
    got = hd.asnumpy(READS[name](hd, odd(hd)))
    assert got.dtype == want.dtype
    np.testing.assert_array_equal(got, want)
