# SPDX-License-Identifier: BSD-3-Clause
"""Products of whole arrays by multiplication and matmul."""
from math import prod
from operator import index

from ._caching import cached
from ._functions import beside, broadcast_shapes, integers, moveaxis, normalize_axis, result_type
from ._heddle import array, elementwise, empty

__all__ = ["cross", "kron", "tensordot"]

_multiply, _negative, _subtract = (elementwise[name][0]
                                   for name in ("multiply", "negative", "subtract"))


def _axes_of_pair(axes):
    """The axes to sum over, of one and of the other."""
    if not isinstance(axes, (list, tuple)):
        try:
            n = index(axes)
        except TypeError:
            pass
        else:
            return tuple(range(-n, 0)), tuple(range(n))
    pair = [integers(ax) for ax in axes]
    if len(pair) != 2:
        raise ValueError(f"axes must be an int or two sequences of axes, not {len(pair)}")
    return pair


def tensordot(a, b, axes=2):
    """Sums of products over some axes of both arrays."""
    a, b = beside(a, b)
    over_a, over_b = _axes_of_pair(axes)
    return contract(a, b, *_groups_of(a.shape, b.shape, over_a, over_b))


@cached(256)
def _groups_of(shape_a, shape_b, over_a, over_b):
    """The axes of tensordot() as contract() wants them."""
    over_a = tuple([normalize_axis(ax, len(shape_a), "axes of a") for ax in over_a])
    over_b = tuple([normalize_axis(ax, len(shape_b), "axes of b") for ax in over_b])
    if len(over_a) != len(over_b) or any(
            shape_a[p] != shape_b[q] for p, q in zip(over_a, over_b)):
        raise ValueError(f"shape-mismatch for sum: shapes {shape_a} and {shape_b}, axes "
                         f"{list(over_a)} and {list(over_b)}")
    for over, name in ((over_a, "first"), (over_b, "second")):
        if len(set(over)) != len(over):
            raise ValueError(f"repeated axis for the {name} array: {list(over)}")
    kept_a = tuple([ax for ax in range(len(shape_a)) if ax not in over_a])
    kept_b = tuple([ax for ax in range(len(shape_b)) if ax not in over_b])
    return ((), kept_a, over_a), ((), over_b, kept_b)


@cached(256)
def _grouping(of, groups):
    """The axes of a shape gathered in groups, those of the first as they are, each of the others
    as one: the order of axes, or None if it is theirs, and the shape, or None if it stays."""
    axes = tuple([ax for group in groups for ax in group])
    shape = tuple([of[ax] for ax in groups[0]]) + tuple(
        [prod([of[ax] for ax in group]) for group in groups[1:]])
    in_order = axes == tuple(range(len(of)))
    return None if in_order else axes, None if shape == tuple([of[ax] for ax in axes]) else shape


def _grouped(x, groups):
    axes, shape = _grouping(x.shape, groups)
    x = x if axes is None else x.transpose(axes)
    return x if shape is None else x.reshape(shape)


def contract(a, b, axes_a, axes_b):
    """matmul() over groups of axes, tuples: (batch, kept, summed) of a and (batch, summed, kept)
    of b. Of arrays, or what has their methods."""
    if len(axes_b[1]) == 1 and b.ndim == 1:     # a vector: not a matrix of one column
        return _times_vector(a, b, axes_a)
    result = _grouped(a, axes_a) @ _grouped(b, axes_b)
    of_a, of_b = a.shape, b.shape
    shape = (*[of_a[ax] for ax in axes_a[0]], *[of_a[ax] for ax in axes_a[1]],
             *[of_b[ax] for ax in axes_b[2]])
    return result if result.shape == shape else result.reshape(shape)


def _times_vector(a, b, axes_a):
    result = _grouped(a, axes_a) @ b
    shape = tuple([a.shape[ax] for ax in axes_a[1]])
    return result if result.shape == shape else result.reshape(shape)


def kron(a, b):
    """Kronecker product: each element of a times the whole of b, side by side in a's order."""
    a, b = beside(a, b)
    nd = max(a.ndim, b.ndim)
    if a.ndim == 0 or b.ndim == 0:
        return _multiply(a, b)
    a, b = array(a, ndmin=nd, copy=None), array(b, ndmin=nd, copy=None)
    shape = tuple(n * m for n, m in zip(a.shape, b.shape))
    apart_a = tuple(k for n in a.shape for k in (n, 1))
    apart_b = tuple(k for n in b.shape for k in (1, n))
    return _multiply(a.reshape(apart_a), b.reshape(apart_b)).reshape(shape)


def _vectors(x, axis, name):
    from numpy.exceptions import AxisError
    try:
        axis = normalize_axis(axis, x.ndim)
    except AxisError:
        raise AxisError(axis, x.ndim, name) from None
    x = x if axis == x.ndim - 1 else moveaxis(x, axis, -1)
    if x.shape[-1] not in (2, 3):
        raise ValueError("incompatible dimensions for cross product\n(dimension must be 2 or 3): "
                         f"{name} has extent {x.shape[-1]}")
    return x


def cross(a, b, axisa=-1, axisb=-1, axisc=-1, axis=None):
    """Cross products of vectors of three components, or of two.

    Vectors of two components have 0 as the third; of two such vectors the result is the third
    component only. NumPy has deprecated these.
    """
    if axis is not None:
        axisa = axisb = axisc = axis
    a, b = beside(a, b)
    if not a.ndim or not b.ndim:
        raise ValueError("At least one array has zero dimension")
    a, b = _vectors(a, axisa, "axisa"), _vectors(b, axisb, "axisb")
    plane = a.shape[-1] == 2, b.shape[-1] == 2
    if any(plane):
        from warnings import warn
        warn("Arrays of 2-dimensional vectors are deprecated. Use arrays of 3-dimensional vectors "
             "instead.", DeprecationWarning, stacklevel=2)
    dtype = result_type(a.dtype, b.dtype)
    a, b = a.astype(dtype, copy=False), b.astype(dtype, copy=False)
    p, q = ([x[..., k] for k in range(x.shape[-1])] for x in (a, b))
    last = _subtract(_multiply(p[0], q[1]), _multiply(p[1], q[0]))
    if all(plane):
        return last
    shape = broadcast_shapes(a.shape[:-1], b.shape[:-1]) + (3,)
    axisc = normalize_axis(axisc, len(shape), "axisc")
    result = empty(shape, dtype, device=a.device)
    if plane[0]:
        result[..., 0] = _multiply(p[1], q[2])
        result[..., 1] = _negative(_multiply(p[0], q[2]))
    elif plane[1]:
        result[..., 0] = _negative(_multiply(p[2], q[1]))
        result[..., 1] = _multiply(p[2], q[0])
    else:
        result[..., 0] = _subtract(_multiply(p[1], q[2]), _multiply(p[2], q[1]))
        result[..., 1] = _subtract(_multiply(p[2], q[0]), _multiply(p[0], q[2]))
    result[..., 2] = last
    return moveaxis(result, -1, axisc)
