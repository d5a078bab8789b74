# SPDX-License-Identifier: BSD-3-Clause
"""The two tiers of kernels give the same bits, whatever is computed and whenever one takes over."""

import io

import numpy as np
import pytest
from common import python, xp
from hypothesis import given
from hypothesis import strategies as st

pytestmark = pytest.mark.skipif(
    xp is np or xp.show_config("dicts").get("instructions", "none") == "none",
    reason="has no tiers")

DTYPES = ["?", "i1", "u1", "i2", "i4", "u4", "i8", "u8", "f4", "f8", "F", "D"]
UNARY = ["negative", "absolute", "square", "sqrt", "exp", "sin", "floor", "sign", "isnan", "tanh",
         "logical_not", "log1p", "reciprocal", "conjugate", "rint", "spacing", "bitwise_count"]
BINARY = ["add", "subtract", "multiply", "divide", "maximum", "minimum", "fmax", "power", "less",
          "equal", "not_equal", "arctan2", "floor_divide", "remainder", "logical_or", "copysign",
          "fmod", "gcd", "lcm", "nextafter", "ldexp", "left_shift", "fmin"]


@pytest.fixture(autouse=True)
def any_tier():
    yield
    xp.set_tier(None)


def at_tier(tier, program):
    xp.set_tier(tier)
    return xp.asnumpy(program())


def same_bits(a, b):
    assert a.dtype == b.dtype and a.shape == b.shape
    nan = np.isnan(a) & np.isnan(b) if a.dtype.kind in "fc" else np.zeros(a.shape, bool)
    assert (np.where(nan, 0, a).tobytes() == np.where(nan, 0, b).tobytes())


def random_array(draw, dtype, shape):
    rng = np.random.default_rng(draw(st.integers(0, 1 << 30)))
    a = rng.standard_normal(shape) * draw(st.sampled_from([1, 10, 1e5]))
    a = np.where(rng.random(shape) < 0.05, rng.choice([0.0, -0.0, np.nan, np.inf, 1, -1], shape), a)
    return np.nan_to_num(a, posinf=0, neginf=0).astype(dtype) if np.dtype(dtype).kind in "?biu" \
        else a.astype(dtype)


@st.composite
def programs(draw):
    """A function of no arguments that computes a random expression of random arrays."""
    n = draw(st.sampled_from([1, 3, 8, 17, 64, 257, 5000]))
    rows = draw(st.sampled_from([None, 1, 3]))
    shape = (n,) if rows is None else (rows, n)
    arrays = []
    for dtype in draw(st.lists(st.sampled_from(DTYPES), min_size=2, max_size=3)):
        a = xp.asarray(random_array(draw, dtype, shape))
        how = draw(st.integers(0, 4))
        if how == 1:
            a = a[..., ::-1]
        elif how == 2:
            a = a[..., :1]
        elif how == 3 and n > 1:
            a = xp.asarray(random_array(draw, dtype, (*shape[:-1], 2 * n)))[..., ::2]
        arrays.append(a)
    steps = draw(st.lists(st.tuples(st.sampled_from(UNARY + BINARY), st.integers(0, 9),
                                    st.integers(0, 9)), min_size=2, max_size=8))
    end = draw(st.sampled_from([None, None, "sum", "max", "mean"]))

    def program():
        values = list(arrays)
        for name, i, j in steps:
            x, y = values[-1 - i % len(values)], values[-1 - j % len(values)]
            try:
                values.append(getattr(xp, name)(x) if name in UNARY else getattr(xp, name)(x, y))
            except (TypeError, ValueError):
                pass   # has no such loop, or int ** negative
        result = values[-1]
        return result if end is None else getattr(result, end)(axis=-1)
    return program


@given(programs())
def test_tiers_give_the_same_bits(program):
    same_bits(at_tier(0, program), at_tier(1, program))


DRAWS = [
    lambda g, n: g.random(n) * 2 - 1,
    lambda g, n: g.random(n, dtype="f4") + g.random(n),
    lambda g, n: g.standard_normal(n) * 3 + 1,
    lambda g, n: g.standard_normal(n, dtype="f4") - 1,
    lambda g, n: g.integers(-3, 100, n) * 2 + 1,
    lambda g, n: g.integers(0, 2**63, n) // 3 % 1000,
    lambda g, n: g.integers(0, 200, n, dtype="u1") + 1,
    lambda g, n: g.gamma(0.5, 2.0, n) + g.gamma(3.0, 1.0, n),
    lambda g, n: g.beta(0.5, 0.5, n) - g.beta(2.0, 3.0, n),
    lambda g, n: g.poisson(3.0, n) - g.poisson(40.0, n),
    lambda g, n: g.binomial(20, 0.1, n) * 2 + g.binomial(1000, 0.7, n),
    lambda g, n: (g.random(2 * n) * 2 - 1)[1::2],
]


