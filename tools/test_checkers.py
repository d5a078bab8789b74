# SPDX-License-Identifier: BSD-3-Clause
"""Plants one fault at a time in a small clean tree: check_layers and check_style must find it, and
nothing else."""
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import check_layers
import check_style

C = "/* SPDX-License-Identifier: BSD-3-Clause */\n"
PY = "# SPDX-License-Identifier: BSD-3-Clause\n"


def header(name, body=""):
    return f"{C}/* {name} - for a test. */\n{body}"


CLEAN = {
    "include/heddle/a.h": header("a.h", "#include <stdint.h>\n"),
    "include/heddle/b.h": header("b.h", "#include <heddle/a.h>\n"),
    "src/base/alloc.h": header("alloc.h"),
    "src/core/layout.h": header("layout.h", '#include "base/alloc.h"\n#include <heddle/a.h>\n'),
    "src/window/record.h": header("record.h", '#include "core/layout.h"\n'),
    "src/fuse/lower.h": header("lower.h", '#include "window/record.h"\n'),
    "src/ops/ops.h": header("ops.h", '#include "window/record.h"\n'),
    "src/ops/reduce/red.h": header("red.h", '#include "ops/ops.h"\n'),
    "src/ops/elementwise/ew.def": header("ew.def"),
    "src/ops/elementwise/ew.h": header("ew.h", '#include "ew.def"\n'),
    "src/backend/backend.h": header("backend.h", '#include "fuse/lower.h"\n'),
    "src/backend/cpu/cpu.h": header("cpu.h", '#include "backend/backend.h"\n'
                                             '#include "ops/elementwise/ew.def"\n'),
    "src/backend/null/null.h": header("null.h", '#include "backend/backend.h"\n'),
    "src/exec/exec.h": header("exec.h", '#include "backend/backend.h"\n#include "ops/ops.h"\n'),
    "include/heddle/calls.h": header("calls.h", "HD_API int hd_read(int x);\n"
                                                "HD_API int hd_reshape(int x);\n"),
    "src/window/table.h": header("table.h", "typedef struct hdi_table { int (*read)(int x); } hdi_table;\n"
                                            "extern const hdi_table *hdi_installed;\n"
                                            "int hdi_retire(int x);\n"),
    "src/window/table.c": C + """const hdi_table *hdi_installed;
static int hdi_local(int x) { return hdi_installed->read(x); }
int hdi_retire(int x)
{
    return hdi_local(x);   /* not hdi_submit() */
}
""",
    "src/ops/calls.h": header("calls.h", "int hdi_reduce(int x);\n"),
    "src/ops/reduce/red.c": C + "int hdi_reduce(int x)\n{\n    return hd_reshape(hdi_retire(x));\n}\n"
                                "int hdi_red_only(int x) { return x; }\n",
    "src/ops/create/create.c": C + "int hd_reshape(int x)\n{\n    return hdi_reduce(x);\n}\n",
    "src/backend/cpu/cpu.c": C + "const hdi_backend hdi_backend_cpu = {hdi_retire};\n"
                                 "int hdi_cpu_only(int x) { return x; }\n",
    "src/backend/backend.c": C + "extern const hdi_backend hdi_backend_cpu;\n"
                                 "int (*hdi_poll)(void);\n",
    "src/exec/submit.c": C + """static const hdi_table table = {hd_read};
__attribute__((constructor)) static void install(void) { hdi_installed = &table; }
int hdi_submit(hdi_chunk *c,
               int x)
{
    return hd_reshape(x) + hdi_retire(x) + (&hdi_backend_cpu != NULL);
}
int hd_read(int x) { return hdi_submit(NULL, x); }
static inline int hdi_hidden(int x) { return x; }
""",
    "src/window/reads.def": header("reads.def", "READ(hd_read)\n"),   # data for all
    "python/src/py.h": header("py.h", "#include <Python.h>\n#include <heddle/a.h>\n"),
    "python/src/py.c": C + '#include "py.h"\n',
    "python/heddle/__init__.py": PY,
    "examples/first.c": C + "#include <heddle/a.h>\n#include <stdio.h>\n"
                            "int main(void)\n{\n    printf(\"goto x\");\n}\n",
}

