# SPDX-License-Identifier: BSD-3-Clause
"""Arrays of subclasses of ndarray: what NumPy's rules say of their methods, of functions of them,
of the __array_ufunc__, __array_function__ and __array_wrap__ of their types, and of pickles. The
rest is in python/src/py_subclass.c.
"""
from . import _heddle
from ._heddle import _is_array, elementwise, ndarray

__all__ = []

_add, _divide, _multiply = (elementwise[_name][0] for _name in ("add", "divide", "multiply"))

# Methods that are a method of a ufunc, and what that takes.
_FOLDS = {"sum": ("add", "reduce"), "prod": ("multiply", "reduce"), "min": ("minimum", "reduce"),
          "max": ("maximum", "reduce"), "any": ("logical_or", "reduce"),
          "all": ("logical_and", "reduce"), "cumsum": ("add", "accumulate"),
          "cumprod": ("multiply", "accumulate"), "cummax": ("maximum", "accumulate"),
          "cummin": ("minimum", "accumulate")}
# Methods whose result has its type from what the caller says, or is a plain array.
_AS_THEY_ARE = frozenset(("astype", "dot", "searchsorted", "view"))
# Compositions that end in a ufunc or its reduction.
_WRAPPED = frozenset(("mean", "std", "var"))
_FOLD_ARGUMENTS = dict.fromkeys(("sum", "prod"),
                                ("axis", "dtype", "out", "keepdims", "initial", "where"))
_ARGUMENTS = {"reduce": ("array", "axis", "dtype", "out", "keepdims", "initial", "where"),
              "accumulate": ("array", "axis", "dtype", "out"),
              "reduceat": ("array", "indices", "axis", "dtype", "out"),
              "at": ("a", "indices", "b"), "outer": ("a", "b")}
_INPUTS = {"reduce": 1, "accumulate": 1, "reduceat": 2, "at": 3, "outer": 2}
_missing = object()


# ---- methods -------------------------------------------------------------------------------------


def _fold_of(name, self, args, kwargs):
    """sum() and its like, as NumPy has them: a method of a ufunc, for which the type may have its
    own __array_ufunc__."""
    ufunc, method = _FOLDS[name]
    if method == "accumulate":
        taken = dict(zip(("axis", "dtype", "out"), args), **kwargs)
        if taken.get("axis") is None:
            self, taken["axis"] = self.ravel(), 0
    else:
        given = dict(zip(_FOLD_ARGUMENTS.get(name, ("axis", "out", "keepdims")), args), **kwargs)
        taken = {"axis": None, "dtype": None, "keepdims": False, **given}
        if name not in ("all", "any"):
            taken.setdefault("where", True)
    if taken.get("out") is None:
        taken.pop("out", None)
    return getattr(elementwise[ufunc][0], method)(self, **taken)


def _count(self, axis, where, keepdims):
    """How many elements go into each result of a reduction."""
    if where is not True:
        return _heddle.sum(_heddle.broadcast_to(_heddle.asarray(where), self.shape), axis=axis,
                           dtype=int, keepdims=keepdims)
    axes = range(self.ndim) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    n = 1
    for k in axes:
        n *= self.shape[k]
    return n


def _divided(total, n):
    if _is_array(total) and total.flags.writeable:
        return _divide(total, n, out=total, casting="unsafe", subok=False)
    return total / n


def _real_dtype(self, dtype):
    return float if dtype is None and self.dtype.kind in "iub" else dtype


def _mean(self, axis=None, dtype=None, out=None, keepdims=False, *, where=True):
    options = {} if out is None else {"out": out}
    total = _add.reduce(self, axis=axis, dtype=_real_dtype(self, dtype), keepdims=keepdims,
                        where=where, **options)
    return _divided(total, _count(self, axis, where, keepdims))


def _var(self, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=True, mean=None,
         correction=None):
    dtype = _real_dtype(self, dtype)
    if mean is None:
        mean = _mean(self, axis, dtype, None, True, where=where)
    x = self - mean
    x = _multiply(x, x.conjugate() if x.dtype.kind == "c" else x)
    options = {} if out is None else {"out": out}
    total = _add.reduce(x.real, axis=axis, dtype=dtype, keepdims=keepdims, where=where, **options)
    n = _count(self, axis, where, keepdims) - (ddof if correction is None else correction)
    return _divided(total, _heddle.elementwise["maximum"][0](n, 0))


def _std(self, *args, **kwargs):
    variance = _var(self, *args, **kwargs)
    in_place = _is_array(variance) and variance.flags.writeable
    return elementwise["sqrt"][0](variance, **({"out": variance} if in_place else {}))


_BY_UFUNCS = {"mean": _mean, "var": _var, "std": _std}


def _method(inner, name, self, args, kwargs):
    """self.name(*args, **kwargs), which inner computes; self is of a subclass."""
    own = type(self).__array_ufunc__ is not ndarray.__array_ufunc__
    if name in _FOLDS:
        return _fold_of(name, self, args, kwargs)
    if name in ("conj", "conjugate") and self.dtype.kind == "c":
        return elementwise["conjugate"][0](self, *args, **kwargs)
    if own and name in _BY_UFUNCS:
        return _BY_UFUNCS[name](self, *args, **kwargs)
    r = inner(self, *args, **kwargs)
    if name in _AS_THEY_ARE or any(r is x for x in (*args, *kwargs.values())):
        return r
    return _heddle._wrap_result(r, self) if name in _WRAPPED else _heddle._as_subclass(r, self)


