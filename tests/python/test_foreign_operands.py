# SPDX-License-Identifier: BSD-3-Clause
"""Methods, in-place operators and stores of ours with operands and outputs that are NumPy's, or that have rules of their own: each does
what the method of NumPy's array of the same elements does, or raises what it raises."""
import inspect
import pickle
from fractions import Fraction

import numpy as np
import pytest

from common import needs_heddle, xp

FOREIGN = {
    "masked": "np.ma.masked_array([1, 2, 1], [0, 0, 1])", "matrix": "np.matrix([1, 2, 1])", "ufunc": "Logged.of([1., 2, 1])",
    "objects": "np.array([1, 2, Fraction(1, 2)], object)", "fraction": "Fraction(1, 2)", "text": "np.array(['a', 'b', 'c'])",
    "dates": "np.array(['2020', '2021', '2022'], 'M8[Y]')", "none": "None", "letter": "'a'", "days": "np.timedelta64(3, 'D')",
    "long": "np.array([1, 2, 3], 'longdouble')", "records": "np.array([(1,), (2,), (0,)], [('a', 'i4')])",
    "mask": "np.array([True, False, True])", "list": "[1, 0, 2]", "objects in a list": "[None, 1, 2]",
}
OUTS = ["np.zeros(3)", "np.zeros(3, int)", "np.zeros(())", "np.zeros((), int)", "np.zeros(4)", "np.zeros(3, 'U3')",
        "np.zeros(3, object)", "np.zeros((), object)", "[1, 2, 3]", "np.ma.zeros(3)", "np.zeros(3, bool)", "np.zeros((), bool)"]
WITH_OPERANDS = """
x.dot({}) | x.sum(where={}) | x.min(where={}, initial=0) | x.all(where={}) | x.prod(initial={}) | x.var(mean={}) | x.sum({}) | x.clip({}, 5)
x.clip(0, {}) | x.take({}) | x.put({}, 1) | x.searchsorted({}) | x.searchsorted(1, sorter={}) | i.choose({}) | i.choose([{}, {}, {}])
x.compress({}) | x.repeat({}) | x.astype({}) | x.reshape({}) | x.transpose({}) | x.item({}) | x.swapaxes({}, 0) | x.resize({}) | x.view({})
x.argsort({}) | x.__setitem__(0, {}) | x.__setitem__(slice(None), {}) | x.__iadd__({}) | x.__imatmul__({}) | x.__contains__({})
"""
WITH_OUTS = """
x.dot([1, 2, 3], out={}) | x.dot([1, 2, 3], {}) | x.sum(out={}) | x.sum(0, None, {}) | x.prod(out={}) | x.min(out={}) | x.max(axis=0, out={})
x.any(out={}) | x.all(out={}) | x.mean(out={}) | x.var(out={}) | x.std(out={}) | x.argmax(out={}) | x.argmin(out={}) | x.clip(0, 2, out={})
x.clip(0, 2, {}) | x.round(out={}) | x.round(1, {}) | x.take([0, 1, 2], out={}) | x.take([0, 1, 2], None, {})
i.choose([[1, 2, 3], [4, 5, 6]], out={}) | x.compress([1, 1, 1], out={}) | x.conj({}) | z.conjugate({})
x.dot(np.ma.masked_array([1, 2, 1], [0, 0, 1]), {}) | x.dot(Fraction(1, 2), {})
"""
# NumPy 2.4 crashes, or we have another exception.
DIFFERS = {f"x.{name}(out=np.zeros((), object))" for name in ("any", "all")}
DIFFERS |= {"x.prod(initial=np.array([True, False, True]))", "x.prod(initial=[1, 0, 2])"}


class Logged(np.ndarray):
    """A subclass of NumPy's array with rules of its own."""
    __array_priority__ = 20

    @classmethod
    def of(cls, values):
        return np.array(values).view(cls)

    def __array_ufunc__(self, ufunc, method, *inputs, out=None, **kwargs):
        def plain(x):
            return x.view(np.ndarray) if isinstance(x, Logged) else x
        if out is not None:
            kwargs["out"] = tuple(map(plain, out))
        result = getattr(ufunc, method)(*map(plain, inputs), **kwargs)
        return result.view(Logged) if isinstance(result, np.ndarray) else result


