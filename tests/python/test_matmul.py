# SPDX-License-Identifier: BSD-3-Clause
"""matmul and dot against NumPy: shapes, batches, transposed and strided operands, thin ones, dtypes, out=, errors."""

import itertools

import numpy as np
import pytest

from common import IS_NUMPY, ON_HOST, give, moderate, needs_heddle, outcome, same, same_outcome, xp

SHAPES = [
    ((3,), (3,)),
    ((2, 3), (3,)),
    ((3,), (3, 4)),
    ((2, 3), (3, 4)),
    ((5, 2, 3), (3, 4)),
    ((5, 2, 3), (5, 3, 4)),
    ((2, 3), (5, 3, 4)),
    ((1, 2, 3), (5, 3, 4)),
    ((5, 1, 2, 3), (4, 3, 2)),
    ((5, 2, 3), (3,)),
    ((3,), (5, 3, 2)),
    ((1, 1), (1, 1)),
    ((0, 3), (3, 2)),
    ((2, 0), (0, 3)),
    ((2, 3), (3, 0)),
    ((0,), (0,)),
    ((40, 50), (50, 30)),
    ((100, 17), (17, 100)),
    ((1000, 3), (3, 1)),
    ((3, 1000), (1000, 1)),
    ((1, 300), (300, 1)),
    ((300,), (300,)),
    ((20, 16), (16, 20)),
    ((33, 1), (1, 29)),
    ((2, 30, 40), (2, 40, 30)),
]


def product(x, y, name="matmul"):
    return outcome(getattr(xp, name), give(x), give(y)), outcome(getattr(np, name), x, y)


def close_values(got, want, where):
    if want.dtype.kind in "fc":
        eps = np.finfo(want.dtype).eps
        np.testing.assert_allclose(
            np.array(got), want, rtol=300 * eps, atol=3000 * eps, err_msg=where
        )
    else:
        same(got, want, where=where, strides=False)


def close(ours, theirs, where=""):
    if theirs[0] == "error":
        same_outcome(ours, theirs, where=where)
        return
    got, want = ours[1], np.asarray(theirs[1])
    assert ours[0] == "value", f"{where}: {got!r}"
    assert (got.dtype, got.shape) == (want.dtype, want.shape), (
        f"{where}: {got.dtype}{got.shape}, NumPy {want.dtype}{want.shape}"
    )
    close_values(got, want, where)


@pytest.mark.parametrize("a,b", SHAPES)
def test_shapes(a, b):
    for dtype in ("f8", "f4", "i8", "c16", "?", "i4", "u1", "c8"):
        x, y = (
            moderate(dtype, int(np.prod(a))).reshape(a),
            moderate(dtype, int(np.prod(b)), 2).reshape(b),
        )
        close(*product(x, y), f"matmul of {dtype} {a} {b}")
        close((outcome(lambda: give(x) @ give(y))), outcome(lambda: x @ y), f"@ of {dtype} {a} {b}")
        if len(a) <= 2 and len(b) <= 2:
            close(*product(x, y, "dot"), f"dot of {dtype} {a} {b}")
            close(
                outcome(give(x).dot, give(y)), outcome(x.dot, y), f"dot method of {dtype} {a} {b}"
            )


def test_integers_stored_as_floats_are_exact():
    rng = np.random.default_rng(0)
    for n, k, m in ((3, 4, 5), (40, 60, 20), (17, 16, 3), (200, 3, 1), (3, 500, 1)):
        x, y = rng.integers(-9, 9, (n, k)).astype("f8"), rng.integers(-9, 9, (k, m)).astype("f8")
        same(give(x) @ give(y), x @ y)
        i, j = x.astype("i4"), y.astype("i4")
        same(give(i) @ give(j), i @ j)


