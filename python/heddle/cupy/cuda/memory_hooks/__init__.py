# SPDX-License-Identifier: BSD-3-Clause
"""Memory hooks that print and that count, by CuPy's names."""
from . import debug_print, line_profile
from .debug_print import DebugPrintHook
from .line_profile import LineProfileHook

__all__ = ["DebugPrintHook", "LineProfileHook", "debug_print", "line_profile"]


def __getattr__(name):
    raise AttributeError(f"Heddle has no cupy.cuda.memory_hooks.{name}")
