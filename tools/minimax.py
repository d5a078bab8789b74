# SPDX-License-Identifier: BSD-3-Clause
"""Coefficients of the mathematical functions: minimax.py >src/ops/elementwise/math/coefficients.def

Polynomials by Remez' exchange on the error |p - f| w in 100 digits; then every coefficient is rounded to the type.
Errors go to stderr. Needs mpmath. With names: only these.
"""
import sys

import mpmath as mp

mp.mp.dps = 100


def solve(f, w, degree, points):
    """The polynomial whose error at the points is +e, -e, +e, ... in units of 1 / w."""
    n = degree + 2
    a, b = mp.matrix(n, n), mp.matrix(n, 1)
    for i, x in enumerate(points):
        for k in range(degree + 1):
            a[i, k] = x**k
        a[i, degree + 1] = (-1)**i / w(x)
        b[i] = f(x)
    s = mp.lu_solve(a, b)
    return [s[k] for k in range(degree + 1)], abs(s[degree + 1])


def remez(f, low, high, degree, w=None, rounds=6):
    """Coefficients from the constant on, and the largest error times w."""
    w = w or (lambda x: 1 / abs(f(x)))
    low, high = mp.mpf(low), mp.mpf(high)
    n = degree + 2
    at = [(low + high) / 2 - (high - low) / 2 * mp.cos(mp.pi * k / (n - 1)) for k in range(n)]
    grid = [(low + high) / 2 - (high - low) / 2 * mp.cos(mp.pi * k / (16 * n)) for k in range(16 * n + 1)]
    value = [f(x) for x in grid]
    weight = [w(x) for x in grid]
    for _ in range(rounds):
        c, _ = solve(f, w, degree, at)
        error = [(mp.polyval(c[::-1], x) - v) * u for x, v, u in zip(grid, value, weight)]
        peaks, best = [], 0
        for i in range(len(grid)):           # the largest error of each sign run
            if i and error[i] * error[i - 1] < 0:
                peaks.append(best)
                best = i
            elif abs(error[i]) >= abs(error[best]):
                best = i
        peaks.append(best)
        while len(peaks) > n:                # too many: the smaller end goes
            peaks.pop(0 if abs(error[peaks[0]]) < abs(error[peaks[-1]]) else -1)
        if len(peaks) < n:
            break
        at = [grid[i] for i in peaks]
    return c, max(abs(e) for e in error)


def rounded(x, bits):
    """The nearest number with that many bits, as C writes it."""
    if x == 0:
        return "0.0"
    m, e = mp.frexp(x)
    whole = int(mp.nint(mp.ldexp(m, bits)))
    return float(mp.ldexp(whole, e - bits)).hex()


TINY = mp.mpf(10)**-22
LN2 = mp.log(2)
PSI_ROOT = mp.findroot(mp.digamma, 1.46)


def tail(f, *terms):
    """z -> (f(sqrt z) - terms) / the power after the last term: f's own series without its first terms, in z = x^2.
    Odd functions give their terms' coefficients of x, x^3, ..., even ones of 1, x^2, ..."""
    odd = f(mp.mpf(0)) == 0

    def rest(z):
        x = mp.sqrt(max(z, mp.mpf(10)**-20))   # nearer to 0 digits cancel
        known = sum(c * x**(2 * k + odd) for k, c in enumerate(terms))
        return (f(x) - known) / x**(2 * len(terms) + odd)
    return rest


def quotient(f, root, slope):
    """f(x) / (x - root), with the slope at the root itself."""
    return lambda x: slope if abs(x - root) < TINY else f(x) / (x - root)


def log_gamma_quotient(u):
    """lgamma(2 + u) / (u (u + 1))"""
    if abs(u) < TINY:
        return mp.digamma(2)
    if abs(u + 1) < TINY:
        return -mp.digamma(1)
    return mp.loggamma(2 + u) / (u * (u + 1))


def erfcx_at(t):
    """(1 + 2x) exp(x^2) erfc(x) at x = 4 (1 + t) / (1 - t)"""
    x = 4 * (1 + t) / (1 - t)
    return (1 + 2 * x) * mp.exp(x * x) * mp.erfc(x)


def exp_tail(r):
    return (mp.expm1(r) - r) / r**2 if abs(r) > TINY else mp.mpf(1) / 2


def exp2_tail(r):
    return mp.expm1(r * LN2) / r if abs(r) > TINY else LN2


def log2_of_s(s):
    return 2 * mp.atanh(s) / LN2