LAYER_FAULTS = [
    ("src/base/alloc.h", '#include "core/layout.h"\n'),
    ("src/core/layout.h", '#include "window/record.h"\n'),
    ("src/window/record.h", '#include "fuse/lower.h"\n'),
    ("src/fuse/lower.h", '#include "ops/ops.h"\n'),
    ("src/fuse/lower.h", '#include "backend/backend.h"\n'),
    ("src/ops/ops.h", '#include "fuse/lower.h"\n'),
    ("src/ops/reduce/red.h", '#include "ops/elementwise/ew.h"\n'),
    ("src/backend/backend.h", '#include "backend/cpu/cpu.h"\n'),
    ("src/backend/cpu/cpu.h", '#include "backend/null/null.h"\n'),
    ("src/backend/cpu/cpu.h", '#include "ops/ops.h"\n'),
    ("src/backend/cpu/cpu.h", '  #  include "exec/exec.h"\n'),
    ("src/exec/exec.h", '#include "backend/cpu/cpu.h"\n'),
    ("src/exec/exec.h", "#include <cuda.h>\n"),
    ("src/exec/exec.h", "#include <cublas_v2.h>\n"),
    ("src/exec/exec.h", "#include <llvm-c/Core.h>\n"),
    ("src/core/layout.h", "#include <cblas.h>\n"),
    ("src/core/layout.h", "#include <Python.h>\n"),
    ("src/core/layout.h", "#include <heddle/missing.h>\n"),
    ("src/core/layout.h", '#include "core/missing.h"\n'),
    ("src/newcomer/x.h", "\n"),
    ("include/heddle/a.h", '#include "core/layout.h"\n'),
    ("include/heddle/a.h", "#include <stdio.h>\n"),
    ("python/src/py.c", '#include "core/layout.h"\n'),
    ("python/src/py.c", "#include <numpy/arrayobject.h>\n#include <mpi.h>\n"),
    ("examples/first.c", '#include "base/alloc.h"\n'),
]

LAYER_FAULTS += [(name, f"int f(void)\n{{\n    return {call};\n}}\n") for name, call in [
    ("src/core/layout.c", "hdi_retire(1)"),              # upwards
    ("src/window/record.c", "hdi_submit(NULL, 1)"),
    ("src/window/record.c", "hd_read(1)"),               # through the public interface
    ("src/ops/reduce/red.c", "hdi_submit(NULL, 1)"),
    ("src/ops/ops.c", "x.go = hdi_submit"),              # no call, but as much
    ("src/ops/ops.c", "hdi_hidden(1)"),                  # defined inline
    ("src/core/layout.c", "hd_reshape(1)"),
    ("src/fuse/lower.c", "hdi_reduce(1)"),
    ("src/backend/cpu/cpu.c", "hd_reshape(1)"),
    ("src/backend/cpu/cpu.c", "hdi_submit(NULL, 1)"),
    ("src/ops/create/copy.c", "hdi_red_only(1)"),        # families, by what ops does not declare
    ("src/ops/ops.c", "hdi_red_only(1)"),
    ("src/backend/null/null.c", "hdi_cpu_only(1)"),
    ("src/exec/queue.c", "hdi_cpu_only(1)"),
    ("src/window/record.c", "hdi_poll()"),               # a pointer of a higher layer
]] + [
    ("src/ops/ops.h", "int hdi_submit(hdi_chunk *c, int x);\n"),        # declared below its definition
    ("src/ops/ops.h", "extern int (*hdi_poll)(void);\n"),
    ("src/window/record.c", "#define GO(x) hdi_submit(NULL, x)\n"),
    ("src/exec/exec.h", "int hdi_nowhere(int x);\n"),
    ("src/exec/exec.h", "extern int hdi_nothing, *hdi_neither;\n"),
    ("include/heddle/a.h", "HD_API int hd_nowhere(int x);\n"),
]

