# SPDX-License-Identifier: BSD-3-Clause
"""Runs the examples of this folder in NumPy and in Heddle, on the GPU too if there is one, and shows a table and a chart.

demo.py                 everything, under a minute
demo.py NAME ...        these examples: demo.py jacobi matmul
demo.py --quick         small sizes, a few seconds
demo.py --out FILE      where the chart goes (default: heddle-demo.png in the current folder)

Exit status 1 if results differ by more than the example allows.
"""

import argparse
import contextlib
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
Times: the best of {runs} runs, {threads}{gpu}. Ratio: NumPy's time / Heddle's.
Largest error: the largest difference from NumPy's result, relative to the largest
element; 0 means that all bits are equal. The random vectors are float32, and their
dot product is compared with float64's of the same numbers."""


class Library:
    """NumPy, or Heddle on a device: how operands get there and how work is waited for."""

    def __init__(self, xp, device=None):
        self.xp = xp
        self.title = "NumPy" if device is None else f"Heddle\n{device}"
        self.there = contextlib.nullcontext if device is None else lambda: xp.device(device)
        self.wait = getattr(xp, "synchronize", lambda: None)

    def place(self, operands):
        with self.there():
            return tuple(self.xp.asarray(x) if isinstance(x, np.ndarray) else x for x in operands)

    def time(self, run, operands):
        """Seconds of one run, and its result."""
        with self.there():
            started = time.perf_counter()
            result = run(self.xp, *operands)
            self.wait()
            return time.perf_counter() - started, result

    def reference(self, program, operands):
        """What the result is compared with where the libraries' own are not the same; else None."""
        with self.there():
            return program.reference(self.xp, *operands) if hasattr(program, "reference") else None

    def on_the_host(self, x):
        return np.asarray(self.xp.asnumpy(x) if hasattr(self.xp, "asnumpy") else x)


def libraries():
    """NumPy, and Heddle on each kind of device that there is."""
    import heddle

    devices = ["cpu", "cuda:0"] if heddle.cuda.is_available() else ["cpu"]
    return [Library(np), *(Library(heddle, device) for device in devices)]


class Example:
    """One program: what it is called, its operands, and in the end its times and its error."""

    def __init__(self, name, quick):
        what, self.allowed, small = EXAMPLES[name]
        self.program = importlib.import_module(name)
        parameters = inspect.signature(self.program.make).parameters
        sizes = {p.name: p.default for p in parameters.values()} | (small if quick else {})
        self.what = what.format(**sizes)
        self.operands = self.program.make(**sizes)
        self.times, self.error, self.refused = [], 0.0, {}

    def measure(self, libraries, turns, tick):
        """The libraries take turns, so that both see the same machine."""
        placed = [library.place(self.operands) for library in libraries]
        times, results = [[] for _ in libraries], [None for _ in libraries]
        for _ in range(turns):
            for k, library in enumerate(libraries):
                time.sleep(PAUSE)
                for _ in range(RUNS):
                    results[k] = None   # the memory of the last result is free before the next run
                    try:
                        t, results[k] = library.time(self.program.run, placed[k])
                        times[k].append(t)
                    except NotImplementedError as e:   # a library of the GPU's that is not installed
                        self.refused[library.title.replace("\n", ", ")] = e
                    tick()
        self.times = [min(t, default=None) for t in times]
        for library, got in zip(libraries[1:], results[1:]):
            if got is None:
                continue
            want = library.reference(self.program, self.operands)
            self.compare(results[0] if want is None else want, library.on_the_host(got))
        self.operands = None

    def compare(self, want, got):
        want = np.asarray(want)
        largest = max(np.abs(want).max(), 1e-300)
        error = np.abs(got - want).max() / largest if got.shape == want.shape else np.inf
        self.error = max(self.error, float(error))

    @property
    def ratios(self):
        """One for each device."""
        return [self.times[0] / t if t else 0.0 for t in self.times[1:]]

    @property
    def right(self):
        return self.error <= self.allowed


def text_of(seconds):
    for unit, scale in (("s", 1), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= scale or unit == "us":
            return f"{seconds / scale:.3g} {unit}"


def coloured(ratio):
    return f"[{'green' if ratio >= 1 else 'yellow'}]{ratio:.2f} x[/]"


def table_of(examples, measured):
    table = Table(title="The same programs in NumPy and in Heddle")
    table.add_column("workload")
    for library in measured:
        table.add_column(library.title, justify="right", no_wrap=True)
        if library is not measured[0]:
            table.add_column("ratio", justify="right", no_wrap=True)
    table.add_column("largest\nerror", justify="right", no_wrap=True)
    for x in examples:
        error = f"{x.error:.1e}" if x.error else "0"
        cells = [text_of(x.times[0])]
        for seconds, ratio in zip(x.times[1:], x.ratios):
            cells += [text_of(seconds), coloured(ratio)] if seconds else ["-", "-"]
        table.add_row(x.what, *cells, error if x.right else f"[red]{error} WRONG[/]")
    return table


def draw(examples, measured, path):
    """How many times faster, as bars: one for each device."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    names = [x.what for x in examples][::-1]
    titles = [library.title.replace("\n", ", ") for library in measured[1:]]
    height = 0.8 / len(titles)
    size = (9, 0.5 * len(examples) * len(titles) + 1.5)
    figure, axes = pyplot.subplots(figsize=size, layout="constrained")
    for k, (title, colour) in enumerate(zip(titles, ("#2a7f62", "#4c5fa8"))):
        ratios = [x.ratios[k] for x in examples][::-1]
        places = np.arange(len(names)) - height * (k - (len(titles) - 1) / 2)
        colours = [colour if r >= 1 else "#b8860b" for r in ratios]
        bars = axes.barh(places, ratios, height, color=colours, label=title)
        axes.bar_label(bars, [f"{r:.1f} x" for r in ratios], padding=3)
    axes.set_yticks(np.arange(len(names)), names)
    if len(titles) > 1:
        axes.set_xscale("log")
        axes.legend(loc="lower right")
    axes.axvline(1, color="black", linewidth=0.8)
    axes.set_xlabel("NumPy's time / Heddle's time (1 = as fast as NumPy)")
    axes.margins(x=0.1)
    figure.savefig(path, dpi=120)


def run(names, quick, measured):
    """The examples, measured, with a progress bar where somebody looks."""
    import heddle

    turns = 1 if quick else TURNS
    console = Console(stderr=True)
    columns = (TextColumn("{task.description:34}"), BarColumn(), MofNCompleteColumn())
    examples = []
    with Progress(*columns, console=console, transient=True,
                  disable=not console.is_terminal) as progress:
        task = progress.add_task("", total=len(names) * turns * RUNS * len(measured))
        for name in names:
            example = Example(name, quick)
            progress.update(task, description=example.what)
            example.measure(measured, turns, lambda: progress.advance(task))
            examples.append(example)
    threads = heddle.get_num_threads()
    gpu = f", and {heddle.cuda.Device(0).name}" if len(measured) > 2 else ""
    notes = NOTES.format(runs=turns * RUNS, threads=f"{threads} thread{'s' * (threads != 1)}", gpu=gpu)
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

    measured = libraries()
    examples, notes = run(args.names or list(EXAMPLES), args.quick, measured)
    Console().print(table_of(examples, measured))
    print(notes)
    for x in examples:
        for title, why in x.refused.items():
            print(f"Not run: {x.what} by {title}: {why}")
    draw(examples, measured, args.out)
    print(f"Chart: {args.out}")
    return 0 if all(x.right for x in examples) else 1


if __name__ == "__main__":
    sys.exit(main())
