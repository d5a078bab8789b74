# SPDX-License-Identifier: BSD-3-Clause
"""The window fuzzer: random programs over Heddle against NumPy. run.py starts it; this module makes
and runs programs.

Kinds of program: "one" (a single thread, some 25 statements over small arrays), "shared" (two
threads at once, over arrays of their own and a set that both only read, pending when they start),
"locked" (the same, and both add to one array while holding a lock), "long" (1,000 statements and
more), "large" (arrays of up to a million elements and lists of hundreds, sizes drawn around the
library's limits: sizes.py), "threads" (two to four of them, each long or large), "fork" (processes
that go on with the program from a fork in the middle)."""

import importlib
import os
import sys
import threading
from typing import NamedTuple

import numpy as np

import expressions
import forks
import loops
import rules
import rules_more
import sizes
from make import Maker, rng_of
from steps import Mismatch, function_of, run_steps

# Of each thousand numbers the first so many are programs of a kind, and so on. One in `every` of
# them is made: the others
# stand for the time that it takes.
SCHEDULE = (
    ("one", 200, 1),
    ("long", 200, 100),
    ("shared", 80, 1),
    ("large", 200, 100),
    ("locked", 40, 1),
    ("fork", 60, 20),
    ("one", 120, 1),
    ("threads", 100, 100),
)
KINDS = tuple(dict.fromkeys(kind for kind, _, _ in SCHEDULE))
CYCLE = sum(numbers for _, numbers, _ in SCHEDULE)


def kind_of(number):
    """The kind of program that has this number where all kinds are drawn, or None where no program
    has it."""
    at = number % CYCLE
    for kind, numbers, every in SCHEDULE:
        if at < numbers:
            return kind if at % every == 0 else None
        at -= numbers
    raise AssertionError("SCHEDULE has fewer than CYCLE numbers")


def numbered(first, count, kind):
    """The numbers of programs from first on."""
    return [k for k in range(first, first + count) if kind != "all" or kind_of(k) is not None]


def leave_out(names):
    """Takes rules (by name), expressions and loop bodies (by a part of their text) out of what is
    drawn, to look past a fault that is known."""
    rules.RULES[:] = [(w, f) for w, f in rules.RULES if f.__name__ not in names]
    for f in [f for f in rules_more.MORE if f.__name__ in names]:
        del rules_more.MORE[f]
    names = [name for name in names if name]
    for table in (expressions.EXPRESSIONS, loops.BODIES):
        table[:] = [row for row in table if not any(name in str(row) for name in names)]
    expressions.WEIGHTS[:] = [row[0] for row in expressions.EXPRESSIONS]


class Program:
    """prefix: steps run first, by one thread. bodies: one list of steps a thread. suffix: run after
    all have joined."""

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


class Profile(NamedTuple):
    """What a thread's part is drawn from: kind (of the weights of rules), statements, elements of
    its largest array (None: small arrays), live variables, weight of demands, elements that all
    its steps may touch, share of loops."""

    kind: str
    length: int
    largest: int | None = None
    live: int = 16
    looks: float = 4
    work: int = 1 << 62
    loops: float = 0.05


def profile_of(rng, kind):
    if kind == "long":
        length, live = rng.choice((1000, 1500, 2500)), rng.choice((8, 16, 60, 200))
        looks = rng.choice((0.05, 0.5, 2, 4))
        return Profile(kind, length, None, live, looks, 30_000_000, rng.choice((0, 0.02)))
    if kind == "large":
        largest = rng.choice((20_000, 100_000, 300_000, sizes.LARGEST))
        return Profile(kind, rng.choice((20, 40, 80)), largest, 12, rng.choice((1, 4)), 40_000_000, 0)
    if kind == "threads":
        part = profile_of(rng, rng.choice(("long", "large", "one")))
        return part._replace(kind=kind, length=min(part.length, 400), work=15_000_000)
    if kind == "fork":
        return Profile(kind, rng.choice((25, 60, 150)), rng.choice((None, None, 50_000)), work=10_000_000)
    return Profile(kind, rng.choice((8, 15, 25, 40)), loops=rng.choice((0, 0.05, 0.15)))


