# SPDX-License-Identifier: BSD-3-Clause
"""Sphinx's extension for Heddle's site: directives that write parts of its pages.

    .. c-header:: array.h           what include/heddle/array.h declares, with its comments
    .. heddle-names:: heddle.fft    names of a Python module with their docstrings; the content says
                                    which (py_docstrings.selected())
    .. heddle-summary::             all public names of heddle, a sentence each
    .. bench-chart:: FILE           a chart of a table of bench/ (bench_charts.py)
    .. bench-table:: FILE           some rows of one

At the end it is looked whether each header and each public name is on one page.
"""
import inspect
import warnings

from docutils import nodes
from docutils.parsers.rst import Directive
from docutils.statemachine import StringList
from sphinx.util import logging
from sphinx.util.nodes import nested_parse_with_titles

import bench_charts
import c_comments
import py_docstrings

log = logging.getLogger(__name__)
# NumPy warns of names that it will give another meaning; looking at all of them is our wish.
warnings.filterwarnings("ignore", "In the future `np", FutureWarning)


class Written(Directive):
    """A directive whose lines() are parsed in its place."""
    has_content = True

    def run(self):
        node = nodes.section()
        node.document = self.state.document
        nested_parse_with_titles(self.state, StringList(self.lines(), source=self.name), node)
        return node.children

    def note(self, kind, names):
        """Keeps in mind that this page has these."""
        env = self.state.document.settings.env
        pages = env.metadata[env.docname].setdefault(kind, "")
        env.metadata[env.docname][kind] = " ".join([pages, *names]).strip()


class CHeader(Written):
    required_arguments = 1

    def lines(self):
        header = c_comments.read(c_comments.HEADERS / self.arguments[0])
        self.note("c-headers", [header.name])
        return c_comments.page(header, set(c_comments.functions()))


class HeddleNames(Written):
    required_arguments = 1

    def lines(self):
        module = self.arguments[0]
        names = py_docstrings.selected(module, " ".join(self.content).split())
        self.note("py-names", [f"{module}.{name}" for name in names])
        links = [f":py:obj:`{name} <{module}.{name}>`" for name in names]
        contents = [", ".join(links), ""] if len(names) > 3 else []
        return contents + py_docstrings.write(module, names)


class HeddleSummary(Written):
    def lines(self):
        import heddle
        out = [".. list-table::", "   :widths: 1 3", ""]
        for name in sorted(py_docstrings.public_names(), key=str.lower):
            value = getattr(heddle, name)
            text = py_docstrings.doc_of(value, name) if callable(value) else inspect.getdoc(value)
            first = py_docstrings.body_of(text)[0].split(". ")[0]
            out += [f"   * - :py:obj:`~heddle.{name}`", f"     - {py_docstrings.sentence(first)}"]
        return out


class FromBench(Directive):
    """A directive that shows something of a table; its content is options."""
    required_arguments = 1
    has_content = True

    def run(self):
        options = dict(line.split(": ", 1) for line in self.content)
        self.state.document.settings.env.note_dependency(str(bench_charts.ROOT / self.arguments[0]))
        return [nodes.raw("", self.shown(self.arguments[0], options), format="html")]


class BenchChart(FromBench):
    shown = staticmethod(bench_charts.chart)


class BenchTable(FromBench):
    shown = staticmethod(bench_charts.excerpt)


def noted(env, kind):
    """[(name, page)] of what pages have noted."""
    return [(name, page) for page, data in env.metadata.items()
            for name in data.get(kind, "").split()]


def check(_app, env):
    """Is everything there, and once?"""
    headers = [name for name, _ in noted(env, "c-headers")]
    for path in c_comments.HEADERS.glob("*.h"):
        # the umbrella declares nothing
        if headers.count(path.name) != 1 and path.name != "heddle.h":
            log.warning("%s is on %d pages of the C reference", path.name, headers.count(path.name))
    for header in c_comments.headers():
        for fault in c_comments.faults_of(header):
            log.warning("%s", fault)
    names = [name for name, _ in noted(env, "py-names")]
    for name in sorted(py_docstrings.public_names()):
        if names.count(f"heddle.{name}") != 1:
            log.warning("heddle.%s is on %d pages of the reference", name,
                        names.count(f"heddle.{name}"))


def setup(app):
    app.add_directive("c-header", CHeader)
    app.add_directive("heddle-names", HeddleNames)
    app.add_directive("heddle-summary", HeddleSummary)
    app.add_directive("bench-chart", BenchChart)
    app.add_directive("bench-table", BenchTable)
    app.connect("env-check-consistency", check)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
