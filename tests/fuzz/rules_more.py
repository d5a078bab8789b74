# SPDX-License-Identifier: BSD-3-Clause
"""What else the window fuzzer draws: what programs do beside single operations. Lists of arrays,
loops over rows and elements, results that nobody reads, faults, failures in the middle, views
that overlap themselves, settings that change, forks."""

import numpy as np

import rules
import values
from make import Root, fits
from steps import error_name, function_of, watched
from values import add, of_number, times

TOO_MANY = 1 << 48   # elements: more bytes than a process can address, whatever their dtype
NEVER_READ = -1000   # a variable that NumPy does not have
NO_OWNER = np.empty(0)   # of what is known of a list: no single write covers it


def exact(m, i, value):
    """Are such numbers exact in variable i's dtype?"""
    settled = values.settle(m.e[i].dtype.char, value)
    return settled is not None and settled[2] == 0


# ---- lists of arrays -----------------------------------------------------------------------------


def _keep_list(m, i, text, params, value):
    """A step that binds i to a list; taken back where its numbers could not be compared."""
    had, old = m.e.get(i), m.vars.get(i)
    if not m.run(text, params):
        return False
    x = m.e[i]
    if x:
        char = x[0].dtype.char
        value = values.settle(char, value) if values.is_known(char) else None
    if value is None:
        m.take_back(i, old, had)
        return False
    m.adopt(i, kind="l", root=Root(value, NO_OWNER))
    return True


