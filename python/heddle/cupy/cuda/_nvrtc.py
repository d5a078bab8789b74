# SPDX-License-Identifier: BSD-3-Clause
"""CUDA C compiled by NVIDIA's run-time compiler (NVRTC), and what it made kept on disk.

The library is looked for by the dynamic linker, in $CUDA_HOME and $CUDA_PATH, in /usr/local/cuda,
and among PyPI's nvidia-* packages, of CUDA 13 first and then of 12.
"""
import ctypes
import hashlib
import os
import sysconfig
from functools import cache
from pathlib import Path

_FILES = "libnvrtc.so.13", "libnvrtc.so.12"


class CompileException(Exception):
    """The source does not compile. dump(file): writes it with the compiler's messages."""

    def __init__(self, message, source, name, options, backend="nvrtc"):
        super().__init__(message)
        self._message, self.source, self.name, self.options = message, source, name, options
        self.backend = backend

    def __reduce__(self):
        return type(self), (self._message, self.source, self.name, self.options, self.backend)

    def dump(self, f):
        """Writes the lines of the source with their numbers, and the messages."""
        lines = self.source.split("\n")
        width = len(str(len(lines)))
        f.write(f"{self.backend} compilation error: {self}\n-----\nName: {self.name}\n")
        f.write(f"Options: {' '.join(self.options)}\nCUDA source:\n")
        f.writelines(f"{i:0{width}d} {line}\n" for i, line in enumerate(lines, 1))
        f.write("-----\n")
        f.flush()


def _folders():
    for variable in "CUDA_HOME", "CUDA_PATH":
        if os.environ.get(variable):
            yield Path(os.environ[variable], "lib64")
    yield Path("/usr/local/cuda/lib64")
    for packages in {sysconfig.get_path("purelib"), str(Path(__file__).parents[4])}:
        yield from (Path(packages, "nvidia", where, "lib") for where in ("cu13", "cuda_nvrtc"))


@cache
def _library():
    named = os.environ.get("HEDDLE_LIBNVRTC")
    places = [named] if named else [*_FILES, *(f / n for n in _FILES for f in _folders())]
    for place in places:
        try:
            return ctypes.CDLL(str(place))
        except OSError:
            continue
    raise RuntimeError("kernels in CUDA C need NVIDIA's NVRTC library (libnvrtc.so.13 or .12), "
                       "which was not found: install CUDA's toolkit, set CUDA_PATH, or pip install "
                       "nvidia-cuda-nvrtc")


def version():
    """Of NVRTC, as (major, minor)."""
    major, minor = ctypes.c_int(), ctypes.c_int()
    _library().nvrtcVersion(ctypes.byref(major), ctypes.byref(minor))
    return major.value, minor.value


@cache
def _include_options():
    from ._paths import get_cuda_path
    roots = [get_cuda_path(), *(f.parent for f in _folders())]
    folders = dict.fromkeys(Path(r, "include") for r in roots if r)
    return tuple(f"-I{folder}" for folder in folders if folder.is_dir())


# ---- what was compiled before --------------------------------------------------------------------


def _cache_folder():
    """The folder, None: nothing is kept. As for Heddle's own kernels (docs/environment.md)."""
    wish = os.environ.get("HEDDLE_CACHE")
    if wish in ("off", "0"):
        return None
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    folder = Path(wish) if wish else home / "heddle"
    try:
        if not wish and not home.parent.is_dir():
            return None
        folder = folder / "nvrtc"
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        facts = folder.lstat()
    except OSError:
        return None
    safe = facts.st_uid == os.getuid() and not facts.st_mode & 0o022 and not folder.is_symlink()
    return folder if safe else None


def _key(source, options, names):
    text = "\0".join([f"{version()}", source, *options, "\0", *names])
    return hashlib.sha256(text.encode()).hexdigest()


