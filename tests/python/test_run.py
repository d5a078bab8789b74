# SPDX-License-Identifier: BSD-3-Clause
"""python -m heddle run, %load_ext heddle: whose imports lead to Heddle; all else as Python does it."""

import importlib
import importlib.util
import os
import pathlib
import signal
import site
import subprocess
import sys
import textwrap
import types
import zipfile

import pytest
from common import needs_heddle, xp

pytestmark = needs_heddle
FAKE = pathlib.Path(xp.__file__).resolve().parents[2] / "tests" / "libfake_libcuda.so"
needs_fake = pytest.mark.skipif(not FAKE.exists(), reason="the fake driver was not built")


def run(*words, cwd, paths=(), check=0, **environment):
    """Output of `python -m heddle run ...`; check: the exit status that must come out."""
    path = os.pathsep.join([*map(str, paths), *sys.path])
    result = subprocess.run(
        [sys.executable, "-m", "heddle", "run", *map(str, words)],
        capture_output=True,
        text=True,
        timeout=120,
        cwd=cwd,
        check=False,
        env={**os.environ, "PYTHONPATH": path, **environment},
    )
    assert result.returncode == check, (
        f"status {result.returncode}\n{result.stdout}\n{result.stderr}"
    )
    return result


def write(folder, **files):
    for name, text in files.items():
        path = folder / (name.replace("__in__", "/") + ".py")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text))
    return folder


# ---- imports of all kinds ----------------------------------------------------------------------

PROGRAM = """
    '''A program's own text.'''
    import importlib, importlib.util, os, sys, timeit
    from importlib import import_module
    import numpy as np
    import cupy as cp
    import cupy
    import cupy.linalg
    import cupy.cuda.runtime as runtime
    import cupyx.scipy.signal
    from cupy import ndarray, fft as transforms
    from cupyx.scipy.signal import convolve2d as convolve2d_gpu
    from cupy.lib.stride_tricks import as_strided
    import helper
    from package import inner

    assert __name__ == "__main__" and __doc__ == "A program's own text." and __spec__ is None
    assert __file__ == os.path.abspath("program.py") and sys.path[0] == os.path.dirname(__file__)
    assert sys.argv == ["program.py", "one", "--numpy"] and sys.modules["__main__"].cp is cp

    assert cp is cupy and cp.__name__ == "cupy" and np.__name__ == "numpy"
    assert type(np.ones(1)) is not ndarray is type(cp.ones(1))
    assert cupy.linalg.norm(cp.asarray([3.0, 4.0])) == 5 and runtime.getDeviceCount() == 0
    assert cupyx.scipy.signal.convolve2d is convolve2d_gpu and transforms.fft(cp.ones(4))[0] == 4
    assert importlib.import_module("cupy") is cp is import_module("cupy") is __import__("cupy")
    assert import_module("cupyx.scipy.signal").convolve2d is convolve2d_gpu
    assert importlib.util.find_spec("cupy") is not None and importlib.util.find_spec("cupy.nothing") is None
    assert helper.cp is cp is inner.cp and inner.relative == 5

    space = {}
    exec("import cupy as text", space)
    assert space["text"] is cp
    assert timeit.timeit("cupy.ones(1)", "import cupy", number=1) > 0
    from unittest import mock
    with mock.patch("cupy.asnumpy", lambda a: "patched"):
        assert cp.asnumpy(cp.ones(1)) == "patched"
    everything = {}
    exec("from cupy import *", everything)
    assert {"arange", "asnumpy", "float32", "cuda", "who"} - set(everything) == {"who"}

    import installed                    # not the program's: it gets the real cupy, which is not there
    assert installed.found == installed.by_name == "ModuleNotFoundError" and installed.spec is None
    assert installed.in_function() == "ModuleNotFoundError" and installed.in_text() == "ModuleNotFoundError"
    assert "cupy" not in sys.modules and "cupyx" not in sys.modules

    for statement, lacking in (("cp.who", "cupy.who"), ("from cupy import who", "who"),
                               ("import cupy.nothing", "cupy.nothing"), ("import cupyx.scipy.nothing", "nothing"),
                               ("cupyx.jit", "cupyx.jit"), ("cp.cuda.texture", "cupy.cuda.texture")):
        try:
            exec(statement)
        except (AttributeError, ImportError) as error:
            assert lacking in str(error), error
        else:
            raise AssertionError(statement)
    print("all is well", file=sys.stderr)
"""

