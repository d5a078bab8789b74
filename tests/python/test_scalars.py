# SPDX-License-Identifier: BSD-3-Clause
"""Scalars: elements, whose types are subclasses of NumPy's, and results of rank 0 (heddle.config.scalars)."""

import contextlib
import copy
import fractions
import itertools
import operator
import pickle
import subprocess
import sys
import warnings

import numpy as np
import pytest

from common import DTYPES, ON_HOST, bits, needs_heddle, python, xp

pytestmark = [
    needs_heddle,
    pytest.mark.skipif(not ON_HOST, reason="elements of a GPU's arrays are arrays of rank 0"),
]

INT64 = [0, 1, -1, 2, 7, -7, 2**31, 2**62, 2**63 - 1, -(2**63), 2**53 + 1]
FLOAT64 = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    -2.5,
    3.0,
    1e308,
    -1e308,
    5e-324,
    2.2e-308,
    1e-200,
    float("inf"),
    float("-inf"),
    float("nan"),
    2.0**53,
]
OWN = {
    "i8": INT64,
    "f8": FLOAT64,
    "f4": [0.0, -1.5, 3e38, 1e-45, float("inf"), float("nan")],
    "c16": [0j, 1 - 2j, 1e308 + 1e308j, complex("nan")],
}
OTHERS = [
    0,
    1,
    -3,
    2,
    2**63 - 1,
    2**63,
    10**30,
    0.0,
    -0.0,
    1.5,
    1e308,
    float("nan"),
    float("inf"),
    True,
    2j,
    np.float64(2.5),
    np.int64(-3),
    np.float32(0.1),
    np.int8(5),
    np.uint64(2**63),
    np.bool_(True),
    np.complex64(1 + 1j),
    fractions.Fraction(1, 3),
    "a",
    None,
    [1, 2],
    np.array([1.0, 2.0]),
    np.array(3),
]
BINARY = [
    operator.add,
    operator.sub,
    operator.mul,
    operator.truediv,
    operator.floordiv,
    operator.mod,
    operator.pow,
    operator.lt,
    operator.le,
    operator.eq,
    operator.ne,
    operator.gt,
    operator.ge,
    operator.and_,
    operator.or_,
    operator.xor,
    operator.lshift,
    operator.rshift,
    divmod,
]
UNARY = [
    operator.neg,
    operator.pos,
    abs,
    operator.invert,
    bool,
    int,
    float,
    complex,
    round,
    hash,
    repr,
    str,
    "{}".format,
    "{:8.3}".format,
    operator.index,
    lambda x: x.real,
    lambda x: x.imag,
    lambda x: x.item(),
    lambda x: x.dtype,
    lambda x: x.shape,
    lambda x: round(x, 1),
    lambda x: x.astype("f4"),
    lambda x: x.tobytes(),
    lambda x: np.asarray(x),
    lambda x: np.add(x, 1),
    lambda x: np.sqrt(x),
    lambda x: [10, 20, 30][x],
    lambda x: [1] * x if abs(x) < 9 else 0,
    lambda x: {x: 1}[x.item()],
]


def elements(dt, values):
    """(of ours, NumPy's) for each value."""
    return list(zip(xp.asarray(np.array(values, dt)), np.array(values, dt), strict=True))


def outcome(f, *args):
    """What a call gives or raises, and the warnings that it gives."""
    with np.errstate(all="warn"), warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        try:
            r = f(*args)
        except Exception as e:
            return ("raised", type(e), str(e)), []
    return told_of(r), [(w.category, str(w.message)) for w in told]


def told_of(r):
    """Type, dtype and bits."""
    if isinstance(r, tuple):
        return tuple(map(told_of, r))
    if isinstance(r, np.generic):
        return r.dtype, bits(r)
    if isinstance(r, np.ndarray):
        return r.dtype, r.shape, bits(r)
    return type(r), repr(r)


@pytest.mark.parametrize("dt", OWN)
@pytest.mark.parametrize("op", BINARY, ids=lambda op: op.__name__)
def test_operators__as_numpys(dt, op):
    others = OTHERS + [b for other in OWN for b in np.array(OWN[other], other)]
    for (ours, numpys), other in itertools.product(elements(dt, OWN[dt]), others):
        assert outcome(op, ours, other) == outcome(op, numpys, other), (numpys, other)
        assert outcome(op, other, ours) == outcome(op, other, numpys), (other, numpys)
    for a, b in itertools.product(
        (e for other in OWN for e in elements(other, OWN[other])), elements(dt, OWN[dt])
    ):
        assert outcome(op, a[0], b[0]) == outcome(op, a[1], b[1]), (a, b)


