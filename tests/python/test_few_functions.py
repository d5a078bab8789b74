# SPDX-License-Identifier: BSD-3-Clause
"""Functions that have a way of their own for few elements on the host: they give NumPy's results,
and those of many elements."""

import itertools
import operator

import numpy as np
import pytest

from common import ON_HOST, as_it_lies, needs_heddle, xp

pytestmark = needs_heddle

SIZES = (0, 1, 2, 7, 8, 9, 127, 128, 129, 1023, 1024, 1025, 3000)
RNG = np.random.default_rng(3)
ERRORS = TypeError, ValueError, IndexError, OverflowError   # whichever of several is seen first
row = np.array


def check(got, want):
    got, want = (x if isinstance(x, tuple) else (x,) for x in (got, want))
    assert len(got) == len(want)
    for x, y in zip(got, want):
        assert xp.isscalar(x) == np.isscalar(y)
        x = np.asarray(x)
        assert x.dtype == np.asarray(y).dtype and x.shape == np.shape(y)
        np.testing.assert_array_equal(x, y)


def made_ours(x):
    return xp.asarray(x) if isinstance(x, np.ndarray) else x


def same(function, *args):
    """The function of NumPy's arrays and of ours made of them: one result, or two exceptions."""
    ours = [type(x)(map(made_ours, x)) if isinstance(x, (list, tuple)) else made_ours(x)
            for x in args]
    try:
        want = function(np, *args)
    except ERRORS:
        with pytest.raises(ERRORS):
            function(xp, *ours)
    else:
        check(function(xp, *ours), want)


@pytest.mark.parametrize("dtype", ["?", "u1", "i1", "i8", "u8", "f2", "f4", "f8", "c16"])
def test_count_nonzero(dtype):
    for n in SIZES:
        x = RNG.integers(-1, 2, n).astype(dtype)
        same(lambda m, x: m.count_nonzero(x), x)
        same(lambda m, x: m.count_nonzero(x.reshape(1, n), axis=0), x)
        same(lambda m, x: m.count_nonzero(x[::-2]), x)
    for x in ([0, 1, 2], [float("nan"), -0.0], 3, 0.0, np.zeros((2, 0)), np.ones((3, 4), dtype),
              row(1, dtype)):
        same(lambda m, x: m.count_nonzero(x), x)


@pytest.mark.parametrize("order", ["big", "little", "odd"])
def test_bits(order):
    def pack(m, x):
        return m.packbits(x, bitorder=order)

    def unpack(m, x):
        return m.unpackbits(x, bitorder=order)

    for n in SIZES:
        for dtype in ("?", "u1", "i1", "i8", "f8"):
            same(pack, RNG.integers(0, 2, n).astype(dtype))
            same(unpack, RNG.integers(0, 120, n).astype(dtype))
        x = RNG.integers(0, 256, n + 1).astype("u1")
        same(lambda m, x: m.unpackbits(x, count=5, bitorder=order), x)
        same(lambda m, x: m.unpackbits(x[::2], bitorder=order), x)
    x = RNG.integers(0, 2, (5, 3)).astype("u1")
    same(lambda m, x: m.packbits(x, axis=0, bitorder=order), x)
    for x in (x, row(True), [1, 0, 2]):
        same(pack, x)


def test_repeat():
    for n in SIZES:
        x = RNG.normal(size=n)
        for dtype in ("i8", "i4", "?", "f8"):
            same(lambda m, x, k: m.repeat(x, k), x, RNG.integers(0, 3, n).astype(dtype))
        same(lambda m, x, k: m.repeat(x, k), x, RNG.integers(0, 3, n + 1))
        same(lambda m, x, k: m.repeat(x, k), x, np.array([2]))
    for counts in ([1, -1], [0, 0], [1000, 24], [1000, 25], [2**40, 1], [[1, 2]]):
        if max(map(np.max, counts)) < 2**40:
            same(lambda m, x, k: m.repeat(x, k), np.array([1.5, 2.5]), np.array(counts))
    same(lambda m, x, k: m.repeat(x, k, axis=1), np.arange(6).reshape(2, 3), np.array([1, 0, 2]))
    same(lambda m, x, k: m.repeat(x, k, axis=0), np.arange(6).reshape(2, 3), np.array([1, 0, 2]))
    same(lambda m, x, k: m.repeat(x, k), np.array(2.0), np.array([3]))


