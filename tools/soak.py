# SPDX-License-Identifier: BSD-3-Clause
"""Mixed programs in one process for as long as is asked: what it holds must stop growing.

    soak.py                         an hour of tests/programs and random programs (tests/fuzz)
    soak.py --minutes 1             as the tests do
    soak.py --device cuda           on a GPU
    soak.py --planted               shows that each kind of leak is noticed (half a minute)

Between programs the process is made quiet: nothing is pending, garbage is collected, memory that is
kept for reuse goes back. Then it is asked what it holds: memory of the process and of the device,
Heddle's own counts, threads, descriptors, bytes of compiled kernels on disk. What has run after a
quarter of the time is run again and again: once more, so that plans and code are there; from then on
the first and the last quarter of the samples are compared. Every result is compared with NumPy's on
the way.
"""
import argparse
import ctypes
import gc
import importlib
import os
import random
import statistics
import sys
import tempfile
import time
import warnings
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SAMPLES = 60            # of a run, about
FEWEST = 8              # that say something
WARM = 0.25             # of the time is for programs to run for the first time, at most
# What may grow from the first to the last quarter, and the share of its size that may come on top:
# the C library's own heaps
# and NumPy's caches move by some pages; counts are exact, but for layouts and plans, of which so
# many are kept.
MB = 1 << 20
CACHE_SIZE = 4 * MB
MAY_GROW = {
    "process": (12 * MB, 0.03),
    "device": (0, 0.0),
    "pending": (0, 0.0),
    "layouts": (64, 0.05),
    "threads": (1, 0.0),   # one that only a few of the programs start
    "descriptors": (0, 0.0),
    "cache": (CACHE_SIZE, 0.0),
}


def process_bytes():
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE")


def folder_bytes(folder):
    total = 0
    for path in Path(folder).rglob("*"):
        try:
            total += path.stat().st_size
        except FileNotFoundError:   # it was taken out meanwhile
            continue
    return total


def sample(xp, cache):
    """What this process holds when nothing is going on."""
    gc.collect()
    xp.synchronize()
    xp.trim()
    ctypes.CDLL(None).malloc_trim(0)
    stats = xp.stats()
    return {
        "process": process_bytes(),
        "device": stats["memory_used"],
        "pending": stats["pending"],
        "layouts": stats["layouts"],
        "threads": len(os.listdir("/proc/self/task")),
        "descriptors": len(os.listdir("/proc/self/fd")),
        "cache": folder_bytes(cache),
    }


