# SPDX-License-Identifier: BSD-3-Clause
"""heddle.cupy and heddle.cupyx: what CuPy has beside NumPy, with NumPy where there are numbers."""

import io
import pickle

import numpy as np
import pytest
from common import IS_NUMPY, needs_heddle, xp

pytestmark = needs_heddle
if not IS_NUMPY:
    import heddle.cupy as cp
    import heddle.cupyx as cupyx


# ---- to NumPy and back -------------------------------------------------------------------------


def test_asnumpy__orders_out_and_other_things():
    a = np.arange(6.0).reshape(2, 3)
    x = cp.asarray(a)
    got = cp.asnumpy(x)
    got[0, 0] = 7
    assert type(got) is np.ndarray and x[0, 0] == 0
    assert cp.asnumpy(x, order="F").flags.f_contiguous and cp.asnumpy(
        x, cp.cuda.Stream(), blocking=False
    ).shape == (2, 3)
    out = np.zeros((2, 3))
    assert cp.asnumpy(x, out=out) is out and (out == a).all()
    assert (
        cp.asnumpy([1, 2]).tolist() == [1, 2]
        and cp.asnumpy(3.5) == 3.5
        and cp.asnumpy(a[0], out=np.zeros(3))[2] == 2
    )


def test_get_and_set():
    x = cp.zeros((2, 3), cp.float32)
    x.set(np.arange(6, dtype="f4").reshape(2, 3))
    assert x.get().tolist() == [[0, 1, 2], [3, 4, 5]] and x.sum().get() == 15
    element = x[1, 2].get()
    assert (
        type(element) is np.ndarray
        and element.shape == ()
        and element == 5
        and element.dtype == "f4"
    )
    out = np.empty((), "f4")
    assert x[1, 1].get(out=out) is out and out == 4
    with pytest.raises(TypeError, match="dtype float64, not float32"):
        x.get(out=np.empty((2, 3)))
    with pytest.raises(ValueError, match=r"shape \(3,\), not \(2, 3\)"):
        x.get(out=np.empty(3, "f4"))


def test_get_array_module():
    x, a = cp.ones(3), np.ones(3)
    assert (
        cp.get_array_module(x)
        is cp.get_array_module(a, x)
        is cp.get_array_module(x[0])
        is cp.get_array_module(x.sum())
        is cp
    )
    assert (
        cp.get_array_module(a)
        is cp.get_array_module(1, "x", a[0], None)
        is cp.get_array_module()
        is np
    )
    assert cp.get_array_module(x).__name__ == "cupy"
    scipy = pytest.importorskip("scipy")
    assert (
        cupyx.scipy.get_array_module(x) is cupyx.scipy and cupyx.scipy.get_array_module(a) is scipy
    )


def test_device__of_an_array():
    x = cp.ones(3)
    assert x.device.id == 0 and x.device == cp.cuda.Device(0) and cp.cuda.Device(0) == x.device
    x.device.synchronize()
    with x.device:
        assert cp.ones(1).device == x.device


def test_methods__of_cupys_arrays():
    a = np.array([[3, 1, 2], [9, 4, 4]])
    x = cp.asarray(a)
    assert (
        x.ptp() == 8
        and x.ptp(axis=1).tolist() == [2, 5]
        and x.ptp(axis=0, keepdims=True).shape == (1, 3)
    )
    assert (pickle.loads(x.dumps()) == x).all()
    file = io.BytesIO()
    x.dump(file)
    assert file.getvalue() == x.dumps()
    shared = cp.fromDlpack(x.toDlpack())
    assert (shared == x).all() and (cp.fromDlpack(x) == x).all()


@pytest.mark.parametrize("dtype", ["?", "i1", "u2", "i4", "f8", "c8", "c16"])
def test_byteswap(dtype):
    a = np.arange(6).astype(dtype).reshape(2, 3)
    for b in a, a.T, a[:, ::2], a[:0]:
        x = cp.asarray(b)
        assert x.byteswap().get().tobytes() == b.byteswap().tobytes() and (x.get() == b).all()
    x = cp.asarray(a)
    assert x[:, 1:].byteswap(inplace=True).shape == (2, 2)
    a[:, 1:] = a[:, 1:].byteswap()
    assert x.get().tobytes() == a.tobytes()


