# SPDX-License-Identifier: BSD-3-Clause
"""What becomes of the times: the table on the terminal, JSON, chart and RESULTS.md."""

import importlib.metadata
import json
import os
import pathlib
import platform
import sys

from rich.console import Console
from rich.progress import Progress
from rich.table import Table


def progress(names):
    """Names one after another, with a bar on stderr."""
    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=len(names))
        for name in names:
            bar.update(task, description=f"{name:24}")
            yield name
            bar.advance(task)


def _cpu():
    for line in pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.machine()


def _version(name):
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return "none"


def machine():
    """What the figures depend on."""
    import heddle

    return {
        "cpu": _cpu(),
        "cores": len(os.sched_getaffinity(0)),
        "system": f"{platform.system()} {platform.release()}",
        "python": platform.python_version(),
        "numpy": _version("numpy"),
        "numba": _version("numba"),
        "jax": _version("jax"),
        "heddle": heddle.__version__,
        "memory_gb": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9),
    }


def text_of(seconds):
    for unit, scale in (("s", 1), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= scale:
            return f"{seconds / scale:.3g} {unit}"
    return f"{seconds * 1e9:.3g} ns"


def _cell(times, name):
    if name not in times:
        return ""
    t = times[name]
    return f"{text_of(t['median'])} ({text_of(t['min'])} - {text_of(t['max'])})"


def verdict(row):
    """(ratio to NumPy, target as text, 'met', 'missed' or '')."""
    times = row["times"]
    ratio = times["numpy"]["median"] / times["heddle"]["median"]
    if "target_ns" in row:
        met = times["heddle"]["median"] * 1e9 <= row["target_ns"]
        return ratio, f"{row['target_ns']} ns", "met" if met else "missed"
    target, goal = row["target"], row["goal"]
    if target is None and goal is None:
        return ratio, "", ""
    text = f"{target:g}" if target is not None else ""
    if goal is not None and goal != target:
        text += f" (goal {goal:g})"
    wanted = target if target is not None else goal
    return ratio, text.strip(), "met" if ratio >= wanted else "missed"


COLUMNS = ("line", "NumPy: median (min - max)", "Numba", "JAX", "Heddle", "NumPy / Heddle", "target", "")


def cells(row):
    ratio, target, met = verdict(row)
    times = row["times"]
    numba, jax = (text_of(times[p]["median"]) if p in times else "" for p in ("numba", "jax"))
    return (
        row["name"],
        _cell(times, "numpy"),
        numba,
        jax,
        _cell(times, "heddle"),
        f"{ratio:.2f}",
        target,
        met,
    )


def show(result):
    table = Table(title="Heddle beside NumPy")
    for k, column in enumerate(COLUMNS):
        table.add_column(column, justify="left" if k == 0 else "right")
    for row in result["rows"]:
        *front, met = cells(row)
        colour = {"met": "green", "missed": "red", "": "white"}[met]
        table.add_row(*front, f"[{colour}]{met}[/]")
    console = Console()
    console.width = max(console.width, 140)
    console.print(table)
    console.print("Each turn began when the threads of the library before it had gone to sleep.")


def save(result, folder):
    """folder/<date>.json and the chart beside it."""
    folder.mkdir(exist_ok=True)
    path = folder / f"{result['date'].replace(':', '')}.json"
    path.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    chart(result, path.with_suffix(".png"))
    print(f"{path}\n{path.with_suffix('.png')}", file=sys.stderr)


def chart(result, path):
    """Ratios to NumPy as bars, on a logarithmic axis; the target of each line as a mark."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    rows = result["rows"][::-1]
    ratios = [verdict(r)[0] for r in rows]
    figure, axes = pyplot.subplots(figsize=(10, 0.28 * len(rows) + 1.5), layout="constrained")
    bars = axes.barh(
        [r["name"] for r in rows],
        [r - 1 for r in ratios],
        left=1,
        color=["#2a7f62" if r >= 1 else "#b8860b" for r in ratios],
    )
    axes.bar_label(bars, [f"{r:.2f} x" for r in ratios], padding=3, fontsize=8)
    for k, row in enumerate(rows):
        wanted = row.get("target") or row.get("goal")
        if wanted:
            axes.plot([wanted, wanted], [k - 0.4, k + 0.4], color="black", linewidth=1.2)
    axes.set_xscale("log")
    axes.axvline(1, color="black", linewidth=0.8)
    axes.set_xlabel("NumPy's time / Heddle's time; the black mark is the target")
    axes.margins(x=0.15, y=0.01)
    figure.savefig(path, dpi=110)
    pyplot.close(figure)


def write_markdown(result, path):
    m = result["machine"]
    lines = [
        "# What was measured",
        "",
        f"{result['date'][:10]}, {m['cpu']}, {m['cores']} cores, {m['memory_gb']} GB, "
        f"{m['system']}; Python {m['python']}, NumPy {m['numpy']}, Numba {m['numba']}, "
        f"JAX {m['jax']}, Heddle {m['heddle']}. Written by `bench/run.py --record`.",
        "",
        "Medians of seven turns or more, all libraries in turns in one process, with the same "
        "number of threads (Numba: `njit`, one thread; JAX: `jit` on the CPU). A turn begins when the "
        "threads of the library before it sleep: those of a BLAS spin for some 0.1 s after a product, "
        "and would take the cores. Times are for one step where a workload "
        "has steps, and for one operation in the `record` lines (loop included; z+1 by 150 at a time, and "
        "with what it takes to run them in z+1.run). A target is "
        "NumPy's time divided by Heddle's, at least.",
        "",
        "| " + " | ".join(COLUMNS) + " |",
        "|" + "---|" * len(COLUMNS),
    ]
    lines += ["| " + " | ".join(cells(row)) + " |" for row in result["rows"]]
    text = "\n".join(lines) + "\n"
    notes = path.with_name("shortfalls.md")
    if notes.exists():
        text += "\n" + notes.read_text(encoding="utf-8")
    path.write_text(text, encoding="utf-8")
