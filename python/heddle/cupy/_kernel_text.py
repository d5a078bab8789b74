# SPDX-License-Identifier: BSD-3-Clause
"""What ElementwiseKernel and ReductionKernel say in CUDA C: types, arrays and loops."""
import re

import numpy

TYPES = {"?": "bool", "b": "signed char", "B": "unsigned char", "h": "short", "H": "unsigned short",
         "i": "int", "I": "unsigned int", "l": "long long", "L": "unsigned long long",
         "q": "long long", "Q": "unsigned long long", "e": "float16", "f": "float", "d": "double",
         "F": "complex<float>", "D": "complex<double>"}

_ARRAYS = r"""
typedef long long _index;
template <int N> struct _Layout { _index shape[N > 0 ? N : 1], steps[N > 0 ? N : 1]; };

/* An array over memory: x[i] counts in C order, x[indices] takes one for each axis. Steps are in
 * elements; DENSE: they need not be looked at. */
template <typename T, int N, bool DENSE> struct _Array {
    T *data;
    _index count;
    _Layout<N> layout;
    __device__ _Array(T *data, _index count, const _Layout<N> &layout)
        : data(data), count(count), layout(layout) {}
    __device__ T &operator[](_index i) const
    {
        if (DENSE)
            return data[i];
        _index at = 0;
        for (int a = N; a-- > 0; i /= layout.shape[a])
            at += i % layout.shape[a] * layout.steps[a];
        return data[at];
    }
    template <typename I> __device__ T &operator[](const I (&index)[N > 0 ? N : 1]) const
    {
        _index at = 0;
        for (int a = 0; a < N; a++)
            at += index[a] * layout.steps[a];
        return data[at];
    }
    __device__ _index size() const { return count; }
    __device__ const _index *shape() const { return layout.shape; }
    __device__ const _index *strides() const { return layout.steps; }
};
struct _Indexer {
    _index count, at;
    __device__ _index size() const { return count; }
    __device__ _index get() const { return at; }
};
"""
_COMPLEX = r"""
template <typename T> struct complex {
    typedef T value_type;
    T re, im;
    __device__ complex(T re = T(), T im = T()) : re(re), im(im) {}
    template <typename U> __device__ complex(const complex<U> &z) : re(z.re), im(z.im) {}
    __device__ T real() const { return re; }
    __device__ T imag() const { return im; }
    __device__ complex &operator+=(const complex &z) { return *this = *this + z; }
    __device__ complex &operator-=(const complex &z) { return *this = *this - z; }
    __device__ complex &operator*=(const complex &z) { return *this = *this * z; }
    __device__ complex &operator/=(const complex &z) { return *this = *this / z; }
    friend __device__ complex operator+(const complex &a, const complex &b)
    { return complex(a.re + b.re, a.im + b.im); }
    friend __device__ complex operator-(const complex &a, const complex &b)
    { return complex(a.re - b.re, a.im - b.im); }
    friend __device__ complex operator-(const complex &a) { return complex(-a.re, -a.im); }
    friend __device__ complex operator*(const complex &a, const complex &b)
    { return complex(a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re); }
    friend __device__ complex operator/(const complex &a, const complex &b)
    {
        T s = fabs(b.re) + fabs(b.im), br = b.re / s, bi = b.im / s, d = br * br + bi * bi;
        T ar = a.re / s, ai = a.im / s;
        return complex((ar * br + ai * bi) / d, (ai * br - ar * bi) / d);
    }
    friend __device__ bool operator==(const complex &a, const complex &b)
    { return a.re == b.re && a.im == b.im; }
    friend __device__ bool operator!=(const complex &a, const complex &b) { return !(a == b); }
};
template <typename T> __device__ T real(const complex<T> &z) { return z.re; }
template <typename T> __device__ T imag(const complex<T> &z) { return z.im; }
template <typename T> __device__ T norm(const complex<T> &z) { return z.re * z.re + z.im * z.im; }
template <typename T> __device__ T abs(const complex<T> &z) { return hypot(z.re, z.im); }
template <typename T> __device__ T arg(const complex<T> &z) { return atan2(z.im, z.re); }
template <typename T> __device__ complex<T> conj(const complex<T> &z)
{ return complex<T>(z.re, -z.im); }
template <typename T> __device__ complex<T> polar(T r, T t)
{ return complex<T>(r * cos(t), r * sin(t)); }
template <typename T> __device__ complex<T> exp(const complex<T> &z)
{ return polar(exp(z.re), z.im); }
template <typename T> __device__ complex<T> log(const complex<T> &z)
{ return complex<T>(log(abs(z)), arg(z)); }
template <typename T> __device__ complex<T> sqrt(const complex<T> &z)
{
    T r = abs(z), u = sqrt((r + fabs(z.re)) / 2), v = u > 0 ? fabs(z.im) / (2 * u) : T();
    return z.re >= 0 ? complex<T>(u, copysign(v, z.im)) : complex<T>(v, copysign(u, z.im));
}
"""
MOST_BYTES = 64     # of a value that is reduced
_HALF = "#include <cuda_fp16.h>\ntypedef __half float16;\n"


