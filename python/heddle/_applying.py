# SPDX-License-Identifier: BSD-3-Clause
"""Python functions applied to elements, lines and axes.

These call the function over and over, as NumPy's do: a convenience, not a way to be fast.
"""
from itertools import product

from ._functions import (beside, broadcast_arrays, broadcast_shapes, integers, moveaxis,
                         normalize_axis)
from ._handing import or_numpys
from ._subclassing import wrapped_by_first
from ._heddle import asarray, broadcast_to, empty, expand_dims, zeros

__all__ = ["apply_along_axis", "apply_over_axes", "vectorize"]


def apply_along_axis(func1d, axis, arr, *args, **kwargs):
    """func1d(line, *args, **kwargs) of every line along an axis; the axes of its result take the
    place of that axis. The first result decides the dtype."""
    arr = asarray(arr)
    axis = normalize_axis(axis, arr.ndim)
    lines = moveaxis(arr, axis, -1)
    outer = lines.shape[:-1]
    results = None
    for at in product(*map(range, outer)):
        result = asarray(func1d(lines[(*at, ...)], *args, **kwargs))
        if results is None:
            results, nd = empty(outer + result.shape, result.dtype, device=arr.device), result.ndim
        results[at] = result
    if results is None:
        raise ValueError("Cannot apply_along_axis when any iteration dimensions are 0")
    return moveaxis(results, tuple(range(len(outer), len(outer) + nd)),
                    tuple(range(axis, axis + nd)))


def apply_over_axes(func, a, axes):
    """func(a, axis) for one axis after the other, each keeping its extent or left with 1."""
    value = a = asarray(a)
    for axis in integers(axes):
        axis += a.ndim if axis < 0 else 0
        result = func(value, axis)
        if result.ndim != value.ndim:
            result = expand_dims(result, axis)
        if result.ndim != value.ndim:
            raise ValueError("function is not returning an array of the correct shape")
        value = result
    return value


# ---- vectorize -----------------------------------------------------------------------------------


def _parse_signature(signature):
    """The core dimensions of inputs and outputs: "(m,n),(n)->(m)"."""
    from re import fullmatch
    name = r"\w+"
    group = rf"\((?:{name}(?:,{name})*)?\)"
    text = signature.replace(" ", "")
    if not fullmatch(rf"{group}(?:,{group})*->{group}(?:,{group})*", text):
        raise ValueError(f"not a valid gufunc signature: {signature}")
    return [[tuple(filter(None, part.strip("()").split(","))) for part in side.split("),")]
            for side in text.split("->")]


def _match_core(shape, names, sizes, of):
    core = shape[len(shape) - len(names):]
    for name, n in zip(names, core):
        if sizes.setdefault(name, n) != n:
            raise ValueError(f"inconsistent size for core dimension {name!r}: {n} vs "
                             f"{sizes[name]}, in {of}")


# Arguments and results of a Python function may be text or objects: such arrays are NumPy's.
_any_array = or_numpys(asarray, "asarray")
_empty_any = or_numpys(empty, "empty")
_broadcast_any_to = or_numpys(broadcast_to, "broadcast_to")
_broadcast_any = or_numpys(lambda *args: broadcast_arrays(*beside(*args)), "broadcast_arrays")


def _column(values, dtype, shape):
    """One of the outputs as an array."""
    if dtype == object:     # what the function gave, arrays too, is an element each
        column = _empty_any(len(values), dtype)
        for k, value in enumerate(values):
            column[k] = value
    else:
        column = _any_array([r.item() if hasattr(r, "item") else r for r in values], dtype)
    return column.reshape(shape)


