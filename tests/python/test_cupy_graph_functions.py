# SPDX-License-Identifier: BSD-3-Clause
"""Functions within a captured graph: no number that the host knows gets into it. Each is captured with one x and launched with
another one; then it is what the function gives by itself, or the capture has refused it because it needs values."""

import numpy as np
import pytest
from common import IS_NUMPY, needs_heddle

if not IS_NUMPY:
    import heddle.cupy as m
    from heddle.cuda import _graph

pytestmark = needs_heddle

OF_ONE = """absolute angle arccos arcsin arctan argmax argmin argsort average cbrt ceil conj copy cos cosh cumprod cumsum deg2rad
diff exp expm1 exp2 fix flip floor i0 imag isfinite isnan log log10 log1p log2 max mean median min nancumsum nanmax nanmean nanmedian
nanprod nanstd nansum nanvar negative ones_like prod ptp ravel real reciprocal rint sign signbit sin sinc sinh sort sqrt square std sum
tan tanh transpose trapezoid trunc unwrap var zeros_like nan_to_num gradient ediff1d logical_not any all count_nonzero diagflat vander
corrcoef cov frexp modf""".split()
TEXTS = """
m.repeat(x, 2) ; m.roll(x, 2) ; m.tile(x, 2) ; m.pad(x, 2, mode="edge") ; m.clip(x, 0.3, 0.6) ; m.isclose(x, 0.5, atol=0.2)
m.where(x > 0.5, x, 0) ; m.partition(x, 2)[2] ; m.searchsorted(m.array([0.0, 0.5, 1]), x)
m.interp(x, m.array([0.0, 0.5, 1]), m.array([0.0, 2, 1])) ; m.convolve(x, m.ones(3)) ; m.polyval(m.array([1.0, 2]), x)
m.select([x < 0.3, x < 0.6], [x, 2 * x], 7) ; m.piecewise(x, [x < 0.5, x >= 0.5], [1.0, 2.0]) ; m.take(x, I)
m.insert(x, 1, 5.0) ; m.delete(x, 1) ; m.append(x, 5.0) ; m.concatenate([x, x * 2]) ; m.stack([x, x]) ; m.array_split(x, 2)[1] + 0
m.outer(x[:4], x[:4]) ; m.kron(x[:4], x[:4]) ; m.cross(x[:3], x[1:4]) ; m.einsum("i,i", x, x) ; m.dot(x, x) ; x.dot(x)
m.maximum(x, 0.5) ; m.fmod(x, 0.3) ; m.hypot(x, 1) ; x % 0.3 ; divmod(x, 0.3)[0] ; m.nextafter(x, 2.0) ; m.ldexp(x, 2) ; x**2.5
m.heaviside(x - 0.5, 0.5) ; x // 0.3 ; m.fft.rfft(x) ; m.fft.fftshift(x) ; m.add.accumulate(x) ; m.add.outer(x[:3], x[:3])
x[1] * 2 ; x[0] * x[1] + x[2] ; x.sum() * 2 + 1 ; m.sqrt(x.sum()) * x ; (x > 0.5).sum() ; x[1:][::2][1:] * 1 ; x[::-1] + x
Q[1, 0] * 1 ; Q[m.ix_(m.array([0, 1]), m.array([1, 0]))] ; Q.argmax(axis=1) ; m.rot90(Q) ; m.tril(Q) ; m.sort(Q, axis=0) ; Q.T @ Q
m.lexsort(m.stack([x, x])) ; m.meshgrid(x[:3], x[:2])[0] + 0 ; m.moveaxis(Q, 0, 1) + 0 ; m.resize(x, 7) ; m.column_stack([x, x])
m.apply_along_axis(lambda v: v * 2, 0, x) ; m.full_like(x, x[2]) ; ~(x * 9).astype("i8") ; (x * 9).astype("i8") << 2
(x * 9).astype("i4").sum() ; x.astype("f4") ; x.view("u1") + 0 ; x.round(1) ; m.linalg.norm(x) ; m.maximum.reduce(x)
done(y := x + 0, y.__setitem__(slice(1, 3), x[2:4])) ; done(y := x + 0, y.__setitem__(1, y[2] + x[0])) ; (x * 2).__iadd__(x)
done(y := x + 0, y.__setitem__(0, x[1])) ; done(y := x + 0, y.__setitem__(I, x[:3])) ; done(y := x + 0, y.__setitem__(x > 0.5, 1))
done(y := x + 0, y.fill(x[1])) ; done(y := x + 0, y.__setitem__(slice(None), x[0])) ; done(y := x + 0, y.sort())
done(y := m.zeros_like(x), m.add.at(y, I, x[:3])) ; done(y := m.zeros_like(x), m.put(y, I, x[:3])) ; done(y := x + 0, m.copyto(y, x * 2))
done(y := m.zeros_like(x), m.copyto(y, x, where=x > 0.5)) ; done(y := x + 0, m.putmask(y, x > 0.5, 3.0))
done(y := x + 0, m.place(y, x > 0.5, m.array([3.0])))
"""
REFUSED = """
m.nonzero(x) ; m.unique(x) ; m.argwhere(x > 0.5) ; m.extract(x > 0.5, x) ; m.compress(x > 0.5, x) ; x[x > 0.5] ; m.trim_zeros(x)
m.histogram(x) ; m.bincount((x * 3).astype("i8")) ; m.percentile(x, 30) ; m.quantile(x, 0.3) ; m.nanargmax(x)
m.choose((x > 0.5).astype("i8"), [x, -x]) ; m.digitize(x, m.array([0.2, 0.5])) ; m.add.reduceat(x, m.array([0, 2]))
"""