def begin(dtypes):
    """What a source begins with, whose values have these dtypes."""
    text = _HALF if any(d.char == "e" for d in dtypes) else ""
    return text + (_COMPLEX if any(d.kind == "c" for d in dtypes) else "") + _ARRAYS


def type_of(dtype):
    """CUDA C's name of a dtype. TypeError: it has none."""
    name = TYPES.get(numpy.dtype(dtype).char)
    if name is None:
        raise TypeError(f"kernels have no values of dtype {dtype}")
    return name


# ---- parameters ----------------------------------------------------------------------------------


class Parameter:
    """One parameter of a kernel: "raw T x", "float32 y".

    name; raw; constant; type: a letter that stands for a dtype, or None; dtype: None with a letter.
    """

    def __init__(self, text, is_input):
        words = text.split()
        self.raw, self.is_input = "raw" in words, is_input
        self.constant = is_input and "_non_const" not in words
        words = [w for w in words if w not in ("raw", "const", "_non_const")]
        if len(words) != 2 or not re.fullmatch(r"[A-Za-z_]\w*", words[1]):
            raise ValueError(f"a parameter is a type and a name, not {text.strip()!r}")
        kind, self.name = words
        if self.name in ("n", "i") or self.name.startswith("_"):
            raise ValueError(f"a parameter may not have the name {self.name!r}")
        self.type = kind if len(kind) == 1 else None
        self.dtype = None if self.type else numpy.dtype(kind)


def parameters(text, is_input):
    """Those of "T x, raw int32 y"."""
    return [Parameter(p, is_input) for p in text.split(",") if p.strip()]


def check_names(params):
    names = [p.name for p in params]
    if len(set(names)) != len(names):
        raise ValueError(f"two parameters have one name: {', '.join(names)}")


# ---- sources -------------------------------------------------------------------------------------


class Bound:
    """A parameter with what it was given: dtype; ndim and dense of an array, ndim None: a number."""

    def __init__(self, parameter, dtype, ndim, dense):
        self.p, self.dtype, self.ndim, self.dense = parameter, dtype, ndim, dense

    @property
    def key(self):
        return self.dtype.char, self.ndim, self.dense

    def declared(self):
        """The parameter of the function."""
        name, kind = self.p.name, type_of(self.dtype)
        if self.ndim is None:
            return f"{kind} {name}"
        const = "const " if self.p.constant else ""
        return (f"{const}{kind} *_p_{name}, _index _n_{name}, "
                f"_Layout<{self.ndim}> _l_{name}")

    def made(self):
        """The array that the kernel's text indexes, or that its values are of."""
        if self.ndim is None:
            return ""
        const, name = "const " if self.p.constant else "", self.p.name
        own = name if self.p.raw else f"_a_{name}"
        dense = "true" if self.dense else "false"
        return (f"    const _Array<{const}{type_of(self.dtype)}, {self.ndim}, {dense}> "
                f"{own}(_p_{name}, _n_{name}, _l_{name});\n")

    def element(self, at):
        """The variable that the kernel's text has for an element."""
        if self.ndim is None or self.p.raw:
            return ""
        kind = type_of(self.dtype)
        kind = f"const {kind}" if self.p.is_input else f"{kind} &"
        return f"        {kind} {self.p.name} = _a_{self.p.name}[{at}];\n"


