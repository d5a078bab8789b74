# SPDX-License-Identifier: BSD-3-Clause
"""Random programs for the window fuzzer: the bookkeeping. rules*.py and loops.py have what is
drawn.

A program is made by running it under NumPy: each rule picks live variables that fit, adds a step,
and notes what is known of the numbers (values.py). A step that NumPy refuses is taken back, or kept
as one that must fail."""

import random

import numpy as np

import sizes
import values
from steps import Expected, error_name, function_of, is_error

DTYPES = ("f8", "f8", "f8", "f8", "f8", "f4", "f2", "i4", "i8", "i8", "u1", "?", "c16")


class Var:
    """kind: 'a' array of the module under test, 's' its scalar, 'n' array of NumPy itself, 'p'
    Python number, 'l' list of arrays of one shape and dtype."""

    __slots__ = ("root", "kind", "frozen")

    def __init__(self, root, kind, frozen=False):
        self.root, self.kind, self.frozen = root, kind, frozen


class Root:
    """What is known of the numbers in one piece of memory. `punned`: it is read through several
    dtypes."""

    __slots__ = ("value", "owner", "punned")

    def __init__(self, value, owner):
        self.value, self.owner, self.punned = value, owner, False


def owner_of(x):
    return x if getattr(x, "base", None) is None else x.base


def fits(shape, into):
    """Does `shape` broadcast to `into`?"""
    if shape == into:
        return True
    if len(shape) > len(into):
        return False
    k = len(into) - len(shape)
    return all(n == 1 or n == into[i + k] for i, n in enumerate(shape))


def joins(a, b):
    """Do the shapes broadcast together?"""
    return a == b or all(m == n or m == 1 or n == 1 for m, n in zip(reversed(a), reversed(b)))


def covers(text):
    """Does the step write all elements of the variable it writes to?"""
    return "[#" not in text and (not text.startswith("$0[") or text.startswith("$0[...]"))


