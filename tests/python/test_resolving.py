# SPDX-License-Identifier: BSD-3-Clause
"""ufunc.resolve_dtypes(): the loop that NumPy would take; and the signatures of ufuncs."""

import inspect
import itertools

import numpy as np
import pytest

from common import DTYPES, xp

D = {d: np.dtype(d) for d in DTYPES}
OPERANDS = [*D.values(), int, float, complex]


def outcome(module, name, dtypes, **kwargs):
    try:
        return getattr(module, name).resolve_dtypes(dtypes, **kwargs)
    except (TypeError, ValueError) as e:
        return TypeError if isinstance(e, TypeError) else ValueError


def is_exact(pair):
    """NumPy compares signed integers with unsigned ones of 64 bits in a loop for these, and
    Python's integers as objects."""
    return int in pair or D["u8"] in pair and any(d == int or getattr(d, "kind", "") == "i" for d in pair)


@pytest.mark.parametrize("name", ["add", "divide", "less", "logical_and", "bitwise_or", "arctan2", "maximum", "divmod"])
def test_resolve_dtypes__every_pair(name):
    nout = getattr(np, name).nout
    for pair in itertools.product(OPERANDS, repeat=2):
        asked = (*pair, *[None] * nout)
        if name == "less" and is_exact(pair) or name == "logical_and" and \
                (pair[0] is not pair[1] or pair[0] in (int, float, complex)):
            continue    # their loops are of their own making: each operand by itself
        assert outcome(xp, name, asked) == outcome(np, name, asked), pair


@pytest.mark.parametrize("name", ["exp", "isnan", "absolute", "invert", "frexp", "negative"])
def test_resolve_dtypes__every_operand(name):
    for one in OPERANDS:
        if name == "frexp" and one is complex:
            continue
        asked = (one, *[None] * getattr(np, name).nout)
        assert outcome(xp, name, asked) == outcome(np, name, asked), one


@pytest.mark.parametrize("name", ["add", "multiply", "minimum", "bitwise_or"])
def test_resolve_dtypes__of_reductions(name):
    for x, out in itertools.product(D.values(), [None, D["f8"], D["i4"]]):
        assert outcome(xp, name, (out, x, None), reduction=True) == outcome(np, name, (out, x, None), reduction=True), (x, out)


@pytest.mark.parametrize("dtypes, kwargs", [
    ((D["i1"], D["f4"]), {}),
    ((D["i1"], D["f4"], D["i1"]), {}),
    ((D["f8"], D["f8"], D["i1"]), {"casting": "unsafe"}),
    ((D["i1"], D["i1"], D["f8"]), {"casting": "no"}),
    ((D["i1"], D["f4"], None), {"signature": "dd->d"}),
    ((D["f8"], D["f4"], None), {"signature": "ff->f"}),
    ((D["f8"], D["f4"], None), {"signature": "ff->f", "casting": "safe"}),
    ((D["i1"], D["f4"], None), {"signature": (None, None, D["f8"])}),
    ((None, D["f4"], None), {}),
    ((None, D["f4"], None), {"reduction": True, "signature": (None, None, D["f8"])}),
    ((None, None, D["f8"]), {"reduction": True}),
    (("i1", "f4", None), {}),
    ((bool, D["i1"], None), {}),
    ((np.dtype("U3"), D["f4"], None), {}),
])
def test_resolve_dtypes__cases(dtypes, kwargs):
    assert outcome(xp, "add", dtypes, **kwargs) == outcome(np, "add", dtypes, **kwargs)


def test_isnat__of_no_dtype():
    for x in (1.0, [1, 2], np.ones(3, "c8")):
        with pytest.raises(TypeError, match="only defined for np.datetime64"):
            xp.isnat(x)


@pytest.mark.parametrize("name", ["add", "sin", "modf", "divmod", "matmul", "vecdot"])
def test_signature__is_numpy_s(name):
    if not hasattr(np.add, "__signature__"):
        pytest.skip("this NumPy's ufuncs have no signatures")
    assert str(inspect.signature(getattr(xp, name))) == str(inspect.signature(getattr(np, name)))


@pytest.mark.parametrize("name", ["sum", "sort", "astype", "take", "reshape", "clip", "repeat"])
def test_signature__of_methods(name):
    try:
        inspect.signature(np.ndarray.astype)
    except ValueError:
        pytest.skip("this NumPy's methods have no signatures")
    first = next(iter(inspect.signature(getattr(xp.ndarray, name)).parameters.values()))
    assert first.name == "self" and first.kind is first.POSITIONAL_ONLY