def test_pointers():
    x = cp.arange(10, dtype=cp.int32)
    from heddle.cupy.cuda.memory import MemoryPointer

    pointer = MemoryPointer(x)
    assert (
        int(pointer + 8) - 4 == (pointer + 4).ptr == (pointer + 8 - 4).ptr == pointer.ptr + 4
        and pointer.mem is x
    )
    assert pointer.device_id == 0 and pointer.device == cp.cuda.Device(0)
    if x.device == "cpu":
        assert pointer.ptr == x.ctypes.data and x.data[3] == 3
    else:
        assert x.data.ptr == pointer.ptr


# ---- functions ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "scatter, ufunc",
    [("scatter_add", np.add), ("scatter_max", np.maximum), ("scatter_min", np.minimum)],
)
@pytest.mark.parametrize(
    "where, value", [([1, 1, 3], [5, -7, 9]), (slice(0, 2), 3), (([0, 0], [1, 1]), [2.5, 4])]
)
def test_scatter(scatter, ufunc, where, value):
    a = np.arange(8.0).reshape(4, 2)
    value = np.reshape(value, (3, 1)) if isinstance(where, list) else value
    x, method = cp.asarray(a), cp.asarray(a)
    ufunc.at(a, where, value)
    getattr(cupyx, scatter)(x, where, value)
    getattr(method, scatter)(where, value)
    assert (x.get() == a).all() and (method.get() == a).all()


def test_rsqrt():
    a = np.array([4.0, 0.25, 1e-300, 0.0])
    assert np.allclose(cupyx.rsqrt(cp.asarray(a)).get(), 1 / np.sqrt(a)) and cupyx.rsqrt(
        cp.asarray([4])
    ).tolist() == [0.5]
    assert cupyx.rsqrt(cp.ones(2, cp.float32)).dtype == "f4"


def test_fuse__is_the_function_itself():
    def f(x, y):
        return (x - y) * (x - y)

    assert cp.fuse(f) is f and cp.fuse()(f) is f and cp.fuse(kernel_name="other")(f) is f


def test_memoize():
    calls = []

    @cp.memoize(for_each_device=True)
    def f(x, y=0):
        "Adds."
        calls.append((x, y))
        return x + y

    assert (
        [f(1), f(1), f(1, y=2), f(1, y=2)] == [1, 1, 3, 3]
        and len(calls) == 2
        and f.__doc__ == "Adds."
    )
    cp.clear_memo()
    assert f(1) == 1 and len(calls) == 3


def test_older_names():
    a = np.array([[3, 1], [2, 5]])
    x = cp.asarray(a)
    assert (
        cp.in1d(x, [1, 5]).tolist() == [False, True, False, True]
        and cp.in1d(x, [1], invert=True).tolist()[1] is False
    )
    assert (
        cp.msort(x).tolist() == [[2, 1], [3, 5]]
        and cp.asfarray(x).dtype == "f8"
        and cp.asfarray(x, cp.float32).dtype == "f4"
    )
    assert (
        cp.asfarray(x, cp.int32).dtype == "f8"
        and cp.product(x) == 30
        and cp.alltrue(x)
        and cp.sometrue(x)
    )
    assert (
        cp.trapz(x).tolist() == [2.0, 3.5]
        and cp.NINF == -cp.Inf == -cp.PINF
        and str(cp.NZERO) == "-0.0"
    )


def test_pinned_arrays_are_numpys():
    a = cupyx.empty_pinned((2, 3), cp.float32)
    z = cupyx.zeros_pinned(4, cp.int16, order="F")
    assert (
        type(a) is np.ndarray
        and (a.shape, a.dtype) == ((2, 3), "f4")
        and z.tolist() == [0] * 4
        and z.dtype == "i2"
    )
    a[...] = np.arange(6).reshape(2, 3)
    assert cp.asarray(a).sum() == 15
    f = cupyx.zeros_like_pinned(np.ones((2, 3), order="F"))
    assert f.flags.f_contiguous and f.shape == (2, 3) and not f.any()
    assert cupyx.empty_like_pinned(a, dtype="i1", shape=(5,)).shape == (5,)
    memory = cp.cuda.alloc_pinned_memory(24)
    b = np.frombuffer(memory, np.float64, 3)
    b[...] = 1.5
    assert b.sum() == 4.5 and memory.ptr == b.ctypes.data


