# SPDX-License-Identifier: BSD-3-Clause
"""Rolling and running statistics of series: sums, extremes, means, Welford's, draw-downs."""
import numpy as np

SIZES = {"tiny": (20, 3, 4), "medium": (800, 20, 25), "large": (4000, 120, 50)}
length, series, window = SIZES[SIZE]
rng = np.random.default_rng(70)
data = 100 + rng.normal(0.01, 1.0, (length, series)).cumsum(axis=0)
data[length // 3, 0] = np.nan

sums = np.cumsum(np.nan_to_num(data), axis=0)
rolling_mean = (sums[window:] - sums[:-window]) / window
view = np.lib.stride_tricks.sliding_window_view(data, window, axis=0)
rolling_std = view.std(axis=-1)
rolling_max = np.empty((length - window + 1, series))
for k in range(length - window + 1):
    rolling_max[k] = data[k:k + window].max(axis=0)
medians = [np.nanmedian(data[k:k + window], axis=0) for k in range(0, length - window, window)]

smooth = np.empty_like(data)
smooth[0] = data[0]
for t in range(1, length):
    known = ~np.isnan(data[t])
    smooth[t] = smooth[t - 1]
    smooth[t, known] += 0.1 * (data[t, known] - smooth[t - 1, known])

count, mean, m2 = np.zeros(series, int), np.zeros(series), np.zeros(series)
for row in data:
    good = np.isfinite(row)
    count += good
    delta = np.where(good, row - mean, 0.0)
    mean += delta / np.maximum(count, 1)
    m2 += delta * np.where(good, row - mean, 0.0)
deviation = np.sqrt(m2 / (count - 1))
agree = bool(np.allclose(deviation, np.nanstd(data, axis=0, ddof=1)))

peak = np.fmax.accumulate(data, axis=0)
drawdown = np.nan_to_num(1 - data / peak)
worst = {}
for k in range(min(series, 10)):
    worst[k] = float(drawdown[:, k].max()), int(drawdown[:, k].argmax())
crossings = []
for k in range(series):
    above = (data[window:, k] > rolling_mean[:, k]).astype(int)
    crossings.append(int(np.abs(np.diff(above)).sum()))
ranks = data[-1].argsort().argsort()
lagged = [np.corrcoef(np.diff(data[lag:, -1]), np.diff(data[:length - lag, -1]))[0, 1]
          for lag in range(1, 4)]
NOISE = {"m2": 1e-8}
print("Welford agrees:", agree, "missing", int(length - count.min()), "crossings", sum(crossings))
print(f"worst {max(w for w, _ in worst.values()):.8f}", ranks[:4], len(medians))
