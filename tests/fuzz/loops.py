# SPDX-License-Identifier: BSD-3-Clause
"""Repeating record sequences: the part of the fuzzer that is after plan replay.

A loop has a body of a few statements over the same names. Every turn records the same operations; what changes from
turn to turn is only what a plan's key holds as verdicts: whether two ranges of one array overlap, whether two views are
one, whether two domains have equal extents, and who still holds a temporary afterwards. A replay that takes one turn's
verdicts for another's gives wrong numbers here.
"""

import functools

import rules
from values import add, mul, times

# Bodies: statements over x, y (arrays that live on), t, u, s (made in the loop) and windows. In the text $0... are names
# by position in `names`, and #k windows: "xA" is a window of x with the extent of class A in that turn.
BODIES = [
    ("$x[#xA] += $x[#xA]",),
    ("$x[#xA] = $x[#xA] - $y[#yA]",),
    ("$t = $x[#xA] + $y[#yA]", "$x[#xA] = $t * 2"),
    ("$t = $x[#xA] * 2", "$u = $y[#yB] + 1", "$x[#xB] = $u", "$y[#yA] -= $t"),
    ("$x[#xA] += 1", "$y[#yA] = $x[#xA]", "$x[#xA] *= 2"),
    ("$t = $x[#xA] + 1", "$y[#yA] = $t", "$u = $t - $x[#xA]", "$x[#xA] = $u"),
    ("$s = $x[#xA].sum()", "$y[#yB] -= $s", "$x[#xB] += $y[#yB]"),
    ("$y[#yA] = $x[#xA]", "$s = $y[#yB].max()", "$x[#xA] += $s"),
    ("xp.add($x[#xA], $y[#yA], out=$x[#xA])", "xp.subtract($y[#yB], 1, out=$y[#yB])"),
    ("$x[...] = $y + 1", "$y[#yA] += $x[#xA]", "$t = $x * 2"),
    ("$t = $x + $y", "$x[...] = $t - 1", "$y[#yA] = $x[#xA]"),
    ("$x[#xA] = 0", "$x[#xB] += 3", "$t = $x + $y", "$y[#yA] = $t[#yA]"),
    ("$t = $x * 2", "$u = $t + $y", "$t[#xA] = 1", "$x = $u - $t"),
    ("$t = $x + 1", "$x = $t", "$t[#xA] += $y[#yA]"),
    ("$t = $x[#xA]", "$t += $y[#yA]", "$x[#xB] = $y[#yB]"),
    ("$t = $x[#xA] + 0", "$u = $x[#xB] + 0", "$x[#xA] = $u.sum() - $t", "$y[#yB] = $u"),
    (
        "$u = $x[#xA] * $y[#yA]",
        "$t = $u.sum()",
        "$s = ($u + 1).max()",
        "$y[#yA] -= $t",
        "$x[#xA] = $u - $s",
    ),
    ("$x[#xA] = xp.where($x[#xA] > 2, $y[#yA], $x[#xA])", "$y[#yA] = xp.maximum($y[#yA], $x[#xA])"),
    ("$t = $y[#yA]", "$x[#xA] = $t + $x[#xA]", "$t[...] = 2"),
    ("$t = $x - $y", "$x += $t", "$y[#yA] = $t[#yA]"),
    ("$t = $x[#xA].copy()", "$x[#xA] = $y[#yA]", "$y[#yA] = $t"),
    ("$t = $x.cumsum(0)", "$x[#xA] -= $t[#xA]"),
]
GROWTH = 6.0  # no statement above grows its largest operand by more, reductions apart


@functools.cache
def _parsed(statement):
    """The statement's text with numbered params, and what each param is: a name, or (name, class) of a window."""
    text, wanted, k = "", [], 0
    while k < len(statement):
        c = statement[k]
        if c in "$#":
            text += f"{c}{len(wanted)}"
            wanted.append(statement[k + 1] if c == "$" else (statement[k + 1], statement[k + 2]))
            k += 2 if c == "$" else 3
        else:
            text += c
            k += 1
    return text, wanted


def _windows(m, statement, names, lengths):
    """The statement as a step of this turn: its windows are drawn here."""
    text, wanted = _parsed(statement)
    params = [
        names[w] if type(w) is str else m.block(m.e[names[w[0]]].shape, lengths[w[1]])
        for w in wanted
    ]
    return text, tuple(params)


