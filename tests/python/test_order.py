# SPDX-License-Identifier: BSD-3-Clause
"""The order in memory of results is NumPy's: strides along axes longer than 1, over arrays of random order, steps and repeats."""

import random

import numpy as np
import pytest

from common import as_it_lies, xp


def strides(x):
    return tuple(s for s, d in zip(x.strides, x.shape) if d > 1) if x.size else None


class Draw(random.Random):
    """Random arrays of NumPy, indices and keys."""

    def shape(self, nd=None):
        return tuple(self.choice([1, 2, 3, 4]) if self.random() < 0.97 else 0 for _ in range(self.randint(0, 4) if nd is None else nd))

    def array(self, shape=None, dtype=None):
        """Axes in any order, some with steps, reversed or repeated."""
        shape = self.shape() if shape is None else shape
        nd = len(shape)
        axes = list(range(nd))
        if self.random() < 0.7:
            self.shuffle(axes)
        elif self.random() < 0.5:
            axes.reverse()
        step = [self.choice([1, 1, 1, 2]) for _ in shape]
        x = np.arange(np.prod([shape[a] * step[a] for a in axes], dtype=int), dtype=dtype or self.choice(["f8", "f4", "i4", "u1", "c16"]))
        x = x.reshape([shape[a] * step[a] for a in axes]).transpose([axes.index(a) for a in range(nd)])
        x = x[(*(slice(None, None, s) for s in step), ...)]
        if nd and self.random() < 0.3:
            x = np.flip(x, self.randrange(nd))
        if nd and x.size and self.random() < 0.25:
            a = self.randrange(nd)
            x = np.broadcast_to(x[(slice(None),) * a + (slice(0, 1),)], shape)
        return x

    def beside(self, x, dtype=None):
        """Something that broadcasts to x's shape."""
        return self.array(tuple(self.choice([d, 1]) for d in x.shape), dtype)

    def index(self, n, shape):
        a = np.array([self.randrange(-n, n) for _ in range(int(np.prod(shape)))], int).reshape(shape)
        return np.asfortranarray(a) if self.random() < 0.4 else a

    def key(self, x):
        key, axis = [], 0
        places = tuple(self.choice([1, 2, 3]) for _ in range(self.randint(0, 2)))
        while axis < x.ndim:
            n, kind = x.shape[axis], self.random()
            if kind < 0.35 and n:
                key.append(self.index(n, places))
            elif kind < 0.45:
                key.append(np.arange(n) % 2 == self.randint(0, 1))
            elif kind < 0.5 and axis + 1 < x.ndim:
                key.append(np.arange(n * x.shape[axis + 1]).reshape(x.shape[axis:axis + 2]) % 3 > 0)
                axis += 1
            elif kind < 0.58 and n:
                key.append(self.randrange(n))
            elif kind < 0.66:
                key.append(None)
                axis -= 1
            elif kind < 0.73 and Ellipsis not in [k for k in key if k is Ellipsis]:
                key.append(Ellipsis)
                axis += self.randint(-1, x.ndim - axis - 1)
            elif kind < 0.8:
                break
            else:
                key.append(slice(None, None, self.choice([1, 1, -1, 2])))
            axis += 1
        return tuple(key)


def _with_axis(f):
    def made(d):
        x = d.array()
        axis = d.randrange(x.ndim) if x.ndim else 0
        return f(d, x, axis), (x if x.ndim else d.array((2,)),)
    return made


def _fancy(d):
    x = d.array()
    key = d.key(x)
    return lambda m, x: x[key], (x,)


def _take(d):
    x = d.array(d.shape(d.randint(1, 4)))
    axis = d.randrange(x.ndim)
    index = d.index(x.shape[axis], d.shape(d.randint(0, 2))) if x.shape[axis] else np.zeros(0, int)
    return lambda m, x: m.take(x, m.asarray(index), axis=axis), (x,)


def _join(d):
    x = d.array(d.shape(d.randint(1, 4)))
    parts, stacked = (x, d.array(x.shape), d.array(x.shape))[:d.randint(1, 3)], d.random() < 0.5
    axis = d.randint(0, x.ndim) if stacked else d.randrange(x.ndim)
    return lambda m, *parts: (m.stack if stacked else m.concatenate)(parts, axis=axis), parts


