# SPDX-License-Identifier: BSD-3-Clause
"""Functions that turn complex where they must, and broadcast, against NumPy."""

import numpy as np
import pytest

from common import BOOL, COMPLEX, INTEGERS, xp
from manip_common import cases, check, check_text, ordinary

UNARY = ["sqrt", "log", "log2", "log10", "arccos", "arcsin", "arctanh"]


@pytest.mark.parametrize("dtype", BOOL + INTEGERS + ["f4", "f8"] + COMPLEX)
@pytest.mark.parametrize("name", UNARY)
def test_scimath__dtypes(name, dtype):
    x = ordinary((24,), dtype)
    check(f"emath.{name}", x, near=True)
    check(f"emath.{name}", abs(x), near=True)
    check(f"emath.{name}", x[:0], near=True)
    check(f"emath.{name}", x[0], near=True)


SCIMATH = cases("""
    m.emath.sqrt(-1)
    m.emath.sqrt([-4.0, 4])
    m.emath.logn(2, [4, -8])
    m.emath.power(-1, .5)
    m.emath.power([2, 4], -2)
    m.emath.power([2, 4], [2, -2])
    m.emath.power([-2, 4], 2)
    m.emath.power([-2, 4], -2)
    m.emath.arccos(2)
    m.emath.arcsin([0.5, -3])
    m.emath.log([m.nan, 2])
    m.lib.scimath.sqrt([-1, m.inf])
    m.lib.nothing
    m.broadcast([1, 2], [[3], [4]]).shape
    m.broadcast([1, 2], [[3], [4]]).size
    m.broadcast([1, 2], [[3], [4]]).numiter
    m.broadcast([1, 2], [[3], [4]]).ndim
    m.broadcast(3, 4).shape
    m.broadcast([1, 2], [3, 4, 5])
""")


@pytest.mark.parametrize("text", SCIMATH)
def test_scimath__cases(text):
    check_text(text, near="emath" in text)


def test_broadcast__elements():
    for module in (xp, np):
        b = module.broadcast(module.arange(2), module.arange(3)[:, None])
        pairs = [tuple(map(int, pair)) for pair in b]
        assert pairs == [(0, 0), (1, 0), (0, 1), (1, 1), (0, 2), (1, 2)] and b.index == 6
        b.reset()
        assert b.index == 0 and tuple(map(int, next(b))) == (0, 0) and len(b.iters) == 2
