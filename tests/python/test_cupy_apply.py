# SPDX-License-Identifier: BSD-3-Clause
"""Elementwise and reduction kernels in C as operations on arrays, beside the same kernels as launches."""

import random
import sys

import numpy as np
import pytest
from common import IS_NUMPY, needs_heddle, shares_memory, xp

if not IS_NUMPY:
    import heddle
    import heddle.cupy as cp

    _kernels = sys.modules[cp.ElementwiseKernel.__module__]

pytestmark = needs_heddle
ON_GPU = not IS_NUMPY and str(xp.device()).startswith("cuda")
TYPES = {"i1": "signed char", "u1": "unsigned char", "i2": "short", "u2": "unsigned short", "i4": "int",
         "u4": "unsigned int", "i8": "long long", "u8": "unsigned long long", "f4": "float", "f8": "double"}
INTS = [d for d in TYPES if d[0] != "f"]


@pytest.fixture
def launched(monkeypatch):
    """A function that calls a kernel as a launch, whatever it consists of."""
    def call(make, *args, **how):
        with monkeypatch.context() as m:
            m.setattr(_kernels, "apply_elementwise", lambda *a: (None, None))
            m.setattr(_kernels, "apply_reduction", lambda *a: None)
            return make()(*args, **how)
    return call


def kernels_of(f):
    """How many kernels run when f's result is read."""
    float(f())
    before = heddle.stats()["kernels"]
    float(f())
    return heddle.stats()["kernels"] - before


# ---- random bodies -------------------------------------------------------------------------------


class Body:
    """Statements over x, y (inputs), m (a whole number) and z, w (results), by chance."""

    def __init__(self, seed, kind):
        self.rng, self.kind = random.Random(seed), kind
        self.names, self.count = ["x", "y"], 0

    def value(self, depth):      # neither divides whole numbers by 0 nor shifts them too far
        r = self.rng
        if depth == 0 or r.random() < 0.2:
            return r.choice([*self.names, str(r.randint(0, 5)), "m"])
        a, b = self.value(depth - 1), self.value(depth - 1)
        if self.kind == "f":
            return r.choice([f"({a} + {b})", f"({a} - {b})", f"({a} * {b})", f"({a} / (double){b})", f"fabs((double){a})", f"(-{a})",
                             f"({self.condition(depth - 1)} ? {a} : {b})", f"(int)({a} * 3 > 7)", f"max({a} * 1., {b} * 1.)",
                             f"floor({a} * 1.5)", f"sqrt(fabs({a} * 1.))"])
        return r.choice([f"({a} + {b})", f"({a} - {b})", f"({a} * {b})", f"({a} / ({b} | 1))", f"({a} % ({b} | 1))", f"({a} & {b})",
                         f"({a} ^ {b})", f"({a} | {b})", f"(~{a})", f"(-{a})", f"({a} << ({b} & 7))", f"({a} >> ({b} & 7))",
                         f"({self.condition(depth - 1)} ? {a} : {b})", f"(short)({a})", f"(!{a})", f"(unsigned)({a})"])

    def condition(self, depth):
        r = self.rng
        if depth > 0 and r.random() < 0.3:
            return f"({self.condition(depth - 1)} {r.choice(['&&', '||'])} {self.condition(depth - 1)})"
        return f"({self.value(min(depth, 1))} {r.choice(['<', '<=', '==', '!=', '>', '>='])} {self.value(min(depth, 1))})"

    def statements(self, depth, n, loop=False):
        r, text = self.rng, []
        for _ in range(n):
            p = r.random()
            if p < 0.25 and depth:
                other = f" else {{ {self.statements(depth - 1, 2, loop)} }}" if r.random() < 0.6 else ""
                text.append(f"if ({self.condition(2)}) {{ {self.statements(depth - 1, 2, loop)} }}{other}")
            elif p < 0.32 and depth == 2:
                i = f"i_{self.count}"
                self.count += 1
                text.append(f"for (int {i} = 0; {i} < {r.randint(1, 3)}; {i}++) {{ z += {i}; {self.statements(0, 1)} }}")
            elif p < 0.36 and loop:
                text.append("break;")
            elif p < 0.45 and depth == 2:
                text.append(f"do {{ {self.statements(1, 2, True)} }} while (0);")
            elif p < 0.6:
                name = f"v_{self.count}"
                self.count += 1
                text.append(f"const {'double' if self.kind == 'f' else 'int'} {name} = {self.value(2)}; z = z + {name};")
            else:
                text.append(f"{r.choice('zw')} {r.choice(['=', '=', '+=', '-='])} {self.value(2)};")
        return " ".join(text)


