# SPDX-License-Identifier: BSD-3-Clause
"""Capture of streams and graphs, as programs for CuPy write them: on the CPU, and on a GPU."""

import gc
import threading
import weakref

import numpy as np
import pytest
from common import IS_NUMPY, needs_heddle, xp

if not IS_NUMPY:
    import heddle.cupy as cp
    from heddle.cuda import _graph

pytestmark = needs_heddle
SIZES = [7, 3000]  # work that would run within its call, and work that is recorded


@pytest.fixture
def stream():
    return cp.cuda.Stream(non_blocking=True)


@pytest.fixture(autouse=True)
def nothing_left():
    yield
    captures = list(getattr(_graph._local, "captures", {}).values())
    for capture in captures:
        capture.end(wanted=False)
    assert not captures and not len(_graph._captures) and not xp._heddle._capturing(None)
    assert xp._heddle._error_left() is None


def captured(stream, function, *args):
    """The graph of function(*args), and its result."""
    with stream:
        stream.begin_capture()
        out = function(*args)
        return stream.end_capture(), out


def equal(got, want):
    np.testing.assert_allclose(cp.asnumpy(got), want, rtol=1e-12)


def needs(function, *args):
    """The fake driver has not all of NVIDIA's libraries."""
    try:
        cp.asnumpy(function(*args))
    except (NotImplementedError, RuntimeError) as error:
        pytest.skip(str(error))


