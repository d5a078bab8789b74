# SPDX-License-Identifier: BSD-3-Clause
"""The window fuzzer: random programs over Heddle against NumPy. run.py starts it; this module makes and runs programs.

Kinds of program: "one" (a single thread), "shared" (two threads at once, over arrays of their own and a set that both
only read, pending when they start) and "locked" (the same, and both add to one array while holding a lock).
"""

import importlib
import os
import sys
import threading
from typing import NamedTuple

import numpy as np

import expressions
import loops
import rules
from make import Maker, rng_of
from steps import Mismatch, function_of, run_steps

FUNCTIONS, WEIGHTS = [f for _, f in rules.RULES], [w for w, _ in rules.RULES]
KINDS = ("one", "shared", "locked")


def leave_out(names):
    """Takes rules (by name), expressions and loop bodies (by a part of their text) out of what is drawn, to look past a
    fault that is known."""
    kept = [(w, f) for w, f in rules.RULES if f.__name__ not in names]
    WEIGHTS[:], FUNCTIONS[:] = [w for w, _ in kept], [f for _, f in kept]
    names = [name for name in names if name]
    for table in (expressions.EXPRESSIONS, loops.BODIES):
        table[:] = [row for row in table if not any(name in str(row) for name in names)]
    expressions.WEIGHTS[:] = [row[0] for row in expressions.EXPRESSIONS]


class Program:
    """prefix: steps run first, by one thread. bodies: one list of steps a thread. suffix: run after all have joined."""

    def __init__(self, prefix, bodies, suffix):
        self.prefix, self.bodies, self.suffix = prefix, bodies, suffix  # (steps, expected) each

    def all_steps(self):
        """Everything one after another, for printing."""
        return self.prefix[0] + [s for steps, _ in self.bodies for s in steps] + self.suffix[0]

    def parts(self):
        """(name, part) in the order in which they run."""
        bodies = ((f"thread {k}", body) for k, body in enumerate(self.bodies))
        return [("before", self.prefix), *bodies, ("after", self.suffix)]

    def alone(self):
        """Each thread's part as a program of one thread."""
        return [Program(([], []), [(self.prefix[0] + s, e)], ([], [])) for s, e in self.bodies]


def _fill(m, loops_share):
    """Draws steps until the program is long enough."""
    rng = m.rng
    for _ in range(rng.randint(1, 3)):
        rules.new(m)
    length = rng.choice((8, 15, 25, 40))
    while length > 0:
        length -= 1
        if rng.random() < loops_share:
            loops.loop(m)
            length -= 6
            continue
        rng.choices(FUNCTIONS, WEIGHTS)[0](m)
        own = [i for i in m.vars if i > 0 and not m.vars[i].frozen]
        if len(own) > 16:
            m.delete(rng.choice(own))
    m.check_all()


def one(rng):
    m = Maker(rng, big=rng.random() < 0.012)
    _fill(m, rng.choice((0, 0.05, 0.15)))
    return Program(([], []), [(m.steps, m.expected)], ([], []))


def several(rng, locked):
    """Two threads' programs over common arrays r1..r3 and, in the locked kind, the sum r9."""
    prefix = Maker(rng)
    for i, (shape, char) in enumerate((((12,), "f8"), ((3, 4), "i8"), ((5,), "f4"))):
        rules.new(prefix, -1 - i, shape, char)
    for i in (-1, -2, -3):
        prefix.make("$0 = $0 * 2 + 1", (i,), (40.0, 0, 0.0))  # still pending when the threads start
    if locked:
        prefix.make("$0 = xp.zeros(20, dtype='i8')", (-9,), (0.0, 0, 0.0))
    common = [-1, -2, -3] + [-9] * locked
    bodies = []
    for thread in range(2):
        m = Maker(rng, first_id=1000 * thread, env={i: prefix.e[i] for i in common})
        for i in (-1, -2, -3):
            m.adopt(i, prefix.vars[i].root.value, "a", frozen=True)
        _fill(m, 0.05)
        if locked:
            m.steps = _with_sums(m)
        bodies.append((m.steps, m.expected))
    if locked:
        prefix.adopt(-9, (2.0**63, 0, 0.0), "a")
    last = Maker(rng, env=prefix.e)
    last.vars = prefix.vars
    last.check_all()
    return Program((prefix.steps, prefix.expected), bodies, (last.steps, last.expected))


def _with_sums(m):
    """The thread's steps with additions to r9 strewn in; they commute, so only the end is compared."""
    steps = []
    for step in m.steps:
        steps.append(step)
        if m.rng.random() < 0.3:
            k = m.rng.randint(1, 20)
            text, params = m.rng.choice(
                (
                    ("~$0[#1] += #2", (-9, m.slice_of(20, k), m.rng.randint(1, 9))),
                    ("~$0[:12] += $1.astype('i8')", (-9, -1)),
                    ("~$0[#1] += $0[#1].size", (-9, m.slice_of(20, k))),
                    ("~int($0[#1])", (-9, m.rng.randrange(20))),
                )
            )
            function_of(text)(m.e, params, np, np)
            steps.append((text, params))
    return steps


def program_of(seed, number, kind):
    """Program `number` of the seed."""
    rng = rng_of(seed, number)
    with np.errstate(all="ignore"):
        if kind == "one":
            return one(rng)
        return several(rng, kind == "locked")


def run_program(program, xp):
    """Runs the program; raises Mismatch at the first difference."""
    e = {}
    run_steps(program.prefix[0], e, xp, program.prefix[1])
    if len(program.bodies) == 1:
        run_steps(program.bodies[0][0], e, xp, program.bodies[0][1])
    else:
        lock, failures = threading.Lock(), []

        def thread(steps, expected):
            try:
                run_steps(steps, dict(e), xp, expected, lock)
            except Mismatch as failure:
                failures.append(failure)

        threads = [threading.Thread(target=thread, args=body) for body in program.bodies]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        if failures:
            raise failures[0]
    run_steps(program.suffix[0], e, xp, program.suffix[1])


class Settings(NamedTuple):
    """How programs are run: module, settings of fusion to run each one under, threads of kernels, kind of program, and
    environment variables that the module reads when it is imported."""

    module: str
    fusion: list
    threads: int
    kind: str
    environment: dict


def prepare(settings):
    """Imports the module under test and applies the settings; returns it and a function that switches fusion."""
    os.environ.update(settings.environment)
    if settings.kind != "one":
        sys.setswitchinterval(1e-5)
    if settings.module == "numpy":
        return np, lambda on: None
    xp = importlib.import_module(settings.module)
    xp.set_num_threads(settings.threads)
    return xp, xp.set_fusion


def run_all(programs, settings):
    """Runs programs in order under each setting of fusion."""
    xp, set_fusion = prepare(settings)
    with np.errstate(all="ignore"):
        for program in programs:
            for on in settings.fusion:
                set_fusion(on)
                run_program(program, xp)
