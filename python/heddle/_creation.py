# SPDX-License-Identifier: BSD-3-Clause
"""Functions that make arrays and that are more than one call of the library."""
import math
from operator import index

from . import _heddle
from ._heddle import _is_array, array, asarray, copyto, empty, eye, full, ndarray, zeros

__all__ = ["arange", "ascontiguousarray", "asfortranarray", "copy", "empty_like", "from_dlpack",
           "frombuffer", "full_like", "identity", "linspace", "ones_like", "zeros_like"]

_INT64 = range(-2**63, 2**63)


def _ndarray(shape, dtype=float, buffer=None, offset=0, strides=None, order=None, *, memptr=None):
    """heddle.ndarray(...): the low-level constructor, NumPy's. CuPy's has a MemoryPointer in the
    place of `buffer` (memptr) and then the strides."""
    if memptr is None and hasattr(buffer, "ptr") and hasattr(buffer, "mem"):
        memptr, strides = buffer, strides or offset or None
    if memptr is not None:
        from .cupy.cuda.memory import array_over
        return array_over(memptr, shape, dtype, strides, order or "C")
    try:
        if buffer is None and strides is None:
            return empty(shape, dtype, order or "C")
        empty(0, dtype)
    except _heddle.NotOurs as e:
        from ._handing import hand_over
        return hand_over("ndarray", (shape, dtype, buffer, offset, strides, order), {}, e)
    import numpy
    values = numpy.ndarray(shape, dtype, buffer, offset, strides, order)
    shares = buffer is not None or _heddle._is_host(None)
    return asarray(values, copy=False if shares else None)


def frombuffer(buffer, dtype=float, count=-1, offset=0, *, like=None):
    """A one-dimensional array over the memory of an object with the buffer protocol."""
    import numpy
    values = numpy.frombuffer(buffer, dtype, count, offset)
    empty(0, values.dtype)      # or it stays NumPy's
    # a device with memory of its own gets a copy
    return asarray(values, copy=False if _heddle._is_host(None) else None)


def ascontiguousarray(a, dtype=None, *, like=None):
    """The array in C order, at least one-dimensional; itself if it is that already."""
    a = asarray(a, dtype, "C")
    return a if a.ndim else a.reshape(1)


def asfortranarray(a, dtype=None, *, like=None):
    """The array in Fortran order; itself if it is that already."""
    a = asarray(a, dtype, "F")
    return a if a.ndim else a.reshape(1)


def copy(a, order="K", subok=False):
    """A copy."""
    return array(a, order=order, copy=True, subok=subok)


# ---- like another array --------------------------------------------------------------------------


def _like_elsewhere(a, dtype, order, shape, device):
    """The same on another device: axes by falling stride, which is what order K means."""
    dtype = a.dtype if dtype is None else dtype
    shape = a.shape if shape is None else _extents(shape)
    if order in ("K", "k") and len(shape) == a.ndim:
        axes = sorted(range(a.ndim), key=lambda i: -abs(a.strides[i]))
        made = empty(tuple(shape[i] for i in axes), dtype, device=device)
        return made.transpose(sorted(range(a.ndim), key=axes.__getitem__))
    return empty(shape, dtype, _order_like(a, order), device=device)


def _order_like(a, order):
    """C or F; K says nothing of another number of axes."""
    if order in ("K", "k"):
        return "C"
    return ("F" if a.flags.fnc else "C") if order in ("A", "a") else order


def _extents(shape):
    return tuple(shape) if hasattr(shape, "__iter__") else (shape,)


def _like(a, dtype, order, shape, device, subok):
    if subok and _is_array(a) and type(a) is not ndarray:
        return _heddle._as_subclass(_like(a, dtype, order, shape, device, False), a)
    if dtype is None and not _is_array(a) and hasattr(a, "dtype"):
        empty(0, a.dtype)       # of swapped bytes the result is NumPy's, too
    if device is not None and (not _is_array(a) or a.device != device):
        return _like_elsewhere(asarray(a), dtype, order, shape, device)
    if shape is None and order in ("K", "k"):
        return _heddle._empty_like(a, dtype)
    a = asarray(a)
    if order in ("K", "k") and a.ndim > 1 and len(_extents(shape)) == a.ndim:
        return _like_elsewhere(a, dtype, order, shape, a.device)
    return empty(a.shape if shape is None else shape, a.dtype if dtype is None else dtype,
                 _order_like(a, order))


def empty_like(prototype, dtype=None, order="K", subok=True, shape=None, *, device=None):
    """An array of the same shape and dtype with undefined elements."""
    return _like(prototype, dtype, order, shape, device, subok)


def zeros_like(a, dtype=None, order="K", subok=True, shape=None, *, device=None):
    """An array of zeros of the same shape and dtype."""
    result = _like(a, dtype, order, shape, device, subok)
    result.fill(0)
    return result


def ones_like(a, dtype=None, order="K", subok=True, shape=None, *, device=None):
    """An array of ones of the same shape and dtype."""
    result = _like(a, dtype, order, shape, device, subok)
    result.fill(1)
    return result


def full_like(a, fill_value, dtype=None, order="K", subok=True, shape=None, *, device=None):
    """An array of one value, of the same shape and dtype."""
    result = _like(a, dtype, order, shape, device, subok)
    copyto(result, fill_value, casting="unsafe")
    return result


def identity(n, dtype=None, *, like=None):
    """The identity matrix."""
    return eye(n, dtype=dtype)


# ---- sequences -----------------------------------------------------------------------------------


