# SPDX-License-Identifier: BSD-3-Clause
"""Ten well-known kernels in CUDA C: on a GPU beside CuPy's RawKernel, on a CPU beside the loop that gcc -O3 makes
for it, with as many threads each.

    python bench/kernels.py [--device cpu|cuda] [NAME ...]

Times are the best of several runs, with a wait at the end; "first" is a kernel's first launch in the process, source read and
compiled (HEDDLE_CACHE=off). Results are compared.
"""
import argparse
import ctypes
import os
import subprocess
import sys
import tempfile
import time

import numpy

from kernel_sources import KERNELS

TURNS = 9


def best_of(run, wait):
    run()
    wait()
    best, begun = 9e9, time.perf_counter()
    for _ in range(TURNS):
        start = time.perf_counter()
        run()
        wait()
        best = min(best, time.perf_counter() - start)
        if time.perf_counter() - begun > 3:
            break
    return best


class Gcc:
    """The loops, compiled for this processor."""

    def __init__(self, threads):
        self.folder = tempfile.TemporaryDirectory()
        source, library = f"{self.folder.name}/loops.c", f"{self.folder.name}/loops.so"
        with open(source, "w") as f:
            f.write("\n".join(k.loop for k in KERNELS))
        subprocess.run(["gcc", "-O3", "-march=native", "-ffp-contract=off", "-fopenmp", "-shared", "-fPIC", "-o", library,
                        source, "-lm"], check=True)
        os.environ["OMP_NUM_THREADS"] = str(threads)
        self.library = ctypes.CDLL(library)

    def run(self, kernel, args):
        def value(x):
            if isinstance(x, numpy.ndarray):
                return ctypes.c_void_p(x.ctypes.data)
            return ctypes.c_float(x) if isinstance(x, numpy.floating) else ctypes.c_int(x)
        values = [value(x) for x in args]
        if kernel.name == "odd_even_sort":
            values.append(ctypes.c_long(args[0].size))
        f = getattr(self.library, f"loop_{kernel.name}")
        return lambda: f(*values)


def of_module(module, kernel, args, wait, **options):
    """(seconds of the first launch, of the best, the arrays afterwards)"""
    on_device = [module.asarray(a) if isinstance(a, numpy.ndarray) else a for a in args]
    wait()
    start = time.perf_counter()
    raw = module.RawKernel(kernel.source, kernel.name, **options)

    def run():
        for grid, block, given, shared in kernel.launches(on_device):
            raw(grid, block, tuple(given), shared_mem=shared)
    run()
    wait()
    first = time.perf_counter() - start
    after = [module.asnumpy(a) for a in on_device if isinstance(a, module.ndarray)]
    return first, best_of(run, wait), after


def same(x, y):
    """Sums of many numbers in other orders differ by their rounding."""
    return all(numpy.allclose(a, b, rtol=2e-3, atol=1e-4 * numpy.abs(b).max()) for a, b in zip(x, y))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--device", default="cpu", choices=["cpu", "cuda"])
    options = parser.parse_args()
    os.environ.setdefault("HEDDLE_CACHE", "off")
    os.environ["HEDDLE_DEVICE"] = options.device
    import heddle
    import heddle.cupy as hc
    threads = heddle.get_num_threads() if hasattr(heddle, "get_num_threads") else 2
    other = Gcc(threads) if options.device == "cpu" else __import__("cupy")
    print(f"| kernel | {'gcc -O3' if options.device == 'cpu' else 'CuPy'}, ms | Heddle, ms | ratio | first, ms | same |")
    print("|---|---|---|---|---|---|")
    wrong = 0
    for kernel in KERNELS:
        if options.names and kernel.name not in options.names:
            continue
        args = kernel.data(numpy.random.default_rng(1), 1 if options.device == "cpu" else 4)
        first, ours, after = of_module(hc, kernel, args, heddle.synchronize)
        if options.device == "cpu":
            copies = [a.copy() if isinstance(a, numpy.ndarray) else a for a in args]
            run = other.run(kernel, copies)
            run()
            theirs_after = [a.copy() for a in copies if isinstance(a, numpy.ndarray)]
            theirs = best_of(run, lambda: None)
        else:
            _, theirs, theirs_after = of_module(other, kernel, args, other.cuda.Device().synchronize)
        equal = same(after, theirs_after)
        wrong += not equal
        print(f"| {kernel.name} | {theirs * 1e3:.3f} | {ours * 1e3:.3f} | {theirs / ours:.2f} | {first * 1e3:.1f} | "
              f"{'yes' if equal else 'NO'} |", flush=True)
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
