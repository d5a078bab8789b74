# SPDX-License-Identifier: BSD-3-Clause
# Made by tools/stubs.py from python/heddle/_benchmark.py and tools/stubs.toml: do not edit; `make gen` writes it again.
from typing import Any

__all__ = ["benchmark"]

class Timings:
    def __init__(self, name: Any, times: Any, devices: Any, account: Any) -> None: ...
    name: Any
    devices: Any
    cpu_times: Any
    gpu_times: Any
    kernels: Any
    temporaries: Any
    bytes_moved: Any
    operations: Any
    def to_str(self, show_gpu: Any = False) -> str: ...
def benchmark(func: Any, args: Any = (), kwargs: Any = {}, n_repeat: Any = 10000, *,
              name: Any = None, n_warmup: Any = 10, max_duration: Any = ...,
              devices: Any = None) -> Timings: ...
