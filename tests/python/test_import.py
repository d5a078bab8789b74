# SPDX-License-Identifier: BSD-3-Clause
"""What importing costs and loads, and what `python -m heddle info` tells."""

import os
import re
import subprocess
import sys

import pytest

from common import needs_heddle, python, xp

pytestmark = needs_heddle


def test_import_loads_neither_numpy_nor_blas():
    python("""
import sys
before = set(sys.modules)
import heddle
assert "numpy" not in sys.modules, "numpy"
maps = open("/proc/self/maps").read()
for library in ("openblas", "libcuda", "libheddle_llvm", "libgfortran"):
    assert library not in maps, library
""")


def test_import_loads_little_of_pythons_library():
    python("""
import sys
before = set(sys.modules)
import heddle as h
slow = {"typing", "functools", "collections", "re", "enum", "contextlib", "inspect", "warnings"}
slow -= before
assert not slow & set(sys.modules), slow & set(sys.modules)
h.linalg, h.random
slow -= {"collections", "warnings"}    # named tuples, and importlib itself
assert not slow & set(sys.modules), slow & set(sys.modules)
""")


def test_what_is_loaded_later_is_there():
    python("""
import io, pickle
import heddle as h
all_of, counts = h.unique_all([3, 1, 3]), h.unique_counts([3, 1, 3])
inverse = h.unique_inverse([3, 1, 3])
assert all_of._fields == ("values", "indices", "inverse_indices", "counts")
assert counts.counts.tolist() == [1, 2] and inverse.inverse_indices.tolist() == [1, 0, 1]
assert type(pickle.loads(pickle.dumps(counts))) is type(counts)
assert type(all_of).__annotations__["values"] is h.ndarray
file = io.BytesIO()
h.savez(file, a=h.arange(3))
file.seek(0)
npz = h.load(file)
assert dict(npz.items())["a"].tolist() == [0, 1, 2] and list(npz) == ["a"] and "b" not in npz
from collections.abc import Mapping
assert isinstance(npz, Mapping)
for _ in range(2):
    assert h.can_cast("f4", "f8") and h.result_type("f4", "i8") == "f8"
    assert h.einsum("ij,j", h.ones((2, 3)), h.ones(3)).tolist() == [3, 3]
    assert h.tensordot(h.ones((2, 3)), h.ones((3, 2)), 1).tolist() == [[3, 3], [3, 3]]
assert h._functions._known_cast.cache_info().hits == 1
assert h.random.Generator(h.random.PCG64(7)).random() != h.random.Generator(h.random.PCG64(8)).random()
""")


def test_arithmetic_loads_neither_numpy_nor_blas():
    python("""
import sys, heddle as h
x = h.arange(10.0) * 2 + 1
assert float(x.sum()) == 100 and x.tolist()[1] == 3 and x.shape == (10,)
x[2:5] += 1
m = h.ones((3, 3))
assert float((m @ m[0]).sum()) == 9
assert "numpy" not in sys.modules, "numpy"
assert "openblas" not in open("/proc/self/maps").read()
""")


def test_linear_algebra_loads_no_numpy():
    python("""
import sys, heddle as h
x = h.eye(3) * 2
assert abs(float(h.linalg.det(x)) - 8) < 1e-9 and h.linalg.inv(x).tolist()[0][0] == 0.5
h.linalg.solve(x, h.ones(3)), h.linalg.qr(x), h.linalg.svd(x), h.linalg.eigh(x), h.linalg.cholesky(x)
assert "numpy" not in sys.modules, "numpy"
from heddle.linalg import LinAlgError
import numpy
assert LinAlgError is numpy.linalg.LinAlgError is h.linalg.LinAlgError
""")


def test_codes_of_dtypes_need_no_numpy():
    python("""
import itertools, sys, heddle as h
codes = "f4 <f8 =i2 ? b1 i1 u1 c8 c16 b h i l q B H I L Q e f d F D f2 u8 float32 int64".split()
made = [h.ones(1, dtype=c) for c in codes]
assert "numpy" not in sys.modules, "numpy"
import numpy as np
assert all(x.dtype == np.dtype(c) for x, c in zip(made, codes))

def dtype_of(make, code):
    try:
        return make(code)
    except Exception:
        return None

# whatever else may stand there means what it means to NumPy, or nothing
for n in 1, 2, 3:
    for code in map("".join, itertools.product("?bhilpBHLefdFDcuSOM01248<>=", repeat=n)):
        ours, theirs = (
            dtype_of(lambda c: m.ones(0, dtype=c).dtype, code) for m in (h, np))
        assert ours is None or ours == theirs, code
""")


def test_blas_comes_with_the_first_large_product():
    python("""
import heddle as h
m = h.ones((200, 200), device="cpu")
assert float((m @ m)[0, 0]) == 200
assert "openblas" in open("/proc/self/maps").read()
""")


def test_numpy_comes_with_the_first_dtype():
    python("""
import sys, heddle as h
x = h.ones(3)
x.dtype
import numpy
assert h.float64 is numpy.float64
""")


def test_import_starts_no_threads_and_writes_nothing():
    python("""
import os, heddle
assert len(os.listdir("/proc/self/task")) == 1
""")
    result = python("import heddle")
    assert result.stdout == "" and result.stderr == ""


def test_info():
    result = subprocess.run(
        [sys.executable, "-m", "heddle", "info"],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env=dict(os.environ, HEDDLE_DEVICE="cpu"),
    )
    assert result.returncode == 0, result.stderr
    assert (
        xp.__version__ in result.stdout
        and re.search(r"(?i)threads", result.stdout)
        and re.search(r"(?i)cpu", result.stdout)
    )
    bad = subprocess.run(
        [sys.executable, "-m", "heddle", "nothing"],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert bad.returncode != 0


def test_show_config(capsys):
    xp.show_config()
    assert xp.__version__ in capsys.readouterr().out


def test_names_are_complete():
    for name in dir(xp):
        getattr(xp, name)
    with pytest.raises(AttributeError):
        xp.nothing


@needs_heddle
def test_names__loaded_by_dir_are_in_vars():
    python("import heddle; assert set(dir(heddle)) <= set(vars(heddle)); import heddle.cupy; assert heddle.cupy is vars(heddle)['cupy']")


def test_settings():
    assert (xp.config.transfer_guard, xp.config.matmul_precision, xp.config.deterministic) == ("allow", "ieee", False)
    try:
        xp.config.deterministic, xp.config.matmul_precision = True, "tf32"
        assert (xp.config.matmul_precision, xp.config.deterministic) == ("tf32", True)
    finally:
        xp.config.deterministic, xp.config.matmul_precision = False, "ieee"
    with pytest.raises(ValueError, match="bf16"):
        xp.config.matmul_precision = "bf16"
