# SPDX-License-Identifier: BSD-3-Clause
"""Who imports: a file of the program itself, or the standard library and installed packages."""
import os
import site
import sysconfig

_HERE = os.path.dirname(os.path.abspath(__file__))
_HEDDLE = os.path.dirname(_HERE)
_STARTERS = (os.path.join(_HERE, ""), os.path.join(_HEDDLE, "__main__.py"))


def _folder(path):
    return os.path.join(os.path.abspath(path), "")


def _standard_folders():
    return {_folder(sysconfig.get_path(name)) for name in ("stdlib", "platstdlib")}


def _package_folders():
    folders = {_folder(sysconfig.get_path(name)) for name in ("purelib", "platlib")}
    folders.update(map(_folder, getattr(site, "getsitepackages", list)()))
    if getattr(site, "ENABLE_USER_SITE", False):
        folders.add(_folder(site.getusersitepackages()))
    return {*folders, _folder(_HEDDLE)}


class Owners:
    """Tells the files of a program from all others.

    more: files and folders that are the program's although they lie among installed packages, as
    those of `run -m package` do.
    """
    OWN, PACKAGE, STANDARD, NOWHERE = "own", "package", "standard", "nowhere"

    def __init__(self, more=()):
        self._own = tuple(more)
        self._packages = tuple(_package_folders())
        self._standard = tuple(_standard_folders())
        self._known = {}

    def add(self, path):
        """From here on what lies there is the program's."""
        self._own += (path,)
        self._known.clear()

    def _look(self, filename):
        if filename.startswith("<"):    # code that was made: of a string, a cell, a prompt
            return self.STANDARD if filename.startswith("<frozen ") else self.NOWHERE
        path = os.path.abspath(filename)
        if path.startswith(self._own):
            return self.OWN
        if path.startswith(self._packages):     # before the standard library, which holds them
            return self.PACKAGE
        return self.STANDARD if path.startswith(self._standard) else self.OWN

    def of_file(self, filename):
        """Whose a file is, by the name that code has of it."""
        owner = self._known.get(filename)
        if owner is None:
            owner = self._known[filename] = self._look(filename)
        return owner

    def is_own(self, frame):
        """Is it the program that runs in this frame?

        The standard library imports for its caller (importlib, unittest.mock, timeit, doctest), and
        code that is in no file is its caller's as well: that of `exec` in a package the package's.
        """
        while frame is not None:
            filename = frame.f_code.co_filename
            owner = self.of_file(filename)
            if owner == self.OWN:
                return True
            if owner == self.PACKAGE and not filename.startswith(_STARTERS):
                return False
            if owner == self.NOWHERE and frame.f_globals.get("__name__") == "__main__":
                return True         # a prompt, a cell, -c
            frame = frame.f_back
        return True
