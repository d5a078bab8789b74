# SPDX-License-Identifier: BSD-3-Clause
"""Every ufunc against NumPy: dtypes, awkward values, layouts, broadcasting, out=, where=, dtype=, casting=.

Real + - * / sqrt, comparisons, rounding and integers must have NumPy's bits; complex * and / are within 2 ULP, functions
of the mathematical library within 4. Result dtype and strides are NumPy's. A float16 is the float32 result
rounded, so that its functions are within 1.
"""

import pathlib
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from common import (
    NEXT_HALF_IS_OTHER_ZERO,
    COMPLEX,
    DTYPES,
    FLOATS,
    INTEGERS,
    IS_NUMPY,
    check_values,
    give,
    layouts,
    moderate,
    needs_heddle,
    outcome,
    same,
    same_outcome,
    specials,
    xp,
)

# name -> ULP allowed for real numbers: the ufuncs that have a row in the table of test cases
CASES = pathlib.Path(__file__).parents[1] / "ops/ew_cases.def"
ULP = {
    name: int(ulp)
    for name, ulp in re.findall(r"^CASE\((\w+), *(\d+),", CASES.read_text(), re.MULTILINE)
    if isinstance(getattr(np, name, None), np.ufunc)
}
UNARY = [name for name in ULP if getattr(np, name).nin == 1]
BINARY = [name for name in ULP if getattr(np, name).nin == 2]
OPERATORS = {
    "+": "add",
    "-": "subtract",
    "*": "multiply",
    "/": "divide",
    "//": "floor_divide",
    "%": "remainder",
    "**": "power",
    "==": "equal",
    "!=": "not_equal",
    "<": "less",
    "<=": "less_equal",
    ">": "greater",
    ">=": "greater_equal",
    "&": "bitwise_and",
    "|": "bitwise_or",
    "^": "bitwise_xor",
    "<<": "left_shift",
    ">>": "right_shift",
}
# Which of two zeros of different sign comes out is not the same in all of NumPy's own loops.
ANY_ZERO = {"maximum", "minimum", "fmax", "fmin"}
LARGE_ARGUMENTS = {"sin", "cos", "tan"}


def ulp_of(name, dtype):
    allowed = ULP[name]
    if np.dtype(dtype).kind == "c":
        exact = {
            "add",
            "subtract",
            "negative",
            "positive",
            "conjugate",
            "isnan",
            "isinf",
            "isfinite",
            "logical_not",
            "equal",
            "not_equal",
            "less",
            "less_equal",
            "greater",
            "greater_equal",
            "logical_and",
            "logical_or",
            "logical_xor",
            "maximum",
            "minimum",
            "fmax",
            "fmin",
        }
        return (
            0
            if name in exact
            else 2
            if name in ("multiply", "divide", "square", "reciprocal")
            else 8
        )
    return min(allowed, 1) if np.dtype(dtype) == np.float16 else allowed


def ulp_at(name, dtype, x, y):
    """ulp_of() for each element. Errors of NumPy's, and of ours: those of powers of complex numbers grow with the exponent of e
    that they are; where the terms of logaddexp cancel, the result is exact beside these."""
    ulp = ulp_of(name, dtype)
    with np.errstate(all="ignore"):
        if name in ("power", "float_power") and np.result_type(x, y).kind == "c":
            factor = 1 + np.abs(y * np.log(x.astype("c16")))
            return ulp * np.where(np.isfinite(factor), factor, 1)
        if name in ("logaddexp", "logaddexp2") and np.result_type(x, y).kind == "f":
            result = np.abs(getattr(np, name)(x, y).astype("f8"))
            return ulp * np.fmax(1, np.fmax(np.abs(x), np.abs(y)) / result)
    return ulp


def run_both(name, *operands, **keywords):
    """Outcomes of a ufunc here and in NumPy."""
    want = outcome(getattr(np, name), *operands, **keywords)
    return outcome(getattr(xp, name), *map(give, operands), **keywords), want


@needs_heddle
def test_every_ufunc_has_a_case():
    ours = {
        n
        for n in dir(xp)
        if type(getattr(xp, n)).__name__ == "ufunc" and getattr(xp, n).__name__ == n
    }
    aliases = {n for n in ours if getattr(np, n, None) is not None and getattr(np, n).__name__ != n}
    pairs = {n for n in ours if getattr(xp, n).nout == 2}
    assert pairs == {"divmod", "frexp", "modf"}
    assert ours - aliases - pairs - set(ULP) - {"clip", "matmul"} == set()
    assert {n for n in ULP if not hasattr(xp, n)} == set()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", UNARY)
