# SPDX-License-Identifier: BSD-3-Clause
"""Graphs by CuPy's names: what Stream.end_capture() gives."""
from ...cuda import Graph
from .._sharing import lacking as _lacking

__all__ = ["Graph"]

__getattr__ = _lacking("cupy.cuda.graph")