def new_list(m):
    rng, i = m.rng, m.fresh()
    shape = rng.choice(m.shapes)
    n = max(1, int(np.prod(shape, dtype=int)))
    count = min(rng.choice((3, 20, 70, 200, 300, 400)), max(2, min(3_000_000, 30 * m.cap) // n))
    char = rng.choice(("f8", "f8", "f8", "i8", "f4"))
    text = rng.choice(
        (
            "$0 = [xp.full(#1, float(k % 7), dtype=#2) for k in range(#3)]",
            "$0 = [(xp.arange(#4) % 11).astype(#2).reshape(#1) + k % 3 for k in range(#3)]",
            "$0 = [xp.zeros(#1, dtype=#2) for k in range(#3)]",
        )
    )
    _keep_list(m, i, text, (i, shape, char, count, int(np.prod(shape, dtype=int))), (14.0, 0, 0.0))


def lists(m):
    """Statements over whole lists and over their items."""
    rng = m.rng
    a = m.pick("l", len)
    if a is None or (rng.random() < 0.1 and len(m.arrays("l")) < 3):
        return new_list(m)
    x, root, i, r = m.e[a], m.vars[a].root, m.fresh(), rng.random()
    first, count, value = x[0], len(x), m.value(a)
    k = rng.randrange(count)
    if r < 0.3:
        i = a if rng.random() < 0.6 else i
        text, grown = rng.choice(
            (
                ("[x * 2 for x in $1]", times(value, 2)),
                ("[x + 1 for x in $1]", add(value, (1, 0, 0))),
                ("[x * 2 - 1 for x in $1]", add(times(value, 2), (1, 0, 0))),
                ("[x % 5 for x in $1]", (5.0, value[1], 0.0)),
                ("[y - x for x, y in zip($1, $1[1:] + $1[:1])]", add(value, value)),
                ("[x.copy() for x in $1]", value),
                ("$1[::-1]", value),
            )
        )
        if text == "$1[::-1]":   # the same arrays
            if m.run("$0 = $1[::-1]", (i, a)):
                m.adopt(i, kind="l", root=root)
        elif value[2] == 0:
            _keep_list(m, i, "$0 = " + text, (i, a), grown)
    elif r < 0.5:
        number = rng.choice((1, 2, 3))
        text, params, grown = rng.choice(
            (
                ("for x in $0: x += #1", (a, number), add(value, of_number(number))),
                ("for k in range(len($0)): $0[k][...] = #1", (a, number), of_number(number)),
                (
                    "for x, y in zip($0[1:], $0): x -= y",
                    (a,),
                    times(value, 1 << min(count, 60)),
                ),
                ("for x in $0[::3]: x *= #1", (a, number), times(value, number)),
            )
        )
        stored = values.settle(first.dtype.char, grown)
        if stored is not None and stored[2] == value[2] == 0 and m.run(text, params):
            root.value = values.either(root.value, stored)
    elif r < 0.62:
        if m.make("$0 = $1[#2]", (i, a, k), value, kind="a", root=root):
            m.vars[i].frozen = rng.random() < 0.3
    elif r < 0.72:
        m.make("$0 = sum($1)", (i, a), times(value, count))
    elif r < 0.8 and first.size * count <= m.cap:
        text = rng.choice(("$0 = xp.stack($1)", "$0 = xp.array([x.sum() for x in $1])"))
        m.make(text, (i, a), times(value, max(1, first.size)))
    elif r < 0.86:
        m.run("del $0[#1]", (a, k))
    elif r < 0.92:
        b = m.pick("a", lambda y: y.dtype == first.dtype and y.shape == first.shape)
        if b is not None and not m.vars[b].frozen and not m.vars[b].root.punned:
            v = m.value(b)
            if v[2] == 0 and m.run("$0.append($1 + 0)", (a, b)):
                root.value = values.either(root.value, v)
    elif r < 0.95:
        m.delete(a)
    else:
        m.check(a)


# ---- loops over rows and elements ----------------------------------------------------------------


def rows(m):
    """One statement a row or an element, as programs are written at first."""
    rng = m.rng
    a = m.target(lambda x: x.ndim and 1 < x.shape[0] <= 1200 and x.dtype.char != "?")
    if a is None:
        return
    x, r = m.e[a], rng.random()
    value, n, number = m.value(a), x.shape[0], rng.choice((1, 2, 3))
    if r < 0.4:
        text, params = "for j in range(len($0)): $0[j] += #1", (a, number)
        grown = add(value, of_number(number))
    elif r < 0.6:
        b = m.mate(x.shape[1:], fits, "a")
        if b is None:
            return
        text, params = "for j in range(1, len($0)): $0[j] = $0[j - 1] + $1", (a, b)
        grown = add(value, times(m.value(b), n))
        if m.e[b].dtype.char not in (x.dtype.char, "?"):
            return
    elif r < 0.8:
        text, params = "for j in range(len($0) - 1, 0, -1): $0[j] -= $0[j - 1]", (a,)
        grown = add(value, value)
    else:
        text = "for j in range(len($0)): $0[j] = $0[-1 - j] if j % 2 else $0[j] + #1"
        params, grown = (a, number), add(value, times(of_number(number), n))
    if value[2] == 0 and exact(m, a, grown) and m.run(text, params):
        m.stored(a, grown, False)


def unread(m):
    """A loop that works in place and makes a result in each turn that nobody reads, or that is read
    at the end only."""
    rng = m.rng
    a = m.target(lambda x: x.size and x.dtype.char in "dfli")
    if a is None:
        return
    i, turns = m.fresh(), rng.choice((2, 30, 130, 300))
    if m.size(a) * turns > 40 * m.cap:
        return
    if rng.random() < 0.5:
        grown = add(m.value(a), (float(turns), 0, 0))
        text = "for k in range(#2):\n        $1 += 1\n        $0 = ($1 * 2 + 3).sum()"
    else:
        grown = add(m.value(a), (1.0, 0, 0.0))
        text = "for k in range(#2):\n        $1 += 1 - k % 2 * 2\n        $0 = ($1 * 2 + 3).max()"
    made, char = times(grown, 4 * m.size(a)), m.e[a].dtype.char
    if values.settle("l" if char == "i" else char, made) is None:   # a step with an effect cannot be taken back
        return
    if grown[2] or not exact(m, a, grown) or not m.make(text, (i, a, turns), made):
        return
    m.stored(a, grown, False)
    if rng.random() < 0.6:
        m.delete(i)


# ---- what fails, and what warns ------------------------------------------------------------------

# Each has one operation that NumPy tells faults of, and exact results: infinities, nans, numbers.
FAULTS = [
    ("$0 = $1 / ($1 * 0)", "dfe"),
    ("$0 = 1 / ($1 * 0)", "dfe"),
    ("$0 = xp.log($1 * 0)", "df"),
    ("$0 = xp.sqrt(-1 - abs($1))", "df"),
    ("$0 = ($1 * 0 + 1e200) * 1e200", "d"),
    ("$0 = ($1 * 0 + 1e300).astype('f4')", "d"),
    ("$0 = $1 // ($1 * 0)", "li"),
    ("$0 = $1 % ($1 * 0)", "li"),
    ("$0 = $1 + 1", "dfli"),
]


def faults(m):
    """An operation under errstate: warned of, told to a function, or raised; the result is looked
    at and dropped."""
    rng, i = m.rng, m.fresh()
    text, chars = rng.choice(FAULTS)
    a = m.pick("a", lambda x: x.dtype.char in chars and x.size and x.ndim)
    if a is None or m.value(a)[2]:
        return
    if rng.random() < 0.3:
        text = "with xp.errstate(all='raise'): " + text
        try:
            function_of(text)(m.e, (i, a), np, np)
        except FloatingPointError as error:
            m.steps.append(("!" + text, (i, a, error_name(error))))
            return
        m.steps.append((text, (i, a)))
    else:
        mode = "call" if m.threads or rng.random() < 0.5 else "warn"
        told = watched(text, (i, a), m.e, np, mode)
        m.steps.append(("^" + text, (i, a, (mode, told))))
    m.adopt(i, (0.0, 0, 0.0), "a")
    m.check(i)
    m.delete(i)


def refused(m):
    """No memory, or operands that do not fit, between statements that go on."""
    a = m.target(lambda x: x.size)
    if a is None:
        return
    if m.rng.random() < 0.1:   # what could not be stored lives on and nobody reads it; NumPy refuses it
        # (of a copy: what reads memory that others share runs at once, and then it is refused)
        text = "*$1 = xp.broadcast_to(($0 + 0).reshape(-1)[:1], #2) + 1"
        if not m.threads:   # under another thread's errstate each statement runs, and is refused
            m.steps.append((text, (a, NEVER_READ, TOO_MANY)))
        return
    text, params = m.rng.choice(
        (
            ("xp.zeros(#1)", (a, TOO_MANY)),
            ("xp.ones(#1) + $0.reshape(-1)[:1]", (a, TOO_MANY)),
            ("(xp.broadcast_to($0.reshape(-1)[:1], #1) + 1)[0].tolist()", (a, TOO_MANY)),
            ("$0[...] = xp.zeros(#1)", (a, (3, 97, 2))),
            ("$0 += xp.ones(#1)", (a, (2, 89, 5))),
            ("$0[#1] += 1", (a, m.e[a].shape[0] + 7 if m.e[a].ndim else 1)),
            ("$0.reshape(-1)[xp.array([0, #1])]", (a, m.e[a].size)),
            ("$0[xp.array([0, #1])] = 1", (a, m.e[a].shape[0] if m.e[a].ndim else 1)),
        )
    )
    try:
        function_of(text)(m.e, params, np, np)
    except Exception as e:
        m.steps.append(("!" + text, params + (error_name(e),)))
    else:
        raise AssertionError(f"NumPy does not refuse {text} {params}")


def overlapping(m):
    """A view that meets itself, written to as a whole."""
    rng, i = m.rng, m.fresh()
    a = m.target(lambda x: x.flags.c_contiguous and x.size > 3 and x.dtype.char in "dfli")
    if a is None or m.value(a)[2] or m.vars[a].root.punned:
        return
    x, k = m.e[a], rng.choice((2, 3, 3, 7))
    k = min(k, m.cap // x.size)
    if k < 2 or x.size < k:
        return
    shape = (x.size - k + 1, k)
    text, params = "$0 = xp.lib.stride_tricks.as_strided($1, #2, #3)", (i, a, shape, (x.itemsize,) * 2)
    if rng.random() < 0.5 and x.ndim == 1:
        text = "$0 = xp.lib.stride_tricks.sliding_window_view($1, #2, writeable=True)"
        params = (i, a, k)
    if not m.make(text, params, m.value(a), kind="a", root=m.vars[a].root):
        return
    m.vars[i].frozen = True
    value = m.value(a)
    text, params, grown = rng.choice(
        (
            ("$0 += 1", (i,), add(value, (1, 0, 0))),
            ("$0[...] = #1", (i, 3), (3.0, 0, 0.0)),
            ("$0 *= 2", (i,), times(value, 2)),
            ("$0[...] = $0 + 1", (i,), add(value, (1, 0, 0))),
            ("xp.add($0, $0, out=$0)", (i,), add(value, value)),
        )
    )
    if exact(m, a, grown) and m.run(text, params):
        m.stored(a, grown, False)
    if rng.random() < 0.5:
        m.delete(i)


# ---- the process ---------------------------------------------------------------------------------


def settings(m):
    """What changes how the rest runs, and must not change what it computes."""
    text, params = m.rng.choice(
        (
            ("*xp.set_fusion(#0)", (m.rng.choice((True, True, "always", False)),)),
            ("*xp.set_num_threads(#0)", (m.rng.randint(1, 4),)),
            ("*try: xp.synchronize()\n    except MemoryError: pass", ()),   # of what refused() leaves unread
            ("*xp.trim()", ()),
            ("*__import__('gc').collect()", ()),
        )
    )
    m.steps.append((text, params))


def roll(m):
    """Rolled arrays, some of them rolled again, alone and among other operands."""
    rng, i, a = m.rng, m.fresh(), m.pick("a")
    if a is None or m.e[a].ndim == 0:
        return
    x = m.e[a]
    shift, axis = rng.choice((1, -1, 1, -1, 2, 7, 0, -100)), rng.randrange(x.ndim)
    b = m.pick("a", lambda y: y.shape == x.shape)
    if rng.random() < 0.4 or b is None:
        m.make("$0 = xp.roll($1, #2, #3)", (i, a, shift, axis), m.value(a))
    elif rng.random() < 0.5:
        m.make("$0 = $1 + xp.roll(xp.roll($2, #3, #4), 1, 0)", (i, a, b, shift, axis), add(m.value(a), m.value(b)))
    elif (to := m.target(lambda y: y.shape == x.shape)) is not None:
        m.write("$0[...] = xp.roll($1, #2, #3)", (to, a, shift, axis), m.value(a), x.dtype.char)


def fork(m):
    """Twice at most: each time all processes of the program are doubled."""
    if sum(text == "%fork" for text, _ in m.steps) < 2:
        m.steps.append(("%fork", ()))


# rule -> weight by kind of program; "one" stands for those that are not named
MORE = {
    lists: {"one": 1, "long": 6, "large": 8, "fork": 3, "threads": 4},
    rows: {"one": 0.5, "long": 2, "large": 2},
    unread: {"one": 0.4, "long": 1.5, "large": 1},
    faults: {"one": 0.7, "long": 2, "large": 1},
    refused: {"one": 0.7, "long": 2, "large": 1},
    overlapping: {"one": 0.7, "long": 2, "large": 2},
    roll: {"one": 1.5, "long": 3, "large": 3},
    settings: {"one": 0.3, "long": 1, "large": 1, "shared": 0, "locked": 0, "threads": 0.5},
    fork: {"one": 0, "fork": 3, "threads": 0.3},
}
FORKS = (fork,)


def drawn(kind, looks=4):
    """(functions, weights) of that kind of program; looks: the weight of demands in the middle."""
    table = [(looks if f is rules.look else w, f) for w, f in rules.RULES]
    table += [(w.get(kind, w["one"]), f) for f, w in MORE.items()]
    return [f for _, f in table], [w for w, _ in table]
