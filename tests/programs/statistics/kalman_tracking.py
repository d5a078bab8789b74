# SPDX-License-Identifier: BSD-3-Clause
"""Kalman filter and smoother of a moving point; gates reject outliers, gaps are predicted over."""
import numpy as np

SIZES = {"tiny": 12, "medium": 500, "large": 4000}
steps = SIZES[SIZE]
rng = np.random.default_rng(16)
dt = 0.1
F = np.eye(4)
F[0, 2] = F[1, 3] = dt
G = np.array([[dt ** 2 / 2, 0], [0, dt ** 2 / 2], [dt, 0], [0, dt]])
Q = G @ G.T * 0.4
H = np.zeros((2, 4))
H[0, 0] = H[1, 1] = 1
R = 0.05 * np.eye(2)

truth = np.zeros((steps, 4))
truth[0] = [0, 0, 1, 0.5]
for k in range(1, steps):
    truth[k] = F @ truth[k - 1] + G @ rng.normal(0, 0.6, 2)
measured = truth[:, :2] + rng.normal(0, 0.22, (steps, 2))
measured[5::37] += 8.0
measured[9::53] = np.nan

x, P = np.zeros(4), np.eye(4) * 10.0
filtered, predicted, gains = [], [], []
rejected, missing, likelihood = [], 0, 0.0
for k, z in enumerate(measured):
    if k:
        x, P = F @ x, F @ P @ F.T + Q
    predicted.append((x.copy(), P.copy()))
    if np.isnan(z).any():
        missing += 1
    else:
        innovation = z - H @ x
        S = H @ P @ H.T + R
        distance = innovation @ np.linalg.solve(S, innovation)
        if distance > 25.0 and k > 3:
            rejected.append(k)
        else:
            K = P @ H.T @ np.linalg.inv(S)
            x = x + K @ innovation
            P = (np.eye(4) - K @ H) @ P
            P = (P + P.T) / 2
            gains.append(K[0, 0])
            likelihood -= 0.5 * (distance + np.log(np.linalg.det(2 * np.pi * S)))
    filtered.append((x, P))

smooth = [filtered[-1][0]]
for k in range(steps - 2, -1, -1):
    xf, Pf = filtered[k]
    xp, Pp = predicted[k + 1]
    C = np.linalg.solve(Pp, F @ Pf).T
    smooth.insert(0, xf + C @ (smooth[0] - xp))
paths = {"filtered": np.array([f for f, _ in filtered]), "smooth": np.array(smooth)}
errors = {name: np.sqrt(((p - truth)[:, :2] ** 2).mean()) for name, p in paths.items()}
TOLERANCE = {"default": 1e-8}
NOISE = {"C": 1e-10}
print(f"{missing} missing, rejected {rejected[:5]}, likelihood {likelihood:.6f}")
print({name: round(float(e), 6) for name, e in errors.items()})
