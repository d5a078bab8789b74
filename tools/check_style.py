# SPDX-License-Identifier: BSD-3-Clause
"""Checks what CONTRIBUTING.md promises about the sources. Exit status 1 on a fault.

An exception is written where it is, with its reason: /* long: reason */ in a function over the cap,
/* allowed: reason */ on a line that uses a forbidden call.
"""
import re
import sys
from pathlib import Path

FOLDERS = ["include", "src", "python", "tests", "examples", "bench", "tools", "cmake"]
FILES = ["CMakeLists.txt", "Makefile", "pyproject.toml", ".ci/run"]
C_SUFFIXES = (".c", ".h", ".hpp", ".cpp", ".def", ".cu", ".cuh")
SUFFIXES = (*C_SUFFIXES, ".py", ".pyi", ".sh", ".cmake")

MAX_FILE = 600
MAX_FUNCTION = 70
WIDTH = 100             # of C; elsewhere lines over this are counted and reported ...
MAX_WIDTH = 150         # ... and over this refused; rows of a table may be as wide as they need
MAX_WIDE_SHARE = 0.01   # and no more than this share of all lines may be wide

FORBIDDEN = re.compile(r"(?<![\w.>])(abort|exit|_exit|_Exit|quick_exit|printf|vprintf|puts|putchar"
                       r"|perror|setjmp|longjmp)\s*\("
                       r"|(?<!\w)(?:v?fprintf|fputs|fwrite)\s*\([^;]*\bstd(?:out|err)\b")
