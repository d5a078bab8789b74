# SPDX-License-Identifier: BSD-3-Clause
"""Heddle by CuPy's names: import heddle.cupy as cp.

`python -m heddle run program.py` makes `import cupy` lead here. What Heddle has under the same name
is the same object; ndarray is heddle.ndarray. It works on the device that arrays are made on: the
first GPU, else the CPU. What Heddle lacks is an AttributeError that names it.
"""
from . import _methods      # noqa: F401  (CuPy's methods of ndarray)
from ._arrays import *      # noqa: F403
from ._older import *       # noqa: F403
from ._sharing import sharing as _sharing
from ._tools import *       # noqa: F403

_SUBMODULES = frozenset(("cuda", "exceptions", "fft", "lib", "linalg", "polynomial", "random",
                         "testing", "typing"))
_LATER = {"_kernels": ("ElementwiseKernel", "ReductionKernel"), "_raw": ("RawKernel", "RawModule")}
__getattr__, __dir__ = _sharing("cupy", "heddle", "heddle.exceptions", submodules=_SUBMODULES,
                                later=_LATER)

__version__ = "14.0.0"  # of CuPy: whose names these are, for programs that ask; not Heddle's
__name__ = "cupy"       # programs ask xp.__name__ which of the two xp is
