/* SPDX-License-Identifier: BSD-3-Clause */
/* py_arrow.c - Arrow's C data interface, out: x.__arrow_c_array__() gives two capsules, as the
 * PyCapsule interface lays down (arrow.apache.org/docs/format/CDataInterface.html). The structs
 * hold a handle of the library and nothing of Python's, so that their release needs no GIL. */
#include "py.h"

#include <stdlib.h>
#include <string.h>

enum { ARROW_NULLABLE = 2 };

typedef struct arrow_schema {
    const char *format, *name, *metadata;
    int64_t flags, n_children;
    struct arrow_schema **children, *dictionary;
    void (*release)(struct arrow_schema *);
    void *private_data;
} arrow_schema;

typedef struct arrow_array {
    int64_t length, null_count, offset, n_buffers, n_children;
    const void **buffers;
    struct arrow_array **children, *dictionary;
    void (*release)(struct arrow_array *);
    void *private_data;
} arrow_array;

static const char schema_name[] = "arrow_schema", array_name[] = "arrow_array";

/* ---- dtypes ---------------------------------------------------------------------------------- */

/* NULL: Arrow has none. */
static const char *format_of(hd_dtype dt)
{
    static const char *const formats[HD_DTYPE_COUNT] = {
        [HD_BOOL] = "b",    [HD_INT8] = "c",    [HD_INT16] = "s",   [HD_INT32] = "i",
        [HD_INT64] = "l",   [HD_UINT8] = "C",   [HD_UINT16] = "S",  [HD_UINT32] = "I",
        [HD_UINT64] = "L",  [HD_FLOAT16] = "e", [HD_FLOAT32] = "f", [HD_FLOAT64] = "g"};
    return formats[dt];
}

static hd_dtype dtype_of_format(const char *format)
{
    for (int dt = HD_BOOL; dt < HD_DTYPE_COUNT; dt++) {
        const char *own = format_of((hd_dtype)dt);
        if (own && format && strcmp(own, format) == 0)
            return (hd_dtype)dt;
    }
    return HD_NO_DTYPE;
}

/* ---- the schema ------------------------------------------------------------------------------ */

/* Its texts are constants. */
static void release_schema(arrow_schema *s)
{
    s->release = NULL;
}

static void free_schema(PyObject *capsule)
{
    arrow_schema *s = PyCapsule_GetPointer(capsule, schema_name);
    if (s && s->release)
        s->release(s);
    free(s);
}

static PyObject *make_schema(hd_dtype dt)
{
    arrow_schema *s = malloc(sizeof *s);
    if (!s)
        return PyErr_NoMemory();
    *s = (arrow_schema){.format = format_of(dt),
                        .name = "",
                        .flags = ARROW_NULLABLE,
                        .release = release_schema};
    PyObject *capsule = PyCapsule_New(s, schema_name, free_schema);
    if (!capsule)
        free(s);
    return capsule;
}

/* ---- the array ------------------------------------------------------------------------------- */

/* What a struct keeps, wherever its consumer moves it: an exported array, or bits of its own. */
typedef struct kept {
    const void *buffers[2];   /* no element is missing: there is no map of those that are */
    hd_array *a;
    uint8_t *bits;
} kept;

static void release_array(arrow_array *r)
{
    kept *k = r->private_data;
    if (k->a) {
        hd_unexport(k->a);
        hd_release(k->a);
    }
    free(k->bits);
    free(k);
    r->release = NULL;
}

/* A capsule whose array was moved out of it has no release left. */
static void free_array(PyObject *capsule)
{
    arrow_array *r = PyCapsule_GetPointer(capsule, array_name);
    if (r && r->release)
        r->release(r);
    free(r);
}

/* One bit an element, the first one lowest; whole words, as Arrow advises. */
static uint8_t *packed(const uint8_t *values, int64_t n)
{
    uint8_t *bits = calloc((size_t)(n + 511) / 512 + 1, 64);
    for (int64_t i = 0; bits && i < n; i++)
        bits[i >> 3] |= (uint8_t)((values[i] != 0) << (i & 7));
    return bits;
}

/* Bools become bits, whose array is let go. */
static int pack(kept *k)
{
    k->bits = packed(k->buffers[1], hd_size(k->a));
    hd_unexport(k->a);
    hd_release(k->a);
    k->a = NULL;
    k->buffers[1] = k->bits;
    return k->bits ? 0 : (PyErr_NoMemory(), -1);
}

/* Takes a, which is one piece of host memory. */
static kept *keep(hd_array *a)
{
    kept *k = calloc(1, sizeof *k);
    if (k && (k->buffers[1] = hd_export(a, 0))) {
        k->a = a;
        if (hd_dtype_of(a) != HD_BOOL || pack(k) == 0)
            return k;
    } else {
        if (k)
            hp_raise();
        else
            PyErr_NoMemory();
        hd_release(a);
    }
    free(k);
    return NULL;
}

