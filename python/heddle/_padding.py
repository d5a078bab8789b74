# SPDX-License-Identifier: BSD-3-Clause
"""pad(): an array in the middle of a larger one, and what stands around it.

The larger array is made first, the elements are put in their place, and then one axis after the
other is filled from what is there already: along an axis the window sees all of the axes filled
before it and the original part of those that follow, so corners come out right by themselves.
"""
from . import _heddle
from ._creation import linspace
from ._functions import moveaxis
from ._heddle import asarray, elementwise, empty, mean
from ._joining import along

__all__ = ["pad"]

_rint = elementwise["rint"][0]
# What each mode may be told, by name.
_OPTIONS = {"constant": ("constant_values",), "edge": (), "empty": (),
            "linear_ramp": ("end_values",), "maximum": ("stat_length",), "mean": ("stat_length",),
            "median": ("stat_length",), "minimum": ("stat_length",), "reflect": ("reflect_type",),
            "symmetric": ("reflect_type",), "wrap": ()}


# ---- arguments -----------------------------------------------------------------------------------


def _two_per_axis(x, nd, lengths=False):
    """One number, a pair, or a pair per axis, as a pair per axis; None stands for itself."""
    if x is None:
        return [(None, None)] * nd
    import numpy
    x = numpy.asarray(x)
    if lengths:
        x = numpy.round(x).astype(numpy.intp, copy=False)
        if (x < 0).any():
            raise ValueError("index can't contain negative values")
    if x.size == 1:
        return [(x.ravel()[0],) * 2] * nd
    if x.size == 2 and x.ndim < 3 and x.shape != (2, 1):
        return [tuple(x.ravel())] * nd
    return [tuple(pair) for pair in numpy.broadcast_to(x, (nd, 2)).tolist()]


def _widths(pad_width, nd):
    import numpy
    if isinstance(pad_width, dict):
        pairs = [(0, 0)] * nd
        for axis, width in pad_width.items():
            pairs[axis] = width if isinstance(width, tuple) else (width, width)
        pad_width = pairs
    pad_width = numpy.asarray(pad_width)
    if pad_width.dtype.kind != "i":
        raise TypeError("`pad_width` must be of integral type.")
    return _two_per_axis(pad_width, nd, lengths=True)


def _check_options(mode, options):
    if mode not in _OPTIONS:
        raise ValueError(f"mode '{mode}' is not supported")
    unknown = set(options) - set(_OPTIONS[mode])
    if unknown:
        raise ValueError(f"unsupported keyword arguments for mode '{mode}': {unknown}")


# ---- filling one axis: area is all that this axis is filled in, width = (before, after) ----------


def _part(area, axis, start, stop):
    return area[along(axis, slice(start, stop))]


def _set_sides(area, axis, width, before, after):
    n = area.shape[axis]
    if width[0]:
        area[along(axis, slice(None, width[0]))] = before
    if width[1]:
        area[along(axis, slice(n - width[1], None))] = after


def _edges(area, axis, width):
    first, last = width[0], area.shape[axis] - width[1] - 1
    return _part(area, axis, first, first + 1), _part(area, axis, last, last + 1)


def _fill_constant(area, axis, width, values):
    _set_sides(area, axis, width, *values)


def _fill_edge(area, axis, width, _):
    _set_sides(area, axis, width, *_edges(area, axis, width))


def _fill_ramp(area, axis, width, ends):
    edges = _edges(area, axis, width)
    ramps = [linspace(end, edge.squeeze(axis), n, endpoint=False, dtype=area.dtype, axis=axis)
             for end, edge, n in zip(ends, edges, width)]
    _set_sides(area, axis, width, ramps[0], ramps[1][along(axis, slice(None, None, -1))])


def _fill_statistic(statistic):
    def fill(area, axis, width, lengths):
        start, stop = width[0], area.shape[axis] - width[1]
        n = stop - start
        lengths = [n if k is None else min(k, n) for k in lengths]
        if 0 in lengths and statistic in (_heddle.max, _heddle.min):
            raise ValueError("stat_length of 0 yields no value for padding")
        sides = [statistic(_part(area, axis, *ends), axis=axis, keepdims=True)
                 for ends in ((start, start + lengths[0]), (stop - lengths[1], stop))]
        if area.dtype.kind in "iu":     # a mean is rounded, not cut
            sides = [_rint(side) if side.dtype.kind == "f" else side for side in sides]
        _set_sides(area, axis, width, *sides)
    return fill


