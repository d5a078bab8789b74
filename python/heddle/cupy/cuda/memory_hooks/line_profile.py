# SPDX-License-Identifier: BSD-3-Clause
"""A memory hook that counts bytes by the program's lines, as CuPy's does."""
import os
import sys

from ..memory_hook import MemoryHook

_PACKAGE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(__file__)))) + os.sep


class _Line:
    """A line of the program, with what was called from there: {line: what it took}."""

    def __init__(self):
        self.used = self.acquired = 0
        self.below = {}


def _text(size):
    for unit in "", "K", "M", "G", "T", "P", "E":
        if size < 1024:
            return f"{size:.2f}{unit}B"
        size /= 1024
    return f"{size:.2f}ZB"


class LineProfileHook(MemoryHook):
    """Sums up, by lines of the program, the memory that was taken, and what the system gave for it.

    A line is one that had work run, where its memory was taken: the one that asked for values, or
    the end of the block. max_depth: so many calls deep, 0 for all.
    """
    name = "LineProfileHook"

    def __init__(self, max_depth=0):
        self._root, self._depth = _Line(), max_depth

    def malloc_preprocess(self, device_id, size, mem_size):
        self._add(mem_size, 0)

    def alloc_preprocess(self, device_id, mem_size):
        self._add(0, mem_size)

    def _add(self, used, acquired):
        import traceback
        frames = [(f.filename, f.lineno, f.name) for f in traceback.extract_stack()
                  if not f.filename.startswith(_PACKAGE)]
        lines = [self._root]
        for frame in frames[:self._depth - 1 if self._depth > 0 else None]:
            lines.append(lines[-1].below.setdefault(frame, _Line()))
        for line in lines:
            line.used += used
            line.acquired += acquired

    def print_report(self, file=None):
        """A line for each line of the program, below the one that called it."""
        file = sys.stdout if file is None else file
        self._print(file, "_root", self._root, 0)
        file.flush()

    def _print(self, file, name, line, depth):
        file.write(f"{'  ' * depth}{name} ({_text(line.used)}, {_text(line.acquired)})\n")
        for (path, number, function), below in line.below.items():
            self._print(file, f"{path}:{number}:{function}", below, depth + 1)
