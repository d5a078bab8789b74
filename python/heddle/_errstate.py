# SPDX-License-Identifier: BSD-3-Clause
"""What is done about floating-point faults: errstate and its relatives.

Unlike in NumPy the default is to ignore them. Where a setting asks for more, every operation runs
before its call returns, and nothing fuses; other threads and contexts go on as usual. Elements on the CPU are NumPy's
scalars, whose faults are NumPy's to tell: what is set here is set there as well.
"""
from _contextvars import ContextVar

from . import _heddle

__all__ = ["errstate", "geterr", "geterrcall", "seterr", "seterrcall"]

_KINDS = ("divide", "over", "under", "invalid")     # bit k of a mask of faults is kind k
_TEXTS = ("divide by zero", "overflow", "underflow", "invalid value")
_MODES = ("ignore", "warn", "raise", "call", "print", "log")
_UNSPECIFIED = object()
_watched = [0, 0, 0, 0]     # living settings that care for each kind


class _Setting:
    """One immutable setting; mask: the faults that it cares for. While any of those that care is
    alive, operations ask for the one of their context: a context that ends lets go of its own."""
    __slots__ = ("modes", "call", "mask", "_counted")

    def __init__(self, modes, call):
        self.modes, self.call, self._counted = modes, call, False
        self.mask = sum((mode != "ignore") << k for k, mode in enumerate(modes))
        if modes != _IGNORE:
            self._count(1)
            self._counted = True

    def _count(self, step):
        for k, mode in enumerate(self.modes):
            _watched[k] += step * (mode != "ignore")
        _heddle._watch_faults(sum((n > 0) << k for k, n in enumerate(_watched)), _report,
                              _current.get)

    def __del__(self):
        if self._counted:
            self._count(-1)


_IGNORE = ("ignore",) * 4
_DEFAULT = _Setting(_IGNORE, None)
_current = ContextVar("heddle.errstate", default=_DEFAULT)


def _changed(all=None, divide=None, over=None, under=None, invalid=None, call=_UNSPECIFIED):
    now = _current.get()
    modes = list(now.modes)
    for k, mode in enumerate((divide, over, under, invalid)):
        mode = all if mode is None else mode
        if mode is None:
            continue
        if not isinstance(mode, str) or mode not in _MODES:
            raise ValueError(f"invalid error mode {mode!r} for {_KINDS[k]}; "
                             f"it must be one of {', '.join(_MODES)}")
        modes[k] = mode
    if call is _UNSPECIFIED:
        call = now.call
    elif call is not None and not callable(call) and not callable(getattr(call, "write", None)):
        raise TypeError("python object must be callable or have a callable write method")
    return _Setting(tuple(modes), call)


def _level():
    """How many frames up the user's line is."""
    from sys import _getframe
    level, frame = 1, _getframe(1)
    while frame is not None and frame.f_globals.get("__name__", "").startswith("heddle."):
        level, frame = level + 1, frame.f_back
    return level


def _report(faults, operation):
    """Called by the extension for each operation that raised faults."""
    setting = _current.get()
    for k, mode in enumerate(setting.modes):
        if not faults >> k & 1 or mode == "ignore":
            continue
        text = f"{_TEXTS[k]} encountered in {operation}"
        if mode == "warn":
            from warnings import warn
            warn(text, RuntimeWarning, stacklevel=_level())
        elif mode == "raise":
            raise FloatingPointError(text)
        elif mode == "print":
            from sys import stderr
            stderr.write(f"Warning: {text}\n")
        elif mode == "call":
            if setting.call is None:
                raise NameError(f"python callback specified for {_TEXTS[k]} (in  {operation}) "
                                "but no function found.")
            setting.call(_TEXTS[k], faults)
        else:
            if setting.call is None:
                raise NameError(f"log specified for {_TEXTS[k]} (in {operation}) "
                                "but no object with write method found.")
            setting.call.write(f"Warning: {text}\n")


def seterr(all=None, divide=None, over=None, under=None, invalid=None):
    """Sets what is done about each kind of fault, all: about those not named; the settings before,
    as geterr() has them.

    "ignore" (the default), "warn" (RuntimeWarning), "raise" (FloatingPointError), "print" (to
    standard error), "call" and "log": the function, or the object with a write method, of
    seterrcall().
    """
    before = geterr()
    _current.set(_changed(all, divide, over, under, invalid))
    from numpy import seterr as of_scalars
    of_scalars(all, divide, over, under, invalid)
    return before


def geterr():
    """What is done about each kind of fault: {"divide": "ignore", ...}."""
    return dict(zip(_KINDS, _current.get().modes))


def seterrcall(func):
    """Sets the function f(text, faults) of mode "call", or the object whose write(text) mode "log"
    uses; the one before."""
    before = geterrcall()
    _current.set(_changed(call=func))
    from numpy import seterrcall as of_scalars
    of_scalars(func)
    return before


def geterrcall():
    """What seterrcall() set, or None."""
    return _current.get().call


class errstate:
    """What is done about faults, as seterr() sets it, for a with statement or a function.

    Parameters
    ----------
    call : callable or object, optional
        What seterrcall() takes.
    all : str, optional
        For the kinds that are not named.
    divide : {'ignore', 'warn', 'raise', 'call', 'print', 'log'}, optional
        A number divided by 0.
    over : str, optional
        A result too large.
    under : str, optional
        A result too small to be exact.
    invalid : str, optional
        A result that is no number.

    See Also
    --------
    seterr, geterr, seterrcall

    Examples
    --------
    >>> import heddle as np
    >>> with np.errstate(divide="raise"):
    ...     np.ones(2) / 0
    Traceback (most recent call last):
        ...
    FloatingPointError: divide by zero encountered in divide
    """
    __slots__ = ("_kwargs", "_of_scalars", "_token")

    def __init__(self, *, call=_UNSPECIFIED, all=None, divide=None, over=None, under=None,
                 invalid=None):
        self._kwargs = {"call": call, "all": all, "divide": divide, "over": over, "under": under,
                        "invalid": invalid}
        self._of_scalars = self._token = None

    def __enter__(self):
        if self._token is not None:
            raise TypeError("Cannot enter `heddle.errstate` twice.")
        self._token = _current.set(_changed(**self._kwargs))
        from numpy import errstate as of_scalars
        given = {name: value for name, value in self._kwargs.items()
                 if value is not (_UNSPECIFIED if name == "call" else None)}
        self._of_scalars = of_scalars(**given)
        self._of_scalars.__enter__()

    def __exit__(self, *exception):
        self._of_scalars.__exit__(*exception)
        _current.reset(self._token)

    def __call__(self, func):
        from functools import wraps

        @wraps(func)
        def inner(*args, **kwargs):
            with errstate(**self._kwargs):
                return func(*args, **kwargs)
        return inner
