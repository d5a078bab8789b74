# SPDX-License-Identifier: BSD-3-Clause
"""The step language of the window fuzzer: what a program is, how it runs, how it prints.

A program is a list of steps; a step is (text, params). In the text `$k` stands for the variable
whose number is
params[k], `#k` for the literal params[k], `xp` for the module under test and `np` for NumPy itself:

    ("$0 = $1 + $2", (7, 3, 4))            v7 = v3 + v4
    ("$0[#1] += $0[#2]", (7, slice(0, 4), slice(2, 6)))

Prefixes mean something else than running the text:
    "?$0"        compare the variable with what NumPy had; params are (variable, how, index into the
    expectations)
    "!..."       must raise; the last param is the name of NumPy's exception
    "~..."       run while holding the lock that the threads share
    "^..."       run while floating-point faults are watched; the last param is (mode of errstate,
    what NumPy tells)
    "*..."       run by the module under test only: NumPy has no such function
    "%fork"      the process forks: both go on with the rest of the program and compare
Each distinct text is compiled once, so that running a step costs little more than the operation in
it.
"""

import re
import warnings

import numpy as np

import forks

_compiled = {}
_ERRORS = {
    "ValueError",
    "IndexError",
    "TypeError",
    "OverflowError",
    "UFuncTypeError",
    "AxisError",
    "FloatingPointError",
    "MemoryError",
    "_ArrayMemoryError",
}
PRINTED = 200   # elements of an array that a message shows whole


def function_of(text):
    """The step's text as a function of (environment, params, xp, np)."""
    f = _compiled.get(text)
    if f is None:
        body = re.sub(r"\$(\d)", r"e[p[\1]]", text.lstrip("!~^*"))
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
        self.shape, self.strides = None, None
        if type(x) is list:
            self.dtype, self.value = list, [Expected(item, tolerance) for item in x]
            return
        if type(x) in (float, int, bool, complex):
            self.dtype, self.value = type(x), x
            return
        self.shape, self.dtype = x.shape, x.dtype
        self.strides = [s for n, s in zip(x.shape, x.strides) if n > 1] if x.size else []
        self.value = x.tolist() if tolerance == 0 and x.size <= PRINTED else np.array(x)

    def difference(self, x, how):
        """None, or a sentence; `how` picks one of the ways to read an array."""
        if self.dtype is list:
            if len(x) != len(self.value):
                return f"expected {len(self.value)} arrays, got {len(x)}"
            found = ((k, e.difference(item, how)) for k, (e, item) in enumerate(zip(self.value, x)))
            return next((f"item {k}: {reason}" for k, reason in found if reason), None)
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
        if type(self.value) is np.ndarray:
            return self._difference_of_arrays(np.array(x))
        got = x.tolist() if how == 0 else np.array(x).tolist()
        if got == self.value or np.array_equal(got, self.value, equal_nan=self.dtype.kind in "fc"):
            return None
        return f"expected {self.value}, got {got}"

    def _difference_of_arrays(self, got):
        bad = (got != self.value) & ((got == got) | (self.value == self.value))   # nan is nan
        if self.tolerance > 0:
            with np.errstate(invalid="ignore"):
                bad &= ~(np.abs(got - self.value) <= self.tolerance)
        if not bad.any():
            return None
        beside = f" (tolerance {self.tolerance:.3g})" if self.tolerance else ""
        if got.size <= PRINTED:
            return f"expected {self.value.tolist()}, got {got.tolist()}{beside}"
        first = tuple(int(k[0]) for k in np.nonzero(bad))
        return (
            f"{int(bad.sum())} of {got.size} elements differ: expected {self.value[first]!r} at {first},"
            f" got {got[first]!r}{beside}"
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
    elif first == "^":
        mode, wanted = params[-1]
        told = watched(text, params, e, xp, mode)
        if told != wanted:
            raise Mismatch(f"errstate({mode!r}) tells {told}, NumPy {wanted}")
    elif first == "*":
        if xp is not np:
            function_of(text)(e, params, xp, np)
    elif first == "%":
        if xp is not np:
            forks.fork()
    else:
        function_of(text)(e, params, xp, np)


def watched(text, params, e, xp, mode):
    """Runs the step under errstate(all=mode); returns what it tells, as a sorted tuple."""
    told = set()
    if mode == "call":
        with xp.errstate(all="call", call=lambda kind, flags: told.add(kind)):
            function_of(text)(e, params, xp, np)
    else:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            with xp.errstate(all="warn"):
                function_of(text)(e, params, xp, np)
        told = {f"{w.category.__name__}: {str(w.message).split(' encountered')[0]}" for w in caught}
    return tuple(sorted(told))


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
    if name == "_ArrayMemoryError":
        return "MemoryError"
    return "TypeError" if name.startswith("_UFunc") else name


# ---- one step as text
# -------------------------------------------------------------------------------------------------------


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
    line = re.sub(r"\$(\d)", lambda m: name_of(params[int(m[1])]), text.lstrip("!~^*%"))
    line = re.sub(r"\[#(\d)\]", lambda m: f"[{_index_text(params[int(m[1])]) or '()'}]", line)
    line = re.sub(r"#(\d)", lambda m: repr(params[int(m[1])]), line)
    if text[0] == "?":
        return f"yield {line[1:]}"
    if text[0] == "%":
        return "fork(xp)"
    if text[0] == "*":
        return "if xp is not np:\n        " + line.replace("\n", "\n    ")
    if text[0] == "^":
        mode = params[-1][0]
        watch = "all='warn'" if mode == "warn" else "all='call', call=lambda *told: print(xp.__name__, told)"
        return f"with xp.errstate({watch}): {line}"
    if text[0] == "!":
        return f"try:\n        {line}\n    except {'Exception' if params[-1] == 'AxisError' else params[-1]}: pass"
    return line


def listing_of(steps):
    """Steps as text to be read."""
    return "\n".join(line_of(*step) for step in steps)
