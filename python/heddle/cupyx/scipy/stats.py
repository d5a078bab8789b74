# SPDX-License-Identifier: BSD-3-Clause
"""cupyx.scipy.stats: heddle.scipy.stats."""
from ...scipy.stats import boxcox_llf, entropy, trim_mean, zmap, zscore

__all__ = ["boxcox_llf", "entropy", "trim_mean", "zmap", "zscore"]


def __getattr__(name):
    raise AttributeError(f"Heddle has no cupyx.scipy.stats.{name}")
