# SPDX-License-Identifier: BSD-3-Clause
"""ElementwiseKernel and ReductionKernel: a body in CUDA C over arrays of any shapes and strides.
A body without loops and addresses is recorded as operations on arrays (_kernel_apply.py), any other
is one launch (a reduction two) in the order of the window, of a kernel that Heddle compiles
(_kernel_plain.py), or NVRTC on a GPU."""
import math
import re

import numpy

from .. import broadcast_shapes, broadcast_to, empty
from .._heddle import _here, _is_array
from ._kernel_apply import apply_elementwise, apply_reduction
from ._kernel_text import MOST_BYTES, Bound, check_names, elementwise, parameters, reduction
from ._kernel_plain import (Argument, ReductionPlan, how_to_reduce, is_plain, number,
                            plan_elementwise, plan_reduction, run_elementwise)
from ._raw import RawKernel, RawModule
from .cuda.device import on_gpu

__all__ = ["ElementwiseKernel", "ReductionKernel"]
_BLOCK, _MOST_BLOCKS = 128, 1 << 20
_MOST_PLANS = 128
_REDUCE_BLOCK, _SPREAD = 256, 1024      # threads; pieces that one result may be cut into


def _checked(name):
    if not re.fullmatch(r"[A-Za-z_]\w*", name):
        raise ValueError(f"a kernel may not have the name {name!r}")
    return name


def _bind_types(params, args):
    """{letter: dtype} from the arrays, then from numbers. args: None for a result to be made."""
    letters = {}

    def bind(p, dtype):
        known = p.dtype if p.type is None else letters.setdefault(p.type, dtype)
        if known != dtype:
            raise TypeError(f"{p.name} has dtype {dtype}, and {p.type or 'the parameter'} is {known}")

    for p, x in zip(params, args):
        if _is_array(x):
            bind(p, numpy.dtype(x.dtype))
    for p, x in zip(params, args):
        if x is not None and not _is_array(x) and p.type is not None:
            letters.setdefault(p.type, numpy.asarray(x).dtype)
    for p in params:
        if p.type is not None and p.type not in letters:
            raise ValueError(f"nothing says what dtype {p.type} is, of {p.name}")
    return letters


def _dtype(p, letters):
    return p.dtype if p.type is None else letters[p.type]


