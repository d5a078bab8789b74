# SPDX-License-Identifier: BSD-3-Clause
"""einsum, tensordot, kron and cross against NumPy."""

import itertools
import warnings

import numpy as np
import pytest
from hypothesis import given as draws
from hypothesis import strategies as st

from common import DTYPES, IS_NUMPY, layouts, marked, moderate, needs_plane_cross, xp
from manip_common import cases, check, check_text, ordinary

SQUARE, CUBE = ordinary((4, 4)), ordinary((2, 3, 4), seed=3)

ONE = [
    "ii", "ii->i", "ij->ji", "ij->j", "ij->", "ij", "ji", "i...->...", "...ij->...ji", "...",
    "...->...", "ij->ij", "iij", "i", "ij->i j", "ij->ii", "i->ij", "ij->q", "", "ij->ik",
    "ij...->ij...", "ij-> ", "Ba", "...i->i", "i.j", "i..j", "1j", "ij->->", "ij,", "......",
    "i...j...",
]


@pytest.mark.parametrize("subscripts", ONE)
def test_einsum__one_operand(subscripts):
    for x in (SQUARE, SQUARE.T, SQUARE[::-1], CUBE, SQUARE > 0, SQUARE[:1].repeat(4, 0)[:, :4].astype("i1")):
        check("einsum", subscripts, x, near=True)


def test_einsum__views():
    for subscripts in ("ii->i", "ij->ji", "ij->j"):
        check_text(f"m.einsum('{subscripts}', x)", near=True, x=SQUARE)
    check_text("(m.einsum('ii->i', x).fill(7), x)[1]", x=SQUARE.copy())
    if not IS_NUMPY:
        x = xp.array(SQUARE)
        assert xp.may_share_memory(xp.einsum("ij->ji", x), x) and xp.einsum("ii->i", x).flags.writeable
        for view in (xp.einsum("ij", x), xp.einsum("...", x, optimize=True)):
            view.shape = (16,)
            assert xp.may_share_memory(view, x) and x.shape == (4, 4)


@pytest.mark.parametrize(
    "options",
    ["dtype='f4'", "dtype='i4', casting='no'", "dtype='c16', optimize=True", "dtype='S3'",
     "dtype='f4', order='F'", "order='F'", "dtype='zz'", "dtype='f4', order='Q'"])
@pytest.mark.parametrize("subscripts", ["ij->ji", "ii->i", "ij", "...", "ij->i"])
def test_einsum__of_one_operand_without_a_sum_ignores_dtype(subscripts, options):
    call = f"m.einsum('{subscripts}', x, {options})"
    check_text(call, x=SQUARE)
    check_text(f"m.shares_memory({call}, x)", x=SQUARE)
    check_text(f"m.einsum('', x[0, 0], {options})", x=SQUARE)


TWO = [
    ("ij,jk", (3, 4), (4, 5)), ("ij,jk->ki", (3, 4), (4, 5)), ("ij,ij", (3, 4), (3, 4)),
    ("ij,ij->i", (3, 4), (3, 4)), ("ij,kj", (3, 4), (2, 4)), ("i,j", (3,), (4,)),
    ("i,i", (3,), (3,)), ("ij,j", (3, 4), (4,)), ("bij,bjk->bik", (2, 3, 4), (2, 4, 5)),
    ("ij,kl->il", (3, 4), (2, 5)), ("...ij,...jk", (2, 3, 4), (4, 5)),
    ("...i,...i", (2, 3, 4), (3, 4)), ("ii,i->i", (3, 3), (3,)), ("ijk,kj->i", (2, 3, 4), (4, 3)),
    ("ij,ij->ji", (1, 4), (3, 4)), ("ij,jk", (3, 1), (4, 5)), ("i...,i...->...", (3, 2), (3, 2)),
    ("a...b,b...c->a...c", (2, 5, 3), (3, 4)), ("ij,jk", (3, 4), (3, 4)), (",ij", (), (2, 3)),
    (",", (), ()), ("i,", (3,), ()), ("ij,jk->i", (0, 4), (4, 5)), ("ij,jk->ik", (3, 0), (0, 5)),
    ("ij", (2, 2), (2, 2)), ("ij,jk,kl", (2, 2), (2, 2)), ("...,...->", (2,), (2,)),
    ("i...,j...", (2, 3), (4, 5)), ("ijkl,klm->mij", (2, 3, 4, 5), (4, 5, 6)),
    ("ii,jj->ij", (2, 2), (3, 3)), ("ij,k->", (2, 3), (4,)), ("ba,cb->ac", (2, 3), (4, 2)),
    ("ib,jb->bij", (3, 2), (4, 2)), ("i,i->i", (1,), (5,)), ("i,i->", (1,), (5,)),
    ("ij,ij->", (3, 1), (1, 4)),
]


