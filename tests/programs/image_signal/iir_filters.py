# SPDX-License-Identifier: BSD-3-Clause
"""Digital filters sample by sample: biquads in series over channels, a FIR, an adaptive filter."""
import numpy as np

SIZES = {"tiny": (30, 2, 3), "medium": (1200, 64, 8), "large": (8000, 256, 16)}
length, channels, taps = SIZES[SIZE]
rng = np.random.default_rng(4)
time = np.arange(length)[:, None] / 8000
pitch = np.linspace(100, 900, channels)
sound = np.sin(2 * np.pi * time * pitch) + 0.3 * rng.standard_normal((length, channels))


class Biquad:
    """Direct form II transposed, a state for each channel."""

    def __init__(self, frequency, q, channels):
        w = 2 * np.pi * frequency / 8000
        alpha = np.sin(w) / (2 * q)
        self.b = np.array([(1 - np.cos(w)) / 2, 1 - np.cos(w), (1 - np.cos(w)) / 2]) / (1 + alpha)
        self.a = np.array([-2 * np.cos(w), 1 - alpha]) / (1 + alpha)
        self.state = np.zeros((2, channels))

    def __call__(self, x):
        y = self.b[0] * x + self.state[0]
        self.state[0] = self.b[1] * x - self.a[0] * y + self.state[1]
        self.state[1] = self.b[2] * x - self.a[1] * y
        return y


chain = [Biquad(1000.0, 0.54, channels), Biquad(1000.0, 1.31, channels)]
filtered = np.empty_like(sound)
for t in range(length):
    sample = sound[t]
    for stage in chain:
        sample = stage(sample)
    filtered[t] = sample
window = np.hamming(taps)
fir = np.zeros_like(sound[:, 0])
for k in range(taps):
    fir[k:] += window[k] / window.sum() * sound[:length - k, 0]
same = np.allclose(fir, np.convolve(sound[:, 0], window / window.sum())[:length])

unknown = np.exp(-np.arange(taps) / 2.0)
weights = np.zeros(taps)
delay_line = np.zeros(taps)
errors = []
for t in range(min(length, 3000)):
    delay_line = np.roll(delay_line, 1)
    delay_line[0] = sound[t, -1]
    wanted = unknown @ delay_line
    error = wanted - weights @ delay_line
    weights += 0.5 * error * delay_line / (1e-3 + delay_line @ delay_line)
    errors.append(error)
    if t > 50 and max(abs(e) for e in errors[-20:]) < 1e-6:
        break
errors = np.array(errors[:40])
gains = filtered.std(axis=0) / sound.std(axis=0)
NOISE = {"error": 1e-10, "wanted": 1e-10}
print("same:", same, "gains fall:", bool(gains[0] > gains[-1] or SIZE == "tiny"), f"{gains[0]:.7f}")
