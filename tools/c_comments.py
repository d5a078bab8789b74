# SPDX-License-Identifier: BSD-3-Clause
"""The public headers as pages: reads their comments and declarations, writes reStructuredText.

    c_comments.py           what is wrong with the comments of include/heddle: status 1
    c_comments.py array.h   the page of a header

A comment in column 0 belongs to the declarations under it, up to an empty line or the next comment.
Where it opens with "hd_name - " it names all functions that it is about. A comment that another one
or an empty line follows is a remark between them. A comment behind a prototype is about that one.
"""
import re
import sys
import textwrap
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
HEADERS = ROOT / "include/heddle"

SECTION = re.compile(r"/\* -{4} (.*?) -+ \*/$")
FUNCTION = re.compile(r"HD_API\b(.*?\b(hd_\w+)\s*\(.*)\)\s*;\s*(?:/\*(.*)\*/)?\s*$", re.S)
TYPE = re.compile(r"typedef\s+(?:(?:enum|struct|union)\b.*?(?:\}\s*|\w+\s+)(\w+)\s*;"
                  r"|[^(]*\(\*(\w+)\).*;)", re.S)
MACRO = re.compile(r"#define\s+(HD_\w+)(\(\w*\))?")
NAMES = re.compile(r"hd_\w+(?:, hd_\w+)* - ")


@dataclass
class Group:
    """Declarations under one comment."""
    comment: list
    functions: list = field(default_factory=list)    # (name, prototype, comment behind it)
    others: list = field(default_factory=list)       # (name, text) of types, macros, enums
    line: int = 0


@dataclass
class Header:
    name: str
    title: str = ""
    about: list = field(default_factory=list)
    parts: list = field(default_factory=list)        # str: a section; list: a remark; Group
    faults: list = field(default_factory=list)

    def groups(self):
        return [part for part in self.parts if isinstance(part, Group)]


def comment_lines(text):
    """The lines of a comment without its stars."""
    inner = text.strip()[2:-2]
    lines = [re.sub(r"^ \*( |$)", "", line).rstrip() for line in inner.split("\n")]
    lines[0] = lines[0].strip()
    return lines if lines[-1] else lines[:-1]


def chunks(text):
    """(line, text) of each comment, declaration and empty line between declarations."""
    lines = text.split("\n")
    at = 0
    while at < len(lines):
        start = at
        line = lines[at]
        if line.startswith("/*"):
            while "*/" not in lines[at]:
                at += 1
        elif line.startswith("#define"):
            while lines[at].endswith("\\"):
                at += 1
        elif line.strip() and not line.startswith("#"):
            depth = line.count("{") - line.count("}")
            while depth > 0 or ";" not in re.sub(r"/\*.*?\*/", "", lines[at]):
                at += 1
                depth += lines[at].count("{") - lines[at].count("}")
            while lines[at].count("/*") > lines[at].count("*/"):
                at += 1
        at += 1
        yield start + 1, "\n".join(lines[start:at])


def inside(text):
    """What stands between the guards for C++, with the number of its first line."""
    begin = re.search(r'extern "C" \{\n#endif\n', text)
    if begin is None:
        return "", 0
    end = text.rindex("#ifdef __cplusplus")
    return text[begin.end():end], text[:begin.end()].count("\n")


def read(path):
    text = path.read_text()
    head = re.search(r"\n(/\*.*?\*/)", text, re.S)[1]
    lines = comment_lines(head)
    header = Header(path.name)
    opening = []
    while lines and not re.match(r"\w+(?: \w+)?  +\S", lines[0]):
        opening.append(lines.pop(0).strip())
    header.title = " ".join(opening).removeprefix(f"{path.name} - ")
    header.about = lines
    body, first = inside(text)
    pending, group = None, None
    for line, chunk in chunks(body):
        section = SECTION.match(chunk)
        if section or not chunk.strip() or chunk.startswith("/*"):
            if pending is not None:
                header.parts.append(pending)
            pending, group = None, None
            if section:
                header.parts.append(section[1])
            elif chunk.strip():
                pending = comment_lines(chunk)
            continue
        if chunk.startswith(("#if", "#endif", "#undef", "#else")):
            continue
        if group is None:
            group = Group(pending or [], line=first + line)
            header.parts.append(group)
            pending = None
        add(header, group, first + line, chunk)
    return header


def add(header, group, line, chunk):
    """A declaration to a group."""
    found = FUNCTION.match(chunk)
    if found:
        prototype = " ".join(found[1].split()) + ")"
        group.functions.append((found[2], prototype, " ".join((found[3] or "").split())))
        return
    kind = TYPE.match(chunk)
    name = re.search(r"\}\s*(\w+)\s*;[^}]*$", chunk) if "{" in chunk else None
    macro = MACRO.match(chunk)
    if kind:
        group.others.append((name[1] if name else kind[1] or kind[2], chunk))
    elif macro:
        if all(macro[1] != name for other in header.groups() for name, _ in other.others):
            group.others.append((macro[1], chunk))
    elif chunk.startswith("enum"):
        group.others.append(("", chunk))
    else:
        header.faults.append(f"{header.name}:{line}: cannot be read: {chunk.splitlines()[0]}")


