# SPDX-License-Identifier: BSD-3-Clause
"""Which elements hang together: components of what is true, under a set of offsets.

What is joined are runs, of neighbours along the last axis, not elements. Pairs of runs that touch
are found with whole-array comparisons. Then every root that touches one with a smaller number
points at the smallest of these, and all pointers are followed to their ends, until no pair has two
roots. A root that nobody joined in one round touches smaller ones in the next, so two rounds at
least halve the number of roots that touch others: there are at most 2 log2(runs) rounds.
"""
import numpy

from ... import any as _any
from ... import arange, concatenate, cumsum, logical_not, maximum, minimum

__all__ = ["Components", "half_of", "offsets_of"]


def offsets_of(structure):
    """The offsets from its middle at which a structure is true."""
    middle = [n // 2 for n in structure.shape]
    return [tuple(int(k) for k in at) for at in numpy.argwhere(structure) - middle]


def half_of(offsets):
    """Of each pair of opposite offsets the one that is ahead; without the middle."""
    return [o for o in offsets if o > tuple(-k for k in o)]


def _two_views(x, offset):
    """x where both an element and the one offset further are inside: the one, and the other."""
    near = tuple(slice(max(-k, 0), n - max(k, 0)) for k, n in zip(offset, x.shape))
    far = tuple(slice(max(k, 0), n - max(-k, 0)) for k, n in zip(offset, x.shape))
    return x[near], x[far]


def _first_of_runs(x):
    """Where x is true and its neighbour before it along the last axis is not."""
    first = x.copy()
    first[..., 1:] &= logical_not(x[..., :-1])
    return first


def _compressed(root):
    """Pointers that lead to the ends."""
    while True:
        further = root[root]
        if not _any(further != root):
            return root
        root = further


def _ends_of(root, at):
    """The ends of the ways from `at`, all of whose stations are in it; shortens them in root."""
    end = root[at]
    while True:
        further = root[end]
        if not _any(further != end):
            return end
        root[at] = end = further


def _joined(n, a, b):
    """The root of each of n runs, the smallest of its component, where runs a[i] and b[i] touch."""
    root = arange(n, dtype="i4" if n < 2**31 else "i8", device=a.device)
    whole = True        # are all pointers followed to their ends?
    while a.size:
        minimum.at(root, maximum(a, b), minimum(a, b))
        whole = 4 * a.size > n
        if whole:
            root = _compressed(root)
            a, b = root[a], root[b]
        else:           # few pairs are left: only their ways are followed
            ends = _ends_of(root, concatenate((a, b)))
            a, b = ends[:a.size], ends[a.size:]
        apart = a != b
        a, b = a[apart], b[apart]
    return root if whole else _compressed(root)


class Components:
    """run: for each element the number of its run, in C order, valid where `inside` is true;
    root: for each run the first one of its component; n: how many runs there are."""

    def __init__(self, inside, offsets):
        unit = (0,) * (inside.ndim - 1) + (1,)
        offsets = set(half_of(offsets))
        along = unit in offsets
        first = _first_of_runs(inside) if along else inside
        dtype = "i4" if inside.size < 2**31 else "i8"
        self.inside = inside
        self.run = cumsum(first.ravel(), dtype=dtype).reshape(inside.shape) - 1
        self.n = int(self.run.ravel()[-1]) + 1 if inside.size else 0
        straight = {o for o in offsets if along and abs(o[-1]) == 1 and o[:-1] + (0,) in offsets}
        pairs = [self._touching(o, along, o in straight) for o in sorted(offsets - {unit})]
        if not pairs:
            self.root = arange(self.n, dtype=dtype, device=inside.device)
            return
        a, b = (concatenate(side) if len(side) > 1 else side[0] for side in zip(*pairs))
        self.root = _joined(self.n, a, b)

    def _touching(self, offset, along, straight):
        """Runs that hold both ends of an offset, each pair at least once. With straight the offset
        without its last step is looked at as well, and where that ends inside, it is in the same
        run."""
        near, far = _two_views(self.inside, offset)
        both = near & far
        if along and both.size:
            both = _first_of_runs(both)
        if straight:
            both &= logical_not(self._beside(offset))
        here, there = _two_views(self.run, offset)
        return here[both], there[both]

    def _beside(self, offset):
        """inside where the offset without its last step ends, for the elements that the whole one
        starts from."""
        far = tuple(slice(max(k, 0), n - max(-k, 0)) for k, n in zip(offset[:-1], self.inside.shape))
        step, n = offset[-1], self.inside.shape[-1]
        return self.inside[(*far, slice(max(-step, 0), n - max(step, 0)))]

    def of_runs(self, values):
        """The value of the run of each element, and 0 outside."""
        if not self.n:
            return self.run.astype(values.dtype) * 0
        return values[self.run] * self.inside

    def touched(self, seeds):
        """Where elements lie whose component holds an element of seeds."""
        if not self.n:
            return self.inside
        hit = arange(self.n, device=seeds.device) < 0
        hit[self.root[self.run[seeds & self.inside]]] = True
        return hit[self.root[self.run]] & self.inside
