# SPDX-License-Identifier: BSD-3-Clause
"""The Python package as pages: reads docstrings and signatures, writes reStructuredText.

Docstrings have numpydoc's sections, or are plain text: a sentence, then paragraphs; what stands
further in is code. They are taken from the package that is imported, so functions in C have theirs
as well.
"""
import ast
import inspect
import re
import sys
import types
from importlib import import_module
from pathlib import Path

STUBS = Path(__file__).resolve().parent.parent / "python/heddle"
UFUNC_OPTIONS = frozenset("out where casting order dtype subok signature".split())
DUMMIES = re.compile(r"<object object at \w+>|<no value>|<_?NoValue>|<\w+\.\w+ object at \w+>")


def escape(text):
    """Plain text with `names` in literals."""
    out = []
    for piece in re.split(r"(``[^`]+``|`[^`]+`)", text):
        if piece.startswith("`") and piece.endswith("`") and len(piece) > 2:
            out.append("``" + piece.strip("`") + "``")
        else:
            out.append(re.sub(r"([\\*`|_])", r"\\\1", piece))
    return "".join(out)


def sentence(text):
    text = text.strip()
    text = text[:1].upper() + text[1:] if re.match(r"[a-z-]{2,} [a-z]", text) else text
    return text if not text or text[-1] in ".:?!" else text + "."


def described(entries):
    """A definition list of numpydoc's entries: a name, a type, a meaning."""
    out = []
    for name, kind, meaning in entries:
        term = " : ".join(filter(None, [f"``{name}``" if name else "", escape(kind)]))
        out += [term, f"    {escape(' '.join(meaning))}" if meaning else "    \\ "]
    return [*out, ""] if out else []


def linked(name):
    """A reference to a name of heddle, which NumPy's objects that it lends have none of."""
    heddle, numpy = import_module("heddle"), import_module("numpy")
    lent = "." not in name and getattr(heddle, name) is getattr(numpy, name, None)
    return f"``{name}``" if lent else f":py:obj:`{name} <heddle.{name}>`"


def sections(doc, ufunc):
    """The lines of a docstring with sections. What all ufuncs have in common the page says once."""
    from heddle import _docs
    from numpydoc.docscrape import NumpyDocString
    parts = NumpyDocString(doc)
    common = _docs.table("elementwise", "shared")["raises"] if ufunc else ()
    common = [text.split(" | ")[1] for text in common]
    out = body_of("\n".join([*parts["Summary"], "", *parts["Extended Summary"]]))
    for title in ("Parameters", "Returns", "Raises"):
        entries = [e for e in parts[title] if not (ufunc and e.name in UFUNC_OPTIONS) and
                   " ".join(e.desc) not in common]
        if entries:
            out += [f".. rubric:: {title}", "", *described(entries)]
    if parts["See Also"]:
        names = [name for group, _ in parts["See Also"] for name, _ in group]
        out += [".. rubric:: See also", "", ", ".join(map(linked, names)), ""]
    if parts["Notes"]:
        out += [".. rubric:: Notes", "", *body_of("\n".join(parts["Notes"]))]
    session = [line for line in parts["Examples"] if line != ">>> import heddle as np"]
    return [*out, ".. code-block:: python", "", *indented(session), ""]


def body_of(doc, parameters=(), ufunc=False):
    """A docstring's lines."""
    out, text = [], []

    def flush():
        if text:
            out.extend([escape(" ".join(text)), ""])
            text.clear()

    doc = inspect.cleandoc(doc)
    if "\n>>> import heddle as np\n" in doc:
        return sections(doc, ufunc)
    if re.search(r"^-{4,}$", doc, re.M):     # NumPy's own: its documentation has the rest
        doc = next(part for part in doc.split("\n\n") if not re.match(r"\w+\(", part))
        doc += "\n\nAs NumPy's."
    code = False
    for line in doc.split("\n"):
        indent = len(line) - len(line.lstrip())
        if not line.strip():
            if code:
                out.append("")
            flush()
        elif indent >= 4 or line.startswith(">>>"):
            if not code:
                flush()
                out.extend([".. code-block:: python", ""])
            code = True
            out.append("    " + (line if line.startswith(">>>") else line[4:]))
            continue
        else:
            if code:
                out.append("")
                code = False
            start = re.match(r"(\w+(?:, \w+)*): ", line)
            if start and set(start[1].split(", ")) <= set(parameters):
                flush()
            text.append(line.strip())
    flush()
    return [*out, ""]