def texts(table):
    return [text.strip() for line in table.strip().splitlines() for text in line.split(" ; ")]


def value(text, x):
    names = {"m": m, "x": x, "I": m.array([0, 2, 1]), "Q": x[:4].reshape(2, 2), "done": lambda y, _: y}
    return eval(text, names)


def close(got, want):
    if isinstance(got, tuple | list):
        return all(close(g, w) for g, w in zip(got, want, strict=True))
    return np.allclose(m.asnumpy(got), m.asnumpy(want), rtol=1e-9, atol=1e-12, equal_nan=True)


@pytest.fixture
def stream():
    yield m.cuda.Stream(non_blocking=True)
    for capture in list(getattr(_graph._local, "captures", {}).values()):
        capture.end(wanted=False)


def skip_without_library(text):
    """The fake driver has not all of NVIDIA's."""
    products = any(part in text for part in ("@", "dot", "cov", "corrcoef", "convolve", "einsum"))
    try:
        if products:
            m.asnumpy(m.ones((60, 60)) @ m.ones((60, 60)))
        if "fft.rfft" in text:
            m.asnumpy(m.fft.rfft(m.ones(3000)))
    except (NotImplementedError, RuntimeError) as error:
        pytest.skip(str(error))


@pytest.mark.parametrize("n", [5, 3000])  # work that would run within its call, and work that is recorded
@pytest.mark.parametrize("text", [f"m.{name}(x)" for name in OF_ONE] + texts(TEXTS))
def test_captured__no_number_is_kept(stream, n, text):
    rng = np.random.default_rng(1)
    first, second = rng.random(n), rng.random(n)
    skip_without_library(text)
    wants = [value(text, m.array(v)) for v in (first, second)]
    x = m.array(first)
    with stream:
        stream.begin_capture()
        got = value(text, x)
        graph = stream.end_capture()
    for values, want in zip((first, second, first), (*wants, wants[0]), strict=True):
        x[...] = m.array(values)
        graph.launch()
        assert close(got, want)


@pytest.mark.parametrize("n", [5, 3000])
@pytest.mark.parametrize("text", texts(REFUSED))
def test_refused__what_needs_values(stream, n, text):
    x = m.array(np.random.default_rng(1).random(n))
    value(text, x)
    with stream:
        stream.begin_capture()
        y = x + 1
        with pytest.raises(RuntimeError, match="capturing"):
            value(text, x)
        graph = stream.end_capture()
    graph.launch()
    assert close(y, m.asnumpy(x) + 1)
