# SPDX-License-Identifier: BSD-3-Clause
"""What tools/package.py puts where."""
import sys
import sysconfig
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
