# SPDX-License-Identifier: BSD-3-Clause
"""Elements of arrays (0-d arrays with us) as arguments: extents, axes, places, counts, limits."""
import math

import heddle
import numpy
import pytest

from common import same

EXPRESSIONS = """
np.roll(m, (i1, i2), axis=(i0, i1))
np.roll(m, [i1, i2], axis=[i0, i1])
np.roll(m, i1)
np.roll(m, k[1:3], axis=(0, 1))
np.roll(m, i2, axis=i1)
np.zeros((i2, i3))
np.zeros(i3)
np.zeros([i2, i3])
np.zeros(k[2:4])
np.ones((i2, 3))
np.full((i2, i2), f[0])
np.full(i3, k[2])
np.empty((i1, i1)) * 0
np.eye(i3, k=i1)
np.eye(i3, i2)
np.identity(i3)
np.arange(i3)
np.arange(i1, i3, f[0])
np.arange(f[0], f[2], f[1])
np.linspace(f[0], f[2], i3)
np.linspace(f[0], f[2], num=k[4], endpoint=b[1])
np.logspace(f[0], f[2], i3)
np.geomspace(f[0], f[2], i3)
a.reshape(i2, -1)
a.reshape((i2, k[3]*4))
a.reshape(k[2], k[3], k[4])
np.reshape(a, (i3, -1))
a.sum(axis=i1)
a.sum(axis=(i0, i1))
a.mean(i2)
a.std(i2, ddof=i1)
a.max(axis=i1)
a.argmax(axis=i1)
np.concatenate((m, m), axis=i1)
np.stack((m, m), axis=i1)
np.split(m, i3)
np.split(m, [i1, i2])
np.split(m, (i1, i2), axis=i1)
np.array_split(m, i2, i1)
np.hsplit(m, i2)
np.vsplit(m, [i1])
np.repeat(m, i2)
np.repeat(m, i2, axis=i1)
np.repeat(c, c)
np.tile(m, i2)
np.tile(m, (i2, i1))
np.tile(m, k[1:3])
np.pad(c, i2)
np.pad(c, (i1, i2))
np.pad(m, ((i1, i2), (i0, i1)))
np.pad(m, ((i1, i2), (i0, i1)), constant_values=f[0])
np.pad(m, k[:2], mode='edge')
np.swapaxes(a, i0, i1)
a.transpose(i1, i0, i2)
a.transpose((i1, i0, i2))
np.transpose(a, k[:3])
np.moveaxis(a, i0, i2)
np.moveaxis(a, (i0, i1), (i1, i2))
np.rollaxis(a, i2)
np.expand_dims(m, i1)
np.expand_dims(m, (i0, i1))
np.squeeze(m[None], i0)
np.flip(m, i1)
np.flip(m, (i0, i1))
np.rot90(m, i1)
np.rot90(a, i1, (i0, i2))
np.diff(m, i2)
np.diff(m, i1, axis=i0)
np.diff(c, prepend=k[0], append=k[1])
np.cumsum(m, axis=i1)
np.tri(i3, i2, i1)
np.tril(m, i1)
np.triu(m, k=i1)
np.triu_indices(i3, i1)
np.tril_indices(i3, k=i1, m=i2)
np.diag(c, i1)
np.diag(m, k=i1)
np.diagonal(m, i1)
np.trace(m, i1)
np.take(m, i1)
np.take(m, i1, axis=i1)
np.take(m, [i1, i2], axis=i0)
np.delete(c, i1)
np.delete(c, [i1, i2])
np.delete(m, i1, axis=i1)
np.insert(c, i1, i3)
np.insert(c, [i1, i2], [i3, i3])
np.append(c, i1)
np.clip(c, i1, i2)
np.clip(m, f[0], f[2])
np.histogram(m, i3)
np.histogram(m, i3, range=(k[0], k[4]))
np.histogram(m, bins=i3, range=(f[0], f[2]))
np.histogram2d(c, c, (i2, i3))
np.histogram2d(c, c, i2)
np.histogram2d(c, c, bins=[i2, i3], range=[[i0, i3], [i0, i2]])
np.bincount(c, minlength=k[4]+4)
np.searchsorted(k, i2)
np.searchsorted(k, [i2, i3])
np.interp(f[0], k, k)
np.percentile(m, k[3]*10)
np.percentile(m, [i1, i2])
np.quantile(m, f[0])
np.quantile(m, (f[0], f[1]), axis=i1)
np.partition(c, i2)
np.argpartition(c, i2)
np.partition(c, (i1, i2))
np.sort(m, i1)
np.argsort(m, axis=i0)
np.unravel_index(i3, (i2, k[4]))
np.unravel_index(i3, m.shape)
np.unravel_index([i3, i1], m.shape)
np.ravel_multi_index((i1, i2), m.shape)
np.ravel_multi_index((k[1:3], k[1:3]), (i3, k[4]))
np.indices((i2, i3))
np.fromfunction(lambda i, j: i + j, (i2, i3))
np.meshgrid(k[1], k[:3])
np.broadcast_to(f, (i2, 3))
np.broadcast_to(f[0], (i2, i3))
np.broadcast_shapes((i2, 1), (1, i3))
np.resize(c, (i2, i3))
np.resize(c, i3)
np.round(f, i1)
np.around(f * 1.234, i2)
(f * 1.234).round(i1)
np.einsum('ij,j', m, k[:4])
np.tensordot(m, m, axes=((i0, i1), (i0, i1)))
np.tensordot(m, m.T, i1)
np.tensordot(m, m.T, axes=[i1, i0])
np.linalg.matrix_power(m[:3, :3]/9, i3)
np.linalg.norm(m, i1)
np.linalg.norm(m, axis=i1)
np.linalg.norm(a, axis=(i0, i1))
np.linalg.norm(k, ord=f[2])
np.fft.fft(c, i3)
np.fft.fft(m, n=i3, axis=i0)
np.fft.fftfreq(k[4], f[0])
np.fft.rfftfreq(k[4], d=f[0])
np.fft.fftshift(m, axes=(i0,))
np.fft.fftshift(m, i1)
np.fft.ifft2(m, s=(i2, i2))
np.convolve(k, f, 'same')
np.round(np.polyfit(k, k * 2.0 + 1, i1) * f[0], 9)
np.polyval([f[0], f[1]], i3)
np.polyder(k, i1)
np.polyint(k, i1)
np.vander(f, i3)
np.cross(k[:3], c[:3])
np.outer(i1, k)
np.kron(k[:2], k[:2])
np.average(m, axis=i1, weights=[f[0], f[1], f[0], f[0]])
np.trapezoid(m, dx=f[0], axis=i0)
np.gradient(k * 1.0, f[0])
np.gradient(m, f[0], f[1])
np.gradient(m, axis=i1)
np.isclose(f[0], 0.25)
np.allclose(f[0], f[0])
np.where(b[0], i1, i2)
np.where(f > f[0], f[0], i0)
np.select([f > 1, f < 1], [f[0], k[1]], default=k[2])
np.piecewise(f, [f < 1, f >= 1], [k[1], lambda x: x * k[2]])
np.choose(k[:2], [f[0], k[1]])
np.array([i1, i2])
np.array([f[0], i1, 3])
np.array([[i1, f[0]], [2, b[0]]])
np.array((f[0], True))
np.array([k, c])
np.array([k[:2], [i1, i2]])
np.array(f[0], dtype=np.float32)
np.float64(f[0])
np.float32(f[0])
np.int32(i3)
np.int64(f[2])
np.uint8(i3)
np.bool_(i1)
np.complex128(f[0])
float(f[0]), int(i3), complex(f[0]), bool(b[0])
range(i3)[i1]
list(range(i1, k[4], i2))
[0] * i3
'x' * i3
[1, 2, 3, 4][i1]
[1, 2, 3, 4][i1:i3]
'abcd'[i2]
(1, 2, 3)[i1]
{1: 2}[i1]
{0.25: 'q'}[f[0]]
i1 in {1, 2}
i1 in [1, 2]
1 in k
f'{f[0]:.3f} {i3:d} {i3:5} {f[0]:e} {f[2]:g} {i3:x} {i3:b} {i3:,} {f[0]:>8} {f[0]!s} {f[0]:%}'
'%d %f %s %.2e %5.1f %x' % (i3, f[0], i2, f[2], f[1], i3)
'{:d} {:.2f} {:>5}'.format(i3, f[0], i1)
str(f[0]), str(i3), str(b[0]), str(f), str(m)
round(f[2], 1), round(f[0])
round(f[0] * 1.2345, 2)
round(f[0] * 1.2345, i2)
divmod(i3, i2), divmod(f[2], f[0]), divmod(7, i2)
abs(-f[0]), -i3, +i3, ~i3
i3 // i2, i3 % i2, i3 / i2, i3 ** i2, i3 << i2, i3 & i2, i3 ^ i1, i3 | i1
2 ** i3, 10 ** -f[0], 2.5 * i3, 7 // i2, 7 % i2, 1 << i3
max(k), min(f), sum(k), sorted(c)[0], max(i1, i2), min(f[0], 3), sum(f, 1.0)
max(k, key=lambda v: -v)
any(b), all(b), list(reversed(c))[0], list(enumerate(c))[1]
[v for v in zip(k, f)][1]
dict(zip(k, f))[i1]
list(__import__('itertools').islice(range(9), i2))
__import__('bisect').bisect([1, 2, 3], i2)
f[2].astype(int), f[2].dtype.name, i3.ndim, i3.shape, i3.size
f[0].real, f[0].imag, f[0].conjugate()
k.item(i2), m.item(i1, i2), m.item((i1, i2))
m[i1, i2], m[i1][i2], m[i1, :i2], m[:, i1::i2], m[(i1, i2)], m[[i1, i2], [i1, i2]]
m[i1:i3, None, ...], k[-i1], k[i3:i0:-i1]
k[f.astype(int)], k[np.array(i2)]
np.lib.stride_tricks.sliding_window_view(k, i2)
np.lib.stride_tricks.sliding_window_view(m, (i2, i2))
np.isscalar(f[0]), np.isscalar(3.0)
np.ndim(f[0]), np.size(f[0]), np.shape(i1), np.shape([i1, i2])
np.ix_([i1, i2], [i0, i3])
np.r_[i1, i2, k], np.c_[k, c]
np.r_[i1:k[4]], np.mgrid[i0:i3, i1:i3], np.ogrid[i0:i3]
np.mgrid[0:1:k[3]*1j]
np.iinfo(i3.dtype).max, np.finfo(f[0].dtype).eps
np.unique(c, return_counts=b[0])
np.apply_along_axis(lambda r: r[i1] * i2, i1, m)
np.vectorize(lambda x: x * i2)(k)
np.nan_to_num(f, nan=f[0])
np.heaviside(f - f[1], f[0])
np.digitize(f[0], k)
np.packbits(b, axis=i0)
np.unpackbits(k.astype(np.uint8), count=i3)
np.nonzero(k == i2)[0][0], np.argwhere(m > k[3])[0], np.flatnonzero(c == i1)
np.add.reduce(m, axis=i1), np.add.accumulate(m, i1), np.add.reduceat(k, [i0, i2])
np.count_nonzero(m, axis=i1)
np.array2string(f, precision=i2)
np.format_float_positional(f[0], precision=i3)
np.base_repr(i3, 2), np.binary_repr(i3, k[4])
np.block([[m, m], [m, m]])
np.cov(m, ddof=i1), np.corrcoef(m)
np.ones((2, 2), dtype=i3.dtype), np.dtype(f.dtype).itemsize
np.hanning(i3), np.kaiser(i3, f[2]), np.hamming(k[4]), np.blackman(k[3]), np.bartlett(i3)
np.random.default_rng(i1).random(i3) * 0
np.random.rand(i2, i3) * 0
np.random.randint(k[4], size=(i2, i2)) * 0
np.random.default_rng(i1).normal(f[0], f[1], (i2, i3)) * 0
np.random.default_rng(1).choice(k, size=(i2, i2)) * 0
np.transpose(m, range(2)), a.transpose(k[2::-1]), k.transpose(i0), np.transpose(k, i0)
math.sqrt(f[0]), math.floor(f[2]), math.ceil(f[0]), math.trunc(f[2]), math.hypot(f[0], f[1])
math.comb(i3, i2), math.factorial(i3), math.gcd(i3, i2), math.isnan(f[0])
np.mgrid[0:1:z[1], 0:1:k[2]], np.ogrid[0:1:z[0]], np.r_[0:1:z[1]]
np.split(m, i3), np.split(m, [i1, i2]), np.histogramdd(m, i2)
""".strip().splitlines()