@pytest.mark.parametrize("dt", OWN)
def test_functions__as_numpys(dt):
    for f, (ours, numpys) in itertools.product(UNARY, elements(dt, OWN[dt])):
        if f is not hash or ours == ours:  # nan's is the object's
            assert outcome(f, ours) == outcome(f, numpys), numpys


@pytest.mark.parametrize("dt", OWN)
def test_power__with_a_modulus(dt):
    for ours, numpys in elements(dt, OWN[dt][:3]):
        assert outcome(pow, ours, 2, 3) == outcome(pow, numpys, 2, 3)
        assert outcome(pow, 2, ours, 5) == outcome(pow, 2, numpys, 5)


def test_faults__follow_errstate():
    big, small = xp.asarray(np.array([1e308, 1e-308]))
    most = xp.asarray(np.array([2**63 - 1]))[0]
    for fault, f in (
        ("over", lambda: big * 10),
        ("over", lambda: 10 * big),
        ("over", lambda: big + big),
        ("under", lambda: small * 1e-10),
        ("under", lambda: small / 1e10),
        ("divide", lambda: big / 0),
        ("invalid", lambda: (big - big) / 0.0),
        ("over", lambda: most + 1),
        ("over", lambda: most * most),
        ("over", lambda: -1 - most - 1),
        ("under", lambda: small**2),
    ):
        with np.errstate(all="ignore", **{fault: "raise"}), pytest.raises(FloatingPointError):
            f()


@pytest.mark.parametrize("dt", OWN)
def test_types(dt):
    (ours, numpys), *_ = elements(dt, [1])
    assert (
        isinstance(ours, type(numpys))
        and str(type(ours)) == str(type(numpys))
        and isinstance(ours, np.generic)
    )
    assert type(ours).__mro__[1:] == type(numpys).__mro__
    assert isinstance(ours, float) == isinstance(numpys, float) and isinstance(
        ours, complex
    ) == isinstance(numpys, complex)
    for r in (ours + ours, ours * 2, 2 * ours, -ours, abs(ours) if dt != "c16" else ours, ours**2):
        assert type(r) is type(ours)  # goes on being fast
    for back in (pickle.loads(pickle.dumps(ours)), copy.copy(ours), copy.deepcopy(ours)):
        assert isinstance(back, type(numpys)) and back == ours
    made = type(ours)(3)
    assert made == 3 and made * 2 == 6 and isinstance(made, type(numpys))
    for given, wanted in (
        (np.array([ours]), np.array([numpys])),
        (xp.array([ours]), np.array([numpys])),
        (np.float32(1) * ours, np.float32(1) * numpys),
    ):
        assert given.dtype == wanted.dtype
    with pytest.raises(TypeError):
        type("Sub", (type(ours),), {})


@pytest.mark.parametrize("dt", [*OWN, "i4", "u8"])
@pytest.mark.parametrize("beside", DTYPES)
def test_operators__beside_arrays(dt, beside):
    """numpy_scalar * x: the bits, dtypes and faults of NumPy's, on either side, as an element and as NumPy's own."""
    x = np.array([0, 1, 2, 5]).astype(beside)
    (ours, numpys), *_ = elements(dt, [3])
    for op in (
        operator.add,
        operator.mul,
        operator.truediv,
        operator.floordiv,
        operator.pow,
        operator.lt,
        operator.eq,
        operator.and_,
        operator.lshift,
        operator.sub,
    ):
        for scalar in (ours, numpys):
            with np.errstate(all="ignore"):
                for a, b in (
                    ((scalar, xp.asarray(x)), (numpys, x)),
                    ((xp.asarray(x), scalar), (x, numpys)),
                ):
                    given, wanted = outcome(lambda p, q: np.asarray(op(p, q)), *a), outcome(op, *b)
                    if wanted[0][0] == "raised":
                        assert given[0][0] == "raised", (op, given, wanted)
                    elif op is not operator.pow and not (op is operator.mul and "c" in dt + beside):
                        assert given[0] == wanted[0], (op, scalar, given, wanted)


def test_operands_of_rank_0():
    """numpy_scalar < x comes as an array of rank 0."""
    x = xp.arange(4.0)
    for a in (np.float64(2), np.float32(2), np.int64(2), np.array(2.0), np.array(2)):
        for r, wanted in (
            (a < x, [False, False, False, True]),
            (np.less(a, x), [False, False, False, True]),
            (np.add(a, x), [2, 3, 4, 5]),
            (np.multiply(x, a), [0, 2, 4, 6]),
        ):
            assert type(r) is xp.ndarray and r.tolist() == wanted
    r = np.array(1, "O") + x
    assert type(r) is np.ndarray and r.dtype == object and r.tolist() == [1, 2, 3, 4]


