# SPDX-License-Identifier: BSD-3-Clause
"""functools.lru_cache for functions of modules that `import heddle` reads: functools takes 2 ms to
import, so it is when the first of these functions is called.
"""
__all__ = ["cached"]


def cached(most, typed=False):
    """Decorates a function of a module: its last `most` results are kept. From the first call on
    the module's name is the cache itself, so it must not have been imported by name elsewhere."""
    def decorate(function):
        name, scope = function.__name__, function.__globals__

        def first(*args):
            from functools import lru_cache
            if scope[name] is first:
                scope[name] = lru_cache(most, typed)(function)
            return scope[name](*args)
        return first
    return decorate
