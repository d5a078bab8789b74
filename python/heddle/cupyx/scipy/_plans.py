# SPDX-License-Identifier: BSD-3-Clause
"""Plans of Fourier transforms as CuPy has them. Heddle plans by itself, from the shape: an object
says no more than what it is for."""
from ... import asarray
from ..._functions import kind_of

__all__ = ["get_fft_plan"]


class Plan:
    """What get_fft_plan() gives: shape and axes; with plan: transforms in the block."""

    def __init__(self, shape, axes, value_type):
        self.shape, self.axes, self.value_type = shape, axes, value_type

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        pass

    def __repr__(self):
        return f"<plan: {self.value_type} of shape {self.shape} along axes {self.axes}>"


def get_fft_plan(a, shape=None, axes=None, value_type="C2C"):
    """A plan for the transform of an array, to be used in a with statement.

    shape: extents along axes; axes: all by default, an int for one. value_type: "C2C" of complex
    arrays, "R2C" of real ones, "C2R" with real results. ValueError if the array is not of the kind.
    """
    a = asarray(a)
    if value_type not in ("C2C", "R2C", "C2R"):
        raise ValueError(f"value_type is C2C, R2C or C2R, not {value_type!r}")
    if kind_of(a) != ("f" if value_type == "R2C" else "c"):
        raise ValueError(f"{value_type} is no transform of {a.dtype}")
    if axes is None:
        axes = tuple(range(a.ndim)) if shape is None or isinstance(shape, int) \
            else tuple(range(-len(shape), 0))
    axes = (axes,) if isinstance(axes, int) else tuple(axes)
    if shape is None:
        shape = tuple(a.shape[axis] for axis in axes)
    shape = (shape,) if isinstance(shape, int) else tuple(shape)
    if len(shape) != len(axes):
        raise ValueError("shape and axes have different lengths")
    return Plan(shape, axes, value_type)
