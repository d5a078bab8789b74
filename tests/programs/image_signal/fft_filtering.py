# SPDX-License-Identifier: BSD-3-Clause
"""Signal and picture filtered in the frequency domain; shifts by phase correlation."""
import numpy as np
from numpy.fft import fft2, fftfreq, ifft2, irfft, rfft, rfftfreq

SIZES = {"tiny": (32, 8), "medium": (30000, 160), "large": (300000, 640)}
length, n = SIZES[SIZE]
t = np.arange(length) / 1000.0
rng = np.random.default_rng(12)
signal = np.sin(2 * np.pi * 50 * t) + 0.5 * np.sin(2 * np.pi * 120 * t) + rng.normal(0, 0.8, length)
spectrum = rfft(signal)
frequencies = rfftfreq(length, d=0.001)
power = np.abs(spectrum) ** 2 / length
bands = {}
for low in range(0, 500, 50):
    inside = (frequencies >= low) & (frequencies < low + 50)
    bands[low] = power[inside].sum()
strongest = frequencies[np.argsort(power)[::-1][:2]]
kept = spectrum.copy()
kept[power < 0.2 * power.max()] = 0
denoised = irfft(kept, n=length)
energy = np.sum(signal ** 2), (2 * power.sum() - power[0] - (power[-1] if length % 2 == 0 else 0))

y, x = np.mgrid[:n, :n]
scene = np.exp(-((x - n / 2) ** 2 + (y - n / 3) ** 2) / (n / 6) ** 2) + 0.2 * rng.random((n, n))
F = fft2(scene)
fy, fx = fftfreq(n)[:, None], fftfreq(n)
radius = np.sqrt(fx ** 2 + fy ** 2)
filters = {"low": np.exp(-(radius / 0.1) ** 2), "high": (radius > 0.25).astype(float),
           "band": np.where((radius > 0.1) & (radius < 0.2), 1.0, 0.0)}
pictures = {name: ifft2(F * f).real for name, f in filters.items()}
shifts = []
for dy, dx in [(1, 2), (n // 3, n // 4), (0, n - 1)]:
    moved = np.roll(scene, (dy, dx), axis=(0, 1))
    cross = fft2(moved) * np.conj(F)
    cross /= np.maximum(np.abs(cross), 1e-12)
    surface = np.abs(ifft2(cross))
    found = np.unravel_index(surface.argmax(), surface.shape)
    shifts.append(tuple(int(k) for k in found))
    if shifts[-1] != (dy, dx):
        print("lost at", (dy, dx))
print("strongest", sorted(float(f) for f in strongest), "shifts", shifts)
print("energy is the same:", bool(np.isclose(*energy)), f"{denoised.std():.8f}")