def test_unary(name, dtype):
    x = specials(dtype)
    if name in LARGE_ARGUMENTS and x.dtype.kind == "f":
        x = x[~(np.abs(x) > 1e6)]
    both = run_both(name, x)
    if name == "log1p" and x.dtype.kind == "c":  # NumPy's is not exact near 0
        both = both[0], outcome(lambda: np.log1p(x.astype(np.clongdouble)).astype(x.dtype))
    same_outcome(
        *both,
        ulp=ulp_of(name, dtype),
        where=f"{name} of {dtype}",
        zero_signs=ulp_of(name, dtype) == 0,
    )


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", BINARY)
def test_binary(name, dtype):
    v = specials(dtype)
    x, y = (np.ascontiguousarray(a.ravel()) for a in np.meshgrid(v, v))
    if name == "power":
        if x.dtype.kind == "i":
            x, y = x[y >= 0], y[y >= 0]
        if x.dtype.kind == "c":
            x, y = x[np.abs(x) > 0.2], y[np.abs(x) > 0.2] * 0.25
    if name == "divide" and x.dtype.kind == "c":
        x, y = x[y != 0], y[y != 0]
    both = run_both(name, x, y)
    any_zero = name in ANY_ZERO or (name == "nextafter" and dtype == "f2" and NEXT_HALF_IS_OTHER_ZERO)
    same_outcome(
        *both,
        ulp=ulp_at(name, dtype, x, y),
        where=f"{name} of {dtype}",
        zero_signs=not any_zero and ulp_of(name, dtype) == 0,
    )


@needs_heddle
@pytest.mark.parametrize("tier", [0, 1])
@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", ["fmax", "fmin", "maximum", "minimum"])
def test_extremes__the_second_of_two_zeros(name, dtype, tier):
    """At every length; NumPy's fmax and fmin of what is left after whole vectors may be others."""
    before = xp.set_tier(tier)
    try:
        for step in (1, 2, -1):
            for n in [*range(1, 41), 1000]:
                x = np.resize(np.array([0.0, -0.0], dtype), 2 * n)[::step][:n]
                for a, b in ((x, -x), (-x, x)):
                    got = np.signbit(xp.asnumpy(getattr(xp, name)(give(a), give(b))))
                    assert np.array_equal(got, np.signbit(b)), f"{n} elements, step {step}"
        zero, minus = xp.asarray(0.0, dtype=dtype)[()], xp.asarray(-0.0, dtype=dtype)[()]
        assert xp.signbit(getattr(xp, name)(zero, minus))
        assert not xp.signbit(getattr(xp, name)(minus, zero))
    finally:
        xp.set_tier(before)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("name", ["fmax", "fmin", "maximum", "minimum"])
def test_extremes__zeros_of_whole_vectors_are_numpys(name, dtype):
    x = np.resize(np.array([0.0, -0.0, -0.0], dtype), 192)
    for a, b in ((x, -x), (-x, x)):
        same(getattr(xp, name)(give(a), give(b)), getattr(np, name)(a, b))


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("name", ["fmax", "fmin", "maximum", "minimum"])
def test_extremes__running_zeros(name, dtype):
    for x in ([0.0, -0.0, 0.0], [-0.0, 0.0, -0.0, -0.0, np.nan, 0.0, -0.0]):
        x = np.array(x, dtype)
        got = getattr(xp, name).accumulate(xp.asarray(x, device="cpu"))
        same(got, getattr(np, name).accumulate(x))


