# SPDX-License-Identifier: BSD-3-Clause
"""heddle.fft against NumPy and against sums in extended precision: lengths, axes, layouts, norms, dtypes, errors."""

import itertools
import warnings

import numpy as np
import pytest

from common import DTYPES, IS_NUMPY, ON_HOST, give, layouts, moderate, needs_heddle, outcome, python, xp

LENGTHS = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 15, 16, 17, 19, 25, 27, 30, 31, 32, 45, 49, 61, 64, 77, 97, 101,
           105, 120, 121, 127, 128, 143, 169, 194, 202, 210, 240, 256, 343, 360, 509, 512, 1000, 1009, 1024, 2018,
           2048, 2187, 4096, 10007, 16384, 30030]
NORMS = [None, "backward", "ortho", "forward"]
ONE = ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft"]
MANY = ["fftn", "ifftn", "rfftn", "irfftn"]


def numbers(shape, dtype, seed=0):
    return moderate(dtype, int(np.prod(shape)), seed).reshape(shape)


def close(got, want, where="", factor=8.0):
    """Largest difference in units of the largest result: transforms mix all elements of a line."""
    got, want = np.asarray(got), np.asarray(want)
    assert (got.dtype, got.shape) == (want.dtype, want.shape), (where, got.dtype, got.shape, want.dtype, want.shape)
    if want.size:
        scale = max(float(np.abs(want).max()), 1e-30)
        eps = np.finfo(np.float16 if want.dtype == np.float16 else want.dtype).eps
        error = float(np.abs(got.astype(want.dtype.char.replace("e", "f")) - want).max()) / scale
        assert error <= factor * eps, f"{where}: off by {error / eps:.1f} eps"


def exact(x, n, sign):
    """The transform in extended precision, by its definition."""
    x = np.asarray(x).astype(np.clongdouble)
    k = np.arange(n)
    angle = (np.outer(k, k) % n).astype(np.longdouble) * (2 * np.arctan2(np.longdouble(0), np.longdouble(-1)) / n)
    return (np.cos(angle) + sign * 1j * np.sin(angle)) @ x


# ---- values --------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["c16", "c8", "f8", "f4"])
def test_fft__is_the_sum_that_defines_it(dtype):
    real = np.dtype(dtype).char.lower()
    eps = np.finfo(dtype).eps
    for n in [n for n in LENGTHS if n <= 520]:
        x = numbers((n,), dtype, n)
        want = exact(x, n, -1)
        norm = float(np.sqrt((np.abs(want) ** 2).mean()))
        for name, sign in (("fft", -1), ("ifft", 1)):
            got = np.asarray(getattr(xp.fft, name)(give(x)))
            want = exact(x, n, sign) / (1 if sign < 0 else n)
            size = norm if sign < 0 else norm / n
            error = float(np.abs(got - want).max()) / max(size, 1e-30)
            assert error <= (4 + 2 * np.log2(n)) * eps, f"{name} of {n} {real}: {error / eps:.1f} eps"


@pytest.mark.parametrize("name", ONE)
@pytest.mark.parametrize("dtype", ["f4", "f8", "c8", "c16"])
def test_one_axis__lengths(name, dtype):
    if name in ("rfft", "ihfft") and dtype[0] == "c":
        pytest.skip("of real numbers")
    for n in LENGTHS:
        x = numbers((n,), dtype, n)
        if name in ("irfft", "hfft") and n == 1:
            continue
        close(getattr(xp.fft, name)(give(x)), getattr(np.fft, name)(x), f"{name} of {n}", 8 + 4 * np.log2(n))


@pytest.mark.parametrize("name", ONE)
def test_one_axis__asked_length(name):
    for have, n, axis in itertools.product([1, 2, 5, 8], [1, 2, 3, 4, 5, 8, 9, 16, 20], [0, 1]):
        shape = (have, 3) if axis == 0 else (3, have)
        x = numbers(shape, "f8" if name in ("rfft", "ihfft") else "c16")
        close(getattr(xp.fft, name)(give(x), n, axis), getattr(np.fft, name)(x, n, axis), f"{name} {shape} {n}", 40)


@pytest.mark.parametrize("name", ONE)
@pytest.mark.parametrize("dtype", DTYPES)
def test_one_axis__dtypes(name, dtype):
    x = numbers((3, 12), dtype)
    ours, theirs = outcome(getattr(xp.fft, name), give(x)), outcome(getattr(np.fft, name), x)
    assert ours[0] == theirs[0], (ours, theirs)
    if theirs[0] == "value" and dtype == "f2":   # NumPy rounds 1 / n to float16 first
        single = getattr(np.fft, name)(x.astype("f4"))
        close(ours[1], single.astype(theirs[1].dtype), f"{name} {dtype}", 40)
    elif theirs[0] == "value":
        close(ours[1], theirs[1], f"{name} {dtype}", 40)
    else:
        assert isinstance(ours[1], TypeError) or ours[1] is theirs[1], ours


