# SPDX-License-Identifier: BSD-3-Clause
"""The names of heddle.scipy.signal.windows."""
from ....scipy.signal.windows import *
from ....scipy.signal.windows import __all__ as __all__