# ---- launches ------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("upload", [True, False])
def test_launch__runs_on_the_same_and_on_other_streams(stream, n, upload):
    x, want = cp.arange(n) * 0.5, np.arange(n) * 0.5
    functions = [
        lambda m, a: ((a + 3) * 7.6) ** 2,
        lambda m, a: m.sqrt(3 * m.sin(a) + 4),
        lambda m, a: m.fft.ifft(a * m.fft.fft(a)),
    ]
    for f in functions:
        if f is functions[2]:
            needs(f, cp, cp.arange(3000.0))
        graph, out = captured(stream, f, cp, x)
        assert isinstance(graph, cp.cuda.Graph)
        if upload:
            graph.upload()
        graph.launch()
        stream.synchronize()
        np.testing.assert_allclose(cp.asnumpy(out), f(np, want), rtol=1e-9, atol=1e-9)
        other = cp.cuda.Stream()
        out[...] = 0
        graph.launch(stream=other)
        other.synchronize()
        np.testing.assert_allclose(cp.asnumpy(out), f(np, want), rtol=1e-9, atol=1e-9)
        out[...] = 0
        with other:
            graph.launch()
        np.testing.assert_allclose(cp.asnumpy(out), f(np, want), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("n", SIZES)
def test_launch__sees_inputs_changed_in_place(stream, n):
    x = cp.arange(n) * 1.0
    graph, y = captured(stream, lambda: x * 2 + 1)
    for first in 0, 5, -3:
        x[...] = cp.arange(n) + first
        graph.launch()
        equal(y, 2 * (np.arange(n) + first) + 1)
    x[1] = 100
    graph.launch()
    assert float(y[1]) == 201
    x += 1
    x.fill(4)
    graph.launch()
    equal(y, np.full(n, 9.0))
    x[:] = np.arange(n)
    graph.launch()
    equal(y, 2.0 * np.arange(n) + 1)


@pytest.mark.parametrize("n", SIZES)
def test_capture__runs_nothing(stream, n):
    x, y = cp.zeros(n), cp.full(n, 5.0)

    def work():
        x[...] = 1
        y[2] = 7
        y[3:5] += x[3:5]
        np.add(x, 1, out=x)

    graph, _ = captured(stream, work)
    equal(x, np.zeros(n))
    equal(y, np.full(n, 5.0))
    graph.launch()
    graph.launch()
    equal(x, np.full(n, 2.0))
    want = np.full(n, 5.0)
    want[2:5] = 7
    equal(y, want)


@pytest.mark.parametrize("n", SIZES)
def test_launch__in_place_work_goes_on(stream, n):
    x = cp.zeros(n)

    def step():
        nonlocal x
        x += 1
        x *= 2

    graph, _ = captured(stream, step)
    for _ in range(4):
        graph.launch()
    equal(x, np.full(n, 30.0))


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("which", ["original", "copy"])
def test_copies__made_before(stream, n, which):
    x = cp.arange(n) * 1.0
    y = x.copy()
    read, other = (x, y) if which == "original" else (y, x)
    graph, z = captured(stream, lambda: read + 1)
    other[...] = -1
    graph.launch()
    equal(z, np.arange(n) + 1.0)
    read[...] = 3
    graph.launch()
    equal(z, np.full(n, 4.0))
    equal(other, np.full(n, -1.0))


@pytest.mark.parametrize("n", SIZES)
def test_copies__made_within_and_after(stream, n):
    x = cp.zeros(n)

    def work():
        before = x.copy()
        x.__iadd__(1)
        return before

    graph, before = captured(stream, work)
    after = x.copy()
    graph.launch()
    graph.launch()
    equal(before, np.ones(n))
    equal(x, np.full(n, 2.0))
    equal(after, np.zeros(n))


def test_scalars__are_read_anew(stream):
    s = cp.array(5.0)
    few, many = cp.arange(4.0), cp.arange(3000.0)
    float(s)
    graph, (a, b, c) = captured(stream, lambda: (few * s, many * s, cp.sqrt(s) + s))
    graph.launch()
    equal(a, 5 * np.arange(4.0))
    s[...] = 9
    graph.launch()
    equal(a, 9 * np.arange(4.0))
    equal(b, 9 * np.arange(3000.0))
    assert float(c) == 12


def test_constants__made_within(stream):
    def work():
        return (
            cp.arange(5) + cp.array([1, 2, 3, 4, 5]) + np.array([10, 10, 10, 10, 10]),
            cp.ones((2, 2)) + cp.eye(2),
            cp.linspace(0, 1, 3),
            cp.asarray([[1.5, 2.5]]) * 2,
        )

    graph, out = captured(stream, work)
    for _ in range(2):
        graph.launch()
        equal(out[0], np.arange(5) + np.arange(1, 6) + 10)
        equal(out[1], np.ones((2, 2)) + np.eye(2))
        equal(out[2], [0, 0.5, 1])
        equal(out[3], [[3, 5]])


@pytest.mark.parametrize("n", [5, 3000])
def test_elements__are_arrays_meanwhile(stream, n):
    x = cp.arange(n) * 1.0

    def work():
        first, last, row = x[0], x[-1], x[1:4]
        assert isinstance(first, cp.ndarray) and first.shape == ()
        return first + last, row * last, [v * 1 for v in x[:3]]

    graph, (total, row, each) = captured(stream, work)
    x += 1
    graph.launch()
    assert float(total) == n + 1
    equal(row, np.arange(2, 5) * float(n))
    assert [float(v) for v in each] == [1, 2, 3]


@pytest.mark.parametrize("n", [6, 3000])
def test_gathers__indices_are_read_anew(stream, n):
    x, index = cp.arange(n) * 10, cp.array([0, 2, -1, 5])
    table, rows = cp.arange(2 * n).reshape(n, 2), cp.array([[1], [0]])
    graph, (a, b, c, d) = captured(
        stream,
        lambda: (x[index], cp.take(x, index), table[index], table[rows, cp.array([0, 1])]),
    )
    for _ in range(2):
        graph.launch()
        want = np.arange(n) * 10
        at = cp.asnumpy(index)
        equal(a, want[at])
        equal(b, want[at])
        equal(c, np.arange(2 * n).reshape(n, 2)[at])
        equal(d, np.arange(2 * n).reshape(n, 2)[cp.asnumpy(rows), [0, 1]])
        index[...] = cp.array([3, 3, 1, -2])
        rows[...] = rows + 1
    index[...] = cp.array([n, -n - 1, 2 * n + 1, -2])  # out of range: they wrap around
    graph.launch()
    equal(a, np.array([0, n - 1, 1, n - 2]) * 10)


@pytest.mark.parametrize("n", [6, 3000])
def test_scatters__indices_are_read_anew(stream, n):
    x, index, values = cp.zeros(n), cp.array([0, 2, -1]), cp.array([1.0, 2.0, 3.0])

    def work():
        x[index] = values
        x[index[:1] + 1] = 9
        cp.add.at(x, index[:2], 1)

    graph, _ = captured(stream, work)
    equal(x, np.zeros(n))
    graph.launch()
    want = np.zeros(n)
    want[[0, 2, -1]] = [2, 3, 3]
    want[1] = 9
    equal(x, want)
    index[...] = cp.array([3, 4, 3])
    values *= 10
    x[...] = 0
    graph.launch()
    equal(x[3:5], [31, 10])


@pytest.mark.parametrize("n", [9, 3000])
def test_masks__as_conditions(stream, n):
    x, y = cp.arange(n) - n / 2, cp.zeros(n)

    def work():
        y[...] = cp.where(x > 0, x, -1)
        y[x < -2] = 5
        return (x > 0).sum()

    graph, count = captured(stream, work)
    for sign in 1, -1, 1:
        graph.launch()
        values = cp.asnumpy(x)
        want = np.where(values > 0, values, -1)
        want[values < -2] = 5
        equal(y, want)
        assert int(count) == (values > 0).sum()
        x *= sign


@pytest.mark.parametrize(
    "name",
    ["sort", "argsort", "cumsum", "sum", "max", "argmax", "mean", "std", "prod", "any", "flip"],
)
@pytest.mark.parametrize("n", [8, 3000])
def test_functions__of_one_array(stream, n, name):
    rng = np.random.default_rng(0)
    values = rng.permutation(n) / n
    x = cp.array(values)
    graph, y = captured(stream, lambda: getattr(cp, name)(x))
    for _ in range(2):
        graph.launch()
        np.testing.assert_allclose(cp.asnumpy(y), getattr(np, name)(values), rtol=1e-9)
        values = rng.permutation(n) / n + 0.5
        x[...] = cp.array(values)


@pytest.mark.parametrize("n", [3, 60])
def test_functions__of_matrices(stream, n):
    rng = np.random.default_rng(0)
    a, b = rng.random((n, n)) + n * np.eye(n), rng.random((n, n))
    x, y = cp.array(a), cp.array(b)
    needs(lambda: x @ y)
    graph, out = captured(
        stream, lambda: (x @ y, x.T.dot(y), cp.einsum("ij,jk->ik", x, y), cp.linalg.norm(x))
    )
    for _ in range(2):
        graph.launch()
        for got, want in zip(out, (a @ b, a.T @ b, a @ b, np.linalg.norm(a)), strict=True):
            np.testing.assert_allclose(cp.asnumpy(got), want, rtol=1e-9)
        a, b = 2 * a, b + 1
        x[...] = cp.array(a)
        y += 1


def test_random__numbers_are_those_of_the_capture(stream):
    graph, x = captured(stream, lambda: cp.random.random(1000))
    graph.launch()
    first = cp.asnumpy(x)
    graph.launch()
    assert (first == cp.asnumpy(x)).all() and 0.4 < first.mean() < 0.6


def test_rounds__of_a_loop_beside_other_work(stream):
    x, y = cp.zeros(3000), cp.zeros(3000)

    def step():
        x.__iadd__(1)
        y.__iadd__(x)

    graph, _ = captured(stream, step)
    total = 0.0
    for k in range(20):
        x[...] = k
        graph.launch()
        total += k + 1
        z = y * 2
        assert float(z[5]) == 2 * total
    equal(y, np.full(3000, total))


def test_results__outlive_the_graph(stream):
    x = cp.arange(3000.0)
    graph, y = captured(stream, lambda: cp.sqrt(x) + 1)
    graph.launch()
    del graph
    equal(y, np.sqrt(np.arange(3000.0)) + 1)
    y += 1
    equal(y, np.sqrt(np.arange(3000.0)) + 2)


def test_graphs__share_arrays(stream):
    x, y = cp.zeros(3000), cp.zeros(3000)
    one, _ = captured(stream, lambda: x.__iadd__(1))
    two, _ = captured(stream, lambda: y.__iadd__(x))
    for _ in range(3):
        one.launch()
        two.launch()
    equal(y, np.full(3000, 6.0))
    del one
    two.launch()
    equal(y, np.full(3000, 9.0))


def test_graphs__one_within_another(stream):
    x = cp.zeros(3000)
    inner, _ = captured(stream, lambda: x.__iadd__(1))

    def work():
        inner.launch()
        x.__imul__(2)
        inner.launch(stream)

    outer, _ = captured(stream, work)
    equal(x, np.zeros(3000))
    outer.launch()
    equal(x, np.full(3000, 3.0))
    outer.launch()
    equal(x, np.full(3000, 9.0))


def test_long__more_than_the_window_holds(stream):
    x = cp.zeros(3000)

    def work():
        for _ in range(500):
            x.__iadd__(1)

    graph, _ = captured(stream, work)
    graph.launch()
    graph.launch()
    equal(x, np.full(3000, 1000.0))


# ---- kernels -------------------------------------------------------------------------------------


def test_kernels__raw_ones_run_each_time(stream):
    more = cp.RawKernel(
        'extern "C" __global__ void more(double *x, double v) {'
        " x[blockIdx.x * blockDim.x + threadIdx.x] += v; }",
        "more",
    )
    x = cp.zeros(128)
    graph, _ = captured(stream, lambda: more((4,), (32,), (x, 1.5)))
    equal(x, np.zeros(128))
    for _ in range(3):
        graph.launch()
    equal(x, np.full(128, 4.5))
    x[...] = 1
    graph.launch()
    equal(x, np.full(128, 2.5))


def test_kernels__raw_ones_between_others(stream):
    twice = cp.RawKernel(
        'extern "C" __global__ void twice(const double *x, double *y) {'
        " int i = blockIdx.x * blockDim.x + threadIdx.x; y[i] = 2 * x[i]; }",
        "twice",
    )
    x = cp.arange(256.0)

    def work():
        a, b = x + 1, cp.empty(256)
        twice((8,), (32,), (a, b))
        return b - 1

    graph, y = captured(stream, work)
    for k in range(3):
        graph.launch()
        equal(y, 2 * (np.arange(256.0) + k + 1) - 1)
        x += 1


def test_kernels__of_elements_and_reductions(stream):
    square = cp.ElementwiseKernel("float64 x, float64 y", "float64 z", "z = (x - y) * (x - y)", "square")
    loop = cp.ElementwiseKernel(
        "float64 x", "float64 z", "z = 0; for (int k = 0; k < 3; k++) z += x * k;", "loop"
    )
    total = cp.ReductionKernel("T x", "T y", "x * x", "a + b", "y = a", "0", "total")
    x, y = cp.arange(100.0), cp.ones(100)
    graph, (a, b, c) = captured(stream, lambda: (square(x, y), loop(x), total(x)))
    for _ in range(2):
        graph.launch()
        v = cp.asnumpy(x)
        equal(a, (v - 1) ** 2)
        equal(b, 3 * v)
        equal(c, (v**2).sum())
        x += 1


def test_kernels__of_the_driver_stay(stream):
    class Function:
        pass

    function, where = Function(), stream._device._where
    gone = weakref.ref(function)
    inner, _ = captured(stream, lambda: [_graph.keep(where, function) for _ in range(3)])
    outer, _ = captured(stream, inner.launch)
    del function, inner
    assert gone() is not None and len(outer._kept) == 1
    del outer
    gc.collect()
    assert gone() is None
    _graph.keep(where, gone)  # nothing is captured


@pytest.mark.parametrize("n", [5, 3000])
def test_addresses__handed_out_stay(stream, n):
    x = cp.arange(n) * 1.0
    graph, y = captured(stream, lambda: x + 1)
    interface = "__cuda_array_interface__" if xp.device() != "cpu" else "__array_interface__"
    before = getattr(y, interface)["data"][0]
    graph.launch()
    x += 1
    graph.launch()
    assert getattr(y, interface)["data"][0] == before
    equal(y, np.arange(n) + 2.0)


# ---- streams -------------------------------------------------------------------------------------


def test_is_capturing__that_stream_only(stream):
    other = cp.cuda.Stream(non_blocking=True)
    with stream:
        assert not stream.is_capturing()
        stream.begin_capture()
        assert stream.is_capturing() and not other.is_capturing()
        assert not cp.cuda.Stream.null.is_capturing()
        x = cp.ones(100) * 3
        graph = stream.end_capture()
        assert not stream.is_capturing()
    graph.launch()
    stream.synchronize()
    equal(x, np.full(100, 3.0))


def test_capture__only_what_goes_to_the_stream(stream):
    x, y = cp.zeros(100), cp.zeros(100)
    stream.begin_capture()
    x += 1  # on the stream that is current: it runs
    with stream:
        x += 10
        with cp.cuda.Stream(non_blocking=True):
            y += 1
            assert float(y[0]) == 1
        x += 100
    equal(x, np.ones(100))
    graph = stream.end_capture()
    graph.launch()
    equal(x, np.full(100, 111.0))
    equal(y, np.ones(100))


def test_capture__current_stream_by_use(stream):
    x = cp.zeros(100)
    before = cp.cuda.get_current_stream()
    stream.use()
    stream.begin_capture()
    x += 1
    graph = stream.end_capture()
    before.use()
    graph.launch()
    graph.launch()
    equal(x, np.full(100, 2.0))


def test_capture__fork_and_join(stream):
    other, e1, e2 = cp.cuda.Stream(non_blocking=True), cp.cuda.Event(), cp.cuda.Event()
    x = cp.arange(100.0)
    with stream:
        stream.begin_capture()
        a = x * 100
        e1.record(stream)
        other.wait_event(e1)
        assert other.is_capturing()
        with other:
            b = 3 * a + 1
            other.record(e2)
        stream.wait_event(e2)
        graph = stream.end_capture()
    assert not stream.is_capturing() and not other.is_capturing()
    graph.launch()
    equal(b, 300 * np.arange(100.0) + 1)


def test_callbacks__are_launched(stream):
    seen, x = [], cp.zeros(100)

    def work():
        x.__iadd__(1)
        stream.launch_host_func(lambda v: seen.append((v, float(x[0]))), "first")
        x.__iadd__(10)
        stream.launch_host_func(lambda v: seen.append((v, float(x[0]))), "second")

    graph, _ = captured(stream, work)
    assert seen == [] and [arg for _, arg in graph.host_funcargs] == ["first", "second"]
    graph.launch()
    cp.cuda.get_current_stream().synchronize()
    assert seen == [("first", 1.0), ("second", 11.0)]
    graph.launch()
    assert seen[2:] == [("first", 12.0), ("second", 22.0)]
    outer, _ = captured(stream, lambda: (graph.launch(), x.__iadd__(100)))
    assert len(seen) == 4 and len(outer.host_funcargs) == 2
    outer.launch()
    assert seen[4:] == [("first", 23.0), ("second", 33.0)] and float(x[0]) == 133


def test_external_stream__captures():
    own = cp.cuda.Stream(non_blocking=True)
    stream = cp.cuda.ExternalStream(own.ptr)
    if xp.device() == "cpu":
        x = cp.zeros(50)
        graph, _ = captured(stream, lambda: x.__iadd__(2))
    else:
        x = cp.zeros(50)
        with stream:
            stream.begin_capture()
            assert own.is_capturing()
            x += 2
            graph = stream.end_capture()
    graph.launch(stream)
    graph.launch()
    equal(x, np.full(50, 4.0))


@pytest.mark.parametrize("mode", [None, 0, 1, 2])
def test_modes(stream, mode):
    x = cp.zeros(10)
    with stream:
        stream.begin_capture(mode)
        x += 1
        graph = stream.end_capture()
    graph.launch()
    equal(x, np.ones(10))


def test_graph__is_made_by_streams_only():
    assert cp.cuda.Graph is cp.cuda.graph.Graph is xp.cuda.Graph
    with pytest.raises(NotImplementedError, match="begin_capture"):
        cp.cuda.Graph()


def test_graph__debug_dot_str(stream):
    x = cp.arange(100.0)
    with stream:
        stream.begin_capture()
        cp.sin(x)
        stream.launch_host_func(print, None)
        graph = stream.end_capture()
    text = graph.debug_dot_str()
    assert text.startswith("digraph") and "sin" in text and "print" in text
    assert graph.debug_dot_str(1) != text and "sin" in graph.debug_dot_str(1)


def test_empty_graph(stream):
    graph, _ = captured(stream, lambda: None)
    graph.launch()
    graph.upload()


# ---- what is refused -----------------------------------------------------------------------------

WAITS = {
    "float": lambda x: float(x[0]),
    "int": lambda x: int(x.sum()),
    "bool": lambda x: bool((x > 1).any()),
    "if": lambda x: 1 if x.sum() > 0 else 2,
    "item": lambda x: x[0].item(),
    "tolist": lambda x: x.tolist(),
    "get": lambda x: x.get(),
    "asnumpy": cp.asnumpy if not IS_NUMPY else None,
    "str": str,
    "where": lambda x: cp.where(x > 1),
    "nonzero": lambda x: x.nonzero(),
    "mask": lambda x: x[x > 1],
    "unique": lambda x: cp.unique(x),
    "numpy": np.asarray,
    "device": lambda x: cp.cuda.Device().synchronize(),
    "allclose": lambda x: bool(cp.allclose(x, x)),
}


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("what", WAITS)
def test_refused__values_meanwhile(stream, n, what):
    x = cp.arange(n) * 1.0
    bool(x[0] == 0)
    with stream:
        stream.begin_capture()
        y = x + 1
        for array in x, y:
            with pytest.raises(RuntimeError, match="capturing"):
                WAITS[what](array)
        graph = stream.end_capture()  # what was captured is whole
    graph.launch()
    equal(y, np.arange(n) + 1.0)
    assert WAITS[what](y) is not None or what == "device"


def test_refused__synchronize_makes_it_invalid(stream):
    x = cp.zeros(10)
    with stream:
        stream.begin_capture()
        x += 1
        with pytest.raises(RuntimeError, match="cudaErrorStreamCaptureUnsupported"):
            stream.synchronize()
        with pytest.raises(RuntimeError, match="cudaErrorStreamCaptureInvalidated"):
            stream.end_capture()
    assert not stream.is_capturing()
    stream.synchronize()
    equal(x, np.zeros(10))


def test_refused__done_makes_it_invalid(stream):
    with stream:
        stream.begin_capture()
        assert stream.done is False
        with pytest.raises(RuntimeError, match="cudaErrorStreamCaptureInvalidated"):
            stream.end_capture()
    assert stream.done


def test_refused__end_of_what_did_not_begin(stream):
    other, event = cp.cuda.Stream(non_blocking=True), cp.cuda.Event()
    with pytest.raises(RuntimeError, match="cudaErrorIllegalState"):
        stream.end_capture()
    with stream:
        stream.begin_capture()
        with pytest.raises(RuntimeError, match="cudaErrorIllegalState"):
            other.end_capture()
        event.record(stream)
        other.wait_event(event)
        with pytest.raises(RuntimeError, match="cudaErrorStreamCaptureUnmatched"):
            other.end_capture()
        with pytest.raises(RuntimeError, match="cudaErrorStreamCaptureInvalidated"):
            stream.end_capture()
    assert not stream.is_capturing() and not other.is_capturing()


def test_refused__streams_not_joined(stream):
    other, event = cp.cuda.Stream(non_blocking=True), cp.cuda.Event()
    x = cp.arange(10.0)
    with stream:
        stream.begin_capture()
        event.record(stream)
        other.wait_event(event)
        with other, pytest.raises(RuntimeError, match="capturing"):
            cp.where(x > 0.5)
        with pytest.raises(RuntimeError, match="cudaErrorStreamCaptureUnjoined"):
            stream.end_capture()
    stream.synchronize()
    other.synchronize()


def test_refused__default_streams():
    for stream in cp.cuda.Stream.null, cp.cuda.Stream(null=True), cp.cuda.get_current_stream():
        with pytest.raises(RuntimeError, match="default"):
            stream.begin_capture()
        assert not stream.is_capturing()


def test_refused__two_captures_of_a_thread(stream):
    with stream:
        stream.begin_capture()
        for other in stream, cp.cuda.Stream(non_blocking=True):
            with pytest.raises(RuntimeError, match="cudaErrorIllegalState"):
                other.begin_capture()
        stream.end_capture()


def test_refused__modes(stream):
    with pytest.raises(ValueError, match="mode"):
        stream.begin_capture(7)
    assert not stream.is_capturing()


def test_refused__callbacks_with_a_status(stream):
    with stream:
        stream.begin_capture()
        with pytest.raises(RuntimeError, match="cudaErrorStreamCaptureUnsupported"):
            stream.add_callback(print, None)
        with pytest.raises(RuntimeError, match="cudaErrorStreamCaptureInvalidated"):
            stream.end_capture()


def test_threads__end_their_own_captures(stream):
    failed = []

    def end():
        try:
            stream.end_capture()
        except RuntimeError as error:
            failed.append(str(error))

    with stream:
        stream.begin_capture()
        thread = threading.Thread(target=end)
        thread.start()
        thread.join()
        x = cp.ones(10) + 1
        graph = stream.end_capture()
    assert "cudaErrorStreamCaptureWrongThread" in failed[0]
    graph.launch()
    equal(x, np.full(10, 2.0))


def test_threads__work_as_ever_meanwhile(stream):
    x = cp.zeros(3000)
    results = []

    def work():
        y = cp.arange(3000.0)
        z = y.copy()
        z += 1
        results.append((float(y.sum()), float(z.sum()), float(y[3]), cp.nonzero(y > 2990)[0].size))

    with stream:
        stream.begin_capture()
        x += 1
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        x += 1
        graph = stream.end_capture()
    total = 3000 * 2999 / 2
    assert results == [(total, total + 3000, 3.0, 9)]
    graph.launch()
    equal(x, np.full(3000, 2.0))


def test_launch__from_another_thread(stream):
    x = cp.zeros(3000)
    graph, _ = captured(stream, lambda: x.__iadd__(1))
    threads = [threading.Thread(target=graph.launch) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    equal(x, np.full(3000, 4.0))


def test_stream__that_goes_while_it_captures():
    stream = cp.cuda.Stream(non_blocking=True)
    stream.begin_capture()
    del stream
    x = cp.ones(100) + 1
    assert float(x[0]) == 2


def test_threads__that_end_while_they_capture(stream):
    def work():
        stream.use()
        stream.begin_capture()
        _ = cp.ones(100) + 1

    for _ in range(3):
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        gc.collect()
        assert not stream.is_capturing()
    x = cp.zeros(100)
    graph, _ = captured(stream, lambda: x.__iadd__(1))
    graph.launch()
    equal(x, np.ones(100))


def test_errors__within_a_capture_leave_it_whole(stream):
    x = cp.zeros(10)
    with stream:
        stream.begin_capture()
        x += 1
        with pytest.raises(ValueError, match="broadcast"):
            x + cp.ones(3)
        x += 1
        graph = stream.end_capture()
    graph.launch()
    equal(x, np.full(10, 2.0))


def test_errors__of_a_launch_are_told_by_results(stream):
    a = cp.eye(4)
    needs(cp.linalg.inv, cp.eye(60))
    graph, inverse = captured(stream, lambda: cp.linalg.inv(a))
    graph.launch()
    equal(inverse, np.eye(4))
    a[...] = 0
    graph.launch()
    with pytest.raises(np.linalg.LinAlgError):
        cp.asnumpy(inverse)
    a[...] = 2 * cp.eye(4)
    graph.launch()
    equal(inverse, np.eye(4) / 2)


def test_memory_hooks__within_a_capture(stream):
    class Notes(cp.cuda.MemoryHook):
        name, sizes = "notes", []

        def malloc_postprocess(self, **facts):
            self.sizes.append(facts["size"])

    x = cp.zeros(3000)
    with stream:
        stream.begin_capture()
        with Notes():
            y = x + 1
        graph = stream.end_capture()
    assert Notes.sizes == []
    with Notes():
        graph.launch()
    assert Notes.sizes == [24000] and float(y[0]) == 1


def test_events__of_a_capture_happen_in_it(stream):
    event = cp.cuda.Event()
    with stream:
        stream.begin_capture()
        stream.record(event)
        graph = stream.end_capture()
    graph.launch()
    event.record()  # and of none afterwards
    event.synchronize()
    assert event.done
