# SPDX-License-Identifier: BSD-3-Clause
"""Statements as they stand in loops of ordinary NumPy programs, over elements and small arrays.

    statements.py                     all, the slowest beside NumPy first
    statements.py elements            a group: elements, small, read, index, make, linear, draw, few
    statements.py outer 'v[[]i[]]*'   statements that contain this, or that this pattern fits
    statements.py --order table       in the order of the table, each as it comes
    statements.py --csv FILE          the figures to a file as well

NumPy and Heddle are measured in one process, by turns. A turn lasts some milliseconds and ends when
all that is pending has run. The value of an expression is kept until a thousand others have come
after it, so that nothing is dropped unread (--drop: it is not kept, and need not be computed).
Times are nanoseconds of one statement, its share of the loop included (20 to 40 ns), the median of
the turns and the best; ratios are NumPy's time by Heddle's, of the medians and of the best turns.
Where a machine has other work to do, the best are the ones to look at.
"""

import argparse
import ast
import collections
import csv
import dataclasses
import fnmatch
import importlib
import statistics
import sys
import textwrap
import time
import warnings

import numpy

import report

TURN_SECONDS = 0.003  # a turn lasts about so long: less than what a scheduler gives to others
WARM_SECONDS = 0.1  # of each statement with each library before the turns
KEPT = 1000  # values; more than the window holds (HDI_WINDOW_MAX)


@dataclasses.dataclass
class Statement:
    """What is measured, in a loop `for {over}`; `begin`, before each pass, is measured too."""

    text: str
    over: str = "_ in range(100)"
    begin: str = "pass"
    note: str = ""  # sizes, where the text does not say them
    group: str = ""

    @property
    def title(self):
        text = self.text.replace(":\n    ", ": ").replace("\n", "; ")
        return f"{text}  ({self.note})" if self.note else text


S = Statement
I100, I99, I20 = "i in range(100)", "i in range(1, 100)", "i in range(20)"
K19 = "k in range(19)"  # columns of a matrix of 20 x 20 in LU

