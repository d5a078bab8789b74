# SPDX-License-Identifier: BSD-3-Clause
"""float16 and bfloat16: all 65536 elements of each, against NumPy and ml_dtypes.

Casts, + - * / sqrt, comparisons and roundings have their bits (nan is nan); functions are within 1 ULP, since ours is a
float32 function rounded once. Sums are accumulated in float32 and rounded at the end, where NumPy rounds after each
piece: they are compared with the exact sum.
"""

import copy
import pickle

import numpy as np
import pytest

from common import DTYPES, IS_NUMPY, NEXT_HALF_IS_OTHER_ZERO, check_values, needs_heddle, outcome, python, same, shares_memory, xp
from test_ops import ULP, UNARY

ml_dtypes = pytest.importorskip("ml_dtypes")
bfloat16 = np.dtype(ml_dtypes.bfloat16)
float16 = np.dtype("f2")
ALL = np.arange(65536, dtype=np.uint16)
HALVES = {"float16": ALL.view(float16), "bfloat16": ALL.view(bfloat16)}
BINARY = ["add", "subtract", "multiply", "divide", "maximum", "minimum", "fmax", "fmin", "copysign", "nextafter", "equal",
          "not_equal", "less", "less_equal", "greater", "greater_equal", "logical_and", "heaviside", "floor_divide", "remainder"]
# ml_dtypes computes these in another way: half of them by double rounding, some with other signs of zero
BFLOAT16_APPROXIMATELY = {"floor_divide", "remainder"}
pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning", "ignore:.*imaginary.*")


def both(name, function, *arrays):
    return function(xp, *(a if IS_NUMPY else xp.array(a) for a in arrays)), function(np, *arrays)


def bits(x):
    """Elements as integers in the order of the numbers; every nan the same one."""
    x = np.ascontiguousarray(np.asarray(x))
    i = x.view(np.int16).astype(np.int32)
    i = np.where(i < 0, -(i & 0x7FFF) - 1, i)
    return np.where(np.isnan(x.astype("f4")), 1 << 20, i)


def equal_halves(got, want, ulp=0, where="", zero_signs=True):
    got, want = np.asarray(got), np.asarray(want)
    assert got.dtype == want.dtype and got.shape == want.shape, f"{where}: {got.dtype} {want.dtype}"
    if want.dtype not in (float16, bfloat16):
        check_values(got, want, where=where)
        return
    a, b = bits(got), bits(want)
    a, b = (a, b) if zero_signs and ulp == 0 else (np.where(a < 0, a + 1, a), np.where(b < 0, b + 1, b))
    bad = np.flatnonzero((np.abs(a - b) > ulp).ravel())
    assert bad.size == 0, f"{where}: {bad.size} differ, at {bad[0]} {got.ravel()[bad[0]]!r}, not {want.ravel()[bad[0]]!r}"


def awkward(dtype, n=3000, seed=0):
    """Pairs of any elements, and of special ones."""
    rng = np.random.default_rng(seed)
    few = np.array([0, 1, 2, 0x3FF, 0x400, 0x3C00, 0x3C01, 0x3F80, 0x7BFF, 0x7C00, 0x7E00, 0x7F7F, 0x7F80, 0x7FC0, 0x3555])
    few = np.concatenate([few, few | 0x8000]).astype(np.uint16)
    x, y = (a.ravel() for a in np.meshgrid(few, few))
    return (np.concatenate([x, rng.integers(0, 65536, n).astype(np.uint16)]).view(dtype),
            np.concatenate([y, rng.integers(0, 65536, n).astype(np.uint16)]).view(dtype))


# ---- casts ---------------------------------------------------------------------------------------------------------------


def every(dtype):
    """Numbers of a dtype at which casts to halves decide something: their borders, and what is next to these."""
    dtype, rng = np.dtype(dtype), np.random.default_rng(7)
    if dtype.kind == "b":
        return np.array([False, True])
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        powers = [s * 2**k + d for k in range(64) for d in range(-3, 4) for s in (1, -1)]
        return np.array([p for p in powers if info.min <= p <= info.max] + [info.min, info.max], dtype)
    borders = []
    for h in HALVES.values():
        h = h.astype("f8")
        h = np.sort(h[np.isfinite(h)])
        borders += [h, (h[1:] + h[:-1]) / 2]
    x = np.concatenate([*borders, rng.standard_normal(50000) * 10.0 ** rng.integers(-45, 45, 50000),
                        [np.inf, -np.inf, np.nan, 1e300, -1e-300, 65519.99, 65520.0]])
    if dtype.kind == "f" and dtype.itemsize == 8:
        x = np.concatenate([x, np.nextafter(x, np.inf), np.nextafter(x, -np.inf), x * (1 + 2.0**-40)])
    elif dtype.kind == "f":
        x = x.astype(dtype)
        x = np.concatenate([x, np.nextafter(x, dtype.type(np.inf)), np.nextafter(x, dtype.type(-np.inf))])
    return x.astype(dtype)


