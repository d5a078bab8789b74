# SPDX-License-Identifier: BSD-3-Clause
"""The tools of the documents: they read all comments of the headers, and find planted faults."""
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

import bench_charts   # noqa: E402
import c_comments     # noqa: E402
import check_links    # noqa: E402
import docs           # noqa: E402
import prototypes     # noqa: E402
import py_docstrings  # noqa: E402
import selection      # noqa: E402

AROUND = ("/* SPDX-License-Identifier: BSD-3-Clause */\n/* x.h - for a test. */\n"
          "#ifdef __cplusplus\n"
          'extern "C" {{\n#endif\n\n{}\n#ifdef __cplusplus\n}}\n#endif\n')


def read(tmp_path, text):
    (tmp_path / "x.h").write_text(AROUND.format(text))
    return c_comments.read(tmp_path / "x.h")


def test_headers__have_each_prototype_once():
    assert sorted(c_comments.functions()) == sorted(prototypes.prototypes(ROOT))


def test_headers__have_no_faults():
    assert [c_comments.faults_of(header) for header in c_comments.headers() if
            c_comments.faults_of(header)] == []


@pytest.mark.parametrize("text, faults", [
    ("/* hd_a - one. */\nHD_API int hd_a(int x);\n", 0),
    ("/* about both */\nHD_API int hd_a(int x);\nHD_API int hd_b(int x);\n", 0),
    ("HD_API int hd_a(int x);    /* one */\n", 0),
    ("HD_API int hd_a(int x);\n", 1),
    ("/* a remark */\n\nHD_API int hd_a(int x);\n", 1),
    ("/* ---- a section --------- */\nHD_API int hd_a(int x);\n", 1),
    ("/* hd_a - one. */\nHD_API int hd_a(int x);\nHD_API int hd_b(int x);\n", 1),
    ("/* hd_a - one. */\nHD_API int hd_a(int x);\n\nHD_API int hd_b(\n    int x);\n", 1),
    ("/* hd_a - one. */\nint hd_a(int x);\n", 1),
])
def test_comments__a_prototype_without_one_is_found(tmp_path, text, faults):
    assert len(c_comments.faults_of(read(tmp_path, text))) == faults


def test_page__has_signatures_types_and_links(tmp_path):
    header = read(tmp_path, "/* What it takes. */\ntypedef struct hd_s { int n; } hd_s;\n"
                            "/* hd_a - as hd_b(x), not *x. */\nHD_API int hd_a(hd_s *s);\n"
                            "HD_API int hd_b(int x);      /* the other */\n")
    page = "\n".join(c_comments.page(header, {"hd_a", "hd_b"}))
    for part in (".. c:type:: hd_s\n", "        typedef struct hd_s { int n; } hd_s;",
                 ".. c:function:: int hd_a(hd_s *s)\n                int hd_b(int x)\n",
                 r":c:func:`hd_b(x) <hd_b>`\ ", r"not \*x.", ":c:func:`hd_b`: the other"):
        assert part in page


def test_site__what_is_fetched_from_elsewhere_is_found(tmp_path):
    good = '<a href="https://example.org"></a><script src="a.js"></script>'
    (tmp_path / "good.html").write_text(good)
    assert docs.fetched(tmp_path) == []
    (tmp_path / "bad.html").write_text('<script src="https://example.org/a.js"></script>')
    assert len(docs.fetched(tmp_path)) == 1


def test_links__what_is_not_there_is_found(tmp_path):
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/a.md").write_text("[b](b.md), [itself](a.md#there), `docs/a.md`, `core/x.h`\n")
    assert check_links.check(tmp_path) == (["a.md: docs/b.md", "a.md: src/core/x.h"], 3)


def test_docstrings__are_plain_text_with_code():
    doc = """Adds *x and y_.

        axis: along which
    more of it, as `x + y` says.

        f(x)
            g(x)
    """
    text = py_docstrings.body_of(doc.replace("        axis", "    axis"), ["axis"])
    assert text[:4] == [r"Adds \*x and y\_.", "", "axis: along which more of it, as ``x + y`` says.", ""]
    assert text[4:8] == [".. code-block:: python", "", "    f(x)", "        g(x)"]


def test_docstrings__of_numpys_are_not_copied():
    doc = "f(x)\n\nThe first words.\n\nParameters\n----------\nx : int\n    Its value.\n"
    assert py_docstrings.body_of(doc) == ["The first words.", "", "As NumPy's.", "", ""]


def test_signatures__are_without_dummies():
    dummy = object()

    def function(self, a, b=dummy, dtype=float):
        """One."""
    assert py_docstrings.signature_of(function, "function", {}) == "(a, b=..., dtype=float)"
    assert py_docstrings.signature_of(len, "none", {}) == "(obj, /)"


def test_names__of_a_page_and_of_a_class():
    import heddle
    names = py_docstrings.selected("heddle", ["heddle._sets", "sort"])
    assert {"unique", "sort"} <= set(names) and "dot" not in names
    assert {"unique", "sort", "add", "config"} <= py_docstrings.public_names()
    assert not {"abs", "pi", "float64", "linalg"} & py_docstrings.public_names()
    assert "reshape" in dict(py_docstrings.members(heddle.ndarray))


def test_charts__read_tables_and_refuse_what_is_not_there(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("# A\n\n| line | ratio |\n|---|---|\n| a<b | 2.5 x |\n| c | |\n\n# B\n\ntext\n")
    options = {"heading": "A", "label": "line", "value": "ratio"}
    drawn = bench_charts.chart(page, options)
    assert "a&lt;b" in drawn and ">2.5<" in drawn and drawn.count("<rect") == 1
    columns = {"heading": "A", "label": "line", "columns": "ratio", "rows": "a<b"}
    assert "<td>2.5 x</td>" in bench_charts.excerpt(page, columns)
    for wrong in ({"heading": "B"}, {"heading": "C"}, {"value": "none"}):
        with pytest.raises((ValueError, KeyError)):
            bench_charts.chart(page, options | wrong)


def test_selection__of_what_changed():
    every = sorted((ROOT / "tests").rglob("test_*.c"))
    assert selection.c_tests_of(["docs/index.md", "python/src/py_few.c"], every) == []
    layout = [t.name for t in selection.c_tests_of(["src/core/layout.c"], every)]
    assert "test_layout.c" in layout and "test_product.c" not in layout
    assert selection.c_tests_of(["src/ops/launch.c"], [every[0]]) == [every[0]]      # nothing mirrors it
    python = sorted((ROOT / "tests/python").glob("test_*.py"))
    names = [t.name for t in selection.python_tests_of(["python/heddle/_einsum_path.py"], python)]
    assert "test_manip_products.py" in names and len(names) < 20
    assert selection.python_tests_of(["python/src/py_few.c"], python) == python
    assert "docs" in selection.stages_of(["docs/index.md"]) and "types" in selection.stages_of(["python/heddle/fft.py"])


def test_selection__of_words():
    stages = {"changed": 0, "style": 0, "pytest": 0}
    assert selection.names(["all"], stages) == ["style", "pytest"]
    assert selection.names(["pytest"], stages) == ["pytest"]
    assert selection.names([], stages) == selection.EVERYDAY