@pytest.mark.parametrize("n", [1, 10, 257, 30_001])
def test_random_numbers__are_those_of_tier_0(n):
    for draw in DRAWS:
        def program(draw=draw):
            return draw(xp.random.default_rng(11), n)
        same_bits(at_tier(0, program), at_tier(1, program))


def test_random_numbers__are_part_of_a_chain():
    if no_generator():
        pytest.skip("no code generator in this build")
    text = python("import heddle as h; g = h.random.default_rng(1); "
                  "print(float((g.random(1000) * 2 - 1)[3])); h.show_config()",
                  HEDDLE_TIER="1", HEDDLE_CACHE="off").stdout
    assert "1 compiled: 1 by LLVM" in text


@pytest.mark.parametrize("dtype", ["F", "D"])
def test_complex_numbers__are_those_of_tier_0(dtype):
    rng = np.random.default_rng(3)
    for n in (1, 5, 64, 1003):
        x, y = (xp.asarray((rng.standard_normal(n) + 1j * rng.standard_normal(n)).astype(dtype))
                for _ in range(2))
        for program in (lambda: (x * y - 1j) / (y + 2), lambda: abs(x * x + y).astype("f4") * 2,
                        lambda: xp.maximum(x, y) * xp.conj(y), lambda: xp.where(x < y, x, y) + 1,
                        lambda: (x.real * y).imag + 1, lambda: xp.sign(x - y) * 2):
            same_bits(at_tier(0, program), at_tier(1, program))


@pytest.mark.parametrize("dtype", DTYPES + ["f2"])
def test_strided_operands__are_read_where_they_lie(dtype):
    """By elements, rows and columns, alone and with dense operands, one and several at a time; what
    is also reduced or stored by itself is gathered."""
    rng = np.random.default_rng(3)
    raw = np.asarray(rng.integers(0, 50, 40_000), dtype)
    a = xp.asarray(raw)
    # both strided first: the kernel is compiled for that
    views = [(a[1::3][:9_000], a[::2][:9_000]), (a[:9_000], a[::2][:9_000]), (a[17_999::-2], a[18_000:27_000]),
             (a[::3][:999], a[::-1][:999]), (a[5::40], a[::40]),
             (a.reshape(200, 200)[:, ::-1], a.reshape(200, 200)[:, :]),
             (a.reshape(100, 400)[:, ::2], a.reshape(100, 400)[::1, 200:]),
             (a.reshape(200, 200)[::2, ::2], a.reshape(100, 400)[:, 1::4]),
             (a[:30_000].reshape(100, 300)[:, ::2], a[:15_000].reshape(100, 150)),
             (a[:36_000].reshape(60, 600)[:, ::2], a[:18_000].reshape(60, 300)),
             (a.reshape(20, 10, 200)[:, ::3, 20:120:2], a.reshape(20, 10, 200)[:, 1:5, 50:0:-1])]
    for x, y in views:
        for f in (lambda x, y: x * y + x, lambda x, y: (x * y + y).sum(),
                  lambda x, y: (x + y * y).sum(axis=-1), lambda x, y: (x + y * y).sum(axis=0),
                  lambda x, y: (x + y * y) + x.sum(), lambda x, y: (x * 2 + y).astype("f8") * 2):
            same_bits(at_tier(0, lambda f=f, x=x, y=y: f(x, y)),
                      at_tier(1, lambda f=f, x=x, y=y: f(x, y)))


def test_strided_operands__change_from_call_to_call():
    """One kernel, launched with other layouts than the one that it was compiled for."""
    a = xp.arange(30_000.0)
    for layout in (slice(0, 5000), slice(0, 10_000, 2), slice(9_999, 4_999, -1), slice(0, 5000),
                   slice(1, 15_001, 3)):
        for other in (slice(0, 5000), slice(0, 20_000, 4)):
            x, y = a[layout], a[other]
            got = at_tier(1, lambda x=x, y=y: x * x - y)
            assert np.array_equal(got, xp.asnumpy(x) ** 2 - xp.asnumpy(y))


def test_strided_operands__in_place():
    a, b = np.arange(10_000.0), xp.arange(10_000.0)
    xp.set_tier(1)
    for m in (a, b):
        m[::2] = m[::2] * 3 + m[1::2]
        m[:] = m[::-1] * 2 + 1
        m[5000:] = m[5000:] - m[4999::-1] * 2
        m[::-1][:100] *= m[:100] + 1
    assert np.array_equal(xp.asnumpy(b), a)


