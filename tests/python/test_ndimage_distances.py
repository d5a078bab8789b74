# SPDX-License-Identifier: BSD-3-Clause
"""heddle.scipy.ndimage's distances beside SciPy's."""

import numpy as np
import pytest
from ndimage_common import compare, needs_heddle, ours, theirs, xp

pytestmark = needs_heddle
RNG = np.random.default_rng(71)


def check(a, sampling=None):
    compare("distance_transform_edt", a, sampling)
    distances, indices = ours.distance_transform_edt(xp.array(a), sampling, return_indices=True)
    indices = np.asarray(indices)
    assert indices.dtype == np.int32 and indices.shape == (a.ndim, *a.shape)
    if a.size and not a.all():          # which of equally near ones it is, is open
        assert not a[tuple(indices)].any()
        step = np.reshape(1.0 if sampling is None else sampling, [-1] + [1] * a.ndim)
        away = (indices - np.indices(a.shape)) * step
        assert np.allclose(np.sqrt((away**2).sum(0)), np.asarray(distances), rtol=1e-12)
    else:
        same = theirs.distance_transform_edt(a, sampling, return_indices=True)[1]
        assert np.array_equal(same, indices)


@pytest.mark.parametrize("shape", ((1,), (40,), (1, 9), (9, 1), (17, 23), (200, 170), (7, 8, 9), (5, 4, 3, 6), (0, 3), (0,)))
def test_distances(shape):
    for share in (0.0, 0.3, 0.9, 0.997, 1.0):
        check(RNG.random(shape) < share)
    check(RNG.integers(0, 3, shape))
    check(RNG.random(shape) < 0.8, list(RNG.random(len(shape)) + 0.3))
    check(RNG.random(shape) < 0.8, 2.5)


def test_far_ones():
    for shape in ((300, 7), (7, 300), (130, 141), (3, 90, 80)):
        for n in (1, 2, 5):
            a = np.ones(shape, bool)
            for _ in range(n):
                a[tuple(RNG.integers(0, k) for k in shape)] = False
            check(a)
            check(a, [0.7, 1.9, 0.4][:a.ndim])
    y, x = np.ogrid[:180, :190]
    check((y - 80)**2 + (x - 100)**2 < 78**2)


def test_outputs_and_refusals():
    a = RNG.random((8, 9)) < 0.7
    x = xp.array(a)
    want = theirs.distance_transform_edt(a)
    distances, indices = xp.zeros((8, 9)), xp.zeros((2, 8, 9), "i4")
    assert ours.distance_transform_edt(x, distances=distances, indices=indices, return_indices=True) is None
    assert np.array_equal(np.asarray(distances), want) and indices.any()
    only = ours.distance_transform_edt(x, return_distances=False, return_indices=True)
    assert np.array_equal(np.asarray(only), np.asarray(indices))
    small = np.asarray(ours.distance_transform_edt(x, float64_distances=False, block_params=(1, 1, 1)))
    assert small.dtype == np.float32 and np.array_equal(small, want.astype("f4"))
    compare("distance_transform_edt", np.array(3))
    compare("distance_transform_edt", a, return_distances=False)
    compare("distance_transform_edt", a, [1, 2, 3])
    for wrong in ({"distances": xp.zeros(3)}, {"distances": xp.zeros((8, 9), "f4")}, {"indices": indices},
                  {"indices": xp.zeros((2, 8, 9)), "return_indices": True},
                  {"distances": distances, "return_distances": False, "return_indices": True}):
        with pytest.raises(RuntimeError):
            ours.distance_transform_edt(x, **wrong)
