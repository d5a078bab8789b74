# SPDX-License-Identifier: BSD-3-Clause
"""make bench: Heddle beside NumPy, Numba and JAX, in one process and in turns.

    run.py                      every line that is not slow
    run.py --all                the slow lines too (gigabytes of memory, some minutes)
    run.py --line NAME ...      lines whose name starts so, or that carry that tag
    run.py --record             also write bench/RESULTS.md
    run.py --list               names of the lines

Times are medians of at least seven turns; a turn repeats a short workload for some milliseconds,
and begins when the threads of the library before it have gone to sleep.
"""

import argparse
import datetime
import pathlib
import statistics
import subprocess
import sys
import time

import numpy as np

import report
from workloads import (
    RECORDING,
    RECORDING_OPERATIONS,
    RECORDING_PIECES,
    RECORDING_TARGET_NS,
    WORKLOADS,
)

TURNS = 7
TURN_SECONDS = 0.02  # a turn lasts at least so long
PROBE_SECONDS = 0.004  # process time is looked at over so long, to see whether threads are idle
IDLE_SHARE = 0.1  # of a core, at most: what threads that sleep take
MOST_PROBES = 250  # a second; OpenBLAS's threads spin for 0.1 s after a product, measured


def settle_numpy():
    """Frees large arrays once, so that the C library keeps pages from then on.

    Otherwise NumPy pays for fresh pages in every temporary and looks several times slower than it
    is in a program that has run for a while.
    """
    for megabytes in (24, 64):
        a = np.empty(megabytes << 17)
        a[:] = 1
        del a


def until_idle():
    """Waits until no thread of this process is at work. Was there one?

    A library's threads may go on spinning after its turn, in hope of the next product, and would
    take the cores of the library whose turn is next.
    """
    for probe in range(MOST_PROBES):
        before = time.process_time()
        time.sleep(PROBE_SECONDS)
        if time.process_time() - before < IDLE_SHARE * PROBE_SECONDS:
            break
    return probe > 0


class Peer:
    """One library: how operands get there, what runs, how the result is waited for."""

    def __init__(self, name, xp, place, wait, run=None):
        self.name, self.xp, self.place, self.wait, self.run = name, xp, place, wait, run

    def call(self, workload, operands):
        """The workload as a function of no arguments that leaves its result computed."""
        run, xp, wait = self.run or workload.run, self.xp, self.wait
        if workload.read:
            return lambda: run(xp, *operands).tolist()

        def once():
            result = run(xp, *operands)
            wait(result)
            return result

        return once


def numpy_peer(workload=None):
    run = workload.reference if workload is not None else None
    return Peer("numpy", np, lambda x: x, lambda result: None, run)


def heddle_peer():
    import heddle

    return Peer("heddle", heddle, heddle.asarray, lambda result: heddle.synchronize())


def numba_peer(workload):
    """The workload compiled by njit, or None."""
    if not workload.numba:
        return None
    try:
        import numba
    except ImportError:
        return None
    source = workload.run
    compiled = numba.njit(source)
    token = 0  # stands where xp stood; none of these workloads uses it

    def run(xp, *operands):
        return compiled(token, *operands)

    return Peer("numba", np, lambda x: x, lambda result: None, run)


def jax_peer(workload):
    """The workload compiled by jax.jit for the CPU, or None."""
    if not workload.jax:
        return None
    try:
        import jax
    except ImportError:
        return None
    jax.config.update("jax_platforms", "cpu")
    jax.config.update("jax_enable_x64", True)
    compiled = jax.jit(lambda *operands: workload.run(jax.numpy, *operands))
    return Peer("jax", jax.numpy, jax.numpy.asarray, jax.block_until_ready,
                lambda xp, *operands: compiled(*operands))


def turn(call, repeats):
    """Seconds of one call, from one turn."""
    started = time.perf_counter()
    for _ in range(repeats):
        call()
    return (time.perf_counter() - started) / repeats


def summary(times, steps=1):
    times = sorted(t / steps for t in times)
    return {
        "median": statistics.median(times),
        "min": times[0],
        "max": times[-1],
        "turns": len(times),
    }


def measure(workload):
    """{peer: summary} of one workload, peers in turns."""
    operands = workload.operands(np.random.default_rng(0))
    calls = {}
    for peer in filter(None, (numpy_peer(workload), numba_peer(workload), jax_peer(workload),
                              heddle_peer())):
        placed = tuple(peer.place(x) if isinstance(x, np.ndarray) else x for x in operands)
        calls[peer.name] = peer.call(workload, placed)
    return {name: summary(t, workload.steps) for name, t in in_turns(calls).items()}


