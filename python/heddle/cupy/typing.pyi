# SPDX-License-Identifier: BSD-3-Clause
"""The names of heddle.typing."""
from ..typing import *