# Group -> what stands before the loop, the same text for both libraries, and the statements.
TABLE = {
    "elements": (
        """
        v, w = np.linspace(0, 1, 100), np.linspace(0.2, 0.7, 100)
        n = np.arange(20)
        A = np.linspace(0.01, 1, 400).reshape(20, 20)
        x = np.linspace(0.1, 1, 10)
        s, t, i, j = v[30], v[60], 7, 50
        total = 0.0
        """,
        [
            S("r = bool(s < t)"),
            S("if s < t: pass"),
            S("if v[i] > 1: pass", I100),
            S("if v[i] > best: best = v[i]", I100, "best = -1.0"),
            S("v[i] = 2.0", I100),
            S("v[i] = v[j] + 1"),
            S("v[i] = v[i - 1] + 1", I99),
            S("v[i] = 0.5 * (v[i - 1] + v[i + 1])", "i in range(1, 99)"),
            S("v[i], v[i - 1] = v[i - 1], v[i]", I99),
            S("A[3, j] += A[3, j - 1]", "j in range(1, 20)"),
            S("n[i] += 1", I20),
            S("A[i, j]", "i, j in [(i, j) for i in range(10) for j in range(20)]"),
            S("f = float(v[3])"),
            S("f = float(v[i])", I100),
            S("f = int(n[i])", I20),
            S("abs(s)"),
            S("s * 2 + 1"),
            S("v[i] * 2 + 1", I100),
            S("math.sqrt(v[i])", I100),
            S("np.sqrt(v[i])", I100),
            S("np.sin(v[i])", I100),
            S("total += v[i]", I100),
            S("min(v[i], w[j])", I100),
            S("for e in x: pass", note="10"),
            S("for e in x: total += e", note="10"),
        ],
    ),
    "small": (
        """
        x, y = np.linspace(0.1, 1, 10), np.linspace(0.7, 0.2, 10)
        u, h = np.linspace(0, 1, 300), np.linspace(1, 0, 300)
        """,
        [
            S("x = x + 1", note="10"),
            S("x + y", note="10"),
            S("u + h", note="300"),
            S("x += y", note="10"),
            S("3.5 * x**2 + 2.8 * y + 10", note="10"),
            S("np.sqrt(x)", note="10"),
            S("np.exp(-x)", note="10"),
            S("np.exp(-u)", note="300"),
            S("np.maximum(x, 0)", note="10"),
            S("np.where(x > 0.5, x, 0)", note="10"),
            S("np.clip(u, 0.2, 0.8)", note="300"),
            S("x[1:] - x[:-1]", note="10"),
            S("u[1:-1] = 0.5 * (u[2:] + u[:-2])", note="300"),
        ],
    ),
    "read": (
        """
        x, y = np.linspace(0.1, 1, 10), np.linspace(0.7, 0.2, 10)
        u = np.linspace(0, 1, 300)
        A = np.linspace(0.01, 1, 400).reshape(20, 20)
        """,
        [
            S("f = float(x.sum())", note="10"),
            S("f = float(u.sum())", note="300"),
            S("f = float(x.mean())", note="10"),
            S("f = float(np.dot(x, y))", note="10"),
            S("k = int(u.argmax())", note="300"),
            S("f = float(np.linalg.norm(x))", note="10"),
            S("f = float(u[i:i + 20].max())", I100),
            S("row = A[i]\nf = float(row.sum())", I20, note="row of 20"),
            S("if (x > 2).any(): pass", note="10"),
            S("if np.abs(x - y).max() < 1e-3: pass", note="10"),
            S("if np.allclose(x, y): pass", note="10"),
            S("x.tolist()", note="10"),
        ],
    ),
    "index": (
        """
        x, A = np.linspace(0.1, 1, 100), np.linspace(0.01, 1, 400).reshape(20, 20)
        mask, idx, row = x > 0.5, np.arange(0, 100, 7), np.linspace(0, 1, 20)
        """,
        [
            S("A[i]", I20, note="20"),
            S("A[i, :] = row", I20, note="20"),
            S("A[i, 5:10] = 0", I20),
            S("A[i] -= 0.001 * A[0]", "i in range(1, 20)", note="20"),
            S("A[[0, i]] = A[[i, 0]]", "i in range(1, 20)", note="rows of 20"),
            S("x[mask]", note="50 of 100"),
            S("x[mask] = 0.7", note="50 of 100"),
            S("x[idx]", note="15 of 100"),
            S("x[idx] += 1", note="15 of 100"),
            S("x.reshape(10, 10)"),
            S("A.T[i] + row", I20, note="20"),
        ],
    ),
    "make": (
        """
        x, y, v = np.linspace(0.1, 1, 10), np.linspace(0.7, 0.2, 10), np.linspace(0, 1, 100)
        """,
        [
            S("np.array([1., 2., 3.])"),
            S("np.array([v[i], v[i + 1]])", "i in range(99)"),
            S("np.zeros(10)"),
            S("np.arange(10)"),
            S("x.copy()", note="10"),
            S("np.concatenate([x, y])", note="10 and 10"),
        ],
    ),
    "linear": (
        """
        x, y = np.linspace(0.1, 1, 10), np.linspace(0.7, 0.2, 10)
        P = np.array([[2., 1., 0.], [1., 3., 1.], [0., 1., 4.]])
        p, M = np.array([1., 2., 3.]), np.linspace(0.01, 1, 100).reshape(10, 10)
        B = np.linspace(0.01, 1, 400).reshape(20, 20) + 20 * np.eye(20)
        """,
        [
            S("P @ P", note="3 x 3"),
            S("M @ M", note="10 x 10"),
            S("M @ x", note="10 x 10 by 10"),
            S("x.T @ y", note="10"),
            S("M.sum(axis=0)", note="10 x 10"),
            S("M.max(axis=1)", note="10 x 10"),
            S("np.outer(x, y)", note="10 by 10"),
            S("np.linalg.solve(P, p)", note="3 x 3"),
            S("A[k+1:, k] /= A[k, k]", K19, "A = B.copy()", "LU of 20 x 20"),
            S("A[k+1:, k+1:] -= np.outer(A[k+1:, k], A[k, k+1:])", K19, "A = 0.01 * B",
              "LU of 20 x 20"),
            S("A[k+1:, k] /= A[k, k]\nA[k+1:, k+1:] -= np.outer(A[k+1:, k], A[k, k+1:])", K19,
              "A = B.copy()", "LU of 20 x 20"),
        ],
    ),
    "draw": (
        """
        rng, names, of = np.random.default_rng(7), ["a", "b", "c"], [0.2, 0.3, 0.5]
        seven = np.random.RandomState(7)
        """,
        [
            S("rng.random()"),
            S("rng.random((2, 2))"),
            S("rng.normal(1.0, 2.0)"),
            S("rng.exponential(2.0)"),
            S("rng.laplace()"),
            S("rng.standard_t(3.0)"),
            S("rng.gamma(2.0, 2.0)"),
            S("rng.vonmises(0.0, 2.0)"),
            S("rng.zipf(2.0)"),
            S("rng.poisson(3.0)"),
            S("rng.binomial(10, 0.5)"),
            S("rng.hypergeometric(10, 20, 5)"),
            S("rng.multinomial(10, of)"),
            S("rng.shuffle(names)"),
            S("rng.choice(names)"),
            S("np.random.rand()"),
            S("np.random.standard_exponential()"),
            S("seven.rand()"),
        ],
    ),
    "few": (
        """
        x, k, f = np.linspace(0.1, 1, 10), np.arange(10), 0.5
        A, text = np.linspace(0.01, 1, 100).reshape(10, 10), ["a", "b"]
        numbers, y, m, raw = list(range(10)), x + 1, x > 0.5, bytes(80)
        """,
        [
            S("np.sqrt(f)"),
            S("np.add(f, 1.0)"),
            S("np.array(text)"),
            S("np.interp(f, x, x)", note="10 points"),
            S("np.count_nonzero(x)", note="10"),
            S("np.fromiter(numbers, float)", note="10"),
            S("np.delete(x, 2)", note="10"),
            S("np.delete(x, [2, 3])", note="10"),
            S("np.insert(x, 2, 1.0)", note="10"),
            S("np.repeat(x, k)", note="10"),
            S("np.packbits(x > 0.5)", note="10"),
            S("np.unravel_index(5, (3, 4))"),
            S("np.ravel_multi_index((1, 2), (3, 4))"),
            S("np.lexsort((x, k))", note="10"),
            S("x.argsort()", note="10"),
            S("x.sort()", note="10"),
            S("np.einsum('ij,j', A, x)", note="10 x 10 by 10"),
            S("np.fill_diagonal(A, 1.0)", note="10 x 10"),
            S("for place, e in np.ndenumerate(A): pass", note="10 x 10"),
            S("for e in A.flat: pass", note="10 x 10"),
            S("x[k] = 0.5", note="10"),
            S("x[k] = y", note="10"),
            S("np.sort(x)", note="10"),
            S("np.argmax(x)", note="10"),
            S("np.argsort(x)", note="10"),
            S("np.dot(x, y)", note="10"),
            S("np.einsum('ii', A)", note="10 x 10"),
            S("np.place(x, m, 0.5)", note="10"),
            S("np.frombuffer(raw)", note="10"),
            S("x.tobytes()", note="10"),
            S("x[m]", note="10"),
            S("x[m] = 0.5", note="10"),
            S("m & (x > 0.2)", note="10"),
            S("np.where(m)", note="10"),
        ],
    ),
    "views": (
        """
        x, y = np.linspace(0.1, 1, 10), np.linspace(0.7, 0.2, 10)
        A, C = np.linspace(0.01, 1, 100).reshape(10, 10), np.linspace(0, 1, 10).reshape(10, 1)
        """,
        [
            S("C.squeeze()", note="10 x 1"),
            S("A.ravel()", note="10 x 10"),
            S("A.reshape(-1)", note="10 x 10"),
            S("A.flatten()", note="10 x 10"),
            S("A.T", note="10 x 10"),
            S("A.transpose(1, 0)", note="10 x 10"),
            S("A.swapaxes(0, 1)", note="10 x 10"),
            S("A[..., 0]", note="10 x 10"),
            S("A[:, 0]", note="10 x 10"),
            S("A[2:5, 2:5]", note="10 x 10"),
            S("x[:, None]", note="10"),
            S("x[::-1]", note="10"),
            S("x.view()", note="10"),
            S("A.diagonal()", note="10 x 10"),
            S("np.ravel(A)", note="10 x 10"),
            S("np.transpose(A)", note="10 x 10"),
            S("np.expand_dims(x, 0)", note="10"),
            S("np.broadcast_to(x, (10, 10))", note="10"),
            S("np.atleast_2d(x)", note="10"),
            S("np.flip(x)", note="10"),
            S("np.asarray(x)", note="10"),
            S("np.ascontiguousarray(A.T)", note="10 x 10"),
            S("x.shape[0]", note="10"),
            S("len(x)", note="10"),
        ],
    ),
    "more": (
        """
        x, y = np.linspace(0.1, 1, 10), np.linspace(0.7, 0.2, 10)
        A, k, m = np.linspace(0.01, 1, 100).reshape(10, 10), np.arange(10), x > 0.5
        P, p = np.array([[2., 1., 0.], [1., 3., 1.], [0., 1., 4.]]), np.array([1., 2., 3.])
        value = x.sum()
        """,
        [
            S("value + 1"),
            S("value * x", note="10"),
            S("x.item(2)", note="10"),
            S("x.fill(0.5)", note="10"),
            S("x.take([1, 3])", note="10"),
            S("x.searchsorted(0.3)", note="10"),
            S("x.cumsum()", note="10"),
            S("x.astype(int)", note="10"),
            S("x.round(2)", note="10"),
            S("x.min()", note="10"),
            S("x.std()", note="10"),
            S("np.sum(x)", note="10"),
            S("np.mean(x)", note="10"),
            S("np.median(x)", note="10"),
            S("np.percentile(x, 50)", note="10"),
            S("np.all(m)", note="10"),
            S("np.isnan(x).any()", note="10"),
            S("np.array_equal(x, y)", note="10"),
            S("np.add.reduce(x)", note="10"),
            S("np.zeros((11, 11))"),
            S("np.ones(10)"),
            S("np.full(10, 2.0)"),
            S("np.eye(3)"),
            S("np.zeros_like(x)", note="10"),
            S("np.empty(10)"),
            S("np.arange(0, 1, 0.1)"),
            S("np.linspace(0, 1, 11)"),
            S("np.stack([x, y])", note="10"),
            S("np.vstack([x, y])", note="10"),
            S("np.hstack([x, y])", note="10"),
            S("np.append(x, 1.0)", note="10"),
            S("np.tile(x, 2)", note="10"),
            S("np.roll(x, 1)", note="10"),
            S("np.diff(x)", note="10"),
            S("np.cross(p, p)"),
            S("np.kron(P, P)", note="3 x 3"),
            S("np.linalg.det(P)", note="3 x 3"),
            S("np.linalg.inv(P)", note="3 x 3"),
            S("np.meshgrid(x, y)", note="10"),
            S("np.diag(x)", note="10"),
            S("np.triu(P)", note="3 x 3"),
            S("np.trace(P)", note="3 x 3"),
            S("np.unique(k)", note="10"),
            S("np.isin(k, [2, 3])", note="10"),
            S("np.nonzero(m)", note="10"),
            S("np.argwhere(m)", note="10"),
            S("np.searchsorted(x, y)", note="10"),
            S("np.histogram(x, 5)", note="10"),
            S("np.bincount(k)", note="10"),
            S("np.polyval([1.0, 2.0, 3.0], x)", note="10"),
            S("np.polyfit(x, y, 1)", note="10"),
            S("np.trapezoid(y, x)", note="10"),
            S("np.cov(P)", note="3 x 3"),
        ],
    ),
}

