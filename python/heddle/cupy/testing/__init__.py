# SPDX-License-Identifier: BSD-3-Clause
"""cupy.testing: comparisons of arrays, and decorators of tests that run with NumPy as well."""
from ._arrays import *      # noqa: F403
from ._comparing import *   # noqa: F403
from ._looping import *     # noqa: F403
from ._marking import *     # noqa: F403


def __getattr__(name):
    raise AttributeError(f"Heddle has no cupy.testing.{name}")
