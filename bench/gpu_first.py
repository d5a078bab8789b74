# SPDX-License-Identifier: BSD-3-Clause
"""The first second of whole programs on a GPU: each in a fresh process, with empty caches.

    python bench/gpu_first.py                   all of them; beside CuPy and JAX (jit), if installed
    python bench/gpu_first.py adam lu --times   some; every run's milliseconds as well
    python bench/gpu_first.py --libraries heddle --record FILE
    python bench/gpu_first.py --small           sizes for the fake driver

A process imports its library, makes the program's arrays, waits, and then runs the program 30 times
or for 1.5 s, with a wait at the end of each run. Columns, in ms: the first run, the second, the
third, the steady state (median of the last five runs), when after the begin of the first run the
first of three runs in a row began that took at most 1.3 times the steady state, and all runs
together. The programs are written as one writes NumPy; JAX compiles the same text whole.
"""
import argparse
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as host

RUNS, SECONDS, STEADY = 30, 1.5, 1.3
CACHES = ("HEDDLE_CACHE", "CUPY_CACHE_DIR", "CUDA_CACHE_PATH", "JAX_COMPILATION_CACHE_DIR")
COLUMNS = ("first", "second", "third", "steady", "steady after", "all runs")


# ---- programs: (arrays on the host, step); step takes them on the GPU and gives results ---------


def normal(*shape):
    """On the host, quickly: the same million numbers again and again."""
    block = host.random.default_rng(1).standard_normal(10**6, dtype="f4")
    return host.resize(block, math.prod(shape)).reshape(shape)


def adam_steps(np, count, p, g, m, v):
    for t in range(1, count + 1):
        m = 0.9 * m + 0.1 * g
        v = 0.999 * v + 0.001 * g * g
        p = p - 1e-3 * (m / (1 - 0.9**t)) / (np.sqrt(v / (1 - 0.999**t)) + 1e-8)
    return p, m, v


def adam_arrays(n):
    return normal(n), normal(n) * 0.01, host.zeros(n, "f4"), host.zeros(n, "f4")


def adam(np, small):
    return adam_arrays(10**5 if small else 5 * 10**7), lambda *a: adam_steps(np, 1, *a)


def adam_five(np, small):
    return adam_arrays(10**5 if small else 5 * 10**7), lambda *a: adam_steps(np, 5, *a)


def black_scholes(np, small):
    n = 10**5 if small else 10**7

    def cdf(x):
        t = 1 / (1 + 0.2316419 * np.abs(x))
        upper = 1.781477937 + t * (-1.821255978 + t * 1.330274429)
        series = t * (0.319381530 + t * (-0.356563782 + t * upper))
        tail = np.exp(-0.5 * x * x) / math.sqrt(2 * math.pi) * series
        return np.where(x >= 0, 1 - tail, tail)

    def step(s, k, t):
        root = 0.3 * np.sqrt(t)
        d1 = (np.log(s / k) + (0.03 + 0.045) * t) / root
        d2 = d1 - root
        call = s * cdf(d1) - k * np.exp(-0.03 * t) * cdf(d2)
        return call, call - s + k * np.exp(-0.03 * t)
    x = host.arange(n, dtype="f4") / n
    return (80 + 40 * x, 120 - 40 * x, 0.1 + x), step


def masked_moments(np, small):
    n = 10**5 if small else 5 * 10**7

    def step(x):
        good = (x > -1.5) & (x < 1.5)
        count = good.sum()
        mean = np.where(good, x, 0).sum() / count
        return mean, np.sqrt((np.where(good, x - mean, 0) ** 2).sum() / count)
    return (normal(n),), step


def attention(np, small):
    heads, n, d = (2, 64, 16) if small else (16, 1024, 64)

    def step(q, k, v):
        s = q @ k.swapaxes(1, 2) / math.sqrt(d)
        e = np.exp(s - s.max(axis=-1, keepdims=True))
        return (e / e.sum(axis=-1, keepdims=True)) @ v
    return tuple(normal(heads, n, d) + i for i in range(3)), step


def kmeans(np, small):
    n, d, k = (1000, 4, 8) if small else (10**6, 8, 16)

    def step(x, c):
        d2 = ((x[:, None, :] - c[None, :, :]) ** 2).sum(-1)
        near = d2.argmin(1)
        member = (near[:, None] == np.arange(k)).astype("f4")
        return (member.T @ x) / np.maximum(member.sum(0), 1)[:, None]
    return (normal(n, d), normal(k, d)), step


def heat(np, small):
    n = 256 if small else 4096

    def step(u):
        for _ in range(5):
            near = u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2]
            u = np.pad(u[1:-1, 1:-1] + 0.2 * (near - 4 * u[1:-1, 1:-1]), 1)
        return u
    return (normal(n, n),), step


def n_body(np, small):
    n = 64 if small else 1024

    def force(x, m):
        d = x[None] - x[:, None]
        r2 = (d * d).sum(-1) + 0.01
        return (d * (m[None] * r2**-1.5)[..., None]).sum(1)

    def step(x, v, m):
        for _ in range(5):
            v = v + 5e-4 * force(x, m)
            x = x + 1e-3 * v
            v = v + 5e-4 * force(x, m)
        return x, v
    return (normal(n, 3), normal(n, 3) * 0.1, host.abs(normal(n)) + 0.1), step


