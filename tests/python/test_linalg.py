# SPDX-License-Identifier: BSD-3-Clause
"""heddle.linalg against NumPy: values, identities, shapes, dtypes, layouts, empty matrices, errors."""

import inspect
import warnings

import numpy as np
import pytest
from common import needs_heddle, python, xp

LA, NLA = xp.linalg, np.linalg
DTYPES = ["f4", "f8", "c8", "c16", "i4", "u1", "?"]
INEXACT = ["f4", "f8", "c8", "c16"]
SQUARE = [(1, 1), (2, 2), (3, 3), (7, 7), (40, 40), (3, 4, 4), (2, 3, 5, 5), (0, 3, 3), (3, 0, 0),
          (0, 0)]
SHAPES = [(1, 1), (4, 2), (2, 4), (3, 3), (70, 9), (9, 70), (5, 3, 2), (2, 3, 4, 6), (0, 3, 2),
          (0, 4), (4, 0), (2, 0, 3)]


def matrix(shape, dtype, seed=0):
    """Well conditioned where it is square: the diagonal is large."""
    rng = np.random.default_rng([seed, *shape])
    a = rng.standard_normal(shape) + 1j * rng.standard_normal(shape)
    dtype = np.dtype(dtype)
    if dtype.kind in "iub":
        a = rng.integers(0, 2 if dtype.kind == "b" else 5, shape).astype(float)
        if dtype.kind == "b":
            return np.broadcast_to(np.tri(*shape[-2:]), shape).astype(bool)
    k = min(shape[-2:])
    a[..., range(k), range(k)] += 3 * np.sqrt(max(shape[-2:])) + 5 * (dtype.kind in "iu")
    return (a if dtype.kind == "c" else a.real).astype(dtype)


def hermitian(shape, dtype, seed=0):
    a = matrix(shape, dtype, seed)
    if a.dtype.kind == "b":
        return a | a.swapaxes(-1, -2)
    return a + a.conj().swapaxes(-1, -2)


def layouts(a):
    """The same matrix in memory in other ways."""
    yield a
    yield np.ascontiguousarray(a.swapaxes(-1, -2)).swapaxes(-1, -2)
    yield np.ascontiguousarray(a[..., ::-1, ::-1])[..., ::-1, ::-1]
    wide = np.zeros(a.shape[:-2] + (2 * a.shape[-2], 3 * a.shape[-1]), a.dtype)
    wide[..., ::2, ::3] = a
    yield wide[..., ::2, ::3]


def tolerance(dtype):
    return {"rtol": 2e-5, "atol": 2e-5} if np.dtype(dtype).char in "fF" else {"rtol": 1e-10,
        "atol": 1e-11}


def close(got, want):
    got, want = np.asarray(got), np.asarray(want)
    assert got.dtype == want.dtype
    assert got.shape == want.shape
    np.testing.assert_allclose(got, want, **tolerance(want.dtype))


def H(x):
    return x.conj().swapaxes(-1, -2)


def raises_alike(f, *args, **kwargs):
    """Heddle raises what NumPy raises; the message of Heddle's begins alike."""
    with pytest.raises(Exception) as want:
        f(NLA)(*args, **kwargs)
    with pytest.raises(type(want.value)) as got:
        f(LA)(*[xp.asarray(a) if isinstance(a, np.ndarray) else a for a in args], **kwargs)
    assert type(got.value) is type(want.value)
    assert str(got.value)[:15].lower() == str(want.value)[:15].lower()


def test_signatures__are_numpys():
    for name in NLA.__all__:
        ours, theirs = getattr(LA, name), getattr(NLA, name)
        if inspect.isclass(theirs) or name in ("test",
            "matmul"):   # matmul is heddle.matmul, which takes more
            continue
        a, b = inspect.signature(ours).parameters, inspect.signature(theirs).parameters
        assert [(p.name, p.kind) for p in a.values()] == [(p.name,
            p.kind) for p in b.values()], name
        for p in a.values():
            if p.name != "rtol":
                assert p.default == b[p.name].default, name


# ---- equations -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", SQUARE)
def test_solve_inv_det__as_numpy(shape, dtype):
    a = matrix(shape, dtype)
    x = xp.asarray(a)
    close(LA.inv(x), NLA.inv(a))
    close(LA.det(x), NLA.det(a))
    got, want = LA.slogdet(x), NLA.slogdet(a)
    close(got.sign, want.sign)
    close(got.logabsdet, want.logabsdet)
    for b in (matrix((*shape[:-1], 3), "f8", 1), matrix((shape[-1], 2), dtype, 2),
              matrix((*shape[:-1], 1), "c8", 4)):
        close(LA.solve(x, xp.asarray(b)), NLA.solve(a, b))
    b = np.arange(shape[-1]) + 1
    close(LA.solve(x, xp.asarray(b)), NLA.solve(a, b))


