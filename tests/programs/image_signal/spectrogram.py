# SPDX-License-Identifier: BSD-3-Clause
"""Spectrogram of a chirp by windows, its ridge, the signal again by overlap and add."""
import numpy as np

SIZES = {"tiny": (256, 32), "medium": (40000, 512), "large": (500000, 1024)}
length, frame = SIZES[SIZE]
hop = frame // 4
t = np.arange(length) / length
signal = np.cos(2 * np.pi * (0.02 * length * t + 0.1 * length * t ** 2)) * (1 + 0.2 * t)
window = np.hanning(frame + 1)[:-1]
spectra = []
for start in range(0, length - frame + 1, hop):
    spectra.append(np.fft.rfft(signal[start:start + frame] * window))
S = np.array(spectra).T
loudness = 20 * np.log10(np.maximum(np.abs(S), 1e-3))
TOLERANCE = {"loudness": 1e-8}
ridge = [int(column.argmax()) for column in np.abs(S).T]
rising = sum(b >= a for a, b in zip(ridge, ridge[1:]))

restored, weight = np.zeros(length), np.zeros(length)
for number, spectrum in enumerate(spectra):
    start = number * hop
    restored[start:start + frame] += np.fft.irfft(spectrum, frame) * window
    weight[start:start + frame] += window ** 2
inside = weight > 1e-3
restored[inside] /= weight[inside]
middle = slice(frame, len(spectra) * hop - frame)
good = bool(np.allclose(restored[middle], signal[middle]))

quiet = {}
for k, column in enumerate(loudness.T):
    if k % max(1, len(spectra) // 5) == 0:
        quiet[k] = np.percentile(column, [10, 50, 90])
flux = [0.0]
for before, after in zip(np.abs(S).T[:-1], np.abs(S).T[1:]):
    flux.append(np.sum(np.clip(after - before, 0, None)))
centroid = (np.arange(S.shape[0])[:, None] * np.abs(S)).sum(0) / np.abs(S).sum(0)
NOISE = {"S": 1e-10, "spectra": 1e-10, "spectrum": 1e-10}
print(S.shape, "ridge", ridge[0], "to", ridge[-1], "rising", rising, "restored:", good)
