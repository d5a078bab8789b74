# SPDX-License-Identifier: BSD-3-Clause
"""Many operations and shapes on one GPU, to find what is slow that no line of gpu_lines.py is about.

    python bench/gpu_sweep.py [--libraries heddle,torch,cupy] [NAME ...]

A process for each library; milliseconds, the lower third of some turns, each waited for. What is below 1 in the first column,
the best of the others by Heddle, is to be looked at. CuPy compiles a kernel for most lines: minutes.
"""
import argparse
import json
import subprocess
import sys
import time

import numpy
from gpu_libraries import Library

# name | as NumPy has it | as PyTorch has it, if otherwise; "-" if not at all
LINES = """
add f4 | F + G
add f8 | D + D
add i4 | I + I
add f2 | H + H
multiply c8 | C * C
every second | F[::2] + G[::2]
a row to all | S + S[0]
a column to all | S + S[:, :1]
outer sum | S[0] + S[:, :1]
plus transposed | S + S2.T
reversed copy | S[::-1, ::-1].copy() | S.flip(0, 1)
where | m.where(B, F, G)
compare | F > G
f4 to f8 | F.astype("f8") | F.double()
u1 to f4 | U.astype("f4") | U.float()
f4 to i4 | F.astype("i4") | F.int()
exp f4 | m.exp(F)
log f4 | m.log(F)
sin f4 | m.sin(F)
tanh f4 | m.tanh(F)
exp f8 | m.exp(D)
sin f8 | m.sin(D)
power f4 | F ** G
square f4 | F ** 2
divide i4 | I // 7
remainder i8 | L % 7
remainder f4 | F % 0.3
arctan2 | m.arctan2(F, G)
logaddexp | m.logaddexp(F, G)
absolute c8 | abs(C)
clip | m.clip(F, .2, .8)
sum | F.sum()
max | F.max()
argmax | F.argmax()
std | F.std() | F.std(correction=0)
sum f8 | D.sum()
sum u1 | U.sum()
sum f2 | H.sum()
any | B.any()
sum 500000x100 axis 0 | TALL.sum(0)
sum 500000x100 axis 1 | TALL.sum(1)
sum 100x500000 axis 0 | WIDE.sum(0)
sum 100x500000 axis 1 | WIDE.sum(1)
sum 5000000x10 axis 0 | TEN.sum(0)
sum 5000000x10 axis 1 | TEN.sum(1)
sum 10x5000000 axis 0 | TEN2.sum(0)
max 10x5000000 axis 0 | TEN2.max(0) | TEN2.amax(0)
argmax 500000x100 axis 1 | TALL.argmax(1)
std 5000000x10 axis 0 | TEN.std(0) | TEN.std(0, correction=0)
sum 400x300x400 axis 1 | K.sum(1)
sum 400x300x400 axes 0 and 2 | K.sum((0, 2))
sum of a transposed | S.T.sum(0)
center columns | TALL - TALL.mean(0)
normalize rows | (TALL - TALL.mean(1)[:, None]) / TALL.std(1)[:, None]
distances | m.sqrt(((TALL - TALL[0]) ** 2).sum(1))
cumsum | F.cumsum(0)
cumsum axis 0 | S.cumsum(0)
cumsum axis 1 | S.cumsum(1)
diff | m.diff(F)
sort rows | m.sort(S, 1)
sort columns | m.sort(S, 0)
sort rows of 10 | m.sort(TEN[:1000000], 1)
argsort rows | m.argsort(S, 1)
sort i8 | m.sort(L)
median | m.median(F[:10000000])
percentile | m.percentile(F[:10000000], 30) | m.quantile(F[:10000000], .3)
partition | m.partition(F[:10000000], 5000000) | -
unique | m.unique(I)
bincount | m.bincount(I)
histogram | m.histogram(F, 100)[0] | m.histc(F, 100)
histogram of given bins | m.histogram(F, BINS)[0] | m.histogram(F, BINS)[0]
searchsorted | m.searchsorted(BINS, D)
take rows | TALL[ROWS]
take columns | S[:, COLUMNS]
mask | F[B]
nonzero | m.nonzero(B)
set by mask | set_by(B)
set rows | set_by(ROWS)
add at | add_at()
concatenate axis 1 | m.concatenate([S, S2], 1)
stack axis 1 | m.stack([F[:10000000], G[:10000000]], 1)
repeat axis 1 | m.repeat(S, 2, 1) | S.repeat_interleave(2, 1)
tile | m.tile(S, (2, 2))
roll axis 1 | m.roll(S, 7, 1)
pad | m.pad(S, 3) | m.nn.functional.pad(S, (3, 3, 3, 3))
transposed copy | m.ascontiguousarray(S.T) | S.T.contiguous()
transposed copy 0, 2, 1 | m.ascontiguousarray(K.transpose(0, 2, 1)) | K.permute(0, 2, 1).contiguous()
transposed copy 2, 1, 0 | m.ascontiguousarray(K.transpose(2, 1, 0)) | K.permute(2, 1, 0).contiguous()
matmul 4000 | S @ S2
matmul 1000x64x64 | BATCH @ BATCH
matmul thin | TALL @ TALL[:3].T
matrix by vector | S @ S[0]
vector by matrix | S[0] @ S
gram | TALL.T @ TALL
einsum by rows | m.einsum("ij,ij->i", TALL, TALL)
einsum batch | m.einsum("bij,bjk->bik", BATCH, BATCH)
cholesky 1500 f8 | m.linalg.cholesky(P)
eigh 600 f8 | m.linalg.eigh(P[:600, :600])[0]
solve 1500 f8 | m.linalg.solve(P, P[:, :5])
solve 10000x8x8 f8 | m.linalg.solve(SMALL, SMALL)
inv 10000x8x8 f8 | m.linalg.inv(SMALL)
det 10000x8x8 f8 | m.linalg.det(SMALL)
svd 300 f8 | m.linalg.svd(P[:300, :300])[1]
norm | m.linalg.norm(F)
fft2 | m.fft.fft2(S)
fft rows | m.fft.fft(S)
fft columns | m.fft.fft(S, axis=0) | m.fft.fft(S, dim=0)
rfft 2^24 | m.fft.rfft(F[:16777216])
uniform | DRAW.random(50000000, dtype=m.float32) | m.rand(50000000, device="cuda")
normal | DRAW.standard_normal(50000000, dtype=m.float32) | m.randn(50000000, device="cuda")
integers | DRAW.integers(0, 100, 50000000) | m.randint(0, 100, (50000000,), device="cuda")
linspace | m.linspace(0, 1, 50000000) | m.linspace(0, 1, 50000000, device="cuda")
zeros | m.zeros(50000000, "f4") | m.zeros(50000000, device="cuda")
1000 elements | F[:1000] + G[:1000]
sum of 1000 | float(F[:1000].sum())
ten operations on 1000 | ten_times(F[:1000])
mask of 1000 | F[:1000][F[:1000] > .5]
matmul 32 | S[:32, :32] @ S2[:32, :32]
4 MB out | F[:1000000].get() | F[:1000000].cpu()
"""


