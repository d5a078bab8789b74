# SPDX-License-Identifier: BSD-3-Clause
"""What the functions of images share: axes, one value for each axis, what lies beyond an edge, and
results as output= asks for them."""
from functools import reduce
from operator import index
from warnings import warn

import numpy

from ..._functions import result_type
from ..._heddle import _is_array
from ..._padding import pad as _pad

_PADS = {"reflect": "symmetric", "grid-mirror": "symmetric", "mirror": "reflect",
         "nearest": "edge", "wrap": "wrap", "grid-wrap": "wrap", "constant": "constant",
         "grid-constant": "constant"}
_ONE_PASS = 24      # elements of a window up to which one pass is faster than several


def axes_of(axes, ndim):
    """The axes as numbers from 0 on; all of them for None."""
    if axes is None:
        return tuple(range(ndim))
    if numpy.ndim(axes) == 0:
        if not hasattr(axes, "__index__"):
            raise ValueError("axes must be an integer, iterable of integers, or None")
        axes = [axes]
    axes = [index(ax) for ax in axes]
    for ax in axes:
        if not -ndim <= ax < ndim:
            raise numpy.exceptions.AxisError(f"specified axis: {ax} is out of range")
    axes = tuple(ax % ndim for ax in axes)
    if len(set(axes)) != len(axes):
        raise ValueError("axes must be unique")
    return axes


def each(value, n, name="sequence argument"):
    """One value for each of n axes."""
    if isinstance(value, str) or not hasattr(value, "__len__") or numpy.ndim(value) == 0:
        return [value] * n
    if len(value) != n:
        raise RuntimeError(f"{name} must have length equal to input rank")
    return list(value)


def expanded(values, axes, ndim, rest):
    """Values of some axes as a list for all axes; `rest` for the others."""
    full = [rest] * ndim
    for ax, value in zip(axes, values):
        full[ax] = value
    return full


def check_mode(mode):
    if mode not in _PADS:
        raise RuntimeError("boundary mode not supported")


def one_mode(mode):
    if not isinstance(mode, str):
        raise RuntimeError("A sequence of modes is not supported")
    check_mode(mode)


def padded(x, before, after, modes, cval):
    """x with so many elements before and after it, of the axes whose numbers are not 0."""
    for mode in modes:
        check_mode(mode)
    for ax, mode in enumerate(modes):
        if not (before[ax] or after[ax]) or not x.shape[ax]:
            continue
        width = [(0, 0)] * x.ndim
        width[ax] = (before[ax], after[ax])
        how = _PADS[mode] if _PADS[mode] != "reflect" or x.shape[ax] > 1 else "edge"
        x = _pad(x, width, how, constant_values=cval) if how == "constant" else _pad(x, width, how)
    return x


def moved(around, sizes, shape):
    """Views of what lies around, one for each place of a box of such sizes, in C order."""
    return [around[tuple(slice(k, k + n) for k, n in zip(at, shape))]
            for at in numpy.ndindex(*sizes)]


def of_windows(around, ax, n, take):
    """take() of each n neighbours along an axis. Many are made of windows of 8, 16, 32 ..., which
    takes a pass over memory for each doubling in place of an operand for each neighbour."""
    def windows(x, shifts):
        length = x.shape[ax] - shifts[-1]
        at = [slice(None)] * x.ndim
        parts = []
        for k in shifts:
            at[ax] = slice(k, k + length)
            parts.append(x[tuple(at)])
        return reduce(take, parts)
    if n <= _ONE_PASS:
        return windows(around, range(n))
    r, width = windows(around, range(8)), 8
    while width < n:
        step = min(width, n - width)
        r, width = windows(r, (0, step)), width + step
    return r


def check_origin(origin, size):
    if not -(size // 2) <= origin <= (size - 1) // 2:
        raise ValueError("invalid origin")


def refuse_complex(*arrays):
    if any(a.dtype.kind == "c" for a in arrays):
        raise TypeError("Complex type not supported")


def total(parts):
    return reduce(lambda a, b: a + b, parts)


def cast(r, dtype):
    """r in a dtype: into integers, and bools, what is behind the point is cut off."""
    return r.astype("i8" if dtype.kind == "b" and r.dtype.kind == "f" else dtype).astype(dtype)


def array_of(output):
    """output, where it is an array, or None; TypeError where it is one of NumPy's, which is not
    written to."""
    if isinstance(output, numpy.ndarray):
        raise TypeError("output is an array of NumPy's; it must be one of Heddle's, or a dtype")
    return output if _is_array(output) else None


def check_shape(output, shape):
    """RuntimeError where output is an array of another shape."""
    if array_of(output) is not None and output.shape != shape:
        raise RuntimeError("output shape not correct")


def result_dtype(output, x, is_complex=False):
    """The dtype of a result: that of output, an array or a dtype, or else x's."""
    if _is_array(output):
        return output.dtype
    dtype = numpy.dtype(output) if output is not None else x.dtype
    if isinstance(output, str):
        if is_complex and dtype.kind != "c":
            raise RuntimeError("output must have complex dtype")
        if dtype.kind not in "iufc":
            raise RuntimeError("output must have numeric dtype")
    if not is_complex or dtype.kind == "c":
        return dtype
    if output is not None:
        warn("promoting specified output dtype to complex", stacklevel=4)
    return result_type(dtype, "c8")


def deliver(r, output, x, is_complex=False):
    """r as the dtype or in the array that output says."""
    check_shape(output, r.shape)
    if _is_array(output):
        if is_complex and output.dtype.kind != "c":
            raise RuntimeError("output must have complex dtype")
        output[...] = cast(r, output.dtype)
        return output
    dtype = result_dtype(output, x, is_complex)
    if r.dtype.kind == "c" and dtype.kind != "c":
        raise RuntimeError("output must have complex dtype")
    return cast(r, dtype)


def line(values, axis, ndim):
    """A vector laid along one of ndim axes."""
    return values.reshape([-1 if ax == axis else 1 for ax in range(ndim)])
