# SPDX-License-Identifier: BSD-3-Clause
"""American options by binomial trees: from the leaves back, the boundary of early exercise, and the limit."""
import numpy as np

SIZES = {"tiny": [3, 5], "medium": [50, 100, 400], "large": [500, 1000, 3000]}
S0, K, T, r, sigma = 100.0, 105.0, 1.0, 0.05, 0.25


def tree(steps, put=True, american=True):
    dt = T / steps
    u = np.exp(sigma * np.sqrt(dt))
    d = 1 / u
    p = (np.exp(r * dt) - d) / (u - d)
    discount = np.exp(-r * dt)
    S = S0 * u ** np.arange(steps, -steps - 1, -2.0)
    sign = -1 if put else 1
    V = np.maximum(sign * (S - K), 0)
    boundary = np.full(steps, np.nan)
    kept = []
    for k in range(steps - 1, -1, -1):
        V = discount * (p * V[:-1] + (1 - p) * V[1:])
        S = S[:-1] * d
        if american:
            payoff = sign * (S - K)
            exercised = payoff > V
            if exercised.any():
                boundary[k] = S[exercised].max() if put else S[exercised].min()
            V = np.maximum(V, payoff)
        if k <= 2:
            kept.append((S, V))
    (S2, V2), (S1, V1), (_, V0) = kept
    delta = (V1[0] - V1[1]) / (S1[0] - S1[1])
    up, down = (V2[0] - V2[1]) / (S2[0] - S2[1]), (V2[1] - V2[2]) / (S2[1] - S2[2])
    gamma = (up - down) / (0.5 * (S2[0] - S2[2]))
    theta = (V2[1] - V0[0]) / (2 * dt)
    return {"value": V0[0], "delta": delta, "gamma": gamma, "theta": theta, "boundary": boundary}


results = {}
for steps in SIZES[SIZE]:
    for put in (True, False):
        for american in (True, False):
            results[steps, put, american] = tree(steps, put, american)
print("steps kind   style       value    delta    gamma    theta")
for (steps, put, american), res in results.items():
    print(f"{steps:5d} {'put' if put else 'call':5s} {'American' if american else 'European':9s}"
          f" {res['value']:9.5f} {res['delta']:8.5f} {res['gamma']:8.5f} {res['theta']:8.4f}")
last = SIZES[SIZE][-1]
early = results[last, True, True]["value"] - results[last, True, False]["value"]
assert early > 0
parity = results[last, False, False]["value"] - results[last, True, False]["value"]
assert abs(parity - (S0 - K * np.exp(-r * T))) < 1e-8
b = results[last, True, True]["boundary"]
crossing = np.flatnonzero(np.isfinite(b))
first = crossing[0] if crossing.size else -1
smooth = np.nanmax(b), np.nanmin(b)
print("early exercise is worth %.6f" % early, "from step", first, "boundary %.4f %.4f" % smooth)
TOLERANCE = {"default": 1e-8}
