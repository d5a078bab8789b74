# SPDX-License-Identifier: BSD-3-Clause
"""Subclasses of ndarray: how they are made and finalized, what becomes of them in operators,
functions and methods, and whom NumPy's protocols ask. Each as NumPy's subclass does."""
import copy
import functools
import gc
import pickle
import sys
import weakref

import numpy as np
import pytest

from common import ON_HOST, needs_heddle, shares_memory, xp


class Saved(xp.ndarray):
    """Pickles its attribute, as NumPy's users do."""

    def __new__(cls, values, info=None):
        self = xp.asarray(values).view(cls)
        self.info = info
        return self

    def __array_finalize__(self, obj):
        self.info = getattr(obj, "info", None)

    def __reduce__(self):
        make, args, state = super().__reduce__()
        return make, args, state + (self.info,)

    def __setstate__(self, state):
        self.info = state[-1]
        super().__setstate__(state[:-1])


class Bare(xp.ndarray):
    pass


@functools.cache
def classes(m):
    """The same subclasses of numpy.ndarray and of heddle.ndarray."""

    class Info(m.ndarray):
        """An array with an attribute, as in NumPy's guide."""

        def __new__(cls, values, info=None):
            self = m.asarray(values).view(cls)
            self.info = info
            return self

        def __array_finalize__(self, obj):
            self.seen = type(obj).__name__
            self.info = None if obj is None else getattr(obj, "info", None)

    class First(Info):
        __array_priority__ = 5

    class Wraps(Info):
        def __array_wrap__(self, array, context=None, return_scalar=False):
            result = super().__array_wrap__(array, context, return_scalar)
            if context is not None:
                ufunc, args, i = context
                result.info = ufunc.__name__, len(args), i, return_scalar
            return result

    class Counts(Info):
        """Has an __array_ufunc__, which calls the ufunc with plain arrays."""

        def __array_ufunc__(self, ufunc, method, *inputs, out=None, **kwargs):
            def plain(x):
                return x.view(m.ndarray) if isinstance(x, Counts) else x
            if out is not None:
                kwargs["out"] = tuple(map(plain, out))
            kwargs.update((k, plain(v)) for k, v in kwargs.items() if k == "where")
            result = getattr(ufunc, method)(*map(plain, inputs), **kwargs)
            if out is not None:
                return out[0]
            if not isinstance(result, m.ndarray) or result.ndim == 0:
                return m.float64(result)
            result = result.view(Counts)
            result.info = ufunc.__name__, method, tuple(sorted(kwargs))
            return result

    class Passes(Info):
        """Has the __array_ufunc__ of NumPy's guide."""

        def __array_ufunc__(self, ufunc, method, *inputs, out=None, **kwargs):
            def plain(x):
                return x.view(m.ndarray) if isinstance(x, Passes) else x
            outputs = (None,) * ufunc.nout
            if out:
                outputs, kwargs["out"] = out, tuple(map(plain, out))
            results = super().__array_ufunc__(ufunc, method, *map(plain, inputs), **kwargs)
            if results is NotImplemented:
                return NotImplemented
            if method == "at":
                inputs[0].info = "at"
                return None
            if ufunc.nout == 1:
                results = (results,)
            results = tuple(m.asarray(r).view(Passes) if o is None else o
                            for r, o in zip(results, outputs))
            if isinstance(results[0], Passes):
                results[0].info = ufunc.__name__, method, [isinstance(x, Passes) for x in inputs]
            return results[0] if len(results) == 1 else results

    class Asked(Info):
        def __array_function__(self, function, types, args, kwargs):
            result = super().__array_function__(function, types, args, kwargs)
            return function.__name__, sorted(t.__name__ for t in types), result

    class NoUfuncs(m.ndarray):
        __array_ufunc__ = None

        def __add__(self, other):
            return "add"

        def __radd__(self, other):
            return "radd"

    return {c.__name__: c for c in (Info, First, Wraps, Counts, Passes, Asked, NoUfuncs)}


def names(m, kind):
    """What the expressions are made of."""
    cls = classes(m)[kind]

    def make(values):
        return cls(values, "i") if kind != "NoUfuncs" else m.asarray(values).view(cls)
    return {"m": m, "np": np, "C": cls, "make": make, "copy": copy,
            "Info": classes(m)["Info"], "First": classes(m)["First"],
            "x": make([3., 1, 2]), "y": make([[1., 2, 3], [4, 5, 6]]), "z": make([1 + 2j, 3, 4j]),
            "i": make([1, 2, 0]), "b": make([True, False, True]), "s": make(5.0),
            "p": m.array([1., 2, 3]), "q": m.array([True, False, True]),
            "a": classes(m)["Info"]([7., 8, 9], "a")}