def operands(put):
    """What the lines are about, by name."""
    rng = numpy.random.default_rng(0)
    x = rng.random(50_000_000, dtype="f4")
    p = rng.random((1500, 1500))
    F, G, s, i = put(x), put(x[::-1].copy()), x[:16_000_000], x[:20_000_000]
    return {
        "F": F, "G": G, "D": put(i.astype("f8")), "I": put((i * 1000).astype("i4")), "L": put((i * 1000).astype("i8")), "B": F > 0.5,
        "C": put((i + 1j).astype("c8")), "U": put((x * 255).astype("u1")), "H": put(x.astype("f2")),
        "S": put(s.reshape(4000, 4000)), "S2": put(s[::-1].copy().reshape(4000, 4000)), "K": F[:48_000_000].reshape(400, 300, 400),
        "TALL": F.reshape(500_000, 100), "WIDE": F.reshape(100, 500_000), "TEN": F.reshape(5_000_000, 10), "TEN2": F.reshape(10, 5_000_000),
        "ROWS": put(rng.integers(0, 500_000, 200_000)), "COLUMNS": put(rng.integers(0, 4000, 2000)), "BATCH": F[:4_096_000].reshape(1000, 64, 64),
        "BINS": put(numpy.sort(rng.random(1000))), "P": put(p + p.T + 3000 * numpy.eye(1500)),
        "SMALL": put(rng.random((10_000, 8, 8)) + 8 * numpy.eye(8)),
        "AT": put(rng.integers(0, 1_000_000, 5_000_000))}