COMMENT_OR_STRING = re.compile(r'/\*.*?\*/|//[^\n]*'
                               r'|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'', re.DOTALL)
FUNCTION_NAME = re.compile(r"(\w+)\s*\(")


def strip_c(text):
    """C text without the insides of comments and strings; lines stay where they are."""
    def blank(match):
        body = match[0]
        return '""' if body[0] in "\"'" else "\n" * body.count("\n") or " "
    return COMMENT_OR_STRING.sub(blank, text)


def is_table(path):
    return path.suffix == ".def"


def is_generated(text):
    return re.search(r"made by tools/\S+ from", text[:400], re.IGNORECASE) is not None


def check_head(path, text):
    lines = text.split("\n")
    first = 1 if lines[0].startswith("#!") else 0
    mark = "/*" if path.suffix in C_SUFFIXES else "#"
    want = f"{mark} SPDX-License-Identifier: BSD-3-Clause" + (" */" if mark == "/*" else "")
    if len(lines) <= first or lines[first] != want:
        yield first + 1, f"the first line must be: {want}"
        return
    title = re.match(r"/\* (\S+) - ", lines[first + 1] if len(lines) > first + 1 else "")
    if path.suffix in (".h", ".hpp", ".def") and not title:
        yield first + 2, f"a header opens with: /* {path.name} - what it is for"
    if title and title[1] != path.name:
        yield first + 2, f"the comment calls this file {title[1]}"


def width_cap(path):
    return WIDTH if path.suffix in C_SUFFIXES and "tests" not in path.parts else MAX_WIDTH


def check_lines(path, text):
    for number, line in enumerate(text.split("\n"), 1):
        if line != line.rstrip():
            yield number, "space at the end of the line"
        if "\t" in line and path.name != "Makefile":
            yield number, "tab"
        if len(line) > width_cap(path) and not is_table(path):
            yield number, f"{len(line)} columns, cap {width_cap(path)}"
        # Spelled apart, so that this file may name them.
        if re.search(r"\b(" + "TO" "DO|FIX" "ME|XX" "X)\\b", line):
            yield number, "a note of unfinished work: finish it, or file an issue"
    if not text.endswith("\n") or text.endswith("\n\n"):
        yield text.count("\n") + 1, "the file must end with exactly one newline"


def functions(code):
    """(name, first line, last line) of each function: its braces stand in column 0."""
    lines = code.split("\n")
    start = None
    for number, line in enumerate(lines, 1):
        if line.rstrip() == "{":
            start = number
        elif line.startswith("}") and start is not None:
            head, at = "", start - 2
            while at >= 0 and lines[at].strip() and lines[at][0] not in "}#":
                head = lines[at] + " " + head
                at -= 1
            names = FUNCTION_NAME.findall(head)
            yield (names[0] if names else "?"), start, number
            start = None


def check_functions(path, text, code, report):
    lines = text.split("\n")
    for name, start, end in functions(code):
        length = end - start - 1
        report.lengths.append(length)
        if length <= MAX_FUNCTION:
            continue
        body = "\n".join(lines[max(0, start - 3):end])
        if re.search(r"/\* long: \S", body):
            report.excused.append(f"{report.where}:{start}: {name}, {length} lines")
        else:
            yield start, (f"{name} has {length} lines, cap {MAX_FUNCTION}: "
                          "split it, or say /* long: reason */")


# How the library's lock is given back and taken.
UNLOCKS = re.compile(r"\bhdi_(unlock|finish|leave|done)\w*\(")
LOCKS = re.compile(r"\bhdi_(lock|enter)\(")


def check_lock(text, code, report):
    """A function that gives the lock back and takes it again is an operation in its middle."""
    lines, texts = code.split("\n"), text.split("\n")
    for name, start, end in functions(code):
        away = False
        for number in range(start, end):
            line = lines[number - 1]
            if away and LOCKS.search(line):
                if re.search(r"/\* allowed: \S", texts[number - 1]):
                    report.excused.append(f"{report.where}:{number}: {line.strip()}")
                else:
                    yield number, (f"{name} takes the lock again: hdi_step_out() and hdi_step_in() "
                                   "keep what it knows meanwhile")
            # after `return` the next lines are another way through the function
            away = away or (UNLOCKS.search(line) is not None and "return" not in line)
            if re.match(r"\s+return\b", line):
                away = False


def check_c(path, text, report):
    code = strip_c(text)
    lines = text.split("\n")
    for number, line in enumerate(code.split("\n"), 1):
        jump = re.search(r"\bgoto\s+(\w+)", line)
        if jump and jump[1] != "done":
            yield number, f"goto {jump[1]}: the only label is done"
        if re.match(r"\s*#\s*if\s+0\b", line):
            yield number, "#if 0: delete dead code"
        if report.where.startswith("src/") and FORBIDDEN.search(line):
            if re.search(r"/\* allowed: \S", lines[number - 1]):
                report.excused.append(f"{report.where}:{number}: {line.strip()}")
            else:
                yield number, f"a library neither prints nor ends the process: {line.strip()}"
    if report.where.startswith("src/") and not report.where.startswith("src/base/lock"):
        yield from check_lock(text, code, report)
    if path.suffix != ".h" or "static inline" in code:
        yield from check_functions(path, text, code, report)


class Report:
    def __init__(self):
        self.where, self.files, self.lines, self.wide = "", 0, 0, 0
        self.lengths, self.excused, self.faults = [], [], []

    def add(self, root, path):
        self.where = path.relative_to(root).as_posix()
        text = path.read_text()
        count = text.count("\n")
        self.files += 1
        self.lines += count
        if width_cap(path) > WIDTH and not is_table(path) and not is_generated(text):
            self.wide += sum(len(line) > WIDTH for line in text.split("\n"))
        found = [*check_head(path, text), *check_lines(path, text)]
        if path.suffix in C_SUFFIXES:
            found += check_c(path, text, self)
        exempt = is_table(path) or is_generated(text) or self.where.startswith("tests/")
        if count > MAX_FILE and not exempt:
            found.append((1, f"{count} lines, cap {MAX_FILE}"))
        self.faults += [f"{self.where}:{line}: {fault}" for line, fault in found]

    def close(self):
        if self.wide > MAX_WIDE_SHARE * self.lines:
            self.faults.append(f"{self.wide} of {self.lines} lines are over {WIDTH} columns")

    def summary(self):
        lengths = sorted(self.lengths) or [0]
        return (f"{self.files} files, {self.lines} lines ({self.wide} over {WIDTH} columns); "
                f"{len(lengths)} functions, median {lengths[len(lengths) // 2]} lines, "
                f"p90 {lengths[len(lengths) * 9 // 10]}; "
                f"{len(self.excused)} exceptions with a reason")


def sources(root):
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            if path.is_file() and path.suffix in SUFFIXES:
                yield path
    yield from (root / name for name in FILES if (root / name).is_file())


def check(root):
    report = Report()
    for path in sources(root):
        report.add(root, path)
    report.close()
    return report


def main():
    report = check(Path(__file__).resolve().parent.parent)
    if "-v" in sys.argv:
        print("\n".join("exception: " + line for line in report.excused))
    print("\n".join(report.faults + [report.summary(), f"{len(report.faults)} faults"]))
    return 1 if report.faults else 0


if __name__ == "__main__":
    sys.exit(main())
