# SPDX-License-Identifier: BSD-3-Clause
"""Fourier transforms by hand: recursive, in place with bits reversed, for any length (Bluestein), in two dimensions."""
import numpy as np

SIZES = {"tiny": 8, "medium": 1024, "large": 8192}
n = SIZES[SIZE]


def recursive(x):
    if len(x) == 1:
        return x
    even, odd = recursive(x[::2]), recursive(x[1::2])
    twist = np.exp(-2j * np.pi * np.arange(len(x) // 2) / len(x)) * odd
    return np.concatenate([even + twist, even - twist])


def in_place(x, sign=-1):
    """Overwrites x, a complex vector whose length is a power of two."""
    n = len(x)
    bits = n.bit_length() - 1
    order = np.zeros(n, dtype=int)
    for b in range(bits):
        order |= ((np.arange(n) >> b) & 1) << (bits - 1 - b)
    x[:] = x[order]
    half = 1
    while half < n:
        w = np.exp(sign * 1j * np.pi * np.arange(half) / half)
        blocks = x.reshape(-1, 2 * half)             # a view
        top = blocks[:, :half]
        bottom = blocks[:, half:] * w
        blocks[:, half:] = top - bottom
        top += bottom
        half *= 2
    return x


def bluestein(x):
    n = len(x)
    m = 1 << (2 * n - 1).bit_length()
    k = np.arange(n)
    chirp = np.exp(-1j * np.pi * (k * k % (2 * n)) / n)
    a, b = np.zeros(m, complex), np.zeros(m, complex)
    a[:n] = x * chirp
    b[:n] = chirp.conj()
    b[-n + 1:] = chirp[:0:-1].conj()
    c = in_place(in_place(a) * in_place(b), +1) / m
    return c[:n] * chirp


rng = np.random.default_rng(1965)
signal = rng.standard_normal(n) + np.cos(2 * np.pi * 3 * np.arange(n) / n)
spectra = {
    "recursive": recursive(signal.astype(complex)),
    "in place": in_place(signal + 0j),
    "library": np.fft.fft(signal),
}
odd = signal[: n - 3]
spectra["bluestein"] = bluestein(odd)
assert np.allclose(spectra["recursive"], spectra["library"])
assert np.allclose(spectra["in place"], spectra["library"])
assert np.allclose(spectra["bluestein"], np.fft.fft(odd))

side = max(4, n // 64)
image = rng.random((side, side)).astype(np.complex128)
for row in image:
    in_place(row)
for column in image.T:
    in_place(column)
power = np.abs(image) ** 2
y, x = np.indices(power.shape)
ring = np.minimum(np.hypot(np.minimum(y, side - y), np.minimum(x, side - x)).astype(int), side // 2)
radial = np.bincount(ring.ravel(), weights=power.ravel()) / np.bincount(ring.ravel())

# products of polynomials, exact in integers
p, q = rng.integers(-9, 10, (2, n // 2))
P, Q = (in_place(np.concatenate([c, np.zeros(n - len(c))]).astype(complex)) for c in (p, q))
product = np.rint(in_place(P * Q, sign=1).real / n).astype(np.int64)[: n - 1]
assert (product == np.convolve(p, q)).all()
single = in_place(signal.astype(np.complex64))
print("peak at", int(np.argmax(np.abs(spectra["library"][: n // 2]))), "dtype", single.dtype)
print("energy %.8f" % (np.abs(spectra["in place"]) ** 2).mean(), "radial", radial[:4].round(6))
print("product", product[:5], product.sum())
