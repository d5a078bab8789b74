# SPDX-License-Identifier: BSD-3-Clause
"""The step language of the window fuzzer: what a program is, how it runs, how it prints.

A program is a list of steps; a step is (text, params). In the text `$k` stands for the variable whose number is
params[k], `#k` for the literal params[k], `xp` for the module under test and `np` for NumPy itself:

    ("$0 = $1 + $2", (7, 3, 4))            v7 = v3 + v4
    ("$0[#1] += $0[#2]", (7, slice(0, 4), slice(2, 6)))

Four prefixes mean something else than running the text:
    "?$0"        compare the variable with what NumPy had; params are (variable, how, index into the expectations)
    "!..."       must raise; the last param is the name of NumPy's exception
    "~..."       run while holding the lock that the threads share
Each distinct text is compiled once, so that running a step costs little more than the operation in it.
"""

import re

import numpy as np

_compiled = {}
_ERRORS = {"ValueError", "IndexError", "TypeError", "OverflowError", "UFuncTypeError", "AxisError"}


def function_of(text):
    """The step's text as a function of (environment, params, xp, np)."""
    f = _compiled.get(text)
    if f is None:
        body = re.sub(r"\$(\d)", r"e[p[\1]]", text.lstrip("!~"))
        body = re.sub(r"#(\d)", r"p[\1]", body)
        scope = {}
        exec("def f(e, p, xp, np):\n    " + body, scope)
        f = _compiled[text] = scope["f"]
    return f


class Mismatch(Exception):
    """The module under test disagreed with NumPy at one step."""


class Expected:
    """What NumPy had at a check: everything that a user can see of the variable."""

    __slots__ = ("shape", "dtype", "strides", "exact", "value", "tolerance")

    def __init__(self, x, tolerance):
        self.tolerance = tolerance
        if type(x) in (float, int, bool, complex):
            self.shape, self.dtype, self.strides, self.value = None, type(x), None, x
            return
        self.shape, self.dtype = x.shape, x.dtype
        self.strides = [s for n, s in zip(x.shape, x.strides) if n > 1] if x.size else []
        self.value = x.tolist() if tolerance == 0 else np.array(x)

    def difference(self, x, how):
        """None, or a sentence; `how` picks one of the ways to read an array."""
        if self.shape is None:
            if type(x) is not self.dtype or abs(x - self.value) > self.tolerance:
                return f"expected {self.value!r}, got {x!r}"
            return None
        if x.shape != self.shape or x.dtype != self.dtype:
            return f"expected {self.dtype}{self.shape}, got {x.dtype}{x.shape}"
        if self.strides:
            strides = [s for n, s in zip(x.shape, x.strides) if n > 1]
            if strides != self.strides:
                return f"expected strides {self.strides}, got {strides}"
        if self.tolerance == 0:
            got = x.tolist() if how == 0 else np.array(x).tolist()
            if got == self.value or np.array_equal(
                got, self.value, equal_nan=self.dtype.kind in "fc"
            ):
                return None
            return f"expected {self.value}, got {got}"
        got = np.array(x)
        bad = ~(np.abs(got - self.value) <= self.tolerance)
        if not bad.any():
            return None
        return (
            f"expected {self.value.tolist()}, got {got.tolist()} (tolerance {self.tolerance:.3g})"
        )


def run_step(text, params, e, xp, expected, lock):
    """One step over the environment e; raises Mismatch where xp differs from what NumPy did."""
    first = text[0]
    if first == "?":
        reason = expected[params[2]].difference(e[params[0]], params[1])
        if reason:
            raise Mismatch(reason)
    elif first == "!":
        try:
            function_of(text)(e, params, xp, np)
        except Exception as error:
            name = type(error).__name__
            wanted = params[-1]
            if name != wanted and not any(c.__name__ == wanted for c in type(error).__mro__):
                raise Mismatch(f"expected {wanted}, got {name}: {error}") from error
        else:
            raise Mismatch(f"expected {params[-1]}, nothing was raised")
    elif first == "~":
        with lock:
            function_of(text)(e, params, xp, np)
    else:
        function_of(text)(e, params, xp, np)


def run_steps(steps, e, xp, expected, lock=None):
    """All steps; an exception is annotated with the step it came from."""
    for number, (text, params) in enumerate(steps):
        try:
            run_step(text, params, e, xp, expected, lock)
        except Exception as error:
            raise Mismatch(
                f"step {number} `{line_of(text, params)}`: {type(error).__name__}: {error}"
            ) from error


def is_error(error):
    """May a program contain a step that raises this?"""
    return type(error).__name__ in _ERRORS or type(error).__name__.startswith("_UFunc")


def error_name(error):
    name = type(error).__name__
    return "TypeError" if name.startswith("_UFunc") else name


# ---- printing -------------------------------------------------------------------------------------------------------


def name_of(variable):
    return f"v{variable}" if variable >= 0 else f"r{-variable}"


def _index_text(x):
    if isinstance(x, tuple):
        return ", ".join(_index_text(i) for i in x) + ("," if len(x) == 1 else "")
    if isinstance(x, slice):
        bound = ["" if b is None else repr(b) for b in (x.start, x.stop)]
        return ":".join(bound + ([] if x.step is None else [repr(x.step)]))
    return "..." if x is Ellipsis else repr(x)


def line_of(text, params):
    """The step as a line of Python."""
    line = re.sub(r"\$(\d)", lambda m: name_of(params[int(m[1])]), text.lstrip("!~"))
    line = re.sub(r"\[#(\d)\]", lambda m: f"[{_index_text(params[int(m[1])]) or '()'}]", line)
    line = re.sub(r"#(\d)", lambda m: repr(params[int(m[1])]), line)
    if text[0] == "?":
        return f"yield {line[1:]}"
    if text[0] == "!":
        return f"try: {line}\n    except {'Exception' if params[-1] == 'AxisError' else params[-1]}: pass"
    return line


SCRIPT = '''"""{title}"""
import os
os.environ.update({environment!r})
import numpy as np
import {module} as xp_under_test
{setup}

{functions}

def same(a, b):
    if np.shape(a) != np.shape(b) or np.asarray(a).dtype != np.asarray(b).dtype:
        return False
    return np.allclose(np.array(a), np.array(b), rtol=1e-9, atol={tolerance!r}, equal_nan=True)


for program in ({names},):
    for number, (want, got) in enumerate(zip(program(np), program(xp_under_test))):
        want = np.array(want)
        if not same(want, got):
            raise SystemExit(f"{{program.__name__}}, check {{number}}: NumPy has\\n{{want}}\\nwe have\\n{{np.array(got)}}")
print("no difference")
'''


def script_of(programs, module, title, setup="", environment=None, tolerance=1e-9):
    """Programs (lists of steps) as a script that shows the first difference."""
    functions, names = [], []
    for i, steps in enumerate(programs):
        body = "\n    ".join(line_of(*step) for step in steps)
        names.append(f"program_{i}")
        functions.append(f"def program_{i}(xp):\n    {body}\n    yield 0\n")
    return SCRIPT.format(
        title=title,
        module=module,
        setup=setup,
        functions="\n\n".join(functions),
        environment=environment or {},
        names=", ".join(names),
        tolerance=tolerance,
    )


def listing_of(steps):
    """Steps as text to be read."""
    return "\n".join(line_of(*step) for step in steps)
