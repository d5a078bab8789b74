# SPDX-License-Identifier: BSD-3-Clause
"""einsum(): sums of products over labelled axes.

An operand first loses its repeated labels (a view of a diagonal) and those that nobody else has (a
sum). Two operands are multiplied by matmul where both keep labels of their own or share summed
ones, else element by element, so that the product and its sum become one kernel.
"""
from . import _heddle
from ._contracting import contract
from ._einsum_path import find_path, parse
from ._functions import result_type
from ._heddle import asarray, copyto, elementwise, ndarray

__all__ = ["einsum"]

_multiply = elementwise["multiply"][0]


class _Term:
    """An array with a label for each of its axes, no label twice."""

    def __init__(self, x, labels):
        self.x, self.labels = x, labels

    def in_order(self, labels):
        """The axes in the order of the labels; new ones of extent 1 for labels it has not."""
        order = [self.labels.index(k) for k in labels if k in self.labels]
        x = self.x if order == list(range(self.x.ndim)) else self.x.transpose(order)
        if len(order) < len(labels):
            x = x[tuple(slice(None) if k in self.labels else None for k in labels)]
        return x

    def summed(self, kept):
        """Without the labels that are not kept."""
        axes = tuple(ax for ax, k in enumerate(self.labels) if k not in kept)
        if not axes:
            return self
        return _Term(_sum(self.x, axes), tuple(k for k in self.labels if k in kept))

    def squeezed(self, sizes):
        """Without axes of extent 1 that stand for a larger one, which broadcast by themselves."""
        axes = tuple(ax for ax, k in enumerate(self.labels)
                     if self.x.shape[ax] == 1 and sizes[k] != 1)
        if not axes:
            return self
        return _Term(self.x.squeeze(axes), tuple(k for ax, k in enumerate(self.labels)
                                                 if ax not in axes))


def _sum(x, axes):
    """Sum in the dtype of the array; of bools whether any is true."""
    return x.any(axes) if x.dtype.kind == "b" else x.sum(axes, dtype=x.dtype)


def _diagonal(x, labels):
    """A view in which each label is one axis."""
    if len(set(labels)) == len(labels):
        return _Term(x, labels)
    names = tuple(dict.fromkeys(labels))
    shape = tuple(x.shape[labels.index(name)] for name in names)
    strides = tuple(sum(s for k, s in zip(labels, x.strides) if k == name) for name in names)
    view = _heddle._as_strided(x, shape, strides, 0)
    if not x.flags.writeable:
        view.flags.writeable = False
    return _Term(view, names)


def _product(p, q, kept):
    """Two terms multiplied, the labels that are not kept summed over."""
    p, q = p.summed(kept | set(q.labels)), q.summed(kept | set(p.labels))
    both = [k for k in p.labels if k in q.labels]
    summed, batch = [k for k in both if k not in kept], [k for k in both if k in kept]
    own_p = [k for k in p.labels if k not in both]
    own_q = [k for k in q.labels if k not in both]
    labels = (*batch, *own_p, *own_q)
    if not summed or not (own_p or own_q):
        every = (*labels, *summed)
        x = _multiply(p.in_order(every), q.in_order(every))
        return _Term(_sum(x, tuple(range(len(labels), x.ndim))) if summed else x, labels)
    at_p, at_q = p.labels.index, q.labels.index
    x = contract(p.x, q.x, [[at_p(k) for k in group] for group in (batch, own_p, summed)],
                 [[at_q(k) for k in group] for group in (batch, summed, own_q)])
    return _Term(x, labels)


def _contracted(terms, path, output):
    """All terms multiplied along the path."""
    for places in path:
        taken = [terms[k] for k in sorted(places)]
        terms = [t for k, t in enumerate(terms) if k not in places]
        result, others = taken[0], taken[1:]
        while others:
            kept = set(output).union(*(t.labels for t in terms + others[1:]))
            result = _product(result, others.pop(0), kept)
        terms.append(result)
    return terms[0].summed(set(output))


def _cast(operands, dtype, casting):
    """The operands in one dtype: the one asked for, or the one they promote to."""
    dtypes = [x.dtype for x in operands]
    if dtype is None and dtypes.count(dtypes[0]) == len(dtypes):
        return operands
    import numpy
    dtype = numpy.dtype(result_type(*dtypes) if dtype is None else dtype)
    for k, old in enumerate(dtypes):
        if casting != "unsafe" and old != dtype and not numpy.can_cast(old, dtype, casting):
            raise TypeError(f"Iterator operand {k} dtype could not be cast from {old!r} to "
                            f"{dtype!r} according to the rule '{casting}'")
    return [x.astype(dtype, copy=False) for x in operands]


def einsum(*operands, out=None, optimize=False, dtype=None, order="K", casting="safe"):
    """Sums of products over labelled axes: einsum("ij,jk->ik", a, b) is a matrix product.

    The subscripts name the axes of each operand with letters and "..." for the rest; a letter that
    the output has not is summed over; without "->" the output has each letter that stands once.
    Also einsum(a, [0, 1], b, [1, 2], [0, 2]). Of one operand without a sum the result is a view.
    optimize: as einsum_path() has it; with more than two operands False means "greedy" here.
    """
    inputs, output, arrays, sizes = parse(operands)
    if optimize is False or optimize is None:
        optimize = "greedy"
    path = find_path(optimize, inputs, output, sizes)
    terms = [_diagonal(x, labels) for x, labels in zip(_cast(arrays, dtype, casting), inputs)]
    if len(terms) > 1:
        terms = [term.squeezed(sizes) for term in terms]
    result = _contracted(terms, path, output).in_order(output)
    shape = tuple(sizes[k] for k in output)
    if result.shape != shape:
        result = _heddle.broadcast_to(result, shape)
        result = result if len(arrays) == 1 else result.copy()
    if out is not None:
        if not isinstance(out, ndarray):
            raise TypeError(f"out must be a heddle.ndarray, not {type(out)}")
        copyto(out, result, casting=casting)
        return out
    if order in ("C", "F"):
        result = asarray(result, order=order)
    return result if result.ndim else result[()]