def test_errstate__and_what_is_installed():
    with cupyx.errstate(linalg="raise", divide="raise"), pytest.raises(FloatingPointError):
        float((cp.ones(2) / cp.zeros(2)).sum())
    before = cupyx.seterr(linalg="raise", over="warn")
    assert (
        cupyx.geterr()["over"] == "warn"
        and before["over"] == "ignore"
        and before["linalg"] == "raise"
    )
    cupyx.seterr(over="ignore")
    with pytest.raises(NotImplementedError, match="linalg='ignore'"):
        cupyx.errstate(linalg="ignore")
    assert xp.__version__ in cupyx.get_runtime_info()


# ---- random, fft, polynomial -------------------------------------------------------------------


@pytest.mark.parametrize(
    "call",
    [
        "rand(20, 5, dtype=cp.float32)",
        "random_sample((20, 5), cp.float32)",
        "random((20, 5), dtype=cp.float32)",
        "randn(20, 5, dtype=cp.float32)",
        "uniform(2, 3, (20, 5), cp.float32)",
        "normal(size=(20, 5), dtype=cp.float32)",
        "standard_normal((20, 5), cp.float32)",
        "poisson(3, (20, 5), dtype=cp.float32)",
        "exponential(1.0, (20, 5), cp.float32)",
    ],
)
def test_random__with_dtype(call):
    for owner in "cp.random.", "cp.random.RandomState(3).":
        x = eval(owner + call)
        assert x.dtype == "f4" and x.shape == (20, 5)
        plain = eval(owner + call.replace(", dtype=cp.float32", "").replace(", cp.float32", ""))
        assert plain.dtype != "f4" and plain.shape == (20, 5)
    cp.random.seed(3)
    x = eval("cp.random." + call)
    cp.random.seed(3)
    assert (eval("cp.random." + call) == x).all()


def test_random__uniform_float32_is_below_one():
    assert cp.random.rand(1 << 20, dtype=cp.float32).max() < 1 and cp.random.rand() < 1


def test_random__generators():
    for kind in cp.random.XORWOW, cp.random.MRG32k3a, cp.random.Philox4x3210:
        one, other = cp.random.Generator(kind(7)), cp.random.default_rng(kind(7))
        x = one.random(50)
        assert (
            (x == other.random(50)).all()
            and (x != one.random(50)).any()
            and isinstance(other, cp.random.Generator)
        )
    generator = cp.random.default_rng(3)
    assert cp.random.default_rng(generator) is generator
    assert (
        generator.normal(size=4, dtype=cp.float32).dtype == "f4"
        and generator.integers(5, size=9).max() < 5
    )
    x = cp.random.random_integers(3, size=500)
    assert (x.min(), x.max()) == (1, 3) and cp.random.random_integers(5, 6, 200).max() == 6
    cp.random.seed(1)
    x = cp.random.rand(9)
    cp.random.reset_states()
    assert (cp.random.rand(9) != x).any()


def test_fft__plans():
    a = np.random.default_rng(0).random((4, 6)) + 1j
    x = cp.asarray(a)
    from heddle.cupyx.scipy import fft, fftpack

    plan = fft.get_fft_plan(x, axes=(0, 1))
    with plan:
        assert np.allclose(cp.fft.fftn(x).get(), np.fft.fftn(a))
    assert (plan.shape, plan.axes) == ((4, 6), (0, 1)) and fftpack.get_fft_plan(
        x, axes=1
    ).shape == (6,)
    assert np.allclose(fftpack.fft(x, plan=plan).get(), np.fft.fft(a)) and np.allclose(
        fftpack.ifft2(x).get(), np.fft.ifft2(a)
    )
    assert np.allclose(fft.rfft(x.real).get(), np.fft.rfft(a.real))
    for bad in (
        lambda: fft.get_fft_plan(x.real),
        lambda: fft.get_fft_plan(x, value_type="R2C"),
        lambda: fft.get_fft_plan(x, shape=(3, 3), axes=(1,)),
    ):
        with pytest.raises(ValueError):
            bad()
    cp.fft.config.get_plan_cache().clear()