def erf_tail(z):
    x = mp.sqrt(max(z, mp.mpf(10)**-20))
    return mp.erf(x) / x - 1


def power_of(c):
    return lambda z: z**c + mp.mpf(10)**-6


QUARTER = (mp.pi / 4)**2 * mp.mpf("1.001")
HALF = (mp.pi / 2)**2 * mp.mpf("1.001")
S_MOST = mp.mpf("0.0295")         # ((sqrt 2 - 1) / (sqrt 2 + 1))^2
TAN_EIGHTH = mp.mpf("0.1717")     # tan(pi/8)^2

# name: (function, low, high, degree in float32, in float64, of float32 computed in float64, weight)
FITS = {
    "EXP_TAIL": (exp_tail, -0.3466, 0.3466, 4, 9, 0, lambda r: r * r + mp.mpf(10)**-6),
    "EXP2_TAIL": (exp2_tail, -0.5, 0.5, 5, 10, 0, lambda r: abs(r) + mp.mpf(10)**-3),
    "LOG_TAIL": (tail(lambda s: 2 * mp.atanh(s), 2), 0, S_MOST, 2, 6, 0, power_of(1)),
    "SIN_TAIL": (tail(mp.sin, 1), 0, QUARTER, 0, 5, 3, power_of(1)),
    "COS_TAIL": (tail(mp.cos, 1, mp.mpf(-1) / 2), 0, QUARTER, 0, 5, 2, power_of(2)),
    "SIN_HALF_TURN": (tail(mp.sin, 1), 0, HALF, 0, 0, 4, power_of(1)),
    "SIN_EIGHTH_TAIL": (lambda z: tail(mp.sin, 1)(z) + mp.mpf(1) / 8, 0, HALF, 0, 7, 0, power_of(1)),
    "ATAN_TAIL": (tail(mp.atan, 1), 0, TAN_EIGHTH, 4, 10, 0, power_of(1)),
    "ASIN_TAIL": (tail(mp.asin, 1), 0, 0.2501, 5, 12, 0, power_of(1)),
    "CBRT_SEED": (mp.cbrt, 1, 2, 3, 6, 0, None),
    "POW_LOG_TAIL": (tail(log2_of_s, 2 / LN2, 2 / LN2 / 3), 0, S_MOST, 0, 6, 0, power_of(2)),
    "POW_LOG": (tail(log2_of_s), 0, S_MOST, 0, 0, 4, None),
    "POW_EXP": (lambda r: mp.mpf(2)**r, -0.5, 0.5, 0, 0, 6, None),
    "ERF_TAIL": (erf_tail, 0, 1.01, 6, 12, 0, lambda z: mp.mpf(1)),
    "ERFCX": (erfcx_at, -1, mp.mpf("0.76"), 11, 23, 0, None),
    "GAMMA_POLY": (lambda u: mp.gamma(2 + u), 0, 1, 0, 16, 0, None),
    "LGAMMA_POLY": (log_gamma_quotient, -1, 1, 0, 27, 0, None),
    "DIGAMMA_POLY": (lambda u: quotient(mp.digamma, PSI_ROOT, mp.psi(1, PSI_ROOT))(mp.mpf(1.5) + u), -0.5, 0.5, 0,
                     22, 0, None),
}


def define(name, coefficients):
    lines, line = [], f"#define {name}"
    for k, c in enumerate(coefficients):
        item = c + ("," if k < len(coefficients) - 1 else "")
        if len(line) + len(item) > 130:
            lines.append(line + " \\")
            line = "   "
        line += " " + item
    return "\n".join([*lines, line])


def fitted(names, column, bits, prefix=""):
    out = []
    for name in names:
        f, low, high, *degrees, w = FITS[name]
        if degrees[column]:
            c, error = remez(f, low, high, degrees[column], w)
            print(name, degrees[column], f"2^{float(mp.log(error, 2)):.1f}", file=sys.stderr)
            out.append(define(prefix + name, [rounded(x, bits) for x in c]))
    return "\n".join(out)


def main(names):
    names = names or list(FITS)
    print("/* SPDX-License-Identifier: BSD-3-Clause */\n"
          "/* coefficients.def - made by tools/minimax.py, which says of what: do not edit. Data only. */")
    print("#if MATH_BITS == 64\n" + fitted(names, 1, 53))
    print("\n/* of float32, computed in float64 */\n" + fitted(names, 2, 53, "WIDE_"))
    print("#else\n" + fitted(names, 0, 24) + "\n#endif")


if __name__ == "__main__":
    main(sys.argv[1:])