@pytest.mark.parametrize("name,norm", list(itertools.product(ONE, NORMS)))
def test_one_axis__norms(name, norm):
    for n in (5, 8, 101):
        x = numbers((n,), "f8")
        close(getattr(xp.fft, name)(give(x), norm=norm), getattr(np.fft, name)(x, norm=norm), f"{name} {norm}", 80)


@pytest.mark.parametrize("dtype", ["f4", "c16"])
def test_one_axis__layouts(dtype):
    for shape in ((4, 6), (20, 15), (3, 33)):
        for where, x in layouts(shape, dtype):
            for name, axis in itertools.product(("fft", "ifft", "irfft"), (0, 1)):
                close(getattr(xp.fft, name)(give(x), axis=axis), getattr(np.fft, name)(x, axis=axis),
                      f"{name} {where} {axis}", 40)


def test_one_axis__batches():
    """Groups of lines, whole and in part, along each axis; repeated and reversed lines."""
    for shape in ((5, 7, 9), (17, 16, 3), (1, 33, 2), (2, 3, 100), (64, 5, 1)):
        x = numbers(shape, "c16", 3)
        for axis in range(-3, 3):
            close(xp.fft.fft(give(x), axis=axis), np.fft.fft(x, axis=axis), f"{shape} {axis}", 40)
            close(xp.fft.rfft(give(np.array(x.real)), axis=axis), np.fft.rfft(x.real, axis=axis), f"{shape} {axis}", 40)
        row = numbers((shape[-1],), "f8")
        wide = np.broadcast_to(row, shape)
        close(xp.fft.fft(xp.broadcast_to(xp.array(row), shape)), np.fft.fft(wide), "repeated", 40)
        close(xp.fft.fft(give(x[::-1, :, ::-1]), axis=1), np.fft.fft(x[::-1, :, ::-1], axis=1), "reversed", 40)


@needs_heddle
def test_one_axis__bits_do_not_depend_on_company():
    """A line alone, in a group, along another axis, and with other threads. cuFFT chooses its radices for the whole call:
    there the same call has the same bits, and company changes them within the error of the transform."""
    agree = np.testing.assert_array_equal if ON_HOST else lambda a, b: close(a, b, "company", 40)
    for n in (8, 15, 97, 101, 256, 1000, 4096):
        x = numbers((19, n), "c16", n)
        a = np.asarray(xp.fft.fft(xp.array(x)))
        b = np.asarray(xp.fft.fft(xp.array(np.ascontiguousarray(x.T)), axis=0)).T
        c = np.stack([np.asarray(xp.fft.fft(xp.array(row))) for row in x])
        np.testing.assert_array_equal(a, np.asarray(xp.fft.fft(xp.array(x))))
        agree(a, b)
        agree(a, c)
        r = np.asarray(xp.fft.rfft(xp.array(x.real)))
        agree(r, np.stack([np.asarray(xp.fft.rfft(xp.array(row))) for row in x.real]))


# Lines that are computed as columns and rows are those of at least 2^17 complex128 points, 2^18 complex64 ones, real
# numbers taken by two: around there, of many factors and of one, of primes (a convolution of such a length), of a power.
LONG = [65537, 131070, 131071, 131072, 131220, 150150, 177147, 262142, 262144, 263169, 270270, 912673]


def random_line(shape, dtype, seed=5):
    rng = np.random.default_rng(seed)
    x = rng.standard_normal(shape)
    return (x + 1j * rng.standard_normal(shape) if dtype[0] == "c" else x).astype(dtype)


@pytest.mark.parametrize("name", ONE)
@pytest.mark.parametrize("dtype", ["f4", "f8", "c8", "c16"])
def test_long_lines__lengths(name, dtype):
    if name in ("rfft", "ihfft") and dtype[0] == "c":
        pytest.skip("of real numbers")
    for n in LONG:
        x = random_line((n,), dtype)
        close(getattr(xp.fft, name)(give(x), n), getattr(np.fft, name)(x, n), f"{name} of {n}", 8 + 4 * np.log2(n))


