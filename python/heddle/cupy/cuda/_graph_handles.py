# SPDX-License-Identifier: BSD-3-Clause
"""Capture and graphs by CUDA's names and by handles, for cupy.cuda.runtime.

The handles are numbers of Heddle's own (heddle.cuda.Graph has them as graph and graphExec): the
driver does not know them, as Heddle runs graphs itself. Where arrays are on the CPU all streams
have the handle 0; the current one is meant.
"""
from ...cuda import Graph
from .device import on_gpu
from .stream import ExternalStream, get_current_stream

_held = {}      # {handle: Graph}, of what the program has to destroy


def _stream(handle):
    return ExternalStream(handle) if on_gpu() else get_current_stream()


def _found(handle, kind):
    graph = Graph._known.get(handle)
    if graph is None or getattr(graph, kind) != handle:
        raise RuntimeError(f"cudaErrorInvalidValue: {handle!r} is no {kind}'s handle")
    return graph


def streamBeginCapture(stream, mode=2):
    """What this thread gives to the stream from here on becomes a graph, and does not run."""
    _stream(stream).begin_capture(mode)


def streamEndCapture(stream):
    """The handle of the graph that was captured; graphDestroy() frees it."""
    graph = _stream(stream).end_capture()
    _held[graph.graph] = graph
    return graph.graph


def streamIsCapturing(stream):
    """Is what is given to the stream captured?"""
    return _stream(stream).is_capturing()


def graphInstantiate(graph):
    """The handle of the graph made ready for graphLaunch(); graphExecDestroy() frees it."""
    ready = _found(graph, "graph")._copy()
    _held[ready.graphExec] = ready
    return ready.graphExec


def graphLaunch(graphExec, stream):
    """Runs a graph on the stream."""
    _found(graphExec, "graphExec").launch(_stream(stream))


def graphUpload(graphExec, stream):
    """Nothing is to be prepared."""
    _found(graphExec, "graphExec")


def graphDestroy(graph):
    """Forgets a graph; what was instantiated of it stays."""
    _found(graph, "graph")
    _held.pop(graph, None)


def graphExecDestroy(graphExec):
    """Forgets a graph that was instantiated."""
    _found(graphExec, "graphExec")
    _held.pop(graphExec, None)


def graphDebugDotPrint(graph, path, flags=0):
    """Writes the graph's operations into a file, in the language of Graphviz."""
    text = _found(graph, "graph").debug_dot_str(flags)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
