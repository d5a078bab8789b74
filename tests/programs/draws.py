# SPDX-License-Identifier: BSD-3-Clause
"""NumPy's random numbers for programs that run with another module.

Seeds do not give NumPy's numbers, by design. While a program runs, the functions of the module's
random are replaced by ones that draw with NumPy and give the module's arrays; a function that the
module lacks stays missing.
"""

import contextlib

import numpy


PLAIN = (int, float, type(None))  # types of arguments that NumPy takes as they are


class Drawing:
    """Calls methods of NumPy's generator with the module's arrays."""

    def __init__(self, module, generator, names):
        self._module, self._generator, self._names = module, generator, names
        self._kinds = {}
        for x in (0.5, 1, numpy.float64(1), numpy.int64(1)):
            element = module.asarray(x)[()]
            if isinstance(element, numpy.generic):
                self._kinds[type(x)] = type(element)

    def __getattr__(self, name):
        if name.startswith("_") or name not in self._names:
            raise AttributeError(name)
        method = getattr(self._generator, name)

        def draw(*args, **kwargs):
            for x in args:
                if type(x) not in PLAIN:
                    break
            else:
                if not kwargs:
                    return self._from_numpy(method(*args))
            written = args[0] if name == "shuffle" else kwargs.get("out")
            args, kwargs = self._to_numpy(list(args)), self._to_numpy(kwargs)
            result = method(*args, **kwargs)
            if isinstance(written, self._module.ndarray):
                written[...] = self._module.asarray(args[0] if name == "shuffle" else kwargs["out"])
                return None if name == "shuffle" else written
            return self._from_numpy(result)

        self.__dict__[name] = draw
        return draw

    def _to_numpy(self, x):
        if isinstance(x, self._module.ndarray):
            return numpy.array(self._module.asnumpy(x))
        if isinstance(x, dict):
            return {key: self._to_numpy(value) for key, value in x.items()}
        if type(x) in (list, tuple) and any(
            isinstance(y, (self._module.ndarray, list, tuple)) for y in x
        ):
            return type(x)(self._to_numpy(y) for y in x)
        return x

    def _from_numpy(self, x):
        """An array as one of the module's, a number as an element of such a one."""
        kind = self._kinds.get(type(x))
        if kind is not None:
            return kind(x)
        if (
            isinstance(x, (numpy.ndarray, numpy.generic, float, int))
            and numpy.asarray(x).dtype.kind in "biufc"
        ):
            return self._module.asarray(x)
        return x


@contextlib.contextmanager
def numpy_draws(module):
    """While it lasts the module draws NumPy's numbers."""
    random = module.random
    if random is numpy.random:
        yield
        return
    methods = {name for name in dir(random.Generator) if not name.startswith("_")}
    shared = Drawing(module, numpy.random, set(dir(random)))

    def default_rng(seed=None):
        if isinstance(seed, Drawing):
            return seed
        return Drawing(module, numpy.random.default_rng(seed), methods)

    new = {"default_rng": default_rng}
    if hasattr(random, "RandomState"):
        older = {name for name in dir(random.RandomState) if not name.startswith("_")}
        new["RandomState"] = lambda seed=None: Drawing(
            module, numpy.random.RandomState(seed), older
        )
    for name in dir(random):
        old = getattr(random, name)
        if (
            hasattr(numpy.random, name)
            and not name.startswith("_")
            and callable(old)
            and not isinstance(old, type)
        ):
            new.setdefault(name, getattr(shared, name))
    kept = {name: getattr(random, name) for name in new}
    vars(random).update(new)
    try:
        yield
    finally:
        vars(random).update(kept)