PLACES = [5, 0, 11, 12, -1, 2**63, 1.5, True, np.int64(3), row([], int), row([3, 4]), [1, 2],
          row([[0], [11]]), row([0, 12]), row([3], "u1"), row([1.0])]
SHAPES = [(3, 4), (12,), (2, 2, 3), (), (0,), (3, -1), 12, [3, 4], (2**40, 2**40), (3.0, 4),
          (np.int64(3), 4), (1, 12)]


@pytest.mark.parametrize("order", ["C", "F", "X"])
def test_unravel_index(order):
    for places, shape in itertools.product(PLACES, SHAPES):
        if shape in ((3, -1), (0,)) or places is True or (shape == () and np.size(places) == 0):
            continue  # NumPy is inconsistent there, or refuses what is harmless
        same(lambda m, x: m.unravel_index(x, shape, order), places)
    for n in SIZES:
        same(lambda m, x: m.unravel_index(x, (50, 60), order), RNG.integers(0, 3000, n))


@pytest.mark.parametrize("mode", ["raise", "wrap", "clip"])
def test_ravel_multi_index(mode):
    for n in SIZES:
        parts = RNG.integers(0, 7, n), RNG.integers(0, 5, n)
        for dims in ((7, 5), (6, 5), (7, 5, 2), (7,), [7, 5], (7, 0)):
            same(lambda m, *parts: m.ravel_multi_index(parts, dims, mode), *parts)
    for parts in ((1, 2), (3, 4), (-1, 0), (6, 5), (2**63, 1), (1.0, 2), (np.int64(1), 2),
                  (row([1, 2]), 3), (row([1, 2]), row([3, 4, 1])), (row([[1], [2]]), row([3, 4])),
                  (row(1), row(2)), (row([1], "u1"), row([2])), (row([], int), row([], int))):
        same(lambda m, *parts: m.ravel_multi_index(parts, (7, 5), mode), *parts)


XS = [1.5, -1.0, 9.0, 2, float("nan"), float("inf"), np.float64(0.25), row(0.5), [0.5, 1], True,
      row([0.5, np.nan, -3, 7]), row([1, 2]), row([[0.1], [3]]), row([], float)]
POINTS = [(row([0.0, 1, 2, 3]), row([1.0, 5, 2, 2])), ([0, 1, 2], [3.5, 4, 1]),
          ((0.0, 2.0), row([1, 2])), (row([0.0, 1, 1, 2]), row([0.0, 1, 5, 6])),
          (row([0.0, 1]), row([np.inf, np.inf])), (row([0.0, 1, 2]), row([0.0, np.nan, 6])),
          (row([0.0]), row([3.0])), ([], []), (row([0.0, 1]), row([3.0])),
          (row([0.0, 1]), row([1j, 2])), (row([[0.0, 1]]), row([[1.0, 2]])),
          (row([0, 1], "f4"), row([0, 1], "f4")), (row([-np.inf, 0, np.inf]), row([0.0, 1, 2]))]


