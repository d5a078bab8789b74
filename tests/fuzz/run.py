# SPDX-License-Identifier: BSD-3-Clause
"""Runs the window fuzzer: `run.py --programs 100000 --jobs 2`. Exit status 1 and a script that
shows it at a mismatch.

Programs come in batches, one process each; a batch has one number of threads, one block size and
one set of loops, decided by
its number, and programs of all kinds (window_fuzz.SCHEDULE), so that `--only K` runs program K
again just as it ran before. A
crash or a hang is a mismatch. One that is long or large stands for many short ones: `--programs`
counts in short ones.
"""

import argparse
import os
import pathlib
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE))
import sizes  # noqa: E402
import window_fuzz  # noqa: E402

BATCH = 1000
BLOCKS = (
    "",
    "16",
    "",
    "4",
    "",
    "64",
    "",
)  # elements a block: arrays of a few elements have several; "": as built
SMALLS = ("", "", "3", "", "64", "0", "")  # elements of the largest small work; "": as built
ISAS = ("", "v2", "", "", "v3")  # which set of compiled loops
ON_A_GPU = os.environ.get("HEDDLE_DEVICE", "").startswith("cuda")
# One program that takes so long hangs. On a GPU that of a long one is mostly the driver's compiler.
HANG_SECONDS = 480 if ON_A_GPU else 120


