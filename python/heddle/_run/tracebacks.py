# SPDX-License-Identifier: BSD-3-Clause
"""Tracebacks of a program that fails: its own lines, without those that started it."""
import os
import sys
from types import TracebackType

_HERE = os.path.dirname(os.path.abspath(__file__))
_HEDDLE = os.path.dirname(_HERE)
# What starts the program, our hook for imports, and what says that Heddle lacks a name of CuPy's.
_OURS = (os.path.join(_HERE, ""), os.path.join(_HEDDLE, "__main__.py"),
         os.path.join(_HEDDLE, "cupy", "_sharing.py"))


def _is_ours(traceback):
    return os.path.abspath(traceback.tb_frame.f_code.co_filename).startswith(_OURS)


def _starts(traceback):
    return _is_ours(traceback) or traceback.tb_frame.f_code.co_filename == "<frozen runpy>"


def without_ours(traceback):
    """The traceback from the program's first line on, without our hook for imports."""
    entries = []
    while traceback is not None:
        entries.append(traceback)
        traceback = traceback.tb_next
    start = 0
    while start < len(entries) and _starts(entries[start]):
        start += 1
    kept = None
    for entry in reversed(entries[start:]):
        if not _is_ours(entry):
            kept = TracebackType(kept, entry.tb_frame, entry.tb_lasti, entry.tb_lineno)
    return kept


def clean(error):
    """Takes our frames out of an exception and of those that it came of."""
    seen, todo = set(), [error]
    while todo:
        error = todo.pop()
        if error is None or id(error) in seen:
            continue
        seen.add(id(error))
        error.__traceback__ = without_ours(error.__traceback__)
        todo += [error.__cause__, error.__context__, *getattr(error, "exceptions", ())]


def clean_when_printed():
    """The exception on its way out of the interpreter is printed without our frames."""
    hook = sys.excepthook   # the program's own, if it has set one

    def excepthook(kind, error, traceback):
        clean(error)
        hook(kind, error, error.__traceback__)

    sys.excepthook = excepthook
