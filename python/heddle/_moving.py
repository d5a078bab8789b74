# SPDX-License-Identifier: BSD-3-Clause
"""Elements moved to other places along axes: rolled, turned and mirrored."""
from operator import index

from ._creation import is_sequence
from ._functions import flip, normalize_axis
from ._heddle import _is_array, _roll, asarray

_FAR = 1 << 62      # what C takes

__all__ = ["fliplr", "flipud", "roll", "rollaxis", "rot90"]


def _listed(given):
    if _is_array(given) or hasattr(given, "tolist"):
        given = given.tolist()    # of a 0-d array its element
    if not hasattr(given, "__iter__"):
        return [given]
    given = list(given)
    if any(is_sequence(k) for k in given):
        raise ValueError("'shift' and 'axis' should be scalars or 1D sequences")
    return given


def _pairs(shift, axis, nd):
    """(shift, axis) for each axis to roll; a single one of either goes with all of the other."""
    axes = [normalize_axis(ax, nd) for ax in _listed(axis)]
    shifts = _listed(shift)
    if len(shifts) != len(axes) and 1 not in (len(shifts), len(axes)):
        raise ValueError(f"shape mismatch: {len(shifts)} shifts for {len(axes)} axes")
    return zip(shifts * len(axes) if len(shifts) == 1 else shifts,
               axes * len(shifts) if len(axes) == 1 else axes)


def roll(a, shift, axis=None):
    """The elements moved by shift places along an axis; those that leave at the end come in at
    the front. Several axes take a tuple of both; None rolls the flattened array."""
    a = asarray(a)
    if type(shift) is int and type(axis) is int and -_FAR < shift < _FAR:
        return _roll(a, shift, axis)
    if axis is None:
        return roll(a.ravel(), shift, 0).reshape(a.shape)
    shifts = {}
    for by, ax in _pairs(shift, axis, a.ndim):
        shifts[ax] = (shifts.get(ax, 0) + int(by)) % (a.shape[ax] or 1)
    return _roll(a, tuple(shifts.values()), tuple(shifts))


def rollaxis(a, axis, start=0):
    """View with an axis moved to before the axis start; moveaxis() says the same more plainly."""
    a = asarray(a)
    axis = normalize_axis(axis, a.ndim)
    start = index(start)
    if not -a.ndim <= start <= a.ndim:
        from numpy.exceptions import AxisError
        raise AxisError(f"'start' arg requires {-a.ndim} <= start < {a.ndim + 1}, but {start} was "
                        "passed in")
    start += a.ndim if start < 0 else 0
    order = [ax for ax in range(a.ndim) if ax != axis]
    order.insert(start - (axis < start), axis)
    return a.transpose(order)


def rot90(m, k=1, axes=(0, 1)):
    """View turned k times by 90 degrees, from the first of two axes towards the second."""
    axes = tuple(axes)
    if len(axes) != 2:
        raise ValueError("len(axes) must be 2.")
    m = asarray(m)
    if axes[0] == axes[1] or abs(axes[0] - axes[1]) == m.ndim:
        raise ValueError("Axes must be different.")
    if not all(-m.ndim <= ax < m.ndim for ax in axes):
        raise ValueError(f"Axes={axes} out of range for array of ndim={m.ndim}.")
    k %= 4
    if k == 0:
        return m[...] if m.ndim else m
    if k == 2:
        return flip(m, axes)
    return flip(m, axes[1]).swapaxes(*axes) if k == 1 else flip(m.swapaxes(*axes), axes[1])


def fliplr(m):
    """View with the order reversed along axis 1."""
    m = asarray(m)
    if m.ndim < 2:
        raise ValueError("Input must be >= 2-d.")
    return m[:, ::-1]


def flipud(m):
    """View with the order reversed along axis 0."""
    m = asarray(m)
    if m.ndim < 1:
        raise ValueError("Input must be >= 1-d.")
    return m[::-1]
