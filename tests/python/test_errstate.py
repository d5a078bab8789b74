# SPDX-License-Identifier: BSD-3-Clause
"""Floating-point faults: which operations report which, under errstate and seterr; NumPy says the same of each."""

import asyncio
import contextvars
import itertools
import os
import threading
import warnings

import numpy as np
import pytest

from common import IS_NUMPY, ON_HOST, needs_heddle, python, xp


def told(module, function, *args):
    """The warnings of one call under errstate(all="warn")."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with module.errstate(all="warn"):
            function(module, *args)
    assert all(w.category is RuntimeWarning for w in caught)
    assert module is np or all(w.filename == __file__ for w in caught)
    return [str(w.message) for w in caught]


def scalar(m, value, dtype):
    return m.array([value], dtype)[0]


CASES = [
    lambda m: m.array([1.0, 0]) / 0,
    lambda m: 1 / m.array([0, 1]),
    lambda m: m.array([1.0], "f4") / m.array([0.0], "f4"),
    lambda m: m.array(1.0) / 0,
    lambda m: m.float64(1) / 0 if m is np else scalar(m, 1, "f8") / 0,
    lambda m: scalar(m, 1e308, "f8") * 10,
    lambda m: m.divide(scalar(m, 1, "f8"), 0),
    lambda m: m.array([1e308]) * 10,
    lambda m: m.array([1e-300]) * 1e-300,
    lambda m: m.array([np.inf]) - np.inf,
    lambda m: m.sqrt(m.array([-1.0, 4])),
    lambda m: m.log(m.array([0.0, -1, 1])),
    lambda m: m.exp(m.array([-np.inf, np.inf, 1])),
    lambda m: m.exp(m.array([800.0])),
    lambda m: m.exp(m.array([-800.0])),
    lambda m: m.array([1e308]) ** 2,
    lambda m: m.array([0.0]) ** -1,
    lambda m: m.array([1e308]) ** 4,
    lambda m: m.power(m.array([0.0, -8]), m.array([-1.5, 1 / 3])),
    lambda m: m.remainder(m.array([1.0]), 0),
    lambda m: m.floor_divide(m.array([1.0, np.nan]), 0),
    lambda m: m.array([1 + 1j]) / 0,
    lambda m: m.array([1 + 1j] * 50) / m.array([2 + 0j] * 50),
    lambda m: m.array([np.nan, 1]) < 1,
    lambda m: m.maximum(m.array([np.nan, 1]), 1),
    lambda m: m.where(m.array([np.nan, 1]) > 0, np.inf, 0.0),
    lambda m: m.sum(m.array([1e308, 1e308])),
    lambda m: m.array([np.inf, -np.inf]).sum(),
    lambda m: m.array([1e308, 1e308]).cumsum(),
    lambda m: m.mean(m.array([1e308, 1e308])),
    lambda m: m.array([[1e308, 1e308]]) @ m.array([[1e10], [1]]),
    lambda m: m.array([np.nan]).astype(int),
    lambda m: m.array([1e30]).astype("i4"),
    lambda m: m.array([3e9]).astype("i4"),
    lambda m: m.array([3e9]).astype("u4"),
    lambda m: m.array([300.0]).astype("i1"),
    lambda m: m.array([1e300]).astype("f4"),
    lambda m: m.array([300]).astype("i1"),
    lambda m: m.array([1]) // 0,
    lambda m: m.array([1], "u1") % m.array([0], "u1"),
    lambda m: m.array([-128], "i1") // m.array([-1], "i1"),
    lambda m: m.array([-128], "i1") % m.array([-1], "i1"),
    lambda m: m.array([5, 6]) // m.array([[1], [2]]),
    lambda m: m.reciprocal(m.array([0])),
    lambda m: scalar(m, 127, "i1") + scalar(m, 1, "i1"),
    lambda m: scalar(m, -128, "i1") * -1,
    lambda m: -scalar(m, -128, "i1"),
    lambda m: m.negative(scalar(m, -128, "i1")),
    lambda m: scalar(m, 1, "i8") // 0,
    lambda m: m.array([-128], "i1") * 2,
    lambda m: m.array([300.0], "f2") * m.array([300.0], "f2"),
    lambda m: m.array([6e4], "f2") + 6000,
    lambda m: m.array([1e-4], "f2") * m.array([1e-4], "f2"),
    lambda m: m.array([1.0], "f2") / 0,
    lambda m: m.array([12.0], "f2") ** 6,
    lambda m: m.exp(m.array([12.0], "f2")),
    lambda m: m.sqrt(m.array([-1.0], "f2")),
    lambda m: m.spacing(m.array([np.inf, 1], "f2")),
    lambda m: m.spacing(m.array([65504.0], "f2")),
    lambda m: m.nextafter(m.array([65504.0], "f2"), m.array([np.inf], "f2")),
    lambda m: m.array([7e4]).astype("f2"),
    lambda m: m.array([7e4], "f4").astype("f2"),
    lambda m: m.array([70000]).astype("f2"),
    lambda m: m.array([1000]).astype("f2"),
    lambda m: m.sum(m.array([6e4, 6e4], "f2")),
    lambda m: m.array([np.inf, np.nan, 1, -0.0], "f2").astype("f4"),
    lambda m: m.maximum(m.array([np.nan, 1], "f2"), 1),
    # small results: told when bits were lost
    lambda m: m.array([1e-310]) * 0.5,
    lambda m: m.array([2e-310]) * 1.0,
    lambda m: m.array([1e-310, 2e-310]) * 2.0,
    lambda m: m.array([2.0**-500 / 3]) * (3 * 2.0**-523),
    lambda m: m.arange(3) * m.array([1e-310]),
    lambda m: m.square(m.array([1e-200])),
    lambda m: m.square(m.array([2.0**-520])),
    lambda m: m.square(m.array([1e-30], "f4")),
    lambda m: m.array([1e-200]) / 1e200,
    lambda m: m.array([1.0]) / 2.0**1023,
    lambda m: m.array([3.0]) / 2.0**1023,
    lambda m: m.array([1.0]) / 1.7e308,
    lambda m: m.array([1.0], "f4") / 2.0**127,
    lambda m: m.array([1.0], "f4") / 1.9e38,
    lambda m: m.reciprocal(m.array([2.0**1023])),
    lambda m: m.reciprocal(m.array([1.7e308])),
    lambda m: m.ldexp(m.array([1.0]), -1075),
    lambda m: m.ldexp(m.array([1.0]), -1074),
    lambda m: m.ldexp(m.array([1.0], "f4"), m.array([-150, 0])),
    lambda m: m.ldexp(m.array([1.0]), m.array([2000])),
    lambda m: m.deg2rad(m.array([1e-307])),
    lambda m: m.rad2deg(m.array([1e308])),
    lambda m: m.nextafter(m.array([0.0]), 1),
    lambda m: m.nextafter(m.array([0.0], "f2"), m.array([1], "f2")),
    lambda m: m.array([2.0**-20], "f2") * m.array([0.5], "f2"),
    lambda m: m.array([2.0**-24], "f2") * m.array([0.5], "f2"),
    lambda m: m.array([1e-4], "f2") / m.array([1e4], "f2"),
    lambda m: m.array([1e-50]).astype("f4"),
    lambda m: m.array([2.0**-149]).astype("f4"),
    lambda m: m.array([2.0**-24], "f4").astype("f2"),
    lambda m: m.array([1e-40], "f4").astype("f2"),
    lambda m: m.array([1e-50 + 1j]).astype("c8"),
    lambda m: m.array([1 + 1e-50j]).astype("c8"),
    lambda m: m.array([1e300 + 1j]).astype("c8"),
    lambda m: m.array([1e-320]) + m.array([1e-320]),
    # what joins elements
    lambda m: m.prod(m.array([1e-300, 1e-300])),
    lambda m: m.prod(m.array([1e200, 1e200])),
    lambda m: m.prod(m.array([[np.inf, 0], [1, 1.0]]), axis=1),
    lambda m: m.multiply.accumulate(m.array([1e-200, 1e-200])),
    lambda m: m.add.accumulate(m.array([[1e308, 1e308], [1, np.inf]]), axis=1),
    lambda m: m.cumsum(m.array([np.nan, np.inf, -np.inf])),
    lambda m: m.cumprod(m.array([1e200, 1e200, 0])),
    lambda m: m.divide.reduce(m.array([[1.0, 0], [2, 2]]), axis=1),
    lambda m: m.subtract.reduce(m.array([np.inf, np.inf])),
    lambda m: m.add.reduceat(m.array([1e308, 1e308, np.inf]), [0, 2]),
    lambda m: m.add.reduceat(m.array([1e308, 1, -np.inf, np.inf]), [0, 2]),
    lambda m: m.divide.at(m.array([1.0]), m.array([0]), 0),
    # a call that repeats an operation tells what that one does, and no flags of its loop
    lambda m: m.fmax.accumulate(m.array([np.nan, 1, np.inf, -0.0])),
    lambda m: m.fmin.at(m.array([np.nan, 1]), m.array([0, 1]), m.array([2.0, 0.5])),
    lambda m: m.fmin.reduceat(m.array([1, np.nan, 2.0]), [0, 1]),
    lambda m: m.maximum.reduceat(m.array([np.nan, 1.0, 2.0, np.inf] * 10), [0, 20]),
    lambda m: m.heaviside.accumulate(m.array([np.nan, 1, np.inf])),
    lambda m: m.power.accumulate(m.array([1.0, np.inf, -0.0])),
    lambda m: m.power.at(m.array([0.0]), m.array([0]), -1.0),
    lambda m: m.hypot.accumulate(m.array([1.0, np.inf, -0.0])),
    lambda m: m.remainder.accumulate(m.array([2.0, np.nan, 1.0])),
    lambda m: m.remainder.at(m.array([1.0]), m.array([0]), 0.0),
    lambda m: m.logaddexp.accumulate(m.array([np.nan, 1])),
    lambda m: m.maximum.accumulate(m.array([1e300, 1]), dtype="f4"),
    lambda m: m.floor_divide.accumulate(m.array([7, 2])),
    lambda m: m.log.at(m.array([0.0]), m.array([0])),
    lambda m: m.sum(m.array([1e300]), dtype="f4"),
    lambda m: m.sum(m.array([1e300, 1]), out=m.zeros((), "f4")),
    lambda m: m.mean(m.array([6e4, 6e4], "f2")),
    lambda m: m.sum(m.array([1e308 + 1j, 1e308])),
    lambda m: m.array([1e200]) @ m.array([1e200]),
    lambda m: m.matmul(m.array([[np.inf]]), m.array([[0.0]])),
    lambda m: m.matmul(m.ones((40, 40)) * 1e200, m.ones((40, 40)) * 1e200),
    lambda m: m.matmul(m.where(m.eye(40) > 0, np.inf, 1.0), m.zeros((40, 40))),
    lambda m: m.matmul(m.ones((3, 40, 40), "f4") * np.float32(1e20), m.ones((40, 40), "f4") * np.float32(1e20)),
    lambda m: m.max(m.array([np.nan, 1])),
    # casts on the way in and out, two results, shapes
    lambda m: m.add(m.array([1e300]), 0, out=m.zeros(1, "f4"), casting="unsafe"),
    lambda m: m.add(m.array([1e30]), 0, out=m.zeros(1, "i4"), casting="unsafe"),
    lambda m: m.divmod(m.array([1.0]), 0),
    lambda m: m.divmod(m.array([1.0, np.inf]), m.array([0.0, 2])),
    lambda m: m.modf(m.array([np.inf, 1.5])),
    lambda m: m.array([1.0, np.inf]) / m.array([0.0, 0]),
    lambda m: m.array([1e10]) / m.array([1e-310]),
    lambda m: m.array([1e308 + 1e308j]) * m.array([1 + 1j]),
    lambda m: m.reciprocal(m.array([0.0, 1], "f2")),
    lambda m: m.zeros((0, 3)) / 0,
    lambda m: m.array([1e308])[0] * m.array([10.0])[0],
    lambda m: m.broadcast_to(m.array([1e200]), (5,)) * m.array([1e200])[::-1],
    lambda m: m.outer(m.array([1e200, 1]), m.array([1e200, 2])),
]


@pytest.mark.parametrize("case", range(len(CASES)))
def test_errstate__warns_as_numpy(case):
    assert told(xp, CASES[case]) == told(np, CASES[case])


@needs_heddle
@pytest.mark.skipif(not ON_HOST, reason="a GPU has no other way")
def test_errstate__by_value():
    """Where the device has no flags, faults are read off the values: the CPU can do without its flags, too."""
    python(f"""