def variants(x):
    yield "plain", x
    yield "transposed", np.ascontiguousarray(x.T).T
    yield "rows reversed", np.ascontiguousarray(x[::-1])[::-1]
    yield "columns reversed", np.ascontiguousarray(x[:, ::-1])[:, ::-1]
    wide = np.zeros((2 * x.shape[0], 2 * x.shape[1]), x.dtype)
    wide[::2, ::2] = x
    yield "every second", wide[::2, ::2]
    wide = np.zeros((x.shape[0], x.shape[1] + 5), x.dtype)
    wide[:, 2:-3] = x
    yield "inside", wide[:, 2:-3]
    wide = np.zeros((x.shape[1], x.shape[0] + 5), x.dtype)
    wide[:, 2:-3] = x.T
    yield "inside, transposed", wide[:, 2:-3].T


@pytest.mark.parametrize("size", [(3, 4, 5), (30, 40, 20), (64, 3, 1), (3, 64, 1), (1, 50, 60)])
def test_strides(size):
    rng = np.random.default_rng(1)
    n, k, m = size
    x, y = rng.integers(-9, 9, (n, k)).astype("f8"), rng.integers(-9, 9, (k, m)).astype("f8")
    for (first, p), (second, q) in itertools.product(variants(x), variants(y)):
        same(give(p) @ give(q), p @ q, where=f"{first}, {second}", zero_signs=ON_HOST)   # a library's own
    same(give(x).T @ give(x), x.T @ x, zero_signs=ON_HOST)
    same(give(np.broadcast_to(x[0], x.shape)) @ give(y), np.broadcast_to(x[0], x.shape) @ y, zero_signs=ON_HOST)


# ---- batches ----


def batch_views(x):
    """A batch of matrices in several ways; what is broadcast is not of x's shape."""
    yield "dense", x
    yield "matrices turned", np.ascontiguousarray(np.swapaxes(x, -1, -2)).swapaxes(-1, -2)
    yield "batch backwards", np.ascontiguousarray(x[::-1])[::-1]
    yield "every second", np.repeat(x, 2, axis=0)[::2]
    yield "batch innermost", np.moveaxis(np.ascontiguousarray(np.moveaxis(x, 0, -1)), -1, 0)
    yield "rows apart", np.concatenate([x, x], axis=-1)[..., : x.shape[-1]]
    yield "the first one alone", x[0]
    yield "the first one repeated", np.broadcast_to(x[:1], x.shape)


@pytest.mark.parametrize("dtype", ["f8", "f4", "c16", "c8", "i8", "i4", "?", "f2"])
def test_batch__however_they_lie(dtype):
    rng = np.random.default_rng(5)
    for m, k, n in ((3, 3, 3), (1, 4, 2), (2, 5, 1), (17, 2, 3), (40, 3, 2), (2, 3, 40), (4, 1, 4), (1, 3, 1)):
        x, y = (rng.integers(-3, 4, (6, *shape)).astype(dtype) for shape in ((m, k), (k, n)))
        for (first, a), (second, b) in itertools.product(batch_views(x), batch_views(y)):
            where = f"{first} ({m}, {k}) by {second} ({k}, {n})"
            same(give(a) @ give(b), a @ b, where=where, zero_signs=False, strides=False)


def test_batch__several_axes():
    rng = np.random.default_rng(6)
    shapes = [(4, 3), (5, 4, 3), (1, 4, 3), (2, 5, 4, 3), (2, 1, 4, 3), (7, 1, 5, 4, 3), (2, 5, 1, 3), (1, 1, 4, 3), (0, 4, 3)]
    for sa, sb in itertools.product(shapes, shapes):
        x, y = rng.integers(-5, 5, sa).astype("f8"), rng.integers(-5, 5, (*sb[:-2], 3, sb[-2])).astype("f8")
        same_outcome(outcome(lambda: give(x) @ give(y)), outcome(lambda: x @ y), where=f"{sa} {sb}", zero_signs=False)
        if x.ndim == 4:
            turned = x.swapaxes(0, 1)
            same_outcome(outcome(lambda: give(turned) @ give(y)), outcome(lambda: turned @ y), where=f"{sa} turned, {sb}",
                         zero_signs=False, strides=False)


