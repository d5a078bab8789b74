# SPDX-License-Identifier: BSD-3-Clause
"""Less common functions."""
from . import stride_tricks

__all__ = ["scimath", "stride_tricks"]
_OWN = frozenset({"npyio", "scimath", "stride_tricks"})


def __getattr__(name):
    if name not in _OWN:
        import numpy
        if name.startswith("_") or not hasattr(numpy.lib, name):
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return getattr(numpy.lib, name)
    from importlib import import_module
    return import_module("." + name, __name__)


def __dir__():
    import numpy
    return sorted({*globals(), *_OWN, *(n for n in dir(numpy.lib) if not n.startswith("_"))})
