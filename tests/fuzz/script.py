# SPDX-License-Identifier: BSD-3-Clause
"""A fuzzed program printed as a script of its own that shows the difference."""

from steps import line_of, name_of

HEAD = '''"""{title}"""
import os
import sys
import threading
os.environ.update({environment!r})
import numpy as np
import {module} as xp_under_test
{setup}
CHILDREN, LOCK = [], threading.Lock()


def fork(xp):
    """The child goes on with the rest, as the parent does."""
    if xp is not np:
        CHILDREN.append(os.fork())
        if CHILDREN[-1] == 0:
            CHILDREN.clear()


def same(a, b):
    if type(a) is list:
        return len(a) == len(b) and all(map(same, a, b))
    if np.shape(a) != np.shape(b) or np.asarray(a).dtype != np.asarray(b).dtype:
        return False
    return np.allclose(np.array(a), np.array(b), rtol=1e-9, atol={tolerance!r}, equal_nan=True)


def copied(x):
    return [np.array(item) for item in x] if type(x) is list else np.array(x)


def compare(name, wanted, steps):
    """wanted: what NumPy had at each `yield`. The first difference ends the process."""
    for number, got in enumerate(steps):
        if not same(wanted[number], got):
            print(f"{{name}}, check {{number}}: NumPy has\\n{{wanted[number]}}\\nwe have\\n{{got!r}}", flush=True)
            os._exit(1)


def end():
    failed = [child for child in CHILDREN if os.waitpid(child, 0)[1]]
    print(f"{{len(failed)}} children failed" if failed else "no difference", flush=True)
    sys.exit(1 if failed else 0)

'''

ONE = '''
def {name}(xp):
    {body}


np.seterr(all="ignore")
compare("{name}", [copied(x) for x in {name}(np)], {name}(xp_under_test))
'''

SEVERAL = '''
def before(xp):
    {before}
    {shared_back}


{threads}
def after(xp{shared}):
    {after}


np.seterr(all="ignore")
shared = before(np)
wanted = [[copied(x) for x in body(np, *shared)] for body in ({names},)]
wanted.append([copied(x) for x in after(np, *shared)])
shared = before(xp_under_test)
threads = [threading.Thread(target=compare, args=(body.__name__, want, body(xp_under_test, *shared)))
           for body, want in zip(({names},), wanted)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
compare("after", wanted[-1], after(xp_under_test, *shared))
'''


def _lines(steps, last="yield 0"):
    """The steps as the body of a function that yields what is checked."""
    lines = [
        f"with LOCK: {line_of(*step)}" if step[0][0] == "~" else line_of(*step) for step in steps
    ]
    return "\n    ".join([*lines, last] if last else lines or ["pass"])


def _several(program):
    common = sorted({p for text, params in program.prefix[0] for p in params[:1]}, reverse=True)
    shared = "".join(f", {name_of(i)}" for i in common)
    threads = [
        f"def thread_{k}(xp{shared}):\n    {_lines(steps)}\n\n\n"
        for k, (steps, _) in enumerate(program.bodies)
    ]
    return SEVERAL.format(
        before=_lines([s for s in program.prefix[0] if s[0][0] != "?"], None),
        shared_back=f"return ({shared[2:]}{',' if common else ''})",
        shared=shared,
        threads="".join(threads),
        after=_lines(program.suffix[0]),
        names=", ".join(f"thread_{k}" for k in range(len(program.bodies))),
    )


def script_of(programs, module, title, setup="", environment=None, tolerance=1e-9):
    """Programs as a script that shows the first difference."""
    parts = []
    for k, program in enumerate(programs):
        if len(program.bodies) > 1:
            parts.append(_several(program))
        else:
            parts.append(ONE.format(name=f"program_{k}", body=_lines(program.all_steps())))
    head = HEAD.format(
        title=title,
        module=module,
        setup=setup,
        environment=environment or {},
        tolerance=tolerance,
    )
    return head + "\n".join(parts) + "\nend()\n"
