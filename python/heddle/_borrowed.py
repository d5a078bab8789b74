# SPDX-License-Identifier: BSD-3-Clause
"""import heddle.ma, heddle.testing, heddle.polynomial.chebyshev: modules that heddle has none of
its own of are NumPy's. Those of heddle.polynomial are NumPy's code once more, run with heddle as
`np`: the six classes have coefficients of ours and give arrays of ours."""
import sys

__all__ = []

# What is no part of NumPy for its users.
NOT_NUMPYS = frozenset(("core", "f2py", "test", "tests"))


# Packages of NumPy's that are written in Python on its arrays, and nothing else.
_ON_OURS = frozenset(("polynomial",))


def _ours(value):
    """What NumPy's module of that code holds, as it is with heddle for NumPy: modules and arrays."""
    from importlib import import_module

    from numpy import ndarray
    if isinstance(value, type(sys)) and value.__name__.split(".")[0] == "numpy":
        return import_module("heddle" + value.__name__[len("numpy"):])
    if type(value) is ndarray:
        from ._heddle import asarray
        return asarray(value)
    return value


class _OnOurs:
    """A loader of NumPy's code with heddle in NumPy's place."""

    @staticmethod
    def create_module(spec):
        return None

    @staticmethod
    def exec_module(module):
        from importlib.util import find_spec
        theirs = find_spec("numpy" + module.__name__[len("heddle"):])
        module.__file__ = theirs.origin
        exec(theirs.loader.get_code(theirs.name), vars(module))
        for name, value in list(vars(module).items()):
            if not name.startswith("__"):
                setattr(module, name, _ours(value))
            if isinstance(value, type) and value.__module__ == module.__name__:
                for own, what in list(vars(value).items()):
                    if _ours(what) is not what:
                        setattr(value, own, _ours(what))


class _NumPysModules:
    """A finder behind all others, and its own loader."""

    @classmethod
    def find_spec(cls, name, path=None, target=None):
        package, _, rest = name.partition(".")
        if package != "heddle" or rest.startswith("_") or rest.split(".")[0] in NOT_NUMPYS:
            return None
        from importlib.machinery import ModuleSpec
        from importlib.util import find_spec
        try:
            theirs = find_spec("numpy." + rest)
        except ImportError:
            return None
        if theirs is None:
            return None
        if rest.split(".")[0] in _ON_OURS:
            package = theirs.submodule_search_locations is not None
            return ModuleSpec(name, _OnOurs, origin=theirs.origin, is_package=package)
        return ModuleSpec(name, cls, is_package=True)

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
    if _NumPysModules not in sys.meta_path:
        sys.meta_path.append(_NumPysModules)
