# SPDX-License-Identifier: BSD-3-Clause
"""Kernels in C source against gcc: what the front end makes of them, as C (emit_c.c), beside the source
itself, compiled by g++ with cuda_on_host.h. Both run on the same data; what they print must be equal.

    python tests/kernel/against_gcc.py [--build build/gcc] [file.cu ...]
    python tests/kernel/against_gcc.py --random 500 [--seed 3]       # expressions, all types and operators

A kernel is run for each line `// run NAME GRID BLOCK : ARGUMENT ...` of its file. An argument is TYPE*N:HOW,
an array (HOW: zero, ramp, data, bits), TYPE=VALUE, or bytesN:HOW, a struct by value. GRID and BLOCK are N,
NxM or NxMxK.
"""
import argparse
import os
import random
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
TYPES = {"i8": ("int8_t", "i", 1), "u8": ("uint8_t", "u", 1), "i16": ("int16_t", "i", 2),
         "u16": ("uint16_t", "u", 2), "i32": ("int32_t", "i", 4), "u32": ("uint32_t", "u", 4),
         "i64": ("int64_t", "i", 8), "u64": ("uint64_t", "u", 8), "f32": ("float", "f", 4),
         "f64": ("double", "f", 8), "b": ("_Bool", "u", 1)}
RUN = re.compile(r"^// run (.+?) (\d+(?:x\d+)*) (\d+(?:x\d+)*) :(.*)$", re.MULTILINE)
FLAGS = ["-O1", "-w", "-ffp-contract=off", "-fwrapv", "-fno-strict-aliasing", "-I", str(HERE)]


class Run:
    def __init__(self, match, number):
        self.kernel, self.number = match[1], number
        self.grid, self.block = (([*map(int, x.split("x"))] + [1, 1])[:3] for x in (match[2], match[3]))
        self.arguments = match[4].split()

    def code(self, body):
        """C that makes the arguments, runs `body` and prints the arrays."""
        lines, names, dumps = [], [], []
        for i, text in enumerate(self.arguments):
            name = f"a{i}"
            if "=" in text:
                kind, value = text.split("=")
                c_type = TYPES[kind][0].replace("_Bool", "unsigned char")
                lines.append(f"{c_type} {name} = {value};")
                names.append(f"&{name}")
                continue
            what, how = text.split(":")
            kind, n = ("u8", what[5:]) if what.startswith("bytes") else what.split("*")
            _, letter, size = TYPES[kind]
            lines.append(f"char *{name} = (char *)calloc({n}, {size}); g_fill({name}, '{letter}', {size}, {n}, \"{how}\");")
            names.append(name if what.startswith("bytes") else f"&{name}")
            dumps.append(f"g_dump(\"{self.kernel} {i}\", {name}, '{letter}', {size}, {n}); free({name});")
        launch = "unsigned grid[] = {%d, %d, %d}, block[] = {%d, %d, %d};" % (*self.grid, *self.block)
        return (f"static void run{self.number}(void) {{\n" + "\n".join(lines) +
                "\nvoid *params[] = {" + ", ".join(["0", *names][1:] or ["0"]) + f"}};\n{launch}\n"
                f"g_run({body}, params, grid, block);\n" + "\n".join(dumps) + "\n}\n")


def runs_of(text):
    return [Run(m, i) for i, m in enumerate(RUN.finditer(text))]


def main_of(runs):
    return "int main(void) {\n" + "".join(f"run{r.number}();\n" for r in runs) + "return 0;\n}\n"


def host_text(text, runs):
    text = re.sub(r"extern\s+__shared__\s+([\w ]+?)\s+(\w+)\s*\[\s*\]\s*;", r"\1 *\2 = (\1 *)g_dynamic;", text)
    text = re.sub(r"^[ \t]*#[ \t]*include.*$", "", text, flags=re.MULTILINE)
    bodies = "".join(f"static void body{r.number}(void **p) {{ g_call({r.kernel}, p); }}\n"
                     + r.code(f"body{r.number}") for r in runs)
    return '#include "cuda_on_host.h"\n#line 1\n' + text + "\n" + bodies + main_of(runs)


def emit(build, folder, files):
    """Runs the front end once for all: {file: [its C files]}."""
    out, rows = {}, []
    for path, runs in files:
        out[path] = [folder / f"{path.stem}_{r.number}.inc" for r in runs]
        rows += [f"{path}\t{r.kernel}\tkernel{r.number}\t{o}" for r, o in zip(runs, out[path])]
    listed = folder / "list"
    listed.write_text("\n".join(rows) + "\n")
    subprocess.run([Path(build) / "tests/test_emit_c"], check=True, stdout=subprocess.DEVNULL,
                   env={**os.environ, "HEDDLE_KERNEL_LIST": str(listed)})
    return out


def built(compiler, source, text, *more):
    source.write_text(text)
    program = source.with_suffix(".exe")
    done = subprocess.run([compiler, *more, *FLAGS, source, "-o", program, "-lm"], capture_output=True, text=True)
    return program if done.returncode == 0 else f"{compiler}: " + done.stderr[:1500]


def output(program):
    if isinstance(program, str):
        return program
    done = subprocess.run([program], capture_output=True, text=True, timeout=60)
    return done.stdout + (f"ended with {done.returncode}" if done.returncode else "")


