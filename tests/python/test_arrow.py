# SPDX-License-Identifier: BSD-3-Clause
"""x.__arrow_c_array__(): Arrow's C data interface, read with ctypes, by pyarrow and by polars."""
import ctypes
import gc
import threading

import numpy as np
import pytest

import heddle
from common import IS_NUMPY, ON_HOST, python, xp

if IS_NUMPY:
    pytest.skip("about Heddle itself", allow_module_level=True)

FORMATS = {"?": b"b", "i1": b"c", "i2": b"s", "i4": b"i", "i8": b"l",
           "u1": b"C", "u2": b"S", "u4": b"I", "u8": b"L", "f2": b"e", "f4": b"f", "f8": b"g"}


class Schema(ctypes.Structure):
    pass


class Array(ctypes.Structure):
    pass


Schema._fields_ = [
    ("format", ctypes.c_char_p), ("name", ctypes.c_char_p), ("metadata", ctypes.c_void_p),
    ("flags", ctypes.c_int64), ("n_children", ctypes.c_int64), ("children", ctypes.c_void_p), ("dictionary", ctypes.c_void_p),
    ("release", ctypes.CFUNCTYPE(None, ctypes.POINTER(Schema))), ("private_data", ctypes.c_void_p)]
Array._fields_ = [
    ("length", ctypes.c_int64), ("null_count", ctypes.c_int64), ("offset", ctypes.c_int64),
    ("n_buffers", ctypes.c_int64), ("n_children", ctypes.c_int64),
    ("buffers", ctypes.POINTER(ctypes.c_void_p)), ("children", ctypes.c_void_p), ("dictionary", ctypes.c_void_p),
    ("release", ctypes.CFUNCTYPE(None, ctypes.POINTER(Array))), ("private_data", ctypes.c_void_p)]

pointer_of = ctypes.pythonapi.PyCapsule_GetPointer
pointer_of.restype, pointer_of.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_char_p)
new_capsule = ctypes.pythonapi.PyCapsule_New
new_capsule.restype = ctypes.py_object
new_capsule.argtypes = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p


def structs(capsules):
    """The structs in (schema, array), where the capsules have them."""
    schema, array = capsules
    return (Schema.from_address(pointer_of(schema, b"arrow_schema")),
            Array.from_address(pointer_of(array, b"arrow_array")))


def values(schema, array):
    """The elements that the structs tell of, copied."""
    dtype = np.dtype({b: a for a, b in FORMATS.items()}[schema.format])
    n = (array.length + 7) // 8 if dtype == bool else array.length * dtype.itemsize
    data = ctypes.string_at(array.buffers[1], n) if n else b""
    if dtype == bool:
        bits = np.unpackbits(np.frombuffer(data, "u1"), bitorder="little")
        return bits[:array.length].astype(bool)
    return np.frombuffer(data, dtype)


def moved(array):
    """The array as its consumer takes it: a copy of the struct, whose original forgets its
    release."""
    mine = Array.from_buffer_copy(array)
    ctypes.memset(ctypes.addressof(array) + Array.release.offset, 0, ctypes.sizeof(ctypes.c_void_p))
    return mine


def cases(dtype):
    base = np.arange(41) % 2 if dtype == "?" else np.arange(41)
    x = xp.asarray(base.astype(dtype))
    yield from (x, x[:0], x[:1], x[3:20], x[::2], x[::-1], x[5::7], x[:40].reshape(5, 8)[:, 1])


@pytest.mark.parametrize("dtype", FORMATS)
def test_structs__are_what_arrow_lays_down(dtype):
    for x in cases(dtype):
        capsules = x.__arrow_c_array__()
        schema, array = structs(capsules)
        assert schema.format == FORMATS[dtype] and schema.name == b"" and not schema.metadata
        assert (schema.n_children, schema.children, schema.dictionary) == (0, None, None)
        assert (array.length, array.null_count, array.offset, array.n_buffers) == (x.size, 0, 0, 2)
        assert (array.n_children, array.children, array.dictionary) == (0, None, None)
        assert array.buffers[0] is None and schema.release and array.release
        assert values(schema, array).tolist() == x.tolist()


@pytest.mark.skipif(not ON_HOST, reason="a GPU's elements are copied")
def test_memory__is_shared_where_it_is_one_piece():
    x = xp.arange(10.0)
    address = x.__array_interface__["data"][0]
    for part, start in (x, 0), (x[2:7], 16):
        capsules = part.__arrow_c_array__()
        schema, array = structs(capsules)
        assert array.buffers[1] == address + start
    x += 1
    assert values(schema, array).tolist() == [3, 4, 5, 6, 7]
    copy = x[::2].__arrow_c_array__()
    x[:] = 0
    assert values(*structs(copy)).tolist() == [1, 3, 5, 7, 9]


def test_unaligned_and_read_only_arrays():
    memory = xp.asarray(np.arange(41, dtype="u1"))
    x = memory[1:].view("f8")
    assert values(*structs(x.__arrow_c_array__())).tolist() == x.tolist()
    fixed = xp.arange(3)
    fixed.flags.writeable = False
    assert values(*structs(fixed.__arrow_c_array__())).tolist() == [0, 1, 2]


def memory_used():
    gc.collect()
    heddle.synchronize()
    return heddle.stats("cpu")["memory_used"]