def _read(path, names):
    """(image, lowered names) of a file, None if it is not there or not whole."""
    try:
        data = path.read_bytes()
    except OSError:
        return None
    digest, rest = data[:32], data[32:]
    if hashlib.sha256(rest).digest() != digest:
        return None
    head, _, image = rest.partition(b"\0\0")
    lowered = head.decode().split("\0") if names else []
    os.utime(path)
    return image, dict(zip(names, lowered, strict=True))


def _write(path, image, lowered):
    rest = "\0".join(lowered.values()).encode() + b"\0\0" + image
    part = path.with_suffix(f".{os.getpid()}")
    try:
        part.write_bytes(hashlib.sha256(rest).digest() + rest)
        part.replace(path)
        _trim(path.parent)
    except OSError:
        part.unlink(missing_ok=True)


def _trim(folder):
    """Deletes what was not used for longest, down to the most that may be kept."""
    most = int(os.environ.get("HEDDLE_CACHE_SIZE") or 256 << 20)
    files = sorted((f.stat().st_mtime, f.stat().st_size, f) for f in folder.iterdir())
    size = sum(s for _, s, _ in files)
    for _, bytes_, file in files:
        if size <= most:
            break
        file.unlink(missing_ok=True)
        size -= bytes_


# ---- compiling -----------------------------------------------------------------------------------


class _Program:
    """A program of NVRTC's, destroyed at the end of the block."""

    def __init__(self, source, name):
        self._handle, self._source, self._name = ctypes.c_void_p(), source, name

    def __enter__(self):
        self.call("nvrtcCreateProgram", ctypes.byref(self._handle), self._source.encode(),
                  self._name.encode(), 0, None, None, first=True)
        return self

    def __exit__(self, *exception):
        _library().nvrtcDestroyProgram(ctypes.byref(self._handle))

    def call(self, function, *arguments, first=False):
        code = getattr(_library(), function)(*(() if first else (self._handle,)), *arguments)
        if code:
            text = _library().nvrtcGetErrorString
            text.restype = ctypes.c_char_p
            raise RuntimeError(f"{function}: {text(code).decode()}")

    def bytes_of(self, size_function, function):
        size = ctypes.c_size_t()
        self.call(size_function, ctypes.byref(size))
        data = ctypes.create_string_buffer(max(size.value, 1))
        self.call(function, data)
        return data.raw[:size.value]

    def compile(self, options):
        words = [o.encode() for o in options]
        list_of = (ctypes.c_char_p * len(words))(*words)
        code = _library().nvrtcCompileProgram(self._handle, len(words), list_of)
        if code:
            log = self.bytes_of("nvrtcGetProgramLogSize", "nvrtcGetProgramLog")
            raise CompileException(log.rstrip(b"\0\n").decode(errors="replace"), self._source,
                                   self._name, options)

    def lowered(self, name):
        text = ctypes.c_char_p()
        self.call("nvrtcGetLoweredName", name.encode(), ctypes.byref(text))
        return text.value.decode()


def _compile(source, name, options, names):
    with _Program(source, name) as program:
        for expression in names:
            program.call("nvrtcAddNameExpression", expression.encode())
        program.compile(options)
        image = program.bytes_of("nvrtcGetCUBINSize", "nvrtcGetCUBIN")
        return image, {n: program.lowered(n) for n in names}


def build(source, options=(), names=(), architecture="90", name="kernel.cu"):
    """The image of a module, and {name expression: name in the image}.

    CompileException: the source is wrong. RuntimeError: there is no NVRTC.
    """
    options = (f"--gpu-architecture=sm_{architecture}", "--std=c++17", *options)
    if any(o.startswith(("-std", "--std")) for o in options[2:]):
        options = options[:1] + options[2:]
    options = (*options, *_include_options())
    folder = _cache_folder()
    path = folder and folder / _key(source, options, names)
    known = path and _read(path, names)
    if known:
        return known
    image, lowered = _compile(source, name, options, names)
    if path:
        _write(path, image, lowered)
    return image, lowered
