# SPDX-License-Identifier: BSD-3-Clause
"""What a reduction begins with, and in which order it joins: where that shows in the result."""
import itertools

import numpy as N
import pytest

import heddle as np


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "c8", "c16"])
@pytest.mark.parametrize("shape", [(1,), (1, 1), (3, 1), (1, 3), (4, 1, 5)])
def test_sum__of_one_negative_zero(dtype, shape):
    x = N.full(shape, -0.0).astype(dtype)
    for axis in [None, *range(len(shape))]:
        for f in ("sum", "nansum", *(("prod", "min", "max") if dtype[0] == "f" else ())):
            want = N.asarray(getattr(N, f)(x, axis=axis))
            got = N.asarray(getattr(np, f)(np.asarray(x), axis=axis))
            assert (N.signbit(got.real) == N.signbit(want.real)).all(), (f, axis)
            assert (N.signbit(got.imag) == N.signbit(want.imag)).all(), (f, axis)
    assert float(np.asarray(N.full((2, 1), 7, "i1")).sum(axis=1, dtype="f8")[1]) == 7.0


@pytest.mark.parametrize("dtype", ["f4", "f8", "c16"])
def test_multiply_reduceat__one_after_the_other(dtype):
    big = 1e30 if dtype == "f4" else 1e200
    x = N.array([-big, big, big ** -0.6, big, 3.0, 0.0, 4.0] * 300).astype(dtype)
    for places in ([0, 3], [0], [0, 1, 2, 9], [5, 1000, 4], list(range(0, 2000, 7))):
        with N.errstate(all="ignore"):
            want = N.multiply.reduceat(x, places)
        N.testing.assert_array_equal(N.asarray(np.multiply.reduceat(np.asarray(x), places)), want)
    y = N.stack([x[:64], x[64:128]])
    with N.errstate(all="ignore"):
        want = N.multiply.reduceat(y, [0, 3, 30], axis=1)
    N.testing.assert_array_equal(N.asarray(np.multiply.reduceat(np.asarray(y), [0, 3, 30], axis=1)), want)


EINSUMS = ("ij,jk->ik", "ij,jk->ki", "ji,ji->ij", "ijk->ki", "iij->ji", "i,j->ji", "i,j,k->jki", "ij,kl->lkij", "bij,bjk->bik", "ij,jk,kl->li")


@pytest.mark.parametrize("text", EINSUMS)
def test_einsum__memory_order(text):
    """Every order of the operands' axes leads to NumPy's strides."""
    inputs = text.split("->")[0].split(",")
    for orders in itertools.product(*(itertools.permutations(range(len(labels))) for labels in inputs)):
        arrays = [N.arange(3 ** len(order), dtype="f8").reshape((3,) * len(order)).transpose(order) for order in orders]
        ours = [np.asarray(N.ascontiguousarray(x.transpose(N.argsort(order)))).transpose(order) for x, order in zip(arrays, orders)]
        for order in "KAFC":
            want, got = N.einsum(text, *arrays, order=order), np.einsum(text, *ours, order=order)
            assert N.array_equal(N.asarray(got), want)
            assert got.strides == want.strides, (text, orders, order)


def test_einsum__diagonal_is_a_view_to_write_to():
    a = np.zeros((3, 3))
    view = np.einsum("ii->i", a)
    view[...] = 2
    assert N.array_equal(N.asarray(a), 2 * N.eye(3))
