# SPDX-License-Identifier: BSD-3-Clause
"""Calls of the CUDA driver for names of cupy.cuda.runtime, in the context that Heddle's arrays have."""
import ctypes
import os
from functools import cache

from ... import _heddle
from ..._state import device as _where
from .device import Device, on_gpu

Pointer = ctypes.c_void_p
SIZE, INT, UNSIGNED = ctypes.c_size_t, ctypes.c_int, ctypes.c_uint


@cache
def _library():
    return ctypes.CDLL(os.environ.get("HEDDLE_LIBCUDA") or "libcuda.so.1")


def _text(function, code):
    name = ctypes.c_char_p()
    if _library()[function](INT(code), ctypes.byref(name)) or not name.value:
        return f"error {code}"
    return name.value.decode()


def check(code):
    """RuntimeError, with the driver's name of it, unless code is 0."""
    if code:
        raise RuntimeError(f"{_text('cuGetErrorName', code)}: {_text('cuGetErrorString', code)}")


@cache
def _enter_device(number):
    handle, context = INT(), Pointer()
    check(_library().cuDeviceGet(ctypes.byref(handle), INT(number)))
    check(_library().cuDevicePrimaryCtxRetain(ctypes.byref(context), handle))
    return handle, context


def enter():
    """The current device's context is the thread's. Returns the driver's handle of the device.
    RuntimeError where arrays are on the CPU."""
    if not on_gpu():
        raise RuntimeError("cudaErrorNoDevice: arrays are on the CPU, there is no CUDA device")
    number = Device().id
    _heddle._stream_get(_where())    # the device is open, so that the driver is initialised
    handle, context = _enter_device(number)
    check(_library().cuCtxSetCurrent(context))
    return handle


def call(function, *arguments):
    """One function of the driver in the current device's context; RuntimeError if it fails."""
    enter()
    try:
        entry = _library()[function]
    except AttributeError:
        raise RuntimeError(f"this driver has no {function}()") from None
    check(entry(*arguments))


def ask(kind, function, *arguments):
    """The value of that ctypes type which the function stores by its first argument."""
    value = kind()
    call(function, ctypes.byref(value), *arguments)
    return value.value


def handle_of(stream):
    """A stream's handle: a number, or an object with ptr."""
    return Pointer(getattr(stream, "ptr", stream) or None)


def settle():
    """What was recorded or enqueued by Heddle has run: what follows may touch its memory."""
    if on_gpu():
        _heddle._stream_synchronize(_where(), _heddle._stream_get(_where())[1])
