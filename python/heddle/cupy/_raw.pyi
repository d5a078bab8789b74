# SPDX-License-Identifier: BSD-3-Clause
# Made by tools/stubs.py from python/heddle/cupy/_raw.py and tools/stubs.toml: do not edit; `make gen` writes it again.
from typing import Any

__all__ = ["RawKernel", "RawModule"]

class RawModule:
    code: Any
    def __init__(self, code: Any = None, *, path: Any = None, options: Any = (),
                 backend: Any = 'nvrtc', translate_cucomplex: Any = False,
                 enable_cooperative_groups: Any = False, name_expressions: Any = None,
                 jitify: Any = False) -> None: ...
    enable_cooperative_groups: Any
    file_path: Any
    options: Any
    name_expressions: Any
    backend: Any
    @property
    def module(self) -> Any: ...
    def compile(self, log_stream: Any = None) -> Any: ...
    def get_function(self, name: Any) -> RawKernel: ...
    def get_global(self, name: Any) -> Any: ...
class RawKernel:
    name: Any
    def __init__(self, code: Any, name: Any, options: Any = (), backend: Any = 'nvrtc', *,
                 translate_cucomplex: Any = False, enable_cooperative_groups: Any = False,
                 jitify: Any = False) -> None: ...
    code: Any
    file_path: Any
    options: Any
    backend: Any
    enable_cooperative_groups: Any
    kernel: Any
    def compile(self, log_stream: Any = None) -> Any: ...
    def __call__(self, grid: Any, block: Any, args: Any, *, shared_mem: Any = 0,
                 stream: Any = None) -> Any: ...
    @property
    def attributes(self) -> dict[str, int]: ...
    binary_version: Any
    cache_mode_ca: Any
    const_size_bytes: Any
    local_size_bytes: Any
    max_dynamic_shared_size_bytes: Any
    max_threads_per_block: Any
    num_regs: Any
    preferred_shared_memory_carveout: Any
    ptx_version: Any
    shared_size_bytes: Any