def _copy(d):
    order, dtype = d.choice("KACF"), d.choice(["f4", "f8", "i1", "c16"])
    how = d.choice([lambda m, x: x.copy(order), lambda m, x: x.astype(dtype, order=order), lambda m, x: m.array(x, order=order),
                    lambda m, x: m.zeros_like(x, order=order), lambda m, x: m.array(x)])
    return how, (d.array(),)


def _reshape(d):
    x, order = d.array(), d.choice("ACF")
    return (lambda m, x: m.reshape(x, (-1,) + x.shape[-1:], order=order)) if x.ndim and x.size else (lambda m, x: m.ravel(x, order)), (x,)


def _broadcast(d):
    x = d.array()
    return d.choice([lambda m, x, y: m.add(x, y), lambda m, x, y: m.multiply(y, x), lambda m, x, y: m.equal(x, y)]), (x, d.beside(x))


def _three(d):
    x = d.array(dtype="f8")
    return d.choice([lambda m, x, y, z: m.where(y > 3, x, z), lambda m, x, y, z: m.clip(x, y, z)]), (x, d.beside(x, "f8"), d.beside(x, "f4"))


PROGRAMS = {
    "fancy": _fancy, "take": _take, "join": _join, "copy": _copy, "reshape": _reshape, "broadcast": _broadcast, "three": _three,
    "unary": lambda d: (lambda m, x: m.negative(x), (d.array(dtype="f8"),)),
    "round": lambda d: (lambda m, x: m.round(x, 1), (d.array(),)),
    "ravel": lambda d: ((lambda order: lambda m, x: m.ravel(x, order))(d.choice("ACF")), (d.array(),)),
    "repeat": lambda d: ((lambda axis: lambda m, x: m.repeat(x, 2, axis=axis))(d.choice([None, 0, -1])), (d.array(d.shape(3)),)),
    "nonzero": lambda d: (lambda m, x: m.nonzero(x)[-1], (d.array(d.shape(d.randint(1, 3))),)),
    "cumsum": lambda d: ((lambda axis: lambda m, x: m.cumsum(x, axis=axis))(d.randrange(3)), (d.array(d.shape(3)),)),
    "sum": lambda d: ((lambda axis, keep: lambda m, x: m.sum(x, axis=axis, keepdims=keep))(d.randrange(4), d.random() < 0.5), (d.array(d.shape(4)),)),
    "mean": lambda d: ((lambda axis: lambda m, x: m.mean(x, axis=axis))((d.randrange(2), 2)), (d.array(d.shape(4)),)),
}


@pytest.mark.parametrize("program", PROGRAMS)
def test_order__is_numpys(program):
    for seed in range(200):
        d = Draw(f"{program} {seed}")
        f, arrays = PROGRAMS[program](d)
        try:
            want = f(np, *arrays)
        except (IndexError, ValueError) as error:
            with pytest.raises(type(error)):
                f(xp, *(as_it_lies(a) for a in arrays))
            continue
        foreign = program == "copy" and "array" in f.__code__.co_names
        got = f(xp, *(arrays if foreign else [as_it_lies(a) for a in arrays]))
        assert got.shape == want.shape
        if all(a.size for a in arrays):     # the strides of an empty array do not come through a buffer
            assert strides(got) == strides(want), (seed, [(a.shape, a.strides) for a in arrays])
        assert np.array_equal(np.asarray(got), want, equal_nan=want.dtype.kind in "fc") or program == "copy", seed


def test_array__keeps_the_order_of_what_it_copies():
    x = np.arange(24.0).reshape(2, 3, 4)
    for axes in ((0, 1, 2), (2, 1, 0), (1, 2, 0), (0, 2, 1)):
        t = x.transpose(axes)
        assert xp.array(t).strides == t.strides and xp.asarray(t).strides == t.strides
        assert np.array_equal(np.asarray(xp.array(t)), t)
    assert xp.array(x[::-1, :, ::2].T).strides == np.array(x[::-1, :, ::2].T).strides
