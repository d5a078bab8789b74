# SPDX-License-Identifier: BSD-3-Clause
"""What unique_all() and its like give. Apart from them, for typing takes 4 ms to import."""
from typing import NamedTuple

from ._heddle import ndarray


class UniqueAllResult(NamedTuple):
    """What unique_all() gives."""
    values: ndarray
    indices: ndarray
    inverse_indices: ndarray
    counts: ndarray


class UniqueCountsResult(NamedTuple):
    """What unique_counts() gives."""
    values: ndarray
    counts: ndarray


class UniqueInverseResult(NamedTuple):
    """What unique_inverse() gives."""
    values: ndarray
    inverse_indices: ndarray
