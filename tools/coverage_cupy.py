# SPDX-License-Identifier: BSD-3-Clause
"""Writes docs/compatibility-cupy.md: which of CuPy's names Heddle has, which must be importable.

    PYTHONPATH=build/gcc/python .venv/bin/python tools/coverage_cupy.py          write the page
    ... tools/coverage_cupy.py check                                             fail if it is old
"""
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
NAMES = ROOT / "tests/python/cupy_names.txt"
PAGE = ROOT / "docs/compatibility-cupy.md"

HEAD = """\
# CuPy's names in Heddle

Made by tools/coverage_cupy.py from tests/python/cupy_names.txt, the public names of CuPy in the modules below, members of
classes among them. A name that is missing is an AttributeError that names it. Left out: `cupyx.scipy` but for
`fft`, `fftpack` and `ndimage`, and the raw wrappers of NVIDIA's libraries. How programs run: [running-cupy-programs.md](running-cupy-programs.md).

| module | names | there | missing |
|---|---|---|---|
"""

# Why names are missing: of names, or of modules with all that is in them.
REASONS = [
    ("wrappers of NVIDIA's libraries, and handles of theirs, which Heddle does not call", """
        cupy.cublas cupy.cuda.cub cupy.cuda.cufft cupy.cuda.cutensor cupy.cuda.jitify cupy.cuda.nccl
        cupy.cuda.thrust cupy.cuda.Device.cublas_handle cupy.cuda.Device.cusolver_handle
        cupy.cuda.Device.cusolver_sp_handle cupy.cuda.Device.cusparse_handle
        cupy.cuda.Device.cutensor_handle cupy.cuda.get_cublas_handle cupyx.cusolver cupyx.cusparse
        cupyx.cutensor cupyx.lapack cupyx.jit.cub cupyx.jit.thrust cupy.fft.config"""),
    ("several GPUs, and processes, for one array", "cupyx.distributed"),
    ("allocators and pools other than Heddle's", """
        cupy.cuda.CFunctionAllocator cupy.cuda.PythonFunctionAllocator cupy.cuda.MemoryAsync
        cupy.cuda.MemoryAsyncPool.memoryAsyncHasStat cupy.cuda.PinnedMemory
        cupy.cuda.PinnedMemoryPointer.mem cupy.cuda.runtime.MemPoolProps
        cupy.cuda.runtime.deviceGetDefaultMemPool cupy.cuda.runtime.deviceGetMemPool
        cupy.cuda.runtime.deviceSetMemPool cupy.cuda.runtime.mallocFromPoolAsync
        cupy.cuda.runtime.memPoolCreate cupy.cuda.runtime.memPoolDestroy
        cupy.cuda.runtime.memPoolGetAttribute cupy.cuda.runtime.memPoolSetAttribute
        cupy.cuda.runtime.memPoolTrimTo"""),
    ("textures, surfaces and CUDA's arrays, which kernels here do not read", """
        cupy.cuda.texture cupy.cuda.runtime.createSurfaceObject
        cupy.cuda.runtime.createTextureObject cupy.cuda.runtime.destroySurfaceObject
        cupy.cuda.runtime.destroyTextureObject cupy.cuda.runtime.freeArray
        cupy.cuda.runtime.malloc3DArray cupy.cuda.runtime.mallocArray
        cupy.cuda.runtime.memcpy2DFromArray cupy.cuda.runtime.memcpy2DFromArrayAsync
        cupy.cuda.runtime.memcpy2DToArray cupy.cuda.runtime.memcpy2DToArrayAsync"""),
    ("copies by address of more than one dimension: `x[...] = y` of views", """
        cupy.cuda.runtime.memcpy2D cupy.cuda.runtime.memcpy2DAsync cupy.cuda.runtime.memcpy3D
        cupy.cuda.runtime.memcpy3DAsync"""),
    ("memory and events of other processes", """
        cupy.cuda.runtime.ipcCloseMemHandle cupy.cuda.runtime.ipcGetEventHandle
        cupy.cuda.runtime.ipcGetMemHandle cupy.cuda.runtime.ipcOpenEventHandle
        cupy.cuda.runtime.ipcOpenMemHandle"""),
    ("limits of a device (stack, heap of `malloc` in kernels), which kernels here do not need", """
        cupy.cuda.runtime.deviceGetLimit cupy.cuda.runtime.deviceSetLimit"""),
    ("CuPy's insides, as compiled code and its classes see them", """
        cupy.broadcast.values cupy.get_array_wrap cupy.make_aligned_dtype cupy.ndarray.cstruct
        cupy.ndarray.mdspan cupy.ndarray.reduced_view cupy.poly1d.get cupy.poly1d.set
        cupy.ufunc.name cupy.cuda.Function cupy.cuda.Module cupy.cuda.common cupy.cuda.compiler
        cupy.cuda.function cupy.random.MRG32k3a.generator cupy.random.Philox4x3210.generator
        cupy.random.XORWOW.generator cupyx.GeneralizedUFunc cupyx.tools"""),
    ("settings that nothing here asks for, or that CuPy has given up", """
        cupy.disable_experimental_feature_warning cupy.set_string_function cupyx.DeviceSynchronized
        cupyx.allow_synchronize cupyx.profiler.load_ipython_extension"""),
    ("groups of threads other than blocks and warps", "cupyx.jit.cg"),
    ("sparse matrices", "cupyx.linalg.sparse cupyx.scipy.sparse cupy.testing.shaped_sparse_random"),
    ("not there yet", """
        cupyx.signal cupyx.scipy.interpolate cupyx.scipy.linalg cupyx.scipy.spatial
        cupyx.scipy.fft.fht cupyx.scipy.fft.ifht"""),
]