INSTALLED = """
    import importlib, importlib.util

    def failure(what):
        try:
            what()
        except Exception as error:
            return type(error).__name__

    def in_function():
        try:
            import cupy
        except ImportError as error:
            return type(error).__name__

    def in_text():
        try:
            exec("import cupy", {})
        except ImportError as error:
            return type(error).__name__

    found, by_name = in_function(), failure(lambda: importlib.import_module("cupy"))
    spec = importlib.util.find_spec("cupy")
"""

needs_no_cupy = pytest.mark.skipif(
    importlib.util.find_spec("cupy") is not None, reason="CuPy is installed"
)


def installed_folder(tmp_path):
    """A folder whose contents are installed, for interpreters that find the sitecustomize."""
    packages = tmp_path / "lib/python3/site-packages"
    write(
        tmp_path / "start",
        sitecustomize=f"""
        import site
        known = site.getsitepackages
        site.getsitepackages = lambda: [*known(), {str(packages)!r}]
    """,
    )
    return packages


@needs_no_cupy
def test_program__imports_of_its_files_and_of_others(tmp_path):
    packages = installed_folder(tmp_path)
    write(packages, installed=INSTALLED)
    write(
        tmp_path,
        program=PROGRAM,
        helper="import cupy as cp\n",
        package__in____init__="",
        package__in__inner="import cupy as cp\nfrom .sister import relative\n",
        package__in__sister="relative = 5\n",
    )
    result = run(
        "--device",
        "cpu",
        "program.py",
        "one",
        "--numpy",
        cwd=tmp_path,
        paths=[tmp_path / "start", packages],
    )
    assert result.stderr == "all is well\n" and result.stdout == ""


def test_numpy__only_if_asked_for(tmp_path):
    write(
        tmp_path,
        program="""
        import pickle, sys
        import numpy as np
        import heddle
        from numpy.linalg import norm
        from numpy.lib.stride_tricks import sliding_window_view
        from numpy.testing import assert_allclose
        assert np.ones is heddle.ones and norm is heddle.linalg.norm and "numpy" in sys.modules
        assert np.__name__ == "numpy" and np.__version__ == sys.modules["numpy"].__version__
        assert set(dir(heddle)) <= set(dir(np)) and np.linalg is heddle.linalg
        np.float = float                        # what a program sets is its own
        assert np.float is float and not hasattr(heddle, "float") and not hasattr(np, "nothing")
        assert_allclose(np.ones(3), 1)
        x = pickle.loads(pickle.dumps(np.arange(3)))
        assert type(x) is np.ndarray
        import statistics
        real = sys.modules["numpy"]
        assert real is not np and type(pickle.loads(pickle.dumps(real.arange(3)))) is real.ndarray
        assert isinstance(real.ones(3), np.ndarray) and isinstance(np.array(["a"]), np.ndarray)
        assert not isinstance(np.float64(3), np.ndarray)
        try:
            np.poly1d_of_ours
        except AttributeError as error:
            assert "poly1d_of_ours" in str(error)
    """,
    )
    run("--numpy", "program.py", cwd=tmp_path)


def test_numpy__full_reductions_are_numpys_scalars(tmp_path):
    write(
        tmp_path,
        program="""
        import datetime, json, subprocess, sys
        import numpy as np
        x = np.arange(4.0)
        assert isinstance(x.sum(), float) and json.dumps(x.mean()) == "1.5"
        assert datetime.timedelta(seconds=x.max()).seconds == 3
        text = "import heddle; print(heddle.config.scalars)"
        print(subprocess.run([sys.executable, "-c", text], capture_output=True, text=True).stdout)
    """,
        asked="import numpy as np; print(np.config.scalars)",
    )
    assert run("--numpy", "program.py", cwd=tmp_path).stdout.split() == ["numpy"]
    for scalars, want in ("array", "array"), ("numpy", "numpy"):
        result = run("--numpy", "asked.py", cwd=tmp_path, HEDDLE_SCALARS=scalars)
        assert result.stdout.split() == [want]


# ---- as the interpreter does -------------------------------------------------------------------


def test_module__of_a_package_and_in_one(tmp_path):
    write(
        tmp_path,
        package__in____init__="import cupy as cp\n",
        package__in____main__="""
        import sys, os
        from . import cp
        from .part import n
        assert __name__ == "__main__" and __package__ == "package" and __spec__.name == "package.__main__"
        assert sys.argv == [__file__, "-x"] and os.path.samefile(sys.path[0], os.getcwd())
        print(int(cp.arange(n).sum()))
    """,
        package__in__part="n = 4\n",
    )
    assert run("-m", "package", "-x", cwd=tmp_path).stdout == "6\n"
    lacking = run("-m", "package.nothing", cwd=tmp_path, check=1)
    assert "No module named package.nothing" in lacking.stderr and "Traceback" not in lacking.stderr


