# SPDX-License-Identifier: BSD-3-Clause
"""The programs of tests/programs as wholes: seconds with NumPy and with Heddle, tiny and medium.

    programs.py                            all of them
    programs.py stencils lu_* --size tiny  a field, some programs
    programs.py --share 3/10               the fourth tenth of them
    programs.py --device cuda              on a GPU
    programs.py --record FILE              a table in Markdown as well

Each program and size has a process of its own with an empty cache of kernels. It runs the program
ten times with NumPy and with Heddle, by turns: the first run is the one that has to compile, the
third is the warm one, and the median of those after it is the settled one. Results are not compared
(tests/programs/run.py does that), but a program that ends otherwise than it says, crashes or hangs
has failed. Random numbers are NumPy's in both, through calls that cost Heddle 10 to 20 us each
(--own-random: Heddle draws its own numbers, so that what a program does may differ).

--numba adds the same program with NumPy and each of its functions compiled by njit, where Numba
understands it; it has its own process. Globals are constants to Numba: its values may be wrong.
"""

import argparse
import ast
import compileall
import concurrent.futures
import contextlib
import dataclasses
import gc
import importlib.util
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time
import types
import warnings

import report
from run import settle_numpy, until_idle

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "tests" / "programs"
TURNS = 10  # told: the first, the third, the median of those after it
SETTLE = 0.05  # seconds before a turn: kernels may still be compiled in the background
# What may wake threads of a BLAS, which then spin beside the other library's turn.
PRODUCTS = re.compile(r" @ |linalg|einsum|\b(v?dot|inner|tensordot|matmul|cov|corrcoef)\(")
SIZES = ("tiny", "medium", "large")
WHICH = ("first", "warm", "settled")