def test_positions():
    """Elements and values as positions, and as what is stored."""
    x = xp.arange(10)
    i, total = x[3], x[:3].sum()
    m = xp.zeros((5, 12))
    m[i, total] = total
    m[total, i] += i
    m[xp.asarray(np.array([4]))[0], np.int32(2)] = i / 2
    assert m[3, 3] == 6 and m[4, 2] == 1.5 and x[i] == 3 and x[-i] == 7 and x[total] == 3
    for wrong in (
        xp.arange(20)[15],
        xp.arange(20).sum(),
        np.int64(-11),
        xp.ones(1)[0],
        xp.ones(3).sum(),
        x[0] == 0,
    ):
        if isinstance(wrong, np.bool_):
            continue  # a mask
        with pytest.raises(IndexError):
            x[wrong]
        with pytest.raises(IndexError):
            x[wrong] = 1


@contextlib.contextmanager
def scalars(mode):
    before = xp.config.scalars
    xp.config.scalars = mode
    try:
        yield
    finally:
        xp.config.scalars = before


FULL = [
    "m.sum()",
    "m.mean()",
    "m.std()",
    "m.max()",
    "m.argmax()",
    "m.any()",
    "np.dot(v, v)",
    "v @ v",
    "np.linalg.norm(m)",
    "np.trace(m)",
    "np.linalg.det(m[:, :3])",
    "np.median(m)",
    "np.percentile(m, 30)",
    "np.ptp(m)",
    "np.average(v, weights=v)",
    "np.count_nonzero(m)",
    "np.sqrt(m.sum())",
    "np.inner(v, v)",
    "np.vdot(v, v)",
    "np.cumsum(v)[-1]",
    "np.searchsorted(np.sort(v), 2.0)",
    "np.interp(1.5, v, v)",
    "np.einsum('i,i', v, v)",
    "np.nanmean(m)",
    "np.prod(v + 1)",
    "np.all(m >= 0)",
    "np.trapezoid(v)",
    "np.polyval([1, 2], 3.0)",
    "m.sum() * 2 + m.mean()",
    "np.where(m.sum() > 1, m.sum(), 0.0)[()]",
    "np.linalg.cond(m[:, :3] + np.eye(3))",
    "np.corrcoef(v, v)[0, 1]",
    "np.round(m.astype('c16').sum(), 2)",
    "np.float64(2) * m.sum()",
    "np.linalg.slogdet(m[:, :3] + np.eye(3))[1]",
    "np.ones(()).sum()",
]


@pytest.mark.parametrize("n", [12, 12000])
@pytest.mark.parametrize("text", FULL)
def test_config__numpy(text, n):
    """Small and large: the same types as NumPy's, and as close as its values."""
    told = {}
    for module in (np, xp):
        names = {
            "np": module,
            "m": module.arange(float(n)).reshape(3, -1) % 7,
            "v": module.arange(float(n)) % 1000,
        }
        with scalars("numpy"):
            told[module] = eval(text, names)
    assert isinstance(told[xp], type(told[np])), (type(told[xp]), type(told[np]))
    np.testing.assert_allclose(told[xp], told[np], rtol=1e-12)
    with scalars("array"):
        r = eval(text, names)
    np.testing.assert_allclose(float(abs(r)), float(abs(told[np])), rtol=1e-12)


def test_config__arrays_stay_arrays():
    with scalars("numpy"):
        for x in (
            xp.asarray(3.0),
            xp.zeros(()),
            xp.ones(1).reshape(()),
            xp.ones((2, 2))[..., 0],
            xp.asarray(np.float64(2)),
            xp.ones(3)[0:1],
        ):
            assert type(x) is xp.ndarray
        assert type(xp.ones(3).sum(keepdims=True)) is xp.ndarray
        assert type(xp.ones(3).sum(out=xp.empty(()))) is xp.ndarray


def test_config__array__elements_are_arrays_too():
    x, m = xp.arange(4.0), xp.asarray(np.arange(6).reshape(2, 3))
    with scalars("array"):
        found = [x[1], m[1, 2], m[-1][0], next(iter(x)), list(m[0])[1], x.flat[2], x.sum(), x.max(), x[1] + x[2], -x[3],
                 m[1, 1] * 2, next(iter(m.flat))]
        for r in found:
            assert type(r) is xp.ndarray and r.shape == (), r
        assert [float(r) for r in found] == [1, 5, 3, 0, 1, 2, 6, 3, 3, -3, 8, 0]
        assert x.tolist() == [0.0, 1.0, 2.0, 3.0] and type(x.item(1)) is float and [10, 20, 30][m[0, 2]] == 30
        assert bool(x[1] < x[2]) and f"{x[3]:.1f}" == "3.0" and {int(m[0, 1]): 1} == {1: 1}
        x[0] = x[1] + 1
        assert x[0] == 2
    assert isinstance(x[0], np.float64)


