# SPDX-License-Identifier: BSD-3-Clause
"""Graphs by CuPy's names: what Stream.end_capture() gives."""
from ...cuda import Graph

__all__ = ["Graph"]
