# SPDX-License-Identifier: BSD-3-Clause
"""What the tests of array manipulation share: one call made in both modules, results of any nesting compared."""

import numpy as np

from common import IS_NUMPY, give, moderate, outcome, same_outcome, xp
from test_reduce import close

SHAPES = [(), (1,), (5,), (0,), (3, 4), (1, 3), (2, 0), (2, 3, 4), (2, 1, 3)]


def cases(text):
    """One expression a line, for check_text()."""
    return [line.strip() for line in text.strip().splitlines()]


def given(x):
    """Arguments with every NumPy array in them given to the module under test."""
    if isinstance(x, np.ndarray):
        return give(x)
    if type(x) in (list, tuple):
        return type(x)(map(given, x))
    return {k: given(v) for k, v in x.items()} if type(x) is dict else x


def both(name, *args, **options):
    """The outcomes of one function in both modules."""
    ours, numpys = xp, np
    for part in name.split("."):
        ours, numpys = getattr(ours, part), getattr(numpys, part)
    return outcome(ours, *map(given, args), **given(options)), outcome(numpys, *args, **options)


def compare(ours, numpys, where="", near=False, **options):
    """Outcomes agree: values, of any nesting, or kinds of exception. near: reals may round differently."""
    if ours[0] == numpys[0] == "value" and isinstance(numpys[1], (list, tuple)):
        got, want = ours[1], numpys[1]
        assert isinstance(got, (list, tuple)) and len(got) == len(want), f"{where}: {got!r}, NumPy has {want!r}"
        for k, pair in enumerate(zip(got, want)):
            compare(*(("value", value) for value in pair), f"{where} [{k}]", near, **options)
    elif near:
        close(ours, numpys, where)
    else:
        same_outcome(ours, numpys, where=where, **options)


def check(name, *args, near=False, strides=True, **options):
    """The function does in Heddle what it does in NumPy; near and strides: how results are compared."""
    compare(*both(name, *args, **options), f"{name} {args} {options}"[:400], near, strides=strides)


def check_text(text, near=False, strides=True, **names):
    """The expression has one value in both modules; m is the module, x and others are arrays."""
    ours = {"m": xp, **{k: given(v) for k, v in names.items()}}
    numpys = {"m": np, **{k: v.copy("K") if isinstance(v, np.ndarray) else v for k, v in names.items()}}
    compare(outcome(eval, text, ours), outcome(eval, text, numpys), text, near, strides=strides)


def check_view(name, x, *args, **options):
    """As check(), and the result shares the memory of x where NumPy's does."""
    check(name, x, *args, **options)
    placed = give(x)
    kind, want = outcome(getattr(np, name), x, *args, **options)
    if IS_NUMPY or kind == "error":
        return
    got = getattr(xp, name)(placed, *args, **options)
    pairs = [(got, want)] if isinstance(want, np.ndarray) else zip(got, want)
    for g, w in pairs:
        if w.size:
            assert xp.may_share_memory(g, placed) == np.may_share_memory(w, x), f"{name} {args}: view or copy"


def ordinary(shape, dtype="f8", seed=0):
    return moderate(dtype, int(np.prod(shape)), seed).reshape(shape)