@pytest.mark.parametrize("n", [-7, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5])
def test_power__complex_to_whole_numbers(n):
    """NumPy multiplies, and divides 1 by that: zeros, infinities and nan come out of the parts."""
    parts = np.array([0.0, -0.0, 1.0, -1.0, 0.5, -2.0, 1e3, np.inf, -np.inf, np.nan])
    x = np.empty(parts.size**2, "c16")
    x.real, x.imag = np.repeat(parts, parts.size), np.tile(parts, parts.size)
    if n in (2, 3):
        x = x[x != 0]   # x**2 and x**3 are products, also of zeros
    with np.errstate(all="ignore"):
        for by in (n, float(n), complex(n), np.full(x.shape, n, "c16")):
            got, want = give(x) ** (by if np.isscalar(by) else give(by)), x**by
            same(got, want, ulp=8, where=f"{by!r:.20}")
            for a, b in ((xp.real(got), want.real), (xp.imag(got), want.imag)):
                a = np.array(a if IS_NUMPY else xp.asnumpy(a))
                both = np.isfinite(a) & np.isfinite(b) & (a != 0) & (b != 0)   # how near: above
                a[both] = b[both]
                check_values(a, b, where=f"{by!r:.20}")


def test_ldexp__python_integer_beside_exponents():
    """The first of NumPy's loops that takes them: float16, whatever the integer is."""
    for by in (np.array([1, 2, 3]), np.array([1, 2], "i1"), np.array(3, "u2"), np.array([[4]], "i4")):
        for x in (5, -300, 70000, 2**70, 5.0, True):
            with np.errstate(all="ignore"):
                same(xp.ldexp(x, give(by)), np.ldexp(x, by), strides=False, where=f"{x} and {by.dtype}")
    same(xp.ldexp(5, 3), np.ldexp(5, 3), strides=False)


@pytest.mark.parametrize("name", BINARY)
def test_mixed_dtypes(name):
    for a in DTYPES:
        for b in DTYPES:
            if a == b:
                continue
            x, y = moderate(a, 12), moderate(b, 12, 5)
            if name == "power":
                y = np.abs(y).astype(b) if y.dtype.kind != "c" else y
                x = x + x.dtype.type(20) if x.dtype.kind == "c" else x
            if name == "divide" and "c" in a + b:
                y = np.where(y == 0, 1, y).astype(b)
            both = run_both(name, x, y)
            result = np.result_type(a, b)
            same_outcome(
                *both,
                ulp=ulp_at(name, result, x, y),
                where=f"{name} of {a} and {b}",
                zero_signs=False,
            )


@pytest.mark.parametrize("symbol", OPERATORS)
def test_operators(symbol):
    for dtype in ("?", "i4", "u1", "i8", "f4", "f8", "c16"):
        x, y = moderate(dtype, 12), np.abs(moderate(dtype, 12, 3)).astype(dtype)
        for text in (
            f"x {symbol} y",
            f"x {symbol} 2",
            f"2 {symbol} y",
            f"x {symbol} 2.5",
            f"2.5 {symbol} y",
            f"x {symbol} True",
        ):
            want = outcome(eval, text, {"x": x, "y": y})
            got = outcome(eval, text, {"x": give(x), "y": give(y)})
            same_outcome(
                got,
                want,
                ulp=ulp_of(OPERATORS[symbol], dtype) or (2 if dtype == "c16" else 0),
                where=f"{text} of {dtype}",
                zero_signs=False,
            )


@pytest.mark.parametrize("symbol", ["+", "-", "*", "/", "//", "%", "**", "&", "|", "^", "<<", ">>"])
def test_inplace_operators(symbol):
    for a, b in (
        ("f8", "f8"),
        ("f8", "i4"),
        ("f4", "f8"),
        ("i8", "i8"),
        ("i4", "i8"),
        ("i4", "f8"),
        ("u1", "u1"),
        ("u1", "i8"),
        ("?", "?"),
        ("c16", "f8"),
        ("f8", "c16"),
    ):
        x, y = (
            moderate(a, 12),
            np.abs(moderate(b, 12, 3)).astype(b) + (0 if b == "?" else np.dtype(b).type(1)),
        )
        spaces = [{"x": make(x.copy()), "y": make(y)} for make in (give, lambda v: v)]
        ulp = 2 if "c16" in (a, b) else 0
        if symbol == "**":
            ulp = ulp_at("power", a, x, y) if a[0] == "c" else 4
        outcomes = [outcome(exec, f"x {symbol}= y", space) for space in spaces]
        assert outcomes[0][0] == outcomes[1][0], f"{a} {symbol}= {b}: {outcomes}"
        same(
            spaces[0]["x"],
            spaces[1]["x"],
            ulp=ulp,
            where=f"{a} {symbol}= {b}",
            zero_signs=False,
        )


