# SPDX-License-Identifier: BSD-3-Clause
"""stubs.py write|check: the stubs (.pyi) that follow from the Python sources.

Names of parameters, their order and defaults are those of python/heddle/*.py; their types and those
of results stand in tools/stubs.toml, by the name of the parameter and of the function. Stubs of what
is written in C are written by hand (_array.pyi, _heddle.pyi) or follow from the tables (gen.c).
"""
import ast
import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "python/heddle"
HEAD = ("# SPDX-License-Identifier: BSD-3-Clause\n"
        "# Made by tools/stubs.py from {source} and tools/stubs.toml: do not edit; `make gen` "
        "writes it again.\n")
WIDTH = 100

# What the table says of a module beside its functions: names left out, private classes that are
# wanted, lines before and after the rest, modules whose __all__ is part of its own.
OF_MODULES = frozenset(("skip", "classes", "head", "also", "parameters", "all-of"))


def literal(node):
    """The default as a stub may say it: what is no plain value is `...`."""
    try:
        ast.literal_eval(node)
    except ValueError:
        return "..."
    return ast.unparse(node)


def pieces(text):
    """Split at the commas outside of brackets."""
    depth, last, found = 0, 0, []
    for k, c in enumerate(text):
        depth += (c in "[(") - (c in "])")
        if c == "," and depth == 0:
            found.append(text[last:k].strip())
            last = k + 1
    rest = text[last:].strip()
    return found + [rest] if rest else found


def wrapped(head, items, tail, indent):
    """head(items) tail, in lines of 100 columns."""
    line = f"{indent}{head}({', '.join(items)}){tail}"
    if len(line) <= WIDTH:
        return line
    within = indent + " " * (len(head) + 1)
    lines, now = [], f"{indent}{head}("
    for k, item in enumerate(items):
        word = item + (", " if k < len(items) - 1 else ")" + tail)
        if len((now + word).rstrip()) > WIDTH and now.strip() and not now.endswith("("):
            lines.append(now.rstrip())
            now = within
        now += word
    return "\n".join([*lines, now])


def in_lines(line):
    """A function on one line, in lines of 100 columns."""
    start, end = line.index("("), line.rindex(")")
    return wrapped(line[:start], pieces(line[start + 1:end]), line[end + 1:], "")


def of_module(module, names):
    line = f"from {module} import {', '.join(names)}"
    return line if len(line) <= WIDTH else wrapped(f"from {module} import ", names, "", "")