# What a file may hold besides.
LAYER_FINE = [
    ("src/exec/queue.c", "int f(void) { return hdi_submit(NULL, 1) + hd_read(hd_reshape(hdi_reduce(1))); }\n"),
    ("src/exec/queue.c", "int f(void) { return hdi_poll() + hdi_backend_cpu.x; }\n"),
    ("src/window/record.c", "int f(void) { return hdi_installed->read(1) + hdi_retire(1); }\n"),
    ("src/window/record.c", "/* hdi_submit() */ // hd_read()\nconst char *const words = \"hdi_submit()\";\n"),
    ("src/window/record.c", "struct hdi_plan;\nint f(struct hdi_plan *hdi_argument);\n"),
    ("src/ops/linalg/la.c", "int f(void) { return hdi_reduce(hd_reshape(1)); }\n"),
    ("src/ops/ops.c", "int f(void) { return hdi_reduce(1); }\n"),
    ("src/backend/null/null.c", "int f(void) { return hdi_poll(); }\n"),
    ("src/core/layout.c", "int hdi_moved(int x) { return x; }\n"),
    ("src/core/asked.c", "#define ASKED(type, name) type name(int x) { return (type)x; }\n"
                         "ASKED(int, hd_asked)\nint f(void) { return hd_asked(1); }\n"),
    ("src/ops/scan/scan.c", "#define SCAN(name) int hd_##name(int x) { return x; }\n"),
]
# Declared, and made by the macros of two of these.
PUBLIC_MADE = {"include/heddle/made.h": header("made.h", "HD_API int hd_asked(int x);\n"
                                                         "HD_API int hd_cumsum(int x);\n"),
               "src/core/asked.c": C + LAYER_FINE[-2][1], "src/ops/scan/scan.c": C + LAYER_FINE[-1][1]}
MADE_CALLS = [("src/ops/reduce/red.c", "hd_cumsum(hd_asked(1))", True),
              ("src/core/layout.c", "hd_asked(1)", True), ("src/core/layout.c", "hd_cumsum(1)", False)]


def long_function(lines, note=""):
    return "int f(void)\n{\n" + note + "    ;\n" * lines + "}\n"


STYLE_FAULTS = [
    ("src/core/a.c", "int x;\n"),                                     # no licence line
    ("src/core/a.py", "x = 1\n"),
    ("src/core/a.h", C + "int x;\n"),                                 # no title
    ("src/core/a.h", header("b.h")),                                  # somebody else's title
    ("src/core/a.c", C + "/* b.c - copied. */\n"),
    ("src/core/a.c", C + "int x; \n"),
    ("src/core/a.c", C + "\tint x;\n"),
    ("src/core/a.c", C + "/* " + "x" * 150 + " */\n"),
    ("src/core/a.c", C + "int x;"),
    ("src/core/a.c", C + "int x;\n" * 600),
    ("python/heddle/long.py", PY + "x = 1\n" * 600),
    ("src/core/a.c", C + long_function(71)),
    ("src/core/a.c", C + "void f(void)\n{\n    goto out;\nout:\n    ;\n}\n"),
    ("src/core/a.c", C + "#if 0\n#endif\n"),
    ("src/core/a.c", C + "/* TO" + "DO: later */\n"),
    ("src/core/a.c", C + "void f(void)\n{\n    abort();\n}\n"),
    ("src/core/a.c", C + "void f(void)\n{\n    if (x) exit (1);\n}\n"),
    ("src/core/a.c", C + "void f(void)\n{\n    printf(\"x\");\n}\n"),
    ("src/core/a.c", C + "void f(void)\n{\n    fprintf(stderr, \"x\");\n}\n"),
    ("src/core/a.c", C + "void f(void)\n{\n    fputs(\"x\", stdout);\n}\n"),
    ("src/core/a.c", C + "/* " + "x" * 96 + " */\n"),
    ("python/heddle/wide.py", PY + "x = 1\n" + "x" * 151 + "\n" + "x = 1\n" * 200),
    ("python/heddle/wide.py", PY + ("# " + "x" * 110 + "\n") * 50),   # too many wide lines
]

