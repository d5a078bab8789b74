# SPDX-License-Identifier: BSD-3-Clause
"""Minimisation without derivatives: Nelder-Mead, a golden section, annealing, and a genetic algorithm."""
import numpy as np

SIZES = {"tiny": (2, 8, 5), "medium": (4, 60, 25), "large": (6, 500, 60)}
TOLERANCE = {"default": 1e-3}             # where it ends at a minimum, not how it came there
dim, population, generations = SIZES[SIZE]


def rosenbrock(x):
    return (100 * (x[..., 1:] - x[..., :-1] ** 2) ** 2 + (1 - x[..., :-1]) ** 2).sum(axis=-1)


def rastrigin(x):
    return 10 * x.shape[-1] + (x ** 2 - 10 * np.cos(2 * np.pi * x)).sum(axis=-1)


def nelder_mead(f, start, size=0.5, most=6000):
    simplex = np.vstack([start, start + size * np.eye(len(start))])
    values = np.array([f(p) for p in simplex])
    for it in range(most):
        order = values.argsort()
        simplex, values = simplex[order], values[order]
        if values[-1] - values[0] < 1e-14 and np.abs(simplex[1:] - simplex[0]).max() < 1e-7:
            break
        centre = simplex[:-1].mean(axis=0)
        reflected = 2 * centre - simplex[-1]
        fr = f(reflected)
        if fr < values[0]:
            expanded = 3 * centre - 2 * simplex[-1]
            fe = f(expanded)
            if fe < fr:
                simplex[-1], values[-1] = expanded, fe
            else:
                simplex[-1], values[-1] = reflected, fr
        elif fr < values[-2]:
            simplex[-1], values[-1] = reflected, fr
        else:
            contracted = 0.5 * (centre + (reflected if fr < values[-1] else simplex[-1]))
            fc = f(contracted)
            if fc < min(fr, values[-1]):
                simplex[-1], values[-1] = contracted, fc
            else:
                simplex[1:] = 0.5 * (simplex[0] + simplex[1:])
                values[1:] = f(simplex[1:])
    return simplex[0].copy(), values[0]


def anneal(f, x, rng, rounds):
    """Many walkers at once; each keeps the best it saw."""
    value = f(x)
    best, best_value = x.copy(), value.copy()
    for k in range(rounds):
        T = 10 * 0.97 ** k + 1e-3
        trial = x + rng.normal(0, 0.5 * 0.99 ** k + 0.01, x.shape)
        new = f(trial)
        accept = (new < value) | (rng.random(len(x)) < np.exp(-np.clip((new - value) / T, 0, 50)))
        x[accept], value[accept] = trial[accept], new[accept]
        better = value < best_value
        best[better], best_value[better] = x[better], value[better]
    return best, best_value


def genetic(f, genes, rng, generations):
    record = []
    for g in range(generations):
        fitness = f(genes)
        order = np.argsort(np.round(fitness, 9), kind="stable")
        record.append(fitness[order[0]])
        parents = genes[order[:len(genes) // 2]]
        pick = rng.integers(0, len(parents), (2, len(genes) - 1))
        cross = rng.random((len(genes) - 1, genes.shape[1])) < 0.5
        children = np.where(cross, parents[pick[0]], parents[pick[1]])
        mutate = rng.random(children.shape) < 0.1
        children[mutate] += rng.normal(0, 0.3, int(mutate.sum()))
        genes = np.concatenate([genes[order[:1]], children])
    return genes[0], np.array(record)


simplex_end, simplex_value = nelder_mead(rosenbrock, np.full(min(dim, 3), -0.5))
assert simplex_value < 1e-6
del simplex_value
rng = np.random.default_rng(1983)
best, best_value = anneal(rastrigin, rng.uniform(-4, 4, (population, dim)), rng, 30)
genes, record = genetic(rastrigin, rng.uniform(-4, 4, (population, dim)), rng, generations)
assert (np.diff(record) <= 0).all() and best_value.min() >= 0
ratio, a, b = (5 ** 0.5 - 1) / 2, np.float64(0), np.float64(3)
while b - a > 1e-6:
    c, d = b - ratio * (b - a), a + ratio * (b - a)
    if rosenbrock(np.array([c, 2.0])) < rosenbrock(np.array([d, 2.0])):
        b = d
    else:
        a = c
print("simplex", simplex_end.round(4) + 0.0, "section %.4f" % a)
print("annealed %.4f" % best_value.min(), "genes", genes.round(3) + 0.0, "records", record[[0, -1]].round(3))
