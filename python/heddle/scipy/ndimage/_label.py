# SPDX-License-Identifier: BSD-3-Clause
"""Numbers of what hangs together, and where it lies."""
import numpy

from ... import arange, cumsum, full, maximum, minimum, nonzero
from ..._heddle import asarray
from ._components import Components, offsets_of
from ._morphology import generate_binary_structure
from ._support import array_of, refuse_complex

__all__ = ["find_objects", "label"]


def _structure_of_three(structure, ndim):
    if structure is None:
        return numpy.asarray(generate_binary_structure(ndim, 1))
    structure = numpy.asarray(structure, bool)
    if structure.ndim != ndim:
        raise RuntimeError("structure and input must have equal rank")
    if any(n != 3 for n in structure.shape):
        raise ValueError("structure dimensions must be equal to 3")
    return structure


def _room(dtype):
    """The largest label that a dtype holds; floating-point numbers and SciPy's bools as bytes."""
    if dtype.kind in "iu":
        return numpy.iinfo(dtype).max
    return 255 if dtype.kind == "b" else 2 ** (numpy.finfo(dtype).nmant + 1)


def label(input, structure=None, output=None):
    """Labels of what hangs together where input is not 0, and how many there are, as
    scipy.ndimage.label; numbered in the order of their first elements."""
    x = asarray(input)
    refuse_complex(x)
    structure = _structure_of_three(structure, x.ndim)
    given = array_of(output) is not None
    if given and output.shape != x.shape:
        raise ValueError("output shape not correct")
    dtype = numpy.dtype(("i8" if x.size >= 2**31 - 2 else "i4") if output is None else
                        output.dtype if given else output)
    if x.ndim == 0 or x.size == 0:
        labels, count = (x != 0).astype("i4"), int(x != 0) if x.ndim == 0 else 0
    else:
        if (structure != structure[(slice(None, None, -1),) * x.ndim]).any():
            raise AssertionError("Structuring element is not symmetric")
        parts = Components(x != 0, offsets_of(structure))
        roots = parts.root == arange(parts.n, device=x.device)
        numbers = cumsum(roots, dtype=parts.run.dtype)
        count = int(numbers[-1]) if parts.n else 0
        labels = parts.of_runs(numbers[parts.root])
        if count > _room(dtype):
            raise RuntimeError("insufficient bit-depth in requested output type")
    if given:
        output[...] = labels.astype(dtype)
        return count
    return labels.astype(dtype, copy=False), count


def find_objects(input, max_label=0):
    """For each label from 1 on the slices of its box, or None, as scipy.ndimage.find_objects."""
    x = asarray(input)
    refuse_complex(x)
    if x.dtype.kind not in "iub":
        raise RuntimeError("data type not supported")
    n = int(max_label) if max_label >= 1 else int(x.max())
    if n < 1:
        return []
    if x.ndim == 0:
        return [() if i + 1 == int(x) else None for i in range(n)]
    # The ends of stretches of equal labels along the last axis are enough.
    wanted = (x > 0) & (x <= n)
    if x.ndim and x.shape[-1] > 2:
        inner = (x[..., 1:-1] != x[..., :-2]) | (x[..., 1:-1] != x[..., 2:])
        wanted[..., 1:-1] &= inner
    where = nonzero(wanted)
    at = x[where].astype("i8") - 1
    device = x.device
    found = []
    for k, extent in zip(where, x.shape):
        low, high = full(n, extent, dtype="i8", device=device), full(n, -1, dtype="i8", device=device)
        minimum.at(low, at, k)
        maximum.at(high, at, k)
        found.append((low.tolist(), high.tolist()))
    boxes = []
    for i in range(n):
        box = tuple(slice(low[i], high[i] + 1) for low, high in found)
        boxes.append(box if all(s.stop for s in box) else None)
    return boxes
