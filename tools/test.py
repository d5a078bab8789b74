# SPDX-License-Identifier: BSD-3-Clause
"""make test, make test-all: the checks of this repository, one function a stage.

    test.py [all | changed]   run the everyday stages; everything; what looks at changed files
    test.py style layers      run these stages, and what they need
    test.py list              name the stages (*: an everyday one)

A stage's whole output is in build/test/<stage>.log. The last line is "N passed, M failed".
"""
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import check_layers
import check_links
import check_style
import installed
import package
import selection
from prototypes import prototypes
from runner import STAGES, Failed, run_stages, stage

ROOT = package.ROOT
PYTHON = sys.executable
BUILD = ROOT / "build"
LOGS = BUILD / "test"
STRICT = ["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Werror"]
GLIBC_CAP = (2, 34)
GENERATOR_MB_CAP = 45
CUB_MB_CAP = 12
CORES = max(2, len(os.sched_getaffinity(0)))
FUZZ_PROGRAMS = os.environ.get("HEDDLE_FUZZ_PROGRAMS", "75000")   # a long one counts as 100
TIER_PROGRAMS = str(int(FUZZ_PROGRAMS) // 20)


# ---- the sources themselves ----------------------------------------------------------------------

@stage("generated files follow from the tables and the Python sources")
def gen(s):
    s.sh("tools/gen.sh", "check")


@stage("includes and calls go one way")
def layers(s):
    faults, seen = check_layers.check(ROOT)
    s.say("\n".join(faults))
    s.say(f"{seen} files, {len(faults)} includes and names that break a layer")
    if faults:
        raise Failed(f"{len(faults)} includes and names break a layer")


@stage("size, names and manners of the sources")
def style(s):
    report = check_style.check(ROOT)
    s.say("\n".join(report.faults + [report.summary()]))
    if report.faults:
        raise Failed(f"{len(report.faults)} faults")


@stage("the checkers find planted faults")
def checkers(s):
    s.sh(PYTHON, "tools/test_checkers.py", count=True)
    s.sh(PYTHON, "tests/programs/test_runner.py", count=True)


@stage("each public header alone, as C17 and C++17", timeout=120)
def headers(s):
    seen = output_of("gcc", "-M", "-Iinclude", "include/heddle/heddle.h")
    compilers = [("gcc", "c17"), ("clang", "c17"), ("g++", "c++17"), ("clang++", "c++17")]
    for header in sorted((ROOT / "include/heddle").glob("*.h")):
        if f"heddle/{header.name}" not in seen:
            raise Failed(f"heddle.h does not include {header.name}")
        for compiler, standard in compilers:
            language = "c++" if "++" in standard else "c"
            source = LOGS / f"header.{language}"
            source.write_text(f"#include <heddle/{header.name}>\n#include <heddle/{header.name}>\n")
            s.sh(compiler, f"-std={standard}", *STRICT, "-fsyntax-only", "-Iinclude", source)
            s.passed += 1
    source = LOGS / "header.cpp"
    source.write_text("#include <heddle/heddle.hpp>\n#include <heddle/heddle.hpp>\n")
    for compiler in ("g++", "clang++"):
        for standard in ("c++17", "c++20"):
            s.sh(compiler, f"-std={standard}", *STRICT, "-fsyntax-only", "-Iinclude", source)
            s.passed += 1


# ---- builds --------------------------------------------------------------------------------------

def tree(preset):
    """Folder to put on PYTHONPATH for the package of that build."""
    return BUILD / preset / "python"


def link_blas(folder):
    """The library looks for scipy-openblas32 beside its own package, as in site-packages."""
    spec = importlib.util.find_spec("scipy_openblas32")
    link = folder / "scipy_openblas32"
    if spec is not None and not link.is_symlink():
        link.symlink_to(Path(spec.origin).parent)


def build(s, preset, *targets):
    s.sh("tools/build.sh", preset, *targets)
    if preset != "tsan":
        s.sh(PYTHON, "tools/package.py", "tree", BUILD / preset, tree(preset))
        link_blas(tree(preset))


@stage("release by gcc, warnings are errors", cores=2, timeout=1800)
def build_gcc(s):
    build(s, "gcc", "all", "unit_tests")


@stage("release by clang, warnings are errors", cores=2)
def build_clang(s):
    build(s, "clang", "all", "unit_tests")


# A debug build, too: the library checks its own invariants.
@stage("AddressSanitizer and UndefinedBehaviorSanitizer", cores=2)
def build_asan(s):
    build(s, "asan", "all", "unit_tests")


@stage("ThreadSanitizer", cores=2)
def build_tsan(s):
    build(s, "tsan", "all", "unit_tests")


@stage("release in which one check can be switched off", cores=2)
def build_mutate(s):
    build(s, "mutate", "all")


# ---- what the binaries promise -------------------------------------------------------------------

def promised_symbols(s):
    """Names declared HD_API by the public headers, found after the preprocessor."""
    names = set(prototypes(ROOT))
    s.say(f"{len(names)} functions in the public headers")
    return names


def output_of(*command):
    return subprocess.run([str(c) for c in command], cwd=ROOT, check=True,
                          capture_output=True, text=True).stdout


@stage("exported symbols are exactly the public prototypes", needs=["build-gcc", "build-clang"])
def symbols(s):
    promised = promised_symbols(s)
    for preset in ("gcc", "clang"):
        table = output_of("nm", "-D", "--defined-only", f"build/{preset}/lib/libheddle.so")
        exported = {line.split()[-1] for line in table.splitlines()}
        for name in sorted(exported - promised):
            s.say(f"{preset}: {name} is exported, and no header declares it")
        for name in sorted(promised - exported):
            s.say(f"{preset}: {name} is declared, and not exported")
        if exported != promised:
            raise Failed(f"{len(exported ^ promised)} names differ")


@stage("needs no newer glibc than 2.34, and no other library", needs=["build-gcc"])
def glibc(s):
    for name in ("libheddle.so", "_heddle.abi3.so"):
        path = BUILD / "gcc/lib" / name
        need = package.newest_glibc(path)
        s.say(f"{name} needs glibc {need[0]}.{need[1]}")
        if need > GLIBC_CAP:
            raise Failed(f"{name} needs glibc {need}, cap {GLIBC_CAP}")
        linked = re.findall(r"NEEDED\s+(\S+)", output_of("objdump", "-p", path))
        own = re.compile(r"(libc|libm|libdl|libpthread|libheddle)\.so|ld-linux")
        extra = [n for n in linked if not own.match(n)]
        if extra:
            raise Failed(f"{name} is linked with {', '.join(extra)}")
    generator = BUILD / "gcc/lib/libheddle_llvm.so"
    cub = BUILD / "gcc/lib/libheddle_cub.so"
    if cub.exists():
        size = cub.stat().st_size / 1e6
        s.say(f"{cub.name}: {size:.1f} MB, needs glibc {package.newest_glibc(cub)}")
        if size > CUB_MB_CAP:
            raise Failed(f"{cub.name} has {size:.1f} MB, cap {CUB_MB_CAP}")
    elif os.environ.get("CI"):
        raise Failed(f"{cub.name} was not made: CI has nvcc")
    tier0 = BUILD / "gcc/lib/heddle_tier0.fatbin"
    if tier0.exists():
        s.say(f"{tier0.name}: {tier0.stat().st_size / 1e6:.1f} MB")
    elif os.environ.get("CI"):
        raise Failed(f"{tier0.name} was not made: CI has LLVM, clang and ptxas")
    if generator.exists():   # may need a newer one: tier 0 goes on without it
        size = generator.stat().st_size / 1e6
        s.say(f"{generator.name}: {size:.1f} MB, needs glibc {package.newest_glibc(generator)}")
        if size > GENERATOR_MB_CAP:
            raise Failed(f"{generator.name} has {size:.1f} MB, cap {GENERATOR_MB_CAP}")


@stage("the loops for each instruction set use its registers, no wider", needs=["build-gcc"])
def widths(s):
    if os.uname().machine != "x86_64":
        s.say("only x86-64 has several")
        return
    for isa, used, too_wide in (("v2", "xmm", "[yz]mm"), ("v3", "ymm", "zmm"), ("v4", "zmm", None)):
        folder = BUILD / f"gcc/CMakeFiles/heddle_loops_{isa}.dir/src/backend/cpu/loops"
        code = output_of("objdump", "-d", "--no-show-raw-insn", folder / "loops_float64.c.o")
        counts = {r: len(re.findall(f"%{r}", code)) for r in ("xmm", "ymm", "zmm")}
        s.say(f"{isa}: {counts}")
        if used not in code or (too_wide and re.search(f"%{too_wide}", code)):
            raise Failed(f"loops_{isa} is not compiled for x86-64-{isa}")


# ---- C tests -------------------------------------------------------------------------------------

def unit_sources():
    """All but tests/oom, which is a stage of its own."""
    return [p for p in (ROOT / "tests").rglob("test_*.c") if "oom" not in p.parts]


def with_blas():
    """The BLAS that the package has beside it, for the C tests that want one."""
    spec = importlib.util.find_spec("scipy_openblas32")
    found = sorted(Path(spec.origin).parent.glob("lib/libscipy_openblas*.so")) if spec else []
    return {"HEDDLE_BLAS": str(found[0])} if found else {}


OF_BLAS = ("test_cpu_library", "test_cpu_turns", "test_library_calls", "test_product")


def unit(s, preset, sources, env=None, prefix=()):
    found = [BUILD / preset / "tests" / p.stem for p in sorted(sources)]
    if not found:
        raise Failed("there are no such tests")
    broken = []
    for program in found:
        start = time.monotonic()
        try:
            blas = preset in ("gcc", "clang") and program.name in OF_BLAS   # it is not instrumented
            own = (env or {}) | (with_blas() if blas else {})
            s.sh(*prefix, program, env=own, count=True, timeout=600)
        except Failed as e:
            broken.append(f"{program.name} ({e})")
        s.say(f"{program.name} took {time.monotonic() - start:.1f} s")
    s.say(f"{s.passed} passed, {s.failed} failed in {len(found)} programs")
    if broken:
        raise Failed("; ".join(broken))


def with_ptxas():
    """The assembler that came with nvcc, or that of an installed CUDA; a test that wants one fails
    without it."""
    folders = sorted(map(str, ROOT.glob(".venv/lib/python*/site-packages/nvidia/cu13/bin")))
    return {"PATH": os.pathsep.join([*folders, os.environ["PATH"]]), "HEDDLE_NEEDS_PTXAS": "1"}


@stage("C unit tests, release", needs=["build-gcc"], minutes=4)
def unit_gcc(s):
    unit(s, "gcc", unit_sources(), with_ptxas())


# Code that LLVM generates, whoever compiled the generator: gcc's build and AddressSanitizer's have it.
GENERATED = ("test_chains", "test_flow", "test_grid", "test_slide")


@stage("C unit tests, release by clang", needs=["build-clang"], minutes=1)
def unit_clang(s):
    unit(s, "clang", [p for p in unit_sources() if not p.stem.startswith(GENERATED)])


ASAN_ENV = {"ASAN_OPTIONS": "detect_leaks=1:strict_string_checks=1:detect_stack_use_after_return=1",
            "UBSAN_OPTIONS": "print_stacktrace=1"}


@stage("C unit tests under ASan and UBSan", needs=["build-asan"], minutes=6)
def unit_asan(s):
    unit(s, "asan", unit_sources(), ASAN_ENV)


def quiet_addresses():
    """TSan dies where the kernel spreads addresses too far; setarch -R ends that, where allowed."""
    command = ["setarch", "-R"]
    works = subprocess.run([*command, "true"], capture_output=True, check=False).returncode == 0
    return command if works else []


# Loops and generated code, called by one thread: AddressSanitizer has them.
ONE_THREAD = (*GENERATED, "test_accuracy", "test_loops", "test_ptx")


@stage("C unit tests under TSan", needs=["build-tsan"], minutes=5)
def unit_tsan(s):
    # die_after_fork=0: the pool is tested in the child of a process with threads.
    env = {"TSAN_OPTIONS": "halt_on_error=1:second_deadlock_stack=1:die_after_fork=0:"
                           f"suppressions={ROOT / 'tests/tsan.supp'}"}
    sources = [p for p in unit_sources() if not p.stem.startswith(ONE_THREAD)]
    unit(s, "tsan", sources, env, quiet_addresses())


# ---- programs that use the installed library -----------------------------------------------------

@stage("installed library, pkg-config, C and C++ programs by gcc and clang", needs=["build-gcc"])
def consumer(s):
    prefix = LOGS / "prefix"
    shutil.rmtree(prefix, ignore_errors=True)
    s.sh("cmake", "--install", BUILD / "gcc", "--prefix", prefix)
    installed.check(s, prefix, LOGS, STRICT, with_blas())


# ---- documents -----------------------------------------------------------------------------------

@stage("links and paths in the documents lead somewhere")
def links(s):
    wrong, s.passed = check_links.check(ROOT)
    s.say("\n".join(wrong))
    if wrong:
        raise Failed(f"there is no {'; no '.join(wrong)}")


@stage("README's programs, as they are printed", needs=["build-gcc"])
def readme(s):
    blocks = re.findall(r"^```(\w+)\n(.*?)^```", (ROOT / "README.md").read_text(), re.M | re.S)
    folder = LOGS / "readme"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    if {language for language, _ in blocks} != {"python", "c", "sh"}:
        raise Failed("README.md has other kinds of programs than this stage runs")
    for language, text in blocks:
        if language == "python":
            s.sh(PYTHON, "-c", text, env=python_env("gcc"), cwd=folder)
        elif language == "c":
            (folder / "first.c").write_text(text)
        else:
            # From a folder like the checkout, and another home, which the commands write to.
            (folder / "build").mkdir()
            (folder / "build/native").symlink_to(BUILD / "gcc")
            s.sh("bash", "-euc", text, env={"HOME": str(folder / "home")}, cwd=folder)
            for name in ("libheddle_llvm.so", "libheddle_cub.so", "heddle_tier0.fatbin"):
                if (BUILD / "gcc/lib" / name).exists() and not (folder / "home/.local/lib" / name).exists():
                    raise Failed(f"cmake --install leaves {name} out")
        s.passed += 1


@stage("the site builds without warnings, and its examples do what they say", needs=["build-gcc"],
       minutes=1)
def docs(s):
    s.sh(PYTHON, "tools/docs.py", env=python_env("gcc"))
    run_pytest(s, python_env("gcc"), "-q", "tests/docs")


# ---- Python --------------------------------------------------------------------------------------

def python_env(preset, **more):
    return {"PYTHONPATH": str(tree(preset)), "PYTHONFAULTHANDLER": "1"} | {k: str(v) for k, v in more.items()}


@stage("the wheel installs and works by itself", needs=["build-gcc"])
def wheel(s):
    target = LOGS / "wheel"
    shutil.rmtree(target, ignore_errors=True)
    path = package.wheel(BUILD / "gcc", target)
    s.say(path.name)
    s.sh(PYTHON, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--target",
         target / "site", path)
    text = "import heddle; print(heddle.__file__); print(heddle.arange(5).sum())"
    output = s.sh(PYTHON, "-c", text, env={"PYTHONPATH": str(target / "site")}, cwd=LOGS)
    if not output.startswith(str(target)):
        raise Failed("it was another heddle that was imported")


# On the fake CUDA driver, in processes of their own: no tier of the CPU's and no sanitizer is in them.
FAKE_CUDA = "tests/python/test_cuda_*.py"


def run_pytest(s, env, *arguments):
    s.need("tests/python")
    s.sh(PYTHON, "-m", "pytest", "-p", "no:cacheprovider", "--durations=10", *arguments, env=env,
         count=True)


@stage("Python tests, release", needs=["build-gcc"], timeout=1500, minutes=3)
def pytest(s):
    run_pytest(s, python_env("gcc"), "-q", f"--ignore-glob={FAKE_CUDA}", "tests/python")


@stage("Python tests on the fake CUDA driver", needs=["build-gcc"], timeout=1500, minutes=3)
def pytest_cuda(s):
    run_pytest(s, python_env("gcc"), "-q", *sorted(map(str, ROOT.glob(FAKE_CUDA))))


@stage("Python tests with every kernel compiled", needs=["build-gcc"], timeout=1500, minutes=7)
def pytest_tier1(s):
    run_pytest(s, python_env("gcc", HEDDLE_TIER="1", HEDDLE_CACHE=LOGS / "kernels"), "-q",
               f"--ignore-glob={FAKE_CUDA}", "tests/python")


def sanitizer_library(name):
    """The library itself: what gcc names may be a link or a linker script."""
    path = Path(output_of("gcc", f"-print-file-name={name}").strip())
    return str(path.resolve())


def repeat_report(s):
    """Says the beginning of a sanitizer's report again, where the end of the log shows it."""
    log = (LOGS / f"{s.name}.log").read_text().splitlines()
    for number, line in enumerate(log):
        if "runtime error:" in line or "ERROR: AddressSanitizer" in line:
            s.say("\n".join(["", "the report begins:", *log[number:number + 25]]))
            return


def asan_env():
    """Python with the package of the asan build."""
    # libstdc++ beside it: ASan looks for its exception hooks at start, and NumPy loads it later.
    preload = " ".join(sanitizer_library(n) for n in ("libasan.so", "libstdc++.so"))
    # Python itself keeps memory until it exits: it is the C tests that look for leaks.
    return python_env("asan", LD_PRELOAD=preload, PYTHONMALLOC="malloc",
                      ASAN_OPTIONS="detect_leaks=0:allocator_may_return_null=1",
                      UBSAN_OPTIONS="print_stacktrace=1")


@stage("Python tests under ASan and UBSan", needs=["build-asan"], timeout=1500, minutes=6)
def pytest_asan(s):
    env = asan_env()
    # --capture=sys: a report ends the process, and must not end in pytest's own buffer.
    try:
        run_pytest(s, env, "-v", "--capture=sys", "-m", "not slow", f"--ignore-glob={FAKE_CUDA}",
                   "tests/python")
    except Failed:
        repeat_report(s)
        raise


# ---- whole programs ------------------------------------------------------------------------------

def share(n):
    """i/n for run.py's --share: another part of the programs at each commit."""
    head = subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True,
                          check=False).stdout
    return f"{int(head[:8] or '0', 16) % n}/{n}"


