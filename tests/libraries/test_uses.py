# SPDX-License-Identifier: BSD-3-Clause
"""Short uses of other libraries, each run with NumPy and with Heddle, with results compared.

uses_*.py hold them: what stands after "# ---- before" runs before each, what stands after
"# ---- NAME" is one use. `np` is NumPy in the first run and Heddle in the second, `numpy` is
NumPy in both, and `r` is compared: kinds, shapes, dtypes, values. A use that raises under NumPy
must raise the same with Heddle. In names, h is an array of ours. by_design.txt names the uses that
are otherwise, each under its reason; one that has come to work fails until its line is gone.
"""
import pathlib
import re
import signal
import warnings

import by_design
import numpy
import pytest

import heddle

HERE = pathlib.Path(__file__).parent
SECONDS = 60
RELATIVE, ABSOLUTE = 1e-7, 1e-9      # float32: 1e-5
FOREIGN = {"numpy", "heddle"}


def read(path):
    """(lines before each use, {name: lines}) of a file; line numbers stay the file's."""
    before, uses, name = "", {}, None
    for number, line in enumerate(path.read_text().splitlines()):
        head = re.match(r"# ---- (.*)", line)
        if head:
            name = head[1]
            assert name not in uses, f"{path.name}: {name} is there twice"
            uses[name] = "\n" * number
        elif name is not None:
            uses[name] += line + "\n"
    before = uses.pop("before")
    return before, uses


def all_uses():
    for path in sorted(HERE.glob("uses_*.py")):
        before, uses = read(path)
        library = path.stem.removeprefix("uses_")
        for name, text in uses.items():
            yield pytest.param(path.name, before, text, id=f"{library}: {name}")


def too_late(*_):
    raise TimeoutError(f"no end after {SECONDS} s")


def run(module, file, before, text):
    """(r, None), or (None, the exception)."""
    names = {"np": module, "numpy": numpy, "__name__": "use"}
    signal.signal(signal.SIGALRM, too_late)
    signal.alarm(SECONDS)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            exec(compile(before, file, "exec"), names)
            exec(compile(text, file, "exec"), names)
        return names.get("r"), None
    except Exception as e:
        return None, e
    finally:
        signal.alarm(0)


# ---- comparing -----------------------------------------------------------------------------------

def kind(value):
    """The type, where it must be the same; both libraries' arrays and scalars count as numbers."""
    name = type(value).__module__.split(".")[0]
    return "numbers" if name in FOREIGN or isinstance(value, (int, float, complex)) else type(value)


def check_numbers(got, want, where):
    got, want = numpy.asarray(got), numpy.asarray(want)
    assert got.shape == want.shape, f"{where}: shape {got.shape}, NumPy {want.shape}"
    assert got.dtype == want.dtype, f"{where}: dtype {got.dtype}, NumPy {want.dtype}"
    if want.dtype.kind in "fc":
        digits = 1e-5 if want.real.dtype.itemsize < 8 else RELATIVE
        numpy.testing.assert_allclose(got, want, digits, ABSOLUTE, err_msg=where)
    else:
        assert (got == want).all(), f"{where}: {got}, NumPy {want}"


def check(got, want, where="r"):
    assert kind(got) == kind(want), f"{where}: {type(got)}, NumPy {type(want)}"
    if isinstance(want, (list, tuple)):
        assert len(got) == len(want), f"{where}: {len(got)} items, NumPy {len(want)}"
        for k, (x, y) in enumerate(zip(got, want)):
            check(x, y, f"{where}[{k}]")
    elif isinstance(want, dict):
        assert list(got) == list(want), f"{where}: {list(got)}, NumPy {list(want)}"
        for key in want:
            check(got[key], want[key], f"{where}[{key!r}]")
    elif kind(want) == "numbers" or hasattr(want, "__array__"):
        check_numbers(got, want, where)
    elif type(want).__eq__ is not object.__eq__:
        assert got == want, f"{where}: {got!r}, NumPy {want!r}"


def missing_library(error):
    name = (error.name or "").split(".")[0]
    return name if isinstance(error, ModuleNotFoundError) and name not in FOREIGN else None


@pytest.mark.parametrize("file, before, text", list(all_uses()))
def test_use(file, before, text):
    want, refused = run(numpy, file, before, text)
    if isinstance(refused, ModuleNotFoundError) and missing_library(refused):
        pytest.skip(f"not installed: {missing_library(refused)}")
    got, error = run(heddle, file, before, text)
    if refused is None and error is not None:
        raise error
    assert type(error) is type(refused), f"{error!r}, NumPy {refused!r}"
    if refused is None:
        check(got, want)


def test_lists__name_uses_that_are_there():
    known = {use.id for use in all_uses()}
    listed = {name for name in by_design.reasons(HERE / "by_design.txt")
              if not name.startswith(("scipy: ", "sklearn: "))}     # suites.py looks at these
    assert listed <= known, listed - known