# ---- layouts and shapes -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["negative", "add", "multiply", "less", "sqrt", "exp"])
@pytest.mark.parametrize("dtype", ["f8", "i4", "u1", "c16"])
def test_layouts(name, dtype):
    for first, x in layouts((4, 6), dtype):
        if name in UNARY:
            both = run_both(name, x)
            same_outcome(*both, ulp=ulp_of(name, dtype), where=f"{name}, {first}")
            continue
        for second, y in layouts((4, 6), dtype, 9):
            same_outcome(
                *run_both(name, x, y),
                ulp=ulp_of(name, dtype),
                where=f"{name}, {first} and {second}",
            )


def test_layouts_of_three_axes():
    x = moderate("f8", 2 * 3 * 4).reshape(2, 3, 4)
    for axes in ((0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0)):
        for other in ((0, 1, 2), (2, 1, 0), (1, 0, 2)):
            a, b = (
                x.transpose(axes),
                np.ascontiguousarray(x.transpose(axes))
                .transpose(other)
                .copy()
                .transpose(np.argsort(other)),
            )
            same(give(a) + give(b), a + b, where=f"{axes} {other}")
            same(give(a)[:, :1] * give(b), a[:, :1] * b, where=f"{axes} {other} broadcast")


@pytest.mark.parametrize(
    "shapes",
    [
        ((), ()),
        ((), (3,)),
        ((1,), (3,)),
        ((4, 1), (3,)),
        ((4, 1), (1, 3)),
        ((2, 1, 3), (4, 1)),
        ((0,), (1,)),
        ((0,), ()),
        ((2, 0), (1,)),
        ((0, 3), (3,)),
        ((1, 0), (5, 1)),
        ((1,) * 30, (2,)),
        ((2, 1) * 8, (1, 2)),
        ((5,), (5,)),
    ],
)
def test_broadcasting(shapes):
    x, y = (
        moderate("f8", max(1, int(np.prod(s))), k)[: int(np.prod(s))].reshape(s)
        for k, s in enumerate(shapes)
    )
    same(give(x) + give(y), x + y)
    same(give(y) < give(x), y < x)


@pytest.mark.parametrize(
    "shapes", [((2,), (3,)), ((2, 3), (3, 2)), ((0,), (2,)), ((4, 1, 2), (3, 3))]
)
def test_shapes_that_do_not_match(shapes):
    with pytest.raises(ValueError):
        xp.ones(shapes[0]) + xp.ones(shapes[1])


def test_sixty_four_dimensions():
    shape = (1,) * 30 + (2,) + (1,) * 32 + (3,)
    x = moderate("f8", 6).reshape(shape)
    same(give(x) + 1, x + 1)
    same(give(x).sum(axis=63), x.sum(axis=63))


dtype_names = st.sampled_from(["f8", "f8", "f4", "i4", "i8", "u1", "?", "c16"])
extents = st.lists(st.integers(0, 5), max_size=4)


@st.composite
def strided(draw):
    """An array that is a random view of a contiguous one."""
    shape = tuple(draw(extents))
    x = moderate(
        draw(dtype_names), int(np.prod([k + 3 for k in shape], dtype=int)), draw(st.integers(0, 9))
    )
    x = x.reshape([k + 3 for k in shape])
    if shape:
        x = x.transpose(draw(st.permutations(range(len(shape)))))
    index = []
    for n in x.shape:
        index.append(
            draw(
                st.sampled_from(
                    [
                        slice(None),
                        slice(1, None),
                        slice(None, None, -1),
                        slice(0, n, 2),
                        slice(n, 1, -2),
                        slice(0, 1),
                        slice(2, 2),
                    ]
                )
            )
        )
    return x[tuple(index)]


@given(strided(), st.sampled_from(["negative", "isfinite", "logical_not", "square", "conjugate"]))
def test_any_layout_of_one(x, name):
    both = run_both(name, x)
    same_outcome(*both, where=name, ulp=ulp_of(name, x.dtype))


@given(
    strided(),
    strided(),
    st.sampled_from(["add", "multiply", "maximum", "less", "logical_and", "copysign"]),
)
def test_any_layout_of_two(x, y, name):
    both = run_both(name, x, y)
    same_outcome(*both, where=name, ulp=ulp_of(name, np.result_type(x, y)), zero_signs=False)


