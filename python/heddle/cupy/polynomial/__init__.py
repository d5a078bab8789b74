# SPDX-License-Identifier: BSD-3-Clause
"""cupy.polynomial: the functions of polynomials that CuPy has."""
from . import polynomial, polyutils

__all__ = ["polynomial", "polyutils"]


def __getattr__(name):
    raise AttributeError(f"Heddle has no cupy.polynomial.{name}")