SOURCE = """
import math

def timed(np, rounds, clock, keep):
    wait = getattr(np, "synchronize", lambda: None)
{setup}
    wait()
    started = clock()
    for _ in range(rounds):
        {begin}
        for {over}:
{body}
    wait()
    return clock() - started
"""


def statements():
    """All of the table, each with its group."""
    for group, (_, lines) in TABLE.items():
        for s in lines:
            s.group = group
            yield s


def chosen(patterns):
    """Those that a pattern fits: a group, a piece of the text, or with * and ?."""
    found = list(statements())
    if not patterns:
        return found

    def fits(s, pattern):
        return pattern == s.group or pattern in s.text or fnmatch.fnmatch(s.text, pattern)

    return [s for s in found if any(fits(s, p) for p in patterns)]


def function_of(s, drop):
    """timed(module, rounds, clock, keep) of a statement: seconds."""
    only = ast.parse(s.text).body[0]
    body = s.text
    if isinstance(only, ast.Expr):
        body = f"r = {s.text}" if drop else f"keep({s.text})"
    setup = textwrap.indent(textwrap.dedent(TABLE[s.group][0]).strip(), " " * 4)
    scope = {}
    text = SOURCE.format(setup=setup, begin=s.begin, over=s.over,
                         body=textwrap.indent(body, " " * 12))
    exec(compile(text, s.title, "exec"), scope)
    return scope["timed"]


