# SPDX-License-Identifier: BSD-3-Clause
"""What tools/package.py puts where."""
import compileall
import sys
import sysconfig
from importlib.metadata import distributions
from importlib.util import cache_from_source
from pathlib import Path

import pytest

from common import needs_heddle, xp

pytestmark = needs_heddle
ROOT = Path(__file__).resolve().parents[2]


def test_install__compiles_the_package(tmp_path, monkeypatch, capsys):
    build = Path(xp.__file__).parents[2]
    if not (build / "lib").is_dir():
        pytest.skip("this Heddle is not that of a build")
    monkeypatch.syspath_prepend(ROOT / "tools")
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    monkeypatch.setattr(sysconfig, "get_path", lambda name: str(tmp_path))
    import package
    for _ in range(2):                          # also where nothing changed
        package.install(build)
        sources = sorted((tmp_path / "heddle").rglob("*.py"))
        assert len(sources) > 30
        assert all(Path(cache_from_source(f)).is_file() for f in sources)
    assert "up to date" in capsys.readouterr().out


def test_install__says_who_is_found_by_others(tmp_path, monkeypatch):
    """By the metadata of an installation, and in a wheel."""
    build = Path(xp.__file__).parents[2]
    if not (build / "lib").is_dir():
        pytest.skip("this Heddle is not that of a build")
    monkeypatch.syspath_prepend(ROOT / "tools")
    monkeypatch.setattr(sysconfig, "get_path", lambda name: str(tmp_path))
    monkeypatch.setattr(compileall, "compile_dir", lambda *args, **kwargs: None)
    import package
    package.install(build)
    (found,) = [d for d in distributions(path=[str(tmp_path)]) if d.name == "heddle"]
    (entry,) = found.entry_points.select(group="numba_extensions", name="init")
    assert entry.value == "heddle._numba:init"
    assert (tmp_path / "heddle" / "_numba.py").is_file()
    record = (tmp_path / f"heddle-{package.version()}.dist-info" / "RECORD").read_text()
    assert "/entry_points.txt,sha256=" in record
    contents = {name: data for name, data, mode in package.wheel_contents({}, "tag")}
    text = contents[f"heddle-{package.version()}.dist-info/entry_points.txt"].decode()
    assert text == "[numba_extensions]\ninit = heddle._numba:init\n"
