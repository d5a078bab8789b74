# SPDX-License-Identifier: BSD-3-Clause
"""The names of heddle.fft."""
from ...fft import *
from . import config as config
