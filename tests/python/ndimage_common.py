# SPDX-License-Identifier: BSD-3-Clause
"""What the tests of heddle.scipy.ndimage share: one call in both libraries, and comparison of what they answer."""

import numpy as np
import pytest

from common import needs_heddle, xp

theirs = pytest.importorskip("scipy.ndimage")
ours = pytest.importorskip("heddle.scipy.ndimage")
__all__ = ["compare", "needs_heddle", "ours", "same", "theirs", "xp"]


def _answer(module, name, args, kwargs):
    try:
        return getattr(module, name)(*args, **kwargs)
    except Exception as e:
        return e


def _to_ours(value):
    if isinstance(value, np.ndarray) and value.dtype != object:
        return xp.array(value)
    return value


def _told(value):
    """An argument in an error's text: of large arrays their shape."""
    if isinstance(value, np.ndarray) and value.size > 9:
        return f"{value.dtype} {value.shape}"
    return value


def same(got, want, tolerance=None, where=""):
    """Equal values, dtypes and shapes, inside tuples, lists and dicts too."""
    if isinstance(want, (tuple, list)):
        assert type(got) is type(want) and len(got) == len(want), (where, got, want)
        for g, w in zip(got, want):
            same(g, w, tolerance, where)
        return
    if isinstance(want, dict):
        assert list(got) == list(want), (where, got, want)
        for key in want:
            same(got[key], want[key], tolerance, where)
        return
    if want is None or isinstance(want, (slice, str)):
        assert got == want, (where, got, want)
        return
    if isinstance(want, np.ndarray) and want.dtype == object:
        assert got.shape == want.shape, (where, got, want)
        for g, w in zip(got.ravel(), want.ravel()):
            same(g, w, tolerance, where)
        return
    got, want = np.asarray(got), np.asarray(want)
    assert got.dtype == want.dtype and got.shape == want.shape, (where, got.dtype, want.dtype,
                                                                 got.shape, want.shape)
    if want.dtype.kind in "?" or tolerance == 0 or want.dtype.kind in "iu" and tolerance is None:
        assert np.array_equal(got, want, equal_nan=want.dtype.kind in "fc"), (where, got, want)
        return
    if want.dtype.kind in "iu":         # rounded sums beside a half may fall either way
        assert np.mean(got != want) < 0.05 and np.abs(got.astype(float) - want).max(initial=0) in (0, 1, 255, 65535), (where, got, want)
        return
    if tolerance is None:
        tolerance = {"f2": 2e-3, "f4": 2e-6, "c8": 2e-6}.get(want.dtype.str[1:], 1e-12)
    scale = np.abs(want[np.isfinite(want)]).max(initial=1.0)
    assert np.allclose(got, want, rtol=tolerance, atol=tolerance * scale, equal_nan=True), (where, got, want)


def compare(name, *args, tolerance=None, module=theirs, **kwargs):
    """Calls the function of that name of both with copies of the arguments; returns SciPy's answer."""
    def copies(turn):
        copied = [a.copy(order="K") if isinstance(a, np.ndarray) else a for a in args]
        return [turn(a) for a in copied], {k: turn(v.copy(order="K") if isinstance(v, np.ndarray) else v) for k, v in kwargs.items()}
    want = _answer(module, name, *copies(lambda a: a))
    got = _answer(ours, name, *copies(_to_ours))
    where = (name, [_told(a) for a in args], {k: _told(v) for k, v in kwargs.items()})
    if isinstance(want, Exception):
        assert isinstance(got, type(want)), (where, got, want)
        return want
    assert not isinstance(got, Exception), (where, got, want)
    same(got, want, tolerance, where)
    return want
