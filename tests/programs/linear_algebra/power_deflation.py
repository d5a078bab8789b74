# SPDX-License-Identifier: BSD-3-Clause
"""Largest eigenpairs one after another: power iteration, Rayleigh quotients, deflation."""
import numpy as np

SIZES = {"tiny": (5, 2), "medium": (200, 4), "large": (500, 6)}
TOLERANCE = {"default": 1e-7}     # converged to 1e-11, deflation adds the errors
n, wanted = SIZES[SIZE]
rng = np.random.default_rng(17)
Q, _ = np.linalg.qr(rng.normal(size=(n, n)))
spectrum = 0.5 * np.linspace(0, 1, n) ** 2
spectrum[:wanted] = 1.45 ** np.arange(wanted, 0, -1)
A = (Q * spectrum) @ Q.T
A = (A + A.T) / 2
del Q, _

pairs = []
history = {}
rest = A.copy()
for index in range(wanted):
    x = np.ones(n) / np.sqrt(n)
    value, history[index] = 0.0, []
    for step in range(1000):
        y = rest @ x
        y /= np.sqrt((y ** 2).sum())
        new_value = y @ rest @ y
        difference = abs(new_value - value)
        x, value = y, new_value
        if step < 5:
            history[index].append(value)
        if difference < 1e-11 * abs(value) and step > 60:
            break
    if x[np.argmax(abs(x))] < 0:
        x = -x
    pairs.append((value, x))
    rest -= value * np.outer(x, x)
del y, step, difference, new_value
found = np.array([v for v, _x in pairs])
overlaps = np.array([[abs(a @ b) for _v, b in pairs] for _w, a in pairs])
NOISE = {"overlaps": 1e-5, "rest": 1e-6}
print("found", [f"{v:.4f}" for v in found])
print("orthogonal:", np.allclose(overlaps, np.eye(wanted), atol=1e-4))