def test_polynomial():
    P, ours = np.polynomial.polynomial, cp.polynomial.polynomial
    x, c = np.linspace(-1, 1, 5), np.array([[1.0, 2.0], [0.0, -3.0], [0.5, 0.25]])
    assert np.allclose(ours.polyval(cp.asarray(x), cp.asarray(c)).get(), P.polyval(x, c))
    assert np.allclose(
        ours.polyval(cp.asarray(x[:2]), cp.asarray(c), tensor=False).get(),
        P.polyval(x[:2], c, tensor=False),
    )
    assert np.allclose(
        ours.polyvalfromroots(cp.asarray(x), cp.asarray(c)).get(), P.polyvalfromroots(x, c)
    )
    assert np.allclose(
        ours.polyvander(cp.asarray(x), 3).get(), P.polyvander(x, 3)
    ) and ours.polyvander(2, 2).tolist() == [[1, 2, 4]]
    assert np.allclose(
        ours.polycompanion(cp.asarray([6, -5, 1, 2.0])).get(), P.polycompanion([6, -5, 1, 2.0])
    )
    assert ours.polyval(2, [1, 2, 3]) == 17
    U, ours = np.polynomial.polyutils, cp.polynomial.polyutils
    for c in ([1, 2, 0, 0], [0, 0], [1, 1e-5, 1e-9], [3]):
        assert ours.trimcoef(c, 1e-6).tolist() == U.trimcoef(c, 1e-6).tolist()
        assert list(ours.trimseq(c)) == list(U.trimseq(c))
        assert [s.tolist() for s in ours.as_series([c, [1, 0]])] == [
            s.tolist() for s in U.as_series([c, [1, 0]])
        ]
    for bad in (
        lambda: ours.trimcoef([1], -1),
        lambda: ours.as_series([[]]),
        lambda: ours.as_series([[[1]]]),
        lambda: ours.as_series([[True]]),
        lambda: cp.polynomial.polynomial.polycompanion([1]),
        lambda: cp.polynomial.polynomial.polyvander(x, -1),
        lambda: cp.polynomial.polynomial.polyvalfromroots([1, 2], [1], tensor=False),
    ):
        with pytest.raises(ValueError):
            bad()


@pytest.mark.parametrize("dtype", ["f8", "f4", "c16"])
def test_cupyx_linalg__solves_by_cholesky_factors(dtype):
    from heddle.cupyx import linalg
    rng = np.random.default_rng(8)
    a = rng.standard_normal((3, 5, 5)) + 1j * rng.standard_normal((3, 5, 5))
    a = (a if dtype[0] == "c" else a.real).astype(dtype)
    a = a @ np.conj(np.swapaxes(a, 1, 2)) + 5 * np.eye(5, dtype=dtype)
    b, factor = rng.standard_normal((3, 5, 2)).astype(dtype), np.linalg.cholesky(a)
    tolerance = 1e-4 if dtype == "f4" else 1e-11
    np.testing.assert_allclose(linalg.invh(cp.asarray(a)).get(), np.linalg.inv(a), tolerance)
    upper = np.conj(np.swapaxes(factor, 1, 2))
    for c, lower in (factor, True), (upper, False), (factor + np.triu(a, 1), True):
        x = linalg.cho_solve((cp.asarray(c), lower), cp.asarray(b))
        np.testing.assert_allclose(x.get(), np.linalg.solve(a, b), tolerance, tolerance)
        assert x.dtype == dtype
    with pytest.raises(cp.linalg.LinAlgError):
        linalg.invh(-cp.asarray(a))
    with pytest.raises(AttributeError, match="Heddle has no cupyx.linalg.sparse"):
        _ = linalg.sparse


def test_optimize__runs_its_block():
    from heddle.cupyx import optimizing
    with optimizing.optimize(key="sums", max_trials=3):
        assert cp.arange(100).sum() == 4950
    with pytest.raises(NotImplementedError), optimizing.optimize(path="records"):
        pass


@pytest.mark.parametrize("shape, axis", [((8,), -1), ((7,), -1), ((4, 6), 0), ((5, 3), 0), ((1,), 0),
                                         ((2,), 0)], ids=str)
def test_fftpack__packs_spectra_of_real_numbers(shape, axis):
    theirs = pytest.importorskip("scipy.fftpack")
    from heddle.cupyx.scipy import fftpack
    x = np.random.default_rng(2).standard_normal(shape)
    for n in None, 3, 10:
        for name in "rfft", "irfft":
            got = getattr(fftpack, name)(cp.asarray(x), n, axis).get()
            np.testing.assert_allclose(got, getattr(theirs, name)(x, n, axis), atol=1e-13)