@pytest.mark.parametrize("subscripts,left,right", TWO)
def test_einsum__two_operands(subscripts, left, right):
    for dtype in ("f8", "i4"):
        check("einsum", subscripts, ordinary(left, dtype), ordinary(right, dtype, 1), near=True)


@pytest.mark.parametrize("dtype", DTYPES)
def test_einsum__dtypes(dtype):
    x, y = ordinary((3, 4), dtype), ordinary((4, 3), dtype, 1)
    if dtype == "f2":   # NumPy sums some products in float16
        x, y = np.round(x), np.round(y)
    for subscripts in ("ij,jk", "ij,ji", "ij,ji->j", "ij,kl->ijkl", "ij,jk->"):
        check("einsum", subscripts, x, y, near=True)
    check("einsum", "ij->j", x, near=True)
    check("einsum", "ij,jk,kl", x, y, x, near=True)


MANY = cases("""
    m.einsum('ij,jk,kl->il', x, y, x)
    m.einsum('ij,jk,kl->il', x, y, x, optimize=True)
    m.einsum('ij,jk,kl->il', x, y, x, optimize='optimal')
    m.einsum('ij,jk,kl', x, y, x, optimize=['einsum_path', (1, 2), (0, 1)])
    m.einsum('ij,jk,kl', x, y, x, optimize=['einsum_path', (0, 1, 2)])
    m.einsum('ij,jk,kl', x, y, x, optimize=('greedy', 5))
    m.einsum('ea,fb,abcd,gc,hd->efgh', x, x, m.ones((4, 4, 4, 4)), x, x)
    m.einsum('ij,jk,kl', x, y, x, optimize='q')
    m.einsum('i,j,k->ijk', x[0], y[0], x[1])
    m.einsum('i,i,i', x[0], x[1], x[2])
    m.einsum('ij,ij,ij->i', x, x, x)
    m.einsum('...i,...i,i->...', x, x, x[0])
    m.einsum(x, [0, 1], y, [1, 2], [0, 2])
    m.einsum(x, [0, 1], y, [1, 2])
    m.einsum(x, [0, 1])
    m.einsum(x, [..., 1], y, [1, 2], [..., 2])
    m.einsum(x, [0, 60])
    m.einsum(x, ['a', 1])
    m.einsum(x, [0, 1], [1, 0])
    m.einsum('ij')
    m.einsum()
    m.einsum('ij,jk', x)
    m.einsum('ij', x, y)
    m.einsum('ij,jk->ik', x, y, out=m.zeros((3, 3)))
    m.einsum('ij,jk->ik', x, y, out=m.zeros((3, 3), 'i4'))
    m.einsum('ij,jk->ik', x, y, out=m.zeros((3, 3), 'i4'), casting='unsafe')
    m.einsum('ij->j', x, dtype='c16')
    m.einsum('ij->j', x, dtype='f4')
    m.einsum('ij->j', x, dtype='f4', casting='same_kind')
    m.einsum('i->', m.arange(5).astype('i1') * 30)
    m.einsum('i,i', m.arange(5), m.arange(5) * 1.5)
    m.einsum('ij,jk->ik', x, y, order='F').flags.f_contiguous
    m.einsum('ij->ij', [[1, 2], [3, 4]])
    m.einsum('i,i', [1, 2], [m.inf, m.nan])
    m.einsum('ij,jk,kl', x, y, x, optimize=['einsum_path', (0, 1)])
    m.einsum('ij,jk', x, y, optimize=[(0, 1)])
    m.einsum('ij,jk,kl', x, y, x, optimize=['einsum_path', (0, 7), (0, 1)])
    m.einsum('ab,ab', x[:, :1], x)
    m.einsum('aab', m.ones((3, 1, 2)))
    m.einsum('aa', x)
""")


@pytest.mark.parametrize("text", MANY)
def test_einsum__cases(text):
    check_text(text, near=True, strides=False, x=ordinary((3, 4)), y=ordinary((4, 3), seed=1))


@draws(st.integers(1, 4), st.integers(0, 10**6), st.sampled_from([False, True, "greedy", "optimal"]), st.booleans())
def test_einsum__random(n, seed, optimize, implicit):
    rng = np.random.default_rng(seed)
    sizes = dict(zip("abcde", rng.integers(0, 4, 5).tolist())) if seed % 5 == 0 else dict(zip("abcde", (2, 3, 1, 4, 2)))
    terms = ["".join(rng.choice(list("abcde"), rng.integers(0, 4))) for _ in range(n)]
    present = sorted(set("".join(terms)))
    output = "".join(rng.permutation(present)[:rng.integers(0, len(present) + 1)])
    arrays = [moderate("f8", int(np.prod([sizes[c] for c in t])), seed + k).reshape([sizes[c] for c in t]) for k, t in enumerate(terms)]
    check("einsum", ",".join(terms) + ("" if implicit else "->" + output), *arrays, optimize=optimize, near=True)


