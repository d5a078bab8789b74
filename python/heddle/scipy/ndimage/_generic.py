# SPDX-License-Identifier: BSD-3-Clause
"""Filters whose values a function of the caller's makes, of what lies around each element.

A function in Python is called for each element or line, as SciPy calls it: a convenience, not a way
to be fast. CuPy's kernels are run over all elements at once: a ReductionKernel over what lies around
each, a RawKernel as a function that one thread an element calls.
"""
import re

import numpy

from ... import empty, stack as _stack
from ..._heddle import asarray
from ._filters import footprint_of, laid_out, neighbours
from ._support import axes_of, deliver, expanded, one_mode, padded, refuse_complex

__all__ = ["generic_filter", "generic_filter1d"]

_BLOCK = 128        # threads of a block


def _is_kernel(function, name):
    return type(function).__name__ == name and type(function).__module__.startswith("heddle.cupy")


def _launched(function, wrapper, n, *args):
    """One thread for each of n calls of a RawKernel, by a kernel that calls it."""
    from ...cupy import RawKernel
    code = re.sub(r'(?:extern\s+"C"\s+)?__global__', "__device__", function.code)
    kernel = RawKernel(code + wrapper % {"f": function.name}, "heddle_each", function.options,
                       function.backend)
    kernel(((n + _BLOCK - 1) // _BLOCK,), (_BLOCK,), (*args, n))


# ---- elements ------------------------------------------------------------------------------------

_OF_ELEMENTS = """
extern "C" __global__ void heddle_each(double *around, double *results, int size, long long n)
{
    long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        %(f)s(around + i * size, size, results + i);
}
"""


def generic_filter(input, function, size=None, footprint=None, output=None, mode="reflect", cval=0.0,
                   origin=0, extra_arguments=(), extra_keywords=None, *, axes=None):
    """function(what lies around, *extra_arguments, **extra_keywords) for each element, as
    scipy.ndimage.generic_filter; what lies around is a vector of float64.

    function may be a ReductionKernel of one input, or a RawKernel
    `void f(double *around, int size, double *result)`.
    """
    x = asarray(input)
    refuse_complex(x)
    axes = axes_of(axes, x.ndim)
    one_mode(mode)
    here, origins = laid_out(footprint_of(size, footprint, len(axes)), origin, axes, x.ndim)
    if not x.size:
        return deliver(x, output, x)
    modes = expanded([mode] * len(axes), axes, x.ndim, "nearest")
    reduces = _is_kernel(function, "ReductionKernel")
    around = x if reduces else x.astype("f8")
    around = _stack(neighbours(around, here, modes, cval, origins), axis=-1)
    if reduces:
        wanted = function._ins[0].dtype     # None where it takes any
        around = around if wanted is None else around.astype(wanted, copy=False)
        return deliver(function(around, axis=-1), output, x)
    around = around.reshape(x.size, -1)
    results = empty(x.size, "f8", device=x.device)
    if _is_kernel(function, "RawKernel"):
        _launched(function, _OF_ELEMENTS, x.size, around, results, numpy.int32(around.shape[1]))
    else:
        keywords = extra_keywords or {}
        results[...] = asarray([float(function(line, *extra_arguments, **keywords))
                                for line in around])
    return deliver(results.reshape(x.shape), output, x)


# ---- lines ---------------------------------------------------------------------------------------

_OF_LINES = """
extern "C" __global__ void heddle_each(double *around, double *results, long long wide,
                                       long long narrow, long long n)
{
    long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        %(f)s(around + i * wide, wide, results + i * narrow, narrow);
}
"""


def generic_filter1d(input, function, filter_size, axis=-1, output=None, mode="reflect", cval=0.0,
                     origin=0, extra_arguments=(), extra_keywords=None):
    """function(line, result, *extra_arguments, **extra_keywords) for each line along an axis, as
    scipy.ndimage.generic_filter1d: line goes on beyond both edges, and the function writes result;
    both are of float64.

    function may be a RawKernel `void f(double *line, ptrdiff_t n, double *result, ptrdiff_t m)`.
    """
    x = asarray(input)
    refuse_complex(x)
    if filter_size < 1:
        raise RuntimeError("invalid filter size")
    axis = numpy.lib.array_utils.normalize_axis_index(axis, x.ndim)
    before = filter_size // 2 + origin
    if not 0 <= before < filter_size:
        raise ValueError("invalid origin")
    one_mode(mode)
    if not x.size:
        return deliver(x, output, x)
    reach = [0] * x.ndim, [0] * x.ndim
    reach[0][axis], reach[1][axis] = before, filter_size - 1 - before
    around = padded(x.astype("f8"), *reach, [mode] * x.ndim, cval)
    lines = around.swapaxes(axis, -1)
    n, wide, narrow = x.size // x.shape[axis], lines.shape[-1], x.shape[axis]
    flat = lines.reshape(n, wide)
    results = empty((n, narrow), "f8", device=x.device)
    if _is_kernel(function, "RawKernel"):
        _launched(function, _OF_LINES, n, flat.copy(), results, wide, narrow)
    else:
        for line, result in zip(flat, results):
            function(line, result, *extra_arguments, **(extra_keywords or {}))
    return deliver(results.reshape(lines.shape[:-1] + (narrow,)).swapaxes(axis, -1), output, x)