@pytest.mark.parametrize("half", HALVES)
@pytest.mark.parametrize("other", DTYPES + ["bfloat16"])
def test_cast__from_everything(half, other):
    x = HALVES["bfloat16"] if other == "bfloat16" else every(other)
    dtype = HALVES[half].dtype
    got, want = both("", lambda m, a: a.astype(dtype), x)
    equal_halves(got, want, where=f"{other} to {half}")


@pytest.mark.parametrize("half", HALVES)
@pytest.mark.parametrize("other", DTYPES + ["bfloat16"])
def test_cast__to_everything(half, other):
    x, dtype = HALVES[half], np.dtype(other)
    if dtype.kind in "iu":   # what does not fit is another matter
        info, wide = np.iinfo(dtype), x.astype("f8")
        x = x[np.isfinite(wide) & (wide > float(info.min) - 1) & (wide < float(info.max) + 1) & (np.abs(wide) < 2.0**63)]
    got, want = both("", lambda m, a: a.astype(dtype), x)
    equal_halves(got, want, where=f"{half} to {other}")


@pytest.mark.parametrize("half", HALVES)
def test_cast__levels(half):
    h = HALVES[half].dtype
    for other in map(np.dtype, DTYPES):
        if other == float16 and half == "bfloat16":
            continue
        for a, b in ((h, other), (other, h)):
            if half == "float16" or np.can_cast(a, b, "safe"):
                assert xp.can_cast(a, b, "safe") == np.can_cast(a, b, "safe"), (a, b)
            assert xp.can_cast(a, b, "unsafe")
            assert outcome(xp.ones(2, a).astype, b, casting="safe")[0] == ("value" if np.can_cast(a, b) else "error")
    if not IS_NUMPY:
        assert xp.can_cast(float16, bfloat16, "same_kind") and not xp.can_cast(float16, bfloat16, "safe")


def test_promotion__of_bfloat16():
    if IS_NUMPY:
        return
    for other, want in (("?", bfloat16), ("i1", bfloat16), ("u1", bfloat16), ("i2", "f4"), ("u2", "f4"), ("i4", "f8"), ("i8", "f8"),
                        ("f2", "f4"), ("f4", "f4"), ("f8", "f8"), ("c8", "c8"), ("c16", "c16")):
        assert (xp.ones(2, bfloat16) + xp.ones(2, other)).dtype == np.dtype(want), other
        assert xp.result_type(bfloat16, np.dtype(other)) == np.dtype(want), other
    assert (xp.ones(2, bfloat16) * 2).dtype == bfloat16
    assert (xp.ones(2, bfloat16) * 2.5).dtype == bfloat16   # (NumPy alone makes it float32)
    assert (xp.ones(2, bfloat16) * 1j).dtype == np.complex64
    assert (xp.ones(2, "f2") * 2.5).dtype == float16


# ---- elementwise ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("half", HALVES)
@pytest.mark.parametrize("name", UNARY)
def test_unary__of_all_elements(half, name):
    x = HALVES[half]
    want = outcome(getattr(np, name), x)
    if want[0] == "error":
        return
    if half == "bfloat16" and want[1].dtype not in (bfloat16, np.dtype(bool)):
        return   # NumPy has no loop of its own for it, and takes float32's
    got = getattr(xp, name)(x if IS_NUMPY else xp.array(x))
    exact = ULP[name] == 0 and not (half == "bfloat16" and name == "cbrt")
    # ml_dtypes' sign of -0 is -0, NumPy's and ours 0
    equal_halves(got, want[1], 0 if exact else 1, f"{name} of {half}", zero_signs=name != "sign")


@pytest.mark.parametrize("half", HALVES)
@pytest.mark.parametrize("name", ["frexp", "modf"])
def test_pairs__of_all_elements(half, name):
    x = HALVES[half]
    x = x[np.isfinite(x.astype("f4"))]
    for got, want in zip(*both(name, lambda m, a: getattr(m, name)(a), x)):
        equal_halves(got, want, where=f"{name} of {half}")