def test_config__refuses():
    with pytest.raises(ValueError, match='"mixed", "numpy" or "array", not 3'):
        xp.config.scalars = 3
    assert xp.config.scalars in ("mixed", "array", "numpy")


@pytest.mark.parametrize(
    "value,mode", [("numpy", "numpy"), ("array", "array"), ("mixed", "mixed"), ("", "mixed"), ("nonsense", "mixed")]
)
def test_config__environment(value, mode):
    r = python(
        "import heddle, numpy; print(heddle.config.scalars, isinstance(heddle.ones(3).sum(), numpy.float64))",
        HEDDLE_SCALARS=value,
    )
    assert r.stdout.split() == [mode, str(mode == "numpy")]


def test_elements__do_not_leak():
    """Types of their own are counted by hand: their count of references goes back to where it was."""
    x = xp.arange(3.0)
    kind = type(x[0])
    before = sys.getrefcount(kind)
    for _ in range(1000):
        a = x[1] * 2 + x[2]
        kind(a)
    del a
    assert abs(sys.getrefcount(kind) - before) < 70     # up to 64 dead ones are kept


def test_elements__at_the_end_of_the_process():
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            "import heddle as hd, atexit\nv = hd.ones(3)[0]\natexit.register(lambda: print(v * 2 + v))",
        ],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "3.0\n" and not done.stderr


def test_results__that_get_axes_are_arrays_of_their_own():
    for make in (lambda s: s[None], lambda s: s[..., None], lambda s: s.reshape(1), lambda s: s.reshape(1, 1),
                 lambda s: xp.expand_dims(s, 0), lambda s: s.ravel(), lambda s: s.flatten(), lambda s: xp.atleast_1d(s)):
        s = xp.arange(4.0).sum()
        z = make(s)
        assert z.size == 1 and z.flags.writeable
        z[0] = 5
        assert z.ravel()[0] == 5 and s == 6


@needs_heddle
def test_results__can_be_given_another_value():
    for n in (4, 5000):
        s = xp.arange(float(n)).sum()
        other, text = s, s * 2
        s[...] = 7
        assert s == 7 and other is s and float(text) == n * (n - 1) and s.dtype == np.float64
        s[()] = 2.5
        assert s + 1 == 3.5
        with pytest.raises(TypeError):
            s[0] = 1
        with pytest.raises(ValueError):
            s[...] = [1, 2]


@needs_heddle
def test_results__are_written_to_by_masks():
    for key in (True, np.True_, np.array(True), xp.asarray(True), xp.ones(1).sum() > 0):
        s = xp.ones(3).sum()
        s[key] = 7
        assert s == 7 and s + 1 == 8
    s[xp.ones(1).sum() < 0] = 1
    s[False] = 1
    assert s == 7
    s[None] = 5
    assert s == 5
    for key in (0, [0], slice(None), [True]):
        with pytest.raises(TypeError, match="does not support item assignment"):
            s[key] = 1


def test_results__are_parameters_of_sqlite():
    import sqlite3
    s = xp.arange(3.0).sum()
    assert sqlite3.connect(":memory:").execute("select ?", (s,)).fetchone()[0] == 3.0


# ---- ufuncs of Python's numbers alone ------------------------------------------------------------

NUMBERS = [0.5, -2.25, 0.0, -0.0, float("nan"), float("inf"), 1e308, 3, 0, -7, 2**62, 2**63, -(2**63)]
NUMBERS += [True, False, 1j, 2.5 - 3j]
REAL = [0.5, -2.25, 0.0, float("nan"), float("inf"), 3, -7, 2**62, True]
UNARY = """absolute conjugate deg2rad exp floor invert isnan logical_not negative reciprocal rint sign
    signbit sqrt square""".split()
BINARY = "add arctan2 divide floor_divide hypot less maximum power remainder".split()


def alone(module, name, *numbers):
    """Whether it is a scalar, its dtype and value, or the exception."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            x = getattr(module, name)(*numbers)
        except TypeError:
            return TypeError, None, None
        except (ValueError, OverflowError) as e:
            return type(e), None, None
    return module.isscalar(x), x.dtype, np.asarray(x)


@pytest.mark.parametrize("name", UNARY + BINARY)
def test_ufunc__of_numbers_alone(name):
    for numbers in zip(NUMBERS) if name in UNARY else itertools.product(REAL, repeat=2):
        got, want = alone(xp, name, *numbers), alone(np, name, *numbers)
        assert got[:2] == want[:2], (numbers, got, want)
        if want[2] is not None:
            np.testing.assert_allclose(got[2], want[2], rtol=1e-14, err_msg=repr(numbers))