@needs_heddle
def test_batch__threads_change_nothing():
    try:
        for dtype, n in itertools.product(("f8", "f4", "c8", "i4"), (2, 3, 9, 31)):
            x, y = moderate(dtype, 3000 * n * n).reshape(3000, n, n), moderate(dtype, 3000 * n * n, 2).reshape(3000, n, n)
            results = set()
            for threads in (1, 2, 3):
                xp.set_num_threads(threads)
                results.add(bits(give(x) @ give(y)))
            assert len(results) == 1, f"{dtype} {n}"
            close_values(give(x) @ give(y), x @ y, f"{dtype} {n}")
    finally:
        xp.set_num_threads(0)


@pytest.mark.parametrize("dtype", ["f8", "f4", "c16", "c8", "i8"])
def test_by_its_own_transpose(dtype):
    """What is on both sides of the diagonal is the same sum."""
    rng = np.random.default_rng(8)
    for m, k in ((17, 3), (40, 100), (130, 20), (65, 1), (200, 64)):
        x = rng.integers(-4, 5, (m, k)).astype(dtype)
        if dtype[0] == "c":
            x = x + 1j * rng.integers(-4, 5, (m, k)).astype(dtype)
        for name, v in variants(x.astype(dtype)):
            a = give(v)
            same(a @ a.T, v @ v.T, where=f"{name} {x.shape}", zero_signs=False, strides=False)
            same(xp.matmul(a.T, a), v.T @ v, where=f"{name} {x.shape}, transposed", zero_signs=False, strides=False)
            same((a[:-1] @ a[1:].T), v[:-1] @ v[1:].T, where=f"{name} {x.shape}, shifted", zero_signs=False, strides=False)
    batch = rng.integers(-4, 5, (9, 20, 30)).astype(dtype)
    b = give(batch)
    same(b @ b.swapaxes(1, 2), batch @ batch.swapaxes(1, 2), zero_signs=False)
    same(b @ b[::-1].swapaxes(1, 2), batch @ batch[::-1].swapaxes(1, 2), zero_signs=False)
    out = xp.zeros((20, 20), dtype=dtype, order="F")
    same(xp.matmul(b[0], b[0].T, out=out), batch[0] @ batch[0].T, zero_signs=False, strides=False)
    x = moderate(dtype, 5000).reshape(50, 100)
    close(*product(x, x.T))


def test_batch__over_an_operand():
    x = np.random.default_rng(7).integers(-3, 4, (50, 3, 3)).astype("f8")
    a, n = give(x.copy()), x.copy()
    xp.matmul(a, a.swapaxes(-1, -2), out=a)
    np.matmul(n, n.swapaxes(-1, -2), out=n)
    same(a, n)


# ---- thin matrices, which have loops of their own ----


def thin_views(x):
    """The matrix as the loops for thin ones want it, and in ways that they leave to the others."""
    yield "plain", give(x)
    yield "by columns", give(np.ascontiguousarray(x.T)).T
    wide = np.zeros((x.shape[0], x.shape[1] + 3), x.dtype)
    wide[:, 1:-2] = x
    yield "inside", give(wide)[:, 1:-2]
    yield "reversed", give(np.ascontiguousarray(x[::-1]))[::-1]


def bits(x):
    return np.array(x).tobytes()


def same_bits_and_close(results, want, where, library=False):
    """On a GPU each layout has an order of sums of its own (docs/design/gpu-kernels.md): there only integers are the same."""
    library = library or (not ON_HOST and want.dtype.kind in "fc")
    first = None
    for name, got in results:
        first = bits(got) if first is None else first
        assert bits(got) == first or library, f"{where}: {name} differs from the first"
        close_values(got, want, where)


def thin_operands(dtype, n, width):
    x = moderate(dtype, n * width).reshape(n, width)
    return x, moderate(dtype, width, 2).reshape(width, 1), moderate(dtype, n, 3).reshape(n, 1)