def test_runner():
    """tests/programs/run.py: it knows the programs and their names. (`run` is our own run.py.)"""
    spec = importlib.util.spec_from_file_location("programs_run", FOLDER / "run.py")
    module = sys.modules["programs_run"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


# ---- in the process of one program ---------------------------------------------------------------

DISPATCHERS = {}  # (name, line) of a function -> what njit made of it; None: it stays as it is
FROZEN = {}  # the globals of those
CALLED = set()  # those whose globals are there


def freeze(key, function):
    """Before a function is compiled: what it may see, with the compiled ones among it."""
    names = {name for name, _ in DISPATCHERS}
    FROZEN.update({k: v for k, v in function.__globals__.items() if k not in names})
    CALLED.add(key)


def njit_or_plain(function):
    """Runs the function by njit, and as it is once Numba has not understood it."""
    import numba

    key = function.__name__, function.__code__.co_firstlineno
    if key not in DISPATCHERS:
        copy = types.FunctionType(function.__code__, FROZEN, function.__name__,
                                  function.__defaults__)
        DISPATCHERS[key] = FROZEN[function.__name__] = numba.njit(copy)

    def call(*args, **kwargs):
        compiled = DISPATCHERS[key]
        if compiled is not None:
            if key not in CALLED:
                freeze(key, function)
            try:
                return compiled(*args, **kwargs)
            except Exception:  # Numba's own, and others of it; the program's come again below
                DISPATCHERS[key] = None
        return function(*args, **kwargs)

    return call


def with_njit(path, folder):
    """A copy of the program whose functions have that decorator."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and not node.decorator_list:
            node.decorator_list.append(ast.Name("njit_or_plain"))
    tree.body.insert(1, ast.parse("from __main__ import njit_or_plain").body[0])  # after the text
    copy = pathlib.Path(folder) / path.name
    copy.write_text(ast.unparse(ast.fix_missing_locations(tree)), encoding="utf-8")
    return copy


def one_run(execute, path, module, size):
    """Seconds; raises RuntimeError when the program does not end as it says."""
    run = execute.Run(path, module, size)
    if run.error != run.globals.get("RAISES", ""):
        raise RuntimeError(f"{module}: {run.error or 'no exception'} {run.text}")
    return run.seconds


def turns(path, size, peers, own_random):
    """{peer: seconds of each turn} of this process; "failed" says what went wrong."""
    sys.path.append(str(FOLDER))
    import execute

    if own_random:
        execute.numpy_draws = lambda module: contextlib.nullcontext()
    warnings.simplefilter("ignore")
    products = size != "tiny" and PRODUCTS.search(path.read_text(encoding="utf-8"))
    times = {name: [] for name in peers}
    with tempfile.TemporaryDirectory() as folder:
        paths = {n: with_njit(path, folder) if n == "numba" else path for n in peers}
        for turn in range(TURNS):
            if turn == 1:  # not before: a program that runs once has not settled either
                settle_numpy()
            for name in peers:
                gc.collect()
                time.sleep(SETTLE)
                if products:
                    until_idle()
                module = "numpy" if name == "numba" else name
                try:
                    times[name].append(one_run(execute, paths[name], module, size))
                except RuntimeError as e:
                    return {"failed": str(e)}
    return times


# ---- all programs --------------------------------------------------------------------------------


@dataclasses.dataclass
class Row:
    """One program at one size: {"first", "warm" or "settled": {peer: seconds}}, and what failed."""

    name: str
    size: str
    seconds: dict
    failed: list

    def ratio(self, which, peer="heddle"):
        """NumPy's time by that of a peer, None where one is missing."""
        times = self.seconds[which]
        return times["numpy"] / times[peer] if {"numpy", peer} <= times.keys() else None


def in_process(runner, path, size, peers, args):
    """What turns() gives, from a process of its own with an empty cache."""
    command = [sys.executable, __file__, str(path), "--one", ",".join(peers), "--size", size]
    command += ["--own-random"] * args.own_random
    with tempfile.TemporaryDirectory(prefix="heddle-bench-") as cache:
        env = os.environ | {"HEDDLE_CACHE": cache}
        if args.device:
            env["HEDDLE_DEVICE"] = args.device
        try:
            done = subprocess.run(command, env=env, stdin=subprocess.DEVNULL, capture_output=True,
                                  text=True, errors="replace", timeout=args.timeout, check=False)
        except subprocess.TimeoutExpired:
            return {"failed": f"no end in {args.timeout:g} s"}
    lines = done.stdout.splitlines()
    if done.returncode or not lines:
        errors = done.stderr.strip().splitlines()[-1:]
        return {"failed": ": ".join([runner.ending(done.returncode, done.stderr), *errors])}
    return json.loads(lines[-1])


def measure(runner, name, path, size, args):
    """The row of a program: medians of as many processes as are asked for."""
    groups = [["numpy", "heddle"], *([["numba"]] if args.numba else [])]
    found, failed = {which: {} for which in WHICH}, []
    for peers in groups:
        for _ in range(args.repeats):
            times = in_process(runner, path, size, peers, args)
            if "failed" in times:
                failed.append(" ".join(["Numba:"] * ("numba" in peers) + [times["failed"]]))
                break
            for peer in peers:
                turn = times[peer]
                settled = statistics.median(turn[3:])
                for which, seconds in zip(WHICH, (turn[0], turn[2], settled), strict=True):
                    found[which].setdefault(peer, []).append(seconds)
    medians = {which: {peer: statistics.median(s) for peer, s in found[which].items()}
               for which in WHICH}
    return Row(name, size, medians, failed)


def columns(args):
    names = ["NumPy", "Heddle", "ratio", *["Numba", "its ratio"] * args.numba]
    return [f"{name}, {which}" for which in WHICH for name in names]


def cells(row, args):
    """Seconds and ratios as text, in the order of columns()."""

    def text(x, how):
        return "" if x is None else format(x, how)

    found = []
    for which in WHICH:
        found.append(text(row.seconds[which].get("numpy"), ".5f"))
        for peer in ("heddle", *["numba"] * args.numba):
            found.append(text(row.seconds[which].get(peer), ".5f"))
            found.append(text(row.ratio(which, peer), ".3g"))
    return found


def print_row(row, args):
    times = "".join(f"{c:>18}" for c in cells(row, args))
    failed = [f"    FAILED {t[:300]}" for t in row.failed]
    print(f"{row.name:45}{row.size:8}{times}".rstrip(), *failed, sep="\n", flush=True)


def means(rows, args):
    """Lines: geometric means of each size: first, warm and settled."""
    for size in args.size:
        for which in WHICH:
            for peer in ("heddle", *["numba"] * args.numba):
                ratios = [r.ratio(which, peer) for r in rows if r.size == size]
                ratios = [r for r in ratios if r is not None]
                if ratios:
                    title = f"NumPy / {peer.capitalize()}, {size}, {which}"
                    slower = sum(r < 1 for r in ratios)
                    yield (f"{title:30}{statistics.geometric_mean(ratios):7.3g}  geometric mean "
                           f"of {len(ratios)}; {slower} slower than NumPy")


def write_markdown(rows, args):
    m = report.machine()
    device = f" on {args.device}" if args.device else ""
    lines = [
        "# Whole programs",
        "",
        f"{time.strftime('%Y-%m-%d')}, {m['cpu']}, {m['cores']} cores, {m['memory_gb']} GB, "
        f"{m['system']}; Python {m['python']}, NumPy {m['numpy']}, "
        + f"Numba {m['numba']}, " * args.numba
        + f"Heddle {m['heddle']}{device}. Written by `bench/programs.py --record`.",
        "",
        "Seconds of the programs of `tests/programs`, and NumPy's time by the other's. First: in "
        "a new process with an empty cache of kernels. Warm: the third run in that process. "
        "Settled: the median of the seven after it.",
        "",
        *(f"- {' '.join(line.split())}" for line in means(rows, args)),
        "",
        "| " + " | ".join(["program", "size", *columns(args)]) + " |",
        "|---|---|" + "---:|" * len(columns(args)),
    ]
    lines += ["| " + " | ".join([r.name, r.size, *cells(r, args)]) + " |" for r in rows]
    lines += ["", *(f"Failed: {r.name} ({r.size}): {t}  " for r in rows for t in r.failed)]
    args.record.write_text("\n".join(lines).rstrip() + "\n", encoding="utf-8")


def numba_there():
    if importlib.util.find_spec("numba"):
        return True
    print("Numba is not installed: no column for it", file=sys.stderr)
    return False


def parse(runner):
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help="fields, programs, with * and ?")
    parser.add_argument("--size", type=runner.sizes_of, default=["tiny", "medium"],
                        help="tiny,medium,large")
    parser.add_argument("--share", type=runner.share_of, default=(0, 1), metavar="i/n",
                        help="every n-th program from the i-th")
    parser.add_argument("--jobs", type=int, default=1, help="processes at a time")
    parser.add_argument("--repeats", type=int, default=1, help="processes, whose median is told")
    parser.add_argument("--device", default="", help="HEDDLE_DEVICE")
    parser.add_argument("--numba", action="store_true", help="a column for Numba")
    parser.add_argument("--own-random", action="store_true", help="Heddle draws its own numbers")
    parser.add_argument("--timeout", type=float, default=120, help="seconds for a process")
    parser.add_argument("--record", type=pathlib.Path, metavar="FILE", help="write the table there")
    parser.add_argument("--one", type=lambda t: t.split(","), help=argparse.SUPPRESS)
    return parser.parse_args()


def compile_package():
    """The package's modules as installers leave them: Python does not write them everywhere."""
    spec = importlib.util.find_spec("heddle")
    if spec is not None:
        compileall.compile_dir(pathlib.Path(spec.origin).parent, quiet=2)


def main():
    runner = test_runner()
    args = parse(runner)
    if args.one:
        print(json.dumps(turns(pathlib.Path(args.names[0]), *args.size, args.one,
                               args.own_random)))
        return 0
    args.numba = args.numba and numba_there()
    compile_package()
    everything = runner.programs()
    names = runner.chosen(everything, args.names, args.share, ())
    print(f"{'program':45}{'size':8}" + "".join(f"{c:>18}" for c in columns(args)))
    rows = []
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        running = [pool.submit(measure, runner, name, everything[name], size, args)
                   for size in args.size for name in names]
        for future in running:
            rows.append(future.result())
            print_row(rows[-1], args)
    print("", *means(rows, args), sep="\n")
    if args.record:
        write_markdown(rows, args)
    failed = [r for r in rows if r.failed]
    if failed:
        print(f"failed: {', '.join(f'{r.name} ({r.size})' for r in failed)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