class Maker:
    """largest: None for small arrays, else how many elements the largest may have. cap: no result
    is larger; work: elements that the steps so far have touched."""

    def __init__(self, rng, first_id=0, env=None, big=False, largest=None, threads=False):
        self.rng, self.next_id = rng, first_id
        self.e = {} if env is None else env
        self.vars, self.steps, self.expected = {}, [], []
        self.shapes = self._shapes(big) if largest is None else sizes.shapes(rng, largest)
        self.cap = 1 << 14 if largest is None else 2 * max(largest, 1 << 13)
        self.work, self.kept, self.threads = 0, 0, threads
        self.dtypes = [rng.choice(DTYPES) for _ in range(rng.choice((1, 1, 2, 3)))]

    def _shapes(self, big):
        rng = self.rng
        if big:
            r, c = rng.randint(20, 60), rng.randint(20, 60)
            return [(r * c,), (r, c), (r, c), (c,), (r, 1)]
        r, c = rng.choice((1, 2, 3, 3, 4, 5)), rng.choice((1, 2, 3, 4, 4, 6, 7))
        if rng.random() < 0.03:
            r = 0
        n = rng.choice((1, 2, 5, 8, 12, 16, 31))
        shapes = [(n,), (n,), (r, c), (r, c), (c,), (r, 1), (r * c,), (c, r), (), (2, r, c)]
        return shapes[: rng.randint(2, 10)]

    # ---- variables
    # ---------------------------------------------------------------------------------------------------

    def fresh(self):
        self.next_id += 1
        return self.next_id

    def adopt(self, i, value=None, kind=None, root=None, frozen=False):
        """Notes the variable i that a step has just made."""
        x = self.e[i]
        if kind is None:
            kind = (
                "a"
                if isinstance(x, np.ndarray)
                else "p"
                if type(x) in (float, int, bool, complex)
                else "s"
            )
        if root is None:
            root = Root(value, owner_of(x))
        self.vars[i] = Var(root, kind, frozen)
        return i

    def forget(self, i):
        self.vars.pop(i, None)
        self.e.pop(i, None)

    def arrays(self, kinds="a"):
        return [i for i, v in self.vars.items() if v.kind in kinds]

    def pick(self, kinds="a", test=None):
        """A live variable, or None."""
        found = [
            i for i, v in self.vars.items() if v.kind in kinds and (test is None or test(self.e[i]))
        ]
        return self.rng.choice(found) if found else None

    def target(self, test=None):
        """A live array that may be written."""
        found = [
            i
            for i, v in self.vars.items()
            if v.kind == "a"
            and not v.frozen
            and self.e[i].flags.writeable
            and (test is None or test(self.e[i]))
        ]
        return self.rng.choice(found) if found else None

    def mate(self, shape, rule=joins, kinds="as"):
        """A live variable whose shape suits `shape`."""
        e = self.e
        found = [
            i
            for i, v in self.vars.items()
            if v.kind in kinds and rule(getattr(e[i], "shape", ()), shape)
        ]
        return self.rng.choice(found) if found else None

    # ---- numbers
    # -----------------------------------------------------------------------------------------------------

    def value(self, i):
        """What is known of variable i's numbers; measured where the bound has grown beyond use."""
        root = self.vars[i].root
        b, f, err = root.value
        if (b < 1e6 and not root.punned) or err:
            return root.value
        x = self.e[i]
        if type(x) is list:
            tops = [np.abs(item).max() for item in x if item.size]
            return float(max(tops, default=0.0)) * 1.5, f, err
        if type(x) in (float, int, bool, complex):
            return abs(x), f, err
        if x.size == 0:
            return 0.0, f, err
        if x.dtype.kind == "c":
            top = max(np.abs(x.real).max(), np.abs(x.imag).max()) * 1.5
        else:
            top = max(abs(float(x.max())), abs(float(x.min())))
        measured = (float(top), f, err)
        if x.size == root.owner.size and not root.punned:
            root.value = measured
        return measured

    def storable(self, i, value, source_char):
        """value once it is written to variable i, or None if that is not comparable (or undefined
        in C)."""
        dtype = self.e[i].dtype
        if source_char in "FD" and dtype.kind != "c":
            return None
        if dtype.kind in "iub" and source_char in "efd":
            top = 2.0**15 if source_char == "e" else 2.0**30   # float16 holds more as inf
            if value[2] or dtype.kind == "u" or value[0] >= top:
                return None
            return min(value[0], values.INTEGER_MAX[dtype.char]), 0, 0.0
        if values.is_known(source_char):
            value = values.settle(source_char, value)  # the numbers were rounded to this type first
        return value and values.settle(dtype.char, value)

    def stored(self, i, value, covers):
        """Notes a write of such numbers through variable i, to all of it or to a part."""
        root, x = self.vars[i].root, self.e[i]
        if covers and x.size == root.owner.size and not root.punned:
            root.value = value
        else:
            root.value = values.either(root.value, value)

    # ---- steps
    # -------------------------------------------------------------------------------------------------------

    def size(self, i):
        x = self.e.get(i)
        return sum(item.size for item in x) if type(x) is list else getattr(x, "size", 1)

    def run(self, text, params):
        """Runs one step under NumPy and keeps it; False if NumPy refuses."""
        self.work += 100 + sum(self.size(p) for p in params if type(p) is int and p in self.vars)
        try:
            function_of(text)(self.e, params, np, np)
        except Exception as error:
            if not is_error(error):
                raise AssertionError(
                    f"the fuzzer made a bad step: {text} {params}: {error!r}"
                ) from error
            # A scalar that does not fit the array it is stored in is refused by its value: NumPy
            # reads it at once.
            refused = not (isinstance(error, OverflowError) and text.startswith("$0["))
            refused = refused and not isinstance(error, MemoryError)   # it depends on the machine
            # a result without axes is a variable, which NumPy's scalars are not
            refused = refused and "does not support item assignment" not in str(error)
            if refused and self.rng.random() < 0.3:
                self.steps.append(("!" + text, params + (error_name(error),)))
            return False
        self.steps.append((text, params))
        return True

    def take_back(self, i, old, had):
        """The last step made i, which was the variable `old` with the value `had`, if any."""
        self.steps.pop()
        self.e.pop(i)
        if old is not None:
            self.e[i] = had

    def make(self, text, params, value, kind=None, root=None, view_of=None):
        """A step that assigns to the new variable params[0]; False if refused or if its numbers are
        not comparable."""
        i = params[0]
        old, had = self.vars.get(i), self.e.get(i)
        if not self.run(text, params):
            return False
        x = self.e[i]
        if view_of is not None:
            parent = self.vars[view_of].root
            shares = np.may_share_memory(x, self.e[view_of])
            root, value = (parent if shares else None), parent.value
        if root is None and hasattr(x, "dtype"):
            char = x.dtype.char
            value = values.settle(char, value) if values.is_known(char) else None
            if value is None:
                self.take_back(i, old, had)
                return False
        self.adopt(i, value, kind, root)
        return True

    def write(self, text, params, value, source_char):
        """A step that writes to the variable params[0]; False if refused."""
        value = self.storable(params[0], value, source_char)
        if value is None or not self.run(text, params):
            return False
        self.stored(params[0], value, covers(text))
        return True

    def write_to(self, i, text, params, value):
        """A step that writes to the variable i, wherever it stands among the params; the source is
        of its own kind."""
        char = np.result_type(
            *(self.e[p] for p in params if type(p) is int and p in self.vars)
        ).char
        value = self.storable(i, value, char)
        if value is None or not self.run(text, params):
            return False
        self.stored(i, value, covers(text))
        return True

    def delete(self, i):
        self.run("del $0", (i,))
        self.vars.pop(i)

    def check(self, i):
        """A step that compares the variable with what NumPy has now."""
        v = self.vars[i]
        self.work += self.size(i)
        self.kept += self.size(i)
        error = v.root.value[2]
        tolerance = 0 if error == 0 else 4 * error + 1e-12
        self.expected.append(Expected(self.e[i], tolerance))
        self.steps.append(("?$0", (i, self.rng.choice((0, 0, 0, 1)), len(self.expected) - 1)))

    def check_all(self):
        live = list(self.vars)
        self.rng.shuffle(live)
        for i in live:
            self.check(i)

    # ---- literals
    # ----------------------------------------------------------------------------------------------------

    def small(self):
        return self.rng.choice((0, 1, 1, 2, 3, -1, -2, 5, 7))

    def number(self):
        return self.rng.choice((1, 2, 3, -1, 0, 1.0, 2.0, -3.0, 0.5, 7, True))

    def slice_of(self, n, length=None):
        """A slice of an axis of n elements, of that many elements if asked for (which must be at
        most n)."""
        rng = self.rng
        if length is None:
            length = rng.randint(1, n) if n else 0
        if length == 0:
            return slice(0, 0)
        steps = [1, 1, 1, 2, 3, -1, -2]
        step = rng.choice(steps)
        while (length - 1) * abs(step) >= n:
            step = 1 if step > 0 else -1
            if length > n:
                return slice(None)
        span = (length - 1) * abs(step) + 1
        start = rng.randint(0, n - span)
        if step > 0:
            stop = start + span
            return slice(start, stop) if step == 1 else slice(start, stop, step)
        first, stop = start + span - 1, start - 1
        return slice(first, stop if stop >= 0 else None, step)

    def block(self, shape, lengths):
        """An index of slices that cuts a block of these lengths out of the shape."""
        index = tuple(self.slice_of(n, k) for n, k in zip(shape, lengths))
        return index[0] if len(index) == 1 else index

    def index(self, shape):
        """A random basic index."""
        rng, items = self.rng, []
        for n in shape:
            r = rng.random()
            if r < 0.12 and n:
                items.append(rng.randrange(-n, n))
            elif r < 0.3:
                items.append(slice(None))
            elif r < 0.36:
                items.extend((None, self.slice_of(n)))
            else:
                items.append(self.slice_of(n))
        if items and rng.random() < 0.12:
            k = rng.randrange(len(items))
            items[k:] = [Ellipsis]
        if len(items) == 1 and rng.random() < 0.9:
            return items[0]
        return tuple(items)


def rng_of(seed, number):
    return random.Random(seed * 1_000_003 + number)
