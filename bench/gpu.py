# SPDX-License-Identifier: BSD-3-Clause
"""Measures on one GPU, side by side in one process: Heddle, CuPy, PyTorch, JAX (jit), Numba.

    python bench/gpu.py [--record] [LINE ...]

Times are medians of the wall time with a wait at the end. Every program is written as one writes NumPy; for Heddle nothing is
decorated. Other columns: CuPy and Numba where an expression is made one kernel by hand, PyTorch eager and by torch.compile. A
library that is not installed is left out. Then: our times beside the goals, starting a process (gpu_start.py), and what
launching a kernel costs.
"""
import argparse
import datetime
import importlib.metadata
import os
import pathlib
import platform
import statistics
import subprocess
import sys
import time

import gpu_start
from gpu_libraries import has_line, libraries
from gpu_lines import BEST, EAGER, GOALS, LINES, LOOPS, SLACK

COLUMNS = "heddle,cupy,cupy.fuse,torch,torch.compile,jax,numba"
FAILED = []   # lines that Heddle has an error in: the exit status is 1
FOLDER = pathlib.Path(__file__).parent


def measure(lib, run, turns=9):
    """Seconds, the median; few turns where one takes long."""
    begun = time.perf_counter()
    for turn in range(1000):   # compiles; has everything where it stays
        kept = run()
        lib.wait(kept)
        if turn > 0 and time.perf_counter() - begun > lib.warm:
            break
    times = []
    for turn in range(turns):
        start = time.perf_counter()
        kept = run()
        lib.wait(kept)
        times.append(time.perf_counter() - start)
        if sum(times) > 2 and turn >= 2:
            break
    del kept
    return statistics.median(times)


def time_of(lib, name, setup):
    """None where the library has no such line."""
    if not has_line(lib, name) or (lib.name == "jax" and name.startswith(LOOPS)):
        return None
    try:
        run = setup(lib)
        return measure(lib, run if name.startswith(EAGER) else lib.compiled(run))
    except Exception as e:
        FAILED.extend([name] if lib.name == "heddle" else [])
        print(f"{name}: {lib.title} says {type(e).__name__}: {str(e)[:100]}", flush=True)
        return None


def text(seconds):
    return f"{seconds * 1e3:.3f}" if seconds is not None else ""


class Table:
    """Rows are printed as they come, and kept."""

    def __init__(self, *columns):
        self.rows = []
        self.add(*columns)
        self.rows.append("|---" * len(columns) + "|")
        print(self.rows[-1])

    def add(self, *cells):
        self.rows.append("| " + " | ".join(cells) + " |")
        print(self.rows[-1], flush=True)


def lines_table(libs, names):
    """The table, and for each line the time of each column."""
    times = {}
    table = Table("line", *(f"{lib.title}, ms" for lib in libs), "best of the others / Heddle")
    for name in names:
        row = times[name] = {lib.title: time_of(lib, name, LINES[name]) for lib in libs}
        others = [t for title, t in row.items() if title != "heddle" and t is not None]
        ratio = f"{min(others) / row['heddle']:.2f}" if others and row.get("heddle") else ""
        table.add(name, *map(text, row.values()), ratio)
    return table, times


def goals_table(times):
    """Our times beside what was set as the goal, of the lines that have one."""
    table = Table("line", "Heddle, ms", "at most, ms", "Heddle / that", "reached")
    for name, row in times.items():
        others = [t for title, t in row.items() if title != "heddle" and t is not None]
        if name not in GOALS or row.get("heddle") is None or (GOALS[name] is BEST and not others):
            continue
        goal = min(others) if GOALS[name] is BEST else GOALS[name] / 1e3
        ratio = row["heddle"] / goal
        table.add(name, text(row["heddle"]), text(goal) + (" (best of the others)" if GOALS[name] is BEST else ""),
                  f"{ratio:.2f}", "yes" if ratio <= SLACK else "no")
    return table


def one_line(*command):
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip().splitlines()[0]
    except (OSError, subprocess.CalledProcessError, IndexError):
        return "unknown"


def machine():
    """One sentence: when, on what, by which versions."""
    gpu, driver = (one_line("nvidia-smi", f"--query-gpu={what}", "--format=csv,noheader") for what in ("name", "driver_version"))
    versions = []
    for name in ("heddle", "numpy", "cupy-cuda13x", "cupy-cuda12x", "torch", "jax", "numba", "numba-cuda"):
        try:
            versions.append(f"{name} {importlib.metadata.version(name)}")
        except importlib.metadata.PackageNotFoundError:
            continue
    cpus = len(os.sched_getaffinity(0))
    return (f"{datetime.date.today()}, one {gpu} (driver {driver}), {cpus} processors of {platform.machine()}, "
            f"Python {platform.python_version()}; {', '.join(versions)}.")


def write(path, tables):
    parts = ["# What was measured on a GPU", f"{machine()} Written by `bench/gpu.py --record`.",
             "Medians of the wall time with a wait at the end, all libraries in one process and with the same lines, written as "
             "one writes NumPy. JAX runs each line by `jit`; loops of a thousand steps, which that unrolls, are left out. Where "
             "PyTorch has a function for a line (softmax, sort) that is called."]
    for title, table in tables.items():
        parts += [f"## {title}", "\n".join(table.rows)]
    notes = FOLDER / "shortfalls-gpu.md"
    if notes.exists():
        parts.append(notes.read_text(encoding="utf-8").rstrip("\n"))
    pathlib.Path(path).write_text("\n\n".join(parts) + "\n", encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("lines", nargs="*", metavar="LINE", help="of the table; otherwise all, and the other tables")
    parser.add_argument("--record", nargs="?", const=str(FOLDER / "RESULTS-GPU.md"), metavar="FILE", help="write the tables there")
    parser.add_argument("--libraries", default=COLUMNS, help="which columns, commas between")
    args = parser.parse_args()
    titles = args.libraries.split(",")
    unknown = [name for name in args.lines if name not in (*LINES, *gpu_start.NAMES)]
    if unknown:
        parser.error(f"no line {', '.join(unknown)}; there are {', '.join((*LINES, *gpu_start.NAMES))}")
    names = [name for name in LINES if not args.lines or name in args.lines]
    tables = {}
    # Processes of their own: first, while this one does not use the GPU.
    if not args.lines or "start" in args.lines:
        tables["Starting a process"] = gpu_start.start_table(Table, titles)
    if not args.lines or "launch" in args.lines:
        tables["Launching a kernel"] = gpu_start.launch_table(Table, titles)
    if names:
        table, times = lines_table(libraries(titles), names)
        tables = {"Lines": table, "Goals": goals_table(times), **tables}
    if args.record:
        write(args.record, tables)
    if FAILED:
        sys.exit(f"Heddle fails in {', '.join(FAILED)}")


if __name__ == "__main__":
    main()
