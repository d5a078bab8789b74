# SPDX-License-Identifier: BSD-3-Clause
"""Small work, which runs within its call, has the bits of work that is recorded; elements are loads and stores."""
import itertools
import warnings

import numpy as np
import pytest
from common import IS_NUMPY, ON_HOST, bits, needs_heddle, xp

pytestmark = [needs_heddle, pytest.mark.skipif(not ON_HOST, reason="a GPU has no small work")]

DTYPES = ["?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "c8", "c16"]
# around chunks of a reduction (256), the largest small work (512), a long row's run (4096) and the largest small reduction (16384)
SIZES = [1, 2, 7, 8, 31, 255, 256, 257, 511, 512, 513, 4095, 4096, 4097, 16383, 16384, 16385]


@pytest.fixture(autouse=True)
def usual():
    before = xp.set_fusion(True)
    yield
    xp.set_fusion(before)


def numbers(dt, n, seed):
    rng = np.random.default_rng(seed)
    dt = np.dtype(dt)
    if dt.kind == "b":
        return rng.random(n) < 0.5
    if dt.kind in "iu":
        return rng.integers(-100 if dt.kind == "i" else 0, 100, n).astype(dt)
    x = rng.standard_normal(n) * 10.0 ** rng.integers(-3, 4, n)
    if dt.kind == "c":
        x = x + 1j * rng.standard_normal(n)
    x = x.astype(dt)
    x[rng.integers(0, n, n // 5)] = rng.choice([0.0, -0.0, np.inf, -np.inf, np.nan])
    return x


def layouts(x):
    """The elements of x in arrays that lie otherwise."""
    a, n = xp.asarray(x), x.size
    yield a
    yield a[::-1]
    yield xp.asarray(np.repeat(x, 2))[::2]
    if n % 2 == 0:
        yield a.reshape(2, n // 2).T
        yield a.reshape(n // 2, 2)[:, ::-1]
        yield xp.asarray(np.asfortranarray(x.reshape(2, n // 2)))
    yield xp.broadcast_to(a[:1], (n,))


def both_ways(compute):
    """What compute() gives at once, and recorded."""
    xp.set_fusion("always")
    xp.synchronize()
    recorded = np.asarray(compute())
    xp.set_fusion(True)
    return np.asarray(compute()), recorded


def same_bits(compute, what):
    now, recorded = both_ways(compute)
    assert now.dtype == recorded.dtype and now.shape == recorded.shape, what
    assert bits(now) == bits(recorded), f"{what}: {now} at once, {recorded} recorded"


# random numbers take a state, which is no array
UFUNCS = [] if IS_NUMPY else sorted(name for name in xp._heddle.elementwise if not name.startswith("random_"))


@pytest.mark.parametrize("name", UFUNCS)
def test_ufuncs__bits_at_once(name):
    function = xp._heddle.elementwise[name][0]
    done = 0
    for k, dt in enumerate(DTYPES):
        x = [numbers(dt, 24, seed) for seed in (k, k + 50, k + 99)][:function.nin]
        for views in zip(*map(layouts, x)):
            for args in (views, (*views[:-1], 3), (2, *views[1:]), (*views[:-1], views[-1].ravel()[:1])):
                try:
                    function(*args)
                except (TypeError, OverflowError, ValueError):
                    continue
                same_bits(lambda: function(*args), f"{name} of {dt}")
                done += 1
    assert done > 0


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("dt", ["?", "i2", "i8", "f2", "f4", "f8", "c16"])
def test_sizes__bits_at_once(dt, n):
    for x, y in zip(layouts(numbers(dt, n, 1)), layouts(numbers("f4", n, 2))):
        for what, compute in {
            "sum": x.sum, "prod": x.prod, "max": x.max, "any": x.any, "all": x.all, "mean": x.mean, "argmax": x.argmax, "argmin": x.argmin,
            "sum of rows": lambda: x.sum(axis=-1), "sum of columns": lambda: x.sum(axis=0), "copy": x.copy, "cast": lambda: x.astype("f4"),
            "x + y": lambda: x + y, "y * x": lambda: y * x, "sum as f4": lambda: x.sum(dtype="f4" if x.dtype.kind != "c" else "c8"),
            "dot": lambda: xp.dot(x.ravel(), y.ravel()), "where": lambda: xp.where(x, y, 2), "to half": lambda: y.astype("f2"),
        }.items():
            same_bits(compute, f"{what} of {n} {dt}")


# rows and columns: short; around a long row (32), narrow columns and thin products (16), chunks of columns (64) and of rows (256)
SHAPES = [(2, 3), (10, 10), (16, 32), (15, 31), (17, 30), (31, 16), (32, 16), (33, 15), (2, 256), (256, 2), (1, 300), (300, 1), (2, 65), (65, 2),
          (3, 4, 5), (2, 1, 40), (8, 8, 8), (2, 100, 2), (70, 1, 7), (4, 3, 33), (2, 3, 4, 5),
          (2, 4100), (4100, 2), (64, 64), (128, 128), (127, 129), (129, 128), (20, 3, 70)]


def memory_orders(x):
    """The elements of x in arrays whose axes lie otherwise."""
    yield xp.asarray(x)
    yield xp.asarray(np.asfortranarray(x))
    yield xp.asarray(np.ascontiguousarray(x[::-1]))[::-1]
    yield xp.asarray(np.repeat(x, 2, axis=-1))[..., ::2]
    yield xp.moveaxis(xp.asarray(np.ascontiguousarray(np.moveaxis(x, 0, -1))), -1, 0)[..., ::-1]
    yield xp.broadcast_to(xp.asarray(x[:1]), x.shape)
    yield xp.broadcast_to(xp.asarray(x[..., :1]), x.shape)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("dt", ["?", "i1", "u4", "i8", "f2", "f4", "f8", "c8", "c16"])
def test_rows__bits_at_once(dt, shape):
    axes = [axis for n in range(1, len(shape)) for axis in itertools.combinations(range(len(shape)), n)]
    for x in memory_orders(numbers(dt, int(np.prod(shape)), 11).reshape(shape)):
        for axis in axes:
            for name in ("sum", "prod", "min", "max", "any", "all", "mean"):
                function = getattr(x, name)
                same_bits(lambda: function(axis=axis), f"{name} of {dt} {shape} over {axis}")
            same_bits(lambda: x.sum(axis=axis, keepdims=True, dtype="c8"), f"sum as c8 of {dt} {shape} over {axis}")
        for axis in range(len(shape)):
            for name in ("argmin", "argmax"):
                same_bits(lambda: getattr(x, name)(axis=axis), f"{name} of {dt} {shape} over {axis}")


def matrices(x):
    yield from memory_orders(x)
    wide = np.zeros((x.shape[0] + 1, x.shape[1] + 3), x.dtype)
    wide[1:, 2:-1] = x
    yield xp.asarray(wide)[1:, 2:-1]


PRODUCTS = [(2, 2, 2), (3, 4, 5), (4, 4, 4), (16, 16, 16), (17, 17, 17), (22, 22, 22), (2, 200, 2), (100, 2, 5), (2, 30, 17), (12, 1, 30), (1, 9, 1),
            (10, 10, 1), (10, 16, 1), (10, 17, 1), (10, 32, 1), (10, 40, 1), (40, 10, 1), (1, 10, 10), (1, 40, 10), (1, 17, 20)]


@pytest.mark.parametrize("mkn", PRODUCTS)
@pytest.mark.parametrize("dt", ["?", "i2", "i8", "f2", "f4", "f8", "c8", "c16"])
def test_products__bits_at_once(dt, mkn):
    m, k, n = mkn
    x, y = numbers(dt, m * k, 3).reshape(m, k), numbers(dt, k * n, 4).reshape(k, n)
    for a, b in itertools.product(matrices(x), matrices(y)):
        same_bits(lambda: a @ b, f"product of {dt} {mkn}")
        if m == 1:
            same_bits(lambda: a[0] @ b, f"vector by matrix of {dt} {mkn}")
        if n == 1:
            same_bits(lambda: a @ b[:, 0], f"matrix by vector of {dt} {mkn}")
    same_bits(lambda: a @ xp.asarray(y.astype("f4" if dt[0] != "c" else "c8")), f"product of {dt} and single precision")
    same_bits(lambda: xp.asarray(x) @ xp.asarray(x).T, f"{dt} by its own transpose")


def test_products_of_batches__bits_at_once():
    for dt in ("i4", "f2", "f4", "f8", "c16"):
        x, y = (xp.asarray(numbers(dt, n, 5)) for n in (120, 60))
        for a, b in ((x.reshape(5, 4, 6), y[:24].reshape(6, 4)), (x.reshape(5, 6, 4), y.reshape(5, 4, 3)), (x[:48].reshape(3, 4, 4),) * 2,
                     (x.reshape(2, 5, 4, 3), y.reshape(5, 3, 4)), (y.reshape(10, 3, 2)[::-1], y[:6].reshape(2, 3))):
            same_bits(lambda: a @ b, f"products of {dt}")
        same_bits(lambda: xp.einsum("ij,jk->ik", x.reshape(12, 10), y[:30].reshape(10, 3)), dt)
        same_bits(lambda: xp.tensordot(x.reshape(4, 5, 6), y[:30].reshape(5, 6), 2), dt)


@pytest.mark.parametrize("n", [1, 2, 4, 10, 22])
@pytest.mark.parametrize("dt", ["i4", "f4", "f8", "c16"])
def test_linear_algebra__bits_at_once(dt, n):
    rng = np.random.default_rng(n)
    a = ((rng.standard_normal((n, n)) + n * np.eye(n)) * 4).astype(dt)
    b = (rng.standard_normal((n, 3)) * 9).astype(dt)
    for x in (xp.asarray(a), xp.asarray(np.asfortranarray(a)), xp.asarray(a)[::-1, ::-1]):
        same_bits(lambda: xp.linalg.solve(x, xp.asarray(b)), "solve")
        same_bits(lambda: xp.linalg.solve(x, xp.asarray(b)[:, 0]), "solve")
        same_bits(lambda: xp.linalg.inv(x), "inv")
        same_bits(lambda: xp.linalg.det(x), "det")
        same_bits(lambda: xp.linalg.slogdet(x)[1], "slogdet")
        same_bits(lambda: xp.linalg.cholesky(x @ x.conj().T + xp.eye(n)), "cholesky")
    if n == 4:
        stack = xp.asarray(np.stack([a, a * 2, a[::-1]]))
        same_bits(lambda: xp.linalg.inv(stack), "inverses")
        same_bits(lambda: xp.linalg.det(stack), "determinants")


def test_linear_algebra__that_fails():
    for mode in (True, "always", True):
        xp.set_fusion(mode)
        for x in (xp.zeros((3, 3)), xp.asarray(np.stack([np.eye(3), np.zeros((3, 3))]))):
            with pytest.raises(np.linalg.LinAlgError, match="Singular"):
                xp.linalg.inv(x)
        with pytest.raises(np.linalg.LinAlgError):
            xp.linalg.cholesky(xp.asarray([[1.0, 2], [2, 1]]))
        assert float(xp.linalg.det(xp.zeros((3, 3)))) == 0
        assert xp.linalg.inv(xp.eye(3)).tolist() == np.eye(3).tolist()      # no error is left


def test_stores__bits_at_once():
    for dt in DTYPES:
        def program():
            x = xp.asarray(numbers(dt, 60, 3)).reshape(6, 10)
            y = xp.asarray(numbers("f8", 10, 4))
            x[1] = x[0]
            x[:, 3] = x[:, 4]
            x[::2, 1:] = x[1::2, :-1]
            x[4:] = x[4:][::-1]
            x[...] = x[::-1, ::-1]
            if x.dtype.kind in "fc":
                x += y
                x[2] *= 2
                x[3:5] -= x[0]
            x[x.shape[0] - 1] = 1
            return x
        same_bits(program, dt)


def test_small_work_is_not_recorded():
    x = xp.ones(512)
    xp.synchronize()
    before = xp.stats()["records"]
    y = (x * 2 + 1).sum()
    assert xp.stats()["records"] == before and xp.stats()["pending"] == 0
    z = xp.ones(513) + 1
    assert xp.stats()["records"] == before + 2
    w = y * 2 + z.sum()             # waits for what is pending
    assert xp.stats()["pending"] > 0
    assert float(w) == 2 * 3 * 512 + 2 * 513
    before = xp.stats()["records"]
    xp.sin(x)                       # dearer than recording it
    assert xp.stats()["records"] == before + 1


def test_rows_and_products_are_not_recorded():
    m, v = xp.ones((16, 16)), xp.ones(16)
    np.asarray(m @ m), np.asarray(xp.linalg.inv(xp.eye(3)))      # opens BLAS and LAPACK
    before = xp.stats()["records"]
    kept = [m.sum(axis=0), m.max(axis=1), m.mean(axis=0), m.argmin(axis=1), m.T.any(axis=1), m @ m, m.T @ m, m @ v, v @ m, v @ v,
            m.astype("i4") @ m.astype("i4"), xp.linalg.solve(xp.eye(4), xp.ones(4)), xp.linalg.inv(xp.eye(4)), xp.linalg.det(xp.eye(4)),
            m.reshape(4, 8, 8) @ m.reshape(4, 8, 8)]
    assert xp.stats()["records"] == before and xp.stats()["pending"] == 0
    kept += [m.reshape(2, 128) @ m.reshape(128, 2), xp.ones((23, 23)) @ xp.ones((23, 23))]
    assert xp.stats()["records"] > before       # the last one has too many elements
    assert [float(k.sum()) for k in kept[5:8]] == [16**3, 16**3, 256]


def test_set_fusion__says_what_was_set():
    assert xp.set_fusion("always") is True and xp.set_fusion(False) == "always"
    assert xp.set_fusion(True) is False
    with pytest.raises(ValueError, match="sometimes"):
        xp.set_fusion("sometimes")


def test_errstate__tells_of_each():
    """Also of those at which what waits would run."""
    x, told = xp.ones(12), []
    with xp.errstate(all="call", call=lambda kind, flags: told.append(kind)):
        for k in range(40):
            1 / (x * 0)
    assert told == ["divide by zero"] * 40


def test_copies__do_not_share():
    x = xp.arange(5.0)
    y, z = x.copy(), xp.array(x)
    x[1] = 7
    y += 1
    z[2] = 9.0
    assert x.tolist() == [0, 7, 2, 3, 4] and y.tolist() == [1, 2, 3, 4, 5] and z.tolist() == [0, 1, 9, 3, 4]


# ---- elements ------------------------------------------------------------------------------------

@pytest.mark.parametrize("dt", DTYPES)
@pytest.mark.parametrize("n", [5, 600])
def test_elements__are_numpys_scalars(dt, n):
    x = numbers(dt, n, 5)
    a = xp.asarray(x)
    for key in (0, 3, -1, -n, np.int64(2), (1,), (np.int8(-2),)):
        assert isinstance(a[key], type(x[key])) and a[key].tobytes() == x[key].tobytes()
    m, w = a[:n // 5 * 5].reshape(5, -1), x[:n // 5 * 5].reshape(5, -1)
    assert isinstance(m[2, 0], type(w[2, 0])) and m[-1, -1].tobytes() == w[-1, -1].tobytes()
    assert all(isinstance(e, type(x[0])) for e in a[:4])
    assert a.flat[3].tobytes() == x.flat[3].tobytes()
    assert isinstance((a + a)[1], type((x + x)[1]))      # pending where n is large


@pytest.mark.parametrize("key", [5, -6, (5,), 2**70, -2**70])
def test_elements__out_of_range(key):
    for module in (np, xp):
        x = module.arange(5.0)
        with pytest.raises(IndexError):
            x[key]
        with pytest.raises(IndexError):
            x[key] = 1
        with pytest.raises(IndexError):
            module.ones((3, 2))[1, key if isinstance(key, int) else 4]


VALUES = [1, 2.7, True, -3, 300, 2**40, 2**63, 1e300, 3j, np.float32(1.5), np.int8(-4), np.float64(2.5), np.bool_(True), np.complex64(1 + 2j),
          np.array(3.0), np.array([4]), [1], "5", None, float("nan"), float("inf"), 10**400,
          # NumPy stores its scalars in signed integers as Python's numbers, and refuses what does not fit
          np.int64(300), np.int64(-1), np.uint8(200), np.uint64(2**63), np.int64(2**40), np.float64(300.7), np.float64(-1.5), np.float64(1e30),
          np.float64("nan"), np.float32("inf"), np.float16(3.5), 255, 127, 128, -128, -129, 65535, 65536, 2**31, 2**32 - 1, -2**63]


@pytest.mark.parametrize("dt", DTYPES)
def test_elements__are_stored_as_by_numpy(dt):
    for value in VALUES:
        told = []
        for module in (np, xp):
            x = module.zeros(3, dt)
            try:
                with np.errstate(all="ignore"), warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    x[1] = value
                    if isinstance(value, (int, np.generic)):
                        x[:1] = value
                told.append(np.asarray(x).tobytes())
            except Exception as error:
                told.append(type(error))
        assert told[0] == told[1], f"{value!r} in {dt}: NumPy has {told[0]}, we have {told[1]}"


@pytest.mark.parametrize("dt", DTYPES)
@pytest.mark.parametrize("n", [1, 5, 511, 512, 513, 3000])
def test_indices__few_and_many(dt, n):
    """Few indices into a vector that has been computed are followed within the call."""
    x = numbers(dt, n, 7)
    index = np.array([0, n - 1, -1, -n, n // 2] * ((n + 4) // 5))[:n]
    wide = np.repeat(index, 3)
    for keys in (index, index[::-1], wide[::3], index[:1], index[:0], index.astype("i4"), index.reshape(1, -1)):
        key, a = xp.asarray(keys), xp.asarray(x)
        for ours, numpys in ((a, x), (a[::-1], x[::-1]), (a[1::2], x[1::2]) if n > 2 and keys.size < 2 else (a, x)):
            got, want = ours[key], numpys[keys]
            assert got.shape == want.shape and got.dtype == want.dtype and np.asarray(got).tobytes() == want.tobytes()
    pending = xp.asarray(x) == xp.asarray(x)
    assert np.array_equal(pending[xp.asarray(index)], (x == x)[index])
    for wrong in (n, -n - 1, 2**62):
        with pytest.raises(IndexError, match=f"index {wrong} is out of bounds for axis 0 with size {n}"):
            xp.asarray(x)[xp.asarray(np.array([0, wrong]))]
    a = xp.asarray(x)
    b = a[xp.asarray(index)]
    a[0] = a[-1]                        # b is its own
    assert np.asarray(b).tobytes() == x[index].tobytes()


@pytest.mark.parametrize("dt", DTYPES)
@pytest.mark.parametrize("n", [0, 1, 5, 127, 128, 129, 512, 513])
def test_masks__few_and_many(dt, n):
    """Few elements of what has been computed are selected within the call."""
    x = numbers(dt, n, 7)
    for flags in (np.arange(n) % 3 == 1, np.zeros(n, bool), np.ones(n, bool), np.arange(n) == n - 1):
        mask, a = xp.asarray(flags), xp.asarray(x)
        for ours, numpys in ((a, x), (a[::-1], x[::-1]), (a.reshape(1, n), x.reshape(1, n))):
            key, want = (mask, numpys[flags]) if ours.ndim == 1 else (mask.reshape(1, n), numpys[flags.reshape(1, n)])
            got = ours[key]
            assert got.shape == want.shape and got.dtype == want.dtype and np.asarray(got).tobytes() == want.tobytes()
        for got, want in zip((*mask.nonzero(), *mask[::-1].nonzero(), *mask.reshape(n, 1).nonzero(), (mask & mask).nonzero()[0]),
                             (*flags.nonzero(), *flags[::-1].nonzero(), *flags.reshape(n, 1).nonzero(), flags.nonzero()[0]), strict=True):
            assert got.dtype == want.dtype and np.array_equal(got, want)
    others = xp.asarray(np.array([0, 1, 2, 255], "u1").view("?"))     # any byte but 0 is true
    assert others.nonzero()[0].tolist() == [1, 2, 3] and xp.arange(4)[others].tolist() == [1, 2, 3]


def stored_row(module, dt, shape, key, values, pending):
    x = module.zeros(shape, dt)
    if pending:
        x = x + x
    try:
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            x[key] = values
        return np.asarray(x).tobytes()
    except Exception as error:
        return type(error)


@pytest.mark.parametrize("dt", DTYPES)
def test_rows__are_stored_as_by_numpy(dt):
    """A tuple or list of numbers, up to 8 of them, is written element by element."""
    for value in VALUES:
        for row in ((value, 1), [1, value]):
            want, got = (stored_row(m, dt, (2, 2), 1, row, False) for m in (np, xp))
            assert want == got, f"{row!r} in {dt}: NumPy has {want}, we have {got}"


@pytest.mark.parametrize("pending", [False, True])
@pytest.mark.parametrize("rows", [3, 2000])
@pytest.mark.parametrize("n", [0, 1, 2, 7, 8, 9])
def test_rows__of_all_lengths(n, rows, pending):
    for given in (n, n + 1, 1):
        for values in ([i + 0.5 for i in range(given)], tuple(range(given)), [np.float64(3)] * given):
            for shape, key in (((rows, n), 2), ((rows, n), -1), ((rows, n), (1,)), ((rows, 2, n), (1, 0)), ((rows, 2, n), 1), ((rows, n), rows),
                               ((rows, n), (slice(None), 0))):
                want, got = (stored_row(m, "f8", shape, key, values, pending) for m in (np, xp))
                assert want == got, (shape, key, values)


def test_rows__of_read_only_arrays():
    x = xp.broadcast_to(xp.arange(3.0), (2, 3))
    with pytest.raises(ValueError, match="read-only"):
        x[0] = 1, 2, 3


@pytest.mark.parametrize("n", [10, 3000])
@pytest.mark.parametrize("times", [1, 7, 8, 9, 40])
def test_elements__written_in_loops(n, times):
    """Before, at and beyond the number of element writes that are recorded in a row."""
    def program(m):
        x = m.zeros(n) + 1
        y = x * 2
        kept = []
        for i in range(times):
            x[i % 7] = i + 0.5
            if i % 5 == 4:
                kept.append(x * 1)
                x[-1] = y[i % 3] + x[0]
        return [x, y, *kept]
    for got, want in zip(program(xp), program(np)):
        assert np.array_equal(got, want)


def test_elements__of_read_only_arrays():
    x = xp.broadcast_to(xp.arange(3.0), (2, 3))
    with pytest.raises(ValueError, match="read-only"):
        x[0, 0] = 1
    with pytest.raises(TypeError):
        xp.arange(3.0).sum()[0] = 1


def test_ufuncs_of_elements():
    for dt in DTYPES:
        x = numbers(dt, 9, 8)
        a = xp.asarray(x)
        with np.errstate(all="ignore"), xp.errstate(all="ignore"):
            for name in ("sqrt", "negative", "absolute", "isnan", "sign"):
                told = []
                for m, v in ((np, x), (xp, a)):
                    try:
                        told.append([getattr(m, name)(e) for e in v])
                    except TypeError:
                        told.append(TypeError)
                if told[0] is TypeError:
                    assert told[1] is TypeError, f"{name} of {dt}"
                    continue
                assert all(isinstance(e, type(told[0][0])) for e in told[1]), f"{name} of {dt}"
                np.testing.assert_allclose(np.asarray(told[1]), np.asarray(told[0]), rtol=1e-3 if dt == "f2" else 1e-6)
            for name in ("maximum", "hypot", "less", "add"):
                for pair in ((0, 1), (2, 3)):
                    try:
                        want = getattr(np, name)(x[pair[0]], x[pair[1]])
                    except TypeError:
                        continue
                    got = getattr(xp, name)(a[pair[0]], a[pair[1]])
                    assert isinstance(got, type(want)), f"{name} of {dt}"
                    np.testing.assert_allclose(got, want, rtol=1e-3 if dt == "f2" else 1e-6)
    assert isinstance(xp.maximum(xp.ones(2)[0], 0), np.float64) and type(xp.sqrt(xp.ones(3).sum())) is xp.ndarray


def as_arrays(compute):
    """What compute() gives, or raises, by arrays of rank 0 and from element to element."""
    told = []
    for mode in ("always", True):
        xp.set_fusion(mode)
        try:
            r = compute()
            value = np.atleast_1d(np.array(r))
            if value.dtype.kind in "fc":
                real = value.view(value.real.dtype)
                real[np.isnan(real)] = np.nan        # whose sign is the processor's
            told.append((type(r), value.dtype, value.tobytes()))
        except Exception as error:
            told.append((type(error), str(error)))
    return told


@pytest.mark.parametrize("name", [name for name in UFUNCS if xp._heddle.elementwise[name][0].nin <= 2])
def test_ufuncs_of_scalars__as_of_arrays(name):
    function = xp._heddle.elementwise[name][0]
    numbers_ = [True, 3, -2, 300, 2**40, 2**63, 0, 2.5, -0.0, float("nan"), 1e300, 1 + 2j]
    for k, dt in enumerate(DTYPES):
        for e in numbers(dt, 6, k):
            if function.nin == 1:
                a, b = as_arrays(lambda: function(e))
                assert a == b, f"{name} of {e!r}"
                continue
            for other in numbers_ + [numbers(d, 6, k + 1)[k % 6] for d in DTYPES]:
                for pair in ((e, other), (other, e)):
                    a, b = as_arrays(lambda: function(*pair))
                    assert a == b, f"{name} of {pair!r}"
    assert as_arrays(lambda: function(*[3] * function.nin))[1][0] is not None


def test_ufuncs_of_scalars__tell_of_faults():
    zero, told = xp.zeros(2)[0], []
    with xp.errstate(all="call", call=lambda kind, flags: told.append(kind)):
        xp.divide(zero + 1, zero)
        xp.log(zero)
        xp.exp(zero + 1000)
    assert told == ["divide by zero", "divide by zero", "overflow"]


def test_numpys_scalars_as_operands():
    for dt in DTYPES:
        scalar = numbers(dt, 3, 6)[1]
        for other in DTYPES:
            x = numbers(other, 5, 7)
            a = xp.asarray(x)
            for name in ("add", "multiply", "less", "maximum"):
                with np.errstate(all="ignore"):
                    want = [getattr(np, name)(x, scalar), getattr(np, name)(scalar, x)]
                got = [getattr(xp, name)(a, scalar), getattr(xp, name)(scalar, a)]
                with np.errstate(all="ignore"):
                    got += [getattr(np, name)(a, scalar), getattr(np, name)(scalar, a)]
                for g, w in zip(got, want * 2):
                    assert type(g) is xp.ndarray and g.dtype == w.dtype
                    g = np.asarray(g)
                    if w.dtype.kind == "c":      # products differ in the last digit
                        np.testing.assert_allclose(g, w, rtol=1e-5)
                    else:
                        assert np.array_equal(g, w, equal_nan=w.dtype.kind == "f")
    x = xp.arange(3.0)
    assert type(np.float32(2) * x) is xp.ndarray and (np.float32(2) * x).tolist() == [0, 2, 4]
    assert type(x[1] * x) is xp.ndarray and type(x * x[1]) is xp.ndarray


# ---- what waits, and library calls ---------------------------------------------------------------

@pytest.mark.parametrize("times", [1, 5, 7, 8, 15, 16, 17, 40, 200])
def test_small_work_that_waits(times):
    """Rows of an array that is pending: before, at and beyond the number of small operations that wait in a row."""
    def program(m):
        x = m.ones((times + 1, 50)) * 1.5           # more than small work where there are some rows
        big = m.ones(3000) * 2
        for i in range(1, times + 1):
            x[i] += x[i - 1] * 0.5
            if i % 7 == 0:
                x[i] -= x[i - 1].sum() * 0.01
        total = (big * x[-1, 0]).sum()
        return [x, total, x[:, 3].copy()]
    for got, want in zip(program(xp), program(np)):
        np.testing.assert_allclose(np.asarray(got), want, rtol=1e-13)


CALLS = {
    "take": lambda m, x, i: x[i], "take of rows": lambda m, x, i: x.reshape(-1, 1)[i], "mask": lambda m, x, i: x[x > 0],
    "nonzero": lambda m, x, i: m.nonzero(x > 0)[0], "sort": lambda m, x, i: m.sort(x), "argsort": lambda m, x, i: m.argsort(x, kind="stable"),
    "partition": lambda m, x, i: m.partition(x, x.size // 2)[x.size // 2], "cumsum": lambda m, x, i: m.cumsum(x),
    "searchsorted": lambda m, x, i: m.searchsorted(m.sort(x), x), "bincount": lambda m, x, i: m.bincount(i),
    "histogram": lambda m, x, i: m.histogram(x, bins=5)[0], "unique": lambda m, x, i: m.unique(i % 5),
    "reduceat": lambda m, x, i: m.add.reduceat(x, m.sort(i)), "store at places": lambda m, x, i: stored(m, x.copy(), i),
    "add.at": lambda m, x, i: added(m, x.copy(), i), "store by mask": lambda m, x, i: masked(x.copy()),
}


def stored(m, x, i):
    x[i] = x[::-1] * 2
    x[i[:3]] = 7
    return x


def added(m, x, i):
    m.add.at(x, i % 4, 1)
    x[i] += x
    return x


def masked(x):
    x[x < 0] = 0.25
    x[x > 1] *= 0.5
    return x


@pytest.mark.parametrize("shape", [(1, 1), (3, 4), (2, 3, 5), (40, 30)])
def test_masks_of_several_axes__stores(shape):
    rng = np.random.default_rng(7)
    x, mask = rng.standard_normal(shape), rng.random(shape) < 0.5
    def program(m):
        a, b = m.asarray(x), m.asarray(mask)
        n = int(b.sum())
        a[b] = m.arange(float(n))
        a[b] += a[b] * 0.5
        t = m.asarray(np.asfortranarray(x))
        t[b] = m.arange(float(n)) * 2
        t.T[b.T] -= 1
        return [a, t]
    for got, want in zip(program(xp), program(np)):
        assert np.array_equal(np.asarray(got), want)
    for bad in (x.ravel()[:int(mask.sum()) + 1], np.ones((2, 1))) if x.size > 1 else ():
        for m in (np, xp):
            with pytest.raises((ValueError, TypeError)):
                m.asarray(x)[m.asarray(mask)] = m.asarray(bad)


@pytest.mark.parametrize("case", CALLS)
@pytest.mark.parametrize("n", [3, 20, 511, 512, 513, 1025])
def test_library_calls__at_once(case, n):
    rng = np.random.default_rng(n)
    x, i = rng.standard_normal(n), rng.permutation(n)
    want = np.asarray(CALLS[case](np, x, i))
    for mode in (True, "always"):
        xp.set_fusion(mode)
        got = np.asarray(CALLS[case](xp, xp.asarray(x), xp.asarray(i)))
        assert got.dtype == want.dtype and np.allclose(got, want, rtol=1e-12), f"{case} of {n}, fusion {mode}"


def test_library_calls__that_fail():
    x = xp.arange(10.0)
    with pytest.raises(IndexError):
        x[xp.asarray([3, 10])]
    with pytest.raises(IndexError):
        x[xp.asarray([3, -11])] = 1
    assert x.tolist() == list(range(10))


@pytest.mark.parametrize("dt", ["i1", "u2", "i8", "f2", "f4", "f8", "c8", "?"])
def test_vectorize__dtype_of_the_function(dt):
    x = numbers(dt, 6, 9) if dt != "?" else np.arange(6) > 2
    for function in (lambda e: e + 1, lambda e: e * 2.5, lambda e: (e, e * 0)):
        told = []
        for m in (np, xp):
            with np.errstate(all="ignore"):
                r = m.vectorize(function)(m.asarray(x))
            told.append([np.asarray(c).dtype for c in (r if isinstance(r, tuple) else (r,))])
        assert told[0] == told[1]
