# SPDX-License-Identifier: BSD-3-Clause
"""The documentation site: `make docs` builds build/docs/html.

The folder of the sources is the root of the repository, so that pages are where they have always
been and the links between them hold. heddle itself is imported: PYTHONPATH must lead to a package.
"""
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))

project = "Heddle"
author = "The Heddle developers"
copyright = author
release = ".".join(re.findall(r"#define HD_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)",
                              (ROOT / "include/heddle/base.h").read_text()))
version = release

extensions = ["myst_parser", "sphinx_copybutton", "site_pages"]
root_doc = "docs/index"
include_patterns = ["docs/**", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "bench/*.md"]
exclude_patterns = ["build", "dist", ".*", "src", "python", "tests", "tools", "docs/conf.py", "docs/site"]
myst_enable_extensions = ["deflist", "substitution", "attrs_block"]
myst_heading_anchors = 4
# Links to sources go to files of the repository, which are no pages.
suppress_warnings = ["myst.header"]

html_theme = "furo"
html_title = f"Heddle {release}"
html_static_path = ["site"]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_copy_source = False
pygments_style = "tango"
pygments_dark_style = "monokai"
highlight_language = "text"
default_role = None
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
maximum_signature_line_length = 250
# Sphinx copies them into the side bar of every page, which doubles the time: heddle-names lists them.
toc_object_entries = False