@pytest.mark.filterwarnings("ignore")
def test_interp():
    for x, (points, values) in itertools.product(XS, POINTS):
        if len(points) == 0:     # NumPy's answer depends on its version
            with pytest.raises(ValueError, match="is empty"):
                xp.interp(x, points, values)
            continue
        same(lambda m, x, p, v: m.interp(x, p, v), x, points, values)
    for n, k in itertools.product(SIZES, (2, 5, 1024, 1025)):
        x, points = RNG.uniform(-1, 11, n), np.sort(RNG.uniform(0, 10, k))
        same(lambda m, x, p, v: m.interp(x, p, v), x, points, RNG.normal(size=k))
        same(lambda m, x, p, v: m.interp(x, p, v, left=-1.0), x, points, RNG.normal(size=k))
    for bad in ("a", 1j):
        with pytest.raises(ERRORS):
            xp.interp(bad, [0.0, 1.0], [1.0, 2.0])


def test_interp__of_few_is_that_of_many():
    """To the bit, whichever way it goes."""
    points, values = np.sort(RNG.uniform(0, 10, 30)), RNG.normal(size=30)
    x = RNG.uniform(-1, 11, 5000)
    ours, our_values = xp.asarray(points), xp.asarray(values)
    many = np.asarray(xp.interp(xp.asarray(x), ours, our_values))
    few = [np.asarray(xp.interp(xp.asarray(part), ours, our_values)) for part in np.split(x, 50)]
    one = [float(xp.interp(e, points.tolist(), values.tolist())) for e in x[:100].tolist()]
    assert np.concatenate(few).tobytes() == many.tobytes() and one == many[:100].tolist()


def test_can_cast_and_scalars():
    for args in (("i4", "f8"), ("f8", "i4"), ("f8", "i4", "unsafe"), (np.int8, float), (1, "i8"),
                 ([("a", "i4")], "i4"), ("x", "i4")):
        same(lambda m: m.can_cast(*args))
    assert xp.can_cast(xp.zeros(2), "f4", "same_kind") and not xp.can_cast(xp.zeros(2), "f4")
    for x in (1, 1.5, True, 1j, "a", b"a", None, [1], (), np.float64(1), np.zeros(1), np.zeros(())):
        assert xp.isscalar(x) == np.isscalar(x)


@pytest.mark.parametrize("name", ["atleast_1d", "atleast_2d", "atleast_3d"])
def test_at_least(name):
    several = itertools.product([1, np.ones(2), np.zeros((2, 0)), np.ones((2, 3, 2))], repeat=2)
    for arrays in [(), (1.5,), ([1, 2],), (np.zeros(0),), (np.ones((2, 3, 4, 5)),), *several]:
        got, want = (getattr(m, name)(*(m.asarray(a) for a in arrays)) for m in (xp, np))
        check(got, want)


def test_lexsort():
    for n in SIZES:
        keys = [RNG.integers(0, 3, n).astype(dtype) for dtype in ("i8", "f8", "f4")]
        for some in (keys[:1], keys[:2], keys[1::-1], keys, keys[:2] * 4, keys[:2] * 5):
            same(lambda m, *keys: m.lexsort(keys), *some)
        same(lambda m, *keys: m.lexsort(list(keys)), *keys[:2])
    nan, strided = np.array([np.nan, 0.0, -0.0, np.inf, np.nan, -np.inf]), np.arange(12)[::-2]
    same(lambda m, *keys: m.lexsort(keys), strided, nan)
    same(lambda m, *keys: m.lexsort(keys), nan, nan, strided)
    for bad in ((), (nan, strided[1:]), (nan, nan.reshape(2, 3)), (nan, 3.0)):
        same(lambda m, *keys: m.lexsort(keys), *bad)


@pytest.mark.parametrize("order", "CF")
def test_flat_goes_on_where_it_was(order):
    x = xp.asarray(np.arange(6.0).reshape(2, 3), order=order)
    flat = x.flat
    assert flat.index == 0 and next(flat) == 0 and flat.index == 1
    for e in flat:
        assert e == 1
        break
    x[0, 2] = 7
    assert next(flat) == 7 and flat.index == 3 and list(flat) == [3, 4, 5] and flat.index == 6
    assert next(flat, None) is None and list(x.flat) == [0, 1, 7, 3, 4, 5]
    assert list(xp.asarray(2.5).flat) == [2.5]
    pairs = xp.ndenumerate(x)
    assert next(pairs) == ((0, 0), 0)
    assert [place for place, _ in pairs] == [(0, 1), (0, 2), (1, 0), (1, 1), (1, 2)]