class Stub:
    """The stub of one module."""

    def __init__(self, name, table):
        self.name, self.table = name, table
        self.types = table["modules"].get(name, {})
        self.path = PACKAGE / (name.replace(".", "/") + ".py")
        if not self.path.exists():
            self.path = PACKAGE / name.replace(".", "/") / "__init__.py"
        self.tree = ast.parse(self.path.read_text())
        self.lines = []
        self.used = set()

    # ---- functions ----

    def kind_of(self, key):
        """The overloads of a function: [({parameter: type}, type of the result)]."""
        given = self.types.get(key, self.table["methods"].get(key.rpartition(".")[2]))
        if given is None:
            given = "Any"
        self.used.add(key)
        given = self.table["kinds"].get(given, given) if isinstance(given, str) else given
        found = []
        for text in [given] if isinstance(given, str) else given:
            parameters, arrow, result = text.rpartition("->")
            types = dict(part.split(": ", 1) for part in pieces(parameters)) if arrow else {}
            found.append((types, result.strip()))
        return found

    def parameters(self, arguments, types, bound):
        """What stands between the parentheses. A parameter of which types asks has no default; where
        one before it has, it is given by keyword."""
        every = [*arguments.posonlyargs, *arguments.args]
        if bound:
            every = every[1:]
        order = [a.arg for a in (*every, arguments.vararg) if a]
        types = {order[int(name[1:]) - 1] if name[0] == "$" else name: t
                 for name, t in types.items()}
        unknown = set(types) - {a.arg for a in (*every, *arguments.kwonlyargs)}
        unknown -= {a.arg for a in (arguments.vararg, arguments.kwarg) if a}
        if unknown:
            raise SystemExit(f"{self.name}: no such parameter: {', '.join(sorted(unknown))}")
        defaults = [None] * (len(every) - len(arguments.defaults)) + arguments.defaults
        defaults = defaults[-len(every):] if every else []
        positional = len(arguments.posonlyargs) - bool(bound and arguments.posonlyargs)
        out, star, after = [bound] if bound else [], False, False
        for k, (a, default) in enumerate(zip(every, defaults)):
            asked = a.arg in types and not types[a.arg].endswith("= ...")
            if asked and after and not star:
                out.append("*")
                star = True
            after = after or (default is not None and not asked)
            out.append(self.parameter(a, None if asked else default, types))
            if k + 1 == positional:
                out.append("/")
        if arguments.vararg:
            out.append("*" + self.parameter(arguments.vararg, None, types))
        elif arguments.kwonlyargs and not star:
            out.append("*")
        for a, default in zip(arguments.kwonlyargs, arguments.kw_defaults):
            out.append(self.parameter(a, None if a.arg in types else default, types))
        if arguments.kwarg:
            out.append("**" + self.parameter(arguments.kwarg, None, types))
        return out

    def parameter(self, a, default, types):
        own = types.get(a.arg)
        if own is not None:
            return f"{a.arg}: {own}"
        kind = self.types.get("parameters", {}).get(a.arg)
        kind = kind or self.table["parameters"].get(a.arg, "Any")
        if default is None:
            return f"{a.arg}: {kind}"
        if literal(default) == "None" and kind != "Any" and "None" not in kind:
            kind = f"{kind} | None" if kind not in ("_Axis", "_Order", "_Norm") else kind
        return f"{a.arg}: {kind} = {literal(default)}"

    def function(self, node, inside=None):
        key = f"{inside}.{node.name}" if inside else node.name
        indent = "    " if inside else ""
        decorators = [ast.unparse(d) for d in node.decorator_list]
        own = [d for d in decorators if d in ("property", "classmethod", "staticmethod")
               or d.endswith(".setter")]
        bound = ""
        if inside and "staticmethod" not in own:
            bound = (node.args.posonlyargs + node.args.args)[0].arg
        if any(d.endswith(".setter") for d in own):
            self.lines += [f"{indent}@{own[0]}",
                           f"{indent}def {node.name}(self, {node.args.args[1].arg}: Any) -> None: ..."]
            return
        kinds = self.kind_of(key)
        for types, result in kinds:
            self.lines += [f"{indent}@overload"] * (len(kinds) > 1)
            self.lines += [f"{indent}@{d}" for d in own]
            items = self.parameters(node.args, types, bound)
            self.lines.append(wrapped(f"def {node.name}", items, f" -> {result}: ...", indent))

    # ---- classes ----

    def klass(self, node):
        bases = self.types.get(f"{node.name}.bases", ", ".join(map(ast.unparse, node.bases)))
        self.lines.append(f"class {node.name}({bases}):" if bases else f"class {node.name}:")
        before, seen = len(self.lines), set()
        for member in node.body:
            if isinstance(member, ast.FunctionDef):
                dunder = re.fullmatch(r"__\w+__", member.name)
                known = member.name in self.table["methods"] or member.name in ("__init__", "__new__")
                if (dunder and known) or not member.name.startswith("_"):
                    self.function(member, node.name)
                    seen.add(member.name)
                if member.name == "__init__":
                    self.attributes(member, seen)
            elif isinstance(member, (ast.Assign, ast.AnnAssign)):
                self.assigned(member, node.name, seen)
        for name in self.types.get(f"{node.name}.also", []):
            self.lines.append(f"    {name}")
        if len(self.lines) == before:
            self.lines.append("    ...")

    def assigned(self, node, inside, seen):
        target = node.targets[0] if isinstance(node, ast.Assign) else node.target
        if not isinstance(target, ast.Name) or target.id.startswith("_"):
            return
        if isinstance(node.value, ast.Name) and node.value.id in seen:
            self.lines.append(f"    {target.id} = {node.value.id}")
            return
        key = f"{inside}.{target.id}"
        kind = self.types.get(key)
        self.used.add(key)
        if kind is None and isinstance(node, ast.AnnAssign):
            kind = ast.unparse(node.annotation)
        seen.add(target.id)
        self.lines.append(f"    {target.id}: {kind or 'Any'}")

    def attributes(self, init, seen):
        """What __init__ gives every object of the class."""
        for node in ast.walk(init):
            if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) \
                    and isinstance(node.value, ast.Name) and node.value.id == "self" \
                    and not node.attr.startswith("_") and node.attr not in seen:
                seen.add(node.attr)
                self.lines.append(f"    {node.attr}: {self.kind_of('.' + node.attr)[0][1]}")

    # ---- the module ----

    def public(self):
        """Names of __all__, or None; what cannot be read off the source stands in the table."""
        for node in self.tree.body:
            if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "__all__":
                try:
                    return ast.literal_eval(node.value)
                except ValueError:
                    return None
        return None

    def text(self):
        names = self.public()
        own = set()
        skip = set(self.types.get("skip", []))

        def wanted(name):
            if name in skip:
                return False
            return name in names if names is not None else not name.startswith("_")

        imported = []
        for node in self.tree.body:
            if isinstance(node, ast.FunctionDef) and wanted(node.name):
                self.function(node)
                own.add(node.name)
            elif isinstance(node, ast.ClassDef) and (wanted(node.name) or
                                                     node.name in self.types.get("classes", [])):
                self.klass(node)
                own.add(node.name)
            elif isinstance(node, ast.ImportFrom):
                imported += self.imported(node, names, own)
            elif isinstance(node, ast.Assign):
                self.constants(node, wanted, own)
        for name in names or ():
            if name not in own and name not in skip:
                raise SystemExit(f"{self.name}: {name} of __all__ is nowhere in {self.path}")
        for line in self.types.get("also", []):
            self.lines.append(line if len(line) <= WIDTH else in_lines(line))
        unused = set(self.types) - self.used - OF_MODULES
        unused = {k for k in unused if not k.endswith((".bases", ".also"))}
        if unused:
            raise SystemExit(f"{self.name}: stubs.toml has what is not there: {sorted(unused)}")
        body = "\n".join(self.lines)
        imports = [*self.needed(body), *self.types.get("head", []), *imported]
        parts = [HEAD.format(source=self.path.relative_to(ROOT).as_posix()) + "\n".join(imports)]
        if names is not None or "all-of" in self.types:
            more = self.types.get("all-of", [])
            items = sorted({*(names or own), *(n for m in more for n in Stub(m, self.table).public())})
            items = [f'"{n}"' for n in items]
            parts.append(wrapped("__all__ = ", items, "", "").replace("(", "[", 1)[:-1] + "]")
        return "\n\n".join([p for p in (*parts, body) if p]) + "\n"

    def imported(self, node, names, own):
        found = []
        for alias in node.names:
            name = alias.asname or alias.name
            star = alias.name == "*" and (names is not None or "all-of" in self.types)
            if star or (names is not None and name in names):
                origin = "." * node.level + (node.module or "")
                found.append(f"from {origin} import *" if star else
                             f"from {origin} import {alias.name} as {name}")
                own.update([name] * (not star))
        return found

    def constants(self, node, wanted, own):
        for target in node.targets:
            for part in target.elts if isinstance(target, ast.Tuple) else [target]:
                if isinstance(part, ast.Name) and wanted(part.id) and part.id not in own:
                    self.used.add(part.id)
                    kind = self.types.get(part.id)
                    if kind is None and isinstance(node.value, ast.Name) and node.value.id in own:
                        self.lines.append(f"{part.id} = {node.value.id}")
                    else:
                        self.lines.append(f"{part.id}: {kind or 'Any'}")
                    own.add(part.id)

    def needed(self, body):
        """The imports of the names that the stub uses."""
        words = set(re.findall(r"[A-Za-z_]\w*", re.sub(r'"[^"]*"', "", body)))
        words |= {w for w in re.findall(r"\w+", body) if w in ("Literal",)}
        dots = "." * (self.name.count(".") + 1 + (self.path.name == "__init__.py"))
        dots = dots if self.name else "."
        found = {}
        here = self.name.replace(".", "/")
        for name, module in self.table["imports"].items():
            if name in words and module.lstrip(".") != here and not \
                    re.search(rf"^(?:def|class) {name}\b", body, re.M):
                where = dots + module[1:] if module.startswith(".") else module
                found.setdefault(where, []).append(name)
        order = sorted(found, key=lambda m: (m.startswith("."), m != "collections.abc", m))
        lines = [f"import {m}" for m in ("numpy", "types") if re.search(rf"\b{m}\.", body)]
        return [*lines, *(of_module(m, found[m]) for m in order)]