/* Takes a, which is one piece of host memory. */
static PyObject *make_array(hd_array *a)
{
    int64_t n = hd_size(a);
    kept *k = keep(a);
    arrow_array *r = k ? malloc(sizeof *r) : NULL;
    if (!k)
        return NULL;
    arrow_array whole = {.length = n,
                         .n_buffers = 2,
                         .buffers = k->buffers,
                         .release = release_array,
                         .private_data = k};
    PyObject *capsule = r ? PyCapsule_New(r, array_name, free_array) : PyErr_NoMemory();
    if (capsule) {
        *r = whole;
        return capsule;
    }
    release_array(&whole);
    free(r);
    return NULL;
}

/* ---- what is given --------------------------------------------------------------------------- */

static int check(const hd_array *a)
{
    if (hd_ndim(a) != 1) {
        PyErr_Format(PyExc_ValueError,
                     "Arrow's arrays have one dimension, this one has %d: x.ravel(), or the rows "
                     "or columns one by one",
                     hd_ndim(a));
        return -1;
    }
    if (!format_of(hd_dtype_of(a))) {
        PyErr_Format(PyExc_TypeError, "Arrow has no arrays of %s: x.real, x.imag or x.astype()",
                     hd_dtype_name(hd_dtype_of(a)));
        return -1;
    }
    return 0;
}

/* May elements be given as a dtype that the consumer would like? Integers are looked at first. */
static int goes_as(hd_dtype own, hd_dtype wish)
{
    if (wish == HD_NO_DTYPE || hd_can_cast(own, wish, HD_CAST_SAFE))
        return wish != HD_NO_DTYPE;
    char from = hd_dtype_kind(own), to = hd_dtype_kind(wish);
    return from == 'f' ? to == 'f' : strchr("iu", from) && strchr("iu", to);
}

/* The dtype that the consumer would like, if that can be; else its own, which the interface
 * allows. */
static int wished(PyObject *o, hd_dtype *dt)
{
    if (!o || o == Py_None)
        return 0;
    const arrow_schema *s = PyCapsule_GetPointer(o, schema_name);
    if (!s)
        return -1;
    hd_dtype wish = s->release ? dtype_of_format(s->format) : HD_NO_DTYPE;
    if (goes_as(*dt, wish))
        *dt = wish;
    return 0;
}

/* Do integers keep their values in r, which they were cast to? */
static int check_values(const hd_array *a, const hd_array *r)
{
    hd_value all = {.as.i = 1};
    if (hd_dtype_kind(hd_dtype_of(a)) == 'f' ||
        hd_can_cast(hd_dtype_of(a), hd_dtype_of(r), HD_CAST_SAFE))
        return 0;
    hd_array *same = hd_equal(a, r), *one = same ? hd_all(same, -1, NULL, 0) : NULL;
    int failed = !one || hd_item(one, 0, &all) != HD_OK;
    hd_release(same);
    hd_release(one);
    if (failed)
        return hp_raise(), -1;
    if (all.as.i)
        return 0;
    PyErr_Format(PyExc_ValueError, "not all values of this %s array are values of %s",
                 hd_dtype_name(hd_dtype_of(a)), hd_dtype_name(hd_dtype_of(r)));
    return -1;
}

/* As dt, which is not a's dtype. */
static hd_array *cast(const hd_array *a, hd_dtype dt)
{
    hd_array *r = hd_astype(a, dt, 'C', HD_CAST_UNSAFE, 1);
    if (!r)
        return hp_raise(), NULL;
    if (check_values(a, r) == 0)
        return r;
    hd_release(r);
    return NULL;
}

/* a's elements of dtype dt in one aligned piece of the host's memory (owned): a itself if it is
 * that. */
static hd_array *one_piece(hd_array *a, hd_dtype dt)
{
    unsigned whole = HD_C_CONTIGUOUS | HD_ALIGNED;
    if (!hd_device_is_host(hd_device_of(a))) {
        hd_array *host = hp_check_guard_out(hd_device_of(a)) < 0 ? NULL : hp_on_host(a);
        hd_array *piece = host ? one_piece(host, dt) : NULL;
        hd_release(host);
        return piece;
    }
    if (hd_dtype_of(a) != dt)
        return cast(a, dt);
    hd_array *r = (hd_flags(a) & whole) == whole ? hd_retain(a) : hd_copy(a, 'C');
    return r ? r : (hp_raise(), NULL);
}

static PyObject *array_arrow(PyObject *self, HP_FAST)
{
    static hp_signature s = {
        .name = "__arrow_c_array__", .positional = 1, .names = {"requested_schema"}};
    PyObject *v[1];
    hd_dtype dt = hd_dtype_of(hp_a(self));
    if (hp_parse(&s, args, nargs, kwnames, v) < 0 || check(hp_a(self)) < 0 || wished(v[0], &dt) < 0)
        return NULL;
    hd_array *a = one_piece(hp_a(self), dt);
    PyObject *array = a ? make_array(a) : NULL, *schema = array ? make_schema(dt) : NULL;
    PyObject *both = schema ? PyTuple_Pack(2, schema, array) : NULL;
    Py_XDECREF(schema);
    Py_XDECREF(array);
    return both;
}

PyMethodDef hp_arrow_methods[] = {
    HP_METHOD("__arrow_c_array__", array_arrow,
              "capsules of an ArrowSchema and an ArrowArray over the array's memory"),
    {NULL, NULL, 0, NULL}};