def stub_signatures():
    """{name or class.name: parameters}, of the stubs for type checkers."""
    found = {}
    for path in STUBS.glob("*.pyi"):
        for node in ast.parse(path.read_text()).body:
            inner = node.body if isinstance(node, ast.ClassDef) else [node]
            prefix = node.name + "." if isinstance(node, ast.ClassDef) else ""
            for one in inner:
                if isinstance(one, ast.FunctionDef):
                    for argument in ast.walk(one.args):
                        if isinstance(argument, ast.arg):
                            argument.annotation = None
                    found.setdefault(prefix + one.name, f"({ast.unparse(one.args)})")
    return found


def signature_of(value, name, stubs):
    """Parameters as text, "()" where nobody knows them."""
    doc = inspect.getdoc(value) or ""
    if type(value).__name__ == "ufunc":     # all have the same options: the page says them once
        return doc[doc.index("("):doc.index(", /")] + ", /, out=None, **options)"
    try:
        text = str(inspect.signature(value))
    except (TypeError, ValueError):
        own = re.escape(name.split(".")[-1])
        first = re.match(rf"{own}(\(.*\))(?: ->.*)?$", doc.split("\n")[0])
        text = first[1] if first else stubs.get(name, "(...)")
    text = re.sub(r"<class '(?:\w+\.)*(\w+)'>", r"\1", DUMMIES.sub("...", text))
    text = re.sub(r"\((?:\$?self|cls)(?:, /)?(?:, )?", "(", text, count=1)
    return re.sub(r"<(\w+)[^>]*>", r"\1", text)


def doc_of(value, name):
    """The docstring without a signature in its first line."""
    doc = inspect.getdoc(value) or ""
    first, _, rest = doc.partition("\n")
    return rest.strip("\n") if first.startswith(name.split(".")[-1] + "(") and rest else doc


def indented(lines, by=4):
    return [" " * by + line if line else "" for line in lines]


def parameter_names(signature):
    return re.findall(r"[(, ]\*{0,2}([a-zA-Z]\w*)", signature)


def write_callable(kind, names, value, qualified, stubs):
    """The description of a function or method, with its other names."""
    signature = signature_of(value, qualified, stubs)
    doc = doc_of(value, qualified)
    if not doc.strip():
        raise ValueError(f"{qualified} has no docstring")
    lines = body_of(doc, parameter_names(signature), type(value).__name__ == "ufunc")
    lines[0] = sentence(lines[0])
    start = f".. py:{kind}:: "
    heads = [(start if at == 0 else " " * len(start)) + name + signature
             for at, name in enumerate(names)]
    return [*heads, "", *indented(lines), ""]


def members(cls):
    """(name, value) of a class's own public attributes and those of its bases in heddle."""
    found = {}
    for base in reversed(cls.__mro__):
        if base.__module__.split(".")[0] == "heddle" or base is cls:
            found.update((n, v) for n, v in vars(base).items() if not n.startswith("_"))
    return sorted(found.items())


def write_class(name, cls, module, stubs):
    signature = signature_of(cls, name, stubs)
    doc = body_of(inspect.getdoc(cls) or "", parameter_names(signature))
    doc[0] = sentence(doc[0])
    inner = []
    for member, value in members(cls):
        if isinstance(value, (staticmethod, classmethod)):
            value = value.__func__
        qualified = f"{name}.{member}"
        if callable(value) and not isinstance(value, type):
            if (inspect.getdoc(value) or "").strip():
                inner += write_callable("method", [member], value, qualified, stubs)
        elif inspect.isdatadescriptor(value) or isinstance(value, types.GetSetDescriptorType):
            lines = body_of(inspect.getdoc(value) or "")
            if not lines[0] or lines[0].startswith("Alias for field"):
                continue
            lines[0] = sentence(lines[0])
            inner += [f".. py:attribute:: {member}", "", *indented(lines), ""]
    if issubclass(cls, BaseException):
        signature, kind = "", "exception"
    else:
        kind = "class"
    return [f".. py:{kind}:: {name}{'' if signature == '(...)' else signature}", "",
            *indented(doc), *indented(inner), ""]


