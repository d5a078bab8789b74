# SPDX-License-Identifier: BSD-3-Clause
"""What the tests share: the module under test, its dtypes, awkward values and layouts, and comparison with NumPy.

HEDDLE_TEST_MODULE=numpy runs the tests with NumPy in Heddle's place, to test the tests.
"""

import ctypes
import importlib
import itertools
import os
import re
import subprocess
import sys

import numpy as np
import pytest

NAME = os.environ.get("HEDDLE_TEST_MODULE", "heddle")
xp = importlib.import_module(NAME)
IS_NUMPY = xp is np
needs_heddle = pytest.mark.skipif(IS_NUMPY, reason="about Heddle itself")
# Is what nobody places in memory that NumPy can have a view of? (HEDDLE_DEVICE=cuda: no)
ON_HOST = IS_NUMPY or not str(xp.empty(0).device).startswith("cuda")
shares_memory = pytest.mark.skipif(not ON_HOST, reason="NumPy has no views of a GPU's memory")
needs_fork = pytest.mark.skipif(not ON_HOST, reason="CUDA does not survive fork()")
NUMPY = np.lib.NumpyVersion(np.__version__)
# since NumPy 2.5 all vectors have three components; ours may have two as in NumPy 2.4
needs_plane_cross = pytest.mark.skipif(NUMPY >= "2.5.0.dev0", reason="this NumPy has no cross() of two components")
# nextafter(0.0, -0.0) of float16 is -0.0 since NumPy 2.5, as of wider floats; ours is 0.0 as in NumPy 2.4
NEXT_HALF_IS_OTHER_ZERO = NUMPY >= "2.5.0.dev0"
# AddressSanitizer's shadow of the memory takes terabytes of addresses by itself.
needs_little_address_space = pytest.mark.skipif(
    "ASAN_OPTIONS" in os.environ, reason="AddressSanitizer cannot run under a limit on addresses")
# The child of a fork() waits for ever if another thread held a lock of its allocator (gcc 12).
needs_ready_allocator = pytest.mark.skipif(
    "ASAN_OPTIONS" in os.environ, reason="AddressSanitizer cannot fork() beside threads")

BOOL, SIGNED, UNSIGNED = ["?"], ["i1", "i2", "i4", "i8"], ["u1", "u2", "u4", "u8"]
FLOATS, COMPLEX = ["f2", "f4", "f8"], ["c8", "c16"]
INTEGERS = SIGNED + UNSIGNED
DTYPES = BOOL + INTEGERS + FLOATS + COMPLEX


def as_it_lies(x):
    """x's elements with x's strides: over its own memory, or over a copy of it where NumPy's cannot be shared."""
    if ON_HOST or x.size == 0:
        return xp.asarray(x, copy=False if ON_HOST else None)
    low, high = np.lib.array_utils.byte_bounds(x)
    first = x.__array_interface__["data"][0] - low
    memory = xp.asarray(np.frombuffer(ctypes.string_at(low, high - low), "u1"))
    return xp.lib.stride_tricks.as_strided(memory[first:first + x.itemsize].view(x.dtype), x.shape, x.strides)


def bits(x):
    """The bytes of x with one nan for all: sign and payload of a nan are the processor's (docs/differences.md)."""
    x = np.ascontiguousarray(x)
    if x.dtype.kind in "fc":
        reals = x.view(x.real.dtype)
        x = np.where(np.isnan(reals), reals.dtype.type(np.nan), reals)
    return x.tobytes()


def marked(texts, pattern, mark):
    """Parameters of a test: those that match the pattern have the mark."""
    return [pytest.param(t, marks=mark) if re.search(pattern, t) else t for t in texts]


