# SPDX-License-Identifier: BSD-3-Clause
"""What the window fuzzer draws: one function a kind of step, with a weight. Each adds steps to a
Maker, or nothing.
rules_more.py has those that are statements of whole programs rather than single operations."""

import numpy as np

import values
from expressions import expression, result_char
from make import fits
from steps import error_name, function_of
from values import add, either, mul, of_number, smooth, times

# ---- rules
# ----------------------------------------------------------------------------------------------------------


def literal(m, shape, char):
    """Nested lists of small numbers."""
    n = int(np.prod(shape, dtype=int))
    rng = m.rng
    if char == "?":
        flat = [rng.random() < 0.5 for _ in range(n)]
    elif char == "c16":
        flat = [complex(m.small(), m.small()) for _ in range(n)]
    else:
        low = 0 if char == "u1" else -5
        flat = [rng.randint(low, 9) for _ in range(n)]
    return np.array(flat, dtype=char).reshape(shape).tolist()


def new(m, i=None, shape=None, char=None):
    """A fresh array with distinct contents."""
    rng = m.rng
    i = m.fresh() if i is None else i
    shape = rng.choice(m.shapes) if shape is None else shape
    char = rng.choice(m.dtypes) if char is None else char
    n = int(np.prod(shape, dtype=int))
    r = rng.random()
    if n > 64 or (r < 0.25 and n and char in ("f8", "i8", "i4", "f4")):
        ok = m.make(
            "$0 = (xp.arange(#1, dtype=#2) % 13 - 6).reshape(#3)"
            if char != "?" and char != "u1" and char != "c16"
            else "$0 = (xp.arange(#1) % 7).astype(#2).reshape(#3)",
            (i, n, char, shape),
            (13.0, 0, 0.0),
        )
    elif r < 0.45:
        fill = rng.choice(("zeros", "ones"))
        ok = m.make(f"$0 = xp.{fill}(#1, dtype=#2)", (i, shape, char), (1.0, 0, 0.0))
    elif r < 0.55:
        ok = m.make(
            "$0 = xp.full(#1, #2, dtype=#3)", (i, shape, abs(m.small()), char), (9.0, 0, 0.0)
        )
    else:
        ok = m.make(
            "$0 = xp.array(#1, dtype=#2)", (i, literal(m, shape, char), char), (13.0, 0, 0.0)
        )
        if ok and m.e[i].shape != shape:  # [] has lost its other extents
            m.make("$0 = $0.reshape(#1)", (i, shape), (13.0, 0, 0.0))
    return i if ok else None


