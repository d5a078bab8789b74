# SPDX-License-Identifier: BSD-3-Clause
"""Writing through views in which elements of memory come more than once, and to what is read: NumPy's results, to the element."""

import random

import numpy as np
import pytest

from common import ON_HOST, give, same, xp
from numpy.lib.stride_tricks import as_strided, sliding_window_view


def windows(m, x, shape, strides, first=0):
    """x's elements by strides in elements, from x[first]; m: the module x is of."""
    view = as_strided if m is np else xp.lib.stride_tricks.as_strided
    return view(x[first:], shape, [s * x.itemsize for s in strides])


def random_view(rng):
    nd = rng.randint(1, 4)
    shape, strides = [rng.randint(1, 5) for _ in range(nd)], [rng.choice([-3, -2, -1, 0, 1, 1, 2, 3, 4]) for _ in range(nd)]
    reach = [(n - 1) * s for n, s in zip(shape, strides)]
    first = -sum(min(0, r) for r in reach)
    return shape, strides, first, first + sum(max(0, r) for r in reach) + 1


def random_values(rng, shape, turned):
    axes = list(range(len(shape)))
    if turned:
        rng.shuffle(axes)
    values = np.arange(1.0, 1 + np.prod(shape)).reshape([shape[a] for a in axes])
    return values.transpose(np.argsort(axes))


