# SPDX-License-Identifier: BSD-3-Clause
"""ElementwiseKernel and ReductionKernel in plain C, which Heddle's front end compiles: one element (of
a reduction: one piece of a result) to a thread, over contiguous arrays. On the CPU others are copied
first, and back; on a GPU they go to the text of _kernel_text.py, which has strides."""
import re

import numpy

from .. import ascontiguousarray, broadcast_to, empty
from .._heddle import _is_array
from ._kernel_text import MOST_BYTES, type_of
from ._raw import RawKernel, RawModule

_BLOCK, _LANES, _PIECE, _MOST_PIECES = 256, 16, 1 << 14, 256
_THREADS_OF_GPU = 1 << 17
_BY_NAME = r"(?<![\w.]){name}\s*\[\s*([A-Za-z_]\w*)\s*\]"
_MEMBER = r"(?<![\w.]){name}\s*\.\s*(size|ndim|shape|strides)\b(\s*\(\s*\))?"


# ---- parameters ----------------------------------------------------------------------------------


class _Part:
    """A parameter with what it was given: kind is "number", "one" (an array of one element for
    all), "each" or "raw"; ndim of a raw array whose text asks for its extents."""

    def __init__(self, parameter, dtype, kind, ndim=0):
        self.p, self.dtype, self.kind, self.ndim = parameter, numpy.dtype(dtype), kind, ndim

    @property
    def key(self):
        return self.dtype.char, self.kind, self.ndim

    def declared(self):
        name, kind = self.p.name, type_of(self.dtype)
        if self.kind == "number":
            return [f"const {kind} {name}"]
        const = "const " if self.p.constant else ""
        own = name if self.kind == "raw" else f"_p_{name}"
        sizes = [f"const _index _d{a}_{name}" for a in range(self.ndim)]
        return [f"{const}{kind} *{own}", *([f"const _index _n_{name}"] if self.kind == "raw" else []),
                *sizes]

    def given(self, x):
        """What the launch is given for it, in the order of declared()."""
        if self.kind == "number":
            return [number(x, self.dtype)]
        if self.kind == "raw":
            return [x, x.size, *x.shape[:self.ndim]]
        return [x]

    def made(self):
        """What the kernel's text may ask a raw array."""
        if self.kind != "raw" or not self.ndim:
            return ""
        name, axes = self.p.name, range(self.ndim)
        sizes = [f"_d{a}_{name}" for a in axes]
        steps = [" * ".join([*sizes[a + 1:], f"(_index)sizeof({type_of(self.dtype)})"]) for a in axes]
        return (f"    const _index _shape_{name}[] = {{{', '.join(sizes)}}};\n"
                f"    const _index _strides_{name}[] = {{{', '.join(steps)}}};\n")

    def element(self, at):
        """The variable that the kernel's text has for an element."""
        if self.kind in ("number", "raw"):
            return ""
        at = "0" if self.kind == "one" else at
        const = "const " if self.p.is_input else ""
        return f"        {const}{type_of(self.dtype)} {self.p.name} = _p_{self.p.name}[{at}];\n"

    def stored(self, at):
        if self.p.is_input or self.kind in ("number", "raw"):
            return ""
        return f"        _p_{self.p.name}[{at}] = {self.p.name};\n"


def number(x, dtype):
    """A number as the bytes of a parameter."""
    value = numpy.asarray(x)
    if value.ndim:
        raise TypeError(f"a parameter is an array of Heddle's or a number, not {type(x).__name__}")
    return value.astype(dtype, casting="unsafe").tobytes()


def _asks(text, name):
    """Does a kernel's text ask an array for its shape or strides, or index it by an array?"""
    return (any(m[1] in ("shape", "strides") for m in re.finditer(_MEMBER.format(name=name), text))
            or any(_names_array(text, m[1]) for m in re.finditer(_BY_NAME.format(name=name), text)))


def _names_array(text, name):
    """Is that a local array of the text?"""
    return re.search(rf"\w\s+{name}\s*\[[^\]]*\]\s*[=;,]", text) is not None


def _place(part, index):
    """Where the element is whose indices an array has."""
    terms = [" * ".join([f"{index}[{a}]", *(f"_d{b}_{part.p.name}" for b in range(a + 1, part.ndim))])
             for a in range(part.ndim)]
    return " + ".join(terms)