@needs_heddle
@pytest.mark.parametrize("dtype", ["f8", "f4", "i8", "i4", "u4", "i2", "u1", "c16", "?"])
def test_thin__same_bits_however_it_lies(dtype):
    for width in range(1, 18):
        # 17 by 17 and more is the BLAS library's, to which strides make a difference
        for n in (1, 2, 15, 16, 17, 31, 32, 33, 255, 256, 257, 511, 513, 2100):
            x, v, d = thin_operands(dtype, n, width)
            library = min(n, width) > 16
            ours = [(name, xp.matmul(m, give(v))) for name, m in thin_views(x)]
            if dtype != "c16":  # nor does the order of the two matter
                ours += [
                    ("vector first", xp.matmul(give(v[:, 0]), m.T)[:, None])
                    for _, m in thin_views(x)
                ]
            same_bits_and_close(ours, x @ v, f"{dtype} ({n}, {width}) times a vector", library)
            ours = [(name, xp.matmul(m.T, give(d))) for name, m in thin_views(x)]
            ours += [
                ("every second", xp.matmul(give(x).T, give(np.repeat(d, 2, 0))[::2])),
                ("one vector", xp.matmul(give(x).T, give(d[:, 0]))[:, None]),
            ]
            same_bits_and_close(ours, x.T @ d, f"{dtype} ({n}, {width}) transposed times a vector", library)


@needs_heddle
@pytest.mark.parametrize("dtype", ["f8", "f4", "i8", "u1", "c16", "f2"])
def test_small__however_they_lie(dtype):
    """Products of two small matrices: however the two lie, and fused with what follows. BLAS has an order of sums for each."""
    for m, k, n in itertools.product((2, 3, 8, 16), (1, 2, 5, 16), (2, 7, 16)):
        x, y = moderate(dtype, m * k).reshape(m, k), moderate(dtype, k * n, 2).reshape(k, n)
        ours = [(f"{a} by {b}", xp.matmul(v, w)) for a, v in thin_views(x) for b, w in thin_views(y)]
        by_blas = k > 1 and dtype in ("f8", "c16", "f4")
        same_bits_and_close(ours, x @ y, f"{dtype} ({m}, {k}) times ({k}, {n})", library=by_blas)
        fused = xp.matmul(give(x), give(y)) * 2
        assert bits(fused) == bits(xp.asarray(np.array(ours[0][1])) * 2)


@needs_heddle
def test_thin__threads_and_fusion_change_nothing():
    def compute(x, v, d):
        p = 1 / (1 + xp.exp(-(give(x) @ give(v))))
        return bits(p), bits(give(x).T @ (p - give(d)) / 3), bits(give(x).T @ give(d))

    try:
        for dtype, width, n in itertools.product(
            ("f8", "f4"), (2, 3, 5, 16), (500, 10000, 100003)
        ):
            operands = thin_operands(dtype, n, width)
            results = set()
            for threads, fusion in ((1, True), (2, False), (2, True), (1, False)):
                xp.set_num_threads(threads)
                xp.set_fusion(fusion)
                results.add(compute(*operands))
            assert len(results) == 1, f"{dtype} ({n}, {width})"
    finally:
        xp.set_num_threads(0)
        xp.set_fusion(True)


def test_thin__special_numbers():
    x = np.array([[np.inf, 1, -0.0], [np.nan, 2, 0], [1, -np.inf, 5], [-0.0, 0, -0.0]] * 20)
    for v in ([1.0, 0, 2], [0, 1, np.inf], [-0.0, -0.0, -0.0]):
        v = np.array(v)[:, None]
        with np.errstate(invalid="ignore"):
            same(give(x) @ give(v), x @ v, where=f"{v.ravel()}")
            d = np.resize(v, (len(x), 1))
            same(give(x).T @ give(d), x.T @ d, where=f"transposed, {v.ravel()}")


def test_thin__result_over_an_operand():
    x = moderate("f8", 3000).reshape(1000, 3)
    a, d, v = give(x), give(x[:, :1].copy()), give(np.array([[1.0], [2.0], [3.0]]))
    xp.matmul(a, v, out=d)
    np.testing.assert_allclose(np.array(d), x @ np.array([[1.0], [2.0], [3.0]]), rtol=1e-12)
    a[:, 1:2] = xp.matmul(a, v) - a[:, 2:3]
    want = x.copy()
    want[:, 1:2] = x @ np.array([[1.0], [2.0], [3.0]]) - x[:, 2:3]
    np.testing.assert_allclose(np.array(a), want, rtol=1e-12)


