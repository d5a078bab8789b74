# SPDX-License-Identifier: BSD-3-Clause
"""Runs the examples of this folder in NumPy and in Heddle: a table, a chart, and exit status 1 if results differ.

demo.py                 everything, under a minute
demo.py --quick         small sizes, a few seconds
demo.py --out FILE      where the chart goes (default: heddle-demo.png in the current folder)
"""

import argparse
import importlib
import sys
import time

import numpy as np
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.table import Table

# module, what it is, error allowed relative to the largest element of the result, arguments of make() for --quick
EXAMPLES = [
    ("grade2", "a*x**2 + b*y + c, 5 million", 1e-15, {"n": 200_000}),
    ("squared_difference", "(x - y) * (x - y), one reversed", 0.0, {"n": 100_000}),
    ("logistic_regression", "logistic regression, 1000 steps", 1e-10, {"steps": 50}),
    ("cubic_fit", "cubic fit of a sine, 2000 steps", 1e-10, {"steps": 100}),
    ("matmul", "matrix product, 1000 x 1000", 1e-12, {"n": 200}),
    ("random_dot", "dot of two random vectors, 20 million", 1e-4, {"n": 500_000}),
    ("jacobi", "Jacobi iteration in place, 1024 x 1024", 1e-15, {"n": 200, "steps": 20}),
]
ROUNDS = 5


class Module:
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


def measure(example, modules, tick, quick):
    """Best time of each module, in turns so that both see the same machine, and the error of the last one's result."""
    name, _, _, small = example
    program = importlib.import_module(name)
    operands = program.make(**small) if quick else program.make()
    placed = [m.place(operands) for m in modules]
    times, results = [[] for _ in modules], [None for _ in modules]
    for _ in range(2 if quick else ROUNDS):
        for k, m in enumerate(modules):
            results[k] = None  # the last result's memory is free again before the next run
            seconds, results[k] = m.time(program.run, placed[k])
            times[k].append(seconds)
            tick()
    want = (
        program.reference(modules[-1].xp, *operands)
        if hasattr(program, "reference")
        else results[0]
    )
    want, got = np.asarray(want), np.asarray(results[-1])
    error = (
        float(np.abs(got - want).max() / max(np.abs(want).max(), 1e-300))
        if got.shape == want.shape
        else np.inf
    )
    return [min(t) for t in times], error


def seconds(t):
    for unit, scale in (("s", 1), ("ms", 1e-3), ("us", 1e-6)):
        if t >= scale or unit == "us":
            return f"{t / scale:.3g} {unit}"


def table_of(rows):
    table = Table(title="Heddle beside NumPy: the same programs")
    table.add_column("workload")
    for column in ("NumPy", "Heddle", "NumPy / Heddle", "largest error", ""):
        table.add_column(column, justify="right")
    for (_, what, allowed, _), (numpy_time, heddle_time), error in rows:
        ratio = numpy_time / heddle_time
        colour = "green" if ratio >= 1 else "yellow"
        table.add_row(
            what,
            seconds(numpy_time),
            seconds(heddle_time),
            f"[{colour}]{ratio:.2f} x[/]",
            f"{error:.1e}",
            "ok" if error <= allowed else "[red]WRONG[/]",
        )
    return table


def draw(rows, path):
    """How many times faster, as bars."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    names = [what for (_, what, _, _), _, _ in rows][::-1]
    ratios = [t[0] / t[1] for _, t, _ in rows][::-1]
    figure, axes = pyplot.subplots(figsize=(9, 0.5 * len(rows) + 1.5), layout="constrained")
    bars = axes.barh(names, ratios, color=["#2a7f62" if r >= 1 else "#b8860b" for r in ratios])
    axes.bar_label(bars, [f"{r:.1f} x" for r in ratios], padding=3)
    axes.axvline(1, color="black", linewidth=0.8)
    axes.set_xlabel("NumPy's time / Heddle's time (1 = as fast as NumPy)")
    axes.margins(x=0.1)
    figure.savefig(path, dpi=120)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--quick", action="store_true", help="small sizes")
    parser.add_argument("--out", default="heddle-demo.png", help="file of the chart")
    args = parser.parse_args()
    import heddle

    modules = [Module(np), Module(heddle)]
    rows, rounds = [], 2 if args.quick else ROUNDS
    columns = (TextColumn("{task.description:38}"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("", total=len(EXAMPLES) * rounds * len(modules))
        for example in EXAMPLES:
            progress.update(task, description=example[1])
            rows.append(
                (example, *measure(example, modules, lambda: progress.advance(task), args.quick))
            )
    console = Console()
    console.width = max(console.width, 100)  # nothing folded when the output is a file
    console.print(table_of(rows))
    draw(rows, args.out)
    print(f"chart: {args.out}")
    return 0 if all(error <= example[2] for example, _, error in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
