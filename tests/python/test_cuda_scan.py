# SPDX-License-Identifier: BSD-3-Clause
"""Kernels of libheddle_cub where there is no GPU: compiled for the host by a C++ compiler, with stand-ins for CUDA and CUB
(tests/cuda/on_host.cuh), and run on random lines."""

import pathlib
import shutil
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
HEADERS = ["cub/block/block_exchange.cuh", "cub/block/block_reduce.cuh", "cub/block/block_scan.cuh", "cuda_bf16.h", "cuda_fp16.h",
           "cuda_runtime.h"]


@pytest.mark.skipif(shutil.which("g++") is None, reason="no C++ compiler")
def test_running_results__are_those_made_in_order(tmp_path):
    for name in HEADERS:
        path = tmp_path / "include" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    program = tmp_path / "scan_on_host"
    folders = [f"-I{path}" for path in (tmp_path / "include", ROOT / "src", ROOT / "include", ROOT / "tests")]
    subprocess.run(["g++", "-x", "c++", "-std=c++17", "-O1", "-Wall", "-Wextra", "-Werror", "-Wno-unknown-pragmas",
                    "-ffp-contract=off", *folders, ROOT / "tests/cuda/scan_on_host.cu", "-o", program], check=True, timeout=300)
    result = subprocess.run([program, "100"], capture_output=True, text=True, timeout=300, check=False)
    assert result.returncode == 0, result.stdout
