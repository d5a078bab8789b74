# SPDX-License-Identifier: BSD-3-Clause
"""Right-hand sides of the window fuzzer's statements: what may stand there and what is known of the result."""

from itertools import zip_longest
from math import prod

import numpy as np

from make import fits, joins
from values import add, either, mul, of_number, smooth, times

# Right-hand sides: text, number of operands, value, flags. d: jumps, so operands must be exact; r: no complex;
# i: integers and bools only; f: real floats and wide integers only; z: what fits an int64;
# w: numbers that do not wrap when negated.
EXPRESSIONS = [
    (8, "{0} + {1}", 2, add, ""),
    (6, "{0} - {1}", 2, add, ""),
    (5, "{0} * {1}", 2, mul, ""),
    (3, "{0} * {1} + {2}", 3, lambda a, b, c: add(mul(a, b), c), ""),
    (2, "({0} - {1}) * ({0} - {1})", 2, lambda a, b: mul(add(a, b), add(a, b)), ""),
    (2, "3 * {0} ** 2 + 2 * {1} + 1", 2, lambda a, b: add(times(mul(a, a), 3), times(b, 3)), ""),
    (4, "{0} + 1", 1, lambda a: add(a, (1, 0, 0)), ""),
    (2, "{0} * 2", 1, lambda a: times(a, 2), ""),
    (1, "3 - {0}", 1, lambda a: add(a, (3, 0, 0)), ""),
    (1, "-{0}", 1, lambda a: a, ""),
    (2, "{0} * 0.5", 1, lambda a: (a[0], a[1] + 1, a[2]), ""),
    (1, "{0} / 4", 1, lambda a: (a[0], a[1] + 2, a[2]), ""),
    (2, "xp.maximum({0}, {1})", 2, either, "r"),
    (2, "xp.minimum({0}, {1})", 2, either, "r"),
    (1, "abs({0})", 1, lambda a: a, "r"),
    (2, "{0} > {1}", 2, either, "dr"),
    (1, "{0} == {1}", 2, either, "d"),
    (1, "{0} <= 2", 1, lambda a: a, "dr"),
    (2, "xp.where({0} > {1}, {0}, {2})", 3, lambda a, b, c: either(a, c), "dr"),
    (2, "xp.where({0}, {1}, {2})", 3, lambda a, b, c: either(b, c), "d"),
    (1, "xp.where({0}, {1}, 0)", 2, lambda a, b: b, "d"),
    (1, "xp.clip({0}, -3, 5)", 1, lambda a: (5.0, a[1], a[2]), "r"),
    (1, "{0} % 7", 1, lambda a: (7.0, a[1], 0.0), "dr"),
    (1, "{0} // 3", 1, lambda a: (a[0], 0, 0.0), "dr"),
    (1, "xp.floor({0})", 1, lambda a: (a[0] + 1, 0, 0.0), "drf"),
    (1, "xp.sin({0})", 1, lambda a: smooth(a, 1.0), "rf"),
    (1, "xp.tanh({0})", 1, lambda a: smooth(a, 1.0), "rf"),
    (1, "xp.exp(xp.minimum({0}, 3) * 0.5)", 1, lambda a: smooth(a, 5.0, 3.0), "rf"),
    (1, "{0} / (1 + abs({1}))", 2, lambda a, b: smooth(add(a, b), add(a, b)[0]), "rf"),
    (1, "xp.sqrt(abs({0}) + 1)", 1, lambda a: smooth(a, a[0] + 2), "rf"),
    (1, "{0} & {1}", 2, either, "i"),
    (1, "{0} | {1}", 2, lambda a, b: times(add(a, b), 2), "i"),
    (1, "{0} ^ 3", 1, lambda a: add(a, (3, 0, 0)), "i"),
    (1, "~{0}", 1, lambda a: add(a, (1, 0, 0)), "i"),
    (1, "{0} << 2", 1, lambda a: times(a, 4), "i"),
    (1, "{0} >> 1", 1, lambda a: add(a, (1, 0, 0)), "i"),
    (1, "{0} % (abs({1}) + 1)", 2, lambda a, b: add(a, add(b, (1, 0, 0.0))), "drw"),
    (1, "{0} // (abs({1}) + 1)", 2, lambda a, b: add(a, (1, 0, 0.0)), "drw"),
    (1, "xp.rint({0} * 0.25)", 1, lambda a: (a[0] + 1, 0, 0.0), "drf"),
    (1, "xp.logical_xor({0}, {1})", 2, either, "d"),
    (1, "xp.conj({0}) + 1", 1, lambda a: add(a, (1, 0, 0)), ""),
    (1, "xp.hypot({0}, {1})", 2, lambda a, b: smooth(add(a, b), add(a, b)[0]), "rf"),
    (1, "xp.arctan2({0}, 1 + abs({1}))", 2, lambda a, b: smooth(add(a, b), 2.0), "rf"),
    (1, "{0}.copy()", 1, lambda a: a, ""),
    (1, "{0}.astype('i8')", 1, lambda a: a, "drz"),
    (1, "{0}.astype('f8')", 1, lambda a: a, "r"),
    (1, "{0}.astype('f4')", 1, lambda a: a, "r"),
    (1, "{0}.astype('f2')", 1, lambda a: a, "r"),
    (1, "{0}.astype('c16')", 1, lambda a: a, ""),
    (1, "{0}.astype('?')", 1, lambda a: a, "d"),
]
WEIGHTS = [w for w, *_ in EXPRESSIONS]