def _median(a, axis, keepdims):
    from ._quantiles import median
    return median(a, axis=axis, keepdims=keepdims)


def _fill_wrap(area, axis, width, _):
    """Copies of whole periods; what is filled grows, so a wide border takes few copies."""
    start, stop = width[0], area.shape[axis] - width[1]
    n = stop - start
    while start > 0 or stop < area.shape[axis]:
        period = (stop - start) // n * n
        k = min(start, period)
        if k:
            source = _part(area, axis, start - k + period, start + period)
            area[along(axis, slice(start - k, start))] = source
        k, start = min(area.shape[axis] - stop, period), start - k
        if k:
            source = _part(area, axis, stop - period, stop - period + k)
            area[along(axis, slice(stop, stop + k))] = source
        stop += k


def _fill_mirror(with_edge):
    """Mirrored at what is the edge by then; odd mirrors the values at the edge's value too."""
    def fill(area, axis, width, odd):
        size, start, stop = area.shape[axis], width[0], area.shape[axis] - width[1]
        n = stop - start
        if n == 1:
            _fill_edge(area, axis, width, None)
            return
        step, gap = (n, 0) if with_edge else (n - 1, 1)     # gap: the edge is not repeated

        def mirrored(first, edge):
            part = area[along(axis, first)][along(axis, slice(None, None, -1))]
            return 2 * _part(area, axis, edge, edge + 1) - part if odd else part
        while start > 0 or stop < size:
            most = (stop - start - gap) // step * step
            before, after = min(most, start), min(most, size - stop)
            if before:
                area[along(axis, slice(start - before, start))] = mirrored(
                    slice(start + gap, start + gap + before), start)
            if after:
                area[along(axis, slice(stop, stop + after))] = mirrored(
                    slice(stop - gap - after, stop - gap), stop - 1)
            start, stop = start - before, stop + after
    return fill


_FILLS = {"constant": _fill_constant, "edge": _fill_edge, "linear_ramp": _fill_ramp,
          "maximum": _fill_statistic(_heddle.max), "mean": _fill_statistic(mean),
          "median": _fill_statistic(_median), "minimum": _fill_statistic(_heddle.min),
          "reflect": _fill_mirror(False), "symmetric": _fill_mirror(True), "wrap": _fill_wrap}


def _arguments(mode, options, nd):
    """For each axis, what its fill is told."""
    if mode in ("constant", "linear_ramp"):
        return _two_per_axis(options.get(_OPTIONS[mode][0], 0), nd)
    if "stat_length" in _OPTIONS[mode]:
        return _two_per_axis(options.get("stat_length"), nd, lengths=True)
    kind = options.get("reflect_type", "even")
    return [kind == "odd"] * nd


# ---- the function --------------------------------------------------------------------------------


def _call_along(padded, widths, function, options):
    """The caller's function on every line along every axis; it changes the line in place."""
    import numpy
    for axis in range(padded.ndim):
        lines = moveaxis(padded, axis, -1)
        for at in numpy.ndindex(lines.shape[:-1]):
            function(lines[(*at, ...)], widths[axis], axis, options)


def pad(array, pad_width, mode="constant", **kwargs):
    """The array with a border."""
    a = asarray(array)
    widths = _widths(pad_width, a.ndim)
    if not callable(mode):
        _check_options(mode, kwargs)
    padded = empty(tuple(n + sum(w) for n, w in zip(a.shape, widths)), a.dtype,
                   "F" if a.flags.fnc else "C", device=a.device)
    inner = tuple(slice(w[0], w[0] + n) for n, w in zip(a.shape, widths))
    if callable(mode):
        padded.fill(0)
    if a.ndim:
        padded[inner] = a
    else:
        padded[...] = a
    if callable(mode):
        _call_along(padded, widths, mode, kwargs)
    elif mode not in ("constant", "empty") and a.size == 0:
        for axis, n in enumerate(a.shape):
            if n == 0 and any(widths[axis]):
                raise ValueError(f"can't extend empty axis {axis} using modes other than "
                                 "'constant' or 'empty'")
    elif mode != "empty":
        for axis, argument in enumerate(_arguments(mode, kwargs, a.ndim)):
            area = padded[(slice(None),) * (axis + 1) + inner[axis + 1:]]
            _FILLS[mode](area, axis, widths[axis], argument)
    return padded