@pytest.mark.parametrize("half", HALVES)
@pytest.mark.parametrize("name", BINARY)
def test_binary(half, name):
    x, y = awkward(HALVES[half].dtype)
    got, want = both(name, lambda m, a, b: getattr(m, name)(a, b), x, y)
    loose = half == "bfloat16" and name in BFLOAT16_APPROXIMATELY
    if loose:
        ok = np.isfinite(np.asarray(want).astype("f4"))
        got, want = np.asarray(got)[ok], np.asarray(want)[ok]
    any_zero = name in ("maximum", "minimum", "fmax", "fmin") or (name == "nextafter" and NEXT_HALF_IS_OTHER_ZERO)
    equal_halves(got, want, int(loose), f"{name} of {half}", zero_signs=not any_zero)


@pytest.mark.parametrize("name", ["power", "arctan2", "hypot", "logaddexp", "logaddexp2", "fmod"])
def test_functions_of_two(name):
    x, y = awkward(float16)
    got, want = both(name, lambda m, a, b: getattr(m, name)(a, b), x, y)
    equal_halves(got, want, 1, name)


def test_ldexp():
    x = HALVES["float16"][::7]
    for k in (-30, -3, 0, 1, 12, 40):
        got, want = both("ldexp", lambda m, a: m.ldexp(a, k), x)
        equal_halves(got, want, where=f"ldexp by {k}")


@pytest.mark.parametrize("tier", [0, 1])
@pytest.mark.parametrize("half", HALVES)
def test_fused__rounds_after_every_operation(half, tier):
    dtype = HALVES[half].dtype
    rng = np.random.default_rng(3)
    x, y = (rng.standard_normal(10007).astype(dtype) for _ in range(2))

    def chain(m, a, b):
        r = a * b + a
        r = (r - b) * r
        r = m.maximum(r, b) / (a * a + dtype.type(1))
        return m.where(r > b, r, a - r) * dtype.type(0.1)

    before = None if IS_NUMPY else xp.set_tier(tier)
    try:
        for _ in range(2):
            got, want = both("", chain, x, y)
            equal_halves(got, want, where=half)
            got, want = both("", lambda m, a, b: (a + b).astype("f8") * 3 + a.astype("f8"), x, y)
            equal_halves(got, want, where=half)
            got, want = both("", lambda m, a: (a.astype("f8") * 1.0009765625).astype(dtype), x)
            equal_halves(got, want, where=half)
    finally:
        if before is not None:
            xp.set_tier(before)


@pytest.mark.parametrize("half", HALVES)
def test_views_in_place_and_indices(half):
    dtype = HALVES[half].dtype

    def steps(m, x):
        x = x.reshape(40, 50)
        x[::2, 1:] *= dtype.type(3)
        x[1:] += x[:-1]
        x[3] = 7
        y = m.concatenate([x.T[5:9], x.T[::-1][:4]]) + m.ones((8, 1), dtype)
        z = m.where(y > 1, y, dtype.type(0)).copy()
        z[m.array([1, 3, 1])] = m.arange(3 * 40).reshape(3, 40).astype(dtype)
        return m.minimum(m.take(z, m.array([2, 0, 7]), axis=0), dtype.type(20))

    x = np.random.default_rng(0).standard_normal(2000).astype(dtype)
    got, want = both("", lambda m, a: steps(m, a.copy()), x)
    equal_halves(got, want, where=half)


# ---- sums, running results, products ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("half", HALVES)
def test_reductions__are_rounded_once(half):
    dtype = HALVES[half].dtype
    x = np.random.default_rng(1).random((37, 300)).astype(dtype)
    a = xp.array(x)
    wide = x.astype("f8")
    for axis in (None, 0, 1):
        equal_halves(xp.sum(a, axis=axis), wide.sum(axis=axis).astype(dtype), 1 if IS_NUMPY and axis is None else 60 * IS_NUMPY + 1)
        equal_halves(xp.mean(a, axis=axis), wide.mean(axis=axis).astype(dtype), 3 * IS_NUMPY + 1)
        for name in ("min", "max"):
            equal_halves(getattr(xp, name)(a, axis=axis), getattr(wide, name)(axis=axis).astype(dtype))
        for name in ("argmin", "argmax", "any", "all"):
            assert np.array_equal(np.asarray(getattr(xp, name)(a, axis=axis)), getattr(wide, name)(axis=axis))
        assert xp.sum(a, axis=axis).dtype == xp.mean(a, axis=axis).dtype == xp.var(a, axis=axis).dtype == dtype
        np.testing.assert_allclose(np.asarray(xp.std(a, axis=axis)).astype("f8"), wide.std(axis=axis), rtol=0.05)
    assert float(xp.mean(xp.full(70000, 3, dtype))) == 3     # its sum is no float16
    assert float(xp.sum(xp.ones(3000, dtype))) == float(dtype.type(3000))


