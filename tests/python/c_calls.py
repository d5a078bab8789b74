# SPDX-License-Identifier: BSD-3-Clause
"""Calls every function of the public headers with good arguments, with NULL in place of each pointer in turn, with zeros,
and with sizes that cannot be: each in a process of its own. Prints a line for each call that ended otherwise than it must.

    c_calls.py LIBRARY < the prototypes, as JSON

A line is: function(what was wrong with the call): what came of it.
"""

import ctypes as c
import json
import os
import signal
import sys
import tempfile

LIMIT_S = 60
DTYPES = ("none bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 bfloat16 float32 float64 complex64 complex128"
          ).split()
INT64, FLOAT64, COMPLEX128 = DTYPES.index("int64"), DTYPES.index("float64"), DTYPES.index("complex128")
BOOL = DTYPES.index("bool")
NUMBERS = {"int": c.c_int, "unsigned": c.c_uint, "char": c.c_char, "double": c.c_double, "int64_t": c.c_int64,
           "uint64_t": c.c_uint64, "uint16_t": c.c_uint16, "uintptr_t": c.c_size_t, "size_t": c.c_size_t}
# Pointers that may be NULL: then nothing is wrong.
MAY_BE_NULL = {"out", "options", "strides", "deleter", "ctx", "dev", "handler", "hooks", "allocator", "keep",
               "attend", "hook"}
MAY_BE_NULL_OF = {
    "hd_release": {"x"}, "hd_retain": {"x"}, "hd_keep": {"x"}, "hd_free_text": {"text"}, "hd_error_take": {"into"},
    "hd_transpose": {"axes"}, "hd_roll": {"axes"}, "hd_bincount": {"weights"}, "hd_correlate_window": {"fill"},
    "hd_profile_stop": {"take", "lost"},
    "hd_fftn": {"s"}, "hd_ifftn": {"s"}, "hd_rfftn": {"s"}, "hd_irfftn": {"s"}, "hd_stream_get": {"own", "current"}, "hd_launch": {"args"},
    "hd_kernel_launch": {"args"}, "hd_kernel_apply": {"args"}, "hd_kernel_free": {"k"},
    "hd_module_free": {"m"}, "hd_savez": {"names"}, "hd_iter_end": {"it"}, "hd_dlpack_free": {"tensor"},
    "hd_dlpack_free_unversioned": {"tensor"}, "hd_capture_end": {"graph"}, "hd_graph_free": {"graph"}}
NEEDED = {("hd_as_strided", "strides")}
RESULTS = {"axes_out", "counts", "inverse", "logdet", "q", "r", "rank", "residuals", "s", "sign", "u", "values", "vh", "w", "v",
           "x", "index"}            # hd_array **: what is not wanted
# About a GPU: where there is none every call fails.
ON_A_GPU = ("hd_stream_", "hd_event_", "hd_launch", "hd_device_wait_all", "hd_export_device", "hd_wrap_device")
# What has to be called before.
BEFORE = {"hd_profile_stop": "hd_profile_start", "hd_capture_end": "hd_capture_begin", "hd_capture_pause": "hd_capture_begin"}
# Lists are as long as the caller says, and so many threads and words would be made.
LIMITED = {("hd_savez", "n"), ("hd_set_threads", "n"), ("hd_random_order", "rows"), ("hd_partition", "n"), ("hd_argpartition", "n")}
NEVER_FAIL = {"hd_kernel_free", "hd_module_free", "hd_free_text", "hd_release", "hd_retain", "hd_keep", "hd_scope_end", "hd_casting_name",
              "hd_status_text", "hd_device_set_current", "hd_device_swap", "hd_set_allocator", "hd_set_wait_hooks", "hd_set_fault_handler",
              "hd_set_attend_hook", "hd_set_memory_hook", "hd_graph_free", "hd_iter_end", "hd_dlpack_free", "hd_dlpack_free_unversioned"}


