# SPDX-License-Identifier: BSD-3-Clause
"""CuPy's tools around functions, and those that say what there is."""
from functools import wraps

__all__ = ["clear_memo", "fuse", "get_default_memory_pool",
           "get_default_pinned_memory_pool", "is_available", "memoize"]


def fuse(*args, **kwargs):
    """The function itself: chains of operations run as one kernel without being asked to.

    @fuse, @fuse() and @fuse(kernel_name="name") mean the same.
    """
    if len(args) == 1 and callable(args[0]) and not kwargs:
        return args[0]
    return lambda function: function


_memos = []


def memoize(for_each_device=False):
    """A function that keeps its results by its arguments, which must be hashable; with
    for_each_device by the current device, too."""
    def decorate(function):
        memo = {}
        _memos.append(memo)

        @wraps(function)
        def remembering(*args, **kwargs):
            from .. import device
            key = (str(device()) if for_each_device else None, args, frozenset(kwargs.items()))
            if key not in memo:
                memo[key] = function(*args, **kwargs)
            return memo[key]
        return remembering
    return decorate


def clear_memo():
    """Forgets what functions under memoize() have kept."""
    for memo in _memos:
        memo.clear()


def is_available():
    """Are arrays made on a GPU?"""
    from .cuda import is_available as is_gpu
    return is_gpu()


def get_default_memory_pool():
    """The allocator of arrays."""
    from .cuda import get_default_memory_pool as pool
    return pool()


def get_default_pinned_memory_pool():
    """The allocator of the host's memory that results of transfers live in."""
    from .cuda import get_default_pinned_memory_pool as pool
    return pool()