def test_delete__one_position():
    for shape in ((1,), (5,), (3, 4), (2, 1, 3)):
        x = RNG.normal(size=shape)
        for layout in (lambda a: a, lambda a: a.T, lambda a: a[::-1]):
            for axis in (None, *range(-x.ndim, x.ndim)):
                for k in (0, -1, 1, 4, 5, -6):
                    same(lambda m, x: m.delete(layout(x), k, axis), x)
    assert xp.delete(xp.asarray(np.ones((3, 4)).T), 1, 0).flags.f_contiguous


def test_delete__a_list():
    for n in (2, 5, 100, 101):
        for places in ([0, 1], [0, -1], list(range(n)), [1, 1], [0, n], [0, -n - 1], [True, False],
                       [0, 1.5], [1], [], [0, 2**70]):
            same(lambda m, x: m.delete(x, places), RNG.normal(size=n))
            same(lambda m, x: m.delete(x, places, axis=-1), RNG.normal(size=(2, n)))


def test_sort__in_place():
    for n in SIZES:
        for dtype in ("i8", "f8", "u1", "c16"):
            x = RNG.integers(0, 50, (2, n)).astype(dtype)
            y = xp.asarray(x)
            x.sort(), y.sort()
            check(y, x)
            x[:, ::-2].sort(), y[:, ::-2].sort()
            check(y, x)
    y = xp.asarray([3.0, float("nan"), -1.0])
    assert y.sort() is None and y.tolist()[:2] == [-1.0, 3.0]
    meeting = xp.lib.stride_tricks.as_strided(xp.asarray([3.0, 1.0, 2.0]), (2, 2), (8, 8))
    meeting.sort()
    assert meeting[0, 0] == 1
    with pytest.raises((ValueError, TypeError)):
        xp.asarray(3.0).sort()


@pytest.mark.parametrize("dtype", ["f8", "i8", "f4", "?"])
def test_sort__few_are_ordered_as_many(dtype):
    """Stable: 0 and -0, and all nan, stay in their order."""
    odd = [0.0, -0.0, 1.5, -1.5, float("inf"), -float("inf"), 5e-324, -5e-324, 1e308]
    if dtype[0] == "f":
        odd += [float("nan"), -float("nan")]
    if dtype == "i8":
        odd = [0, -1, 1, 2**63 - 1, -2**63, 7, 7]
    for n in (*range(12), 31, 32, 33, 40):
        for _ in range(20):
            x = RNG.choice(odd, n).astype(dtype)
            y, many = xp.asarray(x), xp.asarray(np.concatenate([x, np.full(100, np.max(x[:0], initial=1), dtype)]))
            places = np.asarray(y.argsort())
            check(y.argsort(), np.argsort(x, kind="stable"))
            check(y[::-1].argsort(axis=0), np.argsort(x[::-1], kind="stable"))
            check(xp.argsort(y, descending=True)[:0], places[:0])
            assert np.asarray(xp.sort(y)).tobytes() == x[places].tobytes()
            assert [k for k in many.argsort().tolist() if k < n] == places.tolist()
            y.sort()
            assert np.asarray(y).tobytes() == x[places].tobytes()


def test_sort__beside_pending_work_and_copies():
    for n in (5, 32, 33, 1000):
        x = xp.arange(n)[::-1] * 1.0
        y, z, part = x + 1, x.copy(), x[1:4]
        x.sort()
        assert x.tolist() == sorted(z.tolist()) and y.tolist() == [v + 1 for v in z.tolist()]
        assert part.tolist() == x.tolist()[1:4]
        x[::-1].sort()
        assert x.tolist() == z.tolist()