def test_statistics__are_numpys():
    x = (np.random.default_rng(2).random((6, 8)) * 4).astype("f2")
    for name in ("mean", "var", "std", "nanmean", "nansum", "nanmax", "ptp"):
        for axis in (None, 0, 1):
            got, want = both(name, lambda m, a: getattr(m, name)(a, axis=axis), x)
            equal_halves(got, want, 3, f"{name} {axis}")


@pytest.mark.parametrize("half", HALVES)
@pytest.mark.parametrize("name", ["add", "multiply", "minimum", "maximum", "subtract", "divide", "remainder", "copysign", "nextafter"])
def test_accumulate__rounds_at_every_step(half, name):
    dtype = HALVES[half].dtype
    x = (np.random.default_rng(4).random((5, 700, 3)) + 0.5).astype(dtype)
    for axis in (0, 1, 2):
        got, want = both(name, lambda m, a: getattr(m, name).accumulate(a, axis=axis), x)
        equal_halves(got, want, where=f"{name} {half} {axis}")
    if name == "add":
        got, want = both(name, lambda m, a: m.cumsum(a), x)
        equal_halves(got, want, where=half)


@pytest.mark.parametrize("half", HALVES)
def test_at(half):
    dtype = HALVES[half].dtype
    x, values = (np.random.default_rng(k).random(20).astype(dtype) for k in (1, 2))
    index = np.random.default_rng(3).integers(0, 20, 20)
    for name in ("add", "multiply", "maximum", "nextafter"):
        results = []
        for m in (xp, np):
            y = m.array(x)
            getattr(m, name).at(y, m.array(index), m.array(values))
            results.append(y)
        equal_halves(*results, where=name)


@pytest.mark.parametrize("half", HALVES)
@pytest.mark.parametrize("shape", [(3, 4, 5), (40, 50, 60), (1, 300, 1), (300, 2, 1), (33, 400, 17)])
def test_matmul__accumulates_in_float32(half, shape):
    m, k, n = shape
    dtype = HALVES[half].dtype
    rng = np.random.default_rng(5)
    x, y = rng.standard_normal((m, k)).astype(dtype), rng.standard_normal((k, n)).astype(dtype)
    wide = [a.astype("f8") for a in (x, y)]
    want, size = wide[0] @ wide[1], np.abs(wide[0]) @ np.abs(wide[1])
    eps = 2.0**-11 if half == "float16" else 2.0**-8   # of one rounding
    a, b = xp.array(x), xp.array(y)
    for got in (a @ b, xp.dot(a, b), (b.T @ a.T).T, (xp.array(x[::-1])[::-1]) @ b, a @ xp.array(y.T.copy()).T):
        assert IS_NUMPY or got.dtype == dtype
        assert (np.abs(np.asarray(got).astype("f8") - want) <= eps * np.abs(want) + 2e-6 * size + 1e-7).all()


# ---- creation, Python, exchange -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("half", HALVES)
def test_creation(half):
    dtype = HALVES[half].dtype
    for name, args in (("zeros", (5,)), ("ones", ((2, 3),)), ("full", (4, 0.1)), ("eye", (3,)), ("arange", (10,)),
                       ("arange", (0.1, 100.7, 0.3)), ("arange", (5, -5, -0.7)), ("linspace", (0, 1, 13)), ("linspace", (-3, 7.7, 50))):
        if half == "bfloat16" and name == "arange" and len(args) == 3:
            args = tuple(float(dtype.type(a)) for a in args)
        got, want = getattr(xp, name)(*args, dtype=dtype), getattr(np, name)(*args, dtype=dtype)
        equal_halves(got, want, where=f"{name}{args}")
    equal_halves(xp.array([0.1, 70000.0, -1e-9], dtype), np.array([0.1, 70000.0, -1e-9], dtype))
    equal_halves(xp.arange(3000, dtype="f2") if half == "float16" else xp.ones(1, dtype),
                 np.arange(3000, dtype="f2") if half == "float16" else np.ones(1, dtype))