SOURCE = b'extern "C" __global__ void f() {} extern "C" __global__ void g(int n) {} __device__ int v = 3;'


class Error(c.Structure):
    _fields_ = [("code", c.c_int), ("axis", c.c_int), ("ndim", c.c_int), ("where", c.c_char * 40),
                ("message", c.c_char * 472)]


class Generator(c.Structure):
    _fields_ = [("key", c.c_uint64), ("calls", c.c_uint64)]


class Index(c.Structure):
    _fields_ = [("kind", c.c_int), ("start", c.c_int64), ("stop", c.c_int64), ("step", c.c_int64)]


class Library:
    def __init__(self, path, prototypes):
        self.c = c.CDLL(path)
        self.prototypes = prototypes
        self.functions = {name: self.declare(name) for name in prototypes}

    def declare(self, name):
        function = getattr(self.c, name)
        _, returns, parameters = self.prototypes[name]
        function.argtypes = [self.type_of(kind) for kind, _ in parameters]
        function.restype = None if returns == "void" else self.type_of(returns)
        return function

    @staticmethod
    def type_of(kind):
        if kind == "hd_generator":
            return Generator
        if kind.endswith("*") or kind in ("hd_allocator", "hd_fault_handler", "hd_memory_hook"):
            return c.c_void_p
        return NUMBERS.get(kind, c.c_int)       # the rest are enumerations

    def error(self):
        """The pending error, which is pending no more: its code and message."""
        e = Error()
        self.c.hd_error_take(c.byref(e))
        return e.code, e.message.decode()

    def array(self, shape, dt=FLOAT64):
        f = self.functions["hd_ones"]
        return f(len(shape), c.cast((c.c_int64 * max(1, len(shape)))(*shape), c.c_void_p), dt)


KEPT = []      # what arguments point at
FOLDER = ""    # of files


def pointer(x):
    KEPT.append(x)
    return c.cast(c.pointer(x) if not isinstance(x, c.Array) else x, c.c_void_p)


