# SPDX-License-Identifier: BSD-3-Clause
"""SciPy's geometry of images: splines through their elements, sampled elsewhere.

Arguments and errors are those of scipy.ndimage. Moves along the axes (shift, zoom, matrices of one
axis) are made one axis after the other, others by gathering.
"""
import math
from warnings import warn

import numpy

from ... import arange, copysign, full, moveaxis, where
from ..._heddle import _beside
from ..._heddle import _is_array, asarray
from ..._padding import pad as _pad
from ._sampling import Axis, along, anywhere
from ._splines import coefficients, edge_of
from ._support import cast, check_mode, check_shape, each, refuse_complex, result_dtype

__all__ = ["affine_transform", "map_coordinates", "rotate", "shift", "zoom"]

_MARGIN = 12        # elements that images are continued by where cval or edges bear on coefficients


# ---- what they share -----------------------------------------------------------------------------


def _image(input, order, shape=None):
    """The image; order and numbers of axes are checked."""
    if order < 0 or order > 5:
        raise RuntimeError("spline order not supported")
    x = asarray(input)
    if x.ndim < 1 or shape is not None and len(shape) < 1:
        raise RuntimeError("input and output rank must be > 0")
    return x


def _prepared(x, order, mode, cval, prefilter, axes=None):
    """The coefficients, by how many elements they go on beyond the edges, and cval."""
    check_mode(mode)
    axes = range(x.ndim) if axes is None else axes
    if not (prefilter and order > 1):
        return x, 0
    margin = _MARGIN if mode in ("nearest", "grid-constant") else 0
    if margin:
        width = [(margin, margin) if ax in axes else (0, 0) for ax in range(x.ndim)]
        x = (_pad(x, width, "edge") if mode == "nearest" else
             _pad(x, width, "constant", constant_values=numpy.asarray(cval).astype(x.dtype).item()))
    return coefficients(x, order, edge_of(mode), axes), margin


def _rounded(r, dtype):
    """r in a dtype: whole numbers are the nearest ones, halves away from 0, at most the dtype's."""
    if dtype.kind not in "iu" or r.dtype.kind not in "fc":
        return cast(r, dtype)
    limits = numpy.iinfo(dtype)
    top = float(limits.max) if dtype.itemsize < 8 else math.nextafter(float(limits.max), 0)
    r = r + copysign(0.5, r)
    return cast(where(r < limits.min, float(limits.min), where(r > top, top, r)), dtype)


def _delivered(r, output, dtype):
    r = _rounded(r, dtype)
    if _is_array(output):
        output[...] = r
        return output
    return r.astype(dtype, copy=False)


def _target(output, x, shape):
    check_shape(output, tuple(shape))
    dtype = result_dtype(output, x, x.dtype.kind == "c")
    if x.dtype.kind == "c" and dtype.kind != "c":
        raise RuntimeError("output must have complex dtype")
    return dtype


def _scalar(cval, x):
    return complex(cval) if x.dtype.kind == "c" else float(numpy.real(cval))


def _wide(x):
    """x in the dtype of sums, unless it is gathered first: a cast then costs less."""
    return x if x.dtype.kind in "fc" and x.dtype.itemsize > 2 else x.astype("f8")


def _sampled_along(x, positions, order, mode, cval, prefilter, output, dtype):
    """The image at one vector of positions for each axis."""
    c, margin = _prepared(x, order, mode, cval, prefilter)
    axes = [Axis(p + margin, n, order, mode) for p, n in zip(positions, c.shape)]
    cval, r = _scalar(cval, x), _wide(c)
    for ax, axis in enumerate(axes):
        r = along(r, axis, ax, cval)
    for ax, axis in enumerate(axes):
        if axis.outside is not None:
            r = where(axis.outside.reshape([-1 if k == ax else 1 for k in range(x.ndim)]), cval, r)
    return _delivered(r, output, dtype)


def _sampled(x, positions, order, mode, cval, prefilter):
    """The image at any positions of its last axes: one array of them for each."""
    n = len(positions)
    c, margin = _prepared(x, order, mode, cval, prefilter, range(x.ndim - n, x.ndim))
    axes = [Axis(p + margin, extent, order, mode) for p, extent in zip(positions, c.shape[-n:])]
    return anywhere(_wide(c), axes, _scalar(cval, x))


def _empty(x, shape, output, dtype, cval):
    """What comes of an image without elements, or of no positions."""
    return _delivered(full(shape, _scalar(cval, x), device=x.device), output, dtype)


def _vector(n, x):
    return arange(n, dtype="f8", device=x.device)


