# SPDX-License-Identifier: BSD-3-Clause
"""RawKernel and RawModule: kernels in CUDA C, compiled by NVRTC, launched as operations of the window
in the order of the stream. They run on a GPU; on the CPU launching one is a RuntimeError.

A parameter that the source declares as a pointer to const is only read; memory behind all other
pointers counts as read and written.
"""
import ctypes
import re
from operator import index

import numpy

from .. import _heddle
from .._heddle import ndarray
from .._state import device as _where
from .cuda import _driver as _cu
from .cuda.device import Device, on_gpu

__all__ = ["RawKernel", "RawModule"]
_READS, _BOTH = 1, 3
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)


def _no_gpu():
    return RuntimeError("kernels in CUDA C run on a GPU, and arrays are on the CPU here")


# ---- parameters ----------------------------------------------------------------------------------


def _split_parameters(text):
    """The text between parentheses, at its commas on the top level."""
    depth, parts, part = 0, [], ""
    for c in text:
        depth += (c in "(<[{") - (c in ")>]}")
        if c == "," and depth == 0:
            parts.append(part)
            part = ""
        else:
            part += c
    return [*parts, part] if part.strip() else parts


def _parameters_of(source, name):
    """For each parameter of a __global__ function whether it is a pointer to const; None: it was not
    found, as where macros make it."""
    text = _COMMENT.sub(" ", source)
    found = re.search(rf"\b__global__\b[^;{{}}]*\b{re.escape(name)}\s*\(", text)
    if not found:
        return None
    depth, end = 1, found.end()
    while end < len(text) and depth:
        depth += (text[end] == "(") - (text[end] == ")")
        end += 1
    inside = text[found.end():end - 1]
    parameters = [] if inside.strip() == "void" else _split_parameters(inside)
    return [p.count("*") == 1 and "const" in p.partition("*")[0].split() for p in parameters]


def _value(x):
    """A number as the bytes that a parameter has: Python's as CuPy passes them."""
    if isinstance(x, bool):
        return numpy.bool_(x).tobytes()
    if isinstance(x, int):
        return numpy.int64(x).tobytes() if x < 2**63 else numpy.uint64(x).tobytes()
    if isinstance(x, float):
        return numpy.float64(x).tobytes()
    if isinstance(x, complex):
        return numpy.complex128(x).tobytes()
    if isinstance(x, numpy.generic | numpy.ndarray):
        return x.tobytes()
    if hasattr(x, "ptr"):       # a MemoryPointer, a texture's handle
        return numpy.uint64(x.ptr).tobytes()
    if hasattr(x, "dtype"):
        return numpy.asarray(x).tobytes()
    raise TypeError(f"an argument of a kernel is an array or a number, not {type(x).__name__}")


def _sizes(size, what):
    size = (size,) if isinstance(size, int) else tuple(size)
    if not 1 <= len(size) <= 3:
        raise ValueError(f"{what} must have one to three sizes, not {size}")
    size = tuple(map(index, size))
    if min(size) < 0:
        raise ValueError(f"{what} {size} has a negative size")
    return (*size, 1, 1)[:3]


# ---- functions and modules -----------------------------------------------------------------------

_ATTRIBUTES = {"max_threads_per_block": 0, "shared_size_bytes": 1, "const_size_bytes": 2,
               "local_size_bytes": 3, "num_regs": 4, "ptx_version": 5, "binary_version": 6,
               "cache_mode_ca": 7, "max_dynamic_shared_size_bytes": 8,
               "preferred_shared_memory_carveout": 9}