@needs_no_cupy
def test_module__that_is_installed_is_the_programs(tmp_path):
    packages = installed_folder(tmp_path)
    write(
        packages,
        app__in____init__="",
        app__in____main__="""
            import cupy
            import app_more             # another package, whose name begins alike
            assert app_more.found == "ModuleNotFoundError"
            print(int(cupy.ones(3).sum()))
        """,
        app_more=INSTALLED,
    )
    paths = [tmp_path / "start", packages]
    assert run("-m", "app", cwd=tmp_path, paths=paths).stdout == "3\n"


def test_text_folder_and_archive(tmp_path):
    code = (
        "import sys, cupy; print(sys.argv, repr(sys.path[0]), __name__, int(cupy.arange(4).sum()))"
    )
    assert run("-c", code, "a", cwd=tmp_path).stdout == "['-c', 'a'] '' __main__ 6\n"
    write(
        tmp_path / "app",
        __main__=code + "; import beside",
        beside="import cupy; print(cupy.__name__)",
    )
    with zipfile.ZipFile(tmp_path / "app.zip", "w") as archive:
        for name in ("__main__.py", "beside.py"):
            archive.write(tmp_path / "app" / name, name)
    for name in "app", "app.zip":
        assert (
            run(name, cwd=tmp_path).stdout
            == f"['{name}'] {str(tmp_path / name)!r} __main__ 6\ncupy\n"
        )


FAILS = """\
import sys, cupy as cp

def inner():
    import broken

try:
    inner()
except ZeroDivisionError as error:
    raise ValueError("second") from error
"""


def test_traceback__shows_the_programs_lines(tmp_path):
    write(tmp_path, program=FAILS, broken="import cupy\n1 / 0\n")
    ours = run("program.py", cwd=tmp_path, check=1).stderr
    write(tmp_path / "fake", cupy="")
    plain = subprocess.run(
        [sys.executable, "program.py"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path / "fake"), *sys.path])},
    ).stderr
    assert ours == plain and "ZeroDivisionError" in ours and "heddle" not in ours

    write(tmp_path, program="import cupy as cp\ncp.who('', '')\n")
    last = run("program.py", cwd=tmp_path, check=1).stderr.splitlines()
    assert (
        last[-1] == "AttributeError: Heddle has no cupy.who"
        and "program.py" in last[1]
        and len(last) < 6
    )
    write(
        tmp_path,
        program="import sys\nsys.excepthook = lambda kind, e, tb: print(kind.__name__, tb.tb_lineno)\n1/0\n",
    )
    assert run("program.py", cwd=tmp_path, check=1).stdout == "ZeroDivisionError 3\n"


def test_exit__status_and_messages(tmp_path):
    write(
        tmp_path,
        seven="import atexit, sys\natexit.register(lambda: print(value))\nvalue = 'kept'\nsys.exit(7)",
        text="raise SystemExit('goodbye')",
        stopped="raise KeyboardInterrupt",
        wrong="1 +\n",
    )
    assert run("seven.py", cwd=tmp_path, check=7).stdout == "kept\n"
    assert run("text.py", cwd=tmp_path, check=1).stderr == "goodbye\n"
    stopped = run("stopped.py", cwd=tmp_path, check=-signal.SIGINT).stderr
    assert stopped.endswith("KeyboardInterrupt\n") and "heddle" not in stopped
    wrong = run("wrong.py", cwd=tmp_path, check=1).stderr
    assert "SyntaxError" in wrong and "Traceback" not in wrong and "wrong.py" in wrong
    assert "can't open file" in run("nothing.py", cwd=tmp_path, check=2).stderr


def test_options__that_mean_nothing():
    from heddle._run import command

    for words, told in (
        ((), "no program"),
        (("--cuda", "p.py"), "--cuda"),
        (("-m",), "-m"),
        (("--device",), "--device"),
    ):
        with pytest.raises(command._Wrong, match=told):
            command._read(words)


@needs_fake
def test_device__is_the_first_gpu_or_what_is_said(tmp_path):
    code = "import cupy; print(cupy.empty(0).device, cupy.is_available())"
    fake = {"HEDDLE_LIBCUDA": str(FAKE), "HEDDLE_DEVICE": ""}
    assert run("-c", code, cwd=tmp_path, **fake).stdout == "cuda:0 True\n"
    assert run("--device", "cpu", "-c", code, cwd=tmp_path, **fake).stdout == "cpu False\n"


def test_device__that_there_is_not(tmp_path):
    assert 'no device "cuba"' in run("--device=cuba", "-c", "", cwd=tmp_path, check=2).stderr


