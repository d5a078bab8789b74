# SPDX-License-Identifier: BSD-3-Clause
"""Compares what a program left behind with NumPy and with another module: values, dtypes, shapes,
printed text.

Integers, bools and texts must be equal. Floating point may differ by a tolerance times the largest
finite magnitude of the array; NaNs and infinities stand in the same places. The tolerance follows
from the dtype unless the program names another one: TOLERANCE = {"default": 1e-9, "u": 1e-6,
"printed": 1e-4}. Where values are rounding and nothing else (a residual that ought to be zero),
NOISE = {"residual": 1e-12} gives a difference that is allowed whatever the magnitude.
"""

import collections
import numbers
import re

import numpy

BY_BYTES = {2: 1e-2, 4: 1e-4}  # of one component; all others: PRECISE
PRECISE = 1e-10
NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
GENERATORS = (
    numpy.random.Generator,
    numpy.random.RandomState,
)  # draws.py has others in their place
SEQUENCES = (list, tuple, collections.deque)
MOST = 10  # differences told of one run


class Comparison:
    """Collects the differences between two runs of one program."""

    def __init__(self, module, tolerance, noise):
        self.module, self.tolerance, self.noise = module, tolerance, noise
        self.differences, self.compared, self.seen = [], 0, set()

    def note(self, where, text):
        if len(self.differences) < MOST:
            self.differences.append(f"{where}: {text}")
        elif len(self.differences) == MOST:
            self.differences.append("and more")

    # ---- names and containers --------------------------------------------------------------------

    def names(self, want, got):
        """The globals of the two runs."""
        for name in sorted(set(want) | set(got)):
            if name not in got:
                self.note(name, "is missing")
            elif name not in want:
                self.note(name, "NumPy's run has no such name")
            else:
                self.value(name, name, want[name], got[name])

    def value(self, name, where, want, got):
        """name is the variable, whose tolerance holds; where is the place in it."""
        if want is got or isinstance(want, GENERATORS) or (id(want), id(got)) in self.seen:
            return
        self.seen.add((id(want), id(got)))
        if self.is_array(want) or self.is_array(got) or isinstance(want, numbers.Number):
            self.array(name, where, want, got)
        elif isinstance(want, numpy.dtype):
            self.check(where, want == got, f"{got}, NumPy: {want}")
        elif type(want).__name__ != type(got).__name__:
            self.note(where, f"a {type(got).__name__}, NumPy: a {type(want).__name__}")
        elif isinstance(want, SEQUENCES):
            self.sequence(name, where, list(want), list(got))
        elif isinstance(
            want, dict
        ):  # by order, too, so that a key may be a number that differs a little
            self.sequence(name, f"keys of {where}", list(want), list(got))
            for (key, x), y in zip(want.items(), got.values(), strict=False):
                self.value(name, f"{where}[{key!r}]", x, y)
        elif isinstance(want, (set, frozenset)):
            self.sequence(name, where, sorted(want, key=repr), sorted(got, key=repr))
        elif isinstance(want, (str, bytes, bytearray, range, slice)):
            self.check(where, want == got, f"{got!r}, NumPy: {want!r}")
        elif type(want).__module__ == "__main__":
            self.instance(name, where, want, got)

    def sequence(self, name, where, want, got):
        if len(want) != len(got):
            self.note(where, f"{len(got)} elements, NumPy: {len(want)}")
        for i, (x, y) in enumerate(zip(want, got, strict=False)):
            self.value(name, f"{where}[{i}]", x, y)

    def instance(self, name, where, want, got):
        """An object of one of the program's own classes."""
        names = set(getattr(want, "__dict__", ())) | set(getattr(got, "__dict__", ()))
        for cls in type(want).__mro__:
            slots = getattr(cls, "__slots__", ())
            names |= {slots} if isinstance(slots, str) else set(slots)
        for attribute in sorted(names):
            have = [hasattr(x, attribute) for x in (want, got)]
            if all(have):
                self.value(
                    name, f"{where}.{attribute}", getattr(want, attribute), getattr(got, attribute)
                )
            else:
                self.check(
                    f"{where}.{attribute}", have[0] == have[1], "only one of the runs has it"
                )

    def check(self, where, holds, text):
        self.compared += 1
        if not holds:
            self.note(where, text)

    # ---- numbers ---------------------------------------------------------------------------------

    def is_array(self, x):
        return isinstance(x, (numpy.ndarray, numpy.generic, self.module.ndarray))

    def on_host(self, x):
        """x as NumPy's array."""
        if isinstance(x, numpy.ndarray) or not isinstance(x, self.module.ndarray):
            return numpy.asarray(x)
        return self.module.asnumpy(x)

    def array(self, name, where, want, got):
        if not self.is_array(got) and not isinstance(got, numbers.Number):
            return self.note(where, f"a {type(got).__name__}, NumPy: {want!r:.200}")
        if (
            not isinstance(got, self.module.ndarray)
            and isinstance(got, numpy.ndarray)
            and got.dtype.kind in "biufc"
        ):
            return self.note(where, "NumPy's array, not one of the module under test")
        if isinstance(want, numpy.ndarray) and not self.is_array(got):
            return self.note(where, f"a {type(got).__name__}, NumPy: an array")
        try:  # what was recorded may fail only now
            want, got = self.on_host(want), self.on_host(got)
        except Exception as e:
            return self.note(where, f"reading it: {type(e).__name__} {e}")
        if want.shape != got.shape:
            return self.note(where, f"shape {got.shape}, NumPy: {want.shape}")
        if (want.dtype.kind, want.dtype.itemsize) != (got.dtype.kind, got.dtype.itemsize):
            return self.note(where, f"dtype {got.dtype}, NumPy: {want.dtype}")
        if want.dtype.kind in "fc":
            wrong, text = self.close(name, want, got)
        else:
            wrong, text = numpy.asarray(want != got), ""
        self.compared += 1
        if wrong.any():
            at = tuple(int(i) for i in numpy.argwhere(wrong)[0])
            self.note(
                f"{where}{list(at) if at else ''}",
                f"{got[at]!r}, NumPy: {want[at]!r} ({wrong.sum()} of {want.size} differ{text})",
            )
        return None

    def close(self, name, want, got):
        """Where they differ, and a text about how much."""
        bytes_each = want.dtype.itemsize // (2 if want.dtype.kind == "c" else 1)
        relative = self.tolerance.get(
            name, self.tolerance.get("default", BY_BYTES.get(bytes_each, PRECISE))
        )
        if bytes_each < 8:
            want, got = (x.astype("c16" if want.dtype.kind == "c" else "f8") for x in (want, got))
        wrong, worst = numpy.zeros(want.shape, bool), 0.0
        for x, y in (
            [(want.real, got.real), (want.imag, got.imag)]
            if want.dtype.kind == "c"
            else [(want, got)]
        ):
            finite = numpy.isfinite(x) & numpy.isfinite(y)
            with numpy.errstate(all="ignore"):
                distance = numpy.where(finite, abs(x - y), 0)
            largest = max((abs(z[finite]).max(initial=0) for z in (want, got)), default=0)
            wrong |= ~finite & ~((x == y) | (numpy.isnan(x) & numpy.isnan(y)))
            wrong |= distance > max(relative * largest, self.noise.get(name, 0))
            worst = max(worst, distance.max(initial=0))
        return wrong, f" by up to {worst:.3g}, {relative:g} of the largest is allowed"

    # ---- text ------------------------------------------------------------------------------------

    def text(self, want, got):
        """Printed text: the same words, but numbers that are not integers within the tolerance."""
        relative = self.tolerance.get("printed", self.tolerance.get("default", PRECISE))
        for number, (x, y) in enumerate(zip(want.splitlines(), got.splitlines(), strict=False), 1):
            self.check(
                f"line {number} printed",
                x == y or self.same_line(x, y, relative),
                f"{y!r}, NumPy: {x!r}",
            )
        lines = [len(t.splitlines()) for t in (want, got)]
        self.check("printed", lines[0] == lines[1], f"{lines[1]} lines, NumPy: {lines[0]}")

    def same_line(self, want, got, relative):
        if squeezed(NUMBER.sub(" # ", want)) != squeezed(NUMBER.sub(" # ", got)):
            return False
        return all(
            self.same_number(x, y, relative)
            for x, y in zip(NUMBER.findall(want), NUMBER.findall(got), strict=True)
        )

    def same_number(self, want, got, relative):
        if want == got:
            return True
        if want.lstrip("+-").isdigit() or got.lstrip("+-").isdigit():
            return False
        x, y = float(want), float(got)
        return abs(x - y) <= max(relative * max(abs(x), abs(y)), self.noise.get("printed", 0))


def squeezed(text):
    return " ".join(text.split())
