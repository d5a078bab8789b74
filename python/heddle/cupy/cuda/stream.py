# SPDX-License-Identifier: BSD-3-Clause
"""Streams and events by CuPy's names. Where arrays are on the CPU they only wait and take times."""
import threading
from time import perf_counter

from ... import _heddle
from ... import cuda as _gpu
from ..._state import synchronize as _synchronize
from ...cuda._graph import follow
from .device import Device, on_gpu
from .._sharing import lacking as _lacking


def _runtime():
    from . import runtime
    return runtime


_current = threading.local()    # .stream: the one in use where arrays are on the CPU


def _run():
    """Waits for what was recorded. While the thread captures that is nothing."""
    if not _heddle._capturing(None):
        _synchronize()


class _Calls:
    """What CuPy's streams have besides Heddle's."""

    @property
    def is_non_blocking(self):
        """Does it not wait for CUDA's legacy default stream?"""
        return on_gpu() and bool(_runtime().streamGetFlags(self) & _runtime().streamNonBlocking)

    @property
    def priority(self):
        """0, or less for a stream that comes first."""
        return _runtime().streamGetPriority(self) if on_gpu() else 0

    def launch_host_func(self, callback, arg):
        """Calls callback(arg) after what was given to the stream; waits for that. While the stream
        captures, launches of the graph do."""
        if not self._capture_callback(callback, arg):
            self.synchronize()
            callback(arg)

    def add_callback(self, callback, arg):
        """Calls callback(stream, 0, arg) after what was given to the stream; waits for that."""
        self.synchronize()
        callback(self, 0, arg)


class _Host:
    """A stream where arrays are on the CPU: work there is in one order and needs none."""

    def _start(self, default=False):
        self._device, self.ptr, self._before = Device(), 0, []
        self._default = default

    def __del__(self):
        if hasattr(self, "_default"):
            self._forget_capture()

    @property
    def __cuda_stream__(self):
        raise AttributeError("__cuda_stream__: arrays are on the CPU, where there is no CUDA stream")

    def _capture_key(self):
        return id(self)

    def _is_default(self):
        return self._default

    def _current(self):
        return get_current_stream()

    def _is_current(self):
        return get_current_stream() is self

    def __eq__(self, other):
        return isinstance(other, _Host)     # all are one

    def __hash__(self):
        return 0

    def __enter__(self):
        self._before.append(get_current_stream())
        return self.use()

    def use(self):
        """Makes this the current stream of the thread."""
        _current.stream = self
        follow(self._device._where, self._capture_key())
        return self

    def synchronize(self):
        """Waits for the work that was recorded."""
        self._refuse_in_capture("synchronize()")
        _run()

    @property
    def done(self):
        """Has what was recorded run? It has: this waits for it."""
        if self._is_asked_in_capture():
            return False
        _run()
        return True

    def record(self, event=None):
        """An event (a new one if none is given) that has happened."""
        event = Event() if event is None else event
        event.record(self)
        return event

    def wait_event(self, event):
        """Nothing is to be waited for."""
        self._follow_event(event)


class Stream(_Calls, _gpu.Stream):
    """A stream of the current device.

    null: the stream that the device starts with. non_blocking: it does not wait for CUDA's legacy
    default stream. ptds: the default stream of the thread. Where arrays are on the CPU a stream
    does nothing but to wait for the work that was recorded.
    """

    def __new__(cls, *args, **kwargs):
        return super().__new__(_HostStream if cls is Stream and not on_gpu() else cls)

    @classmethod
    def from_external(cls, obj):
        """The stream of another library's object: what its __cuda_stream__() tells."""
        return ExternalStream(obj.__cuda_stream__()[1])


class _HostStream(_Host, Stream):
    def __init__(self, null=False, non_blocking=False, ptds=False, priority=None):
        if null and ptds:
            raise ValueError("null and ptds cannot both be given")
        self._start(null or ptds)

    def __repr__(self):
        return "<Stream 0 (device -1)>"


class ExternalStream(_Calls, _gpu.ExternalStream):
    """A stream of another library, by its handle; it must outlive its use here."""

    def __new__(cls, *args, **kwargs):
        return super().__new__(_HostExternal if cls is ExternalStream and not on_gpu() else cls)


class _HostExternal(_Host, ExternalStream):
    def __init__(self, ptr, device_id=-1):
        self._start()


class _Null:
    """Stream.null: looked up when it is used, so that importing opens no device."""

    def __init__(self, **kind):
        self._kind = kind

    def __get__(self, instance, owner):
        return Stream(**self._kind)


Stream.null, Stream.ptds = _Null(null=True), _Null(ptds=True)


def get_current_stream(device_id=None):
    """The stream that the device's work goes to."""
    if not on_gpu():
        stream = getattr(_current, "stream", None)
        return Stream(null=True) if stream is None else stream
    stream = _gpu.get_current_stream(device_id)
    if isinstance(stream, _gpu.ExternalStream):
        return ExternalStream(stream.ptr, stream.device_id)
    return Stream(null=True)


class Event(_gpu.Event):
    """A mark in a stream. block: waiting for it sleeps. disable_timing: it takes no time.

    Where arrays are on the CPU, recording it runs what was recorded before and takes the time.
    """

    def __new__(cls, *args, **kwargs):
        return super().__new__(_HostEvent if cls is Event and not on_gpu() else cls)


class _HostEvent(Event):
    def __init__(self, block=False, disable_timing=False, interprocess=False):
        self.ptr, self._timed, self._time = 0, not disable_timing, None

    @property
    def done(self):
        """Has it happened?"""
        return True

    def record(self, stream=None):
        """Happens when what was recorded so far has run, which this waits for."""
        stream = get_current_stream() if stream is None else stream
        if not stream._note_event(self):
            _run()
            self._time = perf_counter()

    def synchronize(self):
        """It has happened."""


def get_elapsed_time(start_event, end_event):
    """Milliseconds between two events that have happened."""
    if not isinstance(start_event, _HostEvent):
        return _gpu.get_elapsed_time(start_event, end_event)
    for event in start_event, end_event:
        if event._time is None or not event._timed:
            raise RuntimeError("cudaErrorInvalidResourceHandle: the event was not recorded, or "
                               "takes no time")
    return (end_event._time - start_event._time) * 1e3


__getattr__ = _lacking("cupy.cuda.stream")
