# SPDX-License-Identifier: BSD-3-Clause
"""numpy.testing, whose functions take arrays of ours as well: they are ArrayLike."""
from numpy.testing import *