def test_explain__says_what_was_done(tmp_path):
    result = run(
        "--explain",
        "--device=cpu",
        "-c",
        "import cupy as cp; x = cp.ones(1000); print(float((x * 2 + 1).sum()))",
        cwd=tmp_path,
    )
    assert result.stdout == "3000.0\n"
    assert "operations recorded" in result.stderr and "1 kernels" in result.stderr


# ---- child processes ---------------------------------------------------------------------------


def test_children__that_are_started_anew(tmp_path):
    write(
        tmp_path,
        program="""
        import multiprocessing as mp
        from concurrent.futures import ProcessPoolExecutor
        import cupy as cp
        import helper

        def total(n):
            import cupy
            return float(helper.numbers(n).sum()), cupy is cp, cupy.get_array_module(cp.ones(1)).__name__

        if __name__ == "__main__":
            for kind in "spawn", "forkserver":
                with ProcessPoolExecutor(1, mp_context=mp.get_context(kind)) as pool:
                    assert list(pool.map(total, [3, 4])) == [(3.0, True, "cupy"), (6.0, True, "cupy")], kind
            print("done")
    """,
        helper="import cupyx.scipy.signal\nfrom cupy import arange as numbers\n",
    )
    assert run("--device", "cpu", "program.py", cwd=tmp_path).stdout == "done\n"


# ---- IPython -----------------------------------------------------------------------------------


class Shell:
    """As much of IPython's shell as an extension is given."""

    def __init__(self):
        self.magics = {}

    def register_magic_function(self, function, magic_kind, magic_name):
        assert magic_kind == "line"
        self.magics[magic_name] = function


@needs_no_cupy
def test_extension__maps_what_cells_import():
    import heddle
    import numpy

    shell, cell = Shell(), {"__name__": "__main__"}
    device = heddle.device()
    plain = __import__, importlib.import_module, importlib.util.find_spec
    heddle.load_ipython_extension(shell)
    try:
        exec(compile("import cupy as cp, numpy as np", "<ipython-input-1-0>", "exec"), cell)
        assert cell["cp"].ones(2).sum() == 2 and cell["np"] is numpy
        shell.magics["heddle"]("--numpy --device cpu")
        exec(compile("import numpy as np", "<ipython-input-2-0>", "exec"), cell)
        assert cell["np"].ones is heddle.ones and heddle.device() == "cpu"
        assert heddle.config.scalars == "numpy"
        shell.magics["heddle"]("--no-numpy")
        assert heddle.config.scalars == os.environ.get("HEDDLE_SCALARS", "mixed")
        with pytest.raises(ValueError, match="usage"):
            shell.magics["heddle"]("--gpu")
    finally:
        heddle.unload_ipython_extension(shell)
        device.use()
    assert plain == (__import__, importlib.import_module, importlib.util.find_spec)
    with pytest.raises(ModuleNotFoundError):
        exec("import cupy", {"__name__": "__main__"})


@pytest.mark.skipif(importlib.util.find_spec("IPython") is None, reason="IPython is not installed")
def test_extension__in_ipython(tmp_path):
    (tmp_path / "cells.ipy").write_text(
        "%load_ext heddle\nimport cupy as cp\n"
        "%timeit -n 1 -r 1 cp.linalg.qr(cp.eye(3))\nprint(cp.arange(3))\n"
    )
    result = subprocess.run(
        [sys.executable, "-m", "IPython", "--no-banner", "cells.ipy"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={**os.environ, "HOME": str(tmp_path)},
        check=True,
    )
    assert "[0 1 2]" in result.stdout and "per loop" in result.stdout


def test_module__of_heddles_scipy_needs_no_twin(monkeypatch):
    from heddle._run.mapping import Mapping

    made = types.ModuleType("heddle.scipy.made_up")
    monkeypatch.setitem(sys.modules, made.__name__, made)
    assert Mapping().module("cupyx.scipy.made_up") is made
    with pytest.raises(ModuleNotFoundError, match="No module named 'cupyx.scipy.not_made' in Heddle"):
        Mapping().module("cupyx.scipy.not_made")


def test_owners__of_files(tmp_path):
    from heddle._run.owners import Owners

    owners = Owners()
    installed = site.getsitepackages()[0]
    for name, owner in (
        (tmp_path / "p.py", "own"),
        (os.path.join(installed, "numpy/x.py"), "package"),
        (textwrap.__file__, "standard"),
        ("<frozen os>", "standard"),
        ("<string>", "nowhere"),
    ):
        assert owners.of_file(str(name)) == owner, name
    owners.add(os.path.join(installed, "numpy"))
    assert owners.of_file(os.path.join(installed, "numpy/x.py")) == "own"