def good(lib, function, kind, name):
    """A value that this parameter can have."""
    array, op = lib.array, {"hd_apply": 0, "hd_unary": 1}
    special = {
        ("hd_random_choice", "cumulative"): lambda: array([1]),
        ("hd_searchsorted", "table"): lambda: array([4]),
        ("hd_histogram", "x"): lambda: array([4]), ("hd_histogram", "edges"): lambda: array([4]),
        ("hd_bincount", "x"): lambda: array([4], INT64), ("hd_bincount", "weights"): lambda: array([4]),
        ("hd_extract", "mask"): lambda: array([3, 3], BOOL), ("hd_reduceat", "index"): lambda: array([2], INT64),
        ("hd_scalar_of", "x"): lambda: array([1]), ("hd_arange", "start"): lambda: array([1]),
        ("hd_arange", "step"): lambda: array([1]), ("hd_full", "value"): lambda: array([1]),
        ("hd_correlate_window", "fill"): lambda: array([1]), ("hd_random_binomial", "n"): lambda: array([1], INT64),
        ("hd_random_integers", "low"): lambda: array([1], INT64), ("hd_random_integers", "last"): lambda: array([1], INT64),
        ("hd_dot", "out"): lambda: None, ("hd_inv", "nan_if_singular"): lambda: 1, ("hd_lstsq", "rcond"): lambda: -1.0,
        ("hd_solve", "a"): lambda: identity(lib), ("hd_cholesky", "a"): lambda: identity(lib),
        ("hd_broadcast_to", "x"): lambda: array([1, 3]), ("hd_squeeze", "x"): lambda: array([1, 3, 3]),
        ("hd_slice", "nitems"): lambda: 1, ("hd_hfft", "x"): lambda: array([3, 3], COMPLEX128),
        ("hd_reshape", "shape"): lambda: pointer((c.c_int64 * 128)(9, 1)), ("hd_reshape_view", "shape"): lambda: pointer(
            (c.c_int64 * 128)(9, 1)), ("hd_as_strided", "strides"): lambda: pointer((c.c_int64 * 128)(8, 8)),
        ("hd_random_integers", "dt"): lambda: INT64, ("hd_random_order", "n"): lambda: 4, ("hd_copy", "order"): lambda: b"K",
        ("hd_status_text", "code"): lambda: 0, ("hd_op_loop", "dt"): lambda: FLOAT64,
        ("hd_device_count", "kind"): lambda: pointer(c.create_string_buffer(b"cpu")),
        ("hd_device_get", "name"): lambda: pointer(c.create_string_buffer(b"cpu")),
        ("hd_dtype_from_name", "name"): lambda: pointer(c.create_string_buffer(b"int8")),
        ("hd_reduce", "op"): lambda: by_name(lib, "add"), ("hd_apply", "op"): lambda: by_name(lib, "sqrt"),
        ("hd_unary", "op"): lambda: by_name(lib, "sqrt"), ("hd_scope_end", "keep"): lambda: None,
        ("hd_set_threads", "n"): lambda: 1, ("hd_set_tier", "tier"): lambda: 0, ("hd_pair_info_of", "i"): lambda: 0,
        ("hd_take", "n"): lambda: 1, ("hd_put", "values"): lambda: array([1]), ("hd_at", "values"): lambda: array([1]),
        ("hd_apply_pair", "out"): lambda: None, ("hd_set_allocator", "allocator"): lambda: None, ("hd_set_memory_hook", "hook"): lambda: None,
        ("hd_free_text", "text"): lambda: None,
        **{(f"hd_{name}", x): lambda: array([3]) for name in ("convolve", "correlate") for x in "av"},
        ("hd_tile", "reps"): lambda: pointer((c.c_int64 * 128)(2, 3)),
        ("hd_wrap", "data"): lambda: pointer((c.c_double * 9)()),
        ("hd_save", "path"): lambda: text(FOLDER + "/new.npy"), ("hd_load", "path"): lambda: saved(lib, "one.npy"),
        ("hd_savez", "path"): lambda: text(FOLDER + "/new.npz"), ("hd_loadz", "path"): lambda: saved(lib, "two.npz"),
        ("hd_npz_names", "path"): lambda: saved(lib, "two.npz"), ("hd_loadz", "name"): lambda: text("arr_1"),
        ("hd_savez", "names"): lambda: pointer((c.c_void_p * 128)(*(text(x) for x in "xy"))),
    }
    if (function, name) in special:
        return special[function, name]()
    if function in ("hd_kernel_new", "hd_kernel_names", "hd_module_new", "hd_module_kernel") and name in ("source", "name"):
        return pointer(c.create_string_buffer(SOURCE if name == "source" else b"f"))
    if kind == "hd_kernel *":
        kernel = b"g" if function == "hd_kernel_param_at" else b"f"
        return lib.functions["hd_kernel_new"](pointer(c.create_string_buffer(SOURCE)),
                                              pointer(c.create_string_buffer(kernel)), 0, None)
    if kind == "hd_module *":
        return lib.functions["hd_module_new"](pointer(c.create_string_buffer(SOURCE)), 0, None)
    if kind == "hd_graph *":
        return graph(lib)
    if function.startswith("hd_from_dlpack") and name == "tensor":
        return lib.functions[function.replace("from", "to")](array([3, 3]), 0, -1)
    if kind == "unsigned *":
        return pointer((c.c_uint * 3)(1, 1, 1))
    if kind == "hd_array *":
        whole = function[3:] in ("gcd lcm left_shift right_shift bitwise_and bitwise_or bitwise_xor invert bitwise_count "
                                 "ldexp".split()) and not (function == "hd_ldexp" and name == "x")
        return None if name == "out" else array([3, 3], INT64 if whole else FLOAT64)
    if kind == "hd_array **":
        if name in ("arrays", "in") or (name == "index" and function in ("hd_take", "hd_put", "hd_at")):
            x = [array([3, 3] if name != "index" else [1], FLOAT64 if name != "index" else BOOL) for _ in range(2)]
            if name == "index":
                x = [lib.functions["hd_astype"](x[0], INT64, b"K", 5, 1)] * 2
                x = [lib.functions["hd_subtract"](x[0], x[0])] * 2
            return pointer((c.c_void_p * 128)(*x))
        return pointer((c.c_void_p * 128)())
    if kind == "hd_generator *":
        return pointer(Generator(1, 0))
    if kind == "hd_index *":
        return pointer((Index * 160)())
    if kind == "hd_number *":
        return pointer((c.c_uint64 * 8)())      # the bool False
    if kind == "hd_pair_info *":
        return lib.functions["hd_pair_info_of"](0)
    if kind == "hd_device *":
        return None if function not in ("hd_device_name", "hd_device_is_host", "hd_to_device") else lib.functions[
            "hd_device_current"]()
    if kind == "hd_stats *":
        return pointer((c.c_size_t * 32)(8 * 16))
    if kind in ("hd_apply_options *", "hd_reduce_options *"):
        return pointer((c.c_size_t * 32)(8))    # as long as its size alone says, all zero
    if name == "axes":
        return pointer((c.c_int * 128)(0, 1, 2))
    if name in ("shape", "strides", "s", "kth"):
        return pointer((c.c_int64 * 128)(*((24, 8) if name == "strides" else (1, 1) if name == "kth" else (3, 3))))
    if kind in ("hd_allocator", "hd_fault_handler", "hd_wait_hooks *") or name in ("deleter", "ctx"):
        return None
    if kind.endswith("*"):
        return pointer((c.c_char * 2048)())
    if kind == "char":
        return b"C"
    if kind == "hd_op":
        return by_name(lib, "add")
    if kind == "hd_dtype":
        return FLOAT64
    if kind == "hd_casting":
        return 0
    return {"nd": 2, "naxes": 1, "nin": 1, "n": 2, "nitems": 1, "length": 3, "rows": 3, "columns": 3, "m": 2, "axis2": 1,
            "index": 0, "bytes": -1}.get(name, 1 if kind not in ("int", "int64_t") and kind in NUMBERS else 0)