@pytest.mark.parametrize("name", ["fft", "ifft", "rfft", "irfft"])
def test_long_lines__asked_length(name):
    """Lines that end within a row of the matrix that they become, in its first column, at its very end, or before it."""
    for n in (262144, 295245, 262147):
        for have in (0, 1, 511, 512, 513, 1000, n // 2, n - 1, n, n + 5):
            x = random_line((have,), "f8" if name == "rfft" else "c16")
            if have == 0:
                got = np.asarray(getattr(xp.fft, name)(xp.zeros((2, 0)), n))
                assert got.shape[1] == (n // 2 + 1 if name == "rfft" else n) and not got.any()
                continue
            close(getattr(xp.fft, name)(give(x), n, norm="ortho"), getattr(np.fft, name)(x, n, norm="ortho"),
                  f"{name} of {have} as {n}", 8 + 4 * np.log2(n))


def test_long_lines__layouts():
    n = 263250
    for dtype in ("f8", "c16", "c8"):
        for where, x in layouts((3, n), dtype):
            close(xp.fft.fft(give(x)), np.fft.fft(x), where, 80)
        for where, x in layouts((n, 9), dtype):
            close(xp.fft.ifft(give(x), axis=0), np.fft.ifft(x, axis=0), where, 80)
            if dtype == "f8":
                close(xp.fft.rfft(give(x), axis=0), np.fft.rfft(x, axis=0), where, 80)
                close(xp.fft.irfft(give(x), n, axis=0), np.fft.irfft(x, n, axis=0), where, 80)
    x = random_line((2, n), "c16")
    wide = xp.zeros((2, 2 * n), "c16")
    xp.fft.fft(give(x), out=wide[:, ::-2])
    close(wide[:, ::-2], np.fft.fft(x), "out is strided", 80)
    assert not np.asarray(wide)[:, ::2].any()
    y = xp.array(x)
    xp.fft.fft(y, out=y)
    close(y, np.fft.fft(x), "out is the input", 80)
    close(xp.fft.fft2(give(x)), np.fft.fft2(x), "the first axis of two", 80)


def test_long_lines__nan_stays_in_its_line():
    for shape, axis in (((3, 131072), 1), ((131072, 3), 0), ((131072, 9), 0)):
        x = random_line(shape, "c16")
        x[(1, 70000) if axis else (70000, 1)] = np.nan
        bad = ~np.isfinite(np.asarray(xp.fft.fft(xp.array(x), axis=axis))).all(axis=axis)
        assert bad.nonzero()[0].tolist() == [1]


@needs_heddle
def test_long_lines__bits_do_not_depend_on_company_or_threads():
    """About the CPU, where the length alone decides how a line is cut into blocks."""
    before = xp.get_num_threads()
    try:
        for n in (131072, 131071, 138240, 177147):
            x = random_line((11, n), "c16")
            across, lines = xp.array(np.ascontiguousarray(x.T), device="cpu"), xp.array(x, device="cpu")
            want = {}
            for threads in (1, 2, 4):
                xp.set_num_threads(threads)
                for name, given, numbers_of in (("fft", n, x), ("rfft", 2 * n, x.real), ("irfft", 2 * n, x)):
                    f = getattr(xp.fft, name)
                    batch = lines if name != "rfft" else lines.real
                    a = np.asarray(f(batch, given))
                    np.testing.assert_array_equal(a, want.setdefault(name, a))
                    b = np.asarray(f(across if name != "rfft" else across.real, given, axis=0)).T
                    np.testing.assert_array_equal(a, b)
                    few = np.asarray(f(across[:, :2] if name != "rfft" else across.real[:, :2], given, axis=0)).T
                    np.testing.assert_array_equal(a[:2], few)
                    alone = np.asarray(f(xp.array(numbers_of[3], device="cpu"), given))
                    np.testing.assert_array_equal(a[3], alone)
    finally:
        xp.set_num_threads(before)


SPECTRA = """
import hashlib, numpy as np, heddle as hd
rng = np.random.default_rng(3)
for n in (131072, 131071, 262144, 301158):
    for dtype in ("c8", "c16"):
        x = (rng.standard_normal((2, n)) + 1j * rng.standard_normal((2, n))).astype(dtype)
        x, y = hd.array(x, device="cpu"), hd.array(np.ascontiguousarray(x.real), device="cpu")
        for r in (hd.fft.fft(x), hd.fft.ifft(x.T.copy(), axis=0), hd.fft.rfft(y), hd.fft.irfft(x, n)):
            print(n, dtype, hashlib.sha256(np.ascontiguousarray(np.asarray(r)).tobytes()).hexdigest())
"""


@needs_heddle
def test_long_lines__bits_do_not_depend_on_the_instruction_set():
    want = python(SPECTRA).stdout
    assert len(want.splitlines()) == 32
    for isa in ("v2", "v3"):
        assert python(SPECTRA, HEDDLE_ISA=isa).stdout == want, isa


@needs_heddle
def test_long_lines__memory():
    """Beside its result a complex line takes a sheet of its own size, and a real one twice as much."""
    for name, dtype, n, most in (("fft", "c16", 1 << 19, 1.1), ("rfft", "f8", 1 << 20, 2.1),
                                 ("irfft", "c16", (1 << 19) + 1, 2.1)):
        x = xp.array(random_line((n,), dtype), device="cpu")
        r = getattr(xp.fft, name)(x)
        xp.synchronize("cpu")
        del r
        base = xp.stats("cpu")["memory_used"]
        xp.reset_memory_peak("cpu")
        r = getattr(xp.fft, name)(x)
        xp.synchronize("cpu")
        beside = xp.stats("cpu")["memory_peak"] - base - r.nbytes
        assert 0.9 * r.nbytes < beside <= most * r.nbytes, name


def test_one_axis__nan_stays_in_its_line():
    x = numbers((40, 12), "f8")
    x[3, 5] = np.nan
    x[20, 0] = np.inf
    got = np.asarray(xp.fft.fft(xp.array(x)))
    bad = ~np.isfinite(got).all(axis=1)
    assert bad.nonzero()[0].tolist() == [3, 20]
    assert np.isnan(got[3]).all()


def test_round_trips():
    for n in (1, 2, 7, 64, 101, 360, 5000):
        x = numbers((2, n), "c16")
        close(np.asarray(xp.fft.ifft(xp.fft.fft(give(x)))), x, f"{n}", 60)
        close(np.asarray(xp.fft.irfft(xp.fft.rfft(give(np.array(x.real))), n)), x.real, f"{n}", 60)
        half = np.asarray(xp.fft.ihfft(xp.fft.hfft(give(x), 2 * n)))
        close(half[:, 1:n], x[:, 1:], f"{n}", 60)


def test_empty_and_zero_extents():
    for shape, axis in (((0, 4), 1), ((4, 0), 0), ((2, 0, 3), 2)):
        x = np.zeros(shape)
        assert np.asarray(xp.fft.fft(xp.array(x), axis=axis)).shape == np.fft.fft(x, axis=axis).shape
        assert np.asarray(xp.fft.rfft(xp.array(x), axis=axis)).shape == np.fft.rfft(x, axis=axis).shape
    got = np.asarray(xp.fft.fft(xp.zeros((3, 0)), 4))
    np.testing.assert_array_equal(got, np.zeros((3, 4), complex))


# ---- several axes --------------------------------------------------------------------------------


CASES = [
    (None, None), (None, (0,)), (None, (1, 2)), (None, (2, 0)), (None, (-1, -2, -3)), (None, (1, 1)),
    ((4, 5, 6), (0, 1, 2)), ((8, 3), (0, 2)), ((3, 8), (2, 0)), ((-1, 4), (0, 1)), ((2, 7), (1, 1)), ((1, 1, 1), (0, 1, 2)),
]


@pytest.mark.parametrize("name", MANY)
@pytest.mark.parametrize("s,axes", CASES)
def test_many_axes(name, s, axes):
    for dtype in ("f4", "f8", "c8", "c16"):
        if name == "rfftn" and dtype[0] == "c":
            continue
        x = numbers((4, 5, 6), dtype)
        for y in (x, x.transpose(2, 0, 1), x[:, ::-1]):
            for norm in (None, "ortho", "forward"):
                close(getattr(xp.fft, name)(give(y), s, axes, norm), getattr(np.fft, name)(y, s, axes, norm),
                      f"{name} {s} {axes} {norm}", 60)


@pytest.mark.parametrize("name", ["fft2", "ifft2", "rfft2", "irfft2"])
def test_two_axes(name):
    for shape in ((6, 8), (3, 5, 7), (130, 70)):
        x = numbers(shape, "f8")
        close(getattr(xp.fft, name)(give(x)), getattr(np.fft, name)(x), name, 60)
        close(getattr(xp.fft, name)(give(x), (4, 9)), getattr(np.fft, name)(x, (4, 9)), name, 60)
        close(getattr(xp.fft, name)(give(x), axes=(0, 1)), getattr(np.fft, name)(x, axes=(0, 1)), name, 60)


def test_many_axes__none_in_s_and_axes_none():
    x = numbers((4, 6), "f8")
    for name, s, axes in (("fftn", (5,), None), ("irfftn", (None, None), (0, 1)), ("rfftn", (3, 3), None)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            close(getattr(xp.fft, name)(give(x), s, axes), getattr(np.fft, name)(x, s, axes), name, 60)
        if IS_NUMPY or axes is not None:    # without axes the array API standard's rule is ours
            with pytest.warns(DeprecationWarning):
                getattr(xp.fft, name)(give(x), s, axes)


def test_many_axes__of_no_axes():
    assert np.asarray(xp.fft.fftn(xp.asarray(3.0))) == 3.0


# ---- out, errors, helpers ------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["fft", "ifft", "rfft", "irfft", "ihfft"])
def test_out(name):
    x = numbers((3, 8), "f8")
    want = getattr(np.fft, name)(x)
    out = xp.empty(want.shape, want.dtype)
    assert getattr(xp.fft, name)(give(x), out=out) is out
    close(out, want, name, 40)
    view = xp.empty((want.shape[0], 2 * want.shape[1]), want.dtype)[:, ::2]
    getattr(xp.fft, name)(give(x), out=view)
    close(view, want, name, 40)
    for wrong in (xp.empty((3, 3), want.dtype), xp.empty(5, want.dtype)):
        with pytest.raises(ValueError):
            getattr(xp.fft, name)(give(x), out=wrong)
    with pytest.raises(TypeError):
        getattr(xp.fft, name)(give(x), out=xp.empty(want.shape, "i8"))


def test_out__is_the_input():
    x = numbers((6, 8), "c16")
    y = xp.array(x)
    xp.fft.fft2(y, out=y)
    close(y, np.fft.fft2(x), "in place", 40)
    y += 1
    close(y, np.fft.fft2(x) + 1, "and on", 40)


@pytest.mark.parametrize("call", [
    lambda m: m.fft.fft(m.ones(4), 0),
    lambda m: m.fft.fft(m.ones(4), -1),
    lambda m: m.fft.fft(m.ones(0)),
    lambda m: m.fft.irfft(m.ones(1)),
    lambda m: m.fft.fft(m.ones(4), norm="other"),
    lambda m: m.fft.ifft(m.ones(4), norm="other"),
    lambda m: m.fft.fft(m.ones(4), 4, 1),
    lambda m: m.fft.fft(m.ones(4), 4, -2),
    lambda m: m.fft.fft(m.asarray(1.0)),
    lambda m: m.fft.fft(m.ones(4), 2.5),
    lambda m: m.fft.rfft(m.ones(4, "c16")),
    lambda m: m.fft.ihfft(m.ones(4, "c16")),
    lambda m: m.fft.rfftn(m.ones((4, 4), "c16")),
    lambda m: m.fft.fftn(m.ones((4, 4)), (2,), (0, 1)),
    lambda m: m.fft.fftn(m.ones((4, 4)), (2, 0), (0, 1)),
    lambda m: m.fft.fftn(m.ones((4, 4)), axes=(0, 2)),
    lambda m: m.fft.fft2(m.ones(4)),
    lambda m: m.fft.fftfreq(2.5),
    lambda m: m.fft.fftfreq(0),
    lambda m: m.fft.rfftfreq(4, 0),
])
def test_errors(call):
    with pytest.raises(Exception) as theirs:
        call(np)
    with pytest.raises(Exception) as ours:
        call(xp)
    assert issubclass(type(ours.value), theirs.type) or (theirs.type is IndexError and issubclass(
        type(ours.value), IndexError)) or issubclass(theirs.type, type(ours.value)), (ours.value, theirs.value)


def test_frequencies_and_shifts():
    for n in (1, 2, 3, 8, 9, 101):
        for d in (1.0, 0.25, 3):
            np.testing.assert_array_equal(np.asarray(xp.fft.fftfreq(n, d)), np.fft.fftfreq(n, d))
            np.testing.assert_array_equal(np.asarray(xp.fft.rfftfreq(n, d)), np.fft.rfftfreq(n, d))
    for shape in ((5,), (4, 7), (3, 4, 5), (0, 3), (1,)):
        x = np.arange(np.prod(shape)).reshape(shape)
        for axes in (None, 0, -1, (0,), tuple(range(len(shape)))):
            for name in ("fftshift", "ifftshift"):
                np.testing.assert_array_equal(np.asarray(getattr(xp.fft, name)(give(x), axes)),
                                              getattr(np.fft, name)(x, axes))


@needs_heddle
def test_transforms_join_recorded_work():
    x = numbers((8, 16), "f8")
    a = xp.array(x)
    spectrum = xp.fft.rfft2(a * 2 + 1)
    a[:] = 0
    back = xp.fft.irfft2(spectrum * 0.5, (8, 16)) - 0.5
    close(np.asarray(back), x, "low pass", 60)
