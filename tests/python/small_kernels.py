# SPDX-License-Identifier: BSD-3-Clause
"""Random loops of small kernels: prints a hash of each one's results, which must not depend on how kernels are launched.

    small_kernels.py FIRST LAST
"""
import hashlib
import sys

import numpy as np

import heddle as hd


def bounded(x):
    return x % 97 if x.dtype.kind == "i" else x / (1 + abs(x))


def row_sums(v, w):
    return [v[0], v[1], v[2] + (v[0] @ w[1])[:, None]], w


def products(v, w):
    return v, [w[0], bounded((v[1].T @ v[2]).sum(0))]


def shifted(v, w):
    v[2][1:] += v[2][:-1]
    return v, w


STEPS = [
    lambda v, w: ([v[0] + v[1] * v[1].dtype.type(2), v[1], v[2]], w),
    lambda v, w: (v, [v[0].sum(0) + w[1], w[0]]),
    lambda v, w: ([v[0] - v[0].max(1, keepdims=True), v[1], v[2]], w),
    lambda v, w: ([v[1], v[2], hd.tanh(v[0]) if v[0].dtype.kind != "i" else v[0] // 3], w),
    shifted,
    lambda v, w: ([v[0] * w[0], v[1], v[2]], [w[0] * 0 + 1, w[1]]),
    row_sums,
    lambda v, w: ([v[0][::-1] + v[2], v[1], v[2]], w),
    lambda v, w: ([bounded(v[0]), v[1], v[2]], w),
    lambda v, w: ([v[0] - v[0].sum(), v[1], v[2]], w),
    products,
]


def program(seed):
    rng = np.random.default_rng(seed)
    n, m = int(rng.choice([1, 3, 16, 100, 500, 1000, 2000, 5000, 20000])), int(rng.choice([1, 2, 3, 8, 33]))
    dtype = rng.choice(["f4", "f8", "i4", "c8"])
    v = [hd.asarray((rng.standard_normal((n, m)) * 3).astype(dtype)) for _ in range(3)]
    w = [hd.asarray((rng.standard_normal(m) * 3).astype(dtype)) for _ in range(2)]
    steps = [STEPS[k] for k in rng.integers(0, len(STEPS), size=int(rng.integers(2, 7)))]
    for _ in range(int(rng.integers(6, 30))):
        for step in steps:
            v, w = step(v, w)
    digest = hashlib.sha1(usedforsecurity=False)
    for x in v + w:
        digest.update(np.ascontiguousarray(hd.asnumpy(x)).tobytes())
    return digest.hexdigest()[:12]


if __name__ == "__main__":
    with np.errstate(all="ignore"):
        for number in range(int(sys.argv[1]), int(sys.argv[2])):
            print(number, program(number), flush=True)