class Peer:
    """A library and one statement: how many rounds make a turn, and what the turns took."""

    def __init__(self, module, timed, per):
        self.module, self.timed, self.per = module, timed, per
        self.seconds = []
        self.rounds = 1
        begun, best = time.perf_counter(), float("inf")
        while time.perf_counter() - begun < WARM_SECONDS:
            best = min(best, self.run())
            if best < TURN_SECONDS / 2:
                self.rounds, best = self.rounds * 2, best * 2
        self.rounds = max(1, round(self.rounds * TURN_SECONDS / best))

    def run(self):
        keep = collections.deque(maxlen=KEPT).append
        return self.timed(self.module, self.rounds, time.perf_counter, keep)

    def turn(self):
        self.seconds.append(self.run() / self.rounds / self.per)

    def summary(self):
        return {"median": statistics.median(self.seconds), "best": min(self.seconds)}


def measure(s, modules, repeats, drop):
    """{"statement": s, module: summary ...}; "failed" says what went wrong instead."""
    row, peers, name = {"statement": s}, {}, "the table"
    try:
        timed = function_of(s, drop)
        per = eval(f"sum(1 for {s.over})")
        for name, module in modules.items():
            peers[name] = Peer(module, timed, per)
        for _ in range(repeats):
            for name, peer in peers.items():
                peer.turn()
    except Exception as e:  # the others are measured all the same
        return row | {"failed": f"{name}: {type(e).__name__}: {e}"}
    row |= {name: peer.summary() for name, peer in peers.items()}
    return row