class _Function:
    """A kernel in a module that was loaded, for one device."""

    def __init__(self, module, name, constant):
        self.module, self.name, self.constant = module, name, constant
        handle = ctypes.c_void_p()
        _cu.call("cuModuleGetFunction", ctypes.byref(handle), module.handle, name.encode())
        self.handle = handle.value
        self._most_threads, self._most_shared = self.attribute(0), self.attribute(8)

    def attribute(self, number):
        value = _cu.INT()
        _cu.call("cuFuncGetAttribute", ctypes.byref(value), _cu.INT(number), _cu.Pointer(self.handle))
        return value.value

    def set_attribute(self, number, value):
        _cu.call("cuFuncSetAttribute", _cu.Pointer(self.handle), _cu.INT(number), _cu.INT(value))
        self._most_shared = self.attribute(8)

    def _check(self, grid, block, shared):
        """What the driver would refuse is refused before anything is recorded."""
        if block[0] * block[1] * block[2] > self._most_threads or block[2] > 64:
            problem = f"a block may have {self._most_threads} threads, and 64 along the last axis"
        elif grid[0] > 2**31 - 1 or max(grid[1:]) > 65535:
            problem = "a grid may have 2147483647 x 65535 x 65535 blocks"
        elif not 0 <= shared <= self._most_shared:
            problem = f"a block may have {self._most_shared} bytes (max_dynamic_shared_size_bytes)"
        else:
            return
        raise RuntimeError(f"CUDA_ERROR_INVALID_VALUE: {self.name}: grid {grid}, block {block}, "
                           f"{shared} bytes of shared memory: {problem}")

    def _argument(self, i, x):
        if not isinstance(x, ndarray):
            return _value(x)
        if _heddle._is_host(x.device):
            raise ValueError(f"{self.name}: argument {i} is an array on {x.device}, the kernel on {_where()}")
        return x, _READS if self.constant and i < len(self.constant) and self.constant[i] else _BOTH

    def launch(self, grid, block, args, shared):
        if self.constant is not None and len(args) != len(self.constant):
            raise TypeError(f"{self.name}() takes {len(self.constant)} arguments, {len(args)} were given")
        grid, block = _sizes(grid, "grid"), _sizes(block, "block")
        if 0 in grid or 0 in block:
            return
        self._check(grid, block, shared)
        arguments = tuple(self._argument(i, x) for i, x in enumerate(args))
        _heddle._launch(_where(), self.handle, self.name, grid, block, shared, arguments)


class _Loaded:
    """An image that the driver has loaded; unloaded when nobody has a function of it, and all that
    was launched has run."""

    def __init__(self, image):
        handle = ctypes.c_void_p()
        _cu.call("cuModuleLoadDataEx", ctypes.byref(handle), image, _cu.UNSIGNED(0), None, None)
        self.handle, self._where = handle, str(_where())

    def __del__(self):
        try:
            if getattr(self, "handle", None):
                _heddle._wait_all(self._where)
                _cu.call("cuModuleUnload", self.handle)
        except Exception:       # the interpreter ends, or the device is lost
            pass


