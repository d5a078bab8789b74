# SPDX-License-Identifier: BSD-3-Clause
"""Functions of CUDA in kernels, against SciPy's and NumPy's, in units of the last place; rounding and words of
small numbers against Python's own whole numbers and fractions."""

from fractions import Fraction

import numpy as np
import pytest
from common import IS_NUMPY, needs_heddle, xp

if not IS_NUMPY:
    import heddle.cupy as cp

special = pytest.importorskip("scipy.special")
pytestmark = needs_heddle
ON_GPU = not IS_NUMPY and str(xp.device()).startswith("cuda")
TYPES = {"f4": "float", "f8": "double", "i4": "int", "u4": "unsigned", "i8": "long long", "u8": "unsigned long long"}


def computed(expression, *arrays, out=None):
    """The expression for each element of arrays, which it names x, y, z, w."""
    out = out or arrays[0].dtype.str[1:]
    names = "xyzw"[:len(arrays)]
    parameters = "".join(f"const {TYPES[a.dtype.str[1:]]} *{n}_, " for n, a in zip(names, arrays))
    values = "".join(f"{TYPES[a.dtype.str[1:]]} {n} = {n}_[i]; " for n, a in zip(names, arrays))
    code = f'extern "C" __global__ void f({parameters}{TYPES[out]} *r_, int n) {{ int i = blockIdx.x * blockDim.x + ' \
           f"threadIdx.x; if (i >= n) return; {values}r_[i] = {expression}; }}"
    r, n = cp.zeros(len(arrays[0]), out), len(arrays[0])
    cp.RawKernel(code, "f")(((n + 127) // 128,), (128,), (*map(cp.asarray, arrays), r, np.int32(n)))
    return r.get()


def units(got, want):
    """How many units of the last place apart, at most; infinities and nan must be the same."""
    want = want.astype(got.dtype)
    same = (got == want) | (np.isnan(got) & np.isnan(want))
    with np.errstate(all="ignore"):
        apart = np.abs(got - want) / np.maximum(np.spacing(np.abs(want)), np.finfo(got.dtype).tiny * np.finfo(got.dtype).eps)
    apart[same] = 0
    worst = int(np.argmax(np.where(np.isnan(apart), np.inf, apart)))
    return np.nan_to_num(apart, nan=1e9).max(), (worst, got[worst], want[worst])


RNG = np.random.default_rng(8)
ENDS = np.array([0.0, -0.0, 1.0, -1.0, 2.0, 0.5, -0.5, 1.5, np.inf, -np.inf, np.nan, 1e-300, 5e-324, 1 - 2.0**-53, -1 + 2.0**-53])
UNIT = np.concatenate([RNG.uniform(-1, 1, 2000), 1 - 10.0 ** RNG.uniform(-15, 0, 500), 10.0 ** RNG.uniform(-300, 0, 500), ENDS])
TINY = np.concatenate([10.0 ** RNG.uniform(-307, 0, 3000), RNG.uniform(0, 2, 2000), ENDS[ENDS != 5e-324]])
WIDE = np.concatenate([RNG.uniform(-30, 30, 3000), 10.0 ** RNG.uniform(-5, 4, 1000), ENDS])


@pytest.mark.parametrize("name, want, x, most", [
    ("erfinv", special.erfinv, UNIT, 5), ("erfcinv", special.erfcinv, TINY, 5), ("erfcx", special.erfcx, WIDE[~(WIDE < -1)], 10),
    ("normcdf", special.ndtr, np.concatenate([RNG.uniform(-1, 8, 3000), ENDS[:-4]]), 8),
    ("normcdfinv", special.ndtri, TINY / 2, 8), ("cyl_bessel_i0", special.i0, RNG.uniform(-709, 709, 3000), 20),
    ("cyl_bessel_i0", special.i0, RNG.uniform(-30, 30, 3000), 20), ("cyl_bessel_i1", special.i1, RNG.uniform(-30, 30, 3000), 20),
    ("cyl_bessel_i1", special.i1, RNG.uniform(-709, 709, 3000), 20)])
def test_special__as_scipy(name, want, x, most):
    with np.errstate(all="ignore"):
        reference = want(x)
    apart, where = units(computed(f"{name}(x)", x), reference)
    assert apart <= most, (apart, x[where[0]], where)
    x = x.astype("f4")
    with np.errstate(all="ignore"):
        reference = want(x.astype("f8")).astype("f4")
    assert units(computed(f"{name}f(x)", x), reference)[0] <= 1


def test_normal__far_out():
    """Where SciPy's own have lost digits."""
    mpmath = pytest.importorskip("mpmath")
    x = np.concatenate([RNG.uniform(-37, -1, 300), RNG.uniform(-3, 3, 100)])
    with mpmath.workdps(40):
        assert units(computed("normcdf(x)", x), np.array([float(mpmath.ncdf(v)) for v in x]))[0] <= 4
        z = np.concatenate([10.0 ** RNG.uniform(-307, 0, 200), [5e-324, 1e-310]])
        y = computed("erfcinv(x)", z)
        want = [float(mpmath.findroot(lambda v, z=z: mpmath.log(mpmath.erfc(v)) - mpmath.log(z), mpmath.mpf(g))) for z, g in zip(z, y)]
        assert units(y, np.array(want))[0] <= 4
        x = np.concatenate([RNG.uniform(-26.6, 30, 300), 10.0 ** RNG.uniform(-9, 1, 100)])
        assert units(computed("erfcx(x)", x), np.array([float(mpmath.exp(mpmath.mpf(v) ** 2) * mpmath.erfc(v)) for v in x]))[0] <= 4
    assert np.isinf(computed("erfcx(x)", np.array([-27.0, -np.inf, -1e9]))).all()


def test_bessel__of_whole_order():
    # A GPU takes NVIDIA's jn() and yn(), which give nan below 0 and whose recurrence loses digits near roots.
    lowest, most = (0, 1e-11) if ON_GPU else (-20, 1e-13)
    x, n = RNG.uniform(0.1, 50, 4000), RNG.integers(lowest, 20, 4000).astype("i4")
    for name, want in (("jn", special.jv), ("yn", special.yv)):
        reference = want(n, x)
        scale = np.maximum(np.abs(reference), np.sqrt(2 / np.pi / x))     # beside a root the size nearby counts
        assert (np.abs(computed(f"{name}(y, x)", x, n) - reference) / scale).max() < most


def test_lengths_and_remainders():
    a = RNG.normal(size=(4, 2000)) * 10.0 ** RNG.integers(-200, 200, 2000)
    size = lambda k: np.sqrt(sum((a[i] / np.abs(a[:k]).max(0)) ** 2 for i in range(k))) * np.abs(a[:k]).max(0)
    assert units(computed("norm3d(x, y, z)", *a[:3]), size(3))[0] <= 4
    assert units(computed("norm4d(x, y, z, w)", *a), size(4))[0] <= 4
    assert units(computed("rnorm3d(x, y, z)", *a[:3]), 1 / size(3))[0] <= 4
    assert units(computed("rnorm4d(x, y, z, w)", *a), 1 / size(4))[0] <= 4
    x, y = RNG.uniform(-100, 100, 2000), RNG.uniform(-9, 9, 2000)
    code = """extern "C" __global__ void f(const double *x, const double *y, double *r, int *q) {
    int i = blockIdx.x * blockDim.x + threadIdx.x; r[i] = remquo(x[i], y[i], &q[i]); }"""
    r, q = cp.zeros(2000), cp.zeros(2000, "i4")
    cp.RawKernel(code, "f")((20,), (100,), (cp.asarray(x), cp.asarray(y), r, q))
    n = np.array([round(Fraction(a) / Fraction(b)) for a, b in zip(x, y)])
    np.testing.assert_array_equal(r.get(), [float(Fraction(a) - int(k) * Fraction(b)) for a, b, k in zip(x, y, n)])
    assert ((np.abs(q.get()) - np.abs(n)) % 8 == 0).all() and (q.get() * n >= 0).all()


def nearest_below(x, kind):
    """The largest number of the kind that is not above the fraction x."""
    f = np.dtype(kind).type
    near = f(float(x)) if kind == "f4" else float(x)
    return near if Fraction(float(near)) <= x else np.nextafter(f(near), f(-np.inf))


@pytest.mark.parametrize("kind, p", [("f4", "f"), ("f8", "d")])
def test_rounding__to_each_side(kind, p):
    n = 300
    x, y, z = (RNG.normal(size=n).astype(kind) * np.asarray(2.0, kind) ** RNG.integers(-20, 20, n).astype(kind) for _ in range(3))
    x[:20], y[:20] = RNG.integers(-9, 9, 20), RNG.integers(1, 9, 20)
    exact = {f"__{p}add_": lambda a, b, c: a + b, f"__{p}sub_": lambda a, b, c: a - b, f"__{p}mul_": lambda a, b, c: a * b,
             f"__{p}div_": lambda a, b, c: a / b, "__fmaf_" if p == "f" else "__fma_": lambda a, b, c: a * b + c}
    for name, f in exact.items():
        args = "x, y, z" if "fma" in name else "x, y"
        want = [f(*(Fraction(float(v)) for v in row)) for row in zip(x, y, z)]
        down = np.array([nearest_below(v, kind) for v in want], kind)
        up = np.array([-nearest_below(-v, kind) for v in want], kind)
        toward = np.where(np.array([v > 0 for v in want]), down, up)
        for r, values in (("rd", down), ("ru", up), ("rz", toward)):
            np.testing.assert_array_equal(computed(f"{name}{r}({args})", x, y, z), values, err_msg=name + r)


def test_rounding__of_conversions_and_roots():
    x = np.concatenate([RNG.integers(-2**63, 2**63 - 1, 300), [2**63 - 1, -2**63, 0, 2**53 + 1]]).astype("i8")
    for r, f in (("rd", nearest_below), ("ru", lambda v, k: -nearest_below(-v, k))):
        for t, kind in (("float", "f4"), ("double", "f8")):
            want = np.array([f(Fraction(int(v)), kind) for v in x], kind)
            np.testing.assert_array_equal(computed(f"__ll2{t}_{r}(x)", x, out=kind), want)
    d = RNG.normal(size=300)
    want = np.array([nearest_below(Fraction(float(v)), "f4") for v in d], "f4")
    np.testing.assert_array_equal(computed("__double2float_rd(x)", d, out="f4"), want)
    d = np.abs(d)
    low, high = computed("__dsqrt_rd(x)", d), computed("__dsqrt_ru(x)", d)
    for v, a, b in zip(d, low, high):
        assert Fraction(float(a)) ** 2 <= Fraction(float(v)) <= Fraction(float(b)) ** 2 and b <= np.nextafter(a, np.inf)


def lanes(x, width, signed):
    kind = {8: "i1" if signed else "u1", 16: "i2" if signed else "u2"}[width]
    return x.view(kind).astype("i8").reshape(len(x), -1)


@pytest.mark.parametrize("k, width", [(2, 16), (4, 8)])
def test_words__of_small_numbers(k, width):
    x, y = (RNG.integers(0, 2**32, 500).astype("u4") for _ in range(2))
    mask, high = (1 << width) - 1, (1 << (width - 1)) - 1
    s, u = (lanes(x, width, True), lanes(y, width, True)), (lanes(x, width, False), lanes(y, width, False))
    want = {"vadd": u[0] + u[1], "vsub": u[0] - u[1], "vaddss": np.clip(s[0] + s[1], -high - 1, high), "vaddus": np.minimum(u[0] + u[1], mask),
            "vsubss": np.clip(s[0] - s[1], -high - 1, high), "vsubus": np.maximum(u[0] - u[1], 0), "vavgu": (u[0] + u[1] + 1) >> 1,
            "vmaxs": np.maximum(*s), "vminu": np.minimum(*u), "vabsdiffs": np.abs(s[0] - s[1]), "vabsdiffu": np.abs(u[0] - u[1]),
            "vcmpgtu": np.where(u[0] > u[1], -1, 0), "vsetles": np.where(s[0] <= s[1], 1, 0)}
    for name, values in want.items():
        word = sum((values[:, i] & mask) << (width * i) for i in range(k)).astype("u4")
        np.testing.assert_array_equal(computed(f"__{name}{k}(x, y)", x, y), word, err_msg=name)
    for name, a in (("vsads", s), ("vsadu", u)):
        np.testing.assert_array_equal(computed(f"__{name}{k}(x, y)", x, y), np.abs(a[0] - a[1]).sum(1).astype("u4"))
    if k == 4:
        np.testing.assert_array_equal(computed("__dp4a((int)x, (int)y, 7)", x, y, out="i4"), ((s[0] * s[1]).sum(1) + 7).astype("i4"))


def test_products__of_their_own_rounding():
    """__fmul_rn() and a sum do not become one operation, as on a GPU a product and a sum do otherwise."""
    x, y, z = (RNG.normal(size=2000).astype("f4") for _ in range(3))
    np.testing.assert_array_equal(computed("__fadd_rn(__fmul_rn(x, y), z)", x, y, z), x * y + z)
    np.testing.assert_array_equal(computed("__fsub_rn(z, __fmul_rn(x, y))", x, y, z), z - x * y)


def test_warps__reduced():
    code = """extern "C" __global__ void f(int *sums, unsigned *ors, int *all) {
    int i = threadIdx.x, same;
    sums[i] = i < 20 ? __reduce_add_sync(0xfffff, i * i) : -1;
    ors[i] = __reduce_or_sync(0xffffffffu, 1u << i % 7);
    __match_all_sync(0xffffffffu, i / 32, &same);
    all[i] = same; }"""
    sums, ors, all_ = cp.zeros(32, "i4"), cp.zeros(32, "u4"), cp.zeros(32, "i4")
    cp.RawKernel(code, "f")((1,), (32,), (sums, ors, all_))
    assert sums.tolist() == [sum(i * i for i in range(20))] * 20 + [-1] * 12
    assert ors.tolist() == [127] * 32 and all_.tolist() == [1] * 32


def test_half__conversions():
    x = np.concatenate([RNG.normal(size=500) * 10.0 ** RNG.integers(-6, 5, 500), [0, 1, 70000, 65504]]).astype("f4")
    with np.errstate(over="ignore"):
        near = x.astype("f2")
    zero = np.where(np.abs(near.astype("f4")) > np.abs(x), np.nextafter(near, np.float16(0)), near)
    down = np.where(near.astype("f4") > x, np.nextafter(near, np.float16(-np.inf)), near)
    up = np.where(near.astype("f4") < x, np.nextafter(near, np.float16(np.inf)), near)
    for r, want in (("rn", near), ("rz", zero), ("rd", down), ("ru", up)):
        got = computed(f"__half2float(__float2half_{r}(x))", x)
        np.testing.assert_array_equal(got, want.astype("f4"), err_msg=r)
    np.testing.assert_array_equal(computed("__half2float(htanh(__float2half(x)))", x), np.tanh(near.astype("f4")).astype("f2").astype("f4"))
