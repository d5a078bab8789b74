# SPDX-License-Identifier: BSD-3-Clause
"""docs/differences.md: every row is evaluated with NumPy and with Heddle."""
import pathlib
import pickle
import re
import warnings

import numpy
import pytest
from common import NUMPY, needs_heddle, shares_memory, xp

PAGE = pathlib.Path(__file__).parents[2] / "docs/differences.md"
ROW = re.compile(r"^\| .*? \| `(?P<code>.*?)` \| (?P<numpy>.*?) \| (?P<heddle>.*?) \| .* \|$", re.M)
ROWS = [row.groupdict() for row in ROW.finditer(PAGE.read_text())]


def test_every_row_is_read():
    lines = re.findall("^[|] (?!what)", PAGE.read_text(), re.M)
    assert len(lines) == len(ROWS) > 20


def text_of(code, module):
    with numpy.errstate(divide="warn"), warnings.catch_warnings():   # as it is outside of tests
        warnings.simplefilter("ignore")
        try:
            return repr(eval(code, {"m": module, "numpy": numpy, "pickle": pickle}))
        except Exception as error:
            return type(error).__name__


def check(row, name, module):
    here, text = re.fullmatch("(here )?`(.*)`", row[name]).groups()
    if not here:
        assert text_of(row["code"], module) == text


@needs_heddle
@shares_memory
@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["code"][:40])
def test_row(row):
    if NUMPY < "2.5.0.dev0":
        check(row, "numpy", numpy)
    check(row, "heddle", xp)
