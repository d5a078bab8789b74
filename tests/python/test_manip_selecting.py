# SPDX-License-Identifier: BSD-3-Clause
"""Choosing by conditions and positions, and Python functions applied to lines and elements, against NumPy."""

import numpy as np
import pytest

from common import DTYPES, layouts
from manip_common import SHAPES, cases, check, check_text, ordinary

X = np.arange(12.0).reshape(3, 4)

CHOICES = cases("""
    m.select([x < 3, x > 7], [x, x**2])
    m.select([x < 3, x > 7], [x, x**2], 42)
    m.select([x < 3], [x.astype('i2')], 2)
    m.select([], [])
    m.select([x < 3], [])
    m.select([x], [x])
    m.select([x[0] < 2], [x])
    m.select([x < 3, m.array(True)], [1, 2.5])
    m.select([True], [3])
    m.select([m.array([True, False])], [1], 2j)
    m.select([x.astype('f4') < 4], [x.astype('f4')], 1e300)
    m.select([x < 3], [m.ones(3)])
    m.choose(m.array([0, 1, 2, 0]), [m.arange(4), m.arange(4) * 10, m.arange(4) * 100])
    m.choose([2, 3, 1, 0], [[0, 1, 2, 3], [10, 11, 12, 13], [20, 21, 22, 23], [30, 31, 32, 33]])
    m.choose(m.array([[0, 1], [1, 0]]), (-10, 10))
    m.choose([0, 3], [1, 2], mode='clip')
    m.choose([0, -1, 5], [1, 2, 3], mode='wrap')
    m.choose([0, 3], [1, 2])
    m.choose([-1, 0], [1, 2], mode='clip')
    m.choose([0, 1], [1, 2.5])
    m.choose(m.array(1), [x, x * 2])
    m.choose(1, [5, 6])
    m.choose([0.5], [1, 2])
    m.choose([0, 1], [1, 2], mode='q')
    m.choose([True, False], [[1, 2], [3, 4]])
    m.choose(m.array([0, 1]), m.array([[1, 2], [3, 4]]), out=m.zeros(2, 'i8'))
    m.choose([[0, 1]], [[1], [2]])
    m.choose([0, 0], [x])
    m.choose([0, 0, 0, 0], [x])
    m.choose(m.array([], 'i4'), [1, 2])
    m.compress([0, 1], x, axis=0)
    m.compress([False, True, True], x, axis=0)
    m.compress([0, 1, 0, 1, 1], x)
    m.compress([0, 1, 0, 0, 1], x, axis=1)
    m.compress([True], x, axis=1)
    m.compress([[True]], x)
    m.compress([], x)
    m.compress([True, True], x, 0, m.zeros((2, 4)))
    m.compress([1], x, 5)
    m.extract(x % 3 == 0, x)
    m.extract([], x)
    m.extract([1, 0, 1], x)
    m.extract(m.ones(13), x)
    m.argwhere(x > 5)
    m.argwhere(m.array(3))
    m.argwhere(m.array(0))
    m.argwhere(m.zeros((2, 0)))
    m.argwhere([0, 1, 2])
    (m.place(x, x > 5, [1, 2]), x)[1]
    (m.place(x, x > 5, 1), x)[1]
    (m.place(x, x > 5, []), x)[1]
    (m.place(x, x > 50, []), x)[1]
    (m.place(x, [True], [1]), x)[1]
    (m.place(x.T, x.T > 5, m.arange(40.)), x)[1]
    m.place([1], [True], [2])
    (m.place(x, (x > 5).ravel(), [7, 8, 9]), x)[1]
    (m.place(x, m.ones((4, 3)), [7, 8, 9]), x)[1]
    (m.putmask(x, x > 5, x * 10), x)[1]
    (m.putmask(x, x > 5, [-33, -44]), x)[1]
    (m.putmask(x, x > 5, 5), x)[1]
    (m.putmask(x, x > 5, []), x)[1]
    (m.putmask(x, [True], [1]), x)[1]
    (m.putmask(x.T, x.T > 5, m.arange(5.)), x)[1]
    m.putmask([1], [True], [2])
    (m.putmask(x, x > 5, [1j]), x)[1]
    (m.putmask(n, n > 2, 1.5), n)[1]
    (m.putmask(n, n > 2, m.array([1.5])), n)[1]
    (m.putmask(n, n > 2, m.arange(3)), n)[1]
    (m.putmask(n, n, m.arange(9)), n)[1]
    (m.putmask(x, m.ones((4, 3)), m.arange(4)), x)[1]
    (m.putmask(n, n > 2, [1.5, 2.5]), n)[1]
    m.piecewise(x, [x < 3, x >= 3], [-1, 1])
    m.piecewise(x, [x < 3, x > 7], [lambda v: -v, lambda v: v * 2])
    m.piecewise(x, [x < 3], [lambda v: -v, 7])
    m.piecewise(x, x < 3, [1])
    m.piecewise(n, n > 2, [lambda v: v / 2, 9.7])
    m.piecewise(x, [x < 3], [1, 2, 3])
    m.piecewise(3, [True], [7])
    m.piecewise(3.5, [3 > 2, 1 > 2], [lambda v: v + 1, 2])
    m.piecewise(x, [x < 3, x > 1], [5, lambda v, k: v + k], 100)
    m.piecewise(m.array(2), True, [3])
    m.piecewise([1., 2], [True, False], [5, 6])
    m.piecewise(m.array([]), [m.array([], bool)], [1])
""")


