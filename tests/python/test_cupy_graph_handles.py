# SPDX-License-Identifier: BSD-3-Clause
"""Capture and graphs by handles, cupy.cuda.runtime's functions: on the CPU, and on a GPU."""

import numpy as np
import pytest

from common import IS_NUMPY, needs_heddle

if not IS_NUMPY:
    import heddle.cupy as cp
    from test_cupy_cuda import needs_fake
    from test_cuda_fake import run

    runtime = cp.cuda.runtime

pytestmark = needs_heddle


@pytest.fixture
def stream():
    return cp.cuda.Stream(non_blocking=True)


def doubled(stream, x):
    """The handle of a graph that doubles x and adds 1, its result, and whether it was capturing."""
    with stream:
        runtime.streamBeginCapture(stream.ptr, runtime.streamCaptureModeGlobal)
        during = runtime.streamIsCapturing(stream.ptr)
        out = x * 2 + 1
        graph = runtime.streamEndCapture(stream.ptr)
        return graph, out, during and not runtime.streamIsCapturing(stream.ptr)


@pytest.mark.parametrize("n", [7, 3000])
def test_handles__from_capture_to_launch(stream, n):
    x = cp.arange(n) * 1.0
    graph, out, captured = doubled(stream, x)
    assert captured and isinstance(graph, int) and graph > 0
    ready = runtime.graphInstantiate(graph)
    runtime.graphDestroy(graph)     # what was instantiated stays
    runtime.graphUpload(ready, stream.ptr)
    for first in 0, 5:
        x[...] = cp.arange(n) + first
        runtime.graphLaunch(ready, stream.ptr)
        stream.synchronize()
        np.testing.assert_array_equal(cp.asnumpy(out), 2 * (np.arange(n) + first) + 1.0)
    runtime.graphExecDestroy(ready)
    for destroyed in (lambda: runtime.graphLaunch(ready, stream.ptr),
                      lambda: runtime.graphInstantiate(graph),
                      lambda: runtime.graphExecDestroy(ready), lambda: runtime.graphDestroy(graph)):
        with pytest.raises(RuntimeError, match="cudaErrorInvalidValue"):
            destroyed()


def test_handles__of_a_graph_object(stream, tmp_path):
    x = cp.ones(5)
    with stream:
        stream.begin_capture()
        out = x + 1
        graph = stream.end_capture()
    assert graph.graph != graph.graphExec
    x[...] = 4
    runtime.graphLaunch(graph.graphExec, stream.ptr)
    stream.synchronize()
    assert cp.asnumpy(out).tolist() == [5] * 5
    again = runtime.graphInstantiate(graph.graph)
    file = tmp_path / "graph.dot"
    runtime.graphDebugDotPrint(graph.graph, str(file), 0)
    assert file.read_text() == graph.debug_dot_str() and "add" in file.read_text()
    for wrong in (lambda: runtime.graphLaunch(graph.graph, stream.ptr),
                  lambda: runtime.graphInstantiate(graph.graphExec)):
        with pytest.raises(RuntimeError, match="cudaErrorInvalidValue"):
            wrong()
    handle = graph.graphExec
    del graph
    with pytest.raises(RuntimeError, match="cudaErrorInvalidValue"):
        runtime.graphLaunch(handle, stream.ptr)
    runtime.graphLaunch(again, stream.ptr)
    runtime.graphExecDestroy(again)


def test_capture__is_refused_on_the_default_stream(stream):
    default = cp.cuda.Stream.null
    with pytest.raises(RuntimeError, match="StreamCaptureUnsupported"):
        runtime.streamBeginCapture(default.ptr)
    with pytest.raises(RuntimeError, match="not capturing"):
        runtime.streamEndCapture(stream.ptr)
    assert not runtime.streamIsCapturing(default.ptr)


@needs_fake
def test_handles__of_streams_that_the_driver_made():
    run("""
import heddle.cupy as cp
runtime = cp.cuda.runtime
ptr = runtime.streamCreateWithFlags(runtime.streamNonBlocking)
x = cp.arange(3000) * 1.0
with cp.cuda.ExternalStream(ptr):
    runtime.streamBeginCapture(ptr)
    assert runtime.streamIsCapturing(ptr)
    out = x + 1
    graph = runtime.streamEndCapture(ptr)
ready = runtime.graphInstantiate(graph)
runtime.graphDestroy(graph)
runtime.graphLaunch(ready, ptr)
runtime.streamSynchronize(ptr)
runtime.graphExecDestroy(ready)
runtime.streamDestroy(ptr)
""")
