# SPDX-License-Identifier: BSD-3-Clause
"""Many operations and shapes on the CPU beside NumPy, to find what is slow that no line of workloads.py is about.

    python bench/cpu_sweep.py [--sizes 100,10000,4000000] [NAME ...]

A process for each library (threads that one BLAS keeps spinning slow down the other's), each result waited for; microseconds, the
best of some turns. What is below 1 in the first column, NumPy's time by Heddle's, is to be looked at.
"""
import argparse
import importlib
import json
import subprocess
import sys
import time

import numpy

# name | text; m is the module. N is about the number of elements, R its root: F, G, D, ... are of N, S and S2 are R x R, TALL is
# N / 10 x 10, WIDE 10 x N / 10, K a cube.
LINES = """
add f4 | F + G
add f8 | D + D
add i4 | I + I
add i8 | L + L
add u1 | U + U
add f2 | H + H
multiply c8 | C * C
multiply c16 | Z * Z
in place | add_in_place(F)
every second | F[::2] + G[::2]
a row to all | S + S[0]
a column to all | S + S[:, :1]
outer sum | S[0] + S[:, :1]
plus transposed | S + S2.T
reversed copy | S[::-1, ::-1].copy()
where | m.where(B, F, G)
compare | F > G
logical and | B & B
invert | ~B
f4 to f8 | F.astype("f8")
u1 to f4 | U.astype("f4")
f4 to i4 | F.astype("i4")
exp f4 | m.exp(F)
exp f8 | m.exp(D)
log f8 | m.log(D)
log1p f8 | m.log1p(D)
sin f4 | m.sin(F)
cos f8 | m.cos(D)
tan f8 | m.tan(D)
arcsin f8 | m.arcsin(D)
arctan f4 | m.arctan(F)
tanh f4 | m.tanh(F)
sqrt f8 | m.sqrt(D)
cbrt f8 | m.cbrt(D)
exp c16 | m.exp(Z)
sqrt c16 | m.sqrt(Z)
power f4 | F ** G
square f4 | F ** 2
cube f8 | D ** 3
half f8 | D ** 0.5
divide f8 | D / D
floor divide i4 | I // 7
floor divide i8 arrays | L // L1
remainder i8 | L % 7
remainder f4 | F % 0.3
fmod f8 | m.fmod(D, 0.3)
divmod f8 | m.divmod(D, 0.3)
arctan2 | m.arctan2(F, G)
hypot | m.hypot(D, D)
logaddexp | m.logaddexp(F, G)
absolute c8 | abs(C)
angle | m.angle(C)
sign | m.sign(F)
rint | m.rint(D)
round 2 | m.round(D, 2)
floor f4 | m.floor(F)
clip | m.clip(F, .2, .8)
maximum | m.maximum(F, G)
fmax | m.fmax(F, G)
isnan | m.isnan(F)
isfinite all | m.isfinite(F).all()
nan to num | m.nan_to_num(F)
shift i4 | I << 2
gcd i8 | m.gcd(L, L1)
sum f4 | F.sum()
sum f8 | D.sum()
sum i4 | I.sum()
sum i8 | L.sum()
sum u1 | U.sum()
sum f2 | H.sum()
sum c8 | C.sum()
mean f4 | F.mean()
mean u1 | U.mean()
max f4 | F.max()
max i8 | L.max()
max u1 | U.max()
argmax f4 | F.argmax()
argmin i8 | L.argmin()
argmax bool | B.argmax()
std f4 | F.std()
var f8 | D.var()
prod f8 | D.prod()
any | B.any()
all | B.all()
count nonzero bool | m.count_nonzero(B)
count nonzero f4 | m.count_nonzero(F)
nansum | m.nansum(F)
nanmax | m.nanmax(F)
nanmean | m.nanmean(F)
ptp | m.ptp(F)
every second sum | F[::2].sum()
sum square axis 0 | S.sum(0)
sum square axis 1 | S.sum(1)
sum tall axis 0 | TALL.sum(0)
sum tall axis 1 | TALL.sum(1)
sum wide axis 0 | WIDE.sum(0)
sum wide axis 1 | WIDE.sum(1)
max tall axis 0 | TALL.max(0)
max tall axis 1 | TALL.max(1)
argmax square axis 0 | S.argmax(0)
argmax square axis 1 | S.argmax(1)
argmax tall axis 1 | TALL.argmax(1)
std tall axis 0 | TALL.std(0)
std square axis 1 | S.std(1)
mean tall axis 1 | TALL.mean(1)
any tall axis 1 | (TALL > .9).any(1)
sum of i4 tall axis 0 | I.reshape(-1, 10).sum(0)
sum u1 square axis 0 | U[:R * R].reshape(R, R).sum(0)
sum cube axis 1 | K.sum(1)
sum cube axes 0 and 2 | K.sum((0, 2))
sum of a transposed | S.T.sum(0)
center columns | TALL - TALL.mean(0)
normalize rows | (TALL - TALL.mean(1)[:, None]) / TALL.std(1)[:, None]
distances | m.sqrt(((TALL - TALL[0]) ** 2).sum(1))
softmax | softmax(S)
average weighted | m.average(F, weights=G)
cumsum f4 | F.cumsum(0)
cumsum f8 | D.cumsum(0)
cumsum i8 | L.cumsum(0)
cumsum axis 0 | S.cumsum(0)
cumsum axis 1 | S.cumsum(1)
cumprod f8 | m.cumprod(D)
maximum accumulate | m.maximum.accumulate(F)
diff | m.diff(F)
diff axis 0 | m.diff(S, axis=0)
gradient | m.gradient(D)
trapezoid | m.trapezoid(D)
interp | m.interp(D, XS, YS)
sort f4 | m.sort(F)
sort f8 | m.sort(D)
sort i4 | m.sort(I)
sort i8 | m.sort(L)
sort u1 | m.sort(U)
sort rows | m.sort(S, 1)
sort columns | m.sort(S, 0)
sort rows of 10 | m.sort(TALL, 1)
argsort f4 | m.argsort(F)
argsort i8 | m.argsort(L)
argsort rows | m.argsort(S, 1)
stable argsort | m.argsort(L, kind="stable")
lexsort | m.lexsort((I, L))
median | m.median(F)
median rows | m.median(S, 1)
percentile | m.percentile(F, 30)
quantiles | m.quantile(F, [.1, .5, .9])
partition | m.partition(F, N // 2)
argpartition | m.argpartition(F, N // 2)
unique i4 | m.unique(I)
unique f8 | m.unique(D)
unique counts | m.unique(I, return_counts=True)
isin | m.isin(I, SOME)
bincount | m.bincount(I)
bincount weights | m.bincount(I, D)
histogram | m.histogram(F, 100)[0]
histogram of given bins | m.histogram(F, BINS)[0]
histogram2d | m.histogram2d(F, G, 20)[0]
digitize | m.digitize(D, BINS)
searchsorted | m.searchsorted(BINS, D)
searchsorted many | m.searchsorted(SORTED, D)
take | F[AT]
take i8 | L[AT]
take rows | TALL[ROWS]
take rows of S | S[RAT]
take columns | S[:, RAT]
take pairs | S[RAT, RAT]
take along axis | m.take_along_axis(S, ORDER, 1)
mask | F[B]
mask sparse | F[RARE]
mask rows | TALL[TALL[:, 0] > .5]
compress by compare | F[F > .5]
nonzero | m.nonzero(B)
argwhere | m.argwhere(B)
where three | m.where(F > .5, F, 0)
set by mask | set_by(F, B)
set by places | set_by(F, AT)
set rows | set_by(TALL, ROWS)
set slice | set_slice(F)
add at | add_at(F, AT)
put | put(F, AT)
select | m.select([F > .7, F > .3], [F, G], 0)
choose | m.choose(I % 2, [F, G])
concatenate | m.concatenate([F, G])
concatenate axis 1 | m.concatenate([S, S2], 1)
stack axis 1 | m.stack([F, G], 1)
column stack | m.column_stack([F, G])
repeat | m.repeat(F, 3)
repeat axis 1 | m.repeat(S, 2, 1)
tile | m.tile(S, (2, 2))
roll | m.roll(F, 7)
roll axis 1 | m.roll(S, 7, 1)
pad | m.pad(S, 3)
pad edge | m.pad(S, 3, mode="edge")
flip | m.flip(F).copy()
transposed copy | m.ascontiguousarray(S.T)
transposed copy f8 | m.ascontiguousarray(D[:R * R].reshape(R, R).T)
transposed copy 0, 2, 1 | m.ascontiguousarray(K.transpose(0, 2, 1))
transposed copy 2, 1, 0 | m.ascontiguousarray(K.transpose(2, 1, 0))
reshape of a transposed | S.T.reshape(-1)
copy | F.copy()
copy f8 | D.copy()
every second copy | F[::2].copy()
triu | m.triu(S)
tril f8 | m.tril(D[:R * R].reshape(R, R))
diagonal | m.diagonal(S).copy()
eye | m.eye(R)
meshgrid | m.meshgrid(S[0], S[0])
zeros | m.zeros(N, "f4")
ones | m.ones(N)
full | m.full(N, 3.5)
arange | m.arange(N)
arange f8 | m.arange(0., N)
linspace | m.linspace(0, 1, N)
outer | m.outer(S[0], S[1])
kron | m.kron(S[:10, :10], S[:R // 10 + 1, :R // 10 + 1])
dot f4 | m.dot(F, G)
dot f8 | m.dot(D, D)
dot i8 | m.dot(L, L1)
vdot | m.vdot(D, D)
inner | m.inner(S, S2)
matmul | S @ S2
matmul f8 | Q @ Q
matmul int | I[:RR * RR].reshape(RR, RR) @ I[:RR * RR].reshape(RR, RR)
matrix by vector | S @ S[0]
vector by matrix | S[0] @ S
matmul tall 10x10 | TALL @ TALL[:10]
matmul tall 10x3 | TALL @ TALL[:3].T
matmul tall vector | TALL @ TALL[0]
gram | TALL.T @ TALL
wide by tall f8 | WIDE8 @ WIDE8.T
rotate points | POINTS @ POINTS[:3]
batch 3x3 | B3 @ B3
batch 4x4 by one | B4 @ B4[0]
batch 16x16 | B16 @ B16
batch of matrices by vectors | m.einsum("bij,bj->bi", B4, B4[:, 0])
matvec batch | (B4 @ B4[:, 0][:, :, None])[:, :, 0]
cov | m.cov(WIDE)
corrcoef | m.corrcoef(WIDE)
einsum trace | m.einsum("ii", S)
einsum by rows | m.einsum("ij,ij->i", TALL, TALL)
einsum matmul | m.einsum("ij,jk->ik", S, S2)
einsum three | m.einsum("ij,j,i->", S, S[0], S[1])
tensordot | m.tensordot(TALL, TALL, ([0], [0]))
cross | m.cross(POINTS, POINTS[::-1])
trace | m.trace(S)
norm | m.linalg.norm(F)
norm rows | m.linalg.norm(TALL, axis=1)
det small | m.linalg.det(B3 + EYE3)
inv small | m.linalg.inv(B4 + EYE4)
solve small | m.linalg.solve(B4 + EYE4, B4)
inv | m.linalg.inv(P)
solve | m.linalg.solve(P, P[0])
cholesky | m.linalg.cholesky(P)
eigh | m.linalg.eigh(P)[0]
eigvalsh small | m.linalg.eigvalsh(B3)
svd | m.linalg.svd(P)[1]
svd values small | m.linalg.svdvals(B3)
qr | m.linalg.qr(P)[0]
lstsq | m.linalg.lstsq(TALL8, D[:len(TALL8)], rcond=None)[0]
matrix power | m.linalg.matrix_power(P / 1e4, 5)
polyfit | m.polyfit(D, D, 3)
polyval | m.polyval([1., 2., 3.], D)
fft | m.fft.fft(D)
fft c16 | m.fft.fft(Z)
rfft | m.fft.rfft(D)
irfft | m.fft.irfft(Z)
fft2 | m.fft.fft2(S)
fft rows | m.fft.fft(S)
fft columns | m.fft.fft(S, axis=0)
fft rows of 10 | m.fft.fft(TALL)
fftshift | m.fft.fftshift(S)
convolve short | m.convolve(D, D[:10])
convolve 100 | m.convolve(D, D[:100])
correlate | m.correlate(D, D[:10])
uniform | RNG.random(N)
uniform f4 | RNG.random(N, dtype="f4")
normal | RNG.standard_normal(N)
normal loc | RNG.normal(2., 3., N)
integers | RNG.integers(0, 100, N)
exponential | RNG.exponential(size=N)
permutation | RNG.permutation(N)
choice | RNG.choice(N, N // 10)
float of sum | float(F.sum())
item | F[3].item()
tolist of ten | F[:10].tolist()
ten operations | ten_times(F)
from numpy | m.asarray(HOST).sum()
array of list | m.array(LIST)
loop of ten sums | sums(F)
allclose | m.allclose(F, F)
array equal | m.array_equal(F, F)
unravel | m.unravel_index(AT, (N, 2))
packbits | m.packbits(B)
unwrap | m.unwrap(D)
ediff | m.ediff1d(F)
union | m.union1d(I, SOME)
flatnonzero | m.flatnonzero(F > .9)
apply mask mean | F[F > .5].mean()
moving sum | m.lib.stride_tricks.sliding_window_view(F, 5).sum(1)
broadcast subtract | POINTS[:RS, None] - POINTS[None, :RS]
pairwise distances | m.sqrt(((POINTS[:RS, None] - POINTS[None, :RS]) ** 2).sum(-1))
sum of comparison | (F > .5).sum()
minimum reduce axis 0 | m.minimum.reduce(S, axis=0)
add reduceat | m.add.reduceat(F, EDGES)
add outer | m.add.outer(S[0], S[1])
logical any axis 0 | (S > .5).any(0)
laplace | S[1:-1, 1:-1] * 4 - S[:-2, 1:-1] - S[2:, 1:-1] - S[1:-1, :-2] - S[1:-1, 2:]
"""


