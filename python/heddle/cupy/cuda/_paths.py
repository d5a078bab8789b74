# SPDX-License-Identifier: BSD-3-Clause
"""Where CUDA's toolkit is, for programs that ask: Heddle itself needs none."""
import os

from .runtime import runtimeGetVersion


def _found(program):
    from shutil import which    # what it imports takes 4 ms, and few programs ask
    return which(program)


def get_cuda_path():
    """The toolkit's folder: CUDA_PATH, the one that nvcc is in, or /usr/local/cuda; None: nowhere."""
    nvcc = _found("nvcc")
    places = [os.environ.get("CUDA_PATH"),
              nvcc and os.path.dirname(os.path.dirname(os.path.realpath(nvcc))), "/usr/local/cuda"]
    return next((p for p in places if p and os.path.isdir(p)), None)


def get_nvcc_path():
    """What NVCC says, the compiler in the toolkit's folder, or None."""
    if "NVCC" in os.environ:
        return os.environ["NVCC"]
    path = get_cuda_path()
    compiler = path and os.path.join(path, "bin", "nvcc")
    return compiler if compiler and os.path.isfile(compiler) else _found("nvcc")


def get_rocm_path():
    """None: AMD's GPUs are not here."""


def get_hipcc_path():
    """None: AMD's GPUs are not here."""


def get_local_runtime_version():
    """runtimeGetVersion(): Heddle calls the driver."""
    return runtimeGetVersion()
