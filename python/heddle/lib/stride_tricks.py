# SPDX-License-Identifier: BSD-3-Clause
"""Views by strides. Unlike NumPy's they cannot leave the array's memory: that is a ValueError."""
from .. import _heddle
from .._heddle import _is_array, asarray, broadcast_to
from .._creation import is_sequence
from .._functions import broadcast_arrays, broadcast_shapes

__all__ = ["as_strided", "broadcast_arrays", "broadcast_shapes", "broadcast_to",
           "sliding_window_view"]


def _shared(x):
    """An array of the host's memory itself, so that a view of it can be written to."""
    if not _is_array(x) and hasattr(x, "__array_interface__"):
        try:
            return asarray(x, copy=False)
        except ValueError:      # of a dtype, or beside a device, that has to be copied
            pass
    return asarray(x)


def as_strided(x, shape=None, strides=None, subok=False, writeable=True):
    """A view of the array's memory with any shape and strides (in bytes)."""
    x = _shared(x) if writeable else asarray(x)
    shape = x.shape if shape is None else shape
    view = _heddle._as_strided(x, shape, x.strides if strides is None else strides, 0)
    if not writeable:
        view.flags.writeable = False
    return view


def sliding_window_view(x, window_shape, axis=None, *, subok=False, writeable=False):
    """A view with one more axis per windowed one: what a window of that extent sees there."""
    x = _shared(x) if writeable else asarray(x)
    window = tuple(window_shape) if is_sequence(window_shape) else (window_shape,)
    axes = tuple(range(x.ndim)) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    if any(n < 0 for n in window):
        raise ValueError("`window_shape` cannot contain negative values")
    if len(window) != len(axes):
        raise ValueError("Must provide matching length window_shape and axis; got "
                         f"{len(window)} window_shape elements and {len(axes)} axes elements.")
    shape = list(x.shape)
    for ax, n in zip(axes, window):
        if shape[ax] < n:
            raise ValueError("window shape cannot be larger than input array shape")
        shape[ax] -= n - 1
    strides = (*x.strides, *(x.strides[ax] for ax in axes))
    return as_strided(x, (*shape, *window), strides, writeable=writeable)
