# SPDX-License-Identifier: BSD-3-Clause
"""Grids, index expressions, flat positions, diagonals and triangles against NumPy."""

import numpy as np
import pytest
from hypothesis import given as draws
from hypothesis import strategies as st

from common import DTYPES, layouts, xp
from manip_common import SHAPES, cases, check, check_text, ordinary

X = np.arange(12.0).reshape(3, 4)

GRIDS = cases("""
    m.meshgrid([1, 2, 3], [4, 5])
    m.meshgrid([1, 2, 3], [4, 5], indexing='ij')
    m.meshgrid([1, 2, 3], [4, 5], sparse=True)
    m.meshgrid()
    m.meshgrid([1.5, 2], [4, 5], [7], sparse=True, indexing='ij')
    m.meshgrid([1, 2], [3], [4, 5, 6])
    m.meshgrid(3)
    m.meshgrid([], [1, 2])
    m.meshgrid([1, 2], [3, 4], copy=False)
    m.meshgrid(x, [1])
    m.meshgrid([1], indexing='q')
    m.indices((2, 3))
    m.indices((2, 3), sparse=True)
    m.indices((3,), dtype='f4')
    m.indices(())
    m.indices((2, 0))
    m.indices((2, -1))
    m.fromfunction(lambda i, j: i * 10 + j, (2, 3))
    m.fromfunction(lambda i, j: i == j, (3, 3), dtype=int)
    m.fromfunction(lambda i, k: i + k, (3,), k=4)
    m.ix_([0, 2], [1, 3])
    x[m.ix_([0, 2], [1, 3])]
    m.ix_([True, False, True], [2])
    m.ix_([], [1])
    m.ix_([[1]])
    m.ix_()
    m.ix_([1.5])
    m.mgrid[0:5, 0:3]
    m.mgrid[0:5]
    m.mgrid[:2:.5, 1:3]
    m.mgrid[-1:1:5j]
    m.mgrid[-1:1:5j, 0:3:2]
    m.mgrid[0:1:1j]
    m.mgrid[3:0]
    m.mgrid[0:2, 5:3]
    m.mgrid[5:0:-2, 0:2]
    m.ogrid[0:5, 0:3]
    m.ogrid[-1:1:5j, 0:3:2]
    m.ogrid[0:5]
    m.ogrid[0:2:.1, 0:1]
    m.mgrid[0:5:2.]
    m.r_[1, 2, 3]
    m.r_[1:4, 0, 4]
    m.r_[x[0], 0, x[1]]
    m.r_[-1:1:6j, [0] * 3, 5, 6]
    m.r_['-1', x, x]
    m.r_['0,2', [1, 2, 3], [4, 5, 6]]
    m.r_['0,2,0', [1, 2, 3], [4, 5, 6]]
    m.r_['1,2,0', [1, 2, 3], [4, 5, 6]]
    m.r_['0,3,1', [1, 2], [3, 4]]
    m.r_['q', 1]
    m.r_[1, '0', 2]
    m.r_[x, x]
    m.r_[1:3, 2.5]
    m.r_[m.arange(3).astype('i1'), 2]
    m.r_[True, 1]
    m.r_[2j, 1]
    m.r_['0,2,-1', 1:4, [3, 4, 5]]
    m.r_[()]
    m.c_[m.array([1, 2, 3]), m.array([4, 5, 6])]
    m.c_[x, x]
    m.c_[m.array([[1, 2, 3]]), 0, 0, m.array([[4, 5, 6]])]
    m.c_[1:3]
    m.c_[0:1:3j, 0:3]
    m.logspace(0, 3, 4)
    m.logspace(0, 3, 4, endpoint=False)
    m.logspace(0, 3, 4, base=2)
    m.logspace([0, 1], [2, 3], 3)
    m.logspace(0, 1, 0)
    m.logspace(0, 3, 4, base=[2, 3], axis=-1)
    m.logspace(0, 3, 5, dtype='i4')
    m.logspace([0, 1], 2, 3, axis=1)
    m.logspace(0, 1, -1)
    m.geomspace(1, 1000, 4)
    m.geomspace(1000, 1, 4)
    m.geomspace(-1000, -1, 4)
    m.geomspace(1, 256, 9, dtype=int)
    m.geomspace(0, 1)
    m.geomspace(1, 8, 3, endpoint=False)
    m.geomspace(1j, 1000j, 4)
    m.geomspace([1, 2], [10, 20], 3)
    m.geomspace([1, 2], 16, 3, axis=1)
    m.geomspace(1, 2, 1)
    m.geomspace(1, 2, 0)
    m.geomspace(2, 4, 5, dtype='f4')
""")


@pytest.mark.parametrize("text", GRIDS)
def test_grids__cases(text):
    check_text(text, near="space" in text, x=X)


def test_index_expressions():
    for space in (xp.s_, np.s_):
        assert space[1:3, ..., None] == (slice(1, 3), Ellipsis, None) and space[2] == 2
    for space in (xp.index_exp, np.index_exp):
        assert space[1:3] == (slice(1, 3),) and space[1, 2] == (1, 2)
    got, want = list(xp.ndenumerate(xp.array(X))), list(np.ndenumerate(X))
    assert [(at, float(v)) for at, v in got] == want
    assert len(list(xp.ndenumerate(xp.zeros((2, 0))))) == 0 and next(xp.ndenumerate(xp.ones(()) * 3))[0] == ()


