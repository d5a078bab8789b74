# SPDX-License-Identifier: BSD-3-Clause
"""The functions that the public headers declare, read after the preprocessor."""
import re
import subprocess
from typing import NamedTuple


class Parameter(NamedTuple):
    type: str      # without const, spaces single, stars at the end: "hd_array **"
    name: str


class Prototype(NamedTuple):
    name: str
    returns: str
    parameters: list


def split_declarator(text):
    """'const hd_array *const *index' is ('hd_array **', 'index')."""
    name = re.search(r"(\w+)\s*$", text)[1]
    words = re.sub(r"\b(const|struct|extern)\b", " ", text[:text.rindex(name)])
    kind = " ".join(words.replace("*", " ").split())
    return kind + " " * ("*" in words) + "*" * words.count("*"), name


def parameters_of(text):
    pointers = re.sub(r"\w+\s*\(\s*\*\s*(\w+)\s*\)\s*\([^()]*\)", r"void *\1", text)   # to functions
    if pointers.strip() == "void":
        return []
    return [Parameter(*split_declarator(p)) for p in pointers.split(",")]


def prototypes(root):
    """{name: Prototype}, of every header of include/heddle."""
    found = {}
    for header in sorted((root / "include/heddle").glob("*.h")):
        text = subprocess.run(["gcc", "-E", "-P", "-DHDI_BUILD", "-Iinclude", header], cwd=root,
                              check=True, capture_output=True, text=True).stdout
        for declared in re.findall(r'visibility\("default"\)\)\)([^;{]*)[;{]', text):
            head, rest = declared.split("(", 1)
            returns, name = split_declarator(head)
            found[name] = Prototype(name, returns, parameters_of(rest[:rest.rindex(")")]))
    return found
