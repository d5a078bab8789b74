# SPDX-License-Identifier: BSD-3-Clause
"""Discrete cosine transform of 8 x 8 blocks, quantised, in zigzag order, run lengths, and back."""
import numpy as np

SIZES = {"tiny": 16, "medium": 96, "large": 384}
n = SIZES[SIZE]
k = np.arange(8)
C = np.sqrt(2 / 8) * np.cos((2 * k[None, :] + 1) * k[:, None] * np.pi / 16)
C[0] = np.sqrt(1 / 8)
table = 10 + 3 * np.add.outer(k, k) + np.outer(k, k) // 2
zigzag = sorted(((i, j) for i in range(8) for j in range(8)),
                key=lambda p: (p[0] + p[1], p[0] if (p[0] + p[1]) % 2 else p[1]))
rows, columns = (np.array(axis) for axis in zip(*zigzag))

y, x = np.mgrid[:n, :n]
rng = np.random.default_rng(1)
# whole numbers would make coefficients that lie just between two steps of the table
picture = 128 + 60 * np.sin(x / 9.0) * np.cos(y / 14.0) + rng.normal(0, 4, (n, n))
restored = np.empty_like(picture)
codes, sizes = [], []
nonzero = np.zeros((8, 8), dtype=int)
for top in range(0, n, 8):
    for left in range(0, n, 8):
        block = picture[top:top + 8, left:left + 8] - 128
        coefficients = C @ block @ C.T
        quantised = np.rint(coefficients / table).astype(int)
        nonzero += quantised != 0
        sequence = quantised[rows, columns]
        last = np.flatnonzero(sequence)
        length = int(last[-1]) + 1 if len(last) else 0
        sizes.append(length)
        if len(codes) < 40:         # (zeros before, value)
            runs, zeros = [], 0
            for value in sequence[:length]:
                if value == 0:
                    zeros += 1
                else:
                    runs.append((zeros, int(value)))
                    zeros = 0
            codes.append(runs)
        restored[top:top + 8, left:left + 8] = C.T @ (quantised * table) @ C + 128
difference = restored - picture
mse = np.mean(difference ** 2)
psnr = 10 * np.log10(255 ** 2 / mse)
blocks = picture.reshape(n // 8, 8, n // 8, 8).swapaxes(1, 2)
at_once = np.einsum("ij,abjk,lk->abil", C, blocks - 128, C)
dc = at_once[:, :, 0, 0]
NOISE = {"at_once": 1e-10, "coefficients": 1e-10}
print(f"PSNR {psnr:.6f} dB, {np.mean(sizes):.4f} coefficients a block, longest {max(sizes)}")
print(nonzero[:3, :3])
