# SPDX-License-Identifier: BSD-3-Clause
"""einsum(): sums of products over labelled axes.

An operand first loses its repeated labels (a view of a diagonal) and those that nobody else has (a
sum). Two operands are multiplied by matmul where both keep labels of their own or share summed
ones, else element by element, so that the product and its sum become one kernel.

Which calls these are depends on labels and shapes only. So they are found out once, on stand-ins
that have a shape and nothing else and note what is done to them; arrays go through the notes.
"""
from . import _heddle
from ._caching import cached
from ._contracting import contract
from ._einsum_path import find_path, subscripts, understood
from ._functions import broadcast_shapes, result_type
from ._heddle import asarray, broadcast_to, elementwise, matmul, ndarray
from ._outputs import check_out, deliver

__all__ = ["einsum"]

_multiply = elementwise["multiply"][0]


# ---- what may be done to arrays ------------------------------------------------------------------


def _transpose(x, axes):
    return x.transpose(axes)


def _reshape(x, shape):
    return x.reshape(shape)


def _sum(x, axes):
    """Sum in the dtype of the array; of bools whether any is true."""
    return x.any(axes) if x.dtype.kind == "b" else x.sum(axes, dtype=x.dtype)


def _diagonal(x, groups, shape):
    """A view in which each group of axes is one."""
    step = x.strides
    strides = tuple([sum([step[ax] for ax in group]) for group in groups])
    view = _heddle._as_strided(x, shape, strides, 0)
    if not x._flag_bits & _heddle.WRITEABLE:
        view.flags.writeable = False
    return view


def _trace(x, axes):
    """The sum of the diagonal of a matrix."""
    return _sum(x.diagonal(), axes)


def _wide_copy(x, shape):
    return broadcast_to(x, shape).copy()


_VIEWS = (_transpose, _reshape, _diagonal)


# ---- notes ---------------------------------------------------------------------------------------


class _StandIn:
    """An array's shape, and its number among the arrays: the operands, then a result a note."""

    def __init__(self, notes, number, shape):
        self.notes, self.number, self.shape = notes, number, tuple(shape)
        self.ndim = len(self.shape)

    def _then(self, shape, function, *arguments, other=None):
        of = (self.number,) if other is None else (self.number, other.number)
        self.notes.append((function, of, arguments))
        return _StandIn(self.notes, len(self.notes) - 1, shape)

    def transpose(self, axes):
        return self._then((self.shape[ax] for ax in axes), _transpose, tuple(axes))

    def reshape(self, shape):
        return self._then(shape, _reshape, shape)

    def sum(self, axes):
        shape = (n for ax, n in enumerate(self.shape) if ax not in axes)
        return self._then(shape, _sum, axes)

    def diagonal(self, groups):
        shape = tuple(self.shape[group[0]] for group in groups)
        return self._then(shape, _diagonal, groups, shape)

    def wide(self, shape, copy):
        return self._then(shape, _wide_copy if copy else broadcast_to, shape)

    def __mul__(self, other):
        return self._then(broadcast_shapes(self.shape, other.shape), _multiply, other=other)

    def __matmul__(self, other):
        if other.ndim == 1:
            return self._then(self.shape[:-1], matmul, other=other)
        batch = broadcast_shapes(self.shape[:-2], other.shape[:-2])
        return self._then((*batch, self.shape[-2], other.shape[-1]), matmul, other=other)


def _gives_view(notes):
    """Do the notes lead to a view of an operand?"""
    return all([note[0] in _VIEWS for note in notes])


def _through(notes, arrays):
    """What the notes make of the arrays; each is let go of after its last use."""
    values = list(arrays)
    for function, x, y, arguments, over in notes:
        values.append(function(values[x], *arguments) if y is None
                      else function(values[x], values[y]))
        for k in over:
            values[k] = None
    return values[-1]


# ---- labelled axes -------------------------------------------------------------------------------


class _Term:
    """A stand-in with a label for each of its axes, no label twice."""

    def __init__(self, x, labels):
        self.x, self.labels = x, labels

    def in_order(self, labels):
        """The axes in the order of the labels; new ones of extent 1 for labels it has not."""
        order = [self.labels.index(k) for k in labels if k in self.labels]
        x = self.x if order == list(range(self.x.ndim)) else self.x.transpose(order)
        if len(order) < len(labels):
            extent = dict(zip(self.labels, self.x.shape))
            x = x.reshape(tuple(extent.get(k, 1) for k in labels))
        return x

    def summed(self, kept):
        """Without the labels that are not kept."""
        axes = tuple(ax for ax, k in enumerate(self.labels) if k not in kept)
        if not axes:
            return self
        return _Term(self.x.sum(axes), tuple(k for k in self.labels if k in kept))

    def squeezed(self, sizes):
        """Without axes of extent 1 that stand for a larger one, which broadcast by themselves."""
        kept = [(k, n) for k, n in zip(self.labels, self.x.shape) if n != 1 or sizes[k] == 1]
        if len(kept) == len(self.labels):
            return self
        return _Term(self.x.reshape(tuple(n for _, n in kept)), tuple(k for k, _ in kept))


