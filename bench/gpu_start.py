# SPDX-License-Identifier: BSD-3-Clause
"""What bench/gpu.py measures in processes of their own: starting one up to its first result, and launching small kernels.

A process that measures is this file with a name and a library as arguments.
"""
import ctypes
import os
import statistics
import subprocess
import sys
import tempfile
import time

NAMES = ("start", "launch")

ONES = {"heddle": "import heddle as m; x = m.ones(1000000, 'f4', device='cuda:0')",
        "cupy": "import cupy as m; x = m.ones(1000000, 'f4')",
        "torch": "import torch as m; x = m.ones(1000000, device='cuda')",
        "jax": "import jax, jax.numpy as m; jax.devices('gpu'); x = m.ones(1000000, 'f4')"}
MATRIX = {"heddle": "import heddle as m; x = m.eye(512, dtype='f4', device='cuda:0') * 2",
          "cupy": "import cupy as m; x = m.eye(512, dtype='f4') * 2",
          "torch": "import torch as m; x = m.eye(512, device='cuda') * 2",
          "jax": "import jax, jax.numpy as m; jax.devices('gpu'); x = m.eye(512, dtype='f4') * 2"}
PROGRAMS = {
    "import": lambda name: f"import {name}",
    "fused sum": lambda name: f"{ONES[name]}; print(float((3 * x**2 + 2 * x + 10).sum()))",
    "det(512)": lambda name: f"{MATRIX[name]}; print(float(m.linalg.det(x)))",
}
# Where each keeps what it has compiled.
CACHES = ("HEDDLE_CACHE", "CUPY_CACHE_DIR", "CUDA_CACHE_PATH", "TORCHINDUCTOR_CACHE_DIR", "JAX_COMPILATION_CACHE_DIR")


def run(*arguments, env=None):
    """(seconds, what it printed) of a Python process; None where it fails."""
    started = time.perf_counter()
    done = subprocess.run([sys.executable, *arguments], env=env, capture_output=True, text=True, timeout=120, check=False)
    seconds = time.perf_counter() - started
    if done.returncode != 0:
        print(f"{arguments[-1][:60]}: {(done.stderr.strip().splitlines() or ['no message'])[-1][:160]}", flush=True)
        return None
    return seconds, done.stdout


def first_and_later(code, turns=3):
    """Milliseconds with empty caches, and the median of later processes."""
    with tempfile.TemporaryDirectory() as folder:
        env = os.environ | {name: os.path.join(folder, name.lower()) for name in CACHES}
        times = []
        for _ in range(1 + turns):
            done = run("-c", code, env=env)
            if done is None:
                return None
            times.append(done[0] * 1e3)
    return times[0], statistics.median(times[1:])


def start_table(table_class, titles):
    table = table_class("process, ms", "first ever", "later")
    for what, code in (("Python itself", "pass"), ("driver opened (cuInit)", "driver"), ("and a context made", "context")):
        command = ("-c", code) if code == "pass" else (__file__, code)
        times = [t for t in (run(*command) for _ in range(4)) if t is not None]
        if times:
            table.add(what, f"{times[0][0] * 1e3:.0f}", f"{statistics.median(t for t, _ in times[1:]) * 1e3:.0f}")
    for what, program in PROGRAMS.items():
        for name in (t for t in titles if t in ONES):
            both = first_and_later(program(name))
            if both is not None:
                table.add(f"{name}: {what}", *(f"{t:.0f}" for t in both))
    return table


def launch_table(table_class, titles):
    table = table_class("1000 kernels, one call each, us a kernel", "time")
    for name in ("driver", *(t for t in titles if t in ONES)):
        done = run(__file__, "launch", name)
        for line in done[1].splitlines() if done is not None else ():
            table.add(*line.split(": "))
    return table


# ---- in a process of its own ---------------------------------------------------------------------


def driver():
    cuda = ctypes.CDLL(os.environ.get("HEDDLE_LIBCUDA") or "libcuda.so.1")
    if cuda.cuInit(0) != 0:
        sys.exit("there is no GPU")
    return cuda


def context(cuda):
    device, made = ctypes.c_int(), ctypes.c_void_p()
    if cuda.cuDeviceGet(ctypes.byref(device), 0) or cuda.cuDevicePrimaryCtxRetain(ctypes.byref(made), device):
        sys.exit("there is no context")
    cuda.cuCtxSetCurrent(made)


EMPTY = b".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry nothing()\n{\n ret;\n}\n\0"


def loop(launch, wait):
    """us a call: the best of several loops of 1000, with a wait at the end of each."""
    best = float("inf")
    for _ in range(7):
        launch(0)
        wait()
        started = time.perf_counter()
        for k in range(1000):
            launch(k)
        wait()
        best = min(best, time.perf_counter() - started)
    return best * 1e3


def driver_launches():
    cuda = driver()
    context(cuda)
    module, function = ctypes.c_void_p(), ctypes.c_void_p()
    if cuda.cuModuleLoadDataEx(ctypes.byref(module), EMPTY, 0, None, None) or cuda.cuModuleGetFunction(ctypes.byref(function), module, b"nothing"):
        sys.exit("there is no kernel")
    call, one = cuda.cuLaunchKernel, [ctypes.c_uint(1)] * 6
    last = [ctypes.c_uint(0), ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()]
    # The price of ctypes: the same arguments to a function that does nothing with them.
    nothing = ctypes.CDLL(None).getppid
    launched = loop(lambda _: call(function, *one, *last), cuda.cuCtxSynchronize)
    empty = loop(lambda _: nothing(function, *one, *last), cuda.cuCtxSynchronize)
    print(f"cuLaunchKernel (of {launched:.2f}, without {empty:.2f} of ctypes): {launched - empty:.2f}")


def library_launches(name):
    if name == "heddle":
        import heddle as m
        x, wait = m.ones(1000, "f4", device="cuda:0"), m.synchronize
        stream = m.cuda.get_current_stream()
        # asking whether the stream is done has the kernel launched, and waits for nothing
        loops = {"heddle": lambda k: (x + k, stream.done),
                 "heddle, 1000 together": lambda k: kept.append(x + k) if k else kept.clear()}
        kept = []
    elif name == "cupy":
        import cupy as m
        x, wait = m.ones(1000, "f4"), m.cuda.Device().synchronize
        loops = {"cupy": lambda k: x + k}
    elif name == "torch":
        import torch as m
        x, wait = m.ones(1000, device="cuda"), m.cuda.synchronize
        loops = {"torch": lambda k: x + k}
    else:
        import jax
        import jax.numpy as m
        jax.devices("gpu")
        x, add, last = m.ones(1000, "f4"), jax.jit(lambda x, k: x + k), [None]
        loops = {"jax": lambda k: last.__setitem__(0, add(x, k))}

        def wait():
            last[0].block_until_ready()
    for what, launch in loops.items():
        print(f"{what}: {loop(launch, wait):.2f}")


if __name__ == "__main__":
    what = sys.argv[1]
    if what == "launch":
        if sys.argv[2] == "driver":
            driver_launches()
        else:
            library_launches(sys.argv[2])
    else:
        cuda = driver()
        if what == "context":
            context(cuda)
