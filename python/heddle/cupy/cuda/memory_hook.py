# SPDX-License-Identifier: BSD-3-Clause
"""Memory hooks by CuPy's names: objects whose methods are told of memory that arrays take."""
import sys
import threading
from types import SimpleNamespace

from ... import _heddle
from ..._state import synchronize as _synchronize
from .._sharing import lacking as _lacking

_local = threading.local()      # .hooks: {name: hook} of the thread; .errors: {name: exception}


def get_memory_hooks():
    """{name: hook} of those that are in force in this thread."""
    if not hasattr(_local, "hooks"):
        _local.hooks, _local.errors = {}, {}
    return _local.hooks


def _run():
    """Runs what was recorded; nothing of what the thread captures."""
    if not _heddle._capturing(None):
        _synchronize()


class MemoryHook:
    """A base class of hooks; with hook: its methods are told of the block's memory, by keywords.

    Memory is told of in the thread that takes it or gives it back, and after it has: the two
    methods of one event are called one after the other. It is taken when work runs, which is not
    when it is recorded; what was recorded before the block runs at its beginning, and what the
    block recorded at its end. What hooks take themselves is not told. The first exception of a
    hook's methods is raised at the end of its block; others go to sys.unraisablehook.
    """
    name = "MemoryHook"

    def __enter__(self):
        hooks = get_memory_hooks()
        if self.name in hooks:
            raise KeyError(f"a memory hook with the name {self.name!r} is in force already")
        _run()
        _heddle._set_memory_hook(_tell)     # what the hooks around have to hear, they hear now
        hooks[self.name] = self
        return self

    def __exit__(self, kind, value, trace):
        hooks = get_memory_hooks()
        try:
            _run()
        finally:
            _heddle._set_memory_hook(_tell)
            del hooks[self.name]
            if not hooks:
                _heddle._set_memory_hook(None)
            error = _local.errors.pop(self.name, None)
        if error is not None and value is None:
            raise error

    def alloc_preprocess(self, **kwargs):
        """device_id, mem_size: the system is asked for so many bytes."""

    def alloc_postprocess(self, **kwargs):
        """device_id, mem_size, mem_ptr: it gave them."""

    def malloc_preprocess(self, **kwargs):
        """device_id, size, mem_size: so many bytes are asked for, and the block has so many."""

    def malloc_postprocess(self, **kwargs):
        """device_id, size, mem_size, mem_ptr, pmem_id: the block, 0 if there was no memory."""

    def free_preprocess(self, **kwargs):
        """device_id, mem_size, mem_ptr, pmem_id: the block is given back."""

    def free_postprocess(self, **kwargs):
        """device_id, mem_size, mem_ptr, pmem_id: it was."""


def _call(method, **facts):
    for name, hook in tuple(_local.hooks.items()):
        try:
            getattr(hook, method)(**facts)
        except BaseException as error:
            if name in _local.errors:
                _report(error, hook)
            else:
                _local.errors[name] = error


def _report(error, hook):
    sys.unraisablehook(SimpleNamespace(exc_type=type(error), exc_value=error, object=hook,
                                       exc_traceback=error.__traceback__,
                                       err_msg="Exception ignored in a memory hook"))


def _tell(taken, device, size, mem_size, fresh, address):
    """What the library calls: a block was taken, or given back."""
    number = int(device.partition(":")[2] or 0)
    block = {"mem_ptr": address, "pmem_id": address}
    if not taken:
        for when in "pre", "post":
            _call(f"free_{when}process", device_id=number, mem_size=mem_size, **block)
        return
    _call("malloc_preprocess", device_id=number, size=size, mem_size=mem_size)
    if fresh or not address:
        fresh = fresh or mem_size
        _call("alloc_preprocess", device_id=number, mem_size=fresh)
        _call("alloc_postprocess", device_id=number, mem_size=fresh, mem_ptr=address)
    _call("malloc_postprocess", device_id=number, size=size, mem_size=mem_size, **block)


__getattr__ = _lacking("cupy.cuda.memory_hook")