import sys
sys.path.insert(0, {os.path.dirname(__file__)!r})
import test_errstate as t
for case in range(len(t.CASES)):
    t.test_errstate__warns_as_numpy(case)
for dtype in ("f2", "f4", "f8"):
    t.test_errstate__reports_nothing_of_its_own(dtype, 3)
for name in t.COMPLEX_FUNCTIONS:
    t.test_errstate__tells_of_complex_functions_as_numpy(name)
t.test_errstate__raises()
t.test_errstate__gathers_the_faults_of_all_threads()
t.test_errstate__leaves_nothing_behind()
""", timeout=300, HEDDLE_FAULTS="values", HEDDLE_TIER="0")    # to compile every look takes a minute


VALUES = [0.0, -0.0, 1.0, -1.0, 0.5, 2.0, np.inf, -np.inf, np.nan, -2.5, 1e10, 100.0]


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8"])
@pytest.mark.parametrize("size", [1, 37])
def test_errstate__reports_nothing_of_its_own(dtype, size):
    """Vector loops compute more than they need; none of that is told."""
    names = [n for n in dir(xp) if isinstance(getattr(np, n), np.ufunc) and getattr(np, n).nin < 3] if IS_NUMPY else \
        [n for n, (f, public) in xp._elementwise.items() if public and f.nin < 3 and isinstance(getattr(np, n, None), np.ufunc)]
    for name in names:
        if name == "ldexp" or "e" not in str(getattr(np, name).types) or getattr(np, name).signature is not None:
            continue    # bitwise operations, products of matrices
        for values in itertools.product(VALUES, repeat=getattr(np, name).nin):
            if name in ("power", "float_power") and values[0] == 0 and values[1] == -np.inf:
                continue    # NumPy's answer is another one on each instruction set
            arrays = [np.full(size, v, dtype) for v in values]
            want = told(np, lambda m: getattr(m, name)(*arrays))
            got = told(xp, lambda m: getattr(m, name)(*[m.array(a) for a in arrays]))
            assert set(got) == {w for w in want if "underflow" not in w} or set(got) == set(want), (name, values)


# NumPy's of nan beside a number differ from one function to the next, and so does what it tells of underflow.
COMPLEX_FUNCTIONS = ["sqrt", "exp", "exp2", "log", "log2", "log10", "log1p", "sin", "cos", "tan", "arcsin", "arccos", "arctan", "sinh",
                     "cosh", "tanh", "arcsinh", "arccosh", "arctanh"]


@pytest.mark.parametrize("name", COMPLEX_FUNCTIONS)
def test_errstate__tells_of_complex_functions_as_numpy(name):
    for re, im in itertools.product([0.0, 1.0, -1.0, 0.5, 1000.0, np.inf, -np.inf], repeat=2):
        want = told(np, lambda m: getattr(m, name)(np.array([complex(re, im)])))
        got = told(xp, lambda m: getattr(m, name)(m.array([complex(re, im)])))
        assert set(got) == {w for w in want if "underflow" not in w}, (name, re, im)


def test_errstate__gathers_the_faults_of_all_threads():
    x = np.ones(3_000_000)
    for at in (0, 1_500_000, 2_999_999):
        x[at] = 0
        a = xp.array(x)
        assert told(xp, lambda m: 1 / a) == ["divide by zero encountered in divide"]
        x[at] = 1
    a = xp.array(x)
    assert told(xp, lambda m: 1 / a) == []


def test_errstate__raises():
    x = xp.array([1.0, 2.0])
    with xp.errstate(divide="raise"):
        with pytest.raises(FloatingPointError, match="^divide by zero encountered in divide$"):
            x / 0
        with pytest.raises(FloatingPointError, match="divide by zero encountered in floor_divide"):
            xp.array([3]) // 0
        with pytest.raises(FloatingPointError):
            x /= 0
        assert x.tolist() == [np.inf, np.inf]   # written all the same
        y = xp.sqrt(xp.array([-1.0]))           # invalid: not asked for
    assert np.isnan(float(y[0]))
    with xp.errstate(all="raise", under="ignore"), pytest.raises(FloatingPointError, match="overflow"):
        xp.array([1e200]) * 1e200
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with xp.errstate(divide="warn"), pytest.raises(RuntimeWarning, match="divide by zero"):
            xp.array([1.0]) / 0


def test_errstate__speaks_of_what_is_inside_only():
    late = xp.array([1.0]) / xp.array([0.0]) if IS_NUMPY else None
    if late is None:
        late = xp.array([1.0]) / xp.array([0.0])    # recorded before: silent, whenever it runs
    assert told(xp, lambda m: late + 1) == []


def test_errstate__calls_logs_and_prints(capfd):
    calls, lines = [], []

    class Log:
        def write(self, text):
            lines.append(text)

    with xp.errstate(all="call", call=lambda text, flags: calls.append((text, flags))):
        assert callable(xp.geterrcall())
        xp.log(xp.array([0.0, -1.0]))
    assert calls == [("divide by zero", 9), ("invalid value", 9)]
    with xp.errstate(all="log", call=Log()):
        xp.array([1.0]) / 0
    assert lines == ["Warning: divide by zero encountered in divide\n"]
    with xp.errstate(all="print"):
        xp.array([1.0]) / 0
    assert capfd.readouterr().err == "Warning: divide by zero encountered in divide\n"
    with xp.errstate(all="call", call=None), pytest.raises(NameError, match="python callback specified for divide by zero"):
        xp.array([1.0]) / 0
    with xp.errstate(all="log", call=None), pytest.raises(NameError, match="log specified for divide by zero"):
        xp.array([1.0]) / 0


@needs_heddle
def test_errstate__a_callback_may_compute():
    """NumPy would call it again for its own faults, without end."""
    seen = []
    with xp.errstate(divide="call", call=lambda text, flags: seen.append(float(xp.array([2.0, 4.0]).sum() / xp.array(0.0)))):
        xp.array([1.0]) / 0
    assert seen == [np.inf]


def test_seterr__returns_what_was():
    before = xp.seterr(all="ignore")
    try:
        assert xp.geterr() == dict.fromkeys(("divide", "over", "under", "invalid"), "ignore")
        assert xp.seterr(over="raise", all="print") == dict.fromkeys(("divide", "over", "under", "invalid"), "ignore")
        assert xp.geterr() == {"divide": "print", "over": "raise", "under": "print", "invalid": "print"}
        assert xp.seterrcall(print) is None and xp.geterrcall() is print
        assert xp.seterrcall(None) is print
    finally:
        xp.seterr(**before)
    assert xp.geterr() == before


def test_errstate__refuses():
    for wrong in ("loud", 1):
        with pytest.raises(ValueError, match="invalid error mode"):
            xp.seterr(divide=wrong)
        with pytest.raises(ValueError, match="invalid error mode"):
            with xp.errstate(all=wrong):
                pass
    with pytest.raises(TypeError, match="unexpected keyword argument 'nothing'"):
        xp.errstate(nothing="ignore")
    with pytest.raises(TypeError, match="callable"):
        xp.seterrcall(3)
    state = xp.errstate(all="ignore")
    with state, pytest.raises(TypeError, match="twice"):
        with state:
            pass


def test_errstate__decorates():
    @xp.errstate(divide="raise")
    def f(x):
        """doc"""
        return x / 0

    assert f.__name__ == "f" and f.__doc__ == "doc"
    for _ in range(2):
        with pytest.raises(FloatingPointError):
            f(xp.array([1.0]))
    assert xp.errstate(divide="ignore")(lambda x: x / 0)(xp.array([1.0])).tolist() == [np.inf]


def test_errstate__is_of_the_thread_and_the_context():
    found = {}

    def other():
        found["modes"] = xp.geterr()["over"]
        with xp.errstate(over="ignore"):
            found["value"] = float((xp.array([1e308]) * 10)[0])

    with xp.errstate(over="raise"):
        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
        with pytest.raises(FloatingPointError):
            xp.array([1e308]) * 10
    assert found["value"] == np.inf and found["modes"] != "raise"

    async def task(mode, turns):
        with xp.errstate(over=mode):
            for _ in range(3):
                await asyncio.sleep(0)
                try:
                    xp.array([1e308]) * 10
                    turns.append((mode, "passed"))
                except FloatingPointError:
                    turns.append((mode, "raised"))

    async def main():
        turns = []
        await asyncio.gather(task("raise", turns), task("ignore", turns))
        return turns

    assert set(asyncio.run(main())) == {("raise", "raised"), ("ignore", "passed")}


def test_errstate__goes_with_its_context_into_another_thread():
    """A context that another thread runs in brings the setting along."""
    def overflow():
        return float((xp.array([1e308]) * 10)[0])

    async def main():
        with xp.errstate(over="raise"):
            return await asyncio.to_thread(overflow)

    with pytest.raises(FloatingPointError):
        asyncio.run(main())
    with xp.errstate(over="raise"):
        context = contextvars.copy_context()
    found = []

    def other():
        found.append(overflow())
        try:
            context.run(overflow)
        except FloatingPointError as e:
            found.append(str(e))
        found.append(overflow())

    thread = threading.Thread(target=other)
    thread.start()
    thread.join()
    assert found == [np.inf, "overflow encountered in multiply", np.inf]


@needs_heddle
def test_errstate__does_not_concern_other_threads():
    """They record and fuse as usual, and hear nothing of this thread's faults."""
    kernels, n = [], 3000

    def other():
        x = xp.ones(n)
        y = xp.exp(x * 0) - 1   # 0
        float(y[0])
        before = xp.stats()["kernels"]
        z = ((x / y) * 2 + 1) / x
        kernels.append(xp.stats()["kernels"] - before)
        kernels.append(float(z[n - 1]))
        kernels.append(xp.stats()["kernels"] - before)

    with xp.errstate(all="raise"):
        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
        with pytest.raises(FloatingPointError):
            xp.ones(n) / xp.zeros(n)
    # on a GPU an element is a kernel of its own, since it stays there
    assert kernels == [0, np.inf, 1 if ON_HOST else 2]


@needs_heddle
def test_errstate__leaves_nothing_behind():
    """Afterwards operations are recorded again, not run."""
    for _ in range(2):
        with xp.errstate(all="warn"):
            xp.array([1.0]) + 1
        before = xp.stats()["kernels"]
        x = xp.array([1.0]) + 1
        y = x * 2 + 1
        assert xp.stats()["kernels"] == before
        assert y.tolist() == [5]
    previous = xp.seterr(all="warn")
    xp.seterr(**previous)
    before = xp.stats()["kernels"]
    z = y * 2 + 1
    assert xp.stats()["kernels"] == before and z.tolist() == [11]