@pytest.mark.parametrize("dtype", ["f4", "f8", "c16", "i8"])
def test_layouts__all_the_same(dtype):
    a, b = matrix((3, 6, 6), dtype), matrix((3, 6, 2), "f8")
    for u, v in zip(layouts(a), layouts(b)):
        x = xp.asarray(u)
        close(LA.inv(x), NLA.inv(a))
        close(LA.solve(x, xp.asarray(v)), NLA.solve(a, b))
        close(LA.svdvals(x), NLA.svdvals(a))
        close(LA.qr(x).R, NLA.qr(a).R)
        close(LA.det(x[::-1]), NLA.det(a[::-1]))
    x = xp.broadcast_to(xp.asarray(a[0]), (4, 6, 6))
    close(LA.inv(x), NLA.inv(np.broadcast_to(a[0], (4, 6, 6))))


def test_solve__batches_broadcast():
    a, b = matrix((3, 1, 4, 4), "f8"), matrix((1, 5, 4, 2), "f8")
    close(LA.solve(xp.asarray(a), xp.asarray(b)), NLA.solve(a, b))
    close(LA.solve(xp.asarray(a[0, 0]), xp.asarray(b)), NLA.solve(a[0, 0], b))
    for b in (np.ones((4, 0)), np.ones((0, 4, 2))):
        close(LA.solve(xp.asarray(matrix((4, 4), "f4")), xp.asarray(b)),
              NLA.solve(matrix((4, 4), "f4"), b))


def test_many_small_matrices():
    a = matrix((3000, 3, 3), "f8")
    x = xp.asarray(a)
    close(LA.inv(x), NLA.inv(a))
    close(LA.det(x), NLA.det(a))
    close(LA.eigvalsh(x + x.mT), NLA.eigvalsh(a + a.swapaxes(1, 2)))
    a[1234] = 1
    with pytest.raises(LA.LinAlgError, match="Singular matrix"):
        LA.inv(xp.asarray(a))


def shuffled(shape, dtype, seed=0):
    """A matrix whose factorization exchanges rows all the way."""
    return matrix(shape, dtype, seed)[..., np.random.default_rng(seed).permutation(shape[-2]), :]


@pytest.mark.parametrize("dtype", INEXACT)
@pytest.mark.parametrize("shape",
                         [(15, 15), (16, 16), (17, 17), (70, 70), (2, 257, 257), (2, 1, 33, 33)])
def test_inv_solve__many_right_sides(shape, dtype):
    a = shuffled(shape, dtype)
    for u in layouts(a):
        close(LA.inv(xp.asarray(u)), NLA.inv(a))
    for k in (1, 15, 16, 40):
        b = matrix((*shape[:-1], k), dtype, k)
        close(LA.solve(xp.asarray(a), xp.asarray(b)), NLA.solve(a, b))
    for u, v in zip(layouts(a), layouts(b)):
        close(LA.solve(xp.asarray(u), xp.asarray(v)), NLA.solve(a, b))
    b = matrix((3, *(1 for _ in shape[:-2]), shape[-1], 20), dtype,
               5)     # one of them for all of a batch
    close(LA.solve(xp.asarray(a), xp.asarray(b)), NLA.solve(a, b))


