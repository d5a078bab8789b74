# SPDX-License-Identifier: BSD-3-Clause
"""What is known of the numbers in a fuzzed array, so that every comparison is exact where it can be.

A value is (bound, fraction bits, error): no element is larger than `bound` in magnitude, all are multiples of
2**-fraction, and two correct libraries differ by at most `error`. Small integers stay exact under + - * in any order, so
most programs are compared with ==; what comes out of exp or a division carries an error bound through the rest.
Integers wrap and are exact always.
"""

LIMIT = {"d": 2.0**50, "D": 2.0**50, "f": 2.0**22, "F": 2.0**22, "e": 2.0**11}
EPS = {"d": 2.3e-16, "D": 2.3e-16, "f": 1.2e-7, "F": 1.2e-7, "e": 9.8e-4}
MAX_ERROR = {"d": 1e-8, "D": 1e-8, "f": 2e-2, "F": 2e-2, "e": 0.5}
MAX_INEXACT = {"d": 1e6, "D": 1e6, "f": 1e3, "F": 1e3, "e": 100.0}
INTEGER_MAX = {
    "?": 1.0,
    "b": 128.0,
    "B": 255.0,
    "i": 2.0**31,
    "I": 2.0**32,
    "l": 2.0**63,
    "L": 2.0**64,
}


def is_known(char):
    """Is anything known of numbers of that dtype?"""
    return char in LIMIT or char in INTEGER_MAX


def add(x, y):
    return x[0] + y[0], max(x[1], y[1]), x[2] + y[2]


def mul(x, y):
    return 2 * x[0] * y[0], x[1] + y[1], 2 * (x[0] * y[2] + y[0] * x[2])  # 2: of complex numbers


def either(x, y):
    return max(x[0], y[0]), max(x[1], y[1]), max(x[2], y[2])


def times(x, n):
    return x[0] * n, x[1], x[2] * n


def smooth(x, bound, slope=1.0):
    return bound, 60, x[2] * slope + 1e-300  # never exact, error from rounding


def of_number(v):
    """The value of a Python number that is a multiple of 1/16."""
    return abs(v), (0 if v == int(v.real) else 4), 0.0


def settle(char, v):
    """v as it is once stored in an array of that dtype, or None if it could no longer be compared."""
    bound, fraction, error = v
    top = INTEGER_MAX.get(char)
    if top is not None:
        if char in "BIL":   # a difference below 0 wraps to the top
            bound = top
        return None if error else (min(bound, top), 0, 0.0)
    if error == 0.0 and bound * 2.0**fraction <= LIMIT[char]:
        return v
    error += 4 * EPS[char] * bound
    if bound > MAX_INEXACT[char] or error > MAX_ERROR[char]:
        return None
    return bound, 60, error
