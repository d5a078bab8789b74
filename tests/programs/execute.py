# SPDX-License-Identifier: BSD-3-Clause
"""Runs one program in this process, first with NumPy and then with the module under test:
`execute.py PROGRAM MODULE SIZE...`.

run.py starts it. Each line of its output is JSON: what is about to run, and what came of it.
"""

import argparse
import ast
import contextlib
import faulthandler
import importlib
import io
import json
import os
import pathlib
import random
import sys
import time
import types
import warnings

import numpy

from compare import Comparison
from draws import numpy_draws

SIZES = ("tiny", "medium", "large")


class Imports(ast.NodeTransformer):
    """`import numpy as np` becomes `import heddle as np`, and the same with NumPy's submodules."""

    def __init__(self, module):
        self.module = module

    def renamed(self, name):
        return (
            self.module + name[len("numpy") :]
            if name == "numpy" or name.startswith("numpy.")
            else name
        )

    def visit_Import(self, node):
        for alias in node.names:
            if alias.name == "numpy":
                alias.asname = alias.asname or "numpy"
            alias.name = self.renamed(alias.name)
        return node

    def visit_ImportFrom(self, node):
        node.module = self.renamed(node.module or "")
        return node


class Run:
    """What a program left behind: globals, printed text, the exception that ended it, seconds."""

    def __init__(self, path, name, size):
        tree = Imports(name).visit(ast.parse(path.read_text(), str(path)))
        code = compile(tree, str(path), "exec")
        module = importlib.import_module(name)
        scope = {"__name__": "__main__", "__file__": str(path), "SIZE": size}
        printed, self.error, self.text = io.StringIO(), "", ""
        random.seed(1)
        numpy.random.seed(1)
        with (
            contextlib.redirect_stdout(printed),
            numpy_draws(module),
            module.errstate(),
            module.printoptions(),
        ):
            start = time.perf_counter()
            try:
                exec(code, scope)
                if name != "numpy":  # what it left to do may fail as well
                    module.synchronize()
            except (Exception, SystemExit) as e:
                self.error = type(e).__name__
                # not e itself: its frames hold the program's arrays
                frame = e.__traceback__.tb_next
                self.text = f"{e} (line {frame.tb_lineno if frame else 0})"
            self.seconds = time.perf_counter() - start
        self.printed = printed.getvalue()
        self.globals = {k: v for k, v in scope.items() if not k.startswith("_") and not is_code(v)}


def is_code(x):
    """Is it a module, a class or a function, no result?"""
    return isinstance(x, types.ModuleType) or callable(x) and type(x).__module__ != "__main__"


def faults_of(run):
    """What is wrong with the program itself, whatever the other module does."""
    if set(run.globals.get("SIZES", ())) != set(SIZES):
        yield f"SIZES must have {', '.join(SIZES)}"
    expected = run.globals.get("RAISES", "")
    if run.error != expected:
        ending = f"{run.error or 'no exception'} {run.text}"
        yield f"with NumPy it ends with {ending}, its RAISES says {expected!r}"


def differences(want, got, module):
    """Texts, and how many values were compared."""
    comparison = Comparison(
        module, want.globals.get("TOLERANCE", {}), want.globals.get("NOISE", {})
    )
    if want.error != got.error:
        comparison.note(
            "the end",
            f"{got.error or 'no exception'} {got.text}, NumPy: {want.error or 'no exception'}",
        )
    comparison.names(want.globals, got.globals)
    comparison.text(want.printed, got.printed)
    return comparison.differences, comparison.compared


def compare_at(path, name, size, say):
    say(begins="NumPy", size=size)
    want = Run(path, "numpy", size)
    faults = list(faults_of(want))
    if faults:
        return say(size=size, differences=faults, seconds=[want.seconds, 0])
    say(begins=name, size=size)
    got = Run(path, name, size)
    say(begins=f"the comparison with {name}", size=size)
    texts, compared = differences(want, got, importlib.import_module(name))
    if compared < 3:
        texts.append("it leaves less than three values to compare")
    return say(size=size, differences=texts, seconds=[want.seconds, got.seconds])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("module")
    parser.add_argument("sizes", nargs="+")
    parser.add_argument("--timeout", type=float, default=60)
    args = parser.parse_args()
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what is printed past sys.stdout is no report

    def say(**report):
        print(json.dumps(report), file=out, flush=True)

    warnings.simplefilter("ignore")
    faulthandler.enable()
    for size in args.sizes:
        faulthandler.dump_traceback_later(args.timeout, exit=True)
        compare_at(args.program, args.module, size, say)
    faulthandler.cancel_dump_traceback_later()


if __name__ == "__main__":
    sys.exit(main())
