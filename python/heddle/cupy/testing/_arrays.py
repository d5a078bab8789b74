# SPDX-License-Identifier: BSD-3-Clause
"""Assertions about arrays wherever they are, and arrays to test with."""
import numpy
from numpy.testing import assert_warns

from ..._state import asnumpy
from ..._heddle import _is_array

__all__ = ["assert_allclose", "assert_array_almost_equal", "assert_array_almost_equal_nulp",
           "assert_array_equal", "assert_array_less", "assert_array_list_equal",
           "assert_array_max_ulp", "assert_warns", "generate_matrix", "shaped_arange",
           "shaped_linspace", "shaped_random", "shaped_reverse_arange"]


def on_host(x):
    """Heddle's arrays as NumPy's, also in lists and tuples; all else as it is."""
    if _is_array(x):
        return asnumpy(x)
    return type(x)(map(on_host, x)) if type(x) in (list, tuple) else x


def _of_arrays(name):
    plain = getattr(numpy.testing, name)

    def compared(x, y, *args, **kwargs):
        return plain(on_host(x), on_host(y), *args, **kwargs)
    compared.__name__ = compared.__qualname__ = name
    compared.__doc__ = f"numpy.testing.{name} of arrays of Heddle's and NumPy's."
    return compared


assert_allclose = _of_arrays("assert_allclose")
assert_array_almost_equal = _of_arrays("assert_array_almost_equal")
assert_array_almost_equal_nulp = _of_arrays("assert_array_almost_equal_nulp")
assert_array_less = _of_arrays("assert_array_less")
assert_array_max_ulp = _of_arrays("assert_array_max_ulp")
_assert_array_equal = _of_arrays("assert_array_equal")


def assert_array_equal(x, y, err_msg="", verbose=True, strides_check=False, **kwargs):
    """Raises AssertionError if two arrays differ; with strides_check also if their strides do."""
    _assert_array_equal(x, y, err_msg=err_msg, verbose=verbose, **kwargs)
    if strides_check and x.strides != y.strides:
        raise AssertionError(f"strides are not equal: {x.strides} and {y.strides} {err_msg}")


def assert_array_list_equal(xlist, ylist, err_msg="", verbose=True):
    """Raises AssertionError if two lists differ in length or in an array."""
    if len(xlist) != len(ylist):
        raise AssertionError(f"list sizes are different: {len(xlist)} and {len(ylist)} {err_msg}")
    for x, y in zip(xlist, ylist):
        assert_array_equal(x, y, err_msg, verbose)


def _cast(x, xp, dtype, order):
    if numpy.dtype(dtype).kind == "b":
        x = x % 2 == 0
    return xp.array(x.astype(dtype, order=order))


def shaped_arange(shape, xp=None, dtype=numpy.float32, order="C"):
    """1, 2, 3, ... in a shape; of bool whether they are even."""
    n = int(numpy.prod(shape, dtype=int))
    return _cast(numpy.arange(1, n + 1).reshape(shape), _module(xp), dtype, order)


def shaped_reverse_arange(shape, xp=None, dtype=numpy.float32):
    """..., 3, 2, 1 in a shape; of bool whether they are even."""
    n = int(numpy.prod(shape, dtype=int))
    return _cast(numpy.arange(n, 0, -1).reshape(shape), _module(xp), dtype, "C")


def shaped_linspace(start, stop, shape, xp=None, dtype=numpy.float32):
    """Evenly spaced numbers in a shape, both ends among them."""
    n = int(numpy.prod(shape, dtype=int))
    return _module(xp).array(numpy.linspace(start, stop, n).reshape(shape).astype(dtype))


def shaped_random(shape, xp=None, dtype=numpy.float32, scale=10, seed=0, order="C"):
    """Random numbers in [0, scale), of complex dtypes both parts; the same for a seed, whatever xp.
    scale may be an array that broadcasts to the shape; bools are fair."""
    generator, dtype = numpy.random.default_rng(seed), numpy.dtype(dtype)
    if dtype.kind == "b":
        a = generator.integers(2, size=shape)
    elif dtype.kind == "c":
        a = (generator.random(shape) + 1j * generator.random(shape)) * scale
    else:
        a = generator.random(shape) * scale
    return _module(xp).array(numpy.asarray(a).astype(dtype, order=order))


def generate_matrix(shape, xp=None, dtype=numpy.float32, *, singular_values=None):
    """Random matrices (..., m, n) with the singular values, which broadcast to (..., min(m, n));
    without them those are within [1, 2]. ValueError for less than two axes or negative values."""
    if len(shape) < 2:
        raise ValueError(f"a matrix has at least two axes, not the shape {shape}")
    a = shaped_random(shape, numpy, numpy.complex128 if numpy.dtype(dtype).kind == "c" else float)
    u, _, vh = numpy.linalg.svd(a - 5, full_matrices=False)
    k = min(shape[-2:])
    values = numpy.linspace(2, 1, k) if singular_values is None else numpy.asarray(singular_values)
    if (values < 0).any():
        raise ValueError("negative singular value is given")
    values = numpy.broadcast_to(values, (*shape[:-2], k))
    return _module(xp).array((u * values[..., None, :] @ vh).astype(dtype))


def _module(xp):
    if xp is None:
        from ... import cupy
        return cupy
    return xp