def test_capsules__never_consumed_let_go():
    before = memory_used()
    for _ in range(20):
        xp.arange(1e5).__arrow_c_array__()
        xp.ones(100000, dtype=bool).__arrow_c_array__()
    assert memory_used() == before


@pytest.mark.parametrize("dtype", ["f8", "?"])
def test_array__outlives_what_it_came_from(dtype):
    before = memory_used()
    x = xp.ones(100000, dtype=dtype)
    schema_capsule, array_capsule = x.__arrow_c_array__()
    schema, array = structs((schema_capsule, array_capsule))
    mine = moved(array)
    del x, array_capsule
    gc.collect()
    assert values(schema, mine).tolist() == [1] * 100000
    mine.release(mine)
    assert not mine.release
    del schema_capsule
    assert memory_used() == before


def test_release__in_another_thread():
    array = structs(capsules := xp.arange(1000.0).__arrow_c_array__())[1]
    mine = moved(array)
    t = threading.Thread(target=lambda: mine.release(mine))
    t.start()
    t.join()
    assert not mine.release and capsules


def test_schema__released_twice_by_capsule_and_consumer():
    schema = structs(capsules := xp.arange(3).__arrow_c_array__())[0]
    schema.release(schema)
    assert not schema.release
    del capsules


def wish(format):
    schema = Schema(format=format, name=b"", release=Schema.release_type(lambda s: None))
    return schema, new_capsule(ctypes.addressof(schema), b"arrow_schema", None)


Schema.release_type = dict(Schema._fields_)["release"]


@pytest.mark.parametrize("own,format,given", [
    ("i4", b"l", b"l"), ("i4", b"g", b"g"), ("i8", b"c", b"c"), ("i8", b"C", b"C"),
    ("f8", b"f", b"f"), ("?", b"c", b"c"), ("f8", b"l", b"g"), ("i4", b"u", b"i"), ("i4", b"b", b"i"), ("f4", b"e", b"e")])
def test_requested_schema__is_followed_where_it_can_be(own, format, given):
    x = xp.arange(2).astype(own)
    keep, capsule = wish(format)
    for capsules in x.__arrow_c_array__(capsule), x.__arrow_c_array__(requested_schema=capsule):
        schema, array = structs(capsules)
        assert schema.format == given and values(schema, array).tolist() == [0, 1]
    assert keep.format == format


@pytest.mark.parametrize("elements,dtype,format", [
    ([5, 300, 6], "i8", b"c"), ([1, -1], "i8", b"L"), ([2**63], "u8", b"l")])
def test_requested_schema__keeps_values(elements, dtype, format):
    keep, capsule = wish(format)
    with pytest.raises(ValueError, match="not all values of this"):
        xp.array(elements, dtype=dtype).__arrow_c_array__(capsule)
    assert keep.format == format


@pytest.mark.parametrize("make,error,text", [
    (lambda: xp.ones((2, 3)), ValueError, "one dimension, this one has 2"),
    (lambda: xp.ones((2, 3)).sum(), ValueError, "one dimension, this one has 0"),
    (lambda: xp.ones(2, dtype="c8"), TypeError, "no arrays of complex64"),
    (lambda: xp.ones(2, dtype="c16"), TypeError, "no arrays of complex128")])
def test_what_arrow_has_not__is_refused(make, error, text):
    x = make()
    if xp.ndim(x) == 0 and not hasattr(x, "__arrow_c_array__"):
        pytest.skip("NumPy's scalar")
    with pytest.raises(error, match=text):
        x.__arrow_c_array__()


def test_requested_schema__must_be_a_capsule_of_a_schema():
    x = xp.arange(3)
    for wrong in 1, x.__arrow_c_array__()[1]:
        with pytest.raises((TypeError, ValueError)):
            x.__arrow_c_array__(wrong)
    with pytest.raises(TypeError):
        x.__arrow_c_array__(None, None)


def test_pyarrow__takes_arrays():
    pa = pytest.importorskip("pyarrow")
    for dtype in FORMATS:
        for x in cases(dtype):
            a = pa.array(x)
            a.validate(full=True)
            assert a.to_pylist() == x.tolist() and a.type == pa.from_numpy_dtype(np.dtype(dtype))
    assert pa.array(xp.arange(3), type=pa.float64()).to_pylist() == [0.0, 1.0, 2.0]
    table = pa.table({"a": xp.arange(3), "b": xp.arange(3) > 1})
    assert table.to_pylist() == [{"a": 0, "b": False}, {"a": 1, "b": False}, {"a": 2, "b": True}]
    del a, x, table
    before = memory_used()
    a = pa.array(xp.arange(1e5))
    assert a.slice(7, 2).to_pylist() == [7.0, 8.0]
    del a
    assert memory_used() == before


def test_polars__takes_arrays():
    pl = pytest.importorskip("polars")
    for dtype in sorted(set(FORMATS) - {"f2"}):
        for x in cases(dtype):
            assert pl.Series("x", x).to_list() == x.tolist()
            assert pl.from_arrow(x).to_list() == x.tolist()
    frame = pl.DataFrame({"a": xp.arange(3), "b": xp.arange(3) > 1})
    assert frame.rows() == [(0, False), (1, False), (2, True)]


def test_process__ends_with_arrays_of_others_alive():
    r = python("import heddle\n"
               "kept = [heddle.arange(1e5).__arrow_c_array__() for _ in range(3)]\n"
               "print('end')")
    assert r.stdout == "end\n" and r.stderr == ""
