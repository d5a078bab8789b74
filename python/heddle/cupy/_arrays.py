# SPDX-License-Identifier: BSD-3-Clause
"""Arrays between CuPy programs and NumPy."""
import numpy as _numpy

from .. import zeros as _zeros
from .._heddle import _is_array, asarray as _asarray, ndarray

__all__ = ["asarray", "asnumpy", "fromDlpack", "get_array_module", "ndarray"]

# On the CPU an element is a scalar; for numbers its type is derived from NumPy's, and Heddle's own.
# Programs treat it as CuPy's element, which is an array without axes.
_CODES = "bhilqBHILQefdFD"
_ELEMENTS = {type(_zeros(1, dtype=code, device="cpu")[0]) for code in _CODES}
_ELEMENTS -= {_numpy.dtype(code).type for code in _CODES}


def _get(self, stream=None, order="C", out=None, blocking=True):
    """The element as a numpy.ndarray without axes, as CuPy's get() of one."""
    if out is None:
        return _numpy.array(self)
    out[...] = self
    return out


for _type in _ELEMENTS:
    _type.get = _get


def asarray(a, dtype=None, order=None, *, device=None, copy=None, like=None, blocking=False):
    """An array of what a holds: heddle.asarray(), but memory of a GPU that belongs to another
    library (a tensor of PyTorch's, an array of Numba's) is shared and not copied, as CuPy does it,
    unless dtype or order make it another one. Work on streams is in one order, so `blocking` says
    nothing that is not so.
    """
    if copy is None and not _is_array(a) and hasattr(a, "__cuda_array_interface__"):
        a = _asarray(a, copy=False)
    return _asarray(a, dtype, order, device=device, copy=copy, like=like)


def asnumpy(a, stream=None, order="C", out=None, *, blocking=True):
    """The elements as a numpy.ndarray, or in `out`.

    a: array or anything that array() takes. Work on streams is in one order, so `stream` and
    `blocking` say nothing that is not so: the elements are there when this returns.
    """
    if _is_array(a):
        return a.get(order=order, out=out)
    if out is None:
        return _numpy.array(a, order=order)
    out[...] = a
    return out


def get_array_module(*args):
    """heddle.cupy if any argument is an array of Heddle's or an element of one, else numpy."""
    import sys
    ours = (ndarray, *_ELEMENTS)
    if any(isinstance(a, ours) for a in args):
        return sys.modules["heddle.cupy"]
    return _numpy


class _Capsule:
    """A capsule of DLPack's as the object that from_dlpack() asks for it and for its device."""

    def __init__(self, capsule):
        self._capsule = capsule

    def __dlpack__(self, **ignored):
        return self._capsule

    def __dlpack_device__(self):
        import ctypes
        pointer = ctypes.pythonapi.PyCapsule_GetPointer
        pointer.restype, pointer.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_char_p)
        address = pointer(self._capsule, b"dltensor")
        # struct DLTensor { void *data; struct { int32_t type, id; } device; ... }
        return tuple((ctypes.c_int32 * 2).from_address(address + ctypes.sizeof(ctypes.c_void_p)))


def fromDlpack(dltensor):
    """The array in a capsule of DLPack's, or in an object that has one."""
    from .. import from_dlpack
    return from_dlpack(dltensor if hasattr(dltensor, "__dlpack__") else _Capsule(dltensor))
