# SPDX-License-Identifier: BSD-3-Clause
"""What a ufunc says of itself: resolve_dtypes(), which loop it would take, and its signature."""
from ._functions import can_cast, result_type
from ._heddle import empty

def _dtype(x):
    import numpy
    return numpy.dtype(x)


_WEAK = {int: 0, float: 0.0, complex: 0j}   # Python's scalars adapt to the dtypes beside them


def _checked(dtypes, n):
    """The dtypes as a list of NumPy's, Python's types and None."""
    if not isinstance(dtypes, tuple) or len(dtypes) != n:
        raise TypeError("resolve_dtypes: The dtypes must be a tuple of `ufunc.nargs` length.")
    if not all(d is None or d in _WEAK or not isinstance(d, (str, type)) for d in dtypes):
        raise TypeError("Provided dtype must be a valid NumPy dtype, int, float, complex, or None.")
    return [d if d is None or d in _WEAK else _dtype(d) for d in dtypes]


def _strong(inputs):
    """Python's types as the dtypes that they stand for beside the others."""
    strong = [d for d in inputs if d not in _WEAK]
    weak = result_type(*strong, *[_WEAK[d] for d in inputs if d in _WEAK])
    return [weak if d in _WEAK else d for d in inputs]


def _loops(function):
    for text in function.types:
        ins, outs = text.split("->")
        yield [_dtype(c) for c in ins + outs]


def _asked(function, signature):
    """The signature as a list of dtypes and None; None where there is none."""
    if signature is None:
        return None
    if isinstance(signature, str):
        signature = tuple(signature.replace("->", ""))
    if not isinstance(signature, tuple):
        signature = (None,) * function.nin + (signature,)
    if len(signature) != function.nargs:
        raise ValueError("a type-tuple must be specified of length 1 or "
                         f"{function.nargs} for ufunc '{function.__name__}'")
    return [None if d is None else _dtype(d) for d in signature]


def _cast_error(function, side, number, casting, have, want):
    return TypeError(f"Cannot cast ufunc '{function.__name__}' {side} {number} from {have!r} to "
                     f"{want!r} with casting rule '{casting}'")


def _found(function, inputs):
    """The loop of the dtype that all inputs have together; else of those that fit, the smallest
    with the results that the operation has."""
    fit = [loop for loop in _loops(function)
           if all(can_cast(d, want, "safe") for d, want in zip(inputs, loop))]
    common = result_type(*inputs)
    same = [loop for loop in fit if all(d == common for d in loop[:function.nin])]
    if same or not fit:
        return same[0] if same else None
    made = function(*(empty(0, d) for d in inputs))
    outs = [r.dtype for r in (made if isinstance(made, tuple) else (made,))]
    fit = [loop for loop in fit if loop[function.nin:] == outs] or fit
    return min(fit, key=lambda loop: sum(d.itemsize for d in loop))


def _choose(function, inputs, asked, casting):
    if asked is None:
        loop = _found(function, inputs)
    else:
        loop = next((loop for loop in _loops(function)
                     if all(a is None or a == d for a, d in zip(asked, loop))), None)
    if loop is None:
        raise TypeError(f"ufunc '{function.__name__}' did not contain a loop with signature "
                        f"matching types {tuple(inputs)}")
    for k, (have, want) in enumerate(zip(inputs, loop)):
        if not can_cast(have, want, casting):
            raise _cast_error(function, "input", k, casting, have, want)
    return loop


def resolve_dtypes(self, dtypes, *, signature=None, casting=None, reduction=False):
    """The dtypes of the loop that the operation would run in.

    dtypes: one for each operand and result: a dtype, or int, float or complex for Python's
    scalars, or None for a result that is not given (in reductions also for the first operand).
    Returns a tuple of as many dtypes. Raises TypeError where there is no such loop, or where
    casting ("same_kind" if not given) forbids what it would take.
    """
    given = _checked(dtypes, self.nargs)
    asked, casting = _asked(self, signature), casting or "same_kind"
    if reduction:
        if asked is not None and asked[-1] is not None:
            raise ValueError("Reduction signature must end with None, instead pass the first "
                             "DType in the signature.")
        asked = None if asked is None else [asked[0]] * self.nargs
        given[2] = given[0]
        if given[0] is None and given[1] is not None:
            given[0] = given[1]
            if self.__name__ in ("add", "multiply"):
                given[0] = _of_sum(given[1])
    inputs = given[:self.nin]
    if any(d is None for d in inputs):
        raise TypeError("All input dtypes must be provided (except the first one in reductions)")
    loop = _choose(self, _strong(inputs), asked, casting)
    for k, (have, want) in enumerate(zip(loop[self.nin:], given[self.nin:])):
        if want is not None and not can_cast(have, want, casting):
            raise _cast_error(self, "output", k, casting, have, want)
    return tuple(loop)


def _of_sum(dt):
    """Sums and products of integers are at least as wide as the machine's."""
    if dt.kind in "bi" and dt.itemsize < 8:
        return _dtype("int64")
    return _dtype("uint64") if dt.kind == "u" and dt.itemsize < 8 else dt


class Signature:
    """inspect.signature() of a ufunc; the class has none."""

    def __get__(self, function, owner=None):
        if function is None:
            raise AttributeError("__signature__")
        import inspect

        from numpy import _NoValue
        kinds = inspect.Parameter
        names = ["x"] if function.nin == 1 else [f"x{k + 1}" for k in range(function.nin)]
        inputs = [kinds(name, kinds.POSITIONAL_ONLY) for name in names]
        out = None if function.nout == 1 else (None,) * function.nout
        inputs.append(kinds("out", kinds.POSITIONAL_OR_KEYWORD, default=out))
        more = {"where": True}
        if function.signature is not None:
            more = {"axes": _NoValue, "axis": _NoValue, "keepdims": False}
        more |= {"casting": "same_kind", "order": "K", "dtype": None, "subok": True,
                 "signature": None}
        return inspect.Signature(inputs + [kinds(name, kinds.KEYWORD_ONLY, default=value)
                                           for name, value in more.items()])


def method_signature(method):
    """inspect.signature() of a method of arrays: its own, with `self` first, or NumPy's."""
    import inspect

    from numpy import ndarray
    try:
        own = inspect.signature(method.__wrapped__)
    except ValueError:
        theirs = getattr(ndarray, method.__name__, None)
        try:
            return inspect.signature(theirs)
        except (TypeError, ValueError):
            raise AttributeError("__signature__") from None
    first, *others = own.parameters.values()
    itself = first.replace(name="self", kind=inspect.Parameter.POSITIONAL_ONLY)
    return own.replace(parameters=[itself, *others])
