# SPDX-License-Identifier: BSD-3-Clause
"""heddle.scipy.ndimage's splines by themselves: they go through the values that they are made of, near the edges of
short axes too, where SciPy before 1.18 has other coefficients in the mode "reflect"."""

import numpy as np
import pytest
from ndimage_common import needs_heddle, ours, xp

pytestmark = needs_heddle
RNG = np.random.default_rng(52)


@pytest.mark.parametrize("order", (2, 3, 4, 5))
@pytest.mark.parametrize("mode", ("reflect", "grid-mirror", "mirror", "grid-wrap"))
def test_splines_go_through_their_values(mode, order):
    for n in (2, 3, 4, 5, 7, 12, 63, 64, 65, 100):
        a = RNG.standard_normal((n, 3))
        c = ours.spline_filter1d(xp.asarray(a), order, 0, mode=mode)
        for j in range(3):
            got = ours.map_coordinates(c[:, j], [range(n)], order=order, mode=mode, prefilter=False)
            np.testing.assert_allclose(np.asarray(got), a[:, j], rtol=0, atol=1e-11)
