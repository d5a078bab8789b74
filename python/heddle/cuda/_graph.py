# SPDX-License-Identifier: BSD-3-Clause
"""Capture of streams, and graphs: what a thread records on a device, to be run many times.

A thread captures on one device at a time. What it records goes into the graph while the stream that
captures is the current one, or another stream that waits for an event of it.
"""
import threading
import weakref
from itertools import count
from threading import get_ident

from .. import _heddle

_captures = weakref.WeakValueDictionary()   # {key of a stream: its _Capture}, of all threads
_local = threading.local()                  # .captures: {name of a device: _Capture}; goes with it


class _Capture:
    """A capture that is under way. parts: what is done already, graphs and callbacks. kept: what
    must not go before the graph."""

    def __init__(self, where, origin):
        self.where, self.origin, self.thread = where, origin, get_ident()
        self.parts, self.kept, self.valid = [], [], True
        self.streams, self.unjoined = {origin}, set()
        _heddle._capture_begin(where)
        if not hasattr(_local, "captures"):
            _local.captures = {}
        _captures[origin] = _local.captures[where] = self

    def join(self, key):
        """Another stream waits for what was captured: its work is captured as well."""
        self.streams.add(key)
        self.unjoined.add(key)
        _captures[key] = self

    def cut(self):
        """What comes now is to come after all that was captured so far."""
        self.parts.append(_heddle._capture_end(self.where))
        _heddle._capture_begin(self.where)

    def end(self, wanted=True):
        """The parts; no more is captured."""
        for key in self.streams:
            _captures.pop(key, None)
        _local.captures.pop(self.where, None)
        if wanted:
            self.parts.append(_heddle._capture_end(self.where))
        else:
            _heddle._capture_drop(self.where)
        return self.parts


def capture_here(where):
    """The capture of this thread on a device, or None."""
    return _local.captures.get(where) if hasattr(_local, "captures") else None


def keep(where, thing):
    """Something that the driver knows by a handle is launched: if that is captured, it stays."""
    capture = capture_here(where)
    if capture is not None and thing not in capture.kept:
        capture.kept.append(thing)


def follow(where, key):
    """The stream with that key is the current one now: is its work captured?"""
    capture = capture_here(where)
    if capture is not None:
        _heddle._capture_pause(where, key not in capture.streams)


def _fail(error, why):
    raise RuntimeError(f"cudaErrorStreamCapture{error}: {why}")


class Captures:
    """What streams have for it. They know their device, and these:

    _capture_key(): what is equal for equal streams; _is_default(): work of all kinds may go there;
    _is_current().
    """

    def begin_capture(self, mode=None):
        """From here on this thread's work on the stream becomes a graph, and does not run.

        mode: one of cupy.cuda.runtime.streamCaptureMode..., which make no difference: nothing of
        other threads is captured, or forbidden.
        """
        where, key = self._device._where, self._capture_key()
        if mode not in (None, 0, 1, 2):
            raise ValueError(f"{mode!r} is no mode of capture")
        if self._is_default():
            raise RuntimeError("cudaErrorStreamCaptureUnsupported: cannot capture on the default "
                               "(legacy) stream; make another one")
        if key in _captures or capture_here(where) is not None:
            raise RuntimeError("cudaErrorIllegalState: the stream, or this thread, is capturing "
                               "already")
        _Capture(where, key)
        if not self._is_current():
            _heddle._capture_pause(where, True)

    def end_capture(self):
        """The Graph of what was captured. RuntimeError: the capture was made invalid."""
        capture = _captures.get(self._capture_key())
        if capture is None:
            raise RuntimeError("cudaErrorIllegalState: the stream is not capturing")
        if capture.thread != get_ident():
            _fail("WrongThread", "the capture was begun by another thread")
        if capture.origin != self._capture_key():
            capture.valid = False
            _fail("Unmatched", "the capture was begun on another stream")
        unjoined = capture.unjoined
        parts = capture.end(wanted=capture.valid and not unjoined)
        if not capture.valid:
            _fail("Invalidated", "a call that is not allowed was made while the stream captured")
        if unjoined:
            _fail("Unjoined", "a stream whose work was captured is not waited for")
        return Graph._of(self._device, parts, capture.kept)

    def is_capturing(self):
        """Is what is given to the stream captured?"""
        return bool(_captures) and self._capture_key() in _captures

    def _refuse_in_capture(self, what):
        """What waits, or asks whether work has run, makes a capture invalid."""
        capture = _captures.get(self._capture_key()) if _captures else None
        if capture is not None:
            capture.valid = False
            _fail("Unsupported", f"{what} while the stream is capturing")

    def _is_asked_in_capture(self):
        """Is the stream capturing? The capture is invalid then, which its end tells."""
        capture = _captures.get(self._capture_key()) if _captures else None
        if capture is not None:
            capture.valid = False
        return capture is not None

    def _note_event(self, event):
        """Is the event one within a capture? It then stands for the work up to here."""
        capture = _captures.get(self._capture_key()) if _captures else None
        event._captured = None if capture is None else (capture, self._capture_key())
        return capture is not None

    def _follow_event(self, event):
        """Is the event one of a capture that is under way? The stream is part of that now."""
        capture, key = getattr(event, "_captured", None) or (None, None)
        if capture is None or _captures.get(key) is not capture:
            return False
        mine = self._capture_key()
        if mine not in capture.streams:
            capture.join(mine)
            if self._is_current():
                follow(capture.where, mine)
        elif mine != key:
            capture.unjoined.discard(key)
        return True

    def _capture_callback(self, callback, arg):
        """Is callback(arg) part of a capture now?"""
        capture = _captures.get(self._capture_key()) if _captures else None
        if capture is None:
            return False
        capture.cut()
        capture.parts.append((callback, arg))
        return True

    def _forget_capture(self):
        """The stream goes: nobody can end its capture."""
        capture = _captures.get(self._capture_key()) if _captures else None
        if capture is None:
            return
        if capture.origin == self._capture_key() and capture.thread == get_ident():
            capture.end(wanted=False)
        else:
            capture.valid = False
            _captures.pop(self._capture_key(), None)


