# SPDX-License-Identifier: BSD-3-Clause
"""Docstrings of public functions, methods and ufuncs in numpydoc's sections, put together when one
is asked for (hp_docstring() in python/src/py_method.c).

What a function does stands where it is defined, as its short text: in its own docstring, or in the
doc column of its operation's row. The rest stands in the tables beside this file (*.toml), which
are read with the first docstring, not with heddle. A table is [name] for a function, [ndarray.name]
for a method, which takes from its function's table what its own does not say. In it:

    name of a parameter = "type | meaning"      the default is taken from the signature
    returns = "type | what", or a list of these; "name : type | what" gives results names
    raises = ["Error | when", ...]
    see = "other, names"
    notes = "text"
    example = an interpreter's session, without the import of heddle

[shared] says of parameters of all functions in the file what their tables do not say, and that of
common.toml of those in all files. Without a table a function keeps its short text.
"""
import inspect
import re
import textwrap
import tomllib
from functools import lru_cache
from pathlib import Path

FOLDER = Path(__file__).parent
_WIDTH = 79
SPACES = ("linalg", "fft")      # modules of heddle, each with a file of its own
_KINDS = (("bool", "?"), ("integers", "bhilBHIL"), ("real", "efd"), ("complex", "FD"))


@lru_cache
def texts():
    """{file: {table: its text}}. A table is parsed when it is needed: all of them take a while."""
    found = {}
    for path in sorted(FOLDER.glob("*.toml")):
        parts = re.split(r"^\[([a-z_][\w.]*)\]\n", path.read_text("utf-8"), flags=re.M)
        found[path.stem] = dict(zip(parts[1::2], parts[2::2]))
    return found


@lru_cache
def table(file, name):
    """A table of a file; an empty one if it has none of that name."""
    return tomllib.loads(texts()[file].get(name, ""))


def row(space, name):
    """(the table of a function or "ndarray.method", what its file says of all functions)."""
    for file, tables in texts().items():
        if name in tables and (file == space or not space and file not in SPACES):
            return table(file, name), table(file, "shared")
    return {}, {}


# ---- sections ------------------------------------------------------------------------------------

def _filled(text, indent="    "):
    return textwrap.fill(" ".join(text.split()), _WIDTH, initial_indent=indent,
                         subsequent_indent=indent, break_on_hyphens=False, break_long_words=False)


def _sentence(text):
    """A short text as a sentence; one that begins with code stays as it is."""
    first, *rest = text.split("\n\n")
    asks = re.match(r"(?:is|are|may) ", first) is not None
    if re.match(r"[a-z-]{2,} [a-z]", first):
        first = first[0].upper() + first[1:]
    if first[-1:] not in ".:?!":
        first += "?" if asks else "."
    return "\n\n".join([first, *rest])


def _described(head, text):
    """"type | meaning" below a head "name"."""
    kind, _, meaning = text.partition(" | ")
    name, colon, named = kind.partition(" : ")
    if not head and colon:
        head, kind = name, named
    line = f"{head} : {kind}" if head else kind
    return line + (f"\n{_filled(meaning)}" if meaning else "")


def _default(parameter):
    value = parameter.default
    if value is inspect.Parameter.empty:
        return ""
    if isinstance(value, type):
        return f", default: {value.__name__}"
    # None, and objects that stand for "not given"
    plain = isinstance(value, (bool, int, float, str, tuple)) and value != (None, None)
    return f", default: {value!r}" if plain else ", optional"


def name_of(parameter):
    """A parameter's name as numpydoc has it."""
    stars = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}
    return stars.get(parameter.kind, "") + parameter.name


def _of_parameter(parameter, texts):
    text = next((t[parameter.name] for t in texts if parameter.name in t), None)
    if text is None:
        raise LookupError(f"no table says what {parameter.name} is")
    kind, bar, meaning = text.partition(" | ")
    return _described(name_of(parameter), kind + _default(parameter) + bar + meaning)


def _listed(value):
    return [value] if isinstance(value, str) else list(value)


def _section(title, lines):
    return f"{title}\n{'-' * len(title)}\n" + "\n".join(lines)


