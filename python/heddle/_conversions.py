# SPDX-License-Identifier: BSD-3-Clause
"""Arrays of ours that become NumPy's without anybody having said so: through __array__(), the
buffer protocol, the array interface, and NumPy's functions that are not ours.

The extension calls seen() for each (python/src/py_buffer.c). What heddle itself converts, and what
asnumpy(), get() and tolist() do, is not told. While nothing but counting is asked for, a place is
kept as code and position; names and lines are looked up when somebody wants to read them.
"""
import sys
from os import environ
from sys import _getframe

from . import _heddle

_WAYS = {"buffer": "the buffer protocol"}
_ROOM = 4096        # places that are kept as such

# What the module of a frame's code is: that of the program or a library, NumPy's, heddle's.
_CALLER, _NUMPY, _OURS = range(3)
_kinds = {"heddle._dispatching": _NUMPY}      # what it reads is read for functions of NumPy's

policy = [environ.get("HEDDLE_TO_NUMPY")]
if policy[0] not in ("warn", "error"):
    policy[0] = "allow"
_counts = {}    # of places that were dropped: {(function, caller): n}
_places = {}


class _Place:
    """An instruction of the program's or a library's, and what it calls to convert our arrays."""
    __slots__ = ("n", "way", "code", "at", "module", "numpys", "numpys_module", "found")

    def __init__(self, way, frame, function):
        self.n = 0
        self.way = way
        self.code, self.at = (frame.f_code, frame.f_lasti) if frame else (None, 0)
        self.module = frame.f_globals.get("__name__") if frame else None
        self.numpys = function and function.f_code
        self.numpys_module = function and function.f_globals.get("__name__")
        self.found = None

    def line(self):
        """The number of its line."""
        from itertools import islice
        return next(islice(self.code.co_positions(), self.at // 2, None))[0] or 0

    def names(self):
        """(function, caller): "numpy.asarray", "/home/me/program.py:12"."""
        if self.found is None:
            caller = f"{self.code.co_filename}:{self.line()}" if self.code else "?"
            self.found = self._function(), caller
        return self.found

    def _function(self):
        if self.numpys:
            name = self.numpys.co_qualname.removesuffix(".__new__").removesuffix(".__init__")
            return _public(self.numpys_module, name)
        words = _called(self.code, self.at) if self.code else None
        return _resolved(self.module, words) if words else self.way


def _public(module, name):
    """The name of a function of NumPy's, in the module that shows it."""
    from itertools import takewhile
    home = vars(sys.modules.get(module, sys)).get(name.partition(".")[0])
    parts = (getattr(home, "__module__", None) or module).split(".")
    return ".".join([*takewhile(lambda part: part[0] != "_", parts), name])


def _called(code, at):
    """The words of the dotted name that the instruction there calls, an operator, or None. Of a
    method of something that is computed there is the last word only."""
    from dis import get_instructions
    instructions = [i for i in get_instructions(code) if i.offset <= at and i.opname != "CACHE"]
    call = instructions.pop()
    if call.opname in ("BINARY_OP", "COMPARE_OP", "BINARY_SUBSCR", "STORE_SUBSCR"):
        return [call.argrepr or "[]"]
    if "CALL" not in call.opname or not call.positions:
        return None
    words = None
    for i in instructions:
        if i.positions is None or i.positions[0::2] != call.positions[0::2]:   # line and column
            continue
        if i.opname in ("LOAD_ATTR", "LOAD_METHOD") and words:
            words.append(i.argval)
        elif i.opname.startswith("LOAD_") and i.opname != "LOAD_CONST":
            words = [i.argval]
        elif i.opname not in ("PUSH_NULL", "PRECALL", "KW_NAMES"):
            words = None
    return words if words and all(isinstance(word, str) for word in words) else None


def _resolved(module, words):
    """A dotted name as seen in a module, by the names of the modules that it leads through."""
    o = vars(sys.modules.get(module, sys)).get(words[0])
    if not isinstance(o, type(sys)):
        return ".".join(words)
    for i, word in enumerate(words[1:], 1):
        inner = vars(o).get(word)
        if not isinstance(inner, type(sys)):
            home = getattr(inner, "__module__", None)
            return ".".join([home if isinstance(home, str) else o.__name__, *words[i:]])
        o = inner
    return o.__name__


def _kind_of(module):
    kind = {"numpy": _NUMPY, "heddle": _OURS}.get(str(module).partition(".")[0], _CALLER)
    return _kinds.setdefault(module, kind)


def seen(way, frame=None):
    """An array of ours becomes one of NumPy's: counts that, or warns, or raises TypeError.

    frame: who asked; else who called. The frames of NumPy's functions are passed over, the
    outermost of them gives the name; where heddle called them, this is heddle's own business.
    """
    frame, numpys = frame or _getframe().f_back, None
    while frame:
        module = frame.f_globals.get("__name__")
        kind = _kinds.get(module)
        if kind is None:
            kind = _kind_of(module)
        if kind == _CALLER:
            break
        if kind == _OURS:
            return
        if module != "heddle._dispatching":
            numpys = frame
        frame = frame.f_back
    key = (id(frame.f_code), frame.f_lasti) if frame else None, numpys and id(numpys.f_code), way
    place = _places.get(key)
    if place is None:
        if len(_places) >= _ROOM:
            _drop()
        place = _places[key] = _Place(way, frame, numpys)
    if policy[0] != "allow":
        _say(place, frame)
    place.n += 1


def _say(place, frame):
    """The warning or the error."""
    function, caller = place.names()
    text = (f"{_WAYS.get(function, function)} reads a heddle.ndarray as NumPy's at {caller}; "
            "heddle.asnumpy(x) does it in so many words")
    if policy[0] == "error":
        # NumPy goes on from an interface that is missing to __array__()
        missing = place.way.startswith("__array_") and place.way != "__array__"
        raise (AttributeError if missing else TypeError)(text)
    from warnings import warn, warn_explicit

    from .exceptions import ConversionWarning
    if frame is None:
        warn(text, ConversionWarning)
    else:
        warn_explicit(text, ConversionWarning, place.code.co_filename, place.line(), place.module,
                      frame.f_globals.setdefault("__warningregistry__", {}))


def _drop():
    """Keeps the counts of places by name, and not the places."""
    _counts.update(counts())
    _places.clear()


def counts():
    """{(function, caller): conversions}"""
    from collections import Counter
    total = Counter(_counts)
    for place in list(_places.values()):
        if place.n:
            total[place.names()] += place.n
    return total


_heddle._set_watcher(seen)
