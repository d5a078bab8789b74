# SPDX-License-Identifier: BSD-3-Clause
"""Imports of a program that lead to Heddle: those of cupy and cupyx, and of numpy if asked for.

The same name means Heddle in the program's files and the real module in installed packages, so
none of this is in sys.modules: what decides is the file that the import statement stands in.
"""
import builtins
import importlib
import importlib.util
import sys
from types import ModuleType

from .. import _heddle
from .owners import Owners

_TARGETS = {"cupy": "heddle.cupy", "cupyx": "heddle.cupyx"}


class Mapping:
    """The names that are mapped, and for whom; install() puts it in force."""

    def __init__(self, numpy=False, own=()):
        self.targets = dict(_TARGETS, numpy="heddle._as_numpy") if numpy else dict(_TARGETS)
        self.owners = Owners(own)
        self._before = None
        self._import_module = importlib.import_module if current is None else current._import_module

    def __reduce__(self):
        return Mapping, ("numpy" in self.targets, self.owners._own)

    # ---- names to modules ------------------------------------------------------------------------

    def covers(self, name):
        """Is the dotted name mapped? Private parts of NumPy are NumPy's, for pickles name them."""
        top = name.partition(".")[0]
        return top in self.targets and not (top == "numpy" and "._" in name)

    def _below(self, module, part, name):
        full = f"{module.__spec__.name}.{part}"
        try:
            return self._import_module(full)
        except ModuleNotFoundError as error:
            if error.name != full:
                raise
        found = getattr(module, part, None)     # a module that lies elsewhere
        if isinstance(found, ModuleType):
            return found
        raise ModuleNotFoundError(f"No module named {name!r} in Heddle", name=name)

    def module(self, name):
        """The module that a dotted name stands for; ModuleNotFoundError if there is none."""
        top, *parts = name.split(".")
        module = self._import_module(self.targets[top])
        for part in parts:
            top = f"{top}.{part}"
            module = self._below(module, part, top)
        return module

    def _statement(self, name, fromlist):
        """What an import statement gets, as builtins.__import__ says."""
        module = self.module(name)
        if not fromlist:
            return self.module(name.partition(".")[0])
        for wanted in fromlist:
            if wanted != "*" and not hasattr(module, wanted):
                try:
                    self._below(module, wanted, f"{name}.{wanted}")
                except ModuleNotFoundError:     # the statement raises ImportError itself
                    pass
        return module

    # ---- in force --------------------------------------------------------------------------------

    def _hooks(self):
        plain_import, plain_module = builtins.__import__, importlib.import_module
        plain_spec, is_own, covers = importlib.util.find_spec, self.owners.is_own, self.covers

        def __import__(name, globals=None, locals=None, fromlist=(), level=0):
            # an empty list: the interpreter asks for itself, for pickle or for NumPy
            if level == 0 and covers(name) and fromlist != [] and is_own(sys._getframe(1)):
                return self._statement(name, fromlist)
            return plain_import(name, globals, locals, fromlist, level)

        def import_module(name, package=None):
            """Imports a module; a relative name needs the package that it is relative to."""
            if not name.startswith(".") and covers(name) and is_own(sys._getframe(1)):
                return self.module(name)
            return plain_module(name, package)

        def find_spec(name, package=None):
            """The spec of a module, or None if there is no such module."""
            if not name.startswith(".") and covers(name) and is_own(sys._getframe(1)):
                try:
                    return self.module(name).__spec__
                except ModuleNotFoundError:
                    return None
            return plain_spec(name, package)

        return {(builtins, "__import__"): __import__, (importlib, "import_module"): import_module,
                (importlib.util, "find_spec"): find_spec}

    def install(self):
        """From here on the program's imports are mapped, also in its child processes (spawn)."""
        global current
        if current is not None:
            current.uninstall()
        self._before = {}
        for (module, name), hook in self._hooks().items():
            self._before[module, name] = getattr(module, name)
            setattr(module, name, hook)
        # what libraries give a program written for NumPy are ndarrays to it
        _heddle._count_numpys_arrays("numpy" in self.targets)
        from . import children
        children.tell()
        current = self

    def uninstall(self):
        """Imports mean again what they did before; modules that were imported stay."""
        global current
        for (module, name), plain in (self._before or {}).items():
            setattr(module, name, plain)
        _heddle._count_numpys_arrays(False)
        self._before = current = None


current = None      # the mapping in force


def in_child(mapping):
    """What a child process of a mapped program unpickles: puts the mapping in force there."""
    mapping.install()
    return mapping
