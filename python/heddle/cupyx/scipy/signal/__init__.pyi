# SPDX-License-Identifier: BSD-3-Clause
"""The names of heddle.scipy.signal."""
from ....scipy.signal import *
from . import windows as windows
