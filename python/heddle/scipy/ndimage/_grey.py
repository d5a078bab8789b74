# SPDX-License-Identifier: BSD-3-Clause
"""SciPy's morphology of numbers: extremes of what lies around, and what is made of them."""
import numpy

from ... import add, bitwise_xor, subtract
from ..._heddle import asarray, elementwise
from ._filters import extreme
from ._support import array_of, axes_of, each, refuse_complex

__all__ = ["black_tophat", "grey_closing", "grey_dilation", "grey_erosion", "grey_opening",
           "morphological_gradient", "morphological_laplace", "white_tophat"]

_minimum, _maximum = (elementwise[n][0] for n in ("minimum", "maximum"))


def _on_host(value, dtype):
    return None if value is None else numpy.asarray(value, dtype)


def _checked(input, size, footprint, structure):
    if size is None and footprint is None and structure is None:
        raise ValueError("size, footprint, or structure must be specified")
    x = asarray(input)
    refuse_complex(x)
    return x, _on_host(footprint, bool), _on_host(structure, "f8")


def grey_erosion(input, size=None, footprint=None, structure=None, output=None, mode="reflect",
                 cval=0.0, origin=0, *, axes=None):
    """The least of the elements around less structure, as scipy.ndimage.grey_erosion."""
    x, footprint, structure = _checked(input, size, footprint, structure)
    return extreme(x, size, footprint, output, mode, cval, origin, axes, _minimum, structure)


def _turned(a):
    return None if a is None else a[(slice(None, None, -1),) * a.ndim]


def grey_dilation(input, size=None, footprint=None, structure=None, output=None, mode="reflect",
                  cval=0.0, origin=0, *, axes=None):
    """The largest of the elements around plus structure turned round, as
    scipy.ndimage.grey_dilation."""
    x, footprint, structure = _checked(input, size, footprint, structure)
    n = len(axes_of(axes, x.ndim))
    if footprint is not None:
        sizes = footprint.shape
    else:
        sizes = structure.shape if structure is not None else each(size, n)
    origin = [-o - (s % 2 == 0) for o, s in zip(each(origin, n), sizes)]
    return extreme(x, size, _turned(footprint), output, mode, cval, origin, axes, _maximum,
                   _turned(structure))


def grey_opening(input, size=None, footprint=None, structure=None, output=None, mode="reflect",
                 cval=0.0, origin=0, *, axes=None):
    """The erosion's dilation, as scipy.ndimage.grey_opening."""
    r = grey_erosion(input, size, footprint, structure, None, mode, cval, origin, axes=axes)
    return grey_dilation(r, size, footprint, structure, output, mode, cval, origin, axes=axes)


def grey_closing(input, size=None, footprint=None, structure=None, output=None, mode="reflect",
                 cval=0.0, origin=0, *, axes=None):
    """The dilation's erosion, as scipy.ndimage.grey_closing."""
    r = grey_dilation(input, size, footprint, structure, None, mode, cval, origin, axes=axes)
    return grey_erosion(r, size, footprint, structure, output, mode, cval, origin, axes=axes)


def morphological_gradient(input, size=None, footprint=None, structure=None, output=None,
                           mode="reflect", cval=0.0, origin=0, *, axes=None):
    """The dilation less the erosion, as scipy.ndimage.morphological_gradient."""
    given = array_of(output)
    high = grey_dilation(input, size, footprint, structure, None, mode, cval, origin, axes=axes)
    low = grey_erosion(input, size, footprint, structure, given, mode, cval, origin, axes=axes)
    return high - low if given is None else subtract(high, low, given)


def morphological_laplace(input, size=None, footprint=None, structure=None, output=None,
                          mode="reflect", cval=0.0, origin=0, *, axes=None):
    """The dilation plus the erosion less twice the input, as scipy.ndimage.morphological_laplace."""
    x = asarray(input)
    given = array_of(output)
    high = grey_dilation(x, size, footprint, structure, None, mode, cval, origin, axes=axes)
    low = grey_erosion(x, size, footprint, structure, given, mode, cval, origin, axes=axes)
    add(high, low, low)
    subtract(low, x, low)
    return subtract(low, x, low)


def _less(a, b, out):
    take = bitwise_xor if a.dtype.kind == b.dtype.kind == "b" else subtract
    return take(a, b, out)


def white_tophat(input, size=None, footprint=None, structure=None, output=None, mode="reflect",
                 cval=0.0, origin=0, *, axes=None):
    """The input less its opening, as scipy.ndimage.white_tophat."""
    x = asarray(input)
    r = grey_opening(x, size, footprint, structure, output, mode, cval, origin, axes=axes)
    return _less(x, r, r)


def black_tophat(input, size=None, footprint=None, structure=None, output=None, mode="reflect",
                 cval=0.0, origin=0, *, axes=None):
    """The closing less the input, as scipy.ndimage.black_tophat."""
    x = asarray(input)
    r = grey_closing(x, size, footprint, structure, output, mode, cval, origin, axes=axes)
    return _less(r, x, r)
