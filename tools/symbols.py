# SPDX-License-Identifier: BSD-3-Clause
"""Which files define, declare and use the names hd_... and hdi_..., read from the sources alone.

What is external begins in column 0, as in all sources here. A name that only a macro makes belongs to
the file that calls the macro in column 0 with it, else to those that paste names of its beginning.
"""
import re
from collections import defaultdict

NOT_CODE = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.DOTALL)
NAME = re.compile(r"\bhdi?_\w*\w")
SPECIFIERS = (r"^(?!static\b(?! inline\b)|typedef\b|(?:struct|union|enum)\s+\w+\s*;)"
              r"[A-Za-z_][\w \t*()]*?[ *]")
ATTRIBUTE = r"(?:\s*__attribute__\s*\(\([^;{]*\)\))?"
FUNCTION = re.compile(SPECIFIERS + r"(hdi?_\w+)\s*\([^;{}]*\)" + ATTRIBUTE + r"\s*([;{])", re.MULTILINE)
VARIABLE = re.compile(SPECIFIERS + r"(?:\(\*)?(hdi?_\w+)(?:\)\([^;{}=]*\)|\[[^\]]*\])*" + ATTRIBUTE
                      + r"((?:\s*,\s*\**hdi?_\w+)*)\s*[=;]", re.MULTILINE)
MADE = re.compile(r"^[A-Z]\w*\(([^;{}()]*)", re.MULTILINE)            # ASKED(int, hd_ndim, ...)
PASTED = re.compile(r"\b(hdi?_(?:\w*_)?)(?=##|,)")                    # hd_##name, CAT(hdi_loops_, isa)


class Symbols:
    """Of {path: text}; for each name the paths that define, declare and use it."""

    def __init__(self, files):
        self.defined, self.declared, self.used, self.made, self.pasted = (
            defaultdict(set) for _ in range(5))
        for path, text in files.items():
            self.read(path, NOT_CODE.sub(" ", text))
        for name in self.declared.keys() - self.defined.keys():
            if found := self.made.get(name) or self.pasting(name):
                self.defined[name] = found

    def read(self, path, code):
        for name, end in FUNCTION.findall(code):
            (self.defined if end == "{" else self.declared)[name].add(path)
        for found in VARIABLE.finditer(code):
            kind = self.declared if found[0].startswith("extern") else self.defined
            for name in [found[1], *NAME.findall(found[2])]:
                kind[name].add(path)
        for name in set(NAME.findall(code)):
            self.used[name].add(path)
        for arguments in MADE.findall(code):
            for name in NAME.findall(arguments):
                self.made[name].add(path)
        for beginning in PASTED.findall(code):
            self.pasted[beginning].add(path)

    def pasting(self, name):
        beginnings = [b for b in self.pasted if name.startswith(b)]
        return self.pasted[max(beginnings, key=len)] if beginnings else None