def described(m, r):
    """A result by its types, values and attributes."""
    if isinstance(r, (tuple, list)):
        return [type(r).__name__, *(described(m, item) for item in r)]
    if isinstance(r, (m.ndarray, np.ndarray, np.generic)) or hasattr(r, "dtype"):
        values = np.asarray(r)
        scalar = isinstance(r, np.generic) or type(r) is xp.ndarray and r.ndim == 0
        return ["scalar" if scalar else type(r).__name__, values.dtype, values.shape,
                repr(np.round(values, 10).tolist()), getattr(r, "info", None)]
    return [type(r).__name__, repr(r)]


def outcome(m, text, kind):
    """What an expression gives, or what statements leave in r."""
    space = names(m, kind)
    try:
        if ";" not in text:
            return described(m, eval(text, space))
        exec(text, space)
        return described(m, space["r"])
    except Exception as e:
        error = next(c for c in type(e).__mro__ if c.__module__ == "builtins")
        return ["raised", error.__name__]


def cases(text):
    return [e.strip() for line in text.strip().splitlines() for e in line.split(" | ")]


MADE = cases("""
x.view(C) | x.view(m.ndarray) | x.view("i8") | x.view("i8", First) | x.view(type=First) | p.view(C)
m.ndarray.__new__(C, (2,), buffer=m.zeros(2)) | p.view(C).seen | x.seen | x[1:].seen | x.copy().seen
(x + 1).seen | m.ndarray.__new__(C, (2,)).seen | x.view(First).seen | m.zeros_like(x).seen
m.asarray(x) | m.asanyarray(x) | m.asarray(x) is x | m.asanyarray(x) is x | m.asanyarray(p) is p
m.asanyarray(x, dtype=int) | m.asanyarray([1, 2]) | m.array(x) | m.array(x, subok=True)
m.array(x, copy=False, subok=True) | m.array(x, subok=True, ndmin=2) | m.array([x, x], subok=True)
m.copy(x) | m.copy(x, subok=True) | m.zeros_like(x) | m.ones_like(x, subok=False)
m.full_like(x, 3, dtype=int) | m.ascontiguousarray(y.T) | m.require(y, None, "F")
m.require(y, None, "E") | m.broadcast_to(x, (2, 3)) | m.broadcast_to(x, (2, 3), subok=True)
m.broadcast_arrays(x, y, subok=True) | isinstance(x, m.ndarray) | copy.copy(x) | copy.deepcopy(x)
x.__dict__.keys() | x.nosuch | x.base is None | x[1:].base is x | m.may_share_memory(x[1:], x)
p.__array_wrap__(p) is p | x.__array_wrap__(p) | x.__array_wrap__(m.array(3.)) | x.__array_wrap__(5)
p.__array_wrap__(m.array(3.), None, True) | p.__array_finalize__(None) | m.array2string(x) | str(x)
""")
TAKEN = cases("""
x[1:] | x[0] | x[[0, 1]] | x[x > 1] | y[0] | y[:, 1] | y[None] | y[...] | x[()] | s[()] | s[...]
y[0, 1] | y[[0, 1], [1, 1]] | y.T | y.mT | y.real | z.imag | y.flat[1:3] | list(y) | p[i] | p[b]
x[i] | x[b] | x[q] | [10, 20, 30][i[0]] | x[0] = x[1]; r = x | x[:] = p; r = x | p[:] = x; r = p
x[b] = p[:2]; r = x | y[0] += 1; r = y | y.T[0] = 9; r = y | x.flat = 0; r = x | y.shape = 6; r = y
x.real = 3; r = x | x.foo = 3; r = x.foo | x.sort(); r = x | x.fill(3); r = x | x.put([0], 9); r = x
""")
COMPUTED = cases("""
x + 1 | 1 + x | x + p | p + x | x + x | x + a | a + x | -x | +x | abs(x) | ~i | x < 2 | p < x
x == x | x == p | p == x | x != 1 | 2 ** x | y @ x | x @ y.T | divmod(x, 2) | divmod(2, x) | x // 2
x % 2 | i << 1 | i & 1 | 1 | i | b & b | x / 2 | x + [1, 2, 3] | [1, 2, 3] + x | x == [3, 1, 2]
x + np.array([1, 2, 3.]) | np.array([1, 2, 3.]) + x | np.float64(2) * x | x == "a" | x < None
r = x; r += 1 | r = p; r += x | r = x; r *= x | r = i; r <<= 1 | r = s; r += 1 | m.sin(x)
m.add(x, 1) | m.add(p, x) | m.add(x, p, out=m.zeros(3)) | m.add(p, p, out=x) | m.add(x, p, p)
m.modf(x) | m.divmod(x, 2) | m.add(x, 1, subok=False) | m.add(x, 1, dtype="f4")
m.add(x, 1, where=q, out=x) | m.add.reduce(y) | m.add.accumulate(y) | m.add.outer(x, x)
m.add.outer(p, x) | m.add.reduceat(x, [0, 1]) | m.add.at(x, [0], 5); r = x
m.add.reduce(y, axis=1, keepdims=True) | m.add.reduce(y, out=m.zeros(3))
m.add.reduce(y, 0, None, x) | m.matmul(y, x) | m.matmul(y, x, out=p[:2]) | m.concatenate([x, p])
m.concatenate([p, x])
m.stack([x, p]) | x.__array_function__(m.sum, (C,), (y, 0), {}) | np.exp(x) | np.add(np.ones(3), x)
np.multiply.outer(np.ones(2), x) | np.isfinite(x) | np.add.reduce(y, 0)
""")
METHODS = cases("""
y.sum(0) | y.sum(axis=1, keepdims=True) | y.prod(0) | y.min(0) | y.max(0) | y.all(0) | y.any(1)
y.cumsum(0) | y.cumsum() | y.cumprod(1) | y.argmax() | y.argmax(0) | y.argmin(1) | y.argsort()
y.diagonal() | y.ravel() | y.flatten() | y.reshape(3, 2) | y.transpose() | y.swapaxes(0, 1)
y.squeeze() | y.copy() | y.astype(int) | y.astype(float, copy=False) | y.astype(int, subok=False)
y.repeat(2) | y.take([0, 1]) | y.take([0], axis=0) | y.clip(2, 3) | y.round() | y.conj() | z.conj()
y.nonzero() | i.searchsorted(7) | x.argpartition(1) | y.compress([True, False], axis=0) | y.dot(x)
i.choose([p, p, p]) | p.dot(x) | y.sum(0, out=x) | y.sum(0, None, p) | y.mean(0, out=p) | y.tolist()
y.sum(0, where=m.array([[True], [False]])) | y.min(0, initial=2)
""")
FUNCTIONS = cases("""
m.sum(y, axis=0) | m.mean(y, axis=0) | m.std(y, 0) | m.var(y, 0) | m.prod(y, 0) | m.max(y, 0)
m.any(y, 0) | m.cumsum(y, 0) | m.argmax(y, 0) | m.argsort(y) | m.sort(y) | m.median(y, axis=0)
m.percentile(y, 50, axis=0) | m.average(y, axis=0) | m.nansum(y, axis=0) | m.nanmean(y, axis=0)
m.nanmax(y, axis=0) | m.ptp(y, axis=0) | m.diff(y) | m.gradient(x) | m.cross(x, x) | m.dot(x, x)
m.dot(y, x) | m.inner(x, x) | m.outer(x, x) | m.tensordot(y, x, 1) | m.einsum("ij,j", y, x)
m.kron(x, x) | m.vdot(x, x) | m.diagonal(y) | m.diag(x) | m.diag(y) | m.tril(y) | m.ravel(y)
m.reshape(y, (3, 2)) | m.transpose(y) | m.moveaxis(y, 0, 1) | m.rollaxis(y, 1) | m.squeeze(y)
m.swapaxes(y, 0, 1) | m.expand_dims(y, 0) | m.flip(y) | m.fliplr(y) | m.roll(x, 1) | m.rot90(y)
m.tile(x, 2) | m.repeat(x, 2) | m.take(x, [0]) | m.take_along_axis(x, m.array([0]), 0)
m.choose(i, [p, p, p]) | m.compress([1, 0], y, axis=0) | m.where(q, x, 0) | m.clip(x, 1, 2)
m.round(x) | m.nan_to_num(x) | m.real(z) | m.imag(z) | m.angle(z) | m.insert(x, 1, 5)
m.delete(x, 1) | m.pad(x, 1) | m.split(x, 3) | m.array_split(y, 2) | m.hsplit(y, 3) | m.unique(x)
m.isin(x, p) | m.bincount(i) | m.interp(x, p, p) | m.convolve(x, p) | m.fft.fft(x)
m.linalg.norm(x) | m.linalg.inv(y[:, :2]) | m.linalg.solve(y[:, :2], p[:2])
m.linalg.solve(m.eye(2), x[:2]) | abs(m.linalg.svd(y)[0]) | m.linalg.svd(y)[1]
m.linalg.eigh(y[:, :2])[0] | abs(m.linalg.qr(y)[1]) | m.linalg.pinv(y) | m.linalg.det(y[:, :2])
m.linalg.matrix_power(y[:, :2], 2) | m.apply_along_axis(lambda v: v * 2, 0, y)
m.apply_over_axes(m.sum, y, 0) | m.vectorize(lambda v: v + 1)(x) | m.piecewise(x, [x < 2], [1, 2])
m.extract(q, x) | m.place(x, q, [0]); r = x | m.putmask(x, q, 0); r = x | m.copyto(x, p); r = x
m.fill_diagonal(y, 0); r = y | m.shape(x) | m.isclose(x, x) | m.array_equal(x, x) | m.meshgrid(x, x)
m.cov(y) | m.sinc(x) | m.i0(x) | m.unwrap(x) | m.polyval(x, 2) | m.polyfit(p, x, 1) | m.vander(x)
m.digitize(x, p) | m.nonzero(x) | m.partition(x, 1) | m.ix_(i, i) | m.isreal(x) | m.iscomplex(z)
m.ediff1d(x) | m.trim_zeros(x) | m.atleast_1d(s) | m.atleast_2d(x) | m.atleast_3d(s, x)
m.median(y) | m.linalg.cholesky(m.eye(2).view(C)) | m.take(x, [0, 1, 2], out=p)
""")
# NumPy's own functions of arrays of the subclass, and such arrays as what they write to.
NUMPYS = cases("""
np.sin(x) | np.linalg.inv(y[:, :2]) | np.linalg.pinv(y) | np.apply_along_axis(np.sum, 0, y)
np.apply_along_axis(lambda v: v * 2, 0, y) | np.apply_over_axes(np.sum, y, 0) | np.median(y, 0)
np.sum(y, 0) | np.concatenate([x, x]) | np.sort(x) | np.kron(x, x) | np.sin(p)
np.piecewise(x, [x < 2], [1, 2]) | np.unwrap(x) | np.real_if_close(z) | np.tile(x, 2)
np.average(y, 0)
np.take(x, [0]) | np.diff(x)
np.place(x, q, [0]); r = x | np.putmask(x, q, 0); r = x | np.copyto(x, p); r = x
np.add.at(x, [0, 0], 5); r = x | np.dot(y, x, out=p[:2]); r = p | np.fill_diagonal(y, 0); r = y
np.put(x, [0], 9); r = x | np.put_along_axis(x, m.array([0]), 5, 0); r = x
np.nan_to_num(x, copy=False); r = x | np.add(p, p, out=x); r = x | np.sum(y, 0, out=x); r = x
np.clip(x, 1, 2, out=x); r = x | np.take(x, [0, 1, 2], out=p); r = p | np.cumsum(x, out=p); r = p
np.matmul(y, x, out=p[:2]); r = p | np.einsum("ij,j", y, x, out=p[:2]); r = p
np.random.default_rng(0).shuffle(x); r = x | np.choose(i, [p, p, p], out=x); r = x
np.place(p, q, [0]); r = p | np.putmask(p, q, 0); r = p | np.copyto(p, 5); r = p
np.add.at(p, [0, 0], 5); r = p | np.dot(y, p, out=p[:2]); r = p | np.add(p, 1, out=p); r = p
""")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", ["Info", "First", "Wraps"])
@pytest.mark.parametrize("text", MADE + TAKEN + COMPUTED + METHODS + FUNCTIONS)
def test_subclasses__are_what_numpys_are(text, kind):
    if kind == "Wraps" and text in WRAPPED_OTHERWISE:
        pytest.skip("__array_wrap__ is given no context")
    if "buffer=" in text and not ON_HOST:
        pytest.skip("a GPU's memory is no buffer")
    if text == "x[1:].base is x" and xp is not np:
        text = "x.base is None or x[1:].base is x"
    assert outcome(xp, text, kind) == outcome(np, text, kind)


