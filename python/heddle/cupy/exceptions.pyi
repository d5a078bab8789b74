# SPDX-License-Identifier: BSD-3-Clause
"""The names of heddle.exceptions."""
from ..exceptions import *