def hosts(n):
    """What the lines are about, by name, as NumPy's arrays."""
    rng = numpy.random.default_rng(0)
    r = int(n ** 0.5)
    x = rng.random(n, dtype="f4")
    d = rng.random(n)
    c = int(n ** (1 / 3))
    p = rng.random((min(r, 400), min(r, 400)))
    i = (x * 1000).astype("i4")
    batch = max(1, n // 16)
    return {
        "F": x, "G": x[::-1].copy(), "D": d, "I": i, "L": i.astype("i8"), "L1": (d * 50 + 1).astype("i8"), "B": x > 0.5, "RARE": x > 0.99,
        "C": (x + 1j).astype("c8"), "Z": d - 0.3j, "U": (x * 255).astype("u1"), "H": x.astype("f2"),
        "S": x[:r * r].reshape(r, r), "S2": d[:r * r].astype("f4").reshape(r, r), "K": x[:c ** 3].reshape(c, c, c),
        "Q": d[:r * r].reshape(r, r), "TALL": x[:n // 10 * 10].reshape(-1, 10), "WIDE": x[:n // 10 * 10].reshape(10, -1),
        "WIDE8": d[:n // 10 * 10].reshape(10, -1), "TALL8": d[:n // 10 * 10].reshape(-1, 10)[:20000],
        "POINTS": d[:n // 3 * 3].reshape(-1, 3), "B3": d[:n // 9 * 9].reshape(-1, 3, 3), "EYE3": 3 * numpy.eye(3), "EYE4": 4 * numpy.eye(4),
        "B4": d[:batch * 16].reshape(-1, 4, 4), "B16": numpy.resize(x, (max(1, n // 256), 16, 16)),
        "P": p @ p.T + len(p) * numpy.eye(len(p)), "AT": rng.integers(0, n, n), "ROWS": rng.integers(0, n // 10, n // 20 + 1),
        "RAT": rng.integers(0, r, max(r // 2, 1)), "ORDER": numpy.argsort(x[:r * r].reshape(r, r), 1), "BINS": numpy.sort(rng.random(50)),
        "SORTED": numpy.sort(d), "SOME": numpy.arange(0, 1000, 7, "i4"), "XS": numpy.linspace(0, 1, 100), "YS": numpy.sin(numpy.linspace(0, 1, 100)),
        "EDGES": numpy.arange(0, n, max(1, n // 20))}


def add_in_place(x):
    x += 0
    return x


def set_by(x, index):
    x = x.copy()
    x[index] = 1
    return x


def set_slice(x):
    x = x.copy()
    x[1:-1] = x[2:] * 2
    return x


def put(x, at):
    x = x.copy()
    x[at] = x
    return x


def ten_times(x):
    for _ in range(10):
        x = x * 1.5 + 1
    return x


def names_for(m, host, n):
    """All that the lines may say."""
    def add_at(x, at):
        x = x.copy()
        m.add.at(x, at, x)
        return x

    def softmax(x):
        e = m.exp(x - x.max(1, keepdims=True))
        return e / e.sum(1, keepdims=True)

    def sums(x):
        return [float(x[k:k + 100].sum()) for k in range(10)]
    at = {name: m.asarray(value) for name, value in host.items()}
    r = len(host["S"])
    return {**at, "m": m, "N": n, "R": r, "RR": min(r, 300), "RS": min(r, 1000), "RNG": m.random.default_rng(1), "HOST": host["F"],
            "LIST": host["D"][:1000].tolist(), "add_at": add_at, "softmax": softmax, "sums": sums, "add_in_place": add_in_place, "set_by": set_by,
            "set_slice": set_slice, "put": put, "ten_times": ten_times}


def measure(call):
    """Microseconds: the best of some turns, each of a millisecond or more."""
    n = 1
    while True:
        start = time.perf_counter()
        for _ in range(n):
            call()
        best = time.perf_counter() - start
        if best > 1e-3:
            break
        n *= 4
    end = time.perf_counter() + 0.06
    for turn in range(30):
        if turn > 3 and time.perf_counter() > end:
            break
        start = time.perf_counter()
        for _ in range(n):
            call()
        best = min(best, time.perf_counter() - start)
    return best / n * 1e6


def run_library(name, n, wanted):
    """{line: microseconds, or what went wrong}, as JSON to standard output."""
    m, found = importlib.import_module(name), {}
    names = names_for(m, hosts(n), n)
    for line in LINES.strip().splitlines():
        title, text = (part.strip() for part in line.split("|", 1))
        if wanted and title not in wanted:
            continue
        run = eval(f"lambda: {text}", names)   # pylint: disable=eval-used

        def waited(run=run):
            kept = run()
            m.synchronize()
            return kept
        try:
            found[title] = measure(run if m is numpy else waited)
        except Exception as e:
            found[title] = f"{type(e).__name__}: {str(e)[:60]}"
    print(json.dumps(found))


def show(numpys, ours):
    rows = []
    for title, b in ours.items():
        a = numpys.get(title)
        known = isinstance(a, float) and isinstance(b, float)
        rows.append((a / b if known else 0, title, f"{a:.2f} | {b:.2f}" if known else f"{a} | {b}"))
    for ratio, title, text in sorted(rows):
        print(f"{ratio:.2f} | {title} | {text}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("lines", nargs="*", metavar="NAME")
    parser.add_argument("--sizes", default="100,10000,4000000")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        run_library(options.one, int(options.sizes), options.lines)
        return
    for n in options.sizes.split(","):
        print(f"\n{n} elements: NumPy / Heddle | operation | NumPy us | Heddle us")
        made = [subprocess.run([sys.executable, __file__, "--one", name, "--sizes", n, *options.lines], stdout=subprocess.PIPE,
                               text=True, check=True).stdout for name in ("numpy", "heddle")]
        show(*map(json.loads, made))


if __name__ == "__main__":
    main()
