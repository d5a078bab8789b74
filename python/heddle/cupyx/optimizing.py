# SPDX-License-Identifier: BSD-3-Clause
"""cupyx.optimizing: Heddle chooses how many threads and blocks a kernel has by itself, and keeps no
records of it."""
from contextlib import contextmanager as _contextmanager

__all__ = ["optimize"]


@_contextmanager
def optimize(*, key=None, path=None, readonly=False, max_trials=100, timeout=1,
             max_total_time_per_trial=0.1):
    """A block in which CuPy tries launch parameters: it runs as it would without. NotImplementedError:
    path, a file that the results are to be kept in."""
    if path is not None:
        raise NotImplementedError("Heddle has no launch parameters to keep in a file")
    yield


def __getattr__(name):
    raise AttributeError(f"Heddle has no cupyx.optimizing.{name}")