def _plain(text, parts):
    """The text with what arrays are asked as names of C's."""
    text = re.sub(r"(?<![\w.])_ind\s*\.\s*size\s*\(\s*\)", "n", text)
    text = re.sub(r"(?<![\w.])_ind\s*\.\s*get\s*\(\s*\)", "i", text)
    for part in parts:
        if part.kind == "raw":
            name = part.p.name
            text = re.sub(_MEMBER.format(name=name), lambda m, name=name, ndim=part.ndim: {
                "size": f"_n_{name}", "ndim": str(ndim), "shape": f"_shape_{name}",
                "strides": f"_strides_{name}"}[m[1]], text)
            text = re.sub(_BY_NAME.format(name=name), lambda m, part=part, whole=text: (
                f"{part.p.name}[{_place(part, m[1])}]" if _names_array(whole, m[1]) else m[0]), text)
    return text


def begin_plain(letters, preamble):
    types = "".join(f"typedef {type_of(d)} {letter};\n" for letter, d in letters.items())
    return f"typedef long long _index;\n{types}{preamble}\n"


def _declared(parts, *more):
    return ", ".join([d for part in parts for d in part.declared()] + list(more))


# ---- elementwise ---------------------------------------------------------------------------------


def _elementwise_text(name, parts, letters, kernel):
    elements = "".join(p.element("i") for p in parts)
    stored = "".join(p.stored("i") for p in parts)
    made = "".join(p.made() for p in parts)
    body, prep, after = (_plain(text, parts) for text in (kernel.operation, kernel.loop_prep,
                                                          kernel.after_loop))
    return f"""{begin_plain(letters, kernel.preamble)}
extern "C" __global__ void {name}({_declared(parts, "const _index n")}) {{
{made}    {prep};
    const _index i = (_index)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {{
{elements}        do {{
            {body};
        }} while (0);
{stored}    }}
    {after};
}}
"""


def _part_of(p, x, dtype, shape, text):
    """The parameter, and what it is launched with."""
    if not _is_array(x):
        return _Part(p, dtype, "number"), x
    if p.raw:
        x = _dense(x) if p.is_input else x
        return _Part(p, dtype, "raw", x.ndim if _asks(text, p.name) else 0), x
    if p.is_input and x.size == 1:
        return _Part(p, dtype, "one"), x
    if p.is_input and x.shape != shape:
        x = broadcast_to(x, shape)
    return _Part(p, dtype, "each"), _dense(x) if p.is_input else x


def _dense(x):
    return x if x.flags.c_contiguous else ascontiguousarray(x)


def is_plain(kernel, dtypes):
    """Is the kernel's text C without classes? Arrays by one index, no complex numbers, no halves."""
    if any(d.kind == "c" or d.char == "e" for d in dtypes):
        return False
    text = kernel.text
    return all(re.match(r"\s*(\[|\.\s*(size|ndim|shape|strides)\b)", text[m.end():])
               for p in kernel._params if p.raw
               for m in re.finditer(rf"(?<![\w.]){p.name}\b", text))


def _dense_results(parts, args):
    """The arguments with contiguous arrays in the place of results that are none; what is to be
    copied back."""
    back, dense = [], []
    for part, x in zip(parts, args):
        if _is_array(x) and not part.p.is_input and not x.flags.c_contiguous:
            copy = ascontiguousarray(x)
            back.append((x, copy))
            x = copy
        dense.append(x)
    return dense, back


def _module(kernel, key, make):
    if key not in kernel._modules:
        kernel._modules[key] = RawModule(code=make(), options=kernel.options)
    return kernel._modules[key]


