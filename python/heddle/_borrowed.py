# SPDX-License-Identifier: BSD-3-Clause
"""import heddle.ma, heddle.testing, heddle.polynomial.chebyshev: modules that heddle has none of its
own of are NumPy's."""
from importlib.machinery import ModuleSpec

__all__ = []

# What is no part of NumPy for its users.
NOT_NUMPYS = frozenset(("core", "f2py", "test", "tests"))


class _NumPysModules:
    """A finder behind all others, and its own loader."""

    @classmethod
    def find_spec(cls, name, path=None, target=None):
        package, _, rest = name.partition(".")
        if package != "heddle" or rest.startswith("_") or rest.split(".")[0] in NOT_NUMPYS:
            return None
        from importlib.util import find_spec
        try:
            theirs = find_spec("numpy." + rest)
        except ImportError:
            return None
        return None if theirs is None else ModuleSpec(name, cls, is_package=True)

    @staticmethod
    def create_module(spec):
        from importlib import import_module
        module = import_module("numpy" + spec.name[len("heddle"):])
        spec.loader_state = module.__spec__     # the import system replaces it
        return module

    @staticmethod
    def exec_module(module):
        module.__spec__ = module.__spec__.loader_state


def install():
    import sys
    if _NumPysModules not in sys.meta_path:
        sys.meta_path.append(_NumPysModules)
