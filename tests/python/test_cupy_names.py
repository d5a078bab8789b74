# SPDX-License-Identifier: BSD-3-Clause
"""Names of CuPy's modules: what is Heddle's own, what is missing, and the page that says so."""

import importlib.util
import pathlib

import numpy
import pytest
from common import needs_heddle

pytestmark = needs_heddle

ROOT = pathlib.Path(__file__).parents[2]


@pytest.fixture(scope="module")
def coverage():
    spec = importlib.util.spec_from_file_location("coverage_cupy", ROOT / "tools/coverage_cupy.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_page__claims_no_name_that_is_missing(coverage):
    rows = {}
    for line in coverage.PAGE.read_text().splitlines():
        if line.startswith("| `"):
            module, names, there, missing = (cell.strip() for cell in line.strip("|").split("|"))
            rows[module.strip("`")] = (
                int(names),
                int(there),
                set(missing.replace("`", "").split(", ")),
            )
    by_module = coverage.names_by_module()
    assert rows.keys() == by_module.keys()
    for module, names in by_module.items():
        lacking = coverage.missing(module, names)
        count, there, told = rows[module]
        assert count == len(names) and there <= count - len(lacking), module
        assert set(coverage._short(lacking)) <= told, module


def test_page__says_why_each_name_is_missing(coverage):
    reasons = coverage.PAGE.read_text().partition("## Why names are missing")[2]
    for module, names in coverage.names_by_module().items():
        for name in coverage._short(coverage.missing(module, names)):
            assert coverage.reason_of(f"{module}.{name}"), f"{module}.{name}"
            assert f"`{module}.{name}`" in reasons
    assert coverage.reason_of("cupy.cuda.cutensor.anything") and not coverage.reason_of("cupy.sin")


def test_names__that_mean_the_same_are_the_same_objects():
    import heddle
    import heddle.cupy as cp

    assert (
        cp.ndarray is heddle.ndarray and cp.matmul is heddle.matmul and cp.float32 is numpy.float32
    )
    assert cp.linalg.svd is heddle.linalg.svd and cp.fft.rfft is heddle.fft.rfft
    assert cp.lib.stride_tricks.as_strided is heddle.lib.stride_tricks.as_strided
    assert cp.newaxis is None and cp.linalg.LinAlgError is numpy.linalg.LinAlgError
    assert cp.exceptions.AxisError is numpy.exceptions.AxisError
    assert cp.product is heddle.prod and cp.complex_ is numpy.complex128 and cp.NaN != cp.NaN
    for module in cp, cp.cuda, cp.fft, cp.linalg, cp.random, cp.testing, cp.lib.stride_tricks:
        for name in dir(module):
            if name != "bfloat16":
                getattr(module, name)


@pytest.mark.parametrize(
    "path",
    [
        "cupy.cublas",
        "cupy.scipy",
        "cupy.linalg.nothing",
        "cupy.cuda.texture",
        "cupy.cuda.memory.malloc_system",
        "cupy.cuda.device.nothing",
        "cupy.cuda.stream.nothing",
        "cupy.cuda.graph.nothing",
        "cupy.cuda.memory_hook.nothing",
        "cupy.cuda.pinned_memory.nothing",
        "cupy.cuda.profiler.nothing",
        "cupy.polynomial.polynomial.nothing",
        "cupy.polynomial.polyutils.nothing",
        "cupyx.profiler.nothing",
        "cupyx.time.nothing",
        "cupy.cuda.Function",
        "cupy.cuda.runtime.createTextureObject",
        "cupy.fft.config.set_cufft_gpus",
        "cupy.random.nothing",
        "cupy.testing.nothing",
        "cupy.polynomial.Chebyshev",
        "cupy.lib.nothing",
        "cupyx.jit.thrust",
        "cupyx.distributed",
        "cupyx.scipy.nothing",
        "cupyx.scipy.signal.nothing",
        "cupyx.scipy.fft.nothing",
        "cupyx.scipy.fftpack.dct",
    ],
)
def test_lacking_name__is_named(path):
    import heddle

    module, _, name = path.rpartition(".")
    holder = heddle
    for part in module.split("."):
        holder = getattr(holder, part)
    with pytest.raises(AttributeError, match=f"^Heddle has no {path}$"):
        getattr(holder, name)


def test_import__of_heddle_brings_none_of_it():
    from common import python

    python("""
import sys, heddle
assert not [name for name in sys.modules if name.startswith(("heddle.cupy", "heddle._run", "heddle._benchmark"))]
assert callable(heddle.benchmark) and "numpy" not in sys.modules
""")


def test_random_state__takes_its_seed_by_name():
    import heddle.cupy as cp

    draws = [cp.random.RandomState(*args, **named).random_sample(3).tolist()
             for args, named in (((5,), {}), ((), {"seed": 5}), ((), {"seed": 5, "method": 100}))]
    assert draws[0] == draws[1] == draws[2]
    for bad in ({"nothing": 1}, {"seed": 1, "nothing": 1}):
        with pytest.raises(TypeError, match="nothing"):
            cp.random.RandomState(**bad)
    with pytest.raises(TypeError, match="nothing"):
        cp.random.Generator(nothing=1)


def test_who__prints_the_arrays_of_a_dict(capsys):
    import heddle.cupy as cp

    x = cp.zeros((3, 4), "f4")
    cp.who({"b": x, "a": x, "longer_than_ten": cp.arange(20), "text": "t"})
    lines = capsys.readouterr().out.splitlines()
    assert [line.split() for line in lines] == [
        ["Name", "Shape", "Bytes", "Type"], ["=" * (21 + 17 + 17 + 9)], [],
        ["a", "3", "x", "4", "48", "float32"], ["b", "(a)", "3", "x", "4", "48", "float32"],
        ["longer_than_ten", "20", "160", "int64"], [],
        ["Upper", "bound", "on", "total", "bytes", "=", "208"]]
    assert {line.index(word) for line, word in zip(lines[:1] + lines[3:6], ("Type", "float", "float", "int"))} == {55}
    cp.who({})
    assert capsys.readouterr().out == "\nUpper bound on total bytes  =       0\n"
    exec("arr = zeros(5)\nwho()", {"zeros": cp.zeros, "who": cp.who})
    assert "arr             5" in capsys.readouterr().out