@given(strided(), st.data())
def test_broadcast_with_itself(x, data):
    y = x
    for axis in range(x.ndim):
        if x.shape[axis] and data.draw(st.booleans()):
            y = np.take(y, [0], axis=axis)
    same_outcome(*run_both("add", x, y), where="add")


def test_long_arrays():
    for n in (1000, 4096, 4097, 100_003):
        x, y = moderate("f8", n, 1), moderate("f8", n, 2)
        same(give(x)[::-1] * give(y) + give(x), x[::-1] * y + x)
        i = moderate("i4", n, 3)
        same(give(i)[1::3] * 2 - give(y)[1::3], i[1::3] * 2 - y[1::3])


# ---- out=, where=, dtype=, casting= ---------------------------------------------------------------------------------------


def test_out():
    x, y = moderate("f8", 12), moderate("f8", 12, 2)
    for dtype in ("f8", "f4", "c16", "i4"):
        ours, theirs = xp.zeros(12, dtype=dtype), np.zeros(12, dtype=dtype)
        got, want = outcome(xp.add, give(x), give(y), out=ours), outcome(np.add, x, y, out=theirs)
        same_outcome(got, want, where=dtype)
        if want[0] == "value":
            assert got[1] is ours
        same(ours, theirs)
    ours = xp.zeros(12)
    assert xp.add(give(x), give(y), out=(ours,)) is ours
    same(xp.add(give(x), give(y), ours), x + y)


def test_out_of_a_view():
    theirs, ours = np.zeros((4, 6)), xp.zeros((4, 6))
    x = moderate("f8", 12).reshape(2, 6)
    np.multiply(x, 2, out=theirs[::2])
    xp.multiply(give(x), 2, out=ours[::2])
    same(ours, theirs)
    np.add(x.T, 1, out=theirs[1::2].T)
    xp.add(give(x).T, 1, out=ours[1::2].T)
    same(ours, theirs)


def test_out_must_have_the_shape():
    for shape in ((3,), (4, 4), ()):
        same_outcome(
            outcome(xp.add, xp.ones((4, 3)), 1, out=xp.ones(shape)),
            outcome(np.add, np.ones((4, 3)), 1, out=np.ones(shape)),
        )
    assert xp.add(xp.ones(3), 1, out=xp.ones((4, 3))).shape == (4, 3)  # out may be larger


@pytest.mark.parametrize(
    "a,b,c",
    [
        (slice(1, None), slice(None, -1), slice(1, None)),
        (slice(None, -1), slice(1, None), slice(None, -1)),
        (slice(None, None, -1), slice(None), slice(None)),
        (slice(0, 4), slice(4, 8), slice(2, 6)),
        (slice(0, 8, 2), slice(1, 9, 2), slice(1, 9, 2)),
        (slice(0, 5), slice(0, 5), slice(4, 9)),
    ],
)
def test_out_overlaps_inputs(a, b, c):
    for name in ("add", "multiply", "subtract"):
        for dtype in ("f8", "i4"):
            x = moderate(dtype, 9)
            n = min(len(x[a]), len(x[b]), len(x[c]))
            theirs, ours = x.copy(), give(x.copy())
            getattr(np, name)(theirs[a][:n], theirs[b][:n], out=theirs[c][:n])
            getattr(xp, name)(ours[a][:n], ours[b][:n], out=ours[c][:n])
            same(ours, theirs, where=f"{name} {a} {b} {c}")


def test_in_place_with_itself():
    for statement in (
        "x[1:] += x[:-1]",
        "x[:-1] += x[1:]",
        "x += x[::-1]",
        "x[::2] -= x[1::2]",
        "x[:] = x[::-1]",
        "x *= x",
        "x[3:] = x[:-3] * 2",
        "x -= x[:1]",
        "x /= x[4]",
        "x[2:8] **= 2",
    ):
        theirs, ours = moderate("f8", 10, 4), give(moderate("f8", 10, 4))
        exec(statement, {"x": theirs})
        exec(statement, {"x": ours})
        same(ours, theirs, where=statement)
    for statement in (
        "m += m.T",
        "m[1:] += m[:-1]",
        "m[:, 1:] = m[:, :-1]",
        "m[:] = m.T",
        "m += m[0]",
        "m -= m[:, :1]",
        "m.T[...] = m[::-1]",
        "m[...] = m[::-1, ::-1]",
    ):
        theirs, ours = moderate("f8", 25).reshape(5, 5), give(moderate("f8", 25).reshape(5, 5))
        exec(statement, {"m": theirs})
        exec(statement, {"m": ours})
        same(ours, theirs, where=statement)


