# SPDX-License-Identifier: BSD-3-Clause
"""A memory hook that prints a line of JSON for each event, as CuPy's does."""
import sys

from ..memory_hook import MemoryHook


def _line(hook, facts, names):
    values = (f'"{facts[name]:#x}"' if name == "pmem_id" else str(facts[name]) for name in names)
    fields = "".join(f',"{name}":{value}' for name, value in zip(names, values))
    return f'{{"hook":"{hook}"{fields}}}\n'


class DebugPrintHook(MemoryHook):
    """Prints a line of JSON when memory was taken, given back, or asked of the system.

    file: where to; flush: after each line.
    """
    name = "DebugPrintHook"

    def __init__(self, file=None, flush=True):
        self.file = sys.stdout if file is None else file
        self.flush = flush

    def _print(self, *what):
        self.file.write(_line(*what))
        if self.flush:
            self.file.flush()

    def alloc_postprocess(self, **kwargs):
        self._print("alloc", kwargs, ("device_id", "mem_size", "mem_ptr"))

    def malloc_postprocess(self, **kwargs):
        self._print("malloc", kwargs, ("device_id", "size", "mem_size", "mem_ptr", "pmem_id"))

    def free_postprocess(self, **kwargs):
        self._print("free", kwargs, ("device_id", "mem_size", "mem_ptr", "pmem_id"))