def _diagonal_of(x, labels):
    """A term in which each label is one axis."""
    names = tuple(dict.fromkeys(labels))
    if len(names) == len(labels):
        return _Term(x, labels)
    groups = tuple(tuple(ax for ax, k in enumerate(labels) if k == name) for name in names)
    return _Term(x.diagonal(groups), names)


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
        x = p.in_order(every) * q.in_order(every)
        return _Term(x.sum(tuple(range(len(labels), x.ndim))) if summed else x, labels)
    at_p, at_q = p.labels.index, q.labels.index
    x = contract(p.x, q.x,
                 tuple(tuple(at_p(k) for k in group) for group in (batch, own_p, summed)),
                 tuple(tuple(at_q(k) for k in group) for group in (batch, summed, own_q)))
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


@cached(256, typed=True)
def _notes_for(text, shapes, optimize):
    """For _through(): function, numbers of one operand or two, further arguments, numbers done with.
    """
    inputs, output, sizes = understood(text, shapes)
    path = find_path(optimize, inputs, output, sizes)
    notes = [None] * len(shapes)
    terms = [_diagonal_of(_StandIn(notes, k, shape), labels)
             for k, (shape, labels) in enumerate(zip(shapes, inputs))]
    if len(terms) > 1:
        terms = [term.squeezed(sizes) for term in terms]
    result = _contracted(terms, path, output).in_order(output)
    shape = tuple(sizes[k] for k in output)
    if result.shape != shape:
        result.wide(shape, copy=len(shapes) > 1)
    elif len(notes) == 1:       # nothing is to be done: a new view
        result.transpose(range(result.ndim))
    if len(shapes) == 1 and len(shapes[0]) == 2 and [n[0] for n in notes[1:]] == [_diagonal, _sum]:
        notes[1:] = [(_trace, (0,), ((0,),))]
    seen, complete = set(), []
    for note in reversed(notes[len(shapes):]):
        over = set(note[1]) - seen
        seen |= over
        function, of, arguments = note
        complete.append((function, of[0], of[1] if len(of) > 1 else None, arguments, tuple(over)))
    return complete[::-1]


def _cast(operands, dtype, casting, out):
    """The operands in one dtype: the one asked for, or the one they and out (if any) promote to."""
    dtypes = [x.dtype for x in operands]
    if out is not None:
        dtypes.append(out.dtype)
    if dtype is None and dtypes.count(dtypes[0]) == len(dtypes):
        return operands
    import numpy
    dtype = numpy.dtype(result_type(*dtypes) if dtype is None else dtype)
    for k, old in enumerate(dtypes):
        if casting != "unsafe" and old != dtype and not numpy.can_cast(old, dtype, casting):
            raise TypeError(f"Iterator operand {k} dtype could not be cast from {old!r} to "
                            f"{dtype!r} according to the rule '{casting}'")
    if out is not None and casting != "unsafe" and not numpy.can_cast(dtype, out.dtype, casting):
        raise TypeError(f"Iterator requested dtype could not be cast from {dtype!r} to "
                        f"{out.dtype!r}, the operand {len(operands)} dtype, according to the rule "
                        f"'{casting}'")
    return [x.astype(dtype, copy=False) for x in operands]


def _order(order):
    """One of C, F, A and K."""
    if order is None:
        return "K"
    if not isinstance(order, str):
        raise TypeError(f"order must be str, not {type(order).__name__}")
    if order.upper() not in ("C", "F", "A", "K"):
        raise ValueError(f"order must be one of 'C', 'F', 'A', or 'K' (got {order!r})")
    return order.upper()


def _casting(casting):
    if casting not in ("no", "equiv", "safe", "same_kind", "unsafe"):
        raise ValueError("casting must be one of 'no', 'equiv', 'safe', 'same_kind', or 'unsafe' "
                         f"(got {casting!r})")
    return casting


def _are_alike(arrays):
    """Are they all arrays of ours, of one dtype and on one device?"""
    for x in arrays:
        if type(x) is not ndarray:
            return False
    first = arrays[0]
    dtype, device = first.dtype, first.device
    for x in arrays[1:]:
        if x.dtype is not dtype or x.device != device:
            return False
    return True


def _label_strides(labels, shape, strides):
    """A step for each label: those of its axes added, without axes of extent 1."""
    steps = {}
    for k, n, step in zip(labels, shape, strides):
        steps[k] = steps.get(k, 0) + (step if n != 1 else 0)
    return steps


