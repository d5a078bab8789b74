# SPDX-License-Identifier: BSD-3-Clause
"""The libraries that bench/gpu.py measures: how each makes arrays, waits and runs a program."""
import importlib
import os
import types

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")   # else JAX takes most of the memory from the others


def jitted(run):
    """jit of a program without arguments: the arrays that it knows become arguments, or else they are constants to JAX, which
    computes with them while it compiles."""
    jax = importlib.import_module("jax")
    cells = run.__closure__ or ()

    def program(arrays):
        closure = tuple(types.CellType(arrays[k]) if k in arrays else cell for k, cell in enumerate(cells))
        return types.FunctionType(run.__code__, run.__globals__, closure=closure)()

    compiled = jax.jit(program)
    known = {k: cell.cell_contents for k, cell in enumerate(cells) if isinstance(cell.cell_contents, jax.Array)}
    return lambda: compiled(known)


class Library:
    """One column: a library, or one way of using it ("torch.compile"). Its namespace is `np`."""

    def __init__(self, title):
        self.title = title
        self.warm = 0.4 if title == "heddle" else 0   # seconds: it compiles in the background
        self.name = name = title.split(".")[0]
        self.np = importlib.import_module({"jax": "jax.numpy"}.get(name, name))
        if name == "heddle":
            self.np.zeros(1, device="cuda:0")
        elif name == "jax":
            jax = importlib.import_module("jax")
            jax.devices("gpu")   # an error where it was installed without CUDA
            jax.config.update("jax_enable_x64", True)
            jax.config.update("jax_default_matmul_precision", "highest")   # else float32 is multiplied as TF32
        elif name == "numba":
            importlib.import_module("numba.cuda").current_context()

    def wait(self, result=None):
        if self.name == "heddle":
            self.np.synchronize()
        elif self.name == "cupy":
            self.np.cuda.Device().synchronize()
        elif self.name == "jax":
            importlib.import_module("jax").block_until_ready(result)
        else:
            self.np.cuda.synchronize()

    def compiled(self, run):
        """The program as this library's users run it."""
        if self.name == "jax":
            return jitted(run)
        return self.np.compile(run) if self.title == "torch.compile" else run

    def function(self, f, dtype, n):
        """One expression of n arrays, as what this library makes into one kernel."""
        if self.title == "cupy.fuse":
            return self.np.fuse(f)
        if self.name == "numba":
            kind = {"f4": "float32", "f8": "float64"}[dtype]
            return self.np.vectorize([f"{kind}({', '.join([kind] * n)})"], target="cuda")(f)
        return f

    def array(self, values):
        if self.name == "torch":
            return self.np.from_numpy(values).cuda()
        if self.name == "heddle":
            return self.np.asarray(values, device="cuda:0")
        return self.np.cuda.to_device(values) if self.name == "numba" else self.np.asarray(values)

    def ones(self, shape, dtype):
        if self.name == "torch":
            return self.np.ones(shape, dtype=getattr(self.np, {"f4": "float32", "f8": "float64"}[dtype]), device="cuda")
        if self.name == "heddle":
            return self.np.ones(shape, dtype=dtype, device="cuda:0")
        if self.name == "numba":
            return self.array(importlib.import_module("numpy").ones(shape, dtype))
        return self.np.ones(shape, dtype=dtype)

    def uniform(self, n, dtype="f4", seed=1):
        if self.name == "torch":
            return self.np.rand(n, device="cuda", dtype=getattr(self.np, {"f4": "float32", "f8": "float64"}[dtype]))
        if self.name == "jax":
            random = importlib.import_module("jax.random")
            return random.uniform(random.key(seed), (n,), dtype)
        return self.np.random.default_rng(seed).random(n, dtype=dtype)

    def as_f4(self, x):
        return x.float() if self.name == "torch" else x.astype("f4")


# Ways of using a library that are for some lines only.
ONLY = {"cupy.fuse": ("grade2.f",), "numba": ("grade2.f",),
        "torch.compile": ("grade2.f", "sqdiff", "random.dot", "dot", "sum", "softmax", "transpose")}


def has_line(lib, name):
    return name.startswith(ONLY.get(lib.title, ""))


def libraries(titles):
    found = []
    for title in titles:
        try:
            found.append(Library(title))
        except Exception as e:   # not installed, or without a GPU that it can use
            print(f"{title} is left out: {type(e).__name__}: {str(e)[:100]}")
    return found
