# SPDX-License-Identifier: BSD-3-Clause
"""A plucked string and a bowed one: wave equation with damping, a microphone at a point."""
import numpy as np

SIZES = {"tiny": (12, 40), "medium": (3000, 1200), "large": (30000, 800)}
n, steps = SIZES[SIZE]
x = np.linspace(0, 1, n)
plucked = np.where(x < 0.3, x / 0.3, (1 - x) / 0.7)
states = {"plucked": (plucked.copy(), plucked.copy()), "bowed": (np.zeros(n), np.zeros(n))}
courant2, damping = 0.81, 0.001
heard = {name: [] for name in states}
energies = []
for step in range(steps):
    for name in states:
        now, before = states[name]
        after = np.empty_like(now)
        after[1:-1] = (2 * now[1:-1] - (1 - damping) * before[1:-1]
                       + courant2 * (now[2:] - 2 * now[1:-1] + now[:-2])) / (1 + damping)
        after[0] = after[-1] = 0.0
        if name == "bowed":
            after[n // 4] += 1e-3 * np.sin(0.05 * step)
        states[name] = (after, now)
        if step % 5 == 0:
            heard[name].append(after[n // 3])
    if step % 50 == 0:
        now, before = states["plucked"]
        energies.append(0.5 * np.sum((now - before) ** 2)
                        + 0.5 * courant2 * np.sum(np.diff(now) ** 2))
sound = {name: np.array(samples) for name, samples in heard.items()}
spectrum = np.abs(np.fft.rfft(sound["plucked"]))
strongest = int(np.argmax(spectrum[1:])) + 1
falls = all(b < a * 1.05 for a, b in zip(energies, energies[1:]))
print(f"{steps} steps, strongest line {strongest}, energy falls: {falls}")
print(f"bowed: {states['bowed'][0].min():.6f} to {states['bowed'][0].max():.6f}")
