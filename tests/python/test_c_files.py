# SPDX-License-Identifier: BSD-3-Clause
"""hd_save(), hd_load(), hd_savez(), hd_loadz(): the bytes that NumPy writes, and what NumPy and Python's zipfile wrote."""
import ctypes as c
import zipfile
from pathlib import Path

import numpy as np
import pytest
from common import needs_heddle, xp

pytestmark = needs_heddle
DTYPES = "? b h i q B H I Q e f d F D".split()
NAMES = ("none bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 bfloat16 float32 float64 complex64 complex128"
         ).split()


class Files:
    def __init__(self):
        self.lib = c.CDLL(str(next(Path(xp.__file__).parent.glob("libheddle.so.?"))))
        for name in "hd_from_data hd_load hd_loadz".split():
            getattr(self.lib, name).restype = c.c_void_p
        for name in "hd_shape hd_npz_names hd_error_peek".split():
            getattr(self.lib, name).restype = c.c_void_p
        self.lib.hd_nbytes.restype = c.c_int64

    def ours(self, x):
        """An array of C's with x's elements, strides and dtype."""
        numbers = [(c.c_int64 * 64)(*n) for n in (x.shape, x.strides)]
        made = self.lib.hd_from_data(x.ndim, *numbers, NAMES.index(x.dtype.name), c.c_void_p(x.ctypes.data))
        if x.flags.f_contiguous and not x.flags.c_contiguous:
            self.lib.hd_copy.restype = c.c_void_p
            made = self.lib.hd_copy(c.c_void_p(made), c.c_char(b"F"))
        return c.c_void_p(made)

    def numpys(self, a):
        """What C's array holds; None: there is none."""
        if not a:
            return None
        a = c.c_void_p(a)
        shape = c.cast(self.lib.hd_shape(a), c.POINTER(c.c_int64))[:self.lib.hd_ndim(a)]
        x = np.empty(shape, NAMES[self.lib.hd_dtype_of(a)])
        assert self.lib.hd_nbytes(a) == x.nbytes
        assert self.lib.hd_read(a, c.c_void_p(x.ctypes.data)) == 0
        self.lib.hd_release(a)
        return x

    def save(self, path, x):
        assert self.lib.hd_save(str(path).encode(), self.ours(x)) == 0
        return path.read_bytes()

    def savez(self, path, **arrays):
        names = (c.c_char_p * len(arrays))(*(name.encode() for name in arrays))
        handles = (c.c_void_p * len(arrays))(*(self.ours(x) for x in arrays.values()))
        assert self.lib.hd_savez(str(path).encode(), len(arrays), names, handles) == 0
        return path.read_bytes()

    def load(self, path, name=None):
        args = [str(path).encode()] + ([name.encode()] if name else [])
        return self.numpys((self.lib.hd_loadz if name else self.lib.hd_load)(*args))

    def error(self):
        e = self.lib.hd_error_peek()
        code, message = c.cast(e, c.POINTER(c.c_int))[0], c.string_at(e + 12 + 40).decode()
        self.lib.hd_error_take(None)
        return code, message

    def names(self, path):
        text = self.lib.hd_npz_names(str(path).encode())
        names = c.string_at(text).decode().splitlines()
        self.lib.hd_free_text(c.c_void_p(text))
        return names


@pytest.fixture(scope="module")
def files():
    return Files()


def shapes(dtype):
    x = np.arange(60).astype(dtype)
    yield from (x, x[:0], x[3:4].reshape(()), x.reshape(3, 4, 5), x.reshape(3, 4, 5).T, x.reshape(6, 10)[::2, 1::3],
                x.reshape(60, 1), x.reshape(1, 60).T, x[:0].reshape(0, 3), x.reshape((1,) * 20 + (60,)))


@pytest.mark.parametrize("dtype", DTYPES)
def test_save__writes_numpys_bytes(files, tmp_path, dtype):
    for x in shapes(dtype):
        np.save(tmp_path / "theirs.npy", x)
        assert files.save(tmp_path / "ours.npy", x) == (tmp_path / "theirs.npy").read_bytes(), x.shape
        back = files.load(tmp_path / "theirs.npy")
        assert back.dtype == x.dtype and back.shape == x.shape and back.tobytes() == x.tobytes()


def test_save__long_extents_have_numpys_padding(files, tmp_path):
    for nd in range(1, 33):
        for x in (np.zeros((1,) * (nd - 1) + (10 ** (nd % 6),), "i1"), np.zeros((nd * 1000,) + (1,) * (nd - 1), "b1", order="F")):
            np.save(tmp_path / "theirs.npy", x)
            assert files.save(tmp_path / "ours.npy", x) == (tmp_path / "theirs.npy").read_bytes()