def reason_of(name):
    """Why a name is missing, modules before it; None if nobody has said."""
    listed = {one: why for why, names in REASONS for one in names.split()}
    parts = name.split(".")
    known = (listed.get(".".join(parts[:n])) for n in range(len(parts), 0, -1))
    return next((why for why in known if why), None)


def names_by_module():
    """{module: its names} of the names file."""
    found = {}
    for line in NAMES.read_text().splitlines():
        if line.startswith("["):
            names = found[line.strip("[]")] = []
        elif not line.startswith("#"):
            names += line.split()
    return found


def _has(holder, path):
    for part in path.split("."):
        if not hasattr(holder, part):
            return False
        holder = getattr(holder, part)
    return True


def _instances(cupy):
    """Classes whose members are seen on an object only, and one of each."""
    x = cupy.ones(1)
    return {"broadcast": cupy.broadcast(x), "flatiter": x.flat, "MemoryPointer": cupy.cuda.alloc(1)}


def missing(module, names):
    """Those of a module's names that Heddle has not."""
    from heddle._run.mapping import Mapping
    try:
        holder = Mapping().module(module)
    except ModuleNotFoundError:
        return list(names)
    instances = _instances(Mapping().module("cupy"))

    def has(name):
        first, _, member = name.partition(".")
        return _has(holder, first) and (
            not member or _has(instances.get(first, getattr(holder, first)), member))
    return [name for name in names if not has(name)]


def _short(names):
    """The names, without the members of a class that is missing itself."""
    gone = set(names)
    return [n for n in names if n.partition(".")[0] not in gone or "." not in n]


def page():
    """The text of the page."""
    rows, sums, why = [], [0, 0], {}
    for module, names in names_by_module().items():
        lacking = missing(module, names)
        for name in _short(lacking):
            why.setdefault(reason_of(f"{module}.{name}") or "?", []).append(f"`{module}.{name}`")
        sums = [sums[0] + len(names), sums[1] + len(names) - len(lacking)]
        rows.append(f"| `{module}` | {len(names)} | {len(names) - len(lacking)} | "
                    f"{', '.join(f'`{n}`' for n in _short(lacking))} |")
    told = [f"| {reason} | {', '.join(why[reason])} |" for reason, _ in REASONS if reason in why]
    if "?" in why:
        raise SystemExit(f"REASONS does not say why these are missing: {', '.join(why['?'])}")
    return "\n".join([HEAD + "\n".join(rows), f"| together | {sums[0]} | {sums[1]} | |", "",
                      "## Why names are missing", "", "| | names |", "|---|---|", *told, ""])


def main(words):
    """0, or 1 if the page is not up to date."""
    text = page()
    if words != ["check"]:
        PAGE.write_text(text)
    elif PAGE.read_text() != text:
        print(f"{PAGE} is not up to date: run tools/coverage_cupy.py", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
