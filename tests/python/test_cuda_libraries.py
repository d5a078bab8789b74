# SPDX-License-Identifier: BSD-3-Clause
"""On a real GPU: what NVIDIA's libraries do, and the sliding window, where a size or a layout decides which way it goes.
Everything else about them is in the tests of the functions, which run on a GPU as they are."""

import numpy as np
import pytest

from common import xp
from gpu_common import on_a_gpu, on_the_gpu  # noqa: F401

pytestmark = on_a_gpu


def normal(*shape, dtype="f8"):
    rng = np.random.default_rng(shape)
    x = rng.standard_normal(shape)
    return (x + 1j * rng.standard_normal(shape) if np.dtype(dtype).kind == "c" else x).astype(dtype)


def near(got, want, bound):
    got, want = np.asarray(got), np.asarray(want)
    assert got.shape == want.shape and abs(got - want).max() <= bound * max(abs(want).max(), 1)


@pytest.mark.parametrize("dtype", ["f4", "f8", "c8", "c16"])
@pytest.mark.parametrize("shape", [(60, 60), (90, 40), (40, 90), (3, 50, 50)])
def test_svd__large_enough_for_the_polar_decomposition(shape, dtype):
    a = normal(*shape, dtype=dtype)
    for full in (False, True):
        u, s, vh = (np.asarray(r) for r in xp.linalg.svd(xp.asarray(a), full_matrices=full))
        k, eps = s.shape[-1], 1e-5 if a.dtype.char in "fF" else 1e-12
        near(u[..., :k] * s[..., None, :] @ vh[..., :k, :], a, 100 * eps)
        near(s, np.linalg.svd(a, compute_uv=False), 100 * eps)
        near(u.conj().swapaxes(-1, -2) @ u, np.broadcast_to(np.eye(u.shape[-1]), (*shape[:-2], *2 * u.shape[-1:])), 100 * eps)


def test_svd__of_a_singular_matrix():
    for a in (np.ones((50, 50)), np.zeros((50, 50)), np.diag([1.0] * 25 + [0.0] * 25)):
        u, s, vh = (np.asarray(r) for r in xp.linalg.svd(xp.asarray(a)))
        near(u * s @ vh, a, 1e-12)
        near(s, np.linalg.svd(a, compute_uv=False), 1e-12)


def test_lu__one_by_one_and_all_at_once():
    for shape in ((5, 256, 256), (3, 257, 257)):
        a, b = normal(*shape), normal(*shape[:-1], 3)
        near(xp.linalg.solve(xp.asarray(a), xp.asarray(b)), np.linalg.solve(a, b), 1e-8)
        near(xp.linalg.slogdet(xp.asarray(a))[1], np.linalg.slogdet(a)[1], 1e-10)


def test_matmul__half_types_are_summed_in_float32():
    a, b = normal(64, 4096, dtype="f2"), normal(4096, 48, dtype="f2")
    near(xp.asarray(a) @ xp.asarray(b), (a.astype("f4") @ b.astype("f4")).astype("f2"), 2e-3)


def test_matmul__tf32_on_request():
    a = normal(512, 512, dtype="f4")
    x, want = xp.asarray(a), a.astype("f8") @ a
    plain = abs(np.asarray(x @ x) - want).max()
    xp.config.matmul_precision = "tf32"
    try:
        rounded = np.asarray(x @ x)
    finally:
        xp.config.matmul_precision = "ieee"
    assert plain < 1e-3 and abs(rounded - want).max() < 1
    assert np.array_equal(np.asarray(x @ x), np.asarray(x @ x))


@pytest.mark.parametrize("dtype", ["f4", "f8", "c8", "c16"])
def test_fft__lines_that_need_several_calls(dtype):
    x = normal(3, 5, 7, 5, dtype=dtype)
    for axis in range(4):
        for y in (x, x.transpose(2, 0, 3, 1), x[:, ::-1], x[..., 1:]):
            bound = 1e-5 if x.dtype.char in "fF" else 1e-13
            near(xp.fft.fft(xp.asarray(y), axis=axis), np.fft.fft(y, axis=axis), bound)
            near(xp.fft.irfft(xp.asarray(y), 7, axis=axis), np.fft.irfft(y, 7, axis=axis), bound)
            if x.dtype.kind == "f":
                near(xp.fft.rfft(xp.asarray(y), axis=axis), np.fft.rfft(y, axis=axis), bound)
    near(xp.fft.fftn(xp.asarray(x)), np.fft.fftn(x), 1e-4 if x.dtype.char in "fF" else 1e-12)


@pytest.mark.parametrize("rows, columns", [(1, 1), (15, 16), (31, 33), (61, 5)])
def test_windows_of_several_pieces(rows, columns):
    x, y = normal(80, 150), normal(rows, columns)
    want = np.zeros((80 + rows - 1, 150 + columns - 1))
    for k in range(rows):
        for m in range(columns):
            want[k:k + 80, m:m + 150] += y[k, m] * x
    from heddle.scipy import signal
    near(signal.convolve2d(xp.asarray(x), xp.asarray(y)), want, 1e-12)
    near(xp.convolve(xp.asarray(x[0]), xp.asarray(y[:, 0])), np.convolve(x[0], y[:, 0]), 1e-12)
