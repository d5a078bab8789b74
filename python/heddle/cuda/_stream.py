# SPDX-License-Identifier: BSD-3-Clause
"""Streams and events. What was recorded before a call is enqueued by it."""
from .. import _heddle
from ._device import Device
from ._graph import Captures, follow


class _AnyStream(Captures):
    """What all streams can do. ptr: the driver's handle."""

    def __init__(self, device, ptr):
        self._device = device
        self.ptr = ptr
        self._before = []

    @property
    def device_id(self):
        """The number of its device."""
        return self._device.id

    def __eq__(self, other):
        return isinstance(other, _AnyStream) and self.ptr == other.ptr

    def __hash__(self):
        return hash(self.ptr)

    def __repr__(self):
        return f"<Stream {self.ptr} (device {self._device.id})>"

    def __enter__(self):
        self._before.append(get_current_stream(self._device))
        return self.use()

    def __exit__(self, *exception):
        self._before.pop().use()

    def __cuda_stream__(self):
        """(0, its handle): how other libraries take it, by CUDA's stream protocol."""
        return 0, self.ptr

    def _capture_key(self):
        return self._device._where, self.ptr

    def _is_default(self):
        return self.ptr in (0, 1, _heddle._stream_get(self._device._where)[0])

    def _current(self):
        return get_current_stream(self._device)

    def _is_current(self):
        return _heddle._stream_get(self._device._where)[1] == self.ptr

    def use(self):
        """From here on the device's work is enqueued here."""
        _heddle._stream_use(self._device._where, self.ptr)
        follow(self._device._where, self._capture_key())
        return self

    def synchronize(self):
        """Waits for what was given to the stream."""
        self._refuse_in_capture("synchronize()")
        _heddle._stream_synchronize(self._device._where, self.ptr)

    @property
    def done(self):
        """Has all that was given to the stream run?"""
        return not self._is_asked_in_capture() and \
            _heddle._stream_done(self._device._where, self.ptr)

    def record(self, event=None):
        """An event (a new one if none is given) that happens when what was given here has run."""
        if event is None:
            event = Event()
        event.record(self)
        return event

    def wait_event(self, event):
        """What is given here from now on runs after the event."""
        if not self._follow_event(event):
            _heddle._stream_wait_event(self._device._where, self.ptr, event.ptr)


class Stream(_AnyStream):
    """A stream of the current device.

    null: the stream that the device starts with; all of Heddle's work goes there unless another
    one is in use. non_blocking: it does not wait for CUDA's legacy default stream.
    """

    def __init__(self, null=False, non_blocking=False, ptds=False):
        device, self._own = Device(), None
        if null and ptds:
            raise ValueError("null and ptds cannot both be given")
        if null:
            super().__init__(device, _heddle._stream_get(device._where)[0])
        elif ptds:
            super().__init__(device, 2)
        else:
            self._own = _heddle._stream_new(device._where, bool(non_blocking))
            super().__init__(device, self._own)

    def __del__(self, free=_heddle._stream_free):
        if getattr(self, "_own", None):
            self._forget_capture()
            try:
                free(self._device._where, self._own)
            except RuntimeError:    # its device is lost
                pass


class _Null:
    """Stream.null: looked up when it is used, so that importing opens no device."""

    def __get__(self, instance, owner):
        return Stream(null=True)


Stream.null = _Null()


class ExternalStream(_AnyStream):
    """A stream of another library, by its handle; it must outlive its use here."""

    def __init__(self, ptr, device_id=-1):
        super().__init__(Device(None if device_id < 0 else device_id), int(ptr))


def get_current_stream(device_id=None):
    """The stream that the device's work goes to."""
    device = Device(device_id)
    own, current = _heddle._stream_get(device._where)
    return Stream(null=True) if own == current and device == Device() \
        else ExternalStream(current, device.id)


class Event:
    """A mark in a stream. block: waiting for it sleeps. disable_timing: it takes no time."""

    def __init__(self, block=False, disable_timing=False, interprocess=False):
        if interprocess:
            raise NotImplementedError("events are not shared between processes")
        self._device = Device()
        self.ptr = _heddle._event_new(self._device._where, not disable_timing, bool(block))

    def __del__(self, free=_heddle._event_free):
        if getattr(self, "ptr", 0):
            try:
                free(self._device._where, self.ptr)
            except RuntimeError:    # its device is lost
                pass

    @property
    def done(self):
        """Has it happened?"""
        return _heddle._event_done(self._device._where, self.ptr)

    def record(self, stream=None):
        """Happens when what was given to the stream (the current one) so far has run."""
        stream = get_current_stream(self._device) if stream is None else stream
        if not stream._note_event(self):
            _heddle._event_record(self._device._where, self.ptr, stream.ptr)

    def synchronize(self):
        """Waits until it has happened."""
        _heddle._event_synchronize(self._device._where, self.ptr)


def get_elapsed_time(start_event, end_event):
    """Milliseconds between two events that have happened."""
    return _heddle._event_elapsed(start_event._device._where, start_event.ptr, end_event.ptr)
