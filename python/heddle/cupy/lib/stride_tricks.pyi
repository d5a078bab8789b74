# SPDX-License-Identifier: BSD-3-Clause
"""The names of heddle.lib.stride_tricks."""
from ...lib.stride_tricks import *
