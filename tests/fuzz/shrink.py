# SPDX-License-Identifier: BSD-3-Clause
"""Makes a failing program of the window fuzzer small: drops steps as long as it still fails.

Every candidate runs in a forked child, so that a crash or a hang counts as a failure like any
other, and so that no plan of an earlier candidate is in the cache. If the program passes alone, the
programs that ran before it in the same process (whose plans it found in the cache) are tried with
it."""

import os
import re
import signal
import time
import zlib

import numpy as np

import window_fuzz
from steps import Expected, error_name, function_of, watched

CHILD_SECONDS = 30  # for one candidate
TRIES = 3  # of a candidate with several threads


def failure(programs, settings):
    """How a fresh process that runs these programs in order fails: 0 not at all, else one number
    for each kind of failure, so that a crash does not shrink to a wrong number."""
    tries = TRIES if len(programs[-1].bodies) > 1 else 1
    return next((kind for kind in (_failure(programs, settings) for _ in range(tries)) if kind), 0)


def _failure(programs, settings):
    child = os.fork()
    if child == 0:
        signal.alarm(CHILD_SECONDS)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        try:
            window_fuzz.run_all(programs, settings)
        except window_fuzz.Mismatch as mismatch:
            cause = mismatch.__cause__
            os._exit(
                1
                if isinstance(cause, window_fuzz.Mismatch) or cause is None
                else 2 + zlib.crc32(str(cause)[:20].encode()) % 200
            )
        except BaseException:
            os._exit(255)
        os._exit(0)
    return os.waitpid(child, 0)[1]


def _leaves_memory(text, params, e):
    """Is this a view beyond the end of its array? It was none before steps were dropped, and NumPy
    does not look."""
    if ".as_strided($1, #2, #3)" not in text:
        return False
    x, shape, strides = e[params[1]], params[2], params[3]
    last = sum((n - 1) * step for n, step in zip(shape, strides, strict=True))
    return not x.flags.c_contiguous or min(strides) < 0 or last + x.itemsize > x.nbytes


def _replay_part(steps, old, e):
    """(steps, expected) of a part over the environment e, with NumPy's results; None if NumPy
    cannot run it."""
    expected, kept = [], []
    for text, params in steps:
        try:
            if _leaves_memory(text, params, e):
                return None
            if text[0] == "?":
                expected.append(Expected(e[params[0]], old[params[2]].tolerance))
                kept.append((text, (params[0], params[1], len(expected) - 1)))
                continue
            if text[0] == "^":
                mode = params[-1][0]
                params = (*params[:-1], (mode, watched(text, params, e, np, mode)))
            elif text[0] not in "*%":
                function_of(text)(e, params, np, np)
        except Exception as error:
            if text[0] != "!" or error_name(error) != params[-1]:
                return None
        else:
            if text[0] == "!":
                return None
        kept.append((text, params))
    return kept, expected


def replay(program, part, steps):
    """The program with its part of that number cut down to those steps: 0 what runs before the
    threads, 1 the first thread ... and last what runs after them. None if NumPy cannot run it."""
    parts, e, made = [p for _, p in program.parts()], {}, []
    parts[part] = (steps, parts[part][1])
    alone = len(program.bodies) == 1
    with np.errstate(all="ignore"):
        for k, (some, old) in enumerate(parts):
            inside = 0 < k < len(parts) - 1 and not alone
            made.append(_replay_part(some, old, dict(e) if inside else e))
            if made[-1] is None:
                return None
    return window_fuzz.Program(made[0], made[1:-1], made[-1])


def _drop(items, still_fails, deadline):
    """Delta debugging: the shortest list found from which nothing more can be dropped."""
    size = max(1, len(items) // 2)
    while True:
        dropped, at = False, 0
        while at < len(items):
            candidate = items[:at] + items[at + size :]
            if time.monotonic() > deadline:
                return items
            if still_fails(candidate):
                items, dropped = candidate, True
            else:
                at += size
        if size == 1 and not dropped:
            return items
        size = max(1, size // 2) if not dropped or size > 1 else 1


def _shorter(steps, program, settings):
    """What is worth a try before the search: nothing after the step that shows the difference, and
    no other checks."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        signal.alarm(CHILD_SECONDS)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        try:
            window_fuzz.run_all([program], settings)
        except BaseException as failure:
            os.write(write, str(failure).encode()[:100])
        os._exit(0)
    os.close(write)
    with open(read, "rb") as told:
        found = re.match(r"step (\d+)", told.read().decode(errors="replace"))
    os.waitpid(child, 0)
    last = int(found[1]) if found else len(steps) - 1
    if last < len(steps):
        yield steps[: last + 1]
        yield [step for step in steps[:last] if step[0] != "?$0"] + steps[last : last + 1]


def shrink(programs, settings, seconds):
    """(programs, settings): the shortest list found that still fails, the last being the one that
    showed it; None if all pass now."""
    deadline = time.monotonic() + seconds
    last = programs[-1]
    kind = failure([last], settings)
    if kind:
        programs = [last]
    else:
        kind = failure(programs, settings)
        if not kind:
            return None
        before = _drop(
            programs[:-1], lambda some: failure([*some, last], settings) == kind, deadline
        )
        programs = [*before, last]
    for only in ([True], [False]):
        if only != settings.fusion and failure(programs, settings._replace(fusion=only)) == kind:
            settings = settings._replace(fusion=only)
            break
    for k in reversed(range(len(programs))):
        for part in range(len(programs[k].bodies) + 2):

            def smaller(steps, k=k, part=part):
                return replay(programs[k], part, steps)

            def still_fails(steps, k=k, smaller=smaller):
                cut = smaller(steps)
                return (
                    cut is not None
                    and failure([*programs[:k], cut, *programs[k + 1 :]], settings) == kind
                )

            steps = programs[k].parts()[part][1][0]
            for shorter in _shorter(steps, programs[k], settings):
                if still_fails(shorter):
                    steps = shorter
            if steps:
                programs[k] = smaller(_drop(steps, still_fails, deadline)) or programs[k]
    return programs, settings
