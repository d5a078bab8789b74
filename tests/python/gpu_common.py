# SPDX-License-Identifier: BSD-3-Clause
"""What tests that need a real GPU share: their mark, and arrays made there."""

import os

import pytest

from common import IS_NUMPY, needs_heddle, xp

NO_GPU = IS_NUMPY or "HEDDLE_LIBCUDA" in os.environ or not xp.cuda.is_available()
on_a_gpu = [needs_heddle, pytest.mark.gpu, pytest.mark.skipif(NO_GPU, reason="there is no GPU")]


@pytest.fixture(autouse=True)
def on_the_gpu():
    with xp.device("cuda:0"):
        yield
