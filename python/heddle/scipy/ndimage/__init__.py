# SPDX-License-Identifier: BSD-3-Clause
"""SciPy's functions of images, with the arguments and errors of scipy.ndimage.

They are whole-array operations: they fuse, and run on a GPU as well.
"""
from . import _filters
from ._filters import *     # noqa: F403

__all__ = sorted(_filters.__all__)
