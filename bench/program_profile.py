# SPDX-License-Identifier: BSD-3-Clause
"""Where the time of the programs of tests/programs goes, by samples of `perf`: the interpreter,
NumPy or Heddle, code made at run time, BLAS, random numbers, everything else.

    program_profile.py                     every fourth program, medium
    program_profile.py --size tiny --every 1

Each program runs in a process of its own with NumPy and one with Heddle, warm, for so many seconds.
Only samples within the program count, not those of the harness. The last column is NumPy's time by
what would be left of ours if Heddle's own code took no time at all: no array library that leaves
the interpreter in place can be faster. Samples are of all threads; BLAS has one in both, whose
threads would spin.
"""

import argparse
import bisect
import collections
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile
import time

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "tests" / "programs"
# names of shared objects, as perf has them -> what they are
KINDS = {
    "interpreter": ("libpython", "python3"),
    "ours": ("libheddle", "_heddle", "heddle-code", "libmvec"),
    "BLAS": ("openblas", "libblas", "gfortran"),
    "random": ("_generator", "_pcg64", "_mt19937", "mtrand", "bit_generator", "_bounded",
               "_common"),
    "NumPy": ("_multiarray", "_umath", "pocketfft"),
}


# ---- in the process of one program ---------------------------------------------------------------


class Clock:
    """Stands for `time` in the harness, and notes when a program begins and ends."""

    def __init__(self):
        self.noted = []

    def perf_counter(self):
        self.noted.append(time.perf_counter())
        return self.noted[-1]


def run_one(path, module, size, seconds):
    sys.path.insert(0, str(FOLDER))
    import execute

    for _ in range(4):
        execute.Run(path, module, size)
    clock = execute.time = Clock()
    runs, spent = 0, 0.0
    while spent < seconds and runs < 4000:
        spent += execute.Run(path, module, size).seconds
        runs += 1
    print(json.dumps({"noted": clock.noted, "each": spent / runs}))


# ---- all of them ---------------------------------------------------------------------------------


def kind_of(dso):
    if "llvm" in dso:
        return "compiler"   # in the background
    return next((kind for kind, names in KINDS.items() if any(n in dso for n in names)), "else")


def samples(data):
    """(time, shared object) of each sample."""
    text = subprocess.run(["perf", "script", "-i", data, "-F", "time,ip,dso"], capture_output=True,
                          text=True, check=True).stdout
    for line in text.splitlines():
        fields = line.split()
        if len(fields) > 2:
            yield float(fields[0].rstrip(":")), line[line.rfind("("):].rpartition("/")[2]


def profile(path, module, args):
    """(seconds of a run, {kind: share of its samples})"""
    with tempfile.TemporaryDirectory() as folder:
        data = f"{folder}/perf.data"
        command = [sys.executable, __file__, "--one", str(path), module, args.size,
                   str(args.seconds)]
        done = subprocess.run(["perf", "record", "-q", "-k", "CLOCK_MONOTONIC", "-F", "2500", "-o",
                               data, "--", *command], capture_output=True, text=True, check=True,
                              env=os.environ | {"OPENBLAS_NUM_THREADS": "1"})
        said = json.loads(done.stdout.splitlines()[-1])
        counts = collections.Counter(kind_of(dso) for when, dso in samples(data)
                                     if bisect.bisect(said["noted"], when) % 2)
    counts.pop("compiler", None)
    total = sum(counts.values()) or 1
    return said["each"], {kind: n / total for kind, n in counts.items()}


def mean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", default="medium")
    parser.add_argument("--every", type=int, default=4, help="every n-th program")
    parser.add_argument("--seconds", type=float, default=0.5, help="of each")
    args = parser.parse_args()
    kinds = ["interpreter", "ours", "BLAS", "random", "else"]
    print(f"{'program':28}{'NumPy, ms':>10}{'ratio':>7}" + "".join(f"{k:>13}" for k in kinds)
          + f"{'without ours':>14}")
    ratios, bounds, shares = [], [], []
    for path in sorted(FOLDER.glob("*/*.py"))[::args.every]:
        theirs, _ = profile(path, "numpy", args)
        ours, share = profile(path, "heddle", args)
        ratios.append(theirs / ours)
        bounds.append(theirs / (ours * max(1 - share.get("ours", 0), 0.02)))
        shares.append(share)
        print(f"{path.stem:28}{theirs * 1e3:10.3f}{ratios[-1]:7.2f}"
              + "".join(f"{share.get(k, 0):13.2f}" for k in kinds) + f"{bounds[-1]:14.2f}",
              flush=True)
    print(f"{'geometric mean; mean share':38}{mean(ratios):7.2f}"
          + "".join(f"{sum(s.get(k, 0) for s in shares) / len(shares):13.2f}" for k in kinds)
          + f"{mean(bounds):14.2f}")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--one"]:
        run_one(pathlib.Path(sys.argv[2]), sys.argv[3], sys.argv[4], float(sys.argv[5]))
    else:
        main()
