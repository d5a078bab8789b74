# SPDX-License-Identifier: BSD-3-Clause
"""heddle.benchmark, which is cupyx.profiler.benchmark: what it counts, and how it is printed."""

import re

import numpy as np
import pytest
from common import needs_heddle, xp

pytestmark = needs_heddle

TIME = r" +[0-9.]+ us   \+/- +[0-9.]+ \(min: +[0-9.]+ / max: +[0-9.]+\) us"


def chain(x, y):
    return (x - y) * (x - y)


@pytest.fixture
def pair():
    with xp.device("cpu"):
        yield xp.arange(100000.0), xp.arange(100000.0)[::-1]


def test_counts__of_a_chain(pair):
    result = xp.benchmark(chain, pair, n_repeat=5, n_warmup=2)
    assert (
        result.cpu_times.shape == (5,)
        and result.gpu_times.shape == (1, 5)
        and (result.cpu_times > 0).all()
    )
    assert (result.cpu_times == result.gpu_times[0]).all() and result.name == "chain"
    assert (result.kernels, result.temporaries) == (1, 2)
    assert result.bytes_moved == pytest.approx(2.4e6, rel=0.05) and result.operations == 3e5


def test_text__is_cupys_with_a_line_of_what_was_done(pair):
    from heddle import _benchmark

    first, second = str(xp.benchmark(chain, pair, n_repeat=3)).split("\n")
    assert re.fullmatch("chain               :    CPU:" + TIME, first), first
    assert re.fullmatch(
        r"    1 kernel, 2 temporaries removed, 2.4 MB moved at [0-9.e+]+ GB/s "
        r"\([0-9]+ % of the [0-9.e+]+ GB/s that cpu reaches\), "
        r"0.3 million operations at [0-9.e+]+ GFLOP/s",
        second,
    ), second
    assert _benchmark.ceiling("cpu") == _benchmark.ceiling("cpu") > 1e7
    result = xp.benchmark(chain, pair, n_repeat=1, name="other")
    assert re.fullmatch("other               :    CPU: +[0-9.]+ us", result.to_str())


def test_results__are_computed_each_time():
    runs = []

    def f(n, *, kind):
        runs.append(n)
        return [
            {"x": xp.ones(50000, device="cpu") * n},
            (1, "text", xp.ones(60000, device="cpu") + n),
        ]

    with xp.device("cpu"):
        before = xp.stats("cpu")["dead"]
        result = xp.benchmark(f, (3,), {"kind": "list"}, n_repeat=4, n_warmup=2)
        assert len(runs) == 7 and xp.stats("cpu")["dead"] == before  # 2 to warm up, 1 to count, 4
        assert result.kernels == 2 and xp.stats("cpu")["pending"] == 0


def test_figures__that_are_not_known_are_not_told(pair):
    x, y = pair
    with_sync = xp.benchmark(
        lambda: xp.asarray(float((x * y).sum())), n_repeat=2
    )  # it runs within the call
    assert with_sync.bytes_moved is None and with_sync.operations is None and with_sync.kernels >= 1
    nothing = xp.benchmark(lambda: None, n_repeat=2)
    assert nothing.kernels == 0 and nothing.bytes_moved is None
    m, n = xp.random.rand(200, 200), xp.random.rand(200, 200)
    product = xp.benchmark(xp.matmul, (m, n), n_repeat=2)
    assert product.operations is None and product.bytes_moved == pytest.approx(9.6e5, rel=0.01)
    for result in with_sync, nothing, product:
        assert "FLOP" not in str(result) and (" MB moved" in str(result)) == (result is product)


def test_arguments():
    result = xp.benchmark(lambda: 1, n_repeat=10**9, max_duration=0)
    assert result.cpu_times.size == 1 and isinstance(result.cpu_times, np.ndarray)
    for bad, error in (((3,), TypeError), ((len, ("x",), {}, 0), ValueError)):
        with pytest.raises(error):
            xp.benchmark(*bad)
    with pytest.raises(ZeroDivisionError):
        xp.benchmark(lambda: 1 / 0)
    from heddle.cupyx.profiler import benchmark
    from heddle.cupyx.time import repeat

    assert benchmark is repeat is xp.benchmark