def in_turns(calls):
    """{name: seconds of one call in each turn}, each turn beginning with all threads at rest."""
    repeats = {}
    for name, call in calls.items():
        until_idle()
        call()  # compiled, planned, pages there
        repeats[name] = max(1, int(TURN_SECONDS / turn(call, 1)))
        repeats[name] = max(1, int(TURN_SECONDS / turn(call, repeats[name])))
    times = {name: [] for name in calls}
    for _ in range(TURNS):
        for name, call in calls.items():
            if until_idle():
                call()  # awake and warm again
            times[name].append(turn(call, repeats[name]))
    return times


# ---- recording, import: measured in their own ways -----------------------------------------------

RECORD_CODE = """
import time
def loop(x, y, n):
    z = x
    started = time.perf_counter()
    for _ in range(n):
        {statement}
    return (time.perf_counter() - started) / n
"""


def measure_recording(name):
    """Seconds of one operation of a statement over ten elements, hot; the loop is included. All of it
    is recorded, though small work runs at once otherwise (statements.py measures that)."""
    import heddle

    before = heddle.set_fusion("always")
    try:
        return measure_statement(name)
    finally:
        heddle.set_fusion(before)


def measure_statement(name):
    scope = {}
    exec(RECORD_CODE.format(statement=RECORDING[name]), scope)
    per = RECORDING_OPERATIONS.get(name, 1)
    peers = (numpy_peer(), heddle_peer())
    operands = {p.name: [p.place(np.arange(10.0)) for _ in range(2)] for p in peers}
    times = {p.name: [] for p in peers}
    for k in range(TURNS + 1):
        for p in peers:
            total, piece = 60_000, RECORDING_PIECES.get(name, 60_000)
            ts = []
            for _ in range(total // piece):
                ts.append(scope["loop"](*operands[p.name], piece))
                p.wait(None)
            if k:
                times[p.name].append(statistics.mean(ts))
    return {name: summary(t, per) for name, t in times.items()}


def measure_import():
    """Seconds that `import heddle` and `import numpy` add to starting Python."""

    def start(code):
        started = time.perf_counter()
        subprocess.run([sys.executable, "-c", code], check=True)
        return time.perf_counter() - started

    times = {"numpy": [], "heddle": []}
    for _ in range(TURNS + 1):
        bare = start("pass")
        for name, ts in times.items():
            ts.append(max(0.0, start(f"import {name}") - bare))
    return {name: summary(ts[1:]) for name, ts in times.items()}


def lines_asked(args):
    names = [*WORKLOADS, *RECORDING, "import"]
    if args.line:

        def asked(name):
            tags = WORKLOADS[name].tags if name in WORKLOADS else ()
            return any(name.startswith(line) or line in tags for line in args.line)

        return [name for name in names if asked(name)]
    return [name for name in names if args.all or name not in WORKLOADS or not WORKLOADS[name].slow]


def row_of(name):
    """Everything the report needs of one line."""
    if name in RECORDING:
        times = measure_recording(name)
        return {
            "name": name,
            "times": times,
            "target_ns": RECORDING_TARGET_NS,
            "per": "operation recorded",
        }
    if name == "import":
        return {"name": name, "times": measure_import(), "target": 1, "goal": 1, "per": "import"}
    w = WORKLOADS[name]
    return {
        "name": name,
        "times": measure(w),
        "target": w.target,
        "goal": w.goal,
        "per": "step" if w.steps > 1 else "run",
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--line", nargs="+", metavar="NAME", help="only these lines")
    parser.add_argument("--all", action="store_true", help="slow lines too")
    parser.add_argument("--record", action="store_true", help="write bench/RESULTS.md")
    parser.add_argument("--list", action="store_true", help="print the names of the lines")
    args = parser.parse_args()
    if args.list:
        print("\n".join([*WORKLOADS, *RECORDING, "import"]))
        return 0
    names = lines_asked(args)
    if not names:
        sys.exit("no such line; --list names them")
    settle_numpy()
    rows = []
    for name in report.progress(names):
        rows.append(row_of(name))
    result = {
        "date": datetime.datetime.now().isoformat(timespec="seconds"),
        "machine": report.machine(),
        "rows": rows,
    }
    folder = pathlib.Path(__file__).parent / "results"
    report.show(result)
    report.save(result, folder)
    if args.record:
        report.write_markdown(result, folder.parent / "RESULTS.md")
    return 0


if __name__ == "__main__":
    sys.exit(main())
