# SPDX-License-Identifier: BSD-3-Clause
"""Short programs whose speed depends on how kernels are laid out: scans among other operations, pairs of points, rolled and joined
arrays, unrolled iterations, long rows read twice.

    python bench/schedules.py [--libraries heddle,cupy,jax] [--device cuda] [--small] [NAME ...]

A process for each library; milliseconds in steady state, the median of some turns, each waited for. JAX runs each program by jit.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import time

import numpy


def normal(lib, shape, dtype="f4", seed=0):
    return lib.array(numpy.random.default_rng(seed).standard_normal(shape).astype(dtype))


def paths(lib, small):
    """Mean of the paths of a Monte Carlo price: a running sum between two other passes."""
    m, z = lib.np, normal(lib, (20_000 // small, 250))
    return lambda z: m.exp(m.cumsum(z * 0.01, 1)).mean(1), (z,)


def running_means(lib, small):
    m, x = lib.np, normal(lib, (4000 // small, 4000))

    def f(x):
        c = m.cumsum(x, 1)
        return (c[:, 50:] - c[:, :-50]) / 50
    return f, (x,)


def pairs(lib, small):
    """Five steps of points that attract each other, the last axis being of three."""
    m, n = lib.np, 8192 // small
    p, v = normal(lib, (n, 3)), normal(lib, (n, 3), seed=1)

    def f(p, v):
        for _ in range(5):
            d = p[None] - p[:, None]
            r = (d * d).sum(-1) + 0.01
            v = v + (d / (r * m.sqrt(r))[:, :, None]).sum(1) * 0.001
            p = p + v * 0.01
        return p, v
    return f, (p, v)


def conjugate_gradients(lib, small):
    """One step on a periodic grid."""
    m, n = lib.np, 2048 // small
    x, r, p = normal(lib, (n, n)), normal(lib, (n, n), seed=1), normal(lib, (n, n), seed=2)

    def f(x, r, p):
        q = 4.1 * p - m.roll(p, 1, 0) - m.roll(p, -1, 0) - m.roll(p, 1, 1) - m.roll(p, -1, 1)
        rr = (r * r).sum()
        a = rr / (p * q).sum()
        x, s = x + a * p, r - a * q
        return x, s, s + (s * s).sum() / rr * p
    return f, (x, r, p)


def padded_laplace(lib, small):
    m, u = lib.np, normal(lib, (2048 // small, 2048))

    def f(u):
        w = m.pad(u, 1)
        return u + 0.1 * (w[2:, 1:-1] + w[:-2, 1:-1] + w[1:-1, 2:] + w[1:-1, :-2] - 4 * u)
    return f, (u,)


def life(lib, small):
    """Fifty steps of Conway's game of life by eight rolls."""
    m = lib.np
    x = lib.array((numpy.random.default_rng(0).random((2048 // small, 2048)) < 0.3).astype("i1"))

    def step(x):
        n = sum(m.roll(m.roll(x, i, 0), j, 1) for i in (-1, 0, 1) for j in (-1, 0, 1) if i or j)
        return ((n == 3) | ((x == 1) & (n == 2))).astype("i1")

    def f(x):
        for _ in range(50):
            x = step(x)
        return x
    return f, (x,)


def gray_scott(lib, small):
    m, n = lib.np, 2048 // small
    u, v = (lib.array(numpy.random.default_rng(k).random((n, n), "f4")) for k in (0, 1))

    def f(u, v):
        for _ in range(10):
            du, dv = (m.roll(w, 1, 0) + m.roll(w, -1, 0) + m.roll(w, 1, 1) + m.roll(w, -1,
                1) - 4 * w for w in (u, v))
            r = u * v * v
            u, v = u + 0.16 * du - r + 0.06 * (1 - u), v + 0.08 * dv + r - 0.122 * v
        return u, v
    return f, (u, v)


def joined(lib, small):
    m, u = lib.np, normal(lib, (2048 // small, 2048))
    return lambda u: m.concatenate([u[:1] * 2, u[1:] - u[:-1]]) ** 2 + m.stack([u, u],
        0).sum(0), (u,)


def mandelbrot(lib, small):
    m, n = lib.np, 2048 // small
    c = lib.array((numpy.linspace(-2, 1, n)[None] + 1j * numpy.linspace(-1.5, 1.5, n)[:,
        None]).astype("c8"))

    def f(c):
        x, y, count = c.real * 0, c.real * 0, c.real * 0
        for _ in range(50):
            x, y = x * x - y * y + c.real, 2 * x * y + c.imag
            count = count + (x * x + y * y < 4)
        return count
    return f, (c,)


def cross_entropy(lib, small):
    m, x = lib.np, normal(lib, (4096 // small, 32_000))
    t = lib.array(numpy.random.default_rng(1).integers(0, 32_000, 4096 // small))

    def f(x, t):
        top = x.max(1, keepdims=True)
        return (m.log(m.exp(x - top).sum(1)) + top[:, 0] - x[m.arange(x.shape[0]), t]).mean()
    return f, (x, t)


PROGRAMS = [paths, running_means, pairs, conjugate_gradients, padded_laplace, life, gray_scott,
            joined, mandelbrot, cross_entropy]


class Library:
    def __init__(self, name):
        self.name = name
        if name == "jax":
            import jax
            import jax.numpy as self_np
            self.jit, self.np, self.array, self.wait = jax.jit, self_np, self_np.asarray, jax.block_until_ready
            return
        self.np = __import__(name)
        self.jit, self.array = (lambda f: f), self.np.asarray
        self.wait = {"heddle": lambda r: self.np.synchronize(), "numpy": lambda r: None}.get(name)
        if name == "cupy":
            self.wait = lambda r: self.np.cuda.Device().synchronize()


def measure(lib, program, small):
    f, args = program(lib, small)
    f = lib.jit(f)
    result = None
    for _ in range(6):
        result = f(*args)
        lib.wait(result)
        time.sleep(0.05)        # code that is made meanwhile
    times = []
    for _ in range(15):
        begin = time.perf_counter()
        result = f(*args)
        lib.wait(result)
        times.append(time.perf_counter() - begin)
    return statistics.median(times) * 1e3


def alone(name, names, small):
    lib = Library(name)
    found = {}
    for program in PROGRAMS:
        if not names or program.__name__ in names:
            try:
                found[program.__name__] = measure(lib, program, small)
            except Exception as error:
                print(f"{name} {program.__name__}: {type(error).__name__}: {error}",
                      file=sys.stderr)
    print(json.dumps(found))


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--libraries", default="heddle,cupy,jax")
    parser.add_argument("--device")
    parser.add_argument("--small", action="store_const", const=8, default=1,
                        help="an eighth of the rows")
    parser.add_argument("--alone", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.alone:
        return alone(args.alone, args.names, args.small)
    env = os.environ | ({"HEDDLE_DEVICE": args.device} if args.device else {}) | {"XLA_PYTHON_CLIENT_PREALLOCATE": "false"}
    libraries, found = args.libraries.split(","), {}
    for name in libraries:
        words = [sys.executable, __file__, "--alone", name,
                 *args.names] + ["--small"] * (args.small > 1)
        found[name] = json.loads(subprocess.run(words, env=env, stdout=subprocess.PIPE, text=True,
            check=True).stdout.splitlines()[-1])
    print(f"{'ms':20}" + "".join(f"{name:>10}" for name in libraries) + "   best of the others by heddle")
    for program in PROGRAMS:
        row = [found[name].get(program.__name__) for name in libraries]
        if any(row):
            others = [t for name, t in zip(libraries, row) if t and name != "heddle"]
            ours = found.get("heddle", {}).get(program.__name__)
            ratio = f"{min(others) / ours:12.2f}" if others and ours else ""
            print(f"{program.__name__:20}" + "".join(f"{t:10.3f}" if t else f"{'-':>10}" for t in row) + ratio)


if __name__ == "__main__":
    main()
