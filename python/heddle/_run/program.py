# SPDX-License-Identifier: BSD-3-Clause
"""Runs a file, a module or a text as the main program, as the interpreter does."""
import importlib.util
import io
import os
import sys
from importlib.machinery import PathFinder
from types import ModuleType

from . import tracebacks


class NotFound(Exception):
    """There is no such program; its text is what to print."""


def run_code(code, main):
    """Runs code in the module, which is __main__ from here to the end of the process."""
    try:
        exec(code, main.__dict__)
    except SystemExit:
        raise
    except BaseException:
        tracebacks.clean_when_printed()
        raise


def _main_module(**attributes):
    main = ModuleType("__main__")
    vars(main).update(__builtins__=__import__("builtins"), **attributes)
    sys.modules["__main__"] = main
    return main


# With -P or -I the interpreter puts no folder in front of its own (Python 3.11).
_IS_SAFE = getattr(sys.flags, "safe_path", False)


def _replace_first_path(path):
    if not _IS_SAFE:
        sys.path[0] = path


def run_text(text, arguments):
    """python -c."""
    sys.argv = ["-c", *arguments]
    _replace_first_path("")
    main = _main_module(__doc__=None, __package__=None, __spec__=None)
    run_code(_compiled(text, "<string>", main), main)


def _compiled(source, filename, main):
    try:
        return compile(source, filename, "exec", dont_inherit=True)
    except BaseException:
        tracebacks.clean_when_printed()
        raise


def _run_spec(spec, main_of):
    """Runs a module that was found as __main__; main_of: how it is named when there is no code."""
    code = spec.loader.get_code(spec.name)
    if code is None:
        raise NotFound(f"No code object available for {main_of}")
    main = _main_module(__file__=spec.origin, __cached__=spec.cached, __loader__=spec.loader,
                        __package__=spec.parent, __spec__=spec)
    run_code(code, main)


def _found(name):
    try:
        return importlib.util.find_spec(name)
    except (ImportError, AttributeError, TypeError, ValueError) as error:
        raise NotFound(f"Error while finding module specification for {name!r} "
                       f"({type(error).__name__}: {error})") from None


def run_module(name, arguments, owners):
    """python -m. The module, or the package that it is in, is the program's wherever it lies."""
    sys.argv = ["-m", *arguments]       # what packages see that are imported on the way
    _replace_first_path(os.getcwd())
    spec = _found(name)
    if spec is None:
        raise NotFound(f"No module named {name}")
    if spec.submodule_search_locations is not None:
        spec = _found(f"{name}.__main__")
        if spec is None:
            raise NotFound(f"No module named {name}.__main__; {name!r} is a package and cannot be "
                           "directly executed")
    _own_module(name.partition(".")[0], owners)
    sys.argv[0] = spec.origin
    _run_spec(spec, name)


def _own_module(top, owners):
    spec = _found(top)
    if owners.of_file(spec.origin or "") == owners.STANDARD:    # timeit, doctest and the like
        return
    for folder in spec.submodule_search_locations or ():
        owners.add(os.path.join(folder, ""))
    if spec.origin is not None:
        owners.add(spec.origin)


def run_file(program, arguments):
    """python program.py, or a folder or archive with a __main__.py in it."""
    path = os.path.abspath(program)
    sys.argv = [program, *arguments]
    if os.path.isdir(path) or path.endswith((".zip", ".pyz")):
        in_path = PathFinder.find_spec("__main__", [path])
        if in_path is None:
            raise NotFound(f"can't find '__main__' module in {path!r}")
        sys.path[:not _IS_SAFE] = [path]
        return _run_spec(in_path, program)
    try:
        with io.open_code(path) as file:
            source = file.read()
    except OSError as error:
        raise NotFound(f"can't open file {path!r}: [Errno {error.errno}] "
                       f"{error.strerror}") from None
    _replace_first_path(os.path.dirname(os.path.realpath(path)))
    main = _main_module(__file__=path, __cached__=None, __package__=None, __spec__=None,
                        __loader__=None)
    return run_code(_compiled(source, path, main), main)