# ---- functions -----------------------------------------------------------------------------------

# Functions by how they treat a subclass, where that is not what their inside does anyway: the
# result is of the type of the first argument, or of one by its place; it is wrapped as a ufunc's;
# each is of the type of its own argument, if subok; or it is a plain array.
_LIKE_ONE = frozenset("""
    argpartition argsort array_split choose compress diagonal dsplit expand_dims flip fliplr flipud
    gradient hsplit matrix_transpose moveaxis nan_to_num partition percentile permute_dims piecewise
    quantile ravel real_if_close repeat reshape roll rollaxis rot90 sort split squeeze swapaxes take
    take_along_axis tile transpose trim_zeros unique vsplit
    """.split())
_LIKE_WRAPPED = frozenset("""
    angle apply_along_axis average delete diff ediff1d i0 insert iscomplex kron linalg.cholesky
    linalg.eig linalg.eigh linalg.inv linalg.matrix_power linalg.pinv linalg.qr linalg.solve
    linalg.svd median nanmax nanmean nanmedian nanmin nanprod nanstd nansum nanvar ptp trapezoid
    """.split())
_EACH = frozenset(("atleast_1d", "atleast_2d", "atleast_3d", "ix_", "meshgrid"))
_IF_SUBOK = frozenset(("broadcast_arrays", "broadcast_to"))
_PLAIN = frozenset(("cross", "einsum", "interp", "place", "tensordot"))
_STRIPPED = _LIKE_ONE | _LIKE_WRAPPED | _EACH | _IF_SUBOK | _PLAIN
_PLACES = {"compress": 1, "apply_along_axis": 2, "linalg.solve": 1}
_PARTS = {"linalg.eig": (1,), "linalg.eigh": (1,), "linalg.svd": (0, 2)}    # of the result


# Functions of sequences of arrays: the types of those are asked, too.
_OF_SEQUENCES = frozenset("""
    block choose column_stack concat concatenate dstack einsum einsum_path histogram2d histogramdd
    hstack lexsort linalg.multi_dot piecewise select stack vstack
    """.split())


def _is_sub(x):
    return _is_array(x) and type(x) is not ndarray


def _wrapped(r, x):
    return _heddle._wrap_result(_heddle.asarray(r) if isinstance(r, float) else r, x)


def wrapped_by_first(r, values):
    """Results of a function of values, wrapped by the first of them that is of a subclass."""
    x = next(filter(_is_sub, values), None)
    return r if x is None else _typed(_wrapped, r, x)


def _stripped(x):
    """x as a plain array, if it is of a subclass; so with what is in a list or tuple."""
    if type(x) in (list, tuple):
        return type(x)(map(_stripped, x))
    return _heddle.asarray(x) if _is_sub(x) else x


def _typed(give, r, x, parts=None):
    """give(r, x); so with each of these parts of r, or all of them, if it is a sequence."""
    if not isinstance(r, (list, tuple)):
        return give(r, x)
    items = (_typed(give, item, x) if parts is None or i in parts else item
             for i, item in enumerate(r))
    return type(r)(*items) if hasattr(r, "_fields") else type(r)(items)


def _typed_each(r, args):
    if not isinstance(r, (list, tuple)):
        return _heddle._as_subclass(r, args[0]) if args and _is_sub(args[0]) else r
    pairs = zip(r, args[0] if len(args) == 1 and isinstance(args[0], (list, tuple)) else args)
    return type(r)(_heddle._as_subclass(y, x) if _is_sub(x) else y for y, x in pairs)


def _path_of(function):
    return f"{function.__module__}.{function.__name__}".partition(".")[2]


def compute(function, args, kwargs):
    """A public function of ours of arrays of subclasses, whose __array_function__ is not asked."""
    path, inner = _path_of(function), function.__wrapped__
    if path not in _STRIPPED:
        return inner(*args, **kwargs)
    r = inner(*map(_stripped, args), **{name: value if name == "out" else _stripped(value)
                                       for name, value in kwargs.items()})
    if path in _EACH or path in _IF_SUBOK and kwargs.get("subok"):
        return _typed_each(r, args)
    given = (*args, *kwargs.values())
    place = _PLACES.get(path, 0)
    x = given[place if len(args) > place else 0]
    if path not in _LIKE_ONE and path not in _LIKE_WRAPPED or not _is_sub(x) or \
            any(r is y for y in given):
        return r
    give = _heddle._as_subclass if path in _LIKE_ONE else _wrapped
    return _typed(give, r, x, _PARTS.get(path))


def _own_function(x):
    """The __array_function__ of x's type, or None: it has none, or ours or NumPy's."""
    import numpy
    own = getattr(type(x), "__array_function__", None)
    return None if own in (ndarray.__array_function__, numpy.ndarray.__array_function__) else own


