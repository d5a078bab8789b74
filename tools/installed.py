# SPDX-License-Identifier: BSD-3-Clause
"""Programs in C and C++ that use the installed library, as other people's projects do: the examples
and tests/cpp, found by pkg-config, and the first of each by CMake's find_package(heddle). What they
print is in tests/examples."""
import shlex
import shutil
import subprocess
from pathlib import Path

from runner import Failed

ROOT = Path(__file__).resolve().parent.parent
LANGUAGES = (("C", "gnu17", ("gcc", "clang"), (".c",)), ("CXX", "c++17", ("g++", "clang++"), (".cpp",)))


def programs(suffixes):
    return sorted(path for folder in ("examples", "tests/cpp") for path in (ROOT / folder).rglob("*")
                  if path.suffix in suffixes)


def by_cmake(s, prefix, logs, program, language, env):
    folder = logs / f"consumer-{language}"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    standard = "target_compile_features(consumer PRIVATE cxx_std_17)\n" if language == "CXX" else ""
    (folder / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.25)\n"
        f"project(consumer LANGUAGES {language})\n"
        "find_package(heddle REQUIRED)\n"
        f'add_executable(consumer "{program}")\n'
        f"{standard}"
        "target_link_libraries(consumer PRIVATE heddle::heddle m)\n")
    s.sh("cmake", "-S", folder, "-B", folder / "build", f"-DCMAKE_PREFIX_PATH={prefix}")
    s.sh("cmake", "--build", folder / "build")
    s.sh(folder / "build/consumer", env=env, timeout=300)
    s.passed += 1


def check_output(source, printed):
    """What tests/examples/NAME.txt says; a program that prints times has none."""
    expected = ROOT / "tests/examples" / f"{source.stem}.txt"
    if expected.exists() and printed != expected.read_text():
        raise Failed(f"{source.name} prints\n{printed}and not\n{expected.read_text()}")


def check(s, prefix, logs, strict, env):
    """Builds and runs each program by each compiler; one that fails ends it."""
    pc = next(prefix.rglob("heddle.pc"))
    flags = shlex.split(subprocess.run(["pkg-config", "--cflags", "--libs", pc], check=True,
                                       capture_output=True, text=True).stdout)
    there = {**env, "LD_LIBRARY_PATH": str(pc.parent.parent)}
    for language, standard, compilers, suffixes in LANGUAGES:
        found = programs(suffixes)
        if not found:
            raise Failed(f"no program in {language}")
        for compiler in compilers:
            for source in found:
                out = logs / f"{source.stem}-{compiler}"
                s.sh(compiler, f"-std={standard}", "-O2", *strict, source, "-o", out, *flags, "-lm")
                check_output(source, s.sh(out, env=there, cwd=logs, timeout=300))
                s.passed += 1
        by_cmake(s, prefix, logs, found[0], language, env)
