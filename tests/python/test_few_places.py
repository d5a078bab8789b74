# SPDX-License-Identifier: BSD-3-Clause
"""More functions that have a way of their own for few elements on the host, and arithmetic of values
without axes that are known."""

import operator

import numpy as np
import pytest

from common import ON_HOST, needs_heddle, xp
from test_few_functions import RNG, made_ours, row, same

pytestmark = needs_heddle

DTYPES = ["?", "u1", "i4", "i8", "u8", "f2", "f4", "f8", "c8", "c16"]


def numbers(dtype, n):
    return (10 * RNG.normal(size=n)).astype(dtype)


def test_asarray__of_ours_is_itself():
    for x in (xp.ones(3), xp.ones((2, 2)).T, xp.asarray(1.0), xp.zeros(0)):
        assert xp.asarray(x) is x
    same(lambda m: m.asarray())
    same(lambda m, x: m.asarray(x, "f4"), numbers("f8", 3))
    same(lambda m, x: m.asarray(a=x), numbers("f8", 3))


@pytest.mark.parametrize("dtype", DTYPES)
def test_ascontiguousarray(dtype):
    A = numbers(dtype, 30).reshape(5, 6)
    for x in (A, A.T, A[::-1], A[:, 2], A[0], A[:0], A[0, 0]):
        same(lambda m, x: m.ascontiguousarray(x), x)
        got = xp.ascontiguousarray(made_ours(x))
        assert got.flags.c_contiguous
        got[...] = 0
    y = xp.asarray(A)
    assert xp.ascontiguousarray(y) is y
    assert not xp.shares_memory(xp.ascontiguousarray(y.T), y)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n", [0, 1, 2, 7, 1025])
