# SPDX-License-Identifier: BSD-3-Clause
"""Products of vectors and matrices along given axes: NumPy's generalized ufuncs, by matmul."""
from operator import index

from . import _heddle
from ._functions import moveaxis
from ._heddle import asarray, copyto, elementwise, matmul
from ._resolving import Signature

__all__ = ["matvec", "vecdot", "vecmat"]

_conjugate = elementwise["conjugate"][0]


def _checked_axes(name, axes, counts, dimensions=()):
    """The entries of axes= as tuples, each of as many axes as its operand has core dimensions."""
    axes = [tuple(ax) if isinstance(ax, tuple) else (index(ax),) for ax in axes]
    from numpy.exceptions import AxisError
    from numpy.lib.array_utils import normalize_axis_tuple
    for k, (ax, n) in enumerate(zip(axes, counts)):
        if len(ax) != n:
            raise AxisError(f"{name}: operand {k} has {n} core dimensions, but {len(ax)} dimensions "
                            "are specified by axes tuple.")
        if dimensions:
            normalize_axis_tuple(ax, dimensions[k], "axes")
    return axes


class gufunc:
    # A function of whole axes: the core dimensions named in its signature, the last ones unless
    # axes= says otherwise. Other axes broadcast.
    nin, nout, nargs, identity = 2, 1, 3, None
    __signature__ = Signature()

    def __init__(self, name, signature, product, doc):
        inputs, output = signature.split("->")
        self.__name__ = self.__qualname__ = name
        self._doc = doc
        self.signature = signature
        self._product = product
        self._core = [tuple(filter(None, part.strip("()").split(",")))
                      for part in (*inputs.split("),"), output)]

    @property
    def __doc__(self):
        from ._docs import docstring
        return docstring(self, self._doc)

    def __repr__(self):
        return f"<gufunc '{self.__name__}'>"

    def __reduce__(self):
        return self.__name__

    def _refuse(self, *args, **kwargs):
        raise RuntimeError("Reduction not defined on ufunc with signature")

    reduce = accumulate = reduceat = _refuse

    def at(self, *args, **kwargs):
        raise TypeError(f"{self.__name__}.at does not support ufunc with non-trivial signature: "
                        f"{self.__name__} has signature {self.signature}.")

    def outer(self, *args, **kwargs):
        raise TypeError("method outer is not allowed in ufunc with non-trivial signature")

    # ---- axes ------------------------------------------------------------------------------------

    def _check(self, operands):
        """The operands have the core dimensions, of the same sizes."""
        sizes = {}
        for k, x in enumerate(operands):
            core = self._core[k]
            if x.ndim < len(core):
                raise ValueError(f"{self.__name__}: Input operand {k} does not have enough "
                                 f"dimensions (has {x.ndim}, gufunc core with signature "
                                 f"{self.signature} requires {len(core)})")
            for place, (name, n) in enumerate(zip(core, x.shape[x.ndim - len(core):])):
                if sizes.setdefault(name, n) != n:
                    raise ValueError(f"{self.__name__}: Input operand {k} has a mismatch in its "
                                     f"core dimension {place}, with gufunc signature "
                                     f"{self.signature} (size {n} is different from "
                                     f"{sizes[name]})")

    def _axes(self, axes, axis, keepdims):
        """For each operand and the result, where its core dimensions are."""
        single = self._core == [("n",), ("n",), ()]
        if axis is not None:
            if axes is not None:
                raise TypeError("cannot specify both 'axis' and 'axes'")
            if not single:
                raise TypeError(f"{self.__name__}: axis can only be used with a single shared "
                                f"core dimension, not with the {len(set(sum(self._core, ())))} "
                                f"distinct ones implied by signature {self.signature}.")
            axes = [axis, axis, axis if keepdims else ()]
        if axes is None:
            axes = [tuple(range(-len(core), 0)) for core in self._core]
            axes[2] = (-1,) if keepdims and single else axes[2]
        if keepdims and not single:
            raise TypeError(f"{self.__name__} does not support keepdims: its signature "
                            f"{self.signature} requires input 1 to have {len(self._core[1])} "
                            "core dimensions, but keepdims can only be used when all inputs have "
                            "the same number of core dimensions and all outputs have no core "
                            "dimensions.")
        if not isinstance(axes, list):
            raise TypeError("axes should be a list.")
        if len(axes) == 2 and not self._core[2]:
            axes = [*axes, (-1,) if keepdims else ()]
        if len(axes) != 3:
            raise ValueError("axes should be a list with an entry for all 3 inputs and outputs; "
                             "entries for outputs can only be omitted if none of them has core "
                             "axes.")
        counts = [len(core) for core in self._core]
        counts[2] += keepdims
        return _checked_axes(self.__name__, axes, counts)

    def __call__(self, *args, **kwargs):
        try:
            return self._compute(*args, **kwargs)
        except _heddle.NotOurs as e:
            from ._handing import hand_over
            return hand_over(self.__name__, args, kwargs, e)

    def _compute(self, x1, x2, /, out=None, *, casting="same_kind", order="K", dtype=None,
                 subok=True, axes=None, axis=None, keepdims=False):
        operands = [asarray(x1), asarray(x2)]
        if axes is not None or axis is not None or keepdims:
            axes = self._axes(axes, axis, keepdims)
            for k, x in enumerate(operands):
                ends = tuple(range(-len(axes[k]), 0))
                operands[k] = moveaxis(x, axes[k], ends) if x.ndim >= len(ends) else x
        self._check(operands)
        result = self._product(*operands, casting=casting, order=order, dtype=dtype)
        if keepdims:
            result = result[..., None]
        if axes is not None and axes[2]:
            result = moveaxis(result, tuple(range(-len(axes[2]), 0)), axes[2])
        if isinstance(out, tuple):
            out, = out
        if out is ...:
            return result
        if out is None:
            return result if result.ndim else _heddle._scalar(result)
        copyto(out, result, casting=casting)
        return out


