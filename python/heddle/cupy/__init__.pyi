# SPDX-License-Identifier: BSD-3-Clause
"""Heddle's names, and CuPy's own: those that stand nowhere here are looked up at run time."""
from typing import Any

# Modules that CuPy has more in than Heddle, and functions of its own: this goes before what Heddle
# has of those names.
cuda: Any
random: Any
from ._arrays import asarray as asarray

from .. import *  # type: ignore[no-redef]
from ._arrays import *
from ._kernels import ElementwiseKernel as ElementwiseKernel
from ._kernels import ReductionKernel as ReductionKernel
from ._raw import RawKernel as RawKernel
from ._raw import RawModule as RawModule
from ._tools import *

def __getattr__(name: str) -> Any: ...
