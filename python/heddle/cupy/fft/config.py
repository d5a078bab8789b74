# SPDX-License-Identifier: BSD-3-Clause
"""cupy.fft.config: Heddle plans and keeps plans by itself, so that there is little to set."""
enable_nd_planning = True       # all axes of a transform are planned together
use_multi_gpus = False


class _PlanCache:
    """Stands for the plans that Heddle keeps by itself, and of which it tells nothing."""

    def clear(self):
        """Plans are small and stay; the memory that they worked in is the pool's already."""

    def show_info(self):
        """Prints what there is to say."""
        print(self)

    def __repr__(self):
        return "<plans of transforms: kept by Heddle, which does not count them>"


_cache = _PlanCache()


def get_plan_cache():
    """What keeps plans."""
    return _cache


def show_plan_cache_info():
    """Prints what keeps plans."""
    print(_cache)


def __getattr__(name):
    raise AttributeError(f"Heddle has no cupy.fft.config.{name}")
