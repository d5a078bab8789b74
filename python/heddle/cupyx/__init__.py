# SPDX-License-Identifier: BSD-3-Clause
"""CuPy's additions to NumPy, by its names: import heddle.cupyx as cupyx."""
from importlib import import_module as _import_module

from .. import asarray as _asarray
from .. import sqrt as _sqrt
from ..cupy._methods import scatter_add, scatter_max, scatter_min
from ._settings import errstate, get_runtime_info, geterr, seterr
from ._pinned import (empty_like_pinned, empty_pinned, zeros_like_pinned, zeros_pinned)

_SUBMODULES = ("jit", "linalg", "optimizing", "profiler", "scipy", "time")

__all__ = ["empty_like_pinned", "empty_pinned", "errstate", "get_runtime_info", "geterr", "rsqrt",
           "scatter_add", "scatter_max", "scatter_min", "seterr", "zeros_like_pinned",
           "zeros_pinned", *_SUBMODULES]


def rsqrt(x):
    """1 / sqrt(x), elementwise; floating-point numbers, and float64 of integers."""
    return 1 / _sqrt(_asarray(x))


def __getattr__(name):
    if name in _SUBMODULES:
        return _import_module(f"heddle.cupyx.{name}")
    raise AttributeError(f"Heddle has no cupyx.{name}")


__name__ = "cupyx"