def test_where():
    x, y, mask = moderate("f8", 12), moderate("f8", 12, 2), moderate("?", 12)
    for m in (mask, mask[:1], np.array(True), np.array(False), mask[::-1]):
        theirs, ours = np.full(12, 7.0), xp.full(12, 7.0)
        np.add(x, y, out=theirs, where=m)
        xp.add(give(x), give(y), out=ours, where=give(m))
        same(ours, theirs)
    theirs, ours = np.full((3, 12), 7.0), xp.full((3, 12), 7.0)
    np.sqrt(x, out=theirs, where=x > 0)
    xp.sqrt(give(x), out=ours, where=give(x) > 0)
    same(ours, theirs)
    same_outcome(
        outcome(xp.add, give(x), 1, out=xp.zeros(12), where=give(x)),
        outcome(np.add, x, 1, out=np.zeros(12), where=x),
    )


@pytest.mark.parametrize("dtype", ["f4", "f8", "i4", "i8", "c16", "u1", "?"])
def test_dtype_keyword(dtype):
    for a in ("f8", "f4", "i4", "i8", "?"):
        for name in ("add", "multiply", "sqrt", "less"):
            x = np.abs(moderate(a, 6)).astype(a)
            operands = (x,) if name == "sqrt" else (x, x[::-1])
            for casting in ("same_kind", "unsafe", "safe"):
                both = run_both(name, *operands, dtype=dtype, casting=casting)
                same_outcome(*both, where=f"{name} of {a} as {dtype}, {casting}")


def test_casting_keyword():
    x, y = moderate("f8", 6), moderate("i4", 6)
    for casting in ("no", "equiv", "safe", "same_kind", "unsafe"):
        same_outcome(*run_both("add", x, x, casting=casting), where=casting)
        same_outcome(*run_both("add", x, y, casting=casting), where=casting)
        ours, theirs = xp.zeros(6, dtype="i4"), np.zeros(6, dtype="i4")
        got = outcome(xp.add, give(y), give(y), out=ours, casting=casting)
        same_outcome(
            got, outcome(np.add, y, y, out=theirs, casting=casting), where=f"out, {casting}"
        )


# ---- where, clip, others of three operands ----------------------------------------------------------------------------------


def test_where_function():
    for dtype in DTYPES:
        c, x, y = moderate("?", 12), moderate(dtype, 12, 1), moderate(dtype, 12, 2)
        same(xp.where(give(c), give(x), give(y)), np.where(c, x, y), where=dtype)
        same(xp.where(give(x), give(x), give(y)), np.where(x, x, y), where=dtype)
    c = moderate("?", 4).reshape(4, 1)
    same(xp.where(give(c), give(np.arange(3)), 2.5), np.where(c, np.arange(3), 2.5))
    same(xp.where(give(c), 1, 0), np.where(c, 1, 0))
    same(xp.where(give(c), give(np.ones(3, "f4")), 0), np.where(c, np.ones(3, "f4"), 0))


def test_clip():
    for dtype in INTEGERS + FLOATS:
        x = specials(dtype)
        same(xp.clip(give(x), 1, 7), np.clip(x, 1, 7), where=dtype)
        low, high = moderate(dtype, len(x), 1), moderate(dtype, len(x), 2)
        same(
            xp.clip(give(x), give(low), give(high)),
            np.clip(x, low, high),
            where=dtype,
            zero_signs=False,
        )
    x = moderate("f8", 12)
    for low, high in ((None, 1), (-1, None), (-0.5, 0.5), (2, -2)):
        same(xp.clip(give(x), low, high), np.clip(x, low, high))
        same(give(x).clip(low, high), x.clip(low, high))


# ---- accuracy -------------------------------------------------------------------------------------------------------------

