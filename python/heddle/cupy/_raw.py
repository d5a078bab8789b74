# SPDX-License-Identifier: BSD-3-Clause
"""RawKernel and RawModule: kernels in CUDA C, launched as operations of the window in the order of
the stream. Heddle compiles them itself (docs/design/lowered-ir.md); what its front end does not take
NVRTC compiles on a GPU, and on the CPU it is an error.

A parameter that the source declares as a pointer to const is only read; memory behind all other
pointers counts as read and written.
"""
import ctypes
import os
import re
from _thread import allocate_lock

from .. import _heddle
from .._heddle import _here as _where
from ..cuda._graph import keep
from .cuda import _driver as _cu
from .cuda.device import Device, on_gpu

__all__ = ["RawKernel", "RawModule"]
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)


def no_gpu():
    return RuntimeError("PTX and cubins run on a GPU, and arrays are on the CPU here")


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
    """For each parameter of a __global__ function whether it is a pointer to const; None: it was
    not found, as where macros make it."""
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


# ---- functions and modules -----------------------------------------------------------------------

_ATTRIBUTES = {"max_threads_per_block": 0, "shared_size_bytes": 1, "const_size_bytes": 2,
               "local_size_bytes": 3, "num_regs": 4, "ptx_version": 5, "binary_version": 6,
               "cache_mode_ca": 7, "max_dynamic_shared_size_bytes": 8,
               "preferred_shared_memory_carveout": 9}


class _Function:
    """A kernel in a module that was loaded, for one device."""

    def __init__(self, module, name, constant):
        self.module, self.name = module, name
        self._constant = None if constant is None else bytes(constant)
        handle = ctypes.c_void_p()
        _cu.call("cuModuleGetFunction", ctypes.byref(handle), module.handle, name.encode())
        self.handle = handle.value
        self._tell()

    def _tell(self):
        """facts: what a launch asks for."""
        self.facts = self.handle, self.name, self.attribute(0), self.attribute(8), self._constant

    def attribute(self, number):
        value = _cu.INT()
        _cu.call("cuFuncGetAttribute", ctypes.byref(value), _cu.INT(number),
                 _cu.Pointer(self.handle))
        return value.value

    def set_attribute(self, number, value):
        _cu.call("cuFuncSetAttribute", _cu.Pointer(self.handle), _cu.INT(number), _cu.INT(value))
        self._tell()


class _OwnFunction:
    """A kernel whose source Heddle's own front end has read."""

    _MOST_SHARED = 232448
    _KNOWN = {0: 1024, 8: _MOST_SHARED}     # attributes; what a CPU has none of is 0

    def __init__(self, module, name):
        self.handle = _heddle._module_kernel(module, name)
        _heddle._kernel_compile(self.handle, _where())
        self.name = name
        constant = bytes(access == 1 for *_, access in _heddle._kernel_parameters(self.handle))
        self.facts = self.handle, name, 1024, self._MOST_SHARED, constant

    def attribute(self, number):
        return self._KNOWN.get(number, 0)

    def set_attribute(self, number, value):
        if number == 8 and value > self._MOST_SHARED:
            raise RuntimeError(f"a block may have {self._MOST_SHARED} bytes of shared memory, not "
                               f"{value}")