def settings_of(batch, args):
    """How the programs of that batch run."""
    other = ("always", False)[batch // 2 % 2]   # with the usual way each other one in turn
    fusion = {"on": [True], "off": [False], "always": ["always"], "both": [True, other]}[args.fusion]
    threads = batch % 2 + 1 if args.threads == "both" else int(args.threads)
    environment = {
        "HEDDLE_BLOCK": BLOCKS[batch % len(BLOCKS)],
        "HEDDLE_SMALL": SMALLS[batch // 3 % len(SMALLS)],
        "HEDDLE_ISA": ISAS[batch % len(ISAS)],
    }
    return window_fuzz.Settings(
        args.module, fusion, threads, args.kind, {k: v for k, v in environment.items() if v}
    )


def work(args):
    """One batch, in this process: prints the mismatch and exits 1, after noting in the file how far
    it came."""
    import numpy as np

    settings = settings_of(args.first // BATCH, args)
    xp, set_fusion = window_fuzz.prepare(settings)
    note = os.open(args.work, os.O_WRONLY)
    with np.errstate(all="ignore"):
        for number in window_fuzz.numbered(args.first, args.programs, args.kind):
            os.pwrite(note, b"%-12d" % number, 0)
            program = window_fuzz.program_of(args.seed, number, settings.kind)
            for on in settings.fusion:
                set_fusion(on)
                try:
                    window_fuzz.run_program(program, xp)
                except Exception as failure:
                    kind = window_fuzz.kind_of(number) if args.kind == "all" else args.kind
                    print(f"program {number} ({kind}), fusion {on}: {failure}")
                    sys.exit(1)


class Batch:
    """A batch running in a process of its own."""

    def __init__(self, first, count, args):
        self.first, self.count = first, count
        self.note = tempfile.NamedTemporaryFile(prefix="heddle-fuzz-")
        self.note.write(b"%-12d" % first)
        self.note.flush()
        self.seen, self.since, self.hung = b"", time.monotonic(), False
        command = [
            sys.executable,
            "-W",
            "ignore",
            __file__,
            "--work",
            self.note.name,
            "--first",
            str(first),
            "--programs",
            str(count),
            "--seed",
            str(args.seed),
            "--fusion",
            args.fusion,
            "--threads",
            args.threads,
            "--kind",
            args.kind,
            "--module",
            args.module,
            "--without",
            args.without,
        ]
        environment = dict(os.environ, **settings_of(first // BATCH, args).environment)
        self.process = subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",   # a process that dies may leave half a line
            env=environment,
        )

    def finished(self):
        """Has it ended? A batch that does not come forward any more is killed."""
        at = os.pread(self.note.fileno(), 12, 0)
        if at != self.seen:
            self.seen, self.since = at, time.monotonic()
        elif time.monotonic() - self.since > HANG_SECONDS:
            self.hung = True
            self.process.kill()
        return self.process.poll() is not None

    def failure(self):
        """None, or (program number, what happened)."""
        if self.process.returncode == 0:
            return None
        number = int(os.pread(self.note.fileno(), 12, 0))
        code = self.process.returncode
        ending = (
            ""
            if code == 1
            else f"no end after {HANG_SECONDS} s"
            if self.hung
            else f"the process ended with {'signal' if code < 0 else 'status'} {abs(code)}"
        )
        return number, "\n".join(filter(None, (self.process.stdout.read().strip()[-4000:], ending)))


def run_batches(args):
    """Runs all batches, some at a time; returns (programs run, first failure or None)."""
    waiting = [
        (first, min(BATCH, args.programs - first)) for first in range(0, args.programs, BATCH)
    ]
    running, done, started, told = [], 0, time.monotonic(), time.monotonic()
    while waiting or running:
        while waiting and len(running) < args.jobs:
            running.append(Batch(*waiting.pop(0), args))
        time.sleep(0.02)
        for batch in [b for b in running if b.finished()]:
            running.remove(batch)
            failure = batch.failure()
            if failure:
                for other in running:
                    other.process.kill()
                    other.process.wait()
                return done, failure
            done += len(window_fuzz.numbered(batch.first, batch.count, args.kind))
            if time.monotonic() - told > 5:
                told = time.monotonic()
                print(
                    f"{done} programs, of {args.programs} numbers, {told - started:.0f} s",
                    file=sys.stderr,
                    flush=True,
                )
    return done, None


def explain(number, args):
    """Prints the failing program as a script, made as small as can be."""
    import shrink
    from script import script_of
    from steps import listing_of

    settings = settings_of(number // BATCH, args)
    first = number if args.only is not None else number // BATCH * BATCH
    programs = [
        window_fuzz.program_of(args.seed, k, settings.kind)
        for k in window_fuzz.numbered(first, number + 1 - first, settings.kind)
    ]
    found = shrink.shrink(programs, settings, args.seconds)
    if not found:
        print("# it did not happen again")
        for name, (steps, _) in programs[-1].parts():
            print(f"\n# {name}\n{listing_of(steps)}")
        return
    programs, settings = found
    setup = (
        ""
        if settings.module == "numpy"
        else f"xp_under_test.set_fusion({settings.fusion[0]!r})\nxp_under_test.set_num_threads({settings.threads})"
    )
    title = f"seed {args.seed}, program {number}"
    print(script_of(programs, settings.module, title, setup, settings.environment))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--programs", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--fusion", choices=("on", "off", "always", "both"), default="both")
    parser.add_argument("--threads", choices=("1", "2", "both"), default="both")
    parser.add_argument(
        "--kind", choices=("all", *window_fuzz.KINDS), default="all", help="see window_fuzz.py"
    )
    parser.add_argument("--only", type=int, help="run this program alone")
    parser.add_argument(
        "--without", default="", help="rules and expressions to leave out, commas between"
    )
    parser.add_argument("--module", default="heddle", help="what to compare with NumPy")
    parser.add_argument(
        "--no-shrink", action="store_true", help="do not look for a smaller program that fails"
    )
    parser.add_argument(
        "--seconds", type=float, default=240, help="how long to look for a smaller program"
    )
    parser.add_argument("--work", help=argparse.SUPPRESS)
    parser.add_argument("--first", type=int, default=0, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if ON_A_GPU:
        args.without += ",share,fork"  # NumPy has no views of a GPU's memory; no GPU survives a fork
    window_fuzz.leave_out(args.without.split(","))
    if args.work:
        return work(args)
    moved = sizes.check()
    if moved:
        sys.exit(f"sizes.py has limits that are not in src any more: {'; '.join(moved)}")
    importing = [sys.executable, "-c", f"import {args.module}"]
    if subprocess.run(importing, check=False).returncode:
        sys.exit(f"{args.module} cannot be imported")
    started = time.monotonic()
    if args.only is not None:
        batch = Batch(args.only, 1, args)
        while not batch.finished():
            time.sleep(0.01)
        done, failure = 1, batch.failure()
    else:
        done, failure = run_batches(args)
    if failure is None:
        print(
            f"{done} passed, 0 failed: programs equal to NumPy, in {time.monotonic() - started:.1f} s"
        )
        return 0
    number, what = failure
    print(
        f"MISMATCH at program {number} (seed {args.seed}) after {time.monotonic() - started:.1f} s\n{what}",
        flush=True,
    )
    if not args.no_shrink:
        explain(number, args)
    return 1


if __name__ == "__main__":
    sys.exit(main())