def test_take__of_a_row(dtype, n):
    a = numbers(dtype, 2 * n)
    for x in (a[:n], a[::2], a[:n][::-1]):
        for at in ([0], [0, -1, 0], [n - 1, n // 2], [n], [-n - 1], [], [True, False], [0.5],
                   [np.int64(0)], [[0, 0]], row([0, -1]), row([n]), row([], int), row([[0], [0]]),
                   row([0], "u8"), row([0.0]), row([True]), (0, 0), 0, [10**30], [None]):
            same(lambda m, x, at: m.take(x, at), x, at)
            same(lambda m, x, at: x.take(at), x, at)
    same(lambda m, x: m.take(x.reshape(1, -1), [0], axis=1), a[:n])


@pytest.mark.parametrize("n", [0, 1, 2, 7, 8, 1023, 1024, 1025])
def test_searchsorted__of_a_number(n):
    f = np.sort(numbers("f8", n))
    with_nans = np.concatenate([f, np.full(3, np.nan)])
    wanted = [0.0, -0.0, 1, -1e300, 1e300, np.inf, -np.inf, np.nan, np.float64(2.5),
              np.float32(0.1), np.int64(3), True, 2**70]
    wanted += [] if n == 0 else [f[n // 2], float(f[0]), float(f[-1]), np.nextafter(f[n // 2], np.inf)]
    for table in (f, with_nans, np.repeat(f, 2), np.repeat(f, 2)[::2], f.astype("i8"),
                  f.astype("f4")):
        for v in wanted:
            if table.dtype.kind == "i" and v == 2**70:
                continue   # objects to NumPy
            same(lambda m, table, v: m.searchsorted(table, v), table, v)
            same(lambda m, table, v: table.searchsorted(v), table, v)
            same(lambda m, table, v: table.searchsorted(v, "right"), table, v)
        same(lambda m, table, v: m.searchsorted(table, v), table, numbers("f8", 5))
        same(lambda m, table, v: m.searchsorted(table, v), table, numbers("f8", 6).reshape(2, 3))
    same(lambda m, x: m.searchsorted(x, 1.0), np.ones((2, 2)))
    same(lambda m, x: m.searchsorted(x, "a"), f)


@pytest.mark.parametrize("dtype", DTYPES)
def test_diag__of_a_row(dtype):
    for n in (0, 1, 2, 31, 32, 33, 100):
        a = numbers(dtype, 2 * n)
        for x in (a[:n], a[::2], a[:n][::-1]):
            same(lambda m, x: m.diag(x), x)
            same(lambda m, x: m.diag(x, 1), x)
    same(lambda m, x: m.diag(x), a[:36].reshape(6, 6))
    same(lambda m, x: m.diag(x), a[:8].reshape(2, 2, 2))


@pytest.mark.parametrize("dtype", DTYPES)
def test_item(dtype):
    x = numbers(dtype, 6)
    for y in (x, x[::-1], x.reshape(2, 3), x.reshape(2, 3).T, x[:1], x[0].reshape(()), x[:0]):
        ours = made_ours(y)
        for at in ((), (0,), (1,), (-1,), (5,), (6,), (-7,), (0, 1), (-1, -1), (1, 3), ((0, 1),),
                   (0, 0, 0), ("a",), (1.0,), (10**30,)):
            try:
                want = y.item(*at)
            except (TypeError, ValueError, IndexError, OverflowError) as e:
                with pytest.raises(type(e)):
                    ours.item(*at)
            else:
                got = ours.item(*at)
                assert type(got) is type(want) and got == want


@pytest.mark.parametrize("dtype", DTYPES)
def test_ravel__of_layouts(dtype):
    A = numbers(dtype, 24).reshape(2, 3, 4)
    for x in (A, A.T, A[:, 1:], A[..., ::2], A[0], A[0, 0], A[:, :0], A.transpose(1, 0, 2)):
        same(lambda m, x: x.ravel(), x)
        for order in "CFAK":
            same(lambda m, x: x.ravel(order), x)
    y = xp.asarray(A)
    y.ravel()[:] = 0
    assert not y.any() and not y.T.ravel().any()
    y.T.ravel()[:] = 1
    assert not y.any()


OPERATORS = [operator.add, operator.sub, operator.mul, operator.truediv, operator.lt, operator.le,
             operator.gt, operator.ge, operator.eq, operator.ne, operator.pow, operator.floordiv,
             operator.mod]
EXACT = OPERATORS[:10]
VALUES = [0.0, -0.0, 1.5, -3.0, np.inf, -np.inf, np.nan, 5e-324, 1e308, 2.0**-1022, 0.1]
OTHERS = [*VALUES, 0, 1, -7, 2**53 + 1, True, 3j, 2**70, -2**53 - 1, np.float32(0.1), np.int8(3),
          np.float64(0.1)]


@pytest.mark.parametrize("f", OPERATORS)
def test_values__arithmetic_as_recorded_and_as_numpys(f):
    """Bits at once are those of the records; arithmetic is also NumPy's."""
    for a in VALUES:
        n = np.asarray([a, 0.0])
        value = xp.asarray(n).max() if a > 0 else xp.asarray(n[:1]).sum()
        float(value)
        for b in (*OTHERS, value, xp.asarray([0.25, 0.5]).sum()):
            for x, y in ((value, b), (b, value)):
                if isinstance(b, complex) and f in OPERATORS[11:]:
                    continue   # no such loop
                got, bits = f(x, y), {}
                for mode in ("always", True):
                    xp.set_fusion(mode)
                    r = f(x, y)
                    told = np.asarray(r)
                    bits[mode] = told.dtype, np.nan_to_num(told, nan=7.25).tobytes()
                xp.set_fusion(True)
                assert bits["always"] == bits[True], (f, x, y)
                assert isinstance(got, xp.ndarray) == isinstance(r, xp.ndarray)
                if f in EXACT and not isinstance(b, complex):   # Python's complex computes itself
                    numpys = (np.asarray(v)[()] if isinstance(v, xp.ndarray) else v for v in (x, y))
                    with np.errstate(all="ignore"):
                        want = f(*numpys)
                    assert np.asarray(got).dtype == want.dtype
                    np.testing.assert_array_equal(np.asarray(got), want)


def test_values__are_read_only_and_keep_their_own_memory():
    x = xp.asarray([1.0, 2.0])
    total = x.sum()
    assert float(total) == 3.0
    more = total + 1
    assert more.ndim == 0 and more.shape == () and more.dtype == "f8" and not more.flags.writeable
    before = float(more)
    total = total * 2
    assert float(more) == before == 4.0 and float(total) == 6.0
    total += 1
    assert float(total) == 7.0


@pytest.mark.skipif(not ON_HOST, reason="a GPU's faults come with the next demand")
def test_values__faults_are_seen():
    value = xp.asarray([1e308, 0.0]).max()
    zero = xp.asarray([0.0]).sum()
    assert float(value) == 1e308 and float(zero) == 0
    with xp.errstate(all="raise"):
        for compute in (lambda: value * 10, lambda: value + value, lambda: 1.0 / zero, lambda: zero / zero):
            with pytest.raises(FloatingPointError):
                float(compute())