def lu(np, small):
    n = 40 if small else 220

    def step(a):
        a = a.copy()
        for k in range(n - 1):
            for i in range(k + 1, n):
                a[i, k] /= a[k, k]
                a[i, k + 1:] -= a[i, k] * a[k, k + 1:]
        return a
    return (normal(n, n).astype("f8") + n * host.eye(n),), step


def norm_and_gelu(np, small):
    n, d = (128, 64) if small else (16384, 1024)

    def step(x, w, b):
        centred = x - x.mean(axis=1, keepdims=True)
        y = centred / np.sqrt((centred**2).mean(axis=1, keepdims=True) + 1e-5) * w + b
        return 0.5 * y * (1 + np.tanh(0.7978845608 * (y + 0.044715 * y**3)))
    return (normal(n, d), normal(d), normal(d)), step


def logistic(np, small):
    n, d = (1000, 8) if small else (10**6, 16)

    def step(x, y, w):
        for _ in range(5):
            p = 1 / (1 + np.exp(-(x @ w)))
            w = w - 0.1 * (x.T @ (p - y)) / n
        return w
    x = normal(n, d)
    return (x, (x[:, 0] > 0).astype("f4"), host.zeros(d, "f4")), step


def mandelbrot(np, small):
    n = 128 if small else 2048

    def step(c):
        z, count = c, np.abs(c) < 2
        total = count.astype("i4")
        for _ in range(15):
            z = np.where(count, z * z + c, z)
            count = np.abs(z) < 2
            total = total + count
        return total
    x = host.linspace(-2, 1, n)
    return ((x[None, :] + 1j * x[:, None] * 0.7).astype("c8"),), step


PROGRAMS = {f.__name__: f for f in (
    adam, adam_five, black_scholes, masked_moments, attention, kmeans, heat, n_body, lu,
    norm_and_gelu, logistic, mandelbrot)}
NOT_FOR_JAX = ("lu",)  # writes into an array


# ---- in a process of its own ---------------------------------------------------------------------


def open_library(name):
    """(module as np, wait(result), compile(step))"""
    if name == "heddle":
        import heddle
        return heddle, lambda r: heddle.synchronize(), lambda f: f
    if name == "cupy":
        import cupy
        return cupy, lambda r: cupy.cuda.Device().synchronize(), lambda f: f
    import jax
    import jax.numpy
    jax.config.update("jax_enable_x64", True)
    jax.devices("gpu")
    return jax.numpy, jax.block_until_ready, jax.jit


def measure(program, library, small):
    np, wait, compiled = open_library(library)
    arrays, step = PROGRAMS[program](np, small)
    step, arrays = compiled(step), [np.asarray(a) for a in arrays]
    wait(arrays)
    times, begun, starts = [], time.perf_counter(), []
    while len(times) < RUNS and (len(times) < 3 or time.perf_counter() - begun < SECONDS):
        start = time.perf_counter()
        kept = step(*arrays)
        wait(kept)
        times.append((time.perf_counter() - start) * 1e3)
        starts.append((start - begun) * 1e3)
    del kept
    print(json.dumps({"times": times, "starts": starts}))


# ---- beside each other ---------------------------------------------------------------------------


def figures(times, starts):
    steady = statistics.median(times[-5:])
    calm = [t <= STEADY * steady for t in times]
    after = next((starts[i] for i in range(len(calm)) if all(calm[i:i + 3])), starts[-1])
    return [times[0], times[1], times[2], steady, after, sum(times)]


def run(program, library, small):
    """None where the library has no such program, or fails."""
    if library == "jax" and program in NOT_FOR_JAX:
        return None
    with tempfile.TemporaryDirectory() as folder:
        env = os.environ | {name: os.path.join(folder, name.lower()) for name in CACHES}
        command = [sys.executable, __file__, "--one", program, library] + ["--small"] * small
        done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=120,
                              check=False)
    if done.returncode != 0:
        said = done.stderr.strip().splitlines() or ["no message"]
        print(f"{program}, {library}: {said[-1][:160]}", flush=True)
        return None
    return json.loads(done.stdout.splitlines()[-1])


def installed(library):
    test = f"import importlib.util, sys; sys.exit(importlib.util.find_spec({library!r}) is None)"
    return subprocess.run([sys.executable, "-c", test], check=False).returncode == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("programs", nargs="*", default=list(PROGRAMS))
    parser.add_argument("--libraries", default="heddle,cupy,jax")
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--times", action="store_true")
    parser.add_argument("--record")
    parser.add_argument("--one", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        measure(*options.one, options.small)
        return
    rows = ["| program | library | " + " | ".join(COLUMNS) + " |",
            "|---" * (2 + len(COLUMNS)) + "|"]
    print("\n".join(rows))
    libraries = [name for name in options.libraries.split(",") if installed(name)]
    for program in options.programs:
        for library in libraries:
            told = run(program, library, options.small)
            if told is None:
                continue
            cells = [f"{x:.2f}" if x < 100 else f"{x:.0f}"
                     for x in figures(told["times"], told["starts"])]
            rows.append(f"| {program} | {library} | " + " | ".join(cells) + " |")
            print(rows[-1], flush=True)
            if options.times:
                print("    " + " ".join(f"{t:.2f}" for t in told["times"]), flush=True)
    if options.record:
        with open(options.record, "w", encoding="utf-8") as f:
            f.write("\n".join(rows) + "\n")


if __name__ == "__main__":
    main()