def test_thin__rows_stored_over_what_they_read():
    x = moderate("f8", 6000).reshape(2000, 3)
    v, d, e = np.array([1.0, -2, 3]), moderate("f8", 2000, 2), moderate("f8", 2001, 3)

    def run(x, v, d, e):
        p = x @ v
        before = d * 3
        d[...] = p - d  # what was there is read before and after
        after = d + before
        e[1:] = e[:-1] + p  # shifted by one
        d += after
        return [np.array(r) for r in (p, before, after, d, e)]

    ours = run(give(x), give(v), give(d.copy()), give(e.copy()))
    for got, want in zip(ours, run(x, v, d.copy(), e.copy())):
        np.testing.assert_allclose(got, want, rtol=1e-12, atol=1e-12)


def test_operands_still_pending():
    x, y = moderate("f8", 600).reshape(20, 30), moderate("f8", 900, 2).reshape(30, 30)
    a, b = give(x.copy()), give(y)
    got = ((a + 1) @ (b * 2 - 1)).sum(axis=0) / (a @ b)[0]
    np.testing.assert_allclose(
        np.array(got), ((x + 1) @ (y * 2 - 1)).sum(axis=0) / (x @ y)[0], rtol=1e-9
    )
    c = a @ b
    a[...] = 0
    np.testing.assert_allclose(np.array(c), x @ y, rtol=1e-9, atol=1e-12)
    v = give(np.ones((1000, 1)))
    thin = give(np.arange(3000.0).reshape(1000, 3))
    np.testing.assert_allclose(
        np.array(thin.T @ (v - thin @ give(np.ones((3, 1))))),
        np.arange(3000.0).reshape(1000, 3).T
        @ (1 - np.arange(3000.0).reshape(1000, 3).sum(axis=1, keepdims=True)),
    )


def test_out():
    x, y = moderate("f8", 12).reshape(3, 4), moderate("f8", 20, 2).reshape(4, 5)
    for shape, order in (((3, 5), "C"), ((3, 5), "F")):
        out = xp.zeros(shape, order=order)
        assert xp.matmul(give(x), give(y), out=out) is out
        np.testing.assert_allclose(np.array(out), x @ y, rtol=1e-12)
    a, n = give(moderate("f8", 16).reshape(4, 4)), moderate("f8", 16).reshape(4, 4)
    xp.matmul(a, a, out=a)
    np.matmul(n, n, out=n)
    np.testing.assert_allclose(np.array(a), n, rtol=1e-12)
    out, theirs = xp.zeros((3, 10)), np.zeros((3, 10))
    xp.matmul(give(x), give(y), out=out[:, ::2])
    np.matmul(x, y, out=theirs[:, ::2])
    np.testing.assert_allclose(np.array(out), theirs, rtol=1e-12)
    same_outcome(
        outcome(xp.matmul, give(x), give(y), out=xp.zeros((3, 4))),
        outcome(np.matmul, x, y, out=np.zeros((3, 4))),
    )
    same_outcome(
        outcome(xp.matmul, give(x), give(y), out=xp.zeros((3, 5), dtype="i4")),
        outcome(np.matmul, x, y, out=np.zeros((3, 5), "i4")),
    )


@pytest.mark.parametrize(
    "a,b",
    [
        ((2, 3), (2, 3)),
        ((3,), (4,)),
        ((2, 3), (4,)),
        ((5, 2, 3), (4, 3, 2)),
        ((), (3,)),
        ((3,), ()),
    ],
)
def test_refused(a, b):
    x, y = np.ones(a), np.ones(b)
    close(*product(x, y), "matmul")
    if len(a) <= 2 and len(b) <= 2:
        close(*product(x, y, "dot"), "dot")


def test_dot_with_scalars():
    x = moderate("f8", 4)
    same(xp.dot(give(x), 3), np.dot(x, 3))
    same(xp.dot(3.0, give(x)), np.dot(3.0, x))
    with pytest.raises(ValueError):
        give(x) @ 3


def test_mixed_dtypes():
    for a, b in (("f4", "f8"), ("i4", "f4"), ("?", "i8"), ("f8", "c16"), ("u1", "i4")):
        x, y = moderate(a, 12).reshape(3, 4), moderate(b, 20, 2).reshape(4, 5)
        close(*product(x, y), f"{a} {b}")