def view(m):
    """One of the view operations, on anything alive, pending or not."""
    rng, i, a = m.rng, m.fresh(), m.pick("a")
    if a is None:
        return
    x, root, frozen = m.e[a], m.vars[a].root, m.vars[a].frozen
    r = rng.random()
    explicit = None
    if r < 0.5:
        text, params = "$0 = $1[#2]", (i, a, m.index(x.shape))
    elif r < 0.58:
        text, params = "$0 = $1.T", (i, a)
    elif r < 0.63 and x.ndim > 1:
        text, params = "$0 = $1.transpose(#2)", (i, a, tuple(rng.sample(range(x.ndim), x.ndim)))
    elif r < 0.74:
        shape = rng.choice([s for s in m.shapes] + [(-1,)])
        text, params = "$0 = $1.reshape(#2)", (i, a, shape)
    elif r < 0.80:
        shape = rng.choice(m.shapes)
        text, params, explicit = "$0 = xp.broadcast_to($1, #2)", (i, a, shape), root
        if not fits(x.shape, shape) and rng.random() < 0.8:
            return
    elif r < 0.84 and x.ndim > 1:
        text, params = "$0 = xp.diagonal($1, #2)", (i, a, rng.choice((0, 0, 1, -1)))
    elif r < 0.90 and x.dtype.kind == "c":
        text, params = f"$0 = $1.{rng.choice(('real', 'imag'))}", (i, a)
    elif r < 0.96:
        change = {
            "d": ("c16", "f8"),
            "D": ("f8",),
            "l": ("i4", "u1", "i8"),
            "i": ("u1", "i4", "i8"),
            "?": ("u1", "?"),
            "f": ("f4",),
            "B": ("u1",),
            "L": ("i8",),
        }
        char = rng.choice(change.get(x.dtype.char, (x.dtype.str[1:],)))
        if not isinstance(x, np.ndarray):
            return
        address, step = x.__array_interface__["data"][0], np.dtype(char).alignment
        if any(
            at % step for at in (address, *x.strides)
        ):  # we have no views of elements out of step
            return
        text, params = "$0 = $1.view(#2)", (i, a, char)
        if x.dtype.char in "liLB?":
            root.punned = root.punned or np.dtype(char) != x.dtype
    elif r < 0.98:
        same = rng.choice(
            (
                "[xp.newaxis]",
                ".squeeze()",
                ".ravel()",
                ".astype('f8', copy=False)",
                ".swapaxes(0, -1)",
            )
        )
        if x.dtype.kind == "c" or (x.ndim == 0 and "swap" in same):
            same = "[...]"
        text, params = "$0 = $1" + same, (i, a)
    elif x.flags.c_contiguous and x.size > 3:  # overlapping windows over the elements
        k = rng.randint(2, 3)
        text = "$0 = xp.lib.stride_tricks.as_strided($1, #2, #3)"
        params = (i, a, (x.size - k + 1, k), (x.itemsize, x.itemsize))
        explicit, frozen = root, True
    else:
        text, params = "$0 = $1.flatten()", (i, a)
    if not m.make(text, params, root.value, root=explicit, view_of=None if explicit else a):
        return
    made = m.e[i]
    m.vars[i].frozen = frozen or (x.dtype.char == "?" and made.dtype.char == "B")  # 2 is no bool
    if not isinstance(made, np.ndarray):  # x[0, 0] is a scalar: a value of its own
        m.vars[i].kind = "s"
        measured = (
            abs(complex(made)) if made.dtype.kind == "c" else abs(float(made)),
            root.value[1],
            root.value[2],
        )
        m.vars[i].root = type(root)(measured, made)
    elif root.punned and m.vars[i].root is not root:
        m.vars[i].root.punned = True


def compute(m):
    """z = f(x, y): out of place; sometimes the name is one that exists."""
    drawn = expression(m, 1)
    if drawn is None:
        return
    text, params, value, _ = drawn
    i = m.fresh()
    if m.rng.random() < 0.3:
        i = m.pick("a", None) or i
        if i < 0 or m.vars.get(i) is not None and m.vars[i].frozen:
            i = m.fresh()
    m.make("$0 = " + text, (i,) + params, value)


def store(m):
    """x[view] = f(y, z) and x[view] op= y, overlapping or not."""
    rng = m.rng
    a = m.target()
    if a is None:
        return
    x = m.e[a]
    if rng.random() < 0.45 or x.ndim == 0:
        index = ...
    else:
        index = m.index(x.shape)
    part = x[index]
    shape = part.shape
    r = rng.random()
    if r < 0.35:
        op = rng.choice(("+", "+", "-", "*"))
        b = a if rng.random() < 0.3 else m.mate(shape, fits, "asp")
        if b is None or (b == a and not fits(x.shape, shape)):
            return
        y = m.e[b]
        value = (mul if op == "*" else add)(m.value(a), m.value(b))
        m.write(f"$0[#1] {op}= $2", (a, index, b), value, _char(y, x))
    elif r < 0.45:
        number = m.number()
        op = rng.choice(("+", "-", "*"))
        value = (mul if op == "*" else add)(m.value(a), of_number(number))
        m.write(
            f"$0[#1] {op}= #2", (a, index, number), value, "d" if isinstance(number, float) else "l"
        )
    elif r < 0.52:
        number = m.number()
        m.write(
            "$0[#1] = #2",
            (a, index, number),
            of_number(number),
            "d" if isinstance(number, float) else "l",
        )
    elif r < 0.6 and x.ndim and x.shape[0] > 1:  # two windows of one array, shifted
        lengths = [rng.randint(1, n) if n else 0 for n in x.shape]
        left, right = m.block(x.shape, lengths), m.block(x.shape, lengths)
        if rng.random() < 0.5:
            m.write("$0[#1] += $0[#2]", (a, left, right), add(m.value(a), m.value(a)), x.dtype.char)
        else:
            third = m.block(x.shape, lengths)
            m.write(
                "$0[#1] = $0[#2] - $0[#3]",
                (a, left, right, third),
                add(m.value(a), m.value(a)),
                x.dtype.char,
            )
    else:
        drawn = expression(m, 2, a if rng.random() < 0.3 and index is ... else None, shape)
        if drawn is None:
            return
        text, params, value, operands = drawn
        m.write("$0[#1] = " + text, (a, index) + params, value, result_char(text, operands))


