# SPDX-License-Identifier: BSD-3-Clause
"""einsum(): its language, and in which order to multiply several arrays. No arrays' values here.

A label is a letter, or for an axis that "..." stands for a negative number: -1 is the last one.
"""
from itertools import combinations
from math import prod
from operator import index

from ._functions import beside

__all__ = ["einsum_path"]

_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


# ---- the language --------------------------------------------------------------------------------


def _from_lists(args):
    """(text of the subscripts, operands) of the form with lists of numbers after every operand."""
    pairs, output = list(args), None
    if len(pairs) % 2:
        output = pairs.pop()

    def text(sublist):
        result = []
        for k in sublist:
            if k is Ellipsis:
                result.append("...")
                continue
            try:
                k = index(k)
            except TypeError:
                raise TypeError("For this input type lists must contain either int or "
                                "Ellipsis") from None
            if not 0 <= k < len(_LETTERS):
                raise ValueError(f"subscript is not within the valid range [0, {len(_LETTERS)})")
            result.append(_LETTERS[k])
        return "".join(result)
    inputs = ",".join(map(text, pairs[1::2]))
    return inputs if output is None else f"{inputs}->{text(output)}", beside(*pairs[::2])


def _labels(text, axes, of):
    """The labels of one operand, of so many axes, or of the output."""
    before, dots, after = text.partition("...")
    for c in before + after:
        if c == ".":
            raise ValueError("einstein sum subscripts string contains a '.' that is not part of an "
                             f"ellipsis ('...') in {of}")
        if c not in _LETTERS:
            raise ValueError(f"invalid subscript {c!r} in einstein sum subscripts string, "
                             "subscripts must be letters")
    rest = axes - len(before) - len(after)
    if rest < 0:
        raise ValueError("einstein sum subscripts string contains too many subscripts for "
                         f"{of}: {text!r} for {axes} axes")
    if rest and not dots:
        raise ValueError("operand has more dimensions than subscripts given in einstein sum, but "
                         "no '...' ellipsis provided to broadcast the extra dimensions.")
    return (*before, *range(-rest, 0), *after)


def _output(text, inputs):
    """The output's labels: those given, or by default each that stands once, in order."""
    many = max((-k for labels in inputs for k in labels if isinstance(k, int)), default=0)
    dots = tuple(range(-many, 0))
    every = [k for labels in inputs for k in labels if not isinstance(k, int)]
    if text is None:
        return dots + tuple(sorted(k for k in set(every) if every.count(k) == 1))
    plain = text.replace("...", "", 1)
    labels = _labels(text, len(plain) + (many if "..." in text else 0), "the output")
    for k in plain:
        if k not in every:
            raise ValueError(f"einstein sum subscripts string included output subscript {k!r} "
                             "which never appeared in an input")
        if plain.count(k) > 1:
            raise ValueError(f"einstein sum subscripts string includes output subscript {k!r} "
                             "multiple times")
    if many and "..." not in text:
        raise ValueError("output has fewer dimensions: '...' stands in an input and not in the "
                         "output subscripts")
    return labels


def _extents(inputs, shapes):
    """The extent of every label; axes of extent 1 broadcast."""
    sizes = {}
    for k, (labels, shape) in enumerate(zip(inputs, shapes)):
        within = {}
        for label, n in zip(labels, shape):
            if within.setdefault(label, n) != n:
                raise ValueError(f"dimensions in operand {k} for collapsing index {label!r} don't "
                                 f"match ({within[label]} != {n})")
            if sizes.setdefault(label, n) == 1:
                sizes[label] = n
            elif n not in (1, sizes[label]):
                raise ValueError("operands could not be broadcast together with remapped shapes: "
                                 f"subscript {label!r} has the extents {sizes[label]} and {n}")
    return sizes


def understood(text, shapes):
    """(labels of each input, labels of the output, extents of the labels) of a text."""
    text = text.replace(" ", "")
    inputs, arrow, output = text.partition("->")
    if set("->") & set(inputs + output):
        raise ValueError("invalid subscript '-' in einstein sum subscripts string, subscripts must "
                         "be letters")
    inputs = inputs.split(",")
    if len(inputs) != len(shapes):
        raise ValueError(("more" if len(shapes) > len(inputs) else "fewer") + " operands provided "
                         "to einstein sum function than specified in the subscripts string: "
                         f"{len(shapes)} for {len(inputs)}")
    labels = tuple(_labels(t, len(shape), f"operand {k}")
                   for k, (t, shape) in enumerate(zip(inputs, shapes)))
    return labels, _output(output if arrow else None, labels), _extents(labels, shapes)


def subscripts(args):
    """(text of the subscripts, operands)."""
    if not args:
        raise ValueError("must specify the einstein sum subscripts string and at least one "
                         "operand, or at least one operand and its corresponding subscripts list")
    text, operands = ((args[0], beside(*args[1:])) if isinstance(args[0], str)
                      else _from_lists(args))
    if not operands:
        raise ValueError("No input operands")
    return text, operands


# ---- the order -----------------------------------------------------------------------------------


def _extent(labels, sizes):
    return prod(sizes[k] for k in labels)


def _work(labels, sizes, operands, summed):
    """Multiplications and additions of one step."""
    return _extent(labels, sizes) * (max(1, operands - 1) + bool(summed))


class _Step:
    """Operands multiplied at once: the labels involved, those left, and what it costs."""

    def __init__(self, places, sets, output, sizes):
        self.places = places
        inner = frozenset().union(*(sets[k] for k in places))
        outer = output.union(*(s for k, s in enumerate(sets) if k not in places))
        self.labels, self.left = inner, inner & outer
        self.size = _extent(self.left, sizes)
        self.freed = sum(_extent(sets[k], sizes) for k in places) - self.size
        self.work = _work(inner, sizes, len(places), inner - self.left)

    def after(self, sets):
        return [s for k, s in enumerate(sets) if k not in self.places] + [self.left]


