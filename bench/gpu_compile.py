# SPDX-License-Identifier: BSD-3-Clause
"""Where the time goes that compiling kernels for a GPU takes: no GPU is needed.

    HEDDLE_LIBCUDA=build/gcc/tests/libfake_libcuda.so python bench/gpu_compile.py [PROGRAM ...]

The programs of gpu_first.py are run with small arrays and HEDDLE_DUMP. Of each kernel: lines of
PTX, and milliseconds of processor time, the least of several runs, that LLVM's llc and CUDA's ptxas
take beyond what they take for an empty text. ptxas stands for the driver's own compiler, which is
the same code. The last columns are its levels of optimization.
"""
import argparse
import glob
import os
import pathlib
import resource
import shutil
import subprocess
import sys
import tempfile

from gpu_first import PROGRAMS

EMPTY_PTX = ".version 7.8\n.target sm_90\n.address_size 64\n.visible .entry f()\n{\n ret;\n}\n"
EMPTY_IR = 'target triple = "nvptx64-nvidia-cuda"\n'
LEVELS = (0, 1, 2, 3)


def tool(name, *places):
    found = next((p for p in places if os.path.exists(p)), None) or shutil.which(name)
    if found is None:
        sys.exit(f"{name} is not installed")
    return found


def milliseconds(command, turns):
    best = float("inf")
    for _ in range(turns):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        best = min(best, spent * 1e3)
    return best


class Compilers:
    def __init__(self, folder, turns):
        cuda = glob.glob(f"{sys.prefix}/lib/python*/site-packages/nvidia/cu13/bin/ptxas")
        self.llc = tool("llc", "/usr/lib/llvm-19/bin/llc")
        self.ptxas = tool("ptxas", *cuda, "/usr/local/cuda/bin/ptxas")
        self.out, self.turns = folder / "out", turns
        (folder / "empty.ptx").write_text(EMPTY_PTX)
        (folder / "empty.ll").write_text(EMPTY_IR)
        self.nothing = {}
        self.nothing = self.times(folder / "empty.ll", folder / "empty.ptx")

    def times(self, ir, ptx):
        commands = {"llc": [self.llc, "-O2", "-mcpu=sm_90", ir, "-o", self.out]}
        for level in LEVELS:
            commands[level] = [self.ptxas, "-arch=sm_90", f"-O{level}", ptx, "-o", self.out]
        return {k: milliseconds(c, self.turns) - self.nothing.get(k, 0)
                for k, c in commands.items()}


def kernels(program, folder):
    """The dumped kernels of a program: (IR, PTX)."""
    env = os.environ | {"HEDDLE_DUMP": "ir,asm", "HEDDLE_TIER": "1", "HEDDLE_CACHE": "off",
                        "HEDDLE_DEVICE": "cuda"}
    for name in ("HEDDLE_LIBCUDA", "PYTHONPATH"):   # it runs in another folder
        if name in env:
            env[name] = os.path.abspath(env[name])
    script = pathlib.Path(__file__).with_name("gpu_first.py").resolve()
    subprocess.run([sys.executable, script, "--one", program, "heddle", "--small"], cwd=folder,
                   env=env, check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return [(ptx.with_suffix(".ll"), ptx) for ptx in sorted(folder.glob("*.ptx"))]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("programs", nargs="*", default=list(PROGRAMS))
    parser.add_argument("--turns", type=int, default=3)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        compilers = Compilers(folder, options.turns)
        print("| kernel | lines | llc |" + "".join(f" ptxas -O{n} |" for n in LEVELS))
        print("|---" * (3 + len(LEVELS)) + "|")
        for program in options.programs:
            (folder / program).mkdir()
            for ir, ptx in kernels(program, folder / program):
                lines = len(ptx.read_text().splitlines())
                cells = " | ".join(f"{t:.1f}" for t in compilers.times(ir, ptx).values())
                print(f"| {program} {ptx.stem.split('-')[-1]} | {lines} | {cells} |", flush=True)


if __name__ == "__main__":
    main()