def specials(dtype):
    """Values of a dtype at which implementations differ: extremes, zeros, not-a-numbers, subnormals, halves."""
    dtype = np.dtype(dtype)
    if dtype.kind == "b":
        return np.array([False, True])
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        small = [0, 1, 2, 3, 5, 7, 31, 63, 64, 100, info.max, info.max - 1, info.max // 2 + 1]
        if dtype.kind == "i":
            small += [-1, -2, -3, -7, -64, info.min, info.min + 1]
        return np.array(small, dtype)
    if dtype.kind == "f":
        info = np.finfo(dtype)
        some = [
            0.0,
            1.0,
            0.5,
            1.5,
            2.5,
            2.0,
            3.0,
            1e-3,
            0.1,
            7.25,
            1e5,
            123456.789,
            info.max,
            info.tiny,
            info.smallest_subnormal,
            info.tiny / 3,
            info.eps,
            1 + info.eps,
            2.0**31,
            2.0**53,
        ]
        with np.errstate(over="ignore"):   # some are infinite as float16
            return np.array(some + [-x for x in some] + [np.inf, -np.inf, np.nan], dtype)
    parts = [0.0, 1.0, -1.0, 0.5, -2.25, 3.0, 1e-3, 40.0]
    return np.array([complex(a, b) for a in parts for b in parts], dtype)


def moderate(dtype, n=60, seed=0):
    """n ordinary values: nothing overflows, integers of both signs where there are some."""
    rng = np.random.default_rng(seed)
    dtype = np.dtype(dtype)
    if dtype.kind == "b":
        return rng.random(n) < 0.5
    if dtype.kind == "u":
        return rng.integers(0, 12, n).astype(dtype)
    if dtype.kind == "i":
        return rng.integers(-6, 7, n).astype(dtype)
    if dtype.kind == "f":
        return (rng.standard_normal(n) * 3).astype(dtype)
    return (rng.standard_normal(n) + 1j * rng.standard_normal(n)).astype(dtype)


def give(x):
    """A NumPy array as one of the module under test, with the same strides (views included) and values."""
    if IS_NUMPY:
        return x
    base = x
    while isinstance(base.base, np.ndarray):
        base = base.base
    if base is x or not (base.flags.c_contiguous or base.flags.f_contiguous):
        return xp.array(x)
    offset = x.__array_interface__["data"][0] - base.__array_interface__["data"][0]
    placed = xp.array(base)
    return (
        xp.lib.stride_tricks.as_strided(
            placed.reshape(-1, order="A")[offset // base.itemsize :], x.shape, x.strides
        )
        if x.size
        else xp.array(x)
    )


def layouts(shape=(4, 6), dtype="f8", seed=1):
    """(name, array) for arrays of one shape over many kinds of memory layout."""
    n = int(np.prod(shape))
    flat = moderate(dtype, n, seed)
    wide = np.zeros(tuple(2 * k for k in shape), dtype)
    wide[tuple(slice(None, None, 2) for _ in shape)] = flat.reshape(shape)
    yield "c", flat.reshape(shape)
    yield "fortran", np.asfortranarray(flat.reshape(shape))
    yield "every second", wide[tuple(slice(None, None, 2) for _ in shape)]
    yield "reversed", flat.reshape(shape)[tuple(slice(None, None, -1) for _ in shape)]
    yield "last axis reversed", flat.reshape(shape)[..., ::-1]
    yield "transposed", flat.reshape(shape[::-1]).T
    yield "row repeated", np.broadcast_to(flat[: shape[-1]], shape)
    yield (
        "column repeated",
        np.broadcast_to(flat[: shape[0]].reshape(shape[:1] + (1,) * (len(shape) - 1)), shape),
    )
    yield "one element", np.broadcast_to(flat[:1].reshape((1,) * len(shape)), shape)


def ulps(a, b):
    """Distance of two real arrays in units in the last place; 0 between NaNs and between zeros of either sign."""
    a, b = np.asarray(a), np.asarray(b)
    kind = {"f2": "i2", "f4": "i4", "f8": "i8"}[a.dtype.str[1:]]
    ordered = []
    for x in (a, b):
        bits = np.ascontiguousarray(x).view(kind).astype(np.int64)
        least = np.iinfo(kind).min
        ordered.append(np.where(bits < 0, least - bits, bits))
    both_nan = np.isnan(a) & np.isnan(b)
    distance = (
        np.abs(ordered[0].astype(object) - ordered[1].astype(object))
        if a.size
        else np.zeros(a.shape, object)
    )
    return np.where(both_nan, 0, distance)


def check_values(got, want, ulp=0, zero_signs=True, where=""):
    """Equal bits (any NaN is as good as another), or within so many ULP (a number, or one for each element)."""
    want = np.asarray(want)
    got = np.array(got)
    if want.dtype.kind in "biu":
        bad = got != want
    elif want.dtype.kind == "f":
        if np.all(ulp == 0):
            bad = ~((got == want) | (np.isnan(got) & np.isnan(want)))
            if zero_signs:
                bad |= (got == 0) & (want == 0) & (np.signbit(got) != np.signbit(want))
        else:
            bad = ulps(got, want) > ulp
    else:
        eps = np.finfo(want.dtype).eps
        if np.all(ulp == 0):
            bad = ~((got == want) | (np.isnan(got) & np.isnan(want)))
        else:
            bad = ~(np.abs(got - want) <= 1.5 * ulp * eps * np.abs(want)) & np.isfinite(want)
    if np.any(bad):
        at = tuple(int(k[0]) for k in np.nonzero(np.atleast_1d(bad)))
        raise AssertionError(
            f"{where} at {at}: got {np.atleast_1d(got)[at]!r}, NumPy has {np.atleast_1d(want)[at]!r}; "
            f"{int(np.sum(bad))} of {want.size} differ"
        )


def same(got, want, ulp=0, strides=True, zero_signs=True, where=""):
    """got is what NumPy gives: kind of thing, dtype, shape, strides and values."""
    if not isinstance(want, (np.ndarray, np.generic)):
        assert type(got) is type(want) and got == want, f"{where}: {got!r} is not {want!r}"
        return
    assert got.dtype == want.dtype, f"{where}: dtype {got.dtype}, NumPy has {want.dtype}"
    assert got.shape == want.shape, f"{where}: shape {got.shape}, NumPy has {want.shape}"
    if isinstance(want, np.generic) and not IS_NUMPY:
        assert got.ndim == 0 and not got.flags.writeable, f"{where}: not a scalar"
    elif strides and want.size:
        sides = [[s for n, s in zip(x.shape, x.strides) if n > 1] for x in (got, want)]
        assert sides[0] == sides[1], f"{where}: strides {got.strides}, NumPy has {want.strides}"
    check_values(got, want, ulp, zero_signs, where)


def outcome(f, *args, **kwargs):
    """('value', result) or ('error', class)."""
    try:
        return "value", f(*args, **kwargs)
    except Exception as error:
        return "error", error


def same_outcome(ours, numpys, where="", **options):
    """Both give the same value, or both raise the same kind of exception. Arguments: what outcome() returned."""
    (kind, got), (wanted_kind, want) = ours, numpys
    if wanted_kind == "error":
        assert kind == "error", f"{where}: NumPy raises {want!r}, we gave {got!r}"
        wanted = type(want)
        if wanted.__module__.startswith(
            "numpy._core"
        ):  # private refinements of built-in exceptions
            wanted = next(c for c in wanted.__mro__ if c.__module__ == "builtins")
        assert isinstance(got, wanted), f"{where}: NumPy raises {want!r}, we raised {got!r}"
        return
    assert kind == "value", f"{where}: NumPy gives {want!r}, we raised {got!r}"
    same(got, want, where=where, **options)


def pairs(dtypes):
    return list(itertools.product(dtypes, dtypes))


def python(code, timeout=60, check=True, **environment):
    """Runs Python code in a process of its own; returns the completed process."""
    result = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        timeout=timeout,
        env=dict(os.environ, **environment),
        check=False,
    )
    if check:
        assert result.returncode == 0, (
            f"status {result.returncode}\n{result.stdout}\n{result.stderr}"
        )
    return result
