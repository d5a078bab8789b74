# SPDX-License-Identifier: BSD-3-Clause
"""hd_format(): the text of an array in C is the one that NumPy's str() gives."""
import ctypes as c
from pathlib import Path

import numpy as np
import pytest

from common import needs_heddle, xp

pytestmark = needs_heddle
DTYPES = "none bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 bfloat16 float32 float64 complex64 complex128".split()


class Options(c.Structure):
    _fields_ = [("size", c.c_size_t), ("precision", c.c_int), ("line_width", c.c_int), ("threshold", c.c_int64),
                ("edge_items", c.c_int64)]


@pytest.fixture(scope="module")
def lib():
    library = c.CDLL(str(next(Path(xp.__file__).parent.glob("libheddle.so.?"))))
    for name in ("hd_from_data", "hd_format", "hd_error_peek"):
        getattr(library, name).restype = c.c_void_p
    return library


def text_of(lib, x, **options):
    x = x if x.flags.c_contiguous else np.ascontiguousarray(x)
    shape = (c.c_int64 * max(1, x.ndim))(*x.shape)
    a = c.c_void_p(lib.hd_from_data(x.ndim, shape, None, DTYPES.index(x.dtype.name), c.c_void_p(x.ctypes.data)))
    text = lib.hd_format(a, c.byref(Options(c.sizeof(Options), **options)) if options else None)
    assert text, lib.hd_error_peek()
    found = c.string_at(text).decode()
    lib.hd_free_text(c.c_void_p(text))
    lib.hd_release(a)
    return found


def numpys(x, **options):
    names = {"line_width": "linewidth", "edge_items": "edgeitems"}
    with np.printoptions(**{names.get(k, k): v for k, v in options.items()}):
        return str(x if x.ndim else x[()])


def reals(rng, shape, dtype):
    kinds = [lambda: rng.random(shape), lambda: rng.normal(size=shape) * 10.0**rng.integers(-6, 9),
             lambda: rng.integers(-50, 50, shape) * 0.5, lambda: rng.integers(0, 10, shape) * 1.0,
             lambda: 10.0**rng.uniform(-12, 12, shape), lambda: np.where(rng.random(shape) < 0.3, np.nan, rng.random(shape)),
             lambda: np.where(rng.random(shape) < 0.3, -np.inf, 1.5), lambda: np.round(rng.random(shape) * 100, 2),
             lambda: rng.choice([0.0, -0.0, np.inf, -np.inf, np.nan, 1e-310, 1e308, 123456789, 0.1], shape)]
    with np.errstate(all="ignore"):
        return np.asarray(kinds[rng.integers(len(kinds))]()).astype(dtype)


def values(rng, shape, dtype):
    dtype = np.dtype(dtype)
    if dtype.kind == "b":
        return np.asarray(rng.random(shape) < 0.5)
    if dtype.kind in "iu":
        info, wide = np.iinfo(dtype), rng.random() < 0.3
        x = rng.integers(info.min, info.max, shape, dtype, endpoint=True) if wide else rng.integers(0, 100, shape)
        return np.asarray(x, dtype)
    if dtype.kind == "f":
        return reals(rng, shape, dtype)
    z = np.zeros(shape, dtype)
    z.real, z.imag = reals(rng, shape, z.real.dtype), reals(rng, shape, z.real.dtype)
    return z


@pytest.mark.parametrize("dtype", ["?", "i1", "i8", "u2", "u8", "f2", "f4", "f8", "c8", "c16"])
def test_text__is_numpys(lib, dtype):
    rng = np.random.default_rng(7)
    for _ in range(250):
        nd = int(rng.integers(0, 5))
        shape = tuple(int(rng.integers(rng.random() > 0.1, (12, 40, 9, 6, 4)[nd])) for _ in range(nd))
        x = values(rng, shape, dtype)
        assert text_of(lib, x) == numpys(x), (dtype, shape)


@pytest.mark.parametrize("shape", [(1000,), (1001,), (7, 143), (2, 501), (501, 2), (6, 170), (7, 7, 30), (3, 3, 3, 3, 3, 3, 3), (10**6,),
                                   (1, 2000), (2000, 1)])
@pytest.mark.parametrize("dtype", ["i4", "f8", "c8", "?"])
def test_large_arrays__their_ends(lib, shape, dtype):
    x = values(np.random.default_rng(3), shape, dtype)
    assert text_of(lib, x) == numpys(x)
    for options in {"edge_items": 1}, {"edge_items": 5, "threshold": 10}, {"threshold": 10**5, "line_width": 40}:
        if x.size < 10**5:
            assert text_of(lib, x, **options) == numpys(x, **options), options


@pytest.mark.parametrize("options", [{"precision": 3}, {"precision": 17}, {"line_width": 20}, {"precision": 1, "line_width": 200}])
@pytest.mark.parametrize("dtype", ["f4", "f8", "c16", "i8"])
def test_options(lib, dtype, options):
    rng = np.random.default_rng(5)
    for _ in range(60):
        x = values(rng, (int(rng.integers(1, 9)), int(rng.integers(1, 9))), dtype)
        assert text_of(lib, x, **options) == numpys(x, **options)


def test_bfloat16(lib):
    ml_dtypes = pytest.importorskip("ml_dtypes")
    x = np.array([[1, -2.5, 0.1], [3e8, float("nan"), 0]], ml_dtypes.bfloat16)
    assert text_of(lib, x) == "[[ 1.0e+00 -2.5e+00  1.0e-01]\n [ 3.0e+08      nan  0.0e+00]]"


def test_options__below_0_are_refused(lib):
    x = np.ones(3)
    a = c.c_void_p(lib.hd_from_data(1, (c.c_int64 * 1)(3), None, DTYPES.index("float64"), c.c_void_p(x.ctypes.data)))
    for wrong in {"precision": -1}, {"precision": 61}, {"line_width": -1}, {"threshold": -1}, {"edge_items": -1}, {"edge_items": 1 << 40}:
        assert not lib.hd_format(a, c.byref(Options(c.sizeof(Options), **wrong))), wrong
        lib.hd_error_take(None)
    lib.hd_release(a)