class Plan:
    """How a kernel is launched for arguments of certain shapes and dtypes."""

    def __init__(self, kernel, parts, made, n, block):
        self.made, self.parts = made, parts     # made: (shape, dtype) of each result that is not given
        module = _module(kernel, ("elements", *(part.key for part in parts)),
                         lambda: _elementwise_text(kernel._entry, parts, kernel._letters, kernel))
        self.function = RawKernel._of(module, kernel._entry)
        self.sizes, self.n = ((-(-n // block),), (block,)), n
        self.direct = all(part.kind in ("one", "each") for part in parts)

    def run(self, args, stream):
        """args: the inputs and the results that were given. All arguments."""
        if self.made:
            args = [*args, *(empty(shape, dtype) for shape, dtype in self.made)]
        if self.direct:
            given = [*args, self.n]
        else:
            given = [v for part, x in zip(self.parts, args) for v in part.given(x)]
            given.append(self.n)
        self.function(*self.sizes, given, stream=stream)
        return args


def plan_elementwise(kernel, args, dtypes, letters, shape, n, block):
    """A plan for arguments like these; None where arrays have to be copied."""
    both = [_part_of(p, x, d, shape, kernel.text) for p, x, d in zip(kernel._params, args, dtypes)]
    if any(x is not y for (_, x), y in zip(both, args)) or any(
            _is_array(x) and not x.flags.c_contiguous for x in args):
        return None
    kernel._letters = letters
    return Plan(kernel, [part for part, _ in both], [], n, block)


def run_elementwise(kernel, args, dtypes, letters, shape, n, stream):
    """args: all parameters', results made."""
    both = [_part_of(p, x, d, shape, kernel.text) for p, x, d in zip(kernel._params, args, dtypes)]
    parts = [part for part, _ in both]
    given, back = _dense_results(parts, [x for _, x in both])
    kernel._letters = letters
    Plan(kernel, parts, [], n, _BLOCK).run(given, stream)
    for x, copy in back:
        x[...] = copy


# ---- reductions ----------------------------------------------------------------------------------


def _joined(how, value, into, some):
    """Statements that reduce a value into another one."""
    if some is None:
        return f"{into} = REDUCE({into}, {value});"
    return f"{into} = {some} ? REDUCE({into}, {value}) : {value}; {some} = true;"


def _reduction_text(name, parts, letters, how, columns):
    ins, out = parts[:-1], parts[-1]
    begins = how["identity"] not in ("", "None", None)
    first = f" = _type_reduce({how['identity']})" if begins else ""
    some = None if begins else "_some"
    element = "".join("    " + p.element("_at") for p in ins)
    at = "_result + _j * _results" if columns else "_result * _each + _j"
    made = "".join(p.made() for p in parts)
    mapped = f"const _index _at = {at}, _i = _at; (void)_i;\n{element}            " \
             f"const _type_reduce _v = ({_plain(how['map_expr'], parts)});"
    lanes = "" if not begins or columns else f"""
    _type_reduce _l[{_LANES}];
    for (int _k = 0; _k < {_LANES}; _k++) _l[_k] = _s;
    for (; _j + {_LANES} <= _to; _j += {_LANES})
        for (int _k = 0; _k < {_LANES}; _k++) {{
            const _index _at = {at} + _k, _i = _at; (void)_i;
{element}            const _type_reduce _v = ({_plain(how['map_expr'], parts)});
            _l[_k] = REDUCE(_l[_k], _v);
        }}
    for (int _k = 0; _k < {_LANES}; _k++) _s = REDUCE(_s, _l[_k]);"""
    flag = "" if begins else "    bool _some = false;\n"
    return f"""{begin_plain(letters, how["preamble"])}typedef {how["reduce_type"]} _type_reduce;
static_assert(sizeof(_type_reduce) <= {MOST_BYTES}, "reduce_type takes more than {MOST_BYTES} bytes");
static __device__ _type_reduce REDUCE(_type_reduce a, _type_reduce b)
{{
    return ({how["reduce_expr"]});
}}
extern "C" __global__ void {name}_parts({_declared(ins, "_type_reduce *_part", "const _index _each",
                                                   "const _index _pieces", "const _index _results")})
{{
{made}    const _index _w = (_index)blockIdx.x * blockDim.x + threadIdx.x;
    if (_w >= _results * _pieces) return;
    const _index _result = _w / _pieces, _piece = _w % _pieces;
    const _index _to = _each * (_piece + 1) / _pieces;
    _index _j = _each * _piece / _pieces;
    _type_reduce _s{first};
{flag}{lanes}
    for (; _j < _to; _j++) {{
        {mapped}
            {_joined(how, "_v", "_s", some)}
    }}
    _part[_w] = _s;
}}
extern "C" __global__ void {name}(const _type_reduce *_part, const _index _pieces,
                                  const _index _results, {_declared([out])}) {{
    const _index _result = (_index)blockIdx.x * blockDim.x + threadIdx.x;
    if (_result >= _results) return;
    _type_reduce _s = _part[_result * _pieces];
    for (_index _j = 1; _j < _pieces; _j++)
        _s = REDUCE(_s, _part[_result * _pieces + _j]);
    const _type_reduce a = _s;
{out.element("_result")}    {how["post_map_expr"]};
{out.stored("_result")}}}
"""


def _arranged(ins, shape, axes, params):
    """The inputs with the kept axes first; or, if all are contiguous so, with the reduced ones first:
    True."""
    kept, reduced = axes
    arrays = [x for p, x in zip(params, ins) if _is_array(x) and not p.raw and x.size > 1]
    columns = bool(kept and reduced) and all(
        x.shape == shape and x.transpose([*reduced, *kept]).flags.c_contiguous
        and not x.transpose([*kept, *reduced]).flags.c_contiguous for x in arrays)
    order = [*reduced, *kept] if columns else [*kept, *reduced]
    plain = order == sorted(order)
    return [x if not _is_array(x) or p.raw or x.size == 1 or (plain and x.shape == shape)
            else broadcast_to(x, shape).transpose(order) for p, x in zip(params, ins)], columns


def _pieces_of(each, results, columns, gpu):
    """Pieces of each result, so that all threads have work and each some of it."""
    if columns:
        threads, least = (_THREADS_OF_GPU, 16) if gpu else (64, 64)
        return max(1, min(-(-each // least), -(-threads // results), _MOST_PIECES))
    return max(1, min(-(-each // _PIECE), -(-_MOST_PIECES // results)))


def how_to_reduce(kernel, dtypes):
    """The kernel's texts, with the type of the values that are reduced."""
    kind = kernel._how["reduce_type"]
    return {**kernel._how, "reduce_type": type_of(dtypes[-1]) if kind is None else kind}


class ReductionPlan:
    """How a reduction is launched for arguments of certain shapes and dtypes: once over the pieces of
    its results, once over the results."""

    def __init__(self, functions, sizes, room, given, last_given):
        """given, last_given: what the two are launched with: a value, or an _Argument."""
        self.first, self.last = functions
        self.sizes, self.room = sizes, room     # (grid, block) of each; bytes of the pieces' values
        self.given, self.last_given = given, last_given
        self.made = None                        # (shape, dtype) of a result that is not given

    def run(self, ins, out, stream):
        if out is None:
            out = empty(*self.made)
        values = {"part": empty(self.room, "u1"), "out": out}
        for function, size, given in ((self.first, self.sizes[0], self.given),
                                      (self.last, self.sizes[1], self.last_given)):
            function(*size, [v.of(ins, values) if isinstance(v, Argument) else v for v in given],
                     stream=stream)
        return out


class Argument:
    """An argument that each call gives: number i of the inputs, or what the plan calls so."""

    def __init__(self, which, dtype=None):
        self.which, self.dtype = which, dtype   # dtype: of a number

    def of(self, ins, values):
        x = ins[self.which] if isinstance(self.which, int) else values[self.which]
        return x if self.dtype is None else number(x, self.dtype)


def _reduction_sizes(results, pieces, columns):
    block = _BLOCK if columns else min(_BLOCK, max(1, results * pieces // 64))
    return (((-(-results * pieces // block),), (block,)), ((-(-results // _BLOCK),), (_BLOCK,)))


def plan_reduction(kernel, ins, dtypes, letters, shape, axes, each, results, gpu=False):
    """(the plan, the inputs that it runs with: others where they had to be copied). On a GPU it is
    the way only where the results lie side by side: None, None elsewhere."""
    how = how_to_reduce(kernel, dtypes)
    whole, columns = _arranged(ins, shape, axes, kernel._ins)
    if gpu and not (columns and is_plain(kernel, dtypes)):
        return None, None
    turned = tuple(shape[a] for a in ([*axes[1], *axes[0]] if columns else [*axes[0], *axes[1]]))
    both = [_part_of(p, x, d, turned, kernel.text) for p, x, d in zip(kernel._ins, whole, dtypes)]
    parts = [part for part, _ in both] + [_Part(kernel._outs[0], dtypes[-1], "each")]
    pieces = 1 if each == 0 else _pieces_of(each, results, columns, gpu)
    module = _module(kernel, ("reduction", columns, *(part.key for part in parts)),
                     lambda: _reduction_text(kernel._entry, parts, letters, how, columns))
    given = []
    for i, (part, x) in enumerate(both):
        sizes = [] if part.kind == "number" else part.given(x)[1:]
        given += [Argument(i, part.dtype if part.kind == "number" else None), *sizes]
    functions = [RawKernel._of(module, kernel._entry + end) for end in ("_parts", "")]
    plan = ReductionPlan(functions, _reduction_sizes(results, pieces, columns), results * pieces * MOST_BYTES,
                         [*given, Argument("part"), each, pieces, results],
                         [Argument("part"), pieces, results, Argument("out")])
    return plan, [x for _, x in both]