def is_sequence(x):
    """Whether x has items; a 0-d array has the methods of those that have, and is one number."""
    return hasattr(x, "__len__") and getattr(x, "ndim", 1) != 0


def _number(x):
    """A Python number from any kind of scalar."""
    return x if type(x) in (int, float) else x.item() if hasattr(x, "item") else x


def _arange_dtype(values):
    """NumPy's dtype of arange(*values); Python's types stand for themselves, which spares numpy."""
    types = {type(v) for v in values}
    if types <= {int, bool} and all(v in _INT64 for v in values):
        return int
    if types <= {int, bool, float}:
        return float if float in types else _numpys_dtype(values)
    return _numpys_dtype(values)


def _numpys_dtype(values):
    import numpy
    kinds = [v.dtype if _is_array(v) else numpy.asarray(v).dtype for v in values]
    return numpy.result_type(*kinds)


def _arange_length(start, stop, step):
    if step == 0:
        raise ZeroDivisionError("division by zero")
    steps = (stop - start) / step
    if isinstance(steps, complex):      # as many as both parts allow
        return min(_whole_steps(steps.real), _whole_steps(steps.imag))
    return _whole_steps(steps)


def _whole_steps(steps):
    if math.isnan(steps):
        raise ValueError("arange: cannot compute length")
    if not steps < 2**63:
        raise ValueError("Maximum allowed size exceeded")
    return max(0, math.ceil(steps)) if steps > -2**63 else 0


def _arange_general(start, stop, step, dtype, device):
    """arange() of what is more than Python's ints and floats on the current device."""
    if any(isinstance(v, (str, bytes)) or getattr(getattr(v, "dtype", None), "kind", "") in "mMSU"
           for v in (start, stop, step) if v is not None):
        raise _heddle.NotOurs("arange of dates and of text that says dates is NumPy's")
    if stop is None:
        start, stop = 0, start
    if step is None:
        step = 1
    if device is not None:
        from ._state import device as use
        with use(device):
            return arange(start, stop, step, dtype)
    if dtype is None:
        dtype = _arange_dtype((start, stop, step))
    start, stop, step = _number(start), _number(stop), _number(step)
    length = _arange_length(start, stop, step)
    return _heddle._arange(start, step, length, dtype)


arange = _heddle._arange_by(_arange_general)


def _linspace_general(start, stop, num, endpoint, floor):
    """NumPy's steps for endpoints that are arrays or not plain numbers; the values and the step."""
    import numpy
    from ._functions import beside
    from ._heddle import elementwise
    arrays = beside(start, stop)
    ends = (v if isinstance(v, (int, float, complex)) else x.dtype
            for v, x in zip((start, stop), arrays))
    inexact = numpy.result_type(*ends, 1.0)
    start, stop = (x.astype(inexact, copy=False) for x in arrays)
    delta = stop - start
    y = arange(0, num, device=delta.device).astype(inexact).reshape((-1,) + (1,) * delta.ndim)
    div = num - 1 if endpoint else num
    step = delta / div if div > 0 else float("nan")
    if div <= 0:
        y = y * delta
    elif (step == 0).any():     # a step too small to be a number of its own
        y = y / div * delta
    else:
        y = y * step
    y += start
    if endpoint and num > 1:
        y[-1, ...] = stop
    return (elementwise["floor"][0](y) if floor else y), step


def linspace(start, stop, num=50, endpoint=True, retstep=False, dtype=None, axis=0, *, device=None):
    """num numbers from start to stop, the same distance apart."""
    num = index(num)
    if num < 0:
        raise ValueError(f"Number of samples, {num}, must be non-negative.")
    if device is not None:
        from ._state import device as use
        with use(device):
            return linspace(start, stop, num, endpoint, retstep, dtype, axis)
    integers = False
    if dtype is not None and dtype is not float:
        import numpy
        dtype = numpy.dtype(dtype)
        integers = dtype.kind in "iu"
    if type(start) in (int, float) and type(stop) in (int, float) and not integers:
        y = _heddle._linspace(float(start), float(stop), num, bool(endpoint), float)
        div = num - 1 if endpoint else num
        step = (stop - start) / div if div > 0 else float("nan")
    else:
        y, step = _linspace_general(start, stop, num, endpoint, integers)
    if axis != 0:
        from ._functions import moveaxis
        y = moveaxis(y, 0, axis)
    if dtype is not None:
        y = y.astype(dtype, copy=False)
    return (y, step if _is_array(step) else _heddle._scalar(step)) if retstep else y


# ---- exchange ------------------------------------------------------------------------------------


def from_dlpack(x, /, *, device=None, copy=None):
    """An array over the memory of another library's array."""
    if device is not None:
        if device != "cpu" and not str(device).startswith("cuda"):
            raise ValueError(f"Unsupported device: {device}. Only 'cpu' and CUDA devices are.")
        device = _heddle._device_name(device)
    place, stream = (1, 0) if device == "cpu" else None, {}
    kind, number = x.__dlpack_device__() if hasattr(x, "__dlpack_device__") else (1, 0)
    if kind == 2 and place is None:     # the producer makes our stream wait for its own
        stream = {"stream": _heddle._stream_get(f"cuda:{number}")[1]}
    try:
        capsule = x.__dlpack__(max_version=(1, 0), dl_device=place, copy=copy, **stream)
    except TypeError:       # a library from before DLPack 1.0
        capsule = x.__dlpack__(**stream)
    result = _heddle._from_capsule(capsule)
    if device is not None and result.device != device:
        if copy is False:
            raise ValueError(f"from_dlpack: the array is not on device {device}")
        return result.to_device(device)
    return array(result, device=result.device) if copy else result
