# SPDX-License-Identifier: BSD-3-Clause
"""The names of heddle.scipy.special."""
from ...scipy.special import *