@pytest.mark.parametrize("text", CHOICES)
def test_choices__cases(text):
    check_text(text, strides="argwhere" not in text, x=X.copy(), n=np.arange(6))


@pytest.mark.parametrize("dtype", DTYPES)
def test_choices__dtypes(dtype):
    for _, x in layouts((3, 4), dtype):
        mask = np.arange(12).reshape(3, 4) % 3 == 1
        check("select", [mask, ~mask], [x, x[::-1]])
        check("choose", mask.astype("i1"), [x, x * 2])
        check("compress", mask[0], x, 1)
        check("extract", mask, x)
        check("argwhere", x, strides=False)
        check_text("(m.place(y, k, v), y)[1]", y=x.copy(), k=mask, v=x[0])
        check_text("(m.putmask(y, k, v), y)[1]", y=x.copy(), k=mask, v=x[0])
        check("piecewise", x, [mask], [lambda v: v[::-1], 1])


@pytest.mark.parametrize("shape", SHAPES)
def test_choices__shapes(shape):
    x = ordinary(shape)
    check("select", [x > 0], [x])
    check("choose", (x > 0).astype(int), [x, -x])
    check("extract", x > 0, x)
    check("argwhere", x > 0, strides=False)
    check("piecewise", x, [x > 0, x < -1], [lambda v: v * 2, -1.0, 0.5])
    for axis in range(-1, x.ndim + 1):
        check("apply_along_axis", lambda v: v.sum(), axis, x, near=True)
        check("apply_along_axis", lambda v: v[::-1], axis, x, strides=False)
        check("apply_along_axis", lambda v: v[:, None] * v[None, :2], axis, x, strides=False)


APPLICATIONS = cases("""
    m.apply_along_axis(lambda v, k, w=1: v[0] * k + w, 0, x, 2, w=5)
    m.apply_along_axis(lambda v: 3, 1, x)
    m.apply_along_axis(lambda v: v, 0, m.ones((0, 3)))
    m.apply_along_axis(lambda v: v, 0, m.ones((3, 0)))
    m.apply_along_axis(lambda v: v, 5, x)
    m.apply_along_axis(m.diag, 1, x)
    m.apply_along_axis(len, 0, [1, 2, 3])
    m.apply_over_axes(m.sum, x, [0, 1])
    m.apply_over_axes(m.sum, x, -1)
    m.apply_over_axes(m.cumsum, x, (0, 1))
    m.apply_over_axes(lambda v, k: v.sum(), x, 0)
    m.vectorize(lambda a, b: a + b if a > b else a - b)([1, 2, 3, 4], 2)
    m.vectorize(lambda a: a * 2.5)([1, 2])
    m.vectorize(lambda a: (a, -a))([1, 2])
    m.vectorize(lambda a: a, otypes='f')([1, 2])
    m.vectorize(lambda a: (a, a + .5), otypes=['f8', 'i4'])([1, 2])
    m.vectorize(lambda a: a)([])
    m.vectorize(lambda a: a, otypes='d')([])
    m.vectorize(lambda a, k: a + k[0], excluded=['k'])([1, 2], k=[5])
    m.vectorize(lambda a, k: a + k[0], excluded={1})([1, 2], [5])
    m.vectorize(lambda a, b=1: a * b)(x, b=3)
    m.vectorize(lambda: 3)()
    m.vectorize(lambda a: a)(5)
    m.vectorize(lambda a: a > 2)(x)
    m.vectorize(3)
    m.vectorize(lambda a: a, otypes=3)
    m.vectorize(lambda a: a, otypes='%')
    m.vectorize(lambda a, b: a)(x, [1, 2])
    m.vectorize(lambda a, b: (a * b).sum(), signature='(n),(n)->()')(x, x[0])
    m.vectorize(lambda a: a[:, None] * a, signature='(n)->(n,n)')(x)
    m.vectorize(lambda a: a, signature='(n)->(k')(x)
    m.vectorize(lambda a, b: a, signature='(n),(n)->(n)')(x, x.T)
    m.vectorize(lambda a: a, signature='(n)->(n)')(3)
    m.vectorize(lambda a: (a.sum(), a), signature='(n)->(),(n)')(x)
    m.vectorize(lambda a: a, signature='(n)->(n)')(m.ones((0, 3)))
    m.vectorize(lambda a: a, signature='(n)->(n)', otypes='f')(m.ones((0, 3)))
    m.vectorize(lambda a, b: a, signature='(n),()->(n)')(x)
    m.vectorize(lambda a: a, signature='()->()')(x)
    m.vectorize(otypes='f')(lambda a: a)([1])
    m.vectorize(lambda a: a, cache=True)([1, 2])
    m.vectorize(lambda a: a, otypes='i')([1.7, -1.7])
    m.vectorize(abs)(m.array([1 + 1j, 2]))
""")


@pytest.mark.parametrize("text", APPLICATIONS)
def test_applications__cases(text):
    check_text(text, x=X, strides="along" not in text)