# ---- anywhere ------------------------------------------------------------------------------------


def map_coordinates(input, coordinates, output=None, order=3, mode="constant", cval=0.0,
                    prefilter=True):
    """The image at coordinates, whose first axis is of as many elements as it has axes, as
    scipy.ndimage.map_coordinates."""
    x = _image(input, order)
    x, at = _beside(x, coordinates)
    refuse_complex(at)
    if at.ndim < 2:
        raise RuntimeError("input and output rank must be > 0")
    if at.shape[0] != x.ndim:
        raise RuntimeError("invalid shape for coordinate array")
    shape = at.shape[1:]
    dtype = _target(output, x, shape)
    check_mode(mode)
    if not x.size or not at.size:
        return _empty(x, shape, output, dtype, cval)
    r = _sampled(x, list(at.astype("f8")), order, mode, cval, prefilter)
    return _delivered(r, output, dtype)


def _affine_parts(matrix, offset, ndim, out_ndim):
    """The matrix, of one axis if it is diagonal and told so, and the offsets, on the host."""
    matrix = numpy.asarray(matrix, dtype="f8")
    if matrix.ndim not in (1, 2) or matrix.shape[0] < 1:
        raise RuntimeError("no proper affine matrix provided")
    if (matrix.ndim == 2 and matrix.shape[1] == ndim + 1
            and matrix.shape[0] in (ndim, ndim + 1)):
        if matrix.shape[0] == ndim + 1 and matrix[ndim].tolist() != [0] * ndim + [1]:
            raise ValueError(f"Expected homogeneous transformation matrix with shape {matrix.shape}"
                             f", but the bottom row was not equal to {[0] * ndim + [1]}")
        matrix, offset = matrix[:ndim, :ndim], matrix[:ndim, ndim]
    if matrix.shape[0] != ndim:
        raise RuntimeError("affine matrix has wrong number of rows")
    if (matrix.shape[1] if matrix.ndim == 2 else ndim) != out_ndim:
        raise RuntimeError("affine matrix has wrong number of columns")
    offset = numpy.asarray(each(offset, ndim), dtype="f8")
    if offset.ndim != 1 or offset.shape[0] < 1:
        raise RuntimeError("no proper offset provided")
    return matrix, offset


def _affine_positions(x, matrix, offset, shape):
    """For each axis of the image the positions that the elements of an array of a shape have."""
    grid = [_vector(n, x).reshape([-1 if k == ax else 1 for k in range(len(shape))])
            for ax, n in enumerate(shape)]
    found = []
    for row, start in zip(matrix.tolist(), offset.tolist()):
        at = start      # added up in SciPy's order
        for weight, k in zip(row, grid):
            at = at + k * weight
        found.append(at)
    return found


def affine_transform(input, matrix, offset=0.0, output_shape=None, output=None, order=3,
                     mode="constant", cval=0.0, prefilter=True, *, texture_memory=False):
    """The image at matrix @ k + offset for each place k of the result, as
    scipy.ndimage.affine_transform. texture_memory is CuPy's and changes nothing."""
    x = _image(input, order, output_shape)
    if output_shape is None:
        output_shape = output.shape if _is_array(output) else x.shape
    shape = tuple(int(n) for n in output_shape)
    dtype = _target(output, x, shape)
    check_mode(mode)
    matrix, offset = _affine_parts(matrix, offset, x.ndim, len(shape))
    if not x.size or 0 in shape:
        return _empty(x, shape, output, dtype, cval)
    if matrix.ndim == 1:
        with numpy.errstate(all="ignore"):
            starts = (offset / matrix).tolist()
        positions = [(_vector(n, x) + s) * m for n, s, m in zip(shape, starts, matrix.tolist())]
        return _sampled_along(x, positions, order, mode, cval, prefilter, output, dtype)
    positions = _affine_positions(x, matrix, offset, shape)
    return _delivered(_sampled(x, positions, order, mode, cval, prefilter), output, dtype)


# ---- along the axes ------------------------------------------------------------------------------


def shift(input, shift, output=None, order=3, mode="constant", cval=0.0, prefilter=True):
    """The image moved by so many elements, as scipy.ndimage.shift."""
    x = _image(input, order)
    dtype = _target(output, x, x.shape)
    check_mode(mode)
    shifts = each(shift, x.ndim)
    if not x.size:
        return _empty(x, x.shape, output, dtype, cval)
    positions = [_vector(n, x) - float(s) for n, s in zip(x.shape, shifts)]
    return _sampled_along(x, positions, order, mode, cval, prefilter, output, dtype)


