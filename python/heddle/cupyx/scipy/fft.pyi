# SPDX-License-Identifier: BSD-3-Clause
"""The names of heddle.scipy.fft."""
from ...scipy.fft import *
from ._plans import get_fft_plan as get_fft_plan