# Functions that are one operation of ours and several ufuncs of NumPy's.
WRAPPED_OTHERWISE = cases("""
m.mean(y, axis=0) | m.std(y, 0) | m.var(y, 0) | m.median(y, axis=0) | m.percentile(y, 50, axis=0)
m.average(y, axis=0) | m.nanmean(y, axis=0) | m.ptp(y, axis=0) | m.diff(y) | m.kron(x, x)
m.angle(z) | m.linalg.matrix_power(y[:, :2], 2) | m.apply_along_axis(lambda v: v * 2, 0, y)
m.vectorize(lambda v: v + 1)(x) | m.i0(x) | m.iscomplex(z) | m.ediff1d(x) | m.median(y)
y.mean(0, out=p)
""")


@shares_memory
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("text", NUMPYS)
def test_numpys_functions__of_subclasses(text):
    assert outcome(xp, text, "Info") == outcome(np, text, "Info")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", ["Counts", "Passes"])
@pytest.mark.parametrize("text", COMPUTED + METHODS)
def test_array_ufunc__of_a_subclass_is_called(text, kind):
    assert outcome(xp, text, kind) == outcome(np, text, kind)


@pytest.mark.parametrize("text", cases("""
y.mean(0) | y.mean() | y.var(0) | y.std(0, ddof=1) | y.var(0, keepdims=True) | z.var() | i.mean()
y.mean(0, where=m.array([True, False, True])) | y.std(1, where=m.array([True, False, True]))
"""))
def test_array_ufunc__is_called_for_means(text):
    assert outcome(xp, text, "Counts") == outcome(np, text, "Counts")