def test_tiers_change_in_the_middle_of_a_program():
    x = xp.linspace(0, 1, 1001)
    want = [at_tier(0, lambda k=k: (x * k + 1) * xp.exp(x) - k) for k in range(6)]
    for k, tier in enumerate([0, 1, 0, None, 1, 0]):
        xp.set_tier(tier)
        same_bits(want[k], xp.asnumpy((x * k + 1) * xp.exp(x) - k))


def test_set_tier__tells_the_old_one_and_refuses_others():
    assert xp.set_tier(1) is None
    assert xp.set_tier(0) == 1
    assert xp.set_tier(None) == 0
    for wrong in (2, -1, True, "1"):
        with pytest.raises(ValueError, match="tier must be 0, 1 or None"):
            xp.set_tier(wrong)


def explained(x):
    """What explain() says of an expression; here, because an assert holds on to its parts."""
    text = io.StringIO()
    xp.explain(x * 3 + x * x, file=text)
    return text.getvalue()


def test_explain__says_which_tier():
    if no_generator():
        pytest.skip("no code generator in this build")
    x = xp.arange(1000.0)
    xp.synchronize()
    xp.set_tier(1)
    xp.asnumpy(x * 3 + x * x)
    assert "tier 1" in explained(x)
    xp.set_tier(0)
    assert "tier 0" in explained(x)


def no_generator():
    xp.set_tier(1)
    x = xp.arange(1000.0)
    xp.asnumpy(x * 2 - 7 * x)
    xp.set_tier(None)
    return xp.show_config("dicts")["kernels"].startswith("0 ")


def test_work_is_promoted_in_the_background():
    if no_generator():
        pytest.skip("no code generator in this build")
    x = xp.ones(300_000)
    for _ in range(3000):
        xp.asnumpy(x * 3 + x * x)
        if "tier 1" in explained(x):
            break
    assert "tier 1" in explained(x)


SCRIPT = "import heddle as h; x = h.arange(1000.0); print(float((x * 2 + x)[500])); h.show_config()"


def test_exit_while_kernels_are_compiled():
    """What the code generator made for itself stays there until the compile under way is over."""
    code = """
import heddle as h
for dt in "u1 i2 f4 i8 c8 c16".split():
    x = (h.random.random(300_000) * 200).astype(dt)
    p = h.arange(300_000)
    for _ in range(3):
        (x == x + 1).all().item(), (x[:-1] <= x[1:]).all().item()
        ((x[:-1] < x[1:]) | (p[:-1] < p[1:])).all().item()
"""
    for _ in range(6):
        python(code, HEDDLE_CACHE="off")


def test_cache_serves_the_next_process(tmp_path):
    if no_generator():
        pytest.skip("no code generator in this build")
    environment = {"HEDDLE_TIER": "1", "HEDDLE_CACHE": str(tmp_path / "kernels")}
    first = python(SCRIPT, **environment).stdout
    again = python(SCRIPT, **environment).stdout
    assert first.startswith("1500.0") and again.startswith("1500.0")
    assert "1 by LLVM, 0 from disk" in first
    assert "0 by LLVM, 1 from disk" in again and "not needed yet" in again
    for entry in (tmp_path / "kernels").iterdir():
        entry.write_bytes(entry.read_bytes()[:-20])   # damaged: ignored and replaced
    assert "1 by LLVM, 0 from disk" in python(SCRIPT, **environment).stdout
    assert "0 by LLVM, 1 from disk" in python(SCRIPT, **environment).stdout


def test_no_executable_memory__tier_0_goes_on():
    if no_generator():
        pytest.skip("no code generator in this build")
    out = python(SCRIPT, HEDDLE_TIER="1", HEDDLE_CACHE="off", HEDDLE_NO_EXEC="1").stdout
    assert out.startswith("1500.0")
    assert "on tier 0 because" in out


def test_cache_that_cannot_be_written__is_named(tmp_path):
    if no_generator():
        pytest.skip("no code generator in this build")
    file = tmp_path / "file"
    file.write_text("")
    out = python(SCRIPT, HEDDLE_TIER="1", HEDDLE_CACHE=str(file / "kernels")).stdout
    assert out.startswith("1500.0") and "not used: " in out


def test_dump__writes_what_a_kernel_became(tmp_path):
    if no_generator():
        pytest.skip("no code generator in this build")
    python(f"import os; os.chdir({str(tmp_path)!r})\n" + SCRIPT, HEDDLE_TIER="1",
           HEDDLE_CACHE="off", HEDDLE_DUMP="ir,asm")
    assert "define void @heddle_chain" in (tmp_path / "heddle-kernel-0.ll").read_text()
    assert "heddle_chain:" in (tmp_path / "heddle-kernel-0.s").read_text()


def test_large_kernels_are_split():
    x = xp.linspace(0, 1, 2000)

    def program():
        y = x
        for k in range(100):
            y = y * 0.5 + (x - k)
        return y
    same_bits(at_tier(0, program), at_tier(1, program))
