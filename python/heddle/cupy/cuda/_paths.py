# SPDX-License-Identifier: BSD-3-Clause
"""Where CUDA's toolkit is, for programs that ask: Heddle itself needs none."""
import os
import shutil
from pathlib import Path

from .runtime import runtimeGetVersion


def get_cuda_path():
    """The toolkit's folder: CUDA_PATH, the one that nvcc is in, or /usr/local/cuda; None: nowhere."""
    nvcc = shutil.which("nvcc")
    places = [os.environ.get("CUDA_PATH"), nvcc and Path(nvcc).resolve().parent.parent,
              "/usr/local/cuda"]
    return next((str(p) for p in places if p and Path(p).is_dir()), None)


def get_nvcc_path():
    """What NVCC says, the compiler in the toolkit's folder, or None."""
    if "NVCC" in os.environ:
        return os.environ["NVCC"]
    path = get_cuda_path()
    compiler = path and Path(path, "bin", "nvcc")
    return str(compiler) if compiler and compiler.is_file() else shutil.which("nvcc")


def get_rocm_path():
    """None: AMD's GPUs are not here."""


def get_hipcc_path():
    """None: AMD's GPUs are not here."""


def get_local_runtime_version():
    """runtimeGetVersion(): Heddle calls the driver."""
    return runtimeGetVersion()