def _fill(m, profile):
    """Draws steps until the program is long enough."""
    rng = m.rng
    functions, weights = rules_more.drawn(profile.kind, profile.looks)
    for _ in range(rng.randint(1, 3)):
        rules.new(m)
    length = profile.length
    while length > 0 and m.work < profile.work:
        length -= 1
        if rng.random() < profile.loops:
            loops.loop(m)
            length -= 6
            continue
        rng.choices(functions, weights)[0](m)
        own = [i for i in m.vars if i > 0 and not m.vars[i].frozen]
        if len(own) > profile.live:
            m.delete(rng.choice(own))
        last = next(reversed(m.vars), None)
        if last is not None and last > 0 and (m.size(last) > m.cap or getattr(m.e[last], "ndim", 0) > 6):
            if m.vars[last].kind != "l":
                m.delete(last)
        if profile.length > 100 and len(m.vars) > 2 * profile.live + 20:   # views of windows, too
            for i in [i for i in m.vars if i > 0][: profile.live]:
                m.delete(i)
    m.check_all()


def one(rng, kind):
    profile = profile_of(rng, kind)
    m = Maker(rng, big=rng.random() < 0.012, largest=profile.largest)
    _fill(m, profile)
    return Program(([], []), [(m.steps, m.expected)], ([], []))


def several(rng, kind):
    """Threads' programs over common arrays r1..r3 and, in the locked kind, the sum r9."""
    locked = kind == "locked"
    prefix = Maker(rng)
    for i, (shape, char) in enumerate((((12,), "f8"), ((3, 4), "i8"), ((5,), "f4"))):
        rules.new(prefix, -1 - i, shape, char)
    for i in (-1, -2, -3):
        prefix.make("$0 = $0 * 2 + 1", (i,), (40.0, 0, 0.0))  # still pending when the threads start
    if locked:
        prefix.make("$0 = xp.zeros(20, dtype='i8')", (-9,), (0.0, 0, 0.0))
    common = [-1, -2, -3] + [-9] * locked
    bodies = []
    for thread in range(rng.randint(2, 4) if kind == "threads" else 2):
        profile = profile_of(rng, kind)._replace(loops=0.05)
        m = Maker(
            rng,
            first_id=100_000 * thread,
            env={i: prefix.e[i] for i in common},
            largest=profile.largest,
            threads=True,
        )
        for i in (-1, -2, -3):
            m.adopt(i, prefix.vars[i].root.value, "a", frozen=True)
        _fill(m, profile)
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
    """Program `number` of the seed; kind "all": of the kind that has this number."""
    rng = rng_of(seed, number)
    kind = kind_of(number) if kind == "all" else kind
    with np.errstate(all="ignore"):
        if kind in ("shared", "locked", "threads"):
            return several(rng, kind)
        return one(rng, kind)


def _run_bodies(program, e, xp):
    if len(program.bodies) == 1:
        run_steps(program.bodies[0][0], e, xp, program.bodies[0][1])
        return
    lock, failures, before = threading.Lock(), [], sys.getswitchinterval()

    def thread(steps, expected):
        failure = None
        try:
            run_steps(steps, dict(e), xp, expected, lock)
        except Mismatch as mismatch:
            failure = mismatch
            failures.append(mismatch)
        if forks.in_child():   # of a fork in this thread: the other threads are not here
            forks.join(failure)

    threads = [threading.Thread(target=thread, args=body) for body in program.bodies]
    sys.setswitchinterval(1e-5)
    try:
        for t in threads:
            t.start()
        for t in threads:
            t.join()
    finally:
        sys.setswitchinterval(before)
    if failures:
        raise failures[0]


def run_program(program, xp):
    """Runs the program; raises Mismatch at the first difference, in this process or in one that it
    forked."""
    e, failure = {}, None
    try:
        run_steps(program.prefix[0], e, xp, program.prefix[1])
        _run_bodies(program, e, xp)
        run_steps(program.suffix[0], e, xp, program.suffix[1])
    except Mismatch as mismatch:
        failure = mismatch
    of_child = forks.join(failure)
    if failure is None and of_child is not None:
        failure = Mismatch(f"in a child: {of_child}")
    if failure is not None:
        raise failure


class Settings(NamedTuple):
    """How programs are run: module, settings of fusion to run each one under, threads of kernels,
    kind of program, and environment variables that the module reads when it is imported."""

    module: str
    fusion: list
    threads: int
    kind: str
    environment: dict


def prepare(settings):
    """Imports the module under test and applies the settings; returns it and a function that
    switches fusion."""
    os.environ.update(settings.environment)
    if settings.module == "numpy":
        return np, lambda on: None
    xp = importlib.import_module(settings.module)
    xp.set_num_threads(settings.threads)


    def as_set(on):
        """As the settings say, whatever the program before has changed."""
        xp.set_fusion(on)
        xp.set_num_threads(settings.threads)

    return xp, as_set


def run_all(programs, settings):
    """Runs programs in order under each setting of fusion."""
    xp, set_fusion = prepare(settings)
    with np.errstate(all="ignore"):
        for program in programs:
            for on in settings.fusion:
                set_fusion(on)
                run_program(program, xp)
