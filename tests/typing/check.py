# SPDX-License-Identifier: BSD-3-Clause
"""check.py: what mypy says of the stubs, and of programs that use them.

    stubs       every .pyi of the package, strictly
    typed       the files of this folder, strictly: assert_type() says what each expression is
    truth       the same files, run: each array has the dtype that assert_type() names
    numpy       the same expressions with numpy for heddle: where NumPy's stubs name a dtype, or no
                array at all, it must be ours too, unless a comment says why; shapes are not
                compared, and a scalar of NumPy's is an array of ours
    mistakes    wrong.py has the errors that it says, and no others
    examples    examples/*.py, strictly
    programs    tests/programs with heddle for numpy: no error where NumPy's stubs give none, but
                those of programs.txt
    pyright     the files of this folder by pyright, strictly, wrong.py too
    stubtest    the stubs beside the package as it is imported, but for allowlist.txt

Without arguments all of them. The package that PYTHONPATH leads to is asked. The last line counts.
"""
import ast
import importlib.metadata
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import typing
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
PACKAGE = ROOT / "python"
WORK = Path(os.environ.get("HEDDLE_TYPES_CACHE", ROOT / "build/test/mypy"))
TYPED = ("creation", "operators", "indexing", "reductions")
INEXACT = re.compile(r"\bAny\b|\bobject\b|\b(?:number|generic)\b|floating\[Any|integer\[Any")


