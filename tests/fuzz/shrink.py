# SPDX-License-Identifier: BSD-3-Clause
"""Makes a failing program of the window fuzzer small: drops steps as long as it still fails.

Every candidate runs in a forked child, so that a crash or a hang counts as a failure like any other, and so that no plan
of an earlier candidate is in the cache. If the program passes alone, the programs that ran before it in the same process
(whose plans it found in the cache) are tried with it.
"""

import os
import signal
import time
import zlib

import numpy as np

import window_fuzz
from steps import Expected, error_name, function_of

SECONDS = 90  # for the whole search
CHILD_SECONDS = 10  # for one candidate


def failure(programs, settings):
    """How a fresh process that runs these programs in order fails: 0 not at all, else one number for each kind of failure, so
    that a crash does not shrink to a wrong number."""
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
                if isinstance(cause, window_fuzz.Mismatch)
                else 2 + zlib.crc32(str(cause)[:20].encode()) % 200
            )
        except BaseException:
            os._exit(255)
        os._exit(0)
    return os.waitpid(child, 0)[1]


def replay(program, steps):
    """The program cut down to those steps of its first body, with NumPy's results; None if NumPy cannot run it."""
    e, expected, kept = {}, [], []
    old = program.bodies[0][1]
    with np.errstate(all="ignore"):
        for text, params in steps:
            try:
                if text[0] == "?":
                    expected.append(Expected(e[params[0]], old[params[2]].tolerance))
                    kept.append((text, (params[0], params[1], len(expected) - 1)))
                    continue
                function_of(text)(e, params, np, np)
            except Exception as error:
                if text[0] != "!" or error_name(error) != params[-1]:
                    return None
            else:
                if text[0] == "!":
                    return None
            kept.append((text, params))
    return window_fuzz.Program(([], []), [(kept, expected)], ([], []))


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


def shrink(programs, settings):
    """(programs, settings): the shortest list found that still fails, the last being the one that showed it; None if all
    pass now."""
    deadline = time.monotonic() + SECONDS
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
        if len(programs[k].bodies) > 1:
            continue

        def still_fails(steps, k=k):
            smaller = replay(programs[k], steps)
            return (
                smaller is not None
                and failure([*programs[:k], smaller, *programs[k + 1 :]], settings) == kind
            )

        steps = _drop(programs[k].bodies[0][0], still_fails, deadline)
        programs[k] = replay(programs[k], steps) or programs[k]
    return programs, settings
