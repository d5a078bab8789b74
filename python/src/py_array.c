/* SPDX-License-Identifier: BSD-3-Clause */
/* py_array.c - the type heddle.ndarray: making, freeing, truth, length, iteration. The slots for
 * arithmetic, indexing, text and buffers are in files of their own and meet in array_spec. */
#include "py_element.h"

#include <stdlib.h>
#include <string.h>

PyTypeObject *hp_array_type, *hp_iterator_type;
hp_pool hp_free_arrays;

enum { POOL_LIMIT = 4096 };

/* ---- objects --------------------------------------------------------------------------------- */

PyObject *hp_wrap_cold(hd_array *a)
{
    hp_array *o = PyObject_New(hp_array, hp_array_type);
    if (!o) {
        hd_release(a);
        return NULL;
    }
    o->weak = o->base = NULL;
    o->extras = NULL;
    o->a = a;
    return (PyObject *)o;
}

/* What NumPy makes of one of its scalars is an array of its own, which can be written to. */
static PyObject *own_array(hd_array *a)
{
    hd_array *copy = hd_copy(a, 'K');
    hd_release(a);
    return hp_wrap_array(copy);
}

PyObject *hp_wrap_view(hd_array *a, PyObject *owner)
{
    if (hp_is_sub(owner))
        return hp_view_as(Py_TYPE(owner), a, owner);
    if (a && hp_exact(owner) && hp_is_scalar(owner) && !(hd_flags(a) & HD_SCALAR))
        return own_array(a);
    PyObject *o = hp_wrap_array(a);
    if (o) {
        /* NumPy's base is never a view of ours */
        PyObject *base = hp_exact(owner) ? ((hp_array *)owner)->base : NULL;
        ((hp_array *)o)->base = Py_NewRef(base ? base : owner);
    }
    return o;
}

PyObject *hp_wrap_maybe_view(hd_array *a, PyObject *owner)
{
    if (a && hd_same_memory(a, hp_a(owner)))
        return hp_wrap_view(a, owner);
    return hp_is_sub(owner) ? hp_new_of(Py_TYPE(owner), a, NULL, owner) : hp_wrap(a);
}

PyObject *hp_wrap_like(hd_array *a, PyObject *owner)
{
    if (!a || !hp_is_scalar(owner) || hd_ndim(a) != 0 || hd_flags(a) & HD_SCALAR)
        return hp_wrap_maybe_view(a, owner);
    hd_array *value = hd_scalar_of(a);
    hd_release(a);
    return hp_wrap(value);
}

int hp_is_scalar(PyObject *array)
{
    return hd_ndim(hp_a(array)) == 0 && hd_is_scalar(hp_a(array));
}

static void release_extras(hp_array *o)
{
    Py_CLEAR(o->base);
    while (o->extras) {
        hp_extras *e = o->extras;
        o->extras = e->more;
        if (e->pinned && hp_cuda_ordinal(hd_device_of(e->pinned)) >= 0)
            hp_come_after(hd_device_of(e->pinned), 1);   /* who had the interface names no stream */
        if (e->pinned)
            hd_unexport(e->pinned);
        hd_release(e->pinned);
        hd_release(e->replaced);
        free(e);
    }
}

hp_extras *hp_add_extras(PyObject *array)
{
    hp_array *o = (hp_array *)array;
    hp_extras *e = calloc(1, sizeof *e);
    if (!e)
        return PyErr_NoMemory(), NULL;
    e->more = o->extras;
    return o->extras = e;
}

static void array_dealloc(PyObject *self)
{
    hp_array *o = (hp_array *)self;
    if (HP_UNLIKELY(o->weak != NULL))
        PyObject_ClearWeakRefs(self);
    hd_release(o->a);
    if (HP_UNLIKELY(o->base || o->extras))
        release_extras(o);
    /* keeps its reference to the type */
    if (HP_LIKELY(hp_free_arrays.count < POOL_LIMIT && hp_exact(self))) {
        o->base = (PyObject *)hp_free_arrays.head;
        hp_free_arrays.head = o;
        hp_free_arrays.count++;
        return;
    }
    PyTypeObject *type = Py_TYPE(self);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
    Py_DECREF(type);
}

/* ---- constructor ----------------------------------------------------------------------------- */

