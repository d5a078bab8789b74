# SPDX-License-Identifier: BSD-3-Clause
"""Python's standard library with our arrays: NumPy's answers, and what is otherwise (docs/python-standard-library.md)."""
import array
import asyncio
import bisect
import cmath
import collections
import concurrent.futures
import contextvars
import copy
import csv
import dataclasses
import datetime
import decimal
import enum
import fractions
import functools
import heapq
import io
import itertools
import json
import logging
import math
import multiprocessing
import operator
import pickle
import random
import signal
import sqlite3
import statistics
import struct
import tempfile
import threading
import time
import warnings
import weakref
from types import SimpleNamespace

import numpy as np
import pytest

from common import ON_HOST, needs_fork, needs_heddle, shares_memory, xp

pytestmark = needs_heddle


def given(module):
    """The arrays and scalars of the cases."""
    v = SimpleNamespace(np=module, x=module.arange(6.0).reshape(2, 3), n=module.arange(5),
                        u=module.asarray([3.0, 1.0, 2.0]))
    v.s, v.i, v.b, v.c = v.x[1, 2], v.n[3], (v.x > 2)[0, 0], module.asarray([1 + 2j])[0]
    return v


def results(module):
    """The same with results of reductions for scalars: ours are arrays without axes, on every device."""
    v = given(module)
    v.s, v.i, v.b, v.c = v.x.max(), v.n[:4].max(), (v.x > 2).any(), module.asarray([1 + 2j]).sum()
    return v


class Color(enum.IntEnum):
    RED = 1
    BLUE = 2


@dataclasses.dataclass
class Pair:
    a: object
    n: int = 3


def heap_order(values):
    heapq.heapify(h := list(values))
    return [heapq.heappop(h) for _ in range(len(h))]


def cached(v):
    @functools.lru_cache
    def double(value):
        return value * 2
    return [double(v.s), double(v.x[1, 2]), double(5.0), double.cache_info().hits]


def written(write, *arguments):
    file = io.StringIO() if write is csv.writer else io.BytesIO()
    if write is csv.writer:
        csv.writer(file).writerows(*arguments)
    else:
        write(file, *arguments)
    return file


def loaded(v):
    file = written(v.np.save, v.x)
    file.seek(0)
    return v.np.load(file)


def of_file(v):
    with tempfile.NamedTemporaryFile() as file:
        v.x.tofile(file)
        file.flush()
        return v.np.fromfile(file.name)


def inserted(items, value):
    bisect.insort(items, value)
    return items


def shuffled(items, seed=1):
    random.Random(seed).shuffle(items)
    return items


def through(variable, value):
    variable.set(value)
    return variable.get() is value


def appended(a, *values):
    a.extend(values)
    return a


