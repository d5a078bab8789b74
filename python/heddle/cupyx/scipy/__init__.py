# SPDX-License-Identifier: BSD-3-Clause
"""cupyx.scipy: heddle.scipy. Submodules that heddle.scipy has are those."""
from importlib import import_module as _import_module

from ...cupy import get_array_module as _get_array_module

__all__ = ["get_array_module"]


def get_array_module(*args):
    """heddle.cupyx.scipy if any argument is an array of Heddle's, else scipy."""
    if _get_array_module(*args).__name__ == "cupy":
        from . import __spec__ as spec
        return _import_module(spec.name)
    return _import_module("scipy")


def __getattr__(name):
    for full in (f"{__spec__.name}.{name}", f"heddle.scipy.{name}"):
        if name.startswith("_"):
            break
        try:
            return _import_module(full)
        except ModuleNotFoundError as error:
            if error.name != full:
                raise
    raise AttributeError(f"Heddle has no cupyx.scipy.{name}")


__name__ = "cupyx.scipy"