def _char(y, beside):
    char = getattr(y, "dtype", None)
    if char is None:
        return "D" if type(y) is complex else "d" if type(y) is float else beside.dtype.char
    return np.result_type(char, beside.dtype).char


def renew(m):
    """A store that covers the whole of its storage: the window may give it fresh memory."""
    a = m.target(lambda x: x.flags.owndata)
    if a is None:
        return
    x = m.e[a]
    drawn = expression(m, 1, into=x.shape)
    if drawn is None:
        return
    text, params, value, operands = drawn
    m.write("$0[...] = " + text, (a,) + params, value, result_char(text, operands))


def into_out(m):
    """out=, with and without where=."""
    rng, a = m.rng, m.target()
    if a is None:
        return
    shape = m.e[a].shape
    b, c = m.mate(shape, fits, "as"), m.mate(shape, fits, "as")
    if b is None or c is None:
        return
    name, rule = rng.choice(
        (("add", add), ("subtract", add), ("multiply", mul), ("maximum", either))
    )
    char = np.result_type(m.e[b].dtype, m.e[c].dtype).char
    if name == "maximum" and char in "FD":
        return
    value = rule(m.value(b), m.value(c))
    if rng.random() < 0.3:
        w = m.pick("a", lambda x: x.dtype.char == "?" and fits(x.shape, shape))
        if w is not None:
            m.write(
                f"xp.{name}($1, $2, out=$0, where=$3)",
                (a, b, c, w),
                either(value, m.value(a)),
                char,
            )
            return
    m.write(f"xp.{name}($1, $2, out=$0)", (a, b, c), value, char)


def reduce(m):
    """One or several reductions over one domain, with a fused prologue, axes, keepdims, and what
    follows them."""
    rng, a = m.rng, m.pick("a")
    if a is None:
        return
    x = m.e[a]
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        i, r = m.fresh(), rng.random()
        axis = (
            None
            if rng.random() < 0.4 or x.ndim == 0
            else tuple(sorted(rng.sample(range(x.ndim), 2)))
            if x.ndim > 1 and rng.random() < 0.15
            else rng.randrange(-x.ndim, x.ndim)
        )
        keep = rng.random() < 0.25
        value, n = m.value(a), max(1, x.size)
        body, params = "$1", (i, a, axis, keep)
        if rng.random() < 0.4:
            drawn = expression(m, 4, a, x.shape)
            if drawn is not None and x.size:
                body, params, value = "(" + drawn[0] + ")", params + drawn[1], drawn[2]
        exact = value[2] == 0 and value[0] < 2.0**50
        if r < 0.5:
            m.make(f"$0 = {body}.sum(axis=#2, keepdims=#3)", params, times(value, n))
        elif r < 0.68:
            m.make(f"$0 = {body}.{rng.choice(('min', 'max'))}(axis=#2, keepdims=#3)", params, value)
        elif r < 0.76 and exact:
            m.make(
                f"$0 = {body}.{rng.choice(('any', 'all'))}(axis=#2, keepdims=#3)", params, (1, 0, 0)
            )
        elif r < 0.86 and exact and not isinstance(axis, tuple):
            m.make(
                f"$0 = {body}.{rng.choice(('argmin', 'argmax'))}(axis=#2, keepdims=#3)",
                params,
                (float(n), 0, 0),
            )
        elif r < 0.92 and x.dtype.kind in "ib" and body == "$1":
            m.make("$0 = $1.prod(axis=#2, keepdims=#3)", params, (2.0**63, 0, 0))
        elif x.dtype.char in "efd" and x.size and body == "$1":
            m.make("$0 = $1.mean(axis=#2, keepdims=#3)", params, smooth(value, value[0]))


