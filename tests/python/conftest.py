# SPDX-License-Identifier: BSD-3-Clause
"""Settings of every Python test: hypothesis draws the same examples each time; NumPy's warnings are silent as ours are."""

import os
import pathlib
import sys
import warnings

import numpy as np
import pytest
from hypothesis import HealthCheck, settings

from common import IS_NUMPY, xp

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "examples"))

settings.register_profile(
    "heddle",
    derandomize=True,
    deadline=None,
    max_examples=75 if "ASAN_OPTIONS" in os.environ else 150,   # memory, not values
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
settings.load_profile("heddle")


@pytest.fixture(autouse=True)
def no_error_is_left():
    """An error of the library that was raised as another one would be told again by the next that fails."""
    yield
    if not IS_NUMPY:
        left = xp._heddle._error_left()
        assert left is None, left


@pytest.fixture(autouse=True)
def silent_numpy():
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # of empty means
        warnings.simplefilter("ignore", np.exceptions.ComplexWarning)
        warnings.filterwarnings("ignore", "'where' used without 'out'")
        yield
