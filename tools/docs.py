# SPDX-License-Identifier: BSD-3-Clause
"""make docs: the site in build/docs/html, by Sphinx. A warning is an error, and so is a page that
would fetch anything from elsewhere: the site works without a network, its search as well."""
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
OUT = ROOT / "build/docs"
FETCHED = re.compile(r"""(?:src|<link[^>]*href)=["'](https?:)?//[^"']*""")
START = """<!doctype html>
<meta charset="utf-8"><title>Heddle</title>
<meta http-equiv="refresh" content="0; url=docs/index.html">
<a href="docs/index.html">Heddle</a>
"""


def fetched(folder):
    """What pages would fetch from elsewhere."""
    return sorted({f"{path.relative_to(folder)}: {found[0]}" for path in folder.rglob("*.html")
                   for found in FETCHED.finditer(path.read_text())})


def main():
    html = OUT / "html"
    shutil.rmtree(html, ignore_errors=True)
    # All of it each time: Sphinx does not see that a docstring or a header has changed.
    command = [sys.executable, "-m", "sphinx", "-q", "-E", "-a", "-W", "--keep-going",
               "-c", ROOT / "docs", "-d", OUT / "doctrees", *sys.argv[1:], ROOT, html]
    status = subprocess.run(command, check=False).returncode
    if status != 0:
        return status
    (html / "index.html").write_text(START)
    found = fetched(html)
    print("\n".join([*found, f"{html / 'index.html'}: {len(list(html.rglob('*.html')))} pages"]))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
