# SPDX-License-Identifier: BSD-3-Clause
"""Links and paths in the documents: what they name must be there."""
import re

FOLDERS = "include|src|python|tests|bench|examples|docs|tools|cmake"
LAYERS = "base|core|window|fuse|ops|backend|exec"
LINK = re.compile(r"\]\(([^):#]+)\)")
PATH = re.compile(rf"`((?:{FOLDERS})/[\w./-]+)`")
BELOW_SRC = re.compile(rf"`((?:{LAYERS})/[\w./-]+)`")
# Places of parts that do not exist yet; the documents say so.
PLANNED = re.compile(r"src/(codegen|transform|kernel|dist|backend/cuda)/$")


def documents(root):
    return [*sorted(root.glob("*.md")), *sorted((root / "docs").rglob("*.md"))]


def check(root):
    """What is named and not there, and how many names were looked at."""
    wrong, seen = [], 0
    for path in documents(root):
        text = path.read_text()
        targets = [path.parent / t for t in LINK.findall(text)]
        targets += [root / t for t in PATH.findall(text) if not PLANNED.match(t)]
        targets += [root / "src" / t for t in BELOW_SRC.findall(text)]
        wrong += [f"{path.name}: {t.relative_to(root)}" for t in targets if not t.exists()]
        seen += len(targets)
    return wrong, seen