def run_programs(s, env, *arguments):
    s.sh(PYTHON, "tests/programs/run.py", *arguments, env=env, count=True)


@stage("whole programs as with NumPy, on both tiers", needs=["build-gcc"], cores=2, timeout=1200,
       minutes=3)
def programs(s):
    env = python_env("gcc", HEDDLE_CACHE=LOGS / "kernels-programs")
    run_programs(s, env, "--tier", "0,1", "--threads", "1", "--jobs", CORES)
    # Two threads of two processes each would wait for each other.
    run_programs(s, env, "--tier", "0", "--threads", "2", "--jobs", CORES // 2)
    run_programs(s, env, "--tier", "1", "--threads", "2", "--jobs", CORES // 2, "--share", share(4))
    run_programs(s, env, "--size", "large", "--jobs", CORES // 2, "--share", share(16))


@stage("whole programs under ASan and UBSan", needs=["build-asan"], timeout=1200, minutes=3)
def programs_asan(s):
    env = asan_env()
    run_programs(s, env, "--size", "tiny", "--tier", "0", "--threads", "2", "--timeout", "200")
    run_programs(s, env, "--size", "medium", "--tier", "0,1", "--threads", "2", "--timeout", "200",
                 "--share", share(12))


@stage("whole programs on the fake CUDA driver", needs=["build-gcc"], timeout=1200, minutes=1)
def programs_cuda(s):
    tests = BUILD / "gcc/tests"
    libraries = LOGS / "libraries"
    shutil.rmtree(libraries, ignore_errors=True)
    libraries.mkdir()
    for name, fake in (("libcusolver.so.12", "cusolver"), ("libcublas.so.13", "cusolver"),
                       ("libcufft.so.12", "cufft")):
        (libraries / name).symlink_to(tests / f"libfake_lib{fake}.so")
    env = python_env("gcc", HEDDLE_LIBCUDA=tests / "libfake_libcuda.so", FAKE_CUDA_RUN="1",
                     HEDDLE_LIBCUB=tests / "libfake_libcub.so", FAKE_CUB_RUN="1", FAKE_CUDA_REPLY="1",
                     HEDDLE_TIER0="/nonexistent", HEDDLE_CACHE="off", LD_LIBRARY_PATH=libraries)
    run_programs(s, env, "--size", "tiny", "--tier", "1", "--device", "cuda",
                 "--except", "tests/programs/fake_driver.txt")


# Without these there is little to test; of others the stage says that they are missing.
LIBRARIES = {"dask", "matplotlib", "pandas", "scipy", "sklearn", "xarray"}


@stage("uses of other libraries beside NumPy's, SciPy's and scikit-learn's tests of arrays",
       needs=["build-gcc"], minutes=3)
def libraries(s):
    suites = "tests/libraries/suites.py"
    env = python_env("gcc", OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")
    output = s.sh(PYTHON, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/libraries",
                  env=env, count=True)
    for library, parts in ("scipy", 3), ("sklearn", 2):
        output += s.sh(PYTHON, suites, library, "--share", share(parts), env=env, count=True)
    missing = set(re.findall(r"not installed: (\w+)", output))
    if missing:
        s.say(f"not installed: {', '.join(sorted(missing))}")
    if missing & LIBRARIES:
        raise Failed(f"not installed: {', '.join(sorted(missing & LIBRARIES))}")


@stage("stubs: mypy, pyright, stubtest, NumPy's types; examples, programs", needs=["build-gcc"],
       minutes=1)
def types(s):
    s.sh(PYTHON, "tests/typing/check.py", env=python_env("gcc", HEDDLE_DEVICE="cpu"), count=True)


@stage("the examples of make demo, in short", needs=["build-gcc"])
def demo(s):
    s.need("examples/demo.py")
    s.sh(PYTHON, "examples/demo.py", "--quick", "--out", LOGS / "demo.png", env=python_env("gcc"))


# ---- random programs, broken checks, failing memory ----------------------------------------------

@stage(f"random programs against NumPy, {FUZZ_PROGRAMS} short ones' worth", needs=["build-gcc"], cores=2, timeout=1800,
       minutes=6)
def fuzz(s):
    s.need("tests/fuzz/run.py")
    s.sh(PYTHON, "tests/fuzz/run.py", "--programs", FUZZ_PROGRAMS, "--jobs", CORES,
         env=python_env("gcc"), count=True)


@stage(f"{TIER_PROGRAMS} of them with every kernel compiled", needs=["build-gcc"], cores=2,
       timeout=1200, minutes=4)
def fuzz_tier1(s):
    s.need("tests/fuzz/run.py")
    s.sh(PYTHON, "tests/fuzz/run.py", "--programs", TIER_PROGRAMS, "--jobs", CORES, "--seed", "1",
         env=python_env("gcc", HEDDLE_TIER="1", HEDDLE_CACHE=LOGS / "kernels"), count=True)


@stage("the fuzzer notices each check that is switched off", needs=["build-mutate"], cores=2,
       timeout=1200, minutes=1)
def mutants(s):
    s.need("tests/fuzz/mutants.py")
    s.sh(PYTHON, "tests/fuzz/mutants.py", env=python_env("mutate"), count=True)


@stage("a minute of mixed programs in one process, which must stop growing", needs=["build-gcc"],
       minutes=2)
def soak(s):
    s.sh(PYTHON, "tools/soak.py", "--minutes", "1", env=python_env("gcc"), count=True)
    s.sh(PYTHON, "tools/soak.py", "--planted", env=python_env("gcc"), count=True)


@stage("every allocation failed in turn", needs=["build-asan"], timeout=900)
def oom(s):
    unit(s, "asan", (ROOT / "tests/oom").rglob("test_*.c"), ASAN_ENV)


@stage("the tests of what changed", needs=["build-gcc"], timeout=1500)
def changed(s):
    paths = selection.changed_paths()
    s.say("\n".join(paths))
    c = selection.c_tests_of(paths, unit_sources())
    python = selection.python_tests_of(paths, sorted((ROOT / "tests/python").glob("test_*.py")))
    if c:
        unit(s, "gcc", c, with_ptxas())
    if python:
        run_pytest(s, python_env("gcc"), "-q", *python)


def main(argv):
    os.chdir(ROOT)
    if argv == ["list"]:
        for s in STAGES.values():
            print(f"{s.name:14} {'*' if s.name in selection.EVERYDAY else ' '} {s.title}")
        return 0
    names = selection.names(argv, STAGES)
    if unknown := [name for name in names if name not in STAGES]:
        sys.exit(f"no such stage: {' '.join(unknown)}; test.py list names them")
    return 0 if run_stages(names, LOGS, CORES) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
