# SPDX-License-Identifier: BSD-3-Clause
"""Where signals are larger, or smaller, than around."""
from ... import arange, greater, less, take
from ..._heddle import asarray

__all__ = ["argrelextrema", "argrelmax", "argrelmin"]


def argrelextrema(data, comparator, axis=0, order=1, mode="clip"):
    """The indices, for each axis an array, of elements for which comparator(element, neighbour)
    holds for all neighbours up to order places away along the axis. mode: what lies beyond the
    ends, "clip" for the last element, "wrap" for the other end. ValueError: order < 1."""
    if int(order) != order or order < 1:
        raise ValueError("Order must be an int >= 1")
    data = asarray(data)
    places = arange(data.shape[axis])
    holds = None
    for shift in range(1, int(order) + 1):
        for way in shift, -shift:
            one = comparator(data, take(data, places + way, axis=axis, mode=mode))
            holds = one if holds is None else holds & one
    return holds.nonzero()


def argrelmax(data, axis=0, order=1, mode="clip"):
    """argrelextrema() of elements that are larger."""
    return argrelextrema(data, greater, axis, order, mode)


def argrelmin(data, axis=0, order=1, mode="clip"):
    """argrelextrema() of elements that are smaller."""
    return argrelextrema(data, less, axis, order, mode)