def zoom(input, zoom, output=None, order=3, mode="constant", cval=0.0, prefilter=True, *,
         grid_mode=False):
    """The image made larger or smaller, as scipy.ndimage.zoom: from the middle of the first to that
    of the last element, with grid_mode from edge to edge. SciPy takes no notice of grid_mode for
    complex images."""
    x = _image(input, order)
    factors = each(zoom, x.ndim)
    shape = tuple(int(round(n * f)) for n, f in zip(x.shape, factors))
    dtype = _target(output, x, shape)
    if all(f == 1 for f in factors) and prefilter:
        return _delivered(x.copy(), output, dtype)
    if grid_mode and mode in ("constant", "wrap"):
        warn(f"It is recommended to use mode = grid-{mode} instead of {mode} when grid_mode is "
             "True.", stacklevel=2)
    check_mode(mode)
    if not x.size or 0 in shape:
        return _empty(x, shape, output, dtype, cval)
    positions = []
    for n, to in zip(x.shape, shape):
        k, less = _vector(to, x), 0 if grid_mode else 1
        step = (n - less) / (to - less) if to != less else 1.0
        positions.append((k + 0.5) * step - 0.5 if grid_mode else k * step)
    return _sampled_along(x, positions, order, mode, cval, prefilter, output, dtype)


# ---- in a plane ----------------------------------------------------------------------------------


# The polynomials of Cephes' cosdg() and sindg() (S. L. Moshier), which SciPy's rotate() calls: of the
# square of an angle of at most 45 degrees, in radians.
_SINE = (1.58962301572218447952e-10, -2.50507477628503540135e-8, 2.75573136213856773549e-6,
         -1.98412698295895384658e-4, 8.33333333332211858862e-3, -1.66666666666666307295e-1)
_COSINE = (1.13678171382044553091e-11, -2.08758833757683644217e-9, 2.75573155429816611547e-7,
           -2.48015872936186303776e-5, 1.38888888888806666760e-3, -4.16666666666666348141e-2,
           4.99999999999999999798e-1)


def _polynomial(x, factors):
    value = 0.0
    for f in factors:
        value = value * x + f
    return value


def _cosine_and_sine(degrees):
    """Of an angle in degrees, to the last digit what SciPy has: the shape of what is turned and the
    element that is nearest hang on it."""
    if not math.isfinite(degrees):
        return math.nan, math.nan
    size = abs(degrees)
    quarters = (math.floor(size / 45) + 1) // 2
    small = (size - 90.0 * quarters) * (math.pi / 180)
    square = small * small
    c = 1.0 - square * _polynomial(square, _COSINE)
    s = small + small * (square * _polynomial(square, _SINE))
    c, s = ((c, s), (-s, c), (-c, -s), (s, -c))[quarters % 4]
    return c, s if degrees >= 0 else -s


def rotate(input, angle, axes=(1, 0), reshape=True, output=None, order=3, mode="constant", cval=0.0,
           prefilter=True):
    """The image turned by an angle in degrees in the plane of two axes, as scipy.ndimage.rotate;
    with reshape the result holds all of it."""
    x = asarray(input)
    if x.ndim < 2:
        raise ValueError("input array should be at least 2D")
    axes = list(axes)
    if len(axes) != 2:
        raise ValueError("axes should contain exactly two values")
    if not all(float(ax).is_integer() for ax in axes):
        raise ValueError("axes should contain only integer values")
    axes = sorted(int(ax) + (x.ndim if ax < 0 else 0) for ax in axes)
    if axes[0] < 0 or axes[1] >= x.ndim:
        raise ValueError("invalid rotation plane specified")
    _image(x, order)
    c, s = _cosine_and_sine(float(angle))
    matrix = numpy.array([[c, s], [-s, c]])
    plane = numpy.array([x.shape[ax] for ax in axes])
    to = plane
    if reshape:
        corners = matrix @ [[0, 0, plane[0], plane[0]], [0, plane[1], 0, plane[1]]]
        to = (numpy.ptp(corners, axis=1) + 0.5).astype(int)
    offset = (plane - 1) / 2 - matrix @ ((to - 1) / 2)
    shape = list(x.shape)
    shape[axes[0]], shape[axes[1]] = to.tolist()
    dtype = _target(output, x, shape)
    check_mode(mode)
    if not x.size or 0 in shape:
        return _empty(x, shape, output, dtype, cval)
    positions = _affine_positions(x, matrix, offset, to.tolist())
    r = _sampled(moveaxis(x, axes, (-2, -1)), positions, order, mode, cval, prefilter)
    return _delivered(moveaxis(r, (-2, -1), axes), output, dtype)
