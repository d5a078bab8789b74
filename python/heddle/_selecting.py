# SPDX-License-Identifier: BSD-3-Clause
"""Elements chosen by conditions and positions, and written by them."""
from . import _heddle
from ._functions import beside, common_shape, result_type
from ._heddle import _is_array, asarray, copyto, elementwise, empty, ndarray, stack
from ._heddle import any as _any
from ._outputs import aside, deliver, destination, put_back
from ._positions import take

__all__ = ["argwhere", "choose", "compress", "extract", "piecewise", "place", "putmask", "select"]

_remainder, _clip = elementwise["remainder"][0], elementwise["clip"][0]


def argwhere(a):
    """Positions of the true elements, one in each row."""
    a = asarray(a)
    if a.ndim == 0:
        return empty((int(bool(a)), 0), int)
    return stack(a.nonzero(), 1)


# ---- one of several arrays -----------------------------------------------------------------------


def _number_or_array(x, other):
    """Python's numbers as they are: they adapt to the dtype beside them. Else an array there."""
    if _is_array(x) or type(x) in (int, float, complex):
        return x
    return beside(other, x)[1]


def _common_shape(*them):
    return common_shape([x for x in them if _is_array(x)])


def select(condlist, choicelist, default=0):
    """For each element that of the first choice whose condition is true there, else the default."""
    if len(condlist) != len(choicelist):
        raise ValueError("list of cases must be same length as list of conditions")
    if not len(condlist):
        raise ValueError("select with an empty condition list is not possible")
    conditions = beside(*condlist)
    choices = [_number_or_array(x, conditions[0]) for x in (*choicelist, default)]
    dtype = result_type(*choices)
    for k, condition in enumerate(conditions):
        if condition.dtype.kind != "b":
            raise TypeError(f"invalid entry {k} in condlist: should be boolean ndarray")
    shape = _common_shape(*conditions, *choices)
    result = empty(shape, dtype, device=conditions[0].device)
    copyto(result, choices.pop())
    for condition, choice in zip(reversed(conditions), reversed(choices)):
        copyto(result, choice, where=condition)
    return result


def _cut(x, dtype, device):
    """A choice that may be a Python int beyond an integer dtype, which NumPy cuts here: by way of
    int64."""
    if type(x) is not int or 0 <= x <= 127 or dtype.kind not in "iu":
        return x
    return asarray(x, device=device).astype(dtype)


def choose(a, choices, out=None, mode="raise"):
    """For each element the one of choices[a]."""
    a = asarray(a)
    choices = [_number_or_array(x, a) for x in choices]
    if not choices:
        raise ValueError("choose: there must be a choice or more")
    n, dtype = len(choices), result_type(*choices)
    choices = [_cut(x, dtype, a.device) for x in choices]
    if a.dtype.kind not in "biu":
        raise TypeError(f"Cannot cast array data from {a.dtype!r} to dtype('int64') according to "
                        "the rule 'safe'")
    if mode == "wrap":
        a = _remainder(a.astype(int), n)
    elif mode == "clip":
        a = _clip(a.astype(int), 0, n - 1)
    elif mode != "raise":
        raise ValueError(f"clipmode must be one of 'clip', 'raise', or 'wrap' (got {mode!r})")
    elif bool(((a < 0) | (a >= n)).any()):
        raise ValueError(f"invalid entry in choice array: there are {n} choices")
    result = empty(_common_shape(a, *choices), dtype, device=a.device)
    copyto(result, choices[0])
    for k in range(1, n):
        copyto(result, choices[k], where=a == k)
    if out is not None:
        return deliver(out, result, error=TypeError)
    return result if result.ndim else result[()]


# ---- by condition --------------------------------------------------------------------------------


def compress(condition, a, axis=None, out=None):
    """The slices along an axis (elements of the flattened array) whose condition is true."""
    condition = asarray(condition)
    if condition.ndim != 1:
        raise ValueError("condition must be a 1-d array")
    return take(a, condition.nonzero()[0], axis, out)


def extract(condition, arr):
    """The elements of the flattened array whose condition is true."""
    arr, condition = (x.ravel() for x in beside(arr, condition))
    if arr.shape == condition.shape:
        return arr[condition.astype(bool, copy=False)]
    return take(arr, condition.nonzero()[0])


def _mask_of(name, a, mask):
    mask = beside(a, mask)[1]
    if mask.size != a.size:
        raise ValueError(f"{name}: mask and data must be the same size, not {mask.size} and "
                         f"{a.size} elements")
    return mask.astype(bool, copy=False).reshape(a.shape)


def _values_for(a, values):
    """Values in the dtype of a, cast safely; Python's numbers adapt."""
    if isinstance(values, (bool, int, float, complex, list, tuple)):
        return asarray(values, a.dtype, device=a.device)
    values = beside(a, values)[1]
    if values.dtype != a.dtype:
        import numpy
        if not numpy.can_cast(values.dtype, a.dtype):
            raise TypeError(f"Cannot cast array data from {values.dtype!r} to {a.dtype!r} "
                            "according to the rule 'safe'")
    return values.astype(a.dtype, copy=False)


def place(arr, mask, vals):
    """Writes the first values, repeated as often as needed, where the mask is true, in C order."""
    arr = destination("place()", arr)
    mask = _mask_of("place", arr, mask)
    values = _values_for(arr, vals).ravel()
    if not values.size:
        if bool(_any(mask)):
            raise ValueError("Cannot insert from an empty array!")
        return
    changed = aside(arr)
    if values.size == 1:
        values = values.reshape(())
    else:
        order = mask.ravel().cumsum(dtype=int).reshape(arr.shape) - 1
        values = values[order % values.size]
    copyto(changed, values, where=mask)
    put_back(arr, changed)


def putmask(a, /, mask, values):
    """Writes values where the mask is true: a.flat[n] = values[n], the values repeated as often as
    needed."""
    a = destination("putmask()", a)
    mask = _mask_of("putmask", a, mask)
    values = _values_for(a, values)
    if not values.size or not a.size:
        return
    if values.size == 1:
        values = values.reshape(())
    elif values.size != a.size:
        from ._joining import resize
        values = resize(values, a.shape)
    changed = aside(a)
    copyto(changed, values.reshape(a.shape) if values.ndim else values, where=mask)
    put_back(a, changed)


def _conditions(x, condlist):
    """The conditions as a list of masks; one alone counts as a list of one."""
    scalar = not hasattr(condlist, "__len__") or (_is_array(condlist)
                                                  and condlist.ndim == 0)
    if scalar or (not hasattr(condlist[0], "__len__") and x.ndim != 0):
        condlist = [condlist]
    elif _is_array(condlist[0]) and condlist[0].ndim == 0 and x.ndim != 0:
        condlist = [condlist]
    return [asarray(c).astype(bool, copy=False) for c in condlist]


def piecewise(x, condlist, funclist, *args, **kw):
    """For each condition the function's values of the elements for which it is true."""
    x = asarray(x)
    masks = _conditions(x, condlist)
    if len(masks) == len(funclist) - 1:
        rest = masks[0]
        for mask in masks[1:]:
            rest = rest | mask
        masks.append(~rest)
    elif len(masks) != len(funclist):
        raise ValueError(f"with {len(masks)} condition(s), either {len(masks)} or "
                         f"{len(masks) + 1} functions are expected")
    y = _heddle._empty_like(x, None)
    y.fill(0)
    for mask, function in zip(masks, funclist):
        if not callable(function):
            y[mask] = function
            continue
        values = x[mask]
        if values.size > 0:
            y[mask] = function(values, *args, **kw)
    return y