def names(np):
    k = np.arange(5)
    return {"np": np, "math": math, "a": np.arange(24.0).reshape(2, 3, 4), "k": k,
            "f": np.array([0.25, 0.5, 2.0]), "b": np.array([True, False]),
            "m": np.arange(12.0).reshape(3, 4), "c": np.array([3, 1, 2, 1, 0]),
            "z": np.array([3j, 4j]), "i0": k[0], "i1": k[1], "i2": k[2], "i3": k[3]}


def assert_equal_all(x, y):
    if isinstance(x, (tuple, list)):
        assert type(x) is type(y) and len(x) == len(y)
        for p, q in zip(x, y):
            assert_equal_all(p, q)
    elif isinstance(x, (numpy.ndarray, numpy.generic)):
        same(y, x, ulp=2, strides=False, where=repr(x)[:60])
    else:
        assert x == y


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_elements_as_arguments(expression):
    assert_equal_all(eval(expression, names(numpy)), eval(expression, names(heddle)))


@pytest.mark.parametrize("expression", ["math.trunc(f)", "np.transpose(m, f[:2])",
                                        "m.transpose([0, [1]])", "np.roll(m, ([1], 2), (0, 1))"])
def test_elements_as_arguments__what_is_none(expression):
    with pytest.raises((TypeError, ValueError)):
        eval(expression, names(numpy))
    with pytest.raises((TypeError, ValueError)):
        eval(expression, names(heddle))