def write(module_name, names):
    """Descriptions of some names of a module, which share one if they are one object's."""
    module = import_module(module_name)
    stubs = stub_signatures() if module_name == "heddle" else {}
    aliases = {}
    for alias, of in getattr(module, "_ALIASES", {}).items():
        aliases.setdefault(of, []).append(alias)
    out = [f".. py:currentmodule:: {module_name}", ""]
    for name in names:
        value = getattr(module, name)
        if isinstance(value, type):
            out += write_class(name, value, module_name, stubs)
        elif callable(value) and not isinstance(value, types.ModuleType):
            out += write_callable("function", [name, *sorted(aliases.get(name, []))], value, name,
                                  stubs)
        else:
            lines = body_of(inspect.getdoc(value) or "")
            out += [f".. py:data:: {name}", "", *indented(lines)]
            for setting, one in members(type(value)):
                if isinstance(one, property):
                    text = body_of(inspect.getdoc(one) or "")
                    out += indented([f".. py:attribute:: {setting}", "", *indented(text)])
            out.append("")
    return out


def selected(module_name, words):
    """The names that a page asks for by words: a name; "heddle._joining" (all that it defines);
    "ufuncs"; "everything"; "own" (own_names())."""
    module = import_module(module_name)
    found = []
    for word in words:
        if word == "ufuncs":
            of = getattr(module, "_ALIASES", {})
            found += [n for n, v in vars(module).items()
                      if type(v).__name__ == "ufunc" and n not in of and not n.startswith("_")]
        elif word == "everything":
            found += module.__all__
        elif word == "own":
            found += own_names(module)
        elif "." in word:
            found += import_module(word).__all__
        else:
            found.append(word)
    return sorted(set(found), key=lambda n: (n.lower(), n))


def own_names(module):
    """Functions and classes that a module of heddle defines, and neither heddle nor NumPy has."""
    heddle, numpy = import_module("heddle"), import_module("numpy")
    found = []
    for name in getattr(module, "__all__", dir(module)):
        value = getattr(module, name, None)
        elsewhere = [getattr(other, name, None) for other in (heddle, numpy) if other is not module]
        if name.startswith("_") or isinstance(value, types.ModuleType) or not callable(value) or \
                (getattr(value, "__module__", None) or "").startswith("numpy"):
            continue
        if not any(value is other for other in elsewhere if other is not None):
            found.append(name)
    return found


def public_names():
    """Names of heddle that are its own and no second names: those that pages must have."""
    heddle, numpy = import_module("heddle"), import_module("numpy")
    found = set()
    for name in dir(heddle):
        value = getattr(heddle, name, None)     # bfloat16 is there where ml_dtypes is
        constant = isinstance(value, (float, str, types.ModuleType)) or value is None
        numpys = value is getattr(numpy, name, None)
        if not (name.startswith("_") or name in heddle._ALIASES or constant or numpys):
            found.add(name)
    return found - {"AxisError", "bfloat16", "ufunc"}     # not heddle's; ufunc: by hand


def callables():
    """{"heddle.sum", "heddle.ndarray.sum", ...: value}: what has, or will have, docstrings with
    sections. NumPy's bit generators bring their own."""
    heddle = import_module("heddle")
    found = {f"heddle.{name}": getattr(heddle, name) for name in public_names()}
    for inside in ("linalg", "fft", "random"):
        module = import_module(f"heddle.{inside}")
        found |= {f"heddle.{inside}.{name}": value for name in own_names(module)
                  if not hasattr(value := getattr(module, name), "_derived_from")}
    for path, cls in (("heddle.ndarray", heddle.ndarray),
                      ("heddle.random.Generator", heddle.random.Generator)):
        # CuPy's methods are there once heddle.cupy is imported
        found |= {f"{path}.{name}": value for name, value in members(cls)
                  if not (getattr(value, "__module__", None) or "").startswith("heddle.cupy")}
    return {name: value for name, value in sorted(found.items()) if callable(value)}


if __name__ == "__main__":
    print("\n".join(write(sys.argv[1], selected(sys.argv[1], sys.argv[2:]))))
