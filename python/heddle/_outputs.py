# SPDX-License-Identifier: BSD-3-Clause
"""Arrays of the caller's that functions write to: outputs, and what is changed in place.

A function hands its result to deliver(), or what it is to change to destination() first. So an
array that cannot be written to is refused everywhere, and none is left as it was in silence.
"""
from ._heddle import _is_array, _overlaps_itself, NotOurs, asarray, copyto, ndarray

__all__ = []


def _is_numpys(x):
    """Is x an array that NumPy can write to? It is not loaded for that."""
    return any(t.__module__ == "numpy" and t.__name__ == "ndarray" for t in type(x).__mro__)


def check_out(out, shape, error=ValueError):
    """Raises unless out is an array of the shape."""
    if not _is_array(out):
        raise (NotOurs if _is_numpys(out) else TypeError)(
            f"return arrays must be of ArrayType: a heddle.ndarray, not {type(out)}")
    if out.shape != shape:
        raise error(f"output array has shape {out.shape}, but the result has shape {shape}")


def deliver(out, value, casting="unsafe", error=ValueError):
    """value, or out with the elements of value if the caller gave one (not None).

    Nothing is broadcast: an array of another shape is refused.
    """
    if out is None:
        return value
    check_out(out, value.shape, error)
    copyto(out, value, casting=casting)
    return out


def destination(function, x):
    """The array to write to for what the caller wants changed: x, or one over x's own memory.

    TypeError if there is none: a copy would change and x would not.
    """
    if _is_array(x):
        return x
    why = ""
    if hasattr(x, "__array_interface__"):
        try:
            x = asarray(x, copy=False)
        except ValueError as problem:
            why = f" ({problem})"
        else:
            if x.flags.writeable:
                return x
            raise ValueError(f"{function}: the array is read-only")
    raise (NotOurs if _is_numpys(x) else TypeError)(
        f"{function} changes a heddle.ndarray in place, not {type(x)}{why}")


def aside(x):
    """x to be changed element by element, or a copy to be stored in x afterwards: where elements of
    x meet in memory, NumPy changes a copy."""
    return x.copy() if _overlaps_itself(x) else x


def put_back(x, changed):
    """Ends what aside() began."""
    if changed is not x:
        copyto(x, changed)
