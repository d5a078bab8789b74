# SPDX-License-Identifier: BSD-3-Clause
"""printf() of kernels in C source on the CPU, where the conversions are our own; against Python's."""

from common import needs_heddle
from user_kernels import run_on

pytestmark = needs_heddle


def printed(format, *values, before=""):
    """What one thread prints."""
    return run_on("cpu", f"""
code = r'''{before}
extern "C" __global__ void f(int n, double x) {{ printf("{format}", {", ".join(values)}); }}'''
cp.RawKernel(code, "f")((1,), (1,), (np.int32(-7), np.float64(2.5)))
""")


def test_print__numbers():
    assert printed("%d %5d|%-5d|%05d %u %x %c %lld", "n", "n", "n", "n", "7u", "255", "'c'", "1LL << 40") == \
        "-7    -7|-7   |-0007 7 ff c 1099511627776"
    assert printed("%f %.2f %8.3e %g %%", "x", "x", "x", "x") == "2.500000 2.50 2.500e+00 2.5 %"
    assert printed("%d %f", "(short)n", "1.5f") == "-7 1.500000"


def test_print__texts():
    before = '__constant__ char title[] = "a title"; __device__ const char *name(int i) { return i < 0 ? "minus" : "plus"; }'
    assert printed("%s|%8s|%-8s|%.2s|%s", "name(n)", "name(1)", "title", "title", '"x" "y"', before=before) == \
        "minus|    plus|a title |a |xy"
    assert printed("%s", "(const char *)0") == "(null)"
    assert printed("<%s>", '""') == "<>"
    letters = "z" * 3000
    assert printed("%s", f'"{letters}"') == letters


def test_print__widths_that_are_values():
    assert printed("%*d|%-*d|%.*f|%*.*f", "6", "n", "4", "3", "1", "x", "7", "2", "x") == "    -7|3   |2.5|   2.50"
    assert printed("%*s|%-*.*s|", "5", '"ab"', "6", "2", '"xyz"') == "   ab|xy    |"
    assert printed("%*d|%*d", "-4", "n", "100000", "5") == "-7  |5"           # no line holds so much
    assert printed("%d %*d", "1", "3", "2") == "1   2"
