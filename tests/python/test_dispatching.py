# SPDX-License-Identifier: BSD-3-Clause
"""NumPy's functions of our arrays: those that heddle has are heddle's, and write to our arrays."""
import numpy as np
import pytest

from common import needs_heddle, xp

OURS = [
    "np.concatenate([x, x])", "np.stack([x, x])", "np.vstack([x, x])", "np.where(x > 1, x, 0)",
    "np.sum(x, axis=0)", "np.mean(x, axis=1)", "np.std(x, axis=0)", "np.median(x, axis=0)",
    "np.cumsum(x)", "np.sort(x)", "np.argsort(x, axis=0)", "np.unique(x)", "np.dot(x, x)",
    "np.einsum('ij,jk->ik', x, x)", "np.tensordot(x, x, 1)", "np.linalg.inv(x + 9 * np.eye(3))",
    "np.linalg.solve(x + 9 * np.eye(3), x[0])", "np.linalg.qr(x)", "np.fft.fft(x)",
    "np.fft.rfft2(x)", "np.fft.fftshift(x)", "np.transpose(x)", "np.reshape(x, -1)",
    "np.roll(x, 1)", "np.flip(x, 0)", "np.pad(x, 1)", "np.tile(x, 2)", "np.repeat(x, 2)",
    "np.diff(x)", "np.gradient(x)", "np.interp(x, [0., 9], [0., 1])", "np.histogram(x)",
    "np.percentile(x, [5, 50], axis=0)", "np.clip(x, 1, 5)", "np.insert(x, 0, 1, axis=0)",
    "np.delete(x, 0, axis=0)", "np.take_along_axis(x, np.argsort(x), 1)", "np.nanmax(x, axis=0)",
    "np.isin(x, [1., 2])", "np.outer(x, x)", "np.kron(x, x)", "np.cov(x)", "np.trace(x)",
    "np.diag(x)", "np.split(x, 3)", "np.broadcast_to(x, (2, 3, 3))", "np.nonzero(x)",
    "np.searchsorted(x[0], 1)", "np.apply_along_axis(sum, 0, x)", "np.linalg.svd(x)[1]",
    "np.linalg.norm(x, axis=0)", "np.convolve(x[0], x[1])", "np.round(x, 1)",
    "np.bincount(x[0].astype(int))",
]


def flat(r):
    return [a for item in r for a in flat(item)] if isinstance(r, (list, tuple)) else [r]


@needs_heddle
@pytest.mark.parametrize("text", OURS)
def test_function__is_ours(text):
    plain = np.arange(9.0).reshape(3, 3) % 5
    got, want = eval(text, {"np": np, "x": xp.asarray(plain)}), eval(text, {"np": np, "x": plain})
    got, want = flat(got), flat(want)
    assert len(got) == len(want)
    for a, b in zip(got, want):
        assert isinstance(a, (xp.ndarray, np.generic)) and a.shape == b.shape and a.dtype == b.dtype
        np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-12)


# By these libraries get an array that C code can take, or ask about one.
NUMPYS = [
    "np.zeros_like(x)", "np.empty_like(x).shape", "np.ones_like(x)", "np.full_like(x, 2)",
    "np.copy(x)", "np.asarray(x)", "np.atleast_2d(x)", "np.shape(x)", "np.ndim(x)", "np.size(x)",
    "np.result_type(x, 1.0)", "np.array2string(x)", "np.iscomplexobj(x)",
    "np.can_cast(x.dtype, 'f4')", "np.min_scalar_type(x)", "np.array_repr(x)",
]


@needs_heddle
@pytest.mark.parametrize("text", NUMPYS)
def test_function__is_numpys(text):
    got, want = (eval(text, {"np": np, "x": m.arange(6.0)}) for m in (xp, np))
    assert type(got) is type(want) and np.shape(got) == np.shape(want)


@needs_heddle
def test_targets__of_numpys_functions_may_be_ours():
    x = xp.arange(4.0)
    np.place(x, x > 2, 9)
    np.putmask(x, x < 1, 7)
    np.copyto(x, 5, where=x == 1)
    np.put(x, [2], -1)
    assert x.tolist() == [7, 5, -1, 9]
    out = xp.zeros((2, 2))
    assert np.dot(xp.eye(2), xp.eye(2), out=out) is out and out.tolist() == [[1, 0], [0, 1]]
    out = xp.zeros(())
    assert np.percentile(x, 50, out=out) is out and out == 6
    np.add.at(x, [0, 0], 1)
    assert x[0] == 9
    plain = np.zeros(3)
    np.add.at(plain, np.array([0, 1, 2]), xp.arange(3.0))
    assert plain.tolist() == [0, 1, 2]


class Other:
    """An array of another library."""

    def __array_function__(self, function, types, args, kwargs):
        return "asked"


@needs_heddle
def test_others__are_asked():
    x = xp.ones(2)
    assert np.concatenate([x, Other()]) == "asked" and np.concatenate([Other(), x]) == "asked"
    masked = np.ma.masked_array([1.0, 2], [0, 1])
    assert isinstance(np.concatenate([x, masked]), np.ma.MaskedArray)
    texts = np.concatenate([x, ["a"]])
    assert type(texts) is np.ndarray and texts.tolist() == ["1.0", "1.0", "a"]


@needs_heddle
def test_optimisers__take_our_gradients():
    """What SciPy hands to C is an array of NumPy's."""
    minimize = pytest.importorskip("scipy.optimize").minimize
    a = xp.asarray([3.0, 1, 2])
    for method in ("L-BFGS-B", "BFGS", "CG", "TNC", "SLSQP"):
        r = minimize(lambda p: (xp.sum((xp.asarray(p) - a) ** 2), 2 * (xp.asarray(p) - a)),
                     np.zeros(3), jac=True, method=method)
        np.testing.assert_allclose(r.x, [3, 1, 2], atol=1e-5)
