# SPDX-License-Identifier: BSD-3-Clause
"""Shows that the window fuzzer would notice each rule of the window going missing.

Needs a build made with -DHDI_MUTATE=1, whose library reads HEDDLE_MUTATE and then leaves out one check. For every check
the fuzzer must fail within a few thousand programs; with no check left out it must pass.
"""

import argparse
import os
import pathlib
import subprocess
import sys

RUN = pathlib.Path(__file__).with_name("run.py")
PROGRAMS = 6000

# name of the mutant -> what the library then leaves out
MUTANTS = {
    "raw": "edges from a write to a later read of the same elements",
    "war": "edges from a read to a later write of the same elements",
    "waw": "edges from a write to a later write of the same elements",
    "overlap": "views that differ but share elements count as disjoint",
    "map": "conflicting accesses under different index maps share a kernel; no temporary for x[1:] += x[:-1]",
    "takeover": "an output takes over an input that is still needed",
    "verdict": "overlap and equal-extent verdicts are missing from the plan's key",
    "rename": "a covering store renames, but later records keep the old generation",
    "snapshot": "a write to part of an array reaches its copies too",
    "injective": "elements that meet in a view that overlaps itself count as apart",
    "liveness": "what only pending records read counts as dead",
}


def fuzz(mutant, programs=PROGRAMS, seed=0, arguments=()):
    """Runs the fuzzer with that check left out (None: with all checks); returns its result."""
    environment = {k: v for k, v in os.environ.items() if k != "HEDDLE_MUTATE"}
    if mutant:
        environment["HEDDLE_MUTATE"] = mutant
    command = [
        sys.executable,
        str(RUN),
        "--programs",
        str(programs),
        "--seed",
        str(seed),
        "--no-shrink",
        *arguments,
    ]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=1200)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--programs", type=int, default=PROGRAMS)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "mutants", nargs="*", default=[None, *MUTANTS], help="some of " + ", ".join(MUTANTS)
    )
    args = parser.parse_args()
    wrong = 0
    for mutant in args.mutants:
        result = fuzz(mutant, args.programs, args.seed)
        caught = result.returncode == 1 and "MISMATCH" in result.stdout
        as_wanted = caught if mutant else result.returncode == 0
        wrong += not as_wanted
        first = (result.stdout.splitlines() or result.stderr.splitlines() or [""])[0]
        print(f"{'ok   ' if as_wanted else 'WRONG'} {mutant or 'no mutant':10} {first}", flush=True)
        if result.returncode not in (0, 1):
            print(result.stdout + result.stderr)
    print(f"{len(args.mutants) - wrong} passed, {wrong} failed")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