@pytest.mark.parametrize("text", cases("""
x + 1 | 1 + x | x + p | p + x | x * 2 | 2 * x | x == x | x == p | p == x | x != 1 | -x | m.sin(x)
m.add(x, p) | m.add(p, x) | m.add(p, p, out=x) | x.sum() | y.sum(0) | p += x; r = p | x.copy()
x[1:] | y.T | m.sort(x) | x @ x | divmod(x, x) | x < 1 | x == None
"""))
def test_array_ufunc__of_none_refuses(text):
    assert outcome(xp, text, "NoUfuncs") == outcome(np, text, "NoUfuncs")


@pytest.mark.parametrize("text", cases("""
m.sum(y, axis=0) | m.concatenate([x, p]) | m.sort(x) | m.linalg.norm(x) | m.linalg.inv(y[:, :2])
m.where(q, x, 0) | m.add(x, 1) | x.sum() | m.asarray(x) | m.fft.fft(x) | m.stack([p, p])
m.reshape(y, 6) | m.cov(y) | m.copy(x) | m.dot(p, x) | m.array([x, x]) | m.shape(x)
"""))
def test_array_function__of_a_subclass_is_called(text):
    got, want = outcome(xp, text, "Asked"), outcome(np, text, "Asked")
    assert got == want


def test_array_function__may_decline_or_answer():
    class Answers(xp.ndarray):
        def __array_function__(self, function, types, args, kwargs):
            return "mine" if function is xp.sum else NotImplemented

    x = xp.ones(3).view(Answers)
    assert xp.sum(x) == "mine" and xp.sum([xp.ones(3), x]) == 6
    with pytest.raises(TypeError, match="no implementation found"):
        xp.concatenate([x, x])
    assert xp.concatenate([x, xp.ones(3)]).tolist() == [1] * 6


