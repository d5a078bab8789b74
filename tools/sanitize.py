# SPDX-License-Identifier: BSD-3-Clause
"""Runs every kind of GPU kernel under NVIDIA's compute-sanitizer, on a machine with a GPU.

    sanitize.py [--tools memcheck,racecheck,initcheck] [--tiers 0,1] [--logs FOLDER] [CLASS ...]

One process for each tool, each tier and each class of kernels in tests/python/gpu_sanitized.py; the package is the one that this Python
imports. Exit status 1 where a tool found something or a result was wrong, or where a tool does not notice a planted fault.
"""
import argparse
import concurrent.futures
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

PROGRAM = Path(__file__).resolve().parent.parent / "tests/python/gpu_sanitized.py"
# Small calls in exact blocks; code is made anew for each process, and several kernels together at once.
SETTINGS = {"HEDDLE_CUDA_MEMORY": "exact", "HEDDLE_DEVICE": "cuda"}


def classes():
    return re.search(r"^CLASSES = \[(.*)\]", PROGRAM.read_text(), re.M)[1].split(", ")


FOUND = 86   # the status by which a tool says so
PLANTED = ("memcheck", "initcheck")   # no call of ours makes threads race


def run(tool, tier, name, seconds):
    """(tool, tier, class, status, seconds, output). The class "planted" is what the tool must notice."""
    command = ["compute-sanitizer", "--tool", tool, "--error-exitcode", str(FOUND), "--launch-timeout", "0"]
    if tool == "memcheck":
        command += ["--padding", "64"]
    command += [sys.executable, str(PROGRAM), name, *([tool] if name == "planted" else [])]
    env = os.environ | SETTINGS | {"HEDDLE_TIER": tier} | ({"HEDDLE_BATCH": "1"} if name == "together" else {})
    started = time.monotonic()
    try:
        done = subprocess.run(command, env=env, text=True, timeout=seconds,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, errors="replace", check=False)
        status, output = done.returncode, done.stdout
    except subprocess.TimeoutExpired as e:
        status, output = f"no end after {seconds} s", (e.stdout or b"").decode(errors="replace")
    return tool, tier, name, status, time.monotonic() - started, output


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("classes", nargs="*", metavar="CLASS")
    parser.add_argument("--tools", default="memcheck,racecheck,initcheck")
    parser.add_argument("--tiers", default="0,1", help="what runs on tier 0, compiled kernels")
    parser.add_argument("--logs", type=Path, help="write what each process printed there")
    parser.add_argument("--seconds", type=float, default=300, help="limit of each process")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    args = parser.parse_args()
    if shutil.which("compute-sanitizer") is None:
        sys.exit("compute-sanitizer is not there: it comes with CUDA")
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        jobs = [pool.submit(run, tool, tier, name, args.seconds)
                for name in ["planted", *(args.classes or classes())] for tier in args.tiers.split(",")
                for tool in args.tools.split(",") if name != "planted" or tool in PLANTED]
        for job in concurrent.futures.as_completed(jobs):
            tool, tier, name, status, seconds, output = job.result()
            planted = name == "planted"
            good = status == FOUND if planted else status == 0 and f"{name}: as NumPy has it" in output
            failed += not good
            says = f"FAILED ({status})" if not good else "noticed" if planted else "clean"
            print(f"{tool:10}tier {tier}  {name:11}{says}, {seconds:.0f} s", flush=True)
            if not good:
                print("\n".join(output.splitlines()[:40]))
            if args.logs:
                args.logs.mkdir(parents=True, exist_ok=True)
                (args.logs / f"{tool}-{tier}-{name}.log").write_text(output)
    print(f"{len(jobs) - failed} passed, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
