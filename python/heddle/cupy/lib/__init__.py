# SPDX-License-Identifier: BSD-3-Clause
"""cupy.lib."""
from . import stride_tricks

__all__ = ["stride_tricks"]


def __getattr__(name):
    raise AttributeError(f"Heddle has no cupy.lib.{name}")
