# SPDX-License-Identifier: BSD-3-Clause
"""Child processes that multiprocessing starts anew (spawn, forkserver) get the mapping as well.

They unpickle a dict of what to prepare before they import the program; with the mapping in it,
unpickling puts it in force.
"""
import sys
from importlib.machinery import PathFinder

_NAME = "multiprocessing.spawn"


class _ToChild:
    def __init__(self, mapping):
        self._mapping = mapping

    def __reduce__(self):
        from .mapping import in_child
        return in_child, (self._mapping,)


def _patch(spawn):
    plain = spawn.get_preparation_data

    def get_preparation_data(name):
        from . import mapping
        data = plain(name)
        if mapping.current is not None:
            data["heddle"] = _ToChild(mapping.current)
        return data

    spawn.get_preparation_data = get_preparation_data


class _Finder:
    """Waits for multiprocessing.spawn, whose import takes longer than Heddle's."""

    @staticmethod
    def find_spec(fullname, path=None, target=None):
        if fullname != _NAME:
            return None
        sys.meta_path.remove(_Finder)
        spec = PathFinder.find_spec(fullname, path, target)
        plain = spec.loader.exec_module

        def exec_module(module):
            plain(module)
            _patch(module)

        spec.loader.exec_module = exec_module
        return spec


_told = False


def tell():
    """Makes child processes of this one start with the mapping that is in force here."""
    global _told
    if _told:
        return
    _told = True
    if _NAME in sys.modules:
        _patch(sys.modules[_NAME])
    else:
        sys.meta_path.insert(0, _Finder)