def compare(folder, path, runs, emitted):
    """What is wrong with one file: a list of texts."""
    faults = [f"{path.name}: {r.kernel}: {o.read_text()[7:]}" for r, o in zip(runs, emitted)
              if o.read_text().startswith("#error")]
    good = [(r, o) for r, o in zip(runs, emitted) if not o.read_text().startswith("#error")]
    c_text = '#include "emitted.h"\n' + "".join(f'#include "{o}"\n' + r.code(f"kernel{r.number}") for r, o in good)
    kept = [r for r, _ in good]
    ours = output(built("gcc", folder / f"{path.stem}_ours.c", c_text + main_of(kept)))
    host = output(built("g++", folder / f"{path.stem}_host.cpp", host_text(path.read_text(), kept), "-std=c++17"))
    if ours == host:
        return faults
    if ours.startswith("gcc:") or host.startswith("g++:"):
        return [*faults, f"{path.name}: {ours if ours.startswith('gcc:') else host}"]
    for a, b in zip(ours.split("\n"), host.split("\n")):
        if a != b:
            faults.append(f"{path.name}:\n  ours {a[:700]}\n  g++  {b[:700]}")
            if len(faults) > 6:
                break
    return faults or [f"{path.name}: outputs of different length"]


def check(build, paths, folder):
    files = [(p, runs_of(p.read_text())) for p in paths]
    emitted = emit(build, folder, files)
    with ThreadPoolExecutor(2) as pool:
        found = pool.map(lambda f: compare(folder, *f, emitted[f[0]]), files)
    return sum(len(r) for _, r in files), [x for faults in found for x in faults]


# ---- random expressions --------------------------------------------------------------------------

NAMES = ["bool", "char", "signed char", "unsigned char", "short", "unsigned short", "int", "unsigned int",
         "long", "unsigned long", "long long", "unsigned long long", "float", "double"]
REALS = ("float", "double")


class Maker:
    """Expressions without undefined behaviour: divisors are odd, shifts small, conversions to integers in range."""

    def __init__(self, rng, variables):
        self.rng, self.variables = rng, variables

    def leaf(self, whole):
        fit = [v for v, t in self.variables if not whole or t not in REALS]
        literal = self.rng.choice(["1", "2u", "3L", "5ul", "'a'", "0x7f", "7LL", "9ull", "true", "(-4)"])
        if not whole:
            literal = self.rng.choice([literal, "1.5f", "0.25", "2.f", "1e2"])
        return self.rng.choice(fit) if self.rng.random() < 0.75 else literal

    def whole(self, depth):
        rng = self.rng
        if depth == 0:
            return self.leaf(True)
        x, y = self.whole(depth - 1), self.whole(depth - 1)
        kind = rng.randrange(9)
        if kind < 3:
            return f"({x} {rng.choice('+ - * & | ^'.split())} {y})"
        if kind == 3:
            return f"({x} {rng.choice(['/', '%'])} (({y} & 15) | 1))"
        if kind == 4:
            return f"({x} {rng.choice(['<<', '>>'])} ({y} & 7))"
        if kind == 5:
            return f"(({rng.choice(NAMES[:-2])}){x})"
        if kind == 6:
            return f"({rng.choice('- ~ ! +'.split())}{x})"
        if kind == 7:
            return f"({self.any(depth - 1)} {rng.choice('< <= > >= == != && ||'.split())} {y})"
        return f"({x} ? {y} : {self.whole(depth - 1)})"

    def any(self, depth):
        rng = self.rng
        if depth == 0:
            return self.leaf(False)
        x, y = self.any(depth - 1), self.any(depth - 1)
        kind = rng.randrange(6)
        if kind < 3:
            return f"({x} {rng.choice('+ - *'.split())} {y})"
        if kind == 3:
            return f"(({rng.choice(REALS)}){x})"
        if kind == 4:
            return f"({x} ? {y} : {self.any(depth - 1)})"
        return self.whole(depth)


def random_file(rng, number):
    """One kernel: a variable of each type, some statements over them, all stored."""
    variables = [(f"v{i}", t) for i, t in enumerate(NAMES)]
    maker = Maker(rng, variables)
    lines = [f"  {t} {v} = ({t})(x[(i * {j + 3} + {j}) & 63]{' != 0' if t == 'bool' else ''});"
             for j, (v, t) in enumerate(variables)]
    for _ in range(12):
        v, t = rng.choice(variables)
        value = maker.any(3) if t in REALS else maker.whole(3)
        op = rng.choice(["=", "=", "+=", "-=", "*="] + ([] if t in REALS else ["&=", "|=", "^="]))
        lines.append(f"  {v} {'=' if t == 'bool' else op} {value};")
        if t in REALS:
            lines.append(f"  if (!({v} < 1e6 && {v} > -1e6)) {v} = 1;")
    lines += [f"  out[i * 16 + {j}] = (double){v};" for j, (v, t) in enumerate(variables)]
    name = f"r{number}"
    return (f"extern \"C\" __global__ void {name}(const int *x, double *out) {{\n  int i = threadIdx.x;\n"
            + "\n".join(lines) + f"\n}}\n// run {name} 1 16 : i32*64:data f64*256:zero\n")


def write_random(folder, count, seed):
    rng = random.Random(seed)
    paths = []
    for first in range(0, count, 40):
        path = folder / f"random{first}.cu"
        path.write_text("".join(random_file(rng, i) for i in range(first, min(first + 40, count))))
        paths.append(path)
    return paths


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--build", default="build/gcc")
    parser.add_argument("--random", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", type=Path, help="folder for what is made; else it is removed")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as made:
        folder = options.keep or Path(made)
        paths = options.files or sorted((HERE / "corpus").glob("*.cu"))
        if options.random:
            paths = write_random(folder, options.random, options.seed)
        count, faults = check(options.build, paths, folder)
    print("\n".join(faults))
    print(f"{count} kernels, {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