def scalar(m):
    """Scalar results: read, used in expressions, rebound by +=, compared with what float()
    gives."""
    rng, s = m.rng, m.pick("s")
    if s is None:
        return reduce(m)
    x, r = m.e[s], rng.random()
    if r < 0.3:
        if x.dtype.kind == "c":
            return
        kind, value = rng.choice(("float", "int", "bool")), m.value(s)
        if kind != "float" and (value[2] or value[0] > 2.0**60):
            return
        m.make(f"$0 = {kind}($1)", (m.fresh(), s), value, root=type(m.vars[s].root)(value, x))
    elif r < 0.55:
        m.make("$0 += 1", (s,), add(m.value(s), (1, 0, 0)))
    else:
        a = m.target()
        if a is not None:
            m.write("$0 -= $1", (a, s), add(m.value(a), m.value(s)), _char(x, m.e[a]))


def rename(m):
    """Names: bound again, swapped, dropped."""
    rng, names = m.rng, [i for i, v in m.vars.items() if i > 0 and not v.frozen]
    if len(names) < 2:
        return
    a, b = rng.sample(names, 2)
    if rng.random() < 0.5:
        m.delete(a)
        return
    m.run("$0, $1 = $1, $0", (a, b))
    m.vars[a], m.vars[b] = m.vars[b], m.vars[a]


def softmax(m):
    """exp(x - max) / sum along rows: two reductions, each broadcast back."""
    a = m.pick("a", lambda x: x.ndim == 2 and x.dtype.char in "fd" and x.size)
    if a is None or m.value(a)[2]:
        return
    e, s = m.fresh(), m.fresh()
    axis = m.rng.choice((1, 1, 0))
    top = m.value(a)[0]
    if top > 100:
        return
    eps = values.EPS[m.e[a].dtype.char]
    m.make("$0 = xp.exp($1 - $1.max(axis=#2, keepdims=True))", (e, a, axis), (1.0, 60, 16 * eps))
    m.make(
        "$0 = $1 / $1.sum(axis=#2, keepdims=True)",
        (s, e, axis),
        (1.0, 60, 64 * eps * (1 + m.e[a].size)),
    )
    if m.rng.random() < 0.7:
        m.delete(e)


def chain(m):
    """x = x + 1 many times over: one name, generations that die at once."""
    a = m.pick("a", lambda x: x.dtype.char in "dlifB")
    if a is None or m.vars[a].frozen:
        return
    text = m.rng.choice(
        (
            "$0 = $0 + 1",
            "$0 = 1 - $0",
            "$0 += 1",
            "$0 = $0 + $0[::-1]" if m.e[a].ndim else "$0 = $0 + 1",
        )
    )
    for _ in range(m.rng.choice((3, 5, 10, 40))):
        grown = add(m.value(a), m.value(a) if "[" in text else (1, 0, 0))
        if text == "$0 += 1":
            if not m.e[a].flags.writeable or not m.write(text, (a,), grown, "l"):
                return
        elif not m.make(text, (a,), grown):
            return


