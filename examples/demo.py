# SPDX-License-Identifier: BSD-3-Clause
"""Runs the examples of this folder in NumPy and in Heddle, and shows a table and a chart.

demo.py                 everything, under a minute
demo.py NAME ...        these examples: demo.py jacobi matmul
demo.py --quick         small sizes, a few seconds
demo.py --out FILE      where the chart goes (default: heddle-demo.png in the current folder)

Exit status 1 if results differ by more than the example allows.
"""

import argparse
import importlib
import inspect
import sys
import time

import numpy as np
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.table import Table

# Module; what it is, with the arguments of its make(); error allowed, relative to the largest
# element of the result; the arguments for --quick.
EXAMPLES = {
    "grade2": ("a*x**2 + b*y + c, {n:,}", 1e-15, {"n": 200_000}),
    "squared_difference": ("(x - y) * (x - y), {n:,}", 0.0, {"n": 100_000}),
    "logistic_regression": ("logistic regression, {steps} steps", 1e-10, {"steps": 50}),
    "cubic_fit": ("cubic fit of a sine, {steps} steps", 1e-10, {"steps": 100}),
    "matmul": ("matrix product, {n} x {n}", 1e-12, {"n": 200}),
    "random_dot": ("dot of random vectors, {n:,}", 1e-4, {"n": 500_000}),
    "jacobi": ("Jacobi in place, {n} x {n}", 1e-15, {"n": 200, "steps": 20}),
}
TURNS = 2       # of each library, for each example ...
RUNS = 3        # ... and runs in a turn: the best one counts
PAUSE = 0.2     # seconds before a turn, until the other library's threads sleep

NOTES = """\
Times: the best of {runs} runs, {threads}. Ratio: NumPy's time / Heddle's.
Largest error: the largest difference between the two results, relative to the
largest element; 0 means that all bits are equal. The random vectors are float32,
and their dot product is compared with float64's of the same numbers."""


class Library:
    """NumPy or Heddle: how operands get there and how work is waited for."""

    def __init__(self, xp):
        self.xp = xp
        self.wait = getattr(xp, "synchronize", lambda: None)

    def place(self, operands):
        return tuple(self.xp.asarray(x) if isinstance(x, np.ndarray) else x for x in operands)

    def time(self, run, operands):
        """Seconds of one run, and its result."""
        started = time.perf_counter()
        result = run(self.xp, *operands)
        self.wait()
        return time.perf_counter() - started, result


class Example:
    """One program: what it is called, its operands, and in the end its times and its error."""

    def __init__(self, name, quick):
        what, self.allowed, small = EXAMPLES[name]
        self.program = importlib.import_module(name)
        parameters = inspect.signature(self.program.make).parameters
        sizes = {p.name: p.default for p in parameters.values()} | (small if quick else {})
        self.what = what.format(**sizes)
        self.operands = self.program.make(**sizes)
        self.times, self.error = [], np.inf

    def measure(self, libraries, turns, tick):
        """The libraries take turns, so that both see the same machine."""
        placed = [library.place(self.operands) for library in libraries]
        times, results = [[] for _ in libraries], [None for _ in libraries]
        for _ in range(turns):
            for k, library in enumerate(libraries):
                time.sleep(PAUSE)
                for _ in range(RUNS):
                    results[k] = None   # the memory of the last result is free before the next run
                    t, results[k] = library.time(self.program.run, placed[k])
                    times[k].append(t)
                    tick()
        self.times = [min(t) for t in times]
        self.compare(results[0], results[-1], libraries[-1].xp)
        self.operands = None

    def compare(self, want, got, xp):
        if hasattr(self.program, "reference"):
            want = self.program.reference(xp, *self.operands)
        want, got = np.asarray(want), np.asarray(got)
        if got.shape == want.shape:
            largest = max(np.abs(want).max(), 1e-300)
            self.error = float(np.abs(got - want).max() / largest)

    @property
    def ratio(self):
        return self.times[0] / self.times[-1]

    @property
    def right(self):
        return self.error <= self.allowed


def text_of(seconds):
    for unit, scale in (("s", 1), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= scale or unit == "us":
            return f"{seconds / scale:.3g} {unit}"


def table_of(examples):
    table = Table(title="The same programs in NumPy and in Heddle")
    table.add_column("workload")
    for column in ("NumPy", "Heddle", "ratio", "largest\nerror"):
        table.add_column(column, justify="right", no_wrap=True)
    for x in examples:
        colour = "green" if x.ratio >= 1 else "yellow"
        error = f"{x.error:.1e}" if x.error else "0"
        table.add_row(x.what, *map(text_of, x.times), f"[{colour}]{x.ratio:.2f} x[/]",
                      error if x.right else f"[red]{error} WRONG[/]")
    return table


def draw(examples, path):
    """How many times faster, as bars."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    names = [x.what for x in examples][::-1]
    ratios = [x.ratio for x in examples][::-1]
    size = (9, 0.5 * len(examples) + 1.5)
    figure, axes = pyplot.subplots(figsize=size, layout="constrained")
    bars = axes.barh(names, ratios, color=["#2a7f62" if r >= 1 else "#b8860b" for r in ratios])
    axes.bar_label(bars, [f"{r:.1f} x" for r in ratios], padding=3)
    axes.axvline(1, color="black", linewidth=0.8)
    axes.set_xlabel("NumPy's time / Heddle's time (1 = as fast as NumPy)")
    axes.margins(x=0.1)
    figure.savefig(path, dpi=120)


def run(names, quick):
    """The examples, measured, with a progress bar where somebody looks."""
    import heddle

    libraries = [Library(np), Library(heddle)]
    turns = 1 if quick else TURNS
    console = Console(stderr=True)
    columns = (TextColumn("{task.description:34}"), BarColumn(), MofNCompleteColumn())
    examples = []
    with Progress(*columns, console=console, transient=True,
                  disable=not console.is_terminal) as progress:
        task = progress.add_task("", total=len(names) * turns * RUNS * len(libraries))
        for name in names:
            example = Example(name, quick)
            progress.update(task, description=example.what)
            example.measure(libraries, turns, lambda: progress.advance(task))
            examples.append(example)
    threads = heddle.get_num_threads()
    notes = NOTES.format(runs=turns * RUNS, threads=f"{threads} thread{'s' * (threads != 1)}")
    return examples, notes


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(EXAMPLES)}")
    parser.add_argument("--quick", action="store_true", help="small sizes")
    parser.add_argument("--out", default="heddle-demo.png", help="file of the chart")
    args = parser.parse_args()
    for name in args.names:
        if name not in EXAMPLES:
            parser.error(f"no example {name!r}; there are {', '.join(EXAMPLES)}")

    examples, notes = run(args.names or list(EXAMPLES), args.quick)
    Console().print(table_of(examples))
    print(notes)
    draw(examples, args.out)
    print(f"Chart: {args.out}")
    return 0 if all(x.right for x in examples) else 1


if __name__ == "__main__":
    sys.exit(main())
