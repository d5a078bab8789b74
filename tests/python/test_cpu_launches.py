# SPDX-License-Identifier: BSD-3-Clause
"""How the CPU runs launches: scratch memory across the sizes of its chunks, tasks of dear programs.
Programs of ordinary length over arrays of ordinary size, in the forms that people write."""
import numpy as N
import pytest

import heddle as np


def test_rows_of_one_array__updated_one_by_one():
    y = np.zeros((64, 1000))
    for j in range(64):
        y[j] += 1.0
    assert float(y.sum()) == 64000


@pytest.mark.parametrize("n", [100, 10000, 100000])
def test_list_of_arrays__mapped(n):
    xs = [np.full(n, float(i)) for i in range(300)]
    for _ in range(3):
        s = [x * 2 for x in xs]
    assert [float(v.sum()) for v in s] == [2.0 * i * n for i in range(300)]


def test_list_of_weights__updated():
    W = [np.ones((50, 50)) for _ in range(100)]
    for _ in range(20):
        W = [w * 0.9 + 1 for w in W]
    assert abs(float(W[5][0, 0]) - (10 - 9 * 0.9**20)) < 1e-9


def test_elements_of_many_arrays__kept():
    kept = []
    for i in range(100):
        b = np.ones(10**5) * i
        kept.append((b[5], b[:10], b[:10].copy()))
    assert sum(float(v[0]) for v in kept) == 4950
    assert sum(float(v[1].sum()) + float(v[2].sum()) for v in kept) == 2 * 49500


@pytest.mark.parametrize("terms", [3, 40, 200])
def test_many_operands_in_one_statement(terms):
    """Programs with more registers than the first chunk of scratch has room for."""
    parts = [np.full(3000, float(i)) for i in range(terms)]
    total = parts[0]
    for p in parts[1:]:
        total = np.sqrt(total * total) + p
    assert float(total[7]) == sum(range(terms))
    rows = [p.reshape(60, 50) * 1.5 + p.reshape(50, 60).T.reshape(60, 50) for p in parts]
    assert sum(float(r.sum(axis=0)[3]) for r in rows) == 2.5 * 60 * sum(range(terms))


@pytest.mark.parametrize("n", [64, 400, 700])
def test_tiles_of_a_dear_program(n):
    x = N.linspace(0.1, 1, n * n).reshape(n, n)
    want = N.sin(x * x.T) + N.exp(-x)
    want = N.sin(want * x.T) + N.exp(-want)
    h = np.asarray(x)
    np.synchronize()
    y = np.sin(h * h.T) + np.exp(-h)
    y = np.sin(y * h.T) + np.exp(-y)
    N.testing.assert_allclose(N.asarray(y), want, rtol=1e-14)


@pytest.mark.parametrize("n", [64, 300])
def test_tiles_of_powers(n):
    a = N.linspace(0.5, 1.5, n * n).reshape(n, n)
    h = np.asarray(a)
    np.synchronize()
    N.testing.assert_allclose(N.asarray(h**h.T**h**h.T), a**a.T**a**a.T, rtol=1e-13)


@pytest.mark.parametrize("dtype", ["f4", "f8", "c8", "c16"])
def test_tiles_of_every_dear_function(dtype):
    a = (N.linspace(0.1, 0.9, 200 * 200).reshape(200, 200) + (0.3j if dtype[0] == "c" else 0))
    a = a.astype(dtype)
    h = np.asarray(a)
    np.synchronize()
    f = lambda m, v, t: m.exp(m.arctan(v * t) + m.arcsinh(v)) * m.log(v) + m.tanh(t) ** v
    N.testing.assert_allclose(N.asarray(f(np, h, h.T)), f(N, a, a.T),
                              **({"rtol": 1e-4, "atol": 1e-5} if dtype in ("f4", "c8") else
                                 {"rtol": 1e-12, "atol": 1e-13}))


@pytest.mark.parametrize("rows", [3, 40])
def test_scratch_larger_than_what_a_thread_keeps(rows):
    """Sorts and products of a batch whose tasks need more than 8 MB each."""
    x = N.random.default_rng(1).random((rows, 300000))
    N.testing.assert_array_equal(N.asarray(np.sort(np.asarray(x)[:, ::-1], axis=1)), N.sort(x, axis=1))
    N.testing.assert_array_equal(N.asarray(np.argsort(np.asarray(x), axis=1)), N.argsort(x, axis=1))
    c = x[:, :20000] + 1j
    N.testing.assert_array_equal(N.asarray(np.sort(np.asarray(c), axis=1)), N.sort(c, axis=1))