RANGES = {
    "exp": (-745, 709),
    "exp2": (-1074, 1023),
    "expm1": (-50, 709),
    "log": (0, 1e300),
    "log2": (0, 1e300),
    "log10": (0, 1e300),
    "log1p": (-1, 1e300),
    "sin": (-1e4, 1e4),
    "cos": (-1e4, 1e4),
    "tan": (-1e4, 1e4),
    "arcsin": (-1, 1),
    "arccos": (-1, 1),
    "arctan": (-1e3, 1e3),
    "sinh": (-700, 700),
    "cosh": (-700, 700),
    "tanh": (-30, 30),
    "arcsinh": (-1e8, 1e8),
    "arccosh": (1, 1e8),
    "arctanh": (-1, 1),
}


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", RANGES)
def test_accuracy(name, dtype):
    rng = np.random.default_rng(3)
    low, high = RANGES[name]
    if dtype == "f4" and high > 100 and name in ("exp", "exp2", "expm1", "sinh", "cosh"):
        low, high = low / 9, high / 9
    x = np.concatenate(
        [
            rng.uniform(low, min(high, 1e30), 20_000),
            rng.uniform(max(low, -1), min(high, 1.5), 20_000),
            rng.standard_normal(20_000) * 1e-3,
        ]
    ).astype(dtype)
    x = x[(x >= low) & (x <= high)]
    exact = (
        getattr(np, name)(x.astype("f8")).astype("f4") if dtype == "f4" else getattr(np, name)(x)
    )
    check_values(getattr(xp, name)(give(x)), exact, 4, where=name)


@pytest.mark.parametrize("dtype", COMPLEX)
def test_accuracy_complex(dtype):
    rng = np.random.default_rng(4)
    x = (rng.standard_normal(5000) + 1j * rng.standard_normal(5000)).astype(dtype)
    y = x[::-1]
    for name, ulp in (("multiply", 2), ("divide", 2)):
        check_values(getattr(xp, name)(give(x), give(y)), getattr(np, name)(x, y), ulp, where=name)
    for name in ("exp", "log", "sqrt", "sin", "cos", "tanh", "square", "absolute"):
        got, want = np.array(getattr(xp, name)(give(x))), getattr(np, name)(x)
        eps = np.finfo(dtype).eps
        assert np.all(np.abs(got - want) <= 8 * eps * np.maximum(np.abs(want), 0.1)), name


def wide_float32(rng, n):
    """All exponents alike, and what has none."""
    x = rng.integers(0, 2**32, n, dtype="u4").view("f4").copy()
    x[::97] = rng.choice(np.float32([0.0, -0.0, np.inf, -np.inf, np.nan, 1e-45, -1e-38, 3e38, 2**60, 2**-60, 1]), len(x[::97]))
    return x


@pytest.mark.parametrize("middling", [False, True])
def test_quotients_of_float32_are_the_nearest(middling):
    """GPUs divide by a reciprocal, where that is right."""
    rng = np.random.default_rng(7)
    x, y = wide_float32(rng, 60_000), wide_float32(rng, 60_000)
    if middling:
        x, y = ((v.view("u4") & 0x83FFFFFF | 0x3C000000).view("f4").copy() for v in (x, y))
    with np.errstate(all="ignore"):
        same(give(x) / give(y), x / y)
        same(1 / give(y), 1 / y)
        same(np.float32(1.7) / give(y), np.float32(1.7) / y)
        for divisor in (y[0], np.float32(3), y[-1]):
            same(give(x) / divisor, x / divisor)
        rows, by = x.reshape(200, 300).copy(), np.abs(y[:200, None])
        same(give(rows) / give(by), rows / by)


# ---- kinds of operand ------------------------------------------------------------------------------------------------------


def test_numpy_arrays_lists_and_scalars_as_operands():
    x = moderate("f8", 3)
    ours = give(x)
    same(ours + x, x + x)
    same(xp.add(ours, [1, 2, 3]), np.add(x, [1, 2, 3]))
    same(ours * np.float32(2), x * np.float32(2))
    same(ours + np.int64(2), x + np.int64(2))
    same(xp.exp(1.0), np.exp(1.0), ulp=1)
    same(xp.add(1, 2), np.add(1, 2))
    same(xp.add([1, 2], (3, 4)), np.add([1, 2], (3, 4)))


def test_unknown_operand_gets_its_turn():
    class Other:
        __array_ufunc__ = None

        def __radd__(self, left):
            return "radd"

    assert xp.ones(3) + Other() == "radd"
    with pytest.raises(TypeError):
        xp.ones(3) + object()
    with pytest.raises(TypeError):
        xp.add(xp.ones(3), "x")