def faults_of(header):
    """What is wrong with a header's comments, a line each."""
    found = list(header.faults)
    for group in header.groups():
        text = " ".join(group.comment)
        named = NAMES.match(text) is not None
        for name, _, behind in group.functions:
            fault = ""
            if not text and not behind:
                fault = f"{name}() has no comment"
            elif named and not behind and not re.search(rf"\b{name}\b", text):
                fault = f"the comment of {name}() names others only"
            if fault:
                found.append(f"{header.name}:{group.line}: {fault}")
    return found


def headers():
    return [read(path) for path in sorted(HEADERS.glob("*.h"))]


def functions():
    """Names of all functions, in order, as often as they are declared."""
    groups = [group for header in headers() for group in header.groups()]
    return [name for group in groups for name, _, _ in group.functions]


# ---- reStructuredText ----------------------------------------------------------------------------

def escape(text):
    return re.sub(r"([\\*`|_])", r"\\\1", text)


def prose(text, known):
    """A sentence, with functions as links."""
    parts = []
    for piece in re.split(r"(\bhd_\w+(?:\([^()]*\))?)", text):
        name = piece.split("(")[0]
        if name in known:
            shown = piece if piece.endswith(")") else name + "()"
            parts.append(f":c:func:`{shown} <{name}>`\\ ")
        else:
            parts.append(escape(piece))
    return "".join(parts)


def paragraphs(lines, known):
    """A comment: text, lists of a word with what it means, and code that stands further in. A line
    that begins with a function's name begins a paragraph."""
    out, text, fields = [], [], []

    def flush():
        if text:
            out.extend([*textwrap.wrap(prose(" ".join(text), known), 10**6), ""])
            text.clear()
        for name, words in fields:
            out.extend([f"**{escape(name)}**", "    " + prose(" ".join(words), known), ""])
        fields.clear()

    code = False
    for line in lines:
        field_line = re.match(r"(\w+(?: \w+)?) {2,}(\S.*)", line)
        if field_line:
            if text:
                flush()
            fields.append((field_line[1], [field_line[2]]))
        elif fields and re.match(r" {8,}\S", line):
            fields[-1][1].append(line.strip())
        elif line.startswith("    "):
            if not code:
                flush()
                out.extend([".. code-block:: c", ""])
            out.append("    " + line.strip())
            code = True
            continue
        else:
            if fields:
                flush()
            if code:
                out.append("")
            if NAMES.match(line):
                flush()
            text.append(line.strip())
        code = False
    if code:
        out.append("")
    flush()
    return out


def indented(lines):
    return [("    " + line) if line else "" for line in lines]


def write_group(group, known):
    """One description for all of a group's functions, its types before them."""
    out = []
    comment = list(group.comment)
    for name, text in group.others:
        kind = "macro" if text.startswith("#define") else "type"
        body = [".. code-block:: c", "", *indented(text.split("\n")), ""]
        if comment and not group.functions:
            body = paragraphs(comment, known) + body
            comment = []
        out += [f".. c:{kind}:: {name}", "", *indented(body), ""] if name else [*body, ""]
    if not group.functions:
        return out
    if len(group.functions) == 1 and comment:
        comment[0] = comment[0].removeprefix(f"{group.functions[0][0]} - ")
        if re.match(r"[a-z-]{2,} [a-z]", comment[0]):
            comment[0] = comment[0][:1].upper() + comment[0][1:]
    starts = ".. c:function:: "
    for at, (_, prototype, _) in enumerate(group.functions):
        out.append((starts if at == 0 else " " * len(starts)) + prototype)
    out.append("")
    body = paragraphs(comment, known) if comment else []
    for name, _, behind in group.functions:
        if behind:
            subject = f":c:func:`{name}`: " if len(group.functions) > 1 else ""
            body += [subject + prose(behind, known), ""]
    return out + indented(body) + [""]


def page(header, known):
    """A header's page below its title, as lines."""
    title = header.title[:1].upper() + header.title[1:]
    out = [escape(title) + "." * (not title.endswith(".")), ""]
    out += paragraphs(header.about, known)
    for part in header.parts:
        if isinstance(part, str):
            out += [part[0].upper() + part[1:], "-" * len(part), ""]
        elif isinstance(part, Group):
            out += write_group(part, known)
        else:
            out += paragraphs(part, known)
    return out


def main():
    every = headers()
    if len(sys.argv) > 1:
        known = set(functions())
        print("\n".join(page(next(h for h in every if h.name == sys.argv[1]), known)))
        return 0
    found = [fault for header in every for fault in faults_of(header)]
    print("\n".join(found + [f"{len(functions())} functions, {len(found)} faults"]))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
