# SPDX-License-Identifier: BSD-3-Clause
"""ElementwiseKernel and ReductionKernel as operations on arrays: a body without loops and addresses is
recorded as the operations that it consists of, which fuse with those before and after it, on any
device (docs/design/lowered-ir.md, "As operations"). What is no such body is launched."""
import re

import numpy

from .. import _heddle, add, fmax, fmin, logical_and, logical_or, multiply
from .._heddle import _here, _is_array
from ._kernel_text import TYPES, type_of
from ._kernel_plain import begin_plain, number

# Reductions of arrays: reduce_expr without blanks, and the texts of the identity that changes nothing.
_REDUCTIONS = [(add, {"a+b", "b+a"}, {"0", "0.0", "0.", "0.f"}),
               (multiply, {"a*b", "b*a"}, {"1", "1.0", "1.", "1.f"}),
               (fmax, {"max(a,b)", "max(b,a)", "fmax(a,b)", "fmaxf(a,b)"}, set()),
               (fmin, {"min(a,b)", "min(b,a)", "fmin(a,b)", "fminf(a,b)"}, set()),
               (logical_and, {"a&&b", "a&b"}, {"1", "true"}),
               (logical_or, {"a||b", "a|b"}, {"0", "false"})]
_OF_BOOLS = logical_and, logical_or


def _function(name, ins, outs, statements, preamble, letters):
    """The source of a kernel over elements: ins, outs: (name, dtype)."""
    declared = [f"const {type_of(d)} {name}" for name, d in ins]
    declared += [f"{type_of(d)} *_p_{name}" for name, d in outs]
    elements = "".join(f"    {type_of(d)} {name} = *_p_{name};\n" for name, d in outs)
    stored = "".join(f"    *_p_{name} = {name};\n" for name, _ in outs)
    return f"""{begin_plain(letters, preamble)}
extern "C" __global__ void {name}({', '.join(declared)}) {{
{elements}    do {{
        {statements};
    }} while (0);
{stored}}}
"""


def _may_apply(kernel, dtypes):
    return not any(d.kind == "c" or d.char == "e" for d in dtypes) and not any(
        p.raw for p in kernel._params)


class AppliedPlan:
    """How statements over elements are applied to arguments of certain dtypes."""

    def __init__(self, kernel, ins, outs, statements, letters):
        """ins, outs: (name, dtype)."""
        self.code = _function(kernel._entry, ins, outs, statements, kernel.preamble, letters)
        self.handle = _heddle._kernel_new(self.code, kernel._entry, tuple(kernel.options))
        self.dtypes, self.nin = [d for _, d in (*ins, *outs)], len(ins)

    def _given(self, x, dtype):
        if _is_array(x) or (dtype.kind == "f" and type(x) in (float, int)):
            return x
        return number(x, dtype)

    def run(self, args, stream):
        """args: the inputs, and the results if these are given. The results; None: with these
        numbers it is no operation on arrays."""
        if stream is not None:
            with stream:
                return self.run(args, None)
        given = list(map(self._given, args, self.dtypes))
        made = len(args) == self.nin
        given += [None] * (len(self.dtypes) - len(args))
        try:
            outs = _heddle._kernel_apply(_here(), self.handle, given)
        except NotImplementedError:
            return None
        return outs if made else args[self.nin:]


def apply_elementwise(kernel, args, dtypes, letters, stream):
    """(a plan, the results): args are what was given, the inputs at least. None, None: the kernel is
    to be launched."""
    if kernel.loop_prep or kernel.after_loop or not _may_apply(kernel, dtypes):
        return None, None
    named = [(p.name, d) for p, d in zip(kernel._params, dtypes)]
    try:
        plan = AppliedPlan(kernel, named[:kernel.nin], named[kernel.nin:], kernel.operation,
                           letters)
    except (ValueError, NotImplementedError):   # no C, or not for one element: a launch tells
        return None, None
    outs = plan.run(args, stream)
    return (None, None) if outs is None else (plan, outs)


# ---- reductions ----------------------------------------------------------------------------------


class AppliedReduction:
    """How a ReductionKernel is applied: values of the elements, their reduction, its result."""

    def __init__(self, first, reduce, last, axis, keepdims):
        self.first, self.reduce, self.last = first, reduce, last
        self.how = {"axis": axis, "keepdims": keepdims, "dtype": first.dtypes[-1]}

    def run(self, ins, out, stream):
        """The result; None: with these numbers it is no operation on arrays."""
        if stream is not None:
            with stream:
                return self.run(ins, out, None)
        values = self.first.run(ins, None)
        if values is None:
            return None
        reduced = self.reduce.reduce(*values, **self.how)
        done = self.last.run((reduced,) if out is None else (reduced, out), None)
        return None if done is None else done[0]


def _reduction_of(how, dtype):
    """The ufunc that reduces values of the dtype as the texts say; None: there is none."""
    text, identity = re.sub(r"\s", "", how["reduce_expr"]), how["identity"]
    for ufunc, texts, neutral in _REDUCTIONS:
        if text in texts and (identity is None or identity.strip() in neutral):
            return ufunc if ufunc not in _OF_BOOLS or dtype.char == "?" else None
    return None


def _reduce_dtype(kind, out, letters):
    """Of the values that are reduced, by the text that names it; None: no dtype has that name."""
    if kind is None:
        return out
    if kind in letters:
        return letters[kind]
    return next((numpy.dtype(c) for c, name in TYPES.items() if name == kind), None)


def apply_reduction(kernel, dtypes, letters, axis, keepdims):
    """A plan, or None: the kernel is to be launched."""
    dtype = _reduce_dtype(kernel._how["reduce_type"], dtypes[-1], letters)
    if dtype is None or not _may_apply(kernel, [*dtypes, dtype]):
        return None
    reduce = _reduction_of(kernel._how, dtype)
    if reduce is None:
        return None
    named = [(p.name, d) for p, d in zip(kernel._params, dtypes)]
    try:
        first = AppliedPlan(kernel, named[:-1], [("_value", dtype)],
                            f"_value = ({kernel.map_expr})", letters)
        last = AppliedPlan(kernel, [("a", dtype)], named[-1:], kernel.post_map_expr, letters)
    except (ValueError, NotImplementedError):
        return None
    return AppliedReduction(first, reduce, last, axis, keepdims)
