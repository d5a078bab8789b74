# SPDX-License-Identifier: BSD-3-Clause
"""Functions of tiny numbers: 1 or the number itself, exactly, as NumPy has it."""
import os
import pathlib
import subprocess
import sys

import numpy as N
import pytest

import heddle as np

from common import ON_HOST

KINDS = [("f8", 1e-290, 1.05e-8), ("f4", 1e-36, 2.4e-4)]


def tiny(dtype, low, high):
    rng = N.random.default_rng(5)
    x = 10.0 ** rng.uniform(N.log10(low), N.log10(high), 4000) * rng.choice([-1, 1], 4000)
    y = high * rng.uniform(-1, 1, 4000)
    return N.concatenate([x, y, [0.0, -0.0, high, -high]]).astype(dtype)


@pytest.mark.parametrize("dtype,low,high", KINDS)
def test_cosines_are_one(dtype, low, high):
    x = tiny(dtype, low, high)
    h = np.asarray(x)
    for f in ("cos", "cosh"):
        assert (N.asarray(getattr(np, f)(h)) == 1).all(), f
    assert (N.asarray(np.cos(h) * 2.0 - np.cos(h)) == 1).all()
    assert float(np.cos(np.asarray(1e-9))) == 1.0


@pytest.mark.parametrize("dtype,low,high", KINDS)
@pytest.mark.parametrize("f", ["sin", "tan", "arcsin", "arctan", "sinh", "arcsinh"])
def test_odd_functions_are_the_number_itself(dtype, low, high, f):
    x = tiny(dtype, low, high / 2)
    got = N.asarray(getattr(np, f)(np.asarray(x)))
    N.testing.assert_array_equal(got.view("i" + dtype[1]), x.view("i" + dtype[1]))


def test_cosine_beyond_is_as_near_as_before():
    x = N.concatenate([N.linspace(-1e-6, 1e-6, 20001), [N.nan, N.inf, -N.inf]])
    with N.errstate(invalid="ignore"):
        want = N.cos(x)
        got = N.asarray(np.cos(np.asarray(x)))
    assert N.isnan(got[-3:]).all()
    assert (abs(got[:-3] - want[:-3]) <= 2.3e-16).all()


# which functions are libmvec's differs, and so do these
@pytest.mark.skipif(not ON_HOST, reason="GPUs have one set of instructions")
@pytest.mark.parametrize("isa", ["v2", "v3"])
def test_other_sets_of_instructions(isa):
    here = pathlib.Path(__file__).parent
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", "not other_sets",
               str(here / "test_near_zero.py"), str(here / "test_trig.py")]
    run = subprocess.run(command, env={**os.environ, "HEDDLE_ISA": isa}, capture_output=True, text=True,
                         check=False)
    assert run.returncode == 0, run.stdout