STYLE_FINE = [
    ("src/core/a.c", C + long_function(70)),
    ("src/core/a.c", C + long_function(71, "    /* long: one switch over all opcodes */\n")),
    ("src/core/a.c", C + "void f(void)\n{\n    goto done;\ndone:\n    ;\n}\n"),
    ("src/core/a.c", C + "void f(void)\n{\n    snprintf(b, 1, \"abort() goto out\");\n}\n"),
    ("src/core/a.c", C + "void f(void)\n{\n    g();   /* exit(1) printf(x) */\n}\n"),
    ("src/core/a.c", C + "void f(void)\n{\n    fprintf(file, \"x\");\n    p->exit(1);\n}\n"),
    ("src/core/a.c", C + "void f(void)\n{\n    abort();   /* allowed: debug builds only */\n}\n"),
    ("src/core/rows.def", header("rows.def", ("ROW(" + "x" * 200 + ")\n") * 700)),
    ("tests/core/test_a.c", C + "int x;\n" * 700),
    ("include/heddle/made.h",
     header("made.h", "/* made by tools/gen.c from src/ops */\n" + "int x;\n" * 700)),
]


def plant(root, files):
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def faults_with(check, changes):
    with tempfile.TemporaryDirectory() as tmp:
        plant(Path(tmp), CLEAN | changes)
        return check(Path(tmp))


def layer_faults(changes):
    return faults_with(lambda root: check_layers.check(root)[0], changes)


def style_faults(changes):
    return faults_with(lambda root: check_style.check(root).faults, changes)


# What clang says of the use of the lock (base/lock.h).
LOCK = """#include "exec/exec.h"
void planted(hd_device *dev, int x);
void planted(hd_device *dev, int x) { %s }
"""
LOCK_FAULTS = ["hdi_lock(); hdi_drain(dev); hdi_unlock();",
               "hdi_lock(); if (x > 0) return; hdi_unlock();",
               "hdi_lock(); hdi_step_out(dev); hdi_unlock();",
               "hdi_lock(); hdi_lock(); hdi_unlock();",
               "hdi_exec_moved(NULL, dev); (void)x;"]
LOCK_FINE = ["hdi_lock(); hdi_unlock(); hdi_drain(dev);",
             "hdi_lock(); hdi_step_out(dev); hdi_drain(dev); hdi_step_in(); hdi_finish(dev);",
             "hdi_lock(); hdi_exec_moved(NULL, dev); if (x > 0) hdi_leave(); else hdi_unlock();"]


def lock_is_refused(statements):
    clang = shutil.which("clang")
    root = Path(__file__).resolve().parent.parent
    done = subprocess.run([clang, "-std=gnu17", "-fsyntax-only", f"-I{root}/include",
                           f"-I{root}/src", "-Werror=thread-safety", "-x", "c", "-"],
                          input=LOCK % statements, text=True, capture_output=True, check=False)
    assert done.returncode == 0 or "[-Werror,-Wthread-safety" in done.stderr, done.stderr
    return done.returncode != 0


def main():
    results = [("a clean tree, layers", layer_faults({}) == []),
               ("a clean tree, style", style_faults({}) == [])]
    for name, line in LAYER_FAULTS:
        faults = layer_faults({name: CLEAN.get(name, header(name) if name.endswith(".h") else C) + line})
        results.append((f"layers: {name}: {line!r}", len(faults) >= 1))
    for name, text in LAYER_FINE:
        faults = layer_faults({name: CLEAN.get(name, C) + text})
        results.append((f"layers, fine: {name}: {text!r}", faults == []))
    for name, call, fine in MADE_CALLS:
        text = CLEAN.get(name, C) + f"int f(void) {{ return {call}; }}\n"
        results.append((f"made by macros: {name}: {call}",
                        (layer_faults(PUBLIC_MADE | {name: text}) == []) == fine))
    for name, text in STYLE_FAULTS:
        results.append((f"style: {name}: {text[:120]!r}", len(style_faults({name: text})) == 1))
    for name, text in STYLE_FINE:
        results.append((f"fine: {name}: {text[:120]!r}", style_faults({name: text}) == []))
    if shutil.which("clang"):
        results += [(f"lock: {s}", lock_is_refused(s)) for s in LOCK_FAULTS]
        results += [(f"lock, fine: {s}", not lock_is_refused(s)) for s in LOCK_FINE]
    failed = [title for title, held in results if not held]
    for title in failed:
        print("FAILED", title)
    print(f"{len(results) - len(failed)} passed, {len(failed)} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
