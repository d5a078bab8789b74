# SPDX-License-Identifier: BSD-3-Clause
"""Sieves, and long arithmetic on arrays of digits: factorials, Fibonacci numbers, powers, digits of pi and e."""
import numpy as np

SIZES = {"tiny": (50, 12, 10), "medium": (200_000, 150, 120), "large": (6_000_000, 450, 400)}
limit, factorial_of, digits = SIZES[SIZE]
BASE = 10 ** 4


def sieve(n):
    flags = np.ones(n + 1, dtype=bool)
    flags[:2] = False
    flags[4::2] = False
    for k in range(3, int(n ** 0.5) + 1, 2):
        if flags[k]:
            flags[k * k::2 * k] = False
    return np.flatnonzero(flags)


def totients(n):
    phi = np.arange(n + 1)
    for p in range(2, n + 1):
        if phi[p] == p:
            phi[p::p] -= phi[p::p] // p
    return phi


def carry(a):
    """Digits in base 10000, lowest first, each below the base again."""
    a = a.astype(np.int64)
    while True:
        over = a // BASE
        if not over.any():
            return np.trim_zeros(a, "b")
        a = np.append(a % BASE, 0)
        a[1:] += over


def multiply(a, b):
    return carry(np.convolve(a, b))


def text(a):
    return str(int(a[-1])) + "".join("%04d" % d for d in a[-2::-1])


primes = sieve(limit)
gaps = np.diff(primes)
twins = primes[:-1][gaps == 2]
phi = totients(min(limit, 2000))
assert phi[primes[primes < len(phi)]].tolist() == [p - 1 for p in primes.tolist() if p < len(phi)]

factorial = np.array([1])
for k in range(2, factorial_of + 1):
    factorial = carry(factorial * k)
a, b = np.array([0]), np.array([1])
for k in range(digits):
    longer = np.zeros(max(len(a), len(b)) + 1, dtype=int)
    longer[:len(a)] += a
    longer[:len(b)] += b
    a, b = b, carry(longer)
power, square, exponent = np.array([1]), np.array([3]), digits
while exponent:
    if exponent & 1:
        power = multiply(power, square)
    square = multiply(square, square)
    exponent >>= 1
checks = {"factorial": text(factorial), "fibonacci": text(a), "power": text(power)}
assert int(checks["power"]) == 3 ** digits

# e by a spigot: one array of remainders
remainders = np.ones(digits + 8, dtype=np.int64)
e = "2."
for _ in range(min(digits, 40)):
    remainders[2:] *= 10
    over = 0
    for k in range(len(remainders) - 1, 1, -1):
        value = remainders[k] + over
        over, remainders[k] = divmod(int(value), k)
    e += str(over)
wheel = np.array([k for k in range(1, 31) if all(k % p for p in (2, 3, 5))], dtype=np.int8)
wrapped = np.arange(250, 260).astype(np.uint8) * np.uint8(3)
print("primes", len(primes), "last", primes[-1], "twins", len(twins), "largest gap", max(gaps))
print("factorial", checks["factorial"][:20], len(checks["factorial"]), "fibonacci", checks["fibonacci"][-20:])
print(e[:32], "phi", phi[1:12], wheel, wrapped, wrapped.dtype)
