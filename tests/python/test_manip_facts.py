# SPDX-License-Identifier: BSD-3-Clause
"""What arrays are, bits, and files against NumPy; and that every name is where NumPy has it."""

import inspect
import io
import os
import warnings

import numpy as np
import pytest

from common import DTYPES, needs_heddle, same, specials, xp
from manip_common import SHAPES, cases, check, check_text, ordinary
from test_cuda_fake import FAKE, run

X = np.arange(12.0).reshape(3, 4)

FACTS = cases("""
    m.iterable([1])
    m.iterable(2)
    m.iterable(x)
    m.iterable(m.array(3))
    m.isfortran(x)
    m.isfortran(x.T)
    m.isfortran(x[0])
    m.array_equiv([1, 2], [1, 2])
    m.array_equiv([1, 2], [[1, 2], [1, 2]])
    m.array_equiv([1, 2], [[1, 2, 1, 2]])
    m.array_equiv([1, 2], [1, 3])
    m.array_equiv([], [1])
    m.common_type(x) is m.float64
    m.common_type(x.astype('f4'), x.astype('i1')) is m.float64
    m.common_type(x.astype('f4'), x.astype('c8')) is m.complex64
    m.common_type(x.astype('f2')) is m.float16
    m.common_type(x > 1)
    m.real_if_close([2.1 + 4e-14j, 5.2 + 3e-15j], tol=1000)
    m.real_if_close([2.1 + 4e-13j, 5])
    m.real_if_close(x)
    m.real_if_close([1 + 1e-5j], tol=1e-4)
    m.real_if_close(m.array([1 + 1e-6j], 'c8'))
    m.real_if_close(1j * m.zeros(0))
    m.asarray_chkfinite([1, 2])
    m.asarray_chkfinite([1, m.nan])
    m.asarray_chkfinite([1, m.inf * 1j])
    m.asanyarray([1, 2], 'f4')
    m.mintypecode(['d', 'f'])
    m.typename('d')
    m.base_repr(5, 3)
    m.require(x, 'f4', ['F']).flags.f_contiguous
    m.require(x[:, ::2], requirements='C').flags.c_contiguous
    m.require(x, requirements=['Q'])
    m.require(x, requirements=['C', 'F'])
    m.require(x[1:], requirements=['O', 'W']).flags.owndata
    m.require(m.broadcast_to(x[0], (3, 4)), requirements='W').flags.writeable
    m.require(x) is x
    m.array2string(x, precision=1)
    x.compress([True, False, True], 0)
    m.array([0, 1]).choose([[1, 2], [3, 4]])
    m.array2string(m.array([1.23456, 2]), precision=2)
""")


@pytest.mark.parametrize("text", FACTS)
def test_facts__cases(text):
    check_text(text, x=X)


@pytest.mark.parametrize("order", ["big", "little"])
@pytest.mark.parametrize("shape", [*SHAPES, (17,), (2, 9), (3, 8, 2)])
def test_bits__shapes(shape, order):
    bits, bytes_ = ordinary(shape, "?"), (ordinary(shape, "u1") * 21).astype("u1")
    for axis in (None, *range(-len(shape), len(shape))):
        check("packbits", bits, axis, order, strides=False)
        for count in (None, 0, 3, 8, 11, 99, -1, -8, -999):
            if bytes_.size or not count or count < 0:       # NumPy leaves bits after no bits undefined
                check("unpackbits", bytes_, axis, count, order, strides=False)


def test_bits__arguments():
    for dtype in DTYPES:
        check("packbits", specials(dtype))
        check("unpackbits", specials(dtype))
    for n in (64, 1000, 1003):
        check("packbits", (ordinary((n, 3), "i4") % 3).T > 0, axis=1, strides=False)
    check_text("m.packbits(m.array([2, 0, 255, 1, 0, 0, 0, 128, 64], 'u1').view(bool))")
    check("packbits", [1, 0], bitorder="q")
    check("packbits", [1, 0], axis=4)


# ---- files ----------------------------------------------------------------------