class RawModule:
    """Kernels in CUDA C, PTX or a cubin.

    code: the source; path: of a file with PTX or a cubin instead. options: of NVRTC.
    name_expressions: of templates that get_function() is asked for, as "f<float>".
    backend: "nvrtc"; "nvcc" is the same here. translate_cucomplex, enable_cooperative_groups and
    jitify are taken and change nothing.
    """

    def __init__(self, code=None, *, path=None, options=(), backend="nvrtc",
                 translate_cucomplex=False, enable_cooperative_groups=False, name_expressions=None,
                 jitify=False):
        if (code is None) == (path is None):
            raise TypeError("Exactly one of `code` and `path` must be given")
        if isinstance(options, str) or not all(isinstance(o, str) for o in options):
            raise TypeError("options must be a tuple of texts")
        if name_expressions is not None and path is not None:
            raise ValueError("name_expressions need the source: `code`")
        self.code, self.file_path, self.options = code, path, tuple(options)
        self.name_expressions, self.backend = name_expressions, backend
        self.enable_cooperative_groups = enable_cooperative_groups
        self._loaded, self._functions = {}, {}

    def _image(self):
        if self.code is None:
            with open(self.file_path, "rb") as file:
                return file.read() + b"\0", {}
        from .cuda import _nvrtc
        return _nvrtc.build(self.code, self.options, tuple(self.name_expressions or ()),
                            Device().compute_capability)

    def _load(self):
        """(the module on the current device, names of templates in it)"""
        if not on_gpu():
            raise _no_gpu()
        where = str(_where())
        if where not in self._loaded:
            image, names = self._image()
            self._loaded[where] = _Loaded(image), names
        return self._loaded[where]

    def compile(self, log_stream=None):
        """Compiles and loads it now, and not when it is first used."""
        self._load()

    def _function(self, name):
        loaded, names = self._load()
        key = str(_where()), name
        if key not in self._functions:
            plain = name.partition("<")[0].rpartition("::")[2]
            constant = _parameters_of(self.code, plain) if self.code is not None else None
            self._functions[key] = _Function(loaded, names.get(name, name), constant)
        return self._functions[key]

    def get_function(self, name):
        """The kernel of that name, as a RawKernel."""
        kernel = RawKernel._of(self, name)
        if on_gpu():
            kernel.compile()
        return kernel

    def get_global(self, name):
        """A MemoryPointer to the global variable of that name."""
        from .cuda.memory import MemoryPointer, UnownedMemory
        loaded, names = self._load()
        address, size = ctypes.c_uint64(), ctypes.c_size_t()
        _cu.call("cuModuleGetGlobal_v2", ctypes.byref(address), ctypes.byref(size), loaded.handle,
                 names.get(name, name).encode())
        return MemoryPointer(UnownedMemory(address.value, size.value, loaded), 0)


class RawKernel:
    """A kernel in CUDA C.

    code: source that has it, as `extern "C" __global__ void name(...)`. options and backend as for
    RawModule. kernel(grid, block, args, shared_mem=0): launches it on the current device; a Python
    int is an int64 parameter, a float a double.
    """

    def __init__(self, code, name, options=(), backend="nvrtc", *, translate_cucomplex=False,
                 enable_cooperative_groups=False, jitify=False):
        if not isinstance(code, str) or not isinstance(name, str):
            raise TypeError("code and name are texts")
        self._module = RawModule(code, options=options, backend=backend,
                                 enable_cooperative_groups=enable_cooperative_groups)
        self.name = name

    @classmethod
    def _of(cls, module, name):
        kernel = cls.__new__(cls)
        kernel._module, kernel.name = module, name
        return kernel

    code = property(lambda self: self._module.code, doc="The source.")
    file_path = property(lambda self: self._module.file_path, doc="The file of the module.")
    options = property(lambda self: self._module.options, doc="Of the compiler.")
    backend = property(lambda self: self._module.backend, doc='"nvrtc"')
    enable_cooperative_groups = property(lambda self: self._module.enable_cooperative_groups)
    kernel = property(lambda self: self._module._function(self.name), doc="The function on this device.")

    def compile(self, log_stream=None):
        """Compiles it now, and not at its first launch."""
        self._module._function(self.name)

    def __call__(self, grid, block, args, *, shared_mem=0, stream=None):
        if not on_gpu():
            raise _no_gpu()
        if stream is None:
            self._module._function(self.name).launch(grid, block, args, shared_mem)
        else:
            with stream:
                self._module._function(self.name).launch(grid, block, args, shared_mem)

    @property
    def attributes(self):
        """A dict of facts that the driver knows of the function."""
        function = self._module._function(self.name)
        return {name: function.attribute(number) for name, number in _ATTRIBUTES.items()}

    def __repr__(self):
        return f"<RawKernel {self.name}>"


def _fact(name, number, settable=False):
    def get(self):
        return self._module._function(self.name).attribute(number)

    def put(self, value):
        self._module._function(self.name).set_attribute(number, value)
    return property(get, put if settable else None, doc=f"{name} of the function, of the driver's.")


for _name, _number in _ATTRIBUTES.items():
    setattr(RawKernel, _name, _fact(_name, _number, _number in (8, 9)))