@pytest.mark.parametrize("half", HALVES)
def test_python(half):
    x = HALVES[half][[0x3C00, 0x3555, 0x8000, 0x7C00 if half == "float16" else 0x7F80, 1, 0x4248]]
    a = xp.array(x)
    assert repr(a) == repr(x) and str(a) == str(x)
    assert a.tolist() == x.tolist() and [type(v) for v in a.tolist()] == [float] * 6
    for i in range(6):
        s, t = a[i], x[i]
        assert repr(s) == repr(t) and str(s) == str(t) and s.item() == t.item() and float(s) == float(t)
        assert hash(s) == hash(t) and f"{float(s):.3g}" == f"{float(t):.3g}" and bool(s) == bool(t)
    assert a.dtype == x.dtype and a.itemsize == 2 and a.nbytes == 12
    for clone in (copy.copy(a), copy.deepcopy(a), pickle.loads(pickle.dumps(a))):
        equal_halves(clone, x)
    equal_halves(np.asarray(a), x)
    equal_halves(np.array(a, dtype="f8"), x.astype("f8"))
    equal_halves(xp.array(x.astype("f4")).astype(x.dtype), x)
    assert a.view("u2").tolist() == x.view("u2").tolist()
    equal_halves(xp.array(x.view("u2")).view(x.dtype), x)
    equal_halves(xp.array(x[0]), x[0])
    equal_halves(xp.array([x[0], x[1]]), np.array([x[0], x[1]]))
    y = xp.zeros(3, x.dtype)
    y[1] = x[1]
    y[2] = 0.1
    want = np.zeros(3, x.dtype)
    want[1], want[2] = x[1], 0.1
    equal_halves(y, want)


@needs_heddle
@pytest.mark.parametrize("half", HALVES)
def test_dlpack(half):
    dtype = HALVES[half].dtype
    b = xp.from_dlpack(xp.ones(4, dtype))
    assert b.dtype == dtype and b.tolist() == [1, 1, 1, 1]


@needs_heddle
@shares_memory
@pytest.mark.parametrize("half", HALVES)
def test_sharing(half):
    x = HALVES[half][:8].copy()
    shared = xp.asarray(x, copy=False)
    x[2] = 1
    assert float(shared[2]) == 1
    n = np.asarray(shared)
    n[3] = 2
    assert float(shared[3]) == 2 and x[3] == 2
    if half == "bfloat16":
        with pytest.raises(BufferError):
            memoryview(shared)
        with pytest.raises(AttributeError):
            shared.__array_interface__
    else:
        assert memoryview(shared).format == "e"
        assert np.from_dlpack(shared).dtype == float16


@needs_heddle
def test_names():
    assert xp.float16 is np.float16 and xp.half is np.half and xp.bfloat16 is ml_dtypes.bfloat16
    assert xp.dtype("bfloat16") == bfloat16 and xp.zeros(2, "bfloat16").dtype == bfloat16
    assert xp.finfo(xp.float16).max == 65504
    with pytest.raises(TypeError):
        xp.random.default_rng(1).random(3, dtype="f2")


@needs_heddle
def test_bfloat16_is_fetched_when_asked_for():
    python("import sys, heddle; a = heddle.ones(3, 'bfloat16') + 1; float(a[0]); assert 'ml_dtypes' not in sys.modules;"
           "heddle.bfloat16; assert 'ml_dtypes' in sys.modules")
    without = ("import sys; sys.modules['ml_dtypes'] = None; import heddle\n"
               "a = heddle.ones(3, 'bfloat16') * 3\nassert a.tolist() == [3, 3, 3]\n"
               "try: heddle.bfloat16\nexcept AttributeError as e: assert 'pip install ml_dtypes' in str(e)\nelse: raise SystemExit(1)\n"
               "try: a.dtype\nexcept ImportError as e: assert 'pip install ml_dtypes' in str(e)\nelse: raise SystemExit(2)\n")
    python(without)


def test_same_kind_in_place():
    x = xp.ones(3, "f2")
    x += 0.1
    x *= xp.ones(3, "f8") * 3
    want = np.ones(3, "f2")
    want += 0.1
    want *= np.ones(3, "f8") * 3
    same(x, want)


@needs_heddle
def test_python_functions_know_bfloat16():
    x = xp.array(np.array([1.5, np.nan, 3, np.inf, -0.25], bfloat16))
    assert xp.nansum(x[:3]).tolist() == 4.5 and xp.nanmax(x[:3]) == 3 and xp.nanmean(x[:3]).dtype == bfloat16
    assert xp.nan_to_num(x).tolist() == [1.5, 0, 3, float(ml_dtypes.finfo(bfloat16).max), -0.25]
    assert xp.round(x, 1).dtype == xp.sinc(x).dtype == xp.ptp(x).dtype == bfloat16
    assert xp.isclose(x, x).tolist() == [True, False, True, True, True] and not xp.iscomplexobj(x)
    assert xp.result_type(x, 1.0) == bfloat16 and xp.result_type(x, 1j) == np.complex64
    assert xp.result_type(x, xp.ones(2, "f2"), "i1") == np.float32
