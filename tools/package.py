# SPDX-License-Identifier: BSD-3-Clause
"""Puts the Python package together: a tree to import, an installation in .venv, or a wheel.

    package.py tree BUILD DEST     BUILD/lib + python/heddle -> DEST/heddle (copies what changed)
    package.py install BUILD       the same into this interpreter's site-packages, known to pip
    package.py wheel BUILD DIST    one self-contained wheel

It is also the PEP 517 build backend, so `pip install .` and `python -m build` work.
"""
import base64
import compileall
import hashlib
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import tomllib
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
WHEEL_TIME = (2020, 1, 1, 0, 0, 0)      # equal sources give an equal wheel


def project():
    with open(ROOT / "pyproject.toml", "rb") as f:
        return tomllib.load(f)["project"]


def version():
    text = (ROOT / "include/heddle/base.h").read_text()
    names = ("MAJOR", "MINOR", "PATCH")
    return ".".join(re.search(rf"#define HD_VERSION_{name} (\d+)", text)[1] for name in names)


# ---- what is in the package ----------------------------------------------------------------------

def package_files(build):
    """{path inside the package: source file}"""
    files = {}
    for f in sorted((ROOT / "python/heddle").rglob("*")):
        if f.is_file() and f.suffix not in (".pyc", ".so"):
            files["heddle/" + f.relative_to(ROOT / "python/heddle").as_posix()] = f
    for f in sorted((ROOT / "include/heddle").glob("*.h*")):
        files["heddle/include/heddle/" + f.name] = f
    lib = Path(build) / "lib"
    sonames = [f for f in lib.glob("libheddle.so.*") if re.fullmatch(r"libheddle\.so\.\d+", f.name)]
    optional = [lib / "libheddle_llvm.so", lib / "libheddle_cub.so", lib / "heddle_tier0.fatbin"]
    for f in [*sonames, lib / "_heddle.abi3.so", *(f for f in optional if f.exists())]:
        files["heddle/" + f.name] = f.resolve(strict=True)
    if not sonames:
        sys.exit(f"no libheddle.so.N in {lib}: build first")
    return files


def same(a, b):
    """Equal size and time: copies keep the time of their source."""
    if not b.is_file():
        return False
    x, y = a.stat(), b.stat()
    return x.st_size == y.st_size and x.st_mtime_ns == y.st_mtime_ns


def sync(files, dest):
    """Makes dest/heddle hold exactly these files; returns how many it had to copy or delete."""
    changes = 0
    for name, source in files.items():
        target = dest / name
        if same(source, target):
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        # A new file, not new contents: a process that runs may have the old one mapped.
        fresh = target.with_name(target.name + ".new")
        shutil.copy2(source, fresh)
        os.replace(fresh, target)
        changes += 1
    for old in sorted((dest / "heddle").rglob("*"), reverse=True):
        if old.is_file() and old.suffix != ".pyc" and old.relative_to(dest).as_posix() not in files:
            old.unlink()
            changes += 1
    return changes


def metadata():
    p = project()
    lines = ["Metadata-Version: 2.4", f"Name: {p['name']}", f"Version: {version()}",
             f"Summary: {p['description']}", f"Author: {p['authors'][0]['name']}",
             f"License-Expression: {p['license']}", "License-File: LICENSE",
             f"Requires-Python: {p['requires-python']}"]
    lines += [f"Classifier: {c}" for c in p["classifiers"]]
    lines += [f"Requires-Dist: {r}" for r in p["dependencies"]]
    for group, needs in p["optional-dependencies"].items():
        lines.append(f"Provides-Extra: {group}")
        lines += [f'Requires-Dist: {r}; extra == "{group}"' for r in needs]
    lines.append("Description-Content-Type: text/markdown")
    return "\n".join(lines) + "\n\n" + (ROOT / p["readme"]).read_text()


def entry_points():
    """Who is found by other packages: entry_points.txt."""
    groups = project()["entry-points"]
    return "\n".join(f"[{group}]\n" + "".join(f"{name} = {value}\n" for name, value in rows.items())
                     for group, rows in groups.items())


def record_line(name, data):
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(data)}\n"


# ---- installation --------------------------------------------------------------------------------

def install(build):
    dest = Path(sysconfig.get_path("platlib"))
    files = package_files(build)
    info = dest / f"heddle-{version()}.dist-info"
    changes = sync(files, dest)
    for other in dest.glob("heddle-*.dist-info"):
        if other != info:
            shutil.rmtree(other)
    if changes or not (info / "RECORD").is_file():
        info.mkdir(exist_ok=True)
        names = {"METADATA": metadata(), "INSTALLER": "heddle-make\n",
                 "entry_points.txt": entry_points(),
                 "LICENSE": (ROOT / "LICENSE").read_text()}
        for name, text in names.items():
            (info / name).write_text(text)
        everything = [*files, *(f"{info.name}/{n}" for n in names)]
        record = "".join(record_line(n, (dest / n).read_bytes()) for n in everything)
        (info / "RECORD").write_text(record + f"{info.name}/RECORD,,\n")
    # Importing takes three times as long without, where the folder cannot be written to later.
    compileall.compile_dir(dest / "heddle", quiet=1)
    what = f"{changes} files changed" if changes else "up to date"
    print(f"heddle {version()} in {dest}: {what}")