def test_array_ufunc__may_decline():
    class Declines(xp.ndarray):
        def __array_ufunc__(self, *args, **kwargs):
            return NotImplemented

    x = xp.ones(3).view(Declines)
    for call in (lambda: x + 1, lambda: xp.add.reduce(x), lambda: xp.sin(x), lambda: xp.ones(3) + x,
                 lambda: xp.add.outer(x, x), lambda: xp.add(1, 1, out=x)):
        with pytest.raises(TypeError, match="returned NotImplemented"):
            call()


def test_subclasses_of_subclasses__are_asked_first():
    class Base(xp.ndarray):
        def __array_ufunc__(self, *args, **kwargs):
            return "base"

    class Derived(Base):
        def __array_ufunc__(self, *args, **kwargs):
            return "derived"

    x, y = xp.ones(3).view(Base), xp.ones(3).view(Derived)
    assert xp.add(x, y) == xp.add(y, x) == x + y == y + x == "derived" and x + 1 == "base"


@shares_memory
def test_new__of_ndarray_takes_all_arguments():
    class Shaped(xp.ndarray):
        def __new__(cls, shape, dtype=float, buffer=None, offset=0, strides=None, order=None,
                    info=None):
            self = super().__new__(cls, shape, dtype, buffer, offset, strides, order)
            self.info = info
            return self

        def __array_finalize__(self, obj):
            if obj is not None:
                self.info = getattr(obj, "info", None)

    x = Shaped((2, 2), "i4", np.arange(6, dtype="i4"), 4, (4, 8), info="i")
    assert x.tolist() == [[1, 3], [2, 4]] and x.info == x[1:].info == "i"
    assert Shaped(3).info is None and Shaped((2, 3), order="F").flags.f_contiguous


