# SPDX-License-Identifier: BSD-3-Clause
"""Distances to the nearest element that is 0, exact, one axis after the other.

Along the last axis the nearest one is found by running extremes. Along every other one the square
of the distance is the least of f[j] + (i - j)**2, where f has the squares so far: the nearest j are
tried one after the other, in one pass over memory for several of them, while a larger step can still
be nearer. Where that takes more than 64 steps, it is used that the best j never falls as i grows:
the best of every second i bound those between (so all of them look at few more than n places).
"""
import numpy

from ... import (arange, concatenate, cumsum, flatnonzero, full, max as _max, maximum, minimum,
                 moveaxis, repeat, sqrt, stack, take_along_axis, where, zeros)
from ..._heddle import asarray
from ..._padding import pad as _pad
from ._support import array_of, each

__all__ = ["distance_transform_edt"]

_NEAR = 64          # steps that are tried one after the other
_AT_ONCE = 8        # of them in one pass
_FAR = 1e30         # square of the distance where there is none yet; larger than any
_MOST = 1 << 22     # elements whose places are looked at together


def _last_axis(background, n):
    """Positions along the last axis of the nearest background, or -1."""
    k = arange(n, device=background.device)
    before = maximum.accumulate(where(background, k, -1), axis=-1)
    after = minimum.accumulate(where(background, k, 2 * n)[..., ::-1], axis=-1)[..., ::-1]
    after_is_nearer = (before < 0) | (after - k < k - before)
    return where(after_is_nearer, where(after < n, after, -1), before)


def _tried(f, step, placed):
    """Along the last axis the least of f + step * distance**2, and where placed the positions that
    it is from; None if it is far for some."""
    n = f.shape[-1]
    best, offset, done = f, zeros(f.shape, "i8", device=f.device) if placed else None, 0
    width = [(0, 0)] * (f.ndim - 1) + [(_NEAR, _NEAR)]
    around = _pad(f, width, "constant", constant_values=_FAR)
    while float(_max(best)) > step * (done + 1) ** 2:
        if done >= _NEAR:
            return None
        for k in range(done + 1, done + 1 + _AT_ONCE):
            for at in (-k, k):
                value = around[..., _NEAR + at:_NEAR + at + n] + step * k * k
                if placed:
                    offset = where(value < best, at, offset)
                best = minimum(best, value)
        done += _AT_ONCE
        if done >= n:
            break
    return best, arange(n, device=f.device) + offset if placed else None


def _between(f, step):
    """The same of lines (the first axis) however far it is."""
    lines, n = f.shape
    device = f.device
    best = zeros((lines, n), "i8", device=device)
    every = 1 << (n - 1).bit_length()
    while every:
        rows = arange(every - 1, n, 2 * every, device=device)
        if rows.size:
            best[:, rows] = _of_rows(f, best, rows, every, step)
        every //= 2
    return best


def _of_rows(f, best, rows, every, step):
    lines, n = f.shape
    device = f.device
    low = where(rows - every < 0, 0, best[:, maximum(rows - every, 0)]).ravel()
    high = where(rows + every >= n, n - 1, best[:, minimum(rows + every, n - 1)]).ravel()
    counts = high - low + 1
    start = cumsum(counts) - counts
    owner = repeat(arange(low.size, device=device), counts)
    j = arange(owner.size, device=device) - start[owner] + low[owner]
    away = (rows[owner % rows.size] - j).astype("f8")
    value = f.ravel()[owner // rows.size * n + j] + step * away * away
    least = minimum.reduceat(value, start)
    hits = flatnonzero(value == least[owner])
    found = full(low.size, n, device=device)
    minimum.at(found, owner[hits], j[hits])
    return found.reshape(lines, rows.size)


def _nearer(f, step, placed):
    """As _tried(), however far it is."""
    found = _tried(f, step, placed)
    if found is not None:
        return found
    flat = f.reshape(-1, f.shape[-1])
    lines = max(1, _MOST // flat.shape[-1])
    parts = [_between(flat[i:i + lines], step) for i in range(0, flat.shape[0], lines)]
    best = concatenate(parts).reshape(f.shape)
    away = (best - arange(f.shape[-1], device=f.device)).astype("f8")
    return take_along_axis(f, best, -1) + step * away * away, best


def _found(background, sampling, placed):
    """Squares of the distances from background, of which there is some, and where placed for each
    axis the coordinate of the nearest."""
    nd, n = background.ndim, background.shape[-1]
    last = _last_axis(background, n)
    places = [None] * (nd - 1) + [last]
    away = (last - arange(n, device=background.device)).astype("f8")
    f = where(last < 0, _FAR, away * away * sampling[-1] ** 2)
    for ax in range(nd - 2, -1, -1):
        f, best = _nearer(moveaxis(f, ax, -1), sampling[ax] ** 2, placed)
        f = moveaxis(f, -1, ax)
        if placed:
            places[ax] = moveaxis(best, -1, ax)
            for other in range(ax + 1, nd):
                places[other] = take_along_axis(places[other], places[ax], ax)
    return f, places


def _along(x, ax):
    return arange(x.shape[ax], device=x.device).reshape(
        [-1 if k == ax else 1 for k in range(x.ndim)])


def _check(output, shape, dtype, name):
    if output is not None:
        if output.shape != shape:
            raise RuntimeError(f"{name} array has wrong shape")
        if output.dtype != numpy.dtype(dtype):
            raise RuntimeError(f"{name} array must be {numpy.dtype(dtype)}")


def distance_transform_edt(input, sampling=None, return_distances=True, return_indices=False,
                           distances=None, indices=None, *, block_params=None,
                           float64_distances=True):
    """The distance of each element from the nearest one that is 0, and where that is, as
    scipy.ndimage.distance_transform_edt. Of several that are equally near, which one it is may
    differ. block_params is CuPy's and changes nothing; float64_distances=False gives float32."""
    distances, indices = array_of(distances), array_of(indices)
    wrong = []
    if not return_distances and not return_indices:
        wrong.append("at least one of return_distances/return_indices must be True")
    if distances is not None and not return_distances:
        wrong.append("return_distances must be True if distances is supplied")
    if indices is not None and not return_indices:
        wrong.append("return_indices must be True if indices is supplied")
    if wrong:
        raise RuntimeError(", ".join(wrong))
    x = asarray(input)
    x = x.reshape(1) if x.ndim == 0 else x
    sampling = [1.0] * x.ndim if sampling is None else [float(s) for s in each(sampling, x.ndim)]
    dtype = "f8" if float64_distances else "f4"
    _check(indices, (x.ndim, *x.shape), "i4", "indices")
    _check(distances, x.shape, dtype, "distances")
    background = x == 0
    if x.size and bool(background.any()):
        squares, places = _found(background, sampling, return_indices)
    else:           # SciPy's answer where no element is 0
        places = [full(x.shape, 0 if ax else -1, device=x.device) for ax in range(x.ndim)]
        squares = zeros(x.shape, device=x.device)
        for ax, place in enumerate(places):
            squares = squares + ((place - _along(x, ax)) * sampling[ax]) ** 2
    results = []
    if return_distances:
        results.append(_put(sqrt(squares).astype(dtype), distances))
    if return_indices:
        results.append(_put(stack(places).astype("i4"), indices))
    results = [r for r in results if r is not None]
    return tuple(results) if len(results) > 1 else results[0] if results else None


def _put(r, output):
    """r, or None with r in output."""
    if output is None:
        return r
    output[...] = r
    return None
