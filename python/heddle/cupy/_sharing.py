# SPDX-License-Identifier: BSD-3-Clause
"""How a module by CuPy's name is Heddle's own: what it does not define is taken from there."""
import sys
from importlib import import_module
from types import ModuleType


_NOTHING = object()


def _names_of(source):
    """The public names of a module of Heddle, but for modules: these have CuPy's names here."""
    hidden = {"emath", *getattr(source, "_SUBMODULES", ())}
    names = (n for n in dir(source) if not n.startswith("_") and n not in hidden)
    return {n for n in names if not isinstance(getattr(source, n, None), ModuleType)}


def lacking(name):
    """__getattr__ of a module by CuPy's name that has all its names itself."""
    def __getattr__(attribute):
        raise AttributeError(f"Heddle has no {name}.{attribute}")
    return __getattr__


def sharing(name, *sources, submodules=(), later=None):
    """__getattr__ and __dir__ of a module by CuPy's name.

    name: what CuPy calls it. sources: names of modules of Heddle that are asked in turn for what it
    does not define. submodules: what is imported when it is first asked for. later: {module below
    this one: the names in it}, likewise.
    AttributeError: Heddle has nothing of that name.
    """
    place = f"heddle.{name}"
    where = {n: module for module, names_in in (later or {}).items() for n in names_in}

    def look(attribute):
        if attribute in submodules:
            return import_module(f"{place}.{attribute}")
        if attribute in where:
            value = getattr(import_module(f"{place}.{where[attribute]}"), attribute)
            return vars(sys.modules[place]).setdefault(attribute, value)
        for source in map(import_module, () if attribute.startswith("_") else sources):
            value = getattr(source, attribute, _NOTHING)
            if value is not _NOTHING and not isinstance(value, ModuleType):
                vars(sys.modules[place])[attribute] = value     # from now on found at once
                return value
        raise AttributeError(f"Heddle has no {name}.{attribute}")

    def names():
        own = {n for n in vars(sys.modules[place]) if not n.startswith("_")}
        return sorted(own.union(submodules, where, *map(_names_of, map(import_module, sources))))

    def __getattr__(attribute):
        if attribute == "__all__":      # import *: bfloat16 needs a package that may not be there
            return [n for n in names() if hasattr(sys.modules[place], n)]
        return look(attribute)

    return __getattr__, names