POSITIONS = cases("""
    m.unravel_index(m.array([22, 41, 37]), (7, 6))
    m.unravel_index([31, 41], (7, 6), order='F')
    m.unravel_index(1621, (6, 7, 8, 9))
    m.unravel_index([], (10, 3, 5))
    m.unravel_index(m.array([[1, 2], [3, 4]]), 5)
    m.unravel_index(42, (7, 6))
    m.unravel_index(-1, (7, 6))
    m.unravel_index([1, 99, 3], (7, 6))
    m.unravel_index(1.5, (7, 6))
    m.unravel_index([2.0], (7, 6))
    m.unravel_index(0, ())
    m.unravel_index(1, (2, 2), 'Q')
    m.unravel_index([0], (0, 3))
    m.unravel_index(m.array([], dtype=int), (0, 3))
    m.unravel_index(m.array(3), (2, 2))
    m.unravel_index(m.array([3], 'u1'), (2, 2))
    m.ravel_multi_index(m.array([[3, 6, 6], [4, 5, 1]]), (7, 6))
    m.ravel_multi_index(m.array([[3, 6, 6], [4, 5, 1]]), (7, 6), order='F')
    m.ravel_multi_index(([3, 6], [4, 9]), (4, 6), mode='clip')
    m.ravel_multi_index(([3, -6], [4, 9]), (4, 4), mode=('clip', 'wrap'))
    m.ravel_multi_index((3, 1, 4, 1), (6, 7, 8, 9))
    m.ravel_multi_index((3, 1), (2, 2))
    m.ravel_multi_index((1, -1), (2, 2))
    m.ravel_multi_index((1,), (2, 2))
    m.ravel_multi_index((1.5, 1), (2, 2))
    m.ravel_multi_index(([0, 1], 1), (2, 2))
    m.ravel_multi_index(([], []), (2, 2))
    m.ravel_multi_index((1, 1), (2, 2), mode='q')
    m.ravel_multi_index((m.array([[0], [1]]), m.array([0, 1])), (2, 2))
    m.ravel_multi_index((0, 0), (2**40, 2**40))
""")


@pytest.mark.parametrize("text", POSITIONS)
def test_positions__cases(text):
    check_text(text, strides=False)


@draws(st.lists(st.integers(1, 5), min_size=1, max_size=4), st.sampled_from("CF"), st.data())
def test_positions__there_and_back(shape, order, data):
    size = int(np.prod(shape))
    flat = np.array(data.draw(st.lists(st.integers(0, size - 1), max_size=6)), int)
    check("unravel_index", flat, tuple(shape), order, strides=False)
    check("ravel_multi_index", tuple(np.unravel_index(flat, shape, order)), tuple(shape), order=order)


# ---- diagonals and triangles ----------------------------------------------------------------------


@pytest.mark.parametrize("dtype", DTYPES)
def test_triangles__dtypes(dtype):
    for _, x in layouts((4, 6), dtype):
        for k in (-9, -2, 0, 1, 5, 9):
            check("tril", x, k)
            check("triu", x, k)
            check("diag", x, k)
            check("diag", x[1], k)
            check("diagflat", x, k)
    check("tri", 3, 5, -1, dtype)
    check("vander", ordinary((5,), dtype))
    check("vander", ordinary((5,), dtype), 3, increasing=True)
    for columns in (0, 1, 2, 16, 17, 18):     # column by column up to 16 of them
        check("vander", ordinary((3,), dtype), columns)


@pytest.mark.parametrize("shape", SHAPES)
def test_triangles__shapes(shape):
    x = ordinary(shape)
    for name in ("tril", "triu", "diag", "diagflat", "tril_indices_from", "triu_indices_from", "diag_indices_from", "vander"):
        check(name, x, strides="indices" not in name)


TRIANGLES = cases("""
    m.tri(3)
    m.tri(3, 2)
    m.tri(0)
    m.tri(3, k=1, dtype=int)
    m.tri(2, 5, 2)
    m.tril_indices(4)
    m.tril_indices(4, -1, 3)
    m.triu_indices(4)
    m.triu_indices(3, 1, 5)
    m.triu_indices(0)
    m.mask_indices(3, m.triu)
    m.mask_indices(3, m.tril, -1)
    m.diag_indices(3)
    m.diag_indices(2, 3)
    m.vander([1, 2, 3])
    m.vander([1, 2, 3], 0)
    m.vander([1.5, 2], 4)
    m.vander([[1]])
    m.diag([1, 2], 2)
    m.diag([])
    m.diag(5)
    m.tril([1, 2, 3])
    m.triu(m.ones((2, 3, 4)), 1)
    m.diagflat(5, 2)
""")


@pytest.mark.parametrize("text", TRIANGLES)
def test_triangles__cases(text):
    check_text(text, strides="indices" not in text, x=X)


@pytest.mark.parametrize("shape", [(3, 3), (2, 5), (7, 2), (7, 3), (3, 3, 3), (2, 3, 3), (4,), (0, 0), (1, 1)])
def test_fill_diagonal__shapes(shape):
    for value in (5, [1, 2], [[7.5]], np.arange(9.0)):
        for wrap in (False, True):
            check_text("(m.fill_diagonal(x, v, wrap=w), x)[1]", x=np.zeros(shape), v=value, w=wrap)
            check_text("(m.fill_diagonal(x, v, wrap=w), x)[1]", x=np.zeros(shape, "i2").T, v=value, w=wrap)