def test_iteration__sees_what_is_written():
    x = xp.arange(5.0)
    seen = []
    for e in x:
        seen.append(float(e))
        x[4] = 7.0
    assert seen == [0, 1, 2, 3, 7]
    it = iter(xp.arange(3))
    assert [int(e) for e in it] == [0, 1, 2]
    assert list(it) == []


    x, seen = xp.arange(6), []
    for e in x:
        seen.append(np.asarray(e).tolist())
        if len(seen) == 2:
            x.shape = (3, 2)
    assert seen == [0, 1, [4, 5]]
    assert [e.tolist() for e in xp.ones((2, 2))] == [[1, 1], [1, 1]]


@pytest.mark.parametrize("dtype", ["f8", "i4", "u1", "c16", "?", ">f4", "S2", "M8[s]", "f2"])
def test_frombuffer(dtype):
    for memory in (bytes(range(48)), bytearray(range(48)), bytes(7), b"", bytearray(), memoryview(bytes(32)), bytes(16)):
        for more in ({}, {"count": 2}, {"offset": 8}, {"offset": 0, "count": -1}, {"count": 100}):
            try:
                want = np.frombuffer(memory, dtype, **more)
            except ValueError:
                with pytest.raises(ValueError):
                    xp.frombuffer(memory, dtype, **more)
            else:
                got = xp.frombuffer(memory, dtype, **more)
                check(got, want)
                assert got.flags.writeable == want.flags.writeable or not ON_HOST
    if ON_HOST and np.dtype(dtype).kind == "f" and np.dtype(dtype).isnative:
        memory = bytearray(16)
        x = xp.frombuffer(memory, dtype)
        x[0] = 3
        assert np.frombuffer(memory, dtype)[0] == 3 and x.base is memory
        with pytest.raises(BufferError):
            memory.append(1)
        del x
        memory.append(1)
        odd = bytearray(17)
        del odd[0]
        check(xp.frombuffer(odd, dtype), np.frombuffer(odd, dtype))
    with pytest.raises(TypeError):
        xp.frombuffer(b"12345678", "no dtype")


@pytest.mark.parametrize("dtype", ["f4", "f8", "i8", "u1", "c16", "?"])
def test_place(dtype):
    for n in SIZES:
        for values in (1.5, [2.5], [1.0, 2.0, 3.0], np.array([4.0]), 7, [], np.arange(n + 3.0)):
            x, mask = RNG.integers(0, 9, n).astype(dtype), RNG.integers(0, 2, n).astype(bool)
            y, m, v = xp.asarray(x.copy()), xp.asarray(mask), made_ours(values)
            try:
                np.place(x, mask, values)
            except ERRORS as e:
                with pytest.raises(type(e)):
                    xp.place(y, m, v)
            else:
                xp.place(y, m, v)
            check(y, x)
    y = xp.zeros((2, 3))
    xp.place(y.T, xp.ones(6, bool), 2.0)
    xp.place(y, [[1, 0, 0], [0, 0, 1]], 5.0)
    assert y.tolist() == [[5, 2, 2], [2, 2, 5]]
    y.flags.writeable = False
    for mask in (xp.ones((2, 3), bool), xp.zeros((2, 3), bool)):
        with pytest.raises(ValueError):
            xp.place(y, mask, 1.0)


def test_einsum__vectors_and_traces():
    for n in (0, 1, 2, 10):
        a, b, v = RNG.random((n, n)), RNG.random((3, n, n)), RNG.random(n)
        for text, them in (("ii", (a,)), ("ii->", (a,)), ("ii->i", (a,)), ("ij,j", (a, v)), ("ij,i", (a, v)), ("j,ij", (v, a)),
                           ("i,i", (v, v)), ("kij,j->ki", (b, v)), ("kij,j->ik", (b, v)), ("kij,i->jk", (b, v)), ("kii", (b,)),
                           ("ij,j->i", (a.T, v)), ("ij,j,i", (a, v, v)), ("ij,j->", (a, v)), ("kij,kij->k", (b, b))):
            got, want = xp.einsum(text, *map(xp.asarray, them)), np.einsum(text, *them)
            assert np.shape(got) == np.shape(want)
            np.testing.assert_allclose(np.asarray(got), want, rtol=1e-12)
    x = xp.zeros((3, 3))
    xp.einsum("ii->i", x)[:] = 1
    assert x.trace() == 3
    flags = xp.einsum("ii", xp.ones((3, 3), bool))
    assert bool(flags) is bool(np.einsum("ii", np.ones((3, 3), bool)))