# ---- wheel ---------------------------------------------------------------------------------------

def newest_glibc(*libraries):
    """(major, minor) of the newest glibc whose symbols these libraries ask for."""
    need = (2, 17)
    for lib in libraries:
        table = subprocess.run(["objdump", "-T", lib], capture_output=True, text=True, check=True)
        found = re.findall(r"GLIBC_(\d+)\.(\d+)", table.stdout)
        need = max([need, *((int(a), int(b)) for a, b in found)])
    return need


def wheel_tag(files):
    machine = sysconfig.get_platform().removeprefix("linux-")
    major, minor = newest_glibc(
        *(str(f) for n, f in files.items() if ".so" in n and not re.search("_(llvm|cub)", n)))   # optional
    return f"cp311-abi3-manylinux_{major}_{minor}_{machine}"


def wheel_contents(files, tag):
    """Yields (name, bytes, mode); libraries without their debug sections."""
    for name, source in files.items():
        if ".so" not in source.name:
            yield name, source.read_bytes(), 0o644
            continue
        with tempfile.TemporaryDirectory() as tmp:
            out = Path(tmp) / source.name
            subprocess.run(["strip", "--strip-debug", "-o", out, source], check=True)
            yield name, out.read_bytes(), 0o755
    info = f"heddle-{version()}.dist-info"
    yield f"{info}/METADATA", metadata().encode(), 0o644
    yield f"{info}/entry_points.txt", entry_points().encode(), 0o644
    yield f"{info}/licenses/LICENSE", (ROOT / "LICENSE").read_bytes(), 0o644
    text = f"Wheel-Version: 1.0\nGenerator: heddle\nRoot-Is-Purelib: false\nTag: {tag}\n"
    yield f"{info}/WHEEL", text.encode(), 0o644


def wheel(build, dist):
    files = package_files(build)
    tag = wheel_tag(files)
    dist = Path(dist)
    dist.mkdir(parents=True, exist_ok=True)
    for old in dist.glob(f"heddle-{version()}-*.whl"):
        old.unlink()
    path = dist / f"heddle-{version()}-{tag}.whl"
    record, record_name = "", f"heddle-{version()}.dist-info/RECORD"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as z:
        for name, data, mode in [*wheel_contents(files, tag), (record_name, None, 0o644)]:
            if data is None:
                data = (record + f"{record_name},,\n").encode()
            record += record_line(name, data)
            entry = zipfile.ZipInfo(name, WHEEL_TIME)
            entry.external_attr = (0o100000 | mode) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            z.writestr(entry, data)
    return path


# ---- PEP 517 -------------------------------------------------------------------------------------

def get_requires_for_build_wheel(config_settings=None):
    return [tool for tool in ("cmake", "ninja") if shutil.which(tool) is None]


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    build = ROOT / "build/wheel"
    generator = ["-G", "Ninja"] if shutil.which("ninja") else []
    subprocess.run(["cmake", "-S", ROOT, "-B", build, *generator, "-DHEDDLE_PYTHON=ON",
                    f"-DPython3_EXECUTABLE={sys.executable}"], check=True)
    subprocess.run(["cmake", "--build", build, "--parallel", str(os.cpu_count() or 1)], check=True)
    return wheel(build, wheel_directory).name


def build_sdist(sdist_directory, config_settings=None):
    name = f"heddle-{version()}"
    parts = ["include", "src", "python", "cmake", "tools", "tests", "examples", "bench", "docs",
             "CMakeLists.txt", "CMakePresets.json", "Makefile", "pyproject.toml", "LICENSE",
             "README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"]
    def keep(entry):
        return None if "__pycache__" in entry.name else entry
    with tempfile.TemporaryDirectory() as tmp, \
            tarfile.open(Path(sdist_directory) / f"{name}.tar.gz", "w:gz") as tar:
        (Path(tmp) / "PKG-INFO").write_text(metadata())
        tar.add(Path(tmp) / "PKG-INFO", f"{name}/PKG-INFO")
        for part in parts:
            tar.add(ROOT / part, f"{name}/{part}", filter=keep)
    return f"{name}.tar.gz"


def main(argv):
    match argv:
        case ["tree", build, dest]:
            sync(package_files(build), Path(dest))
        case ["install", build]:
            install(build)
        case ["wheel", build, dist]:
            print(wheel(build, dist))
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