def test_load__other_byte_orders_and_versions(files, tmp_path):
    for dtype in ">i2 >u4 >f8 >f2 >c8 >c16 >i8".split():
        x = np.arange(12).astype(dtype).reshape(3, 4)
        np.save(tmp_path / "x.npy", x)
        assert np.array_equal(files.load(tmp_path / "x.npy"), x)
    for version in ((1, 0), (2, 0), (3, 0)):
        with open(tmp_path / "x.npy", "wb") as f:
            np.lib.format.write_array(f, np.eye(3), version)
        assert np.array_equal(files.load(tmp_path / "x.npy"), np.eye(3))


def test_load__bools_that_are_neither_0_nor_1(files, tmp_path):
    np.save(tmp_path / "x.npy", np.array([0, 1, 2, 255], "u1").view("?"))
    assert files.load(tmp_path / "x.npy").view("u1").tolist() == [0, 1, 1, 1]


def test_load__what_is_no_number(files, tmp_path):
    for x in (np.array(["a"]), np.zeros(2, "i4,f8"), np.array(["2026"], "M8[D]"), np.array([b"x"])):
        np.save(tmp_path / "x.npy", x)
        assert files.load(tmp_path / "x.npy") is None
        code, message = files.error()
        assert code == 4 and "x.npy" in message


def test_savez__writes_numpys_bytes(files, tmp_path):
    rng = np.random.default_rng(1)
    arrays = {"x": rng.random((3, 4)), "one": np.array(3, "i1"), "f": np.asfortranarray(rng.random((5, 7))), "é": np.arange(0)}
    np.savez(tmp_path / "theirs.npz", **arrays)
    assert files.savez(tmp_path / "ours.npz", **arrays) == (tmp_path / "theirs.npz").read_bytes()
    assert files.names(tmp_path / "theirs.npz") == list(arrays)
    for name, x in arrays.items():
        assert np.array_equal(files.load(tmp_path / "theirs.npz", name), x)
        assert np.array_equal(np.load(tmp_path / "ours.npz")[name], x)


@pytest.mark.parametrize("level", [1, 6, 9])
def test_loadz__deflated(files, tmp_path, level):
    rng = np.random.default_rng(2)
    arrays = {"few": np.arange(3), "zeros": np.zeros(300000), "noise": rng.random(30000), "ints": rng.integers(0, 9, 100000),
              "long": np.tile(rng.random(4000), 9), "text": np.frombuffer(Path(__file__).read_bytes() * 3, "u1"), "none": np.zeros(0)}
    for name, x in arrays.items():
        np.save(tmp_path / f"{name}.npy", x)
    with zipfile.ZipFile(tmp_path / "x.npz", "w", zipfile.ZIP_DEFLATED, compresslevel=level) as z:
        for name in arrays:
            z.write(tmp_path / f"{name}.npy", f"{name}.npy")
    np.savez_compressed(tmp_path / "y.npz", **arrays)
    for name, x in arrays.items():
        for path in (tmp_path / "x.npz", tmp_path / "y.npz"):
            assert np.array_equal(files.load(path, name), x), name


def test_loadz__other_archives(files, tmp_path, monkeypatch):
    """With a comment, with sizes of 64 bits in the directory, compressed in a way that we do not read."""
    with zipfile.ZipFile(tmp_path / "x.npz", "w") as z:
        z.comment = b"PK\5\6 something " * 100
        with z.open("x.npy", "w") as f:
            np.lib.format.write_array(f, np.eye(2))
    assert np.array_equal(files.load(tmp_path / "x.npz", "x"), np.eye(2))
    monkeypatch.setattr(zipfile, "ZIP64_LIMIT", 100)
    np.savez(tmp_path / "wide.npz", a=np.arange(50), b=np.arange(60))
    assert b"PK\6\6" in (tmp_path / "wide.npz").read_bytes()
    assert np.array_equal(files.load(tmp_path / "wide.npz", "b"), np.arange(60))
    with zipfile.ZipFile(tmp_path / "x.npz", "w", zipfile.ZIP_LZMA) as z:
        z.write(tmp_path / "wide.npz", "a.npy")
    assert files.load(tmp_path / "x.npz", "a") is None
    assert files.error()[0] == 13


def test_load__what_is_no_file(files, tmp_path):
    for name in (None, "x"):
        (tmp_path / "x").write_bytes(b"something else" * 30)
        assert files.load(tmp_path / "x", name) is None and files.error()[0] == 7
        (tmp_path / "x").write_bytes(b"")
        assert files.load(tmp_path / "x", name) is None and files.error()[0] == 7
        assert files.load(tmp_path / "missing", name) is None
        code, message = files.error()
        assert code == 18 and "No such file" in message