def ratio(row, figure="median"):
    return row["numpy"][figure] / row["heddle"][figure]


def line_of(row):
    s = row["statement"]
    if "failed" in row:
        return f"{'failed':>7} {'':51} {s.group:9}{s.title}: {row['failed'][:150]}"
    times = "".join(f"{row[m][f] * 1e9:11.0f}" for m in ("numpy", "heddle")
                    for f in ("median", "best"))
    return f"{ratio(row):7.2f} {ratio(row, 'best'):7.2f} {times} {s.group:9}{s.title}"


HEAD = (f"{'ratio':>7} {'best':>7} {'NumPy ns':>11}{'best':>11}{'Heddle ns':>11}{'best':>11} "
        f"{'group':9}statement")


def print_means(rows):
    """Geometric means of NumPy's time by Heddle's: of groups and of all."""
    groups = {g: [r for r in rows if r["statement"].group == g] for g in TABLE}
    print()
    for group, some in {**groups, "all": rows}.items():
        if some:
            medians, bests = (statistics.geometric_mean(ratio(r, f) for r in some)
                              for f in ("median", "best"))
            slower = sum(ratio(r) < 1 for r in some)
            print(f"{medians:7.2f} geometric mean of {len(some)} ({group}; {bests:.2f} by best "
                  f"turns); {slower} slower than NumPy")