@pytest.mark.parametrize("dtype", ["?", "u1", "i8", "f4", "c16"])
def test_tobytes(dtype):
    for n in SIZES[:9]:
        x = RNG.integers(0, 2, (2, n, 3)).astype(dtype)
        for y in (x, x.T, x[:, ::-1], x[..., 1], x.transpose(1, 0, 2)):
            for order in "CFAK":
                assert as_it_lies(y).tobytes(order) == y.tobytes(order)


def test_fill_and_put():
    for dtype in ("f4", "f8", "i8", "c16"):
        for value in (1.5, -2, float("nan"), [1.0, 2.0], np.array([3.0])):
            if dtype == "i8" and value != value:
                continue
            for wrap in (False, True):
                x, y = np.zeros((5, 3), dtype), xp.zeros((5, 3), dtype)
                np.fill_diagonal(x, value, wrap), xp.fill_diagonal(y, value, wrap)
                check(y, x)
            x, y = np.zeros(4, dtype), xp.zeros(4, dtype)
            np.put(x, -1, value), xp.put(y, -1, value)
            check(y, x)
    for bad in (4, -5):
        with pytest.raises(IndexError):
            xp.put(xp.zeros(4), bad, 1.0)
    frozen = xp.zeros((3, 3))
    frozen.flags.writeable = False
    with pytest.raises(ValueError):
        xp.fill_diagonal(frozen, 1.0)
    with pytest.raises(ValueError):
        xp.put(frozen[0], 1, 1.0)
    with pytest.raises(ValueError):
        frozen[0].sort()


def test_fromiter__of_a_list():
    for x in ([], [1], [1.5, 2], [True, 2], [1, 2.5], [2**53 + 1], ["1"], [None], [[1, 2]],
              [2**70], list(range(2000))):
        for dtype in (float, int, "i4"):
            same(lambda m: m.fromiter(x, dtype))
    same(lambda m: m.fromiter([1.0, 2.0], float, 1))
    same(lambda m: m.fromiter([1.0, 2.0], float, 3))


def test_einsum__plain():
    x, A, k = RNG.normal(size=4), RNG.normal(size=(4, 4)), np.arange(4)
    cases = [("ij,j", (A, x)), ("ij,jk", (A, A)), ("ii", (A,)), ("ii->i", (A,)), ("i,i", (x, x)),
             ("i,i", (x, k)), ("ij -> ji", (A,)), ("...j,j", (A, x)), ("i,j,ij", (x, x, A)),
             ("ij,k", (A,)), ("ij", (x,)), ("i->ii", (x,)), ("", ())]
    for text, arrays in cases:
        try:
            want = np.einsum(text, *arrays)
        except ERRORS:
            with pytest.raises(ERRORS):
                xp.einsum(text, *map(xp.asarray, arrays))
            continue
        got = xp.einsum(text, *map(xp.asarray, arrays))
        assert got.dtype == want.dtype and xp.isscalar(got) == np.isscalar(want)
        np.testing.assert_allclose(np.asarray(got), want, rtol=1e-13)
    y = xp.asarray(A)
    xp.einsum("ii->i", y)[...] = 0
    assert y.trace() == 0


