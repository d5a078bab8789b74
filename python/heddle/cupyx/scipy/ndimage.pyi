# SPDX-License-Identifier: BSD-3-Clause
"""The names of heddle.scipy.ndimage."""
from ...scipy.ndimage import *
