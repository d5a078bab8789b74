# SPDX-License-Identifier: BSD-3-Clause
"""Metropolis chains for a banana-shaped density: walkers, a tuned step, autocorrelation."""
import numpy as np

SIZES = {"tiny": (3, 30), "medium": (200, 300), "large": (2000, 400)}
walkers, steps = SIZES[SIZE]
rng = np.random.default_rng(8)


def log_density(p):
    x, y = p[:, 0], p[:, 1]
    return -0.5 * (x ** 2 / 4 + (y - 0.3 * x ** 2) ** 2 / 0.5)


position = rng.normal(size=(walkers, 2))
current = log_density(position)
step, accepted = 1.0, 0
trace, rates, steps_used = [], [], {}
for t in range(steps):
    proposal = position + step * rng.normal(size=position.shape)
    proposed = log_density(proposal)
    take = np.log(rng.random(walkers)) < proposed - current
    position[take] = proposal[take]
    current = np.where(take, proposed, current)
    accepted += int(take.sum())
    if (t + 1) % 25 == 0:
        rates.append(accepted / (25 * walkers))
        if t < steps // 3:
            step *= 1.1 if rates[-1] > 0.35 else 0.9
            steps_used[t] = step
        accepted = 0
    trace.append(position.copy())
chain = np.stack(trace[steps // 3:])
mean = chain.mean(axis=(0, 1))
centred = chain[:, :, 0] - chain[:, :, 0].mean()
correlations = []
for lag in range(0, min(60, len(chain) - 2)):
    product = centred[:len(centred) - lag] * centred[lag:]
    correlations.append(product.mean() / centred.var())
    if correlations[-1] < 0.05:
        break
covariance = np.cov(chain.reshape(-1, 2).T)
within = chain.var(axis=0, ddof=1).mean(axis=0)
between = len(chain) * chain.mean(axis=0).var(axis=0, ddof=1)
shrink = np.sqrt(((len(chain) - 1) / len(chain) * within + between / len(chain)) / within)
counts, edges = np.histogram(chain[:, :, 0], bins=12, range=(-6, 6))
print(f"rate {rates[-1]:.5f}, step {step:.5f}, lags {len(correlations)}")
print("mean", [f"{m:.6f}" for m in mean], "most in bin", int(counts.argmax()))
