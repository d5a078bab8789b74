# SPDX-License-Identifier: BSD-3-Clause
"""How a module by CuPy's name is Heddle's own: what it does not define comes from there as it is."""
import sys
from importlib import import_module
from types import ModuleType


def sharing(name, *sources, submodules=()):
    """__getattr__ and __dir__ of a module by CuPy's name.

    name: what CuPy calls it. sources: modules of Heddle that are asked in turn for what it does
    not define; a module of theirs is not given, for it would be known by another name.
    submodules: what is imported when it is first asked for.
    AttributeError: Heddle has nothing of that name.
    """
    place = f"heddle.{name}"

    def look(attribute):
        if attribute in submodules:
            return import_module(f"{place}.{attribute}")
        for source in map(import_module, () if attribute.startswith("_") else sources):
            if attribute in dir(source) and not isinstance(
                    value := getattr(source, attribute), ModuleType):
                vars(sys.modules[place])[attribute] = value     # from now on found at once
                return value
        raise AttributeError(f"Heddle has no {name}.{attribute}")

    def names():
        own = vars(import_module(place))
        shared = (n for source in sources for n in dir(import_module(source)))
        return sorted({n for n in (*own, *shared) if not n.startswith("_")} | set(submodules))

    def __getattr__(attribute):
        return names() if attribute == "__all__" else look(attribute)

    return __getattr__, names