def _conjugated(x):
    return _conjugate(x) if x.dtype.kind == "c" else x


def _vecdot(x, y, **options):
    return matmul(_conjugated(x)[..., None, :], y[..., :, None], **options)[..., 0, 0]


def _matvec(x, y, **options):
    return matmul(x, y[..., :, None], **options)[..., 0]


def _vecmat(x, y, **options):
    return matmul(_conjugated(x)[..., None, :], y, **options)[..., 0, :]


vecdot = gufunc("vecdot", "(n),(n)->()", _vecdot,
                "Sum of products of two vectors, the first one conjugated.")
matvec = gufunc("matvec", "(m,n),(n)->(m)", _matvec, "Product of a matrix and a vector.")
vecmat = gufunc("vecmat", "(n),(n,m)->(m)", _vecmat,
                "Product of a vector, conjugated, and a matrix.")


def _matmul_along(x1, x2, /, out=None, *, axes, **options):
    """matmul(axes=): one axis for a vector, two for matrices, and those of the result."""
    operands = [asarray(x1), asarray(x2)]
    counts = [min(x.ndim, 2) for x in operands]
    counts.append(sum(counts) - 2)
    if not isinstance(axes, list):
        raise TypeError("axes should be a list.")
    if len(axes) != 3:
        raise ValueError("axes should be a list with an entry for all 3 inputs and outputs; entries "
                         "for outputs can only be omitted if none of them has core axes.")
    loops = max(x.ndim - n for x, n in zip(operands, counts))
    axes = _checked_axes("matmul", axes, counts, [x.ndim for x in operands] + [loops + counts[2]])
    for k, x in enumerate(operands):
        operands[k] = moveaxis(x, axes[k], tuple(range(-counts[k], 0)))
    result = matmul(*operands, **options)
    if axes[2]:
        result = moveaxis(result, tuple(range(-counts[2], 0)), axes[2])
    if isinstance(out, tuple):
        out, = out
    if out is None:
        return result
    copyto(out, result, casting=options.get("casting", "same_kind"))
    return out