def gather(m):
    """Index arrays, from lists and computed, and masks: read and written."""
    rng, i = m.rng, m.fresh()
    a = m.pick("a", lambda x: x.ndim and x.shape[0])
    if a is None:
        return
    x, r = m.e[a], rng.random()
    n = x.shape[0]
    where = [rng.randrange(-n, n) for _ in range(rng.randint(1, 6))]
    if r < 0.25:
        m.make(f"$0 = $1[{rng.choice(('xp', 'np'))}.array(#2)]", (i, a, where), m.value(a))
    elif r < 0.4:
        k = m.pick("a", lambda y: y.dtype.char in "li" and y.ndim)
        if k is not None and m.e[k].size * (x.size // n) <= m.cap:
            m.make("$0 = $1[$2 % #3]", (i, a, k, n), m.value(a))
    elif r < 0.5 and m.value(a)[2] == 0 and x.dtype.kind != "c":
        m.make("$0 = $1[$1 > 1]", (i, a), m.value(a))
    else:
        if m.vars[a].frozen or not x.flags.writeable:
            return
        number = abs(m.small())
        if r < 0.65:
            m.write("$0[xp.array(#1)] = #2", (a, where, number), of_number(number), x.dtype.char)
        elif r < 0.75 and x.dtype.kind != "b":
            m.write(
                "$0[xp.array(#1)] += #2",
                (a, where, number),
                add(m.value(a), of_number(number)),
                x.dtype.char,
            )
        elif r < 0.8 and x.dtype.kind != "b":
            m.write(
                "xp.add.at($0, xp.array(#1), #2)",
                (a, where, number),
                add(m.value(a), times(of_number(number), max(1, len(where)))),
                x.dtype.char,
            )
        elif r < 0.85 and m.value(a)[2] == 0 and x.dtype.kind != "c":
            m.write("$0[$0 > 1] = #1", (a, number), of_number(number), x.dtype.char)
        else:
            b = m.mate((len(where),) + x.shape[1:], fits, "a")
            if b is not None:
                m.write("$0[xp.array(#1)] = $2", (a, where, b), m.value(b), m.e[b].dtype.char)


def join(m):
    """concatenate and stack."""
    rng, i, a = m.rng, m.fresh(), m.pick("a")
    if a is None:
        return
    x = m.e[a]
    b = m.pick("a", lambda y: y.ndim == x.ndim and y.shape[1:] == x.shape[1:])
    if b is None or x.size + m.e[b].size > m.cap:
        return
    value = either(m.value(a), m.value(b))
    if rng.random() < 0.6:
        m.make("$0 = xp.concatenate([$1, $2])", (i, a, b), value)
    else:
        m.make("$0 = xp.stack([$1, $2], axis=#3)", (i, a, b, rng.choice((0, -1))), value)


def scan(m):
    """Running results and folds of pieces: library calls in the window."""
    rng, i, a = m.rng, m.fresh(), m.pick("a")
    if a is None:
        return
    x = m.e[a]
    axis = rng.randrange(x.ndim) if x.ndim and rng.random() < 0.7 else None
    value, r = times(m.value(a), max(1, x.size)), rng.random()
    if axis is None or r < 0.5 or x.dtype.kind in "bc" or not x.shape[axis]:
        m.make("$0 = xp.cumsum($1, axis=#2)", (i, a, axis), value)
    elif r < 0.65:
        m.make("$0 = xp.maximum.accumulate($1, axis=#2)", (i, a, axis), m.value(a))
    elif r < 0.8:
        m.make("$0 = xp.subtract.reduce($1, axis=#2)", (i, a, axis), value)
    else:
        starts = [rng.randrange(x.shape[axis]) for _ in range(rng.randint(1, 3))]
        m.make("$0 = xp.subtract.reduceat($1, #3, axis=#2)", (i, a, axis, starts), value)


def fits_a_product(x):
    """Not so much work that the rest of the program waits; NumPy has no BLAS for other than
    floats."""
    most = 1 << 17 if x.dtype.char in "fd" and max(x.shape, default=0) <= 512 else 4096
    return x.ndim in (1, 2) and x.dtype.char != "?" and x.size <= most


def product(m):
    """Small matrix products, transposed operands too."""
    rng, i = m.rng, m.fresh()
    a = m.pick("a", fits_a_product)
    if a is None:
        return
    x = m.e[a]
    inner = x.shape[-1]
    if rng.random() < 0.5 and x.shape[0] <= 1024:
        m.make("$0 = $1 @ $1.T", (i, a), times(mul(m.value(a), m.value(a)), max(1, inner)))
        return
    b = m.pick("a", lambda y: fits_a_product(y) and y.shape[0] == inner)
    if b is not None and x.size // max(1, inner) * (m.e[b].size // max(1, inner)) <= m.cap:
        m.make(
            f"$0 = {rng.choice(('$1 @ $2', 'xp.dot($1, $2)'))}",
            (i, a, b),
            times(mul(m.value(a), m.value(b)), max(1, inner)),
        )


def share(m):
    """Memory that NumPy can reach too: exported, imported, written from either side."""
    rng, r = m.rng, m.rng.random()
    i, other = m.fresh(), m.pick("n")
    if other is None or r < 0.3:
        a = m.target()
        if rng.random() < 0.6 and a is not None:
            text = rng.choice(
                (
                    "$0 = np.asarray($1)",
                    "$0 = np.asarray($1)",
                    "$0 = np.array($1, copy=False)",
                    "$0 = np.from_dlpack($1)",
                )
            )
            if "dlpack" in text and any(s % m.e[a].itemsize for s in m.e[a].strides):
                return  # DLPack counts strides in elements: NumPy refuses its own such arrays too
            m.make(text, (i, a), m.value(a), kind="n", root=m.vars[a].root)
        else:
            shape, char = rng.choice(m.shapes), rng.choice(m.dtypes)
            n = int(np.prod(shape, dtype=int))
            m.make(
                "$0 = (np.arange(#1) % 11).astype(#2).reshape(#3)",
                (i, n, char, shape),
                (11.0, 0, 0.0),
                kind="n",
            )
        return
    x, root = m.e[other], m.vars[other].root
    value = m.value(other)
    if r < 0.45:
        m.make("$0 = xp.asarray($1, copy=False)", (i, other), value, kind="a", root=root)
    elif r < 0.55:
        m.make("$0 = xp.array($1)", (i, other), value, kind="a")
    elif r < 0.8 and x.flags.writeable:
        number = m.number()
        number = abs(number) if x.dtype.char in "B?" else number
        char = "d" if isinstance(number, float) else "l"
        if rng.random() < 0.5:
            m.write("$0[#1] = #2", (other, m.index(x.shape), number), of_number(number), char)
        else:
            m.write(
                "$0[#1] += #2",
                (other, m.index(x.shape), number),
                add(value, of_number(number)),
                char,
            )
    elif r < 0.9 and x.flags.writeable:
        a = m.mate(x.shape, fits, "a")
        if a is not None:
            m.write("$0[...] = np.asarray($1)", (other, a), m.value(a), m.e[a].dtype.char)
    else:
        m.delete(other)


def look(m):
    """A demand in the middle of things."""
    i = m.pick("aspnl")
    if i is not None and m.kept < 20_000_000:
        m.check(i)


def error(m):
    """Something NumPy refuses: the library must refuse it too, and stay whole."""
    a = m.pick("a")
    if a is None:
        return
    x = m.e[a]
    text, params = m.rng.choice(
        (
            ("$0[#1]", (a, x.shape[0] + 3 if x.ndim else 0)),
            ("$0.sum(axis=#1)", (a, 9)),
            ("$0 + xp.zeros(#1)", (a, (97,))),
            ("$0.reshape(#1)", (a, (5, 7, 11, 13))),
            ("xp.add($0, 1, out=#1)", (a, 3)),
            ("$0[#1, #1, #1, #1, #1]", (a, 0)),
            ("$0.transpose(#1)", (a, (0, 0))),
            ("xp.broadcast_to($0, #1)", (a, (89, 3))),
        )
    )
    try:
        function_of(text)(m.e, params, np, np)
    except Exception as e:
        m.steps.append(("!" + text, params + (error_name(e),)))


RULES = [
    (4, new),
    (12, view),
    (14, compute),
    (16, store),
    (4, renew),
    (4, into_out),
    (7, reduce),
    (4, scalar),
    (6, rename),
    (1, softmax),
    (1, chain),
    (3, gather),
    (2, join),
    (1, scan),
    (2, product),
    (4, share),
    (4, look),
    (1, error),
]