def _composed(short, parameters, found, texts):
    """A docstring of its parts; texts: tables that have the parameters, the nearest first."""
    out = [_sentence(short)]
    if parameters:
        out.append(_section("Parameters", [_of_parameter(p, texts) for p in parameters]))
    out.append(_section("Returns", [_described("", text) for text in _listed(found["returns"])]))
    if found.get("raises"):
        out.append(_section("Raises", [_described("", text) for text in found["raises"]]))
    if found.get("see"):
        out.append(_section("See Also", [_filled(found["see"], "")]))
    if found.get("notes"):
        parts = found["notes"].strip().split("\n\n")
        out.append(_section("Notes", ["\n\n".join(_filled(part, "") for part in parts)]))
    out.append(_section("Examples", [">>> import heddle as np", found["example"].strip()]))
    return "\n\n".join(out) + "\n"


# ---- ufuncs --------------------------------------------------------------------------------------

def _kinds(letters):
    """ "bool, integers, real or complex numbers": the kinds of the dtypes of these letters."""
    names = [name for name, of_kind in _KINDS if set(of_kind) & set(letters)]
    numbers = "" if names[-1] == "integers" or names == ["bool"] else " numbers"
    return " or ".join(filter(None, [", ".join(names[:-1]), names[-1]])) + numbers


_OPERANDS = ("Operand.", "The other operand. Both broadcast to one shape.")


def _inputs(ufunc):
    """{parameter: its text} of a ufunc's inputs, by its loops."""
    names = ["x"] if ufunc.nin == 1 else [f"x{k + 1}" for k in range(ufunc.nin)]
    found = {}
    for k, name in enumerate(names):
        letters = "".join(loop[k] for loop in ufunc.types)
        found[name] = f"array_like of {_kinds(letters)} | " + _OPERANDS[k]
        if k == 0 and "l" not in letters:
            found[name] += " Bools and integers are taken as real numbers."
    return found


def _result(ufunc, number):
    """The text of a ufunc's result, by its loops."""
    pairs = {(loop[0], loop[number - ufunc.nout]) for loop in ufunc.types}
    outs = {out for _, out in pairs}
    if outs == {"?"}:
        kind, rule = "ndarray of bool", ""
    elif len(outs) == 1:
        import numpy
        kind, rule = f"ndarray of {numpy.dtype(outs.pop())}", ""
    elif all(first == out for first, out in pairs):
        kind, rule = "ndarray", " of the dtype that the operands have together"
        rule = rule if ufunc.nin > 1 else " of the dtype of x"
    else:
        kind, rule = "ndarray", " of the dtype of x, real where that is complex"
    whose = "The result" if ufunc.nout == 1 else ("The first result", "The second result")[number]
    scalar = "; a scalar if no operand has an axis" if ufunc.signature is None else ""
    return f"{kind} | {whose}{',' if rule else ''}{rule}{scalar}. It is `out` if that is given."


def _of_ufunc(ufunc, short):
    found, shared = row("", ufunc.__name__)
    signature = inspect.signature(ufunc)
    line = f"{ufunc.__name__}{re.sub(r'<no value>', '...', str(signature))}"
    if ufunc.nin > 1:       # rows call their operands x and y
        short = re.sub(r"\b([xy])\b", lambda m: {"x": "x1", "y": "x2"}[m[1]], short)
    if "example" not in found:
        return f"{line}\n\n{_sentence(short)}"
    if "returns" not in found:
        found = {"returns": [_result(ufunc, k) for k in range(ufunc.nout)], **found}
    found = found | {"raises": [*found.get("raises", ()), *shared["raises"]]}
    texts = [found, {} if "x1" in found else _inputs(ufunc), shared]
    return f"{line}\n\n" + _composed(short, signature.parameters.values(), found, texts)


# ---- functions and methods -----------------------------------------------------------------------

def _of_function(value, short):
    space = (getattr(value, "__module__", None) or "").partition(".")[2]
    found, shared = row(space, getattr(value, "__name__", ""))
    if not found:
        return short
    return _composed(inspect.cleandoc(short), inspect.signature(value).parameters.values(), found,
                    [found, shared, table("common", "shared")])


def _of_method(value, short):
    name = value.__name__
    found, shared = row("", name)
    own, own_shared = row("", f"ndarray.{name}")
    found = {**found, **own}
    if "returns" not in found:      # no table, or that of a ufunc
        return short
    parameters = list(inspect.signature(value).parameters.values())[1:]
    return _composed(inspect.cleandoc(short), parameters, found,
                    [found, own_shared, shared, table("common", "shared")])


@lru_cache(maxsize=None)
def docstring(value, short):
    """The docstring of a function, a method or a ufunc of which the sources say short."""
    compose = {"function": _of_function, "method": _of_method}.get(type(value).__name__, _of_ufunc)
    try:
        return compose(value, short) if short else short
    except LookupError:     # a table that lacks something; tests/docs/test_sections.py sees it
        return short