def names_for(lib):
    """All that the lines may say."""
    m, at, torch = lib.np, operands(lib.array), lib.name == "torch"
    copy = (lambda x: x.clone()) if torch else (lambda x: x.copy())

    def set_by(index):
        x = copy(at["F"] if index is at["B"] else at["TALL"])
        x[index] = 1
        return x

    def add_at():
        x, values = at["F"][:1_000_000] * 0, at["F"][:5_000_000]
        x.index_add_(0, at["AT"], values) if torch else m.add.at(x, at["AT"], values)
        return x

    def ten_times(x):
        for _ in range(10):
            x = x * 1.5 + 1
        return x
    draw = None if torch else m.random.default_rng(1)
    return {**at, "m": m, "set_by": set_by, "add_at": add_at, "ten_times": ten_times, "DRAW": draw}


def measure(run, wait):
    for _ in range(3):
        run()
        wait()
    times, end = [], time.perf_counter() + 0.12
    while len(times) < 5 or (len(times) < 40 and time.perf_counter() < end):
        start = time.perf_counter()
        kept = run()
        wait()
        times.append(time.perf_counter() - start)
        del kept
    return sorted(times)[len(times) // 3] * 1e3


def run_library(name, wanted):
    """{line: milliseconds, or what went wrong}, as JSON to standard output."""
    lib = Library(name)
    names, found = names_for(lib), {}
    for line in LINES.strip().splitlines():
        title, *texts = [part.strip() for part in line.split("|")]
        text = texts[-1] if name == "torch" else texts[0]
        if text == "-" or (wanted and title not in wanted):
            continue
        try:
            found[title] = measure(eval(f"lambda: {text}", names), lib.wait)   # pylint: disable=eval-used
        except Exception as e:
            found[title] = f"{type(e).__name__}: {str(e)[:60]}"
    print(json.dumps(found))


def show(results):
    ours, *others = results.values()
    rows = []
    for title, time_of_ours in ours.items():
        theirs = [r.get(title) for r in others]
        numbers = [t for t in theirs if isinstance(t, float)]
        ratio = min(numbers) / time_of_ours if numbers and isinstance(time_of_ours, float) else 0
        rows.append((ratio, title, [time_of_ours, *theirs]))
    print("best other / ours | operation | " + " | ".join(results))
    for ratio, title, times in sorted(rows, key=lambda row: row[0]):
        print(f"{ratio:.2f} | {title} | " + " | ".join(f"{t:.4f}" if isinstance(t, float) else str(t) for t in times))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("lines", nargs="*", metavar="NAME")
    parser.add_argument("--libraries", default="heddle,torch,cupy")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        run_library(options.one, options.lines)
        return
    results = {}
    for name in options.libraries.split(","):
        made = subprocess.run([sys.executable, __file__, "--one", name, *options.lines], stdout=subprocess.PIPE, text=True, check=False)
        results[name] = json.loads(made.stdout) if made.returncode == 0 else {}
    show(results)


if __name__ == "__main__":
    main()