class Graph:
    """What a stream captured. Streams make them: Stream.begin_capture(), Stream.end_capture().

    Each launch does all of it again with the same arrays: inputs that were changed in place are
    seen, and results are where they were. Random numbers are those of the capture. Where indices
    were captured, those out of range wrap around.

    graph, graphExec: handles for cupy.cuda.runtime's functions, numbers that the driver does not
    know.
    """
    _known, _numbers = weakref.WeakValueDictionary(), count(1)      # {handle: Graph}
    graph: int = 0
    graphExec: int = 0

    def __init__(self, *args, **kwargs):
        raise NotImplementedError("graphs are made by Stream.begin_capture() and end_capture()")

    @classmethod
    def _of(cls, device, parts, kept):
        self = cls.__new__(cls)
        self._device, self._parts, self._kept = device, parts, kept
        self.graph, self.graphExec = next(cls._numbers), next(cls._numbers)
        cls._known[self.graph] = cls._known[self.graphExec] = self
        return self

    def _copy(self):
        """The same work under other handles."""
        return type(self)._of(self._device, self._parts, self._kept)

    @property
    def host_funcargs(self):
        """The callbacks that were captured, each with its argument."""
        return [part for part in self._parts if isinstance(part, tuple)]

    def launch(self, stream=None):
        """Runs it, on the current stream or another one."""
        if stream is None:
            return self._launch()
        before = stream._current()
        stream.use()
        try:
            self._launch()
        finally:
            before.use()

    def _launch(self):
        for thing in self._kept:
            keep(self._device._where, thing)
        for part in self._parts:
            if isinstance(part, tuple):
                self._call(*part)
            else:
                _heddle._graph_launch(part)

    def _call(self, callback, arg):
        capture = capture_here(self._device._where)
        if capture is not None and _heddle._capturing(self._device._where):
            capture.cut()
            capture.parts.append((callback, arg))
            return
        _heddle._synchronize(self._device._where)
        callback(arg)

    def upload(self, stream=None):
        """Nothing is to be prepared."""

    def debug_dot_str(self, flags=0):
        """The operations in their order, as a graph in the language of Graphviz."""
        names = []
        for part in self._parts:
            names += [f"{getattr(part[0], '__name__', part[0])} (host)"] \
                if isinstance(part, tuple) else _heddle._graph_operations(part)
        lines = [f'  n{i} [label="{name}"];' for i, name in enumerate(names)]
        if flags:
            lines = ["  node [shape=box];"] + lines
        lines += [f"  n{i} -> n{i + 1};" for i in range(len(names) - 1)]
        return "digraph heddle {\n" + "\n".join(lines) + "\n}\n"