WRITES = {
    "assignment": lambda m, w, v: w.__setitem__(Ellipsis, v),
    "assignment of another dtype": lambda m, w, v: w.__setitem__(Ellipsis, v.astype("f4")),
    "of a number": lambda m, w, v: w.__setitem__(Ellipsis, 5),
    "of a row": lambda m, w, v: w.__setitem__(0, v[0]),
    "by a mask": lambda m, w, v: w.__setitem__(w > 3, 7),
    "copyto": lambda m, w, v: m.copyto(w, v),
    "copyto from itself": lambda m, w, v: m.copyto(w, w[::-1]),
    "copyto with where": lambda m, w, v: m.copyto(w, v, where=v % 3 == 0),
    "copyto of a number with where": lambda m, w, v: m.copyto(w, 9, where=v % 2 == 0),
    "w += 1": lambda m, w, v: w.__iadd__(1),
    "w += v": lambda m, w, v: w.__iadd__(v),
    "w *= w": lambda m, w, v: w.__imul__(w),
    "w -= w[::-1]": lambda m, w, v: w.__isub__(w[::-1]),
    "out=": lambda m, w, v: m.add(v, 0, out=w),
    "out= of one operand": lambda m, w, v: m.positive(v, out=w),
    "out= of several orders": lambda m, w, v: m.add(v, v.T if len(set(v.shape)) == 1 else v, out=w),
    "out= of another dtype": lambda m, w, v: m.add(v.astype(int), 3, out=w),
    "where=": lambda m, w, v: m.add(w, v, out=w, where=v % 3 == 0),
    "cumsum": lambda m, w, v: m.cumsum(w, axis=0, out=w),
    "cumsum along the first axis": lambda m, w, v: m.cumsum(v, axis=0, out=w),
    "cumsum along the last axis": lambda m, w, v: m.cumsum(v, axis=-1, out=w),
    "cumsum of another dtype": lambda m, w, v: m.cumsum(v.astype(int), axis=0, out=w),
    "maximum.accumulate": lambda m, w, v: m.maximum.accumulate(v[::-1], axis=0, out=w),
    "subtract.accumulate": lambda m, w, v: m.subtract.accumulate(v, axis=-1, out=w),
    "nancumsum": lambda m, w, v: m.nancumsum(v, axis=0, out=w),
    "sort": lambda m, w, v: w.sort(),
    "sort of lines that are turned": lambda m, w, v: w[..., ::-1].sort(),
    "sort along the first axis": lambda m, w, v: w.sort(axis=0),
    "partition that sorts": lambda m, w, v: w.partition(range(w.shape[0]), axis=0),
    "put": lambda m, w, v: m.put(w, list(range(w.size)), v),
    "put, last first": lambda m, w, v: m.put(w, list(range(w.size))[::-1], v),
    "put of few": lambda m, w, v: m.put(w, [w.size // 2, 0, -1], [7, 8]),
    "putmask": lambda m, w, v: m.putmask(w, v % 2 == 0, v),
    "place": lambda m, w, v: m.place(w, v % 2 == 0, v.ravel()),
    "take": lambda m, w, v: m.take(v, m.asarray(list(range(len(v)))[::-1]), axis=0, out=w),
    "choose": lambda m, w, v: m.choose((v % 2).astype(int), [v, v * 3], out=w),
    "concatenate": lambda m, w, v: m.concatenate([v[:1], v[1:]], axis=0, out=w),
    "rows at places":
        lambda m, w, v: w.__setitem__(m.asarray(range(len(v))[::-1]), m.asarray(v, order="C")),
    "elements at places":
        lambda m, w, v: w.__setitem__(tuple(m.asarray(k[::-1]) for k in np.indices(w.shape)), v),
    "add.at": lambda m, w, v: m.add.at(w, m.asarray(list(range(len(v)))), v),
    "add.at of a slice": lambda m, w, v: m.add.at(w, slice(None), v),
    "subtract.at of all": lambda m, w, v: m.subtract.at(w, Ellipsis, 3),
    "maximum.at": lambda m, w, v: m.maximum.at(w, m.asarray(list(range(len(v)))[::-1]), v),
    "negative.at": lambda m, w, v: m.negative.at(w, slice(None)),
}


# the elements of a row are written side by side there
ROWS = ("rows at places", "maximum.at", "negative.at")
WRITES_HERE = [n for n in WRITES if ON_HOST or n not in ROWS]


@pytest.mark.parametrize("name", WRITES_HERE)
def test_writes_to_elements_that_come_twice(name):
    rng = random.Random(name)
    for turn in range(60):
        shape, strides, first, size = random_view(rng)
        values = random_values(rng, shape, turn % 2)
        x = np.arange(float(size))
        y = give(x.copy())
        w, h = windows(np, x, shape, strides, first), windows(xp, y, shape, strides, first)
        before, seen = w * 2, h * 2    # what was read earlier, and not computed yet
        WRITES[name](np, w, values)
        WRITES[name](xp, h, give(values))
        where = (name, shape, strides, first)
        same(seen, before, where=where)
        same(h - 1, w - 1, where=where)
        same(y, x, where=where)


def test_large_windows():
    for step in (lambda w: w.__iadd__(1), lambda w: w.__imul__(w + 2), lambda w: w.__setitem__(Ellipsis, w[::-1] + w)):
        x = np.arange(10000.0)
        y = give(x.copy())
        step(windows(np, x, (9000, 100), (1, 1)))
        step(windows(xp, y, (9000, 100), (1, 1)))
        same(y, x)
    x = np.zeros(5000)
    y = give(x.copy())
    sliding_window_view(x, 50, writeable=True)[...] += np.arange(50.0)
    w = xp.lib.stride_tricks.sliding_window_view(y, 50, writeable=True)
    w += give(np.arange(50.0))
    same(y, x)


def test_reads_of_windows_fused_with_writes():
    def run(m, x):
        w = windows(m, x, (30, 5), (1, 1))
        means = w.mean(axis=1)
        x[5:35] = w.sum(axis=1)[:30] * 0.5
        x[:30] += means
        w[::5] = w[::5, ::-1] + 1
        b = m.broadcast_to(x[:1], (34,))
        x[:34] += b
        return w.max(axis=0), means

    x = np.arange(40.0)
    y = give(x.copy())
    for a, b in zip(run(xp, y), run(np, x)):
        same(a, b)
    same(y, x)


@pytest.mark.parametrize("dtype", ["?", "i1", "u4", "i8", "u8", "f2", "f4", "f8", "c8", "c16"])
@pytest.mark.parametrize("source", ["?", "u1", "i8", "u8", "f4", "f8"])
def test_where_leaves_the_rest_as_it_is(dtype, source):
    """Bit for bit: nothing of it goes through the dtype that both promote to."""
    rng = np.random.default_rng(5)
    old = rng.integers(0, 256, 40 * np.dtype(dtype).itemsize, dtype="u1")
    old = (old & 1).view("?") if dtype == "?" else old.view(dtype)
    if dtype[0] in "fc":
        old = np.where(np.isfinite(old), old, 1.5).astype(dtype)
    values, mask = rng.integers(0, 100, 40).astype(source), rng.random(40) < 0.5
    writes = [
        lambda m, r, v, k: m.copyto(r, v, where=k, casting="unsafe"),
        lambda m, r, v, k: m.positive(v, out=r, where=k, casting="unsafe") if v.dtype != bool else m.logical_not(v, out=r, where=k),
        lambda m, r, v, k: m.maximum(v, v, out=r, where=k, casting="unsafe"),
        lambda m, r, v, k: m.putmask(r, k, v),
        lambda m, r, v, k: m.place(r, k, v),
    ]
    for write in writes if np.can_cast(source, dtype) else writes[:3]:
        want, got = old.copy(), give(old.copy())
        write(np, want, values, mask)
        write(xp, got, give(values), give(mask))
        assert got.tobytes() == want.tobytes()


def matrix(m, n=3):
    return m.arange(float(n * n)).reshape(n, n)


def line(m):
    return m.arange(6)


# Each makes an array and writes into part of what it reads.
CALLS = {
    "concatenate, halves exchanged": (line, lambda m, a: m.concatenate([a[3:], a[:3]], out=a)),
    "concatenate, turned": (line, lambda m, a: m.concatenate([a[1:], a[:1]], out=a)),
    "concatenate, backwards": (line, lambda m, a: m.concatenate([a[::-1][:3], a[:3]], out=a)),
    "concatenate, columns": (lambda m: matrix(m, 8), lambda m, a: m.concatenate([a[:, 2:4], a[:, :2], a[:, 1:3]], axis=1, out=a[:, 1:7])),
    "stack": (line, lambda m, a: m.stack([a[3:], a[:3]], out=a.reshape(2, 3))),
    "stack, inner": (line, lambda m, a: m.stack([a[:3], a[:3]], axis=1, out=a.reshape(3, 2))),
    "take": (line, lambda m, a: m.take(a, m.asarray([5, 4, 3]), out=a[2:5])),
    "take, clip": (line, lambda m, a: m.take(a, m.asarray([5, 4, 3]), out=a[2:5], mode="clip")),
    "compress": (line, lambda m, a: m.compress(m.asarray([True, True, True, False, False, False]), a, out=a[2:5])),
    "choose": (line, lambda m, a: m.choose(m.asarray([1, 0, 1]), [a[:3], a[3:]], out=a[1:4])),
    "choose, wrap": (line, lambda m, a: m.choose(m.asarray([1, 0, 1]), [a[:3], a[3:]], out=a[1:4], mode="wrap")),
    "cumsum, later": (line, lambda m, a: m.cumsum(a[:4], out=a[2:])),
    "cumsum, earlier": (line, lambda m, a: m.cumsum(a[2:], out=a[:4])),
    "cumsum, turned": (matrix, lambda m, a: m.cumsum(a.T, axis=1, out=a)),
    "accumulate": (line, lambda m, a: m.subtract.accumulate(a[2:], out=a[:4])),
    "reduceat": (line, lambda m, a: m.add.reduceat(a, [0, 2, 4], out=a[1:4])),
    "sum": (matrix, lambda m, a: m.sum(a, axis=1, out=a[1])),
    "mean": (matrix, lambda m, a: m.mean(a, axis=1, out=a[:, 0])),
    "std": (matrix, lambda m, a: m.std(a, axis=1, out=a[1])),
    "median": (matrix, lambda m, a: m.median(a, axis=1, out=a[1])),
    "nansum": (matrix, lambda m, a: m.nansum(a, axis=1, out=a[0])),
    "max": (matrix, lambda m, a: m.max(a, axis=1, out=a[1])),
    "matmul": (matrix, lambda m, a: m.matmul(a, a, out=a)),
    "matmul, parts": (matrix, lambda m, a: m.matmul(a[:2, :2], a[1:, 1:], out=a[:2, 1:])),
    "dot": (matrix, lambda m, a: m.dot(a, a, out=a)),
    "outer": (matrix, lambda m, a: m.outer(a[0], a[1], out=a)),
    "einsum": (matrix, lambda m, a: m.einsum("ij,jk->ik", a, a, out=a)),
    "clip": (line, lambda m, a: m.clip(a[:4], 1, 3, out=a[2:])),
    "round": (matrix, lambda m, a: m.round(a[:2] / 2, out=a[1:])),
    "modf": (matrix, lambda m, a: m.modf(a[:2], out=(a[1:], None))),
    "put": (line, lambda m, a: m.put(a, [0, 1, 2], a[1:4])),
    "add.at": (line, lambda m, a: m.add.at(a, a[:3], a[3:])),
    "copyto with where": (line, lambda m, a: m.copyto(a[2:], a[:4], where=a[1:5] % 2 == 0)),
    "mask": (line, lambda m, a: a.__setitem__(a > 2, a[:3])),
    "sort": (line, lambda m, a: a[::-2].sort()),
}


@pytest.mark.parametrize("name", CALLS)
def test_out_that_overlaps_what_is_read(name):
    make, call = CALLS[name]
    want, got = make(np), make(xp)
    call(np, want)
    call(xp, got)
    same(got, want)


def test_concatenate__into_what_it_reads():
    """Part after part, as NumPy does it: a later part reads what an earlier one wrote."""
    rng = random.Random(7)
    for _ in range(150):
        n, parts = rng.choice([20, 3000, 40000]), rng.randint(1, 4)
        lengths = [rng.randint(1, n // (parts + 1)) for _ in range(parts)]
        starts, to = [rng.randint(0, n - k) for k in lengths], rng.randint(0, n - sum(lengths))
        x = np.arange(n)
        y = give(x.copy())
        for m, a in ((np, x), (xp, y)):
            b = a if n % 3 else a.view("u1")
            m.concatenate([b[s : s + k] for s, k in zip(starts, lengths)], out=b[to : to + sum(lengths)])
        same(y, x, where=(starts, lengths, to))
