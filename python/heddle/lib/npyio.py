# SPDX-License-Identifier: BSD-3-Clause
"""numpy.lib.npyio's names: NpzFile is the type of what load() gives for a .npz file."""
from numpy.lib.npyio import DataSource

from .._npz import NpzFile

__all__ = ["DataSource", "NpzFile"]