def write_csv(rows, path):
    with open(path, "w", encoding="utf-8", newline="") as file:
        out = csv.writer(file)
        out.writerow(["group", "statement", "numpy_median_ns", "numpy_best_ns",
                      "heddle_median_ns", "heddle_best_ns", "ratio", "ratio_best", "failed"])
        for row in rows:
            s, known = row["statement"], "failed" not in row
            times = [f"{row[m][f] * 1e9:.1f}" if known else "" for m in ("numpy", "heddle")
                     for f in ("median", "best")]
            ratios = [f"{ratio(row, f):.3f}" if known else "" for f in ("median", "best")]
            out.writerow([s.group, s.title, *times, *ratios, row.get("failed", "")])


def set_mode(heddle, mode):
    """on and off for heddle.set_fusion; any other name only where that knows names."""
    if not hasattr(heddle, "set_fusion"):
        sys.exit("this Heddle has no set_fusion")
    value = {"on": True, "off": False}.get(mode, mode)
    before = heddle.set_fusion(value)
    if value is mode and not isinstance(before, str):
        sys.exit(f"this Heddle's set_fusion knows on and off, not {mode}")


def parse():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help="groups, pieces of text, patterns")
    parser.add_argument("--repeats", type=int, default=15, help="turns of each library (15)")
    parser.add_argument("--order", choices=("ratio", "table"), default="ratio")
    parser.add_argument("--mode", help="on, off: heddle.set_fusion")
    parser.add_argument("--drop", action="store_true", help="values of expressions are not kept")
    parser.add_argument("--csv", metavar="FILE", help="write the figures there")
    parser.add_argument("--list", action="store_true", help="print the statements")
    return parser.parse_args()


def main():
    args = parse()
    asked = chosen(args.names)
    if not asked:
        sys.exit("no such statement; --list prints them")
    if args.list:
        print("\n".join(f"{s.group:9}{s.title}" for s in asked))
        return 0
    warnings.simplefilter("ignore")
    heddle = importlib.import_module("heddle")
    if args.mode:
        set_mode(heddle, args.mode)
    rows, names = [], {f"{s.group} {k}": s for k, s in enumerate(asked, 1)}
    if args.order == "table":
        print(HEAD)
    for name in names if args.order == "table" else report.progress(names):
        rows.append(measure(names[name], {"numpy": numpy, "heddle": heddle}, args.repeats,
                            args.drop))
        if args.order == "table":
            print(line_of(rows[-1]), flush=True)
    good = [r for r in rows if "failed" not in r]
    if args.order == "ratio":
        bad = [r for r in rows if "failed" in r]
        print("\n".join([HEAD, *map(line_of, bad + sorted(good, key=ratio))]))
    print_means(good)
    if args.csv:
        write_csv(rows, args.csv)
    return 0 if len(good) == len(rows) else 1


if __name__ == "__main__":
    sys.exit(main())
