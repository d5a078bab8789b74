# SPDX-License-Identifier: BSD-3-Clause
"""Runs whole programs with NumPy and with Heddle and compares all that they leave behind.

    run.py                                    all programs, tiny and medium
    run.py stencils lu --size tiny,large      a field and one program
    run.py --device cuda                      on a GPU
    run.py --tier 0,1 --threads 1,2           each combination
    run.py --share 3/10 --size large          the fourth tenth of the programs
    run.py --times                            seconds with NumPy and with Heddle

Each program has a process of its own, which runs it with both: a crash, a hang or a sanitizer's
report is a failure of that program. CONTRIBUTING.md says how a program is written.
"""

import argparse
import ast
import concurrent.futures
import dataclasses
import fnmatch
import itertools
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
SIZES = ("tiny", "medium", "large")
SANITIZER = re.compile(r"runtime error:|ERROR: \w+Sanitizer")
SHOWN = 40  # lines of a crash


@dataclasses.dataclass
class Setting:
    """How a program runs; an empty text is what the environment says."""

    tier: str = ""
    threads: str = ""
    device: str = ""

    def environment(self):
        names = {
            "HEDDLE_TIER": self.tier,
            "HEDDLE_NUM_THREADS": self.threads,
            "HEDDLE_DEVICE": self.device,
        }
        return {k: v for k, v in names.items() if v}

    def __str__(self):
        texts = [
            f"tier {self.tier}" * bool(self.tier),
            f"{self.threads} threads" * bool(self.threads),
            self.device,
        ]
        return "".join(f", {t}" for t in texts if t)


@dataclasses.dataclass
class Outcome:
    """Of one program at one size."""

    name: str
    size: str
    setting: Setting
    texts: list
    seconds: tuple = (0.0, 0.0)

    def __str__(self):
        return f"{self.name} ({self.size}{self.setting})"


# ---- which programs ------------------------------------------------------------------------------


def programs():
    """Name, as field/name, -> path, in order."""
    paths = sorted(p for p in HERE.glob("*/*.py"))
    return {f"{p.parent.name}/{p.stem}": p for p in paths}


def chosen(everything, patterns, share, excepted):
    """Names that a pattern fits (field, name, field/name, with * and ?), of that share."""
    names = []
    for name in everything:
        parts = (name, *name.split("/"))
        if not patterns or any(fnmatch.fnmatch(part, p) for part in parts for p in patterns):
            names.append(name)
    unknown = [
        p
        for p in patterns
        if not any(fnmatch.fnmatch(part, p) for n in names for part in (n, *n.split("/")))
    ]
    if unknown:
        sys.exit(f"no such program or field: {' '.join(unknown)}")
    first, of = share
    return [n for i, n in enumerate(n for n in names if n not in excepted) if i % of == first % of]


def read_exceptions(path, everything):
    """Name -> reason, from a file of lines `field/name  reason`; # begins a comment."""
    lines = [
        line.split(None, 1)
        for line in path.read_text().splitlines()
        if line.strip() and line[0] != "#"
    ]
    wrong = [line[0] for line in lines if len(line) < 2 or line[0] not in everything]
    if wrong:
        sys.exit(f"{path}: no such program, or no reason: {' '.join(wrong)}")
    return {name: reason.strip() for name, reason in lines}


# ---- one process ---------------------------------------------------------------------------------


def excerpt(stderr):
    """The beginning of a sanitizer's report, else the end of what was written."""
    lines = stderr.splitlines()
    for i, line in enumerate(lines):
        if SANITIZER.search(line):
            return lines[i : i + SHOWN]
    return lines[-SHOWN:]


def start(path, sizes, setting, args):
    """Runs the program at these sizes; returns (reports, status, stderr)."""
    command = [
        sys.executable,
        "-X",
        "faulthandler",
        str(HERE / "execute.py"),
        "--timeout",
        str(args.timeout),
        str(path),
        args.against,
        *sizes,
    ]
    with tempfile.TemporaryFile("w+", errors="replace") as errors:
        # threads of NumPy's products would wait for those of other processes
        env = (
            ({} if args.times else {"OPENBLAS_NUM_THREADS": "1"})
            | os.environ
            | setting.environment()
        )
        process = subprocess.Popen(
            command,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            start_new_session=True,
        )
        try:  # it ends itself when a size takes too long; this is for one that cannot
            output, _ = process.communicate(timeout=args.timeout * len(sizes) + 20)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            output, _ = process.communicate()
        errors.seek(0)
        stderr = errors.read()
    return (
        [json.loads(line) for line in output.splitlines() if line.endswith("}")],
        process.returncode,
        stderr,
    )


def ending(status, stderr):
    if "Timeout (" in stderr:
        return "no end in time"
    if status < 0:
        names = {s.value: s.name for s in signal.Signals}
        return f"ended by {names.get(-status, f'signal {-status}')}"
    return f"exit status {status}" if status else "a sanitizer's report"