def _layout(x, shape):
    """The bytes of _Layout: extents and steps in elements."""
    steps = [s // x.itemsize for s in x.strides]
    return numpy.array([*shape, *steps] or [1, 1], "i8").tobytes()


def _check_steps(x, name):
    if any(s % x.itemsize for s in x.strides):
        raise ValueError(f"{name}: the strides {x.strides} are no multiples of its elements' size")
    return x


def _shapes(params, args):
    """Of the arrays that the elements are of."""
    return [x.shape for p, x in zip(params, args) if _is_array(x) and not p.raw]


def _whole(params, args, shape):
    """The arguments, inputs over all elements."""
    return [broadcast_to(x, shape) if _is_array(x) and p.is_input and not p.raw
            and x.shape != shape else x for p, x in zip(params, args)]


def _bound(params, args, letters):
    """The parameters with the kinds of what they get."""
    return [Bound(p, _dtype(p, letters), x.ndim, _check_steps(x, p.name).flags.c_contiguous)
            if _is_array(x) else Bound(p, _dtype(p, letters), None, None)
            for p, x in zip(params, args)]


def _parameter(bound, x):
    """What one parameter is launched with."""
    if bound.ndim is None:
        return [number(x, bound.dtype)]
    return [x, x.size, _layout(x, x.shape)]


class _Kernel:
    name = in_params = out_params = preamble = None
    text = ""          # all that may name a parameter
    nin = nout = nargs = 0
    reduce_dims, options = True, ()

    def __init__(self, in_params, out_params, name):
        self.name = _checked(name)
        self._entry = f"heddle_{name}"      # unlike all functions of CUDA's
        self.in_params, self.out_params = in_params, out_params
        self._ins = parameters(in_params, True)
        self._outs = parameters(out_params, False)
        self.nin, self.nout = len(self._ins), len(self._outs)
        self.nargs = self.nin + self.nout
        self._params = [*self._ins, *self._outs]
        check_names(self._params)
        self._modules, self._plans, self._applied = {}, {}, {}

    @property
    def cached_codes(self):
        """The sources so far, by the kinds of their parameters."""
        return {key: made.code for made_by in (self._modules, self._applied)
                for key, made in made_by.items()}

    @property
    def cached_code(self):
        """The source made last, None: none was."""
        return next(reversed(self.cached_codes.values()), None)

    @property
    def params(self):
        """The parameters, results the last."""
        return tuple(self._params)

    def _arguments(self, args):
        if len(args) not in (self.nin, self.nargs):
            raise TypeError(f"{self.name}() takes {self.nin} or {self.nargs} arguments, "
                            f"{len(args)} were given")
        for p, x in zip(self._outs, args[self.nin:]):
            if not _is_array(x):
                raise TypeError(f"{p.name} is a result and has to be an array")
        return list(args) + [None] * (self.nargs - len(args))

    def _keep(self, key, plan):
        if len(self._plans) == _MOST_PLANS:     # shapes that change all the time
            self._plans.clear()
        self._plans[key] = plan

    def _module(self, bound, make):
        """The module for parameters of these kinds: compiled once."""
        key = tuple(b.key for b in bound)
        if key not in self._modules:
            self._modules[key] = RawModule(code=make(), options=self.options)
        return self._modules[key]

    def __repr__(self):
        return f"<{type(self).__name__} {self.name}>"


class ElementwiseKernel(_Kernel):
    """A body that runs once for each element.

    in_params, out_params: as "T x, raw float32 y": a dtype, or a letter for one that the arrays
    say; raw: the body indexes the array itself, by i, the number of the element, or by an array of
    indices. operation: statements. loop_prep, after_loop: before and after a thread's elements.
    kernel(*inputs, *outputs): results that are not given are made and returned; size: how many
    elements, if all arrays are raw.
    """

    operation, no_return, return_tuple, kwargs = "", False, False, {}

    def __init__(self, in_params, out_params, operation, name="kernel", reduce_dims=True,
                 preamble="", no_return=False, return_tuple=False, *, options=(), loop_prep="",
                 after_loop="", **ignored):
        super().__init__(in_params, out_params, name)
        self.operation, self.preamble, self.no_return = operation, preamble, no_return
        self.return_tuple, self.options = return_tuple, tuple(options)
        self.loop_prep, self.after_loop, self.reduce_dims = loop_prep, after_loop, reduce_dims
        self.text = f"{operation};{loop_prep};{after_loop}"
        self.kwargs = {"options": self.options, "loop_prep": loop_prep, "after_loop": after_loop}

    def _shape(self, args, size):
        shapes = _shapes(self._params, args)
        if size is not None:
            if shapes:
                raise ValueError("size can be given only where all arrays are raw")
            return (int(size),)
        if not shapes:
            raise ValueError("nothing says how many elements there are: give size")
        shape = broadcast_shapes(*shapes)
        for p, x in zip(self._outs, args[self.nin:]):
            if x is not None and not p.raw and x.shape != shape:
                raise ValueError(f"{p.name} has shape {x.shape}, and the elements have {shape}")
        return shape

    def _made(self, p, letters, shape):
        if p.raw:
            raise ValueError(f"{p.name} is raw and has to be given")
        return empty(shape, _dtype(p, letters))

    def __call__(self, *args, size=None, block_size=_BLOCK, stream=None, **ignored):
        kinds = tuple([x.dtype if _is_array(x) else type(x) for x in args])
        plan = self._applied.get(kinds) if size is None else None
        outs = plan.run(args, stream) if plan is not None else None
        if outs is None:
            outs = self._launched(kinds, args, size, block_size, stream)
        if self.no_return or not outs:
            return None
        return outs[0] if len(outs) == 1 and not self.return_tuple else tuple(outs)

    def _launched(self, kinds, args, size, block_size, stream):
        """The results, of arguments that there is no plan to apply the kernel to."""
        key = (_here(), size, block_size, *[(x.dtype, x.shape, x.strides) if _is_array(x)
                                            else type(x) for x in args])
        plan = self._plans.get(key)
        if plan is not None:
            return plan.run(args, stream)[self.nin:]
        return self._first(key, kinds, args, size, block_size, stream)

    def _first(self, key, kinds, args, size, block_size, stream):
        """The results, of arguments that there is no plan for: there is one afterwards, if one can
        be."""
        given = len(args)
        args = self._arguments(args)
        letters, shape = _bind_types(self._params, args), self._shape(args, size)
        dtypes, n = [_dtype(p, letters) for p in self._params], math.prod(shape)
        plan, outs = (apply_elementwise(self, args[:given], dtypes, letters, stream) if n
                      else (None, None))
        if plan is not None:
            self._applied[kinds] = plan
            return outs
        outs = [self._made(p, letters, shape) if x is None else x
                for p, x in zip(self._outs, args[self.nin:])]
        args = args[:self.nin] + outs
        if n == 0:
            return outs
        if on_gpu() and not is_plain(self, dtypes):
            self._launch(args, letters, shape, n, block_size, stream)
            return outs
        plan = plan_elementwise(self, args, dtypes, letters, shape, n, block_size)
        if plan is not None:
            plan.run(args, stream)
            plan.made = [(x.shape, x.dtype) for x in args[given:]]
            self._keep(key, plan)
        elif on_gpu():
            self._launch(args, letters, shape, n, block_size, stream)
        else:
            run_elementwise(self, args, dtypes, letters, shape, n, stream)
        return outs

    def _launch(self, args, letters, shape, n, block, stream):
        whole = _whole(self._params, args, shape)
        bound = _bound(self._params, whole, letters)
        module = self._module(bound, lambda: elementwise(
            self._entry, bound, letters, self.operation, self.preamble, self.loop_prep,
            self.after_loop))
        given = [v for b, x in zip(bound, whole) for v in _parameter(b, x)]
        given.append(numpy.array([n, 0], "i8").tobytes())
        blocks = min(-(-n // block), _MOST_BLOCKS)
        RawKernel._of(module, self._entry)((blocks,), (block,), given, stream=stream)


class ReductionKernel(_Kernel):
    """A reduction along axes: map_expr makes a value of each element, reduce_expr one of two, a and
    b, and post_map_expr the result of the last, a.

    in_params, out_params: as for ElementwiseKernel. identity: the value of no elements, as text;
    None: there is none. reduce_type: of the values; that of the first result unless given.
    kernel(*inputs, out=None, axis=None, keepdims=False).
    """

    map_expr = reduce_expr = post_map_expr = identity = reduce_type = None

    def __init__(self, in_params, out_params, map_expr, reduce_expr, post_map_expr, identity,
                 name="reduce_kernel", reduce_type=None, reduce_dims=True, preamble="", options=()):
        super().__init__(in_params, out_params, name)
        if self.nout != 1 or self._outs[0].raw:
            raise ValueError("a reduction has one result, which is not raw")
        self._how = {"map_expr": map_expr, "reduce_expr": reduce_expr,
                     "post_map_expr": post_map_expr,
                     "identity": None if identity is None else str(identity),
                     "reduce_type": reduce_type, "preamble": preamble}
        self.map_expr, self.reduce_expr, self.post_map_expr = map_expr, reduce_expr, post_map_expr
        self.identity, self.reduce_type, self.preamble = identity, reduce_type, preamble
        self.options, self.reduce_dims = tuple(options), reduce_dims
        self.text = f"{map_expr};{post_map_expr}"

    def _axes(self, shape, axis):
        ndim = len(shape)
        axes = range(ndim) if axis is None else (axis,) if isinstance(axis, int) else axis
        reduced = sorted({numpy.lib.array_utils.normalize_axis_index(a, ndim) for a in axes})
        return [a for a in range(ndim) if a not in reduced], reduced

    def __call__(self, *args, out=None, axis=None, keepdims=False, stream=None):
        if out is not None and len(args) == self.nin:
            args = (*args, out)
        axis = tuple(axis) if isinstance(axis, list) else axis
        key = (_here(), axis, keepdims, *[(x.dtype, x.shape, x.strides) if _is_array(x)
                                          else type(x) for x in args])
        plan = self._plans.get(key)
        given = args[self.nin] if len(args) > self.nin else None
        done = plan.run(args[:self.nin], given, stream) if plan is not None else None
        return self._first(key, args, axis, keepdims, stream) if done is None else done

    def _first(self, key, args, axis, keepdims, stream):
        """The result, of arguments that there is no plan for: there is one afterwards, if one can
        be."""
        args = self._arguments(args)
        out, shapes = args[self.nin], _shapes(self._ins, args)
        if not shapes:
            raise ValueError("nothing says how many elements there are")
        shape = broadcast_shapes(*shapes)
        kept, reduced = self._axes(shape, axis)
        letters = _bind_types(self._params, args)
        dtypes = [_dtype(p, letters) for p in self._params]
        made = tuple(1 if a in reduced else shape[a] for a in range(len(shape))
                     if keepdims or a in kept), dtypes[-1]
        if out is not None and out.shape != made[0]:
            raise ValueError(f"out has shape {out.shape}, and the result has {made[0]}")
        each, results = math.prod(shape[a] for a in reduced), math.prod(made[0])
        if each == 0 and self._how["identity"] is None and results:
            raise ValueError("zero-size array to reduction operation "
                             f"{self.name} which has no identity")
        if not results:
            return empty(*made) if out is None else out
        ins = args[:self.nin]
        applied = apply_reduction(self, dtypes, letters, axis, keepdims) if each else None
        done = applied.run(ins, out, stream) if applied is not None else None
        if done is not None:
            self._keep(key, applied)
            self._applied[tuple(dtypes)] = applied.first    # for cached_code
            return done
        how = ins, dtypes, letters, shape, (kept, reduced), each, results
        plan, used = plan_reduction(self, *how, gpu=on_gpu())
        if plan is None:
            plan, used = self._plan_on_gpu(*how)
        if out is not None and not out.flags.c_contiguous:
            out[...] = plan.run(used, empty(*made), stream)
            return out
        plan.made = made
        if all(x is y for x, y in zip(ins, used)):
            self._keep(key, plan)
        return plan.run(used, out, stream)

    def _plan_on_gpu(self, ins, dtypes, letters, shape, axes, each, results):
        """As plan_reduction() of _kernel_plain.py, by the text that has strides."""
        order, how = [*axes[0], *axes[1]], how_to_reduce(self, dtypes)
        whole = [x.transpose(order) if _is_array(x) and not p.raw
                 and order != sorted(order) else x
                 for p, x in zip(self._ins, _whole(self._ins, ins, shape))]
        out = empty(results, dtypes[-1])
        bound = _bound(self._params, [*whole, out], letters)
        key = tuple(b.key for b in bound)
        module = self._modules.get(key) or self._modules.setdefault(key, RawModule(
            code=reduction(self._entry, bound, letters, how, _REDUCE_BLOCK),
            options=self.options))
        wanted = -(-each // (_REDUCE_BLOCK * 16))
        pieces = max(1, min(wanted, _SPREAD, max(1, _MOST_BLOCKS // results)))
        given = []
        for i, (b, x) in enumerate(zip(bound, whole)):
            given += ([Argument(i, b.dtype)] if b.ndim is None
                      else [Argument(i), *_parameter(b, x)[1:]])
        functions = [RawKernel._of(module, self._entry + end) for end in ("_parts", "")]
        sizes = [((n,), (_REDUCE_BLOCK,)) for n in (results * pieces, results)]
        return ReductionPlan(functions, sizes, results * pieces * MOST_BYTES,
                             [*given, Argument("part"), each, pieces],
                             [Argument("part"), pieces, Argument("out"),
                              *_parameter(bound[-1], out)[1:]]), whole