@pytest.mark.parametrize("part", range(4))
def test_random_bodies(part, launched):
    applied = 0
    for seed in range(part * 60, part * 60 + 60):
        rng = np.random.default_rng(seed)
        kind = "f" if seed % 2 else "i"
        dx, dy, dz, dw = rng.choice(["f4", "f8"] if kind == "f" else INTS, 4)
        body = Body(seed, kind)
        text = f"z = 0; w = {body.value(1)}; {body.statements(2, 4)}"
        params = f"{np.dtype(dx)} x, {np.dtype(dy)} y, int32 m", f"{np.dtype(dz)} z, {np.dtype(dw)} w"

        def make():
            return cp.ElementwiseKernel(*params, text, "body")
        x, y = (cp.asarray((rng.standard_normal(500) * 4).astype(d)) for d in (dx, dy))
        kernel = make()
        got, want = kernel(x, y, seed % 7), launched(make, x, y, seed % 7)
        applied += bool(kernel._applied)
        for g, w in zip(got, want):
            assert g.dtype == w.dtype and g.shape == w.shape
            rtol = 1e-6 if "f4" in (dx, dy, dz, dw) else 1e-13     # a launch on a GPU contracts products and sums
            np.testing.assert_allclose(g.get(), w.get(), rtol=rtol, atol=10 * rtol * ON_GPU, err_msg=f"{seed}: {text}")
    assert applied > 40


# ---- one by one ----------------------------------------------------------------------------------


def is_applied(kernel):
    return bool(kernel._applied) or any(type(p).__name__ == "AppliedReduction" for p in kernel._plans.values())


@shares_memory
def test_it_fuses():
    x, y = cp.arange(1e5), cp.ones(100000)
    k = cp.ElementwiseKernel("T x, T y", "T z", "z = x * x + 2 * y; if (z > 3) z = sqrt(z);", "k")
    norm = cp.ReductionKernel("T x, T y", "T z", "(x - y) * (x - y)", "a + b", "z = sqrt(a)", "0", "norm")
    assert kernels_of(lambda: (k(x, y) + 1).sum()) == 1
    assert kernels_of(lambda: norm(x + 1, y)) == kernels_of(lambda: cp.sqrt(((x + 1 - y) * (x + 1 - y)).sum()))
    assert is_applied(k) and is_applied(norm)


def test_functions_and_branches():
    k = cp.ElementwiseKernel("float64 x, float64 y", "float64 z, int32 c", """
        z = pick(x, y); c = (int)x % 3; if (isnan(x)) { z = -1; } else if (x > 1e3) z = HUGE;
    """, "k", preamble="#define HUGE 1e9\n__device__ double pick(double v, double y) { if (v > y) return v - y; if (v == y) return 100; return 0; }")
    a, b = np.array([1., 5, 3, -7, np.nan, 1e4]), np.array([1., 2, 9, -8, 1, 1])
    z, c = k(cp.asarray(a), cp.asarray(b))
    assert z.tolist() == [100, 3, 0, 1, -1, 1e9] and c.tolist()[:4] == [1, 2, 0, -1]
    assert is_applied(k)


def test_results_that_are_given():
    swap = cp.ElementwiseKernel("T one", "T x, T y", "T t = x; x = y; y = t;", "swap")
    x, y = cp.arange(6.), cp.ones(6)
    swap(1., x, y)
    assert x.tolist() == [1] * 6 and y.tolist() == [0, 1, 2, 3, 4, 5]
    some = cp.ElementwiseKernel("T x", "T y", "if (x > 2) y = x;", "some")
    z = cp.zeros((6, 2))[:, 1]
    assert some(y, z) is z and z.tolist() == [0, 0, 0, 3, 4, 5]
    z[...] = 0
    some(cp.asarray(3.), z)
    assert z.tolist() == [3] * 6
    shifted = cp.ElementwiseKernel("T x", "T y", "y = x + 1", "shifted")
    w = cp.arange(6.)
    shifted(w[:-1], w[1:])         # as if the inputs had been copied
    assert w.tolist() == [0, 1, 2, 3, 4, 5]
    assert all(map(is_applied, (swap, some, shifted)))
    with pytest.raises(ValueError):
        shifted(cp.ones((2, 3)), cp.ones(3))
    read_only = cp.ones(3)
    read_only.flags.writeable = False
    with pytest.raises(ValueError):
        shifted(cp.ones(3), read_only)