CASES = {
    "json.tolist": lambda v: json.dumps(v.x.tolist()),
    "json.item": lambda v: json.dumps([v.s.item(), v.i.item(), v.b.item()]),
    "json.array": lambda v: json.dumps(v.x), "json.int": lambda v: json.dumps(v.i),
    "json.default": lambda v: json.dumps({"a": v.x, "i": v.i}, default=lambda a: a.tolist()),
    "statistics.stdev": lambda v: statistics.stdev(v.x[0]),
    "statistics.fmean": lambda v: statistics.fmean(v.x[0]),
    "statistics.median": lambda v: statistics.median(v.x[0]),
    "statistics.mode": lambda v: statistics.mode(v.n),
    "statistics.quantiles": lambda v: statistics.quantiles(v.x[0]),
    "statistics.of_a_list": lambda v: statistics.stdev(v.x[0].tolist()),
    "sqlite3.item": lambda v: sqlite3.connect(":memory:").execute("select ?, ?",
        (v.s.item(), v.i.item())).fetchone(),
    "sqlite3.bytes": lambda v: sqlite3.connect(":memory:").execute("select ?",
        (v.x.tobytes(),)).fetchone(),
    "decimal.item": lambda v: decimal.Decimal(v.s.item()) / 2,
    "fractions.item": lambda v: fractions.Fraction(v.i.item(), 2),
    "datetime.item": lambda v: datetime.timedelta(days=v.i.item(), seconds=v.s.item()),
    "datetime.date": lambda v: datetime.date(2020, 1, v.i),
    "struct.pack": lambda v: struct.pack("di?", v.s, v.i, v.b),
    "struct.unpack": lambda v: struct.unpack("6d", v.x.tobytes()),
    "struct.iter": lambda v: [a for a, in struct.iter_unpack("d", v.x.tobytes())],
    "array.array": lambda v: array.array("d", v.x[0]),
    "array.frombytes": lambda v: array.array("d", v.x.tobytes()),
    "array.asarray": lambda v: v.np.asarray(array.array("i", [1, 2])),
    "array.extend": lambda v: appended(array.array("d"), v.s, v.i),
    **{f"math.{f}": lambda v, f=f: getattr(math, f)(v.s)
       for f in "sqrt floor ceil exp isfinite fabs trunc frexp modf gamma log2 degrees erf isqrt".split()},
    **{f"math.{f} of ints": lambda v,
       f=f: getattr(math, f)(v.i, v.i) for f in ("gcd", "comb", "perm", "hypot", "atan2", "pow",
           "fmod")},
    "math.fsum": lambda v: math.fsum(v.x[0]), "math.prod": lambda v: math.prod(v.x[1]),
    "math.isclose": lambda v: math.isclose(v.s, 5),
    "math.factorial": lambda v: math.factorial(v.i),
    "math.dist": lambda v: math.dist(v.x[0], v.x[1]),
    "math.ldexp": lambda v: math.ldexp(v.s, v.i), "math.sqrt of an array": lambda v: math.sqrt(v.x),
    "cmath.sqrt": lambda v: cmath.sqrt(v.c), "cmath.phase": lambda v: cmath.phase(v.s),
    "cmath.polar": lambda v: cmath.polar(v.c),
    "operator.index": lambda v: operator.index(v.i),
    "operator.index of a float": lambda v: operator.index(v.s),
    "operator.itemgetter": lambda v: operator.itemgetter(1, (0, 2))(v.x),
    "operator.matmul": lambda v: operator.matmul(v.x, v.x.T),
    "operator.attrgetter": lambda v: operator.attrgetter("shape", "ndim")(v.x),
    "operator.iadd": lambda v: operator.iadd(v.x.copy(), 1),
    "operator.contains": lambda v: operator.contains(v.x, 3.0),
    "operator.truth": lambda v: operator.truth(v.x),
    "operator.methodcaller": lambda v: operator.methodcaller("sum", axis=0)(v.x),
    "operator.length_hint": lambda v: operator.length_hint(v.x),
    "itertools.accumulate": lambda v: list(itertools.accumulate(v.x[0])),
    "itertools.islice": lambda v: list(itertools.islice(v.x[0], v.i)),
    "itertools.product": lambda v: list(itertools.product(v.x[0], v.n[:2])),
    "itertools.repeat": lambda v: list(itertools.repeat(1, v.i)),
    "itertools.groupby": lambda v: [(k, len(list(g))) for k, g in itertools.groupby(v.n // 2)],
    "itertools.chain": lambda v:
    list(itertools.chain(*v.x)),
    "itertools.pairwise": lambda v: [b - a for a, b in itertools.pairwise(v.n)],
    "itertools.compress":
    lambda v: list(itertools.compress("abcde", v.n > 2)),
    "itertools.starmap": lambda v: list(itertools.starmap(max, v.x)),
    "itertools.combinations": lambda v: list(itertools.combinations(v.u, 2)),
    "itertools.takewhile": lambda v:
    list(itertools.takewhile(lambda a: a < 2, v.n)),
    "itertools.zip_longest": lambda v: list(itertools.zip_longest(v.x[0], v.n)),
    "functools.lru_cache": cached,
    "functools.reduce": lambda v: functools.reduce(operator.add, v.x), "functools.partial":
    lambda v: functools.partial(v.np.add, 1)(v.x),
    "functools.cmp_to_key": lambda v: sorted(v.u, key=functools.cmp_to_key(lambda a, b: a - b)),
    "hash": lambda v: [hash(v.s), hash(v.i), hash(v.b), hash(v.c)],
    "hash of an array": lambda v: hash(v.x),
    "keys": lambda v: [{v.s: 1}[5.0], {5: 2}[v.s], len({v.s, 5.0, v.x[1, 2]}), {3: "a"}[v.i]],
    "collections.Counter": lambda v: sorted(collections.Counter(v.n // 2).items()),
    "collections.deque": lambda v:
    list(collections.deque(v.x[0], maxlen=2)),
    "collections.namedtuple": lambda v: collections.namedtuple("P", "a b")(*v.x).b,
    "collections.OrderedDict": lambda v: collections.OrderedDict(zip("ab", v.x))["b"],
    "collections.ChainMap": lambda v:
    collections.ChainMap({v.i: 1})[3],
    "heapq": lambda v: heap_order(v.u), "heapq.nsmallest": lambda v: heapq.nsmallest(2, v.u),
    "heapq.merge": lambda v:
    list(heapq.merge(v.x[0], v.n)),
    "heapq of pairs": lambda v: heap_order((a, k) for k, a in enumerate(v.u)),
    "bisect": lambda v: [bisect.bisect(v.x[0], v.i), bisect.bisect_left([0, 1, 5, 9], v.s)],
    "bisect.insort": lambda v: inserted([1.0, 9.0], v.s),
    "format": lambda v: f"{v.s:.3f} {v.i:05d} {v.s!r} {v.s:10.2e} {v.b} {v.c:.1f} {v.i:>4} {v.i:x}", "percent": lambda v:
    "%d %.2f %s %x" % (v.i, v.s, v.s, v.i), "format of an array": lambda v: f"{v.x:.2f}",
    "logging": lambda v:
    logging.makeLogRecord({"msg": "%.1f %s %s", "args": (v.s, v.i, v.x)}).getMessage(),
    "numbers": lambda v: [int(v.s), float(v.i), complex(v.c), bool(v.b), round(v.s, 1),
                          type(round(v.s)), divmod(v.s, 2), abs(v.i)],
    "as an index": lambda v: [[1, 2, 3, 4][v.i], list(range(v.i)), chr(v.i + 62), "abcdef"[:v.i],
                              "a" * v.i, [0] * v.i],
    "built-ins": lambda v: [sum(v.x[0]), max(v.u), min(v.u), sorted(v.u), list(reversed(v.u)),
                            list(map(float, v.u)), any(v.b for _ in v.n)],
    "dataclass": lambda v: [Pair(v.x) == Pair(v.x), dataclasses.replace(Pair(v.x), n=4).a,
                            dataclasses.asdict(Pair(v.x))["a"], repr(Pair(v.u))],
    "dataclass of equal arrays": lambda v: Pair(v.x) == Pair(v.x.copy()),
    "enum": lambda v: [v.x[0, Color.BLUE], Color(v.n[1]), v.x * Color.BLUE,
                       v.np.asarray([Color.RED, Color.BLUE])],
    "random.shuffle": lambda v: [a.tolist() for a in shuffled([v.x, v.u, v.n])],
    "random.shuffle of an array": lambda v: shuffled(v.n.copy()),
    "random.choice": lambda v: random.Random(1).choice(v.x[0]),
    "random.sample": lambda v: random.Random(1).sample(list(v.x[0]), 2),
    "random.choices": lambda v: random.Random(1).choices([1, 2], weights=v.x[0, 1:]),
    "random.uniform": lambda v:
    random.Random(1).uniform(v.s, 9),
    "random.randrange": lambda v: random.Random(1).randrange(v.i), "random.sample of an array":
    lambda v: random.Random(1).sample(v.x[0], 2),
    "random.gauss": lambda v: random.Random(1).gauss(v.s, v.i),
    "weakref": lambda v: [weakref.ref(v.x)() is v.x,
                          weakref.WeakValueDictionary(a=v.x)["a"] is v.x],
    "contextvars": lambda v: through(contextvars.ContextVar("v"), v.x),
    "copy": lambda v: [copy.copy(v.x), copy.deepcopy({"a": [v.x, v.s]})["a"]],
    "copy.deepcopy keeps what is one": lambda v:
    (lambda d: d[0] is d[1])(copy.deepcopy([v.x, v.x])),
    **{f"pickle {p}": lambda v,
       p=p: pickle.loads(pickle.dumps([v.x, v.x.T, v.x[:, ::2], v.n > 1, v.s, v.i],
                                      p)) for p in range(6)},
    "pickle of a ufunc": lambda v: pickle.loads(pickle.dumps(v.np.add)) is v.np.add,
    "pickle keeps the order": lambda v:
    pickle.loads(pickle.dumps(v.x.T)).flags.f_contiguous, "pickle of a generator": lambda v:
    bool(pickle.loads(pickle.dumps(r := v.np.random.default_rng(1))).random() == r.random()),
    "io.save": loaded, "io.tofile": of_file,
    "io.write": lambda v: written(lambda f, x: f.write(x.tobytes()), v.x).getvalue(),
    "io.savetxt": lambda v: written(v.np.savetxt, v.x).getvalue(),
    "io.loadtxt": lambda v: v.np.loadtxt(io.StringIO("1 2\n3 4")),
    "csv.write": lambda v: written(csv.writer, v.x).getvalue(), "csv.read": lambda v:
    v.np.asarray([[float(a) for a in r] for r in csv.reader(io.StringIO("1,2\n3,4"))]),
}
CASES |= {
    "sqlite3 parameter": lambda v: sqlite3.connect(":memory:").execute("select ?",
        (v.s,)).fetchone()[0],
    "Fraction + scalar": lambda v: fractions.Fraction(1, 2) + v.s,
    "scalar - Fraction": lambda v: v.s - fractions.Fraction(1, 2),
    "array * Fraction": lambda v: v.x * fractions.Fraction(1, 2),
    "timedelta * scalar": lambda v: datetime.timedelta(1) * v.s,
    "array * timedelta": lambda v: v.n * datetime.timedelta(1),
    "objects": lambda v: v.np.asarray([decimal.Decimal(1)]),
    "array + Decimal": lambda v: v.n + decimal.Decimal(1),
    "dates": lambda v: v.np.asarray([datetime.date(2026, 1, 1)], "M8[D]"),
}
# Results of reductions, and elements on a GPU, are arrays without axes, not Python's numbers: what looks at the type of one does not
# take it, or takes its bytes.
OTHERWISE = {
    "json of a float": (lambda v: json.dumps(v.s), TypeError),
    "json of a key": (lambda v: json.dumps({v.s: 1}), TypeError),
    "statistics.mean": (lambda v: statistics.mean([v.s, v.s]), TypeError),
    "decimal.Decimal": (lambda v: decimal.Decimal(v.s), TypeError),
    "fractions.Fraction": (lambda v: fractions.Fraction(v.i, 2), TypeError),
    "datetime.timedelta": (lambda v: datetime.timedelta(seconds=v.s), TypeError),
    "datetime.fromtimestamp": (lambda v: datetime.datetime.fromtimestamp(v.s,
        datetime.timezone.utc), TypeError),
    "time.sleep": (lambda v: time.sleep(v.s / 5000), TypeError),
    "a timeout": (lambda v: threading.Event().wait(v.s / 5000), TypeError),
    "isinstance": (lambda v: isinstance(v.s, float) or isinstance(v.i, (int, np.integer)), False),
}


def plain(r):
    """An answer as something that can be compared: arrays as dtype, shape and elements."""
    if isinstance(r, (xp.ndarray, np.ndarray, np.generic)):
        a = np.asarray(r)
        return (a.dtype.str, a.shape, a.tolist())
    if isinstance(r, (list, tuple)):
        return [plain(e) for e in r]
    return r


def answer(function, module, values=given):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return plain(function(values(module)))
        except Exception as e:
            return type(e)


@pytest.mark.parametrize("case", CASES)
def test_standard_library__answers_as_with_numpy(case):
    got, want = answer(CASES[case], xp), answer(CASES[case], np)
    if isinstance(want, str):
        got, want = (t.replace("heddle.", "numpy.") if isinstance(t, str) else t for t in (got,
            want))
    if case == "Fraction + scalar" and not ON_HOST:   # Fraction looks whether it is a float: on a GPU it is none
        want = want[2]
    assert got == want


@shares_memory
def test_buffers__are_the_arrays_memory():
    v = given(xp)
    assert memoryview(v.x).shape == (2,
                                     3) and bytes(v.x) == v.x.tobytes() and io.BytesIO(v.x).read(8) == bytes(8)
    struct.pack_into("d", v.x, 8, 9.0)
    assert v.x[0, 1] == 9 and io.BytesIO(struct.pack("d", 7.0)).readinto(v.x[0]) == 8 and v.x[0,
        0] == 7


@pytest.mark.parametrize("case", OTHERWISE)
def test_standard_library__what_is_otherwise(case):
    function, want = OTHERWISE[case]
    assert answer(function, xp, results) == want


@shares_memory
@pytest.mark.parametrize("case", OTHERWISE)
def test_standard_library__takes_elements_as_numpys(case):
    function = OTHERWISE[case][0]
    assert answer(function, xp) == answer(function, np)


def test_pickle__buffers_travel_out_of_band():
    buffers = []
    x = xp.arange(1000.0)
    data = pickle.dumps(x, 5, buffer_callback=buffers.append)
    assert len(data) < 1000 and [b.raw().nbytes for b in buffers] == [8000]
    assert (pickle.loads(data, buffers=buffers) == x).all()


# ---- several at once -----------------------------------------------------------------------------

def work(x):
    return (xp.sin(xp.asarray(x)) ** 2 + 1).sum()


def as_array(n):
    return xp.arange(float(n)) * 2


WANT = [float((np.sin(np.arange(float(n))) ** 2 + 1).sum()) for n in (10, 1000, 100000)]
GIVEN = [np.arange(float(n)) for n in (10, 1000, 100000)]


def close(results):
    return np.allclose([float(r) for r in results], WANT, rtol=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("method", [pytest.param("fork", marks=needs_fork), "spawn", "forkserver"])
def test_multiprocessing__pools_compute_and_pass_arrays(method):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")         # of fork() beside threads
        with multiprocessing.get_context(method).Pool(2) as pool:
            assert close(pool.map_async(work, GIVEN).get(120))
            assert close(pool.map_async(work, [xp.asarray(x) for x in GIVEN]).get(120))
            assert [r.shape for r in pool.map_async(as_array, [3, 1000]).get(120)] == [(3,),
                (1000,)]


@pytest.mark.slow
def test_process_pool__computes():
    with concurrent.futures.ProcessPoolExecutor(2,
        mp_context=multiprocessing.get_context("spawn")) as pool:
        assert close(pool.map(work, GIVEN, timeout=120))


def test_thread_pool__computes_and_passes_what_is_pending():
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        assert close(pool.map(work, GIVEN))
        pending = [xp.asarray(x) * 1 for x in GIVEN]
        assert close(pool.map(work, pending * 1))
        futures = [pool.submit(as_array, n) for n in range(1, 50)]
        for n, future in enumerate(futures, 1):
            assert float((future.result() + 1).sum()) == n * (n - 1) + n


def test_asyncio__threads_and_tasks():
    async def main():
        first = await asyncio.gather(*(asyncio.to_thread(work, x) for x in GIVEN))
        loop = asyncio.get_running_loop()
        second = await asyncio.gather(*(loop.run_in_executor(None, work, x) for x in GIVEN))

        async def step(x):
            y = xp.asarray(x)
            await asyncio.sleep(0)
            return (xp.sin(y) ** 2 + 1).sum()
        return first, second, await asyncio.gather(*map(step, GIVEN))
    assert all(map(close, asyncio.run(main())))


def test_signal__a_handler_computes():
    seen = []
    before = signal.signal(signal.SIGUSR1, lambda *_: seen.append(float(xp.arange(10.0).sum())))
    try:
        x = xp.arange(1000.0) + 1
        signal.raise_signal(signal.SIGUSR1)
        y = x * 2
        signal.raise_signal(signal.SIGUSR1)
        assert float(y.sum()) == 1001000.0 and seen == [45.0, 45.0]
    finally:
        signal.signal(signal.SIGUSR1, before)


def test_contextvars__of_a_thread_are_its_own():
    v = contextvars.ContextVar("v", default=None)
    v.set(xp.ones(3))
    context = contextvars.copy_context()
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        assert pool.submit(v.get).result() is None
        assert float(pool.submit(context.run, lambda: v.get().sum()).result()) == 3
