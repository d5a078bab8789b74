# SPDX-License-Identifier: BSD-3-Clause
"""Parts of the tables in bench/*.md, as HTML; charts of them, as SVG: bars of ratios on a
logarithmic scale."""
import html
import math
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BAR, GAP, LEFT, WIDTH, RIGHT = 14, 6, 190, 420, 60


def table(path, heading):
    """The rows of the first table below a heading: a list of dicts by column."""
    lines = (ROOT / path).read_text().split("\n")
    found = [i for i, line in enumerate(lines) if line.lstrip("#") == f" {heading}"]
    if not found:
        raise ValueError(f"{path} has no heading {heading!r}")
    rows = []
    for line in lines[found[0] + 1:]:
        if line.startswith("|"):
            rows.append([cell.strip() for cell in line.strip().strip("|").split("|")])
        elif rows:
            break
    if len(rows) < 3:
        raise ValueError(f"{path} has no table below {heading!r}")
    return [dict(zip(rows[0], row)) for row in rows[2:]]


def excerpt(path, options):
    """Some rows and columns of a table, as HTML; options: heading, label, columns by "; ", rows."""
    rows = {row[options["label"]]: row for row in table(path, options["heading"])}
    columns = [options["label"], *options["columns"].split("; ")]
    cells = [f"<th>{html.escape(column)}</th>" for column in columns]
    out = ['<div class="table-wrapper"><table class="docutils bench">',
           f"<tr>{''.join(cells)}</tr>"]
    for name in options["rows"].split():
        cells = [f"<td>{html.escape(rows[name][column])}</td>" for column in columns]
        out.append(f"<tr>{''.join(cells)}</tr>")
    return "\n".join([*out, "</table></div>"])


def numbers(rows, label, column):
    """(label, value) of the rows that have a number there."""
    found = []
    for row in rows:
        number = re.match(r"\d+(?:\.\d+)?", row.get(column, ""))
        if number and float(number[0]) > 0:
            found.append((row[label], float(number[0])))
    return found


def chart(path, options):
    """options: heading, label (a column), value (a column of ratios)."""
    found = numbers(table(path, options["heading"]), options["label"], options["value"])
    if not found:
        raise ValueError(f"{path} has no numbers in the column {options['value']!r}")
    low = min(0.5, *(value for _, value in found))
    high = max(2.0, *(value for _, value in found))

    def place(value):
        return LEFT + WIDTH * math.log(value / low) / math.log(high / low)

    height = len(found) * (BAR + GAP) + 24
    out = [f'<svg class="chart" viewBox="0 0 {LEFT + WIDTH + RIGHT} {height}" role="img" '
           f'aria-label="{html.escape(options["value"])}">']
    one = place(1)
    for at, (label, value) in enumerate(found):
        y = at * (BAR + GAP)
        left, right = sorted((one, place(value)))
        colour = "#2a7f9e" if value >= 1 else "#c8662a"
        base, long = y + BAR - 3, max(right - left, 1)
        out += [f'<text x="{LEFT - 8}" y="{base}" text-anchor="end">{html.escape(label)}</text>',
                f'<rect x="{left:.1f}" y="{y}" width="{long:.1f}" height="{BAR}" fill="{colour}"/>',
                f'<text x="{right + 5:.1f}" y="{base}">{value:g}</text>']
    bottom = height - 20
    out.append(f'<line x1="{one:.1f}" x2="{one:.1f}" y1="0" y2="{bottom}" stroke="currentColor"/>'
               f'<text x="{one:.1f}" y="{bottom + 14}" text-anchor="middle">1</text></svg>')
    return "\n".join(out)