def test_finalize__raises_through():
    class Fails(xp.ndarray):
        def __array_finalize__(self, obj):
            raise KeyError("no")

    for make in (lambda: xp.ones(3).view(Fails), lambda: Fails((3,))):
        with pytest.raises(KeyError):
            make()


def test_wrap__for_older_versions_of_numpy():
    class Old(xp.ndarray):
        def __array_wrap__(self, array, context=None):
            return "old"

    with pytest.warns(DeprecationWarning, match="return_scalar"):
        assert xp.sin(xp.ones(3).view(Old)) == "old"


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_pickle(protocol):
    for values in ([1., 2, 3], 5, [[1, 2], [3, 4]], [True, False]):
        x = Saved(values, {"unit": "m"})
        y = pickle.loads(pickle.dumps(x, protocol))
        assert type(y) is Saved and y.info == {"unit": "m"}
        assert y.dtype == x.dtype and y.tolist() == x.tolist()
    x = Bare((2, 3), int, order="F")
    x[...] = 5
    y = pickle.loads(pickle.dumps(x, protocol))
    assert type(y) is Bare and y.flags.f_contiguous and (y == 5).all()


@needs_heddle
def test_pickle__of_numpys_state():
    """The parts are those of NumPy's: what overrides them may look at them."""
    x, n = Bare((2, 3)), np.ndarray((2, 3))
    x[...] = n[...] = 7
    assert x.__reduce__()[1][1:] == n.__reduce__()[1][1:]
    ours, theirs = x.__reduce__()[2], n.__reduce__()[2]
    assert len(ours) == len(theirs) and ours[1] == theirs[1] and ours[3:] == theirs[3:]


def test_instances__are_freed():
    x = Saved([1., 2, 3])
    x.itself = x
    gone, before = weakref.ref(x), sys.getrefcount(Bare)
    del x
    gc.collect()
    assert gone() is None
    for _ in range(1000):
        xp.ones(3).view(Bare)[1:] + 1
    gc.collect()
    assert sys.getrefcount(Bare) - before < 10


def test_slots_and_methods_of_its_own():
    class Slotted(xp.ndarray):
        __slots__ = ("q",)

        def double(self):
            return self * 2

        def sum(self, *args, **kwargs):
            return super().sum(*args, **kwargs) + 1000

    x = xp.ones(3).view(Slotted)
    x.q = 5
    assert x.q == 5 and type(x.double()) is Slotted and x.double().tolist() == [2, 2, 2]
    assert not hasattr(x, "__dict__") and xp.sum(x) == 1003 and x.sum() == 1003


@needs_heddle
def test_plain_arrays__are_not_asked_for():
    """Arrays of ndarray itself stay what they are once there are subclasses."""
    Bare((3,))
    x = xp.ones(3)
    for r in (x + 1, x[1:], xp.sort(x), x.copy(), xp.stack([x, x]), xp.sin(x), x.reshape(3, 1)):
        assert type(r) is xp.ndarray
    assert xp.asarray(x) is x and xp.asanyarray(x) is x


@needs_heddle
@shares_memory
def test_outputs_of_numpys_generators__are_views():
    """NumPy's Generator writes to its own type of arrays only: to a view of ours."""
    x = xp.zeros(3)
    with pytest.raises((TypeError, ValueError)):
        np.random.default_rng(0).random(out=x)
    np.random.default_rng(0).random(out=np.asarray(x))
    assert x.tolist() == np.random.default_rng(0).random(3).tolist()
