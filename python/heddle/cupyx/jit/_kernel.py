# SPDX-License-Identifier: BSD-3-Clause
"""Functions under @rawkernel(): translated when they are first launched with arguments of some
types."""
from functools import update_wrapper

import numpy

from ..._heddle import ndarray
from ...cupy._raw import RawKernel
from ._functions import PRELUDE
from ._translate import Source, Translation
from ._values import Array, Known, Value, as_number, c_name, cast, number, type_of

__all__ = ["rawkernel"]


class _Module:
    """The code of the functions of a kernel, each behind those that it calls."""

    def __init__(self):
        self.functions, self.known, self.open = [PRELUDE], {}, set()


def _argument(x, mode):
    if isinstance(x, ndarray):
        return Array(number(x.dtype), x.ndim, bool(x.flags.c_contiguous))
    if isinstance(x, (bool, int, float, complex, numpy.generic)):
        return type_of(x, mode)
    raise TypeError(f"{type(x)} is not supported for RawKernel")


def _key(type):
    return type.key() if isinstance(type, Array) else type.char


def _passed(x, type):
    """The arguments of the kernel in C for one of the function's."""
    if isinstance(x, ndarray):
        steps = () if type.is_dense else (s // x.itemsize for s in x.strides)
        return [x, *map(numpy.int64, (*x.shape, *steps))]
    return [type.type(x)]


class JitRawKernel:
    """A kernel in Python. kernel(grid, block, args, shared_mem=0, stream=None) launches it, and so
    does kernel[grid, block](*args)."""

    def __init__(self, function, mode, device):
        self._function, self._mode, self._device = function, mode, device
        self._kernels, self._source = {}, None
        update_wrapper(self, function)

    def _read(self):
        if self._source is None:
            self._source = Source(self._function)
        return self._source

    def _kernel(self, types):
        key = tuple(map(_key, types))
        if key not in self._kernels:
            module = _Module()
            done = Translation(self._read(), types, self._mode, module, False).translate()
            name = f"jit_{self._function.__name__}"
            module.functions.append(done.code(f'extern "C" __global__ void {name}'))
            self._kernels[key] = RawKernel("\n".join(module.functions), name)
        return self._kernels[key]

    def __call__(self, grid, block, args, shared_mem=0, stream=None):
        if self._device:
            raise RuntimeError(f"{self._function.__name__}() is called by kernels only")
        types = [_argument(x, self._mode) for x in args]
        passed = [value for x, type in zip(args, types) for value in _passed(x, type)]
        self._kernel(types)(grid, block, tuple(passed), shared_mem=shared_mem, stream=stream)

    def __getitem__(self, grid_and_block):
        grid, block = ((n,) if isinstance(n, int) else tuple(n) for n in grid_and_block)
        return lambda *args, **kwargs: self(grid, block, args, **kwargs)

    def call_in_kernel(self, caller, args):
        """The Value of a call by another function of a kernel."""
        module = caller.module
        values = [as_number(a, caller.mode) if isinstance(a, Known) or isinstance(
            a.type, numpy.dtype) else a for a in args]
        types = [v.type for v in values]
        if any(isinstance(t, tuple) for t in types):
            raise TypeError("functions of a kernel take numbers and arrays")
        key = self, tuple(t.char if isinstance(t, numpy.dtype) else t.key() for t in types)
        if key not in module.known:
            if key in module.open:
                raise ValueError("functions of a kernel do not call themselves")
            module.open.add(key)
            done = Translation(self._read(), types, self._mode, module, True).translate()
            name = f"f{len(module.known)}_{self._function.__name__}"
            result = "void" if done.returned is None else c_name(done.returned)
            module.functions.append(done.code(f"__device__ {result} {name}"))
            module.known[key] = name, done
        name, done = module.known[key]
        codes = []
        for value, type, parameter in zip(values, types, done.source.parameters):
            codes.append(value.code if not isinstance(type, numpy.dtype) else cast(value, type))
            if isinstance(type, numpy.dtype):
                continue
            if f"v_{parameter}" in done.written_arrays:
                caller.written(value)
            if isinstance(type, Array):
                codes += [f"{value.code}_n{axis}" for axis in range(type.ndim)]
                codes += [f"{value.code}_s{axis}" for axis in range(type.ndim) if not type.is_dense]
        return Value(f"{name}({', '.join(codes)})", done.returned)

    @property
    def cached_codes(self):
        """{types of the arguments: the code in C} of what was launched."""
        return {key: kernel.code for key, kernel in self._kernels.items()}

    @property
    def cached_code(self):
        """The code in C, if the function was launched with arguments of one kind only."""
        if len(self._kernels) != 1:
            raise RuntimeError(f"the kernel has {len(self._kernels)} codes: cached_codes")
        return next(iter(self._kernels.values())).code


def rawkernel(*, mode="cuda", device=False):
    """A decorator that makes a function a kernel.

    mode: "cuda", where Python's numbers have 32 bits and of two types the wider one by C's order is
    the result's, or "numpy". device: it is called by kernels, and may return a number.
    """
    if mode not in ("cuda", "numpy"):
        raise ValueError(f'mode is "cuda" or "numpy", not {mode!r}')
    return lambda function: JitRawKernel(function, mode, device)