class vectorize:
    """A function of numbers as a function of arrays: called for each element of the broadcast
    arguments, with Python's numbers.

    Parameters
    ----------
    pyfunc : callable, optional
        The function. Without it the object is a decorator.
    otypes : str or list of dtype, optional
        dtypes of the results, by default those of a first call's.
    doc : str, optional
        The docstring, by default the function's.
    excluded : set of int or str, optional
        Positions and names of arguments that are passed as they are.
    cache : bool, default: False
        Makes no difference; the first call is never repeated.
    signature : str, optional
        What axes the function takes and gives, as "(m,n),(n)->(m)". It is then called with arrays.

    See Also
    --------
    apply_along_axis, fromfunction

    Notes
    -----
    The function is called in a loop. Where it can be written for whole arrays, that is faster by
    far.

    Examples
    --------
    >>> import heddle as np
    >>> def collatz(n):
    ...     return 3 * n + 1 if n % 2 else n // 2
    >>> np.vectorize(collatz)([1, 2, 3, 4])
    array([ 4,  1, 10,  2])
    """

    def __init__(self, pyfunc=None, otypes=None, doc=None, excluded=None, cache=False,
                 signature=None):
        if pyfunc is not None and not callable(pyfunc):
            raise TypeError("When used as a decorator, only accepts keyword arguments.")
        self.cache, self.signature, self.excluded = cache, signature, set(excluded or ())
        self._core = None if signature is None else _parse_signature(signature)
        self.otypes = self._dtypes(otypes)
        self.__doc__ = doc
        self.pyfunc = None
        if pyfunc is not None:
            self._set(pyfunc)

    @staticmethod
    def _dtypes(otypes):
        if otypes is None:
            return None
        if not hasattr(otypes, "__iter__"):
            raise ValueError("Invalid otype specification")
        import numpy
        if isinstance(otypes, str):
            for char in otypes:
                if char not in numpy.typecodes["All"]:
                    raise ValueError(f"Invalid otype specified: {char}")
        return [numpy.dtype(t) for t in otypes]

    def _set(self, pyfunc):
        self.pyfunc = pyfunc
        self.__name__ = getattr(pyfunc, "__name__", type(pyfunc).__name__)
        if self.__doc__ is None:
            self.__doc__ = getattr(pyfunc, "__doc__", None)

    def __call__(self, *args, **kwargs):
        if self.pyfunc is None:
            self._set(*args, **kwargs)
            return self
        if not kwargs and not self.excluded and self._core is None and args:
            return wrapped_by_first(self._elements(self.pyfunc, args), args)
        places = [k for k in range(len(args)) if k not in self.excluded]
        names = [k for k in kwargs if k not in self.excluded]

        def call(*values):
            given = list(args)
            for k, value in zip(places, values):
                given[k] = value
            return self.pyfunc(*given, **{**kwargs, **dict(zip(names, values[len(places):]))})
        varying = [args[k] for k in places] + [kwargs[k] for k in names]
        if self._core is not None:
            return self._with_core(call, varying)
        if not varying:
            return call()
        return wrapped_by_first(self._elements(call, varying), varying)

    def _outputs(self, result):
        """One call's results as a tuple; their number is that of otypes or outputs."""
        if self.otypes is None:
            return result if isinstance(result, tuple) else (result,)
        n = len(self.otypes) or None
        results = result if isinstance(result, tuple) and n != 1 else (result,)
        if n is not None and n != len(results):
            raise ValueError(f"otypes names {n} outputs and the function gave {len(results)}")
        return results

    def _elements(self, call, args):
        arrays = _broadcast_any(*args)
        shape = arrays[0].shape
        rows = zip(*(a.ravel().tolist() for a in arrays))
        if not arrays[0].size:
            if not self.otypes:
                raise ValueError("cannot call `vectorize` on size 0 inputs unless `otypes` is set")
            results = tuple(_empty_any(shape, dtype) for dtype in self.otypes)
            return results if len(results) > 1 else results[0]
        results, dtypes = [], self.otypes
        if dtypes is None:
            import numpy
            next(rows)      # dtypes are those of the function of NumPy's scalars, as by NumPy
            first = (numpy.asarray(a.ravel()[:1])[0] for a in arrays)
            results.append(self._outputs(call(*first)))
            dtypes = [_any_array(r).dtype for r in results[0]]
        outputs = self._outputs
        results += [outputs(call(*row)) for row in rows]
        columns = tuple(_column(column, dtype, shape)
                        for column, dtype in zip(zip(*results), dtypes))
        return columns if len(columns) > 1 else columns[0]

    def _with_core(self, call, args):
        inputs, outputs = self._core
        if len(args) != len(inputs):
            raise TypeError(f"wrong number of positional arguments: expected {len(inputs)}, got "
                            f"{len(args)}")
        arrays, sizes, loops = [_any_array(x) for x in args], {}, []
        for k, (x, names) in enumerate(zip(arrays, inputs)):
            if x.ndim < len(names):
                raise ValueError(f"{x.ndim}-dimensional argument does not have enough dimensions "
                                 f"for all core dimensions {names!r}")
            _match_core(x.shape, names, sizes, f"argument {k}")
            loops.append(x.shape[:x.ndim - len(names)])
        outer = broadcast_shapes(*loops)
        arrays = [_broadcast_any_to(x, outer + x.shape[len(loop):]) for x, loop in zip(arrays, loops)]
        results = None
        for at in product(*map(range, outer)):
            values = call(*(x[at] for x in arrays))
            values = values if isinstance(values, tuple) else (values,)
            if len(values) != len(outputs):
                raise ValueError("wrong number of outputs from pyfunc: expected "
                                 f"{len(outputs)}, got {len(values)}")
            values = [_any_array(v) for v in values]
            for v, names in zip(values, outputs):
                _match_core(v.shape, names, sizes, "a result")
            if results is None:
                dtypes = self.otypes or [v.dtype for v in values]
                results = [_empty_any(outer + tuple(sizes[d] for d in names), dtype)
                           for names, dtype in zip(outputs, dtypes)]
            for result, v in zip(results, values):
                result[at] = v
        if results is None:
            results = self._no_calls(outer, sizes)
        return tuple(results) if len(results) > 1 else results[0]

    def _no_calls(self, outer, sizes):
        if not self.otypes:
            raise ValueError("cannot call `vectorize` on size 0 inputs unless `otypes` is set")
        if any(d not in sizes for names in self._core[1] for d in names):
            raise ValueError("cannot call `vectorize` with a signature including new output "
                             "dimensions on size 0 inputs")
        return [zeros(outer + tuple(sizes[d] for d in names), dtype)
                for names, dtype in zip(self._core[1], self.otypes)]