def test_results_are_contiguous_arrays_of_their_own():
    same = cp.ElementwiseKernel("T x", "T y, T z", "y = x; z = 7", "same")
    x = cp.arange(6.).reshape(2, 3)
    y, z = same(x.T)
    assert y.flags.c_contiguous and z.flags.c_contiguous and y.shape == z.shape == (3, 2)
    y[...] = 0
    z[0, 0] = 5
    assert x.tolist() == [[0, 1, 2], [3, 4, 5]] and z[1, 1] == 7
    assert same(cp.zeros((0, 2)))[0].shape == (0, 2)
    assert same(cp.asarray(3.))[1].shape == ()
    assert is_applied(same)


def test_numbers_decide():
    """What a number says is known when the operations are recorded: loops of few turns, branches."""
    power = cp.ElementwiseKernel("T x, int32 m", "T y", "y = 1; for (int k = 0; k < m; k++) y *= x;", "power")
    x = cp.asarray([1., 2, 3])
    for n in (0, 1, 3, 300, 2):             # 300: too many operations, a launch
        np.testing.assert_allclose(power(x, n).get(), x.get() ** n)
    assert is_applied(power)
    assert power(x, cp.asarray([0, 1, 2], "i4")).tolist() == [1, 2, 9]      # of the data: a launch


def test_what_is_no_operation_is_launched():
    x = cp.arange(6.)
    for text in ("y = x; while (y > 1) y -= 2;", "double t[2] = {x, 1}; y = t[0];", "y = i;", "y = x + 2; double *p = &y; *p += 1;"):
        k = cp.ElementwiseKernel("T x", "T y", text, "k")
        k(x)
        assert not is_applied(k)
    with pytest.raises(Exception, match="undefined|declared|nowhere"):
        cp.ElementwiseKernel("T x", "T y", "y = nowhere", "k")(x)


def test_faults_that_are_watched():
    k = cp.ElementwiseKernel("T x", "T y", "y = 1 / x", "k")
    with heddle.errstate(divide="raise"):
        assert k(cp.zeros(3)).tolist() == [np.inf] * 3      # a kernel tells of none
    assert k(cp.ones(3)).tolist() == [1] * 3


@pytest.mark.parametrize("dtype", ["f4", "f8", "i4", "u1", "?"])
def test_reductions(dtype, launched):
    a = (np.random.default_rng(1).standard_normal((7, 40, 3)) * 9).astype(dtype)
    x = cp.asarray(a)
    for reduce, identity in (("a + b", "0"), ("a * b", "1"), ("max(a, b)", None), ("min(a,b)", None), ("a | b", "0"), ("a > b ? a : b", None)):
        if dtype[0] == "f" and reduce == "a | b":
            continue
        for axis in (None, 0, (1, 2), -1, (0, 1, 2)):
            for keepdims in (False, True):
                def make():
                    return cp.ReductionKernel("T x", "T y", "x", reduce, "y = a", identity, "k")
                got, want = make()(x, axis=axis, keepdims=keepdims), launched(make, x, axis=axis, keepdims=keepdims)
                assert got.dtype == want.dtype and got.shape == want.shape
                np.testing.assert_allclose(got.get(), want.get(), rtol=2e-4 if dtype == "f4" else 1e-10, atol=1e-30)


def test_reductions__types_and_results():
    mean = cp.ReductionKernel("T x, float64 m", "float64 y", "x", "a + b", "y = a / m", "0", "mean", reduce_type="double")
    a = np.arange(12, dtype="f4").reshape(3, 4)
    x, out = cp.asarray(a), cp.zeros((3, 2))[:, 0]
    with pytest.raises(Exception, match="m"):
        mean(x, 4.0)        # post_map_expr knows only a and the results
    total = cp.ReductionKernel("T x", "float64 y", "x * 2", "a + b", "y = a / 2", "0", "total", reduce_type="double")
    assert total(x, axis=1, out=out) is out and out.tolist() == a.sum(1).tolist()
    assert is_applied(total) and "x * 2" in total.cached_code
    with pytest.raises(ValueError):
        cp.ReductionKernel("T x", "T y", "x", "max(a, b)", "y = a", None, "top")(cp.zeros((0, 3)), axis=0)
    assert total(cp.zeros((0, 3), "f4"), axis=0).tolist() == [0, 0, 0]