def mypy(config, *files, cwd=ROOT):
    """The lines that mypy prints."""
    command = [sys.executable, "-m", "mypy", "--config-file", HERE / config, "--cache-dir",
               WORK / config, "--no-error-summary", "--scripts-are-modules", *files]
    env = os.environ | {"MYPYPATH": str(PACKAGE)}
    done = subprocess.run(list(map(str, command)), cwd=cwd, env=env, check=False, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode not in (0, 1):
        sys.exit(f"mypy ended with status {done.returncode}:\n{done.stdout}")
    return [line for line in done.stdout.splitlines() if ": error:" in line or ": note: Rev" in line]


def strictly(files):
    files = sorted(files)
    return len(files), mypy("mypy.ini", *files)


def stubs():
    return strictly(PACKAGE.rglob("*.pyi"))


def typed_files():
    return [HERE / f"{name}.py" for name in (*TYPED, "heddle_only")]


def typed_count():
    return sum(f.read_text().count("assert_type(") for f in typed_files())


def typed():
    return typed_count(), strictly(typed_files())[1]


def examples():
    return strictly((ROOT / "examples").glob("*.py"))


# ---- beside NumPy's stubs ------------------------------------------------------------------------

def closing(text, start):
    """Where the bracket that opens at start closes."""
    depth = 0
    for k in range(start, len(text)):
        depth += (text[k] == "[") - (text[k] == "]")
        if depth == 0:
            return k
    raise ValueError(text)


def dtypes_of(revealed):
    """A revealed type with arrays and dtypes as their scalar types."""
    text = revealed.replace("heddle._array.", "").replace("numpy.ndarray[", "ndarray[")
    text = re.sub(r"\b(?:numpy|builtins)\.(?:_typing\._nbit_base\.)?", "", text)
    text = text.replace("_typing._nbit_base.", "").replace("floating[_64Bit]", "float64")
    while (at := text.find("ndarray[")) >= 0:
        end = closing(text, at + len("ndarray"))
        kind = text.rindex("dtype[", at, end) if "dtype[" in text[at:end] else None
        inner = text[kind + len("dtype["):closing(text, kind + len("dtype"))] if kind else "Any"
        text = text[:at] + inner + text[end + 1:]
    return text.removesuffix("?")


def revealed(library, folder):
    """{(file, line): type} of every assert_type()."""
    folder = folder / library
    folder.mkdir()
    for name in TYPED:
        text = (HERE / f"{name}.py").read_text()
        lines = text.splitlines()
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "assert_type":
                start, shown = node.col_offset, ast.get_source_segment(text, node.args[0])
                lines[node.lineno - 1] = f"{' ' * start}reveal_type({shown})"
        (folder / f"{name}.py").write_text("\n".join(lines).replace("heddle", library))
    found = {}
    for line in mypy("mypy.ini", *(f"{name}.py" for name in TYPED), cwd=folder):
        if match := re.match(r'(\w+)\.py:(\d+): note: Revealed type is "(.*)"', line):
            found[match[1], int(match[2])] = dtypes_of(match[3])
    return found


def numpy():
    with tempfile.TemporaryDirectory() as folder:
        ours, theirs = (revealed(name, Path(folder)) for name in ("heddle", "numpy"))
    faults, same = [], 0
    for place, want in sorted(theirs.items()):
        got = ours.get(place)
        line = (HERE / f"{place[0]}.py").read_text().splitlines()[place[1] - 1]
        if not INEXACT.search(want) and got != want and "# NumPy's stubs: " not in line:
            faults.append(f"{place[0]}.py:{place[1]}: error: {got}, and NumPy's is {want}")
        same += got == want
    print(f"{len(theirs)} expressions, {same} with NumPy's type")
    return same, faults


def truth():
    """Runs the files: what assert_type() is given has the dtype that it names."""
    import heddle
    seen, faults = [], []

    def compare(value, hint):
        dtype = typing.get_args(typing.get_args(hint)[1])[0] if isinstance(value, heddle.ndarray) \
            and typing.get_origin(hint) is heddle.ndarray else None
        if isinstance(dtype, type) and dtype is not typing.Any:
            seen.append(dtype)
            if value.dtype != dtype:
                line = sys._getframe(1).f_lineno
                faults.append(f"{name}.py:{line}: error: {value.dtype} when run, not {dtype}")
        return value

    for name in (*TYPED, "heddle_only"):
        code = compile((HERE / f"{name}.py").read_text(), name, "exec")
        typing.assert_type, known = compare, typing.assert_type
        try:
            exec(code, {"__name__": name})
        finally:
            typing.assert_type = known
    return len(seen), faults


def wanted_mistakes():
    """{line of wrong.py: code of the error that it says}"""
    wanted = {}
    for number, line in enumerate((HERE / "wrong.py").read_text().splitlines(), 1):
        if match := re.search(r"# error: ([\w-]+)$", line):
            wanted[number] = match[1]
    return wanted


def mistakes():
    wanted, found = wanted_mistakes(), {}
    for line in mypy("mypy.ini", HERE / "wrong.py"):
        match = re.search(r":(\d+): error: .*\[([\w-]+)\]$", line)
        found[int(match[1])] = match[2]
    both = sorted({*wanted, *found})
    return len(wanted), [f"wrong.py:{n}: error: {found.get(n)}, not {wanted.get(n)}" for n in both
                         if wanted.get(n) != found.get(n)]


def pyright():
    """Pyright, whose PyPI package fetches it when it is run; basedpyright has it inside."""
    WORK.mkdir(parents=True, exist_ok=True)
    config = WORK / "pyrightconfig.json"
    config.write_text(json.dumps({"include": [str(HERE)], "exclude": [str(HERE / "check.py")],
                                  "extraPaths": [str(PACKAGE)], "typeCheckingMode": "strict"}))
    command = [sys.executable, "-m", "basedpyright", "-p", config, "--pythonpath", sys.executable,
               "--outputjson"]
    done = subprocess.run(command, cwd=WORK, check=False, text=True, stdout=subprocess.PIPE)
    found = {}
    for each in json.loads(done.stdout)["generalDiagnostics"]:
        place = Path(each["file"]).name, each["range"]["start"]["line"] + 1
        found[place] = each["message"].splitlines()[0]
    wanted = {("wrong.py", n) for n in wanted_mistakes()}
    faults = [f"{name}:{n}: error: {text}" for (name, n), text in sorted(found.items())
              if (name, n) not in wanted]
    faults += [f"{name}:{n}: error: pyright sees none" for name, n in sorted(wanted - set(found))]
    return typed_count() + len(wanted), faults


def programs():
    known = {line for line in (HERE / "programs.txt").read_text().splitlines()
             if line and not line.startswith("#")}
    files = sorted((ROOT / "tests/programs").glob("*/*.py"))
    places = {}
    for library in ("numpy", "heddle"):
        inside = WORK / library     # stays, so that mypy knows what has not changed
        shutil.rmtree(inside, ignore_errors=True)
        inside.mkdir(parents=True)
        for f in files:
            text = f.read_text().replace("import numpy as np", f"import {library} as np")
            copy = inside / f"{f.parent.name}__{f.name}"
            copy.write_text(text)
            os.utime(copy, (f.stat().st_mtime, f.stat().st_mtime))
        places[library] = {}
        for line in mypy("programs.ini", *sorted(p.name for p in inside.iterdir()), cwd=inside):
            name, number, rest = line.split(":", 2)
            places[library].setdefault((name.replace("__", "/"), int(number)), rest)
    new = {}
    for (name, number), rest in places["heddle"].items():
        if (name, number) not in places["numpy"]:
            source = (ROOT / "tests/programs" / name).read_text().splitlines()[number - 1]
            new[f"{name}: {source.strip()}"] = f"{name}:{number}:{rest}"
    faults = [text for key, text in new.items() if key not in known]
    faults += [f"programs.txt: error: no longer true: {key}" for key in sorted(known - set(new))]
    return len(files), faults


def stubtest():
    command = [sys.executable, "-m", "mypy.stubtest", "heddle", "--concise", "--allowlist",
               str(HERE / "allowlist.txt"), "--mypy-config-file", str(HERE / "stubtest.ini")]
    if sys.version_info[:2] != (3, 11):     # an entry may be about one version's way of telling
        command.append("--ignore-unused-allowlist")
    path = os.pathsep.join(os.path.abspath(p) for p in os.environ.get("PYTHONPATH", "").split(":") if p)
    with tempfile.TemporaryDirectory() as folder:   # else the sources here are seen as modules
        done = subprocess.run(command, cwd=folder, check=False, text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT,
                              env=os.environ | {"MYPYPATH": path, "PYTHONPATH": path})
    lines = [f"{line}: error: stubtest" for line in done.stdout.splitlines() if line]
    return 1, lines if done.returncode else []


# Whose stubs the lists here are about; what another version's say otherwise is told, and no fault.
NUMPY = "2.4."
PARTS = {f.__name__: f for f in (stubs, typed, truth, numpy, mistakes, pyright, examples, programs,
                                  stubtest)}


def main(names):
    passed = failed = 0
    version = importlib.metadata.version("numpy")
    known = version.startswith(NUMPY)
    for name in names or PARTS:
        count, faults = PARTS[name]()
        print("\n".join([*faults, f"{name}: {count} looked at, {len(faults)} faults"]), flush=True)
        passed, failed = passed + (0 if faults else count), failed + len(faults)
    if failed and not known:
        print(f"{failed} faults with the stubs of NumPy {version}, not {NUMPY}*")
        failed = 0
    print(f"{passed} passed, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