/* ndarray(shape, dtype=None, buffer=None, ...): long-tail work of the Python side. */
static PyObject *array_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    PyObject *module = PyImport_ImportModule("heddle._creation");
    PyObject *make = module ? PyObject_GetAttrString(module, "_ndarray") : NULL;
    PyObject *array = make ? PyObject_Call(make, args, kwargs) : NULL;
    Py_XDECREF(make);
    Py_XDECREF(module);
    if (!array || type == hp_array_type || !hp_check(array))
        return array;
    PyObject *o = hp_new_of(type, hd_retain(hp_a(array)), ((hp_array *)array)->base, NULL);
    Py_DECREF(array);
    return o;
}

/* ---- as a Python value ----------------------------------------------------------------------- */

/* A value of dtype dt that is known: most of those that are asked for are. */
static int known(PyObject *self, hd_dtype dt, void *into)
{
    return hd_dtype_of(hp_a(self)) == dt && hd_value_known(hp_a(self), into);
}

static int array_bool(PyObject *self)
{
    hd_value v;
    hd_array *a = hp_a(self);
    uint8_t flag;
    int64_t i;
    double f;
    if (known(self, HD_BOOL, &flag))
        return flag != 0;
    if (known(self, HD_INT64, &i))
        return i != 0;
    if (known(self, HD_FLOAT64, &f))
        return f != 0;
    if (hd_size(a) != 1) {
        PyErr_SetString(
            PyExc_ValueError,
            hd_size(a) == 0
                ? "The truth value of an empty array is ambiguous. Use `array.size > 0` to check "
                  "that an array is not empty."
                : "The truth value of an array with more than one element is ambiguous. "
                  "Use a.any() or a.all()");
        return -1;
    }
    if (hd_item(a, 0, &v) != HD_OK)
        return hp_raise(), -1;
    return v.kind == 'f'   ? v.as.f != 0
           : v.kind == 'c' ? v.as.c[0] != 0 || v.as.c[1] != 0
                           : v.as.i != 0;
}

/* NumPy's complex scalars, unlike its arrays, have a float: their real part. */
static PyObject *real_part(PyObject *value)
{
    double re = PyComplex_RealAsDouble(value);
    Py_DECREF(value);
    return hp_warn_discards() < 0 ? NULL : PyFloat_FromDouble(re);
}

static PyObject *zero_dim_item(PyObject *self)
{
    if (hd_ndim(hp_a(self)) == 0) {
        PyObject *value = hp_item(hp_a(self), 0);
        return value && PyComplex_CheckExact(value) && hp_is_scalar(self) ? real_part(value)
                                                                          : value;
    }
    PyErr_SetString(PyExc_TypeError,
                    "only 0-dimensional arrays can be converted to Python scalars");
    return NULL;
}

static PyObject *array_int(PyObject *self)
{
    PyObject *v = zero_dim_item(self), *i = v ? PyNumber_Long(v) : NULL;
    Py_XDECREF(v);
    return i;
}

static PyObject *array_float(PyObject *self)
{
    double x;
    if (known(self, HD_FLOAT64, &x))
        return PyFloat_FromDouble(x);
    PyObject *v = zero_dim_item(self), *f = v ? PyNumber_Float(v) : NULL;
    Py_XDECREF(v);
    return f;
}

static PyObject *array_index(PyObject *self)
{
    int64_t i;
    if (known(self, HD_INT64, &i))
        return PyLong_FromLongLong(i);
    char kind = hd_dtype_kind(hd_dtype_of(hp_a(self)));
    if (hd_ndim(hp_a(self)) == 0 && (kind == 'i' || kind == 'u'))
        return hp_item(hp_a(self), 0);
    PyErr_SetString(PyExc_TypeError,
                    "only integer scalar arrays can be converted to a scalar index");
    return NULL;
}

static Py_hash_t array_hash(PyObject *self)
{
    if (!hp_is_scalar(self))
        return PyObject_HashNotImplemented(self);
    PyObject *v = hp_item(hp_a(self), 0);
    Py_hash_t h = v ? PyObject_Hash(v) : -1;
    Py_XDECREF(v);
    return h;
}

/* ---- iteration ------------------------------------------------------------------------------- */

typedef struct iterator {
    PyObject_HEAD
    PyObject *array;
    Py_ssize_t next;
    /* the array's handle, if its elements are NumPy's scalars, with its extent and dtype: all three
     * stay until the handle is another one (x.shape = ...) */
    const hd_array *row;
    int64_t n;
    hd_dtype dt;
} iterator;

static PyObject *array_iter(PyObject *self)
{
    if (hd_ndim(hp_a(self)) == 0) {
        PyErr_SetString(PyExc_TypeError, "iteration over a 0-d array");
        return NULL;
    }
    iterator *it = PyObject_New(iterator, hp_iterator_type);
    if (!it)
        return NULL;
    it->array = Py_NewRef(self);
    it->next = 0;
    it->row = NULL;
    return (PyObject *)it;
}