def by_name(lib, name):
    info = lib.functions["hd_op_info_of"]
    for op in range(lib.functions["hd_op_count"]()):
        if c.cast(c.cast(info(op), c.POINTER(c.c_void_p))[0], c.c_char_p).value == name.encode():
            return op
    raise KeyError(name)


def graph(lib):
    """Of one operation."""
    made = c.c_void_p()
    lib.functions["hd_capture_begin"](None)
    lib.array([3])
    lib.functions["hd_capture_end"](None, c.cast(c.pointer(made), c.c_void_p))
    return made


def identity(lib):
    return lib.functions["hd_eye"](3, 3, 0, FLOAT64)


def text(x):
    return pointer(c.create_string_buffer(x.encode())).value


def saved(lib, name):
    """The path of a file with an array, or with two."""
    path, arrays = text(f"{FOLDER}/{name}"), [lib.array([3, 3]), lib.array([2])]
    if name.endswith("z"):
        lib.functions["hd_savez"](path, 2, None, pointer((c.c_void_p * 2)(*arrays)))
    else:
        lib.functions["hd_save"](path, arrays[0])
    return path


def may_be_null(function, kind, name):
    if kind == "hd_array **" and name in RESULTS and not (name == "index" and function in ("hd_take", "hd_put", "hd_at")):
        return function != "hd_nonzero"
    return (function, name) not in NEEDED and name in MAY_BE_NULL | MAY_BE_NULL_OF.get(function, set())


