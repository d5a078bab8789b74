# SPDX-License-Identifier: BSD-3-Clause
"""Less common functions."""
from . import stride_tricks

__all__ = ["scimath", "stride_tricks"]


def __getattr__(name):
    if name != "scimath":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module
    return import_module("." + name, __name__)