static PyObject *next_of_any(iterator *it)
{
    const hd_array *a = hp_a(it->array);
    it->n = hd_shape(a)[0];
    it->dt = hd_dtype_of(a);
    it->row = hd_ndim(a) == 1 && hp_exact(it->array) && hp_gives_scalars(a) ? a : NULL;
    return it->next < it->n ? PySequence_GetItem(it->array, it->next++) : NULL;
}

static PyObject *iterator_next(PyObject *self)
{
    uint64_t element[2];
    iterator *it = (iterator *)self;
    if (HP_UNLIKELY(hp_a(it->array) != it->row))
        return next_of_any(it);
    if (it->next >= it->n)
        return NULL;
    if (HP_UNLIKELY(hd_element_get(it->row, 1, &(int64_t){it->next++}, element) != HD_OK))
        return hp_raise();
    return hp_numpy_scalar(it->dt, element);
}

static void iterator_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    Py_DECREF(((iterator *)self)->array);
    PyObject_Free(self);
    Py_DECREF(type);
}

int hp_iterator_ready(void)
{
    static PyMemberDef members[] = {
        {"index", T_PYSSIZET, offsetof(iterator, next), READONLY, "of what comes next"},
        {NULL, 0, 0, 0, NULL}};
    static PyType_Slot slots[] = {{Py_tp_dealloc, iterator_dealloc},
                                  {Py_tp_iter, PyObject_SelfIter},
                                  {Py_tp_iternext, iterator_next},
                                  {Py_tp_members, members},
                                  {0, NULL}};
    static PyType_Spec spec = {"heddle._iterator", sizeof(iterator), 0,
                               Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
    return (hp_iterator_type = (PyTypeObject *)PyType_FromSpec(&spec)) ? 0 : -1;
}

/* ---- the type -------------------------------------------------------------------------------- */

static PyMemberDef array_members[] = {
    {"__weaklistoffset__", T_PYSSIZET, offsetof(hp_array, weak), READONLY, NULL},
    {NULL, 0, 0, 0, NULL}};

static PyType_Slot own_slots[] = {
    {Py_tp_doc,
     "ndarray(shape, dtype=None, buffer=None, offset=0, strides=None, order=None)\n--\n\n"
     "An n-dimensional array whose operations are recorded, fused, and run when a value is "
     "needed."},
    {Py_tp_new, array_new},
    {Py_tp_dealloc, array_dealloc},
    {Py_tp_members, array_members},
    {Py_tp_hash, array_hash},
    {Py_tp_iter, array_iter},
    {Py_nb_bool, array_bool},
    {Py_nb_int, array_int},
    {Py_nb_float, array_float},
    {Py_nb_index, array_index},
    {Py_tp_getset, hp_array_getset},
    {0, NULL}};

static int append(PyType_Slot *all, int n, const PyType_Slot *some)
{
    while (some->slot)
        all[n++] = *some++;
    return n;
}

/* One table of methods from several files, ended by an empty row. */
static PyMethodDef all_methods[96];

static void join_methods(void)
{
    PyMethodDef *const tables[] = {hp_array_methods, hp_reduce_methods, hp_export_methods,
                                   hp_arrow_methods, hp_element_methods, hp_subclass_methods};
    size_t n = 0;
    for (size_t t = 0; t < sizeof tables / sizeof *tables; t++)
        for (const PyMethodDef *m = tables[t];
             m->ml_name && n < sizeof all_methods / sizeof *all_methods - 1; m++)
            all_methods[n++] = *m;
}

const PyMethodDef *hp_array_method(const char *name)
{
    const PyMethodDef *m = all_methods;
    while (m->ml_name && strcmp(m->ml_name, name) != 0)
        m++;
    return m->ml_name ? m : NULL;
}

int hp_array_ready(void)
{
    static PyType_Slot slots[96];
    PyType_Slot *const tables[] = {own_slots, hp_number_slots, hp_index_slots, hp_text_slots,
                                   hp_buffer_slots};
    int n = 0;
    for (size_t t = 0; t < sizeof tables / sizeof *tables; t++)
        n = append(slots, n, tables[t]);
    join_methods();
    slots[n++] = (PyType_Slot){Py_tp_methods, all_methods};
    static PyType_Spec spec = {"heddle.ndarray", sizeof(hp_array), 0,
                               Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};
    return (hp_array_type = (PyTypeObject *)PyType_FromSpec(&spec)) ? 0 : -1;
}