def _types(letters):
    return "".join(f"typedef {type_of(d)} {letter};\n" for letter, d in letters.items())


def elementwise(name, bound, letters, operation, preamble, loop_prep, after_loop):
    """The source of an elementwise kernel."""
    declared = ", ".join([*(b.declared() for b in bound), "_Indexer _ind"])
    made = "".join(b.made() for b in bound)
    elements = "".join(b.element("i") for b in bound)
    return f"""{begin([b.dtype for b in bound])}{_types(letters)}{preamble}
extern "C" __global__ void {name}({declared}) {{
{made}    {loop_prep};
    const _index n = _ind.size(), _step = (_index)blockDim.x * gridDim.x;
    for (_index i = (_index)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += _step) {{
        _ind.at = i;
{elements}        {operation};
    }}
    {after_loop};
}}
"""


def reduction(name, bound, letters, how, block):
    """The source of a reduction: `name`_parts reduces a piece of the elements of each result to one
    value, `name` the values of all pieces to the result. how: map_expr, reduce_expr, post_map_expr,
    identity, reduce_type, preamble."""
    ins, outs = [b for b in bound if b.p.is_input], [b for b in bound if not b.p.is_input]
    in_text = "".join(f"{b.declared()}, " for b in ins)
    in_made, elements = "".join(b.made() for b in ins), "".join(b.element("_at") for b in ins)
    out_text = "".join(f", {b.declared()}" for b in outs)
    out_made, results = "".join(b.made() for b in outs), "".join(b.element("_out") for b in outs)
    begins = how["identity"] not in ("", "None", None)     # else with the first value
    some = "true" if begins else "false"
    first = f"_type_reduce _s = _type_reduce({how['identity']})" if begins else "_type_reduce _s"
    join = "_s = _some ? REDUCE(_s, _v) : _v; _some = true"
    across = f"""    __shared__ char _bytes[{block} * sizeof(_type_reduce)];
    __shared__ bool _there[{block}];
    _type_reduce *_shared = (_type_reduce *)_bytes;
    _shared[threadIdx.x] = _s;
    _there[threadIdx.x] = _some;
    for (int _k = {block} / 2; _k > 0; _k /= 2) {{
        __syncthreads();
        if (threadIdx.x < _k && _there[threadIdx.x + _k]) {{
            const _type_reduce _v = _shared[threadIdx.x + _k];
            _shared[threadIdx.x] = _there[threadIdx.x] ? REDUCE(_shared[threadIdx.x], _v) : _v;
            _there[threadIdx.x] = true;
        }}
    }}
    __syncthreads();
    _s = _shared[0];
"""
    return f"""{begin([b.dtype for b in bound])}{_types(letters)}
{how["preamble"]}
typedef {how["reduce_type"]} _type_reduce;
static_assert(sizeof(_type_reduce) <= {MOST_BYTES}, "reduce_type takes more than {MOST_BYTES} bytes");
static __device__ _type_reduce REDUCE(_type_reduce a, _type_reduce b)
{{
    return ({how["reduce_expr"]});
}}
extern "C" __global__ void {name}_parts({in_text}_type_reduce *_part, _index _each,
                                        _index _pieces) {{
{in_made}    const _index _result = blockIdx.x / _pieces, _piece = blockIdx.x % _pieces;
    bool _some = {some};
    {first};
    for (_index _j = _piece * {block} + threadIdx.x; _j < _each; _j += _pieces * {block}) {{
        const _index _at = _result * _each + _j, _i = _at;
        (void)_i;
{elements}        const _type_reduce _v = ({how["map_expr"]});
        {join};
    }}
{across}    if (threadIdx.x == 0) _part[blockIdx.x] = _s;
}}
extern "C" __global__ void {name}(const _type_reduce *_part, _index _pieces{out_text}) {{
{out_made}    const _index _out = blockIdx.x;
    bool _some = {some};
    {first};
    for (_index _j = threadIdx.x; _j < _pieces; _j += {block}) {{
        const _type_reduce _v = _part[_out * _pieces + _j];
        {join};
    }}
{across}    if (threadIdx.x == 0) {{
        const _type_reduce a = _s;
{results}        {how["post_map_expr"]};
    }}
}}
"""