# ---- operators -----------------------------------------------------------------------------------

def operators(table):
    """_operators.pyi: those of ndarray, each with the overloads of its kind."""
    lines = [HEAD.format(source="its [operators]").replace("and tools/stubs.toml", "in tools/stubs.toml")
             + "\n".join(table["operators"]["imports"]), ""]
    lines += table["operators"]["types"] + ["@type_check_only", "class Operators(Generic[_Kind]):"]
    for kind, names in table["operators"]["names"].items():
        for name in names:
            for text in table["operators"][kind]:
                mine, other, result = (part.strip() for part in re.split(r"[;]|->", text))
                mine = mine.replace("NDArray[", "_Own[", 1)
                lines += ["    @overload"] * (len(table["operators"][kind]) > 1)
                lines.append(wrapped(f"def __{name}__", [f"self: {mine}", f"other: {other}", "/"],
                                     f" -> {result}: ...", "    "))
    return "\n".join(lines) + "\n"


def stubs():
    """{path: text} of every stub that is made here."""
    with open(ROOT / "tools/stubs.toml", "rb") as f:
        table = tomllib.load(f)
    made = {}
    for name in table["modules"]:
        stub = Stub(name, table)
        made[stub.path.with_suffix(".pyi")] = stub.text()
    made[PACKAGE / "_operators.pyi"] = operators(table)
    return made


def main(argv):
    if argv not in (["write"], ["check"]):
        sys.exit("usage: stubs.py write|check")
    stale = [(path, text) for path, text in stubs().items()
             if not path.exists() or path.read_text() != text]
    for path, text in stale:
        name = path.relative_to(ROOT)
        if argv == ["write"]:
            path.write_text(text)
            print(f"wrote {name}")
        else:
            print(f"{name} does not follow from the sources: run make gen and commit it")
    return 1 if stale and argv == ["check"] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
