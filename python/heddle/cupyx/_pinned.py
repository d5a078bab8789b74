# SPDX-License-Identifier: BSD-3-Clause
"""NumPy arrays in pinned memory."""
from ..cupy.cuda.pinned_memory import pinned_array

__all__ = ["empty_like_pinned", "empty_pinned", "zeros_like_pinned", "zeros_pinned"]


def empty_pinned(shape, dtype=float, order="C"):
    """A numpy.ndarray of any values, in pinned memory where there is a GPU to transfer from."""
    return pinned_array(shape, dtype, order)


def zeros_pinned(shape, dtype=float, order="C"):
    """A numpy.ndarray of zeros, in pinned memory where there is a GPU to transfer from."""
    a = pinned_array(shape, dtype, order)
    a.fill(0)
    return a


def _like(make, a, dtype, order, shape):
    if order is None or order in "KA":
        order = "F" if a.flags.f_contiguous and not a.flags.c_contiguous else "C"
    return make(a.shape if shape is None else shape, a.dtype if dtype is None else dtype, order)


def empty_like_pinned(a, dtype=None, order="K", subok=None, shape=None):
    """As empty_pinned(), with the array's shape, dtype and order unless others are given."""
    return _like(empty_pinned, a, dtype, order, shape)


def zeros_like_pinned(a, dtype=None, order="K", subok=None, shape=None):
    """As zeros_pinned(), with the array's shape, dtype and order unless others are given."""
    return _like(zeros_pinned, a, dtype, order, shape)