# NumPy's where() refuses a number that the other operands' dtype does not hold since 2.5, as we do.
WHERE_WRAPS = np.lib.NumpyVersion(np.__version__) < "2.5.0.dev0"


def fits_dtype(number, operands):
    """May that operand be a number that stands beside those arrays?"""
    if type(number) is not int:
        return True
    kinds = [x.dtype for x in operands if hasattr(x, "dtype")]
    limits = [np.iinfo(dt) for dt in kinds if dt.kind in "iu"]
    return all(limit.min <= number <= limit.max for limit in limits)


def operand_ok(m, i, flags):
    if not flags:
        return True
    x = m.e[i]
    char = x.dtype.char if hasattr(x, "dtype") else np.asarray(x).dtype.char
    if "d" in flags and m.value(i)[2]:
        return False
    if "r" in flags and char in "FD":
        return False
    if "i" in flags and char not in "?bBilIL":
        return False
    if "f" in flags and char not in "efdil":
        return False
    if "w" in flags and (char in "?bB" or m.value(i)[0] >= 2.0**30):
        return False
    return not ("z" in flags and m.value(i)[0] >= 2.0**40)


def expression(m, slots, first=None, into=None):
    """A random right-hand side: (text, params, value, operands), or None where nothing fits.

    slots: params that the statement has before these; first: a variable to begin with; into: a shape that all operands
    must broadcast to."""
    rng = m.rng
    _, text, n, rule, flags = rng.choices(EXPRESSIONS, WEIGHTS)[0]
    params, marks, known, operands, shape, joint = [], [], [], [], into, ()
    for k in range(n):
        if k and rng.random() < 0.12:
            number = m.number()
            marks.append(f"#{slots + k}")
            params.append(number)
            known.append(of_number(number))
            operands.append(number)
            continue
        if k == 0 and first is not None:
            i = first
        elif shape is None:
            i = m.pick("as")
        else:
            i = m.mate(shape, fits if into is not None else joins)
        if i is None or not operand_ok(m, i, flags):
            return None
        x = m.e[i]
        if shape is None or (into is None and x.ndim > len(shape)):
            shape = x.shape
        if into is None:
            pairs = zip_longest(reversed(x.shape), reversed(joint), fillvalue=1)
            joint = [max(wide, n) for wide, n in pairs][::-1]
            if prod(joint) > m.cap:
                return None
        marks.append(f"${slots + k}")
        params.append(i)
        known.append(m.value(i))
        operands.append(x)
    if "where" in text and WHERE_WRAPS and not all(fits_dtype(x, operands) for x in operands):
        return None
    return text.format(*marks), tuple(params), rule(*known), operands


def with_number(x):
    """The operand as it is beside whole numbers: bools become int64, which beside uint64 are reals."""
    return np.int64(0) if np.asarray(x).dtype.char == "?" else x


def result_char(text, operands):
    """Which dtype the right-hand side will have, or one that is no more precise."""
    if ">" in text or "==" in text or "<" in text:
        return "d" if "where" in text else "?"
    if "astype('f4" in text:
        return "f"
    if "astype('f2" in text:
        return "e"
    if "astype('c" in text:
        return "D"
    char = np.result_type(*(with_number(x) for x in operands)).char
    if (
        "0.5" in text
        or "/ " in text
        or "sin" in text
        or "tanh" in text
        or "sqrt" in text
        or "astype('f" in text
    ):
        if char in "?bB":  # NumPy has functions of these in float16
            return "e"
        return char if char in "efFD" else "d"
    return char
