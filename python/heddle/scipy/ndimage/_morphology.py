# SPDX-License-Identifier: BSD-3-Clause
"""SciPy's morphology of true and false: erosion, dilation and what is made of them."""
from functools import reduce
from operator import index

import numpy

from ... import any as _any
from ... import array, logical_and, logical_not, logical_or, where, zeros
from ..._heddle import asarray
from ._components import Components, offsets_of
from ._support import (array_of, axes_of, deliver, each, expanded, moved, of_windows, padded,
                       refuse_complex)

__all__ = ["binary_closing", "binary_dilation", "binary_erosion", "binary_fill_holes",
           "binary_hit_or_miss", "binary_opening", "binary_propagation",
           "generate_binary_structure", "iterate_structure"]


# ---- structures ----------------------------------------------------------------------------------


def _structure(rank, connectivity):
    if rank < 1:
        return numpy.array(True)
    steps = numpy.abs(numpy.indices([3] * rank) - 1).sum(0)
    return steps <= max(connectivity, 1)


def generate_binary_structure(rank, connectivity):
    """True where at most `connectivity` coordinates differ from the middle's, as
    scipy.ndimage.generate_binary_structure."""
    return array(_structure(rank, connectivity))


def iterate_structure(structure, iterations, origin=None):
    """A structure dilated by itself, as scipy.ndimage.iterate_structure."""
    s = asarray(structure)
    if iterations < 2:
        return s.copy()
    more = iterations - 1
    out = zeros([n + more * (n - 1) for n in s.shape], bool, device=s.device)
    out[tuple(slice(more * (n // 2), more * (n // 2) + n) for n in s.shape)] = s != 0
    out = binary_dilation(out, s, iterations=more)
    if origin is None:
        return out
    return out, [iterations * o for o in each(origin, s.ndim)]


def _turned(structure, origin):
    """The structure turned round its middle, and its origins."""
    turned = structure[(slice(None, None, -1),) * structure.ndim]
    return turned, [-o - (n % 2 == 0) for o, n in zip(origin, structure.shape)]


# ---- erosion and dilation ------------------------------------------------------------------------


class _Step:
    """One erosion, or dilation where `grows`, of arrays of bools; elements where mask is false stay.

    structure and origin are those of an erosion; dilations have theirs turned round before.
    """

    def __init__(self, structure, origin, border, mask, grows):
        self.structure, self.border, self.mask, self.grows = structure, bool(border), mask, grows
        self.origin = origin
        self.take = logical_or if grows else logical_and
        for o, n in zip(origin, structure.shape):
            if n // 2 + o >= n:
                raise IndexError("invalid origin")
            if n // 2 + o < 0:
                raise ValueError("invalid origin")
        self.middle = bool(structure[tuple(n // 2 + o for o, n in zip(origin, structure.shape))])

    def __call__(self, x):
        if not x.size:
            return x
        if self.structure.all():
            r = x
            for ax, n in enumerate(self.structure.shape):
                r = self._along(r, ax, n) if n > 1 else r
        elif not self.structure.any():
            r = zeros(x.shape, bool, device=x.device) | (not self.grows)
        else:
            r = self._part(x, self.structure, self.origin)
        return r if self.mask is None else where(self.mask, r, x)

    def _along(self, x, ax, n):
        before, after = [0] * x.ndim, [0] * x.ndim
        before[ax] = n // 2 + self.origin[ax]
        after[ax] = n - 1 - before[ax]
        around = padded(x, before, after, ["constant"] * x.ndim, self.border)
        return of_windows(around, ax, n, self.take)

    def _part(self, x, structure, origin):
        before = [n // 2 + o for n, o in zip(structure.shape, origin)]
        after = [n - 1 - b for n, b in zip(structure.shape, before)]
        around = padded(x, before, after, ["constant"] * x.ndim, self.border)
        parts = moved(around, structure.shape, x.shape)
        return reduce(self.take, [p for p, here in zip(parts, structure.ravel()) if here])

    def to_the_end(self, x):
        """Steps until nothing changes."""
        opposite = (slice(None, None, -1),) * self.structure.ndim
        if (self.middle and not any(self.origin) and all(n % 2 for n in self.structure.shape)
                and (self.structure == self.structure[opposite]).all()):
            return self._spread(x)
        while True:
            r = self(x)
            if not _any(r != x):
                return r
            x = r

    def _spread(self, x):
        """The same of a symmetric structure with its middle: whatever touches an element that has
        changed changes as well, so that whole components do of those that may."""
        r = self(x)
        if not x.size:
            return r
        may = logical_not(r) if self.grows else r
        if self.mask is not None:
            may = may & self.mask
        begins = (self(r) != r) & may
        reached = Components(may, offsets_of(self.structure)).touched(begins)
        return r ^ reached


def _prepared(input, structure, mask, origin, axes, grows):
    """The input as bools, and structure, mask and origins for all axes."""
    x = asarray(input)
    refuse_complex(x)
    axes = axes_of(axes, x.ndim)
    origin = each(origin, len(axes))
    s = _structure(len(axes), 1) if structure is None else numpy.asarray(structure, bool)
    if s.ndim != len(axes):
        raise RuntimeError("structure and input must have same dimensionality")
    if s.size < 1:
        raise RuntimeError("structure must not be empty")
    if grows:
        s, origin = _turned(s, origin)
    s = s.reshape(expanded(s.shape, sorted(axes), x.ndim, 1))
    origin = expanded(origin, axes, x.ndim, 0)
    if mask is not None:
        mask = asarray(mask)
        if mask.shape != x.shape:
            raise RuntimeError("mask and input must have equal sizes")
        mask = mask != 0
    return x != 0, s, mask, origin


def _repeated(input, structure, iterations, mask, output, border_value, origin, grows, axes):
    try:
        iterations = index(iterations)
    except TypeError as e:
        raise TypeError("iterations parameter should be an integer") from e
    x, s, mask, origin = _prepared(input, structure, mask, origin, axes, grows)
    if array_of(output) is not None:
        if output.dtype.kind == "c":
            raise TypeError("Complex output type not supported")
    else:
        output = bool
    step = _Step(s, origin, border_value, mask, grows)
    if iterations < 1:
        x = step.to_the_end(x)
    for _ in range(iterations):
        x = step(x)
    return deliver(x, output, x)


def binary_erosion(input, structure=None, iterations=1, mask=None, output=None, border_value=0,
                   origin=0, brute_force=False, *, axes=None):
    """True where all elements around are that structure covers, as scipy.ndimage.binary_erosion;
    without a limit (iterations < 1) until nothing changes. brute_force changes nothing."""
    return _repeated(input, structure, iterations, mask, output, border_value, origin, False, axes)


def binary_dilation(input, structure=None, iterations=1, mask=None, output=None, border_value=0,
                    origin=0, brute_force=False, *, axes=None):
    """True where an element around is that structure covers, as scipy.ndimage.binary_dilation; the
    rest as binary_erosion()."""
    return _repeated(input, structure, iterations, mask, output, border_value, origin, True, axes)


def binary_opening(input, structure=None, iterations=1, output=None, origin=0, mask=None,
                   border_value=0, brute_force=False, *, axes=None):
    """The erosion's dilation, as scipy.ndimage.binary_opening."""
    r = binary_erosion(input, structure, iterations, mask, None, border_value, origin, axes=axes)
    return binary_dilation(r, structure, iterations, mask, output, border_value, origin, axes=axes)


def binary_closing(input, structure=None, iterations=1, output=None, origin=0, mask=None,
                   border_value=0, brute_force=False, *, axes=None):
    """The dilation's erosion, as scipy.ndimage.binary_closing."""
    r = binary_dilation(input, structure, iterations, mask, None, border_value, origin, axes=axes)
    return binary_erosion(r, structure, iterations, mask, output, border_value, origin, axes=axes)


def _delivered(r, output, x):
    """r as a new array, or None with r in the array output: what SciPy's functions answer that write
    to output themselves."""
    r = deliver(r, bool if array_of(output) is None else output, x)
    return None if r is output else r


def binary_hit_or_miss(input, structure1=None, structure2=None, output=None, origin1=0, origin2=None,
                       *, axes=None):
    """True where structure1 covers true elements only and structure2, without it the rest of
    structure1, false ones only, as scipy.ndimage.binary_hit_or_miss."""
    x = asarray(input)
    if structure1 is None:
        structure1 = _structure(len(axes_of(axes, x.ndim)), 1)
    if structure2 is None:
        structure2 = numpy.logical_not(numpy.asarray(structure1))
    origin2 = origin1 if origin2 is None else origin2
    hits = binary_erosion(x, structure1, origin=origin1, axes=axes)
    inside, s, mask, origin = _prepared(x, structure2, None, origin2, axes, False)
    return _delivered(hits & logical_not(_Step(s, origin, 0, mask, True)(inside)), output, x)


def binary_propagation(input, structure=None, mask=None, output=None, border_value=0, origin=0, *,
                       axes=None):
    """Dilations inside a mask until nothing changes, as scipy.ndimage.binary_propagation."""
    return binary_dilation(input, structure, -1, mask, output, border_value, origin, axes=axes)


def binary_fill_holes(input, structure=None, output=None, origin=0, *, axes=None):
    """True where it is, or where no way leads from outside, as scipy.ndimage.binary_fill_holes."""
    x = asarray(input)
    outside = binary_dilation(zeros(x.shape, bool, device=x.device), structure, -1, x == 0, None, 1,
                              origin, axes=axes)
    return _delivered(logical_not(outside), output, x)
