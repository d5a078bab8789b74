# SPDX-License-Identifier: BSD-3-Clause
"""heddle.scipy.ndimage's Fourier filters beside SciPy's."""

import numpy as np
import pytest
from ndimage_common import compare, needs_heddle, ours, xp

pytestmark = needs_heddle
RNG = np.random.default_rng(21)
DTYPES = ("f4", "f8", "c8", "c16", "i4", "u1", "?")
SHAPES = ((8,), (7,), (1,), (6, 7), (1, 5), (4, 5, 6), (0,), (3, 0))


def image(shape, dtype):
    a = RNG.standard_normal(shape) * 5 + 1j * RNG.standard_normal(shape)
    return (a if np.dtype(dtype).kind == "c" else np.abs(a.real)).astype(dtype)


@pytest.mark.parametrize("name", ("fourier_gaussian", "fourier_uniform", "fourier_ellipsoid",
                                  "fourier_shift"))
@pytest.mark.parametrize("dtype", DTYPES)
def test_filters(name, dtype):
    for shape in SHAPES:
        if 0 in shape and name == "fourier_ellipsoid" and np.dtype(dtype).kind == "c":
            continue
        a = image(shape, dtype)
        compare(name, a, 1.7)
        compare(name, a, [0.5, 3.1, 2.2][:len(shape)])
        compare(name, a, 2, n=9, axis=0)
        compare(name, a, 2, n=5)
        compare(name, a, 0)


def test_large_ellipsoids():
    a = np.ones((40, 41))
    for size in (0.1, 1, 3, 7, 10, 11.2, 13, 60, 400, (30.5, 3), (2.5, 900)):
        compare("fourier_ellipsoid", a, size, tolerance=1e-13)


@pytest.mark.parametrize("output", ("f4", "f8", "c8", "c16", "i4"))
def test_output(output):
    for name in ("fourier_gaussian", "fourier_shift"):
        for dtype in ("f8", "f4"):
            compare(name, image((4, 5), dtype), 1.2, output=np.dtype(output).type)


def test_output_array():
    a = image((4, 5), "f8")
    out = xp.zeros((4, 5), "f4")
    assert ours.fourier_gaussian(xp.array(a), 1, output=out) is out and out.any()
    with pytest.raises(RuntimeError, match="shape"):
        ours.fourier_uniform(xp.array(a), 1, output=xp.zeros(3))


def test_refusals():
    compare("fourier_ellipsoid", np.ones((2, 2, 2, 2)), 1)
    compare("fourier_gaussian", np.ones((2, 2)), [1, 2, 3])
    compare("fourier_shift", np.ones((2, 2)), 1, axis=4)