def run_program(name, path, setting, args):
    """Outcomes at each size. What a crash leaves undone is done by another process."""
    outcomes, todo = [], list(args.size)
    while todo:
        reports, status, stderr = start(path, todo, setting, args)
        done = [r for r in reports if "differences" in r]
        outcomes += [
            Outcome(name, r["size"], setting, r["differences"], tuple(r["seconds"])) for r in done
        ]
        todo = todo[len(done) :]
        if status != 0 or SANITIZER.search(stderr):
            begun = [r["begins"] for r in reports if "begins" in r] or ["anything"]
            when = f"while it ran with {begun[-1]}" if todo else "after all sizes had run"
            text = "\n".join([f"{ending(status, stderr)} {when}", *excerpt(stderr)])
            outcomes.append(Outcome(name, todo.pop(0) if todo else "the end", setting, [text]))
        elif todo:
            outcomes.append(
                Outcome(name, todo.pop(0), setting, ["the process ended without a report"])
            )
    return outcomes


# ---- the command line ----------------------------------------------------------------------------


def share_of(text):
    found = re.fullmatch(r"(\d+)/([1-9]\d*)", text)
    if not found:
        raise argparse.ArgumentTypeError("a share is i/n, as in 3/10")
    return int(found[1]), int(found[2])


def sizes_of(text):
    sizes = text.split(",")
    if not set(sizes) <= set(SIZES):
        raise argparse.ArgumentTypeError(f"sizes are {', '.join(SIZES)}")
    return sizes


def parse(argv):
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", help="fields, programs, field/program, with * and ?")
    parser.add_argument(
        "--size", type=sizes_of, default=["tiny", "medium"], help="tiny,medium,large"
    )
    parser.add_argument(
        "--tier", type=lambda t: t.split(","), default=[""], help="HEDDLE_TIER: 0, 1 or 0,1"
    )
    parser.add_argument(
        "--threads", type=lambda t: t.split(","), default=[""], help="HEDDLE_NUM_THREADS, as 1,2"
    )
    parser.add_argument("--device", default="", help="HEDDLE_DEVICE")
    parser.add_argument("--jobs", type=int, default=1, help="processes at a time")
    parser.add_argument("--timeout", type=float, default=60, help="seconds for one size")
    parser.add_argument(
        "--share",
        type=share_of,
        default=(0, 1),
        metavar="i/n",
        help="every n-th program from the i-th",
    )
    parser.add_argument(
        "--except",
        type=pathlib.Path,
        dest="exceptions",
        help="file of programs not to run, with reasons",
    )
    parser.add_argument(
        "--against", default="heddle", metavar="MODULE", help="the module under test"
    )
    parser.add_argument(
        "--file", type=pathlib.Path, help="run this file, which need not be one of ours"
    )
    parser.add_argument("--list", action="store_true", help="name the programs and what they do")
    parser.add_argument("--times", action="store_true", help="print seconds")
    return parser.parse_args(argv)


def print_times(outcomes):
    print(f"{'program':50}{'size':8}{'numpy':>9}{'module':>9}{'ratio':>7}")
    for o in outcomes:
        if o.seconds[1]:
            print(
                f"{o.name:50}{o.size:8}{o.seconds[0]:9.4f}{o.seconds[1]:9.4f}"
                f"{o.seconds[1] / o.seconds[0]:7.2f}"
                f"{o.setting}"
            )


def main(argv):
    args = parse(argv)
    everything = {args.file.stem: args.file} if args.file else programs()
    exceptions = read_exceptions(args.exceptions, everything) if args.exceptions else {}
    names = chosen(everything, args.names, args.share, exceptions)
    if args.list:
        for name in names:
            text = ast.get_docstring(ast.parse(everything[name].read_text()))
            print(f"{name:45} {text.splitlines()[0]}")
        return 0
    for name, reason in exceptions.items():
        print(f"not run: {name}: {reason}")
    settings = [
        Setting(tier, threads, args.device)
        for tier, threads in itertools.product(args.tier, args.threads)
    ]
    outcomes = []
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        running = [
            pool.submit(run_program, n, everything[n], s, args) for n in names for s in settings
        ]
        for future in running:
            for o in future.result():
                outcomes.append(o)
                if o.texts:
                    print(
                        f"FAILED {o}",
                        *(f"    {line}" for t in o.texts for line in t.splitlines()),
                        sep="\n",
                        flush=True,
                    )
    if args.times:
        print_times(outcomes)
    failed = [o for o in outcomes if o.texts]
    for o in failed:
        print(f"failed: {o}: {o.texts[0].splitlines()[0][:150]}")
    print(f"{len(outcomes) - len(failed)} passed, {len(failed)} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