_BY_NVRTC = os.environ.get("HEDDLE_KERNELS") == "nvrtc"


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

    code = file_path = name_expressions = backend = None
    options, enable_cooperative_groups = (), False

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
        self._read = None           # what _own() gives
        self._reading = allocate_lock()     # threads that begin together share one module
        self._by_nvrtc = False      # on a GPU: something in the source is beyond Heddle's front end

    def _image(self):
        if self.code is None:
            with open(self.file_path, "rb") as file:
                return file.read() + b"\0", {}
        from .cuda import _nvrtc
        return _nvrtc.build(self.code, self.options, tuple(self.name_expressions or ()),
                            Device().compute_capability)

    def _own(self):
        """The module by Heddle's own front end: (handle, {name of a variable: (offset, bytes)}).
        None: it is NVRTC's, on a GPU. A kernel may be NVRTC's while others are not, but not if there are
        variables that all of them share."""
        gpu = on_gpu()
        if self.code is None and not gpu:
            raise no_gpu()
        if gpu and (self.code is None or _BY_NVRTC or self._by_nvrtc):
            return None
        with self._reading:
            try:
                if self._read is None:
                    handle = _heddle._module_new(self.code, self.options)
                    self._read = handle, _heddle._module_variables(handle)
            except (ValueError, NotImplementedError) as e:
                self._refuse(e, None)
                return None
        if gpu and self._read[1] and not self._functions and not self._all_known(self._read[0]):
            self._by_nvrtc = True
            return None
        return self._read

    def _all_known(self, handle):
        """Whether no kernel of the source is beyond the front end."""
        names = _heddle._kernel_names(self.code, self.options)
        for name in (*names, *(self.name_expressions or ())):
            try:
                _heddle._module_kernel(handle, name)
            except NotImplementedError:
                return False
            except ValueError:      # a template without arguments; or no C, which is said later
                pass
        return True

    def _refuse(self, error, name):
        """On a GPU NVRTC has functions that only it has (j0), and the messages that people know."""
        if on_gpu():
            self._by_nvrtc = self._by_nvrtc or name is None
            return
        if isinstance(error, RuntimeError) and not isinstance(error, NotImplementedError):
            raise error
        from .cuda._nvrtc import CompileException
        raise CompileException(str(error), self.code, name or "", self.options) from None

    def _own_function(self, name):
        """The kernel by Heddle's own front end; None: it is to be NVRTC's."""
        own = self._own()
        if own is None:
            return None
        try:
            return _OwnFunction(own[0], name)
        except (ValueError, NotImplementedError, RuntimeError) as e:
            if on_gpu() and own[1]:
                from .cuda._nvrtc import CompileException
                raise CompileException(
                    f"{e}\nHEDDLE_KERNELS=nvrtc has NVRTC compile all kernels of the module, which "
                    "share its variables", self.code, name, self.options) from None
            self._refuse(e, name)
            return None

    def _load(self):
        """(the module on the current device, names of templates in it)"""
        if not on_gpu():
            raise no_gpu()
        where = str(_where())
        with self._reading:
            if where not in self._loaded:
                image, names = self._image()
                self._loaded[where] = _Loaded(image), names
        return self._loaded[where]

    @property
    def module(self):
        """What the driver has loaded on the current device: .handle."""
        return self._load()[0]

    def compile(self, log_stream=None):
        """Compiles and loads it now, and not when it is first used."""
        if self._own() is None:
            self._load()

    def _function(self, name):
        key = str(_where()), name
        if key not in self._functions and (own := self._own_function(name)):
            self._functions[key] = own
        if key not in self._functions:
            loaded, names = self._load()
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
        if (own := self._own()) is not None:
            if name not in own[1]:
                raise RuntimeError(f"the module has no variable {name}; it has "
                                   f"{', '.join(own[1]) or 'none'}")
            offset, size = own[1][name]
            return MemoryPointer(_heddle._module_memory(own[0], _where())[offset:offset + size], 0)
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

    name = None

    def __init__(self, code, name, options=(), backend="nvrtc", *, translate_cucomplex=False,
                 enable_cooperative_groups=False, jitify=False):
        if not isinstance(code, str) or not isinstance(name, str):
            raise TypeError("code and name are texts")
        self._module = RawModule(code, options=options, backend=backend,
                                 enable_cooperative_groups=enable_cooperative_groups)
        self.name = name
        self._used = None, None     # the device that it was launched on last, its function there

    @classmethod
    def _of(cls, module, name):
        kernel = cls.__new__(cls)
        kernel._module, kernel.name, kernel._used = module, name, (None, None)
        return kernel

    code = property(lambda self: self._module.code, doc="The source.")
    file_path = property(lambda self: self._module.file_path, doc="The file of the module.")
    options = property(lambda self: self._module.options, doc="Of the compiler.")
    backend = property(lambda self: self._module.backend, doc='"nvrtc"')
    enable_cooperative_groups = property(lambda self: self._module.enable_cooperative_groups)
    kernel = property(lambda self: self._module._function(self.name), doc="The function here.")

    def compile(self, log_stream=None):
        """Compiles it now, and not at its first launch."""
        self._module._function(self.name)

    def __call__(self, grid, block, args, *, shared_mem=0, stream=None):
        where = _where()
        if where is not self._used[0]:
            self._used = where, self._module._function(self.name)
        function = self._used[1]
        if type(function) is _Function:
            keep(where, function)
        if stream is None:
            _heddle._launch(where, function.facts, grid, block, args, shared_mem)
        else:
            with stream:
                _heddle._launch(where, function.facts, grid, block, args, shared_mem)

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