def lines(text):
    return [e.strip() for line in text.strip().splitlines() for e in line.split("|")]


CALLS = [(e, {"of": v}) for e in lines(WITH_OPERANDS) for v in FOREIGN.values()]
CALLS += [(e, {"of": o}) for e in lines(WITH_OUTS) for o in OUTS]


def outcome(module, text):
    """What the call gives, and what it leaves in the array that it is a method of and in the output."""
    names = {"m": module, "np": np, "Fraction": Fraction, "Logged": Logged, "x": module.array([1., 3, 2]),
             "i": module.array([0, 1, 0]), "z": module.array([1j, 2, 3])}
    try:
        return eval(text, names), names["x"]
    except Exception as e:
        return e, names["x"]


def same(got, want):
    if isinstance(want, Exception):
        assert isinstance(got, type(want)) or type(want).__name__ == "UFuncTypeError" and isinstance(got, TypeError), (got, want)
    elif isinstance(want, tuple):
        assert len(got) == len(want)
        for a, b in zip(got, want):
            same(a, b)
    elif isinstance(want, np.ndarray) and type(want) is not np.ndarray:
        assert type(got) is type(want) and repr(got) == repr(want)
    elif isinstance(want, (np.ndarray, np.generic)):
        assert np.asarray(got).dtype == np.asarray(want).dtype
        assert repr(np.asarray(got).tolist()) == repr(want.tolist())
    else:
        assert repr(got) == repr(want)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("text", [e.replace("{}", names["of"]) for e, names in CALLS])
def test_methods__do_what_numpys_do(text):
    if text in DIFFERS:
        pytest.skip("NumPy crashes, or we raise TypeError for ValueError")
    (got, x), (want, theirs) = outcome(xp, text), outcome(np, text)
    same(got, want)
    same(np.asarray(x), theirs)


@pytest.mark.parametrize("call", ["x.sum(axis=0, out={})", "x.sum(0, None, {})", "x.mean(0, out={})", "x.cumsum(1, out={}[None])",
                                  "x.dot([1., 2, 3], out={}[:1])", "x.round(out={}[None])", "x.take([2, 1, 0], out={})"])
def test_outputs_of_numpys__are_written_to(call):
    out, want = np.zeros(3), np.zeros(3)
    r = eval(call.format("out"), {"x": xp.array([[1., 2, 3]]), "out": out})
    eval(call.format("out"), {"x": np.array([[1., 2, 3]]), "out": want})
    assert out.tolist() == want.tolist() and (r is out or r.base is out)


def test_outputs_of_ours__are_the_result():
    out, x = xp.zeros(1), xp.array([1., 3, 2])
    masked = np.ma.masked_array([[1.], [2], [1]], [[0], [0], [1]])
    assert x.dot(masked, out) is out and x.dot(masked, out=out) is out and out.tolist() == [9]
    assert xp.add(masked[0], 1, out=(out,)) is out and out.tolist() == [2]
    x += np.array([1, 2, 3], "longdouble")
    assert type(x) is xp.ndarray and x.tolist() == [2, 5, 5]


@needs_heddle
def test_methods__are_what_they_were():
    method = xp.ndarray.sum
    assert method.__name__ == "sum" and method.__qualname__ == "ndarray.sum" and "sum" in repr(method)
    assert list(inspect.signature(method).parameters)[:3] == ["self", "axis", "dtype"]
    assert list(inspect.signature(xp.ones(3).sum).parameters)[:2] == ["axis", "dtype"]
    assert inspect.isroutine(method) and method.__doc__ and xp.ones(3).take.__doc__
    assert pickle.loads(pickle.dumps(method)) is method and pickle.loads(pickle.dumps(xp.ones(3).sum))() == 3
    assert list(map(xp.ndarray.sum, [xp.ones(2)])) == [2]
    assert method(xp.ones(2), **{"axis": 0}) == 2
    with pytest.raises(TypeError):
        method()
    with pytest.raises(TypeError):
        method(np.ones(3))


@needs_heddle
def test_hand_over__counts_methods():
    before = xp.stats()["hand_overs"].get("ndarray.dot", 0)
    xp.ones(3).dot(np.array([1, 2, 3], object))
    assert xp.stats()["hand_overs"]["ndarray.dot"] == before + 1