def _greedy(sets, output, sizes, limit):
    """Always the pair that frees most memory, of those the one with least work; pairs that share a
    label before those that do not."""
    every = frozenset().union(*sets)
    naive, spent, path = _work(every, sizes, len(sets), every - output), 0, []
    while len(sets) > 1:
        pairs = [_Step(p, sets, output, sizes) for p in combinations(range(len(sets)), 2)]
        possible = [s for s in pairs if s.size <= limit and spent + s.work <= naive]
        sharing = [s for s in possible if not sets[s.places[0]].isdisjoint(sets[s.places[1]])]
        if not possible:
            path.append(tuple(range(len(sets))))
            break
        step = min(sharing or possible, key=lambda s: (-s.freed, s.work))
        path.append(step.places)
        sets, spent = step.after(sets), spent + step.work
    return path


def _optimal(sets, output, sizes, limit):
    """Every order is tried; the one with least work."""
    best = [None, ()]

    def search(sets, spent, path):
        if best[0] is not None and spent >= best[0]:
            return
        if len(sets) == 1:
            best[:] = spent, path
            return
        for places in combinations(range(len(sets)), 2):
            step = _Step(places, sets, output, sizes)
            if step.size <= limit:
                search(step.after(sets), spent + step.work, path + (places,))
        rest = _Step(tuple(range(len(sets))), sets, output, sizes)
        if best[0] is None or spent + rest.work < best[0]:
            best[:] = spent + rest.work, path + (rest.places,)
    search(sets, 0, ())
    return list(best[1])


_SEARCHES = {"greedy": _greedy, "optimal": _optimal}


def _given_path(optimize, n):
    path = [tuple(map(index, step)) for step in optimize[1:]]
    for step in path:
        n -= len(step) - 1
        if not step or max(step) > n + len(step) - 2 or min(step) < 0:
            raise IndexError(f"einsum_path: step {step} names operands that are not there")
    if n != 1:
        raise RuntimeError(f"Invalid einsum_path is specified: {n - 1} more operands have to be "
                           "contracted.")
    return path


def find_path(optimize, inputs, output, sizes):
    """The steps, each of the places of operands that leave the list; their product joins its end.
    """
    limit = float("inf")
    if isinstance(optimize, (list, tuple)) and len(optimize) and optimize[0] == "einsum_path":
        return _given_path(optimize, len(inputs))
    if isinstance(optimize, (list, tuple)) and len(optimize) == 2 and isinstance(
            optimize[0], str) and isinstance(optimize[1], (int, float)):
        optimize, limit = optimize[0], int(optimize[1])
    if optimize is None or optimize is False:
        return [tuple(range(len(inputs)))]
    if optimize is not True and not isinstance(optimize, str):
        raise TypeError(f"Did not understand the path: {optimize}")
    search = _greedy if optimize is True else _SEARCHES.get(optimize)
    if search is None:
        raise KeyError(f"Path name {optimize!r} not found")
    if len(inputs) <= 2 or frozenset(output) == frozenset(sizes):   # or nothing to sum
        return [tuple(range(len(inputs)))]
    return search([frozenset(labels) for labels in inputs], frozenset(output), sizes, limit)


def _text(labels, dots):
    return "".join(dots[k] if isinstance(k, int) else k for k in labels)


def _report(inputs, output, sizes, path):
    """What the path costs, as a text for people."""
    free = [c for c in reversed(_LETTERS) if c not in sizes]
    dots = dict(zip((k for k in sizes if isinstance(k, int)), free))
    sets, kept = [frozenset(labels) for labels in inputs], frozenset(output)
    texts, end = [_text(labels, dots) for labels in inputs], _text(output, dots)
    every = frozenset().union(*sets)
    naive, lines = _work(every, sizes, len(sets), every - kept), []
    spent, largest, deepest = 0, 1, 0
    whole = f"{','.join(texts)}->{end}"
    for places in path:
        step = _Step(tuple(sorted(places)), sets, kept, sizes)
        taken = [texts[k] for k in sorted(places, reverse=True)]
        sets = step.after(sets)
        left = end if len(sets) == 1 else "".join(sorted(_text(step.left, dots)))
        texts = [t for k, t in enumerate(texts) if k not in places] + [left]
        spent, largest = spent + step.work, max(largest, step.size)
        deepest = max(deepest, len(step.labels))
        current, rest = f"{','.join(taken)}->{left}", f"{','.join(texts)}->{end}"
        lines.append(f"\n{len(step.labels):4d}    {current:>24s} {rest:>40s}")
    rule = "\n" + "-" * 74
    return (f"  Complete contraction:  {whole}\n"
            f"         Naive scaling:  {len(sizes)}\n"
            f"     Optimized scaling:  {deepest}\n"
            f"      Naive FLOP count:  {naive:.3e}\n"
            f"  Optimized FLOP count:  {spent:.3e}\n"
            f"   Theoretical speedup:  {naive / spent if spent else 1:3.3f}\n"
            f"  Largest intermediate:  {largest:.3e} elements"
            f"{rule}\n{'scaling':>6s} {'current':>24s} {'remaining':>40s}{rule}" + "".join(lines))


def einsum_path(*operands, optimize="greedy", einsum_call=False):
    """In which order einsum() should multiply."""
    if einsum_call:
        raise NotImplementedError("einsum_path: einsum_call is NumPy's own business")
    text, operands = subscripts(operands)
    inputs, output, sizes = understood(text, tuple(x.shape for x in operands))
    path = find_path(optimize, inputs, output, sizes)
    return ["einsum_path", *path], _report(inputs, output, sizes, path)