def _turn_lengths(m, shape, fixed):
    """Extents of the two classes of windows in one turn: equal, different, whole, or as before."""
    rng = m.rng
    if fixed is not None and rng.random() < 0.6:
        return fixed
    a = [rng.randint(1, n) for n in shape]
    b = list(a) if rng.random() < 0.4 else [rng.randint(1, n) for n in shape]
    if rng.random() < 0.15:
        a = list(shape)
    return {"A": a, "B": b}


def _known(m, text, params, made):
    """The value that a statement leaves, from its variables' values."""
    ids = [p for p in params if type(p) is int and p in m.vars and p != made] or [made]
    top = m.value(ids[0])
    for i in ids[1:]:
        top = add(top, m.value(i))
    if "$0" in text and made in m.vars and ("=" in text):
        top = add(top, m.value(made))
    if ".sum" in text or "cumsum" in text:
        top = times(top, max(m.e[i].size for i in ids if hasattr(m.e[i], "size")))
    if "] * $" in text:
        top = mul(top, top)
    return times(top, 2) if "* 2" in text or "*= 2" in text else add(top, (3, 0, 0))


def _statement(m, text, params):
    """Runs one statement; False stops the loop (numbers too large to compare, or refused)."""
    made = params[0]
    value = _known(m, text, params, made)
    if text.startswith("xp."):
        made = params[int(text[text.index("out=$") + 5])]
        return m.write_to(made, text, params, value)
    if text.startswith("$0 = "):
        if text in ("$0 = $1", "$0 = $1[#2]"):
            return m.make(text, params, value, view_of=params[1])
        return m.make(text, params, value)
    return m.write_to(made, text, params, value)


def loop(m, turns=None):
    """One loop: a body, run several times with windows that move."""
    rng = m.rng
    body = rng.choice(BODIES)
    if rng.random() < 0.2:
        body = body + rng.choice(BODIES)
    if m.next_id and rng.random() < 0.2:
        shape = rng.choice([s for s in m.shapes if s and 0 not in s] or [(8,)])
    else:
        shape = rng.choice(((4,), (8,), (12,), (16,), (24,), (40,), (3, 4), (5, 6)))
    char = rng.choice(("i8", "i8", "f8", "f8", "f8", "i4", "f4"))
    other = (
        char if rng.random() < 0.8 else rng.choice(("i8", "f8", "u1" if char[0] == "i" else "f4"))
    )
    x, y = rules.new(m, shape=shape, char=char), rules.new(m, shape=shape, char=other)
    if x is None or y is None:
        return
    names = {"x": x, "y": y, "t": m.fresh(), "u": m.fresh(), "s": m.fresh()}
    turns = turns or rng.choice((2, 3, 4, 6, 6, 10, 20, 60))
    reading, holding = rng.choice((0, 0, 1, 0.5)), rng.choice((0, 0, 1, 0.3))
    settled = rng.random() < 0.5  # each turn starts with nothing else pending
    lengths = None
    for _ in range(turns):
        lengths = _turn_lengths(m, shape, lengths)
        for statement in body:
            if not _statement(m, *_windows(m, statement, names, lengths)):
                return
            if char[0] == "f" and m.value(x)[0] > 2.0 ** (40 if char == "f8" else 14):
                m.write("$0 %= 8", (x,), (8.0, 0, 0.0), m.e[x].dtype.char)
            if other[0] == "f" and m.value(y)[0] > 2.0 ** (40 if other == "f8" else 14):
                m.write("$0 %= 8", (y,), (8.0, 0, 0.0), m.e[y].dtype.char)
        for name in "tu":
            i = names[name]
            if (
                i in m.vars and rng.random() < holding
            ):  # somebody holds this turn's value for longer, or not
                if rng.random() < 0.5:
                    m.make("$0 = $1", (m.fresh(), i), m.value(i), view_of=i)
                else:
                    m.delete(i)
        if len(m.vars) > 24:
            for i in [i for i in m.vars if i > 0 and i not in names.values()][:8]:
                m.delete(i)
        if rng.random() < reading:
            m.check(x if rng.random() < 0.5 else y)
            if settled:
                m.check(y)
                m.check(x)