def _goes_inside(label, other, steps):
    """Should the label's axis lie within the other's? None where no operand has a step along both.
    Where operands differ the order of the output decides, which puts other first: no."""
    answer = None
    for step in steps:
        a, b = abs(step.get(label, 0)), abs(step.get(other, 0))
        if a and b:
            answer = a < b and answer is not False
    return answer


@cached(256, typed=True)
def _axes_in_memory(text, shapes, strides):
    """The output's axes from the longest step to the shortest, as NumPy's iterator orders them for
    "K": all labels, innermost first, sorted by insertion by the steps of the operands (nditer's
    npyiter_find_best_axis_ordering). None: as they stand."""
    inputs, output, _ = understood(text, shapes)
    steps = [_label_strides(*one) for one in zip(inputs, shapes, strides)]
    summed = {k for labels in inputs for k in labels if k not in output}
    order = []
    for label in reversed((*output, *sorted(summed))):
        place = len(order)
        for at in reversed(range(len(order))):
            inside = _goes_inside(label, order[at], steps)
            if inside is False:
                break
            if inside:
                place = at
        order.insert(place, label)
    axes = tuple(output.index(k) for k in reversed(order) if k in output)
    return None if axes == tuple(range(len(axes))) else axes


def _as_iterated(result, text, shapes, strides):
    """The result in the memory order that NumPy's iterator gives it."""
    if result.ndim < 2:
        return result
    axes = _axes_in_memory(text, shapes, strides)
    if axes is None:
        return asarray(result, order="C")
    dense = asarray(result.transpose(axes), order="C")
    return dense.transpose(tuple([axes.index(ax) for ax in range(len(axes))]))


def _labels_in_f(text, arrays):
    """Are all operands in F order once the axes of a label that stands twice are one?"""
    inputs = understood(text, tuple([x.shape for x in arrays]))[0]
    for labels, x in zip(inputs, arrays):
        expected = x.dtype.itemsize
        for k, step in _label_strides(labels, x.shape, x.strides).items():
            n = x.shape[labels.index(k)]
            if n != 1 and step != expected:
                return False
            expected *= n
    return True


def _in_order(result, order, in_f):
    """The result as its order says; A is F where in_f() says so."""
    if order == "A":
        order = "F" if in_f() else "C"
    return result if order == "K" else asarray(result, order=order)


def einsum(*operands, out=None, optimize=False, dtype=None, order="K", casting="safe"):
    """Sums of products over labelled axes: einsum("ij,jk->ik", a, b) is a matrix product."""
    if out is dtype is None and optimize is False and order == "K" and casting == "safe":
        arrays = operands[1:]
        if arrays and type(operands[0]) is str and _are_alike(arrays):
            shapes = ((arrays[0].shape, arrays[1].shape) if len(arrays) == 2 else
                      tuple([x.shape for x in arrays]))
            notes = _notes_for(operands[0], shapes, "greedy")
            result = _through(notes, arrays)
            if not result.ndim:
                return result[()]
            if result.ndim == 1 or _gives_view(notes):
                return result
            strides = tuple([x.strides for x in arrays])
            return _as_iterated(result, operands[0], shapes, strides)
    order, casting = _order(order), _casting(casting)
    text, arrays = subscripts(operands)
    if out is not None:
        check_out(out, getattr(out, "shape", None))
    at_once = optimize is False or optimize is None
    beside_them = out if at_once else None
    if at_once:
        optimize = "greedy"
    elif isinstance(optimize, (list, tuple)):   # steps may be lists too
        optimize = tuple([tuple(s) if isinstance(s, list) else s for s in optimize])
    elif not isinstance(optimize, (bool, str)):
        raise TypeError(f"Did not understand the path: {optimize}")
    notes = _notes_for(text, tuple([x.shape for x in arrays]), optimize)
    if out is None and len(arrays) == 1 and _gives_view(notes):
        if dtype is not None:       # NumPy reads it, and gives the view whatever it says
            import numpy
            numpy.dtype(dtype)
        return _through(notes, arrays)[()]
    given, arrays = arrays, _cast(arrays, dtype, casting, beside_them)
    result = _through(notes, arrays)
    if out is not None:
        if out.ndim == 0 and len(arrays) > 1 and beside_them is None and casting == "safe":
            casting = "unsafe"      # NumPy's products to no axes ask nothing of out
        return deliver(out, result, casting)
    if order == "K" and at_once:
        result = _as_iterated(result, text, tuple([x.shape for x in given]),
                              tuple([x.strides for x in given]))
    result = _in_order(result, order, lambda: _labels_in_f(text, given) if at_once else
                       all(x.flags.f_contiguous for x in given))
    return result if result.ndim else result[()]