def grown(samples):
    """Names of what grew, with what is wrong."""
    wrong, quarter = {}, max(1, len(samples) // 4)
    for name in samples[0]:
        # OpenBLAS ends its threads before a fork and starts them at the next product, so the number
        # of threads goes up and down: it has grown if it is always larger than it ever was.
        ups_and_downs = name == "threads"
        first = (max if ups_and_downs else statistics.median)(s[name] for s in samples[:quarter])
        last = (min if ups_and_downs else statistics.median)(s[name] for s in samples[-quarter:])
        room, share = MAY_GROW[name]
        if last - first > room + share * first:
            wrong[name] = f"{name}: from {first:,.0f} to {last:,.0f}"
    return wrong


# ---- what runs -----------------------------------------------------------------------------------


class Programs:
    """A pool of programs; next() runs one and raises where it differs from NumPy."""

    def __init__(self, xp, count, args):
        sys.path[:0] = [str(ROOT / "tests/fuzz"), str(ROOT / "tests/programs")]
        self.execute = importlib.import_module("execute")
        self.fuzz = importlib.import_module("window_fuzz")
        self.xp, self.seed, self.at, self.rounds_from = xp, args.seed, 0, None
        gpu = args.device.startswith("cuda")
        self.fuzz.leave_out(["share", "fork"] * gpu + args.without.split(","))
        whole = sorted((ROOT / "tests/programs").glob("*/*.py"))
        kinds = [k for k in self.fuzz.KINDS if not (gpu and k == "fork")]
        drawn = [(kinds[k % len(kinds)], k) for k in range(count)]
        each = max(1, len(drawn) // max(1, len(whole)))
        self.all = []
        for k, path in enumerate(whole):
            self.all += [("file", path), *drawn[k * each : (k + 1) * each]]
        self.all += drawn[len(whole) * each :] if whole else drawn
        random.Random(args.seed).shuffle(self.all)

    def next(self):
        kind, which = self.all[self.at % len(self.all)]
        self.at += 1
        if kind == "file":
            return self._run_file(which)
        program = self.fuzz.program_of(self.seed, which, kind)
        try:
            self.fuzz.run_program(program, self.xp)
        except self.fuzz.Mismatch as mismatch:
            where = f"program {which} ({kind}, seed {self.seed})"
            raise SystemExit(f"1 failed: {where}: {mismatch}") from None
        finally:
            self.xp.set_fusion(True)
        return None

    def _run_file(self, path):
        def say(differences=(), **_):
            if differences:
                raise SystemExit(f"1 failed: {path.parent.name}/{path.stem}: {differences[0]}")

        for size in ("tiny", "medium"):
            self.execute.compare_at(path, self.xp.__name__, size, say)

    def settle(self):
        """Only those that have run by now are run from now on. True once each has run again."""
        if self.rounds_from is None:
            del self.all[self.at :]
            self.rounds_from = self.at
        return self.at >= self.rounds_from + len(self.all)


def plant(xp, cache, kept):
    """One more of everything that must not grow."""
    kept.append(xp.ones(1000) + 1)
    kept[-1].sum()
    kept.append(bytearray(b"x") * (2 * MB))
    kept.append(open(os.devnull))   # noqa: SIM115
    stop = importlib.import_module("threading").Event()
    kept.append(importlib.import_module("threading").Thread(target=stop.wait, daemon=True))
    kept[-1].start()
    # 5 % of those that are kept may come
    kept.extend(xp.zeros((len(kept) + k + 7, 3)) for k in range(400))
    Path(cache, f"planted-{len(kept)}").write_bytes(b"x" * MB)


PLANTED = {"process", "device", "layouts", "threads", "descriptors", "cache"}


def soak(args, xp, cache):
    programs = Programs(xp, args.programs or max(20, min(2000, int(30 * args.minutes))), args)
    begin = time.monotonic()
    end, span = begin + 60 * args.minutes, 60 * args.minutes / SAMPLES
    samples, kept, told = [], [], begin
    warm_until = begin + WARM * 60 * args.minutes
    while time.monotonic() < end:
        until = time.monotonic() + span
        while time.monotonic() < until:
            programs.next()
        if args.planted:
            plant(xp, cache, kept)
        warm = time.monotonic() > warm_until or programs.at >= len(programs.all)
        if warm and programs.settle():
            samples.append(sample(xp, cache))
        if samples and time.monotonic() - told > 30:
            told = time.monotonic()
            print(f"{told - begin:.0f} s, {programs.at} programs: {samples[-1]}", flush=True)
    print(f"{programs.at} programs of {len(programs.all)}, {len(samples)} samples;", *samples[-1:])
    return samples


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--programs", type=int, help="how many random programs are in turn")
    parser.add_argument("--without", default="", help="rules of the fuzzer to leave out")
    parser.add_argument("--planted", action="store_true", help="leaks that must be noticed")
    args = parser.parse_args()
    if args.planted and args.minutes == 60:
        args.minutes = 0.5
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory(prefix="heddle-soak-") as cache:
        # Programs of several threads make other kernels each time: the folder keeps to its size.
        os.environ.update(HEDDLE_DEVICE=args.device, HEDDLE_CACHE=cache)
        os.environ["HEDDLE_CACHE_SIZE"] = str(CACHE_SIZE)
        xp = importlib.import_module("heddle")
        import numpy as np

        with np.errstate(all="ignore"):
            samples = soak(args, xp, cache)
        if len(samples) < FEWEST:
            raise SystemExit(f"1 failed: {len(samples)} samples are too few: more --minutes?")
        wrong = grown(samples)
        for text in wrong.values():
            print(f"grows: {text}")
        if "threads" in wrong:
            names = [p.read_text().strip() for p in Path("/proc/self/task").glob("*/comm")]
            print(f"threads at the end: {sorted(names)}")
    if args.planted:
        missed = PLANTED - set(wrong)
        found = len(PLANTED) - len(missed)
        print(f"{found} passed, {len(missed)} failed: planted leaks; missed {sorted(missed)}")
        return 1 if missed else 0
    print(f"{len(samples[0]) - len(wrong)} passed, {len(wrong)} failed: what must stop growing")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
