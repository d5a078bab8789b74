# SPDX-License-Identifier: BSD-3-Clause
"""cupyx.scipy.signal.windows: heddle.scipy.signal.windows."""
from ....scipy.signal import windows as _windows
from ....scipy.signal.windows import *      # noqa: F403

__all__ = list(_windows.__all__)


def __getattr__(name):
    raise AttributeError(f"Heddle has no cupyx.scipy.signal.windows.{name}")