def test_large_against_float64():
    rng = np.random.default_rng(3)
    for dtype, limit in (("f4", 1e-5), ("f8", 1e-13)):
        x, y = (
            rng.standard_normal((300, 400)).astype(dtype),
            rng.standard_normal((400, 200)).astype(dtype),
        )
        exact = x.astype("f8") @ y.astype("f8")
        assert np.abs(np.array(give(x) @ give(y)) - exact).max() / np.abs(exact).max() < limit


@needs_heddle
def test_transposed_operands_are_not_copied():
    a = give(np.ones((1000, 1000)))
    xp.synchronize()
    xp.reset_memory_peak()
    base = xp.stats()["memory_used"]
    c = a.T @ a.T
    assert float(c[0, 0]) == 1000
    assert xp.stats()["memory_peak"] - base < 1.5 * c.nbytes


def _outcome(m, f):
    """What f gives in module m: dtype, strides and values, or the type and words of its exception."""
    try:
        r = f(m, m.array(np.arange(6).reshape(2, 3)), m.array(np.arange(12.0).reshape(3, 4)))
    except Exception as error:
        return type(error).__name__, str(error)
    return r.dtype, tuple(s for s, n in zip(r.strides, r.shape) if n > 1), np.asarray(r).tolist()


def _out(m, shape, dtype="f8", order="C"):
    return m.zeros(shape, dtype, order)


OPTIONS = [
    lambda m, a, b: m.matmul(a, b, dtype="f4"),
    lambda m, a, b: m.matmul(a, a.T, dtype="i1"),
    lambda m, a, b: m.matmul(a, a.T, dtype="f8", casting="no"),
    lambda m, a, b: m.matmul(a, b, casting="no"),
    lambda m, a, b: m.matmul(a, b, casting="equiv"),
    lambda m, a, b: m.matmul(b.T, a.T, dtype="i4"),
    lambda m, a, b: m.matmul(b.T, a.T, dtype="i4", casting="unsafe"),
    lambda m, a, b: m.matmul(a, b, order="F"),
    lambda m, a, b: m.matmul(a, b, order="C"),
    lambda m, a, b: m.matmul(a.T, m.asfortranarray(a), order="K"),
    lambda m, a, b: m.matmul(a.T, m.asfortranarray(a), order="A"),
    lambda m, a, b: m.matmul(a, b, out=_out(m, (2, 4), "f4")),
    lambda m, a, b: m.matmul(a, b, out=_out(m, (2, 4), "i4")),
    lambda m, a, b: m.matmul(a, b, out=_out(m, (2, 4), "i4"), casting="unsafe"),
    lambda m, a, b: m.matmul(a, b, out=_out(m, (2, 4), order="F")),
    lambda m, a, b: m.matmul(a, b, out=_out(m, (3, 2, 4))),
    lambda m, a, b: m.matmul(a, b, out=(_out(m, (2, 4)),)),
    lambda m, a, b: m.matmul(a, b, _out(m, (2, 4))),
    lambda m, a, b: m.matmul(a, b, out=(None,)),
    lambda m, a, b: m.matmul(a, b, subok=False),
    lambda m, a, b: m.dot(a, b, out=_out(m, (2, 4))),
    lambda m, a, b: m.dot(a, 3),
    lambda m, a, b: m.add(a, a, order="F"),
    lambda m, a, b: m.sqrt(b, order="F"),
    lambda m, a, b: m.add(a.T, a.T, order="C"),
    lambda m, a, b: m.add(a.T, a.T, order="A"),
    lambda m, a, b: m.add(a.T, 1, order="K"),
]


@pytest.mark.parametrize("option", range(len(OPTIONS)))
def test_matmul__options(option):
    want, got = _outcome(np, OPTIONS[option]), _outcome(xp, OPTIONS[option])
    assert got[0] == want[0]
    if len(want) == 3:
        assert got == want
    else:
        assert got[1].split(" operand")[0] == want[1].split(" operand")[0]