@pytest.mark.parametrize("dtype", ["f4", "c16"])
@pytest.mark.parametrize("n", [20, 260])
def test_inv_solve__large_and_singular(n, dtype):
    a = shuffled((n, n), dtype)
    want = NLA.cond(a, 1)
    np.testing.assert_allclose(np.asarray(LA.cond(xp.asarray(a), 1)), want, rtol=1e-4)
    for bad in (0, n - 1):
        b = a.copy()
        b[:, bad] = 0
        for f in (LA.inv, lambda x: LA.solve(x, xp.ones((n, 20), dtype=dtype))):
            with pytest.raises(LA.LinAlgError, match="^Singular matrix$"):
                f(xp.asarray(b))
        both = np.stack([a, b])
        with pytest.raises(LA.LinAlgError, match="^Singular matrix"):
            LA.inv(xp.asarray(both))
        got = np.asarray(LA.cond(xp.asarray(both), 1))
        assert np.isinf(got[1])
        np.testing.assert_allclose(got[0], want, rtol=1e-4)
    both = np.stack([a, a])
    both[0, n // 2, n // 3] = a[n // 2, n // 3] = np.nan
    got = np.asarray(LA.inv(xp.asarray(both)))
    assert np.isnan(got[0]).any() and np.isfinite(got[1]).all()
    got = np.asarray(LA.det(xp.asarray(both)))
    assert np.isnan(got[0]) and not np.isnan(got[1])
    assert np.isnan(np.asarray(LA.inv(xp.asarray(a)))).any() and np.isnan(np.asarray(LA.slogdet(xp.asarray(a))[1]))
    assert np.isnan(np.asarray(LA.solve(xp.asarray(a), xp.ones((n, 20), dtype=dtype)))).any()


def test_pending_operands__are_computed_first():
    a = matrix((5, 5), "f8")
    x = xp.asarray(a) * 2 + 1
    close(LA.inv(x) * 3 - x, NLA.inv(a * 2 + 1) * 3 - (a * 2 + 1))
    y = xp.asarray(a)
    d = LA.det(y)          # waits in the window
    y[:] = 0               # and must see what y was
    close(d, NLA.det(a))
    q, r = LA.qr(xp.asarray(a))
    q += 1
    close(r, NLA.qr(a).R)
    close(q, NLA.qr(a).Q + 1)


def test_tensorsolve_tensorinv_matrix_power():
    a = matrix((24, 24), "f8").reshape(4, 6, 8, 3)
    b = matrix((4, 6), "f8")
    close(LA.tensorsolve(xp.asarray(a), xp.asarray(b)), NLA.tensorsolve(a, b))
    c = np.moveaxis(a, 2, 0)
    close(LA.tensorsolve(xp.asarray(c), xp.asarray(b), axes=(0, 3)),
          NLA.tensorsolve(c, b, axes=(0, 3)))
    close(LA.tensorinv(xp.asarray(a)), NLA.tensorinv(a))
    close(LA.tensorinv(xp.asarray(a.reshape(24, 8, 3)), ind=1),
          NLA.tensorinv(a.reshape(24, 8, 3), ind=1))
    for dtype in ("i8", "f4", "c16"):
        m = matrix((2, 3, 3), dtype)
        for n in (0, 1, 2, 3, 5, 8):
            close(LA.matrix_power(xp.asarray(m), n), NLA.matrix_power(m, n))
    close(LA.matrix_power(xp.asarray(m), -3), NLA.matrix_power(m, -3))


@pytest.mark.parametrize("dtype", ["f4", "f8", "c16", "i4"])
@pytest.mark.parametrize("shape", [(4, 4), (6, 3), (3, 6), (5, 1), (1, 5), (4, 0), (0, 3), (0, 0)])
def test_lstsq(shape, dtype):
    a = matrix(shape, dtype)
    for b in (matrix((shape[0], 2), "f8"), np.arange(shape[0]) + 1.0, np.zeros((shape[0], 0))):
        got, want = LA.lstsq(xp.asarray(a), xp.asarray(b)), NLA.lstsq(a, b)
        for x, y in zip(got, want):
            close(x, y)
    if min(shape) > 1:
        a[:, 1] = a[:, 0]   # not of full rank
        for rcond in (None, -1, 0.5):
            got, want = (m.lstsq(a, b[:0].sum() + np.ones(shape[0]), rcond=rcond) for m in (LA,
                NLA))
            for x, y in zip(got, want):
                close(x, y)


def test_lstsq__cutoff_that_is_no_fraction_is_the_machines():
    a, b = np.array([[3.0, 1.0], [1.0, 2.0], [0.0, 4.0]]), np.array([1.0, 2.0, 3.0])
    for rcond in (2, 1, 1.5, 0, -1, -0.5, float("inf"), 0.5, 0.99):
        for got, want in zip(LA.lstsq(xp.asarray(a), xp.asarray(b), rcond=rcond),
                             NLA.lstsq(a, b, rcond=rcond)):
            close(got, want)


def test_lstsq__nan_as_cutoff_drops_nothing():
    for n in (2, 40):
        a = np.diag(np.logspace(0, -30,
                                n))   # LAPACK's values are exact; those of a GPU need not be
        ours = LA.lstsq(xp.asarray(a, device="cpu"), xp.ones(n, device="cpu"), rcond=float("nan"))
        for got, want in zip(ours, NLA.lstsq(a, np.ones(n), rcond=np.nan)):
            close(got, want)


@needs_heddle
def test_lstsq__nan_as_cutoff_prints_nothing():
    done = python("import heddle as np; a = np.full((3, 2), 1e300)\n"
                  "print(np.linalg.lstsq(a, np.ones(3), rcond=float('nan'))[0].shape)")
    assert (done.stdout, done.stderr) == ("(2,)\n", "")


def test_eigh__nan_of_up_to_two_rows_is_nan():
    for a in (np.array([[1, np.nan], [np.nan, 1]]),
              np.array([[[2.0, 1], [1, 2]], [[1, np.inf], [np.inf, 1]]]), np.array([[np.nan]])):
        for dtype in ("f8", "f4", "c16"):
            x = a.astype(dtype)
            for got, want in zip((*LA.eigh(xp.asarray(x)), LA.eigvalsh(xp.asarray(x))),
                                 (*NLA.eigh(x), NLA.eigvalsh(x))):
                assert (np.isnan(np.asarray(got)) == np.isnan(want)).all()
    with pytest.raises(np.linalg.LinAlgError):
        LA.eigvalsh(xp.full((3, 3), np.nan))


# ---- decompositions --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", SQUARE)
def test_cholesky_eigh__identities(shape, dtype):
    a = hermitian(shape, dtype)
    x = xp.asarray(a)
    for uplo in "LU":
        w, v = LA.eigh(x, uplo)
        close(w, NLA.eigh(a, uplo).eigenvalues)
        close(LA.eigvalsh(x, uplo), NLA.eigvalsh(a, uplo))
        w, v = np.asarray(w), np.asarray(v)
        assert v.dtype == NLA.eigh(a).eigenvectors.dtype
        np.testing.assert_allclose(a @ v, v * w[..., None, :], rtol=1e-3,
                                   atol=1e-3 if v.dtype.char in "fF" else 1e-9)
    a = a + 40 * np.eye(shape[-1]).astype(a.dtype) if a.dtype.kind != "b" else np.broadcast_to(np.eye(shape[-1], dtype=bool), shape)
    for upper in (False, True):
        close(LA.cholesky(xp.asarray(a), upper=upper), NLA.cholesky(a, upper=upper))
    low = np.tril(a)   # only one triangle is read
    close(LA.cholesky(xp.asarray(low)), NLA.cholesky(a))
    close(LA.eigvalsh(xp.asarray(low)), NLA.eigvalsh(a))


@pytest.mark.parametrize("upper", [False, True])
@pytest.mark.parametrize("n", [1, 5, 40, 300])
def test_cholesky__nan(n, upper):
    for at in {(0, 0), (n - 1, 0), (n - 1, n - 1), (n // 2, n // 3)}:
        a = n * np.eye(n) + 0.5
        a[at] = a[at[::-1]] = np.nan
        got, want = np.asarray(LA.cholesky(xp.asarray(a), upper=upper)), NLA.cholesky(a,
            upper=upper)
        assert np.isnan(want).any() and np.isnan(got[np.isnan(want)]).all()
        assert not (np.tril(got, -1) if upper else np.triu(got, 1)).any()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", SHAPES)
def test_qr(shape, dtype):
    a = matrix(shape, dtype)
    x = xp.asarray(a)
    for mode in ("reduced", "complete"):
        (q, r), want = LA.qr(x, mode), NLA.qr(a, mode)
        close(q, want.Q)
        close(r, want.R)
        q, r = np.asarray(q), np.asarray(r)
        np.testing.assert_allclose(q @ r, a, **tolerance(q.dtype))
        np.testing.assert_allclose(H(q) @ q,
                                   np.broadcast_to(np.eye(q.shape[-1]),
                                       (*shape[:-2], q.shape[-1], q.shape[-1])),
                                   **tolerance(q.dtype))
    close(LA.qr(x, "r"), NLA.qr(a, "r"))
    for got, want in zip(LA.qr(x, "raw"), NLA.qr(a, "raw")):
        close(got, want)
    for mode in ("economic", "full"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            got, want = LA.qr(x, mode), NLA.qr(a, mode)
            for u, v in zip(got, want) if mode == "full" else [(got, want)]:
                close(u, v)
        with pytest.warns(DeprecationWarning):
            LA.qr(x, mode)


@pytest.mark.parametrize("dtype", ["f4", "f8", "c8", "c16"])
@pytest.mark.parametrize("shape",
                         [(300, 8, 8), (70, 1, 5), (70, 5, 1), (40, 33, 7), (40, 7, 33),
                          (9, 65, 64), (3, 2, 31, 32), (5, 100, 3)])
def test_qr__many_small(shape, dtype):
    a = matrix(shape, dtype)
    a[..., 0, :] *= shape[-2] <= shape[-1]     # where it leaves full rank
    a[1] *= 1e-30 if dtype in ("f4",
                               "c8") else 1e-200     # squares of elements are nothing, or too large
    a[2] *= 1e25 if dtype in ("f4", "c8") else 1e200
    for mode in ("reduced", "complete"):
        q, r = map(np.asarray, LA.qr(xp.asarray(a), mode))
        want = NLA.qr(a, mode)
        scale = np.abs(a).max(axis=(-2, -1), keepdims=True)
        close(xp.asarray(q[..., :min(shape[-2:])]), want.Q[..., :min(shape[-2:])])
        np.testing.assert_allclose(r / scale, want.R / scale, **tolerance(q.dtype))
        np.testing.assert_allclose(q @ (r / scale), a / scale, **tolerance(q.dtype))
        np.testing.assert_allclose(H(q) @ q,
                                   np.broadcast_to(np.eye(q.shape[-1]),
                                       (*shape[:-2], q.shape[-1], q.shape[-1])),
                                   **tolerance(q.dtype))
    b = a.copy()
    b[0, ..., -1, -1] = np.nan
    q, r = map(np.asarray, LA.qr(xp.asarray(b)))
    assert np.isnan(r[0]).any() and np.isfinite(r[1:]).all() and np.isfinite(q[1:]).all()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", SHAPES)
def test_svd(shape, dtype):
    a = matrix(shape, dtype)
    x = xp.asarray(a)
    for full in (True, False):
        (u, s, vh), want = LA.svd(x, full_matrices=full), NLA.svd(a, full_matrices=full)
        close(s, want.S)
        assert u.shape == want.U.shape and vh.shape == want.Vh.shape and u.dtype == want.U.dtype
        u, s, vh = np.asarray(u), np.asarray(s), np.asarray(vh)
        k = s.shape[-1]
        np.testing.assert_allclose((u[..., :k] * s[..., None, :]) @ vh[..., :k, :], a, rtol=1e-4,
                                   atol=1e-4 if u.dtype.char in "fF" else 1e-10)
        for m in (H(u) @ u, vh @ H(vh)):
            np.testing.assert_allclose(m, np.broadcast_to(np.eye(m.shape[-1]), m.shape),
                                       **tolerance(u.dtype))
    close(LA.svd(x, compute_uv=False), NLA.svd(a, compute_uv=False))
    close(LA.svdvals(x), NLA.svdvals(a))


@pytest.mark.parametrize("dtype", INEXACT)
@pytest.mark.parametrize("shape",
                         [(300, 8, 8), (70, 1, 5), (70, 5, 1), (9, 32, 7), (9, 7, 32), (9, 32, 32),
                          (7, 2, 31, 32), (7, 33, 3), (7, 1, 1)])
def test_svd__many_small(shape, dtype):
    a = matrix(shape, dtype)
    a[0] = 0
    a[1] *= 1e-30 if dtype in ("f4",
                               "c8") else 1e-200     # squares of elements are nothing, or too large
    a[2] *= 1e25 if dtype in ("f4", "c8") else 1e200
    a[3] = a[3, ..., :1, :]                                # of rank 1
    a[4] = np.eye(*shape[-2:])
    a[5, ..., -1] = a[5, ..., 0]
    scale = np.maximum(np.abs(a).max(axis=(-2, -1), keepdims=True), np.finfo(dtype).tiny)
    for full in (True, False):
        (u, s, vh), want = map(np.asarray, LA.svd(xp.asarray(a), full_matrices=full)), NLA.svd(a,
            full_matrices=full)
        assert u.shape == want.U.shape and vh.shape == want.Vh.shape and u.dtype == want.U.dtype
        assert (np.diff(s) <= 0).all() and (s >= 0).all()
        k = s.shape[-1]
        np.testing.assert_allclose(s / scale[..., 0], want.S / scale[..., 0], **tolerance(dtype))
        np.testing.assert_allclose((u[..., :k] * (s / scale[..., 0])[..., None, :]) @ vh[..., :k,
            :], a / scale, **tolerance(dtype))
        for m in (H(u) @ u, vh @ H(vh)):
            np.testing.assert_allclose(m, np.broadcast_to(np.eye(m.shape[-1]), m.shape),
                                       **tolerance(dtype))
    s = np.asarray(LA.svdvals(xp.asarray(a)))
    np.testing.assert_allclose(s / scale[..., 0], want.S / scale[..., 0], **tolerance(dtype))
    b = xp.asarray(a[6, ..., :, :].reshape(-1, *shape[-2:])[0])      # one alone
    np.testing.assert_allclose(np.asarray(LA.pinv(b)), NLA.pinv(np.asarray(b)), **tolerance(dtype))


@pytest.mark.parametrize("dtype", INEXACT)
@pytest.mark.parametrize("shape", [(1, 1), (5, 5), (2, 4, 4), (0, 0)])
def test_svd__hermitian(shape, dtype):
    a = hermitian(shape, dtype) - 8 * np.eye(shape[-1], dtype=dtype)
    (u, s, vh), want = LA.svd(xp.asarray(a), hermitian=True), NLA.svd(a, hermitian=True)
    close(s, want.S)
    close(LA.svd(xp.asarray(a), compute_uv=False, hermitian=True), want.S)
    assert u.dtype == want.U.dtype and vh.shape == want.Vh.shape
    u, vh = np.asarray(u), np.asarray(vh)
    np.testing.assert_allclose((u * np.asarray(s)[..., None, :]) @ vh, a, rtol=1e-4,
                               atol=1e-4 if u.dtype.char in "fF" else 1e-10)


def until_2_4(result, a):
    """What eig() or eigvals() of a real matrix gave until NumPy 2.4, and gives here: real numbers where all values are."""
    values = result.eigenvalues if isinstance(result, tuple) else result
    if a.dtype.kind == "c" or (values.imag != 0).any():
        return result
    return type(result)(*(x.real for x in result)) if isinstance(result, tuple) else result.real


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", SQUARE)
def test_eig(shape, dtype):
    for a in (matrix(shape, dtype), hermitian(shape, dtype),
              np.triu(matrix(shape, dtype)) - np.tril(matrix(shape, dtype), -1).astype(int)):
        (w, v), want = LA.eig(xp.asarray(a)), until_2_4(NLA.eig(a), a)
        assert w.dtype == want.eigenvalues.dtype and v.dtype == want.eigenvectors.dtype
        for got in (w, LA.eigvals(xp.asarray(a))):   # in no order
            assert got.dtype == want.eigenvalues.dtype
            got, values = (np.sort_complex(np.round(np.asarray(z), 4)) for z in (got,
                want.eigenvalues))
            np.testing.assert_allclose(got, values, rtol=1e-3, atol=2e-4)
        w, v = np.asarray(w), np.asarray(v)
        np.testing.assert_allclose(a @ v, v * w[..., None, :], rtol=1e-3,
                                   atol=1e-3 if v.dtype.char in "fF" else 1e-8)


def test_eig__pairs_and_real_ones():
    a = np.zeros((5, 5))
    a[:2, :2] = [[1, -2], [2, 1]]
    a[2, 2] = 7
    a[3:, 3:] = [[0, 3], [-1, 0]]
    w, v = (np.asarray(r) for r in LA.eig(xp.asarray(a)))
    np.testing.assert_allclose(a @ v, v * w, atol=1e-12)
    assert sorted(np.round(w, 9), key=lambda z: (z.real, z.imag)) == sorted(
        [1 + 2j, 1 - 2j, 7, np.round(3 ** 0.5, 9) * 1j, np.round(3 ** 0.5, 9) * -1j],
        key=lambda z: (z.real, z.imag))


# ---- by singular values, norms ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["f4", "f8", "c16", "i4"])
@pytest.mark.parametrize("shape", [(3, 3), (5, 2), (2, 5), (2, 3, 4), (0, 3), (3, 0)])
def test_pinv_rank_cond(shape, dtype):
    a = matrix(shape, dtype)
    x = xp.asarray(a)
    close(LA.pinv(x), NLA.pinv(a))
    close(LA.pinv(x, rtol=None), NLA.pinv(a, rtol=None)) if dtype != "i4" else None
    close(LA.pinv(x, rcond=0.3), NLA.pinv(a, rcond=0.3))
    close(LA.matrix_rank(x), NLA.matrix_rank(a))
    close(LA.matrix_rank(x, tol=1.0), NLA.matrix_rank(a, tol=1.0))
    close(LA.matrix_rank(x, rtol=0.4), NLA.matrix_rank(a, rtol=0.4))
    if 0 in shape:
        return raises_alike(lambda m: m.cond, a)
    for p in (None, 2, -2) + ((1, -1, np.inf, -np.inf, "fro") if shape[-1] == shape[-2] else ()):
        close(LA.cond(x, p), NLA.cond(a, p))
    a = np.ones_like(a)   # of rank 1
    close(LA.matrix_rank(xp.asarray(a)), NLA.matrix_rank(a))
    close(LA.pinv(xp.asarray(a)), NLA.pinv(a))
    assert np.all(np.asarray(LA.cond(xp.asarray(a))) > 1e6)


def test_rank_pinv__more():
    assert LA.matrix_rank(xp.ones(3)) == 1 and LA.matrix_rank(xp.zeros(3)) == 0 and LA.matrix_rank(3.0) == 1
    a = hermitian((2, 4, 4), "c16")
    close(LA.matrix_rank(xp.asarray(a), hermitian=True), NLA.matrix_rank(a, hermitian=True))
    close(LA.pinv(xp.asarray(a), hermitian=True), NLA.pinv(a, hermitian=True))
    close(LA.pinv(xp.asarray(a), rcond=xp.asarray([0.1, 0.5])),
          NLA.pinv(a, rcond=np.array([0.1, 0.5])))
    s = np.array([[[1.0, 2], [2, 4]], [[1, 0], [0, 1]], [[np.nan, 0], [0, 1]]])
    for p in (1, "fro"):
        close(LA.cond(xp.asarray(s), p), NLA.cond(s, p))
    with np.errstate(all="ignore"):
        assert np.isinf(np.asarray(LA.cond(xp.zeros((2, 2)))))


ORDERS = [None, 0, 1, 2, 3, -1, 0.5, np.inf, -np.inf, "fro", "nuc", -2]


@pytest.mark.parametrize("dtype", ["f4", "f8", "c8", "c16", "i2", "?"])
@pytest.mark.parametrize("shape", [(5,), (3, 4), (2, 3, 4), (1, 1)])
def test_norm(shape, dtype):
    a = matrix((1, *shape), dtype)[0] if len(shape) > 1 else matrix((*shape, 1), dtype)[:,
        0] + np.dtype(dtype).type(1)
    x = xp.asarray(a)
    for ord in ORDERS:
        for axis in (None, 0, -1, (0, 1), (-1, 0)):
            for keepdims in (False, True):
                with np.errstate(all="ignore"):
                    try:
                        want = NLA.norm(a, ord, axis, keepdims)
                    except Exception as e:
                        with pytest.raises(type(e)):
                            LA.norm(x, ord, axis, keepdims)
                        continue
                    got = np.asarray(LA.norm(x, ord, axis, keepdims))
                assert got.dtype == np.asarray(want).dtype and got.shape == np.shape(want), (ord,
                    axis)
                # a singular value that is 0 has the rounding error of the largest one
                rtol, small = (1e-5, 1e-6) if got.dtype.char == "f" else (1e-12, 1e-14)
                of_values = ord in (2, -2, "nuc") and not isinstance(axis, int)
                np.testing.assert_allclose(got, want, rtol,
                    small * np.abs(a).sum() if of_values else 1e-30)
                assert not np.any(np.signbit(got) & ~np.isnan(got))
    if len(shape) > 1:
        for ord in ("fro", 2, -2, 1, -1, np.inf, "nuc"):
            close(LA.matrix_norm(x, ord=ord, keepdims=True),
                  NLA.matrix_norm(a, ord=ord, keepdims=True))
    for axis in (None, 0, (0,), tuple(range(len(shape)))):
        for keepdims in (False, True):
            close(LA.vector_norm(x, axis=axis, ord=3, keepdims=keepdims),
                  NLA.vector_norm(a, axis=axis, ord=3, keepdims=keepdims))


def test_norm__empty_nan_inf():
    for a in (np.zeros((0, 3)), np.array([[1.0, np.nan]]), np.array([[np.inf, 1.0]]),
              np.zeros((3, 0))):
        for ord in (None, 1, np.inf, "fro"):
            close(LA.norm(xp.asarray(a), ord), NLA.norm(a, ord))


# ---- products --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["i4", "f4", "f8", "c16", "?"])
def test_products(dtype):
    a, b = matrix((3, 4, 5), dtype), matrix((4, 3, 2), dtype)
    x, y = xp.asarray(a), xp.asarray(b)
    for axes in (0, ([1, 0], [0, 1]), ([0], [1]), (0, 1), ((-2, 0), (0, -2)), ([], [])):
        close(xp.tensordot(x, y, axes), np.tensordot(a, b, axes))
        close(LA.tensordot(x, y, axes=axes), NLA.tensordot(a, b, axes=axes))
    close(xp.kron(x, y), np.kron(a, b))
    close(xp.kron(x[0], y), np.kron(a[0], b))
    close(xp.kron(x, y[0, 0]), np.kron(a, b[0, 0]))
    close(xp.kron(x, 3), np.kron(a, 3))
    close(LA.vecdot(x, x, axis=1), NLA.vecdot(a, a, axis=1))
    close(LA.outer(x[0, 0], y[0, :, 0]), NLA.outer(a[0, 0], b[0, :, 0]))
    if dtype == "?":
        return
    c, d = a[0, :, :3], b[:, :, 0]
    u, v = xp.asarray(c), xp.asarray(d)
    close(xp.cross(u, v), np.cross(c, d))
    close(LA.cross(u, v), NLA.cross(c, d))
    close(xp.cross(u.T, v, axisa=0, axisc=0), np.cross(c.T, d, axisa=0, axisc=0))
    close(xp.cross(u[0], v), np.cross(c[0], d))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for i, k in ((2, 3), (3, 2), (2, 2)):   # a third component of 0: NumPy 2.5 takes no others
            left, right = np.pad(c[:, :i], ((0, 0), (0, 3 - i))), np.pad(d[:, :k],
                ((0, 0), (0, 3 - k)))
            want = np.cross(left, right)
            close(xp.cross(u[:, :i], v[:, :k]), want[:, 2] if i == k == 2 else want)


def test_multi_dot():
    rng = np.random.default_rng(5)
    for sizes in ((3, 4), (10, 100, 5, 50), (30, 35, 15, 5, 10, 20, 25), (4, 1, 4, 1, 4)):
        a = [rng.standard_normal((m, n)) for m, n in zip(sizes, (*sizes[1:], 6))]
        x = [xp.asarray(m) for m in a]
        close(LA.multi_dot(x), NLA.multi_dot(a))
        close(LA.multi_dot([x[0][0], *x[1:]]), NLA.multi_dot([a[0][0], *a[1:]]))
        close(LA.multi_dot([x[0][0], *x[1:-1], x[-1][:, 0]]),
              NLA.multi_dot([a[0][0], *a[1:-1], a[-1][:, 0]]))
        out = xp.empty((sizes[0], 6))
        assert LA.multi_dot(x, out=out) is out
        close(out, NLA.multi_dot(a))


# ---- errors ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name",
                         ["inv", "det", "slogdet", "cholesky", "eigh", "eigvalsh", "eig",
                          "eigvals", "qr", "svd", "svdvals", "pinv"])
def test_shapes_and_dtypes__refused_as_numpy(name):
    f = lambda m: getattr(m, name)   # noqa: E731
    raises_alike(f, np.ones(3)) if name != "pinv" else None
    raises_alike(f, np.array(1.0)) if name != "pinv" else None
    if name not in ("qr", "svd", "svdvals", "pinv"):
        raises_alike(f, np.ones((2, 3)))
    raises_alike(f, np.ones((2, 2), "f2"))


@needs_heddle
def test_bfloat16__refused():
    with pytest.raises(TypeError, match="array type bfloat16 is unsupported in linalg"):
        LA.inv(xp.ones((2, 2), dtype=xp.bfloat16))


def test_errors__as_numpy():
    singular, ok = np.array([[1.0, 2], [2, 4]]), np.eye(2)
    batch = np.stack([ok, singular, ok])
    for a in (singular, batch, np.zeros((3, 3)), np.zeros((3, 3), "c8"), np.zeros((2, 2), int)):
        raises_alike(lambda m: m.inv, a)
        raises_alike(lambda m: m.solve, a, np.ones((a.shape[-1], 1)))
        raises_alike(lambda m: m.cholesky, -1 - abs(a))
    raises_alike(lambda m: m.solve, ok, np.ones(3))
    raises_alike(lambda m: m.solve, ok, np.ones((3, 2)))
    raises_alike(lambda m: m.solve, ok, np.array(1.0))
    raises_alike(lambda m: m.solve, np.ones((2, 3)), np.ones(2))
    with pytest.raises(ValueError, match="could not be broadcast"):
        LA.solve(xp.ones((3, 2, 2)), xp.ones((2, 2, 1)))
    raises_alike(lambda m: m.eigh, ok, "X")
    raises_alike(lambda m: m.qr, ok, "nonsense")
    raises_alike(lambda m: m.lstsq, np.ones((2, 2, 2)), np.ones(2))
    raises_alike(lambda m: m.lstsq, ok, np.ones(3))
    raises_alike(lambda m: m.matrix_rank, ok, tol=1, rtol=1)
    raises_alike(lambda m: m.pinv, ok, rcond=1, rtol=1)
    raises_alike(lambda m: m.matrix_power, ok, 1.5)
    raises_alike(lambda m: m.matrix_power, np.ones((2, 3)), 2)
    raises_alike(lambda m: m.tensorinv, ok, ind=0)
    raises_alike(lambda m: m.tensorsolve, np.ones((2, 3, 4)), np.ones(2))
    raises_alike(lambda m: m.multi_dot, [ok])
    raises_alike(lambda m: m.outer, ok, ok)
    raises_alike(lambda m: m.cross, ok, ok)
    raises_alike(lambda m: m.norm, ok, axis=(0, 0))
    raises_alike(lambda m: m.norm, np.ones((2, 2, 2)), 2)
    raises_alike(lambda m: m.norm, ok, axis='one')
    raises_alike(lambda m: m.tensordot, ok, np.ones((3, 2)), axes=1)
    for bad in (np.nan, np.inf):
        a = np.array([[1.0, bad], [0, 1]])
        raises_alike(lambda m: m.eig, a)
        raises_alike(lambda m: m.eigvals, a.astype("c16"))
    raises_alike(lambda m: m.svd, np.array([[np.nan, 1], [1, 2]]))


@needs_heddle
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("dtype", INEXACT)
def test_not_finite__ends_and_prints_nothing(bad, dtype, capfd):
    a = matrix((4, 4), dtype)
    a[2, 1] = bad
    x = xp.asarray(a)
    for f in (LA.eigh, LA.svd, LA.eig, LA.pinv, lambda a: LA.lstsq(a, xp.ones(4)),
              lambda a: LA.svd(a, hermitian=True)):
        with pytest.raises(LA.LinAlgError, match="did not converge|must not contain infs or NaNs"):
            f(x)
    close(LA.eigvalsh(x, "U"), NLA.eigvalsh(a, "U"))   # in the other triangle
    if bad != bad:
        with pytest.raises(LA.LinAlgError, match="^SVD did not converge$"):
            LA.svdvals(x)
    else:
        assert np.isnan(np.asarray(LA.svdvals(x))).all()
    b = np.ones(4)
    b[1] = bad
    got = LA.lstsq(xp.eye(4), xp.asarray(b))
    assert np.isnan(np.asarray(got[0])).any() and got[2] == 4
    for f in ("inv", "det", "slogdet", "qr"):
        getattr(LA, f)(x)
    assert capfd.readouterr() == ("", "")


def test_errors__leave_the_rest_alone():
    x = xp.asarray(np.eye(3)) * 2
    y = x + 1
    with pytest.raises(LA.LinAlgError, match="Singular"):
        LA.inv(x * 0)
    close(y, np.eye(3) * 2 + 1)
    close(LA.inv(x), np.eye(3) / 2)


@needs_heddle
def test_error__says_which_matrix():
    a = np.stack([np.eye(2)] * 5)
    a[3] = 0
    with pytest.raises(LA.LinAlgError, match=r"^Singular matrix \(matrix 3 of 5\)$"):
        LA.inv(xp.asarray(a))
    with pytest.raises(LA.LinAlgError, match=r"must be square: the shape is \(2, ?3\)"):
        LA.inv(xp.ones((2, 3)))


@needs_heddle
def test_watched_faults__lapacks_are_its_own():
    a = np.diag([1e-200, 1e200, 0.0])
    with xp.errstate(all="raise"):
        LA.svd(xp.asarray(a))
        LA.slogdet(xp.asarray(a))
        LA.qr(xp.asarray(a))
        LA.pinv(xp.asarray(a))
        LA.cond(xp.asarray(a))


def test_results__own_their_memory():
    w, v = LA.eigh(xp.asarray(hermitian((4, 4), "f8")))
    v[:] = 0
    w += 1
    close(w, NLA.eigvalsh(hermitian((4, 4), "f8")) + 1)
    assert not np.asarray(v).any()
    for r in (*LA.svd(xp.asarray(matrix((4, 3), "f4"))), *LA.qr(xp.asarray(matrix((4, 3), "c8")))):
        assert r.flags.c_contiguous and r.flags.writeable


def test_errors__go_to_the_thread_that_made_the_call():
    import threading
    wrong = []

    def work(seed):
        a = xp.asarray(matrix((3, 20, 20), "f8", seed))
        for _ in range(60):
            try:
                LA.inv(a + 1)
                LA.det(a)
            except LA.LinAlgError as e:
                wrong.append(e)
            try:
                LA.inv(a * 0)
                wrong.append("nothing raised")
            except LA.LinAlgError:
                pass

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong
