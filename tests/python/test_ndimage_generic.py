# SPDX-License-Identifier: BSD-3-Clause
"""heddle.scipy.ndimage's filters by functions of the caller's beside SciPy's, and by CuPy's kernels."""

import numpy as np
import pytest
from ndimage_common import compare, needs_heddle, ours, same, theirs, xp

pytestmark = needs_heddle
RNG = np.random.default_rng(61)
IMAGES = {"f8": RNG.standard_normal((5, 6)), "u1": RNG.integers(0, 99, (5, 4)).astype("u1"),
          "line": RNG.standard_normal(9),
          "box": RNG.standard_normal((3, 4, 2)), "none": np.zeros((0, 3)), "?": RNG.random((4, 5)) > 0.5}
MODES = ("reflect", "constant", "nearest", "mirror", "wrap")


@pytest.mark.parametrize("image", IMAGES)
def test_functions_of_elements(image):
    a = IMAGES[image]
    n = a.ndim
    cross = theirs.generate_binary_structure(n, 1)

    def weighed(v, factor, shift=0):
        return v[0] * factor + v[-1] + shift

    for mode in MODES:
        compare("generic_filter", a, lambda v: v.max(), 3, mode=mode, cval=2)
        compare("generic_filter", a, lambda v: v.sum() / 7, footprint=cross, mode=mode, cval=2)
        compare("generic_filter", a, weighed, (2, 3, 1)[:n], mode=mode, extra_arguments=(2,),
                extra_keywords={"shift": 0.5},
                origin=-1 if n == 1 else 0)
    compare("generic_filter", a, lambda v: 2.7, 2, output="f4")
    compare("generic_filter", a, lambda v: v.min(), (3,), axes=(0,))


@pytest.mark.parametrize("image", IMAGES)
def test_functions_of_lines(image):
    a = IMAGES[image]

    def differences(line, result, factor=1):
        result[...] = (line[2:] - line[:-2]) * factor

    for mode in MODES:
        for axis in range(a.ndim):
            if image != "?":
                compare("generic_filter1d", a.astype("i4") if image == "u1" else a, differences,
                        3, axis, mode=mode, cval=3)
            compare("generic_filter1d", a, lambda line, result: result.__setitem__(slice(None), line[:result.size]), 4, axis, mode=mode, origin=1)
    compare("generic_filter1d", a.astype("f8"), differences, 3, extra_arguments=(3,), output="f4")


def test_refusals():
    a = IMAGES["f8"]
    compare("generic_filter", a * 1j, max, 3)
    compare("generic_filter", a, max)
    compare("generic_filter", a, max, 3, origin=2)
    compare("generic_filter", a, max, footprint=np.ones(3))
    compare("generic_filter", a, max, 3, mode="odd")
    compare("generic_filter1d", a, max, 0)
    compare("generic_filter1d", a, max, 3, origin=2)
    compare("generic_filter1d", a, max, 3, axis=7)
    compare("generic_filter1d", a * 1j, max, 3)

    def failing(*_):
        raise KeyError("mine")
    with pytest.raises(KeyError, match="mine"):     # SciPy's is a SystemError that tells of it
        ours.generic_filter(xp.array(a), failing, 3)
    with pytest.raises(KeyError, match="mine"):
        ours.generic_filter1d(xp.array(a), failing, 3)


def test_kernels():
    import heddle.cupy as cp
    a = RNG.standard_normal((20, 31))
    root = cp.ReductionKernel("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0", "length")
    same(ours.generic_filter(xp.array(a), root, (3, 2)), theirs.generic_filter(a, lambda v: np.sqrt((v * v).sum()), (3, 2)), 1e-12)
    wide = cp.ReductionKernel("float64 x", "float64 y", "x", "max(a, b)", "y = a", "-1e300",
                              "largest")
    small = a.astype("f4")
    same(ours.generic_filter(xp.array(small), wide, 3), theirs.generic_filter(small, np.max, 3), 0)
    raw = cp.RawKernel("""
extern "C" __global__ void spread(double *around, int n, double *result)
{
    double low = around[0], high = around[0];
    for (int i = 1; i < n; i++) {
        low = around[i] < low ? around[i] : low;
        high = around[i] > high ? around[i] : high;
    }
    *result = high - low;
}
""", "spread")
    same(ours.generic_filter(xp.array(a), raw, 3, mode="wrap"), theirs.generic_filter(a, np.ptp, 3, mode="wrap"), 1e-12)
    lines = cp.RawKernel("""
extern "C" __global__ void ahead(double *line, ptrdiff_t n, double *result, ptrdiff_t m)
{
    for (ptrdiff_t i = 0; i < m; i++)
        result[i] = line[i + 2] - line[i];
}
""", "ahead")
    for axis in (0, 1):
        same(ours.generic_filter1d(xp.array(a), lines, 3, axis),
             theirs.generic_filter1d(a, lambda line, result: np.subtract(line[2:], line[:-2], result), 3, axis), 1e-12)