PATHS = [
    "ij,jk,kl->il", "ea,fb,abcd,gc,hd->efgh", "ab,bc,cd,de", "a,b,c->abc", "ij,ij,ij->", "ij,jk",
    "ij", "abc,bd,ce,df->aef", "i,ij,j", "...a,ab,b->...",
]


@pytest.mark.parametrize("subscripts", PATHS)
def test_einsum_path__like_numpy(subscripts):
    sizes = dict(zip("abcdefghijkl", itertools.cycle((6, 4, 9, 3))))
    arrays = [np.ones([sizes[c] for c in term.replace("...", "")]) for term in subscripts.split("->")[0].split(",")]
    for optimize in (True, "greedy", "optimal", False, ("greedy", 30), ("optimal", 30)):
        got, want = xp.einsum_path(subscripts, *map(xp.array, arrays), optimize=optimize), np.einsum_path(subscripts, *arrays, optimize=optimize)
        assert got[0] == want[0], (subscripts, optimize)
        for label in ("Naive scaling", "Optimized scaling", "Largest intermediate"):
            lines = [next(line for line in text.splitlines() if label in line) for text in (got[1], want[1])]
            assert lines[0] == lines[1], (subscripts, optimize)


# ---- the others ----------------------------------------------------------------------


@pytest.mark.parametrize("dtype", DTYPES)
def test_products__dtypes(dtype):
    for _, x in layouts((3, 4), dtype):
        check("tensordot", x, x, ([0, 1], [0, 1]), near=True)
        check("tensordot", x, x.T, 1, near=True)
        check("kron", x, x[:2, :2], near=x.dtype.kind == "c")
        if dtype != "?":
            check("cross", x, x[:, ::-1], axis=0, near=True, strides=False)


PRODUCTS = cases("""
    m.tensordot(a, b, axes=([1, 0], [0, 1]))
    m.tensordot(a, b)
    m.tensordot(a, b, 0)
    m.tensordot(a, b, 1)
    m.tensordot(a, b, ((1,), (0,)))
    m.tensordot(a, b, (0, 1))
    m.tensordot(a, b, ((0, 0), (0, 1)))
    m.tensordot(a, b, ((-3,), (1,)))
    m.tensordot(a, b, ((5,), (1,)))
    m.tensordot(a, b, ((0, 1), (1,)))
    m.tensordot(2, 3, 0)
    m.tensordot(m.ones((0, 3)), m.ones((3, 2)), 1)
    m.tensordot(m.ones((2, 0)), m.ones((0, 2)), 1)
    m.tensordot([1, 2], [3, 4], 1)
    m.tensordot(a, [1, 2], 1)
    m.tensordot(a, b, 4)
    m.tensordot(a.astype('i4'), b.astype('f4'), ((1,), (0,)))
    m.kron(a, b)
    m.kron([1, 2], [3, 4])
    m.kron([1, 2], b)
    m.kron(b, [1, 2])
    m.kron(3, b)
    m.kron(b, 3.5)
    m.kron(2, 3)
    m.kron(m.zeros((0, 2)), b[0])
    m.kron(b[0].T, b[0])
    m.cross([1, 2, 3], [4, 5, 6])
    m.cross([1, 2], [4, 5])
    m.cross([1, 2, 3], [4, 5])
    m.cross([1, 2], [4, 5, 6])
    m.cross([1, 2, 3, 4], [4, 5, 6])
    m.cross(1, [1, 2, 3])
    m.cross(a, a[:, ::-1], axisa=1, axisb=1, axisc=0)
    m.cross(a, a[:, ::-1], axis=1)
    m.cross(a, a[:, ::-1], axisa=1, axisb=1, axisc=7)
    m.cross(a, [1, 2, 3], axisa=1)
    m.cross(a, [1, 2, 3], axisa=9)
    m.cross(m.zeros((0, 3)), m.zeros((0, 3)))
    m.cross([1j, 2, 3], [4, 5, 6])
    m.cross(m.ones((2, 1, 3)), m.ones((4, 2)))
    m.cross(m.array([1, 2, 3], 'u1'), m.array([3, 4, 5], 'i1'))
""")


@pytest.mark.parametrize("text", marked(PRODUCTS, r"cross\(.*(\[\d, \d\]|\(4, 2\))", needs_plane_cross))
def test_products__cases(text):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        check_text(text, near=True, a=CUBE, b=ordinary((3, 2, 5), seed=9))