def odd_numbers(kind, name):
    """Numbers that are no size, axis, count or enumerator, or too large a one."""
    if kind in ("int", "unsigned"):
        return [-1, -2, 65, 1 << 30, (1 << 31) - 1, -(1 << 31)]
    if kind == "int64_t":
        return [-1, 1 << 62, (1 << 63) - 1, -(1 << 63)]
    if kind in ("uint64_t", "uintptr_t"):
        return [0]
    return [b"?"] if kind == "char" else [float("nan")] if kind == "double" else [-1, 99, (1 << 31) - 1, -(1 << 31)]


def call(lib, name, arguments, what, must, say):
    """must: True - fail, False - not fail, None - either."""
    lib.error()
    _, returns, _ = lib.prototypes[name]
    if name in BEFORE:
        lib.functions[BEFORE[name]](*[None] * len(lib.prototypes[BEFORE[name]][2]))
        lib.error()
    say("?" + what)                # what is under way, should the process end
    r = lib.functions[name](*arguments)
    if returns == "hd_array *" and r:
        lib.functions["hd_eval"](r)
    code, message = lib.error() if name not in ("hd_error_peek",) else (0, "")
    nothing = (returns == "hd_array *" and not r and name not in NEVER_FAIL) or (returns == "hd_status" and r != 0)
    if must is True and code == 0:
        say(f"!{what}: no error")
    elif must is False and (code != 0 or nothing):
        say(f"!{what}: failed with {code}: {message}")
    elif nothing and code == 0 and name != "hd_error_take":
        say(f"!{what}: gave nothing and no error")


def calls_of(lib, name, say):
    _, _, parameters = lib.prototypes[name]
    gpu = name.startswith(ON_A_GPU)
    fails = name not in NEVER_FAIL

    def arguments(**other):
        return [other.get(n, None) if n in other else good(lib, name, k, n) for k, n in parameters]

    call(lib, name, arguments(), "good arguments", None if gpu else False, say)
    for kind, parameter in parameters:
        if Library.type_of(kind) is c.c_void_p:
            optional = may_be_null(name, kind, parameter)
            must = None if gpu or parameter == "dev" else fails and not optional
            call(lib, name, arguments(**{parameter: None}), f"{parameter} NULL", must, say)
        else:
            for number in odd_numbers(kind, parameter):
                if (name, parameter) in LIMITED and number not in (-1, 1 << 62):
                    continue
                call(lib, name, arguments(**{parameter: number}), f"{parameter} {number}", None, say)
    zero = [b"\0" if k == "char" else 0 if Library.type_of(k) is not c.c_void_p else None for k, _ in parameters]
    call(lib, name, zero, "zeros", None, say)
    call(lib, name, [None if Library.type_of(k) is c.c_void_p else a for (k, _), a in zip(parameters, arguments())], "all NULL",
         None, say)


def child(lib, name, pipe):
    def say(text):
        os.write(pipe, (text + "\n").encode())
    signal.alarm(LIMIT_S)
    try:
        calls_of(lib, name, say)
    except BaseException as e:      # our own mistake: it must be seen
        say(f"!{type(e).__name__}: {e}")


def main(path):
    prototypes = json.load(sys.stdin)
    only = sys.argv[2:]
    for name in only or prototypes:
        read, write = os.pipe()
        pid = os.fork()             # nothing of the library has run here yet
        if pid == 0:
            os.close(read)
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)     # LAPACK says there what it thinks of nan
            lib = Library(path, prototypes)
            child(lib, name, write)
            os._exit(0)
        os.close(write)
        with os.fdopen(read) as f:
            said = f.read().splitlines()
        _, status = os.waitpid(pid, 0)
        for line in said:
            if line[0] == "!":
                print(f"{name}({line[1:]}", flush=True)
        if status != 0:
            last = [line for line in said if line[0] == "?"][-1:] or ["?start"]
            print(f"{name}({last[0][1:]}): ended by {status}", flush=True)
    print(f"{len(only or prototypes)} functions called")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as FOLDER:
        main(sys.argv[1])