def _is_dispatched(function):
    """Does NumPy's function of that name ask its arguments?"""
    import numpy
    theirs = numpy
    for name in _path_of(function).split("."):
        theirs = getattr(theirs, name, None)
    return hasattr(theirs, "_implementation")


def _by_type(values):
    """The first value of each type, in the order in which they are asked: from the left, but
    subclasses first."""
    found = []
    for x in values:
        kind = type(x)
        if all(kind is not type(y) for y in found):
            place = (i for i, y in enumerate(found) if issubclass(kind, type(y)))
            found.insert(next(place, len(found)), x)
    return found


def _function(function, args, kwargs):
    """A public function of ours with an array of a subclass among its arguments."""
    if not hasattr(function, "__name__"):   # a step inside of another
        return function.__wrapped__(*args, **kwargs)
    values = [*args, *kwargs.values()]
    if _path_of(function) in _OF_SEQUENCES:
        values += [y for x in values if type(x) in (list, tuple) for y in x]
    values = _by_type(x for x in values if hasattr(type(x), "__array_function__"))
    if not any(_is_sub(x) and _own_function(x) for x in values) or not _is_dispatched(function):
        return compute(function, args, kwargs)
    types = tuple(map(type, values))
    for x in values:
        r = x.__array_function__(function, types, args, kwargs)
        if r is not NotImplemented:
            return r
    raise TypeError(f"no implementation found for {_path_of(function)!r} on types that implement "
                    f"__array_function__: {list(types)}")


# ---- __array_ufunc__ and __array_wrap__ ----------------------------------------------------------


def _normal(ufunc, method, args, kwargs):
    """Inputs and keywords as NumPy gives them to __array_ufunc__: outputs in a tuple."""
    kwargs = dict(kwargs)
    if "sig" in kwargs:
        kwargs["signature"] = kwargs.pop("sig")
    n = ufunc.nin if method == "__call__" else _INPUTS[method]
    inputs, rest = args[:n], args[n:]
    if method == "__call__":
        if rest:
            kwargs["out"] = tuple(rest) + (None,) * (ufunc.nout - len(rest))
    else:
        kwargs.update(zip(_ARGUMENTS[method][n:], rest))
    out = kwargs.pop("out", None)
    out = out if isinstance(out, tuple) else (out,)
    if any(x is not None for x in out):
        kwargs["out"] = out
    return inputs, kwargs


def _is_asked(kind):
    import numpy
    own = getattr(kind, "__array_ufunc__", _missing)
    return own is not _missing and own is not ndarray.__array_ufunc__ and \
        own is not numpy.ndarray.__array_ufunc__ and not issubclass(kind, numpy.generic)


def ask(ufunc, method, args, kwargs):
    """What the __array_ufunc__ of the operands gives: from the left, but subclasses first."""
    inputs, kwargs = _normal(ufunc, method, args, kwargs)
    asked = _by_type(x for x in (*inputs, *kwargs.get("out", ())) if _is_asked(type(x)))
    for x in asked:
        if type(x).__array_ufunc__ is None:
            raise TypeError(f"operand '{type(x).__name__}' does not support ufuncs "
                            "(__array_ufunc__=None)")
        r = x.__array_ufunc__(ufunc, method, *inputs, **kwargs)
        if r is not NotImplemented:
            return r
    types = ", ".join(repr(type(x).__name__) for x in asked)
    raise TypeError(f"operand type(s) all returned NotImplemented from __array_ufunc__({ufunc!r}, "
                    f"{method!r}, ...): {types}")


def _wrap(x, r, context, scalar):
    """x.__array_wrap__(r), which may be written for older versions of NumPy."""
    try:
        return x.__array_wrap__(r, context, scalar)
    except TypeError as error:
        for args in ((r, context), (r,)):
            try:
                wrapped = x.__array_wrap__(*args)
            except TypeError:
                continue
            from warnings import warn
            warn("__array_wrap__ must accept context and return_scalar arguments (positionally) in "
                 "the future. (Deprecated NumPy 2.0)", DeprecationWarning, stacklevel=3)
            return wrapped
        raise error


# ---- pickles -------------------------------------------------------------------------------------


def _reconstruct(kind, shape, dtype):
    """An array of that type for __setstate__() to fill."""
    return ndarray.__new__(kind, shape, dtype)


def _set_state(self, state):
    """self becomes what __reduce__() took apart: version, shape, dtype, order, bytes."""
    import numpy
    _, shape, dtype, fortran, data = state
    values = numpy.frombuffer(data, dtype).reshape(shape, order="F" if fortran else "C")
    _heddle._replace(self, _heddle.array(values))


def state_of(self):
    """What pickle makes of an array of a subclass: NumPy's three parts, which overriding methods of
    subclasses know."""
    fortran = bool(self.flags.fnc)
    dtype = self.dtype if self.dtype.kind == "V" else self.dtype.str
    return _reconstruct, (type(self), (0,), b"b"), (1, self.shape, dtype, fortran,
                                                    self.tobytes("F" if fortran else "C"))


ndarray.__setstate__ = _set_state
_heddle._set_subclassing(_method, _function, ask, _wrap)
