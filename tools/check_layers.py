# SPDX-License-Identifier: BSD-3-Clause
"""Checks who includes and who names whom, from the one list of allowed edges below. Exit status 1 on a
fault.

Includes: a .def file is data, every layer may include it. So may every layer include <heddle/...>.

Names: a function or variable of another file (symbols.py) belongs to the layer that defines it, and
only layers that may include that one may call, mention or declare it, public functions as well. What
lower layers need of higher ones they get by a table of pointers that is theirs and that the higher one
fills (hdi_runner_table, hdi_service_table).
"""
import re
import sys
from pathlib import Path

from symbols import Symbols

# layer: the layers it may see, besides itself. A layer is a folder of src; "x/*" means each folder in
# x is a layer of its own, so that two of them never meet; x itself holds what they share. What x's own
# headers or the public ones declare belongs to x, whichever of its folders defines it: families call
# each other by these functions, and back ends are found by what backend.h declares.
EDGES = {
    "base":      [],
    "core":      ["base"],
    "window":    ["base", "core"],
    "fuse":      ["base", "core", "window"],
    "ops":       ["base", "core", "window"],
    "ops/*":     ["base", "core", "window", "ops"],
    "backend":   ["base", "core", "window", "fuse"],              # backend.h: the vtable
    "backend/*": ["base", "core", "window", "fuse", "backend", "codegen", "lir"],
    "transform": ["base", "core", "window", "ops"],
    "lir":       ["base"],                                        # lowered IR
    "kernel":    ["base", "lir"],                                 # users' kernels in C: source to lowered IR
    "codegen":   ["base", "core", "fuse", "lir"],                 # fuse: kernel_ir.h
    "exec":      ["base", "core", "window", "fuse", "ops", "backend", "lir", "kernel"],
    "dist":      ["base", "core", "window", "fuse", "ops", "backend", "transform", "exec"],
    "interop":   ["base", "core", "window", "fuse", "ops", "backend", "transform", "exec"],
}

# Headers of other libraries: each is seen by one folder only.
EXTERNAL = [
    (r"(cuda|cublas|cusolver|cufft|cusparse|curand|nvrtc|nvJitLink|cub/)", "src/backend/cuda"),
    (r"(llvm-c/|llvm/)",                                                   "src/codegen"),
    (r"(cblas|lapack|openblas|mkl|fftw3|pocketfft)",                       "src/backend/cpu"),
    (r"(mpi|nccl)\.h",                                                     "src/dist"),
    (r"(Python\.h|numpy/)",                                                "python/src"),
]

# What a public header may need from the system.
PUBLIC_SYSTEM = {"stddef.h", "stdint.h", "stdbool.h", "complex.h"}

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(?:"([^"]+)"|<([^>]+)>)', re.MULTILINE)


def layer_of(path):
    """Layer of a path below src, None if it belongs to none."""
    folders = path.split("/")[:-1]
    if not folders:
        return None
    if len(folders) > 1 and f"{folders[0]}/*" in EDGES:
        return "/".join(folders[:2])
    return folders[0] if folders[0] in EDGES else None


def allowed(layer):
    row = EDGES.get(layer) or EDGES.get(layer.split("/")[0] + "/*" if "/" in layer else layer, [])
    return {layer, *row}


def check_external(name, where):
    for pattern, owner in EXTERNAL:
        if re.match(pattern, name) and not where.startswith(owner + "/"):
            yield f"<{name}> belongs to {owner} only"


def check_src(root, where, quoted, system):
    inner = where.removeprefix("src/")
    layer = layer_of(inner)
    if layer is None:
        yield "is in no layer: add its folder to EDGES in tools/check_layers.py"
        return
    for name in quoted:
        here = str(Path(inner).parent / name)
        target = here if "/" not in name and (root / "src" / here).is_file() else name
        if not (root / "src" / target).is_file():
            yield f'"{name}" is not below src'
        elif not target.endswith(".def") and layer_of(target) not in allowed(layer):
            yield f'{layer} may not include "{name}" ({layer_of(target)})'
    for name in system:
        if name.startswith("heddle/") and not (root / "include" / name).is_file():
            yield f"<{name}> does not exist"


def check_client(root, where, quoted, system):
    """Clients of the public interface, with their own headers beside them."""
    for name in quoted:
        if "/" in name or not (root / where).with_name(name).is_file():
            yield f'"{name}": only <heddle/...> may be seen from here'


def check_public(root, where, quoted, system):
    for name in quoted:
        yield f'"{name}": a public header includes <heddle/...> only'
    for name in system:
        if not name.startswith("heddle/") and name not in PUBLIC_SYSTEM:
            yield f"<{name}>: not in a public header"


def layers_of(paths):
    return {layer_of(path.removeprefix("src/")) for path in paths if path.startswith("src/")}


def owners(name, symbols):
    """The layers that `name` belongs to."""
    found = layers_of(symbols.defined[name])
    declared = symbols.declared.get(name, ())
    public = any(path.startswith("include/") for path in declared)
    shared = {layer.split("/")[0] for layer in found if layer and "/" in layer}
    return found | {x for x in shared if public or x in layers_of(declared)}


def check_names(texts):
    """Lines of text: names that a layer may not know, and declarations that nothing follows."""
    symbols = Symbols(texts)
    for name in sorted(symbols.declared.keys() - symbols.defined.keys()):
        yield f"{min(symbols.declared[name])}: {name} is declared and defined nowhere"
    for name in sorted(symbols.defined):
        of = owners(name, symbols)
        for where in sorted(symbols.used[name]):
            layer = layer_of(where.removeprefix("src/"))
            if where.startswith("src/") and layer is not None and not of & allowed(layer):
                yield f"{where}: {layer} may not name {name} ({', '.join(sorted(of))})"


RULES = [("src", check_src), ("include/heddle", check_public), ("python/src", check_client),
         ("examples", check_client)]


def check(root):
    """All faults below root, as lines of text, and the number of files seen."""
    faults, texts = [], {}
    for folder, rule in RULES:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix not in (".c", ".h", ".def", ".cu", ".cuh"):
                continue
            where = path.relative_to(root).as_posix()
            texts[where] = path.read_text()
            found = INCLUDE.findall(texts[where])
            quoted, system = [q for q, s in found if q], [s for q, s in found if s]
            for fault in rule(root, where, quoted, system):
                faults.append(f"{where}: {fault}")
            for name in quoted + system:
                faults += [f"{where}: {fault}" for fault in check_external(name, where)]
    inside = {where: text for where, text in texts.items()
              if where.startswith(("src/", "include/")) and not where.endswith(".def")}
    return faults + list(check_names(inside)), len(texts)


def main():
    faults, seen = check(Path(__file__).resolve().parent.parent)
    print("\n".join(faults + [f"{seen} files, {len(faults)} includes and names that break a layer"]))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