@pytest.mark.parametrize("dtype", [float, int, "f4", "i4", complex, bool])
@pytest.mark.parametrize("n", [0, 1, 2, 1023, 1024, 1025])
def test_insert__one_element(n, dtype):
    a = (100 * RNG.normal(size=2 * n)).astype(dtype)
    for x in (a[:n], a[::2], a[n - 1::-1] if n else a):
        for at in (0, 1, n // 2, n - 1, n, n + 1, -1, -n, -n - 1, np.int64(1 if n else 0)):
            for value in (2.5, 7, -0.0, np.nan, True, 2**63, 3j, np.float32(1.5), [8], x[:1]):
                if value is np.nan and a.dtype.kind not in "fc":
                    continue    # C does not define it
                same(lambda m, x, value: m.insert(x, at, value), x, value)
    same(lambda m, x: m.insert(x, 0, 1.0, 0), a[:n])
    same(lambda m, x: m.insert(x, obj=0, values=1.0), a[:n])
    same(lambda m, x: m.insert(x, 10**30, 1.0), a[:n])


@pytest.mark.parametrize("dtype", ["?", "u1", "i4", "i8", "f2", "f4", "f8", "c8", "c16"])
def test_einsum__trace_of_few(dtype):
    for n in (0, 1, 2, 7, 8, 9, 33, 130):
        A = (10 * RNG.normal(size=(n, n))).astype(dtype)
        for B in (A, A.T, A[::-1], A[:, ::-1]):
            got, want = xp.einsum("ii", made_ours(B)), np.einsum("ii", B)
            assert got.dtype == want.dtype and xp.isscalar(got)
            np.testing.assert_allclose(np.asarray(got), want,
                                       rtol=2e-2 if dtype == "f2" else 1e-5, atol=1e-4)
            if dtype == "f8":   # and as the sum of the diagonal, to the bit
                assert got == np.asarray(xp.diagonal(made_ours(B)).sum())
    for bad in (np.ones((2, 3)), np.ones(3), np.ones((2, 2, 2))):
        same(lambda m, x: m.einsum("ii", x), bad)


def test_numbers_alone__give_scalars():
    for x in (2.0, 2, 4j):
        same(lambda m: m.multiply(x, x)[()])
        same(lambda m: m.negative(x)[()])
    if ON_HOST:
        assert isinstance(xp.sqrt(2.0), np.float64)


def test_frombuffer__keeps_the_memory():
    import gc
    memory = np.arange(64.0).tobytes()
    x = xp.frombuffer(memory)
    y = x + 1
    del memory, x
    gc.collect()
    other = [bytes(512) for _ in range(100)]     # would take the memory, were it free
    np.testing.assert_array_equal(np.asarray(y), np.arange(64.0) + 1)
    del other
    if ON_HOST:
        grows = bytearray(16)
        z = xp.frombuffer(grows)
        with pytest.raises(BufferError):
            grows.extend(b"1")
        del z
        gc.collect()
        grows.extend(b"1")


def test_sort__in_place_of_others():
    x = xp.asarray([3.0, 1.0, 2.0])
    same_memory = x[::-1]
    same_memory.sort()
    np.testing.assert_array_equal(np.asarray(x), [3, 2, 1])
    assert xp.ndarray.sort(x) is None
    x.sort(axis=-1, kind="stable")
    np.testing.assert_array_equal(np.asarray(x), [1, 2, 3])
    with pytest.raises(TypeError):
        xp.ndarray.sort(3)
    with pytest.raises(TypeError):
        x.sort(nothing=1)


@pytest.mark.parametrize("dtype", ["?", "u1", "i4", "i8", "f2", "f4", "f8", "c16"])
@pytest.mark.parametrize("n", [0, 1, 2, 7, 1023, 1024, 1025])
def test_delete_and_repeat__of_a_row(n, dtype):
    a = (10 * RNG.normal(size=2 * n)).astype(dtype)
    middle = n // 2
    for x in (a[:n], a[::2], a[:n][::-1]):
        for obj in (0, middle, -1, n, -n - 1, np.int64(middle), row([0, -1, 0]), row([middle, middle]), row([], int),
                    row([n]), [0, 1], [], slice(1, 3), row([[0], [0]]), 10**30):
            same(lambda m, x, obj: m.delete(x, obj), x, obj)
        for count in (0, 1, 2, 3, -1, np.int64(2), 1.5, row([2]), row(2)):
            same(lambda m, x, count: m.repeat(x, count), x, count)
            same(lambda m, x, count: x.repeat(count), x, count)
    same(lambda m, x: m.repeat(x, 10**12) if n else m.repeat(x, 3), a[:0])


def test_linspace__of_numbers():
    for start in (0.1, 3, np.float64(-2.5), np.int64(7), np.float32(1), 1j, True, row(2.0), None):
        for num in (0, 1, 2, 50, 3000, -1, 2.0, np.int64(4)):
            same(lambda m, start: m.linspace(start, 9.25, num), start)
    x = xp.linspace(xp.asarray([1.0, 2.0]).sum(), 4.0, 5)
    np.testing.assert_array_equal(np.asarray(x), np.linspace(3.0, 4.0, 5))


def test_unravel_index__of_a_value():
    D = xp.asarray(np.arange(30).reshape(5, 6) % 17)
    want = np.unravel_index(np.asarray(D).argmax(), (5, 6))
    check(xp.unravel_index(D.argmax(), D.shape), want)
    check(xp.unravel_index(np.int64(7), (5, 6)), np.unravel_index(np.int64(7), (5, 6)))


@pytest.mark.parametrize("computed", [False, True])
def test_array__of_values_and_scalars(computed):
    rows = np.arange(12.0).reshape(4, 3)
    for kind in (float, int, "f4", "?"):
        values = [made_ours(r.astype(kind)).sum() for r in rows]
        if computed:
            [float(v) for v in values]
        check(xp.array(values), np.array([r.astype(kind).sum() for r in rows]))
        check(xp.array([values[0], 2, 2.5]), np.array([rows[0].astype(kind).sum(), 2, 2.5]))
        check(xp.array(values, "f4"), np.array([r.astype(kind).sum() for r in rows], "f4"))
    for scalars in ([np.float32(1), np.float32(2)], [np.int8(1), np.int8(-1)], [np.True_, np.False_],
                    [np.float32(1), np.float64(2)], [np.int8(1), 2], [np.complex64(1), np.complex64(2j)],
                    [np.float16(1)], [np.float32(1), "a"][:1], (np.uint64(2**63), np.uint64(1))):
        check(xp.array(scalars), np.array(scalars))


def test_comparisons_of_values():
    values = [0.0, -0.0, 1.5, np.nan, np.inf, 3, 2**53 + 1, -2**63, 2**63 - 1]
    ours = [xp.asarray([v]).sum() for v in values]
    wants = [np.asarray([v]).sum() for v in values]
    others = [0, 1.5, 3, np.nan, 2**53, float(2**53), 2**63 - 1, 2**70, True, np.float64(3), np.int64(3), np.float32(3),
              np.uint64(2**63), 1j, None, "a"]
    for x, a in zip(ours, wants):
        float(x)
        for y, b in [*zip(others, others), *zip(ours, wants)]:
            for op in (operator.lt, operator.le, operator.eq, operator.ne, operator.gt, operator.ge):
                for swapped in (False, True):
                    try:
                        want = op(b, a) if swapped else op(a, b)
                    except (TypeError, OverflowError):
                        with pytest.raises((TypeError, OverflowError)):
                            op(y, x) if swapped else op(x, y)
                        continue
                    got = op(y, x) if swapped else op(x, y)
                    assert bool(got) == bool(want) and np.asarray(got).dtype == np.asarray(want).dtype
        assert bool(x) == bool(a) and str(x) == str(a) and repr(x) == repr(a) and f"{x}" == f"{a}"
        assert f"{x:.3g}" == f"{a:.3g}"
