# SPDX-License-Identifier: BSD-3-Clause
"""Heat in a block of layered materials, a source that is switched, sections kept."""
import numpy as np

SIZES = {"tiny": (5, 6, 7, 10), "medium": (24, 30, 36, 60), "large": (50, 60, 70, 60)}
nz, ny, nx, steps = SIZES[SIZE]
T = np.full((nz, ny, nx), 20.0)
conductivity = np.empty(nz)
for k in range(nz):
    conductivity[k] = [0.12, 0.02, 0.15][k * 3 // nz]
between = 2 * conductivity[1:] * conductivity[:-1] / (conductivity[1:] + conductivity[:-1])
source = np.zeros_like(T)
source[nz // 2, ny // 3:ny // 2 + 1, nx // 3:2 * nx // 3] = 3.0
on, hottest, sections = True, [], {}
for step in range(steps):
    vertical = between[:, None, None] * np.diff(T, axis=0)
    dT = np.zeros_like(T)
    dT[:-1] += vertical
    dT[1:] -= vertical
    for axis in (1, 2):
        flow = conductivity[:, None, None] * np.diff(T, axis=axis)
        head = [slice(None)] * 3
        tail = [slice(None)] * 3
        head[axis], tail[axis] = slice(None, -1), slice(1, None)
        dT[tuple(head)] += flow
        dT[tuple(tail)] -= flow
    T += dT
    if on:
        T += source
    T[0] = 20.0
    peak = T.max()
    hottest.append(peak)
    if on and peak > 60.0:
        on = False
        print(f"off after {step + 1} steps")
    elif not on and peak < 45.0:
        on = True
    if step % 8 == 0:
        sections[step] = T[:, ny // 2, ::2].copy()
profile = T.mean(axis=(1, 2))
spread = T.std(axis=(1, 2))
layers = [T[k * nz // 3:(k + 1) * nz // 3].mean() for k in range(3)]
place = np.unravel_index(np.argmax(T), T.shape)
print([f"{t:.5f}" for t in layers], f"hottest {T.max():.5f} in layer {int(place[0])}")
NOISE = {"spread": 1e-10, "vertical": 1e-12, "flow": 1e-12, "dT": 1e-12}
del place          # two points may be equally hot