REFUSED = [
    (TypeError, lambda m, a, b: m.matmul(a, b, axis=0)),
    (TypeError, lambda m, a, b: m.matmul(a, b, keepdims=True)),
    (TypeError, lambda m, a, b: m.matmul(a, b, where=True)),
    (TypeError, lambda m, a, b: m.matmul(a, b, nothing=1)),
    (TypeError, lambda m, a, b: m.matmul(a)),
    (TypeError, lambda m, a, b: m.matmul(a, b, None, None)),
    (TypeError, lambda m, a, b: m.matmul(a, b, _out(m, (2, 4)), out=_out(m, (2, 4)))),
    (TypeError, lambda m, a, b: m.matmul(a, b, out=3)),
    (TypeError, lambda m, a, b: m.matmul(a, b, dtype="foo")),
    (ValueError, lambda m, a, b: m.matmul(a, b, casting="foo")),
    (ValueError, lambda m, a, b: m.matmul(a, b, order="X")),
    (ValueError, lambda m, a, b: m.matmul(a, b, out=_out(m, (2, 3)))),
    (ValueError, lambda m, a, b: m.matmul(a, b, out=_out(m, (4,)))),
    (ValueError, lambda m, a, b: m.matmul(a, a)),
    (ValueError, lambda m, a, b: m.matmul(m.ones((2, 2, 3)), m.ones((3, 3, 2)))),
    (ValueError, lambda m, a, b: m.matmul(a, 3)),
    (TypeError, lambda m, a, b: m.matmul(a, "x")),
    (TypeError, lambda m, a, b: m.dot(a, b, dtype="f4")),
    (TypeError, lambda m, a, b: m.dot(a, b, casting="no")),
    (TypeError, lambda m, a, b: m.dot(a, b, out=3)),
    (TypeError, lambda m, a, b: a.dot()),
    (ValueError, lambda m, a, b: m.dot(a, a)),
    (ValueError, lambda m, a, b: m.dot(a, b, out=_out(m, (2, 4), "f4"))),
    (ValueError, lambda m, a, b: m.dot(a, b, out=_out(m, (2, 4), order="F"))),
    (ValueError, lambda m, a, b: m.dot(a, b, out=_out(m, (2, 3)))),
]


@pytest.mark.parametrize("case", range(len(REFUSED)))
def test_matmul__refuses(case):
    error, f = REFUSED[case]
    for m in (np, xp):
        with pytest.raises(error):
            f(m, m.array(np.arange(6).reshape(2, 3)), m.array(np.arange(12.0).reshape(3, 4)))


AXES = [
    [(-2, -1), (-1, -2), (1, 2)], [(-2, -1), (-1, -2), (0, 1)], [(0, 1), (1, 0), (1, 2)],
    [(0, 1), (0, 1), (0, 1)], [(-2, -1), -1, -1], [(-2, -1), (-2, -1)], [(0, 0), (0, 1), (0, 1)],
    [(0, 1, 2), (0, 1), (0, 1)], [(0, 5), (0, 1), (0, 1)], ((0, 1), (0, 1), (0, 1)), "axes", 3,
]


@pytest.mark.parametrize("axes", AXES, ids=str)
@pytest.mark.parametrize("shapes", [((3, 4, 4), (3, 4, 4)), ((4, 4), (4,)), ((2, 3), (3, 2)), ((4,), (4,))], ids=str)
def test_matmul__of_axes(axes, shapes):
    results = []
    for m in (np, xp):
        x, y = (m.arange(float(np.prod(s))).reshape(s) for s in shapes)
        try:
            results.append(np.asarray(m.matmul(x, y, axes=axes)))
        except Exception as e:
            results.append(type(e).__name__)
    want, got = results
    assert np.array_equal(got, want)


def test_matmul__of_axes_into_an_array():
    x = np.arange(24.0).reshape(2, 3, 4)
    out, want = xp.zeros((2, 3, 3)), np.zeros((2, 3, 3))
    axes = [(1, 2), (2, 1), (2, 1)]
    assert xp.matmul(xp.asarray(x), xp.asarray(x), out=out, axes=axes) is out
    np.testing.assert_array_equal(xp.asnumpy(out) if xp is not np else out, np.matmul(x, x, out=want, axes=axes))
