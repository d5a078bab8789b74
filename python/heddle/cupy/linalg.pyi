# SPDX-License-Identifier: BSD-3-Clause
"""The names of heddle.linalg."""
from ..linalg import *