@pytest.mark.parametrize("dtype", DTYPES)
def test_files__there_and_back(dtype, tmp_path):
    for x in (specials(dtype), ordinary((2, 3), dtype).T, np.zeros((0, 2), dtype), ordinary((), dtype)):
        path = tmp_path / "x.npy"
        xp.save(path, xp.array(x))
        same(np.load(path), x, strides=False)
        np.save(path, x)
        same(xp.load(path), x)
        raw = tmp_path / "x.bin"
        xp.array(x).tofile(raw)
        same(xp.fromfile(raw, dtype), np.fromfile(raw, dtype))


@pytest.mark.parametrize("name", ["savez", "savez_compressed"])
def test_files__several(name, tmp_path):
    path = tmp_path / "x.npz"
    getattr(xp, name)(path, xp.array(X), [1, 2], named=xp.ones(3, "i1"))
    with xp.load(path) as archive:
        assert sorted(archive.files) == sorted(archive) == ["arr_0", "arr_1", "named"] and len(archive) == 3 and "named" in archive
        same(archive["arr_0"], X)
        same(archive["named"], np.ones(3, "i1"))
        with pytest.raises(KeyError):
            archive["nothing"]
    with pytest.raises((ValueError, FileNotFoundError)):
        xp.load(tmp_path / "nothing.npy")


def test_files__text():
    text = io.StringIO()
    xp.savetxt(text, xp.array(X), fmt="%.2f", delimiter=",", header="a")
    same(np.loadtxt(io.StringIO(text.getvalue()), delimiter=","), X)
    same(xp.loadtxt(io.StringIO(text.getvalue()), delimiter=","), X)
    got = xp.loadtxt(io.StringIO("1 2\n3 4"), unpack=True)
    same(got, np.array([[1.0, 3], [2, 4]]), strides=False)
    same(xp.genfromtxt(io.StringIO("1,,3"), delimiter=","), np.array([1, np.nan, 3]))
    same(xp.fromstring("1 2 3", sep=" ", dtype=int), np.array([1, 2, 3]))
    with pytest.raises(ValueError, match="binary mode"):      # as NumPy
        xp.fromstring(b"12345678")
    same(xp.fromiter((k * k for k in range(4)), "f4"), np.array([0, 1, 4, 9], "f4"))
    with pytest.raises(ValueError, match="too short"):
        xp.fromiter(iter([1]), int, 3)


# ---- names ----------------------------------------------------------------------

# These take what NumPy's take and more, or hand everything on to NumPy's.
OWN_SIGNATURES = {"array2string", "einsum", "einsum_path", "loadtxt", "genfromtxt", "savetxt", "vectorize"}
MODULES = [
    "applying", "contracting", "differences", "einsum", "einsum_path", "facts", "files", "grids",
    "joining", "moving", "padding", "polynomials", "selecting", "triangles", "windows",
]


@needs_heddle
def test_names__signatures():
    """Parameters have NumPy's names, order and kinds where NumPy tells them."""
    import importlib
    for module in MODULES:
        for name in importlib.import_module(f"heddle._{module}").__all__:
            ours, numpys = getattr(xp, name), getattr(np, name, None)   # NumPy 2.5 has no row_stack
            if name in OWN_SIGNATURES or numpys is None or not inspect.isfunction(ours):
                continue
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    want = inspect.signature(numpys).parameters
            except ValueError:      # written in C without a signature
                continue
            got = inspect.signature(ours).parameters
            assert list(got) == list(want), name
            assert [p.kind for p in got.values()] == [p.kind for p in want.values()], name


@needs_heddle
@pytest.mark.skipif(not FAKE.exists() or "ASAN_OPTIONS" in os.environ, reason="the fake driver, in processes of their own")
def test_devices__lists_go_where_the_array_is():
    run("""
x = h.array([[1.0, 2], [3, 4]], device="cuda:0")
for y in (h.insert(x, 1, [5.0, 6], 0), h.append(x, [[5, 6]], 0), h.ediff1d(x, [1.0]), h.r_[x[0], 7], h.pad(x, 2, "linear_ramp"),
          h.select([x > 1], [x], 3), h.tril(x), h.einsum("ij,j", x, [1, 2]), h.kron([1, 2], x), h.logspace(x[0], [1, 2], 3),
          h.packbits(x > 1), h.gradient(x[0], [1, 3]), h.polyval([1, 2], x)):
    assert y.device == "cuda:0"
""", HEDDLE_DEVICE="cpu")
